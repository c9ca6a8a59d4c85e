"""SELECT, INSERT, UPDATE, DELETE and MERGE: what Vertica would not take is refused by its tokens.

The rest goes to PostgreSQL as it is, with two spellings changed. The list comes from Vertica's
grammar and documentation up to release 11; whether a later release takes more, multi-row VALUES for
one, is not known.
"""

from __future__ import annotations

from tests.vertica_server.errors import VerticaError, missing_schema, syntax, unsupported
from tests.vertica_server.lexer import Reader, Statement, Token, folded

_PAIRS = {
    ("FETCH", "FIRST"),
    ("FETCH", "NEXT"),
    ("DISTINCT", "ON"),
    ("ON", "CONFLICT"),
    ("FOR", "SHARE"),
    ("FOR", "NO"),
    ("FOR", "KEY"),
    ("SKIP", "LOCKED"),
    ("FROM", "ONLY"),
    ("JOIN", "ONLY"),
    ("FROM", "LATERAL"),
    ("JOIN", "LATERAL"),
    (",", "LATERAL"),
    ("GROUP", "DISTINCT"),
    ("INTO", "TEMP"),
    ("AS", "MATERIALIZED"),
    ("NOT", "MATERIALIZED"),
    ("(", "VALUES"),
    ("FILTER", "("),
    ("TIMEZONE", "("),
}
"""Words that stand side by side in PostgreSQL's SQL and never in Vertica's."""

_WORDS = {"RETURNING", "TABLESAMPLE", "OVERRIDING"}
_FUNCTIONS = {
    "age",
    "array_agg",
    "concat_ws",
    "current_setting",
    "format",
    "gen_random_uuid",
    "generate_series",
    "generate_subscripts",
    "make_date",
    "make_interval",
    "make_time",
    "make_timestamp",
    "make_timestamptz",
    "regexp_matches",
    "set_config",
    "string_agg",
    "to_regclass",
}
"""Functions of PostgreSQL that Vertica has not, or not in this form."""

_SCHEMAS = {"pg_catalog", "information_schema", "pg_temp"}


def check_query(statement: Statement, first: int = 0) -> str:
    """The text of a query for PostgreSQL, from a token on; or Vertica's refusal."""
    found = statement.tokens[first:]
    if not found:
        raise syntax("EOL", len(statement.text))
    if found[0].word not in ("SELECT", "WITH", "("):
        raise syntax(found[0].text, found[0].start + 1)
    return _checked(statement, found)


def _checked(statement: Statement, found: tuple[Token, ...]) -> str:
    windows: list[bool] = []  # of every open parenthesis, whether it is that of OVER
    edits: list[tuple[int, int, str]] = []
    for at, token in enumerate(found):
        word = token.word
        after = found[at + 1] if at + 1 < len(found) else None
        before = found[at - 1].word if at else ""
        following = after.word if after else ""
        if word == "(":
            windows.append(before == "OVER")
        elif word == ")" and windows:
            windows.pop()
        refused = (word, following) in _PAIRS or word in _WORDS
        if word == "NULLS" and following in ("FIRST", "LAST"):
            refused = not (windows and windows[-1])
        if word in ("INSERT", "UPDATE", "DELETE", "MERGE") and before == "(":
            refused = True  # a CTE that changes data
        if word == "INTO" and at and not before.startswith(("INSERT", "MERGE")):
            refused = True
        if refused:
            raise syntax(token.text, token.start + 1)
        if word == "AT" and following == "TIMEZONE" and after:
            edits.append((after.start, after.end, "TIME ZONE"))
        _check_name(token, before, following)
    text = statement.text
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text[found[0].start :]


def _check_name(token: Token, before: str, following: str) -> None:
    if token.kind not in ("word", "quoted"):
        return
    name = folded(token.text)
    if following == "." and name in _SCHEMAS and before != ".":
        raise missing_schema(name)
    if before != "." and name.startswith(("pg_", "json_", "jsonb_")):
        raise VerticaError("42V01", 4566, f'Relation or function "{name}" does not exist')
    if following == "(" and name in _FUNCTIONS:
        message = f"Function {name} does not exist, or permission is denied for {name}"
        raise VerticaError("42883", 3457, message)


def insert(statement: Statement) -> tuple[str, str]:
    """The table of an INSERT and its text; one row of VALUES, or a query."""
    reader = Reader(statement)
    reader.expect("INSERT", "INTO")
    table = reader.table()
    if reader.peek() == "(" and reader.peek(1) not in ("SELECT", "WITH", "("):
        reader.names()
    if reader.accept("DEFAULT"):
        reader.expect("VALUES")
        reader.end()
    elif reader.accept("VALUES"):
        reader.expect("(")
        reader.balanced(")")
        reader.expect(")")
        reader.end()
    elif reader.peek() not in ("SELECT", "WITH", "("):
        raise reader.error()
    return table, _checked(statement, statement.tokens)


def delete(statement: Statement) -> tuple[str, str]:
    """The table of a DELETE and its text."""
    reader = Reader(statement)
    reader.expect("DELETE", "FROM")
    table = reader.table()
    if not reader.done and reader.peek() != "WHERE":
        _ = reader.accept("AS")
        reader.name()
    if not reader.done:
        reader.expect("WHERE")
        if reader.done:
            raise reader.error()
    return table, _checked(statement, statement.tokens)


def update(statement: Statement) -> tuple[str, str]:
    """The table of an UPDATE and its text."""
    reader = Reader(statement)
    reader.expect("UPDATE")
    table = reader.table()
    if reader.peek() != "SET":
        _ = reader.accept("AS")
        reader.name()
    reader.expect("SET")
    return table, _checked(statement, statement.tokens)


def merge(statement: Statement) -> tuple[str, str]:
    """The table of a MERGE and its text: one UPDATE, one INSERT, never a DELETE."""
    reader = Reader(statement)
    reader.expect("MERGE", "INTO")
    table = reader.table()
    words = [token.word for token in statement.tokens]
    for at, word in enumerate(words):
        if word == "DELETE" or (word == "NOTHING" and words[at - 1] == "DO"):
            raise reader.error(at)
    if words.count("UPDATE") > 1 or words.count("INSERT") > 1 or "USING" not in words:
        raise unsupported("This MERGE")
    return table, _checked(statement, statement.tokens)

"""Scripts: where their statements begin and end, and what they change for those after them.

A script for a database's shell holds more than queries: settings, grants, loads, commands of the
shell itself. They need not be valid SQL to be told apart. Types are those of the database as it is.
After a statement that replaces, changes or drops a known table, the columns of tables and views are
unknown.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from tzconv.errors import ParseError
from tzconv.sql import names
from tzconv.sql.lexer import SPACE, Lexer
from tzconv.sql.parse import Node, escapes_by_backslash, parse, without_warnings
from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Kinds, Schema, agreed, declared_columns

_SPACES = f"{SPACE}++"  # all or none of it: no second thoughts
_OTHER = re.compile(
    r"(?:ABORT|ALTER|ANALYZE|ANALYSE|ATTACH|BEGIN|CALL|CHECKPOINT|CLOSE|CLUSTER|COMMENT|COMMIT"
    r"|CONNECT|COPY|DEALLOCATE|DECLARE|DELETE|DESCRIBE|DETACH|DISCARD|DISCONNECT|DO|DROP|END"
    r"|EXECUTE|EXPLAIN|EXPORT|FETCH|GRANT|IMPORT|INSTALL|LISTEN|LOAD|LOCK|MERGE|MOVE|NOTIFY"
    r"|PRAGMA|PREPARE|PROFILE|REASSIGN|REFRESH|REINDEX|RELEASE|RESET|REVOKE|ROLLBACK|SAVEPOINT"
    r"|SECURITY|SET|SHOW|START|SUMMARIZE|TRUNCATE|UNLISTEN|UNLOAD|UPDATE|USE|VACUUM)\b"
    rf"|CREATE\b(?!(?:{_SPACES}(?:OR{_SPACES}REPLACE|GLOBAL|LOCAL|MATERIALIZED|RECURSIVE|TEMP"
    rf"|TEMPORARY|UNLOGGED))*{_SPACES}(?:TABLE|VIEW)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""How statements begin that are no queries; a word not known here is read as a query."""

_CREATES_TABLE = re.compile(
    rf"CREATE{_SPACES}(?:OR{_SPACES}REPLACE{_SPACES})?(?:\w+{_SPACES}){{0,2}}TABLE\b",
    re.IGNORECASE | re.DOTALL,
)
_FIRST = Lexer(r"\S")
_ENDS = r"; | \\(?:g\w*|watch|crosstabview|bind\w*|parse|;)"
"""A semicolon, or a command of psql that sends what stands before it."""
_END = {escapes: Lexer(_ENDS, backslash_escapes=escapes) for escapes in (False, True)}
_ROUTINE = re.compile(
    rf"CREATE{_SPACES}(?:OR{_SPACES}REPLACE{_SPACES})?(?:FUNCTION|PROCEDURE)\b",
    re.IGNORECASE | re.DOTALL,
)
_IN_ROUTINE = Lexer(r"; | (?<![\w$.])(?:BEGIN\s+ATOMIC|CASE|END)\b")
"""The body of BEGIN ATOMIC has semicolons of its own, up to its END."""
_TAKES_DATA = re.compile(
    r"COPY\b[^;]*\bFROM\s+(?:LOCAL\s+)?STDIN\b|\\copy\b[^\n]*\bFROM\s+P?STDIN\b", re.IGNORECASE
)
_END_OF_DATA = re.compile(r"^\\\.[ \t]*\r?$", re.MULTILINE)
"""What ends the lines of data that stand below a COPY."""
_WORD = re.compile(r"\w+")
_LINE = re.compile(r"[^\r\n]*")
_PATH = re.compile(r"\b(search_path|current_schema|schema|role|authorization)\b", re.I)
_SETTING = re.compile(r"\btime\s*zone|\bcalendar\b|\bscalar_subquery_error_on\w+", re.I)
_UTC = re.compile(r"""['"\s=](UTC|Etc/UTC|GMT)['"]?\s*$""", re.I)
_MATTERS = re.compile(
    r"(?:ALTER|ATTACH|CALL|CREATE(?!\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE)\b)|DETACH|DISCARD|DO|DROP|EXECUTE|PRAGMA|RESET|SET|USE)\b|\\|\."
    r"|(?:SELECT\b|WITH\b|EXPLAIN\b|\().*\bINTO\b|EXPLAIN\b.*\bCREATE\b|(?!CREATE\b).*\bset_config\b",
    re.I | re.DOTALL,
)
_LEAVES = re.compile(r"[\\.]\s*(?:c|connect|gexec|i|ir|include|include_relative|open|read)\b")
"""Commands of a shell that go to another database, or run a file or the rows of a query."""
_UNDOES = re.compile(r"(?:ABORT|ROLLBACK)\b", re.I)
_ANYTHING = re.compile(rf"(?:CALL|DISCARD|DO|EXECUTE|RESET\s+ALL)\b|{_UNDOES.pattern}", re.I)


@dataclass(frozen=True, slots=True)
class Statement:
    """``text[start:end]`` from the first word of a statement to its semicolon, that not included.

    ``other`` says that it is not a query; ``is_shell``, that it is a command of the shell.
    """

    start: int
    end: int
    other: bool
    is_shell: bool = False


def split(text: str, *, backslash_escapes: bool = False) -> list[Statement]:
    """The statements of a text in order; ParseError where a quote or comment is not closed.

    ``backslash_escapes`` says that a backslash escapes a quote in each text of the dialect.
    """
    found: list[Statement] = []
    at = _code(text, 0)
    while at < len(text):
        is_shell = text[at] in "\\." and not text.startswith("\\;", at)
        if is_shell:  # a command of the shell, such as \timing or .mode, ends its line
            end = next(_LINE.finditer(text, at)).end()
            found.append(Statement(at, end, True, True))
        else:
            end = _end(text, at, backslash_escapes)
            if end > at:
                found.append(Statement(at, end, _OTHER.match(text, at) is not None))
        takes_data = _TAKES_DATA.match(text, at, end)
        data = _END_OF_DATA.search(text, end) if takes_data else None
        if data is not None:
            end = data.end()
        elif text.startswith("\\;", end):
            end += 2
        elif text.startswith(";", end):
            end += 1
        at = _code(text, end)
    return found


def first_word(text: str) -> tuple[str, bool]:
    """The first word of a text in upper case, and whether a query begins with it."""
    at = _code(text, 0)
    word = _WORD.match(text, at)
    return (word[0].upper() if word else "", _OTHER.match(text, at) is None)


def _code(text: str, at: int) -> int:
    """The place of the first character at or after ``at`` that is no space and no comment."""
    for piece in _FIRST.pieces(text, at):
        if piece.kind == "open" and text.startswith("/*", piece.start):
            raise _not_closed(text, piece.start)
        if piece.kind != "comment":
            return piece.start
    return len(text)


def _end(text: str, at: int, backslash_escapes: bool) -> int:
    """The place of what ends a statement, or of the end of the text."""
    is_routine, depth = _ROUTINE.match(text, at) is not None, 0
    for piece in (_IN_ROUTINE if is_routine else _END[backslash_escapes]).pieces(text, at):
        if piece.kind == "open":
            raise _not_closed(text, piece.start)
        if piece.kind != "found":
            continue
        word = piece.match[0].upper()
        if not is_routine or (word == ";" and not depth):
            return piece.start
        if word != ";" and (depth or word.startswith("BEGIN")):
            depth += -1 if word == "END" else 1
    return len(text)


def _not_closed(text: str, at: int) -> ParseError:
    return ParseError("a quoted text or comment is not closed", *line_and_column(text, at))


def from_ddl(text: str, dialect: str) -> dict[str, dict[str, str]]:
    """Column types from the CREATE TABLE statements of a text; other statements are passed over.

    ParseError if one of them is not understood, or nothing in the text is.
    """
    trees: list[Node] = []
    for one in split(text, backslash_escapes=escapes_by_backslash(dialect)):
        if _CREATES_TABLE.match(text, one.start, one.end):
            try:
                trees += parse(text[one.start : one.end], dialect).statements
            except ParseError as error:
                raise error.moved(*line_and_column(text, one.start)) from error
    trees = trees or parse(text, dialect).statements
    return agreed(declared_columns(tree, dialect) for tree in trees)


class Script:
    """The statements of a text before the one at work."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._schema: Schema | None = None
        self._reason: Reason | None = None

    def copy(self) -> Script:
        """A copy, to which statements can be added."""
        other = Script()
        other._texts, other._schema, other._reason = [*self._texts], self._schema, self._reason
        return other

    def ran(self, statement: str) -> None:
        """Record a statement that ran earlier."""
        if _MATTERS.match(statement) or (self and _UNDOES.match(statement)):
            self._texts.append(statement)

    def __bool__(self) -> bool:
        """Whether any of them may change what a later one means."""
        return self._schema is not None or bool(self._texts)

    def known(self, schema: Schema, dialect: str) -> tuple[Schema, Reason | None]:
        """The tables as they are after all of them, and a reason to leave what follows, if any."""
        schema = self._schema or schema
        for text in self._texts:
            if _LEAVES.match(text) or _ANYTHING.match(text):
                schema, self._reason = schema.of({}), _before(text)
            elif text[0] not in "\\.":
                schema, self._reason = _after_text(text, schema, self._reason, dialect)
        self._texts.clear()
        self._schema = schema
        return schema, self._reason


def tables_of(
    tree: Node, schema: Schema, dialect: str, script: Script | None
) -> tuple[Schema, Reason | None]:
    """The tables that are known in a statement after a script, and a reason to leave it, if any."""
    schema, reason = script.known(schema, dialect) if script else (schema, None)
    with_ = tree.args.get("with_") if isinstance(tree, (exp.Insert, exp.Create)) else None
    own = {one.alias.casefold() for one in with_.expressions} if with_ else set[str]()
    return schema.without(own), reason


def _after_text(
    text: str, schema: Schema, reason: Reason | None, dialect: str
) -> tuple[Schema, Reason | None]:
    try:
        trees = parse(text, dialect).statements
    except ParseError:  # any of its words may be a table, or a setting
        trees = [exp.Command(this="", expression=text)]
    for tree in trees:
        schema, reason = _after(tree, schema, reason, dialect)
    return schema, reason


def _after(
    tree: Node, schema: Schema, reason: Reason | None, dialect: str
) -> tuple[Schema, Reason | None]:
    is_setting = isinstance(tree, (exp.Set, exp.Pragma, exp.Command))
    text = tree.sql(dialect=dialect) if is_setting else ""
    if isinstance(tree, (exp.Use, exp.Attach, exp.Detach)) or _PATH.search(text):
        schema = schema.of({})
    if _SETTING.search(text) and not (schema.session_is_utc and _UTC.search(text)):
        reason = _before(text, " changes the session")
    for call in tree.find_all(exp.Anonymous):
        name = call.expressions[0] if call.expressions else call
        is_own = isinstance(name, exp.Literal) and "." in name.name  # as app.tenant, not the path
        if call.name.casefold() == "set_config" and not is_own:
            return schema.of({}), _before(tree.sql(dialect=dialect))
    if isinstance(tree, exp.Create):
        if tree.kind == "INDEX" and not tree.find(exp.AtTimeZone, exp.Func):
            return schema, reason  # none that an expression after it could use
        return schema.made(tree, None if tree.args.get("exists") else _shown(tree, schema)), reason
    return schema.changed(_changed(tree)), reason


def _shown(create: exp.Create, schema: Schema) -> Kinds | None:
    """The columns of CREATE ... AS SELECT."""
    if not isinstance(create.expression, exp.Select):
        return None
    with contextlib.suppress(SqlglotError), without_warnings():
        return names.output(traverse_scope(create.expression)[-1], schema)
    return None


def _changed(tree: Node) -> set[str]:
    """The tables that a statement changes, drops or selects into, in lower case."""
    if isinstance(tree, exp.Command):  # not understood, so any of its words may be one
        return {word.casefold() for word in _WORD.findall(str(tree.args.get("expression")))}
    found = tree.find_all(exp.Alter, exp.Drop, exp.Into)
    return {table.name.casefold() for one in found for table in one.find_all(exp.Table)}


def _before(text: str, what: str = "") -> Reason:
    start = " ".join(text.split())[:60]
    return Reason("statement-before", f"an earlier statement{what}: {start}")

"""What the statements of a text change for those after them: tables, and settings of the session.

Types are those of the database as it is. After a statement that replaces, changes or drops a known
table, the columns of tables and views are unknown.
"""

from __future__ import annotations

import re

from sqlglot import exp

from tzconv.errors import ParseError
from tzconv.sql.parse import Node, parse
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Schema

_MOVES = (exp.Use, exp.Attach, exp.Detach)
_PATH = re.compile(r"\b(search_path|current_schema|schema|role|authorization)\b", re.I)
_SETTING = re.compile(r"\btime\s*zone\b|\bcalendar\b|\bscalar_subquery_error_on\w+", re.I)
_UTC = re.compile(r"""['"\s=](UTC|Etc/UTC|GMT)['"]?\s*$""", re.I)
_MATTERS = re.compile(
    r"(?:ALTER|ATTACH|CALL|CREATE(?!\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE)\b)|DETACH|DISCARD|DO|DROP|EXECUTE|PRAGMA|RESET|SET|USE)\b|\\|\."
    r"|(?:SELECT|WITH)\b.*\b(?:INTO|set_config)\b",
    re.I | re.DOTALL,
)
_SHELL = re.compile(r"[\\.]\s*(?:c|connect|i|ir|include|include_relative|open|read)\b")
"""Commands of a shell that go to another database, or run a file."""
_ANYTHING = re.compile(r"(?:CALL|DISCARD|DO|EXECUTE|RESET\s+ALL)\b", re.I)


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
        if _MATTERS.match(statement):
            self._texts.append(statement)

    def __bool__(self) -> bool:
        """Whether any of them may change what a later one means."""
        return self._schema is not None or bool(self._texts)

    def known(self, schema: Schema, dialect: str) -> tuple[Schema, Reason | None]:
        """The tables as they are after all of them, and a reason to leave what follows, if any."""
        schema = self._schema or schema
        for text in self._texts:
            if _SHELL.match(text) or _ANYTHING.match(text):
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
        trees = parse(text, dialect, with_places=False).statements
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
    if isinstance(tree, _MOVES) or _PATH.search(text):
        schema = schema.of({})
    if _SETTING.search(text) and not (schema.session_is_utc and _UTC.search(text)):
        reason = _before(text, " changes the session")
    if any(call.name.casefold() == "set_config" for call in tree.find_all(exp.Anonymous)):
        return schema.of({}), _before(tree.sql(dialect=dialect))
    if isinstance(tree, exp.Create):
        return schema.made(tree), reason
    return schema.changed(_changed(tree)), reason


def _changed(tree: Node) -> set[str]:
    """The tables that a statement changes, drops or selects into, in lower case."""
    if isinstance(tree, exp.Command):  # not understood, so any of its words may be one
        return {word.casefold() for word in re.findall(r"\w+", str(tree.args.get("expression")))}
    found = tree.find_all(exp.Alter, exp.Drop, exp.Into)
    return {table.name.casefold() for one in found for table in one.find_all(exp.Table)}


def _before(text: str, what: str = "") -> Reason:
    start = " ".join(text.split())[:60]
    return Reason("statement-before", f"an earlier statement{what}: {start}")

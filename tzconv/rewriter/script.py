"""What the statements of a text change for those after them: tables, and settings of the session.

Types are those of the database as it is. A table that the text itself makes, changes or drops has
other columns when a later statement runs, so its columns are unknown from there on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from tzconv.rewriter.parse import Node
from tzconv.rewriter.schema import Schema

_MOVES = (exp.Use, exp.Attach, exp.Detach)
_PATH = re.compile(r"\b(search_path|current_schema|schema)\b", re.I)
_SETTING = re.compile(r"\btime\s*zone\b|\bcalendar\b", re.I)
_UTC = re.compile(r"""['"\s=](UTC|Etc/UTC|GMT)['"]?\s*$""", re.I)


def statements(
    trees: Iterable[Node], schema: Schema, dialect: str
) -> Iterator[tuple[Node, Schema, str | None]]:
    """Each statement with the tables that are known in it, and a reason to leave it, if any."""
    reason: str | None = None
    for tree in trees:
        with_ = tree.args.get("with_") if isinstance(tree, (exp.Insert, exp.Create)) else None
        own = {one.alias.casefold() for one in with_.expressions} if with_ else set[str]()
        yield tree, schema.without(own), reason
        is_setting = isinstance(tree, (exp.Set, exp.Pragma, exp.Command))
        text = tree.sql(dialect=dialect) if is_setting else ""
        if isinstance(tree, _MOVES) or (isinstance(tree, exp.Set) and _PATH.search(text)):
            schema = schema.of({})
        if _SETTING.search(text) and not (schema.session_is_utc and _UTC.search(text)):
            reason = f"a statement before it sets the session anew: {' '.join(text.split())[:60]}"
        if isinstance(tree, exp.Create):
            schema = schema.made(tree)
        else:
            schema = schema.without(_changed(tree))


def _changed(tree: Node) -> set[str]:
    """The tables that a statement changes, drops or selects into, in lower case."""
    if isinstance(tree, exp.Command):  # not understood, so any of its words may be one
        return {word.casefold() for word in re.findall(r"\w+", str(tree.args.get("expression")))}
    found = tree.find_all(exp.Alter, exp.Drop, exp.Into)
    return {table.name.casefold() for one in found for table in one.find_all(exp.Table)}

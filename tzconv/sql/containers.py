"""Queries inside statements that are no queries themselves: EXPLAIN, COPY, functions and the like.

Only the place of each query is found here; it is then rewritten as a statement of its own. Where
that place, or what the query means there, is not certain, ``why_not`` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from tzconv.sql import bodies
from tzconv.sql.bodies import InnerQuery
from tzconv.sql.lexer import Word, closing, words

_QUERY = {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}
_EXPLAINED = {
    *("ANALYZE", "ANALYSE", "VERBOSE", "EXTENDED", "CODEGEN", "COST", "FORMATTED", "LOCAL"),
    *("LOGICAL", "PROFILE"),
}
_HEAD_OPTIONS = {
    *("OR", "REPLACE", "GLOBAL", "LOCAL", "TEMP", "TEMPORARY", "UNLOGGED", "UNIQUE", "RECURSIVE"),
    *("IF", "NOT", "EXISTS", "CONCURRENTLY"),
}
_TWO_WORDS = {"ALTER", "CREATE", "DROP", "REFRESH", "COMMENT"}


@dataclass(frozen=True, slots=True)
class Container:
    """A statement that holds queries, or may; ``why_not`` is why those in it are left."""

    queries: tuple[InnerQuery, ...] = ()
    why_not: str | None = None
    before: tuple[str, ...] = ()


_CURSOR = Container(why_not="a cursor may be read backwards, or rows be updated through it")


def container_of(
    text: str, first: str, columns: Collection[str], ours: Collection[str]
) -> Container | None:
    """The queries that a single statement holds; None for one that holds none in a known form.

    ``first`` is its first word. ``columns`` are all known columns, ``ours`` those of the conversion
    tables, in lower case.
    """
    if first not in (*_FORMS, "CREATE", "DO"):
        return None
    found = words(text)
    while found[-1].upper == ";":
        found.pop()
    if first == "DO":
        return _of_body(bodies.block(text, found, columns, ours))
    if first in _FORMS:
        return _FORMS[first](found)
    kind = head(found).removeprefix("CREATE ")
    if kind in ("FUNCTION", "PROCEDURE"):
        return _of_body(bodies.routine(text, found, columns, ours))
    return _view(found) if kind == "MATERIALIZED VIEW" else None


def head(found: list[Word]) -> str:
    """How a statement begins, as people call it: CREATE INDEX, MERGE."""
    named = [word.upper for word in found[:12] if word.upper not in _HEAD_OPTIONS]
    first = named[0] if named else ""
    if first not in _TWO_WORDS:
        return first
    return " ".join(named[: 3 if named[1:2] == ["MATERIALIZED"] else 2])


def _of_body(body: tuple[list[InnerQuery], list[str]] | str) -> Container:
    if isinstance(body, str):
        return Container(why_not=body)
    return Container(tuple(body[0]), before=tuple(body[1]))


def _explain(found: list[Word]) -> Container | None:
    at = 1
    while at < len(found) and found[at].upper in _EXPLAINED:
        at += 1
    if at + 1 < len(found) and found[at].upper == "(" and found[at + 1].upper not in _QUERY:
        at = closing(found, at) + 1
    return _rest(found, at)


def _copy(found: list[Word]) -> Container | None:
    if len(found) < 3 or found[1].upper != "(":
        return None
    end = closing(found, 1)
    return _rest(found[:end], 2) if end < len(found) else None


def _view(found: list[Word]) -> Container | None:
    """Of a materialized view; its options stand before AS, WITH [NO] DATA after the query."""
    at = _index(found, "AS")
    if any(word.upper == "TIMESCALEDB" for word in found[:at]):
        return Container(why_not="a continuous aggregate takes no other joins and no subqueries")
    end = len(found)
    if found[-1].upper == "DATA":
        end -= 3 if found[-2].upper == "NO" else 2
    return _rest(found[:end], at + 1)


def _rest(found: list[Word], at: int) -> Container | None:
    return Container((InnerQuery(found[at].start, found[-1].end),)) if at < len(found) else None


def _index(found: list[Word], keyword: str) -> int:
    """The place of a keyword outside of parentheses, or after the last word."""
    at = 0
    while at < len(found) and found[at].upper != keyword:
        at = (closing(found, at) if found[at].upper == "(" else at) + 1
    return at


_FORMS: dict[str, Callable[[list[Word]], Container | None]] = {
    "COPY": _copy,
    "DECLARE": lambda _: _CURSOR,
    "EXPLAIN": _explain,
    "PREPARE": lambda found: _rest(found, _index(found, "AS") + 1),
    "PROFILE": _explain,
}

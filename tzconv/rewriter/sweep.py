"""The last look at a text: each conversion in it is changed, or left with a reason.

The strategies see the conversions in the SELECTs of a statement. This module searches the words of
the whole text, and adds every conversion that was neither changed nor left to what is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from sqlglot import exp

from tzconv.engines import foreign
from tzconv.rewriter.comparisons import CASTING, COMPARISONS, sides
from tzconv.rewriter.conversions import (
    converts,
    has_column,
    is_compared_before,
    is_fallback,
    is_our_join,
    is_ours,
)
from tzconv.rewriter.purity import is_fixed
from tzconv.rewriter.report import Change, Left, left_at
from tzconv.sql.expressions import has_now, is_utc, upwards, without_parens, zones_and_value
from tzconv.sql.lexer import Word, words
from tzconv.sql.names import Names
from tzconv.sql.operands import STEPPED, Converted, comparisons, converted
from tzconv.sql.parse import Node, Range, Source, escapes_by_backslash, range_of
from tzconv.sql.reading import reading_of
from tzconv.sql.reasons import QUIET, TRUNCATES, Reason

_CONSTANT = Reason("constant", "it converts a constant, once for the query")
_FIXED = Reason("fixed-offset", "UTC and intervals have one offset: no rules are looked up")
_VARIES = Reason("varies", "it converts no column, but a value that may differ each time")
_OF_ROW_ZONE = Reason(
    "unsupported", "a constant time in the zone of a row is rewritten only where it is a bound"
)
_NO_RULE = Reason("unsupported", "tzconv has no rule for this form")
_OF_SESSION = Reason("session-time-zone", "AT LOCAL is the zone of the session: name it")
_METHOD = Reason(
    "unsupported",
    "tzconv does not read method calls and lambdas: write a function call, such as year(x), and "
    "unnest a list in a CTE",
)
_STEPPED = {
    name: Reason(
        "unsupported", f"tzconv has no rule for {name}() in a zone: write its steps AT TIME ZONE"
    )
    for name in STEPPED
}


class Unreported(NamedTuple):
    """A conversion in ``text[start:end]`` whose operator or function stands at ``anchor``."""

    anchor: int
    start: int
    end: int
    reason: Reason


def places_in_text(
    text: str,
    dialect: str | None,
    why: Callable[[int], Reason],
    times: Collection[str] = (),
    found: list[Word] | None = None,
) -> Iterator[Unreported]:
    """The conversions of a text that is not parsed.

    ``why`` gives the reason for a place; ``times`` are the names of columns without a zone, in
    lower case, whose comparisons with NOW() count too.
    """
    for one in _converted(text, dialect, found):
        yield Unreported(
            one.anchor, one.start, one.end, _why_in_text(one, dialect) or why(one.anchor)
        )
    for start, end in comparisons(text, found or words_of(text, dialect), times):
        yield Unreported(start, start, end, why(start))


def places_in_trees(
    source: Source,
    dialect: str,
    selects: Iterable[Names],
    why: Callable[[int], Reason],
    times: Collection[str],
    covered: Collection[Range],
) -> Iterator[Unreported]:
    """The conversions of a parsed text; the strategies have looked for sites in ``selects``."""
    if not may_convert(source.text, times, covered):
        return
    searched = {id(node) for names in selects for node in names.nodes}
    nodes = [node for tree in source.statements for node in tree.walk()]
    is_read = not any(isinstance(node, exp.Command) for node in source.statements)
    known = [(at, node) for node in nodes if converts(node) and (at := range_of(node))]
    for one in _converted(source.text, dialect):
        around = [(at, node) for at, node in known if at[0] <= one.anchor < at[1]]
        reason = _why_in_text(one, dialect)
        if not around:
            if one.name == "date_trunc" and one.start < one.anchor:
                reason = reason or TRUNCATES  # pg_catalog.date_trunc()
            # a statement that is not read, a function of another dialect, or a name before a list
            if reason is not None or not one.name or one.is_method or not is_read:
                if _AT_LOCAL.match(source.text, one.anchor):
                    reason = _OF_SESSION
                reason = reason or (_METHOD if one.is_method and is_read else why(one.anchor))
                yield Unreported(one.anchor, one.start, one.end, reason)
            continue
        at, node = min(around, key=lambda found: found[0][1] - found[0][0])
        if _is_ours(node):
            continue
        reason = _why(node) or (_NO_RULE if id(node) in searched else why(one.anchor))
        yield Unreported(one.anchor, *(source.range(node) or at), reason)
    if not is_read:
        for start, end in comparisons(source.text, words_of(source.text, dialect), times):
            yield Unreported(start, start, end, why(start))
    for node in nodes:
        now = _cast_for(node, times) if isinstance(node, CASTING) else None
        is_searched = id(node) in searched
        # where the strategies look for sites, only one without a certain place is missed
        if now is None or (is_searched and source.range(now) is not None):
            continue
        at = extent(node)
        if at is not None:
            yield Unreported(at[0], *at, _NO_RULE if is_searched else why(at[0]))


def swept(
    text: str, places: Iterable[Unreported], changes: Iterable[Change], left: Iterable[Left]
) -> list[Left]:
    """What is left, plus each place outside of everything that was changed or left."""
    result = list(left)
    covered, added = covered_by(changes, result), list[Range]()
    found = [place for place in places if not is_inside(place.anchor, covered)]
    for place in sorted(_with_inner(found), key=lambda one: one.start - one.end):
        if not is_inside(place.anchor, added):
            added.append((place.start, place.end))
            result.append(left_at(text, place.start, place.end, place.reason))
    return sorted(result, key=lambda one: one.start)


def _with_inner(places: list[Unreported]) -> Iterator[Unreported]:
    """The places; a quiet one, such as UTC around another conversion, takes that one's reason."""
    serious = [one for one in places if one.reason.code not in QUIET]
    for place in places:
        if place.reason.code in QUIET:
            inner = (one for one in serious if place.start <= one.start and one.end <= place.end)
            yield place._replace(reason=next(inner, place).reason)
        else:
            yield place


def words_of(text: str, dialect: str | None) -> list[Word]:
    """The words of a text as the dialect quotes them."""
    escapes = dialect is not None and escapes_by_backslash(dialect)
    return words(text, backslash_escapes=escapes)


_NAMES = "|".join(sorted(foreign.functions() - {"date", "datetime"}))
# no bracket after a name: it may be quoted, or a comment stands between
_MAY_CONVERT = re.compile(
    rf"\b(?:ZONE|LOCAL|{_NAMES}|date_trunc|{'|'.join(STEPPED)})\b", re.IGNORECASE
)
_AT_LOCAL = re.compile(r"AT\s+LOCAL\b", re.IGNORECASE)
_ZONED_DATE = re.compile(r"\bDATE(?:TIME)?\b\W*\(", re.IGNORECASE)
_NOW = re.compile(r"\b(?:NOW|GETDATE|\w+_TIMESTAMP|SYSDATE)\b", re.IGNORECASE)


def may_convert(text: str, times: Collection[str] = (), covered: Collection[Range] = ()) -> bool:
    """Whether a text may hold a conversion outside of what is covered, perhaps in a comment."""
    patterns = (_MAY_CONVERT, _ZONED_DATE, *((_NOW,) if times else ()))
    places = (match.start() for pattern in patterns for match in pattern.finditer(text))
    return any(not is_inside(place, covered) for place in places)


def covered_by(changes: Iterable[Change], left: Iterable[Left]) -> list[Range]:
    """The characters that were changed or left."""
    return [*((one.start, one.end) for one in changes), *((one.start, one.end) for one in left)]


def _converted(
    text: str, dialect: str | None, found: list[Word] | None = None
) -> Iterator[Converted]:
    found = words_of(text, dialect) if found is None else found
    has_methods = dialect is not None and reading_of(dialect).has_methods
    return converted(text, found, foreign.functions(), has_methods=has_methods)


def is_inside(place: int, ranges: Iterable[Range]) -> bool:
    """Whether a place is in one of some ranges."""
    return any(start <= place < end for start, end in ranges)


def _why_in_text(one: Converted, dialect: str | None) -> Reason | None:
    hint = foreign.hint(one.name, dialect) if dialect else None
    if hint is not None:
        return Reason("other-dialect", hint)
    if one.is_constant:
        return _CONSTANT
    if one.name in _STEPPED:
        return _STEPPED[one.name]
    return _FIXED if one.is_utc else None


def _why(node: Node) -> Reason | None:
    if not has_column(node):
        return _CONSTANT if is_fixed(node) or node.find(exp.Query) else _VARIES
    if node.find(exp.Column) is None:
        return _METHOD
    zones, value = _parts(node)
    if all(_is_fixed_zone(zone) for zone in zones):
        return _FIXED
    return None if has_column(value) else _OF_ROW_ZONE


def _is_fixed_zone(zone: Node) -> bool:
    inner = without_parens(zone)
    to = inner.to.this if isinstance(inner, exp.Cast) else None
    return is_utc(zone) or isinstance(inner, exp.Interval) or to == exp.DType.INTERVAL


def _parts(node: Node) -> tuple[list[Node], Node]:
    """Zones and value; date_trunc() with a zone converts too."""
    return zones_and_value(node) or ([node.args["zone"]], node.this)


def _is_ours(node: Node) -> bool:
    """Whether a former rewrite has kept or made it."""
    if any(is_ours(zone) for zone in _parts(node)[0]):
        return True
    return any(
        is_our_join(around)
        or is_fallback(around)
        or (isinstance(around, (*COMPARISONS, exp.Between)) and is_compared_before(around))
        for around in upwards(node)
    )


def _cast_for(node: Node, times: Collection[str]) -> Node | None:
    """The side with NOW() where a column without a zone is compared with it."""
    for left, right in sides(node):
        is_column = isinstance(left, exp.Column) and left.name.casefold() in times
        if is_column and has_now(right) and not has_column(right):
            return right
    return None


def extent(node: Node) -> Range | None:
    """The characters of a node, or at least those from its first name to its last."""
    found = range_of(node)
    if found is not None:
        return found
    named = [at for part in node.walk() if (at := range_of(part)) is not None]
    return (min(one[0] for one in named), max(one[1] for one in named)) if named else None

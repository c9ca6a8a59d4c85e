"""What WHERE and inner joins leave of a timestamp column: a window of UTC times, or bounds as SQL.

Only conditions that must all hold count. The window is never too narrow: where a bound depends on
the zone of a row it is widened by the widest offset there is. A parameter has no value when its
query is rewritten, and so bounds nothing, unless the caller says between which times it will lie.

Bounds as SQL are constants of the query that have no value before it runs:
``ts >= now() - INTERVAL '30 days'`` bounds a window of rows, and so does "the last 7 local days".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from sqlglot import exp

from tzconv.errors import RewriteError
from tzconv.rewriter.block import QueryBlock, Ranges
from tzconv.rewriter.comparisons import conjuncts, operators, unwrapped
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.local import (
    LENGTHS,
    Interval,
    LocalPredicate,
    compared,
    hull,
    intersection,
)
from tzconv.rewriter.purity import is_fixed, positional
from tzconv.rewriter.relative import ClockBound, RelativePredicate, clock_time, fixed_kind
from tzconv.rewriter.sites import Bound
from tzconv.sql.constants import DAY, SECOND, constant, microseconds_of, uncast
from tzconv.sql.expressions import conversion_chain, without_parens
from tzconv.sql.names import Names
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind, name_of

_RANGE = "tzconv_between"
_HOUR = 3_600 * SECOND
_LONGEST: dict[str, int] = {
    **LENGTHS,
    **{"microsecond": 0, "second": SECOND},
    **{"month": 31 * DAY, "quarter": 92 * DAY, "year": 366 * DAY},
}
_LOWER, _UPPER = (exp.EQ, exp.GT, exp.GTE), (exp.EQ, exp.LT, exp.LTE)


def same_column(node: Node, column: exp.Column, names: Names) -> bool:
    """Whether a node is that column of the same relation, however it is written."""
    node, dialect = without_parens(node), names.schema.dialect
    if not isinstance(node, exp.Column):
        return False
    # of an undeclared "TS" beside ts only the names tell that it is another one
    if name_of(node.this, dialect).key != name_of(column.this, dialect).key:
        return False
    owner = names.owner(column)
    return owner is not None and owner is names.owner(node)


def window_of(block: QueryBlock, column: exp.Column) -> Interval:
    """The UTC times of ``column`` that rows of the result may have; see the module's promise."""
    names, sites, widest = block.names, block.sites, block.engine.widest_offset
    key = block.spelling.key(column)
    if key not in block.windows:
        pieces = [constant_window(block, column)]
        bounding = [*sites.predicates, *(one for one in sites.within if not one.has_older)]
        for node in block.required(column):
            pieces += bound_pieces(node, column, names, sites.bounds, widest)
            pieces += _converted(node, column, names, widest)
            pieces += [
                times_of(block, predicate)
                for predicate in bounding
                if predicate.node is node and same_column(predicate.conversion.value, column, names)
            ]
        block.windows[key] = intersection(pieces)
    return block.windows[key]


def narrow(block: QueryBlock, column: exp.Column, to: Interval) -> None:
    """Note the window that an added condition gives to a column."""
    block.windows[block.spelling.key(column)] = intersection([window_of(block, column), to])


def times_of(block: QueryBlock, predicate: LocalPredicate) -> Interval:
    """The UTC times of a predicate, from first to last, as ``range`` writes them down."""
    pieces = block.utc_pieces(predicate)
    return Interval(pieces[0].start, pieces[-1].end) if pieces else widened(block, predicate)


def constant_window(block: QueryBlock, column: exp.Column) -> Interval:
    """The window that comparisons of the bare column with UTC constants give."""
    return _plain(block.required(column), column, block.names)


def bound_pieces(
    node: Node, column: exp.Column, names: Names, bounds: Iterable[Bound], widest_offset: int
) -> Iterator[Interval]:
    """What the bounds of one comparison leave of a column, whatever the zone of the row."""
    for left, right, operator in operators(node):
        for bound in bounds:
            at = bound.local_time
            if at is not None and bound.node is right and same_column(left, column, names):
                yield compared(operator, at - widest_offset, at + widest_offset)


def widened(block: QueryBlock, predicate: LocalPredicate) -> Interval:
    """The UTC times at which the predicate may hold, whatever the zone of the row."""
    widest = block.widest_offset(predicate.conversion.zone)
    return predicate.interval.shifted(-widest, widest)


def _plain(conditions: Iterable[Node], column: exp.Column, names: Names) -> Interval:
    """What comparisons of the bare column with constants leave of it."""
    pieces: list[Interval] = []
    for node in conditions:
        if isinstance(node, exp.Or):  # from the first time that a side allows to the last
            sides: list[Interval] = []
            for side in node.flatten():
                sides.append(_plain(conjuncts(side), column, names))
                if sides[-1] == Interval(None, None):  # so does the whole condition
                    break
            pieces.append(hull(sides))
        else:
            pieces += _compared(node, column, names)
    return intersection(pieces)


def _compared(node: Node, column: exp.Column, names: Names) -> Iterator[Interval]:
    for left, right, operator in operators(node):
        if same_column(left, column, names):
            kind = names.kind(column)
            value = constant(right, kind, names)
            values = _noted(right, kind) if value is None else (value, value)
            if values is not None:
                yield compared(operator, *values)


def _converted(
    node: Node, column: exp.Column, names: Names, widest_offset: int
) -> Iterator[Interval]:
    """What a constant leaves of a column if the comparison converts it from or to a zone."""
    for left, right, operator in operators(node):
        moved = without_parens(right)
        if not same_column(left, column, names) or names.kind(moved) != names.kind(column):
            continue
        chain = conversion_chain(moved)
        # an interval in place of a zone may be of any length
        if chain is None or not all(zone.is_string for zone in chain.zones):
            continue
        value = constant(chain.value, names.kind(chain.value), names)
        if value is not None:
            widest = len(chain.zones) * widest_offset
            yield compared(operator, value - widest, value + widest)


def note(tree: Node, ranges: Ranges) -> None:
    """Write the ranges to the parameters of a tree; RewriteError for one that is none."""
    for name, times in ranges.items():
        is_pair = isinstance(times, (tuple, list)) and len(times) == 2
        if not (is_pair and all(isinstance(one, dt.datetime) for one in times)):
            raise RewriteError(f"ranges has {times!r} for {name}: give two datetimes.")
        first, last = times
        zoned = first.tzinfo is not None
        if zoned != (last.tzinfo is not None) or first > last:
            raise RewriteError(f"The parameter {name} cannot lie between {first} and {last}.")
    if not ranges:
        return  # as for nearly all: the tree need not be searched
    for node in tree.find_all(exp.Parameter, exp.Placeholder):
        if node.name in ranges:
            node.meta[_RANGE] = ranges[node.name]


def _noted(node: Node, kind: Kind | None) -> tuple[int, int] | None:
    """The least and the greatest value of a parameter beside a column; None if not known.

    Beside a TIMESTAMPTZ it must be one, beside a TIMESTAMP none: from one to the other it would
    depend on the zone of the session.
    """
    to, node = uncast(node)
    kinds = ("timestamptz",) if kind == "timestamptz" else ("timestamp", "date")
    noted: tuple[dt.datetime, dt.datetime] | None = node.meta.get(_RANGE)
    if noted is None or to not in (None, *kinds):
        return None
    if (noted[0].tzinfo is not None) != (kind == "timestamptz"):
        return None
    first, last = map(microseconds_of, noted)
    return first - first % DAY if to == "date" else first, last


def now_bounds(block: QueryBlock, column: exp.Column) -> tuple[str | None, str | None]:
    """SQL text of a least and a greatest value that ``column`` has in rows of the result.

    Both are constants of the column's own kind (TIMESTAMP in UTC, or TIMESTAMPTZ), made of text of
    the query that depends on no row, and may stand anywhere in it. They come from conditions that
    must all hold: comparisons of the column with the current time or another constant whose value
    is unknown here, and relative predicates on its local value, then widened so that they hold
    under any rules of any zone. What is known as a number is in ``window_of()``.
    """
    found = []
    for node in block.required(column):
        for left, right, operator in operators(node):
            unit, inner = unwrapped(left, block.names)
            if same_column(inner, column, block.names):
                found.append(_compared_later(block, column, unit, right, operator))
        for one in block.sites.relative:
            if one.node is node and same_column(one.column, column, block.names):
                found.append(relative_bounds(block, one))
    for around in block.sites.outside:
        is_own = same_column(around.conversion.value, column, block.names)
        if isinstance(around, RelativePredicate) and around.node.parent is None and is_own:
            found.append(relative_bounds(block, around))
    lower, upper = (next((b[side] for b in found if b[side]), None) for side in (0, 1))
    return lower, upper


def relative_bounds(
    block: QueryBlock, predicate: RelativePredicate | ClockBound
) -> tuple[str | None, str | None]:
    """The bounds that one predicate gives to its column.

    No clock is further from UTC than the widest offset of its zone. Converting the value to UTC
    would need that margin too: the clock may show midnight twice, or never.
    """
    if isinstance(predicate, ClockBound):
        return _of_clock(block, predicate)
    conversion = predicate.conversion
    widest = block.widest_offset(conversion.zone)
    if conversion.unit is not None:  # date_trunc() goes to the clock and back
        low = high = block.rewritten(predicate.value)
        widest *= 2
    else:
        low, high = (
            _as_kind(block, _value(block, predicate, sign), conversion.value_kind)
            for sign in ("-", "+")
        )
    return _around(low, high, predicate.operator, widest, _LONGEST[predicate.unit])


def _of_clock(block: QueryBlock, bound: ClockBound) -> tuple[str | None, str | None]:
    widest = 0 if bound.zone is None else block.widest_offset(bound.zone)
    kind = fixed_kind(bound.value, block.names)
    known = constant(bound.value, kind, block.names)
    if known is not None:
        below, above = (block.engine.constant(known + by, bound.kind) for by in (-widest, widest))
        return _around(below, above, bound.operator, 0, 0)
    if kind == "timestamptz":
        low = high = _in_utc(block, bound.value)
    else:
        low, high = (_value(block, bound, sign) for sign in ("-", "+"))
    if bound.kind == "timestamptz":
        low, high = (_as_kind(block, one, bound.kind) for one in (low, high))
    return _around(low, high, bound.operator, widest, 0)


def _compared_later(
    block: QueryBlock, column: exp.Column, unit: str, right: Node, operator: type[Node]
) -> tuple[str | None, str | None]:
    kind, other = block.names.kind(column), fixed_kind(right, block.names)
    if kind is None or other is None or positional(right):
        return None, None
    if constant(right, kind, block.names) is not None or not is_fixed(right):
        return None, None
    zoned = kind == "timestamptz"
    text = block.rewritten(right)
    if not (zoned and other == "timestamptz"):
        text = _as_kind(block, text, kind)
    # elsewhere the engine goes by the clock of the session, from one kind to the other or to a day
    is_plain = zoned == (other == "timestamptz") and (not zoned or unit == "microsecond")
    widest = 0 if is_plain or block.names.schema.session_is_utc else 2 * DAY
    return _around(text, text, operator, widest, _LONGEST[unit])


def _as_kind(block: QueryBlock, value: str, kind: Kind) -> str:
    """A time without a zone, as if it were UTC, or what the session shows of another one."""
    return block.engine.column_as(block.engine.as_timestamp(value), kind)


def _around(
    low: str, high: str, operator: type[Node], widest: int, unit: int
) -> tuple[str | None, str | None]:
    return (
        _padded(low, "-", widest) if operator in _LOWER else None,
        _padded(high, "+", widest + unit) if operator in _UPPER else None,
    )


def _value(block: QueryBlock, predicate: RelativePredicate | ClockBound, sign: str) -> str:
    """The value of a predicate; if zones of rows change it, the least or the greatest one."""
    clock = predicate.clock
    if clock is None:
        return block.rewritten(predicate.value)
    time = clock_time(clock, block.names)
    assert time is not None  # or it would not have been found
    is_cast = isinstance(clock, NewTime) and clock.args.get("kind") != "timestamptz"
    utc = block.engine.as_timestamp(block.rewritten(time)) if is_cast else _in_utc(block, time)
    padded = _padded(utc, sign, block.engine.widest_offset)
    if not isinstance(clock.parent, exp.Paren):
        padded = f"({padded})"
    return block.rewritten(predicate.value, Edit(*block.place(clock), padded, "", "", ""))


def _in_utc(block: QueryBlock, time: Node) -> str:
    """A constant TIMESTAMPTZ as what UTC shows; one that was cast may be infinite."""
    text = block.rewritten(time)
    if time.find(exp.Cast):
        return block.engine.infinite_in_utc(text)
    return block.engine.utc_timestamp(text, "timestamptz")


def _padded(value: str, sign: str, by: int) -> str:
    return f"{value} {sign} INTERVAL '{-(-by // _HOUR)} hours'" if by else value

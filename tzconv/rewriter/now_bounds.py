"""Bounds of a UTC column that are constants of the query, but have no value before it runs.

``ts >= now() - INTERVAL '30 days'`` bounds a window of rows, and so does "the last 7 local days".
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.comparisons import operators, required, unwrapped
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.purity import is_fixed, positional
from tzconv.rewriter.relative import ClockBound, RelativePredicate, clock_time, fixed_kind
from tzconv.rewriter.windows import same_column
from tzconv.sql.constants import DAY, SECOND, constant
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind

_HOUR = 3_600 * SECOND
_LONGEST = {
    "microsecond": 0,
    "second": SECOND,
    "minute": 60 * SECOND,
    "hour": _HOUR,
    "day": DAY,
    "week": 7 * DAY,
    "month": 31 * DAY,
    "quarter": 92 * DAY,
    "year": 366 * DAY,
}
_LOWER, _UPPER = (exp.EQ, exp.GT, exp.GTE), (exp.EQ, exp.LT, exp.LTE)


def now_bounds(block: QueryBlock, column: exp.Column) -> tuple[str | None, str | None]:
    """SQL text of a least and a greatest value that ``column`` has in rows of the result.

    Both are constants of the column's own kind (TIMESTAMP in UTC, or TIMESTAMPTZ), made of text of
    the query that depends on no row, and may stand anywhere in it. They come from conditions that
    must all hold: comparisons of the column with the current time or another constant whose value
    is unknown here, and relative predicates on its local value, then widened so that they hold
    under any rules of any zone. What is known as a number is in ``block.window(column)``.
    """
    found = []
    for node in required(block.select):
        for left, right, operator in operators(node):
            unit, inner = unwrapped(left)
            if same_column(inner, column, block.names):
                found.append(_compared(block, column, unit, right, operator))
        for predicate in block.sites.relative:
            value = predicate.conversion.value
            if predicate.node is node and same_column(value, column, block.names):
                found.append(predicate_bounds(block, predicate))
        for bound in block.sites.clocks:
            if bound.node is node and same_column(bound.column, column, block.names):
                found.append(edges(block, bound))
    lower, upper = (next((b[side] for b in found if b[side]), None) for side in (0, 1))
    return lower, upper


def predicate_bounds(
    block: QueryBlock, predicate: RelativePredicate
) -> tuple[str | None, str | None]:
    """The bounds that one predicate gives to the column it converts.

    No clock is further from UTC than the widest offset of its zone. Converting the value to UTC
    would need that margin too: the clock may show midnight twice, or never.
    """
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


def edges(block: QueryBlock, bound: ClockBound) -> tuple[str | None, str | None]:
    """The bounds that a comparison with a time of a row's zone gives to its column."""
    widest = 0 if bound.zone is None else block.widest_offset(bound.zone)
    kind = fixed_kind(bound.value, block.names)
    known = constant(bound.value, kind, block.names) if kind and bound.clock is None else None
    if known is not None:
        below, above = (block.engine.constant(known + by, bound.kind) for by in (-widest, widest))
        return _around(below, above, bound.operator, 0, 0)
    if kind == "timestamptz":
        low = high = block.engine.utc_timestamp(block.rewritten(bound.value), "timestamptz")
    else:
        low, high = (_value(block, bound, sign) for sign in ("-", "+"))
    if bound.kind == "timestamptz":
        low, high = (_as_kind(block, one, bound.kind) for one in (low, high))
    return _around(low, high, bound.operator, widest, 0)


def _compared(
    block: QueryBlock, column: exp.Column, unit: str, right: Node, operator: type[Node]
) -> tuple[str | None, str | None]:
    kind, other = block.names.kind(column), fixed_kind(right, block.names)
    if kind not in ("timestamp", "timestamptz") or other is None or positional(right):
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
    if predicate.clock is None:
        return block.rewritten(predicate.value)
    clock = predicate.clock
    time = clock_time(clock, block.names)
    if time is None:
        raise TypeError("the clock of a relative predicate shows a constant time")
    text = block.rewritten(time)
    is_cast = isinstance(clock, NewTime) and clock.args.get("kind") != "timestamptz"
    utc = (
        block.engine.as_timestamp(text)
        if is_cast
        else block.engine.utc_timestamp(text, "timestamptz")
    )
    padded = _padded(utc, sign, block.engine.widest_offset)
    if not isinstance(clock.parent, exp.Paren):
        padded = f"({padded})"
    return block.rewritten(predicate.value, Edit(*block.place(clock), padded, "", "", ""))


def _padded(value: str, sign: str, by: int) -> str:
    return f"{value} {sign} INTERVAL '{-(-by // _HOUR)} hours'" if by else value

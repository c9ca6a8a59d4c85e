"""Sets of local times, and the UTC times at which a zone's clock shows them.

A predicate on a local value is true on a half-open interval of the local line. At a fold the clock
shows a time twice, so the UTC times that belong to an interval may fall into several pieces.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sqlglot import exp

from tzconv.rewriter.conversions import Conversion
from tzconv.sql.constants import DAY, SECOND, microseconds_of, to_datetime
from tzconv.sql.parse import Node
from tzconv.tz.zones import Zone

Unit: TypeAlias = Literal[
    "microsecond", "minute", "hour", "day", "week", "month", "quarter", "year"
]
UNITS: tuple[Unit, ...] = get_args(Unit)[1:]

LENGTHS: dict[str, int] = {
    "microsecond": 1,
    "minute": 60 * SECOND,
    "hour": 3_600 * SECOND,
    "day": DAY,
    "week": 7 * DAY,
}
"""Of the units that are always equally long."""
_MONDAY = 4 * DAY  # 1970-01-05, the first Monday after the epoch


class Interval(NamedTuple):
    """``[start, end)`` in microseconds since 1970; None where it is open."""

    start: int | None
    end: int | None

    def shifted(self, first: int, last: int) -> Interval:
        """With ``first`` added to its start and ``last`` to its end."""
        return Interval(
            None if self.start is None else self.start + first,
            None if self.end is None else self.end + last,
        )


@dataclass(frozen=True, slots=True, eq=False)
class LocalPredicate:
    """``node`` is true for the local times of ``interval`` and false for all other ones.

    Without ``is_exact`` it is false for some of these too. With ``has_older`` it may be true before
    our era, whose years the engine shows alike.
    """

    node: Node
    conversion: Conversion
    interval: Interval
    is_exact: bool = True
    has_older: bool = False


def interval(unit: Unit, operator: type[Node], value: int) -> Interval | None:
    """The times whose truncation to ``unit`` compares so with ``value``; None where none does."""
    floor, after = edges(unit, value)
    ceiling = value if floor == value else after
    if operator is exp.EQ:
        return Interval(floor, after) if floor == value else None
    edge = after - 1 if operator in (exp.GT, exp.LTE) else ceiling
    return compared(operator, edge, edge)


def compared(operator: type[Node], first: int, last: int) -> Interval:
    """The times that compare so with some time from ``first`` to ``last``."""
    bounds: dict[type[Node], Interval] = {
        exp.EQ: Interval(first, last + 1),
        exp.GTE: Interval(first, None),
        exp.GT: Interval(first + 1, None),
        exp.LTE: Interval(None, last + 1),
        exp.LT: Interval(None, last),
    }
    return bounds[operator]


def intersection(intervals: Iterable[Interval]) -> Interval:
    """The times that are in all of the intervals."""
    start: int | None = None
    end: int | None = None
    for one in intervals:
        if one.start is not None:
            start = one.start if start is None else max(start, one.start)
        if one.end is not None:
            end = one.end if end is None else min(end, one.end)
    return Interval(start, end)


def hull(intervals: Iterable[Interval]) -> Interval:
    """From the first time of any of the intervals to the last."""
    starts, ends = zip(*intervals, strict=True)
    return Interval(None if None in starts else min(starts), None if None in ends else max(ends))


def utc_times(zone: Zone, local: Interval) -> list[Interval]:
    """The UTC times at which the clock of ``zone`` shows a time of ``local``, in order."""
    edges = [edge for edge in local if edge is not None]
    # No offset is a day or more, so after that the answer no longer changes.
    until = (max(edges) + 2 * DAY) // SECOND
    starts, offsets = zone.offset_changes(until)
    spans = zip(starts, np.append(starts[1:], until), offsets, strict=True)
    pieces: list[Interval] = []
    for index, (begins, ends, offset) in enumerate(spans):
        first = None if index == 0 else int(begins) * SECOND
        last = None if index == len(starts) - 1 else int(ends) * SECOND
        shift = int(offset) * SECOND
        piece = intersection([Interval(first, last), local.shifted(-shift, -shift)])
        if piece.start is not None and piece.end is not None and piece.start >= piece.end:
            continue
        if pieces and pieces[-1].end == piece.start:
            pieces[-1] = Interval(pieces[-1].start, piece.end)
        else:
            pieces.append(piece)
    return pieces


def edges(unit: Unit, value: int) -> tuple[int, int]:
    """The beginning of the unit that a time is in, and of the next one."""
    if unit in LENGTHS:
        floor = value - (value - _MONDAY) % LENGTHS[unit]
        return floor, floor + LENGTHS[unit]
    date, length = to_datetime(value), {"month": 1, "quarter": 3, "year": 12}[unit]
    first = (date.year * 12 + date.month - 1) // length * length
    floor, after = (
        microseconds_of(dt.date(months // 12, months % 12 + 1, 1))
        for months in (first, first + length)
    )
    return floor, after

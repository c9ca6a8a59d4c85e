"""The rows that a moved horizon adds and removes at its two ends, for the plan and the refresh.

A row of the daily and the hourly table is there if its span overlaps the horizon. Where the rules
stay, the rows that overlap both horizons stay too, and only the others are generated and read.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterator

import numpy as np

from tzconv.refresher.wanted import Gathered, together
from tzconv.sql.text import constant
from tzconv.tables import generate
from tzconv.tz.horizon import Horizon
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Rules

_SPANS = {
    "daily": ("day_starts_at_utc", "day_ends_before_utc"),
    "hourly": ("starts_at_utc", "ends_before_utc"),
}
"""Begin and end of a row, in the tables whose rows the horizon decides."""
NEIGHBOURS = dt.timedelta(days=3)
"""Longer than any row."""
_ROWS_TO_KEEP = 100_000  # some 5 MB


def moves(table: str) -> bool:
    """Whether the horizon decides which rows the table has."""
    return table in _SPANS


def common(one: Horizon, other: Horizon) -> Horizon | None:
    """What both horizons cover; None if that is nothing."""
    start, end = max(one.start, other.start), min(one.end, other.end)
    return Horizon(start, end) if start < end else None


def outside(table: str, inner: Horizon) -> str:
    """The SQL condition of the rows that do not overlap the horizon ``inner``."""
    begin, end = _SPANS[table]
    first, last = _midnight(inner.start), _midnight(inner.end)
    # a condition on the begin, which the key has, although one on the end would do
    return f"({begin} < {first} AND {end} <= {first} OR {begin} >= {last})"


def around(table: str, inner: Horizon) -> Iterator[str]:
    """The SQL conditions of the rows around both ends of ``inner``, where old meet new ones."""
    begin, _ = _SPANS[table]
    for day in (inner.start, inner.end):
        first, last = (_midnight(day + days) for days in (-NEIGHBOURS, NEIGHBOURS))
        yield f"{begin} >= {first} AND {begin} < {last}"


def rows(
    table: str, rules: Rules, zone: str, horizon: Horizon, inner: Horizon
) -> Iterator[Columns]:
    """The rows of a zone that overlap ``horizon`` and do not overlap ``inner``, in order."""
    begin, end = _SPANS[table]
    first, last = np.datetime64(inner.start, "us"), np.datetime64(inner.end, "us")
    for start, stop in ((horizon.start, inner.start), (inner.end, horizon.end)):
        if start < stop:
            for columns in generate.zone_columns(table, rules, zone, Horizon(start, stop)):
                kept = (columns[end] <= first) | (columns[begin] >= last)
                if kept.any():
                    yield {name: values[kept] for name, values in columns.items()}


class Ends:
    """Those rows of several zones, which are kept if they are few, or else generated again."""

    def __init__(
        self, table: str, rules: Rules, zones: list[str], horizon: Horizon, inner: Horizon
    ) -> None:
        one = functools.partial(rows, table, rules, horizon=horizon, inner=inner)
        self._make = functools.partial(together, zones, one)
        self._kept: list[Gathered] | None = None

    def __iter__(self) -> Iterator[Gathered]:
        return self._first() if self._kept is None else iter(self._kept)

    def _first(self) -> Iterator[Gathered]:
        kept, count = [], 0
        for some in self._make():
            count += sum(some[1])
            if count <= _ROWS_TO_KEEP:
                kept.append(some)
            yield some
        if count <= _ROWS_TO_KEEP:
            self._kept = kept


def _midnight(day: dt.date) -> str:
    return constant(dt.datetime.combine(day, dt.time()))

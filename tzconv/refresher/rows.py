"""The rows of zones, many zones at a time, and those at the two ends of a moved horizon.

A row of the daily and the hourly table is there if its span overlaps the horizon. Where the rules
stay, the rows that overlap both horizons stay too, and only the others are generated and read.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from tzconv import tables
from tzconv.sql.text import constant
from tzconv.tables import arrow, checksums, generate
from tzconv.tables.checksums import Sums
from tzconv.tz.horizon import Horizon
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Rules

Gathered: TypeAlias = tuple[list[str], list[int], Columns]
"""Rows of several zones: their zones, the number of rows of each, and the columns."""

_ROWS_AT_ONCE = 20_000
_SPANS = {
    "daily": ("day_starts_at_utc", "day_ends_before_utc"),
    "hourly": ("starts_at_utc", "ends_before_utc"),
}
"""Begin and end of a row, in the tables whose rows the horizon decides."""
NEIGHBOURS = dt.timedelta(days=3)
"""Longer than any row."""


def of_zones(
    table: str, rules: Rules, zones: Iterable[str], horizon: Horizon, inner: Horizon | None = None
) -> Iterator[Gathered]:
    """All rows of those zones; with ``inner`` only those that do not overlap it."""
    if inner is None:
        parts_of = functools.partial(generate.zone_columns, table, rules, horizon=horizon)
    else:
        parts_of = functools.partial(at_ends, table, rules, horizon=horizon, inner=inner)
    # NumPy takes as long for a few rows as for many
    names: list[str] = []
    lengths: list[int] = []
    parts: list[Columns] = []

    def gathered() -> Gathered:
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return names, lengths, columns

    for zone in zones:
        for part in parts_of(zone):
            names.append(zone)
            lengths.append(len(next(iter(part.values()))))
            parts.append(part)
            if sum(lengths) > _ROWS_AT_ONCE:
                yield gathered()
                names, lengths, parts = [], [], []
    if parts:
        yield gathered()


def sums(table: str, zones: Collection[str], rows: Iterable[Gathered]) -> dict[str, Sums]:
    """Checksums, with their numbers, of some ``rows`` of those zones."""
    found: dict[str, Sums] = {}
    for some in rows:
        add(found, table, some, zones)
    return found


def add(into: dict[str, Sums], table: str, rows: Gathered, only: Collection[str]) -> None:
    """Add the checksums of rows to those of their zones, if they are among ``only`` those."""
    names, lengths, columns = rows
    if not only:
        return
    found = checksums.of_runs(tables.CONVERSIONS[table], columns, lengths)
    for zone, part in zip(names, found, strict=True):
        if zone in only:
            into[zone] = checksums.total([into.get(zone, checksums.total([])), part])


def batch(table: str, rows: Gathered) -> pa.RecordBatch:
    """The rows for a load."""
    names, lengths, columns = rows
    places = np.arange(len(names), dtype=np.int32).repeat(lengths)
    return generate.batch_of(generate.arrow_schema(table), columns, arrow.texts_of(names), places)


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


def at_ends(
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


def _midnight(day: dt.date) -> str:
    return constant(dt.datetime.combine(day, dt.time()))

"""The spans of one zone as NumPy arrays by column name: the rows of the conversion tables.

A span is half-open. Per zone the spans of a table are sorted and have neither holes nor overlaps
inside the horizon. Times are ``datetime64[us]``, days ``datetime64[D]``; nothing here makes a
Python object per row. The zone's name is the one column left to the caller.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tzconv.tz.periods import MOST_RULES, MOST_ZONES, PERIOD_BITS, UNKNOWN
from tzconv.tz.posix import Int64
from tzconv.tz.zones import BEGINNING, Zone

Columns: TypeAlias = dict[str, npt.NDArray[Any]]

HOUR = 3_600
DAY = 86_400
MARGIN = 3 * DAY
"""Longer than any local day, so that the days at both ends of a horizon come out whole."""

NO_OFFSET = int(np.iinfo(np.int64).min)
"""NULL in a column of offsets; NumPy keeps the same number in a NaT, the NULL of times."""

_HOURS_PER_BATCH = 262_144
_MICROSECONDS = 1_000_000


@functools.lru_cache(maxsize=MOST_ZONES)
def offset_spans(zone: Zone, end: int) -> Columns:
    """Spans of constant offset and name from 0001-01-01 to ``end`` (UTC seconds since 1970).

    Local times are assigned by the rule of PostgreSQL and DuckDB: a gap belongs to the span before
    it, a fold to the span after it. So a span's local times begin at its own first local time and
    end where those of the next span begin.
    """
    ahead = end + MARGIN
    if zone.carries_until is not None and zone.carries_until >= end:
        ahead = min(ahead, zone.carries_until)
    timeline = zone.timeline(max(ahead, end))
    offsets = timeline.offsets
    local_starts = timeline.starts + offsets
    local_ends = np.append(local_starts[1:], np.iinfo(np.int64).max)
    # no database date lies before year 1
    local_starts[0] = max(local_starts[0], BEGINNING)
    inside = np.count_nonzero(timeline.starts < end)
    starts, offsets, local_ends = timeline.starts[:inside], offsets[:inside], local_ends[:inside]
    ends = np.append(starts[1:], end)
    if not (inside < len(timeline.starts) and timeline.starts[inside] == end):
        local_ends[-1] = min(local_ends[-1], end + offsets[-1])
    kinds = [timeline.types[kind] for kind in timeline.kinds[:inside]]
    return {
        "starts_at_utc": _times(starts),
        "ends_before_utc": _times(ends),
        "starts_at_time_zone": _times(local_starts[:inside]),
        "ends_before_time_zone": _times(local_ends),
        "utc_offset_seconds": offsets.astype(np.int32),
        "abbreviation": np.array([kind.abbreviation for kind in kinds], dtype=object),
        "is_dst": np.array([kind.is_dst for kind in kinds], dtype=bool),
    }


def daily_spans(zone: Zone, start: int, end: int) -> Columns:
    """Contiguous spans of one local day that overlap ``[start, end)``, whole at both ends.

    A day that the clock returns to has several spans; a day that the zone skipped has none.
    """
    first, last = max(start - MARGIN, BEGINNING), end + MARGIN
    if zone.carries_until is not None and zone.carries_until >= end:
        last = min(last, zone.carries_until)
    starts, offsets = _offsets_between(zone, first, last)
    marks = _marks(starts, offsets, last, DAY)
    days = (marks + _at(starts, offsets, marks)) // DAY
    begins = np.concatenate([[True], days[1:] != days[:-1]])
    marks, days = marks[begins], days[begins]
    ends = np.append(marks[1:], last)
    inside = (ends > start) & (marks < end)
    return {
        "day": days[inside].astype("M8[D]"),
        "day_starts_at_utc": _times(marks[inside]),
        "day_ends_at_utc": _times(ends[inside] - 1),
        "day_ends_before_utc": _times(ends[inside]),
    }


def hourly_spans(zone: Zone, start: int, end: int) -> Iterator[Columns]:
    """Spans inside one UTC hour, one local hour and one offset, in batches of bounded size.

    ``start`` and ``end`` are whole UTC hours. Zones with whole-hour offsets have one row an hour,
    the others two or more.
    """
    starts, offsets = _offsets_between(zone, start, end)
    for first in range(start, end, _HOURS_PER_BATCH * HOUR):
        last = min(first + _HOURS_PER_BATCH * HOUR, end)
        begin = int(np.searchsorted(starts, first, "right")) - 1
        finish = int(np.searchsorted(starts, last, "left"))
        yield _hours(starts[begin:finish], offsets[begin:finish], first, last)


def _hours(starts: Int64, offsets: Int64, first: int, last: int) -> Columns:
    marks = np.arange(first, last, HOUR)
    begins = np.maximum(starts, first)
    if np.any(offsets % HOUR) or np.any(begins % HOUR):
        marks = np.union1d(marks, _marks(begins, offsets, last, HOUR))
    offset = _at(starts, offsets, marks)
    local = marks + offset
    return {
        "hour_at_utc": _times(marks - marks % HOUR),
        "hour_at_time_zone": _times(local - local % HOUR),
        "day": (local // DAY).astype("M8[D]"),
        "starts_at_utc": _times(marks),
        "ends_before_utc": _times(np.append(marks[1:], last)),
        "utc_offset_seconds": offset.astype(np.int32),
    }


def periods(zone: Zone, rules_id: int, end: int, *, unknown: bool = False) -> Columns:
    """One row per period of 1970 to ``end``, with the change inside it, in UTC and local time.

    Offsets are microseconds. The last two days before ``end`` are in no period, so that the rules
    before ``end`` decide all their local times. Where an offset changes twice in a period, the
    offsets are NO_OFFSET, and so they are in the row for ``unknown`` values, which comes first.
    """
    numbers = np.arange(_number_of_periods(end), dtype=np.int64)
    starts, offsets = zone.offset_changes(end)
    at_utc, *utc_offsets = _changes(starts, offsets, numbers)
    at_time_zone, *local_offsets = _changes(starts + offsets, offsets, numbers)
    columns: Columns = {
        "zone_period": numbers * MOST_RULES + rules_id,
        "changes_at_utc": at_utc,
        "microseconds_before": utc_offsets[0],
        "microseconds_after": utc_offsets[1],
        "changes_at_time_zone": at_time_zone,
        "local_microseconds_before": local_offsets[0],
        "local_microseconds_after": local_offsets[1],
    }
    if not unknown:
        return columns
    none = dict.fromkeys(columns, NO_OFFSET) | {"zone_period": UNKNOWN}
    return {
        name: np.concatenate([np.array([none[name]], np.int64).view(values.dtype), values])
        for name, values in columns.items()
    }


def period_keys(rules_ids: Iterable[int], end: int) -> int:
    """The sum of the squares of the keys of all rows, those of ``unknown`` values included."""
    begins = [number * MOST_RULES for number in range(_number_of_periods(end))]
    ids = set(rules_ids)
    squares, sums = sum(one * one for one in begins), sum(begins)
    of_ids = sum(one * one for one in ids)
    return UNKNOWN**2 + len(ids) * squares + 2 * sum(ids) * sums + len(begins) * of_ids


def _number_of_periods(end: int) -> int:
    return max(end - 2 * DAY, 0) * _MICROSECONDS >> PERIOD_BITS


def _changes(
    starts: Int64, offsets: Int64, numbers: Int64
) -> tuple[npt.NDArray[np.datetime64], Int64, Int64]:
    """The change strictly inside each period, and the offsets before and after it."""
    begins = starts * _MICROSECONDS
    bounds = numbers << PERIOD_BITS
    first = np.searchsorted(begins, bounds, "right") - 1
    last = np.searchsorted(begins, bounds + (1 << PERIOD_BITS), "left") - 1
    changes, several = last - first, last - first > 1
    at = np.where(changes == 1, begins[last], NO_OFFSET).view("M8[us]")
    before, after = (
        np.where(several, NO_OFFSET, offsets[places] * _MICROSECONDS) for places in (first, last)
    )
    return at, before, after


def _offsets_between(zone: Zone, start: int, end: int) -> tuple[Int64, Int64]:
    """Starts and offsets of the spans that overlap ``[start, end)``, the first cut at ``start``."""
    starts, offsets = zone.offset_changes(end)
    begin = int(np.searchsorted(starts, start, "right")) - 1
    return np.maximum(starts[begin:], start), offsets[begin:]


def _at(starts: Int64, offsets: Int64, instants: Int64) -> Int64:
    """The offset in force at each of the sorted ``instants``."""
    # the instants in each span are one run: repeating is faster than a search for each instant
    runs = np.diff(np.append(np.searchsorted(instants, starts), len(instants)))
    return np.repeat(offsets, runs)


def _marks(starts: Int64, offsets: Int64, end: int, unit: int) -> Int64:
    """The starts of spans of one offset, and the local midnights or hours in them, sorted."""
    ends = np.append(starts[1:], end)
    local = [
        np.arange(-(-(begin + offset) // unit) * unit - offset, finish, unit)
        for begin, finish, offset in zip(starts, ends, offsets, strict=True)
    ]
    marks = np.sort(np.concatenate([starts, *local]))  # np.unique would import numpy.ma
    return np.asarray(marks[np.concatenate([[True], marks[1:] != marks[:-1]])], np.int64)


def _times(seconds: Int64) -> npt.NDArray[np.datetime64]:
    return (seconds * _MICROSECONDS).view("M8[us]")

"""The keys of a rollup that a time of a window falls into, under the old rules or the new ones."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tzconv.impact.named import Rollup, Unit
from tzconv.impact.windows import RulesDifference, offset_at
from tzconv.tz.horizon import seconds_of
from tzconv.tz.zones import Rules

_FAR = dt.timedelta(2)
"""More than any local time differs from UTC."""
UNITS: dict[Unit, dt.timedelta] = {"day": dt.timedelta(1), "hour": dt.timedelta(hours=1)}
Extent: TypeAlias = tuple[dt.datetime, dt.datetime]
"""A first and a last time."""
_EPOCH = dt.datetime(1970, 1, 1)
_MOST_SECONDS = 2.5e11
"""So far from 1970 Python has times, and databases have more."""


@dataclass(frozen=True, slots=True)
class KeyRange:
    """The local times ``[starts, ends)`` of whole keys of a zone; the database spells it so."""

    spelling: str
    zone: str
    starts: dt.datetime
    ends: dt.datetime


def moment(epoch_seconds: float) -> dt.datetime:
    """A time by its seconds since 1970; the nearest that Python can hold."""
    return _EPOCH + dt.timedelta(seconds=min(max(epoch_seconds, -6e10), _MOST_SECONDS))


def affected(
    difference: RulesDifference,
    rollup: Rollup,
    spelling: str,
    zone: str,
    stored: Extent | None,
    source: Extent | None,
) -> tuple[list[KeyRange], list[KeyRange]]:
    """The affected keys of a zone that rows may have, as disjoint ranges: :func:`parted`.

    ``stored`` are the local times of the rollup's keys, ``source`` the UTC times of its source's
    rows. Keys that the rollup does not have yet, or no longer, are not among them.
    """
    if stored is None:
        return [], []
    unit = UNITS[rollup.unit]
    low, high = (_floor(time, rollup.unit) for time in stored)
    whole_from = dt.datetime.max
    if source is not None:
        firsts, lasts = (_keys(difference, rollup, zone, time) for time in source)
        # older rows of the source are gone: its first key may lack some
        whole_from = dt.datetime.min if stored[0] >= min(firsts) else max(firsts) + unit
        # beyond a row that the rollup does not count, there is nothing to repair
        low = min(low, *firsts) if max(firsts) >= low else low
        high = max(high, *lasts) if min(lasts) <= high else high
    high += unit
    made: list[KeyRange] = []
    for window in difference.windows(zone):
        if window.ends + _FAR < low or window.starts - _FAR > high:
            continue
        offsets = [dt.timedelta(seconds=one) for one in (window.old_offset, window.new_offset)]
        starts = max(_floor(window.starts + min(offsets), rollup.unit), low)
        ends = _floor(window.ends + max(offsets) - dt.timedelta.resolution, rollup.unit) + unit
        ends = min(ends, high)
        if made and starts <= made[-1].ends:
            made[-1] = replace(made[-1], ends=max(made[-1].ends, ends))
        elif starts < ends:
            made.append(KeyRange(spelling, zone, starts, ends))
    return parted((one, whole_from) for one in made)


def parted(
    found: Iterable[tuple[KeyRange, dt.datetime]],
) -> tuple[list[KeyRange], list[KeyRange]]:
    """The ranges that the source can compute anew, and those before their first whole key."""
    whole, lost = [], []
    for one, starts in found:
        if one.starts < starts:
            lost.append(replace(one, ends=min(one.ends, starts)))
        if starts < one.ends:
            whole.append(replace(one, starts=max(one.starts, starts)))
    return whole, lost


def pieces(rules: Rules, one: KeyRange) -> Iterator[tuple[dt.datetime, dt.datetime, int]]:
    """The UTC times of a range of local ones by some rules, with their offsets."""
    until = seconds_of((one.ends + _FAR).date())
    starts, offsets = rules.zone(one.zone).offset_changes(until)
    times = [*starts.astype("M8[s]").tolist(), np.datetime64(until, "s").tolist()]
    for place, offset in enumerate(offsets.tolist()):
        moved = dt.timedelta(seconds=offset)
        start, end = max(times[place], one.starts - moved), min(times[place + 1], one.ends - moved)
        if start < end:
            yield start, end, offset


def _keys(
    difference: RulesDifference, rollup: Rollup, zone: str, time: dt.datetime
) -> list[dt.datetime]:
    """The keys of a UTC time by the old and the new rules."""
    return [
        _floor(time + dt.timedelta(seconds=offset_at(rules.zone(zone), time)), rollup.unit)
        for rules in (difference.before, difference.after)
    ]


def _floor(time: dt.datetime, unit: Unit) -> dt.datetime:
    whole = time.replace(minute=0, second=0, microsecond=0)
    return whole.replace(hour=0) if unit == "day" else whole

"""The times at which two states of a zone's rules have different UTC offsets."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tzconv.tz.posix import Int64
from tzconv.tz.zones import Zone


@dataclass(frozen=True, slots=True)
class OffsetChange:
    """UTC times ``[starts, ends)`` whose UTC offset changes, with both offsets in seconds."""

    zone: str
    starts: dt.datetime
    ends: dt.datetime
    old_offset: int
    new_offset: int


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Zones with the same changes, mostly a zone and its links."""

    zones: tuple[str, ...]
    changes: tuple[OffsetChange, ...]


def offset_changes(before: Zone, after: Zone, end: int) -> Iterator[OffsetChange]:
    """The changes before the UTC second ``end``, in order."""
    yield from _differences(after.name, before.offset_changes(end), after.offset_changes(end), end)


def groups(changes: Iterable[OffsetChange]) -> list[ChangeGroup]:
    """The changes by zones that share them, in the order of the first change."""
    by_zone: dict[str, list[OffsetChange]] = {}
    for change in changes:
        by_zone.setdefault(change.zone, []).append(change)
    shared: dict[tuple[object, ...], list[str]] = {}
    for zone, own in by_zone.items():
        key = tuple((one.starts, one.ends, one.old_offset, one.new_offset) for one in own)
        shared.setdefault(key, []).append(zone)
    made = [ChangeGroup(tuple(zones), tuple(by_zone[zones[0]])) for zones in shared.values()]
    return sorted(made, key=lambda group: (group.changes[0].starts, group.zones))


def local_changes(before: Zone, after: Zone, end: int) -> Iterator[OffsetChange]:
    """The local times that stand for another UTC time, as if they were UTC, before ``end``.

    A gap belongs to the offset before it, a fold to the one after it.
    """
    lines = []
    for zone in (before, after):
        starts, offsets = zone.offset_changes(end)
        lines.append((np.maximum.accumulate(starts + offsets), offsets))
    old, new = lines
    yield from _differences(after.name, old, new, end)


def _differences(
    zone: str, before: tuple[Int64, Int64], after: tuple[Int64, Int64], end: int
) -> Iterator[OffsetChange]:
    """Each run of times with the same two offsets, if they are not equal."""
    (old_starts, old_offsets), (new_starts, new_offsets) = before, after
    marks = np.union1d(old_starts, new_starts)
    marks = marks[marks < end]
    old = old_offsets[np.maximum(np.searchsorted(old_starts, marks, "right") - 1, 0)]
    new = new_offsets[np.maximum(np.searchsorted(new_starts, marks, "right") - 1, 0)]
    # adjacent times with the same two offsets are one change
    begins = np.concatenate([[True], (old[1:] != old[:-1]) | (new[1:] != new[:-1])])
    marks, old, new = marks[begins], old[begins], new[begins]
    times = np.append(marks, end).astype("M8[s]").tolist()
    for place in np.flatnonzero(old != new).tolist():
        yield OffsetChange(zone, times[place], times[place + 1], int(old[place]), int(new[place]))

"""Which local times change their answer between two sets of rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tzconv.zones import Zone


@dataclass(frozen=True, slots=True)
class Change:
    """UTC times ``[starts, ends)`` whose UTC offset changes, with both offsets in seconds."""

    zone: str
    starts: dt.datetime
    ends: dt.datetime
    old_offset: int
    new_offset: int


def changes(before: Zone, after: Zone, end: int) -> Iterator[Change]:
    """The changes before the UTC second ``end``, in order."""
    old_starts, old_offsets = before.timeline(end).offset_changes()
    new_starts, new_offsets = after.timeline(end).offset_changes()
    marks = np.union1d(old_starts, new_starts)
    old = old_offsets[np.searchsorted(old_starts, marks, "right") - 1]
    new = new_offsets[np.searchsorted(new_starts, marks, "right") - 1]
    # neighbours with the same two offsets are one change
    begins = np.concatenate([[True], (old[1:] != old[:-1]) | (new[1:] != new[:-1])])
    marks, old, new = marks[begins], old[begins], new[begins]
    ends = np.append(marks[1:], end)
    for place in np.flatnonzero(old != new):
        yield Change(
            after.name,
            _time(marks[place]),
            _time(ends[place]),
            int(old[place]),
            int(new[place]),
        )


def _time(seconds: np.int64) -> dt.datetime:
    return dt.datetime(1970, 1, 1) + dt.timedelta(seconds=int(seconds))

"""The buckets of a rollup: none of them contains a change of local date or hour of its zones.

A local hour begins where UTC plus the offset is a multiple of an hour, so a width that divides all
offsets has a bucket begin there. A transition off the grid cuts its bucket in two. Offsets finer
than a minute (local mean time) get buckets of a second.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tzconv.errors import DatabaseError
from tzconv.tz.horizon import seconds_of
from tzconv.tz.posix import Int64
from tzconv.tz.zones import Zone

WIDTHS = (3_600, 1_800, 900, 300, 60, 1)
"""Seconds of a bucket; each is a multiple of the next."""
ALWAYS = int(np.iinfo(np.int64).min)
REGULAR = seconds_of(dt.date(1980, 1, 1))
"""Offsets are multiples of a quarter of an hour since then: a few older rows decide no width."""
_LASTING = 10 * 366 * 86_400
"""A width must last so long: at the end of the rules any summer would do."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Buckets of ``width`` seconds from the time ``since`` on, and of a second before it.

    Times are UTC seconds since 1970. ``cuts`` are the bucket starts that are no multiples of the
    width, in order. ``kept`` are earlier grids, each with the time before which rows have it.
    """

    since: int = ALWAYS
    width: int = 1
    cuts: tuple[int, ...] = ()
    kept: tuple[tuple[int, Grid], ...] = ()

    def floor(self, times: Int64) -> Int64:
        """The starts of the buckets of some times."""
        cuts = np.array([ALWAYS, *self.cuts])
        starts = np.where(times >= self.since, times - times % self.width, times)
        found: Int64 = np.maximum(starts, cuts[np.searchsorted(cuts, times, "right") - 1])
        return found

    def start(self, time: int) -> int:
        """The start of the bucket of one time."""
        return int(self.floor(np.array(time, np.int64)))

    def parts(self) -> list[tuple[int, int]]:
        """The cuts, the latest first, each with the end of its bucket."""
        return [(cut, cut - cut % self.width + self.width) for cut in reversed(self.cuts)]

    def misfit(self, zones: Iterable[Zone], until: int) -> list[str]:
        """The names of zones that change date or hour inside a bucket before ``until``."""
        found = []
        for zone in zones:
            starts, offsets = zone.offset_changes(until)
            later = np.append(starts[1:], until) > self.since
            if np.any(self.floor(starts[1:]) != starts[1:]) or np.any(offsets[later] % self.width):
                found.append(zone.name)
        return found

    @property
    def length(self) -> str:
        """How long its buckets are, for people and as an interval."""
        number, unit = (self.width // 60, "minute") if self.width >= 60 else (self.width, "second")
        return f"{number} {unit}{'s' if number > 1 else ''}"

    def text(self) -> str:
        """The grid as it is kept in the database."""
        kept = [[ends, one.text()] for ends, one in self.kept]
        return json.dumps([self.since, self.width, self.cuts, *([kept] if kept else [])])

    @classmethod
    def read(cls, text: str) -> Grid:
        """The grid of a kept text; DatabaseError if it is none."""
        with contextlib.suppress(TypeError, ValueError):
            since, width, cuts, *more = json.loads(text)
            kept = tuple((int(ends), cls.read(one)) for ends, one in (more or [[]])[0])
            if width in WIDTHS:
                return cls(int(since), width, tuple(map(int, cuts)), kept)
        raise DatabaseError("The kept grid of the rollup is damaged: drop the rollup.")


def choose(zones: Iterable[Zone], since: int, until: int) -> Grid:
    """The coarsest grid for some zones and times from ``since`` on, exact for all others too."""
    spans = [zone.offset_changes(until) for zone in zones]
    latest = min(max(since, REGULAR), until - _LASTING)
    for width in WIDTHS:
        first = max((_from(*one, width, until) for one in spans), default=ALWAYS)
        if first <= latest:
            break
    marks = np.unique(np.concatenate([[first], *(starts[1:] for starts, _ in spans)]))
    marks = marks[(marks >= first) & (marks != ALWAYS)]
    return Grid(first, width, tuple(marks[marks % width != 0].tolist()))


def _from(starts: Int64, offsets: Int64, width: int, until: int) -> int:
    """The time from which the width divides all offsets."""
    finer = np.flatnonzero(offsets % width)
    return int(np.append(starts, until)[finer[-1] + 1]) if len(finer) else ALWAYS

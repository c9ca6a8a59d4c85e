"""The buckets of a rollup: none of them contains a change of local date or hour of its zones.

A local hour begins where UTC plus the offset is a multiple of an hour, so a grid that divides all
offsets has a bucket begin there. A transition off the grid cuts its bucket in two. Offsets finer
than a minute (local mean time) get buckets of a second.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tzconv.errors import DatabaseError
from tzconv.tz.posix import Int64
from tzconv.tz.zones import Rules, Zone

WIDTHS = (3_600, 1_800, 900, 300, 60, 1)
"""Seconds of a bucket; each is a multiple of the next."""
_ALWAYS = int(np.iinfo(np.int64).min)
_LASTING = 10 * 366 * 86_400
"""A width is worth having if it lasts so long: at the end of the rules any summer would do."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Times are UTC seconds since 1970.

    ``pieces`` are pairs of a time and the width of the buckets from it on, in order, the first from
    the beginning of time. ``cuts`` are the bucket starts that are no multiples of their width.
    """

    pieces: tuple[tuple[int, int], ...]
    cuts: tuple[int, ...]

    @property
    def width(self) -> int:
        """Seconds of the newest buckets."""
        return self.pieces[-1][1]

    @property
    def since(self) -> int:
        """The first time whose buckets are longer than a second."""
        return self.pieces[1][0] if len(self.pieces) > 1 else self.pieces[0][0]

    def floor(self, times: Int64) -> Int64:
        """The starts of the buckets of some times."""
        starts, widths = map(np.array, zip(*self.pieces, strict=True))
        width = widths[np.searchsorted(starts, times, "right") - 1]
        found: Int64 = times - times % width
        if self.cuts:
            cuts = np.array(self.cuts)
            before = np.searchsorted(cuts, times, "right") - 1
            found = np.where(before >= 0, np.maximum(found, cuts[np.maximum(before, 0)]), found)
        return found

    def steps(self) -> list[tuple[int, int | None]]:
        """What holds from a time on, the latest first: a width, or None for a cut's own bucket."""
        starts, widths = map(np.array, zip(*self.pieces, strict=True))
        found: dict[int, int | None] = dict(self.pieces)
        for cut in self.cuts:  # in order, so that a cut replaces the end of the one before
            width = int(widths[np.searchsorted(starts, cut, "right") - 1])
            end = cut - cut % width + width
            found = {time: one for time, one in found.items() if time < cut or time >= end}
            found |= {cut: None}
            found.setdefault(end, int(widths[np.searchsorted(starts, end, "right") - 1]))
        return sorted(found.items(), reverse=True)

    def misfit(self, zones: Iterable[Zone], until: int) -> list[str]:
        """The names of zones that change date or hour inside a bucket before ``until``."""
        return [zone.name for zone in zones if not self._fits(zone, until)]

    def _fits(self, zone: Zone, until: int) -> bool:
        starts, offsets = zone.offset_changes(until)
        ends = np.append(starts[1:], until)
        for piece, (first, width) in enumerate(self.pieces):
            last = self.pieces[piece + 1][0] if piece + 1 < len(self.pieces) else until
            inside = (starts < last) & (ends > first)
            if np.any(offsets[inside] % width):
                return False
        return bool(np.all(self.floor(starts[1:]) == starts[1:]))

    def text(self) -> str:
        """The grid as it is kept in the database."""
        return json.dumps([self.pieces, self.cuts])

    @classmethod
    def second(cls) -> Grid:
        """Buckets of a second, which are exact in every zone."""
        return cls(((_ALWAYS, 1),), ())

    @classmethod
    def read(cls, text: str) -> Grid:
        """The grid of a kept text; DatabaseError if it is none."""
        try:
            pieces, cuts = json.loads(text)
            made = cls(tuple((int(a), int(b)) for a, b in pieces), tuple(map(int, cuts)))
            if all(width in WIDTHS for _, width in made.pieces):
                return made
        except (TypeError, ValueError):
            pass
        raise DatabaseError("The kept grid of the rollup is damaged: run it with --rebuild.")


def choose(zones: Iterable[Zone], since: int, until: int) -> Grid:
    """The coarsest grid for some zones and times in ``[since, until)``, exact for all others too.

    Times before the offsets of ``since`` get buckets of a second.
    """
    spans = [zone.offset_changes(until) for zone in zones]
    pieces = [(_ALWAYS, 1)]
    for width in WIDTHS[::-1][1:]:
        first = max((_from(*one, width, until) for one in spans), default=_ALWAYS)
        if first < until - _LASTING:
            pieces = [*(piece for piece in pieces if piece[0] < first), (first, width)]
    # a piece that ends before the source begins is not worth a comparison of each row
    ends = [start for start, _ in pieces[1:]] + [until]
    kept = [piece for piece, end in zip(pieces, ends, strict=True) if end > since]
    if kept[0][0] != _ALWAYS:
        kept.insert(0, (_ALWAYS, 1))
    uncut = Grid(tuple(kept), ())
    marks = [starts[1:] for starts, _ in spans] + [np.array([uncut.since, *(a for a, _ in kept)])]
    times = np.unique(np.concatenate(marks))
    times = times[(times >= uncut.since) & (times != _ALWAYS)]
    return Grid(uncut.pieces, tuple(map(int, times[uncut.floor(times) != times])))


def _from(starts: Int64, offsets: Int64, width: int, until: int) -> int:
    """The time from which the width divides all offsets."""
    finer = np.flatnonzero(offsets % width)
    if not len(finer):
        return _ALWAYS
    last = int(finer[-1])
    return int(starts[last + 1]) if last + 1 < len(starts) else until


def zones_of(rules: Iterable[Rules], names: Iterable[str | None]) -> list[Zone]:
    """The zones of those names, whatever their case, by the first rules that have them."""
    found: dict[str, Zone] = {}
    for one in rules:
        folded = {name.casefold(): name for name in one.names}
        for name in {name.casefold() for name in names if name is not None} - set(found):
            if name in folded:
                found[name] = one.zone(folded[name])
    return [found[name] for name in sorted(found)]


def times(seconds: Iterable[int]) -> Int64:
    """Times as an array."""
    return np.array(list(seconds), np.int64)

"""Rules found by probing the database's own function, for ``--rules database``.

The function is probed on a coarse grid and at the transitions of the tz release; between two
neighbours with different offsets, bisection finds the transition to the second. It misses two
transitions within one step of the grid that cancel out and are not in the tz release; the
verification after loading probes other times.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

import numpy as np

from tzconv.engines.backend import Backend
from tzconv.tz import spellings, zones
from tzconv.tz.horizon import seconds_of
from tzconv.tz.posix import Int64, LocalType
from tzconv.tz.zones import BEGINNING, Rules

SOURCE = "database"

_DAY = 86_400
_GRID = (
    # until, step: before 1850 every zone has its local mean time
    (dt.date(1850, 1, 1), 3650 * _DAY),
    (dt.date(1970, 1, 1), 7 * _DAY),
    (dt.date(9999, 1, 1), 4 * _DAY),
)


def rules(backend: Backend, names: Iterable[str] | None, end: dt.date) -> Rules:
    """The rules of the database until the UTC day ``end``: of ``names``, or of all it knows.

    Their release is the database's name and version. UnknownZoneError if it knows none of
    ``names``.
    """
    package = zones.installed()
    release = backend.product()
    chosen = sorted(set(package.names if names is None else names))
    server = backend.zone_names(chosen) | backend.abbreviations()
    known = [name for name in chosen if name.lower() in server]
    if names is not None and not known:
        raise spellings.unknown_zone(
            chosen[0] if chosen else "", package.names, package.links, release
        )
    last = seconds_of(end)
    grids = [_grid(package, name, last) for name in known]
    places = np.repeat(np.arange(len(known)), [len(grid) for grid in grids])
    times = np.concatenate(grids)
    offsets = _offsets(backend, known, places, times)
    changed = np.flatnonzero((places[1:] == places[:-1]) & (offsets[1:] != offsets[:-1]))
    after = changed + 1
    changes = [places[changed], times[changed], times[after], offsets[changed], offsets[after]]
    found = _bisected(backend, known, np.stack(changes))
    firsts = np.searchsorted(places, np.arange(len(known)))
    rows: list[tuple[str, int, int, bool, str]] = []
    for place, name in enumerate(known):
        own = found[found[:, 0] == place]
        own = own[np.argsort(own[:, 1])]
        starts = np.concatenate([[BEGINNING], own[:, 1]])
        zone_offsets = np.concatenate([[offsets[firsts[place]]], own[:, 2]])
        for start, kind in _spans(package, name, starts, zone_offsets, last):
            rows.append((name, start, kind.utc_offset, kind.is_dst, kind.abbreviation))
    return zones.of_rows(release, SOURCE, rows)


def _grid(package: Rules, name: str, end: int) -> Int64:
    pieces = [np.array([end - 1], np.int64)]
    begin = BEGINNING
    for until, step in _GRID:
        stop = min(seconds_of(until), end)
        pieces.append(np.arange(begin, stop, step))
        begin = max(begin, stop)
    if name in package:
        listed = package.zone(name).timeline(end).starts[1:]
        pieces += [listed, listed - 1]
    return np.unique(np.concatenate(pieces))


def _offsets(backend: Backend, names: list[str], places: Int64, times: Int64) -> Int64:
    answers = backend.convert(names, places.astype(np.int32), times * 1_000_000, to_utc=False)
    return answers // 1_000_000 - times


def _bisected(backend: Backend, names: list[str], changes: Int64) -> Int64:
    """Rows of place, transition, and new offset, for all transitions between two times.

    ``changes`` has rows of places, of times before and after, and of the offsets at those times.
    """
    found = [np.empty((3, 0), np.int64)]
    while changes.size:
        done = changes[2] - changes[1] == 1
        found.append(changes[[0, 2, 4]][:, done])
        places, low, high, before, after = changes[:, ~done]
        middle = low + (high - low) // 2
        there = _offsets(backend, names, places, middle)
        # a third offset in the middle means a transition on either side
        left = np.stack([places, low, middle, before, there])[:, before != there]
        right = np.stack([places, middle, high, there, after])[:, there != after]
        changes = np.concatenate([left, right], axis=1)
    return np.concatenate(found, axis=1).T


def _spans(
    package: Rules, name: str, starts: Int64, offsets: Int64, end: int
) -> Iterator[tuple[int, LocalType]]:
    """Spans of a zone; abbreviations and flags are the tz release's where it has equal offsets."""
    ends = np.append(starts[1:], end)
    for begin, finish, offset in zip(starts.tolist(), ends.tolist(), offsets.tolist(), strict=True):
        without_name = [(begin, LocalType(offset, False, _abbreviation(offset)))]
        yield from _named(package, name, begin, finish, offset) or without_name


def _named(
    package: Rules, name: str, begin: int, end: int, offset: int
) -> list[tuple[int, LocalType]] | None:
    """The spans of the tz release inside one of the database's; None if an offset differs."""
    if name not in package:
        return None
    timeline = package.zone(name).timeline(end)
    first = int(np.searchsorted(timeline.starts, begin, "right")) - 1
    last = int(np.searchsorted(timeline.starts, end, "left"))
    found = [
        (max(int(timeline.starts[place]), begin), timeline.types[timeline.kinds[place]])
        for place in range(first, last)
    ]
    return found if all(kind.utc_offset == offset for _, kind in found) else None


def _abbreviation(offset: int) -> str:
    """The tz database's abbreviation of an offset without a name: ``+0530``."""
    sign, seconds = ("-" if offset < 0 else "+"), abs(offset)
    rest = f"{seconds // 60 % 60:02}{seconds % 60:02}"
    return f"{sign}{seconds // 3600:02}{rest.removesuffix('00').removesuffix('00')}"

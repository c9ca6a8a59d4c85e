"""Compare the database's own function with the rules, for the refresh and ``doctor``.

The function is asked, within its range: each transition and the microsecond before it; local times
at both edges of each gap and fold, and a microsecond before them; a UTC midnight of each week of
the horizon, because the server may know other transitions; and a random sample. For a zone that
differs, it is asked every midnight, to find the dates.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tzconv.engines.backend import Backend
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.periods import MOST_ZONES
from tzconv.tz.posix import Int64
from tzconv.tz.zones import BEGINNING, Rules, Zone

Kind = Literal["abbreviation", "rules", "unknown"]
SAMPLE = 100
"""Random times for each zone: half inside the horizon, one a day at most, half since 1970."""

_DAY = 86_400_000_000
_WEEK = 7 * _DAY


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A zone for which the database's own function has another answer than the tables, or none.

    ``kind`` is ``abbreviation`` if the database reads the name as a fixed offset, ``rules`` if its
    rules are older or newer, ``unknown`` if it does not know the name. ``first`` and ``last`` are
    the UTC times with a different answer, ``count`` their number in the questions.
    """

    zone: str
    kind: Kind
    first: dt.datetime | None = None
    last: dt.datetime | None = None
    count: int = 0


def disagreements(
    backend: Backend,
    rules: Rules,
    names: Iterable[str],
    horizon: Horizon,
    seed: int | None = None,
    inside: Horizon | None = None,
) -> list[Disagreement]:
    """The zones of ``names`` on which the database and the rules differ, sorted by name.

    Without ``seed`` the sample is a new one. Only times ``inside`` a part of the horizon are asked
    for, if it is given.
    """
    names, seed = list(names), new_seed() if seed is None else seed
    if not names:
        return []
    server, abbreviations = backend.zone_names(names), backend.abbreviations()
    known = [one for one in names if one.lower() in server or one.lower() in abbreviations]
    found = [Disagreement(name, "unknown") for name in sorted(set(names) - set(known))]
    for step in (_WEEK, _DAY):
        asked = [_questions(rules.zone(one), inside or horizon, seed, step) for one in known]
        wrong = _wrong_times(backend, known, asked, inside)
        known = list(wrong)
    for name, times in wrong.items():
        kind: Kind = "abbreviation" if name.lower() in abbreviations else "rules"
        first, last = np.sort(times)[[0, -1]].astype("M8[us]").tolist()
        found.append(Disagreement(name, kind, first, last, len(times)))
    return sorted(found, key=lambda one: one.zone)


def beyond(backend: Backend, horizon: Horizon) -> dt.date | None:
    """The day from which the function has no rules, if the horizon ends later."""
    if backend.function_range is None or horizon.end <= backend.function_range[1]:
        return None
    return backend.function_range[1]


def new_seed() -> int:
    """A seed for the random sample, short enough to type."""
    return int(np.random.default_rng().integers(1, 1_000_000))


def _wrong_times(
    backend: Backend,
    names: list[str],
    questions: list[tuple[Int64, Int64]],
    inside: Horizon | None,
) -> dict[str, Int64]:
    """The UTC times with a different answer, by zone."""
    places = np.arange(len(names), dtype=np.int32)
    found = [np.empty((2, 0), np.int64)]
    for to_utc in (False, True) if names else ():
        utc, local = np.concatenate([pair[to_utc] for pair in questions], axis=1)
        of_zone = places.repeat([pair[to_utc].shape[1] for pair in questions])
        # the times for which the function has rules, and those that were asked for
        known = Horizon(*backend.function_range) if backend.function_range is not None else None
        for range_ in (known, inside):
            if range_ is not None:
                first, end = (seconds * 1_000_000 for seconds in range_.seconds)
                kept = (utc >= first) & (utc < end)
                utc, local, of_zone = utc[kept], local[kept], of_zone[kept]
        times, expected = (local, utc) if to_utc else (utc, local)
        wrong = backend.convert(names, of_zone, times, to_utc=to_utc) != expected
        found.append(np.stack([of_zone[wrong], utc[wrong]]))
    of_zone, times = np.concatenate(found, axis=1)
    return {names[place]: times[of_zone == place] for place in {*of_zone.tolist()}}


@functools.lru_cache(maxsize=MOST_ZONES)
def _questions(zone: Zone, horizon: Horizon, seed: int, step: int) -> tuple[Int64, Int64]:
    """UTC times, and local times, in microseconds; each in two rows, as UTC and as local times."""
    random = np.random.default_rng(seed)  # the same sample for all zones
    until = seconds_of(horizon.offset_end)
    starts, offsets = (array * 1_000_000 for array in zone.offset_changes(until))
    first, last = (seconds * 1_000_000 for seconds in horizon.seconds)
    end = until * 1_000_000
    ends = np.append(starts[1:], end)
    half = SAMPLE // 2
    utc = np.concatenate(
        [
            starts,
            ends - 1,
            np.arange(first, last, step),
            random.integers(first, last, min(half, (last - first) // _DAY)),
            random.integers(0, end, SAMPLE - half),
        ]
    )
    # Local time at a transition, by the offset before and after: the edges of the gap or fold. The
    # tables end with the last span.
    edges = np.concatenate([ends[:-1] + offsets[:-1], ends[:-1] + offsets[1:]])
    local = np.concatenate([edges, edges - 1])
    # a span's share of the local times begins at its own first one, and the first share in year 1
    shares = np.maximum(starts + offsets, BEGINNING * 1_000_000)
    local = local[(local >= shares[0]) & (local < end + offsets[-1])]
    return (
        np.stack([utc, utc + offsets[np.searchsorted(starts, utc, "right") - 1]]),
        np.stack([local - offsets[np.searchsorted(shares, local, "right") - 1], local]),
    )

"""Compare the database's own function with the rules, for the refresh and ``doctor``.

The function is asked, within its range: each transition and the microsecond before it; local times
at both edges of each gap and fold, and a microsecond before them; a UTC midnight of each week of
the horizon, because the server may know other transitions; and a random sample. For a zone that
differs, it is asked every midnight, to find the dates.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tzconv.engines.backend import Backend
from tzconv.tables import generate
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.posix import Int64
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Rules

Kind = Literal["abbreviation", "rules", "unknown"]
SAMPLE = 100
"""Random times for each zone: half inside the horizon, half since 1970."""

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
    backend: Backend, rules: Rules, names: Iterable[str], horizon: Horizon, seed: int
) -> list[Disagreement]:
    """The zones of ``names`` on which the database and the rules differ, sorted by name."""
    names = list(names)
    server, abbreviations = backend.zone_names(names), backend.abbreviations()
    known = [one for one in names if one.lower() in server or one.lower() in abbreviations]
    found = [Disagreement(name, "unknown") for name in sorted(set(names) - set(known))]
    wrong = _wrong_times(backend, rules, known, horizon, seed, _WEEK)
    wrong = _wrong_times(backend, rules, list(wrong), horizon, seed, _DAY)
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
    backend: Backend, rules: Rules, names: list[str], horizon: Horizon, seed: int, step: int
) -> dict[str, Int64]:
    """The UTC times with a different answer, by zone."""
    questions = [_questions(rules, name, horizon, seed, step) for name in names]
    places = np.arange(len(names), dtype=np.int32)
    found = [np.empty((2, 0), np.int64)]
    for to_utc in (False, True) if names else ():
        utc, local = np.concatenate([pair[to_utc] for pair in questions], axis=1)
        of_zone = places.repeat([pair[to_utc].shape[1] for pair in questions])
        if backend.function_range is not None:  # the times for which the function has rules
            first, end = (seconds_of(day) * 1_000_000 for day in backend.function_range)
            inside = (utc >= first) & (utc < end)
            utc, local, of_zone = utc[inside], local[inside], of_zone[inside]
        times, expected = (local, utc) if to_utc else (utc, local)
        wrong = backend.convert(names, of_zone, times, to_utc=to_utc) != expected
        found.append(np.stack([of_zone[wrong], utc[wrong]]))
    of_zone, times = np.concatenate(found, axis=1)
    return {names[place]: times[of_zone == place] for place in np.unique(of_zone)}


def _questions(
    rules: Rules, name: str, horizon: Horizon, seed: int, step: int
) -> tuple[Int64, Int64]:
    """UTC times, and local times, in microseconds; each in two rows, as UTC and as local times."""
    # the same sample, whichever other zones there are
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    [spans] = generate.zone_columns("offset", rules, name, horizon)
    starts, ends = _micros(spans, "starts_at_utc"), _micros(spans, "ends_before_utc")
    offsets = spans["utc_offset_seconds"].astype(np.int64) * 1_000_000
    first, last = (seconds * 1_000_000 for seconds in horizon.seconds)
    end = seconds_of(horizon.offset_end) * 1_000_000
    half = SAMPLE // 2
    utc = np.concatenate(
        [
            starts,
            ends - 1,
            np.arange(first, last, step),
            random.integers(first, last, half),
            random.integers(0, end, SAMPLE - half),
        ]
    )
    # Local time at a transition, by the offset before and after: the edges of the gap or fold. The
    # tables end with the last span.
    edges = np.concatenate([ends[:-1] + offsets[:-1], ends[:-1] + offsets[1:]])
    local = np.concatenate([edges, edges - 1])
    shares = _micros(spans, "starts_at_time_zone")
    # the first share begins in year 1
    inside = (local >= shares[0]) & (local < _micros(spans, "ends_before_time_zone")[-1])
    local = local[inside]
    return (
        np.stack([utc, utc + offsets[np.searchsorted(starts, utc, "right") - 1]]),
        np.stack([local - offsets[np.searchsorted(shares, local, "right") - 1], local]),
    )


def _micros(spans: Columns, column: str) -> Int64:
    return spans[column].astype("M8[us]").astype(np.int64)

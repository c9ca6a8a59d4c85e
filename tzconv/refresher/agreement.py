"""Ask the database's own function what the tables say, and name the zones where the two differ.

Asked are, where the function has rules: each transition and the microsecond before it; local times
at both edges of each gap and fold, and a microsecond before them; a UTC midnight of each week of
the horizon, because a change that only the server knows is in no list of ours; and a random sample.
A zone that differs is asked about each midnight, for the dates.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tzconv import generate
from tzconv.backends import Backend
from tzconv.horizon import Horizon, seconds_of
from tzconv.posix import Int64
from tzconv.spans import Columns
from tzconv.zones import Rules

Kind = Literal["abbreviation", "rules", "unknown"]
SAMPLE = 100
"""Random times asked of each zone: half inside the horizon, half since 1970."""

_DAY = 86_400_000_000
_WEEK = 7 * _DAY


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A zone for which the database's own function has another answer than the tables, or none.

    ``kind`` is ``abbreviation`` where the database reads the name as that of a fixed offset,
    ``rules`` where its rules are older or newer, ``unknown`` where it does not know the name.
    ``first`` and ``last`` are the UTC times that were answered differently, ``count`` their number
    among those that were asked.
    """

    zone: str
    kind: Kind
    first: dt.datetime | None = None
    last: dt.datetime | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class _Questions:
    """UTC times and local times of one zone in microseconds, with the answers of the tables."""

    utc: Int64
    local: Int64
    asked_local: Int64
    utc_of_local: Int64


def disagreements(
    backend: Backend, rules: Rules, names: Iterable[str], horizon: Horizon, seed: int
) -> list[Disagreement]:
    """The zones of ``names`` on which the database and the rules differ, sorted by name."""
    names = list(names)
    server = backend.zone_names(names)
    abbreviations = backend.abbreviations()
    found = []
    known = []
    for name in names:
        if name.lower() in server or name.lower() in abbreviations:
            known.append(name)
        else:
            found.append(Disagreement(name, "unknown"))
    wrong = _wrong_times(backend, rules, known, horizon, seed, _WEEK)
    wrong = _wrong_times(backend, rules, list(wrong), horizon, seed, _DAY)
    for name, times in wrong.items():
        kind: Kind = "abbreviation" if name.lower() in abbreviations else "rules"
        found.append(Disagreement(name, kind, _time(times.min()), _time(times.max()), len(times)))
    return sorted(found, key=lambda one: one.zone)


def prepare(backend: Backend, names: Iterable[str]) -> None:
    """Ask what may fail, so that it is known when a transaction has written something."""
    backend.zone_names(names)
    backend.abbreviations()


def beyond(backend: Backend, horizon: Horizon) -> dt.date | None:
    """The day from which the function has no rules, where the horizon passes it."""
    if backend.function_range is None or horizon.end <= backend.function_range[1]:
        return None
    return backend.function_range[1]


def new_seed() -> int:
    """A seed for the random sample, short enough to be typed again."""
    return int(np.random.default_rng().integers(1, 1_000_000))


def _wrong_times(
    backend: Backend, rules: Rules, names: list[str], horizon: Horizon, seed: int, step: int
) -> dict[str, Int64]:
    """The UTC times at which a zone was answered differently, of those zones that were."""
    questions = [
        _inside(_questions(rules, name, horizon, seed, step), backend.function_range)
        for name in names
    ]
    to_local = _wrong(
        backend, names, [q.utc for q in questions], [q.local for q in questions], to_utc=False
    )
    to_utc = _wrong(
        backend,
        names,
        [q.asked_local for q in questions],
        [q.utc_of_local for q in questions],
        to_utc=True,
    )
    found = {}
    for place, name in enumerate(names):
        asked = questions[place]
        # of a local time the UTC time that the tables give is named
        times = np.concatenate([asked.utc[to_local[place]], asked.utc_of_local[to_utc[place]]])
        if len(times):
            found[name] = times
    return found


def _questions(rules: Rules, name: str, horizon: Horizon, seed: int, step: int) -> _Questions:
    # the same sample whichever other zones are asked about
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
    # The wall clock at a change, by the offset before and by the one after: the edges of the gap
    # or fold. Past the last span the tables say nothing.
    edges = np.concatenate([ends[:-1] + offsets[:-1], ends[:-1] + offsets[1:]])
    local = np.concatenate([edges, edges - 1])
    shares = _micros(spans, "starts_at_time_zone")
    # before the first share lies the year before year 1
    inside = (local >= shares[0]) & (local < _micros(spans, "ends_before_time_zone")[-1])
    local = local[inside]
    return _Questions(
        utc,
        utc + offsets[np.searchsorted(starts, utc, "right") - 1],
        local,
        local - offsets[np.searchsorted(shares, local, "right") - 1],
    )


def _inside(asked: _Questions, days: tuple[dt.date, dt.date] | None) -> _Questions:
    """The questions about times for which the function has rules."""
    if days is None:
        return asked
    first, end = (seconds_of(day) * 1_000_000 for day in days)
    utc = (asked.utc >= first) & (asked.utc < end)
    local = (asked.utc_of_local >= first) & (asked.utc_of_local < end)
    return _Questions(
        asked.utc[utc], asked.local[utc], asked.asked_local[local], asked.utc_of_local[local]
    )


def _wrong(
    backend: Backend,
    names: list[str],
    asked: list[Int64],
    expected: list[Int64],
    *,
    to_utc: bool,
) -> list[npt.NDArray[np.bool_]]:
    """For each zone, which of its questions the database answers differently."""
    if not names:
        return []
    places = np.repeat(np.arange(len(names), dtype=np.int32), [len(times) for times in asked])
    answers = backend.convert(names, places, np.concatenate(asked), to_utc=to_utc)
    wrong = answers != np.concatenate(expected)
    return list(_split(wrong, [len(times) for times in asked]))


def _split(values: npt.NDArray[np.bool_], lengths: list[int]) -> Iterator[npt.NDArray[np.bool_]]:
    yield from np.split(values, np.cumsum(lengths)[:-1])


def _micros(spans: Columns, column: str) -> Int64:
    return spans[column].astype("M8[us]").astype(np.int64)


def _time(microseconds: np.int64) -> dt.datetime:
    return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=int(microseconds))

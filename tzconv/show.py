"""What the clocks of one zone do: transitions, offsets, days of other lengths, gaps and folds."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tzconv.errors import HorizonError
from tzconv.spans import daily_spans, offset_spans
from tzconv.zones import BEGINNING, Rules, Zone

FIRST_YEAR, LAST_YEAR = 1, 9998
_HOUR, _DAY = 3600, 86_400
_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Transition:
    """The clock changes at ``at_utc`` from one local time to another; offsets are in seconds.

    ``kind`` is ``gap`` where local times are skipped, ``fold`` where they are repeated, and
    ``name`` where only the abbreviation or the summer time flag changes.
    """

    at_utc: dt.datetime
    offset_before: int
    offset_after: int
    abbreviation_before: str
    abbreviation_after: str
    kind: Literal["gap", "fold", "name"]

    @property
    def before(self) -> dt.datetime:
        """The local time at which the clock is changed."""
        return self.at_utc + dt.timedelta(seconds=self.offset_before)

    @property
    def after(self) -> dt.datetime:
        """The local time that it is changed to."""
        return self.at_utc + dt.timedelta(seconds=self.offset_after)


@dataclass(frozen=True, slots=True)
class Day:
    """A local day: its spans on the UTC line as (start, end), none for a day that was skipped."""

    day: dt.date
    spans: tuple[tuple[dt.datetime, dt.datetime], ...]

    @property
    def seconds(self) -> int:
        """How long it is; 0 where it was skipped."""
        return sum(int((end - start).total_seconds()) for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class Shown:
    """A zone over the local days from ``first`` to ``last``.

    ``offset``, in seconds, and ``abbreviation`` are those at the beginning of ``first``.
    """

    zone: str
    tz_release: str
    first: dt.date
    last: dt.date
    offset: int
    abbreviation: str
    transitions: tuple[Transition, ...]
    days: tuple[Day, ...]

    @property
    def unusual(self) -> tuple[Day, ...]:
        """The days that are not one piece of 24 hours."""
        return tuple(day for day in self.days if day.seconds != _DAY or len(day.spans) != 1)


def show(rules: Rules, name: str, first: dt.date, last: dt.date) -> Shown:
    """The local days from ``first`` to ``last`` of a zone.

    UnknownZoneError for a name that the rules do not have, HorizonError for days out of range.
    """
    if not FIRST_YEAR < first.year <= last.year < LAST_YEAR:
        raise HorizonError(f"Choose a day or year from {FIRST_YEAR + 1} to {LAST_YEAR - 1}.")
    zone = rules.zone(name)
    # no day begins or ends more than a day from its UTC day
    start, end = _seconds(first) - 2 * _DAY, _seconds(last) + 3 * _DAY
    days = _days(zone, first, last, start, end)
    begins, ends = _bounds(days, first, last)
    spans = offset_spans(zone, end)
    starts = spans["starts_at_utc"].astype("M8[s]").astype(np.int64)
    offsets, names = spans["utc_offset_seconds"], spans["abbreviation"]
    found: list[Transition] = []
    current = int(np.searchsorted(starts, max(begins, BEGINNING), "right")) - 1
    for index in range(1, len(starts)):
        if begins <= int(starts[index]) <= ends:
            before, after = int(offsets[index - 1]), int(offsets[index])
            found.append(
                Transition(
                    _datetime(int(starts[index])),
                    before,
                    after,
                    str(names[index - 1]),
                    str(names[index]),
                    "name" if before == after else "gap" if after > before else "fold",
                )
            )
    return Shown(
        zone.name,
        rules.release,
        first,
        last,
        int(offsets[current]),
        str(names[current]),
        tuple(found),
        days,
    )


def _days(zone: Zone, first: dt.date, last: dt.date, start: int, end: int) -> tuple[Day, ...]:
    spans = daily_spans(zone, start, end)
    pieces: dict[dt.date, list[tuple[dt.datetime, dt.datetime]]] = {}
    for day, begin, before in zip(
        spans["day"].tolist(),
        spans["day_starts_at_utc"].tolist(),
        spans["day_ends_before_utc"].tolist(),
        strict=True,
    ):
        pieces.setdefault(day, []).append((begin, before))
    count = (last - first).days + 1
    wanted = (first + dt.timedelta(days=number) for number in range(count))
    return tuple(Day(day, tuple(pieces.get(day, ()))) for day in wanted)


def _bounds(days: tuple[Day, ...], first: dt.date, last: dt.date) -> tuple[int, int]:
    """UTC seconds from the first instant of these days to the instant after the last."""
    with_spans = [day for day in days if day.spans]
    if not with_spans:  # the one day asked for was skipped: the transition is near it
        return _seconds(first) - _DAY, _seconds(last) + 2 * _DAY
    return (
        int((with_spans[0].spans[0][0] - _EPOCH).total_seconds()),
        int((with_spans[-1].spans[-1][1] - _EPOCH).total_seconds()),
    )


def _seconds(day: dt.date) -> int:
    return (day - _EPOCH.date()).days * _DAY


def _datetime(seconds: int) -> dt.datetime:
    return _EPOCH + dt.timedelta(seconds=seconds)

"""What the clocks of one zone do: transitions, offsets, days of other lengths, gaps and folds."""

from __future__ import annotations

import bisect
import datetime as dt
from dataclasses import dataclass
from typing import Literal

from tzconv.errors import HorizonError
from tzconv.tz.spans import daily_spans, offset_spans
from tzconv.tz.zones import Rules, Zone

FIRST_YEAR, LAST_YEAR = 1, 9998
_DAY = 86_400


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
    days = _days(zone, first, last)
    begins, ends = _bounds(days, first, last)
    spans = offset_spans(zone, _seconds(last) + 3 * _DAY)
    starts: list[dt.datetime] = spans["starts_at_utc"].tolist()
    offsets, names = spans["utc_offset_seconds"].tolist(), spans["abbreviation"].tolist()
    transitions = tuple(
        Transition(
            at, offsets[n - 1], offsets[n], names[n - 1], names[n], _kind(*offsets[n - 1 : n + 1])
        )
        for n, at in enumerate(starts)
        if n and begins <= at <= ends
    )
    current = bisect.bisect_right(starts, begins) - 1
    return Shown(
        zone.name,
        rules.release,
        first,
        last,
        offsets[current],
        names[current],
        transitions,
        days,
    )


def _kind(before: int, after: int) -> Literal["gap", "fold", "name"]:
    return "name" if before == after else "gap" if after > before else "fold"


def _days(zone: Zone, first: dt.date, last: dt.date) -> tuple[Day, ...]:
    # no day begins or ends more than a day from its UTC day
    spans = daily_spans(zone, _seconds(first) - 2 * _DAY, _seconds(last) + 3 * _DAY)
    pieces: dict[dt.date, list[tuple[dt.datetime, dt.datetime]]] = {}
    columns = ("day", "day_starts_at_utc", "day_ends_before_utc")
    for day, begin, before in zip(*(spans[name].tolist() for name in columns), strict=True):
        pieces.setdefault(day, []).append((begin, before))
    wanted = (first + dt.timedelta(number) for number in range((last - first).days + 1))
    return tuple(Day(day, tuple(pieces.get(day, ()))) for day in wanted)


def _bounds(
    days: tuple[Day, ...], first: dt.date, last: dt.date
) -> tuple[dt.datetime, dt.datetime]:
    """UTC times from the first instant of these days to the instant after the last."""
    spans = [span for day in days for span in day.spans]
    if spans:
        return spans[0][0], spans[-1][1]
    # the one day asked for was skipped: the transition is near it
    midnight = dt.time()
    return (
        dt.datetime.combine(first - dt.timedelta(1), midnight),
        dt.datetime.combine(last + dt.timedelta(2), midnight),
    )


def _seconds(day: dt.date) -> int:
    return (day - dt.date(1970, 1, 1)).days * _DAY

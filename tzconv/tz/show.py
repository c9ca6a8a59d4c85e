"""The clock changes of one zone in a year or on a day, for ``tzconv show``."""

from __future__ import annotations

import bisect
import datetime as dt
from dataclasses import dataclass
from typing import Literal

from tzconv.errors import HorizonError
from tzconv.tz.horizon import seconds_of
from tzconv.tz.spans import daily_spans, offset_spans
from tzconv.tz.zones import Rules, Zone

FIRST_YEAR, LAST_YEAR = 2, 9997
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Transition:
    """The clock changes at ``at_utc`` from one local time to another; offsets are in seconds.

    ``kind`` is ``gap`` where local times are skipped, ``fold`` where they are repeated, and
    ``name`` where only the abbreviation or the summer time flag changes.
    """

    at_utc: dt.datetime
    kind: Literal["gap", "fold", "name"]
    local_before: dt.datetime
    local_after: dt.datetime
    utc_offset_seconds_before: int
    utc_offset_seconds_after: int
    abbreviation_before: str
    abbreviation_after: str


@dataclass(frozen=True, slots=True)
class Day:
    """A local day: its spans in UTC as (start, end), none for a day that was skipped."""

    day: dt.date
    spans: tuple[tuple[dt.datetime, dt.datetime], ...]

    @property
    def seconds(self) -> int:
        """How long it is; 0 where it was skipped."""
        return sum(int((end - start).total_seconds()) for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class ZoneCalendar:
    """A zone over the local days from ``first`` to ``last``.

    ``utc_offset_seconds`` and ``abbreviation`` are those at the beginning of ``first``.
    """

    zone: str
    tz_release: str
    first: dt.date
    last: dt.date
    utc_offset_seconds: int
    abbreviation: str
    transitions: tuple[Transition, ...]
    days: tuple[Day, ...]

    @property
    def unusual(self) -> tuple[Day, ...]:
        """The days that are not one piece of 24 hours."""
        return tuple(day for day in self.days if day.seconds != _DAY or len(day.spans) != 1)


def show(rules: Rules, name: str, first: dt.date, last: dt.date) -> ZoneCalendar:
    """The local days from ``first`` to ``last`` of a zone.

    UnknownZoneError for a name that the rules do not have, HorizonError for days out of range.
    """
    if not FIRST_YEAR <= first.year <= last.year <= LAST_YEAR:
        raise HorizonError(f"Choose a day or year from {FIRST_YEAR} to {LAST_YEAR}.")
    zone = rules.zone(name)
    days = _days(zone, first, last)
    begins, ends = _bounds(days, first, last)
    spans = offset_spans(zone, seconds_of(last) + 3 * _DAY)
    columns = ("starts_at_utc", "utc_offset_seconds", "abbreviation")
    starts, offsets, names = (spans[column].tolist() for column in columns)
    transitions = tuple(
        _transition(starts[index], *offsets[index - 1 : index + 1], *names[index - 1 : index + 1])
        for index in range(1, len(starts))
        if begins <= starts[index] <= ends
    )
    current = bisect.bisect_right(starts, begins) - 1
    offset, abbreviation = offsets[current], names[current]
    return ZoneCalendar(name, rules.release, first, last, offset, abbreviation, transitions, days)


def _transition(
    at_utc: dt.datetime, before: int, after: int, name_before: str, name_after: str
) -> Transition:
    return Transition(
        at_utc,
        "name" if before == after else "gap" if after > before else "fold",
        at_utc + dt.timedelta(seconds=before),
        at_utc + dt.timedelta(seconds=after),
        before,
        after,
        name_before,
        name_after,
    )


def _days(zone: Zone, first: dt.date, last: dt.date) -> tuple[Day, ...]:
    # no day begins or ends more than a day from its UTC day
    spans = daily_spans(zone, seconds_of(first) - 2 * _DAY, seconds_of(last) + 3 * _DAY)
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
    # only one day, and it was skipped: the transition is near it
    around = (first - dt.timedelta(1), last + dt.timedelta(2))
    begin, end = (dt.datetime.combine(day, dt.time()) for day in around)
    return begin, end

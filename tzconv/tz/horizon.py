"""The horizon: the time range that the tables cover, as whole UTC days."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from tzconv.errors import HorizonError

EARLIEST = dt.date(2, 1, 1)
"""A year after the first day a database date holds, so that no local time falls before it."""
LATEST = dt.date(9999, 1, 1)
"""A year before the last day a Python date holds, for the same reason."""
OFFSETS_UNTIL = dt.date(2038, 1, 1)
"""The offset table reaches at least this far: it is small, and many programs think no further."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """The half-open range of UTC days ``[start, end)``."""

    start: dt.date
    end: dt.date

    def __post_init__(self) -> None:
        for day in (self.start, self.end):
            if type(day) is not dt.date:  # a datetime is one, and compares with none
                raise HorizonError(f"{day!r} is no day: give a datetime.date.")
        if self.start >= self.end:
            raise HorizonError(
                f"The start {self.start} is not before the end {self.end}: "
                "the end is the first day not covered, choose a later one."
            )
        for day, word in ((self.start, "start"), (self.end, "end")):
            if not EARLIEST <= day <= LATEST:
                raise HorizonError(
                    f"The {word} {day} is outside {EARLIEST} to {LATEST}, the range that the "
                    "rules and every database carry: choose a day inside it."
                )

    @property
    def seconds(self) -> tuple[int, int]:
        """Start and end as UTC seconds since 1970."""
        return seconds_of(self.start), seconds_of(self.end)

    def beyond(self, other: Horizon) -> list[Horizon]:
        """What this horizon covers and the other one does not."""
        parts = (
            (self.start, min(self.end, other.start)),
            (max(self.start, other.end), self.end),
        )
        return [Horizon(start, end) for start, end in parts if start < end]

    @property
    def offset_end(self) -> dt.date:
        """The end of the offset table, never before 2038-01-01."""
        return max(self.end, OFFSETS_UNTIL)


def choose(start: dt.date | None, end: dt.date | None, today: dt.date | None = None) -> Horizon:
    """The horizon from ``start`` to ``end``; by default from last year to the end of next year."""
    year = (today or dt.datetime.now(dt.UTC).date()).year
    return Horizon(start or dt.date(year - 1, 1, 1), end or dt.date(year + 2, 1, 1))


def seconds_of(day: dt.date) -> int:
    """UTC seconds since 1970 of the midnight that begins ``day``."""
    return (day - dt.date(1970, 1, 1)).days * 86_400

"""POSIX TZ strings: the footer of a TZif file, which rules all times after its last transition.

Format: POSIX.1 ``TZ`` with the extensions of RFC 9636 (times from -167 to 167 hours).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]

_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_MINUTES = r"(?::[0-5][0-9](?::[0-5][0-9])?)?"
_OFFSET = rf"[+-]?(?:2[0-4]|[01]?[0-9]){_MINUTES}"
_TIME = rf"[+-]?(?:16[0-7]|1[0-5][0-9]|[0-9]{{1,2}}|0[0-9]{{2}}){_MINUTES}"
_TO_365 = r"(?:36[0-5]|3[0-5][0-9]|[12][0-9]{2}|[1-9][0-9]|[1-9])"
_DATE = rf"(?:M(?:1[0-2]|0?[1-9])\.[1-5]\.[0-6]|J{_TO_365}|0|{_TO_365})"
_FORMAT = re.compile(
    rf"(?P<std>{_NAME})(?P<std_offset>{_OFFSET})"
    rf"(?:(?P<dst>{_NAME})(?P<dst_offset>{_OFFSET})?"
    rf",(?P<start>{_DATE})(?:/(?P<start_time>{_TIME}))?"
    rf",(?P<end>{_DATE})(?:/(?P<end_time>{_TIME}))?)?"
)
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class LocalType:
    """What holds between two transitions: UTC offset in seconds, is_dst flag, abbreviation."""

    utc_offset: int
    is_dst: bool
    abbreviation: str


@dataclass(frozen=True, slots=True)
class YearlyDate:
    """A day of the year and the seconds after its midnight at which a change happens."""

    date: str
    seconds: int

    def at(self, years: Int64) -> Int64:
        """Local wall seconds since 1970-01-01 of the change, for each of ``years``."""
        january_1 = _days_from_year(years)
        if self.date.startswith("J"):
            day = int(self.date[1:])  # 1 to 365, 29 February is never counted
            leap = _days_from_year(years + 1) - january_1 == 366
            days = january_1 + day - 1 + (leap & (day >= 60))
        elif self.date.startswith("M"):
            month, week, weekday = (int(part) for part in self.date[1:].split("."))
            months = (years - 1970) * 12 + month - 1
            first = months.astype("M8[M]").astype("M8[D]").astype(np.int64)
            after = (months + 1).astype("M8[M]").astype("M8[D]").astype(np.int64)
            # 1970-01-01 was a Thursday, day 4 of a week that begins on Sunday.
            days = first + (weekday - (first + 4)) % 7 + 7 * (week - 1)
            days = np.where(days >= after, days - 7, days)
        else:
            days = january_1 + int(self.date)
        return np.asarray(days * _DAY + self.seconds, np.int64)


@dataclass(frozen=True, slots=True)
class PosixRule:
    """A parsed TZ string; ``dst`` is None where the offset never changes."""

    std: LocalType
    dst: LocalType | None = None
    dst_starts: YearlyDate | None = None
    dst_ends: YearlyDate | None = None

    def transitions(self, first_year: int, last_year: int) -> list[tuple[Int64, LocalType]]:
        """UTC seconds of the changes in those years, both included, with what they change to."""
        if self.dst is None or self.dst_starts is None or self.dst_ends is None:
            return []
        years = np.arange(first_year, last_year + 1, dtype=np.int64)
        return [
            (self.dst_ends.at(years) - self.dst.utc_offset, self.std),
            (self.dst_starts.at(years) - self.std.utc_offset, self.dst),
        ]


def parse(text: str) -> PosixRule:
    """Read a TZ string such as ``EST5EDT,M3.2.0,M11.1.0``; ValueError where it is none."""
    match = _FORMAT.fullmatch(text)
    if match is None:
        raise ValueError(f"not a POSIX TZ string: {text!r}")
    # POSIX counts offsets west of Greenwich as positive.
    std = LocalType(-_seconds(match["std_offset"]), False, match["std"].strip("<>"))
    if match["dst"] is None:
        return PosixRule(std)
    dst_offset = match["dst_offset"]
    dst = LocalType(
        -_seconds(dst_offset) if dst_offset else std.utc_offset + 3600,
        True,
        match["dst"].strip("<>"),
    )
    start = YearlyDate(match["start"], _seconds(match["start_time"] or "2"))
    end = YearlyDate(match["end"], _seconds(match["end_time"] or "2"))
    return PosixRule(std, dst, start, end)


def _seconds(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    hours, minutes, seconds = ([int(part) for part in text.lstrip("+-").split(":")] + [0, 0])[:3]
    return sign * (hours * 3600 + minutes * 60 + seconds)


def _days_from_year(years: Int64) -> Int64:
    return (years - 1970).astype("M8[Y]").astype("M8[D]").astype(np.int64)

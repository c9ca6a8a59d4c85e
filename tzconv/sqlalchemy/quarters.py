"""Times in parameters, told to the rewriter as the quarter of the year in which they lie.

A text is rewritten once for all values of its parameters. What bounds a query is most often such a
value, though, and a bounded query has cheaper rewrites. So decisions are remembered by quarter as
well: few enough to be remembered, and a quarter has two transitions at most in nearly every zone.
"""

from __future__ import annotations

import datetime as dt
from typing import TypeAlias

Quarter: TypeAlias = tuple[bool, int]
"""Whether the times have a zone, and the quarters since the year 0."""

_FIRST_YEAR, _LAST_YEAR = 1900, 2200
_MARGIN = dt.timedelta(days=1)
"""What a driver may make of odd zones and of more than six digits stays inside, by far."""


def quarter(value: object) -> Quarter | None:
    """The quarter of a date or time; None for all else, and where the calendar ends."""
    zoned = False
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            zoned = True
            try:
                value = value.astimezone(dt.UTC)
            except OverflowError:
                return None
    elif not isinstance(value, dt.date):
        return None
    if not _FIRST_YEAR <= value.year < _LAST_YEAR:
        return None
    return zoned, value.year * 4 + (value.month - 1) // 3


def times(quarter: Quarter) -> tuple[dt.datetime, dt.datetime]:
    """The first and the last time that a value of this quarter may have, and a little more."""
    zoned, number = quarter
    zone = dt.UTC if zoned else None
    first, after = (
        dt.datetime(one // 4, one % 4 * 3 + 1, 1, tzinfo=zone) for one in (number, number + 1)
    )
    return first - _MARGIN, after + _MARGIN

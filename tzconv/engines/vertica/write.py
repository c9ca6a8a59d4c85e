"""Vertica: what its documents promise: PostgreSQL's arithmetic, and few functions beside it."""

from __future__ import annotations

import datetime as dt

from tzconv.engines.postgres.write import Postgres
from tzconv.sql.constants import SECOND, microseconds_of


class Vertica(Postgres):
    """An offset is an interval; relations are joined by plain comparisons of columns.

    It optimises joins on ranges only where these are conditions of their own, and it neither merges
    a derived table with rows of its own nor looks a value up in an array.
    """

    name = "vertica"
    has_array_lookup = False
    hides_once = False
    join_limit = None
    views_are_updatable = False
    fewest_rows: float = 0
    # its documents: summer time is known from 1902 to 2038, and there is none before and after
    rules_hold = (
        microseconds_of(dt.date(1902, 1, 1)),
        microseconds_of(dt.date(2038, 1, 1)),
    )

    def offset(self, microseconds: int) -> str:
        # '05:30' alone would be hours and minutes, or minutes and seconds
        seconds = microseconds // SECOND
        for unit, length in (("hours", 3_600), ("minutes", 60)):
            if seconds % length == 0:
                return f"INTERVAL '{seconds // length} {unit}'"
        return f"INTERVAL '{seconds} seconds'"

    def once(self, value: str) -> str:
        return value


WRITER = Vertica()

"""How the rewriter writes Vertica's SQL: with PostgreSQL's arithmetic, as its documents promise."""

from __future__ import annotations

import datetime as dt

from tzconv.engines.postgres.write import IntervalWriter
from tzconv.engines.write import Periods
from tzconv.sql.constants import SECOND, microseconds_of


class VerticaWriter(IntervalWriter):
    """An offset is an interval; joins compare plain columns.

    Vertica optimises range joins only if the ranges are separate conditions; it merges no derived
    table that computes columns, and has no array look-up.
    """

    name = "vertica"
    bucket = "TIME_SLICE({value}, {seconds}, 'SECOND')"
    joins_on_subqueries = False  # its documents have them in WHERE alone
    loops_over_ranges = True
    is_measured = False
    periods = Periods(
        "(DATEDIFF('microsecond', TIMESTAMP '1970-01-01 00:00:00', {utc}) >> 42)",
        "({key} >> 9)",
        "(CAST(CASE WHEN {} THEN {} ELSE {} END / 1000000 AS INTEGER) * INTERVAL '1 second')",
        is_total=False,  # its documents are silent about infinity, and >> of negative numbers
    )
    # its documents: no daylight saving before 1902 and after 2037
    rules_hold = (microseconds_of(dt.date(1902, 1, 1)), microseconds_of(dt.date(2038, 1, 1)))

    def as_text(self, zone: str) -> str:
        # it has no type TEXT
        return f"CAST({zone} AS VARCHAR)"

    def offset_of_seconds(self, seconds: str) -> str:
        return f"({seconds} * INTERVAL '1 second')"

    def offset(self, microseconds: int) -> str:
        # '05:30' alone would be hours and minutes, or minutes and seconds
        seconds = microseconds // SECOND
        for unit, length in (("hours", 3_600), ("minutes", 60)):
            if seconds % length == 0:
                return f"INTERVAL '{seconds // length} {unit}'"
        return f"INTERVAL '{seconds} seconds'"


WRITER = VerticaWriter()

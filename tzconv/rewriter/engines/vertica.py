"""Vertica: what its documents promise: PostgreSQL's arithmetic, and few functions beside it."""

from __future__ import annotations

import datetime as dt

from tzconv.rewriter.constants import SECOND, microseconds_of
from tzconv.rewriter.engines.base import Lists
from tzconv.rewriter.engines.postgres import Postgres
from tzconv.rewriter.engines.postgres_names import output_name
from tzconv.rewriter.schema import Kind


class Vertica(Postgres):
    """An offset is an interval; relations are joined by plain comparisons of columns.

    It optimises joins on ranges only where these are conditions of their own, and it neither merges
    a derived table with rows of its own nor looks a value up in an array.
    """

    name = "vertica"
    fence = ""
    has_array_lookup = False
    asks_for_unknown_zones = False
    lists: Lists | None = None
    # its documents: summer time is known from 1902 to 2038, and there is none before and after
    rules_hold: tuple[int | None, int | None] = (
        microseconds_of(dt.date(1902, 1, 1)),
        microseconds_of(dt.date(2038, 1, 1)),
    )

    def infinity(self, kind: Kind, sign: int) -> str:
        # not documented for all types; the windows of joins lie far inside of these years
        text = "0001-01-01 00:00:00" if sign < 0 else "9999-12-31 00:00:00"
        return f"TIMESTAMP '{text}'" if kind == "timestamp" else f"TIMESTAMPTZ '{text}+00'"

    def offset(self, microseconds: int) -> str:
        # '05:30' alone would be hours and minutes, or minutes and seconds
        seconds = microseconds // SECOND
        for unit, length in (("hours", 3_600), ("minutes", 60)):
            if seconds % length == 0:
                return f"INTERVAL '{seconds // length} {unit}'"
        return f"INTERVAL '{seconds} seconds'"

    def as_timestamp(self, value: str) -> str:
        return f"CAST({value} AS TIMESTAMP)"

    def now_as(self, value: str, kind: Kind) -> str:
        return f"({value})" if kind == "timestamptz" else f"(({value}) AT TIME ZONE 'UTC')"

    def output_name(self, expression: str) -> str:
        return output_name(expression, "vertica")

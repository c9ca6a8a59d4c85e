"""The zone of a row: the local day that holds a time, looked up. Only on request.

Before::

    SELECT (a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone)::date, count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    GROUP BY 1

After::

    SELECT COALESCE(tzconv_1.day, <the original expression>), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN time_zone_daily_conversion AS tzconv_1
      ON tzconv_1.time_zone_name = p.zone
      AND a.ts >= tzconv_1.day_starts_at_utc
      AND a.ts < tzconv_1.day_ends_before_utc
    GROUP BY 1

The days of a zone do not overlap, so at most one row holds a time. Only days are in the table:
other uses of the local time are left, and days that it does not have go through the function.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.comparisons import unwrapped
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value, span_conditions
from tzconv.sql.expressions import outside
from tzconv.sql.parse import Node
from tzconv.tables import DAILY


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    def on(alias: str) -> list[str]:
        edges = ("day_starts_at_utc", "day_ends_before_utc")
        return [*joins.of_zone(alias, zone), *span_conditions(joins, alias, value, edges)]

    alias = joins.add(at, DAILY, [value.text, zone], on)
    return Found(joins.column(alias, "day"), alias)


def _around(site: Conversion) -> tuple[Node, str] | None:
    around = outside(site.node)
    if around is None or unwrapped(around)[0] != "day":
        return None
    is_time = isinstance(around, exp.TimestampTrunc)
    return around, "CAST({offset} AS TIMESTAMP)" if is_time else "{offset}"


SPEC = JoinSpec("daily", (DAILY,), _join, local=False, around=_around, only=True)

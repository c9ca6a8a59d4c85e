"""The zone of a row: the local hour of each UTC hour, looked up. Only on request.

Before::

    SELECT date_trunc('hour', a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    GROUP BY 1

After::

    SELECT COALESCE(tzconv_1.hour_at_time_zone, <the original expression>), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN time_zone_hourly_conversion AS tzconv_1
      ON tzconv_1.time_zone_name = p.zone
      AND tzconv_1.hour_at_utc = date_trunc('hour', a.ts)
      AND a.ts >= tzconv_1.starts_at_utc
      AND a.ts < tzconv_1.ends_before_utc
    GROUP BY 1

The span beside the hour makes it exact where a UTC hour lies in two local ones, as in Kolkata.
Hours that the table does not have go through the function.
"""

from __future__ import annotations

from tzconv.rewriter.comparisons import unwrapped
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value, span_conditions
from tzconv.sql.expressions import outside
from tzconv.sql.parse import Node
from tzconv.tables import HOURLY


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    engine = joins.block.engine
    time = engine.utc_timestamp(value.text, value.kind)

    def on(alias: str) -> list[str]:
        hour = f"{joins.column(alias, 'hour_at_utc')} = date_trunc('hour', {time})"
        spans = span_conditions(joins, alias, value, ("starts_at_utc", "ends_before_utc"))
        return [*joins.of_zone(alias, zone), hour, *spans]

    alias = joins.add(at, HOURLY, [value.text, zone], on)
    offset = engine.offset_of_seconds(joins.column(alias, "utc_offset_seconds"))
    return Found(offset, alias)


def _around(site: Conversion) -> tuple[Node, str] | None:
    around = outside(site.node)
    is_hour = around is not None and unwrapped(around)[0] == "hour"
    return (around, "{alias}.hour_at_time_zone") if is_hour and around is not None else None


SPEC = JoinSpec("hourly", (HOURLY,), _join, local=False, around=_around)

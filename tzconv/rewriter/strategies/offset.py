"""The zone of a row: the offset span that holds the time, looked up after all other joins.

Before::

    SELECT date_trunc('hour', from_utc_timestamp(a.ts, p.zone)), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    WHERE a.ts >= '2026-03-01' AND a.ts < '2026-04-01'
    GROUP BY 1

After::

    SELECT date_trunc('hour', COALESCE(
        timestamp_micros(unix_micros(a.ts) + 1000000L * tzconv_1.utc_offset_seconds),
        <the original expression>)), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN time_zone_offset_conversion AS tzconv_1
      ON tzconv_1.time_zone_name = p.zone
      AND a.ts >= tzconv_1.starts_at_utc
      AND a.ts < tzconv_1.ends_before_utc
      AND <the spans of the window>
    WHERE a.ts >= '2026-03-01' AND a.ts < '2026-04-01'
    GROUP BY 1

Spans of a zone do not overlap, so the join adds no rows and loses none. An engine that copies small
tables to all its workers copies this one, and moves no row of the others.
"""

from __future__ import annotations

from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value, span_conditions
from tzconv.tables import OFFSET


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    clock = "utc" if value.clock == "utc" else "time_zone"
    rows = "" if joins.block.engine.joins_on_subqueries else _of_query(joins, zone)

    def on(alias: str) -> list[str]:
        edges = (f"starts_at_{clock}", f"ends_before_{clock}")
        of_zone = [] if rows else joins.of_zone(alias, zone)
        return [*of_zone, *span_conditions(joins, alias, value, edges)]

    alias = joins.add(at, OFFSET, [value.text, value.clock, zone], on, rows=rows)
    seconds = joins.column(alias, "utc_offset_seconds")
    return Found(joins.block.engine.offset_of_seconds(seconds), alias)


def _of_query(joins: Joins, zone: str) -> str:
    """The spans of a zone that is a subquery of one value; empty for other zones."""
    if zone not in joins.constants or not zone.startswith("("):
        return ""
    spans, named = joins.block.table(OFFSET.name), joins.named("time_zone_name", zone)
    return f"(\n    SELECT * FROM {spans}\n    WHERE {' AND '.join(named)}\n  )"  # noqa: S608 # our names


SPEC = JoinSpec("offset", (OFFSET,), _join)

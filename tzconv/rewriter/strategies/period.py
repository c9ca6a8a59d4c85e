"""The offset by an equality join on the period of the time: any window, any years from 1970.

Before::

    SELECT a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone
    FROM actions a JOIN publishers p ON a.publisher_id = p.id

After::

    SELECT COALESCE(make_timestamp(epoch_us(a.ts) + IF(a.ts < tzconv_2.changes_at_utc,
      tzconv_2.utc_offset_before, tzconv_2.utc_offset_after) * 1000000::BIGINT),
      a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN time_zone_conversion_zone AS tzconv_1
      ON tzconv_1.time_zone_name = p.zone
    LEFT JOIN time_zone_period_conversion AS tzconv_2
      ON tzconv_2.zone_period = (epoch_us(a.ts) >> 41) * 1024 + tzconv_1.zone_id

A zone has one row for each period of 2^41 microseconds (25 days), with at most one change of its
offset. Where it has two, where a time lies outside the table, and for zones that the table does not
have, the function answers. An inner join would be a third faster, but would drop rows where
somebody deleted some of the table's.
"""

from __future__ import annotations

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.now_bounds import now_bounds
from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value
from tzconv.rewriter.strategies.settle import join_kept
from tzconv.sql.reasons import Reason
from tzconv.tables import PERIOD, ZONE
from tzconv.tz.periods import MOST_ZONES, PERIOD_BITS


def period(block: QueryBlock) -> None:
    """Join the zone's number and the period of each value."""
    if block.engine.period:
        join_kept(block, _SPEC)
        return
    text = f"{block.engine.name} was not measured with a join on periods"
    block.leave(Reason("unsupported", text))


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    engine = joins.block.engine
    kind = value.kind if value.clock == "utc" else "timestamp"
    key = engine.period.format(value=value.text)

    def on(alias: str) -> list[str]:
        found = joins.column(alias, "zone_period")
        if zone in joins.constants:  # the rows of one zone: no need to look its number up
            conditions = [*joins.of_zone(alias, zone), f"{found} // {MOST_ZONES} = {key}"]
        else:
            number = joins.column(joins.zone(at, zone), "zone_id")
            conditions = [f"{found} = {key} * {MOST_ZONES} + {number}"]
        return [*conditions, *_window(joins.block, value, found)]

    if zone not in joins.constants:
        joins.zone(at, zone)  # its join comes before the one that uses it
    alias = joins.add(at, PERIOD, [value.text, value.clock, zone], on)
    clock, changes = "utc", "changes_at_utc"
    if value.clock == "local":
        clock, changes = "local", "changes_at_time_zone"
    before, after = (joins.column(alias, f"{clock}_offset_{side}") for side in ("before", "after"))
    time = engine.utc_timestamp(value.text, kind)
    seconds = f"IF({time} < {joins.column(alias, changes)}, {before}, {after})"
    return Found(engine.offset_of_seconds(seconds), alias)


def _window(block: QueryBlock, value: Value, key: str) -> list[str]:
    """Conditions that let the engine read only the periods of the window."""
    if value.column is None:
        return []
    conditions = []
    clock = now_bounds(block, value.column)
    for edge, text, operator, more in zip(value.window, clock, (">=", "<"), (0, 1), strict=True):
        if edge is not None and edge >= 0:
            first = str(((edge >> PERIOD_BITS) + more) * MOST_ZONES)
        elif edge is None and text is not None:
            period = block.engine.period.format(value=text)
            first = f"({period} + {more}) * {MOST_ZONES}" if more else f"{period} * {MOST_ZONES}"
        else:
            continue
        conditions.append(f"{key} {operator} {first}")
    return conditions


_SPEC = JoinSpec("period", (ZONE, PERIOD), _join)

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

from dataclasses import replace

from tzconv.engines.write import Periods
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.now_bounds import now_bounds
from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value
from tzconv.rewriter.strategies.settle import join_kept
from tzconv.sql.reasons import Reason
from tzconv.tables import PERIOD, ZONE
from tzconv.tz.periods import MOST_ZONES, PERIOD_BITS


def period(block: QueryBlock) -> None:
    """Join the zone's number and the period of each value."""
    if block.engine.periods is None:
        text = f"{block.engine.name} was not measured with a join on periods"
        block.leave(Reason("unsupported", text))
    else:
        join_kept(block, _SPEC if block.engine.gaps_are_known else _UTC_ONLY)


def _periods(block: QueryBlock) -> Periods:
    """How the engine finds them."""
    if (found := block.engine.periods) is None:
        raise AssertionError
    return found


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    engine, periods = joins.block.engine, _periods(joins.block)
    kind = value.kind if value.clock == "utc" else "timestamp"
    time = engine.utc_timestamp(value.text, kind)
    key = periods.of.format(value=value.text, utc=time)

    def on(alias: str) -> list[str]:
        found = joins.column(alias, "zone_period")
        if zone in joins.constants:  # the rows of one zone: no need to look its number up
            number = periods.of_key.format(key=found)
            conditions = [*joins.of_zone(alias, zone), f"{number} = {key}"]
        else:
            number = joins.column(joins.zone(at, zone), "zone_id")
            conditions = [f"{found} = {key} * {MOST_ZONES} + {number}"]
        only = [f"{value.text} >= {engine.constant(0, kind)}"] if periods.from_1970 else []
        return [*conditions, *only, *_window(joins.block, value, found)]

    if zone not in joins.constants:
        joins.zone(at, zone)  # its join comes before the one that uses it
    alias = joins.add(at, PERIOD, [value.text, value.clock, zone], on)
    clock, changes = "utc", "changes_at_utc"
    if value.clock == "local":
        clock, changes = "local", "changes_at_time_zone"
    before, after = (joins.column(alias, f"{clock}_offset_{side}") for side in ("before", "after"))
    seconds = periods.either.format(f"{time} < {joins.column(alias, changes)}", before, after)
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
            utc = block.engine.utc_timestamp(text, value.kind)
            period = _periods(block).of.format(value=text, utc=utc)
            first = f"({period} + {more}) * {MOST_ZONES}" if more else f"{period} * {MOST_ZONES}"
        else:
            continue
        conditions.append(f"{key} {operator} {first}")
    return conditions


_SPEC = JoinSpec("period", (ZONE, PERIOD), _join, is_equality=True)
_UTC_ONLY = replace(_SPEC, local=False)
"""A local time near a change may be in the period before or after that of the change."""

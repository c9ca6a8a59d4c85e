"""The offset by an equality join on the period of the time: any window, any years from 1970.

Before::

    SELECT a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone
    FROM actions a JOIN publishers p ON a.publisher_id = p.id

After::

    SELECT COALESCE(make_timestamp(epoch_us(a.ts) + IF(a.ts < tzconv_2.changes_at_utc,
      tzconv_2.microseconds_before, tzconv_2.microseconds_after)),
      a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN time_zone_conversion_zone AS tzconv_1
      ON tzconv_1.time_zone_name = p.zone
    LEFT JOIN time_zone_period_conversion AS tzconv_2
      ON tzconv_2.zone_period = (epoch_us(a.ts) >> 42) * 512 + tzconv_1.rules_id

A history of offsets since 1970 has one row for each period of 2^42 microseconds (51 days), with at
most one change of the offset. Where it has two, where a time lies outside the table, and for zones
that the table does not have, the function answers.

For many rows DuckDB joins the periods by an inner join, which costs half as much. Its key is -1
where the outer join finds no row, and the row of that key has no offsets. It is -1 for all rows if
the period table is not the one that the newest refresh has left: no zone is found then. So a
damaged table makes a query slow, and no row is lost.
"""

from __future__ import annotations

import datetime as dt

from tzconv.engines.write import Engine, Periods
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value
from tzconv.rewriter.windows import now_bounds
from tzconv.sql.constants import DAY, microseconds_of
from tzconv.sql.schema import Kind
from tzconv.tables import PERIOD, RELEASE, ZONE
from tzconv.tz.periods import MOST_RULES, PERIOD_BITS, UNKNOWN

_COVERED = microseconds_of(dt.date(2037, 1, 1))
"""All tables reach at least that far, with whole periods."""


def _periods(block: QueryBlock) -> Periods:
    if (found := block.engine.periods) is None:
        raise AssertionError
    return found


def _checked(block: QueryBlock, *, is_open: bool) -> str:
    """The zone table as an inner join of periods needs it; empty where the outer join is faster."""
    periods, rows = _periods(block), block.expected_rows()
    is_long = is_open if rows is None else rows >= periods.inner_from
    if not (periods.checked and is_long):
        return ""
    period = block.table(PERIOD.name)
    missing = "no row -1: run tzconv refresh --repair"
    condition = periods.checked.format(
        period=period, release=block.table(RELEASE.name), missing=missing
    )
    return f"(\n    SELECT * FROM {block.table(ZONE.name)}\n    WHERE {condition}\n  )"  # noqa: S608 # our names


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    engine, periods = joins.block.engine, _periods(joins.block)
    kind = value.kind if value.clock == "utc" else "timestamp"
    time = engine.utc_timestamp(value.text, kind)
    is_unsure = value.clock == "local" and not engine.gaps_are_known
    numbers = [_number(engine, periods, value.text, time, kind)]
    if is_unsure:  # the change of another period may be within a day of the time
        shifted = _a_day_from(engine, time)
        numbers = [_number(engine, periods, by, by, "timestamp") for by in shifted]
    is_one = zone in joins.constants
    is_inner = bool(joins.zones) and not is_one

    def on(alias: str) -> list[str]:
        found = joins.column(alias, "zone_period")
        only = _window(joins.block, value, found)
        if is_unsure:  # no gap or fold is longer than a day
            change = joins.column(alias, "changes_at_time_zone")
            first, last = _a_day_from(engine, change)
            only.append(f"({change} IS NULL OR {time} < {first} OR {time} >= {last})")
        if is_one:
            of_key = periods.of_key.format(key=found)
            return [*(f"{of_key} = {number}" for number in numbers), *only]
        rules = joins.column(joins.zone(at, zone), "rules_id")
        keys = [f"{number} * {MOST_RULES} + {rules}" for number in numbers]
        if is_inner:
            inside = _is_covered(engine, value.text, kind)
            known = f"COALESCE({keys[0]}, {UNKNOWN})"
            return [f"{found} = CASE WHEN {inside} THEN {known} ELSE {UNKNOWN} END"]
        return [*(f"{found} = {key}" for key in keys), *only]

    rows = ""
    if is_one:
        rows = _of_zone(joins, zone)
    else:
        joins.zone(at, zone)  # its join comes before the one that uses it
    key = [value.text, value.clock, zone]
    alias = joins.add(at, PERIOD, key, on, rows=rows, how="JOIN" if is_inner else "LEFT JOIN")
    unit, changes = "microseconds", "changes_at_utc"
    if value.clock == "local":
        unit, changes = "local_microseconds", "changes_at_time_zone"
    before, after = (joins.column(alias, f"{unit}_{side}") for side in ("before", "after"))
    offset = periods.offset.format(f"{time} < {joins.column(alias, changes)}", before, after)
    return Found(offset, alias)


def _number(engine: Engine, periods: Periods, value: str, utc: str, kind: Kind) -> str:
    if not periods.is_total:
        utc = f"CASE WHEN {_is_covered(engine, value, kind)} THEN {utc} END"
    return periods.of.format(value=value, utc=utc)


def _is_covered(engine: Engine, value: str, kind: Kind) -> str:
    first, last = (engine.constant(edge, kind).replace(" 00:00:00'", "'") for edge in (0, _COVERED))
    return f"{value} >= {first} AND {value} < {last}"


def _a_day_from(engine: Engine, time: str) -> list[str]:
    return [engine.shifted(time, "timestamp", engine.offset(by)) for by in (-DAY, DAY)]


def _of_zone(joins: Joins, zone: str) -> str:
    block = joins.block
    named = " AND ".join(joins.named("time_zone_name", zone))
    number = f"SELECT rules_id FROM {block.table(ZONE.name)} WHERE {named}"  # noqa: S608 # our names
    period = block.table(PERIOD.name)
    condition = f"zone_period % {MOST_RULES} = ({number})"
    return f"(\n    SELECT * FROM {period}\n    WHERE {condition}\n  )"  # noqa: S608 # our names


def _window(block: QueryBlock, value: Value, key: str) -> list[str]:
    """Conditions that let the engine read only the periods of the window."""
    if value.column is None:
        return []
    conditions = []
    clock = now_bounds(block, value.column)
    for edge, text, operator, more in zip(value.window, clock, (">=", "<"), (0, 1), strict=True):
        if edge is not None and edge >= 0:
            first = str(((edge >> PERIOD_BITS) + more) * MOST_RULES)
        elif text is not None:
            utc = block.engine.utc_timestamp(text, value.kind)
            period = _periods(block).of.format(value=text, utc=utc)
            first = f"({period} + {more}) * {MOST_RULES}" if more else f"{period} * {MOST_RULES}"
        else:
            continue
        conditions.append(f"{key} {operator} {first}")
    return conditions


SPEC = JoinSpec(
    "period",
    (ZONE, PERIOD),
    _join,
    needs=lambda engine: engine.periods,
    lacks="was not measured with a join on periods",
    is_equality=True,
    zones=_checked,
)

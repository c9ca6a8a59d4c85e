"""The zone of a row: the local hour of each UTC hour, looked up. Only on request.

Before::

    SELECT date_trunc('hour', a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    GROUP BY 1

After::

    SELECT COALESCE(tzconv_hourly_1.tzconv_local_hour, <the original expression>), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN (<the hourly table>) AS tzconv_hourly_1
      ON tzconv_hourly_1.tzconv_zone = p.zone
      AND tzconv_hourly_1.tzconv_hour = date_trunc('hour', a.ts)
      AND a.ts >= tzconv_hourly_1.tzconv_starts_at_utc
      AND a.ts < tzconv_hourly_1.tzconv_ends_before_utc
    GROUP BY 1

The span beside the hour makes it exact where a UTC hour lies in two local ones, as in Kolkata.
Hours that the table does not have go through the function.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.engines import Engine
from tzconv.rewriter.local import hull
from tzconv.rewriter.parse import Node
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.strategies.lookups import Lookup, Shape, look_up, time_conditions
from tzconv.tables import HOURLY


def hourly(block: Block) -> None:
    """Join the hourly table for each pair of a value and a zone that comes from rows."""
    look_up(block, _SHAPE)


def _columns(engine: Engine, kind: Kind) -> list[str]:
    return [
        "hour_at_utc AS tzconv_hour",
        "hour_at_time_zone AS tzconv_local_hour",
        f"{engine.column_as('starts_at_utc', kind)} AS tzconv_starts_at_utc",
        f"{engine.column_as('ends_before_utc', kind)} AS tzconv_ends_before_utc",
        f"{engine.offset_of_seconds('utc_offset_seconds')} AS tzconv_offset",
    ]


def _matches(engine: Engine, name: str, lookup: Lookup) -> list[str]:
    value = engine.utc_timestamp(lookup.value, lookup.kind)
    return [
        f"{name}.tzconv_hour = date_trunc('hour', {value})",
        f"{lookup.value} >= {name}.tzconv_starts_at_utc",
        f"{lookup.value} < {name}.tzconv_ends_before_utc",
    ]


def _results(engine: Engine, name: str, lookup: Lookup, site: Conversion) -> tuple[Node, str]:
    around: Node | None = site.node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if isinstance(around, exp.TimestampTrunc) and around.args.get("zone") is None:
        unit = around.args.get("unit")
        if unit is not None and unit.name.casefold() == "hour":
            return around, f"{name}.tzconv_local_hour"
    return site.node, engine.shifted(lookup.value, lookup.kind, f"{name}.tzconv_offset")


def _rows(lookup: Lookup) -> list[str]:
    return time_conditions(hull(lookup.windows), "ends_before_utc", "starts_at_utc")


_SHAPE = Shape(
    "hourly",
    HOURLY.name,
    "the local hour comes from the table, by the span that holds the time",
    _columns,
    _matches,
    _results,
    _rows,
)

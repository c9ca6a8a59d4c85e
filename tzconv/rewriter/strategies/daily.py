"""The zone of a row: the local day that holds a time, looked up. Only on request.

Before::

    SELECT (a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone)::date, count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    GROUP BY 1

After::

    SELECT COALESCE(tzconv_daily_1.tzconv_day, <the original expression>), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN (<the daily table>) AS tzconv_daily_1
      ON tzconv_daily_1.tzconv_zone = p.zone
      AND a.ts >= tzconv_daily_1.tzconv_starts_at_utc
      AND a.ts < tzconv_daily_1.tzconv_ends_before_utc
    GROUP BY 1

The days of a zone do not overlap, so one row at most holds a time. Only days are in the table:
other uses of the local time are left, and days that it does not have go through the function.
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
from tzconv.tables import DAILY


def daily(block: Block) -> None:
    """Join the daily table for each pair of a value and a zone that comes from rows."""
    look_up(block, _SHAPE)


def _columns(engine: Engine, kind: Kind) -> list[str]:
    return [
        "day AS tzconv_day",
        f"{engine.column_as('day_starts_at_utc', kind)} AS tzconv_starts_at_utc",
        f"{engine.column_as('day_ends_before_utc', kind)} AS tzconv_ends_before_utc",
    ]


def _matches(engine: Engine, name: str, lookup: Lookup) -> list[str]:
    return [
        f"{lookup.value} >= {name}.tzconv_starts_at_utc",
        f"{lookup.value} < {name}.tzconv_ends_before_utc",
    ]


def _results(
    engine: Engine, name: str, lookup: Lookup, site: Conversion
) -> tuple[Node, str] | None:
    around: Node | None = site.node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if isinstance(around, exp.Cast) and around.to.this == exp.DType.DATE:
        return None if around.args.get("safe") else (around, f"{name}.tzconv_day")
    if isinstance(around, exp.Date) and not around.expressions and not around.args.get("zone"):
        return around, f"{name}.tzconv_day"
    if isinstance(around, exp.TimestampTrunc) and around.args.get("zone") is None:
        unit = around.args.get("unit")
        if unit is not None and unit.name.casefold() == "day":
            return around, f"CAST({name}.tzconv_day AS TIMESTAMP)"
    return None


def _rows(lookup: Lookup) -> list[str]:
    return time_conditions(hull(lookup.windows), "day_ends_before_utc", "day_starts_at_utc")


_SHAPE = Shape(
    "daily",
    DAILY.name,
    "the local day comes from the table, by the span that holds the time",
    _columns,
    _matches,
    _results,
    _rows,
)

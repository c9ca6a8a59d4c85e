"""The zone of a row, in an open window: the offset of each zone on each UTC day, looked up.

Before::

    SELECT date_trunc('day', a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    GROUP BY 1

After::

    SELECT date_trunc('day', COALESCE(make_timestamp(epoch_us(a.ts) + CASE
        WHEN tzconv_utc_day_1.tzconv_changes_at_utc <= a.ts
        THEN tzconv_utc_day_1.tzconv_offset_after
        ELSE tzconv_utc_day_1.tzconv_offset END), <the original expression>)), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN (<the table of UTC days>) AS tzconv_utc_day_1
      ON tzconv_utc_day_1.tzconv_zone = p.zone AND tzconv_utc_day_1.tzconv_day = CAST(a.ts AS DATE)
    GROUP BY 1

A zone has one row for a UTC day, and no zone changes its offset twice on one, so the join adds no
rows and loses none, whatever joins come before it. Days that the table does not have go through the
function.
"""

from __future__ import annotations

import datetime as dt

from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import DAY
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.engines import Engine
from tzconv.rewriter.local import hull
from tzconv.rewriter.parse import Node
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.strategies.lookups import Lookup, Shape, look_up
from tzconv.tables import UTC_DAY


def utc_day(block: Block) -> None:
    """Join the table of UTC days for each pair of a value and a zone that comes from rows."""
    look_up(block, _SHAPE)


def _columns(engine: Engine, kind: Kind) -> list[str]:
    before, after = "utc_offset_seconds", "utc_offset_seconds_after"
    return [
        "utc_day AS tzconv_day",
        f"{engine.column_as('changes_at_utc', kind)} AS tzconv_changes_at_utc",
        f"{engine.offset_of_seconds(before)} AS tzconv_offset",
        f"{engine.offset_of_seconds(after)} AS tzconv_offset_after",
    ]


def _matches(engine: Engine, name: str, lookup: Lookup) -> list[str]:
    value = engine.utc_timestamp(lookup.value, lookup.kind)
    return [f"{name}.tzconv_day = CAST({value} AS DATE)"]


def _results(engine: Engine, name: str, lookup: Lookup, site: Conversion) -> tuple[Node, str]:
    offset = (
        f"CASE WHEN {name}.tzconv_changes_at_utc <= {lookup.value} "
        f"THEN {name}.tzconv_offset_after ELSE {name}.tzconv_offset END"
    )
    return site.node, engine.shifted(lookup.value, lookup.kind, offset)


def _rows(lookup: Lookup) -> list[str]:
    """The days that the query can ask for, so that the others need not be hashed."""
    asked = hull(lookup.windows)
    conditions = []
    if asked.start is not None:
        conditions.append(f"utc_day >= DATE '{_date(asked.start)}'")
    if asked.end is not None:
        conditions.append(f"utc_day <= DATE '{_date(asked.end)}'")
    return conditions


def _date(microseconds: int) -> dt.date:
    return dt.date(1970, 1, 1) + dt.timedelta(days=microseconds // DAY)


_SHAPE = Shape(
    "utc_day",
    UTC_DAY.name,
    "the offset is that of the UTC day, or of its second part where the zone changes on it",
    _columns,
    _matches,
    _results,
    _rows,
)

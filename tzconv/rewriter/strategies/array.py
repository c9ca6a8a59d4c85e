"""The offset from arrays of the zone's row: any window, for a zone of rows or a constant one.

Before::

    SELECT a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone
    FROM actions a LEFT JOIN publishers p ON a.publisher_id = p.id

After::

    SELECT COALESCE(a.ts + tzconv_1.utc_offsets[
      pg_catalog.width_bucket(a.ts, tzconv_1.starts_at_utc)],
      a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone)
    FROM actions a LEFT JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN time_zone_conversion_zone AS tzconv_1
      ON tzconv_1.time_zone_name::text = p.zone::text

The table has one row a zone, so the join adds no rows. ``width_bucket`` is 0 before the first
span, and behind the last span there is no offset: then, and for zones that the table does not have,
the function answers.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value
from tzconv.rewriter.strategies.short import ShortWindow, short_of
from tzconv.rewriter.strategies.zones import is_of_no_row
from tzconv.tables import ZONE

_MOST_SPANS = 3


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    alias = joins.zone(at, zone)
    if joins.short is not None:
        return Found(joins.short.offset(alias, value.text, value.starts), alias)
    place = f"pg_catalog.width_bucket({value.text}, {joins.column(alias, value.starts)})"
    return Found(f"{joins.column(alias, 'utc_offsets')}[{place}]", alias)


def _constant(block: QueryBlock, value: Value, zone: str) -> str:
    """The arrays of one zone are read once, before the rows of the query."""
    named = block.engine.is_zone("time_zone_name", zone)
    if not zone.startswith("'"):  # the function adds the offset of UTC faster
        named = f"time_zone_name::text <> 'UTC' AND {named}"
    rows = f"FROM {block.table(ZONE.name)} WHERE {named}"
    place = f"pg_catalog.width_bucket({value.text}, (SELECT {value.starts} {rows}))"
    return f"(SELECT utc_offsets {rows})[{place}]"  # our names


def _short(block: QueryBlock, sites: list[Conversion | Bound]) -> ShortWindow | None:
    of_rows = [one for one in sites if not is_of_no_row(block, one.zone)]
    # all zones are read for it, and rows may be few; for each zone the text grows
    is_unknown = block.expected_rows() is None
    if is_unknown and (_picks_few(block) or len({block.text(one.zone) for one in of_rows}) > 1):
        return None
    if not any(isinstance(site, Conversion) for site in of_rows):
        return None
    return short_of(block, of_rows, _MOST_SPANS)


def _picks_few(block: QueryBlock) -> bool:
    """Whether a condition compares a column for equality with what is no column, as a key is."""
    where = block.select.args.get("where")
    for one in [] if where is None else where.find_all(exp.EQ, exp.In):
        others = one.expressions if isinstance(one, exp.In) else [one.expression]
        sides = [one.this, *others]
        columns = [side for side in sides if isinstance(side, exp.Column)]
        if len(columns) == 1 and not any(
            side.find(exp.Column) for side in sides if side is not columns[0]
        ):
            return True
    return False


SPEC = JoinSpec(
    "array",
    (ZONE,),
    _join,
    needs=lambda engine: engine.has_array_lookup,
    lacks="has no lookup of a value among the items of an array",
    of_value=False,
    constant=_constant,
    short=_short,
)

"""The zone of a row, in any window: the zone's owner brings all its transitions along, as arrays.

Before::

    SELECT a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone
    FROM actions a LEFT JOIN publishers p ON a.publisher_id = p.id

After::

    SELECT COALESCE(
      a.ts + p.tzconv_offsets_1[width_bucket(a.ts, p.tzconv_starts_1)], <the original expression>)
    FROM actions a LEFT JOIN (
      SELECT p.*, tzconv_zone_1.starts AS tzconv_starts_1, tzconv_zone_1.offsets AS tzconv_offsets_1
      FROM publishers p
      LEFT JOIN (<transitions and offsets of each zone, as arrays>) AS tzconv_zone_1
        ON tzconv_zone_1.time_zone_name = p.zone
      OFFSET 0
    ) p ON a.publisher_id = p.id

The relation gets columns but no rows, so it may stand on any side of any join. The last threshold
is the end of the last span and has no offset: for that time and later ones, for times before the
first span, and for zones that the tables do not have, the native function answers.
"""

from __future__ import annotations

from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import DAY
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.brought import Asked, Form, Relation, Zone, asked_of, bring, edges
from tzconv.rewriter.strategies.zones import without_fixed
from tzconv.rewriter.windows import usual_years
from tzconv.tables import OFFSET

_YEARS_BEFORE = 6


def array(block: Block) -> None:
    """Let the relations that own zones bring their transitions along, as arrays."""
    bring(block, _FORM)


def _why_not_site(block: Block, _: Conversion | Bound) -> str | None:
    if not block.engine.has_array_lookup:
        return f"{block.engine.name} has no lookup of a value among the thresholds of an array"
    return None


def _why_not(_: Block, __: Relation) -> str | None:
    return None


def _offset(_: Block, relation: Relation, zone: Zone, asked: Asked) -> str:
    thresholds = f"{relation.alias}.tzconv_{asked.line}_{zone.number}"
    place = f"width_bucket({asked.value}, {thresholds})"
    return f"{relation.alias}.tzconv_offsets_{zone.number}[{place}]"


def _columns(_block: Block, _relation: Relation, zone: Zone) -> list[str]:
    return [
        f"{zone.name}.{line} AS tzconv_{line}_{zone.number}" for line in [*zone.lines, "offsets"]
    ]


def _spans(block: Block, relation: Relation, zone: Zone) -> list[str]:
    """All zones with their transitions, cut to what the query can ask for."""
    columns = ["time_zone_name"]
    for line in zone.lines:
        starts, ends = edges(block, line)
        columns.append(f"array_agg({starts} ORDER BY starts_at_utc) || max({ends}) AS {line}")
    if zone.lines:
        offset = block.engine.offset_of_seconds("utc_offset_seconds")
        columns.append(f"array_agg({offset} ORDER BY starts_at_utc) AS offsets")
    conditions = []
    asked = relation.window
    if asked is not None and zone.lines:
        # short arrays: each row of a join gets a copy
        usual = usual_years(block.options.rules.release, asked, _YEARS_BEFORE)
        start = usual.start if asked.start is None else asked.start
        end = usual.end if asked.end is None else asked.end
        # a day more on both sides, because a window may be one of local times
        first = block.engine.constant(int(start or 0) - DAY, "timestamp")
        last = block.engine.constant(int(end or 0) + DAY, "timestamp")
        conditions += [f"ends_before_utc > {first}", f"starts_at_utc < {last}"]
    conditions += without_fixed(block.engine, "time_zone_name")
    return [
        "SELECT " + ",\n      ".join(columns),
        f"FROM {block.table(OFFSET.name)}",
        *([f"WHERE {' AND '.join(conditions)}"] if conditions else []),
        "GROUP BY time_zone_name",
    ]


_FORM = Form("array", "arrays", _why_not_site, _why_not, asked_of, _offset, _columns, _spans)

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
from dataclasses import dataclass, field

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import DAY
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.layout import next_line, reindented
from tzconv.rewriter.local import Interval, hull
from tzconv.rewriter.purity import is_repeatable
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.strategies.grouping import why_not_grouped
from tzconv.rewriter.strategies.relations import why_not_extended
from tzconv.tables import UTC_DAY

_NAME = "tzconv_utc_day"
_VALUE = "the offset is that of the UTC day, or of its second part where the zone changes on it"
_JOIN = "one row for each zone and UTC day: the join adds no rows and loses none"


@dataclass(slots=True)
class _Lookup:
    """The conversions of one value to one zone: they share a join."""

    value: str
    kind: Kind
    zone: str
    sites: list[Conversion] = field(default_factory=list)
    windows: list[Interval] = field(default_factory=list)


def utc_day(block: Block) -> None:
    """Join the table of UTC days for each pair of a value and a zone that comes from rows."""
    sites = _sites(block)
    at = block.source.end_of_from(block.select)
    reason = why_not_extended(block)
    if reason is None and at is None:
        reason = "the place after the last join cannot be told for certain"
    lookups: dict[tuple[str, str], _Lookup] = {}
    for site in sites:
        left = reason or why_not_grouped(block, None, [site.node])
        if left is not None:
            block.leave(site, left)
            continue
        value, zone = block.text(site.value), block.text(site.zone)
        lookup = lookups.setdefault((value, zone), _Lookup(value, site.value_kind, zone))
        lookup.sites.append(site)
        lookup.windows.append(
            block.window(site.value) if isinstance(site.value, exp.Column) else Interval(None, None)
        )
    for number, lookup in enumerate(lookups.values(), 1):
        _look_up(block, lookup, f"{_NAME}_{number}", at or 0)


def _sites(block: Block) -> list[Conversion]:
    sites = []
    for site in block.open:
        if not isinstance(site, Conversion) or site.zone.find(exp.Column) is None:
            continue
        reason = _why_not(block, site)
        if reason is None:
            sites.append(site)
        else:
            block.leave(site, reason)
    return sites


def _why_not(block: Block, site: Conversion) -> str | None:
    if site.to_utc:
        return "a local time has no UTC day to look up"
    if site.is_nested or not (is_repeatable(site.value) and is_repeatable(site.zone)):
        return "the value or its zone holds what should not be computed twice"
    columns = [*site.value.find_all(exp.Column), *site.zone.find_all(exp.Column)]
    if any(block.names.owner(column) is None for column in columns):
        return "it cannot be told which tables its columns belong to"
    if site.node.find_ancestor(exp.Join, exp.Query) is not block.select:
        return "it stands in the condition of a join, before which its offset is not there"
    return None


def _look_up(block: Block, lookup: _Lookup, name: str, at: int) -> None:
    engine = block.engine
    offset = (
        f"CASE WHEN {name}.tzconv_changes_at_utc <= {lookup.value} "
        f"THEN {name}.tzconv_offset_after ELSE {name}.tzconv_offset END"
    )
    for site in lookup.sites:
        moved = engine.shifted(lookup.value, lookup.kind, offset)
        after = f"COALESCE({moved}, {block.text(site.node)})"
        block.done(site, block.replace(site.node, after, "utc_to_zone", "utc_day", _VALUE))
    changes = engine.column_as("changes_at_utc", lookup.kind)
    before, later = (
        engine.offset_of_seconds(column)
        for column in ("utc_offset_seconds", "utc_offset_seconds_after")
    )
    lines = [
        "LEFT JOIN (",
        "  SELECT time_zone_name AS tzconv_zone, utc_day AS tzconv_day,",
        f"    {changes} AS tzconv_changes_at_utc,",
        f"    {before} AS tzconv_offset, {later} AS tzconv_offset_after",
        f"  FROM {block.table(UTC_DAY.name)}{_rows(block, lookup)}",
        f") AS {name} ON {name}.tzconv_zone = {lookup.zone}",
        f"  AND {name}.tzconv_day = {engine.utc_date(lookup.value, lookup.kind)}",
    ]
    text = block.source.text
    after = next_line(text, at, 0) + reindented(text, at, "\n".join(lines))
    block.edits.append(Edit(at, at, after, "utc_to_zone", "utc_day", _JOIN))


def _rows(block: Block, lookup: _Lookup) -> str:
    """The days that the query can ask for, of the zones that the engine reads as IANA zones."""
    asked = hull(lookup.windows)
    conditions = []
    if asked.start is not None:
        conditions.append(f"utc_day >= DATE '{_date(asked.start)}'")
    if asked.end is not None:
        conditions.append(f"utc_day <= DATE '{_date(asked.end)}'")
    if block.engine.fixed_names:
        names = ", ".join(f"'{name}'" for name in block.engine.fixed_names)
        conditions.append(f"time_zone_name NOT IN ({names})")
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _date(microseconds: int) -> dt.date:
    return dt.date(1970, 1, 1) + dt.timedelta(days=microseconds // DAY)

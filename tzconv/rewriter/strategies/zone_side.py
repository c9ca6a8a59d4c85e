"""The zone of a row, in a bounded window: the zone's owner brings the offsets along.

Before::

    SELECT a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    WHERE a.ts BETWEEN TIMESTAMP '2026-03-01' AND TIMESTAMP '2026-03-31'

After::

    SELECT COALESCE(make_timestamp(epoch_us(a.ts) + p.tzconv_offset), <the original expression>)
    FROM actions a JOIN (
      SELECT p.*, <start, end and offset of each span of the window>
      FROM publishers p
      LEFT JOIN time_zone_offset_conversion AS tzconv_span ON <same zone, inside the window>
    ) p ON a.publisher_id = p.id
    WHERE a.ts BETWEEN TIMESTAMP '2026-03-01' AND TIMESTAMP '2026-03-31'
      AND a.ts >= p.tzconv_starts_at_utc AND a.ts < p.tzconv_ends_before_utc

The fact joins on its old key; of the few spans of a zone exactly one holds its time. A zone that
the tables do not have gets one span without end or offset, and the native function answers for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from tzconv.horizon import OFFSETS_UNTIL
from tzconv.rewriter.block import Block, Condition
from tzconv.rewriter.constants import DAY
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.layout import reindented
from tzconv.rewriter.names import Owner
from tzconv.rewriter.parse import Range
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.sites import Bound, Site
from tzconv.rewriter.strategies.grouping import why_not_grouped
from tzconv.rewriter.strategies.relations import own_conditions, why_not_joined
from tzconv.rewriter.strategies.zones import COVERED_UNTIL, alias_range, inside, without_fixed
from tzconv.rewriter.windows import same_column
from tzconv.tables import OFFSET

_SPAN = "tzconv_span"
_STARTS, _ENDS, _AMOUNT = "tzconv_starts_at_utc", "tzconv_ends_before_utc", "tzconv_offset"

_VALUE = "the offset comes with the row of {owner}; the function answers for unknown zones only"
_BOUND = "the bound is computed once for each row of {owner}, not for each row joined to it"
_OWNER = "{owner} brings the offset spans of its zone along, those of the window only"
_SPANS = "of the spans of a zone exactly one holds the time of the row"


@dataclass(slots=True)
class _Group:
    """The sites of one SELECT whose zone is one column of one relation, in one direction."""

    owner: Owner
    zone: exp.Column
    to_utc: bool
    conversions: list[Conversion] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Fact:
    """The UTC column that the spans are matched with."""

    column: exp.Column
    kind: Kind
    window: tuple[int, int]


def zone_side(block: Block) -> None:
    """Join the offset spans to the relations that own zone columns."""
    groups = _groups(block)
    for group in groups:
        sites: list[Site] = [*group.conversions, *group.bounds]
        found = _fact(block, group)
        reason = (
            found
            if isinstance(found, str)
            else why_not_joined(block, group.owner)
            or why_not_grouped(block, group.owner, [site.node for site in sites])
        )
        if block.tries("array") and sum(one.owner is group.owner for one in groups) > 1:
            reason = "arrays serve all conversions with zones of one relation at once"
        elif any(owner is group.owner for owner in block.replaced):
            reason = f"{group.owner.alias} brings the spans of another zone along already"
        if isinstance(found, str) or reason is not None:
            for site in sites:
                block.leave(site, str(reason))
        else:
            _join_spans(block, group, found)


def _groups(block: Block) -> list[_Group]:
    groups: list[_Group] = []
    # conversions first: a bound is computed with the zone's row, whichever line the spans are on
    for site in sorted(block.open, key=lambda site: isinstance(site, Bound)):
        if not isinstance(site, (Conversion, Bound)) or isinstance(site.zone, exp.Literal):
            continue
        if not isinstance(site.zone, exp.Column):
            block.leave(site, "the zone is an expression, not a column")
            continue
        owner = block.names.owner(site.zone)
        if owner is None:
            block.leave(site, f"it cannot be told which table {site.zone.sql()} belongs to")
            continue
        if isinstance(site, Conversion) and site.unit is not None:
            block.leave(site, "it goes to the zone's clock and back: spans serve one way only")
            continue
        if isinstance(site, Conversion) and site.target is not None:
            block.leave(site, "it goes from one zone to another: spans serve one of them only")
            continue
        to_utc = isinstance(site, Conversion) and site.to_utc
        for group in groups:
            same_line = isinstance(site, Bound) or group.to_utc == to_utc
            if same_line and same_column(group.zone, site.zone, block.names):
                break
        else:
            group = _Group(owner, site.zone, to_utc)
            groups.append(group)
        if isinstance(site, Conversion):
            group.conversions.append(site)
        else:
            group.bounds.append(site)
    return groups


def _fact(block: Block, group: _Group) -> _Fact | str:
    columns = [(site.value, site.value_kind) for site in group.conversions]
    columns += [(site.column, site.column_kind) for site in group.bounds]
    column, kind = columns[0]
    if not isinstance(column, exp.Column):
        return "the converted value is not a column"
    reason = _why_no_fact(block, group, column)
    if reason is not None:
        return reason
    window = block.window(column)
    if window.start is None or window.end is None:
        return (
            f"the WHERE clause does not bound {column.sql()} on both sides by constants: "
            "no strategy for an open window yet"
        )
    outside = block.why_no_rules(window)
    if outside is not None:
        return outside
    if window.end > COVERED_UNTIL - (DAY if group.to_utc else 0):
        return f"the window reaches past {OFFSETS_UNTIL}, where the tables may end"
    return _Fact(column, kind, (window.start, window.end))


def _why_no_fact(block: Block, group: _Group, column: exp.Column) -> str | None:
    owner = block.names.owner(column)
    if owner is None:
        return f"it cannot be told which table {column.sql()} belongs to"
    if owner is group.owner:
        return f"{column.sql()} and its zone are columns of one table: no strategy does that yet"
    for site in group.conversions:
        if not same_column(site.value, column, block.names):
            return f"more than one column is converted to {group.zone.sql()}"
    return None


def _join_spans(block: Block, group: _Group, fact: _Fact) -> None:
    owner = group.owner
    if not isinstance(owner.node, exp.Table):
        raise TypeError("the owner was checked to be a table")
    at = block.source.table_range(owner.node)
    if at is None:
        raise TypeError("the owner was checked to have a place")
    alias = block.source.text[slice(*alias_range(owner.node))]
    edits = []
    for conversion in group.conversions:
        value, amount = block.text(conversion.value), f"{alias}.{_AMOUNT}"
        moved = (
            block.engine.to_utc(value, amount, conversion.utc_kind)
            if group.to_utc
            else block.engine.shifted(value, fact.kind, amount)
        )
        after = f"COALESCE({moved}, {block.text(conversion.node)})"
        reason = _VALUE.format(owner=owner.alias)
        rule = "zone_to_utc" if group.to_utc else "utc_to_zone"
        edits.append(block.replace(conversion.node, after, rule, "zone_side", reason))
    bounds: dict[str, str] = {}
    for bound in group.bounds:
        native = inside(block, bound.node, alias)
        name = bounds.setdefault(native, f"tzconv_bound_{len(bounds) + 1}")
        after = f"COALESCE({alias}.{name}, {block.text(bound.node)})"
        reason = _BOUND.format(owner=owner.alias)
        edits.append(block.replace(bound.node, after, "bounds", "zone_side", reason))
    relation = _relation(block, group, fact, alias, at, bounds)
    reason = _OWNER.format(owner=owner.alias)
    edits.append(Edit(*at, relation, "utc_to_zone", "zone_side", reason, "relation"))
    column = block.text(fact.column)
    matched = f"{column} >= {alias}.{_STARTS} AND {column} < {alias}.{_ENDS}"
    block.replaced.append(owner)
    block.add_condition(Condition(matched, "utc_to_zone", "zone_side", _SPANS))
    sites: list[Site] = [*group.conversions, *group.bounds]
    for site in sites:
        block.done(site)
    block.edits += edits


def _relation(
    block: Block, group: _Group, fact: _Fact, alias: str, at: Range, bounds: dict[str, str]
) -> str:
    engine, kind, owner = block.engine, fact.kind, group.owner
    line = "time_zone" if group.to_utc else "utc"
    starts = engine.column_as(f"{_SPAN}.starts_at_{line}", kind)
    ends = engine.column_as(f"{_SPAN}.ends_before_{line}", kind)
    columns = [
        f"{alias}.*",
        f"COALESCE({starts}, {engine.infinity(kind, -1)}) AS {_STARTS}",
        f"COALESCE({ends}, {engine.infinity(kind, 1)}) AS {_ENDS}",
        f"{engine.offset_of_seconds(f'{_SPAN}.utc_offset_seconds')} AS {_AMOUNT}",
        *(
            f"CASE WHEN {_SPAN}.time_zone_name IS NOT NULL THEN {native} END AS {name}"
            for native, name in bounds.items()
        ),
    ]
    first, last = (engine.constant(edge, "timestamp") for edge in fact.window)
    zone = inside(block, group.zone, alias)
    lines = [
        "(",
        "  SELECT " + ",\n    ".join(columns),
        f"  FROM {block.source.text[at[0] : at[1]]}",
        f"  LEFT JOIN {block.table(OFFSET.name)} AS {_SPAN}",
        f"    ON {_SPAN}.time_zone_name = {zone}",
        f"    AND {_SPAN}.ends_before_{line} > {first}",
        f"    AND {_SPAN}.starts_at_{line} < {last}",
        *(f"    AND {one}" for one in without_fixed(engine, f"{_SPAN}.time_zone_name")),
        *_fence(block, owner, alias),
        f") {alias}",
    ]
    return reindented(block.source.text, at[0], "\n".join(lines))


def _fence(block: Block, owner: Owner, alias: str) -> list[str]:
    if not block.engine.fence:
        return []
    conditions = own_conditions(block, owner, alias)
    lines = [f"  {'AND' if index else 'WHERE'} {one}" for index, one in enumerate(conditions)]
    return [*lines, f"  {block.engine.fence}"]

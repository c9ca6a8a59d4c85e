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

from dataclasses import dataclass, field

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import DAY
from tzconv.rewriter.conversions import LONG_UNITS, Conversion
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.layout import reindented
from tzconv.rewriter.local import Interval, hull
from tzconv.rewriter.names import Owner
from tzconv.rewriter.purity import is_repeatable
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.grouping import why_not_grouped
from tzconv.rewriter.strategies.relations import own_conditions, why_not_replaced
from tzconv.rewriter.strategies.zones import alias_range, inside, owner_of_zone
from tzconv.rewriter.windows import usual_years
from tzconv.tables import OFFSET

_ZONE = "tzconv_zone"
_VALUE = "the transitions come with the row of {owner}; the function answers for unknown zones only"
_BOUND = "the bound is computed once for each row of {owner}, not for each row joined to it"
_OWNER = "{owner} brings the transitions and offsets of its zone along, as arrays"


@dataclass(slots=True)
class _Zone:
    """One zone expression of a relation, and the columns that the relation gains for it."""

    text: str
    number: int
    lines: list[str] = field(default_factory=list)
    windows: list[Interval] = field(default_factory=list)
    bounds: dict[str, str] = field(default_factory=dict)

    def column(self, line: str) -> str:
        """The added column with the thresholds on a line: UTC, instants or local times."""
        if line not in self.lines:
            self.lines.append(line)
        return f"tzconv_{line}_{self.number}"


@dataclass(slots=True)
class _Relation:
    """A relation that owns zones, with the sites that use them."""

    owner: Owner
    alias: str
    sites: list[Conversion | Bound] = field(default_factory=list)
    zones: dict[str, _Zone] = field(default_factory=dict)

    def zone(self, text: str) -> _Zone:
        """The zone of that text, which is the same zone wherever it is written."""
        return self.zones.setdefault(text, _Zone(text, len(self.zones) + 1))


def array(block: Block) -> None:
    """Let the relations that own zones bring their transitions along."""
    for relation in _relations(block):
        reason = (
            _may_be_dropped(block, relation)
            or _brings_already(block, relation.owner)
            or why_not_replaced(block, relation.owner)
            or why_not_grouped(block, relation.owner, [site.node for site in relation.sites])
        )
        if reason is not None:
            for site in relation.sites:
                block.leave(site, reason)
        else:
            _bring(block, relation)


def _relations(block: Block) -> list[_Relation]:
    relations: list[_Relation] = []
    for site in block.open:
        if not isinstance(site, (Conversion, Bound)) or isinstance(site.zone, exp.Literal):
            continue
        owner = owner_of_zone(block, site.zone)
        reason = owner if isinstance(owner, str) else _why_not(block, site, owner)
        if reason is not None:
            block.leave(site, reason)
            continue
        found = next((one for one in relations if one.owner is owner), None)
        if found is None and isinstance(owner, Owner) and isinstance(owner.node, exp.Table):
            alias = block.source.text[slice(*alias_range(owner.node))]
            found = _Relation(owner, alias)
            relations.append(found)
        if found is not None:
            found.sites.append(site)
    return relations


def _why_not(block: Block, site: Conversion | Bound, owner: Owner) -> str | None:
    if not block.engine.has_array_lookup:
        return f"{block.engine.name} has no lookup of a value among the thresholds of an array"
    if not isinstance(owner.node, exp.Table):
        return f"the zone comes from {owner.alias}, which is not a plain table"
    joins = block.select.args.get("joins") or []
    if isinstance(site, Bound) and any(join.side for join in joins):
        return "an outer join: the bound would be computed for rows that match nothing, too"
    if isinstance(site, Conversion) and site.unit is not None and not block.is_forced:
        return "date_trunc() in a zone was measured to be no slower"
    if isinstance(site, Conversion) and not is_repeatable(site.value):
        return "the converted value would be computed twice, and that may give two values"
    return None


def _brings_already(block: Block, owner: Owner) -> str | None:
    if any(replaced is owner for replaced in block.replaced):
        return f"{owner.alias} brings the spans of another zone along already"
    return None


def _may_be_dropped(block: Block, relation: _Relation) -> str | None:
    """Why the sites of an outer join's ON clause are left that alone use the relation."""
    ons = [
        join.args["on"]
        for join in block.select.args.get("joins") or []
        if join.side and join.args.get("on") and join.this is relation.owner.node
    ]
    inside_on = {id(node) for on in ons for node in on.walk()}
    alias = relation.owner.alias.casefold()
    for node in block.select.walk():
        if not isinstance(node, exp.Column) or id(node) in inside_on:
            continue
        if node.table.casefold() == alias or block.names.owner(node) is relation.owner:
            return None
    if not inside_on:
        return None
    return f"nothing but its own join uses {relation.owner.alias}: the engine may drop the join"


def _bring(block: Block, relation: _Relation) -> None:
    for site in relation.sites:
        relation.zone(inside(block, site.zone, relation.alias))  # numbered in the order of the text
    # an inner conversion comes first, so that the outer one is built around what became of it
    for site in reversed(relation.sites):
        zone = relation.zone(inside(block, site.zone, relation.alias))
        if isinstance(site, Bound):
            _replace_bound(block, relation, zone, site)
        elif site.is_nested and not block.is_forced and _is_as_it_was(block, site):
            block.leave(site, "the conversion inside of it was left, and would be computed twice")
        else:
            _replace_conversion(block, relation, zone, site)
    if not any(zone.lines or zone.bounds for zone in relation.zones.values()):
        return
    table = relation.owner.node
    at = block.source.table_range(table) if isinstance(table, exp.Table) else None
    if at is None:
        raise TypeError("the owner was checked to be a table with a place")
    text = _derived(block, relation, block.source.text[slice(*at)])
    reason = _OWNER.format(owner=relation.owner.alias)
    after = reindented(block.source.text, at[0], text)
    block.edits.append(Edit(*at, after, "utc_to_zone", "array", reason, "relation"))


def _is_as_it_was(block: Block, site: Conversion) -> bool:
    return block.rewritten(site.value) == block.text(site.value)


def _replace_conversion(block: Block, relation: _Relation, zone: _Zone, site: Conversion) -> None:
    engine, value = block.engine, block.rewritten(site.value)
    line = "starts"
    if site.to_utc:
        line = "local_starts"
    elif site.value_kind == "timestamptz":
        line = "instants"
    offset = _offset(relation, zone, line, value)
    moved = (
        engine.to_utc(value, offset, site.utc_kind)
        if site.to_utc
        else engine.shifted(value, site.value_kind, offset)
    )
    if site.unit is not None:
        shown = f"date_trunc('{site.unit}', {moved})"
        if site.unit in LONG_UNITS:
            offset = _offset(relation, zone, "local_starts", shown)
        moved = engine.to_utc(shown, offset, site.utc_kind)
    window = (
        block.window(site.value) if isinstance(site.value, exp.Column) else Interval(None, None)
    )
    zone.windows.append(window)
    after = f"COALESCE({moved}, {block.text(site.node)})"
    rule = "zone_to_utc" if site.to_utc else "utc_to_zone"
    reason = _VALUE.format(owner=relation.owner.alias)
    block.done(site, block.replace(site.node, after, rule, "array", reason))


def _offset(relation: _Relation, zone: _Zone, line: str, value: str) -> str:
    thresholds = f"{relation.alias}.{zone.column(line)}"
    return f"{relation.alias}.tzconv_offsets_{zone.number}[width_bucket({value}, {thresholds})]"


def _replace_bound(block: Block, relation: _Relation, zone: _Zone, site: Bound) -> None:
    native = inside(block, site.node, relation.alias)
    number = sum(len(one.bounds) for one in relation.zones.values()) + 1
    name = zone.bounds.setdefault(native, f"tzconv_bound_{number}")
    after = f"COALESCE({relation.alias}.{name}, {block.text(site.node)})"
    reason = _BOUND.format(owner=relation.owner.alias)
    block.done(site, block.replace(site.node, after, "bounds", "array", reason))


def _derived(block: Block, relation: _Relation, table: str) -> str:
    columns, joins = [f"{relation.alias}.*"], []
    for zone in relation.zones.values():
        if not zone.lines and not zone.bounds:
            continue
        name = f"{_ZONE}_{zone.number}"
        for line in zone.lines:
            columns.append(f"{name}.{line} AS tzconv_{line}_{zone.number}")
        if zone.lines:
            columns.append(f"{name}.offsets AS tzconv_offsets_{zone.number}")
        columns += [
            f"CASE WHEN {name}.time_zone_name IS NOT NULL THEN {native} END AS {bound}"
            for native, bound in zone.bounds.items()
        ]
        joins += _transitions(block, zone)
        joins.append(f"  ) AS {name} ON {name}.time_zone_name = {zone.text}")
    # a fact that owns its zone must stay open to the conditions of the query
    facts = [
        site.value
        for site in relation.sites
        if isinstance(site, Conversion) and not site.is_nested  # its inner one says it
    ]
    facts += [site.column for site in relation.sites if isinstance(site, Bound)]
    owns_fact = any(
        block.names.owner(column) is relation.owner
        for fact in facts
        for column in fact.find_all(exp.Column)
    )
    fence = []
    if block.engine.fence and not owns_fact:
        conditions = own_conditions(block, relation.owner, relation.alias)
        fence = [f"  {'AND' if i else 'WHERE'} {one}" for i, one in enumerate(conditions)]
        fence.append(f"  {block.engine.fence}")
    lines = ["(", "  SELECT " + ",\n    ".join(columns), f"  FROM {table}", *joins, *fence]
    return "\n".join([*lines, f") {relation.alias}"])


def _transitions(block: Block, zone: _Zone) -> list[str]:
    """The relation of all zones with their transitions, cut to what the query can ask for."""
    engine, columns = block.engine, ["time_zone_name"]
    thresholds = {
        "starts": ("starts_at_utc", "ends_before_utc"),
        "instants": (
            engine.column_as("starts_at_utc", "timestamptz"),
            engine.column_as("ends_before_utc", "timestamptz"),
        ),
        "local_starts": ("starts_at_time_zone", "ends_before_time_zone"),
    }
    for line in zone.lines:
        starts, ends = thresholds[line]
        columns.append(f"array_agg({starts} ORDER BY starts_at_utc) || max({ends}) AS {line}")
    if zone.lines:
        offset = engine.offset_of_seconds("utc_offset_seconds")
        columns.append(f"array_agg({offset} ORDER BY starts_at_utc) AS offsets")
    conditions = []
    if zone.windows:
        asked = hull(zone.windows)
        start = asked.start
        if start is None:
            start = usual_years(block.options.rules.release, asked).start
        # a day more on both sides, because a window may be one of local times
        first = engine.constant(int(start or 0) - DAY, "timestamp")
        conditions.append(f"ends_before_utc > {first}")
        if asked.end is not None:
            conditions.append(f"starts_at_utc < {engine.constant(asked.end + DAY, 'timestamp')}")
    if engine.fixed_names:
        fixed = ", ".join(f"'{name}'" for name in engine.fixed_names)
        conditions.append(f"time_zone_name NOT IN ({fixed})")
    return [
        "  LEFT JOIN (",
        "    SELECT " + ",\n      ".join(columns),
        f"    FROM {block.table(OFFSET.name)}",
        *([f"    WHERE {' AND '.join(conditions)}"] if conditions else []),
        "    GROUP BY time_zone_name",
    ]

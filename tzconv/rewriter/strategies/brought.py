"""Zones that are columns of a relation: the relation brings along what its zones' clocks do.

The relation is replaced by a derived table of the same name, with columns for the transitions and
offsets of each zone that the query uses. It gets no more rows, so it may stand on any side of any
join. How the columns look is the strategy's affair: see ``array`` and ``columns``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.conversions import LONG_UNITS, Conversion
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.layout import reindented
from tzconv.rewriter.local import Interval, hull
from tzconv.rewriter.names import Owner
from tzconv.rewriter.purity import is_repeatable
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.grouping import why_not_grouped
from tzconv.rewriter.strategies.relations import own_conditions, why_not_replaced
from tzconv.rewriter.strategies.shifting import back, shifted
from tzconv.rewriter.strategies.zones import alias_range, inside, owner_of_zone

_VALUE = "the transitions come with the row of {owner}; the function answers for unknown zones only"
_BOUND = "the bound is computed once for each row of {owner}, not for each row joined to it"
_OWNER = "{owner} brings the transitions and offsets of its zone along, as {form}"
_EDGES: dict[str, tuple[str, str, Kind]] = {
    "starts": ("starts_at_utc", "ends_before_utc", "timestamp"),
    "instants": ("starts_at_utc", "ends_before_utc", "timestamptz"),
    "local_starts": ("starts_at_time_zone", "ends_before_time_zone", "timestamp"),
}


@dataclass(slots=True)
class Zone:
    """One zone expression of a relation, and what the relation gains for it.

    ``lines`` are those on which its transitions are asked for: ``starts`` are times of UTC,
    ``instants`` the same as TIMESTAMPTZ, and ``local_starts`` times of the zone's clock.
    """

    text: str
    number: int
    lines: list[str] = field(default_factory=list)
    bounds: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The alias of the relation that is joined for it."""
        return f"tzconv_zone_{self.number}"


@dataclass(slots=True)
class Relation:
    """A relation that owns zones, with the sites that use them."""

    owner: Owner
    alias: str
    sites: list[Conversion | Bound] = field(default_factory=list)
    zones: dict[str, Zone] = field(default_factory=dict)
    windows: list[Interval] = field(default_factory=list)

    def zone(self, text: str) -> Zone:
        """The zone of that text, which is the same zone wherever it is written."""
        return self.zones.setdefault(text, Zone(text, len(self.zones) + 1))

    @property
    def window(self) -> Interval | None:
        """The times that are looked up; None where only bounds use the relation."""
        return hull(self.windows) if self.windows else None


class Asked(NamedTuple):
    """The text of a value on a line, the times that it may have, and the place in the query.

    ``is_known``: a condition of ``Form.known`` has been asked before the offset is.
    """

    line: str
    value: str
    window: Interval
    place: int
    is_known: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """How a strategy brings transitions along.

    ``why_not_site`` and ``why_not`` are its reasons to leave a site or a relation, and ``window``
    the times of a site that it looks up. ``offset`` is the offset at a value on a line, ``columns``
    are those added to the relation, and ``spans`` is the SELECT that they come from, one row for
    each zone, as lines. ``known``, if any, is the condition under which there is an offset; where
    it gives None, or is none, that shows in the offset, which is NULL otherwise.
    """

    name: str
    noun: str
    why_not_site: Callable[[Block, Conversion | Bound], str | None]
    why_not: Callable[[Block, Relation], str | None]
    window: Callable[[Block, Conversion], Interval]
    offset: Callable[[Block, Relation, Zone, Asked], str]
    columns: Callable[[Block, Relation, Zone], list[str]]
    spans: Callable[[Block, Relation, Zone], list[str]]
    known: Callable[[Block, Relation, Zone, Asked], str | None] | None = None


def edges(block: Block, line: str) -> tuple[str, str]:
    """The columns of the offset table where a span starts and where it ends, on that line."""
    starts, ends, kind = _EDGES[line]
    return block.engine.column_as(starts, kind), block.engine.column_as(ends, kind)


def bring(block: Block, form: Form) -> None:
    """Let the relations that own zones bring their transitions along."""
    for relation in _relations(block, form):
        reason = (
            form.why_not(block, relation)
            or _may_be_dropped(block, relation)
            or _brings_already(block, relation.owner)
            or why_not_replaced(block, relation.owner)
            or why_not_grouped(block, relation.owner, [site.node for site in relation.sites])
        )
        if reason is not None:
            for site in relation.sites:
                block.leave(site, reason)
        else:
            _bring(block, form, relation)


def _relations(block: Block, form: Form) -> list[Relation]:
    relations: list[Relation] = []
    for site in block.open:
        if not isinstance(site, (Conversion, Bound)) or isinstance(site.zone, exp.Literal):
            continue
        owner = owner_of_zone(block, site.zone)
        reason = owner if isinstance(owner, str) else _why_not(block, form, site, owner)
        if reason is not None:
            block.leave(site, reason)
            continue
        found = next((one for one in relations if one.owner is owner), None)
        if found is None and isinstance(owner, Owner) and isinstance(owner.node, exp.Table):
            alias = block.source.text[slice(*alias_range(owner.node))]
            found = Relation(owner, alias)
            relations.append(found)
        if found is not None:
            found.sites.append(site)
            if isinstance(site, Conversion):
                found.windows.append(form.window(block, site))
    return relations


def asked_of(block: Block, site: Conversion) -> Interval:
    """The times at which a conversion may be asked for."""
    if isinstance(site.value, exp.Column):
        return block.window(site.value)
    return Interval(None, None)


def _why_not(block: Block, form: Form, site: Conversion | Bound, owner: Owner) -> str | None:
    reason = form.why_not_site(block, site)
    if reason is not None:
        return reason
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


def _may_be_dropped(block: Block, relation: Relation) -> str | None:
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


def _bring(block: Block, form: Form, relation: Relation) -> None:
    for site in relation.sites:  # numbered in the order of the text
        zone = relation.zone(inside(block, site.zone, relation.alias))
        if isinstance(site, Bound):
            number = sum(len(one.bounds) for one in relation.zones.values()) + 1
            native = inside(block, site.node, relation.alias)
            zone.bounds.setdefault(native, f"tzconv_bound_{number}")
    # an inner conversion comes first, so that the outer one is built around what became of it
    for site in reversed(relation.sites):
        zone = relation.zone(inside(block, site.zone, relation.alias))
        if isinstance(site, Bound):
            _replace_bound(block, form, relation, zone, site)
        elif site.is_nested and not block.is_forced and _is_as_it_was(block, site):
            block.leave(site, "the conversion inside of it was left, and would be computed twice")
        else:
            _replace_conversion(block, form, relation, zone, site)
    if not any(zone.lines or zone.bounds for zone in relation.zones.values()):
        return
    table = relation.owner.node
    at = block.source.table_range(table) if isinstance(table, exp.Table) else None
    if at is None:
        raise TypeError("the owner was checked to be a table with a place")
    text = _derived(block, form, relation, block.source.text[slice(*at)])
    block.replaced.append(relation.owner)
    reason = _OWNER.format(owner=relation.owner.alias, form=form.noun)
    after = reindented(block.source.text, at[0], text)
    block.edits.append(Edit(*at, after, "utc_to_zone", form.name, reason, "relation"))


def _is_as_it_was(block: Block, site: Conversion) -> bool:
    return block.rewritten(site.value) == block.text(site.value)


def _replace_conversion(
    block: Block, form: Form, relation: Relation, zone: Zone, site: Conversion
) -> None:
    engine, value = block.engine, block.rewritten(site.value)
    line = "starts"
    if site.to_utc:
        line = "local_starts"
    elif site.value_kind == "timestamptz":
        line = "instants"
    place = block.place(site.node)[0]
    asked = Asked(line, value, asked_of(block, site), place)
    known = None
    if form.known is not None and site.unit is None:
        known = form.known(block, relation, zone, asked)
    asked = asked._replace(is_known=known is not None)
    offset = _offset(block, form, relation, zone, asked)
    moved = (back if site.to_utc else shifted)(engine, site, value, offset)
    if site.unit is not None:
        shown = f"date_trunc('{site.unit}', {moved})"
        if site.unit in LONG_UNITS:
            again = Asked("local_starts", shown, Interval(None, None), place)
            offset = _offset(block, form, relation, zone, again)
        moved = engine.to_utc(shown, offset, site.utc_kind)
    after = f"COALESCE({moved}, {block.text(site.node)})"
    if known is not None:
        after = f"CASE WHEN {known} THEN {moved} ELSE {block.text(site.node)} END"
    rule = "zone_to_utc" if site.to_utc else "utc_to_zone"
    reason = _VALUE.format(owner=relation.owner.alias)
    block.done(site, block.replace(site.node, after, rule, form.name, reason))


def _offset(block: Block, form: Form, relation: Relation, zone: Zone, asked: Asked) -> str:
    if asked.line not in zone.lines:
        zone.lines.append(asked.line)
    return form.offset(block, relation, zone, asked)


def _replace_bound(block: Block, form: Form, relation: Relation, zone: Zone, site: Bound) -> None:
    name = zone.bounds[inside(block, site.node, relation.alias)]
    after = f"COALESCE({relation.alias}.{name}, {block.text(site.node)})"
    reason = _BOUND.format(owner=relation.owner.alias)
    block.done(site, block.replace(site.node, after, "bounds", form.name, reason))


def _derived(block: Block, form: Form, relation: Relation, table: str) -> str:
    columns, joins = [f"{relation.alias}.*"], []
    zones = [zone for zone in relation.zones.values() if zone.lines or zone.bounds]
    for zone in zones:
        if zone.lines:
            columns += form.columns(block, relation, zone)
        columns += [
            f"CASE WHEN {zone.name}.time_zone_name IS NOT NULL THEN {native} END AS {bound}"
            for native, bound in zone.bounds.items()
        ]
        joins += ["  LEFT JOIN (", *(f"    {line}" for line in form.spans(block, relation, zone))]
        joins.append(f"  ) AS {zone.name} ON {zone.name}.time_zone_name = {zone.text}")
    fence = []
    # a fact that owns its zone must stay open to the conditions of the query
    if block.engine.fence and not owns_fact(block, relation):
        conditions = own_conditions(block, relation.owner, relation.alias)
        fence = [f"  {'AND' if i else 'WHERE'} {one}" for i, one in enumerate(conditions)]
        fence.append(f"  {block.engine.fence}")
    hint = block.engine.small_table.format(table=", ".join(zone.name for zone in zones))
    lines = ["(", f"  SELECT {hint}" + ",\n    ".join(columns), f"  FROM {table}", *joins, *fence]
    return "\n".join([*lines, f") {relation.alias}"])


def owns_fact(block: Block, relation: Relation) -> bool:
    """Whether what is converted is a column of the relation that has the zone."""
    facts = [
        site.value
        for site in relation.sites
        if isinstance(site, Conversion) and not site.is_nested  # its inner one says it
    ]
    facts += [site.column for site in relation.sites if isinstance(site, Bound)]
    return any(
        block.names.owner(column) is relation.owner
        for fact in facts
        for column in fact.find_all(exp.Column)
    )

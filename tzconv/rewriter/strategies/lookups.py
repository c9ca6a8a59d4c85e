"""Conversion tables joined after all other relations, one row at most for each row of the query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import to_text
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.engines import Engine
from tzconv.rewriter.layout import next_line, reindented
from tzconv.rewriter.local import Interval
from tzconv.rewriter.parse import Node
from tzconv.rewriter.purity import is_repeatable
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.grouping import why_not_grouped
from tzconv.rewriter.strategies.relations import why_not_extended
from tzconv.rewriter.strategies.zones import without_fixed

_BOUND = "the bound is computed once for each span of a zone, not for each row"


@dataclass(slots=True)
class Lookup:
    """The conversions of one value to one zone: they share a join."""

    value: str
    kind: Kind
    zone: str
    sites: list[Conversion] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)
    windows: list[Interval] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shape:
    """How one table answers.

    ``columns`` are those of the joined relation, ``matches`` its conditions beside the zone, and
    ``results`` says which node of the query becomes which expression: None where it cannot.
    ``rows`` are conditions that cut the table to what the query can ask for. With ``has_bounds``
    the rows of a zone bring bounds in that zone along, where the engine knows all zones loaded.
    """

    name: str
    table: str
    reason: str
    columns: Callable[[Engine, Kind], list[str]]
    matches: Callable[[Engine, str, Lookup], list[str]]
    results: Callable[[Engine, str, Lookup, Conversion], tuple[Node, str] | None]
    rows: Callable[[Lookup], list[str]]
    has_bounds: bool = False


def look_up(block: Block, shape: Shape) -> None:
    """Join the table for each pair of a value and a zone that comes from rows."""
    at = block.source.end_of_from(block.select)
    reason = why_not_extended(block)
    if reason is None and at is None:
        reason = "the place after the last join cannot be told for certain"
    lookups: dict[tuple[str, str], Lookup] = {}
    for site in [site for site in block.open if isinstance(site, Conversion)]:
        if site.zone.find(exp.Column) is None:
            continue
        left = _why_not(block, site) or reason or why_not_grouped(block, None, [site.node])
        if left is not None:
            block.leave(site, left)
            continue
        value, zone = block.rewritten(site.value), block.text(site.zone)
        lookup = lookups.get((value, zone), Lookup(value, site.value_kind, zone))
        found = shape.results(block.engine, "", lookup, site)
        if found is None:
            block.leave(site, f"the table of the strategy {shape.name} does not have this value")
            continue
        if block.source.range(found[0]) is None:
            block.leave(site, "the place of what is around it cannot be told for certain")
            continue
        lookups[value, zone] = lookup
        lookup.sites.append(site)
        lookup.windows.append(
            block.window(site.value) if isinstance(site.value, exp.Column) else Interval(None, None)
        )
    if shape.has_bounds and block.engine.knows_loaded_zones:
        _add_bounds(block, lookups, reason)
    for number, lookup in enumerate(lookups.values(), 1):
        _join(block, shape, lookup, f"tzconv_{shape.name}_{number}", at or 0)


def _add_bounds(block: Block, lookups: dict[tuple[str, str], Lookup], reason: str | None) -> None:
    for site in [site for site in block.open if isinstance(site, Bound)]:
        left = reason
        if not isinstance(site.zone, exp.Column):
            left = "the zone is an expression, not a column"
        elif block.names.owner(site.zone) is None or block.names.owner(site.column) is None:
            left = "it cannot be told which tables its columns belong to"
        elif site.node.find_ancestor(exp.Join, exp.Query) is not block.select:
            left = "it stands in the condition of a join, before which the bound is not there"
        if left is not None:
            block.leave(site, left)
            continue
        key = block.text(site.column), block.text(site.zone)
        lookup = lookups.setdefault(key, Lookup(key[0], site.column_kind, key[1]))
        lookup.bounds.append(site)
        lookup.windows.append(block.window(site.column))


def _why_not(block: Block, site: Conversion) -> str | None:
    if site.to_utc or site.unit is not None:  # so is one from zone to zone
        return "a local time has no place on the UTC line of the table"
    as_it_was = site.is_nested and block.rewritten(site.value) == block.text(site.value)
    if as_it_was or not (is_repeatable(site.value) and is_repeatable(site.zone)):
        return "the value or its zone holds what should not be computed twice"
    columns = [*site.value.find_all(exp.Column), *site.zone.find_all(exp.Column)]
    if any(block.names.owner(column) is None for column in columns):
        return "it cannot be told which tables its columns belong to"
    if site.node.find_ancestor(exp.Join, exp.Query) is not block.select:
        return "it stands in the condition of a join, before which its offset is not there"
    return None


def _join(block: Block, shape: Shape, lookup: Lookup, name: str, at: int) -> None:
    engine = block.engine
    for site in lookup.sites:
        found = shape.results(engine, name, lookup, site)
        if found is None:
            raise TypeError("the site was checked to have a result")
        node, result = found
        after = f"COALESCE({result}, {block.text(node)})"
        edit = block.replace(node, after, "utc_to_zone", shape.name, shape.reason)
        block.done(site, edit)
    bounds: dict[str, str] = {}
    for bound in lookup.bounds:
        column = bounds.setdefault(_of_zone(block, bound), f"tzconv_bound_{len(bounds) + 1}")
        after = f"COALESCE({name}.{column}, {block.text(bound.node)})"
        edit = block.replace(bound.node, after, "bounds", shape.name, _BOUND)
        block.done(bound, edit)
    conditions = shape.rows(lookup)
    conditions += without_fixed(engine, "time_zone_name")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    columns = ["time_zone_name AS tzconv_zone", *shape.columns(engine, lookup.kind)]
    columns += [f"{native} AS {column}" for native, column in bounds.items()]
    hint = engine.small_table.format(table=shape.table)
    lines = [
        "LEFT JOIN (",
        f"  SELECT {hint}" + ",\n    ".join(columns),
        f"  FROM {block.table(shape.table)}{where}",
        f") AS {name} ON {name}.tzconv_zone = {lookup.zone}",
        *(f"  AND {condition}" for condition in shape.matches(engine, name, lookup)),
    ]
    text = block.source.text
    after = next_line(text, at, 0) + reindented(text, at, "\n".join(lines))
    said = "one row at most for each zone and time: the join adds no rows and loses none"
    block.edits.append(Edit(at, at, after, "utc_to_zone", shape.name, said, "joins"))


def _of_zone(block: Block, bound: Bound) -> str:
    """The text of a bound with the zone of the table in the place of that of the row."""
    (start, end), (first, last) = block.place(bound.node), block.place(bound.zone)
    text = block.source.text
    return f"{text[start:first]}time_zone_name{text[last:end]}"


def time_conditions(asked: Interval, ends: str, starts: str) -> list[str]:
    """Conditions on the spans of a table that hold times of a window."""
    conditions = []
    if asked.start is not None:
        conditions.append(f"{ends} > TIMESTAMP '{to_text(asked.start)}'")
    if asked.end is not None:
        conditions.append(f"{starts} < TIMESTAMP '{to_text(asked.end)}'")
    return conditions

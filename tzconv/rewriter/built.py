"""Conversions for which the database has built something: they are worth most as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from tzconv.rewriter.comparisons import conjuncts, required, sides
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.sites import Sites
from tzconv.sql.built import CODES, Built, listed, shape
from tzconv.sql.names import Names
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason

_WORTH = {
    "index": "the index {name} finds rows by it",
    "partition key": "{name} is partitioned by it",
    "statistics": "the statistics {name} tell the planner how many values it has",
}
_COMPARING = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_AROUND = (
    *(exp.Predicate, exp.Connector, exp.Query, exp.Where, exp.Join, exp.Alias, exp.Tuple),
    *(exp.Group, exp.Order, exp.Ordered, exp.Distinct, exp.Min, exp.Max),
)
"""What an engine looks into for an expression that it knows, and what it is not a part of."""


def keep_built(sites: Sites, names: Names, built: Iterable[Built]) -> Sites:
    """The sites without those that are an expression of an index or the like which may serve."""
    holding = list(required(names.scope.expression))
    for site in list(sites.conversions) if built else ():
        found = next(_serving(site, names, built, holding), None)
        if found is not None:
            text = _WORTH[found.kind].format(name=found.name)
            sites = sites.without({site: Reason(CODES[found.kind], text)})
    return sites


def _serving(
    site: Conversion, names: Names, built: Iterable[Built], holding: list[Node]
) -> Iterator[Built]:
    owners = [names.owner(column) for column in site.node.find_all(exp.Column)]
    if not owners or owners[0] is None or any(one is not owners[0] for one in owners):
        return  # of several tables nothing is built
    table = owners[0].source
    if not isinstance(table, exp.Table):
        return
    reading, schema = names.schema.reading, table.db.casefold()
    known = {f"{schema}.{table.name.casefold()}" if schema else table.name.casefold()}
    if schema and schema == reading.default_schema:
        known.add(table.name.casefold())
    node, dialect = _whole(site.node), names.schema.dialect
    is_shown = isinstance(node.parent, exp.Alias) or node.arg_key == "expressions"
    # unless a SELECT compares what it shows with each other
    clauses = map(names.scope.expression.args.get, ("group", "distinct", "order"))
    if is_shown and not any(clauses):
        return
    is_compared, is_equal = (isinstance(node.parent, kind) for kind in (_COMPARING, exp.EQ))
    whole = shape(node)
    equal = {
        shape(side)[1]
        for one in holding
        if isinstance(one, (exp.EQ, exp.In))
        for side, _ in sides(one)
        if isinstance(side, exp.Column)
    }
    has = set(map(shape, holding))
    for one in built:
        if one.table not in known:
            continue
        keys = [*map(shape, listed(one.expressions, dialect))]
        if one.kind == "statistics":
            if whole in keys and not is_compared:
                yield one
            continue
        if not (is_compared if one.kind == "partition key" else is_equal or reading.indexes_order):
            continue
        asked = [
            part
            for both in (listed(one.condition, dialect) if one.condition else ())
            for part in conjuncts(both)
        ]
        by = [part for part in asked if isinstance(part, _COMPARING) and whole == shape(part.this)]
        is_met = all(part in by or shape(part) in has for part in asked)
        # an index is read from one place on by columns that are equal to something
        before = keys[: keys.index(whole)] if whole in keys else [("",)]
        leads = all(key[0] == "column" and key[1] in equal for key in before)
        if is_met and (by or leads):
            yield one


def _whole(node: Node) -> Node:
    """What a condition or a clause has of the expression that a conversion is in."""
    while node.parent is not None and not isinstance(node.parent, _AROUND):
        node = node.parent
    return node

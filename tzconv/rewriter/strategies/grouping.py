"""What a grouped SELECT may show: its keys and its aggregates, and so may a rewritten one.

A rewrite adds columns. A site that is neither inside a key of the GROUP BY nor inside an aggregate
would use one that is not grouped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.spelling import Key, Spelling
from tzconv.sql.expressions import zone_conversion
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason

_AGGREGATES = (exp.AggFunc, exp.JSONArrayAgg, exp.JSONObjectAgg, exp.JSONBObjectAgg)
_AROUND = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
"""What may stand between an aggregate and its OVER."""


def why_not_grouped(block: QueryBlock, site: Node) -> Reason | None:
    """The reason why a new column may not be used at ``site``; None if it may.

    A column of the site that is shown without being grouped stands in another spelling of a key:
    the engine knows it for the same, and would not once one of them is rewritten.
    """
    if block.ungrouped is None:
        block.ungrouped = ungrouped_of(block)
    if any(node is site for node in block.ungrouped):
        text = "it is computed once per group, after the grouping: the function is faster there"
        return Reason("few-rows", text)
    converted = zone_conversion(site)
    value = site.this if converted is None else converted[1]
    columns = list(value.find_all(exp.Column)) if isinstance(value, exp.Expr) else []
    if any(_may_be(block, node, column) for node in block.ungrouped for column in columns):
        text = "a column of it is shown in another spelling of what is grouped by: spell both alike"
        return Reason("grouping", text)
    return None


def ungrouped_of(block: QueryBlock, now: Callable[[Node], Node] = lambda node: node) -> list[Node]:
    """The nodes that a grouped SELECT shows outside its keys and aggregates; none without groups.

    ``now`` gives what an expression has become.
    """
    computed = computed_of(block.select)
    if not block.select.args.get("group") and not any(map(_has_aggregate, computed)):
        return []
    keys = {block.spelling.key(now(key)) for key in keys_of(block)}
    parts = [now(part) for part in computed if not _is_sorted_output(block, part)]
    return [node for part in parts for node in _ungrouped(part, keys, block.spelling)]


def computed_of(select: exp.Select) -> list[Node]:
    """The expressions of a SELECT that are computed from its groups, if it has any."""
    clauses = [select.args[name] for name in ("having", "qualify") if select.args.get(name)]
    on = distinct_on(select)
    windows = [part for window in select.args.get("windows") or [] for part in _of_window(window)]
    return [
        *(projection.unalias() for projection in select.expressions),
        *(clause.this for clause in clauses),
        *on,
        *ordered_by(select.args.get("order")),
        *windows,
    ]


def distinct_on(select: exp.Select) -> list[Node]:
    """The expressions of DISTINCT ON."""
    distinct = select.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    if on is None:
        return []
    return list(on.expressions) if isinstance(on, exp.Tuple) else [on]


def ordered_by(order: exp.Order | None) -> list[Node]:
    """The expressions of ORDER BY."""
    found = order.expressions if order is not None else []
    return [one.this if isinstance(one, exp.Ordered) else one for one in found]


def _of_window(window: Node) -> list[Node]:
    return [*(window.args.get("partition_by") or []), *ordered_by(window.args.get("order"))]


def is_output_name(block: QueryBlock, node: Node) -> bool:
    """Whether a name without a table is that of an output column too."""
    return (
        isinstance(node, exp.Column)
        and len(node.parts) == 1
        and any(
            isinstance(one, exp.Alias) and one.alias.casefold() == node.name.casefold()
            for one in block.select.expressions
        )
    )


def _is_sorted_output(block: QueryBlock, part: Node) -> bool:
    """Whether a part of ORDER BY or DISTINCT ON is an output column, which goes before others."""
    return isinstance(part.parent, (exp.Ordered, exp.Tuple)) and is_output_name(block, part)


def _may_be(block: QueryBlock, node: Node, column: exp.Column) -> bool:
    """Whether a node may be a column, also where it is a name whose table is not known."""
    if not isinstance(node, exp.Column):
        return False
    if len(node.parts) > 1 or block.names.owner(node) is not None:
        return block.spelling.key(node) == block.spelling.key(column)
    # in HAVING it is the output column, but to PostgreSQL
    is_output = is_output_name(block, node) and not block.names.schema.reading.groups_by_columns
    return node.name.casefold() == column.name.casefold() and not is_output


def keys_of(block: QueryBlock) -> list[Node]:
    """The expressions that a SELECT groups by."""
    group = block.select.args.get("group")
    if group is None:
        return []
    projections = [projection.unalias() for projection in block.select.expressions]
    if group.args.get("all"):
        return projections
    keys: list[Node] = []
    for key in _elements(group):
        if isinstance(key, exp.Literal) and not key.is_string:
            index = int(key.name) - 1 if key.name.isdigit() else -1
            keys += projections[index : index + 1] if index >= 0 else []
        elif isinstance(key, exp.Column) and not key.table and block.names.owner(key) is None:
            keys += [
                projection.unalias()
                for projection in block.select.expressions
                if projection.alias_or_name.casefold() == key.name.casefold()
            ]
        else:
            keys.append(key)
    return keys


def _elements(group: exp.Group) -> Iterator[Node]:
    """The keys of all forms of GROUP BY; those of ROLLUP and the like may be in parentheses."""
    waiting: list[Node] = list(group.expressions)
    for form in ("rollup", "cube", "grouping_sets"):
        for part in group.args.get(form) or []:
            if isinstance(part, exp.Expr):
                waiting.append(part)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            waiting += node.expressions
        elif isinstance(node, exp.Paren):
            waiting.append(node.this)
        else:
            yield node


def _has_aggregate(node: Node) -> bool:
    own = node.walk(prune=lambda one: isinstance(one, exp.Query))
    return any(isinstance(part, _AGGREGATES) and not _is_over_window(part) for part in own)


def _is_over_window(node: Node) -> bool:
    parent = node.parent
    while isinstance(parent, _AROUND):
        parent = parent.parent
    return isinstance(parent, exp.Window)


def _ungrouped(part: Node, keys: set[Key], spelling: Spelling) -> Iterator[Node]:
    """The nodes of one shown expression that are inside no key and no aggregate."""
    waiting = [part]
    while waiting:
        node = waiting.pop()
        if spelling.key(node) in keys:
            continue
        if isinstance(node, (*_AGGREGATES, *_AROUND)) and not _is_over_window(node):
            continue
        yield node
        waiting += node.iter_expressions()

"""What a grouped SELECT may show: its keys and its aggregates, and so may a rewritten one.

A rewrite adds columns. A site that is neither inside a key of the GROUP BY nor inside an aggregate
would use one that is not grouped.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.sql.parse import Node

_CLAUSES = ("having", "qualify", "order", "distinct")
_AROUND = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
"""What may stand between an aggregate and its OVER."""


def why_not_grouped(block: Block, site: Node) -> str | None:
    """The reason why a new column may not be used at ``site``; None if it may.

    A column of the site that is shown without being grouped stands in another spelling of a key:
    the engine knows it for the same, and would not once one of them is rewritten.
    """
    select = block.select
    shown = [*select.expressions, *(select.args[c] for c in _CLAUSES if select.args.get(c))]
    if not select.args.get("group") and not any(map(_has_aggregate, shown)):
        return None
    keys = _keys(block)
    ungrouped = [node for part in shown for node in _ungrouped(part, keys)]
    if any(node is site for node in ungrouped):
        return "it is computed after the grouping, once a group: there is nothing to gain"
    columns = list(site.this.find_all(exp.Column)) if isinstance(site.this, exp.Expr) else []
    if any(node == column for node in ungrouped for column in columns):
        return "a column of it is shown in another spelling of what is grouped by: spell both alike"
    return None


def _keys(block: Block) -> list[Node]:
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
    return any(isinstance(part, exp.AggFunc) and not _is_over_window(part) for part in own)


def _is_over_window(node: Node) -> bool:
    parent = node.parent
    while isinstance(parent, _AROUND):
        parent = parent.parent
    return isinstance(parent, exp.Window)


def _ungrouped(part: Node, keys: list[Node]) -> Iterator[Node]:
    """The nodes of one shown expression that are inside no key and no aggregate."""
    waiting = [part]
    while waiting:
        node = waiting.pop()
        if any(node == key for key in keys):
            continue
        if isinstance(node, (exp.AggFunc, *_AROUND)) and not _is_over_window(node):
            continue
        yield node
        waiting += node.iter_expressions()

"""What an engine compares in one SELECT stays the same: all copies of an expression change alike.

GROUP BY is compared with what the groups show; SELECT DISTINCT, DISTINCT ON and the arguments of an
aggregate with DISTINCT are compared with ORDER BY. A rewrite may change one of two copies, change
them in two ways, or add a column that is not grouped: then they are left.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.rewriter.aggregates import grouped_by, has_aggregate, is_of_group
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.relative import NowComparison
from tzconv.rewriter.sites import Bound, Site
from tzconv.rewriter.spelling import Spelling
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason

TORN = Reason(
    "grouping",
    "GROUP BY, DISTINCT or ORDER BY compares it with another expression, which would not be "
    "rewritten alike: spell both alike",
)


def why_not_grouped(block: QueryBlock, site: Node, value: Node) -> Reason | None:
    """The reason why a new column may not be used at ``site``, which converts ``value``.

    If a column of the value is shown but not grouped, a key is spelled in another way there. The
    engine takes both for the same expression, and would not after a rewrite of one.
    """
    if block.ungrouped is None:
        block.ungrouped = list(_ungrouped(block, block.spelling))
    if any(node is site for node in block.ungrouped):
        text = "it is computed once per group, after the grouping: the function is faster there"
        return Reason("few-rows", text)
    columns = list(value.find_all(exp.Column))
    if any(_may_be(block, node, column) for node in block.ungrouped for column in columns):
        text = "a column of it is shown in another spelling of what is grouped by: spell both alike"
        return Reason("grouping", text)
    return None


def torn(block: QueryBlock) -> list[Site]:
    """The sites to be left, because the edits set apart what the engine takes for the same."""
    parts = [*_computed(block.select), *_keys(block)]
    nodes = {id(node) for part in parts for node in part.walk()}
    if nodes.isdisjoint(block.became):
        return []
    became = {at: _read(block, text) for at, text in block.became.items()}
    changed = (part for part in parts if any(id(node) in became for node in part.walk()))
    edited = {name for part in changed for name in _names(part)}
    apart = _apart(block, Spelling(block.names, became), edited)
    if not apart:
        return []
    compared: list[Site] = [
        site
        for site in block.sites.all()
        if isinstance(site, (Bound, Conversion, NowComparison)) and id(site.node) in nodes
    ]
    return [site for site in compared if not apart.isdisjoint(_names(site.node))] or compared


def _read(block: QueryBlock, text: str) -> Node:
    """A new expression as a tree; an empty tuple, which equals no other, if it cannot be read."""
    read = block.source.reading(f"SELECT {text}")
    return exp.Tuple() if read is None else read.expressions[0]


def _apart(block: QueryBlock, spelling: Spelling, edited: set[str]) -> set[str]:
    """The names of the columns that are now shown though nothing like it is grouped.

    And of those in ORDER BY of distinct rows though nothing like it is shown, if a column is among
    the ``edited``. The engine has found the same expression in a spelling that is not known here.
    """
    before = set(map(block.spelling.key, _ungrouped(block, block.spelling)))
    apart = {
        node.name.casefold()
        for node in _ungrouped(block, spelling)
        if isinstance(node, exp.Column) and spelling.key(node) not in before
    }
    for wanted, found in _sorted(block, spelling):
        known = set(map(spelling.key, found))
        for names in (_names(one) for one in wanted if spelling.key(one) not in known):
            if not edited.isdisjoint(names):
                apart |= names
    return apart


def _names(node: Node) -> set[str]:
    """The names of the columns of an expression, however they are qualified."""
    return {column.name.casefold() for column in node.find_all(exp.Column)}


def _ungrouped(block: QueryBlock, spelling: Spelling) -> Iterator[Node]:
    """The nodes that a grouped SELECT shows outside its keys and aggregates."""
    computed = _computed(block.select)
    if not block.select.args.get("group") and not any(map(has_aggregate, computed)):
        return
    keys = set(map(spelling.key, _keys(block)))
    # a part of ORDER BY or DISTINCT ON is an output column before it is any other
    waiting = [
        part
        for part in computed
        if not (isinstance(part.parent, (exp.Ordered, exp.Tuple)) and _is_output(block, part))
    ]
    while waiting:
        node = spelling.now(waiting.pop())
        if spelling.key(node) not in keys and not is_of_group(node):
            yield node
            waiting += node.iter_expressions()


def _sorted(block: QueryBlock, spelling: Spelling) -> Iterator[tuple[list[Node], list[Node]]]:
    """The expressions of each ORDER BY of distinct rows, and those among which they must be."""
    select = block.select
    order = [_meant(block, one) for one in _ordered_by(select.args.get("order"))]
    if on := [_meant(block, one) for one in _distinct_on(select)]:
        yield order[: len(set(map(spelling.key, on)))], on
    elif select.args.get("distinct"):
        yield order, [projection.unalias() for projection in select.expressions]
    for node in (node for part in _computed(select) for node in part.walk()):
        for inner in node.iter_expressions():
            if isinstance(inner, exp.Order) and isinstance(inner.this, exp.Distinct):
                yield _ordered_by(inner), [*inner.this.expressions, *node.iter_expressions()]


def _computed(select: exp.Select) -> list[Node]:
    """The expressions of a SELECT that are computed from its groups, if it has any."""
    return [
        *(projection.unalias() for projection in select.expressions),
        *(select.args[name].this for name in ("having", "qualify") if select.args.get(name)),
        *_distinct_on(select),
        *_ordered_by(select.args.get("order")),
        *(
            part
            for window in select.args.get("windows") or []
            for part in (
                *(window.args.get("partition_by") or []),
                *_ordered_by(window.args.get("order")),
            )
        ),
    ]


def _distinct_on(select: exp.Select) -> list[Node]:
    on = distinct.args.get("on") if (distinct := select.args.get("distinct")) else None
    return list(on.expressions) if on else []


def _ordered_by(order: exp.Order | None) -> list[Node]:
    return [one.this for one in order.expressions] if order else []


def _is_output(block: QueryBlock, node: Node) -> bool:
    """Whether a name without a table is that of an output column too."""
    return (
        isinstance(node, exp.Column)
        and len(node.parts) == 1
        and any(one.alias.casefold() == node.name.casefold() for one in block.select.expressions)
    )


def _meant(block: QueryBlock, node: Node) -> Node:
    """The output column that a name or a number in such a clause stands for."""
    shown: list[tuple[str, Node]] = [
        (one.alias.casefold(), one.unalias()) for one in block.select.expressions
    ]
    number = int(node.to_py()) if node.is_int else 0
    if 0 < number <= len(shown):
        return shown[number - 1][1]
    if _is_output(block, node):
        return next(one for name, one in shown if name == node.name.casefold())
    return node


def _may_be(block: QueryBlock, node: Node, column: exp.Column) -> bool:
    """Whether a node may be a column, also where the table of either name is not known."""
    if not isinstance(node, exp.Column):
        return False
    if all(block.names.owner(one) is not None for one in (node, column)):
        return block.spelling.key(node) == block.spelling.key(column)
    # in HAVING it is the output column, but to PostgreSQL
    is_output = _is_output(block, node) and not block.names.schema.reading.groups_by_columns
    return node.name.casefold() == column.name.casefold() and not is_output


def _keys(block: QueryBlock) -> Iterator[Node]:
    """The expressions that a SELECT groups by."""
    for node in grouped_by(block.select):
        # a column of a table is found before an output column
        is_own = isinstance(node, exp.Column) and block.names.owner(node) is not None
        yield node if is_own else _meant(block, node)

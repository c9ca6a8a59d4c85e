"""What an engine compares with each other in one SELECT is the same after a rewrite as before.

GROUP BY is compared with the output of the groups; SELECT DISTINCT, DISTINCT ON and the
arguments of an aggregate with DISTINCT are compared with ORDER BY. A rewrite may change one of two
expressions, or change them in two ways: then both are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.nows import NowComparison
from tzconv.rewriter.sites import Bound, Site
from tzconv.rewriter.strategies.grouping import (
    computed_of,
    distinct_on,
    is_output_name,
    keys_of,
    ordered_by,
    ungrouped_of,
)
from tzconv.sql.parse import Node, range_of
from tzconv.sql.reasons import Reason

TORN = Reason(
    "grouping",
    "GROUP BY, DISTINCT or ORDER BY compares it with another expression, which would not be "
    "rewritten alike: spell both alike",
)


def torn(block: QueryBlock) -> list[Site]:
    """The sites to be left, because the edits set apart what the engine takes for the same."""
    if not _compares(block.select):
        return []
    parts = [*computed_of(block.select), *keys_of(block)]
    edited = [part for part in parts if _now(block, part) is not part]
    if not edited:
        return []
    apart = {*_newly_ungrouped(block), *_unmatched(block, _names(edited))}
    if not apart:
        return []
    nodes = {id(node) for part in parts for node in part.walk()}
    compared: list[Site] = [
        site
        for site in block.sites.all()
        if isinstance(site, (Bound, Conversion, NowComparison)) and id(site.node) in nodes
    ]
    return [site for site in compared if not apart.isdisjoint(_names([site.node]))] or compared


def _compares(select: exp.Select) -> bool:
    """Whether expressions are compared at all: in most queries they are not."""
    clauses = any(select.args.get(clause) for clause in ("group", "distinct"))
    return clauses or any(map(_sorts_distinct, computed_of(select)))


def _sorts_distinct(node: Node) -> bool:
    """Whether a node is, or holds, an aggregate with DISTINCT and ORDER BY."""
    return any(isinstance(order.this, exp.Distinct) for order in node.find_all(exp.Order))


def _now(block: QueryBlock, node: Node) -> Node:
    """What an expression has become; an empty one where that is not certain."""
    at = range_of(node)
    if at is not None and not any(edit.is_inside(*at) for edit in block.edits):
        return node
    if at is None and not any(
        site.node is part for site in block.sites.all() for part in node.walk()
    ):
        return node
    if not block.select.args.get("distinct") and not _has_site(block, node):
        return node
    if block.source.range(node) is None:
        return exp.Tuple()
    read = block.source.reading(f"SELECT {block.rewritten(node)}")
    return exp.Tuple() if read is None or len(read.expressions) != 1 else read.expressions[0]


def _has_site(block: QueryBlock, node: Node) -> bool:
    """Whether a site stands where it is compared: what a plain aggregate takes is not."""
    sites = {id(site.node) for site in block.sites.all()}
    parts = node.walk(prune=lambda one: isinstance(one, exp.AggFunc) and not _sorts_distinct(one))
    return any(id(part) in sites for part in parts)


def _names(nodes: Iterable[Node]) -> set[str]:
    """The names of the columns of expressions, however they are qualified."""
    return {column.name.casefold() for node in nodes for column in node.find_all(exp.Column)}


def _newly_ungrouped(block: QueryBlock) -> set[str]:
    """The names of columns that are shown without being grouped, and were not before."""
    before, after = (
        {
            block.spelling.key(node): node.name.casefold()
            for node in nodes
            if isinstance(node, exp.Column)
        }
        for nodes in (ungrouped_of(block), ungrouped_of(block, lambda node: _now(block, node)))
    )
    return {name for key, name in after.items() if key not in before}


def _unmatched(block: QueryBlock, edited: set[str]) -> Iterator[str]:
    """The names of columns, ``edited`` ones, by which distinct rows are sorted unlike any shown.

    The engine has found the same expression among them, in a spelling that is not known here.
    """
    for wanted, found in _compared(block):
        known = {block.spelling.key(_now(block, one)) for one in found}
        for one in wanted:
            names = _names([one])
            if block.spelling.key(_now(block, one)) not in known and not edited.isdisjoint(names):
                yield from names


def _compared(block: QueryBlock) -> Iterator[tuple[list[Node], list[Node]]]:
    """Expressions of an ORDER BY and those among which the engine looks for them."""
    select = block.select
    order = [_meant(block, one) for one in ordered_by(select.args.get("order"))]
    projections = [projection.unalias() for projection in select.expressions]
    if on := [_meant(block, one) for one in distinct_on(select)]:
        yield order[: len({block.spelling.key(one) for one in on})], on
    elif select.args.get("distinct"):
        yield order, projections
    for part in filter(_sorts_distinct, computed_of(select)):
        for inner in _now(block, part).find_all(exp.Order):
            if isinstance(inner.this, exp.Distinct):
                around = inner.parent.args.values() if inner.parent else ()
                others = [one for one in around if isinstance(one, exp.Expr)]
                yield ordered_by(inner), [*inner.this.expressions, *others]


def _meant(block: QueryBlock, node: Node) -> Node:
    """The output column that a name or a number in ORDER BY or DISTINCT ON stands for."""
    projections: list[tuple[str, Node]] = [
        (one.alias.casefold(), one.unalias()) for one in block.select.expressions
    ]
    if (
        isinstance(node, exp.Literal)
        and node.name.isdigit()
        and 0 < int(node.name) <= len(projections)
    ):
        return projections[int(node.name) - 1][1]
    if is_output_name(block, node):
        return next(one for name, one in projections if name == node.name.casefold())
    return node

"""How a comparison reads: which side is a row's, and what its value is truncated to before."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.rewriter import local
from tzconv.rewriter.conversions import has_column
from tzconv.rewriter.local import Unit
from tzconv.rewriter.names import shifts_zone, without_parens
from tzconv.rewriter.parse import Node

FLIPPED = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE, exp.EQ: exp.EQ}
COMPARISONS = tuple(FLIPPED)


def operators(node: Node) -> Iterator[tuple[Node, Node, type[Node]]]:
    """A comparison as (side of the row, other side, operator); BETWEEN as two of them."""
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        yield node.this, node.args["low"], exp.GTE
        yield node.this, node.args["high"], exp.LTE
    elif isinstance(node, COMPARISONS):
        left, right = node.this, node.expression
        if has_column(left) and not shifts_zone(without_parens(left)):
            yield left, right, type(node)
        elif has_column(right) and not has_column(left):
            yield right, left, FLIPPED[type(node)]
        elif has_column(left) and not has_column(right):
            yield left, right, type(node)
        elif has_column(right):
            yield right, left, FLIPPED[type(node)]


def unwrapped(node: Node) -> tuple[Unit, Node]:
    """What a comparison truncates its left side to, and the expression inside."""
    node = without_parens(node)
    if isinstance(node, exp.Cast) and node.to.this == exp.DType.DATE:
        return (
            ("microsecond", node) if node.args.get("safe") else ("day", without_parens(node.this))
        )
    if isinstance(node, exp.Date) and not node.expressions and not node.args.get("zone"):
        return "day", without_parens(node.this)
    if isinstance(node, exp.TimestampTrunc) and node.args.get("zone") is None:
        unit = node.unit.name.casefold() if node.unit else ""
        for known in local.UNITS:
            if unit == known:
                return known, without_parens(node.this)
    return "microsecond", node

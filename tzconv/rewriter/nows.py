"""Comparisons of a TIMESTAMP or DATE with the current time, a TIMESTAMPTZ: the engine casts a side.

Which side it casts, and whether the constant can be cast instead, the strategy ``now`` decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from tzconv.rewriter.comparisons import CASTING, sides
from tzconv.rewriter.conversions import Unclear, has_column, unclear, untyped
from tzconv.sql.constants import constant
from tzconv.sql.expressions import has_now, without_parens
from tzconv.sql.names import Names
from tzconv.sql.parse import Node

_ZONELESS = ("timestamp", "date")
_OF_QUERY = "the TIMESTAMPTZ comes from a subquery with columns: cast it to TIMESTAMP there"
_BESIDE_TEXT = "a text beside NOW() is read as a TIMESTAMPTZ too: write TIMESTAMP before it"
_SEVERAL = "it compares several values at once: write one comparison for each"
_UNTYPED = "the type of the side with NOW() is unknown"


@dataclass(frozen=True, slots=True, eq=False)
class NowComparison:
    """``node``, a constant TIMESTAMPTZ, compared with ``value``, a TIMESTAMP or DATE of a row."""

    node: Node
    value: Node


def compared_with_now(node: Node, names: Names) -> Iterator[NowComparison | Unclear]:
    """What a comparison casts because a side of it is a constant TIMESTAMPTZ."""
    for left, right in sides(node) if isinstance(node, CASTING) else ():
        if isinstance(right, exp.Literal) or not has_column(left):
            continue
        if not has_column(right):
            yield from _with_constant(node, left, right, names)
        elif isinstance(right, exp.Subquery) and _is_cast(left, right, names):
            yield unclear(right, "unsupported", _OF_QUERY)


def _is_cast(left: Node, right: Node, names: Names) -> bool:
    return names.kind(left) in _ZONELESS and names.kind(right) == "timestamptz"


def _with_constant(
    node: Node, left: Node, right: Node, names: Names
) -> Iterator[NowComparison | Unclear]:
    kind, constant_kind, is_now = names.kind(left), names.kind(right), has_now(right)
    if _is_cast(left, right, names):
        beside = (one for _, one in sides(node) if one is not left and one is not right)
        is_sure = all(_reads_alike(one, node, names) for one in beside)
        yield NowComparison(right, left) if is_sure else unclear(node, "unsupported", _BESIDE_TEXT)
    elif is_now and any(names.kind(one) in _ZONELESS for one in _parts(left)):
        yield unclear(node, "unsupported", _SEVERAL)
    elif is_now and kind in _ZONELESS and constant_kind is None:
        yield unclear(node, "unknown-type", _UNTYPED)
    elif is_now and kind is None and constant_kind in (None, "timestamptz"):
        yield untyped(node, left, names)


def _parts(node: Node) -> list[Node]:
    """The values of a row that is compared as one."""
    return node.expressions if isinstance(node, exp.Tuple) else []


def _reads_alike(beside: Node, node: Node, names: Names) -> bool:
    """Whether another operand is the same time when the current time is no TIMESTAMPTZ.

    An engine may read a text, and in a list everything, as the type of the others.
    """
    if constant(beside, "timestamp", names) is not None or isinstance(beside, exp.Null):
        return True
    if isinstance(node, exp.In):
        return names.kind(beside) in (*_ZONELESS, "timestamptz")
    return not isinstance(without_parens(beside), exp.Literal)

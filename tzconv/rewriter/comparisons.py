"""How a comparison reads: which side is a row's, and what its value is truncated to before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from tzconv.rewriter import local
from tzconv.rewriter.conversions import has_column
from tzconv.rewriter.local import Unit
from tzconv.sql.expressions import shifts_zone, without_parens
from tzconv.sql.names import Names
from tzconv.sql.parse import Node

FLIPPED = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE, exp.EQ: exp.EQ}
COMPARISONS = tuple(FLIPPED)
DIFFERENCES = (exp.Sub, exp.DateDiff)
CASTING = (
    *(*COMPARISONS, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In),
    exp.Overlaps,
    *DIFFERENCES,
)
"""What compares or subtracts, and casts a side of another type than the other side."""
INNER = ("", "INNER", "CROSS")


def conjuncts(condition: Node | None) -> Iterator[Node]:
    """The conditions of a WHERE clause, or of a part of one, that must all hold."""
    waiting = [condition] if condition is not None else []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, exp.And):
            waiting = [node.this, node.expression, *waiting]
        elif isinstance(node, (exp.Paren, exp.Where)):
            waiting = [node.this, *waiting]
        else:
            yield node


def required(select: Node) -> Iterator[Node]:
    """The conditions that hold for every row of a SELECT: of WHERE, and of inner joins.

    Beside an outer join the conditions of no join count: it may give rows without a match.
    """
    yield from conjuncts(select.args.get("where"))
    joins = select.args.get("joins") or ()
    if all(not (one.side or one.method) and one.kind in INNER for one in joins):
        for join in joins:
            yield from conjuncts(join.args.get("on"))


def operators(node: Node) -> Iterator[tuple[Node, Node, type[Node]]]:
    """A comparison as (side of the row, other side, operator); BETWEEN as two of them."""
    for left, right, operator in _parts(node):
        of_row = has_column(left), has_column(right)
        is_left = of_row[0] and not (of_row[1] and shifts_zone(without_parens(left)))
        if is_left or isinstance(node, exp.Between):
            yield left, right, operator
        elif of_row[1]:
            yield right, left, FLIPPED[operator]


def both_ways(node: Node) -> Iterator[tuple[Node, Node, type[Node]]]:
    """A comparison as (side, other side, operator), from either side; BETWEEN as four of them."""
    for left, right, operator in _parts(node):
        yield left, right, operator
        yield right, left, FLIPPED[operator]


def casts(node: Node, names: Names) -> Iterator[tuple[Node, Node]]:
    """What a node casts to one type, in pairs, from either side."""
    count = len(node.expressions)
    # such as age()
    subtracts = count == 2 and names.kind(node) == "interval"
    subtracts |= count == 3 and node.name.casefold() in ("date_sub", "datesub")
    is_call = isinstance(node, exp.Anonymous) and subtracts
    # to Spark the zone of the session decides a difference, whatever the types
    is_other = isinstance(node, DIFFERENCES) and names.schema.reading.timestamp_is_zoned
    if is_call or (isinstance(node, CASTING) and not is_other):
        yield from sides(node)


def sides(node: Node) -> Iterator[tuple[Node, Node]]:
    """What one of ``CASTING`` or a call compares in pairs, from either side."""
    first = node.this
    if isinstance(node, exp.Anonymous):
        first, *others = node.expressions[-2:]
    elif isinstance(node, exp.Between):
        others = [node.args["low"], node.args["high"]]
    elif isinstance(node, exp.In):
        others = [one for key in ("query", "unnest", "field") if (one := node.args.get(key))]
        others += node.expressions
    else:
        others = [node.expression]
    for other in others:
        yield first, other
        yield other, first


def _parts(node: Node) -> Iterator[tuple[Node, Node, type[Any]]]:
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        yield node.this, node.args["low"], exp.GTE
        yield node.this, node.args["high"], exp.LTE
    elif isinstance(node, COMPARISONS):
        yield node.this, node.expression, type(node)


def unwrapped(node: Node, names: Names | None = None) -> tuple[Unit, Node]:
    """What a comparison truncates its left side to, and the expression inside.

    The month of a day is a month, and the first day of a month as a date is one; weeks are parts of
    neither months nor years. To truncate a date, an engine may take the clock of the session, which
    may have no midnight: with ``names``, a date is read only where that clock is UTC.
    """
    node = without_parens(node)
    unit, inner = _truncated(node)
    if inner is None:
        return "microsecond", node
    deeper, rest = unwrapped(inner, names)
    both = {unit, deeper}
    is_torn = "week" in both and both & {"month", "quarter", "year"}
    is_by_clock = isinstance(node, exp.TimestampTrunc) and isinstance(inner, (exp.Cast, exp.Date))
    is_by_clock &= names is not None and not names.schema.session_is_utc
    if deeper == "microsecond" or is_torn or is_by_clock:
        return unit, inner
    return max(unit, deeper, key=local.UNITS.index), rest


def _truncated(node: Node) -> tuple[Unit, Node | None]:
    if isinstance(node, exp.Cast) and node.to.this == exp.DType.DATE and not node.args.get("safe"):
        return "day", without_parens(node.this)
    if isinstance(node, exp.Date) and not node.expressions and not node.args.get("zone"):
        return "day", without_parens(node.this)
    if isinstance(node, exp.TimestampTrunc) and node.args.get("zone") is None:
        unit = node.unit.name.casefold() if isinstance(node.unit, exp.Var) else ""
        if unit in local.UNITS:
            return unit, without_parens(node.this)
    return "microsecond", None

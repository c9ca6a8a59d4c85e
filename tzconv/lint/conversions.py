"""Finds conversions for the rules: in every spelling, whether or not they can be rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.lint.statement import Select
from tzconv.rewriter.conversions import has_column, is_fallback, is_ours
from tzconv.sql.expressions import NOW_NODES, is_now_call, is_utc, without_parens, zone_conversion
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node

TIMES = ("timestamp", "timestamptz", None)
"""The kinds of values that are, or may be, times."""


@dataclass(frozen=True)
class Converted:
    """``node`` converts ``value`` by ``zones``, without UTC."""

    node: Node
    value: Node
    zones: tuple[Node, ...]

    @property
    def is_per_row(self) -> bool:
        """Whether it is computed for each row."""
        return bool(self.zones) and has_column(self.value)


def conversions(select: Select) -> Iterator[Converted]:
    """All conversions of a SELECT, a chain of them once."""
    inner: set[int] = set()
    for node in select.names.nodes:
        if id(node) in inner:
            continue
        found = conversion(node)
        if found is not None and not (is_ours(node) or is_fallback(node)):
            part: Node | None = found.value
            while part is not None and part is not node:
                inner.add(id(part))
                part = part.parent
            yield found


def conversion(node: Node) -> Converted | None:
    """The conversion of a node: AT TIME ZONE, timezone(), new_time() or convert_timezone()."""
    zones: list[Node] = []
    value = node
    while (step := _step(value)) is not None:
        zones += step[0]
        value = without_parens(step[1])
    if value is node:
        return None
    return Converted(node, value, tuple(zone for zone in zones if not is_utc(zone)))


def is_worth_reporting(found: Converted, select: Select) -> bool:
    """Whether a conversion of each row is avoidable: by a rewrite, or if a type were declared."""
    if _is_of_one_row(found.value, select):
        return False
    is_changed = select.statement.is_changed(found.node)
    if found.is_per_row and _is_bare_time(found.value, select):
        return is_changed or advice(found, select) is not None
    # an expression, or a constant read on the local clock of each row
    depends = found.is_per_row or any(map(has_column, found.zones))
    return depends and not has_now(found.value) and is_changed


def advice(found: Converted, select: Select) -> str | None:
    """What a person can do so that a conversion is rewritten, or a part of its chain."""
    node: Node = found.node
    while (step := _step(node)) is not None:
        said = select.statement.advice(node)
        if said is not None:
            return said
        node = without_parens(step[1])
    return None


def is_constant(node: Node) -> bool:
    """Whether a side of a comparison has one value for each zone: a constant or NOW()."""
    if node.find(exp.Query):
        return False
    while isinstance(node := unwrapped(node), (exp.Add, exp.Sub)) and not has_column(
        node.expression
    ):
        node = node.this
    found = conversion(node)
    is_today = found is not None and has_now(found.value)
    return not has_column(found.value if found is not None and is_today else node)


def has_now(node: Node) -> bool:
    """Whether a node contains NOW() or its like."""
    return any(map(is_now, node.walk()))


def is_now(node: Node) -> bool:
    """Whether a node is NOW() or its like."""
    return isinstance(node, NOW_NODES) or is_now_call(node)


def unwrapped(node: Node) -> Node:
    """The value that a side of a comparison truncates or casts to a date."""
    inner: Node | None = node
    while inner is not None:
        node = without_parens(inner)
        inner = None
        if isinstance(node, exp.Extract):
            inner = node.expression
        elif isinstance(node, (exp.TimestampTrunc, exp.Date)) or (
            isinstance(node, exp.Cast) and node.to.this == exp.DType.DATE
        ):
            inner = node.this
    return node


def compared(node: Node) -> Iterator[tuple[Node, Node]]:
    """Sides of a comparison, in both orders; BETWEEN as two comparisons."""
    if isinstance(node, exp.Between):
        yield node.this, node.args["low"]
        yield node.this, node.args["high"]
    elif isinstance(node, (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE)):
        yield node.this, node.expression
        yield node.expression, node.this
    elif isinstance(node, exp.In):
        for value in node.expressions:
            yield node.this, value


def _is_bare_time(value: Node, select: Select) -> bool:
    """Whether a value is a column that is, or may be, a time; casts of it to one included."""
    if isinstance(value, exp.Cast) and select.names.kind(value) in ("timestamp", "timestamptz"):
        value = without_parens(value.this)
    return isinstance(value, exp.Column) and select.names.kind(value) in TIMES


def _is_of_one_row(value: Node, select: Select) -> bool:
    """Whether all columns of a value come from subqueries without FROM, which have one row."""
    sources = [select.names.owner(column) for column in value.find_all(exp.Column)]
    return bool(sources) and all(
        source is not None
        and isinstance(source.source, Scope)
        and isinstance(source.source.expression, exp.Select)
        and source.source.expression.args.get("from_") is None
        for source in sources
    )


def _step(node: Node) -> tuple[list[Node], Node] | None:
    """The zones of one conversion, and its value."""
    found = zone_conversion(node)
    if found is not None:
        return [found[0]], found[1]
    if isinstance(node, exp.ConvertTimezone):
        zones = [node.args.get("source_tz"), node.args.get("target_tz")]
        value = node.args.get("timestamp")
        return ([zone for zone in zones if zone], value) if value else None
    if isinstance(node, NewTime):
        return [node.args["source"], node.args["target"]], node.this
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 3:
        name, parts = node.name.casefold(), node.expressions
        if name == "new_time":
            return parts[1:], parts[0]
        if name == "convert_timezone":
            return parts[:2], parts[2]
    return None

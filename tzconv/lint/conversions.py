"""Finds conversions for the rules: in every spelling, whether or not they can be rewritten."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.lint.statement import Select
from tzconv.rewriter.conversions import is_fallback, is_ours
from tzconv.sql.expressions import ConversionChain, conversion_chains, is_now, without_parens
from tzconv.sql.parse import Node

TIMES = ("timestamp", "timestamptz", None)
"""The kinds of values that are, or may be, times."""


def conversions(select: Select) -> Iterator[ConversionChain]:
    """All conversions of a SELECT, a chain of them once."""
    for found in conversion_chains(select.names.nodes):
        if not (is_ours(found.node) or is_fallback(found.node)):
            yield found


def is_worth_reporting(found: ConversionChain, select: Select) -> bool:
    """Whether a rewrite changes a conversion of each row, or would if it knew more."""
    if not found.zones or _is_of_one_row(found.value, select):
        return False
    if select.statement.is_changed(found.node):
        return not has_now(found.value)
    return _is_bare_time(found.value, select) and advice(found, select) is not None


def advice(found: ConversionChain, select: Select) -> str | None:
    """What a person can do so that a conversion is rewritten, or a part of its chain."""
    return next(filter(None, map(select.statement.advice, found.links)), None)


def has_now(node: Node) -> bool:
    """Whether a node contains NOW() or its like."""
    return any(map(is_now, node.walk()))


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

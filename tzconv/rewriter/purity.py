"""Expressions that may be written down twice, or computed once for many rows."""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.names import is_now_call
from tzconv.rewriter.nodes import NewTime, StatementTime
from tzconv.rewriter.parse import Node

_FIXED: tuple[type[Node], ...] = (
    exp.Add,
    exp.AtTimeZone,
    exp.Case,
    exp.Cast,
    exp.Coalesce,
    exp.CurrentDate,
    exp.CurrentTimestamp,
    exp.DataType,
    exp.DataTypeParam,
    exp.Greatest,
    exp.Identifier,
    exp.If,
    exp.Interval,
    exp.IntervalSpan,
    exp.Is,
    exp.Least,
    exp.Literal,
    exp.Localtimestamp,
    exp.Lower,
    exp.Mul,
    exp.Neg,
    NewTime,
    exp.Not,
    exp.Null,
    exp.Nullif,
    exp.Parameter,
    exp.Paren,
    exp.Placeholder,
    StatementTime,
    exp.Sub,
    exp.TimestampTrunc,
    exp.Trim,
    exp.Upper,
    exp.Var,
)


def is_fixed(node: Node) -> bool:
    """Whether a constant has one value in a whole statement: no function in it may vary."""
    return all(
        isinstance(part, _FIXED) or is_now_call(part) or _is_zone_call(part) for part in node.walk()
    )


def is_repeatable(node: Node) -> bool:
    """Whether an expression of a row gives the same value each time it is computed for the row."""
    return all(
        isinstance(part, (*_FIXED, exp.Column)) or is_now_call(part) or _is_zone_call(part)
        for part in node.walk()
    )


def _is_zone_call(node: Node) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.casefold() == "timezone"


def positional(node: Node) -> int:
    """How many parameters a node holds that are told apart by their order alone: ``?``, ``%s``."""
    return sum(not parameter.this for parameter in node.find_all(exp.Placeholder))

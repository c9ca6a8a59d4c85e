"""Expressions that may be written down twice, or computed once for many rows."""

from __future__ import annotations

from sqlglot import exp

from tzconv.sql.expressions import is_now_call, zone_conversion
from tzconv.sql.nodes import DateAdd, NewTime, StatementTime
from tzconv.sql.parse import Node

_FIXED: tuple[type[Node], ...] = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Not, exp.Is, exp.Paren, exp.Case, exp.If),
    *(exp.Literal, exp.Null, exp.Interval, exp.IntervalSpan, exp.Identifier, exp.Var),
    *(exp.Parameter, exp.Placeholder, exp.Cast, exp.DataType, exp.DataTypeParam, DateAdd),
    *(exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp, StatementTime),
    *(exp.AtTimeZone, NewTime, exp.Date, exp.DateTrunc, exp.TimestampTrunc),
    *(exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.Lower, exp.Upper, exp.Trim),
)


def is_fixed(node: Node) -> bool:
    """Whether a constant has one value in a whole statement: no function in it may vary."""
    return _is_made_of(node, _FIXED)


def is_repeatable(node: Node) -> bool:
    """Whether an expression of a row gives the same value each time it is computed for the row."""
    return _is_made_of(node, (*_FIXED, exp.Column))


def _is_made_of(node: Node, types: tuple[type[Node], ...]) -> bool:
    return all(
        isinstance(part, types)
        or is_now_call(part)
        or (isinstance(part, exp.Anonymous) and zone_conversion(part) is not None)
        for part in node.walk()
    )


def positional(node: Node) -> int:
    """How many positional parameters (``?``, ``%s``) a node holds."""
    return sum(not parameter.this for parameter in node.find_all(exp.Placeholder))

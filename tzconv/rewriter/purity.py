"""Expressions that may be written down twice, or computed once for many rows."""

from __future__ import annotations

from sqlglot import exp

from tzconv.engines import foreign
from tzconv.sql.expressions import is_now_call, zone_conversion
from tzconv.sql.nodes import DateAdd, NewTime, StatementTime
from tzconv.sql.parse import Node

_FIXED: tuple[type[Node], ...] = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Paren, exp.Tuple),
    *(exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Boolean),
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.Kwarg),
    *(exp.Literal, exp.Null, exp.Interval, exp.IntervalSpan, exp.Identifier, exp.Var),
    *(exp.Parameter, exp.Placeholder, exp.Cast, exp.DataType, exp.DataTypeParam, DateAdd),
    *(exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp, StatementTime),
    *(exp.AtTimeZone, NewTime, exp.Date, exp.DateTrunc, exp.TimestampTrunc, exp.Extract),
    *(
        exp.UnixToTime,
        exp.StrToTime,
        exp.StrToDate,
        exp.TimestampFromParts,
        exp.TimeToUnix,
        exp.DateFromParts,
    ),
    *(exp.DateBin, exp.MakeInterval, exp.ToDays, exp.JustifyDays, exp.JustifyHours),
    *(exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Length),
    *(exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.Replace),
    *(exp.Concat, exp.ConcatWs, exp.DPipe, exp.SplitPart, exp.RegexpReplace, exp.Initcap),
    *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar),
    *(exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript),
)
_FIXED_NAMES = foreign.of_all(lambda facts: facts.fixed_functions)
_WINDOWS = (
    *(exp.Window, exp.WindowSpec, exp.Order, exp.Ordered, exp.IgnoreNulls, exp.RespectNulls),
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Max, exp.Min),
)
"""Window functions that give a time of their window."""


def is_fixed(node: Node) -> bool:
    """Whether a constant has one value in a whole statement: no function in it may vary."""
    return _is_made_of(node, _FIXED)


def is_repeatable(node: Node) -> bool:
    """Whether an expression of a row gives the same value each time it is computed for the row."""
    return _is_made_of(node, _OF_ROWS)


def is_computed_once(node: Node) -> bool:
    """Whether it also may hold window functions: the engine computes equal ones once."""
    return _is_made_of(node, (*_OF_ROWS, *_WINDOWS))


_OF_ROWS = (*_FIXED, exp.Column)


def _is_made_of(node: Node, types: tuple[type[Node], ...]) -> bool:
    return all(
        isinstance(part, types)
        or is_now_call(part)
        or (isinstance(part, exp.Anonymous) and _is_fixed_call(part))
        for part in node.walk()
    )


def _is_fixed_call(call: exp.Anonymous) -> bool:
    is_own = not isinstance(call.parent, exp.Dot) and call.name.casefold() in _FIXED_NAMES
    return is_own or zone_conversion(call) is not None


def positional(node: Node) -> int:
    """How many positional parameters (``?``, ``%s``) a node holds."""
    return sum(not parameter.this for parameter in node.find_all(exp.Placeholder))

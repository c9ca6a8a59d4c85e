"""Expressions that may be written down twice, computed once for many rows, or for rows left out.

The condition of a join is computed for all rows that reach it, also for those that a CASE keeps
away from an expression. A cast of a text, or a zone that does not exist, is an error there.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.engines import foreign
from tzconv.sql.expressions import field_of, is_now_call, zone_conversion
from tzconv.sql.names import Names
from tzconv.sql.nodes import DateAdd, NewTime, StatementTime
from tzconv.sql.parse import FIELD, Node

_FIXED: tuple[type[Node], ...] = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Paren, exp.Tuple),
    *(exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Boolean),
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.Kwarg),
    *(exp.Literal, exp.Null, exp.Interval, exp.IntervalSpan, exp.Identifier, exp.Var),
    *(exp.Parameter, exp.Placeholder, exp.Cast, exp.DataType, exp.DataTypeParam, DateAdd),
    *(exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp, StatementTime),
    *(exp.AtTimeZone, NewTime, exp.Date, exp.DateTrunc, exp.TimestampTrunc, exp.Extract),
    *(exp.UnixToTime, exp.StrToTime, exp.StrToDate, exp.TimestampFromParts, exp.TimeToUnix),
    *(exp.DateFromParts, exp.DateBin, exp.MakeInterval, exp.ToDays, exp.JustifyDays, exp.TimeToStr),
    *(exp.JustifyHours, exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Length),
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
    """Whether an expression is constant during a statement: literals, NOW(), pure functions."""
    return _is_made_of(node, _FIXED)


def is_repeatable(node: Node) -> bool:
    """Whether an expression of a row gives the same value each time it is computed for the row."""
    return _is_made_of(node, _OF_ROWS)


def is_computed_once(node: Node) -> bool:
    """Like ``is_repeatable``, but allows window functions: the engine computes equal ones once."""
    return _is_made_of(node, (*_OF_ROWS, *_WINDOWS))


_OF_ROWS = (*_FIXED, exp.Column)


def _is_made_of(node: Node, types: tuple[type[Node], ...]) -> bool:
    return all(
        isinstance(part, types)
        or _reads(part)
        or is_now_call(part)
        or zone_conversion(part.parent if isinstance(part.parent, exp.Dot) else part)
        or (
            isinstance(part, exp.Anonymous)
            and not isinstance(part.parent, exp.Dot)
            and part.name.casefold() in _FIXED_NAMES
        )
        for part in node.walk()
    )


def _reads(node: Node) -> bool:
    """Whether a node reads a field of a struct; PostgreSQL's ``(x).f`` may call a function."""
    if FIELD in node.meta or field_of(node) is None:
        return FIELD in node.meta
    return isinstance(node, exp.Bracket) or _reads(node.this)


_JSON = (
    *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar),
    *(exp.JSONExtractArray, exp.ParseJSON),
)


def is_slow(value: Node, names: Names) -> bool:
    """Whether computing a time takes as long as converting it, which is not worth doing twice."""
    parts = (part for part in value.walk() if part.find(exp.Column))
    return any(_is_slow(part, names) for part in parts)


def _is_slow(node: Node, names: Names) -> bool:
    slow, kind = names.schema.reading.slow, names.kind(node)
    if isinstance(node, _JSON) or (isinstance(node, exp.Anonymous) and "json" in node.name.lower()):
        return "json" in slow
    if isinstance(node, exp.StrToTime):
        return "text" in slow
    if isinstance(node, exp.Cast) and kind in _TIMES:
        of = names.kind(node.this)
        is_zoned = "zoned" in slow and kind == "timestamptz" and of in ("text", "timestamp", "date")
        return is_zoned or ("text" in slow and of == "text")
    if kind != "timestamptz" or "zoned" not in slow:
        return False
    if isinstance(node, (exp.Add, exp.Sub)):
        by = node.expression if names.kind(node.expression) == "interval" else node.this
        step = by.find(exp.Interval)
        return step is None or step.text("unit").lower() not in _SHORT
    return isinstance(node, (exp.TimestampTrunc, exp.DateTrunc))


_SHORT = ("hour", "minute", "second", "hours", "minutes", "seconds")


def positional(node: Node) -> int:
    """How many positional parameters (``?``, ``%s``) a node holds."""
    return sum(not parameter.this for parameter in node.find_all(exp.Placeholder))


_TIMES = ("timestamp", "timestamptz", "date")
_SAFE = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Paren, exp.Interval, exp.IntervalSpan),
    *(exp.Var, exp.DataType, exp.DataTypeParam, exp.Parameter, exp.Placeholder, exp.Case, exp.If),
    *(exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Not, exp.Is, exp.Coalesce, exp.Nullif, exp.Greatest),
    *(exp.Least, exp.Lower, exp.Upper, exp.Trim, exp.Date, exp.TimestampTrunc, exp.CurrentDate),
    *(exp.CurrentTimestamp, exp.Localtimestamp, StatementTime, DateAdd, exp.DPipe, exp.Boolean),
    *(exp.Replace, exp.Concat, exp.ConcatWs, exp.Initcap, exp.Left, exp.Right, exp.Length),
    *(exp.And, exp.Or, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript),
)
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_TAKES: dict[type[Node], tuple[str, ...]] = {
    exp.Date: _TIMES,
    **dict.fromkeys((exp.JSONExtractScalar, exp.JSONBExtractScalar), ("other",)),
}
"""What these take without an error: a text need not be a date or JSON."""
_GUARDS = (exp.If, exp.Coalesce, exp.Connector)


def may_fail(node: Node, names: Names) -> bool:
    """Whether an expression may be an error for some row."""
    return any(_may_fail(part, names) for part in node.walk())


def _may_fail(node: Node, names: Names) -> bool:
    if isinstance(node, exp.Cast):
        kind, to = names.kind(node.this), names.kind(node)
        is_constant = isinstance(node.this, exp.Literal)
        is_same = kind == to and kind not in ("other", "number")
        return not (is_constant or is_same or to == "text" or (kind in _TIMES and to in _TIMES))
    is_sum = isinstance(node, (exp.Add, exp.Sub)) and names.kind(node) in ("number", None)
    if is_sum or isinstance(node, (exp.Mul, exp.Interval)):
        return node.find(exp.Column) is not None  # of integers, it overflows
    if type(node) in _TAKES:
        return names.kind(node.this) not in _TAKES[type(node)]
    if isinstance(node, _COMPARED):  # one of two types may be cast
        kinds = {names.kind(part) for part in node.iter_expressions()}
        return len(kinds) > 1 or not kinds.isdisjoint((None, "other"))
    if isinstance(node, exp.TimestampTrunc):
        return not isinstance(node.args["unit"], exp.Var)
    if isinstance(node, NewTime):
        return any(node.args[one].find(exp.Column) for one in ("source", "target"))
    if (converted := zone_conversion(node)) is not None:
        return not isinstance(converted[0], exp.Literal)
    is_like = isinstance(node, (exp.Like, exp.ILike)) and isinstance(node.expression, exp.Literal)
    is_safe = is_like and "\\" not in node.expression.name  # an error at the end of a pattern
    is_safe |= field_of(node) is not None and names.kind(node) is not None
    return not (is_safe or isinstance(node, _SAFE) or is_now_call(node))


def is_guarded(site: Node) -> bool:
    """Whether an expression is computed only for rows that another one lets through.

    The first part of a CASE, of COALESCE, AND or OR is computed for all of them.
    """
    child, parent = site, site.parent
    while parent is not None and not isinstance(parent, exp.Query):
        if isinstance(parent, exp.Filter):
            guarded = child is parent.this
        elif isinstance(parent, exp.Case):
            guarded = child is not parent.this and child is not parent.args["ifs"][0]
        else:
            guarded = isinstance(parent, _GUARDS) and child is not parent.this
        if guarded:
            return True
        child, parent = parent, parent.parent
    return False

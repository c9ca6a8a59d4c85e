"""Values that a query computes for some of its rows only, and that fail for others.

The condition of a join is computed for all rows that reach it, also for those that a CASE keeps
away from an expression. A cast of a text, or a zone that does not exist, is an error there.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.sql.expressions import is_now_call, zone_conversion
from tzconv.sql.names import Names
from tzconv.sql.nodes import DateAdd, NewTime, StatementTime
from tzconv.sql.parse import Node

_TIMES = ("timestamp", "timestamptz", "date")
_SAFE = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Paren, exp.Interval, exp.IntervalSpan),
    *(exp.Var, exp.DataType, exp.DataTypeParam, exp.Parameter, exp.Placeholder, exp.Case, exp.If),
    *(exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Not, exp.Is, exp.Coalesce, exp.Nullif, exp.Greatest),
    *(exp.Least, exp.Lower, exp.Upper, exp.Trim, exp.Date, exp.TimestampTrunc, exp.CurrentDate),
    *(exp.CurrentTimestamp, exp.Localtimestamp, StatementTime, DateAdd),
)
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
    if isinstance(node, NewTime):
        return any(node.args[one].find(exp.Column) for one in ("source", "target"))
    converted = zone_conversion(node)
    if converted is not None:
        return not isinstance(converted[0], exp.Literal)
    return not (isinstance(node, _SAFE) or is_now_call(node))


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

"""How Spark's SQL is read: sqlglot's dialect without what it rewrites while it reads.

A rewrite replaces characters of the text, so nothing here prints SQL, and a tree must say what the
text says. sqlglot turns many functions into others of its own and adds casts on the way; here they
stay calls, but for aggregates and the few whose names mean what they mean to sqlglot.

:class:`NewTime` stands for Spark's three conversions. ``kind`` is the type that a function takes
and gives: from_utc_timestamp() and to_utc_timestamp() move a TIMESTAMP, convert_timezone() a
TIMESTAMP_NTZ. Without its first argument that one begins in the zone of the session, which is
:data:`SESSION_ZONE` in the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser

from tzconv.rewriter.nodes import SESSION_ZONE, NewTime

_AGGREGATES = {
    name for kind in exp.ALL_FUNCTIONS if issubclass(kind, exp.AggFunc) for name in kind.sql_names()
}
_OWN_AGGREGATES = {
    *("APPROX_COUNT_DISTINCT", "APPROX_PERCENTILE", "BIT_AND", "BIT_OR", "BIT_XOR", "BOOL_AND"),
    *("BOOL_OR", "COLLECT_SET", "COUNT_IF", "COUNT_MIN_SKETCH", "EVERY", "HISTOGRAM_NUMERIC"),
    *("LISTAGG", "MAX_BY", "MIN_BY", "MODE", "PERCENTILE", "SOME", "STRING_AGG", "TRY_AVG"),
    *("TRY_SUM",),
}
_IN_ORDER = {"ARRAY_AGG", "COLLECT_LIST"}
"""Aggregates whose result depends on the order of their rows."""
_KEPT = {
    *("COALESCE", "CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"),
    *("GREATEST", "LEAST", "LOWER", "UPPER", "NULLIF"),
}
_UNIT_FIRST = ("DATEADD", "DATEDIFF", "DATE_ADD", "DATE_DIFF", "TIMESTAMPADD", "TIMESTAMPDIFF")
_UTC = {"UTC", "GMT", "UCT"}
"""UTC's names without a lower-case letter."""


def _from_utc(args: list[Any]) -> exp.Expr:
    if len(args) != 2 or _is_misspelt(args[1]):
        return exp.Anonymous(this="from_utc_timestamp", expressions=args)
    utc = exp.Literal.string("UTC")
    return NewTime(this=args[0], source=utc, target=args[1], kind="timestamptz")


def _to_utc(args: list[Any]) -> exp.Expr:
    if len(args) != 2 or _is_misspelt(args[1]):
        return exp.Anonymous(this="to_utc_timestamp", expressions=args)
    utc = exp.Literal.string("UTC")
    return NewTime(this=args[0], source=args[1], target=utc, kind="timestamptz")


def _convert(args: list[Any]) -> exp.Expr:
    if len(args) == 2:
        args = [exp.var(SESSION_ZONE), *args]
    if len(args) != 3 or any(map(_is_misspelt, args[:2])):
        return exp.Anonymous(this="convert_timezone", expressions=args)
    return NewTime(this=args[2], source=args[0], target=args[1], kind="timestamp")


def _is_misspelt(zone: exp.Expr) -> bool:
    """Whether a zone is UTC but for case, which is an error to Java and UTC to other engines."""
    return isinstance(zone, exp.Literal) and zone.name.upper() in _UTC and zone.name not in _UTC


def _unit_first(name: str) -> Callable[[list[Any]], exp.Expr]:
    """A function whose first argument may be a word such as DAY, which is no column."""

    def build(args: list[Any]) -> exp.Expr:
        if len(args) == 3 and isinstance(args[0], exp.Column) and len(args[0].parts) == 1:
            args = [exp.var(args[0].name), *args[1:]]
        return exp.Anonymous(this=name, expressions=args)

    return build


def _truncated(args: list[Any]) -> exp.Expr:
    if len(args) != 2 or not isinstance(args[0], exp.Literal):
        return exp.Anonymous(this="date_trunc", expressions=args)
    node = exp.TimestampTrunc(this=args[1], unit=exp.var(args[0].name))
    node.set("unit", exp.var(args[0].name))  # as it was spelt, because Spark prints it so
    return node


def _aggregate(name: str) -> Callable[[list[Any]], exp.Expr]:
    return lambda args: exp.AnonymousAggFunc(this=name, expressions=args)


def _array(args: list[Any]) -> exp.Expr:
    return exp.ArrayAgg(this=args[0] if args else None)


def _as_date(name: str) -> Callable[[list[Any]], exp.Expr]:
    def build(args: list[Any]) -> exp.Expr:
        if len(args) != 1:
            return exp.Anonymous(this=name, expressions=args)
        node = exp.Date(this=args[0])
        node.meta["spelt"] = name
        return node

    return build


class TzconvSparkParser(SparkParser):
    """A cast is a cast: whether it may fail is a setting of the session."""

    STRICT_CAST = True

    FUNCTIONS = {
        **{
            name: build
            for name, build in SparkParser.FUNCTIONS.items()
            if name in _AGGREGATES or name in _KEPT
        },
        **{name: _aggregate(name) for name in _OWN_AGGREGATES},
        **dict.fromkeys(_IN_ORDER, _array),
        **{name: _unit_first(name) for name in _UNIT_FIRST},
        "CONVERT_TIMEZONE": _convert,
        "DATE": _as_date("date"),
        "DATE_TRUNC": _truncated,
        "FROM_UTC_TIMESTAMP": _from_utc,
        "TO_DATE": _as_date("to_date"),
        "TO_UTC_TIMESTAMP": _to_utc,
    }


class TzconvSpark(Spark):
    """Known to sqlglot as ``tzconvspark``: its own dialect stays what it was."""

    Parser = TzconvSparkParser

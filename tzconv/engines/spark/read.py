"""How Spark's SQL is read: sqlglot's dialect without its own rewrites.

A rewrite replaces characters of the text, so nothing here prints SQL, and a tree must match the
text. sqlglot replaces many functions by its own and adds casts; here they stay plain calls, except
aggregates and the few functions that mean the same to sqlglot.

:class:`NewTime` is any of Spark's three conversions. ``kind`` is the type that the function takes
and returns: TIMESTAMP for from_utc_timestamp() and to_utc_timestamp(), TIMESTAMP_NTZ for
convert_timezone(). Without its first argument, that one converts from the session's time zone,
:data:`SESSION_ZONE` in the tree.
"""

from __future__ import annotations

import itertools
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

from tzconv.sql.nodes import SESSION_ZONE, DateAdd, NewTime, Reader, reader, readers
from tzconv.sql.reading import Reading

_OWN_AGGREGATES = {
    *("APPROX_COUNT_DISTINCT", "APPROX_PERCENTILE", "BIT_AND", "BIT_OR", "BIT_XOR", "BOOL_AND"),
    *("BOOL_OR", "COLLECT_SET", "COUNT_IF", "COUNT_MIN_SKETCH", "EVERY", "HISTOGRAM_NUMERIC"),
    *("LISTAGG", "MAX_BY", "MIN_BY", "MODE", "PERCENTILE", "SOME", "STRING_AGG", "TRY_AVG"),
    *("TRY_SUM",),
}
_IN_ORDER = {"ARRAY_AGG", "COLLECT_LIST"}
"""Aggregates whose result depends on the order of their rows."""
_KEPT = {
    *("COALESCE", "IFNULL", "NVL", "CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"),
    *("GREATEST", "LEAST", "LOWER", "UPPER", "NULLIF"),
}
_UNIT_FIRST = ("DATEADD", "DATEDIFF", "DATE_ADD", "DATE_DIFF", "TIMESTAMPADD", "TIMESTAMPDIFF")
_DIGITS = 6
"""So many days keep a date of our time inside the range of TIMESTAMP."""
_UTC = {"UTC", "GMT", "UCT"}
"""UTC's names without a lower-case letter."""


def _zone_function(name: str, zone: str, other: str) -> Reader:
    """A function of a time and a ``zone``; its ``other`` zone is UTC."""

    def build(this: exp.Expr, named: exp.Expr) -> exp.Expr:
        if _is_misspelt(named):
            return exp.Anonymous(this=name, expressions=[this, named])
        zones = {zone: named, other: exp.Literal.string("UTC")}
        return NewTime(this=this, **zones, kind="timestamptz")

    return reader(name, 2, build)


def _convert(args: list[Any]) -> exp.Expr:
    if len(args) == 2:
        args = [exp.var(SESSION_ZONE), *args]
    if len(args) != 3 or any(map(_is_misspelt, args[:2])):
        return exp.Anonymous(this="convert_timezone", expressions=args)
    return NewTime(this=args[2], source=args[0], target=args[1], kind="timestamp")


def _is_misspelt(zone: exp.Expr) -> bool:
    """Whether a zone is UTC but for case, which is an error to Java and UTC to other engines."""
    return isinstance(zone, exp.Literal) and zone.name.upper() in _UTC and zone.name not in _UTC


def _truncated(args: list[Any]) -> exp.Expr:
    if len(args) != 2 or not isinstance(args[0], exp.Literal):
        return exp.Anonymous(this="date_trunc", expressions=args)
    node = exp.TimestampTrunc(this=args[1], unit=exp.var(args[0].name))
    node.set("unit", exp.var(args[0].name))  # in the case of the text, as Spark prints it
    return node


def _as_date(name: str) -> Reader:
    def build(this: exp.Expr) -> exp.Expr:
        node = exp.Date(this=this)
        node.meta["spelt"] = name
        return node

    return reader(name, 1, build)


def _moved(name: str) -> Reader:
    """date_add() or date_sub() of a constant number of days."""

    def build(this: exp.Expr, days: exp.Expr) -> exp.Expr:
        if not (isinstance(days, exp.Literal) and days.is_int and len(days.name) <= _DIGITS):
            return exp.Anonymous(this=name, expressions=[this, days])
        return DateAdd(this=this, expression=exp.Neg(this=days) if name == "date_sub" else days)

    return reader(name, 2, build)


class TzconvSparkParser(SparkParser):
    """CAST is never TRY_CAST: a setting of the session says whether it may fail."""

    STRICT_CAST = True

    FUNCTIONS = {
        **readers(SparkParser.FUNCTIONS, _KEPT, _OWN_AGGREGATES, _UNIT_FIRST),
        **dict.fromkeys(_IN_ORDER, lambda args: exp.ArrayAgg(this=args[0] if args else None)),
        "CONVERT_TIMEZONE": _convert,
        "DATE": _as_date("date"),
        "DATE_SUB": _moved("date_sub"),
        "DATE_TRUNC": _truncated,
        "FROM_UTC_TIMESTAMP": _zone_function("from_utc_timestamp", "target", "source"),
        "TO_DATE": _as_date("to_date"),
        "TO_UTC_TIMESTAMP": _zone_function("to_utc_timestamp", "source", "target"),
    }


class TzconvSpark(Spark):
    """Known to sqlglot as ``tzconvspark``, so that its own dialect is unchanged."""

    Parser = TzconvSparkParser

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        """The function window() begins no WINDOW clause."""
        tokens = super().tokenize(sql, dialect)
        for token, after in itertools.pairwise(tokens):
            if (token.token_type, after.token_type) == (TokenType.WINDOW, TokenType.L_PAREN):
                token.token_type = TokenType.VAR
        return tokens


READING = Reading(
    TzconvSpark,
    timestamp_is_zoned=True,
    default_schema="default",
    functions={
        # TIMESTAMP is the default of spark.sql.timestampType, which decides what some of them give
        **dict.fromkeys(("timestamp_micros", "timestamp_millis"), "timestamptz"),
        **dict.fromkeys(("timestamp_seconds", "make_timestamp"), "timestamptz"),
        **dict.fromkeys(("to_timestamp", "to_timestamp_ltz", "try_to_timestamp"), "timestamptz"),
        "make_timestamp_ltz": "timestamptz",
        **dict.fromkeys(("to_timestamp_ntz", "make_timestamp_ntz"), "timestamp"),
        "make_date": "date",
        "get_json_object": "text",
    },
)

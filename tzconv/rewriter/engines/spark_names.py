"""The names that Spark gives output columns without alias: it prints the expression.

Columns lose their table, texts their quotes, calls and types are in one case. Only the forms that
conversions of time zones stand in are known here; of all others the query has to say the name.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import TokenError

from tzconv.rewriter.conversions import is_utc
from tzconv.rewriter.engines.base import UnknownNameError
from tzconv.rewriter.names import without_parens
from tzconv.rewriter.nodes import NewTime
from tzconv.rewriter.parse import Node, reader_of, tree_of

_TYPES: dict[exp.DType, str] = {
    exp.DType.DATE: "DATE",
    exp.DType.TEXT: "STRING",
    exp.DType.BIGINT: "BIGINT",
    exp.DType.INT: "INT",
    exp.DType.TIMESTAMPTZ: "TIMESTAMP",
    exp.DType.TIMESTAMPNTZ: "TIMESTAMP_NTZ",
}
_CALLS: dict[type[Node], str] = {exp.Max: "max", exp.Min: "min", exp.Coalesce: "coalesce"}
_SAME_NAME = frozenset(
    {
        *("hour", "minute", "second", "dayofweek", "month", "quarter", "year", "day", "dayofmonth"),
        *("date_format", "weekofyear", "weekday", "unix_micros", "unix_seconds", "dayofyear"),
    }
)
"""Functions whose name Spark prints as it is, in lower case."""


def output_name(expression: str) -> str:
    """The name of an output column that reads ``expression``; ValueError where it is not known."""
    dialect = reader_of("spark")
    text = f"SELECT {expression}"
    try:
        statement = tree_of(text, list(dialect.tokenize(text)), dialect)[0]
    except (SqlglotParseError, TokenError) as error:
        raise ValueError(str(error).splitlines()[0]) from error
    if not isinstance(statement, exp.Select) or len(statement.expressions) != 1:
        raise ValueError("it is not one expression")
    shown = without_parens(statement.expressions[0])
    if isinstance(shown, exp.Cast) and isinstance(shown.this, exp.Column):
        return shown.this.name
    return _name(shown)


def _name(node: Node) -> str:
    if isinstance(node, exp.Paren):
        return _name(node.this)
    if isinstance(node, (exp.Column, exp.Literal)):
        return node.name
    if isinstance(node, exp.Cast) and node.to.this in _TYPES and not node.to.expressions:
        return f"CAST({_name(node.this)} AS {_TYPES[node.to.this]})"
    if isinstance(node, exp.Date):
        inner = _name(node.this)
        return inner if node.meta["spelt"] == "date" else f"to_date({inner})"
    if isinstance(node, NewTime):
        return _of_conversion(node)
    if isinstance(node, exp.TimestampTrunc):
        return f"date_trunc({node.args['unit'].name}, {_name(node.this)})"
    if isinstance(node, tuple(_CALLS)):
        arguments = [node.this, *node.expressions]
        return f"{_CALLS[type(node)]}({', '.join(map(_name, arguments))})"
    if isinstance(node, exp.Anonymous) and node.name.casefold() in _SAME_NAME:
        return f"{node.name.lower()}({', '.join(map(_name, node.expressions))})"
    raise UnknownNameError("the name that Spark gives it is not known")


def _of_conversion(node: NewTime) -> str:
    value, source, target = (node.args[part] for part in ("this", "source", "target"))
    if node.args.get("kind") == "timestamp":
        begin = "current_timezone()" if isinstance(source, exp.Var) else _name(source)
        return f"convert_timezone({begin}, {_name(target)}, {_name(value)})"
    if is_utc(source) and "start" not in source.meta:  # the word that the reader put there
        return f"from_utc_timestamp({_name(value)}, {_name(target)})"
    return f"to_utc_timestamp({_name(value)}, {_name(source)})"

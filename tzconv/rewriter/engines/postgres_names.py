"""The names that PostgreSQL gives output columns without alias (FigureColname in its parser).

A column keeps its name, a call is named after its function, a cast after what is inside it or else
after its type; AT TIME ZONE is a call of timezone(), and all other operators have no name.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from tzconv.rewriter.parse import Node, range_of, tree_of

_NO_NAME = "?column?"
_TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}
_TYPES: dict[exp.DType, str] = {
    exp.DType.TIMESTAMP: "timestamp",
    exp.DType.TIMESTAMPTZ: "timestamptz",
    exp.DType.DATE: "date",
    exp.DType.TIME: "time",
    exp.DType.TIMETZ: "timetz",
    exp.DType.INTERVAL: "interval",
    exp.DType.TEXT: "text",
    exp.DType.VARCHAR: "varchar",
    exp.DType.CHAR: "bpchar",
    exp.DType.BPCHAR: "bpchar",
    exp.DType.BOOLEAN: "bool",
    exp.DType.SMALLINT: "int2",
    exp.DType.INT: "int4",
    exp.DType.BIGINT: "int8",
    exp.DType.DECIMAL: "numeric",
    exp.DType.FLOAT: "float4",
    exp.DType.DOUBLE: "float8",
    exp.DType.JSON: "json",
    exp.DType.JSONB: "jsonb",
    exp.DType.UUID: "uuid",
}
_FIXED: dict[type[Node], tuple[str, int]] = {
    exp.AtTimeZone: ("timezone", 2),
    exp.Array: ("array", 2),
    exp.Exists: ("exists", 2),
    exp.Interval: ("interval", 1),
}
_WITH_CLAUSES = (exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
"""What follows a call and does not change its name."""


def output_name(expression: str, dialect_name: str = "postgres") -> str:
    """The name of an output column that reads ``expression``; ValueError where it is not SQL."""
    dialect = Dialect.get_or_raise(dialect_name)
    text = f"SELECT {expression}"
    try:
        tokens = list(dialect.tokenize(text))
        statement = tree_of(text, tokens, dialect)[0]
    except (SqlglotParseError, TokenError) as error:
        raise ValueError(str(error).splitlines()[0]) from error
    if not isinstance(statement, exp.Select) or len(statement.expressions) != 1:
        raise ValueError("it is not one expression")
    return _Names(text, tokens).name(statement.expressions[0])[0]


class _Names:
    """Names by tree and tokens: the tree no longer says how a function was spelt."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self._text = text
        self._tokens = tokens

    def name(self, node: Node) -> tuple[str, int]:
        """Name and strength: 2 for a real name, 1 for that of a type or CASE, 0 for none."""
        for kind, name in _FIXED.items():
            if isinstance(node, kind):
                return name
        if isinstance(node, (exp.Paren, exp.Collate, exp.Bracket)):
            return self.name(node.this)
        if isinstance(node, exp.Cast):
            inner = self.name(node.this)
            return inner if inner[1] > 1 else (_type_name(node.to), 1)
        if isinstance(node, exp.Case):
            default = node.args.get("default")
            inner = self.name(default) if default is not None else (_NO_NAME, 0)
            return inner if inner[1] > 1 else ("case", 1)
        if isinstance(node, exp.Column):
            return _folded(node.this), 2
        if isinstance(node, exp.Subquery):
            return self._of_subquery(node.this)
        return self._of_call(node)

    def _of_subquery(self, query: Node) -> tuple[str, int]:
        if not isinstance(query, exp.Select) or len(query.expressions) != 1:
            raise ValueError("the name of a subquery's column cannot be told")
        projection = query.expressions[0]
        if isinstance(projection, exp.Alias):
            return _folded(projection.args["alias"]), 2
        return self.name(projection)

    def _of_call(self, node: Node) -> tuple[str, int]:
        called = node
        while isinstance(called, _WITH_CLAUSES):
            called = called.this
        at = range_of(node) or range_of(called)
        is_call = isinstance(called, (exp.Func, exp.Dot)) and not isinstance(called, exp.Binary)
        if not isinstance(called, exp.Dot) and (not is_call or isinstance(called, exp.Connector)):
            return _NO_NAME, 0
        if at is None:
            raise ValueError("its place in the text cannot be told")
        tokens = [t for t in self._tokens if at[0] <= t.start and t.end < at[1]]
        opening = next(
            (i for i, token in enumerate(tokens) if token.token_type == TokenType.L_PAREN),
            len(tokens),
        )
        name = tokens[opening - 1] if opening else None
        qualified = all(token.token_type == TokenType.DOT for token in tokens[1:opening:2])
        if name is None or opening % 2 == 0 or not qualified:
            return _NO_NAME, 0
        word = self._text[name.start : name.end + 1]
        if word.startswith('"'):
            return word[1:-1].replace('""', '"'), 2
        if word.upper() == "TRIM":
            side = tokens[opening + 1].text.upper() if opening + 1 < len(tokens) else ""
            return _TRIMS.get(side, "btrim"), 2
        return word.lower(), 2


def _folded(identifier: Node) -> str:
    return identifier.name if identifier.args.get("quoted") else identifier.name.lower()


def _type_name(type: exp.DataType) -> str:
    if type.this not in _TYPES:
        raise ValueError(f"the name of the type {type.sql('postgres')} is not known")
    return _TYPES[type.this]

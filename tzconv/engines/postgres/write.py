"""How the rewriter writes PostgreSQL's SQL.

It adds intervals to a TIMESTAMP, and shifts a TIMESTAMPTZ by AT TIME ZONE INTERVAL (measured).
"""

from __future__ import annotations

import datetime as dt
import re

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from tzconv.engines.write import Engine
from tzconv.sql.constants import DAY
from tzconv.sql.parse import Node, expression_of, range_of
from tzconv.sql.schema import Kind

_COLUMN = re.compile(r'(?:[\w$]+|"[^"]+")(?:\.(?:[\w$]+|"[^"]+"))*')
_LITERAL = re.compile(r"'(?:[^'\\]|'')*'")
_NO_NAME = "?column?"
_TYPES = {
    "char": "bpchar",
    "boolean": "bool",
    "smallint": "int2",
    "int": "int4",
    "bigint": "int8",
    "decimal": "numeric",
    "real": "float4",
    "double": "float8",
}
"""What the server calls the types that have another name in standard SQL."""
_TYPE = re.compile(r'(?:(?:[\w$]+|"(?:[^"]|"")*")\.)*(?:([\w$]+)|"((?:[^"]|"")*)")')
_FIXED: dict[type[Node], tuple[str, int]] = {
    exp.AtTimeZone: ("timezone", 2),
    exp.Array: ("array", 2),
    exp.Exists: ("exists", 2),
    exp.Interval: ("interval", 1),
}
_WITH_CLAUSES = (exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
"""Clauses of a call that do not change its name."""


class IntervalWriter(Engine):
    """An offset is an interval without months and days, so that adding it is plain arithmetic.

    For engines with PostgreSQL's types and operators.
    """

    # POSIX names reach to 167:59:59, and their summer time to one hour more
    widest_offset = 8 * DAY
    # the server looks for abbreviations before zones, in any case
    fixed_names = ("CET", "EET", "EST", "HST", "MET", "MST", "WET")
    compares_sides = False  # a comparison is computed for each pair of rows
    fewest_of_one = 1_000  # 1,100 rows: 0.81 of the function; 460: 0.79; 14,000: 0.67
    zone_must_be_text = True

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        return f"({_operand(value)} AT TIME ZONE 'UTC')" if kind == "timestamptz" else value

    def offset(self, microseconds: int) -> str:
        amount = dt.timedelta(microseconds=abs(microseconds))
        text = str(amount).removesuffix(":00").zfill(5)
        return f"INTERVAL '{'-' if microseconds < 0 else ''}{text}'"

    def offset_of_seconds(self, seconds: str) -> str:
        # the system multiplies an interval by a double only: another operator could fit better
        return f"({seconds}::float8 * INTERVAL '1 second')"

    def shifted(self, value: str, kind: Kind, offset: str, gives: Kind | None = None) -> str:
        value = _operand(value)
        if kind == "timestamptz":
            return f"{value} AT TIME ZONE {offset}"
        return f"{value} + {offset}"

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        if kind == "timestamp":
            return f"{_operand(value)} - {offset}"
        return f"{_operand(value)} AT TIME ZONE {offset}"

    def alone(self, shifted: str) -> str:
        return f"({shifted})"

    def as_text(self, zone: str) -> str:
        # the first use of a parameter decides its type
        return f"CAST({zone} AS text)"

    def output_name(self, expression: str) -> str:
        """The rules of FigureColname() in its parser.

        A column keeps its name, a call is named after its function, a cast after its operand or
        else its type; AT TIME ZONE is a call of timezone(), and other operators have no name.
        """
        text = f"SELECT {expression}"
        node, tokens = expression_of(text, self.name)
        return _name(node, text, tokens)[0]


class PostgresWriter(IntervalWriter):
    """PostgreSQL's own functions, and how its planner was measured to work."""

    name = "postgres"
    has_array_lookup = True
    hides_once = True
    join_limit = 8  # join_collapse_limit and from_collapse_limit as shipped
    views_are_updatable = True
    looks_at_zones_last = True  # a LEFT JOIN that finds 1 %: 0.8 of the function, not 1.05 to 1.3
    fewest_rows = 20_000  # 25,000 rows: 0.76-0.95 of the function; 12,000: 1.0-1.4
    bucket = "pg_catalog.date_bin(INTERVAL '{seconds} seconds', {value}, TIMESTAMP '1970-01-01')"
    # no ends: `array` is as fast, even for few rows

    def is_zone(self, name: str, zone: str) -> str:
        # a user's operator of varchar and varchar would fit better than the system's of text
        text = zone if _LITERAL.fullmatch(zone) else f"{_operand(zone)}::text"
        return f"{name}::text = {text}"

    def once(self, value: str) -> str:
        return f"(SELECT {value})"


def _operand(value: str) -> str:
    return value if _COLUMN.fullmatch(value) else f"({value})"


def _name(node: Node, text: str, tokens: list[Token]) -> tuple[str, int]:
    """Name and strength: 2 for a real name or a subquery, 1 for a type or CASE, 0 for none.

    The spelling of a function is in the tokens of the text, not in the tree.
    """
    for kind, name in _FIXED.items():
        if isinstance(node, kind):
            return name
    if isinstance(node, (exp.Paren, exp.Collate, exp.Bracket)):
        return _name(node.this, text, tokens)
    if isinstance(node, (exp.Cast, exp.Case)):
        named = node.this if isinstance(node, exp.Cast) else node.args.get("default")
        inner = (_NO_NAME, 0) if named is None else _name(named, text, tokens)
        if inner[1] > 1:
            return inner
        if isinstance(node, exp.Case):
            return "case", 1
        return _name_of_type(node.to), 1
    if isinstance(node, (exp.Column, exp.Alias)):  # an alias in a subquery
        name = node.this if isinstance(node, exp.Column) else node.args["alias"]
        return name.name if name.args.get("quoted") else name.name.lower(), 2
    if isinstance(node, exp.Subquery):
        select = node.unnest()
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            raise ValueError("the name of a subquery's column is unknown")
        return _name(select.expressions[0], text, tokens)[0], 2
    return _name_of_call(node, text, tokens)


def _name_of_type(kind: exp.DataType) -> str:
    """The last part of a type's name; an array has that of its elements."""
    written = kind.sql("postgres")
    found = _TYPE.match(written)
    if found is None:
        raise ValueError(f"the name of the type {written} is not known")
    if kind.is_type(exp.DType.DOUBLE) and kind.expressions:  # FLOAT and how many bits it keeps
        return "float4" if int(kind.expressions[0].name) <= 24 else "float8"
    name, quoted = found.groups()
    return _TYPES.get(name.lower(), name.lower()) if name else quoted.replace('""', '"')


def _name_of_call(node: Node, text: str, tokens: list[Token]) -> tuple[str, int]:
    called = node
    while isinstance(called, _WITH_CLAUSES):
        called = called.this
    is_call = isinstance(called, exp.Func) and not isinstance(called, exp.Binary)
    if not is_call and not isinstance(called, exp.Dot):
        return _NO_NAME, 0
    at = range_of(node) or range_of(called)
    if at is None:
        raise ValueError("it cannot be located in the text for certain")
    tokens = [t for t in tokens if at[0] <= t.start and t.end < at[1]]
    kinds = [token.token_type for token in tokens] + [TokenType.L_PAREN]
    opening = kinds.index(TokenType.L_PAREN)
    if opening % 2 == 0 or any(kind != TokenType.DOT for kind in kinds[1:opening:2]):
        return _NO_NAME, 0
    name = tokens[opening - 1]
    word = text[name.start : name.end + 1]
    if word.startswith('"'):
        return word[1:-1].replace('""', '"'), 2
    if word.upper() == "TRIM":
        side = tokens[opening + 1].text.upper() if opening + 1 < len(tokens) else ""
        return {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, "btrim"), 2
    return word.lower(), 2


WRITER = PostgresWriter()

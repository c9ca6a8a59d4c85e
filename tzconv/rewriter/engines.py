"""How each engine writes what a rewrite needs: one small class an engine, all of the same shape."""

from __future__ import annotations

from typing import Protocol

from tzconv.errors import RewriteError
from tzconv.rewriter.constants import DAY, to_text
from tzconv.rewriter.schema import Kind
from tzconv.zones import Rules


class Engine(Protocol):
    """What differs between engines. Arguments and results are SQL text unless said otherwise."""

    name: str
    widest_offset: int
    """Microseconds. No zone the engine accepts, IANA or not, is further from UTC."""

    def constant(self, value: int, kind: Kind) -> str:
        """A UTC time in microseconds since 1970 as a constant of that kind."""
        ...

    def column_as(self, column: str, kind: Kind) -> str:
        """A TIMESTAMP column that holds UTC, as a value of that kind."""
        ...

    def infinity(self, kind: Kind, sign: int) -> str:
        """A constant of that kind before (``sign`` -1) or after (1) all times."""
        ...

    def shifted(self, value: str, microseconds: str) -> str:
        """A UTC value of either kind moved by that many microseconds, as a TIMESTAMP."""
        ...

    def as_timestamp(self, value: str) -> str:
        """A TIMESTAMPTZ as the TIMESTAMP that the session's time zone shows."""
        ...

    def output_name(self, expression: str) -> str:
        """The name that the engine gives an output column without alias.

        ValueError where the engine cannot read the expression.
        """
        ...

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        """The IANA name that a constant zone means to the engine; None if it means none."""
        ...


class DuckDB:
    """DuckDB: integers are added, because intervals cost three times as much (measured)."""

    name = "duckdb"
    widest_offset = DAY  # GMT+23:59 is the widest zone that DuckDB reads

    def constant(self, value: int, kind: Kind) -> str:
        if kind == "timestamptz":
            return f"TIMESTAMPTZ '{to_text(value)}+00'"
        return f"TIMESTAMP '{to_text(value)}'"

    def column_as(self, column: str, kind: Kind) -> str:
        return f"{column} AT TIME ZONE 'UTC'" if kind == "timestamptz" else column

    def infinity(self, kind: Kind, sign: int) -> str:
        return f"{kind.upper()} '{'-' if sign < 0 else ''}infinity'"

    def shifted(self, value: str, microseconds: str) -> str:
        sign = "-" if microseconds.startswith("-") else "+"
        return f"make_timestamp(epoch_us({value}) {sign} {microseconds.removeprefix('-')})"

    def as_timestamp(self, value: str) -> str:
        return f"CAST({value} AS TIMESTAMP)"

    def output_name(self, expression: str) -> str:
        import duckdb  # the engine alone knows how it prints an expression; this only parses

        try:
            return str(duckdb.SQLExpression(expression).get_name())
        except duckdb.Error as error:
            raise ValueError(str(error).splitlines()[0]) from error

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        folded = constant.casefold()
        return next((name for name in rules.names if name.casefold() == folded), None)


_ENGINES: dict[str, Engine] = {engine.name: engine for engine in (DuckDB(),)}

DIALECTS: tuple[str, ...] = tuple(_ENGINES)
"""The dialects that can be rewritten."""


def engine_of(dialect: str) -> Engine:
    """The engine of a dialect; RewriteError for one that is not supported."""
    if dialect not in _ENGINES:
        raise RewriteError(
            f"The dialect {dialect!r} is not supported: choose one of {', '.join(DIALECTS)}."
        )
    return _ENGINES[dialect]


def quoted(name: str) -> str:
    """An identifier between double quotes."""
    return '"' + name.replace('"', '""') + '"'

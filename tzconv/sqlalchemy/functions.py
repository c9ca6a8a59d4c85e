"""Conversions for new code, compiled to each database's own function.

A query that uses them returns the same rows with and without rewriting::

    select(local_time(actions.c.action_event_time, publishers.c.time_zone_name))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine.default import StrCompileDialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import BindParameter, ColumnClause
from sqlalchemy.sql.functions import FunctionElement

from tzconv import engines
from tzconv.engines.alchemy import Alchemy
from tzconv.errors import DatabaseError, RewriteError
from tzconv.sql.text import literal

if TYPE_CHECKING:
    from sqlalchemy.sql import ColumnElement, SQLColumnExpression
    from sqlalchemy.sql.compiler import SQLCompiler


class local_time(FunctionElement[Any]):  # noqa: N801 - it is used as a function
    """``column``, a UTC time, as the local TIMESTAMP in ``zone``.

    ``column`` is a TIMESTAMP in UTC, or a TIMESTAMPTZ; its type must be declared. ``zone`` is an
    IANA name or an expression. RewriteError if the column has another type.
    """

    inherit_cache = True
    name = "local_time"

    def __init__(
        self, column: SQLColumnExpression[Any], zone: str | SQLColumnExpression[Any]
    ) -> None:
        self.type = sa.TIMESTAMP()
        super().__init__(_time(column), _zone(zone))


class new_time(FunctionElement[Any]):  # noqa: N801 - it is used as a function
    """``column``, a local TIMESTAMP in ``from_zone``, as the local TIMESTAMP in ``to_zone``.

    The NEW_TIME of Vertica and Oracle. Zones are IANA names or expressions. RewriteError if the
    column is not a TIMESTAMP without time zone.
    """

    inherit_cache = True
    name = "new_time"

    def __init__(
        self,
        column: SQLColumnExpression[Any],
        from_zone: str | SQLColumnExpression[Any],
        to_zone: str | SQLColumnExpression[Any],
    ) -> None:
        moment = _time(column)
        if getattr(moment.type, "timezone", False):
            raise RewriteError(
                f"new_time() takes a TIMESTAMP without time zone, and {column} has one: "
                "use local_time()."
            )
        self.type = sa.TIMESTAMP()
        super().__init__(moment, _zone(from_zone), _zone(to_zone))


def _clause(given: Any) -> Any:
    """The column of an attribute of a mapped class."""
    return given.__clause_element__() if hasattr(given, "__clause_element__") else given


def _time(given: SQLColumnExpression[Any]) -> ColumnElement[Any]:
    column = _clause(given)
    if not isinstance(column, sa.sql.ColumnElement):
        raise RewriteError(f"{column!r} is no column: give a column or another SQL expression.")
    if not isinstance(column.type, sa.DateTime):
        raise RewriteError(
            f"{column} is not declared as TIMESTAMP or TIMESTAMPTZ, and what a conversion means "
            "depends on that: declare its type, or use type_coerce()."
        )
    return column


def _zone(given: str | SQLColumnExpression[Any]) -> ColumnElement[Any]:
    """A constant zone is part of the text, so that the rewriter sees it."""
    zone = _clause(given)
    if isinstance(zone, sa.sql.ColumnElement):
        return zone
    if not isinstance(zone, str):
        raise RewriteError(f"{zone!r} is no time zone: give its name or an SQL expression.")
    if "\0" in zone or "\\" in zone:
        raise RewriteError(f"{zone!r} is not the name of a time zone.")
    # literal_column() reads a colon as the start of a parameter, drivers a percent sign
    if ":" in zone or "%" in zone:
        return sa.literal(zone)
    return sa.literal_column(literal(zone), sa.Text())


def _operands(element: FunctionElement[Any], compiler: SQLCompiler, **kw: Any) -> list[str]:
    """The arguments, in parentheses unless they are a name, a constant or a parameter."""
    return [
        text if isinstance(clause, (BindParameter, ColumnClause)) else f"({text})"
        for clause in element.clauses
        for text in [compiler.process(clause.self_group(), **kw)]
    ]


def _local_time(element: local_time, compiler: SQLCompiler, **kw: Any) -> str:
    column, zone = _operands(element, compiler, **kw)
    if getattr(next(iter(element.clauses)).type, "timezone", False):
        return f"({column} AT TIME ZONE {zone})"
    return _between_zones(compiler, column, "'UTC'", zone)


def _new_time(element: new_time, compiler: SQLCompiler, **kw: Any) -> str:
    return _between_zones(compiler, *_operands(element, compiler, **kw))


def _between_zones(compiler: SQLCompiler, column: str, from_zone: str, to_zone: str) -> str:
    if isinstance(compiler.dialect, StrCompileDialect):  # str(select(...)) has no database
        return Alchemy.between_zones(column, from_zone, to_zone)
    try:
        _, alchemy = engines.alchemy_of(compiler.dialect.name)
    except DatabaseError as error:
        raise sa.exc.CompileError(str(error)) from error
    return alchemy.between_zones(column, from_zone, to_zone)


for _name in (
    StrCompileDialect.name,
    *(_facts.scheme for _facts in map(engines.facts_of, engines.DIALECTS) if _facts.has_alchemy),
):
    compiles(local_time, _name)(_local_time)
    compiles(new_time, _name)(_new_time)

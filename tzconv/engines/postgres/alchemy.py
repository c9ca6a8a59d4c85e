"""Questions to a session of PostgreSQL, with any driver; psycopg answers some by itself."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from tzconv.engines.alchemy import Alchemy, Path, Relation, Types, types_by_name
from tzconv.engines.postgres import expected, plan
from tzconv.sql.binder import Bind
from tzconv.sql.reading import ITEM
from tzconv.sql.reasons import Reason
from tzconv.sql.text import identifier, literal

if TYPE_CHECKING:
    from tzconv.sql.built import Built

COLUMNS = """
    SELECT n.nspname, c.relname, a.attname,
           CASE WHEN a.attcollation OPERATOR(pg_catalog.=) ANY (
               SELECT l.oid FROM pg_catalog.pg_collation l WHERE NOT l.collisdeterministic)
             THEN 'nondeterministic'
             WHEN t.typtype OPERATOR(pg_catalog.=) 'd'
             AND t.typbasetype OPERATOR(pg_catalog.=) ANY ('{25,1043}'::pg_catalog.oid[])
             THEN 'text' ELSE pg_catalog.format_type(a.atttypid, a.atttypmod) END,
           pg_catalog.pg_table_is_visible(c.oid)
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
    JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2 AND NOT a.attisdropped
      AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,v,m,f,p}'::pg_catalog."char"[])
      AND n.nspname OPERATOR(pg_catalog.<>) ALL
          ('{pg_catalog,information_schema,pg_toast}'::pg_catalog.name[])
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
      AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'){named}
    ORDER BY c.oid, a.attnum
    """
"""Schema, table, column, type, and whether the table is found without its schema.

A domain over text or varchar counts as text, as it does to AT TIME ZONE. Text whose collation is
nondeterministic does not: two names of zones may be equal there. The query runs in a session of the
application, so no name in it depends on the search path.
"""
_NAMED = """ AND c.relname OPERATOR(pg_catalog.=) ANY ({names}::pg_catalog.name[])
      AND (pg_catalog.pg_table_is_visible(c.oid)
        OR n.nspname OPERATOR(pg_catalog.=) ANY ({names}::pg_catalog.name[]))"""
_HOMES = """
    SELECT n.nspname, pg_catalog.min(pg_catalog.quote_ident(o.rolname)) FILTER (WHERE NOT (
        o.rolsuper OR o.oid OPERATOR(pg_catalog.=) n.nspowner
        OR o.oid OPERATOR(pg_catalog.=) d.datdba
        OR NOT me.rolsuper AND pg_catalog.pg_has_role(me.oid, o.oid, 'MEMBER')))
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    JOIN pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) c.relowner
    JOIN pg_catalog.pg_database d ON d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
    JOIN pg_catalog.pg_roles me ON me.rolname OPERATOR(pg_catalog.=) CURRENT_USER
    WHERE c.relname OPERATOR(pg_catalog.=) ANY ({names}::pg_catalog.name[])
      AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,v,m,f,p}'::pg_catalog."char"[])
      AND n.nspname OPERATOR(pg_catalog.=) ANY (pg_catalog.current_schemas(false))
    GROUP BY n.nspname
    """
_IDLE = 0
"""libpq's number of a connection without a transaction."""
_WITH = re.compile(r"WITH(?:\s+RECURSIVE)?\b", re.IGNORECASE)
_UNBOUND = ("42", "3F", "0A")
"""Classes of SQLSTATE: wrong names, types or rights, no such schema, a plan of another type."""
# the operators' operands must have one type: an array of TIMESTAMPTZ equals none of TIMESTAMP
_EXACT = "ARRAY[{column}] OPERATOR(pg_catalog.=) NULL::pg_catalog.{type}[]"
_CHECKS = {
    **{
        kind: _EXACT.replace("{type}", kind)
        for kind in ("timestamp", "timestamptz", "date", "time", "interval", "tsrange", "tstzrange")
    },
    "text": "{column} OPERATOR(pg_catalog.~~) ''::pg_catalog.text",
    "number": "{column} OPERATOR(pg_catalog.=) 0",
}
"""A condition that binds only for a column of the kind."""


def _value(alias: str, path: Path) -> str:
    column, *fields = path
    value = f"{alias}.{identifier(column)}"
    for field in fields:
        value = f"({value})[1]" if field == ITEM else f"({value}).{identifier(field)}"
    return value


class PostgresAlchemy(Alchemy):
    """The catalog of PostgreSQL; an error ends a transaction there."""

    reports_zone = True
    database = "SELECT pg_catalog.current_database()"
    has_savepoints = True
    percent_drivers = ("psycopg",)

    def column_types(
        self, names: Collection[str] | None = None, *, is_changing: bool = False
    ) -> Types:
        named = "" if names is None else _NAMED.format(names=_array(names))
        return types_by_name(self.ask(COLUMNS.replace("{named}", named)))

    def homes(self, names: Collection[str]) -> list[tuple[str, str | None]]:
        return [(row[0], row[1]) for row in self.ask(_HOMES.replace("{names}", _array(names)))]

    @staticmethod
    def typed(sql: str, start: int, relations: Sequence[Relation], zone: str | None) -> str:
        """In a CTE that no one reads: the server binds it and plans nothing."""
        name = "tzconv_types"
        while name in sql:
            name += "_"
        tables: list[str] = []
        checks: list[str] = []
        for relation in {one.name: one for one in relations if one.kinds}.values():
            alias = f"t{len(tables)}"
            own = [
                _CHECKS[kind].format(column=_value(alias, path))
                for path, kind in relation.kinds.items()
                if kind in _CHECKS
            ]
            if own:  # a CTE of the statement has none, and is not visible before it
                tables.append(f"{relation.name} AS {alias}")
                checks += own
        if not checks:
            return sql
        cte = f"{name} AS (SELECT FROM {', '.join(tables)} WHERE {' AND '.join(checks)})"
        found = _WITH.match(sql, start)
        if found is None:
            return f"{sql[:start]}WITH {cte} {sql[start:]}"
        return f"{sql[: found.end()]} {cte},{sql[found.end() :]}"

    @staticmethod
    def is_stale(error: BaseException) -> bool:
        state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
        return str(state)[:2] in _UNBOUND

    @staticmethod
    def is_idle(driver: Any) -> bool:
        # pgconn is that of psycopg 3, without its checks
        info = getattr(driver, "pgconn", None) or getattr(driver, "info", None)
        return getattr(info, "transaction_status", None) == _IDLE

    @staticmethod
    def search_path(driver: Any) -> str | None:
        return _reported(driver, "search_path")

    @staticmethod
    def reported_zone(driver: Any) -> str | None:
        return _reported(driver, "TimeZone")

    def explain(self, statement: str, parameters: Any = None, *, is_generic: bool = False) -> Any:
        return expected.explain(statement, self.ask, parameters, is_generic=is_generic)

    def expected_rows(self, explained: Any) -> float | None:
        return expected.expected_rows(explained, self.ask)

    def loss(self, before: Any, after: Any, known: Any = None) -> Reason | None:
        size = functools.cache(lambda relation: expected.size_of(relation, self.ask))
        shares = functools.partial(expected.shares_of, ask=self.ask)
        rows = functools.partial(expected.expected_rows, before, self.ask)
        return plan.loss(before, after, size, shares, rows, known)

    def indexes(self, explained: Any) -> frozenset[str] | None:
        return frozenset(plan.indexes(explained))

    def built(self) -> tuple[Built, ...]:
        from tzconv.engines.postgres import stored  # with sqlglot, which a refresh does not need

        return tuple(stored.built(self.ask))

    def bind(self) -> Bind | None:
        if not hasattr(self.driver, "pgconn"):
            return None
        from tzconv.engines.postgres import query  # it needs psycopg

        return functools.partial(query.bind, self.driver.pgconn)


def _reported(driver: Any, setting: str) -> str | None:
    """A setting that the server reports; None if it does not, or the driver keeps no such thing."""
    connection = getattr(driver, "pgconn", None)
    if connection is not None:  # of psycopg 3, without its checks and encodings
        found = connection.parameter_status(setting.encode()) or b""
        return found.decode(errors="surrogateescape") or None  # in the encoding of the session
    status = getattr(getattr(driver, "info", None), "parameter_status", None)
    return None if status is None else status(setting) or None


def _array(names: Collection[str]) -> str:
    return f"ARRAY[{', '.join(map(literal, sorted(names)))}]"


ALCHEMY = PostgresAlchemy

"""Questions to a session of PostgreSQL, with any driver; psycopg answers some by itself."""

from __future__ import annotations

import functools
from typing import Any

from tzconv.engines.alchemy import Alchemy, Ask, Types, types_by_name
from tzconv.engines.postgres import expected
from tzconv.sql.binder import Bind

COLUMNS = """
    SELECT n.nspname, c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
           pg_catalog.pg_table_is_visible(c.oid)
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2 AND NOT a.attisdropped
      AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,v,m,f,p}'::pg_catalog."char"[])
      AND n.nspname OPERATOR(pg_catalog.<>) ALL
          ('{pg_catalog,information_schema,pg_toast}'::pg_catalog.name[])
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
      AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
    ORDER BY c.oid, a.attnum
    """
"""Schema, table, column, type, and whether the table is found without its schema.

It runs in a session of the application, so no name in it depends on the search path.
"""


class PostgresAlchemy(Alchemy):
    """The catalog of PostgreSQL; an error ends a transaction there."""

    reports_zone = True
    has_savepoints = True
    has_rows_at_once = True
    percent_drivers = ("psycopg",)

    def column_types(self, driver: Any, ask: Ask, *, is_changing: bool = False) -> Types:
        return types_by_name(ask(COLUMNS))

    def session_time_zone(self, driver: Any, ask: Ask) -> str:
        if hasattr(driver, "info"):
            reported = getattr(driver.info, "parameter_status", lambda name: None)("TimeZone")
            if reported:
                return str(reported)
        return super().session_time_zone(driver, ask)

    def expected_rows(self, driver: Any, ask: Ask, statement: str, parameters: Any) -> float | None:
        return expected.expected_rows(statement, functools.partial(ask, parameters=parameters))

    def bind(self, driver: Any) -> Bind | None:
        if not hasattr(driver, "pgconn"):
            return None
        from tzconv.engines.postgres import query  # it needs psycopg

        return functools.partial(query.bind, driver.pgconn, for_us=True)


ALCHEMY = PostgresAlchemy()

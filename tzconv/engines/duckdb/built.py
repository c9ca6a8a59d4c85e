"""DuckDB's indexes on expressions: it finds their rows by the form of the expression."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tzconv.errors import ParseError
from tzconv.sql.built import Built, from_ddl
from tzconv.sql.parse import parse

_INDEXES = """
    SELECT schema_name, table_name, schema_name = system.main.current_schema(), sql
    FROM system.main.duckdb_indexes()
    WHERE database_name = system.main.current_database() AND sql ILIKE '%zone%'
    ORDER BY ALL
    """


def read(run: Callable[[str], list[Any]]) -> tuple[Built, ...]:
    """The indexes on expressions that convert zones."""
    return tuple(_built(run(_INDEXES)))


def _built(rows: list[Any]) -> Iterator[Built]:
    for schema, table, is_visible, sql in rows:
        try:
            # before 2.0 the catalog names the schema of a function
            [statement] = parse(
                sql.replace("main.timezone(", "timezone("), "duckdb", with_places=False
            ).statements
        except (ParseError, ValueError):
            continue
        for one in from_ddl(statement, "duckdb"):
            names = [f"{schema}.{table}", *([table] if is_visible else [])]
            if "." not in one.table:
                yield from (one._replace(table=name.casefold()) for name in names)

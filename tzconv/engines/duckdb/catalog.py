"""Column types of the user's tables and views in DuckDB."""

from __future__ import annotations

import contextlib
from typing import Any

import duckdb

from tzconv.engines.catalog import Types, types_by_name
from tzconv.sql.text import identifier

COLUMNS = """
    SELECT CASE database_name WHEN 'temp' THEN 'temp' ELSE schema_name END, table_name,
           column_name, data_type, database_name = 'temp' OR (schema_name = current_schema()
           AND lower(table_name) NOT IN (SELECT lower(table_name) FROM duckdb_columns()
                                         WHERE database_name = 'temp'))
    FROM duckdb_columns() WHERE database_name IN (current_database(), 'temp') AND NOT internal
    ORDER BY column_index
    """

_VIEWS = """
    SELECT schema_name, view_name FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
    """


def column_types(connection: duckdb.DuckDBPyConnection, *, is_changing: bool = False) -> Types:
    """Types of the columns of tables and views, for a connection.

    DuckDB's catalog keeps the types that a view had when it was last read, so the views are read
    first. They are left out where this session has temporary tables or, with ``is_changing``, a
    change of tables in an open transaction: another session cannot see those.
    """

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return connection.execute(sql).fetchall()

    views = set(rows(_VIEWS))
    if not is_changing and not any(schema == "temp" for schema, *_ in rows(COLUMNS)):
        # in a session of its own, because an error would end the caller's transaction
        with connection.duplicate() as own:
            for view in list(views):
                with contextlib.suppress(duckdb.Error):  # its tables are gone
                    own.execute(f"DESCRIBE {'.'.join(map(identifier, view))}")
                    views.remove(view)
    found = [row for row in rows(COLUMNS) if row[:2] not in views]
    return types_by_name(found)

"""Column types of the user's own tables, as the catalogs of the databases tell them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tzconv.sql.text import identifier

if TYPE_CHECKING:
    import duckdb

Types: TypeAlias = dict[str, dict[str, str]]

COLUMNS = {
    "duckdb": """
        SELECT CASE database_name WHEN 'temp' THEN 'temp' ELSE schema_name END, table_name,
               column_name, data_type, database_name = 'temp' OR (schema_name = current_schema()
               AND lower(table_name) NOT IN (SELECT lower(table_name) FROM duckdb_columns()
                                             WHERE database_name = 'temp'))
        FROM duckdb_columns() WHERE database_name IN (current_database(), 'temp') AND NOT internal
        ORDER BY column_index
        """,
    "postgres": """
        SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
               pg_table_is_visible(c.oid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
          AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
          AND has_schema_privilege(n.oid, 'USAGE')
          AND has_any_column_privilege(c.oid, 'SELECT')
        ORDER BY c.oid, a.attnum
        """,
    "vertica": (
        "SELECT table_schema, table_name, column_name, data_type FROM ("
        "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
        "FROM v_catalog.columns UNION ALL "
        "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
        "FROM v_catalog.view_columns) AS found ORDER BY 1, 2, ordinal_position"
    ),
}
"""By dialect: schema, table, column, type, and whether the table is found without its schema.

Vertica does not say the last: its search path does.
"""

_VIEWS = """
    SELECT schema_name, view_name FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
    """


def duckdb_types(connection: duckdb.DuckDBPyConnection, *, is_changing: bool = False) -> Types:
    """Types of the columns of DuckDB's tables and views, for a connection.

    DuckDB's catalog keeps the types that a view had when it was last read, so the views are read
    first. They are left out where this session has temporary tables or, with ``is_changing``, a
    change of tables in an open transaction: another session cannot see those.
    """
    import duckdb

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return connection.execute(sql).fetchall()

    views = set(rows(_VIEWS))
    if not is_changing and not any(schema == "temp" for schema, *_ in rows(COLUMNS["duckdb"])):
        # in a session of its own, because an error would end the caller's transaction
        with connection.duplicate() as own:
            for view in list(views):
                with contextlib.suppress(duckdb.Error):  # its tables are gone
                    own.execute(f"DESCRIBE {'.'.join(map(identifier, view))}")
                    views.remove(view)
    found = [row for row in rows(COLUMNS["duckdb"]) if row[:2] not in views]
    return types_by_name(found)


def types_by_name(columns: Iterable[Sequence[Any]], path: Sequence[str] = ()) -> Types:
    """Rows of ``COLUMNS`` by ``schema.table``, and by ``table`` where that is enough.

    ``path`` has the schemas of Vertica's search path.
    """
    types: Types = {}
    for schema, table, column, text, *found in columns:
        types.setdefault(f"{schema}.{table}", {})[column] = text
        if any(found):
            types.setdefault(table, {})[column] = text
    for schema in path:
        for name, columns_of_table in list(types.items()):
            if name.startswith(f"{schema}."):
                types.setdefault(name.removeprefix(f"{schema}."), columns_of_table)
    return types


def schemas_of_path(path: str, user: str) -> list[str]:
    """The schemas of a search path of Vertica in order, ``"$user"`` replaced."""
    names = [name.strip().strip('"') for name in path.split(",")]
    return [user if name == "$user" else name for name in names]

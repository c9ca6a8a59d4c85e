"""Column types of the user's own tables, as the catalogs of DuckDB and PostgreSQL tell them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Types: TypeAlias = dict[str, dict[str, str]]

COLUMNS = {
    "duckdb": """
        SELECT schema_name, table_name, column_name, data_type, schema_name = current_schema()
        FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
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
}
"""By dialect: schema, table, column, type, and whether the table is found without its schema."""


def types_by_name(columns: Iterable[Sequence[Any]]) -> Types:
    """Rows of ``COLUMNS`` by ``schema.table``, and by ``table`` where that is enough."""
    types: Types = {}
    for schema, table, column, text, is_found in columns:
        types.setdefault(f"{schema}.{table}", {})[column] = text
        if is_found:
            types.setdefault(table, {})[column] = text
    return types

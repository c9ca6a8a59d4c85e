"""Column types of the user's tables and views in PostgreSQL."""

from __future__ import annotations

COLUMNS = """
    SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
           pg_table_is_visible(c.oid)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
      AND has_schema_privilege(n.oid, 'USAGE')
      AND has_any_column_privilege(c.oid, 'SELECT')
    ORDER BY c.oid, a.attnum
    """
"""Schema, table, column, type, and whether the table is found without its schema."""

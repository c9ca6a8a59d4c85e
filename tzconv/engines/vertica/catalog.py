"""Column types of the user's tables and views in Vertica."""

from __future__ import annotations

COLUMNS = (
    "SELECT table_schema, table_name, column_name, data_type FROM ("
    "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
    "FROM v_catalog.columns UNION ALL "
    "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
    "FROM v_catalog.view_columns) AS found ORDER BY 1, 2, ordinal_position"
)
"""Schema, table, column and type; whether a schema is needed, the search path says."""


def schemas_of_path(path: str, user: str) -> list[str]:
    """The schemas of a search path in order, ``"$user"`` replaced."""
    names = [name.strip().strip('"') for name in path.split(",")]
    return [user if name == "$user" else name for name in names]

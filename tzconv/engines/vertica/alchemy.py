"""Questions to a session of Vertica."""

from __future__ import annotations

from collections.abc import Collection

from tzconv.engines.alchemy import Alchemy, Types, types_by_name

COLUMNS = (
    "SELECT table_schema, table_name, column_name, data_type FROM ("
    "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
    "FROM v_catalog.columns UNION ALL "
    "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
    "FROM v_catalog.view_columns) AS found ORDER BY 1, 2, ordinal_position"
)
"""Schema, table, column and type; the search path says whether a schema is needed."""
SEARCH_PATH = "SHOW SEARCH_PATH"


class VerticaAlchemy(Alchemy):
    """Vertica's catalog; SHOW returns the name of a setting before its value."""

    database = "SELECT CURRENT_DATABASE()"
    session_zone = "SHOW TIMEZONE"
    has_one_cursor = True
    has_shadow = False

    def column_types(
        self, names: Collection[str] | None = None, *, is_changing: bool = False
    ) -> Types:
        path, user = str(self.ask(SEARCH_PATH)[0][1]), str(self.ask("SELECT CURRENT_USER")[0][0])
        schemas = [name.strip().strip('"') for name in path.split(",")]
        wanted = None if names is None else {name.lower() for name in names}
        rows = [row for row in self.ask(COLUMNS) if wanted is None or str(row[1]).lower() in wanted]
        return types_by_name(rows, [user if schema == "$user" else schema for schema in schemas])

    @staticmethod
    def between_zones(column: str, from_zone: str, to_zone: str) -> str:
        return f"new_time({column}, {from_zone}, {to_zone})"


ALCHEMY = VerticaAlchemy

"""What is asked of Vertica's catalog, as SELECT statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tzconv.backends.sql import ALEMBIC_COLUMN, literal

Types: TypeAlias = dict[str, dict[str, str]]

COLUMNS = (
    "SELECT table_schema, table_name, column_name, data_type FROM ("
    "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
    "FROM v_catalog.columns UNION ALL "
    "SELECT table_schema, table_name, column_name, data_type, ordinal_position "
    "FROM v_catalog.view_columns) AS found ORDER BY 1, 2, ordinal_position"
)
"""Columns of all tables and views that the user may see."""


def types_by_name(columns: Iterable[Sequence[str]], path: list[str]) -> Types:
    """Rows of ``COLUMNS`` by ``schema.table``, and by ``table`` where the search path finds it."""
    types: Types = {}
    for schema, table, column, text in columns:
        types.setdefault(f"{schema}.{table}", {})[column] = text
    for schema in path:
        for name, found in list(types.items()):
            if name.startswith(f"{schema}."):
                types.setdefault(name.removeprefix(f"{schema}."), found)
    return types


def create_migration(name: str) -> str:
    """The table of revisions as Alembic would make it; it serves as a lock, too."""
    plain = name.rpartition(".")[2]
    return (
        f"CREATE TABLE IF NOT EXISTS {name} ({ALEMBIC_COLUMN} VARCHAR(32) NOT NULL, "
        f"CONSTRAINT {plain}_pkc PRIMARY KEY ({ALEMBIC_COLUMN}) DISABLED) "
        f"ORDER BY {ALEMBIC_COLUMN} UNSEGMENTED ALL NODES"
    )


def has_schema(schema: str) -> str:
    """A row where the schema exists."""
    return f"SELECT 1 FROM v_catalog.schemata WHERE {_is('schema_name', schema)}"


def columns_of(schema: str | None, table: str) -> list[str]:
    """Names and types of the columns of a table; the same of a view."""
    return [
        f"SELECT LOWER(column_name), LOWER(data_type) FROM v_catalog.{view} "
        f"WHERE {_is('table_schema', schema)} AND {_is('table_name', table)} "
        "ORDER BY ordinal_position"
        for view in ("columns", "view_columns")
    ]


def kind_of(schema: str | None, table: str) -> str:
    """``TABLE`` or ``VIEW``, or what else has that name."""
    return (
        "SELECT table_type FROM v_catalog.all_tables "
        f"WHERE {_is('schema_name', schema)} AND {_is('table_name', table)}"
    )


def used_bytes(schema: str | None) -> str:
    """Bytes by table, of all copies on all nodes."""
    return (
        "SELECT LOWER(anchor_table_name), SUM(used_bytes) FROM v_monitor.projection_storage "
        f"WHERE {_is('anchor_table_schema', schema)} GROUP BY 1"
    )


def holder(schema: str | None, table: str) -> str:
    """Label and user of the session that holds a lock on a table."""
    return (
        "SELECT s.client_label, s.user_name FROM v_monitor.locks l "
        "JOIN v_monitor.sessions s ON s.transaction_id = l.transaction_id "
        f"WHERE LOWER(l.object_name) = LOWER({literal(f'Table:{schema}.{table}')}) "
        "AND l.lock_mode = 'X'"
    )


def schemas_of_path(path: str, user: str) -> list[str]:
    """The schemas of a search path in order, ``"$user"`` replaced."""
    names = [name.strip().strip('"') for name in path.split(",")]
    return [user if name == "$user" else name for name in names]


def _is(column: str, name: str | None) -> str:
    # names differ by more than their case, whatever case they were made with
    return f"LOWER({column}) = LOWER({literal(name or '')})"

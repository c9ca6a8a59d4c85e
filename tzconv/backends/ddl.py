"""The CREATE TABLE statements of the conversion tables, for every dialect from one description."""

from __future__ import annotations

from tzconv import tables
from tzconv.tables import Column, ColumnType, Table

WITHOUT_KEYS = frozenset({"duckdb"})
"""Where a declared key is left out: on DuckDB loading takes four times as long with its index, no
join uses it, and a refresh proves the rows by their checksums."""

_TYPES: dict[ColumnType, str] = {
    "name": "VARCHAR({length})",
    "text": "VARCHAR({length})",
    "timestamp": "TIMESTAMP",
    "date": "DATE",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
}


def create_table(table: Table, *, key: bool) -> str:
    """One CREATE TABLE IF NOT EXISTS; ``key`` declares the primary key."""
    lines = [_column(column) for column in table.columns]
    if key:
        lines.append(f"PRIMARY KEY ({', '.join(table.key)})")
    body = ",\n".join(f"    {line}" for line in lines)
    return f"CREATE TABLE IF NOT EXISTS {table.name} (\n{body}\n)"


def script(dialect: str) -> str:
    """All tables of one dialect as a script, each with its title as a comment."""
    key = dialect not in WITHOUT_KEYS
    return "\n".join(f"-- {table.title}\n{create_table(table, key=key)};\n" for table in tables.ALL)


def _column(column: Column) -> str:
    text = _TYPES[column.type].format(length=column.length)
    return f"{column.name} {text}" + ("" if column.nullable else " NOT NULL")

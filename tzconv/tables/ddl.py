"""The CREATE TABLE statements of the conversion tables, for every engine from one description."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tzconv import tables
from tzconv.tables import Column, ColumnType, Table

_TYPES: dict[ColumnType, str] = {
    "name": "VARCHAR({length})",
    "text": "VARCHAR({length})",
    "timestamp": "TIMESTAMP",
    "date": "DATE",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
}


def create_table(table: Table, *, key: bool, more: Iterable[str] = ()) -> str:
    """One CREATE TABLE IF NOT EXISTS; ``key`` declares the primary key.

    ``more`` are columns that an engine has besides, as it declares them.
    """
    *lines, last = map(column_of, table.columns)
    lines += [*more, last]  # a migration has added it after those
    if key:
        lines.append(f"PRIMARY KEY ({', '.join(table.key)})")
    return f"CREATE TABLE IF NOT EXISTS {table.name} (\n{indented(lines)}\n)"


def script(create: Callable[[Table], str]) -> str:
    """All tables, each as ``create`` writes it, with its title as a comment."""
    return "\n".join(f"-- {table.title}\n{create(table)};\n" for table in tables.ALL)


def indented(lines: Iterable[str]) -> str:
    """Declarations, one a line."""
    return ",\n".join(f"    {line}" for line in lines)


def column_of(column: Column) -> str:
    """The declaration of a column."""
    text = _TYPES[column.type].format(length=column.length)
    return f"{column.name} {text}" + ("" if column.nullable else " NOT NULL")

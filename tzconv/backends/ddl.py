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

_DELTAS = "COMMONDELTA_COMP"
_ENCODINGS: dict[str, dict[str, str]] = {
    "daily": {"time_zone_name": "RLE", "": _DELTAS},
    "hourly": {"time_zone_name": "RLE", "day": "RLE", "utc_offset_seconds": "RLE", "": _DELTAS},
    "offset": {"time_zone_name": "RLE", "is_dst": "RLE", "": "AUTO"},
    "utc_day": {"utc_day": _DELTAS, "": "RLE"},
}
"""Vertica's encodings by table and column, under the empty name those of the other columns: zones
repeat and are run-length encoded, and times are mostly as far from each other as the ones before.
"""

_VERTICA = """\
-- The conversion tables for Vertica: sorted by zone, so that the zone is run-length encoded and the
-- times are stored as differences; a copy on every node, so that every join with them is local.
-- The keys are declared for the optimizer and not enforced. Which encoding is the smallest on your
-- server, DESIGNER_DESIGN_PROJECTION_ENCODINGS can tell; these were chosen without one.

"""


def create_table(table: Table, *, key: bool) -> str:
    """One CREATE TABLE IF NOT EXISTS; ``key`` declares the primary key."""
    lines = [_column(column) for column in table.columns]
    if key:
        lines.append(f"PRIMARY KEY ({', '.join(table.key)})")
    return f"CREATE TABLE IF NOT EXISTS {table.name} (\n{_lines(lines)}\n)"


def create_vertica_table(table: Table) -> str:
    """The same for Vertica, with the physical design; the key is declared and not enforced."""
    short = next((name for name, known in tables.CONVERSIONS.items() if known is table), None)
    lines = []
    for column in table.columns:
        encoding = ""
        if short is not None:
            encodings = _ENCODINGS[short]
            encoding = f" ENCODING {encodings.get(column.name, encodings[''])}"
        lines.append(_column(column) + encoding)
    key = ", ".join(table.key)
    separator = " " if short is None else "\n        "
    lines.append(f"CONSTRAINT {table.name}_pk{separator}PRIMARY KEY ({key}) DISABLED")
    return (
        f"CREATE TABLE IF NOT EXISTS {table.name} (\n{_lines(lines)}\n)\n"
        f"ORDER BY {key}\nUNSEGMENTED ALL NODES"
    )


def script(dialect: str) -> str:
    """All tables of one dialect as a script, each with its title as a comment."""
    head = _VERTICA if dialect == "vertica" else ""
    return head + "\n".join(
        f"-- {table.title}\n{_create(table, dialect)};\n" for table in tables.ALL
    )


def _create(table: Table, dialect: str) -> str:
    if dialect == "vertica":
        return create_vertica_table(table)
    return create_table(table, key=dialect not in WITHOUT_KEYS)


def _lines(lines: list[str]) -> str:
    return ",\n".join(f"    {line}" for line in lines)


def _column(column: Column) -> str:
    text = _TYPES[column.type].format(length=column.length)
    return f"{column.name} {text}" + ("" if column.nullable else " NOT NULL")

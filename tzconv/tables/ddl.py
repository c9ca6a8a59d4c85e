"""The CREATE TABLE statements of the conversion tables, for every dialect from one description."""

from __future__ import annotations

from tzconv import tables
from tzconv.engines.postgres import arrays
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
    tables.DAILY.name: {"time_zone_name": "RLE", "": _DELTAS},
    tables.HOURLY.name: {
        "time_zone_name": "RLE",
        "day": "RLE",
        "utc_offset_seconds": "RLE",
        "": _DELTAS,
    },
    tables.OFFSET.name: {"time_zone_name": "RLE", "is_dst": "RLE", "": "AUTO"},
    tables.ZONE.name: {"": "AUTO"},
    tables.PERIOD.name: {"zone_period": _DELTAS, "": "AUTO"},
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


def create_table(table: Table, *, key: bool, with_arrays: bool = False) -> str:
    """One CREATE TABLE IF NOT EXISTS; ``key`` declares the primary key.

    ``with_arrays`` gives the zone table the columns that only PostgreSQL has.
    """
    lines = [_column(column) for column in table.columns]
    if with_arrays and table is tables.ZONE:
        lines += [f"{name} {written}" for name, (written, _) in arrays.COLUMNS.items()]
    if key:
        lines.append(f"PRIMARY KEY ({', '.join(table.key)})")
    return f"CREATE TABLE IF NOT EXISTS {table.name} (\n{_lines(lines)}\n)"


def _create_vertica_table(table: Table) -> str:
    """The same for Vertica, with the physical design; the key is declared and not enforced."""
    encodings = _ENCODINGS.get(table.name, {})
    lines = [_column(column) for column in table.columns]
    if encodings:
        lines = [
            f"{line} ENCODING {encodings.get(column.name, encodings[''])}"
            for line, column in zip(lines, table.columns, strict=True)
        ]
    key = ", ".join(table.key)
    separator = "\n        " if encodings else " "
    lines.append(f"CONSTRAINT {table.name}_pk{separator}PRIMARY KEY ({key}) DISABLED")
    return (
        f"CREATE TABLE IF NOT EXISTS {table.name} (\n{_lines(lines)}\n)\n"
        f"ORDER BY {key}\nUNSEGMENTED ALL NODES"
    )


def script(dialect: str) -> str:
    """All tables of one dialect as a script, each with its title as a comment."""
    text = "\n".join(f"-- {table.title}\n{_create(table, dialect)};\n" for table in tables.ALL)
    if dialect == "vertica":
        return _VERTICA + text
    if dialect != "postgres":
        return text
    fill = arrays.fill(tables.ZONE.name, tables.OFFSET.name).replace("\n", "\n-- ")
    return (
        f"{text}\n-- reading a zone's row never fetches a value from elsewhere\n"
        f"{arrays.plain()};\n\n"
        "-- After the offset and the zone table were loaded, make the arrays of the zones:\n"
        f"-- {fill};\n"
        f"-- ANALYZE {tables.ZONE.name};\n"
    )


def _create(table: Table, dialect: str) -> str:
    if dialect == "vertica":
        return _create_vertica_table(table)
    return create_table(table, key=dialect not in WITHOUT_KEYS, with_arrays=dialect == "postgres")


def _lines(lines: list[str]) -> str:
    return ",\n".join(f"    {line}" for line in lines)


def _column(column: Column) -> str:
    text = _TYPES[column.type].format(length=column.length)
    return f"{column.name} {text}" + ("" if column.nullable else " NOT NULL")

"""The CREATE TABLE statements of Vertica, with the physical design; for ``tzconv ddl``."""

from __future__ import annotations

from tzconv import tables
from tzconv.tables import Table, ddl

_DELTAS = "COMMONDELTA_COMP"
_ENCODINGS: dict[str, dict[str, str]] = {
    tables.DAILY.name: {"time_zone_name": "RLE", "": _DELTAS},
    tables.HOURLY.name: {
        **dict.fromkeys(("time_zone_name", "day", "utc_offset_seconds"), "RLE"),
        "": _DELTAS,
    },
    tables.OFFSET.name: {"time_zone_name": "RLE", "is_dst": "RLE", "": "AUTO"},
    tables.ZONE.name: {"": "AUTO"},
    tables.PERIOD.name: {"zone_period": _DELTAS, "": "AUTO"},
}
"""Vertica's encodings by table and column, with an empty name for the other columns: zones repeat,
so they are run-length encoded; differences between times are mostly equal.
"""

_HEAD = """\
-- The conversion tables for Vertica: sorted by zone, so that the zone is run-length encoded and the
-- times are stored as differences; a copy on every node, so that every join with them is local.
-- The keys are declared for the optimizer and not enforced. Which encoding is the smallest on your
-- server, DESIGNER_DESIGN_PROJECTION_ENCODINGS can tell; these were chosen without one.

"""


def create_table(table: Table) -> str:
    """One CREATE TABLE IF NOT EXISTS; the key is declared and not enforced."""
    encodings = _ENCODINGS.get(table.name, {})
    lines = [ddl.column_of(column) for column in table.columns]
    if encodings:
        lines = [
            f"{line} ENCODING {encodings.get(column.name, encodings[''])}"
            for line, column in zip(lines, table.columns, strict=True)
        ]
    key = ", ".join(table.key)
    separator = "\n        " if encodings else " "
    lines.append(f"CONSTRAINT {table.name}_pk{separator}PRIMARY KEY ({key}) DISABLED")
    return (
        f"CREATE TABLE IF NOT EXISTS {table.name} (\n{ddl.indented(lines)}\n)\n"
        f"ORDER BY {key}\nUNSEGMENTED ALL NODES"
    )


def script() -> str:
    """All tables as a script."""
    return _HEAD + ddl.script(create_table)

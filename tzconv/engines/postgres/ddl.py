"""The CREATE TABLE statements of PostgreSQL, with the arrays of each zone; for ``tzconv ddl``."""

from __future__ import annotations

from tzconv import tables
from tzconv.engines.postgres import arrays
from tzconv.tables import Table, ddl


def create_table(table: Table) -> str:
    """One CREATE TABLE IF NOT EXISTS, with its primary key."""
    shapes = arrays.COLUMNS.items() if table is tables.ZONE else ()
    more = [f"{name} {written}" for name, (written, _) in shapes]
    return ddl.create_table(table, key=True, more=more)


def script() -> str:
    """All tables as a script."""
    fill = arrays.fill(tables.ZONE.name, tables.OFFSET.name).replace("\n", "\n-- ")
    return (
        f"{ddl.script(create_table)}\n"
        "-- reading a zone's row never fetches a value from elsewhere\n"
        f"{arrays.plain()};\n\n"
        "-- After the offset and the zone table were loaded, make the arrays of the zones:\n"
        f"-- {fill};\n"
        f"-- ANALYZE {tables.ZONE.name};\n"
    )

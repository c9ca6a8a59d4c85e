"""The CREATE TABLE statements of Redshift, with the physical design; for ``tzconv ddl``."""

from __future__ import annotations

from tzconv import tables
from tzconv.tables import Table, ddl

_HEAD = """\
-- Every node has a copy, so that joins move no rows. Keys are not enforced, but the planner relies
-- on them. After loading, check the tables as docs/redshift.md says.

"""


_TABLES = (tables.OFFSET, tables.ZONE, tables.PERIOD, tables.DAILY, tables.HOURLY)
"""Those that its strategies read; no refresh describes them in a release table."""


def create_table(table: Table) -> str:
    """One CREATE TABLE IF NOT EXISTS."""
    key = ", ".join(table.key)
    return f"{ddl.create_table(table, key=True)}\nDISTSTYLE ALL\nSORTKEY ({key})"


def script() -> str:
    """All tables as a script."""
    made = (f"-- {table.title}\n{create_table(table)};\n" for table in _TABLES)
    return _HEAD + "\n".join(made)

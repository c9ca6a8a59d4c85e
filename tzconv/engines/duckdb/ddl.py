"""The tables of DuckDB, without keys."""

from __future__ import annotations

import functools

from tzconv.tables import ddl

create_table = functools.partial(ddl.create_table, key=False)
"""Loading takes four times as long with the index of a key, no join uses it, and a refresh proves
the rows by their checksums."""


def script() -> str:
    """All tables as a script."""
    return ddl.script(create_table)

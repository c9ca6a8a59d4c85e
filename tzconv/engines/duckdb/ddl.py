"""The CREATE TABLE statements of DuckDB, without keys; for ``tzconv ddl``."""

from __future__ import annotations

import functools

from tzconv.tables import ddl

create_table = functools.partial(ddl.create_table, key=False)
"""Without keys: their index makes loading four times as long and no join uses it; a refresh checks
the rows by their checksums."""


def script() -> str:
    """All tables as a script."""
    return ddl.script(create_table)

"""Vertica in the benchmark: a schema before the user's own in the search path.

DuckDB makes the same events as for every engine, and COPY loads them. A client cannot see the CPU
time of a Vertica server, so the benchmark measures elapsed time.
"""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager
from typing import cast

import duckdb

from tzconv import engines
from tzconv.engines.backend import Backend
from tzconv.engines.duckdb.bench import WRITING, made_in_duckdb
from tzconv.engines.scratch import Execute, SchemaScratch
from tzconv.engines.vertica.load import Vertica
from tzconv.sql.text import literal

_ROWS_AT_ONCE = 65_536
_TYPES = {
    "INTEGER": "int",
    "VARCHAR": "varchar(400)",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
}
_SENT = {"TIMESTAMP WITH TIME ZONE": "TIMESTAMP"}


class VerticaScratch(SchemaScratch):
    """A schema of Vertica."""

    writing = WRITING

    def open(self) -> Backend:
        backend = cast(Vertica, engines.connect(self.url))
        backend.execute(f"SET SEARCH_PATH TO {self.name}, {backend.search_path()}")
        backend.set_session_time_zone("UTC")
        return backend

    def making(self, backend: Backend) -> AbstractContextManager[Execute]:
        return made_in_duckdb(functools.partial(_load, cast(Vertica, backend)))


def _load(backend: Vertica, database: duckdb.DuckDBPyConnection, table: str) -> None:
    columns = database.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? "
        "ORDER BY column_index",
        [table],
    ).fetchall()
    types = ", ".join(f"{name} {_TYPES[kind]}" for name, kind in columns)
    # the text of a TIMESTAMPTZ would name its zone: Vertica reads it in the session's, which is UTC
    values = ", ".join(f"CAST({name} AS {_SENT.get(kind, kind)})" for name, kind in columns)
    rows = database.sql(f"SELECT {values} FROM {table}")  # our own names
    backend.execute(f"CREATE TABLE {table} ({types})")
    with backend.transaction():
        backend.copy(table, [name for name, _ in columns], rows.to_arrow_reader(_ROWS_AT_ONCE))
    backend.execute(f"SELECT ANALYZE_STATISTICS({literal(table)})")


scratch = VerticaScratch

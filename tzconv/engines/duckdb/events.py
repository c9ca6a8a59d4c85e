"""Events for engines that take the rows of a DuckDB."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

from tzconv.engines.scratch import Execute


@contextlib.contextmanager
def made_in_duckdb(
    load: Callable[[duckdb.DuckDBPyConnection, str], object], file: Path | str = ":memory:"
) -> Iterator[Execute]:
    """A DuckDB in which events are made, for engines that take its rows: ``load`` of each table."""
    with duckdb.connect(file) as connection:
        # the zone is that whose clock a TIMESTAMPTZ is written with
        connection.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        yield connection.execute
        for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            load(connection, table)

"""DuckDB in the benchmark: a temporary file; the user's file is attached to it, read-only.

The benchmarks of Vertica and Spark make their events here, too.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.ipc

from tzconv import engines
from tzconv.engines import urls
from tzconv.engines.alchemy import Types
from tzconv.engines.backend import Backend
from tzconv.engines.scratch import Execute, Scratch, Writing
from tzconv.sql.text import literal
from tzconv.tables import Table, ddl

WRITING = Writing(
    "range({count}) AS made(n)",
    "[{items}]",
    "(hash(n{salt}) % {below})::INTEGER",
    "TIMESTAMP '{begin}' + to_microseconds({microseconds})",
)

_DAY = "CAST(ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS DATE)"
_TUNED = (
    "CREATE UNIQUE INDEX events_id ON events (id)",
    "CREATE INDEX events_account ON events (account_id)",
    f"CREATE TABLE events_by_day AS FROM events ORDER BY {_DAY}, account_id",
    "CREATE TABLE events_by_time AS FROM events ORDER BY ts",
)


class DuckDBScratch(Scratch):
    """A temporary file."""

    writing = WRITING
    tuned = _TUNED

    def __init__(self, url: str | None, one_thread: bool) -> None:
        self._one_thread = one_thread
        path = urls.parse(url).database if url is not None else None
        self._user_file = None if path in (None, "", ":memory:") else path
        self._user_types: Types = {}
        if self._user_file is not None:
            with engines.connect(url, read_only=True) as backend:
                self._user_types = backend.column_types()
        self._folder = tempfile.TemporaryDirectory(
            prefix="tzconv-bench-", ignore_cleanup_errors=True
        )
        self.url = urls.of_file(f"{self._folder.name}/bench.duckdb")

    def open(self) -> Backend:
        backend = engines.connect(self.url)
        backend.set_session_time_zone("UTC")  # DuckDB begins with the zone of the machine
        if self._one_thread:
            backend.execute("SET threads = 1")
        if self._user_file is not None:
            backend.execute(
                f"ATTACH IF NOT EXISTS {literal(self._user_file)} AS tzconv_theirs (READ_ONLY)"
            )
            backend.execute("SET search_path = 'bench.main,tzconv_theirs.main'")
        return backend

    def types(self, backend: Backend) -> Types:
        return self._user_types | backend.column_types()

    def load_bare(self, table: Table, rows: pa.RecordBatchReader, file: Path) -> float:
        with pyarrow.ipc.new_stream(file, rows.schema) as writer:
            for batch in rows:
                writer.write_batch(batch)
        columns = ", ".join(column.name for column in table.columns)
        with duckdb.connect(urls.parse(self.url).database or "") as database:
            database.execute("SET enable_progress_bar = false")
            database.execute(ddl.create_table(table, key=False))
            with pa.memory_map(str(file)) as mapped:
                began = time.perf_counter()
                database.register("bare", pyarrow.ipc.open_stream(mapped))
                database.execute(f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM bare")
                database.execute("CHECKPOINT")
                spent = time.perf_counter() - began
                database.unregister("bare")
        return spent

    def remove(self) -> None:
        self._folder.cleanup()


@contextlib.contextmanager
def made_in_duckdb(
    load: Callable[[duckdb.DuckDBPyConnection, str], object], file: Path | str = ":memory:"
) -> Iterator[Execute]:
    """A DuckDB that makes events for another engine; at the end, ``load`` takes each table."""
    with duckdb.connect(file) as connection:
        # the text of a TIMESTAMPTZ is in this zone
        connection.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        yield connection.execute
        for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            load(connection, table)


scratch = DuckDBScratch

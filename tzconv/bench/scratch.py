"""A place of the benchmark's own in each engine, removed whatever happens.

On DuckDB it is a file in the folder for temporary files, beside which the user's file is attached
for reading only. On PostgreSQL and Vertica it is a schema before the user's own in the search path,
on Spark a folder in the one of the tables. So a query of the user's finds the user's tables, and
the conversion tables of the benchmark.
"""

from __future__ import annotations

import abc
import contextlib
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb

from tzconv import engines
from tzconv.bench import data
from tzconv.engines import urls
from tzconv.engines.backend import Backend
from tzconv.engines.postgres import cpu
from tzconv.errors import DatabaseError
from tzconv.sql.text import identifier, literal

Types = dict[str, dict[str, str]]


class Scratch(abc.ABC):
    """Where a benchmark works. ``url`` opens the same database without the settings.

    ``warm_runs`` are the runs of a text that an engine needs, after the first one, to be as fast as
    it will be.
    """

    url: str
    schema: str | None = None
    warm_runs = 0
    writing = data.DUCKDB

    @abc.abstractmethod
    def open(self) -> Backend:
        """A connection that finds the tables of the benchmark first, then the user's."""

    def making(self, backend: Backend) -> AbstractContextManager[data.Execute]:
        """Where the statements that make the events are run; at the end the backend has them."""
        return contextlib.nullcontext(backend.execute)

    def types(self, backend: Backend) -> Types:
        """Types of the columns of both."""
        return backend.column_types()

    def process(self, backend: Backend) -> int | None:
        """The process that runs the queries of that connection; None if on another machine."""
        return None

    @abc.abstractmethod
    def remove(self) -> None:
        """Drop everything that was made."""


class DuckDBScratch(Scratch):
    """A file of its own."""

    def __init__(self, url: str | None, one_thread: bool) -> None:
        self._one_thread = one_thread
        path = urls.parse(url).database if url is not None else None
        self._theirs = None if path in (None, "", ":memory:") else path
        self._their_types: Types = {}
        if url is not None and self._theirs is not None:
            with engines.connect(url, read_only=True) as backend:
                self._their_types = backend.column_types()
        self._folder = tempfile.TemporaryDirectory(
            prefix="tzconv-bench-", ignore_cleanup_errors=True
        )
        self.url = f"duckdb:///{self._folder.name}/bench.duckdb"

    def open(self) -> Backend:
        backend = engines.connect(self.url)
        backend.set_session_time_zone("UTC")  # DuckDB begins with the zone of the machine
        if self._one_thread:
            backend.execute("SET threads = 1")
        if self._theirs is not None:
            backend.execute(
                f"ATTACH IF NOT EXISTS {literal(self._theirs)} AS tzconv_theirs (READ_ONLY)"
            )
            backend.execute("SET search_path = 'bench.main,tzconv_theirs.main'")
        return backend

    def types(self, backend: Backend) -> Types:
        return self._their_types | backend.column_types()

    def process(self, backend: Backend) -> int | None:
        return os.getpid()

    def remove(self) -> None:
        self._folder.cleanup()


class SchemaScratch(Scratch):
    """A schema of the benchmark's own in a database of the user's."""

    def __init__(self, url: str, one_thread: bool = False) -> None:
        self.url, self._one_thread = url, one_thread
        self.schema = f"tzconv_bench_{os.getpid()}_{secrets.token_hex(3)}"
        self.name = identifier(self.schema)
        with engines.connect(url) as backend:
            backend.execute(f"CREATE SCHEMA {self.name}")

    def remove(self) -> None:
        with engines.connect(self.url, lock_timeout=30) as backend:
            backend.execute(f"DROP SCHEMA IF EXISTS {self.name} CASCADE")


class PostgresScratch(SchemaScratch):
    """Such a schema of PostgreSQL."""

    writing = data.POSTGRES

    def open(self) -> Backend:
        backend = engines.connect(self.url)
        path = backend.query("SHOW search_path").rows.column("c0")[0].as_py()
        settings = [f"search_path = {self.name}, {path or 'pg_catalog'}", "TimeZone = 'UTC'"]
        if self._one_thread:
            settings += ["max_parallel_workers_per_gather = 0", "jit = off"]
        for setting in settings:
            backend.execute(f"SET {setting}")
        return backend

    def process(self, backend: Backend) -> int | None:
        rows = backend.query("SELECT pg_backend_pid(), host(inet_server_addr())").rows
        pid, host = (column[0].as_py() for column in rows.columns)
        return cpu.local(host or "", int(pid))


@contextlib.contextmanager
def in_duckdb(
    load: Callable[[duckdb.DuckDBPyConnection, str], object], file: Path | str = ":memory:"
) -> Iterator[data.Execute]:
    """A DuckDB in which events are made, for engines that take its rows: ``load`` of each table."""
    with duckdb.connect(file) as connection:
        # the zone is that whose clock a TIMESTAMPTZ is written with
        connection.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        yield connection.execute
        for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            load(connection, table)


def kind_of(url: str | None) -> str:
    """The database of a URL as its scheme names it: DuckDB by default."""
    return "duckdb" if url is None else urls.parse(url).get_backend_name()


@contextlib.contextmanager
def scratch(url: str | None, one_thread: bool = False) -> Iterator[Scratch]:
    """Make a place in the database of a URL (a temporary DuckDB file by default), and remove it.

    ``one_thread`` holds DuckDB to one thread, and PostgreSQL to one process without JIT.
    DatabaseError where the database cannot be opened, or lets nothing be made.
    """
    kind = kind_of(url)
    place: Scratch
    if kind == "duckdb":
        place = DuckDBScratch(url, one_thread)
    elif kind == "postgresql":
        place = PostgresScratch(str(url), one_thread)
    elif kind in ("vertica", "spark"):
        # before their modules are imported: it says what is wrong with the URL, or not installed
        engines.connect(str(url)).__exit__()
        if kind == "vertica":
            from tzconv.engines.vertica.bench import VerticaScratch  # its driver need not be there

            place = VerticaScratch(str(url))
        else:
            from tzconv.engines.spark.bench import SparkScratch  # the same

            place = SparkScratch(str(url))
    else:
        raise DatabaseError(
            f"The URL scheme {kind!r} cannot be measured: use duckdb, postgresql, vertica or spark."
        )
    try:
        yield place
    finally:
        place.remove()

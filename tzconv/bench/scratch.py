"""A place of the benchmark's own in each engine, removed whatever happens.

On DuckDB it is a file in the folder for temporary files, beside which the user's file is attached
for reading only. On PostgreSQL and Vertica it is a schema before the user's own in the search path,
on Spark a folder in the one of the tables. So a query of the user's finds the user's tables, and
the conversion tables of the benchmark.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from tzconv import backends, urls
from tzconv.backends import Backend
from tzconv.backends.sql import identifier, literal
from tzconv.bench import data
from tzconv.errors import DatabaseError

Types = dict[str, dict[str, str]]


class Scratch(Protocol):
    """Where a benchmark works. ``url`` opens the same database without the settings.

    ``warm_runs`` are the runs of a text that an engine needs, after the first one, to be as fast as
    it will be.
    """

    url: str
    schema: str | None
    warm_runs: int
    writing: data.Writing

    def open(self) -> Backend:
        """A connection that finds the tables of the benchmark first, then the user's."""
        ...

    def making(self, backend: Backend) -> AbstractContextManager[data.Writes]:
        """Where the statements that make the events are run; at the end the backend has them."""
        ...

    def types(self, backend: Backend) -> Types:
        """Types of the columns of both."""
        ...

    def process(self, backend: Backend) -> int | None:
        """The process that runs the queries of that connection; None if on another machine."""
        ...

    def remove(self) -> None:
        """Drop everything that was made."""
        ...


class DuckDBScratch:
    """A file of its own."""

    warm_runs = 0
    schema: str | None = None
    writing = data.DUCKDB

    def __init__(self, url: str | None) -> None:
        path = urls.parse(url).database if url is not None else None
        self._theirs = None if path in (None, "", ":memory:") else path
        self._their_types: Types = {}
        if url is not None and self._theirs is not None:
            with backends.connect(url, read_only=True) as backend:
                self._their_types = backend.column_types()
        self._folder = tempfile.TemporaryDirectory(
            prefix="tzconv-bench-", ignore_cleanup_errors=True
        )
        self.url = f"duckdb:///{self._folder.name}/bench.duckdb"

    def open(self) -> Backend:
        backend = backends.connect(self.url)
        backend.set_session_time_zone("UTC")  # DuckDB begins with the zone of the machine
        if self._theirs is not None:
            backend.execute(
                f"ATTACH IF NOT EXISTS {literal(self._theirs)} AS tzconv_theirs (READ_ONLY)"
            )
            backend.execute("SET search_path = 'bench.main,tzconv_theirs.main'")
        return backend

    def making(self, backend: Backend) -> AbstractContextManager[data.Writes]:
        return contextlib.nullcontext(backend)

    def types(self, backend: Backend) -> Types:
        return self._their_types | backend.column_types()

    def process(self, backend: Backend) -> int | None:
        return os.getpid()

    def remove(self) -> None:
        self._folder.cleanup()


class SchemaScratch:
    """A schema of the benchmark's own in a database of the user's."""

    warm_runs = 0

    def __init__(self, url: str) -> None:
        self.url = url
        self.schema: str | None = f"tzconv_bench_{os.getpid()}_{secrets.token_hex(3)}"
        with backends.connect(url) as backend:
            backend.execute(f"CREATE SCHEMA {self.name}")

    @property
    def name(self) -> str:
        """The schema as a statement names it."""
        return identifier(str(self.schema))

    def types(self, backend: Backend) -> Types:
        return backend.column_types()

    def remove(self) -> None:
        with backends.connect(self.url, lock_timeout=30) as backend:
            backend.execute(f"DROP SCHEMA IF EXISTS {self.name} CASCADE")


class PostgresScratch(SchemaScratch):
    """Such a schema of PostgreSQL."""

    writing = data.POSTGRES

    def open(self) -> Backend:
        backend = backends.connect(self.url)
        path = backend.query("SHOW search_path").rows.column("c0")[0].as_py()
        # one process does the work, so that its CPU time can be told; no compiler beside it
        for setting in (
            f"search_path = {self.name}, {path or 'pg_catalog'}",
            "max_parallel_workers_per_gather = 0",
            "jit = off",
            "TimeZone = 'UTC'",
        ):
            backend.execute(f"SET {setting}")
        return backend

    def making(self, backend: Backend) -> AbstractContextManager[data.Writes]:
        return contextlib.nullcontext(backend)

    def process(self, backend: Backend) -> int | None:
        pid = int(backend.query("SELECT pg_backend_pid()").rows.column("c0")[0].as_py())
        try:
            # a process of that number may be another one, where the server is on another machine
            is_server = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").startswith("postgres")
        except OSError:
            return None
        return pid if is_server else None


def _imported(kind: str, url: str) -> Scratch:
    if kind == "vertica":
        from tzconv.bench.vertica import VerticaScratch  # its driver need not be there

        return VerticaScratch(url)
    from tzconv.bench.spark import SparkScratch  # the same

    return SparkScratch(url)


@contextlib.contextmanager
def scratch(url: str | None) -> Iterator[Scratch]:
    """Make a place in the database of a URL (a temporary DuckDB file by default), and remove it.

    DatabaseError where the database cannot be opened, or lets nothing be made.
    """
    kind = "duckdb" if url is None else urls.parse(url).get_backend_name()
    place: Scratch
    if kind == "duckdb":
        place = DuckDBScratch(url)
    elif kind == "postgresql":
        place = PostgresScratch(str(url))
    elif kind in ("vertica", "spark"):
        # before their modules are imported: it says what is wrong with the URL, or not installed
        backends.connect(str(url)).__exit__()
        place = _imported(kind, str(url))
    else:
        raise DatabaseError(
            f"The URL scheme {kind!r} cannot be measured: use duckdb, postgresql, vertica or spark."
        )
    try:
        yield place
    finally:
        place.remove()

"""Spark in the benchmark: a folder in the folder of the tables, where the executors find it.

DuckDB makes the same events as for every engine and writes them as Parquet files; Spark runs the
queries.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from tzconv.engines import urls
from tzconv.engines.backend import Backend
from tzconv.engines.duckdb.bench import WRITING, made_in_duckdb
from tzconv.engines.scratch import Execute, Scratch
from tzconv.engines.spark import sessions
from tzconv.engines.spark.load import Spark
from tzconv.engines.spark.warehouse import SCRATCH
from tzconv.errors import DatabaseError
from tzconv.sql.text import identifier, literal

_BYTES_A_FILE = "64MB"
"""Several files, so that all executors can read."""


class SparkScratch(Scratch):
    """A temporary folder, and a session of the running Spark or of a new one."""

    writing = WRITING
    warm_runs = 4  # Java compiles frequent code while it runs

    def __init__(self, url: str, one_thread: bool = False) -> None:
        parsed = urls.parse(url)
        self._parent = Path("/" + (parsed.database or "").lstrip("/"))
        self._is_new = not self._parent.exists()
        try:
            self._parent.mkdir(parents=True, exist_ok=True)
            self._made = tempfile.TemporaryDirectory(
                prefix=SCRATCH, dir=self._parent, ignore_cleanup_errors=True
            )
        except OSError as error:
            raise DatabaseError(f"{self._parent}: cannot be written ({error.strerror}).") from error
        self._folder = Path(self._made.name)
        self.url = f"spark://{self._folder}/tz"
        self._user_tables = parsed.query.get("tables")
        self._session: Any = None
        self._own_session = contextlib.ExitStack()
        self._master = parsed.query.get("master")

    def open(self) -> Backend:
        if self._session is None:
            master = str(self._master) if self._master else None
            spark = self._own_session.enter_context(sessions.opened(master))
            self._session = spark.newSession()  # with its own views and settings
            self._session.conf.set("spark.sql.session.timeZone", "UTC")
        backend = Spark(self._folder / "tz", session=self._session)
        if self._user_tables is not None:
            backend.make_views_of(Path(str(self._user_tables)))
        return backend

    @contextlib.contextmanager
    def making(self, backend: Backend) -> Iterator[Execute]:
        folder = self._folder / "tables"
        folder.mkdir(exist_ok=True)

        def write(connection: duckdb.DuckDBPyConnection, table: str) -> None:
            connection.execute(
                f"COPY {identifier(table)} TO {literal(str(folder / table))} "
                f"(FORMAT parquet, FILE_SIZE_BYTES '{_BYTES_A_FILE}')"
            )

        with made_in_duckdb(write, self._folder / "events.duckdb") as execute:
            yield execute
        (self._folder / "events.duckdb").unlink()
        if isinstance(backend, Spark):
            backend.make_views_of(folder)

    def remove(self) -> None:
        self._own_session.close()
        self._made.cleanup()
        if self._is_new:
            with contextlib.suppress(OSError):  # it is not empty
                self._parent.rmdir()


scratch = SparkScratch

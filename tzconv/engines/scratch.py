"""A temporary place for the benchmark in a database; each engine has one in its ``bench`` module.

Queries find the benchmark's conversion tables there, and the user's own tables.
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
from tzconv.engines.alchemy import Types
from tzconv.engines.backend import Backend
from tzconv.sql.text import identifier
from tzconv.tables import Table

Execute: TypeAlias = Callable[[str], object]
"""Runs one of the statements that make events."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How an engine writes the expressions that make events; ``n`` is the number of a row.

    ``numbers`` is a relation of ``{count}`` rows, ``array`` an array of ``{items}``, ``mixed`` a
    pseudo-random integer ``{below}``, ``shifted`` the time ``{microseconds}`` after ``{begin}``.
    """

    numbers: str
    array: str
    mixed: str
    shifted: str


class Scratch(abc.ABC):
    """Where a benchmark works. ``url`` opens the same database without the settings.

    With ``indexes_reports`` the events of reports get an index on their time, as users make one.
    ``tuned`` are the statements of somebody who tunes that schema for its queries.
    ``warm_runs`` are the runs after the first one until an engine has reached its full speed.
    """

    url: str
    schema: str | None = None
    warm_runs = 0
    indexes_reports = False
    tuned: ClassVar[tuple[str, ...]] = ()
    writing: ClassVar[Writing]

    @abc.abstractmethod
    def open(self) -> Backend:
        """A connection that finds the tables of the benchmark first, then the user's."""

    def making(self, backend: Backend) -> AbstractContextManager[Execute]:
        """Runs the statements that make the events; at its end the backend has them."""
        return contextlib.nullcontext(backend.execute)

    def types(self, backend: Backend) -> Types:
        """Types of the columns of the benchmark's and the user's tables."""
        return backend.column_types()

    def load_bare(self, table: Table, rows: pa.RecordBatchReader, file: Path) -> float:
        """Load rows by the engine's own bulk load, from a ``file`` made first; returns seconds."""
        raise NotImplementedError

    @abc.abstractmethod
    def remove(self) -> None:
        """Drop everything that the benchmark made."""


class SchemaScratch(Scratch):
    """A temporary schema in a database of the user's."""

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

    ``one_thread`` limits the engine to one thread or process. DatabaseError if the database cannot
    be opened or changed.
    """
    place = engines.scratch_of(url, one_thread=one_thread)
    try:
        yield place
    finally:
        place.remove()

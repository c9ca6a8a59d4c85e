"""Shadow mode: the caller gets the original; a sample runs both ways elsewhere, and is compared.

Elsewhere is a thread and a connection of its own: what it costs and what fails there never reaches
the caller. Both queries run in one read-only transaction, so that they see one state of the data
and one NOW(). Where that thread does not keep up, samples are dropped.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import math
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from tzconv.sqlalchemy import catalog

Query: TypeAlias = tuple[str, Any]
"""A statement and its parameters, as the driver takes them."""

_MOST_WAITING = 16
_ROUNDING = 1e-9
_log = logging.getLogger("tzconv.sqlalchemy")


@dataclass(frozen=True, slots=True)
class Shadowed:
    """One statement run both ways. ``difference`` is a sentence, None where both return the same.

    ``seconds`` are those of the original and ``rewritten_seconds`` those of the rewritten query,
    fetching included. ``failure`` says why they could not be compared.
    """

    statement: str
    rewritten: str
    difference: str | None
    failure: str | None
    seconds: float
    rewritten_seconds: float


@dataclass(frozen=True, slots=True)
class _Job:
    original: Query
    rewritten: Query
    session: str
    connection: Any  # an open one of the driver, or None: the thread opens one


class Shadow:
    """Compares a share of the executions; ``report`` is called in the thread that does it."""

    def __init__(
        self,
        engine: Engine,
        share: float,
        report: Callable[[Shadowed], object] | None,
        most_rows: int,
    ) -> None:
        self._engine = engine
        self._dialect = catalog.dialect_of(engine.dialect)
        self._share = share
        self._report = report or _say
        self._most_rows = most_rows
        self._jobs: queue.Queue[_Job | None] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def offer(self, connection: Connection, original: Query, rewritten: Query) -> None:
        """Compare the two some time, perhaps; returns at once."""
        if random.random() >= self._share or self._jobs.full():
            return
        own = None
        if self._dialect == "duckdb":  # a database in memory has no other way in
            # an open connection has a driver's one
            own = connection.connection.driver_connection.duplicate()  # type: ignore[union-attr]
        session = catalog.session_time_zone(connection, self._dialect)
        self._start()
        try:
            self._jobs.put_nowait(_Job(original, rewritten, session, own))
        except queue.Full:
            if own is not None:
                own.close()

    def close(self) -> None:
        """Finish what has been begun."""
        thread = self._thread
        if thread is not None:
            self._jobs.put(None)
            thread.join()
            self._thread = None
            atexit.unregister(self.close)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="tzconv", daemon=True)
                self._thread.start()
                atexit.register(self.close)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._report(self._compare(job))
            except Exception:
                _log.exception("tzconv: a comparison could not be reported")

    def _compare(self, job: _Job) -> Shadowed:
        if not self._engine.dialect.is_async:
            return self._run(job)
        found: Shadowed = asyncio.run(sa.util.greenlet_spawn(self._run, job))
        return found

    def _run(self, job: _Job) -> Shadowed:
        seconds = [math.nan, math.nan]
        difference = failure = None
        try:
            with self._cursor(job) as cursor:
                one, seconds[0] = self._rows(cursor, job.original)
                try:
                    other, seconds[1] = self._rows(cursor, job.rewritten)
                except Exception as error:
                    difference = f"the rewritten query fails: {error}"
                else:
                    difference = _difference(one, other)
                    if difference and _difference(one, self._rows(cursor, job.original)[0]):
                        difference, failure = None, "the original returns other rows each time"
        except Exception as error:
            failure = str(error) or type(error).__name__
        return Shadowed(job.original[0], job.rewritten[0], difference, failure, *seconds)

    @contextlib.contextmanager
    def _cursor(self, job: _Job) -> Iterator[Any]:
        if job.connection is not None:
            try:
                job.connection.execute(f"SET TimeZone = '{_quoted(job.session)}'")
                job.connection.execute("BEGIN TRANSACTION")
                yield job.connection
            finally:
                job.connection.close()
            return
        # like the caller's pool, but none of the caller's connections; in between there is none
        pool = self._engine.pool.recreate()
        connection = pool.connect()
        try:
            cursor = connection.cursor()
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute(f"SET LOCAL TimeZone = '{_quoted(job.session)}'")
            yield cursor
        finally:
            connection.rollback()
            connection.close()
            pool.dispose()

    def _rows(self, cursor: Any, query: Query) -> tuple[_Rows, float]:
        started = time.perf_counter()
        statement, parameters = query
        # as SQLAlchemy itself calls the drivers
        cursor.execute(statement, list(parameters) if isinstance(parameters, tuple) else parameters)
        rows = cursor.fetchmany(self._most_rows + 1)
        if len(rows) > self._most_rows:
            raise _TooManyError(f"more than {self._most_rows} rows are not compared")
        columns = [(column[0], str(column[1])) for column in cursor.description]
        return (columns, [tuple(row) for row in rows]), time.perf_counter() - started


_Rows: TypeAlias = tuple[list[tuple[str, str]], list[tuple[Any, ...]]]


class _TooManyError(Exception):
    """A result that is too large to be kept in memory."""


def _difference(one: _Rows, other: _Rows) -> str | None:
    """What two results differ in, as multisets of rows; floating-point numbers to nine digits."""
    if one[0] != other[0]:
        return f"the columns {one[0]} became {other[0]}"
    before, after = (Counter(map(_comparable, rows)) for rows in (one[1], other[1]))
    lost, added = list((before - after).elements()), list((after - before).elements())
    if len(lost) == len(added) and all(
        _close(a, b) for a, b in zip(sorted(lost, key=repr), sorted(added, key=repr), strict=True)
    ):
        return None
    shown = "; ".join(
        [f"only in the original: {row}" for row in lost[:2]]
        + [f"only in the rewritten query: {row}" for row in added[:2]]
    )
    return f"{len(one[1])} rows became {len(other[1])}: {len(lost)} gone, {len(added)} new; {shown}"


def _comparable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        value if isinstance(value, float) and value == value else repr(value)  # noqa: PLR0124 # not NaN
        for value in row
    )


def _close(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(
        a == b
        or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=_ROUNDING))
        for a, b in zip(one, other, strict=True)
    )


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _say(found: Shadowed) -> None:
    if found.difference:
        _log.warning("tzconv: rewritten, %s: %s", found.difference, found.statement)

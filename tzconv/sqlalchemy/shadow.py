"""Shadow mode: the caller gets the original; a sample runs both ways elsewhere, and is compared.

Elsewhere is a thread and a connection of its own: what it costs and what fails there never reaches
the caller. Both queries run in one read-only transaction, so that they see one state of the data
and one NOW(). Where that thread does not keep up, samples are dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from tzconv import engines
from tzconv.engines.backend import Result
from tzconv.sql.text import literal
from tzconv.sqlalchemy import catalog

Query: TypeAlias = tuple[str, Any]
"""A statement and its parameters, as the driver takes them."""

_MOST_WAITING = 16
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
        _, self._alchemy = engines.alchemy_of(engine.dialect.name)
        self._share = share
        self._report = report or _say
        self._most_rows = most_rows
        self._free = threading.Semaphore(_MOST_WAITING)
        self._pool = ThreadPoolExecutor(1, "tzconv")

    def offer(self, connection: Connection, original: Query, rewritten: Query) -> None:
        """Compare the two some time, perhaps; returns at once."""
        if random.random() >= self._share or not self._free.acquire(blocking=False):
            return
        own = None
        try:
            own = self._alchemy.private(connection.connection.driver_connection)
            session = catalog.session_time_zone(connection, self._alchemy)
            self._pool.submit(self._work, _Job(original, rewritten, session, own))
        except BaseException as error:
            self._free.release()
            if own is not None:
                own.close()
            if not isinstance(error, RuntimeError):  # closed meanwhile, or the program ends
                raise

    def close(self) -> None:
        """Finish what has been begun."""
        self._pool.shutdown()

    def _work(self, job: _Job) -> None:
        try:
            self._report(self._compare(job))
        except Exception:
            _log.exception("tzconv: a comparison could not be reported")
        finally:
            self._free.release()

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
                one = self._result(cursor, job.original)
                seconds[0] = one.seconds
                try:
                    other = self._result(cursor, job.rewritten)
                except Exception as error:
                    difference = f"the rewritten query fails: {error}"
                else:
                    seconds[1] = other.seconds
                    difference = _difference(one, other)
                    if difference and _difference(one, self._result(cursor, job.original)):
                        difference, failure = None, "the original returns other rows each time"
        except Exception as error:
            failure = str(error) or type(error).__name__
        return Shadowed(job.original[0], job.rewritten[0], difference, failure, *seconds)

    @contextlib.contextmanager
    def _cursor(self, job: _Job) -> Iterator[Any]:
        if job.connection is not None:
            try:
                job.connection.execute(f"SET TimeZone = {literal(job.session)}")
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
            cursor.execute(f"SET LOCAL TimeZone = {literal(job.session)}")
            yield cursor
        finally:
            connection.rollback()
            connection.close()
            pool.dispose()

    def _result(self, cursor: Any, query: Query) -> Result:
        started = time.perf_counter()
        statement, parameters = query
        # as SQLAlchemy itself calls the drivers
        cursor.execute(statement, list(parameters) if isinstance(parameters, tuple) else parameters)
        rows = cursor.fetchmany(self._most_rows + 1)
        seconds = time.perf_counter() - started
        if len(rows) > self._most_rows:
            raise _TooManyError(f"more than {self._most_rows} rows are not compared")
        names, types = zip(*((str(one[0]), str(one[1])) for one in cursor.description), strict=True)
        columns = zip(*rows, strict=True) if rows else [()] * len(names)
        table = pa.table({f"c{place}": _column(one) for place, one in enumerate(columns)})
        return Result(names, types, table, seconds, math.nan)


class _TooManyError(Exception):
    """A result that is too large to be kept in memory."""


def _difference(one: Result, other: Result) -> str | None:
    from tzconv.compare import differences

    return "; ".join(differences(one, other)[0]) or None


def _column(values: Sequence[Any]) -> pa.Array:
    """Floating-point numbers as they are, for their last digits; all else as Python writes it."""
    if all(value is None or isinstance(value, float) for value in values):
        return pa.array(values, pa.float64())
    return pa.array([None if value is None else repr(value) for value in values], pa.string())


def _say(found: Shadowed) -> None:
    if found.difference:
        _log.warning("tzconv: rewritten, %s: %s", found.difference, found.statement)

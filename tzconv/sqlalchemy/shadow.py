"""Shadow mode: the caller gets the original; a sample runs both ways in a thread, and is compared.

The thread has its own connection, so its failures never reach the caller. Both queries run in one
read-only transaction, so that they see one state of the data and one NOW(). If the thread is too
slow, samples are dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import os
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
from tzconv.engines.backend import Result, numbered
from tzconv.errors import DatabaseError
from tzconv.sql.text import literal
from tzconv.sqlalchemy import catalog

Query: TypeAlias = tuple[str, Any]
"""A statement and its parameters, as the driver takes them."""

_MOST_WAITING = 16
_log = logging.getLogger("tzconv.sqlalchemy")


@dataclass(frozen=True, slots=True)
class Shadowed:
    """One statement run both ways. ``difference`` is a sentence, None if both return the same.

    ``seconds`` and ``rewritten_seconds`` are those of the two queries, fetching included.
    ``failure`` says why they were not compared.
    """

    statement: str
    rewritten: str
    difference: str | None
    failure: str | None
    seconds: float
    rewritten_seconds: float


class Shadow:
    """Compares a share of the executions; its thread calls ``report`` with each comparison."""

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
        self._process = os.getpid()
        self._report = report or _warn
        self._most_rows = most_rows
        self._free = threading.Semaphore(_MOST_WAITING)
        self._pool = ThreadPoolExecutor(1, "tzconv")

    def offer(self, connection: Connection, original: Query, rewritten: Query) -> None:
        """Compare the two later, if the sample includes them; returns at once."""
        # in a forked process pyarrow would wait for threads that are gone
        if (
            random.random() >= self._share
            or os.getpid() != self._process
            or not self._free.acquire(blocking=False)
        ):
            return
        own = None
        try:
            own = self._alchemy.private(connection.connection.driver_connection)
            zone = catalog.Session(connection, self._alchemy).alchemy.session_time_zone()
            self._pool.submit(self._work, own, zone, original, rewritten)
        except BaseException as error:
            self._free.release()
            if own is not None:
                own.close()
            if not isinstance(error, RuntimeError):  # the pool was closed, or the program ends
                raise

    def close(self) -> None:
        """Finish the comparisons that wait."""
        self._pool.shutdown()

    def _work(self, own: Any, zone: str, original: Query, rewritten: Query) -> None:
        """Compare and report; ``own`` is a private connection of the driver, or None."""
        compare = functools.partial(self._compare, own, zone, original, rewritten)
        try:
            if self._engine.dialect.is_async:
                self._report(asyncio.run(sa.util.greenlet_spawn(compare)))
            else:
                self._report(compare())
        except Exception:
            _log.exception("tzconv: a comparison could not be reported")
        finally:
            self._free.release()

    def _compare(self, own: Any, zone: str, original: Query, rewritten: Query) -> Shadowed:
        seconds = [math.nan, math.nan]
        difference = failure = None
        try:
            with self._cursor(own, zone) as cursor:
                one = self._original(cursor, original)
                seconds[0] = one.seconds
                try:
                    other = self._result(cursor, rewritten)
                except Exception as error:
                    difference = f"the rewritten query fails: {error}"
                else:
                    seconds[1] = other.seconds
                    difference = _difference(one, other)
                    if difference and _difference(one, self._result(cursor, original)):
                        difference, failure = None, "the original returns other rows each time"
        except Exception as error:
            failure = str(error) or type(error).__name__
        return Shadowed(original[0], rewritten[0], difference, failure, *seconds)

    @contextlib.contextmanager
    def _cursor(self, own: Any, zone: str) -> Iterator[Any]:
        """A cursor in a read-only transaction with that time zone."""
        if own is not None:
            try:
                own.execute(f"SET TimeZone = {literal(zone)}")
                own.execute("BEGIN TRANSACTION READ ONLY")
                yield own
            finally:
                own.close()
            return
        # configured like the caller's pool, without its connections; empty between comparisons
        pool = self._engine.pool.recreate()
        connection = pool.connect()
        try:
            cursor = connection.cursor()
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute(f"SET LOCAL TimeZone = {literal(zone)}")
            yield cursor
        finally:
            connection.rollback()
            connection.close()
            pool.dispose()

    def _original(self, cursor: Any, query: Query) -> Result:
        """DatabaseError that says whose query it is, where it fails."""
        from tzconv.compare import FAILS

        try:
            return self._result(cursor, query)
        except DatabaseError:  # it has too many rows
            raise
        except Exception as error:
            raise DatabaseError(f"{FAILS} {error}") from error

    def _result(self, cursor: Any, query: Query) -> Result:
        started = time.perf_counter()
        statement, parameters = query
        # SQLAlchemy, too, passes a list to the driver
        cursor.execute(statement, list(parameters) if isinstance(parameters, tuple) else parameters)
        rows = cursor.fetchmany(self._most_rows + 1)
        seconds = time.perf_counter() - started
        if len(rows) > self._most_rows:
            raise DatabaseError(f"more than {self._most_rows} rows are not compared")
        names, types = zip(*((str(one[0]), str(one[1])) for one in cursor.description), strict=True)
        columns = zip(*rows, strict=True) if rows else [()] * len(names)
        return Result(names, types, numbered(list(map(_column, columns))), seconds)


def _difference(one: Result, other: Result) -> str | None:
    from tzconv.compare import differences

    return "; ".join(differences(one, other)[0]) or None


def _column(values: Sequence[Any]) -> pa.Array:
    """Floating-point numbers, compared with a tolerance; other values as Python's texts."""
    if all(value is None or isinstance(value, float) for value in values):
        return pa.array(values, pa.float64())
    return pa.array([None if value is None else repr(value) for value in values], pa.string())


def _warn(found: Shadowed) -> None:
    if found.difference:
        _log.warning("tzconv: rewritten, %s: %s", found.difference, found.statement)

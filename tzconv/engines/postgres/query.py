"""The user's queries on PostgreSQL, and arrays of numbers to and from the server.

Values of a result are the server's texts, because ``compare`` compares those, not Python's objects;
only floating-point numbers are converted.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import generators, waiting
from psycopg.adapt import Dumper
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from tzconv.engines.backend import Result, column_of, numbered
from tzconv.engines.postgres import cpu, session
from tzconv.engines.postgres.errors import as_error
from tzconv.errors import QueryError
from tzconv.sql.binder import BoundColumns, CapturedError, NotBoundError
from tzconv.tz.posix import Int64

_2000 = int(np.datetime64("2000-01-01", "us").astype(np.int64))
_ARRAY_HEADER = np.dtype([("dimensions", ">i4"), ("nulls", ">i4"), ("oid", ">u4")])
_DIMENSION = np.dtype([("length", ">i4"), ("first", ">i4")])


def run(connection: psycopg.Connection[Any], sql: str, settings: Mapping[str, str]) -> Result:
    """Run one SELECT of the user's and fetch its rows; QueryError for anything else.

    It runs in a savepoint of the open transaction, which goes on after an error. It is planned each
    time, as for most clients.
    """
    with (
        as_error("", QueryError),
        connection.transaction(force_rollback=True),
        connection.cursor() as cursor,
    ):
        process = _process(connection)
        session.of_the_user(connection, settings)
        # before it runs: COMMIT would end the transaction that must not write
        if not _described(connection.pgconn, sql).nfields:
            kind = (sql.split() or ["nothing"])[0].upper()
            raise QueryError(f"it is {kind}, and only a single SELECT with columns is run here")
        try:
            with cpu.SessionCpu(process) as used:
                began = time.perf_counter()
                cursor.execute(sql.encode())
                seconds = time.perf_counter() - began
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise QueryError("it writes, and only a single SELECT is run here") from error
        result, description = cursor.pgresult, cursor.description
        assert result is not None
        assert description is not None
        columns = [
            column_of(
                [result.get_value(row, place) for row in range(result.ntuples)],
                is_float=result.ftype(place) in (700, 701),
            )
            for place in range(result.nfields)
        ]
        return Result(
            tuple(column.name for column in description),
            tuple(column.type_display for column in description),
            numbered(columns),
            seconds,
            used.seconds,
        )


def _process(connection: psycopg.Connection[Any]) -> int | None:
    """The process of the session, behind a pooler too; None if it is on another machine."""
    [(pid, server)] = connection.execute("SELECT pg_backend_pid(), host(inet_server_addr())")
    host = connection.info.host
    return cpu.local(host, pid) and cpu.local(server or "", pid)


def _described(server: PGconn, sql: str) -> PGresult:
    """The columns of a statement; psycopg.Error for several in one text, or one that is wrong.

    The statement that the server prepares for that has no name: it is gone with the next one.
    """
    server.send_prepare(b"", sql.encode())
    result = _answer(server)
    if result.status == ExecStatus.COMMAND_OK:
        server.send_describe_prepared(b"")
        result = _answer(server)
    if result.status != ExecStatus.COMMAND_OK:
        raise psycopg.errors.error_from_result(result)
    return result


def _answer(server: PGconn) -> PGresult:
    """Wait for a result; other threads run meanwhile, as they do not in libpq's own waiting."""
    results: list[PGresult] = waiting.wait(generators.execute(server), server.socket)
    return results[-1]


@contextlib.contextmanager
def asking(
    connection: psycopg.Connection[Any], settings: Mapping[str, str]
) -> Iterator[Callable[..., list[Any]]]:
    """Runs single statements as in a session of the user's, in a savepoint."""
    with connection.transaction(force_rollback=True), connection.cursor() as cursor:
        session.of_the_user(connection, settings)

        def ask(text: str, parameters: None = None) -> list[Any]:
            _described(connection.pgconn, text)
            return cursor.execute(text.encode(), parameters).fetchall()

        yield ask


def bind(server: PGconn, sql: str) -> BoundColumns:
    """Names and types of the columns of one statement, which the server prepares and does not run.

    NotBoundError if it refuses; CapturedError if the session finds other functions first. An open
    transaction is not disturbed; without one, it needs its own, because a pooler may ask another
    session otherwise. This calls libpq only, so that an async connection does not switch to other
    tasks meanwhile.
    """
    if server.pipeline_status:
        raise NotBoundError("the connection is in pipeline mode", is_syntax=False)
    if "\\" in sql and server.parameter_status(b"standard_conforming_strings") == b"off":
        text = "standard_conforming_strings is off, so that a backslash is no plain character"
        raise NotBoundError(text, is_syntax=True)
    before = server.transaction_status
    if before == TransactionStatus.INTRANS:
        server.exec_(b"SAVEPOINT tzconv_bind")
    elif before == TransactionStatus.IDLE:
        server.exec_(b"BEGIN")
    try:
        _refuse_path(server)
        result = _described(server, sql)
    except psycopg.Error as error:
        message = error.diag.message_primary or "no reason given"
        raise NotBoundError(message, is_syntax=error.sqlstate == "42601") from error
    finally:
        if before == TransactionStatus.INTRANS:
            server.exec_(b"ROLLBACK TO SAVEPOINT tzconv_bind")
            server.exec_(b"RELEASE SAVEPOINT tzconv_bind")
        elif before == TransactionStatus.IDLE:
            server.exec_(b"ROLLBACK")
    return tuple(_column(result, place) for place in range(result.nfields))


def _refuse_path(server: PGconn) -> None:
    """NotBoundError if another schema comes before PostgreSQL's own; pg_temp has no functions."""
    path = server.exec_(b"SELECT pg_catalog.current_schemas(true)")
    if path.status == ExecStatus.TUPLES_OK:
        schemas = (path.get_value(0, 0) or b"").strip(b"{}").split(b",")
        if next(name for name in schemas if not name.startswith(b"pg_temp")) != b"pg_catalog":
            text = "search_path has pg_catalog behind a schema whose functions would be called"
            raise CapturedError(text)


def _column(result: PGresult, place: int) -> tuple[str, str]:
    known, modifier = psycopg.adapters.types.get(result.ftype(place)), result.fmod(place)
    kind = known.name if known else f"type {result.ftype(place)}"
    name = (result.fname(place) or b"").decode(errors="replace")
    if modifier == -1:
        return name, kind
    return name, f"{kind}({modifier - 4 if kind in ('varchar', 'bpchar') else modifier})"


class Sent(bytes):
    """A value in PostgreSQL's binary form; its type is that of the cast in the statement."""


class SentDumper(Dumper):
    """Sends values that are already in binary form."""

    format = Format.BINARY

    def dump(self, obj: Sent) -> bytes:
        return obj


def ints(values: npt.NDArray[np.int32]) -> Sent:
    """Numbers as an ``int4[]``, without a Python object for each."""
    return _array(23, values.astype(">i4"))


def times(values: Int64, *, are_instants: bool) -> Sent:
    """Microseconds since 1970 as a ``timestamp[]``, or as a ``timestamptz[]``."""
    return _array(1184 if are_instants else 1114, (values - _2000).astype(">i8"))


def times_of(data: bytes | None) -> Int64:
    """Microseconds since 1970 from a binary ``timestamp[]`` or ``timestamptz[]`` without NULLs."""
    if data is None:
        return np.empty(0, np.int64)
    start = _ARRAY_HEADER.itemsize + _DIMENSION.itemsize
    elements = np.frombuffer(data, np.dtype([("length", ">i4"), ("value", ">i8")]), offset=start)
    return elements["value"].astype(np.int64) + _2000


def _array(oid: int, values: npt.NDArray[Any]) -> Sent:
    """PostgreSQL's binary form of an array of one dimension without NULLs."""
    header = np.array((1, 0, oid), _ARRAY_HEADER).tobytes()
    header += np.array((len(values), 1), _DIMENSION).tobytes()
    elements = np.empty(len(values), np.dtype([("length", ">i4"), ("value", values.dtype)]))
    elements["length"] = values.dtype.itemsize
    elements["value"] = values
    return Sent(header + elements.tobytes())

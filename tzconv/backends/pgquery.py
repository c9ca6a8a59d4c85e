"""Queries of the user's on PostgreSQL, and arrays of numbers to and from the server.

Values come as the server writes them, but floating-point numbers: what a comparison needs is the
server's own text, not what Python makes of it.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pyarrow as pa
from psycopg.abc import AdaptContext
from psycopg.adapt import Dumper
from psycopg.pq import Format

from tzconv.backends.base import Result
from tzconv.backends.pgerrors import as_error
from tzconv.errors import QueryError
from tzconv.posix import Int64

_FLOATS = (700, 701)
_2000 = int(np.datetime64("2000-01-01", "us").astype(np.int64))
_ARRAY_HEADER = np.dtype([("dimensions", ">i4"), ("nulls", ">i4"), ("oid", ">u4")])
_DIMENSION = np.dtype([("length", ">i4"), ("first", ">i4")])


def run(connection: psycopg.Connection[Any], sql: str) -> Result:
    """Run one SELECT of the user's and fetch its rows; QueryError for anything else.

    In a transaction it is undone on its own, so that the transaction goes on after an error.
    """
    with as_error("", QueryError), contextlib.ExitStack() as stack:
        in_transaction = connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE
        stack.enter_context(connection.transaction(force_rollback=True))
        if not in_transaction:
            connection.execute("SET TRANSACTION READ ONLY")
        cursor = stack.enter_context(connection.cursor())
        pid = connection.info.backend_pid
        began, began_cpu = time.perf_counter(), _cpu_seconds(connection, pid)
        # prepared, because the server then refuses several statements in one text
        try:
            cursor.execute(sql.encode(), prepare=True)
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise QueryError("it writes, and only a single SELECT is run here") from error
        if cursor.description is None or cursor.pgresult is None:
            kind = (cursor.statusmessage or "nothing").split(" ")[0]
            raise QueryError(f"it is {kind}, and only a single SELECT is run here")
        result, description = cursor.pgresult, cursor.description
        cpu, seconds = _cpu_seconds(connection, pid) - began_cpu, time.perf_counter() - began
        columns = [_column(result, place) for place in range(result.nfields)]
        return Result(
            tuple(column.name for column in description),
            tuple(column.type_display for column in description),
            pa.table(columns, names=[f"c{place}" for place in range(len(columns))])
            if columns
            else pa.table({}),
            seconds,
            cpu,
        )


def _column(result: psycopg.pq.abc.PGresult, place: int) -> pa.Array:
    values = [result.get_value(row, place) for row in range(result.ntuples)]
    texts = [None if value is None else value.decode() for value in values]
    if result.ftype(place) in _FLOATS:
        return pa.array([None if text is None else float(text) for text in texts], pa.float64())
    return pa.array(texts, pa.utf8())


def _cpu_seconds(connection: psycopg.Connection[Any], pid: int) -> float:
    """CPU time of the server's process; NaN where it is on another machine."""
    local = connection.info.host.startswith("/") or connection.info.host in ("localhost", "")
    try:
        if not local:
            return float("nan")
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return float("nan")


class Ints:
    """Numbers to be sent as an ``int4[]`` without a Python object for each."""

    def __init__(self, values: npt.NDArray[np.int32]) -> None:
        self.values = values


class Times:
    """Microseconds since 1970 to be sent as a ``timestamp[]``."""

    def __init__(self, values: Int64) -> None:
        self.values = values


class Moments(Times):
    """The same as a ``timestamptz[]``."""


class _IntsDumper(Dumper):
    format = Format.BINARY
    oid = 1007

    def dump(self, obj: Ints) -> bytes:
        return _array(23, obj.values.astype(">i4"))


class _TimesDumper(Dumper):
    format = Format.BINARY
    oid = 1115

    def dump(self, obj: Times) -> bytes:
        return _array(1114, (obj.values - _2000).astype(">i8"))


class _MomentsDumper(Dumper):
    format = Format.BINARY
    oid = 1185

    def dump(self, obj: Moments) -> bytes:
        return _array(1184, (obj.values - _2000).astype(">i8"))


def register(context: AdaptContext) -> None:
    """Teach a connection to send arrays."""
    context.adapters.register_dumper(Ints, _IntsDumper)
    context.adapters.register_dumper(Times, _TimesDumper)
    context.adapters.register_dumper(Moments, _MomentsDumper)


def times_of(data: bytes | None) -> Int64:
    """Microseconds since 1970 from a binary ``timestamp[]`` or ``timestamptz[]`` without NULLs."""
    if data is None:
        return np.empty(0, np.int64)
    start = _ARRAY_HEADER.itemsize + _DIMENSION.itemsize
    elements = np.frombuffer(data, np.dtype([("length", ">i4"), ("value", ">i8")]), offset=start)
    return elements["value"].astype(np.int64) + _2000


def _array(oid: int, values: npt.NDArray[Any]) -> bytes:
    """PostgreSQL's binary form of an array of one dimension without NULLs."""
    header = np.array((1, 0, oid), _ARRAY_HEADER).tobytes()
    header += np.array((len(values), 1), _DIMENSION).tobytes()
    elements = np.empty(len(values), np.dtype([("length", ">i4"), ("value", values.dtype)]))
    elements["length"] = values.dtype.itemsize
    elements["value"] = values
    return header + elements.tobytes()

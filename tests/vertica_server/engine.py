"""One connection to PostgreSQL, at the level of libpq: values pass as the bytes that they are.

It never blocks inside libpq, which would stop every other session of this process, and while it
waits it notices that its own client hung up.
"""

from __future__ import annotations

import contextlib
import select
from collections.abc import Iterator, Sequence

import psycopg
from psycopg import pq

from tests.vertica_server.errors import from_postgres
from tests.vertica_server.protocol import DisconnectedError, Stream

_FAILED = (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE, pq.ExecStatus.PIPELINE_ABORTED)
_ROWS_AT_ONCE = 500


class Engine:
    """A session's PostgreSQL."""

    def __init__(self, conninfo: str, client: Stream) -> None:
        self._client = client
        self._watching = True
        self._pg = pq.PGconn.connect(conninfo.encode())
        if self._pg.status != pq.ConnStatus.OK:
            message = self._pg.get_error_message()
            self._pg.finish()
            raise ConnectionError(message)
        self.pid = self._pg.backend_pid
        self._pg.nonblocking = 1
        self._pg.notice_handler = lambda _notice: None  # in PostgreSQL's words: not for clients

    @property
    def transaction(self) -> pq.TransactionStatus:
        """Where the transaction stands."""
        return pq.TransactionStatus(self._pg.transaction_status)

    def cancel(self) -> None:
        """Interrupt what is running, from any thread; nothing if the session just ended."""
        with contextlib.suppress(psycopg.OperationalError):
            self._pg.get_cancel().cancel()

    def close(self) -> None:
        """Leave; what was not committed is undone, and what runs is stopped."""
        if self.transaction == pq.TransactionStatus.ACTIVE:
            self.cancel()
        self._pg.finish()

    def _wait(self, writing: bool = False) -> None:
        """Until PostgreSQL has something to say, or takes more."""
        pg, client = self._pg.socket, self._client.socket.fileno()
        readable, writable, _ = select.select(
            [pg, client] if self._watching else [pg], [pg] if writing else [], []
        )
        if client in readable:
            if self._client.hung_up():
                raise DisconnectedError
            self._watching = False  # it sent ahead: there is nothing to see until that was read
        if pg in readable or not writable:
            self._pg.consume_input()

    def _flushed(self) -> None:
        while self._pg.flush():
            self._wait(writing=True)

    def _next(self) -> pq.abc.PGresult | None:
        while self._pg.is_busy():
            self._wait()
        return self._pg.get_result()

    def _rest(self) -> None:
        while self._next() is not None:
            pass

    def _send(self, sql: str, values: Sequence[bytes | None] = ()) -> None:
        self._watching = True
        self._pg.send_query_params(sql.encode(), list(values) or None)

    def results(self, sql: str, values: Sequence[bytes | None] = ()) -> Iterator[pq.abc.PGresult]:
        """Run one statement; the rows come in small parts, so that none but these are held."""
        self._send(sql, values)
        self._pg.set_chunked_rows_mode(_ROWS_AT_ONCE)
        self._flushed()
        while (result := self._next()) is not None:
            if result.status in _FAILED:
                self._rest()
                raise from_postgres(result)
            yield result

    def run(self, sql: str, *values: str | None) -> list[tuple[str | None, ...]]:
        """Run one statement and return its rows as texts; for what the server asks itself."""
        texts = [None if value is None else value.encode() for value in values]
        rows: list[tuple[str | None, ...]] = []
        for result in self.results(sql, texts):
            for row in range(result.ntuples):
                cells = (result.get_value(row, column) for column in range(result.nfields))
                rows.append(tuple(None if cell is None else cell.decode() for cell in cells))
        return rows

    def _outcome(self) -> pq.abc.PGresult:
        self._flushed()
        result = self._next()
        assert result is not None
        self._rest()
        if result.status in _FAILED:
            raise from_postgres(result)
        return result

    def copy_begin(self, sql: str) -> None:
        """Begin a COPY FROM STDIN."""
        self._send(sql)
        self._flushed()
        result = self._next()
        assert result is not None
        if result.status in _FAILED:
            self._rest()
            raise from_postgres(result)
        assert result.status == pq.ExecStatus.COPY_IN

    def copy_write(self, data: bytes) -> None:
        """Pass data on; returns when PostgreSQL took all of it."""
        while not self._pg.put_copy_data(data):
            self._wait(writing=True)
        self._flushed()

    def copy_end(self, error: str | None = None) -> int:
        """End the COPY, in failure if there is an ``error``; the number of rows it loaded."""
        while not self._pg.put_copy_end(None if error is None else error.encode()):
            self._wait(writing=True)
        result = self._outcome()
        return result.command_tuples or 0

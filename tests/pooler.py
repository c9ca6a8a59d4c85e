"""A pooler in transaction mode, as PgBouncer works, that looks for what its clients leave behind.

Each transaction runs in the session that was idle for longest, so that two in a row of one client
are never in one session. After each, the pooler asks the session for settings, prepared statements,
cursors, locks and temporary tables: whatever a client leaves there, the next one would get.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tests import postgres

Message: TypeAlias = tuple[bytes, bytes]
"""Its kind, one byte, and its body; no kind at the end of a stream."""

_SESSIONS = 4
_VERSION_3 = struct.pack(">I", 3 << 16)
_TRACKED = ("application_name", "client_encoding")
"""What the pooler would set for each client; it refuses others in a client's first message."""
_READY = (b"Z", b"I")
_LEFT = f"""
SELECT string_agg(what, ', ' ORDER BY what) FROM (
    SELECT name || ' = ' || setting FROM pg_settings
    WHERE source = 'session' AND name NOT IN {_TRACKED}
    UNION ALL SELECT 'prepared statement ' || name FROM pg_prepared_statements
    UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
    UNION ALL SELECT 'LISTEN ' || channel FROM pg_listening_channels() AS channel
    UNION ALL SELECT 'advisory lock' FROM pg_locks
    WHERE locktype = 'advisory' AND pid = pg_backend_pid()
    UNION ALL SELECT 'temporary table ' || relname FROM pg_class
    WHERE relnamespace = pg_my_temp_schema()
) AS found (what)
"""


def _packed(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack(">I", len(body) + 4) + body


@dataclass
class _Stream:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def get(self, *, has_kind: bool = True) -> Message:
        try:
            head = await self.reader.readexactly(4 + has_kind)
            [length] = struct.unpack(">I", head[-4:])
            return head[:-4], await self.reader.readexactly(length - 4)
        except (asyncio.IncompleteReadError, ConnectionError):
            return b"", b""

    async def put(self, message: Message) -> None:
        self.writer.write(_packed(*message))
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()

    async def until_ready(self) -> list[Message]:
        found = []
        while (message := await self.get()) != _READY:
            assert message[0] not in (b"", b"E"), message
            found.append(message)
        return found


@dataclass
class Pooler:
    """``left`` is what clients left in sessions, ``transactions`` the number that they had."""

    server: postgres.Server
    folder: Path
    left: set[str] = field(default_factory=set)
    transactions: int = 0
    _idle: dict[tuple[str, str], asyncio.Queue[_Stream]] = field(default_factory=dict)
    _greetings: dict[tuple[str, str], list[Message]] = field(default_factory=dict)
    _streams: list[_Stream] = field(default_factory=list)

    def url(self, database: str, user: str = "postgres") -> str:
        """The SQLAlchemy URL of a database, through the pooler."""
        return f"postgresql+psycopg://{user}@/{database}?host={self.folder}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk to one client until it leaves."""
        client = _Stream(reader, writer)
        self._streams.append(client)
        try:
            _, body = await client.get(has_kind=False)
            texts = body[4:].decode().split("\0")
            given = dict(zip(texts[::2], texts[1::2], strict=False))
            place = given.pop("user"), given.pop("database")
            if others := [name for name in given if name and name not in _TRACKED]:
                error = f"SFATAL\0C08P01\0Munsupported startup parameter: {others[0]}\0\0"
                await client.put((b"E", error.encode()))
                return
            if place not in self._idle:
                self._idle[place] = asyncio.Queue()
                for _ in range(_SESSIONS):
                    self._idle[place].put_nowait(await self._session(*place))
            for message in (*self._greetings[place], _READY):
                await client.put(message)
            coming = asyncio.create_task(client.get())
            while (await coming)[0] not in (b"", b"X"):
                session = await self._idle[place].get()
                coming = await self._transaction(client, session, coming)
                if coming.done() and coming.result()[0] in (b"", b"X"):
                    session.writer.close()  # the server undoes what was not committed
                    session = await self._session(*place)
                elif found := await self._found(session):
                    self.left.add(found)
                self._idle[place].put_nowait(session)
        finally:
            writer.close()

    async def _session(self, user: str, database: str) -> _Stream:
        socket = self.server.folder / ".s.PGSQL.5432"
        session = _Stream(*await asyncio.open_unix_connection(socket))
        body = f"user\0{user}\0database\0{database}\0client_encoding\0utf8\0\0"
        self._streams.append(session)
        await session.put((b"", _VERSION_3 + body.encode()))
        self._greetings[user, database] = await session.until_ready()
        return session

    async def _transaction(
        self, client: _Stream, session: _Stream, coming: asyncio.Task[Message]
    ) -> asyncio.Task[Message]:
        """Pass messages on until a transaction has ended; returns the client's next one."""
        unanswered = 0
        answer = asyncio.create_task(session.get())
        while True:
            await asyncio.wait({coming, answer}, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                message = coming.result()
                if message[0] in (b"", b"X"):
                    answer.cancel()
                    return coming
                unanswered += message[0] in (b"Q", b"S")
                await session.put(message)
                coming = asyncio.create_task(client.get())
            if answer.done():
                message = answer.result()
                await client.put(message)
                unanswered -= message[0] == b"Z"
                if message == _READY and not unanswered:
                    self.transactions += 1
                    return coming
                answer = asyncio.create_task(session.get())

    async def close(self) -> None:
        """Close all sessions, and the clients that are still there."""
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        for stream in self._streams:
            stream.writer.close()
            with contextlib.suppress(ConnectionError):
                await stream.writer.wait_closed()

    async def _found(self, session: _Stream) -> str:
        """What a client left in the session; empty if nothing."""
        await session.put((b"Q", _LEFT.encode() + b"\0"))
        [row] = [body for kind, body in await session.until_ready() if kind == b"D"]
        [length] = struct.unpack(">i", row[2:6])
        return row[6:].decode() if length > 0 else ""


@contextlib.contextmanager
def pooling(server: postgres.Server) -> Iterator[Pooler]:
    """A pooler before that server."""
    with tempfile.TemporaryDirectory(prefix="tzconv-pooler-") as folder:
        pooler = Pooler(server, Path(folder))
        loop = asyncio.new_event_loop()
        socket = pooler.folder / ".s.PGSQL.5432"
        opened = loop.run_until_complete(asyncio.start_unix_server(pooler.serve, socket))
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        try:
            yield pooler
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            opened.close()
            loop.run_until_complete(pooler.close())
            loop.close()

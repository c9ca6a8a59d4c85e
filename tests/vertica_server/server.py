"""The server: a socket that listens, its users, its sessions, and what tests do to them."""

from __future__ import annotations

import contextlib
import itertools
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import pack
from typing import Any
from urllib.parse import quote

from psycopg import conninfo, sql

from tests import postgres
from tests.vertica_server import catalog, protocol
from tests.vertica_server.auth import User
from tests.vertica_server.design import Design
from tests.vertica_server.protocol import DisconnectedError, Stream
from tests.vertica_server.session import Session

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Recorded:
    """A statement that a client sent."""

    session: str
    user: str
    text: str
    label: str = ""
    """What the client calls its session."""


@dataclass
class Server:
    """A server that runs; its public attributes may be changed at any time."""

    database: str
    """The only database that clients may name."""
    postgres: postgres.Server
    postgres_database: str
    port: int = 0
    host: str = "127.0.0.1"
    users: dict[str, User] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    """With which it answers requests for TLS; without, it declines."""
    require_tls: bool = False
    load_balance_to: tuple[str, int] | None = None
    lock_timeout: float = 300.0
    """In seconds; of sessions that begin from now on."""
    statement_level_rollback: bool = True
    """Whether an error undoes its statement only, or aborts the transaction."""
    statements: list[Recorded] = field(default_factory=list)
    """Everything that clients asked for, in order."""
    failures: list[Exception] = field(default_factory=list)
    """Faults of this server itself; `running` raises the first one at the end."""
    cancelled: int = 0
    """How many requests to cancel were passed on to PostgreSQL."""
    copied: int = 0
    """How many bytes of COPY data arrived, of all sessions."""
    _sessions: list[Session] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _drop_after: tuple[int, int] | None = None
    _seen: tuple[int, int] = (0, 0)

    def options(self, user: str = "dbadmin", password: str = "", **more: Any) -> dict[str, Any]:
        """What `vertica_python.connect` takes; without TLS, which it would warn about."""
        known: dict[str, Any] = {
            "host": self.host,
            "port": self.port,
            "database": self.database,
            "user": user,
            "password": password,
            "tlsmode": "disable",
        }
        return {**known, **more}

    def url(self, user: str = "dbadmin", password: str = "") -> str:
        """The URL of the database."""
        secret = f":{quote(password, safe='')}" if password else ""
        name = quote(user, safe="")
        return f"vertica+vertica_python://{name}{secret}@{self.host}:{self.port}/{self.database}"

    def conninfo(self, user: str, label: str = "") -> str:
        """How a session of a user reaches PostgreSQL."""
        return conninfo.make_conninfo(
            host=str(self.postgres.folder),
            dbname=self.postgres_database,
            user=user,
            application_name=label,
            client_encoding="utf8",
        )

    def add_user(self, name: str, user: User, superuser: bool = False) -> None:
        """Let a user in; it has no rights but those of everyone, or all."""
        with self.postgres.connect() as connection:
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,))
            if known.fetchone() is None:
                rights = sql.SQL("SUPERUSER" if superuser else "NOSUPERUSER")
                create = sql.SQL("CREATE ROLE {} LOGIN {}")
                connection.execute(create.format(sql.Identifier(name), rights))
        self.users[name] = user

    def recorded(self) -> list[str]:
        """The texts of all statements so far."""
        with self._guard:
            return [one.text for one in self.statements]

    def record(self, session: Session, text: str) -> None:
        """Note a statement; for sessions."""
        with self._guard:
            self.statements.append(Recorded(session.id, session.user, text, session.label))

    def sessions(self, user: str | None = None) -> list[Session]:
        """The sessions that are connected, of all users or of one."""
        with self._guard:
            return [one for one in self._sessions if one.pid and user in (None, one.user)]

    def forget(self, session: Session) -> None:
        """Drop a session that ended; for sessions."""
        with self._guard:
            if session in self._sessions:
                self._sessions.remove(session)

    def cancel(self, pid: int, key: int) -> None:
        """Interrupt what a session does, if the key is its own."""
        for session in self.sessions():
            if (session.pid, session.key) == (pid, key):
                session.engine.cancel()
                self.cancelled += 1

    def running(self, sql: str) -> bool:
        """Whether PostgreSQL is at work on a statement of that beginning."""
        with self.postgres.connect() as connection:
            found = connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND state = 'active' "
                "AND starts_with(query, %s)",
                (self.postgres_database, sql),
            )
            return found.fetchone() is not None

    def kill(self, session: Session) -> None:
        """Throw a client out, whatever it does; returns when its work is undone."""
        session.stream.shut()
        if session.pid:
            session.engine.cancel()
        if session.thread is not threading.current_thread():
            session.thread.join(timeout=300)

    def kill_all(self) -> None:
        """Throw everyone out."""
        for session in self.sessions():
            self.kill(session)

    def drop_copy_after(self, *, size: int = 0, frames: int = 0) -> None:
        """Cut the connection of the session that sends the COPY data beyond this; once."""
        with self._guard:
            self._drop_after, self._seen = (size, frames), (0, 0)

    def seen_copy_data(self, session: Session, size: int) -> None:
        """Count COPY data and cut the connection when it is time; for sessions."""
        with self._guard:
            self.copied += size
            if self._drop_after is None:
                return
            self._seen = (self._seen[0] + size, self._seen[1] + 1)
            limits = zip(self._seen, self._drop_after, strict=True)
            if not any(limit and seen > limit for seen, limit in limits):
                return
            self._drop_after = None
        session.stream.shut()
        raise DisconnectedError

    def load_balance_answer(self) -> bytes:
        """To a client that asks where to go."""
        if self.load_balance_to is None:
            return b"N"
        host, port = self.load_balance_to
        return protocol.message(b"Y", pack("!I", port) + host.encode() + b"\0")

    def design(self, table: str) -> Design:
        """What was declared about a table when it was made."""
        with self.postgres.connect(self.postgres_database) as connection:
            found = connection.execute(
                "SELECT declared::text FROM v_internal.design WHERE relation = %s::regclass",
                (table,),
            ).fetchone()
        if found is None:
            raise KeyError(table)
        return Design.loads(str(found[0]))

    def accept(self, listener: socket.socket) -> None:
        """Take clients until the socket is closed; for the thread that listens."""
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            session = Session(self, Stream(client))
            with self._guard:
                self._sessions.append(session)
            session.thread.start()

    def close(self) -> None:
        """End all sessions, also those that are still starting."""
        with self._guard:
            left = list(self._sessions)
        for session in left:
            self.kill(session)


@contextlib.contextmanager
def running(server: postgres.Server, database: str = "vmart") -> Iterator[Server]:
    """Serve a fresh database of a PostgreSQL on a free port; ``dbadmin`` needs no password."""
    name = f"vertica_{next(_numbers)}"
    server.fresh(name)
    with server.connect(name) as connection:
        connection.execute(catalog.SCRIPT)
    vertica = Server(database, server, name)
    vertica.add_user("dbadmin", User(), superuser=True)
    with socket.create_server((vertica.host, 0), backlog=64) as listener:
        vertica.port = listener.getsockname()[1]
        thread = threading.Thread(target=vertica.accept, args=(listener,), name="vertica listener")
        thread.start()
        try:
            yield vertica
        finally:
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread, which close would not
            thread.join()
            vertica.close()
            with server.connect() as connection:
                drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
                connection.execute(drop.format(sql.Identifier(name)))
    if vertica.failures:
        raise vertica.failures[0]

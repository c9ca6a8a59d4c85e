"""One client: start-up, its messages, the answers to them. It prepares no statements."""

from __future__ import annotations

import secrets
import ssl
import threading
from struct import unpack_from
from typing import TYPE_CHECKING

import psycopg

from tests.vertica_server import auth, catalog, protocol
from tests.vertica_server.engine import Engine
from tests.vertica_server.errors import (
    VerticaError,
    tls_required,
    unsupported,
)
from tests.vertica_server.executor import Executor
from tests.vertica_server.lexer import statements
from tests.vertica_server.protocol import DisconnectedError, ProtocolError, Stream
from tests.vertica_server.statements import plan
from tests.vertica_server.transactions import Transactions

if TYPE_CHECKING:
    from tests.vertica_server.server import Server


class Session:
    """Serves one client in a thread of its own."""

    def __init__(self, server: Server, stream: Stream) -> None:
        self.server = server
        self.stream = stream
        self.user = ""
        self.parameters: dict[str, str] = {}
        self.key = secrets.randbits(32)
        self.thread = threading.Thread(target=self._run, name="vertica session", daemon=True)
        self._engine: Engine | None = None
        self._transactions: Transactions
        self._executor: Executor

    @property
    def engine(self) -> Engine:
        """Its PostgreSQL, once it is authenticated."""
        assert self._engine is not None
        return self._engine

    @property
    def pid(self) -> int:
        """The number under which it is cancelled; 0 before it is authenticated."""
        return self._engine.pid if self._engine else 0

    @property
    def id(self) -> str:
        """The name of the session in v_monitor.sessions."""
        return f"{catalog.NODE}-{self.pid}:0x1"

    @property
    def label(self) -> str:
        """What the client calls it."""
        return self.parameters.get("client_label", "")

    def _run(self) -> None:
        try:
            if self._start():
                self._serve()
        except DisconnectedError:
            pass
        except ProtocolError as error:
            self._last_words(VerticaError("08P01", 2000, f"Protocol error: {error}"))
        except Exception as error:
            self.server.failures.append(error)
            self._last_words(VerticaError("XX000", 2000, f"The test server failed: {error!r}"))
        finally:
            if self._engine is not None:
                self._engine.close()
            self.stream.close()
            self.server.forget(self)

    def _last_words(self, error: VerticaError) -> None:
        try:
            self._report(error)
            self.stream.flush()
        except DisconnectedError:
            pass

    def _report(self, error: VerticaError) -> None:
        self.stream.send(protocol.report(b"E", error.fields()))

    # start-up

    def _start(self) -> bool:
        packet, secure = self.stream.packet(), False
        while True:
            (code,) = unpack_from("!I", packet)
            if code == protocol.SSL_REQUEST and not secure:
                secure = self._secured()
            elif code == protocol.LOAD_BALANCE_REQUEST:
                self.stream.send(self.server.load_balance_answer())
                self.stream.flush()
            elif code == protocol.CANCEL_REQUEST:
                self.server.cancel(*unpack_from("!II", packet, 4))
                return False
            else:
                break
            packet = self.stream.packet()
        asked = protocol.startup(packet)
        self.parameters = dict(asked.parameters)
        self.user = self.parameters.get("user", "")
        try:
            if self.server.require_tls and not secure:
                raise tls_required()
            auth.authenticate(self.stream, self.user, self.server.users.get(self.user))
            self._open()
        except VerticaError as error:
            self._last_words(error)
            return False
        autocommit = self.parameters.get("autocommit") == "on"
        level = self.server.statement_level_rollback
        self._transactions = Transactions(self.engine, autocommit, level)
        self._executor = Executor(self, self._transactions)
        for name, value in (
            ("protocol_version", str(min(asked.version, protocol.VERSION))),
            ("server_version", catalog.VERSION.rpartition(" ")[2]),
            ("auto_commit", "on" if autocommit else "off"),
            ("timezone", "UTC"),
            ("standard_conforming_strings", "on"),
            ("request_complex_types", "off"),
        ):
            self.stream.send(protocol.parameter_status(name, value))
        self.stream.send(protocol.backend_key(self.pid, self.key))
        return True

    def _secured(self) -> bool:
        if self.server.tls is None:
            self.stream.send(b"N")
            self.stream.flush()
            return False
        self.stream.send(b"S")
        self.stream.flush()
        try:
            self.stream.socket = self.server.tls.wrap_socket(self.stream.socket, server_side=True)
        except (ssl.SSLError, OSError) as error:
            raise DisconnectedError from error
        return True

    def _open(self) -> None:
        database = self.parameters.get("database", "")
        if database != self.server.database:
            message = f'Database "{database}" does not exist'
            raise VerticaError("3D000", 2983, message, severity="FATAL")
        self._engine = Engine(self.server.conninfo(self.user, self.label), self.stream)
        catalog.set_up(self.engine)
        timeout = str(int(self.server.lock_timeout * 1000))
        self.engine.run("SELECT set_config('lock_timeout', $1, false)", timeout)

    # messages

    def _serve(self) -> None:
        self._ready()
        skipping = False
        while True:
            kind, body = self.stream.read()
            if kind == b"X":
                return
            if kind == b"S":
                skipping = False
                self._ready()
                continue
            if skipping:
                continue
            try:
                self._answer(kind, body)
            except VerticaError as error:
                self._report(error)
                skipping = kind != b"Q"
            except psycopg.OperationalError as error:  # the session was closed by another one
                raise DisconnectedError from error
            if kind == b"Q":
                self._ready()
            elif skipping:
                self.stream.flush()

    def _ready(self) -> None:
        self.stream.send(protocol.ready(self._transactions.state))
        self.stream.flush()

    def _answer(self, kind: bytes, body: bytes) -> None:
        if kind == b"Q":
            self._query(protocol.word(body)[0])
        elif kind in (b"P", b"D", b"B", b"E", b"C"):
            raise unsupported("A prepared statement")
        elif kind == b"H":
            self.stream.flush()
        elif kind not in (b"d", b"c", b"f"):  # these belong to a COPY that has failed already
            raise ProtocolError(f"a message {kind!r}")

    def _query(self, sql: str) -> None:
        found = list(statements(sql))
        if not found:
            self.stream.send(protocol.EMPTY_QUERY)
        for statement in found:
            self.server.record(self, statement.text)
            planned = plan(statement)
            self._executor.run(statement, planned)

"""Runs what was understood and answers with rows, counts and notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.vertica_server import copy, protocol
from tests.vertica_server.datatypes import INT, columns
from tests.vertica_server.errors import Notice, VerticaError, syntax
from tests.vertica_server.lexer import Statement
from tests.vertica_server.protocol import Column, ProtocolError
from tests.vertica_server.statements import Plan
from tests.vertica_server.transactions import Transactions

if TYPE_CHECKING:
    from tests.vertica_server.session import Session

OUTPUT = [Column("OUTPUT", INT, 8)]
"""The one column of what a change answers."""


@dataclass(frozen=True)
class Job:
    """A statement that may be run, once or as often as it is bound."""

    statement: Statement
    plan: Plan
    sql: str
    """For PostgreSQL."""
    types: tuple[int, ...] = ()
    """PostgreSQL's types of its parameters."""
    columns: tuple[Column, ...] | None = None
    """What was told of its result when it was prepared."""
    error: VerticaError | None = None
    """What is wrong with it."""


class Executor:
    """Runs the statements of one session."""

    def __init__(self, session: Session, transactions: Transactions) -> None:
        self._session = session
        self._engine = session.engine
        self._stream = session.stream
        self._transactions = transactions
        self._counts = (0, 0)

    def run(self, job: Job, values: Sequence[bytes | None] = ()) -> None:
        """Run a statement and send everything but ReadyForQuery."""
        transactions = self._transactions
        kind = job.plan.kind
        if kind == "query":
            self._rows(job, values)
        elif kind == "change":
            self._change(job, values)
        elif kind == "copy":
            assert job.plan.copy is not None
            self._copy(job.plan.copy)
        elif kind == "ddl":
            for notice in transactions.define(job.plan):
                self._notify(notice)
        elif kind == "begin":
            transactions.begin()
        elif kind == "commit":
            transactions.commit()
        elif kind == "rollback":
            transactions.rollback()
        elif kind == "savepoint":
            transactions.savepoint(job.plan)
        elif kind == "lock":
            with transactions.statement():
                self._engine.run(job.sql)
        else:
            self._set(job.plan.settings)
        self._stream.send(protocol.command_complete(job.plan.tag))

    def _notify(self, notice: Notice) -> None:
        self._stream.send(protocol.report(b"N", notice.fields()))

    def _set(self, settings: dict[str, str]) -> None:
        for name, value in settings.items():
            if name == "autocommit":
                self._transactions.autocommit = value == "on"
                self._stream.send(protocol.parameter_status("auto_commit", value))
                continue
            if name == "lock_timeout":
                seconds = self._session.server.lock_timeout if value == "default" else int(value)
                self._transactions.set(name, str(int(seconds * 1000)))
                continue
            self._transactions.set(name, value)
            if name == "TimeZone":
                self._stream.send(protocol.parameter_status("timezone", value))

    def _rows(self, job: Job, values: Sequence[bytes | None]) -> None:
        described = job.columns is not None
        words = [token.word for token in job.statement.tokens]
        if not described and "?" in words:
            raise syntax("?")
        with self._transactions.statement():
            if any(word.startswith("GET_NUM_") for word in words):
                for name, count in zip(("accepted", "rejected"), self._counts, strict=True):
                    setting = f"SELECT set_config('vertica.{name}', $1, false)"
                    self._engine.run(setting, str(count))
            for result in self._engine.results(job.sql, values, job.types):
                if not described:
                    self._stream.send(protocol.row_description(columns(result)))
                    described = True
                fields = range(result.nfields)
                for row in range(result.ntuples):
                    cells = [result.get_value(row, field) for field in fields]
                    self._stream.send(protocol.data_row(cells))

    def _change(self, job: Job, values: Sequence[bytes | None]) -> None:
        with self._transactions.statement():
            if job.plan.lock:
                self._engine.run(f"LOCK TABLE {job.plan.table} IN {job.plan.lock} MODE")
            else:
                copy.target(self._engine, copy.Copy(job.plan.table))  # is it there?
            count = 0
            for result in self._engine.results(job.sql, values, job.types):
                count = result.command_tuples or 0
        if job.columns is None:
            self._stream.send(protocol.row_description(OUTPUT))
        self._stream.send(protocol.data_row([str(count).encode()]))

    def _copy(self, statement: copy.Copy) -> None:
        with self._transactions.statement():
            target = copy.target(self._engine, statement)
            loader = copy.Loader(self._engine, statement, target)
            loader.begin()
            self._stream.send(protocol.copy_in(len(target.names)))
            self._stream.flush()
            self._counts = (0, 0)
            if (error := self._load(loader)) is not None:
                loader.fail(error)
                raise error
            self._counts = loader.end()
        if not statement.no_commit and not target.temporary:
            self._transactions.commit()

    def _load(self, loader: copy.Loader) -> VerticaError | None:
        """Pass the client's data on to their end, also behind an error, for it does not read."""
        failed: VerticaError | None = None
        while True:
            kind, body = self._stream.read()
            if kind == b"d":
                self._session.server.seen_copy_data(self._session, len(body))
                try:
                    if failed is None:
                        loader.feed(body)
                except VerticaError as error:
                    failed = error
            elif kind == b"c":
                return failed
            elif kind == b"f":
                why = protocol.word(body)[0]
                return VerticaError("57014", 2077, f"COPY: the client gave up: {why}")
            elif kind not in (b"H", b"S"):
                raise ProtocolError(f"a message {kind!r} inside COPY")

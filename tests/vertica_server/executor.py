"""Runs what was understood and answers with rows, counts and notices."""

from __future__ import annotations

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


class Executor:
    """Runs the statements of one session."""

    def __init__(self, session: Session, transactions: Transactions) -> None:
        self._session = session
        self._engine = session.engine
        self._stream = session.stream
        self._transactions = transactions
        self._counts = (0, 0)

    def run(self, statement: Statement, plan: Plan) -> None:
        """Run a statement and send everything but ReadyForQuery."""
        transactions = self._transactions
        kind = plan.kind
        if kind == "query":
            self._rows(statement, plan)
        elif kind == "change":
            self._change(plan)
        elif kind == "copy":
            assert plan.copy is not None
            self._copy(plan.copy)
        elif kind == "ddl":
            for notice in transactions.define(plan):
                self._notify(notice)
        elif kind == "begin":
            transactions.begin()
        elif kind == "commit":
            transactions.commit()
        elif kind == "rollback":
            transactions.rollback()
        elif kind == "savepoint":
            transactions.savepoint(plan)
        elif kind == "lock":
            with transactions.statement():
                self._engine.run(plan.sql)
        else:
            self._set(plan.settings)
        self._stream.send(protocol.command_complete(plan.tag))

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

    def _rows(self, statement: Statement, plan: Plan) -> None:
        described = False
        words = [token.word for token in statement.tokens]
        if "?" in words:
            raise syntax("?")
        with self._transactions.statement():
            if any(word.startswith("GET_NUM_") for word in words):
                for name, count in zip(("accepted", "rejected"), self._counts, strict=True):
                    setting = f"SELECT set_config('vertica.{name}', $1, false)"
                    self._engine.run(setting, str(count))
            for result in self._engine.results(plan.sql):
                if not described:
                    self._stream.send(protocol.row_description(columns(result)))
                    described = True
                fields = range(result.nfields)
                for row in range(result.ntuples):
                    cells = [result.get_value(row, field) for field in fields]
                    self._stream.send(protocol.data_row(cells))

    def _change(self, plan: Plan) -> None:
        with self._transactions.statement():
            if plan.lock:
                self._engine.run(f"LOCK TABLE {plan.table} IN {plan.lock} MODE")
            else:
                copy.target(self._engine, copy.Copy(plan.table))  # is it there?
            count = 0
            for result in self._engine.results(plan.sql):
                count = result.command_tuples or 0
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

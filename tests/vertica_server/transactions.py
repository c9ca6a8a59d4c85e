"""Vertica's transactions on PostgreSQL's: implicit ones, commits by DDL, savepoints in the dark.

Documented: a transaction begins by itself, DDL and TRUNCATE commit, COPY commits unless NO COMMIT
is given or its table is temporary. Assumptions: an error undoes its own statement and nothing else
(a server can be told to abort the whole transaction instead, so that clients can be tested against
both); DDL commits what was before it even if it then fails; settings are not undone by a rollback.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from psycopg import pq

from tests.vertica_server.engine import Engine
from tests.vertica_server.errors import Notice, VerticaError, aborted, missing_schema
from tests.vertica_server.statements import Plan

_OWN = '"statement of the test server"'
_CATALOG = 5433
_STATES = {
    pq.TransactionStatus.IDLE: "I",
    pq.TransactionStatus.INTRANS: "T",
    pq.TransactionStatus.INERROR: "E",
}


class Transactions:
    """The transactions of one session."""

    def __init__(self, engine: Engine, autocommit: bool, statement_level: bool) -> None:
        self.engine = engine
        self.autocommit = autocommit
        self._statement_level = statement_level
        self._explicit = False
        self._savepoints: list[str] = []
        self._settings: dict[str, str] = {}

    @property
    def state(self) -> str:
        """I, T or E, as ReadyForQuery has it."""
        return _STATES.get(self.engine.transaction, "E")

    @contextlib.contextmanager
    def statement(self) -> Iterator[None]:
        """Run one statement, which leaves nothing behind if it fails."""
        if self.state == "E":
            raise aborted()
        if self.state == "I":
            self.engine.run("BEGIN")
        if self._statement_level:
            self.engine.run(f"SAVEPOINT {_OWN}")
        try:
            yield
        except VerticaError as error:
            if self._statement_level:
                self.engine.run(f"ROLLBACK TO SAVEPOINT {_OWN}")
                self.engine.run(f"RELEASE SAVEPOINT {_OWN}")
                error = self._better(error)
            if self.autocommit and not self._explicit:
                self.rollback()
            raise error from None
        if self._statement_level:
            self.engine.run(f"RELEASE SAVEPOINT {_OWN}")
        if self.autocommit and not self._explicit:
            self.commit()

    def _better(self, error: VerticaError) -> VerticaError:
        """Vertica says when it is the schema that is missing."""
        name = re.search(r'^Relation "([^".]+)\.[^"]+" does not exist$', error.message)
        if error.sqlstate == "42V01" and name:
            known = self.engine.run("SELECT 1 FROM pg_namespace WHERE nspname = $1", name[1])
            return error if known else missing_schema(name[1])
        return error

    def define(self, plan: Plan) -> list[Notice]:
        """Run a statement that defines something, in a transaction of its own if it commits."""
        assert plan.ddl is not None
        if not plan.ddl.commits:
            with self.statement():
                return plan.ddl.action(self.engine)
        if self.state == "E":
            raise aborted()
        self.commit()
        self.engine.run("BEGIN")
        # the global catalog lock: one at a time defines something
        self.engine.run(f"SELECT pg_advisory_xact_lock({_CATALOG})")
        try:
            notices = plan.ddl.action(self.engine)
        except VerticaError:
            self.rollback()
            raise
        self.commit()
        return notices

    def begin(self) -> None:
        """BEGIN; inside a transaction it changes nothing."""
        if self.state == "I":
            self.engine.run("BEGIN")
        self._explicit = True

    def commit(self) -> None:
        """COMMIT; in a transaction that failed it rolls back, as ROLLBACK does."""
        failed = self.state == "E"
        if self.state != "I":
            self.engine.run("COMMIT")
        self._over(failed)

    def rollback(self) -> None:
        """ROLLBACK."""
        if self.state != "I":
            self.engine.run("ROLLBACK")
        self._over(True)

    def _over(self, undone: bool) -> None:
        self._explicit = False
        self._savepoints.clear()
        if undone:
            for name, value in self._settings.items():
                self._set(name, value)

    def savepoint(self, plan: Plan) -> None:
        """SAVEPOINT, RELEASE and ROLLBACK TO."""
        if plan.tag == "SAVEPOINT":
            if self.state == "E":
                raise aborted()
            if self.state == "I":
                self.engine.run("BEGIN")
            self.engine.run(plan.sql)
            self._savepoints.append(plan.name)
            return
        if plan.name not in self._savepoints:
            raise VerticaError("3B001", 4652, f'Savepoint "{plan.name}" does not exist')
        self.engine.run(plan.sql)
        last = len(self._savepoints) - self._savepoints[::-1].index(plan.name)
        del self._savepoints[last if plan.tag == "ROLLBACK" else last - 1 :]

    def set(self, name: str, value: str) -> None:
        """Change a setting of the session."""
        if self.state == "E":
            raise aborted()
        if self.state == "I":
            self._set(name, value)
        else:
            self.engine.run("SAVEPOINT setting")
            try:
                self._set(name, value)
            except VerticaError:
                self.engine.run("ROLLBACK TO SAVEPOINT setting")
                raise
        self._settings[name] = value

    def _set(self, name: str, value: str) -> None:
        self.engine.run("SELECT set_config($1, $2, false)", name, value)

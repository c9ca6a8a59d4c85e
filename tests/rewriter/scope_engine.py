"""An engine with the tables of the scopes: rows of a query as it was and as it was rewritten."""

from __future__ import annotations

import datetime as dt
import threading
from collections import Counter

import duckdb
import psycopg

from tests import events, events_postgres
from tests.rewriter import scopes
from tzconv import engines, refresh, target

SECONDS = 10
"""Some products of relations would take for ever; they count as refused."""
SINCE = dt.datetime(2021, 3, 1)
"""The value of ``$1``."""


class Engine:
    """One engine with the tables of the scopes and the conversion tables."""

    def __init__(self, dialect: str, url: str) -> None:
        self.dialect = dialect
        refresh(url, zones=scopes.ZONES)
        self.connection: duckdb.DuckDBPyConnection | events_postgres.Connection
        if dialect == "duckdb":
            self.connection = duckdb.connect(url.removeprefix("duckdb://"))
            self.connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
        else:
            self.connection = events_postgres.connect(url)
        for statement in scopes.statements(dialect):
            self.connection.execute(statement)
        with engines.connect(url) as backend:
            self.types = target.read(backend).schema

    def rows(
        self, before: list[str], sql: str, seconds: float = SECONDS
    ) -> tuple[list[object], Counter[str]] | None:
        """Names, types and rows after other statements; None where the engine refuses one."""
        try:
            self.connection.execute("BEGIN")
            for statement in before:
                self.connection.execute(statement)
            if not isinstance(self.connection, duckdb.DuckDBPyConnection):
                self.connection.execute(f"SET LOCAL statement_timeout = '{seconds}s'")
                return _rows_of_postgres(self.connection, sql)
            timer = threading.Timer(seconds, self.connection.interrupt)
            timer.start()
            try:
                return _rows_of_duckdb(self.connection, sql)
            finally:
                timer.cancel()
        except (duckdb.Error, psycopg.Error, RuntimeError) as error:  # interrupted: RuntimeError
            self.error = str(error)
            return None
        finally:
            self.connection.execute("ROLLBACK")
            if self.dialect == "duckdb" and before:
                self.connection.execute("USE main; SET TimeZone = 'UTC'; RESET default_order")


def _rows_of_duckdb(
    connection: duckdb.DuckDBPyConnection, sql: str
) -> tuple[list[object], Counter[str]]:
    """As events.rows_of, with a parameter."""
    if "$1" not in sql:
        return events.rows_of(connection, sql)
    relation = connection.execute(f"DESCRIBE {sql}", [SINCE]).fetchall()
    rows = connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({sql}\n)", [SINCE]).fetchall()
    return [column[:2] for column in relation], Counter(map(str, rows))


def _rows_of_postgres(
    connection: events_postgres.Connection, sql: str
) -> tuple[list[object], Counter[str]]:
    """As events_postgres.rows_of, with a parameter."""
    if "$1" not in sql:
        return events_postgres.rows_of(connection, sql)
    described = psycopg.RawCursor(connection).execute(f"SELECT * FROM ({sql}\n) q LIMIT 0", [SINCE])
    columns = [(column.name, column.type_code) for column in described.description or []]
    rows = psycopg.RawCursor(connection).execute(f"SELECT q::text FROM ({sql}\n) q", [SINCE])
    return list(columns), Counter(str(row[0]) for row in rows)

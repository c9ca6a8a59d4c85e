"""Names that are hard to follow: each query runs as it was and as it was rewritten."""

from __future__ import annotations

import datetime as dt
import os
import random
import threading
from collections import Counter
from collections.abc import Iterator

import duckdb
import psycopg
import pytest

from tests import events, events_postgres, postgres, scopes
from tzconv import engines, refresh, target
from tzconv.rewriter import rewrite

BY_HAND = "TZCONV_RANDOM_SCOPES" in os.environ
COUNT = int(os.environ.get("TZCONV_RANDOM_SCOPES", "1500"))
"""More than in a usual run for a search by hand; then every run is another one."""
PARTS = 4
SECONDS = 10
"""Some products of relations would take for ever; they count as refused."""
SINCE = dt.datetime(2021, 3, 1)
"""The value of ``$1``."""
LEAST_REWRITTEN = 0.9
"""The share of conversions: a rewriter that leaves everything alone makes no mistake."""


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
            self.connection.execute(f"SET statement_timeout = '{SECONDS}s'")
        for statement in scopes.statements(dialect):
            self.connection.execute(statement)
        with engines.connect(url) as backend:
            self.types = target.read(backend).types

    def rows(self, before: list[str], sql: str) -> tuple[list[object], Counter[str]] | None:
        """Names, types and rows after other statements; None where the engine refuses one."""
        try:
            self.connection.execute("BEGIN")
            for statement in before:
                self.connection.execute(statement)
            if not isinstance(self.connection, duckdb.DuckDBPyConnection):
                return _rows_of_postgres(self.connection, sql)
            timer = threading.Timer(SECONDS, self.connection.interrupt)
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


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    if request.param == "duckdb":
        made = Engine("duckdb", f"duckdb:///{tmp_path_factory.mktemp('scopes')}/scopes.duckdb")
    else:
        server: postgres.Server = request.getfixturevalue("server")
        made = Engine("postgres", server.fresh("scopes"))
    yield made
    made.connection.close()


@pytest.mark.parametrize("part", range(PARTS))
def test_random_scopes(part: int, engine: Engine) -> None:
    chance = random.Random(None if BY_HAND else part)
    made = scopes.Scopes(engine.dialect, chance)
    changed = left = refused = 0
    for _ in range(COUNT // PARTS):
        first, sql = made.script()
        before = engine.rows(first, sql)
        if before is None:
            refused += 1
            continue
        text = "".join(f"{one};\n" for one in [*first, sql])
        result = rewrite(text, dialect=engine.dialect, schema=engine.types)
        if not first:  # most of what may stand before a query makes its tables unknown
            changed += sum(" AT TIME ZONE " in change.before for change in result.changes)
            left += len(result.left)
        if result.sql != text:
            start = text.index(sql)
            assert result.sql[:start] == text[:start]
            after = engine.rows(first, result.sql[start:].rstrip(";\n"))
            assert after is not None, (engine.error, text, result.sql)
            assert after == before, (text, result.sql)
    assert refused < COUNT / PARTS / 4
    assert changed / (changed + left) >= LEAST_REWRITTEN, (changed, left, refused)

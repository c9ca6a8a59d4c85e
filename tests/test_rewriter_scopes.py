"""Names that are hard to follow: each query runs as it was and as it was rewritten."""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator

import duckdb
import psycopg
import pytest

from tests import events, events_postgres, postgres, scopes
from tzconv import backends, refresh, target
from tzconv.rewriter import rewrite

BY_HAND = "TZCONV_RANDOM_SCOPES" in os.environ
COUNT = int(os.environ.get("TZCONV_RANDOM_SCOPES", "1500"))
"""More than in a usual run for a search by hand; then every run is another one."""
PARTS = 4
SECONDS = 10
"""Some products of relations would take for ever; they count as refused."""
LEAST_REWRITTEN = 0.6
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
        for statement in scopes.statements():
            self.connection.execute(statement)
        with backends.connect(url) as backend:
            self.types = target.read(backend).types

    def rows(self, sql: str) -> tuple[list[object], Counter[str]] | None:
        """Names, types and rows; None where the engine refuses the query."""
        try:
            if not isinstance(self.connection, duckdb.DuckDBPyConnection):
                return events_postgres.rows_of(self.connection, sql)
            timer = threading.Timer(SECONDS, self.connection.interrupt)
            timer.start()
            try:
                return events.rows_of(self.connection, sql)
            finally:
                timer.cancel()
        except (duckdb.Error, psycopg.Error, RuntimeError) as error:  # interrupted: RuntimeError
            self.error = str(error)
            return None


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
        sql = made.query()
        before = engine.rows(sql)
        if before is None:
            refused += 1
            continue
        result = rewrite(sql, dialect=engine.dialect, schema=engine.types)
        changed += sum(
            change.rule in ("conversion", "local_predicate") for change in result.changes
        )
        left += len(result.left)
        if result.sql != sql:
            after = engine.rows(result.sql)
            assert after is not None, (engine.error, sql, result.sql)
            assert after == before, (sql, result.sql)
    assert refused < COUNT / PARTS / 4
    assert changed / (changed + left) >= LEAST_REWRITTEN, (changed, left)

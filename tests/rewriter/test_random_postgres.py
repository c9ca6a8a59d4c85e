"""Queries put together at random, run on PostgreSQL as they were and as they were rewritten."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tests import events_postgres, postgres
from tests.corpora import Database
from tests.rewriter.random_queries import (
    POSTGRES_FROMS,
    POSTGRES_SITES,
    POSTGRES_WRAPPERS,
    POSTGRES_ZONES,
    queries_of,
)
from tzconv.rewriter import rewrite
from tzconv.rewriter.strategies import STRATEGIES

EXAMPLES = int(os.environ.get("TZCONV_RANDOM_POSTGRES_QUERIES", "50"))
"""More than in a usual run for a search by hand; then every run is another one."""


@st.composite
def queries(draw: st.DrawFn) -> str:
    return draw(
        queries_of(
            POSTGRES_FROMS,
            POSTGRES_ZONES,
            POSTGRES_SITES,
            POSTGRES_WRAPPERS,
            between="({})",
        )
    )


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[Database]:
    made = Database("postgres", server)
    yield made
    made.close()


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="TZCONV_RANDOM_POSTGRES_QUERIES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    sql=queries(),
    session=st.sampled_from(["UTC", "UTC", "America/New_York", "Etc/GMT+5"]),
    strategy=st.sampled_from([None, None, None, *STRATEGIES]),
)
def test_random_queries(sql: str, session: str, strategy: str | None, database: Database) -> None:
    def made(text: str) -> str:
        return rewrite(
            text,
            dialect="postgres",
            schema=database.types,
            strategy=strategy,
            session_time_zone=session,
        ).sql

    rewritten = made(sql)
    assert made(rewritten) == rewritten
    database.execute(f"SET TIME ZONE '{session}'")
    database.execute("BEGIN")  # one transaction, one NOW()
    try:
        try:
            before = events_postgres.rows_of(database.postgres, sql)
        except psycopg.Error:
            reject()  # an unknown zone that the server happened to look at: nothing to compare
        assert events_postgres.rows_of(database.postgres, rewritten) == before, rewritten
    finally:
        database.execute("ROLLBACK")

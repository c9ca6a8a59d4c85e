"""Queries put together at random, run on PostgreSQL as they were and as they were rewritten."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tests import events_postgres, postgres
from tests.rewriter import test_random as on_duckdb
from tests.rewriter.test_corpus import Database
from tzconv.rewriter import rewrite
from tzconv.rewriter.strategies import STRATEGIES

EXAMPLES = int(os.environ.get("TZCONV_RANDOM_POSTGRES_QUERIES", "150"))
"""More than in a usual run for a search by hand; then every run is another one."""

FROMS = [
    *on_duckdb.FROMS,
    "actions a JOIN publishers p ON a.action_publisher_id = p.id CROSS JOIN LATERAL "
    "(SELECT a.n + 1 AS m) l",
    "(WITH w AS (SELECT * FROM actions) SELECT * FROM w) a, publishers AS p",
    "publishers p RIGHT JOIN actions a ON a.action_publisher_id = p.id AND p.id < 300",
    "actions a JOIN publishers p ON a.action_publisher_id = p.id LEFT JOIN publishers q "
    "ON q.id = p.id + 1 AND a.seen AT TIME ZONE q.time_zone_name > '2015-01-01'",
    "sites s LEFT JOIN (actions a JOIN publishers p ON a.action_publisher_id = p.id) ON s.n = a.n",
]
# those whose rules agree with the server's
ZONES = [
    "p.time_zone_name",
    "p.time_zone_name",
    "coalesce(p.time_zone_name, 'Europe/Paris')",
    'p."billing.zone"',
    "'America/New_York'",
    "'america/st_johns'",
    "'Australia/Lord_Howe'",
    "'Pacific/Apia'",
    "'Asia/Kolkata'::text",
    "'UTC+3'",
    "'CET'",
    "'Europe/Paris'",
]
SITES = [
    *on_duckdb.SITES,
    "timezone({zone}, a.seen)",
    "(a.seen + interval '90 minutes') AT TIME ZONE {zone}",
    "a.loaded AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
    "date_trunc('day', a.seen AT TIME ZONE {zone}) AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
    "a.loaded AT TIME ZONE {zone} AT TIME ZONE p.time_zone_name",
    "date_trunc('week', a.seen, {zone}) AT TIME ZONE 'UTC'",
    "a.\"shortenedAt\" AT TIME ZONE 'UTC' AT TIME ZONE {zone}",
]
WRAPPERS = [
    *on_duckdb.WRAPPERS,
    "to_char({site}, 'YYYY-MM-DD HH24:MI:SS.US')",
    "date({site})",
]


@st.composite
def queries(draw: st.DrawFn) -> str:
    return draw(on_duckdb.queries_of(FROMS, ZONES, SITES, WRAPPERS, between="({})"))


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[Database]:
    made = Database(server.fresh("random"))
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

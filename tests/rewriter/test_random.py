"""Queries put together at random, run as they were and as they were rewritten."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import HealthCheck, given, reject, seed, settings
from hypothesis import strategies as st

from tests import events
from tests.rewriter.random_queries import FROMS, SITES, WRAPPERS, ZONES, queries_of
from tzconv.rewriter import rewrite
from tzconv.rewriter.strategies import STRATEGIES

BY_HAND = "TZCONV_RANDOM_QUERIES" in os.environ
EXAMPLES = int(os.environ.get("TZCONV_RANDOM_QUERIES", "140"))
"""More than in a usual run for a search by hand; then every run is another one."""
PARTS = 2
"""They run beside each other where there are processors for it."""


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = events.connect()
    yield connection
    connection.close()


@pytest.mark.parametrize("part", range(PARTS))
def test_random_queries(part: int, database: duckdb.DuckDBPyConnection) -> None:
    types = events.column_types(database)

    @seed(random.randrange(2**32) if BY_HAND else part)
    @settings(
        max_examples=EXAMPLES // PARTS,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(
        sql=queries_of(FROMS, ZONES, SITES, WRAPPERS),
        strategy=st.sampled_from([None, None, None, *STRATEGIES]),
    )
    def check(sql: str, strategy: str | None) -> None:
        result = rewrite(sql, schema=types, strategy=strategy)
        assert rewrite(result.sql, schema=types, strategy=strategy).sql == result.sql
        database.execute("BEGIN")  # one transaction, one NOW()
        try:
            try:
                before = events.rows_of(database, sql)
            except duckdb.Error:
                reject()  # an unknown zone that the engine happened to look at: nothing to compare
            assert events.rows_of(database, result.sql) == before, result.sql
        finally:
            database.execute("ROLLBACK")

    check()

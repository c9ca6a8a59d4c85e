"""Comparing what two queries return."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tzconv import backends
from tzconv.backends import Backend
from tzconv.compare import Comparison, compare
from tzconv.errors import QueryError


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as database:
        database.execute(
            "CREATE TABLE t AS SELECT i AS n, i % 3 AS k, i / 7 AS x FROM range(1000) r(i)"
        )
    with backends.connect(f"duckdb:///{path}", read_only=True) as opened:
        yield opened


@pytest.mark.parametrize(
    "query",
    [
        "SELECT n, k FROM t",
        "SELECT count(*) AS a, sum(n) AS a FROM t GROUP BY k",  # a name twice
        "SELECT n FROM t WHERE false",
        "SELECT NULL AS nothing, 'NaN'::double AS not_a_number, [1, NULL] AS list",
        "SELECT {'a': 1, 'b': NULL} AS s, MAP {'k': 1} AS m",
        "SELECT uuid '7d0f1d3a-0000-0000-0000-00000000000a' AS u, 'x'::blob AS b",
        "SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00' AS z, TIME '10:00' AS t",
        "SELECT INTERVAL '1 month 2 days' AS i, TIMETZ '10:00:00+02' AS z",
        "SELECT 170141183460469231731687303715884105727::hugeint AS h, 1.5::decimal(30,10) AS d",
        "SELECT DATE '2020-01-01' AS d, TIMESTAMP 'infinity' AS t, true AS yes",
        "SELECT '{\"a\": 1}'::json AS j, 'b'::enum('a', 'b') AS e, TIMESTAMP_NS '2020-01-01' AS n",
        "WITH c AS (SELECT k FROM t) SELECT k, count(*) FROM c GROUP BY ALL ORDER BY k",
        "FROM t",
    ],
)
def test_a_query_is_the_same_as_itself(backend: Backend, query: str) -> None:
    result = compare(backend, query, query)
    assert result.same, result.differences
    assert result.note is None


def test_the_order_of_rows_does_not_matter(backend: Backend) -> None:
    result = compare(backend, "SELECT n FROM t ORDER BY n", "SELECT n FROM t ORDER BY n DESC")
    assert result.same
    assert result.rows == 1000


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("SELECT 1 AS a", "SELECT 1 AS b", "was named 'a' and is now named 'b'"),
        ("SELECT 1 AS a", "SELECT 1::bigint AS a", "was INTEGER and is now BIGINT"),
        ("SELECT 1 AS a", "SELECT 1 AS a, 2 AS b", "1 columns became 2"),
        ("SELECT 1 AS a, 2 AS b", "SELECT 2 AS b, 1 AS a", "was named 'a'"),
        ("SELECT n FROM t", "SELECT n FROM t WHERE n > 0", "only in the original: 0"),
        ("SELECT n FROM t WHERE n > 0", "SELECT n FROM t", "only in the rewritten query: 0"),
        ("SELECT k FROM t", "SELECT DISTINCT k FROM t", "1000 rows became 3"),
        ("SELECT 1 AS a", "SELECT NULL::integer AS a", "only in the rewritten query: NULL"),
        ("SELECT 1 AS a", "SELECT error('no') AS a", "the rewritten query fails"),
        ("SELECT 1 AS a", "SELECT missing AS a", "the rewritten query fails"),
        ("SELECT 1.0::double AS a", "SELECT 1.000001::double AS a", "only in the original: 1.0"),
    ],
)
def test_differences(backend: Backend, one: str, other: str, said: str) -> None:
    result = compare(backend, one, other)
    assert not result.same
    assert any(said in difference for difference in result.differences), result.differences


def test_sums_of_floating_point_numbers_may_round_differently(backend: Backend) -> None:
    one = "SELECT k, 0.1::double + 0.2::double AS s FROM t"
    other = "SELECT k, 0.3::double AS s FROM t"
    result = compare(backend, one, other)
    assert result.same
    assert result.note is not None
    assert "s" in result.note
    assert compare(backend, one, one).note is None
    swapped = "SELECT k + 1 AS k, 0.3::double AS s FROM t"
    assert not compare(backend, one, swapped.replace("+ 1", "+ 1::bigint")).same


def test_now_is_the_same_in_both(backend: Backend) -> None:
    assert compare(backend, "SELECT now() AS n", "SELECT now() AS n").same


def test_rounds(backend: Backend) -> None:
    result = compare(backend, "SELECT sum(n) FROM t", "SELECT sum(n) FROM t", rounds=5)
    assert result.same
    assert min(result.original_seconds, result.rewritten_seconds) > 0
    made = Comparison(True, 1, 2.0, 1.0, 4.0, 1.0, (), None)
    assert (made.ratio, made.cpu_ratio) == (0.5, 0.25)


@pytest.mark.parametrize("query", ["SELECT missing", "SELEC 1", "SELECT error('no')"])
def test_an_original_that_fails(backend: Backend, query: str) -> None:
    with pytest.raises(QueryError, match="The original query fails"):
        compare(backend, query, "SELECT 1")


def test_nothing_that_a_query_does_stays(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/w.duckdb"
    with backends.connect(url) as backend:
        compare(backend, "CREATE TABLE made AS SELECT 1", "CREATE TABLE made AS SELECT 1")
        assert backend.column_types() == {}

"""Comparing what two queries return."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner
from click.testing import Result as Printed

from tzconv import engines
from tzconv.cli import cli
from tzconv.compare import Comparison, Cost, compare, differences, shown, timed
from tzconv.engines.backend import Backend, Result
from tzconv.engines.duckdb.load import DuckDB
from tzconv.errors import QueryError
from tzconv.refresher import refresh


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as database:
        database.execute(
            "CREATE TABLE t AS SELECT i AS n, i % 3 AS k, i / 7 AS x FROM range(1000) r(i)"
        )
    with engines.connect(f"duckdb:///{path}", read_only=True) as opened:
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


def test_a_fast_query_runs_often(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    query, seconds = backend.query, [0.9, 0.001, 0.002, 0.003, 0.046, *[9.0] * 9]

    def fast(sql: str) -> Result:
        return dataclasses.replace(query(sql), seconds=seconds.pop(0), cpu_seconds=0.5)

    monkeypatch.setattr(backend, "query", fast)
    assert timed(backend, "SELECT 1")[1] == Cost(0.9, 0.5)
    # 1 + 2 + 3 + 46 ms are enough
    assert timed(backend, "SELECT 1")[1] == Cost(0.0025, 0.5)
    assert len(seconds) == 9


@pytest.mark.parametrize(
    ("after", "loses", "exceeds"),
    [
        (Cost(1.04, 1.04), False, False),
        (Cost(1.06, 0.5), True, False),
        (Cost(0.5, 1.06), True, False),
        (Cost(1.3, 1.0), True, True),
        (Cost(1.3, float("nan")), True, True),
        (Cost(0.1, float("nan")), False, False),
    ],
)
def test_what_is_slower(after: Cost, loses: bool, exceeds: bool) -> None:
    assert after.loses_to(Cost(1.0, 1.0)) is loses
    assert bool(after.above(Cost(1.0, 1.0), 1.2)) is exceeds
    assert not Cost(0.00025, 0.00025).loses_to(Cost(0.0001, 0.0001)), "not noticed"
    assert Cost(0.6, 0.4).above(Cost(1.0, 1.0), 0.5), "at most half was promised"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 0, "Slower: 1.50 times as long, 2.00 times the CPU time. Leave this query as it is"),
        ([], 0, "or see what else applies with tzconv rewrite q.sql --explain."),
        (["--strategy", "now"], 0, "as it is, or leave --strategy out."),
        (["--max-ratio", "2.5"], 0, "Slower: 1.50 times"),
        (
            ["--max-ratio", "1.9"],
            1,
            "q.sql: 2.00 times the CPU time, more than --max-ratio 1.9 allows.",
        ),
        (["--json", "--max-ratio", "1.2"], 1, '"slower": true'),
    ],
)
def test_the_command_says_that_a_rewrite_is_slower(
    arguments: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    refresh("duckdb:///tz.duckdb", zones=["UTC"], tables=["offset"])
    with duckdb.connect("tz.duckdb") as database:
        database.execute("CREATE TABLE logs AS SELECT now()::TIMESTAMP AS ts FROM range(9999)")
    Path("q.sql").write_text("SELECT count(*) FROM logs WHERE ts >= NOW() - INTERVAL '1 day'")
    made = Comparison(True, 1, 1.0, 1.5, 1.0, 2.0, (), None)
    monkeypatch.setattr("tzconv.compare.compare", lambda *_, **__: made)
    done = CliRunner().invoke(
        cli,
        ["compare", "q.sql", "--url", "duckdb:///tz.duckdb", *arguments],
        catch_exceptions=False,
    )
    assert done.exit_code == code
    assert said in done.output


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (Cost(0.5, 1.1), "Slower: 1.10 times the CPU time. Leave"),
        (Cost(1.1, 0.5), "Slower: 1.10 times as long. Leave"),
        (Cost(1.1, float("nan")), "Slower: 1.10 times as long. Leave"),
        (Cost(0.9, 1.04), "ratio 0.90 (CPU 1.00 s, 1.04 s, ratio 1.04).\n"),
    ],
)
def test_words_fit_the_figure_that_decides(
    after: Cost, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Comparison(True, 1, 1.0, after.elapsed, 1.0, after.cpu, (), None)
    monkeypatch.setattr("tzconv.compare.compare", lambda *_, **__: made)
    done = _compared(tmp_path, monkeypatch, "ts >= NOW() - INTERVAL '1 day'")
    assert said in done.output
    assert ("Slower" in done.output) is ("Slower" in said)


def test_a_query_that_stays_as_it_is_runs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not compared with itself, and its reason is said."""
    runs: list[str] = []

    def counted(backend: Backend, sql: str) -> tuple[Result, Cost]:
        runs.append(sql)
        return timed(backend, sql)

    monkeypatch.setattr("tzconv.compare.timed", counted)
    condition = "extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone) < 99"
    done = _compared(tmp_path, monkeypatch, condition, "--max-ratio", "0.01")
    [line] = [one for one in done.output.splitlines() if one.startswith("Not rewritten: ")]
    assert re.search(r": about \d+ rows? reach(es)? it: .*\. 1 row, \S+ ms \(CPU \S+ ms\)\.$", line)
    assert done.exit_code == 0
    assert len(runs) == 1
    found = json.loads(_compared(tmp_path, monkeypatch, condition, "--json").stdout)
    assert (found["rewritten"], found["same"], found["slower"]) == (False, True, False)
    assert (found["rewritten_seconds"], found["rewritten_cpu_seconds"]) == (None, None)
    assert found["original_seconds"] > 0
    assert "reach" in found["left"][0]["reason"]
    done = _compared(tmp_path, monkeypatch, "true")
    assert "Not rewritten: no time zone is converted for each row. 1 row, " in done.output


def _compared(
    folder: Path, monkeypatch: pytest.MonkeyPatch, condition: str, *arguments: str
) -> Printed:
    monkeypatch.chdir(folder)
    if not Path("tz.duckdb").exists():
        refresh("duckdb:///tz.duckdb", zones=["UTC"], tables=["offset", "zone", "period"])
        with duckdb.connect("tz.duckdb") as database:
            database.execute(
                "CREATE TABLE logs AS SELECT now()::TIMESTAMP AS ts, 'UTC' AS zone FROM range(9)"
            )
    Path("q.sql").write_text(f"SELECT count(*) FROM logs WHERE {condition}")
    return CliRunner().invoke(
        cli,
        ["compare", "q.sql", "--url", "duckdb:///tz.duckdb", *arguments],
        catch_exceptions=False,
    )


@pytest.mark.parametrize(
    "seconds", [0.0, 1e-9, 0.00001234, 0.0001235, 0.00123456, 0.0123456, 0.4718, 0.4847, 3.14159]
)
def test_times_are_as_fine_as_their_ratios(seconds: float) -> None:
    number, unit = shown(seconds).split()
    found = float(number) * {"s": 1.0, "ms": 0.001}[unit]
    assert found == pytest.approx(seconds, rel=0.005)


@pytest.mark.parametrize("query", ["SELECT missing", "SELEC 1", "SELECT error('no')"])
def test_an_original_that_fails(backend: Backend, query: str) -> None:
    with pytest.raises(QueryError, match="The original query fails, also without tzconv"):
        compare(backend, query, "SELECT 1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TIMETZ '10:00:00+01'", "TIMETZ '10:00:00+02'"),  # Arrow has no place for the offset
        ("[TIMETZ '10:00:00+01']", "[TIMETZ '10:00:00+02']"),
        ("INTERVAL '1 month'", "INTERVAL '30 days'"),  # equal to DuckDB, but not to a reader
        ("INTERVAL '2305843009213693952 us'", "INTERVAL '0 us'"),  # the same nanoseconds in Arrow
        ("'inf'::double", "1::double"),  # within any tolerance of infinity
        ("'nan'::double", "1::double"),
        ("'nan'::float", "'inf'::float"),
        ("'-inf'::double", "'inf'::double"),
        ("uhugeint '340282366920938463463374607431768211455'", "'1'::uhugeint"),
        ("TIME '24:00:00'", "TIME '00:00:00'"),
        ("'010'::bit", "'10'::bit"),
        ("MAP {'a': 1}", "MAP {'a': 2}"),
        ("union_value(k := 1)", "union_value(k := 2)"),
        ("'a'::enum('a', 'b')", "'b'::enum('a', 'b')"),
        ("TIMESTAMP 'infinity'", "TIMESTAMP '-infinity'"),
        ("'a'", "'A'"),
        ("'1.0'::json", "'1.00'::json"),
    ],
)
def test_values_that_differ_are_not_the_same(backend: Backend, one: str, other: str) -> None:
    result = compare(backend, f"SELECT {one} AS v", f"SELECT {other} AS v")
    assert not result.same
    assert len(result.differences) == 3, result.differences
    assert compare(backend, f"SELECT {one} AS v", f"SELECT {one} AS v").differences == ()


def test_rows_that_round_apart_in_two_columns(backend: Backend) -> None:
    """Sorted by all of their digits the rows would be paired crosswise."""
    one = "FROM (VALUES (0.1e0 + 0.2e0, 1e0), (0.3e0, 2e0)) v(a, b)"
    other = "FROM (VALUES (0.3e0, 1e0), (0.1e0 + 0.2e0, 2e0)) v(a, b)"
    assert compare(backend, one, other).same
    swapped = "FROM (VALUES (0.3e0, 1.001e0), (0.1e0 + 0.2e0, 2e0)) v(a, b)"
    assert not compare(backend, one, swapped).same


def test_how_many_rows_differ(backend: Backend) -> None:
    result = compare(backend, "SELECT n FROM t", "SELECT n + 2 AS n FROM t WHERE n < 990")
    # 0 and 1 and 992 to 999 are gone: the others are 2 to 991
    assert result.differences[0] == "1000 rows became 990: 10 gone, 0 new"
    assert len(result.differences) == 1 + 5


def test_an_original_that_does_not_repeat(backend: Backend) -> None:
    result = compare(backend, "SELECT random() AS r", "SELECT random() AS r")
    assert not result.same
    assert "does not return the same rows when it runs again" in result.differences[-1]
    repeats = compare(backend, "SELECT 1 AS r", "SELECT 2 AS r")
    assert not any("runs again" in difference for difference in repeats.differences)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE made AS SELECT 1",
        "INSERT INTO t VALUES (1)",
        "DELETE FROM t RETURNING a",
        "SET threads = 1",
        "COPY (SELECT 1) TO '{folder}/leak.csv'",
        "COMMIT; DELETE FROM t; COMMIT; BEGIN; SELECT 1",  # would leave the transaction
        "SELECT 1; SELECT 1",
        "EXPLAIN ANALYZE DELETE FROM t",
        "-- nothing",
    ],
)
def test_only_a_single_select_is_run(tmp_path: Path, statement: str) -> None:
    statement = statement.format(folder=tmp_path)
    with engines.connect(f"duckdb:///{tmp_path}/w.duckdb") as backend:
        assert isinstance(backend, DuckDB)
        backend._connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        with pytest.raises(QueryError, match="only a single SELECT"):
            compare(backend, statement, statement)
        refused = compare(backend, "SELECT 1 AS a", statement)
        assert "only a single SELECT" in refused.differences[0]
        names = ("t", "main.t", "w.main.t")
        assert backend.column_types() == {name: {"a": "INTEGER"} for name in names}
        assert backend.query("SELECT a FROM t").rows.num_rows == 1
    assert [path.name for path in tmp_path.iterdir()] == ["w.duckdb"]


def test_a_query_that_writes_while_it_reads(tmp_path: Path) -> None:
    with engines.connect(f"duckdb:///{tmp_path}/w.duckdb") as backend:
        assert isinstance(backend, DuckDB)
        backend._connection.execute("CREATE SEQUENCE s")
        with pytest.raises(QueryError, match="read-only"):
            compare(backend, "SELECT nextval('s') AS n", "SELECT nextval('s') AS n")
        assert backend.query("SELECT nextval('s') AS n").rows["c0"].to_pylist() == [1]


def test_nulls_that_became_values() -> None:
    """A column of NULLs has no type of its own where a driver gives Python values."""

    def of(values: pa.Array) -> Result:
        return Result(("x",), ("",), pa.table({"c0": values}), 0.0, 0.0)

    found, _ = differences(of(pa.array([None], pa.float64())), of(pa.array(["2020-01-01"])))
    assert found[0] == "1 rows became 1: 1 gone, 1 new"


@pytest.mark.parametrize("rounds", [0, -1])
def test_no_rounds(rounds: int) -> None:
    with (
        engines.connect("duckdb:///:memory:") as backend,
        pytest.raises(QueryError, match=f"{rounds} rounds compare nothing"),
    ):
        compare(backend, "SELECT 1", "SELECT 1", rounds=rounds)

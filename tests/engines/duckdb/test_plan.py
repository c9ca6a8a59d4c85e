"""What a plan of DuckDB loses, told from the plans of two statements."""

from __future__ import annotations

import functools
from pathlib import Path

import duckdb
import pytest

from tzconv import refresh, rewrite
from tzconv.engines.duckdb.expected import explain, lacking
from tzconv.engines.duckdb.plan import loss

SINCE = "ts >= '2026-02-01'"
IN_TOKYO = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' >= '2026-02-01'"


@pytest.mark.not_core
@pytest.mark.parametrize(
    ("before", "after", "is_lost"),
    [
        (SINCE, SINCE, False),
        (SINCE, f"{SINCE} AND n > 3", False),
        (SINCE, "n > 3", True),
        (SINCE, "CASE WHEN n > 3 THEN ts END >= '2026-02-01'", True),
        (f"{SINCE} AND n > 3", SINCE, True),
        (IN_TOKYO, "true", False),
        ("true", SINCE, False),
        ("ts + INTERVAL 0 DAY >= '2026-02-01' AND n > 3", "ts >= '2099-01-01'", False),
    ],
)
def test_conditions_that_skip_blocks(before: str, after: str, is_lost: bool) -> None:
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE events AS SELECT n, TIMESTAMP '2026-01-01' + INTERVAL (n) HOUR AS ts "
            "FROM range(10000) AS r (n)"
        )
        old, new = (
            explain(database, f"SELECT n FROM events WHERE {condition}")
            for condition in (before, after)
        )
        assert old is not None
        assert new is not None
        found = loss(old, new, {}, lambda *_: 0.0)
    assert (found is not None and "would no longer skip blocks of events" in found.text) == is_lost


@pytest.mark.not_core
@pytest.mark.parametrize(("order", "code"), [("ts", None), ("ts + INTERVAL 1 HOUR", "loses-order")])
def test_an_order_that_skips_blocks(order: str, code: str | None) -> None:
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE events AS SELECT n, TIMESTAMP '2026-01-01' + INTERVAL (n) HOUR AS ts "
            "FROM range(10000) AS r (n)"
        )
        old, new = (
            explain(database, f"SELECT ts FROM events ORDER BY {one} LIMIT 5")
            for one in ("ts", order)
        )
        assert old is not None
        assert new is not None
        found = loss(old, new, {}, lambda *_: 0.0)
    assert (found and found.code) == code


_BERLIN = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'"
_OF_ROW = "ts AT TIME ZONE 'UTC' AT TIME ZONE zone"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plans") / "tz.duckdb"
    refresh(f"duckdb:///{path}", zones=("Europe/Berlin",))
    return path


@pytest.mark.parametrize(
    ("value", "where", "empty", "said"),
    [
        (_BERLIN, "", {"ts": 0.6}, None),
        (_BERLIN, "", {"ts": 0.8}, "80% of ts are NULL or not of 1970 to 2036"),
        (_BERLIN, "WHERE ts IS NOT NULL", {"ts": 0.8}, None),
        (
            _BERLIN.replace("ts", '"at: it"'),
            "",
            {"at: it": 0.8},
            "80% of at: it are NULL or not of 1970 to 2036",
        ),
        (_BERLIN, "", {"zone": 0.8}, None),
        (_OF_ROW, "", {"zone": 0.8}, "80% of zone are NULL"),
        (_OF_ROW, "", {"ts": 0.4, "zone": 0.4}, None),
        (_OF_ROW, "", {"ts": 0.5, "zone": 0.6}, "60% of zone are NULL"),
        (f"{_BERLIN}, later AT TIME ZONE 'UTC' AT TIME ZONE zone", "", {"ts": 0.9}, None),
    ],
)
def test_values_that_are_mostly_null(
    loaded: Path, value: str, where: str, empty: dict[str, float], said: str | None
) -> None:
    """A condition that tests a time leaves no NULL; the time with the fewest NULLs counts."""
    with duckdb.connect(loaded) as database:
        columns = 'ts TIMESTAMP, later TIMESTAMP, zone VARCHAR, "at: it" TIMESTAMP'
        database.execute(f"CREATE OR REPLACE TABLE own ({columns})")
        database.execute(
            "INSERT INTO own VALUES (now(), now(), 'UTC', now()), (NULL, NULL, NULL, NULL)"
        )
        sql = f"SELECT {value} FROM own {where}"
        schema = {
            "own": {"ts": "timestamp", "later": "timestamp", "at: it": "timestamp", "zone": "text"}
        }
        changed = rewrite(sql, dialect="duckdb", schema=schema).sql
        old, new = explain(database, sql), explain(database, changed)
        assert old
        assert new
        found = loss(old, new, {}, lambda _, column, *rest: empty.get(column, 0.0))
    assert (found and (found.code, found.text.rpartition(":")[0])) == (said and ("no-gain", said))


@pytest.mark.parametrize("type", ["TIMESTAMP", "TIMESTAMPTZ"])
@pytest.mark.parametrize(
    "joined",
    [
        "visits AS v LEFT JOIN accounts AS a USING (account)",
        "accounts AS a RIGHT JOIN visits AS v ON a.account = v.account",
        "visits AS v JOIN accounts AS a ON a.account IS NOT DISTINCT FROM v.account",
        "accounts AS a LEFT JOIN visits AS v USING (account)",
        "visits AS v LEFT JOIN accounts AS a USING (account) WHERE v.account > 1",
    ],
)
@pytest.mark.parametrize("nobody", ["NULL", "n + 900", "99"])
def test_visits_of_nobody(loaded: Path, joined: str, type: str, nobody: str) -> None:
    """The function takes a TIMESTAMPTZ without a zone at once, and does not see a TIMESTAMP."""
    utc = "AT TIME ZONE 'UTC' " if type == "TIMESTAMP" else ""
    sql = f"""SELECT v."at {{it}}" {utc}AT TIME ZONE a.zone FROM {joined}"""
    visits = {"account": "integer", "at {it}": type}
    schema = {"visits": visits, "accounts": {"account": "integer", "zone": "text"}}
    changed = rewrite(sql, dialect="duckdb", schema=schema).sql
    for empty, is_most in ((40, False), (60, True)):
        with duckdb.connect(loaded) as database:
            database.execute(
                "CREATE OR REPLACE TABLE accounts AS SELECT n::integer AS account, "
                "CASE WHEN n < 99 THEN 'Europe/Berlin' END AS zone FROM range(100) AS r (n); "
                "CREATE OR REPLACE TABLE visits AS SELECT CASE WHEN n % 100 >= "
                f"{empty} THEN n % 90 ELSE {nobody} END::integer AS account, "
                f"TIMESTAMP '2026-05-01'::{type} AS \"at {{it}}\" FROM range(5000) AS r (n)"
            )
            old, new = explain(database, sql), explain(database, changed)
            assert old
            assert new
            found = loss(old, new, {}, functools.partial(lacking, database))
        is_left = is_most and type == "TIMESTAMPTZ" and "WHERE" not in joined
        is_left &= joined.startswith("visits AS v LEFT") or " RIGHT " in joined
        said = "60% of account are without a zone in accounts"
        assert (found and found.text.partition(":")[0]) == (said if is_left else None)


@pytest.mark.parametrize("far", ["infinity", "-infinity", "9999-12-31", "1969-12-31"])
@pytest.mark.parametrize("type", ["TIMESTAMP", "TIMESTAMPTZ"])
def test_times_that_no_table_has(loaded: Path, far: str, type: str) -> None:
    value = _BERLIN if type == "TIMESTAMP" else "ts AT TIME ZONE 'Europe/Berlin'"
    sql = f"SELECT {value} FROM open_ended"
    changed = rewrite(sql, dialect="duckdb", schema={"open_ended": {"ts": type}}).sql
    with duckdb.connect(loaded) as database:
        for known, is_left in ((4, False), (1, True)):
            database.execute(
                f"CREATE OR REPLACE TABLE open_ended AS SELECT (CASE WHEN n % 10 < {known} "
                f"THEN TIMESTAMP '2026-05-01' ELSE '{far}' END)::{type} AS ts FROM range(100) r (n)"
            )
            old, new = explain(database, sql), explain(database, changed)
            assert old
            assert new
            found = loss(old, new, {}, functools.partial(lacking, database))
            assert (found is not None and "90% of ts" in found.text) == is_left


@pytest.mark.parametrize(("least", "rows"), [(75, 1_000), (75, 300_000)])
def test_a_sample_of_nulls(least: int, rows: int) -> None:
    """Of all blocks, in tables of any name; nothing is known of one that is not there."""
    with duckdb.connect() as database:
        database.execute(
            f'CREATE TABLE "of it" AS SELECT CASE WHEN n % 100 >= {least} THEN n END AS "a b" '
            f"FROM range({rows}) AS r (n); CREATE TABLE nothing (n INTEGER)"
        )
        [scan] = explain(database, 'SELECT "a b" FROM "of it"') or []
        shown = scan["extra_info"]["Table"]
        has = "{0} IS NOT NULL"
        assert lacking(database, shown, "a b", rows, has) == pytest.approx(least / 100, abs=0.05)
        assert lacking(database, "nothing", "n", 0, has) == 0.0
        assert lacking(database, "none", "n", 10, has) == 0.0

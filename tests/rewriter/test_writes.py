"""UPDATE and DELETE: both texts change the same rows of a table, in a transaction rolled back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests import postgres
from tests.corpora import Database, check_bytes
from tests.databases import IS_DUCKDB_1
from tzconv.rewriter import rewrite

ZONED = "action_event_time AT TIME ZONE 'UTC' AT TIME ZONE"
DAY = f"({ZONED} 'America/New_York')::date = DATE '2026-03-08'"
BOTH = {
    "delete": f"DELETE FROM actions WHERE {DAY}",
    "delete an alias": (
        "DELETE FROM actions AS a WHERE a.action_event_time + INTERVAL '9 years' < now()"
    ),
    "delete using": (
        "DELETE FROM actions a USING publishers p, sites s WHERE a.action_publisher_id = p.id "
        "AND s.n = p.id "
        "AND (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date "
        ">= DATE '2020-01-01' AND a.loaded < NOW()"
    ),
    "delete with a subquery": (
        "DELETE FROM actions WHERE action_publisher_id IN (SELECT id FROM publishers "
        f"WHERE id > 3) AND {DAY}"
    ),
    "delete with OR": f"DELETE FROM actions WHERE n = 1 OR {DAY} OR NOT loaded > now()",
    "delete for rows of zones": (
        "DELETE FROM actions a USING publishers p WHERE a.action_publisher_id = p.id AND "
        "(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date "
        ">= DATE '2020-01-01' AND p.time_zone_name IN ('Asia/Tokyo', 'America/New_York')"
    ),
    "update": f"UPDATE actions SET n = n + 1000, action_name = 'x' WHERE {DAY}",
    "update from": (
        "UPDATE actions AS a SET n = p.id FROM publishers p JOIN sites s ON s.n = p.id "
        "WHERE p.id = a.action_publisher_id AND "
        "a.action_event_time >= NOW() - INTERVAL '15 years' AND "
        "(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Australia/Lord_Howe')::date "
        "< DATE '2015-01-01'"
    ),
    "update, what is set stays": (
        f"UPDATE actions SET loaded = {ZONED} 'Asia/Kolkata' "
        f"WHERE {DAY} AND action_event_time < NOW()"
    ),
    "update from a subquery": (
        "UPDATE actions SET n = (SELECT count(*) FROM sites WHERE opened < NOW()) "
        "WHERE action_event_time + INTERVAL '9 years' < now()"
    ),
    "with": (
        "WITH few AS (SELECT id FROM publishers WHERE id < 30) DELETE FROM actions "
        f"WHERE action_publisher_id IN (SELECT id FROM few) AND {DAY}"
    ),
}
ONLY = {
    "postgres": {
        "delete only": (
            f"DELETE FROM ONLY actions WHERE {DAY} RETURNING action_event_time AT TIME ZONE 'UTC'"
        ),
        "delete in a CTE": (
            f"WITH gone AS (DELETE FROM actions WHERE {DAY} RETURNING action_publisher_id AS id) "
            "INSERT INTO sink SELECT NULL, id FROM gone"
        ),
        "insert with a CTE": (
            "WITH made AS (SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE "
            "p.time_zone_name)::date AS t, p.id FROM actions a JOIN publishers p "
            "ON p.id = a.action_publisher_id WHERE p.time_zone_name IN ('Asia/Tokyo', "
            "'America/New_York')) INSERT INTO sink SELECT t, id FROM made"
        ),
        "insert from a CTE that deletes": (
            "WITH gone AS (DELETE FROM actions WHERE action_publisher_id < 5 RETURNING 1), made AS "
            f"(SELECT ({ZONED} 'Asia/Tokyo')::date AS t, n FROM actions) "
            "INSERT INTO sink SELECT t, n FROM made"
        ),
        "set rows": (
            "UPDATE actions a SET (n, action_name) = "
            "(SELECT id, name FROM publishers WHERE id = a.n) "
            f"WHERE {DAY.replace('action_event', 'a.action_event')}"
        ),
    },
    "duckdb": {
        "returning": f"DELETE FROM actions WHERE {DAY} RETURNING n",
    },
}
TABLES = ("actions", "sink")
CASES = [
    (dialect, name) for dialect in ("duckdb", "postgres") for name in {**BOTH, **ONLY[dialect]}
]


@pytest.fixture(scope="module")
def databases(server: postgres.Server) -> Iterator[dict[str, Database]]:
    made = {dialect: Database(dialect, server) for dialect in ("duckdb", "postgres")}
    yield made
    for database in made.values():
        database.close()


def rows_after(database: Database, *statements: str) -> Iterator[Counter[str]]:
    """The rows of both tables after each statement alone."""
    for statement in statements:
        database.execute("BEGIN")
        try:
            database.execute(statement)
            yield sum((database._rows_of(f"SELECT * FROM {one}")[1] for one in TABLES), Counter())
        finally:
            database.execute("ROLLBACK")


@pytest.mark.parametrize(("dialect", "name"), CASES)
def test_the_same_rows_are_changed(databases: dict[str, Database], dialect: str, name: str) -> None:
    database, sql = databases[dialect], {**BOTH, **ONLY[dialect]}[name]
    result = database.rewrite(sql)
    assert result.changes, [one.reason for one in result.left]
    check_bytes(sql, result)
    before, after = rows_after(database, sql, result.sql)
    assert before == after
    [untouched] = rows_after(database, "SELECT 1")
    assert before != untouched, "the statement changes no row: it shows nothing"
    again = database.rewrite(result.sql)
    assert again.sql == result.sql


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "vertica"])
@pytest.mark.parametrize("strategy", ["now", "range", None])
def test_nothing_is_joined(dialect: str, strategy: str | None) -> None:
    types = {"logs": {"t": "timestamp", "zone": "text", "n": "integer"}}
    for sql in (
        "UPDATE logs SET n = 1 WHERE extract(hour FROM t AT TIME ZONE 'UTC' AT TIME ZONE zone) = 3",
        "UPDATE logs SET t = t AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'",
        "DELETE FROM logs WHERE t > TIMESTAMP '2026-01-01' AT TIME ZONE zone AT TIME ZONE 'UTC'",
    ):
        result = rewrite(sql, dialect=dialect, schema=types, strategy=strategy)
        assert "JOIN" not in result.sql
        assert [one.code for one in result.left] == ["statement"], result.left


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("PIVOT e ON n USING max(t AT TIME ZONE 'Asia/Tokyo')", "this part of PIVOT"),
        ("UPDATE e SET day = (t AT TIME ZONE 'Asia/Tokyo')::date", "in UPDATE and DELETE"),
        (
            "WITH gone AS (DELETE FROM e WHERE hour(t AT TIME ZONE 'Asia/Tokyo') = 3 RETURNING n) "
            "SELECT n FROM gone",
            "in UPDATE and DELETE",
        ),
    ],
)
def test_what_is_said_of_the_rest(sql: str, reason: str) -> None:
    types = {"e": {"t": "timestamptz", "n": "integer", "day": "date"}}
    result = rewrite(sql, dialect="duckdb", schema=types)
    assert [(one.code, reason in one.reason) for one in result.left] == [("statement", True)]


def test_a_fixed_time_is_not_written_into_a_table() -> None:
    types = {"logs": {"t": "timestamp", "n": "integer"}}
    inner = "SELECT n FROM logs WHERE t = CURRENT_DATE"
    sql = f"UPDATE logs SET t = CURRENT_TIMESTAMP WHERE n IN ({inner})"
    assert rewrite(sql, schema=types, now="2026-01-01T00:00:00Z").sql == sql


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE a SET t = now() FROM b WHERE t > now()",  # of a or of b
        "UPDATE a SET n = 1 FROM b AS a WHERE a.t > now()",
        "DELETE FROM a USING unknown WHERE unknown.t > now()",
        "WITH a AS (SELECT localtimestamp AS t) DELETE FROM a WHERE t > now()",
        "WITH a AS (SELECT 1) UPDATE other SET n = 1 FROM a WHERE a.t > now()",
        "WITH a AS (SELECT 1 AS n) DELETE FROM a WHERE n IN (SELECT n FROM b WHERE t > now())",
        "WITH b AS (DELETE FROM a RETURNING *) UPDATE b SET n = 1 WHERE t > now()",
        "UPDATE a SET n = 1 FROM b JOIN unknown ON t > now()",
        "WITH x AS (DELETE FROM a WHERE t > now() RETURNING n) UPDATE a SET n = 2 FROM x",
    ],
)
def test_a_name_that_may_be_another_is_unknown(sql: str) -> None:
    types = {"a": {"t": "timestamp", "n": "integer"}, "b": {"t": "timestamp", "n": "integer"}}
    for dialect in ("duckdb", "postgres"):
        result = rewrite(sql, dialect=dialect, schema=types)
        assert not result.changes
        assert result.left


@pytest.mark.parametrize(
    "dialect",
    [
        pytest.param(
            "duckdb",
            marks=pytest.mark.skipif(IS_DUCKDB_1, reason="DuckDB writes in a CTE since 2.0"),
        ),
        "postgres",
    ],
)
def test_a_query_inside_an_update_in_a_cte_is_changed_once(dialect: str) -> None:
    types = {"a": {"t": "timestamp", "z": "text"}, "b": {"t": "timestamp"}}
    inner = "SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS t FROM a"
    sql = f"WITH c AS (UPDATE b SET t = t WHERE t IN ({inner}) RETURNING t) SELECT * FROM c"
    whole, alone = (rewrite(text, dialect=dialect, schema=types) for text in (sql, inner))
    assert alone.changes
    assert whole.sql == sql.replace(inner, alone.sql)

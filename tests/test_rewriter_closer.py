"""The bounds that hold where no zone is unknown, on PostgreSQL: other names reach a week far."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

import pytest

from tests import postgres
from tests.test_rewriter_corpus import Database

FROM = "FROM actions a JOIN {table} p ON a.action_publisher_id = p.id"
QUERIES = [
    "SELECT p.time_zone_name, count(*) " + FROM + " WHERE (a.action_event_time AT TIME ZONE 'UTC' "
    "AT TIME ZONE p.time_zone_name)::date = DATE '{day}' GROUP BY 1",
    "SELECT p.time_zone_name, count(*), max(a.seen) " + FROM + " WHERE a.seen BETWEEN "
    "(TIMESTAMP '{day}' AT TIME ZONE p.time_zone_name) "
    "AND (TIMESTAMP '{day} 23:59:59' AT TIME ZONE p.time_zone_name) GROUP BY 1",
    "SELECT p.time_zone_name, min(a.loaded) " + FROM + " WHERE date_trunc('week', a.loaded "
    "AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) > '{day}' AND a.loaded AT TIME ZONE 'UTC' "
    "AT TIME ZONE p.time_zone_name < '{later}' GROUP BY 1",
]
UNKNOWN = re.compile(r" OR (EXISTS \(SELECT [^()]* EXCEPT SELECT \w+ FROM \w+\))")


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[Database]:
    made = Database(server.fresh("closer"))
    made.execute(
        "CREATE TABLE known AS SELECT * FROM publishers "
        "WHERE time_zone_name IN (SELECT time_zone_name FROM time_zone_offset_conversion)"
    )
    made.types["known"] = made.types["publishers"]
    yield made
    made.close()


@pytest.fixture(scope="module")
def days(database: Database) -> list[str]:
    """Those with most events, and so with transitions of most zones.

    In the zone a week from UTC there is an event at noon of each and a week later.
    """
    rows = database.postgres.execute(
        "SELECT action_event_time::date FROM actions WHERE action_event_time > '1990-01-01' "
        "AND action_event_time < '2030-01-01' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 20"
    ).fetchall()
    for (day,) in rows:
        database.postgres.execute(
            "INSERT INTO actions SELECT t, p.id, 'click', t AT TIME ZONE 'UTC', t, t, 0 "
            "FROM publishers p, (SELECT %s + hours * INTERVAL '1 hour' AS t "
            "FROM (VALUES (-156), (12)) h (hours)) q WHERE time_zone_name = 'AAA-167:59:59BBB'",
            [day],
        )
    return [str(row[0]) for row in rows]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("table", "is_unknown"), [("known", False), ("publishers", True)])
def test_same_rows(
    query: str, table: str, is_unknown: bool, database: Database, days: list[str]
) -> None:
    needed, rows = 0, 0
    for day in days:
        later = dt.date.fromisoformat(day) + dt.timedelta(days=30)
        sql = query.format(table=table, day=day, later=later)
        result = database.rewrite(sql)
        assert not result.left
        asked = UNKNOWN.findall(result.sql)
        assert len(asked) == 1, result.sql
        assert database.postgres.execute(f"SELECT {asked[0]}").fetchall() == [(is_unknown,)]
        original = database.rows_of(sql)
        assert database.rows_of(result.sql) == original
        assert database.rewrite(result.sql).sql == result.sql
        needed += database.rows_of(UNKNOWN.sub("", result.sql)) != original
        rows += len(original[1])
    assert rows > 100
    # with a name that is a week from UTC the closer bounds alone would lose rows
    assert (needed > 0) == is_unknown


def test_zones_that_are_null_are_not_unknown(database: Database) -> None:
    sql = QUERIES[0].format(table="known", day="2017-01-01")
    asked = UNKNOWN.findall(database.rewrite(sql).sql)
    database.execute("BEGIN")
    try:
        database.execute("INSERT INTO known (id) VALUES (-1)")
        assert database.postgres.execute(f"SELECT {asked[0]}").fetchall() == [(False,)]
    finally:
        database.execute("ROLLBACK")


def test_only_rows_that_are_read_anyway_are_asked(database: Database) -> None:
    sql = QUERIES[0].format(table="publishers", day="2017-01-01")
    some = sql.replace("GROUP BY", "AND p.id < 100 GROUP BY")
    table = "SELECT p.time_zone_name FROM publishers p WHERE p.time_zone_name IS NOT NULL"
    assert f"EXISTS ({table} AND (p.id < 100) EXCEPT" in database.rewrite(some).sql
    assert database.rows_of(database.rewrite(some).sql) == database.rows_of(some)
    # without the derived table an index would serve: no table is read for the bounds alone
    for alone in (
        database.rewrite(sql, "range"),
        database.rewrite(sql.replace(", count(*)", ", p")),
    ):
        assert alone.changes
        assert "EXISTS" not in alone.sql


def test_long_windows(database: Database) -> None:
    """The wider bounds alone serve them, and windows without an end."""
    sql = QUERIES[2].format(table="known", day="2017-01-01", later="2017-03-01")
    assert database.rewrite(sql).changes
    assert "EXISTS" not in database.rewrite(sql).sql
    assert "EXISTS" not in database.rewrite(sql.replace("< '2017-03-01'", "<> now()")).sql

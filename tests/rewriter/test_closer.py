"""Bounds on PostgreSQL, where names that are no IANA zones reach a week from UTC."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

import pytest

from tests import postgres
from tests.corpora import Database

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
KNOWN = re.compile(r"tzconv_\d+\.zone_id IS NOT NULL AND ")


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[Database]:
    made = Database("postgres", server)
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
@pytest.mark.parametrize("table", ["known", "publishers"])
def test_same_rows(query: str, table: str, database: Database, days: list[str]) -> None:
    rows = 0
    for day in days:
        later = dt.date.fromisoformat(day) + dt.timedelta(days=30)
        sql = query.format(table=table, day=day, later=later)
        result = database.rewrite(sql)
        assert not result.left
        assert "TIMESTAMP" in next(c.after for c in result.changes if c.rule == "local_predicate")
        original, rewritten = database.rows_of_each(sql, result.sql)
        assert rewritten == original
        assert database.rewrite(result.sql).sql == result.sql
        rows += len(original[1])
    assert rows > 100


@pytest.mark.parametrize(("table", "is_needed"), [("known", False), ("publishers", True)])
def test_a_constant_decides_for_known_zones_only(
    table: str, is_needed: bool, database: Database, days: list[str]
) -> None:
    """A day past the bound is past it in each zone of the tables, not in one a week from UTC."""
    differ = 0
    for day in days:
        sql = QUERIES[1].format(table=table, day=day)
        start = dt.date.fromisoformat(day) - dt.timedelta(days=3)
        sql = sql.replace(f"(TIMESTAMP '{day}' AT", f"(TIMESTAMP '{start}' AT")
        text = database.rewrite(sql).sql
        assert len(KNOWN.findall(text)) == 1, text
        original, for_all = database.rows_of_each(sql, KNOWN.sub("", text))
        assert database.rows_of(text) == original
        differ += for_all != original
    assert (differ > 0) == is_needed


def test_zones_that_are_null(database: Database, days: list[str]) -> None:
    sql = QUERIES[1].format(table="known", day=days[0])
    database.execute("INSERT INTO known (id) SELECT action_publisher_id FROM actions WHERE n = 1")
    before, after = database.rows_of_each(sql, database.rewrite(sql).sql)
    assert after == before
    database.execute("DELETE FROM known WHERE time_zone_name IS NULL")

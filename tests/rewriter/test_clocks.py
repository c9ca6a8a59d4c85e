"""Columns that are compared with the time of a zone, or with one in UTC, run both ways.

A constant takes the place of now(), so that every change of a clock can be "today".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import psycopg
import pytest

from tests import events_postgres, postgres
from tests.events import FIXED_OFFSETS
from tests.rewriter.moments import AWKWARD, TYPES, fill, nows
from tzconv.rewriter import Rewrite, rewrite

Connection = duckdb.DuckDBPyConnection | psycopg.Connection[Any]
CHANGES = (1_325_239_200, 1_730_610_000)
"""Samoa crosses the date line; Havana's autumn."""
OF_ZONES = [
    "tz >= date_trunc('day', {now} AT TIME ZONE zone) AT TIME ZONE zone",
    "tz < (date_trunc('month', {now} AT TIME ZONE zone) + INTERVAL '1 month') AT TIME ZONE zone",
    "ts > date_trunc('week', {now} AT TIME ZONE zone) AT TIME ZONE zone AT TIME ZONE 'UTC'",
    "({now} AT TIME ZONE zone) - INTERVAL '3 hours' >= ts",
    "tz BETWEEN (({now} AT TIME ZONE zone)::date::timestamp AT TIME ZONE zone) AND {now}",
    "ts::date = ({now} AT TIME ZONE zone)::date AND ts < ({now} AT TIME ZONE zone)::date + 1",
    "tz >= ({now})::date::timestamp AT TIME ZONE zone",
    "ts AT TIME ZONE zone >= {now} - INTERVAL '2 days'",
    "ts AT TIME ZONE zone < {now}",
    "{now} = ts AT TIME ZONE zone",
    "ts AT TIME ZONE 'Pacific/Apia' BETWEEN {now} - INTERVAL '1 hour' AND {now}",
]
IN_UTC = [
    "tz AT TIME ZONE 'UTC' >= ({now} AT TIME ZONE 'UTC') - INTERVAL '1 day'",
    "({now} AT TIME ZONE 'UTC') > tz AT TIME ZONE 'GMT'",
    "(tz AT TIME ZONE 'UTC')::date = ({now} AT TIME ZONE 'UTC')::date",
    "date(tz AT TIME ZONE 'UTC') > ({now} AT TIME ZONE 'UTC')::date - 1",
    "NOT date(tz AT TIME ZONE 'UTC') < ({now} AT TIME ZONE 'UTC')::date",
    "date_trunc('day', tz AT TIME ZONE 'UTC') <= ({now} AT TIME ZONE 'UTC')::date",
    "date_trunc('quarter', tz AT TIME ZONE 'UTC') "
    "= date_trunc('quarter', {now} AT TIME ZONE 'UTC')",
    "date_trunc('week', tz AT TIME ZONE 'UTC') > date_trunc('week', {now} AT TIME ZONE 'UTC')",
    "tz AT TIME ZONE 'UTC' BETWEEN ({now} AT TIME ZONE 'UTC')::date AND {now} AT TIME ZONE 'UTC'",
    "ts AT TIME ZONE 'UTC' < {now}",
    "ts AT TIME ZONE 'UTC' = {now} OR ts AT TIME ZONE 'UTC' >= {now} + INTERVAL '1 day'",
    "tz AT TIME ZONE 'UTC' > TIMESTAMP '2011-12-30' AND date(ts) <> DATE '2011-12-31'",
    "date_trunc('hour', tz AT TIME ZONE 'UTC') > TIMESTAMP '2011-12-30 10:20:00'",
    "NOT (tz AT TIME ZONE 'UTC')::date = '2011-12-30' AND {now} IS NOT NULL",
    "date_trunc('month', tz AT TIME ZONE 'UTC') BETWEEN '2011-12-02' AND '2024-11-01'",
]
IN_UTC_SESSION = [
    "tz AT TIME ZONE 'UTC' <= {now}",
    "tz AT TIME ZONE 'UTC' BETWEEN TIMESTAMPTZ '2011-12-30 10:00:00+02' AND {now}",
    "ts AT TIME ZONE 'UTC' >= TIMESTAMP '2011-12-30 10:00:00'",
    "date_trunc('day', tz AT TIME ZONE 'UTC') <= date_trunc('day', {now})",
    "date_trunc('quarter', tz AT TIME ZONE 'UTC') = date_trunc('quarter', {now})",
]
"""What is cast, to be compared, on the clock of the session."""


@pytest.fixture(scope="module")
def engines(server: postgres.Server) -> Iterator[dict[str, Connection]]:
    with (
        duckdb.connect() as embedded,
        events_postgres.connect(server.fresh("clocks")) as connection,
    ):
        made: dict[str, Connection] = {"duckdb": embedded, "postgres": connection}
        for name, engine in made.items():
            odd = ["america/new_york", "Etc/GMT-14"]
            odd += FIXED_OFFSETS if name == "duckdb" else ["UTC+3", "AAA-167:59:59BBB", "XXX+167"]
            engine.execute("SET TimeZone = 'UTC'")
            engine.execute("CREATE TABLE e (ts timestamp, tz timestamptz, shop integer)")
            engine.execute("CREATE TABLE s (id integer, zone varchar)")
            for number, zone in enumerate([*AWKWARD, *odd]):
                engine.execute(f"INSERT INTO s VALUES ({number}, '{zone}')")
            engine.execute("INSERT INTO s VALUES (99, NULL)")
        yield made


def check(engine: Connection, dialect: str, sql: str, session: str = "UTC") -> tuple[Rewrite, int]:
    """How a query is rewritten, and how many rows it counts in each form."""

    def once(text: str) -> Rewrite:
        return rewrite(
            text, dialect=dialect, schema=TYPES, strategy="range", session_time_zone=session
        )

    result = once(sql)
    assert result.changes, sql
    assert once(result.sql).sql == result.sql
    before = engine.execute(f"{sql} ORDER BY 1").fetchall()
    assert engine.execute(f"{result.sql} ORDER BY 1").fetchall() == before, result.sql
    return result, sum(int(row[1]) for row in before)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("predicate", OF_ZONES)
def test_times_of_zones(dialect: str, predicate: str, engines: dict[str, Connection]) -> None:
    rows = 0
    for change in CHANGES:
        fill(engines[dialect], change)
        for now in (*nows(change), "TIMESTAMPTZ 'infinity'", "TIMESTAMPTZ '-infinity'"):
            where = predicate.format(now=now)
            sql = (
                "SELECT id, count(*), min(ts)::text, max(ts)::text "
                f"FROM (SELECT * FROM e CROSS JOIN s) q WHERE {where} GROUP BY id"
            )
            result, counted = check(engines[dialect], dialect, sql)
            assert {change.before for change in result.changes} == {""}, "the predicates stay"
            rows += counted
    assert rows > 50


@pytest.mark.parametrize("session", ["UTC", "America/New_York"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("predicate", IN_UTC)
def test_times_in_utc(
    dialect: str, predicate: str, session: str, engines: dict[str, Connection]
) -> None:
    engine, rows = engines[dialect], 0
    engine.execute(f"SET TimeZone = '{session}'")
    try:
        for change in CHANGES:
            fill(engine, change)
            for now in nows(change):
                where = predicate.format(now=now)
                sql = f"SELECT shop, count(*), min(ts)::text FROM e WHERE {where} GROUP BY shop"
                result, counted = check(engine, dialect, sql, session)
                assert "tz AT TIME ZONE 'UTC'" not in result.sql.partition("<>")[0]
                rows += counted
    finally:
        engine.execute("SET TimeZone = 'UTC'")
    assert rows > 5


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("predicate", IN_UTC_SESSION)
def test_times_of_a_session_in_utc(
    dialect: str, predicate: str, engines: dict[str, Connection]
) -> None:
    rows = 0
    for change in CHANGES:
        fill(engines[dialect], change)
        for now in nows(change):
            sql = f"SELECT count(*), min(ts)::text, max(ts)::text FROM e WHERE {predicate}"
            result = rewrite(sql.format(now=now), dialect=dialect, schema=TYPES)
            assert "AT TIME ZONE 'UTC' " not in result.sql.replace("UTC' AND", "")
            assert not result.left
            before = engines[dialect].execute(sql.format(now=now)).fetchall()
            assert engines[dialect].execute(result.sql).fetchall() == before, result.sql
            rows += int(before[0][0])
    assert rows > 50


KEPT = [
    "tz >= (clock_timestamp() AT TIME ZONE zone) AT TIME ZONE zone",
    "tz >= (now() AT TIME ZONE zone) - shop * INTERVAL '1 day'",
    "tz >= date_trunc(zone, now() AT TIME ZONE zone)",
    "ts <= coalesce(CURRENT_DATE + 200000000, CURRENT_DATE) AND ts AT TIME ZONE zone IS NULL",
    "tz AT TIME ZONE 'UTC' = ts",
    "tz AT TIME ZONE 'UTC' <= coalesce(CURRENT_DATE + 200000000, CURRENT_DATE)",
    "ts AT TIME ZONE 'UTC' >= '2020-01-01'",
    "(ts AT TIME ZONE 'UTC')::date >= DATE '2020-01-01'",
    "tz AT TIME ZONE 'UTC' >= (SELECT max(ts) FROM e)",
    "tz AT TIME ZONE 'UTC' >= random() * INTERVAL '1 day' + TIMESTAMP '2020-01-01'",
    "tz AT TIME ZONE 'UTC' >= now()",
    "ts AT TIME ZONE 'UTC' >= CURRENT_DATE",
    "ts AT TIME ZONE 'UTC' >= TIMESTAMP '2020-01-01'",
    "day AT TIME ZONE 'UTC' >= '2020-01-01'",
    "tz AT TIME ZONE 'UTC' >= 'Jan 1 2020'",
    "date_trunc('day', tz AT TIME ZONE 'UTC') = '2020-01-01 00:00:01'",
    "(tz AT TIME ZONE 'UTC')::date > TIMESTAMP '2020-01-01 00:00:01'",
    "date_trunc('day', tz AT TIME ZONE 'UTC') >= LOCALTIMESTAMP",
    "date_trunc('week', tz AT TIME ZONE 'UTC') >= CURRENT_DATE",
    "date_trunc('week', tz AT TIME ZONE 'UTC') >= date_trunc('month', LOCALTIMESTAMP)",
    "date_trunc('day', tz AT TIME ZONE 'UTC') = CAST(? AS date)",
    "(SELECT tz AT TIME ZONE 'UTC' >= TIMESTAMP '2020-01-01')",
    "shop = 1 GROUP BY tz HAVING tz AT TIME ZONE 'UTC' >= TIMESTAMP '2020-01-01'",
    "((ts + INTERVAL '1 hour') AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date = '2020-01-01'",
    "(tz AT TIME ZONE 'Pacific/Apia')::date = '2011-12-30' OR shop = 1",
]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("predicate", KEPT)
def test_what_is_no_constant_bounds_nothing(dialect: str, predicate: str) -> None:
    schema = {"q": {**TYPES["e"], "zone": "text", "day": "date"}, "e": TYPES["e"]}
    sql = f"SELECT 1 FROM q WHERE {predicate}"
    session = "America/New_York"
    result = rewrite(
        sql, dialect=dialect, schema=schema, strategy="range", session_time_zone=session
    )
    assert result.sql == sql


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("right", ["now() - random() * INTERVAL '1 day'", "clock_timestamp()"])
def test_what_varies_bounds_nothing_in_utc(dialect: str, right: str) -> None:
    """Where a TIMESTAMPTZ may be compared as it is."""
    sql = f"SELECT 1 FROM e WHERE tz AT TIME ZONE 'UTC' >= {right}"
    result = rewrite(sql, dialect=dialect, schema=TYPES, strategy="range")
    assert result.sql == sql

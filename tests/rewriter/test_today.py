"""Predicates that follow the clock, run as they were and with bounds, around changes of the clock.

A constant takes the place of now(), so that every change of every zone can be "today".
"""

from __future__ import annotations

import datetime as dt
import functools
import itertools
from collections.abc import Iterator
from typing import Any

import duckdb
import psycopg
import pytest

from tests import events_postgres, postgres
from tests.events import FIXED_OFFSETS
from tests.rewriter.moments import AWKWARD, TYPES, fill, nows
from tzconv.rewriter import Rewrite, rewrite
from tzconv.tz import zones

LOCAL = {
    "ts": "(ts AT TIME ZONE 'UTC' AT TIME ZONE {zone})",
    "tz": "(tz AT TIME ZONE {zone})",
}
PREDICATES = [
    "{local}::date = ({now} AT TIME ZONE {zone})::date",
    "{local}::date >= ({now} AT TIME ZONE {zone})::date - 7",
    "{local}::date > ({now} AT TIME ZONE {zone})::date - INTERVAL '2 days'",
    "({now} AT TIME ZONE {zone})::date + 1 >= {local}::date",
    "date({local}) < date({now} AT TIME ZONE {zone})",
    "date_trunc('week', {local}) = date_trunc('week', {now} AT TIME ZONE {zone})",
    "date_trunc('month', {local}) <= date_trunc('month', {now} AT TIME ZONE {zone})",
    "{local} >= date_trunc('month', {now} AT TIME ZONE {zone})",
    "{local} < date_trunc('day', {now} AT TIME ZONE {zone}) + INTERVAL '1 day'",
    "{local} BETWEEN date_trunc('hour', {now} AT TIME ZONE {zone}) - INTERVAL '1 hour' "
    "AND {now} AT TIME ZONE {zone}",
    "({now} AT TIME ZONE {zone})::date BETWEEN {local}::date AND {local}::date",
    "{local}::date BETWEEN DATE '1995-01-01' AND ({now} AT TIME ZONE {zone})::date - 1",
]
UTC = {"UTC", "GMT", "UCT", "Zulu", "Universal", "Etc/UTC", "Etc/GMT", "Etc/UCT", "Etc/Zulu"}
SOME_ZONE, SOME_NOW = "America/New_York", "TIMESTAMPTZ '2000-01-01 00:00:00+00'"
QUERIES = list(itertools.product(LOCAL, PREDICATES))
DAY = 86_400
PARTS = 3
"""They run beside each other where there are processors for it."""


def changes(name: str) -> list[int]:
    """Changes of the clock: the one nearest to midnight, and the widest one."""
    starts, offsets = zones.installed().zone(name).timeline(2_000_000_000).offset_changes()
    found = [
        (int(start), int(before), int(after))
        for start, before, after in zip(starts[1:], offsets, offsets[1:], strict=False)
        if start > -3_000_000_000
    ]
    if not found:
        return [1_700_000_000]
    near = sorted(found, key=lambda one: abs((one[0] + one[1] + DAY // 2) % DAY - DAY // 2))
    wide = max(found, key=lambda one: abs(one[2] - one[1]))
    return sorted({one[0] for one in (near[0], wide)})


def written(predicate: str, column: str, zone: str, now: str) -> str:
    """The query that asks for a predicate; no rows would prove nothing, so their edges count."""
    local = LOCAL[column].format(zone=f"'{zone}'")
    where = predicate.format(local=local, zone=f"'{zone}'", now=now)
    return f"SELECT count(*), min(ts)::text, max(ts)::text, count(DISTINCT tz) FROM e WHERE {where}"


@functools.cache
def both(dialect: str, predicate: str, column: str) -> tuple[str, str]:
    """A query and how it is rewritten, with {zone} and {now} for any zone and time."""
    sql = written(predicate, column, SOME_ZONE, SOME_NOW)
    pair = sql, bounded(sql, dialect).sql
    assert pair[0] != pair[1]
    one, other = (q.replace(SOME_ZONE, "{zone}").replace(SOME_NOW, "{now}") for q in pair)
    return one, other


def asked(dialect: str, name: str, turn: Iterator[int]) -> Iterator[tuple[int, str, str]]:
    """Changes of a zone, and queries about them with their rewrites; ``turn`` varies these."""
    for change in changes(name):
        pairs = []
        for now in nows(change):
            number = next(turn)
            column = ("ts", "tz")[number // len(PREDICATES) % 2]
            pair = both(dialect, PREDICATES[number % len(PREDICATES)], column)
            pairs.append([sql.format(zone=name, now=now) for sql in pair])
        one, other = ("\nUNION ALL ".join(side) for side in zip(*pairs, strict=True))
        yield change, one, other


def bounded(sql: str, dialect: str, session: str = "UTC") -> Rewrite:
    result = rewrite(
        sql, dialect=dialect, schema=TYPES, strategy="range", session_time_zone=session
    )
    again = rewrite(
        result.sql, dialect=dialect, schema=TYPES, strategy="range", session_time_zone=session
    )
    assert again.sql == result.sql
    assert {change.before for change in result.changes} <= {""}, "the predicates stay"
    return result


@pytest.fixture
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
        connection.execute("CREATE TABLE e (ts timestamp, tz timestamptz, shop integer)")
        connection.execute("CREATE TABLE s (id integer, zone varchar)")
        yield connection


def of_columns(template: str) -> str:
    """The condition of a query for any zone and time, with these from columns."""
    where = template.partition(" FROM e WHERE ")[2]
    where = where.replace("'{zone}'", "zone").replace("{now}", "moment")
    assert "{" not in where
    return where


def test_every_zone_on_duckdb(database: duckdb.DuckDBPyConnection) -> None:
    """Each predicate once, over all zones and times that fall to it; they take turns."""
    turn, cases = itertools.count(), []
    edges = [(name, edge) for name in zones.installed().names for edge in changes(name)]
    for place, (name, edge) in enumerate(edges):
        for now in nows(edge):
            number = next(turn)
            cases.append(f"({number}, {number % len(QUERIES)}, {place}, '{name}', {now})")
    database.execute(
        "CREATE TABLE cases AS FROM (VALUES "
        f"{', '.join(cases)}) c (number, kind, place, zone, moment)"
    )
    fill(database, *(edge for _, edge in edges))
    rows, seen = 0, set[str]()
    for kind, (column, predicate) in enumerate(QUERIES):
        results = [
            database.execute(
                "SELECT number, count(*), min(ts)::text, max(ts)::text, count(DISTINCT tz) "
                f"FROM e JOIN (FROM cases WHERE kind = {kind}) ON shop = place "
                f"WHERE {of_columns(template)} GROUP BY number ORDER BY number"
            ).fetchall()
            for template in both("duckdb", predicate, column)
        ]
        wrong = set(results[0]) ^ set(results[1])
        assert not wrong, (predicate, column, [cases[number] for number, *_ in wrong])
        rows += sum(row[1] for row in results[0])
        seen.update(cases[row[0]].split(", ")[3] for row in results[0])
    assert rows > 100_000
    assert len(seen) == len(zones.installed().names)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_zone_has_the_same_form(part: int) -> None:
    names = zones.installed().names[part::PARTS]
    for number, name in enumerate(names):
        predicate = PREDICATES[number % len(PREDICATES)]
        one = written(predicate, "ts", name, SOME_NOW)
        template = both("duckdb", predicate, "ts")[1]
        expected = one if name in UTC else template.format(zone=name, now=SOME_NOW)
        assert rewrite(one, schema=TYPES, strategy="range").sql == expected


@pytest.fixture(scope="module")
def connection(server: postgres.Server) -> Iterator[psycopg.Connection[Any]]:
    with events_postgres.connect(server.fresh("today")) as made:
        made.execute("CREATE TABLE e (ts timestamp, tz timestamptz, shop integer)")
        made.execute("CREATE TABLE s (id integer, zone text)")
        yield made


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_zones_on_postgres(name: str, connection: psycopg.Connection[Any]) -> None:
    for change, sql, after in asked("postgres", name, itertools.count(AWKWARD.index(name) * 5)):
        fill(connection, change)
        assert connection.execute(after).fetchall() == connection.execute(sql).fetchall()


OF_ROWS = [
    "{local}::date = ({now} AT TIME ZONE zone)::date",
    "{local}::date >= ({now} AT TIME ZONE zone)::date - 7",
    "{local} >= date_trunc('month', {now} AT TIME ZONE zone)",
    "{local} < ({now} AT TIME ZONE zone) - INTERVAL '3 hours'",
    "date_trunc('week', {local}) = date_trunc('week', {now} AT TIME ZONE zone)",
    "{local}::date <= DATE '2011-12-30' + 1",
]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("predicate", OF_ROWS)
def test_zones_of_rows(
    dialect: str,
    predicate: str,
    database: duckdb.DuckDBPyConnection,
    connection: psycopg.Connection[Any],
) -> None:
    engine = database if dialect == "duckdb" else connection
    odd = ["america/new_york", "Etc/GMT-14"]
    odd += FIXED_OFFSETS if dialect == "duckdb" else ["UTC+3", "AAA-167:59:59BBB", "XXX+167"]
    engine.execute("DELETE FROM s")
    for number, zone in enumerate([*AWKWARD, *odd]):
        engine.execute(f"INSERT INTO s VALUES ({number}, '{zone}')")
    engine.execute("INSERT INTO s VALUES (99, NULL)")
    rows = 0
    for change in (1_325_239_200, 1_730_610_000):  # Samoa crosses the date line; Havana's autumn
        fill(engine, change)
        for column, now in itertools.product(LOCAL, nows(change)):
            local = LOCAL[column].format(zone="zone")
            where = predicate.format(local=local, now=now)
            sql = f"SELECT id, count(*), min(ts)::text FROM e, s WHERE {where} GROUP BY id"
            result = bounded(sql, dialect)
            assert len(result.changes) == 1
            original = engine.execute(f"{sql} ORDER BY 1").fetchall()
            assert engine.execute(f"{result.sql} ORDER BY 1").fetchall() == original
            rows += len(original)
    assert rows > 50


PLACES = [
    "SELECT 1 FROM e WHERE {p} OR shop = 1",
    "SELECT 1 FROM e WHERE NOT {p}",
    "SELECT shop FROM e GROUP BY shop HAVING bool_or({p})",
    "SELECT count(*) FROM s LEFT JOIN e ON id = shop AND {p}",
    "SELECT count(*) FILTER (WHERE {p}) FROM e",
    "SELECT CASE WHEN {p} THEN 1 END FROM e",
]
TODAY = "(tz AT TIME ZONE 'Asia/Tokyo')::date = (now() AT TIME ZONE 'Asia/Tokyo')::date"
VALUES = [
    "BETWEEN SYMMETRIC CURRENT_DATE AND CURRENT_DATE - 7",
    "= CURRENT_DATE - shop",
    "= (clock_timestamp() AT TIME ZONE 'Asia/Tokyo')::date",
    "= (now() AT TIME ZONE (shop * INTERVAL '100 hours'))::date",
    "= (SELECT max(tz)::date FROM e)",
    "= CURRENT_DATE - random()::integer",
    "<= CURRENT_DATE + 200000000",
    "<= DATE '294277-01-01' + 0",
    "<> CURRENT_DATE",
    ">= CURRENT_DATE - CAST(%s AS integer)",
    ">= CAST(%s AS date)",
    ">= CURRENT_DATE - (CURRENT_DATE - DATE '2026-01-01')",
]


@pytest.mark.parametrize(
    "sql",
    [place.format(p=TODAY) for place in PLACES]
    + [f"SELECT 1 FROM e WHERE (tz AT TIME ZONE 'Asia/Tokyo')::date {value}" for value in VALUES],
)
def test_what_bounds_nothing_for_certain_is_left(sql: str) -> None:
    result = rewrite(sql, dialect="postgres", schema=TYPES, strategy="range")
    assert result.sql == sql
    assert result.left


def test_a_day_of_the_session(connection: psycopg.Connection[Any]) -> None:
    """CURRENT_DATE is that of the session in both texts, and bounds hold for any of them."""
    sql = (
        "SELECT count(*), min(ts)::text FROM e WHERE (tz AT TIME ZONE 'Pacific/Kiritimati')::date "
        "= CURRENT_DATE AND tz AT TIME ZONE 'Asia/Tokyo' > LOCALTIMESTAMP - INTERVAL '2 days'"
    )
    fill(connection, int(dt.datetime.now(dt.UTC).timestamp()))
    for session in ("UTC", "Pacific/Niue", "Pacific/Kiritimati", "America/New_York"):
        after = bounded(sql, "postgres", session).sql
        assert after.count("24 hours") == 2
        connection.execute("SELECT set_config('timezone', %s, false)", [session])
        try:
            original = connection.execute(sql).fetchall()
            assert connection.execute(after).fetchall() == original
        finally:
            connection.execute("RESET timezone")
        assert original[0][0] > 20


def test_now_inside_a_cte_and_twice() -> None:
    sql = (
        "WITH t AS (SELECT now() AS n, tz FROM e) "
        f"SELECT count(*) FROM t WHERE {TODAY} UNION ALL SELECT count(*) FROM e WHERE {TODAY}"
    )
    result = bounded(sql, "duckdb")
    assert len(result.changes) == 2
    by_column = sql.replace("(now()", "(n", 1)
    assert len(bounded(by_column, "duckdb").changes) == 1, "a column of a CTE is no constant"


def test_parameters_with_names_are_copied() -> None:
    sql = "SELECT 1 FROM e WHERE (tz AT TIME ZONE 'Asia/Tokyo')::date >= CAST({} AS date) - 7"
    for dialect, name in (("postgres", "%(day)s"), ("postgres", "$1"), ("duckdb", "$day")):
        text = sql.format(name)
        assert bounded(text, dialect).sql.count(name) == 2


KEPT = "SELECT count(*), min(ts)::text FROM e WHERE {local}::date = DATE '{day}'"


@pytest.mark.parametrize("name", ["America/New_York", "Pacific/Apia", "America/St_Johns"])
def test_bounds_that_a_law_may_still_move(name: str, database: duckdb.DuckDBPyConnection) -> None:
    until = dt.date(2011, 12, 28)
    fill(database, 1_325_239_200)
    for column, days in itertools.product(LOCAL, range(-6, 7)):
        day = dt.date(2011, 12, 28) + dt.timedelta(days=days)
        sql = KEPT.format(local=LOCAL[column].format(zone=f"'{name}'"), day=day)
        result = rewrite(sql, schema=TYPES, strategy="range", literals_until=until)
        assert database.execute(result.sql).fetchall() == database.execute(sql).fetchall()
        again = rewrite(result.sql, schema=TYPES, strategy="range", literals_until=until)
        assert again.sql == result.sql
        # a local day ends up to a day after it in UTC, and another law may move that by two
        if days <= -5:
            assert not result.left
            assert "AT TIME ZONE" not in result.sql
        elif days >= 0 and (name, days) != ("Pacific/Apia", 2):  # a day that was skipped
            assert [left.code for left in result.left] == ["future-rules"]
            low, high = day - dt.timedelta(days=1), day + dt.timedelta(days=2)
            assert f"'{low} 00:00:00" in result.sql
            assert f"'{high} 00:00:00" in result.sql
            assert sql in result.sql

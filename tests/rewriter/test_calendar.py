"""Conditions on a part of the calendar, and in ON, run as they were and with bounds.

The times lie around changes of the clock, and around the first of their month and year.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator
from typing import Any, TypeAlias

import duckdb
import psycopg
import pytest

from tests import events_postgres, postgres
from tests.events import FIXED_OFFSETS
from tests.rewriter.moments import AWKWARD, TYPES, fill, naive
from tzconv.rewriter import Rewrite, rewrite
from tzconv.tz import zones

Engine: TypeAlias = duckdb.DuckDBPyConnection | psycopg.Connection[Any]
LOCAL = ("(ts AT TIME ZONE 'UTC' AT TIME ZONE {zone})", "(tz AT TIME ZONE {zone})")
PREDICATES = [
    "{local}::date IN (DATE '{day}', '{later}')",
    "date_trunc('month', {local}) IN ('{first}', TIMESTAMP '{first}')",
    "date_trunc('week', {local}) IN ('{monday}', '{next}')",
    "extract(year FROM {local}) = {year}",
    "{year} <= date_part('year', {local})",
    "extract(year FROM {local}) BETWEEN {year} AND {year}",
    "extract(year FROM {local}) = {year} AND extract(month FROM {local}) = {month}",
    "({month} = date_part('month', {local}) AND date_part('year', {local}) = {year})",
    "to_char({local}, 'YYYY-MM') = '{year}-{month:02}'",
    "to_char({local}, 'YYYYMMDD') IN ('{packed}', 'never', '20230230')",
    "to_char({local}, 'YYYY') = '{year}'",
]
ON_DUCKDB = [
    "year({local}) = {year} AND month({local}) = {month}",
    "strftime({local}, '%Y-%m-%d') IN ('{day}', '{later}')",
]
CHANGES = {
    name: next(
        (
            int(start)
            for start in reversed(zones.installed().zone(name).offset_changes(1_700_000_000)[0])
            if start < 1_690_000_000
        ),
        1_600_000_000,
    )
    for name in AWKWARD
}
ODD = ["america/new_york", "Etc/GMT-14"]


def predicates(engine: Engine) -> list[str]:
    if isinstance(engine, duckdb.DuckDBPyConnection):
        formats = {"YYYY-MM": "%Y-%m", "YYYYMMDD": "%Y%m%d", "YYYY": "%Y"}
        texts = [
            one.replace("to_char(", "strftime(").replace(f"'{ours}'", f"'{theirs}'")
            for one in PREDICATES
            for ours, theirs in formats.items()
            if f"'{ours}'" in one
        ]
        return [one for one in PREDICATES if "to_char" not in one] + texts + ON_DUCKDB
    return PREDICATES


def written(predicate: str, local: str, day: dt.date) -> str:
    return predicate.format(
        local=local,
        day=day,
        later=day + dt.timedelta(2),
        monday=day - dt.timedelta(day.weekday()),
        next=day - dt.timedelta(day.weekday() - 7),
        first=day.replace(day=1),
        year=day.year,
        month=day.month,
        packed=f"{day:%Y%m%d}",
    )


def bounded(sql: str, engine: Engine) -> Rewrite:
    dialect = "duckdb" if isinstance(engine, duckdb.DuckDBPyConnection) else "postgres"
    result, again = rewrite(sql, dialect=dialect, schema=TYPES, strategy="range"), None
    again = rewrite(result.sql, dialect=dialect, schema=TYPES, strategy="range")
    assert again.sql == result.sql
    assert [change.before for change in result.changes] == [""], sql
    return result


def prepare(engine: Engine, change: int) -> dt.date:
    """Times around a change of the clock, and around the beginning of its month and year."""
    day = naive(change).date()
    starts = [dt.datetime(day.year, month, 1) for month in {1, day.month}]
    fill(engine, change, *(int((one - dt.datetime(1970, 1, 1)).total_seconds()) for one in starts))
    return day


@pytest.fixture(scope="module")
def memory() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
        connection.execute("CREATE TABLE e (ts timestamp, tz timestamptz, shop integer)")
        connection.execute("CREATE TABLE s (id integer, zone varchar)")
        yield connection


@pytest.fixture(scope="module")
def connection(server: postgres.Server) -> Iterator[psycopg.Connection[Any]]:
    with events_postgres.connect(server.fresh("calendar")) as made:
        made.execute("CREATE TABLE e (ts timestamp, tz timestamptz, shop integer)")
        made.execute("CREATE TABLE s (id integer, zone text)")
        yield made


@pytest.fixture(params=["memory", "connection"])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("name", AWKWARD)
def test_one_zone(name: str, engine: Engine) -> None:
    rows = 0
    day = prepare(engine, CHANGES[name])
    forms = itertools.product(predicates(engine), LOCAL)
    for predicate, column in itertools.islice(forms, AWKWARD.index(name) % 4, None, 4):
        where = written(predicate, column.format(zone=f"'{name}'"), day)
        sql = f"SELECT count(*), min(ts)::text, max(tz)::text FROM e WHERE {where}"
        original = engine.execute(sql).fetchall()
        assert engine.execute(bounded(sql, engine).sql).fetchall() == original, where
        rows += original[0][0]
    assert rows > 500


EVERY = range(len(PREDICATES) + len(ON_DUCKDB))
YEAR_1000 = -30_610_224_000
"""The first year that is read: its bounds lie in the year before."""


@pytest.mark.parametrize(
    ("number", "change"),
    [*((one, (1_325_239_200, 1_730_610_000)[one % 2]) for one in EVERY), (3, YEAR_1000)],
)
def test_zones_of_rows(number: int, change: int, engine: Engine) -> None:
    forms = predicates(engine)
    predicate = forms[number % len(forms)]
    is_duckdb = isinstance(engine, duckdb.DuckDBPyConnection)
    odd = [*FIXED_OFFSETS] if is_duckdb else ["UTC+3", "AAA-167:59:59BBB", "XXX+167"]
    engine.execute("DELETE FROM s")
    for place, zone in enumerate([*AWKWARD, *ODD, *odd]):
        engine.execute(f"INSERT INTO s VALUES ({place}, '{zone}')")
    engine.execute("INSERT INTO s VALUES (99, NULL)")
    rows = 0
    day = prepare(engine, change)
    for column in LOCAL:
        condition = written(predicate, column.format(zone="zone"), day)
        for source in (f"e, s WHERE {condition}", f"e JOIN s ON {condition}"):
            sql = f"SELECT id, count(*), min(ts)::text FROM {source} GROUP BY id"
            result = bounded(sql, engine)
            original = engine.execute(f"{sql} ORDER BY 1").fetchall()
            assert engine.execute(f"{result.sql} ORDER BY 1").fetchall() == original, sql
            rows += len(original)
    assert rows > 50


IN_ON = [
    "{local}::date = DATE '{day}'",
    "{local} >= '{day}' AND {local} < '{later}'",
    "date_trunc('month', {local}) = '{first}'",
    "{local}::date >= (TIMESTAMPTZ '{day} 12:00:00+00' AT TIME ZONE zone)::date - 2",
    "tz < TIMESTAMP '{day}' AT TIME ZONE zone AND ts > '1990-01-01'",
]
JOINS = [
    "e JOIN s ON shop >= 0 AND {p}",
    "s INNER JOIN e ON {p} JOIN s s2 ON s2.id = s.id",
    "e CROSS JOIN s JOIN s s2 ON (s2.id = s.id AND {p})",
]


@pytest.mark.parametrize(("predicate", "join"), list(itertools.product(IN_ON, JOINS)))
def test_predicates_in_on(predicate: str, join: str, engine: Engine) -> None:
    engine.execute("DELETE FROM s")
    for place, zone in enumerate([*AWKWARD[:6], *ODD]):
        engine.execute(f"INSERT INTO s VALUES ({place}, '{zone}')")
    day = prepare(engine, 1_730_610_000)
    condition = written(predicate, LOCAL[0].format(zone="s.zone"), day).replace(" zone", " s.zone")
    source = join.format(p=condition)
    sql = f"SELECT s.id, count(*), min(ts)::text FROM {source} GROUP BY s.id"
    dialect = "duckdb" if isinstance(engine, duckdb.DuckDBPyConnection) else "postgres"
    result = rewrite(sql, dialect=dialect, schema=TYPES, strategy="range")
    assert result.changes
    assert rewrite(result.sql, dialect=dialect, schema=TYPES, strategy="range").sql == result.sql
    original = engine.execute(f"{sql} ORDER BY 1").fetchall()
    assert engine.execute(f"{result.sql} ORDER BY 1").fetchall() == original
    assert original


NOT_BOUNDED = [
    "SELECT 1 FROM e WHERE {p} OR shop = 1",
    "SELECT 1 FROM e WHERE NOT ({p})",
    "SELECT count(*) FROM s LEFT JOIN e ON id = shop AND {p}",
    "SELECT count(*) FROM e JOIN s ON {p} LEFT JOIN s s2 ON s2.id = s.id",
    "SELECT count(*) FROM e FULL JOIN s ON id = shop WHERE shop = 1 OR {p}",
    "SELECT CASE WHEN {p} THEN 1 END FROM e",
]
ELSEWHERE = [
    "extract(month FROM {local}) = 3",
    "extract(year FROM {local}) = 2024.5",
    "extract(year FROM {local}) <> 2024",
    "extract(isoyear FROM {local}) = 2024",
    "extract(year FROM {local}) = shop",
    "{local}::date IN ('2024-03-01', NULL)",
    "{local}::date NOT IN ('2024-03-01')",
    "{local}::date IN (SELECT '2024-03-01'::date)",
    "extract(year FROM {local}) = 2024 OR extract(month FROM {local}) = 3",
]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_what_bounds_nothing(dialect: str) -> None:
    local = LOCAL[0].format(zone="'Asia/Tokyo'")
    year = f"extract(year FROM {local}) = 2024"
    texts = [query.format(p=year) for query in NOT_BOUNDED]
    texts += [f"SELECT 1 FROM e WHERE {one.format(local=local)}" for one in ELSEWHERE]
    for sql in texts:
        assert rewrite(sql, dialect=dialect, schema=TYPES, strategy="range").sql == sql


@pytest.mark.parametrize(
    ("zone", "month"), [("Europe/Berlin", "3"), ("Asia/Tokyo", "shop"), ("Asia/Tokyo", "13")]
)
def test_what_bounds_no_month_beside_a_year(zone: str, month: str) -> None:
    year, other = (LOCAL[0].format(zone=f"'{one}'") for one in ("Asia/Tokyo", zone))
    sql = (
        f"SELECT 1 FROM e WHERE extract(year FROM {year}) = 2024 "
        f"AND extract(month FROM {other}) = {month}"
    )
    result = rewrite(sql, dialect="postgres", schema=TYPES, strategy="range")
    assert "ts >= TIMESTAMP '2023-12-31 15:00:00' AND ts < TIMESTAMP '2024-12-31 15" in result.sql


def test_years_before_our_era_look_alike_on_postgres(connection: psycopg.Connection[Any]) -> None:
    connection.execute("TRUNCATE e")
    connection.execute(
        "INSERT INTO e (ts) VALUES ('2024-03-05 BC'), ('2024-03-05'), ('2024-05-05')"
    )
    local = LOCAL[0].format(zone="'Asia/Tokyo'")
    sql = f"SELECT ts::text FROM e WHERE to_char({local}, 'YYYY-MM') = '2024-03' ORDER BY 1"
    result = rewrite(sql, dialect="postgres", schema=TYPES, strategy="range")
    assert "OR ts < TIMESTAMP '0002-01-01 00:00:00'" in result.sql
    assert connection.execute(result.sql).fetchall() == connection.execute(sql).fetchall()
    assert len(connection.execute(sql).fetchall()) == 2


def test_a_local_day_beside_many_ors() -> None:
    """Python stops at a thousand calls inside each other."""
    many = " OR ".join(f"shop = {one}" for one in range(600))
    sql = f"SELECT 1 FROM e WHERE ({many}) AND (tz AT TIME ZONE 'Asia/Tokyo')::date = '2026-01-02'"
    assert rewrite(sql, dialect="duckdb", schema=TYPES).changes

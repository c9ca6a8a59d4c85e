"""Conditions on a part of the calendar, and in ON, run as they were and with bounds.

The times lie around changes of the clock, and around the first of their month and year.
"""

from __future__ import annotations

import cProfile
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
    "date_trunc('month', {local})::date IN ('{first}', '{day}')",
    "date_trunc('week', date_trunc('hour', {local}))::date IN ('{monday}', '{next}')",
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
    forms = itertools.product(predicates(engine), LOCAL, (True, False))
    for predicate, column, is_inside in itertools.islice(forms, AWKWARD.index(name) % 4, None, 4):
        local = column.format(zone=f"'{name}'")
        where = written(predicate, local if is_inside else "local", day)
        source = "e" if is_inside else f"(SELECT *, {local} AS local FROM e) x"
        sql = f"SELECT count(*), min(ts)::text, max(tz)::text FROM {source} WHERE {where}"
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
        condition, outside = (
            written(predicate, one, day) for one in (column.format(zone="zone"), "x.local")
        )
        derived = f"(SELECT *, {column.format(zone='zone')} AS local FROM e, s) x"
        sources = [f"e, s WHERE {condition}", f"e JOIN s ON {condition}"]
        for source in [*sources, f"{derived} WHERE {outside}"]:
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


IN_NEW_YORK = LOCAL[0].format(zone="'America/New_York'")
INSIDE = f"SELECT shop, ts, {IN_NEW_YORK} AS local FROM e"
DAYS = (
    "(SELECT CAST(TIMESTAMP '2024-10-25' + i * INTERVAL '1 day' AS date) AS day "
    "FROM generate_series(0, 20) g (i)) c"
)
SAME = f"day = ({IN_NEW_YORK})::date"
OF_ROW = LOCAL[0].format(zone="s.zone")
AROUND = {
    "WITH l AS ({inside}) SELECT shop, local FROM l WHERE {p}": True,
    "SELECT shop, local::text FROM ({inside}) l WHERE local >= '{day}'::date::timestamp": True,
    "WITH l AS ({inside}), m AS (SELECT * FROM l WHERE shop = 0), n AS (SELECT shop, local::date "
    "AS local FROM m) SELECT shop, local FROM n WHERE {p}": True,
    "SELECT shop, n FROM (SELECT shop, local, count(*) AS n FROM ({inside} WHERE shop = 0 OR shop "
    "= 1) l GROUP BY 1, 2 HAVING count(*) > 0) q WHERE {p}": True,
    "SELECT n, local FROM (SELECT local, count(*) AS n FROM ({inside}) l GROUP BY ROLLUP (local)) "
    "q WHERE {p}": True,
    "SELECT count(*), max(local) FROM (SELECT DISTINCT local FROM ({inside}) l) q WHERE {p}": True,
    "SELECT s.zone, l.local FROM s LEFT JOIN ({inside}) l ON l.shop = s.id WHERE {p}": True,
    "SELECT s.zone, l.local FROM ({inside}) l FULL JOIN s ON l.shop = s.id WHERE {p}": True,
    "SELECT id FROM s WHERE EXISTS (SELECT 1 FROM ({inside}) l WHERE shop = id AND {p})": True,
    "SELECT id FROM s WHERE id NOT IN (SELECT shop FROM ({inside}) l WHERE {p})": True,
    "SELECT shop, x.local FROM e, LATERAL (SELECT ts + INTERVAL '0 days' AS one, "
    f"{IN_NEW_YORK.replace('ts', 'e.ts')} AS local) x WHERE {{p}}": True,
    f"SELECT shop, x.local FROM e, LATERAL (SELECT {IN_NEW_YORK} AS local) x WHERE {{p}}": False,
    f"SELECT day, shop FROM {DAYS} LEFT JOIN e ON shop >= 0 AND {SAME} WHERE day <= '{{day}}' "
    "AND extract(year FROM day) = 2024": True,
    f"SELECT day, shop FROM {DAYS} LEFT JOIN ({{inside}}) l ON {{same}} WHERE {{d}}": True,
    f"SELECT day, n FROM {DAYS} JOIN (SELECT local::date AS d, count(*) AS n FROM ({{inside}}) l "
    "GROUP BY 1) q ON q.d = c.day WHERE day BETWEEN '{day}' AND '2024-11-05'": True,
    f"SELECT day, shop, s.id FROM s CROSS JOIN {DAYS} LEFT JOIN e ON shop >= 0 AND {SAME} "
    "RIGHT JOIN s s2 ON s2.id = shop WHERE {d}": True,
    f"SELECT day, shop FROM {DAYS} LEFT JOIN e ON {SAME} AND {{d}} WHERE day > '2024-10-30'": True,
    f"SELECT day, shop FROM e, {DAYS} WHERE {{d}} AND {SAME} AND shop >= 0": True,
    f"SELECT day, shop FROM ({{inside}}) l JOIN {DAYS} ON {{same}} WHERE {{d}}": True,
    f"SELECT day, shop FROM s CROSS JOIN {DAYS} LEFT JOIN e ON shop = id AND day = {OF_ROW}::date "
    "WHERE {d}": True,
    f"SELECT day, shop FROM {DAYS} LEFT JOIN ({{inside}}) l ON day = local WHERE {{d}}": False,
    f"SELECT day, shop FROM {DAYS} LEFT JOIN e ON {SAME} OR shop = 0 WHERE {{d}}": False,
    f"SELECT day, shop FROM {DAYS} RIGHT JOIN ({{inside}}) l ON {{same}} WHERE {{d}}": False,
    f"SELECT day, shop FROM ({{inside}}) l LEFT JOIN {DAYS} ON {{same}} WHERE {{d}}": False,
    f"SELECT day, shop, id FROM ({{inside}}) l CROSS JOIN {DAYS} LEFT JOIN s ON {{same}} AND "
    "id = shop WHERE {d}": False,
    "SELECT shop, local::text FROM ({inside}) l WHERE {p} OR shop = 1": False,
    "SELECT shop, l.local::text FROM ({inside}) l LEFT JOIN s ON id = shop AND {p}": False,
    "SELECT n FROM (SELECT local, sum(count(*)) OVER (ORDER BY local) AS n FROM ({inside}) l "
    "GROUP BY local) q WHERE {p}": False,
    "SELECT shop, local FROM ({inside} ORDER BY ts, shop LIMIT 5000) l WHERE {p}": False,
    "SELECT shop, local FROM (SELECT DISTINCT ON (local) shop, local FROM ({inside}) l ORDER BY "
    "local, shop) q WHERE {p}": False,
    "WITH l AS ({inside}) SELECT shop, local, (SELECT count(*) FROM l) FROM l WHERE {p}": False,
    "WITH RECURSIVE l AS ({inside}) SELECT shop, local FROM l WHERE {p}": False,
    "SELECT shop, local FROM ({inside} UNION ALL SELECT id, NULL, NULL FROM s) l WHERE {p}": False,
    "SELECT shop, d FROM (SELECT shop, local::date AS d FROM ({inside}) l UNION ALL (SELECT id, "
    "DATE '{day}' FROM s ORDER BY id LIMIT 2)) u WHERE d = '{day}'": True,
    "WITH l AS ({inside}), u AS (SELECT 1 AS local, local AS l2 FROM l EXCEPT SELECT id, local "
    "FROM (SELECT id, TIMESTAMP '{day}' AS local FROM s INTERSECT SELECT 1, TIMESTAMP '{day}') x "
    "ORDER BY 2) SELECT l2 FROM u WHERE l2::date = '{day}'": True,
    "SELECT local FROM (SELECT id, TIMESTAMP '{day}' AS local FROM s EXCEPT ALL SELECT shop, ts "
    "FROM (SELECT 1 AS shop, local AS ts FROM ({inside}) l UNION SELECT shop, local FROM "
    "({inside}) l WHERE shop > 0) l) u WHERE {p}": True,
    "SELECT local FROM (SELECT shop, local FROM ({inside}) l UNION ALL SELECT id, "
    "TIMESTAMP '{day}' FROM s ORDER BY 2, 1 LIMIT 9999) u WHERE {p}": False,
    "SELECT shop, local FROM (({inside}) ORDER BY ts, shop LIMIT 5000) l WHERE {p}": False,
    "WITH l AS ((({inside})) ORDER BY ts OFFSET 2) SELECT shop, local FROM l WHERE {p}": False,
    "SELECT local FROM (((SELECT local FROM ({inside}) k UNION SELECT TIMESTAMP '{day}') ORDER BY "
    "1 LIMIT 5000) UNION ALL SELECT TIMESTAMP '{day}') l WHERE {p}": False,
    "SELECT shop, local FROM ((({inside}) l JOIN s ON id = shop) CROSS JOIN s t) WHERE {p}": True,
    "SELECT local FROM (SELECT local, ts FROM ({inside}) l UNION ALL SELECT ts, local FROM "
    "(SELECT ts, ts AS local FROM e) l) u WHERE ts::date = '{day}'": False,
    "SELECT count(*) FROM ({inside} UNION ALL {inside} WHERE shop = 0) u JOIN (SELECT id, "
    "TIMESTAMP '{day}' AS local FROM s UNION SELECT 1, TIMESTAMP '{day}') w "
    "ON u.local < w.local WHERE w.local::date = '{day}'": False,
    "SELECT shop, local FROM (SELECT shop, max(local) AS local FROM ({inside}) l GROUP BY 1, "
    "local::date) q "
    "WHERE {p}": False,
    "SELECT shop, local FROM (SELECT shop AS a, local AS b FROM ({inside}) l) q (shop, local) "
    "WHERE {p}": False,
    "SELECT count(*) FROM (SELECT *, random() AS r FROM ({inside}) l) q WHERE {p}": False,
    "SELECT local, n FROM (SELECT local, count(*) + nextval('numbers') - nextval('numbers') AS n "
    "FROM ({inside}) l GROUP BY 1) q WHERE {p}": False,
}
ON_DUCKDB_AROUND = {
    f"SELECT shop, {IN_NEW_YORK} AS local, LOCAL::date AS day FROM e WHERE day = '{{day}}'": True,
    f"SELECT shop, {IN_NEW_YORK} AS local FROM e JOIN s ON id = shop WHERE {{p}} QUALIFY "
    "row_number() OVER (ORDER BY ts, shop) < 9": True,
    f"SELECT shop, {IN_NEW_YORK} AS ts FROM e WHERE ts::date = '{{day}}'": False,
    f"SELECT shop, {IN_NEW_YORK} AS local FROM e, (SELECT TIMESTAMP '{{day}}' AS local) x WHERE "
    "{p}": False,
    f"SELECT local FROM (SELECT TIMESTAMP '{{day}}' AS local) x WHERE EXISTS (SELECT {IN_NEW_YORK} "
    "AS local FROM e WHERE {p})": True,
    "SELECT shop, local FROM ({inside}) l USING SAMPLE 100% ORDER BY local": False,
    "SELECT id, q.local FROM (SELECT id, TIMESTAMP '2024-11-03 12:00' AS t FROM s) b ASOF JOIN "
    "({inside}) q ON id = shop AND t >= q.local WHERE {p}": False,
    "SELECT shop, local FROM (SELECT * REPLACE (local + INTERVAL '1 hour' AS local) FROM "
    "({inside}) l) q WHERE {p}": False,
    "FROM ({inside}) SELECT shop, local WHERE {p}": True,
    f"SELECT shop, local FROM (FROM e SELECT *, {IN_NEW_YORK} AS local) l WHERE {{p}}": False,
    "WITH l AS ({inside}) SELECT local, (SELECT count(*) FROM query_table('l')) FROM l WHERE {p}": (
        False
    ),
    "WITH l AS ({inside}) SELECT local, (SELECT count(*) FROM query('FROM l')) FROM l WHERE {p}": (
        False
    ),
    "SELECT id, l.local FROM (s POSITIONAL JOIN ({inside}) l) WHERE {p}": False,
    "SELECT shop, local FROM (SELECT local, * EXCLUDE (local) REPLACE (row_number() OVER (ORDER BY "
    "ts, shop) AS shop) FROM ({inside}) l) q WHERE {p}": False,
}


CASES = {
    f"{kind}-{number}": (kind, text, is_bounded)
    for number, (text, is_bounded) in enumerate((AROUND | ON_DUCKDB_AROUND).items())
    for kind in (["memory"] if text in ON_DUCKDB_AROUND else ["memory", "connection"])
}


@pytest.mark.by_turns(3)
@pytest.mark.parametrize(("kind", "text", "is_bounded"), CASES.values(), ids=CASES)
def test_conditions_of_the_query_around(
    kind: str, text: str, is_bounded: bool, request: pytest.FixtureRequest
) -> None:
    engine: Engine = request.getfixturevalue(kind)
    day = prepare(engine, 1_730_610_000)
    engine.execute("DELETE FROM s")
    engine.execute("INSERT INTO s VALUES (0, 'Asia/Kolkata'), (1, 'UTC'), (7, 'Etc/GMT+9')")
    engine.execute("CREATE SEQUENCE IF NOT EXISTS numbers")
    conditions = {"p": f"local::date = '{day}'", "d": f"day = '{day}'", "same": "day = local::date"}
    sql = text.format(inside=INSIDE, day=day, **conditions)
    dialect = "duckdb" if isinstance(engine, duckdb.DuckDBPyConnection) else "postgres"
    result = rewrite(sql, dialect=dialect, schema=TYPES, strategy="range")
    assert bool(result.changes) == is_bounded, result.sql
    assert "engine-refuses" not in [one.code for one in result.left]
    original = sorted(map(repr, engine.execute(sql).fetchall()))
    assert sorted(map(repr, engine.execute(result.sql).fetchall())) == original != []


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@pytest.mark.parametrize("value", ["now() - INTERVAL '3 days'", "$1::timestamp"])
def test_a_condition_with_a_time_of_the_run_is_added_once(value: str, dialect: str) -> None:
    sql = f"SELECT shop FROM ({INSIDE}) l WHERE local >= {value}"
    rows = None if dialect == "spark" else lambda _: 10  # it joins only where the time is bounded
    if dialect == "spark":
        sql = sql.replace(IN_NEW_YORK, "from_utc_timestamp(ts, 'America/New_York')")
        sql = sql.replace("$1", ":since")
    result = rewrite(sql, dialect=dialect, schema=TYPES, rows=rows)
    assert "WHERE ts >= " in result.sql
    assert rewrite(result.sql, dialect=dialect, schema=TYPES, rows=rows).sql == result.sql


@pytest.mark.parametrize("unit", ["hour", "day", "month"])
@pytest.mark.parametrize("operator", ["=", ">=", "<"])
def test_a_truncated_date_where_a_day_has_no_midnight(
    unit: str, operator: str, connection: psycopg.Connection[Any]
) -> None:
    """PostgreSQL truncates a date by the clock of the session."""
    prepare(connection, 1_616_893_200)
    sql = (
        "SELECT count(*), min(ts)::text FROM e WHERE date_trunc("
        f"'{unit}', {IN_NEW_YORK}::date) {operator} '2021-03-28 01:00'"
    )
    session = "Asia/Beirut"
    result = rewrite(sql, dialect="postgres", schema=TYPES, strategy="range")
    assert bool(result.changes) == (operator != "=")
    assert connection.execute(result.sql).fetchall() == connection.execute(sql).fetchall()
    result = rewrite(
        sql, dialect="postgres", schema=TYPES, strategy="range", session_time_zone=session
    )
    connection.execute(f"SET TimeZone = '{session}'")
    try:
        assert connection.execute(result.sql).fetchall() == connection.execute(sql).fetchall()
    finally:
        connection.execute("SET TimeZone = 'UTC'")


MANY = {
    "branches": lambda n: (
        f"SELECT count(*) FROM ({' UNION ALL '.join([INSIDE] * n)}) u WHERE local > '2024-11-03'"
    ),
    "levels": lambda n: (
        "WITH "
        + ", ".join(
            f"l{at + 1} AS (SELECT CASE WHEN local > '2024-11-03' THEN local ELSE local END AS "
            f"local FROM {f'l{at}' if at else f'({INSIDE}) l'})"
            for at in range(n)
        )
        + f" SELECT local FROM l{n} WHERE local > '2024-11-03'"
    ),
    "derived tables": lambda n: (
        f"SELECT count(*) FROM ({INSIDE}) l0 "
        + " ".join(f"JOIN ({INSIDE}) l{at} ON l{at}.shop = l0.shop" for at in range(1, n))
        + " WHERE "
        + " AND ".join(f"l{at}.local > '2024-11-03'" for at in range(n))
    ),
}


@pytest.mark.parametrize("kind", MANY)
def test_a_condition_around_many(kind: str) -> None:
    """Each branch looks for its own place in the union, each level for what it bounds."""
    found = dict[int, int]()
    for number in (10, 10, 20):  # the first fills caches
        called = cProfile.Profile()
        result = called.runcall(
            rewrite, MANY[kind](number), dialect="duckdb", schema=TYPES, strategy="range"
        )
        assert result.sql.count("WHERE ts >= ") == (0 if kind == "levels" else number)
        found[number] = sum(one.callcount for one in called.getstats())
    assert found[20] < (5 if kind == "derived tables" else 2.5) * found[10]


def test_a_local_day_beside_many_ors() -> None:
    """Python stops at a thousand calls inside each other."""
    many = " OR ".join(f"shop = {one}" for one in range(600))
    sql = f"SELECT 1 FROM e WHERE ({many}) AND (tz AT TIME ZONE 'Asia/Tokyo')::date = '2026-01-02'"
    assert rewrite(sql, dialect="duckdb", schema=TYPES).changes

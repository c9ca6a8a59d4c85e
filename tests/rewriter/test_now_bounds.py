"""What conditions leave of a column: UTC times, or bounds that only the query can compute."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator
from typing import Any, TypeAlias

import duckdb
import psycopg
import pytest
from sqlglot import exp

from tests import events_postgres, postgres
from tests.events import FIXED_OFFSETS
from tzconv import tables
from tzconv.engines import engine_of
from tzconv.errors import RewriteError
from tzconv.rewriter.block import Job, QueryBlock, Ranges
from tzconv.rewriter.local import Interval
from tzconv.rewriter.sites import find
from tzconv.rewriter.windows import note, now_bounds, window_of
from tzconv.sql.constants import to_text
from tzconv.sql.names import names_of
from tzconv.sql.parse import parse
from tzconv.sql.schema import Schema
from tzconv.sql.selects import selects_of
from tzconv.tz import zones

Connection: TypeAlias = duckdb.DuckDBPyConnection | psycopg.Connection[Any]
TYPES = {
    "e": {"ts": "timestamp", "tz": "timestamptz", "shop": "integer", "zone": "varchar", "": ""}
}
AT = "(TIMESTAMPTZ '2026-11-01 06:30:00+00' - INTERVAL '{}')"
"""Clocks of New York show 1:30 for the second time then."""


def block_of(
    where: str,
    column: str,
    dialect: str = "duckdb",
    session: str = "UTC",
    relations: str = "e",
    ranges: Ranges | None = None,
) -> tuple[QueryBlock, exp.Column]:
    source = parse(f"SELECT {column} FROM {relations} WHERE {where}", dialect)
    tree = source.statements[0]
    note(tree, ranges or {})
    (scope,) = (scope for scope in selects_of(tree) if scope.expression is tree)
    schema = Schema(TYPES, dialect, session_is_utc=session == "UTC")
    known = frozenset(tables.CONVERSIONS)
    job = Job(engine_of(dialect), schema, zones.installed(), {}, session, None, known)
    names = names_of(scope, schema)
    sites = find(names, source.range, job.engine.zone_must_be_text)
    block = QueryBlock(source, names, sites, job)
    (projection,) = block.select.selects
    assert isinstance(projection, exp.Column)
    return block, projection


def bounds(
    where: str, column: str, dialect: str = "duckdb", session: str = "UTC"
) -> tuple[str | None, str | None]:
    return now_bounds(*block_of(where, column, dialect, session))


_2ND, _TOKYO = "TIMESTAMP '2026-01-02'", "AT TIME ZONE 'Asia/Tokyo'"
WINDOWS = {
    "ts >= '2026-01-02'": ("2026-01-02 00:00:00", None),
    "(ts) > '2026-01-02'": ("2026-01-02 00:00:00.000001", None),
    "e.ts < DATE '2026-01-02'": (None, "2026-01-02 00:00:00"),
    f"{_2ND} >= ts": (None, "2026-01-02 00:00:00.000001"),
    "ts = '2026-01-02'": ("2026-01-02 00:00:00", "2026-01-02 00:00:00.000001"),
    "ts BETWEEN '2026-01-02' AND '2026-01-05' AND ts > '2026-01-03'": (
        *("2026-01-03 00:00:00.000001", "2026-01-05 00:00:00.000001"),
    ),
    "(ts = '2026-01-02' OR ts > '2026-01-05' AND ts < '2026-01-07')": (
        *("2026-01-02 00:00:00", "2026-01-07 00:00:00"),
    ),
    "(ts = '2026-01-02' OR ts > '2026-01-05' OR ts < '2026-01-01' AND shop = 1)": (None, None),
    "(ts >= '2026-01-02' OR shop = 1)": (None, None),
    "(ts + INTERVAL '1 day' >= '2026-01-02' OR NOT ts < '2026-01-02')": (None, None),
    "(f.ts >= '2026-01-02' OR x.ts >= '2026-01-02')": (None, None),
    f"(tz {_TOKYO})::date = '2026-01-02'": ("2026-01-01 15:00:00", "2026-01-02 15:00:00"),
    f"extract(year FROM tz {_TOKYO}) = 2026": ("2025-12-31 15:00:00", "2026-12-31 15:00:00"),
    f"((tz {_TOKYO})::date = '2026-01-02' OR shop = 1)": (None, None),
    f"(f.tz {_TOKYO})::date = '2026-01-02'": (None, None),
    "(tz AT TIME ZONE zone)::date = '2026-01-02'": ("2026-01-01 00:00:00", "2026-01-04 00:00:00"),
    f"tz >= {_2ND} AT TIME ZONE zone AND tz < TIMESTAMP '2026-01-03' AT TIME ZONE zone": (
        *("2026-01-01 00:00:00", "2026-01-04 00:00:00"),
    ),
    "tz >= now()::timestamp AT TIME ZONE zone": (None, None),
    f"tz >= now()::timestamp {_TOKYO}": (None, None),
    f"ts < {_2ND} AT TIME ZONE zone AT TIME ZONE 'UTC'": (None, "2026-01-03 00:00:00"),
    f"f.tz >= {_2ND} AT TIME ZONE e.zone": (None, None),
    f"tz >= {_2ND} AT TIME ZONE 'UTC'": ("2026-01-02 00:00:00", None),
    f"tz <= {_2ND} {_TOKYO}": (None, "2026-01-03 00:00:00.000001"),
    f"ts > {_2ND} {_TOKYO} AT TIME ZONE 'UTC'": ("2026-01-01 00:00:00.000001", None),
    f"ts > {_2ND} {_TOKYO} AT TIME ZONE 'Asia/Kolkata'": ("2025-12-31 00:00:00.000001", None),
    f"ts > {_2ND} {_TOKYO}": (None, None),
    f"f.tz > {_2ND} {_TOKYO}": (None, None),
    "tz >= '2026-01-02 00:00:00+00'": ("2026-01-02 00:00:00", None),
    "tz >= '2026-01-02'": (None, None),
}
"""Of ts, or of tz where the condition names it."""
_L, _YEAR = f"(tz {_TOKYO})", f"extract(year FROM tz {_TOKYO})"
_OPEN = (None, None)
_2025, _2026, _2027 = (f"{year}-12-31 15:00:00" for year in (2024, 2025, 2026))
_FEBRUARY = ("2026-01-31 15:00:00", "2026-02-28 15:00:00")
_DAYS = ("2026-01-01 15:00:00", "2026-01-04 15:00:00")
CALENDAR = {
    f"{_YEAR} = 2026": (_2026, _2027),
    f"{_YEAR} >= 2026": (_2026, None),
    f"2025 < {_YEAR}": (_2026, None),
    f"{_YEAR} < 2026": (None, _2026),
    f"{_YEAR} <= 2025": (None, _2026),
    f"{_YEAR} BETWEEN 2025 AND 2026": (_2025, _2027),
    f"2026 BETWEEN {_YEAR} AND 2026": _OPEN,
    f"{_YEAR} <> 2025": _OPEN,
    f"{_YEAR} = 2026.0": _OPEN,
    f"extract(epoch FROM {_L}) >= 2026": _OPEN,
    f"year(tz) = 2026 AND {_YEAR} >= 2026": (_2026, None),
    f"1 = 1 AND {_YEAR} = 2026": (_2026, _2027),
    f"date_part('year'::text, {_L}) = 2026": (_2026, _2027),
    f"{_YEAR} = '2026'": _OPEN,
    f"{_YEAR} >= 1000": ("0999-12-31 14:41:01", None),
    f"{_YEAR} >= 999": _OPEN,
    f"{_YEAR} < 9000": (None, "8999-12-31 15:00:00"),
    f"{_YEAR} < 9001": _OPEN,
    f"year{_L} = 2026 AND month{_L} = 2": _FEBRUARY,
    f"2 = date_part('month', {_L}) AND datepart('year', {_L}) = 2026": _FEBRUARY,
    f"{_YEAR}::int = 2026 AND (month{_L})::bigint = 2": _FEBRUARY,
    f"{_YEAR}::text::int = 2026": _OPEN,
    f"{_YEAR} + 0 = 2026": _OPEN,
    f"{_YEAR} = 2026 AND month{_L} = 1": (_2026, "2026-01-31 15:00:00"),
    f"{_YEAR} = 2026 AND month{_L} = 12": ("2026-11-30 15:00:00", _2027),
    f"{_YEAR} = 2026 AND month{_L} = 13": (_2026, _2027),
    f"{_YEAR} = 2026 AND month{_L} = 0": (_2026, _2027),
    f"{_YEAR} = 2026 AND month{_L} >= 2": (_2026, _2027),
    f"{_YEAR} = 2026 AND extract(day FROM {_L}) = 2": (_2026, _2027),
    f"{_YEAR} = 2026 AND month(tz) = 2": (_2026, _2027),
    f"{_YEAR} = 2026 AND month{_L} = shop": (_2026, _2027),
    f"{_YEAR} = 2026 AND (month{_L})::boolean = 1": (_2026, _2027),
    f"{_YEAR} = 2026 AND month(tz AT TIME ZONE 'Asia/Kolkata') = 2": (_2026, _2027),
    f"{_YEAR} >= 2026 AND month{_L} = 2": (_2026, None),
    f"{_YEAR} < 2026 AND month{_L} = 2": (None, _2026),
    f"{_YEAR} BETWEEN 2025 AND 2026 AND month{_L} = 2": (_2025, _2027),
    f"month{_L} = 2": _OPEN,
    f"{_L}::date IN ('2026-01-04', DATE '2026-01-02')": _DAYS,
    f"{_L}::date IN ('2026-01-02 10:00:00', '2026-01-04')": _OPEN,
    f"{_L} IN ('2026-01-02 10:00:00', '2026-01-04')": (
        *("2026-01-02 01:00:00", "2026-01-03 15:00:00.000001"),
    ),
    f"date_trunc('month', {_L}) IN ('2026-02-01', '2026-03-15')": _FEBRUARY,
    f"date_trunc('month', {_L}) IN ('2026-03-15')": _OPEN,
    f"{_L}::date IN ('2026-01-02', NULL)": _OPEN,
    f"{_L}::date IN (SELECT DATE '2026-01-02')": _OPEN,
    f"tz::date IN ('2026-01-02') AND {_YEAR} >= 2026": (_2026, None),
    f"strftime({_L}, '%Y') = '2026'": (_2026, _2027),
    f"strftime({_L}, '%Y-%m') = '2026-02'": _FEBRUARY,
    f"strftime({_L}, '%Y%m') = '202602'": _FEBRUARY,
    f"strftime({_L}, '%Y-%m-%d') IN ('2026-01-04', ('2026-01-02'))": _DAYS,
    f"strftime({_L}, '%Y%m%d') IN ('20260104', 'never', '20260102', '20260230')": _DAYS,
    f"strftime({_L}, '%Y%m%d') = '20260230'": _OPEN,
    f"strftime({_L}, '%d%m%Y') = '02012026'": _OPEN,
    f"strftime({_L}, '%Y') = (SELECT '2026')": _OPEN,
    f"strftime({_L}, '%Y') IN ('2026', NULL)": _OPEN,
    f"strftime({_L}, '%Y') IN (SELECT '2026')": _OPEN,
    f"strftime({_L}, '%Y') IN ('2026', '0999')": _OPEN,
    f"strftime({_L}, '%Y') IN ('2026', '9001')": _OPEN,
    f"strftime({_L}, '%Y') IN ('9000', '1000')": ("0999-12-31 14:41:01", "9000-12-31 15:00:00"),
    f"strftime({_L}, '%Y') = 2026::text": _OPEN,
    f"strftime({_L}, '%Y') <> '2026'": _OPEN,
    f"strftime(tz, '%Y') = '2026' AND {_YEAR} >= 2026": (_2026, None),
}
"""Of tz. Before 1888 the clock of Tokyo was 9:18:59 from UTC."""


def shown(window: Interval) -> tuple[str | None, ...]:
    return tuple(None if edge is None else to_text(edge) for edge in window)


def test_windows() -> None:
    """They are these, and no row of the result lies outside."""
    engine = duckdb.connect()
    engine.execute("SET TimeZone = 'UTC'; CREATE TABLE x AS SELECT TIMESTAMP '2026-01-01' AS ts")
    engine.execute(
        "CREATE TABLE e AS SELECT t AS ts, t AT TIME ZONE 'UTC' AS tz, 1 AS shop, zone "
        "FROM range(TIMESTAMP '2025-12-29', TIMESTAMP '2026-01-09', INTERVAL 1 hour) r (t), "
        f"(VALUES ('Asia/Tokyo'), ('{FIXED_OFFSETS[1]}'), ('Etc/GMT+12')) z (zone)"
    )
    for where, expected in {**WINDOWS, **CALENDAR}.items():
        column = "e.tz" if "tz" in where else "e.ts"
        relations = "e, e AS f, x" if "f." in where else "e"
        found = window_of(*block_of(where, column, relations=relations))
        assert shown(found) == expected, where
        first, last = expected
        inside = f"{column} >= '{first or '-infinity'}' AND {column} < '{last or 'infinity'}'"
        outside = f"SELECT count(*) FROM {relations} WHERE {where} AND NOT ({inside})"
        assert engine.execute(outside).fetchall() == [(0,)], where


@pytest.mark.parametrize(
    ("where", "column", "dialect"),
    [
        ("x.ts >= '2026-01-02'", "x.ts", "duckdb"),  # of an outer query, or of none
        ("""e."TS" >= '2026-01-02'""", "e.ts", "postgres"),
        ("extract(year FROM date_trunc('day', tz, 'Asia/Tokyo')) = 2026", "tz", "postgres"),
        ("extract(year FROM from_utc_timestamp(tz, 'Asia/Tokyo')) = 2026", "tz", "spark"),
        (f"(tz {_TOKYO} >= now() {_TOKYO} OR shop = 1)", "tz", "duckdb"),
        (f"f.tz {_TOKYO} >= now() {_TOKYO}", "e.tz", "duckdb"),
        (f"(tz + INTERVAL '1 day') {_TOKYO} >= now() {_TOKYO}", "tz", "duckdb"),
        (f"strptime((tz {_TOKYO}), '%Y') = '2026'", "tz", "duckdb"),
        (f"('year' || (tz {_TOKYO})) = 2026", "tz", "postgres"),
        (f"century('year', (tz {_TOKYO})) = 2026", "tz", "postgres"),
        (f"to_char(e.ts AT TIME ZONE 'UTC' {_TOKYO}, 'YYYY') = '2026'", "e.ts", "postgres"),
    ],
)
def test_no_window(where: str, column: str, dialect: str) -> None:
    relations = "e, e AS f" if "f." in where else "e"
    session = "Asia/Tokyo" if dialect == "spark" else "UTC"  # in UTC its times are plain
    block = block_of(where, column, dialect, session, relations)
    assert shown(window_of(*block)) == now_bounds(*block) == (None, None)
    is_interval = f"tz >= {_2ND} AT TIME ZONE INTERVAL '9 hours'"  # of any length
    assert shown(window_of(*block_of(is_interval, "tz", "postgres"))) == (None, None)


@pytest.mark.parametrize("zone", [None, dt.UTC])
def test_windows_of_parameters(zone: dt.tzinfo | None) -> None:
    """Those of the other kind, of another type or without a range bound nothing."""
    first, last = dt.datetime(2026, 1, 2, 12, tzinfo=zone), dt.datetime(2026, 1, 5, tzinfo=zone)
    column, other, own = ("ts", "tz", "timestamp") if zone is None else ("tz", "ts", "timestamptz")
    start, end = "2026-01-02 12:00:00", "2026-01-05 00:00:00"
    more = [text.removesuffix("00") + "00.000001" for text in (start, end)]
    day = ("2026-01-02 00:00:00", None) if zone is None else (None, None)
    cases = {
        "{} >= $p": (start, None),
        "{} > $p": (more[0], None),
        "$p > {}": (None, end),
        "{} <= $p": (None, more[1]),
        f"{{}} = $p::{own}": (start, more[1]),
        "{} >= $p::date": day,
        "{} >= $q": (None, None),
        f"{{}} >= $p::{'timestamptz' if zone is None else 'timestamp'}": (None, None),
        "{} >= $p::text": (None, None),
    }
    for where, expected in cases.items():
        for name in (column, other):
            block = block_of(where.format(name), name, ranges={"p": (first, last)})
            assert shown(window_of(*block)) == (expected if name == column else (None, None))


def test_what_is_no_range() -> None:
    first, last = dt.datetime(2026, 1, 2), dt.datetime(2026, 1, 5)
    for one in ((last, first), (first, last.replace(tzinfo=dt.UTC))):
        with pytest.raises(RewriteError, match="parameter p cannot lie between"):
            block_of("ts > $p", "ts", ranges={"p": one})
    assert shown(window_of(*block_of("ts >= $p", "ts", ranges={"p": (first, first)})))[0]


@pytest.mark.parametrize("unit", ["minute", "hour", "day", "week", "month", "quarter", "year"])
def test_a_unit_is_as_long_as_its_longest(unit: str) -> None:
    """In hours, rounded up, of all units of four centuries."""
    lengths = {"minute": 1, "hour": 1, "day": 24, "week": 7 * 24}
    months = {"month": 1, "quarter": 3, "year": 12}
    if unit in months:
        firsts = [dt.date(year, month, 1) for year in range(2000, 2401) for month in range(1, 13)]
        firsts = firsts[:: months[unit]]
        lengths[unit] = 24 * max((b - a).days for a, b in itertools.pairwise(firsts))
    _, upper = bounds(f"date_trunc('{unit}', ts) <= now()", "ts")
    assert upper == f"CAST(now() AS TIMESTAMP) + INTERVAL '{lengths[unit]} hours'"


@pytest.mark.parametrize(
    ("where", "column", "expected"),
    [
        ("tz >= now() - INTERVAL '30 days'", "tz", ("now() - INTERVAL '30 days'", None)),
        (
            "ts BETWEEN  now()-interval 7 day AND now()",
            "ts",
            ("CAST(now()-interval 7 day AS TIMESTAMP)", "CAST(now() AS TIMESTAMP)"),
        ),
        (
            "ts > LOCALTIMESTAMP - INTERVAL '1 day' AND CURRENT_DATE - 30 <= ts AND 3 > ts",
            "ts",
            ("CAST(LOCALTIMESTAMP - INTERVAL '1 day' AS TIMESTAMP)", None),
        ),
        ("ts >= CURRENT_DATE - 30", "tz", (None, None)),
        (
            "date_trunc('month', ts) = CURRENT_DATE",
            "ts",
            (
                "CAST(CURRENT_DATE AS TIMESTAMP)",
                "CAST(CURRENT_DATE AS TIMESTAMP) + INTERVAL '744 hours'",
            ),
        ),
        (
            "tz AT TIME ZONE 'Asia/Tokyo' >= date_trunc('month', now() AT TIME ZONE 'Asia/Tokyo')",
            "tz",
            (
                "CAST(date_trunc('month', now() AT TIME ZONE 'Asia/Tokyo') AS TIMESTAMP) "
                "AT TIME ZONE 'UTC' - INTERVAL '24 hours'",
                None,
            ),
        ),
        (
            "ts AT TIME ZONE zone BETWEEN '2026-01-02 00:00+00'::timestamptz AND now()",
            "ts",
            (
                "TIMESTAMP '2026-01-01 00:00:00'",
                "make_timestamp(epoch_us(now())) + INTERVAL '24 hours'",
            ),
        ),
        (
            "tz >= CURRENT_DATE - 30",
            "tz",
            ("CAST(CURRENT_DATE - 30 AS TIMESTAMP) AT TIME ZONE 'UTC'", None),
        ),
        (
            "ts AT TIME ZONE zone <= '2026-01-02 00:00+00'::timestamptz",
            "ts",
            (None, "TIMESTAMP '2026-01-03 00:00:00'"),
        ),
        ("ts >= TIMESTAMP '2026-01-01'", "ts", (None, None)),
        ("ts >= now() OR ts IS NULL", "ts", (None, None)),
        ("NOT ts >= now()", "ts", (None, None)),
        ("ts >= now() - to_days((random() * 9)::integer)", "ts", (None, None)),
        ("ts >= now() - INTERVAL '1 day' * ?", "ts", (None, None)),
        ("ts + INTERVAL '1 day' >= now()", "ts", (None, None)),
    ],
)
def test_text(where: str, column: str, expected: tuple[str | None, str | None]) -> None:
    assert bounds(where, column) == expected


@pytest.mark.parametrize(
    ("where", "is_widened"),
    [
        ("tz >= now()", False),
        ("ts >= LOCALTIMESTAMP", False),
        ("ts::date >= CURRENT_DATE", False),
        ("ts >= now()", True),
        ("tz >= LOCALTIMESTAMP", True),
        ("tz::date >= CURRENT_DATE", True),
        ("date_trunc('day', tz) >= now()", True),
    ],
)
def test_what_the_clock_of_the_session_changes(where: str, is_widened: bool) -> None:
    """It is less than a day from UTC, where a value is read on it and where one is shown."""
    column = "tz" if "tz" in where else "ts"
    for session in ("UTC", "Asia/Kolkata"):
        lower, _ = bounds(where, column, session=session)
        is_wide = lower is not None and lower.endswith(" - INTERVAL '48 hours'")
        assert is_wide == (is_widened and session != "UTC"), lower


CONDITIONS = [
    f"ts >= {AT}",
    f"tz >= {AT}",
    f"tz > {AT}::timestamp",
    f"ts < {AT}::date + 1",
    f"tz <= {AT}::date + 1",
    f"ts BETWEEN {AT} AND {AT} + INTERVAL '4 hours'",
    f"tz BETWEEN {AT}::date - 1 AND {AT}::timestamp",
    f"ts::date = {AT}::date",
    f"tz::date = {AT}::date",
    f"tz::date < {AT}",
    f"date_trunc('day', tz) >= date_trunc('day', {AT})",
    f"date_trunc('week', tz) = date_trunc('week', {AT}::date)",
    f"date_trunc('month', ts) <= date_trunc('month', {AT})",
    f"tz AT TIME ZONE 'America/New_York' >= ({AT} AT TIME ZONE 'America/New_York')",
]


@pytest.fixture(scope="module")
def connections(
    server: postgres.Server,
) -> Iterator[dict[str, Connection]]:
    made: dict[str, Connection] = {
        "duckdb": duckdb.connect(),
        "postgres": events_postgres.connect(server.fresh("now_bounds")),
    }
    for connection in made.values():
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            "CREATE TABLE e AS SELECT t AS ts, t AT TIME ZONE 'UTC' AS tz FROM (SELECT "
            "TIMESTAMP '2026-11-01 06:30:00' + i * INTERVAL '15 minutes' "
            "FROM generate_series(-6000, 6000) g (i) UNION ALL SELECT TIMESTAMP 'infinity' "
            "UNION ALL SELECT TIMESTAMP '-infinity' UNION ALL SELECT NULL) x (t)"
        )
    yield made
    for connection in made.values():
        connection.close()


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("session", ["UTC", "America/New_York", "Pacific/Apia", "Asia/Kolkata"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_no_row_of_the_result_is_outside(
    dialect: str,
    session: str,
    condition: str,
    connections: dict[str, Connection],
) -> None:
    connection = connections[dialect]
    connection.execute(f"SET TimeZone = '{session}'")
    for moved in ("0 seconds", "45 minutes", "1 hour", "90 minutes", "-2 hours", "5 days"):
        where = condition.format(*[moved] * condition.count("{}"))
        column = (
            "tz"
            if condition.startswith(("tz", "date_trunc('day', tz", "date_trunc('week'"))
            else "ts"
        )
        found = zip((">=", "<="), bounds(where, column, dialect, session), strict=True)
        kept = " AND ".join(f"{column} {sign} ({text})" for sign, text in found if text)
        assert kept
        counts = f"SELECT count(*), count(*) FILTER (WHERE {kept}) FROM e WHERE {where}"
        rows, inside = connection.execute(counts).fetchall()[0]
        assert rows == inside > 0, (where, kept)
        (outside,) = connection.execute(f"SELECT count(*) FROM e WHERE NOT ({kept})").fetchall()
        assert outside[0] > 1_000, "they leave out most of what is far away"

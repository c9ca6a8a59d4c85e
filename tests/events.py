"""Tables of events in a DuckDB, with every time that a rewrite could get wrong.

The times are inputs only: what is right about them is what the engine says of the original query.
"""

from __future__ import annotations

import datetime as dt
import functools
import random
from collections import Counter
from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa

from tzconv import tables
from tzconv.tables import generate
from tzconv.tz import periods, zones

FIXED_OFFSETS = {"1.4": ("Etc/GMT-3", "Etc/GMT+12"), "1.5": ("UTC+3", "UTC+14")}.get(
    duckdb.__version__[:3], ("UTC+3", "GMT+23:59")
)
"""What each version reads beside names, and as far east as it can."""
ODD_ZONES: list[str | None] = [None, "america/new_york", *FIXED_OFFSETS, "", "Mars/Phobos"]
"""What zone columns hold in practice beside IANA names; the last two have no events."""

_HOURLY_ZONES = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns"]
_AWKWARD_YEARS = (2009, 2031)
_FAR_AWAY = [
    "1800-01-01 00:00:00",
    "1883-11-18 17:00:00",
    "1969-12-31 23:59:59.999999",
    "2037-12-31 23:59:59.999999",
    "2050-07-01 12:00:00",
    "infinity",
    "-infinity",
]


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory with the conversion tables, ``publishers`` and ``actions`` and more."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'; SET threads = 2")
    for name, rows in _loaded().items():
        connection.register("rows", rows)
        connection.execute(f"CREATE TABLE {name} AS FROM rows")
    connection.unregister("rows")
    return connection


@functools.cache
def _loaded() -> dict[str, pa.Table]:
    """The rows of each table, which are made once."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        _load(connection)
        names = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE NOT temporary"
        ).fetchall()
        return {name: connection.table(name).to_arrow_table() for (name,) in names}


def _load(connection: duckdb.DuckDBPyConnection) -> None:
    connection.register("offsets", generate.offset(None))
    connection.execute(f"CREATE TABLE {tables.OFFSET.name} AS FROM offsets")
    connection.register("zones", generate.zone(None))
    connection.execute(f"CREATE TABLE {tables.ZONE.name} AS FROM zones")
    connection.register("periods", generate.period(None))
    connection.execute(f"CREATE TABLE {tables.PERIOD.name} AS FROM periods ORDER BY zone_period")
    connection.execute(
        f"CREATE TABLE {tables.RELEASE.name} AS SELECT TIMESTAMP '2026-01-01' AS finished_at, "
        f"'2026f' AS tz_release, {', '.join(f'1 AS {name}_rows' for name in tables.CONVERSIONS)}, "
        f"sum(zone_period * zone_period)::bigint AS period_keys FROM {tables.PERIOD.name}"
    )
    for table, made in ((tables.HOURLY, generate.hourly), (tables.DAILY, generate.daily)):
        few = None if table is tables.DAILY else _HOURLY_ZONES
        connection.register("spans", made(few, dt.date(2016, 1, 1), dt.date(2018, 1, 1)))
        connection.execute(f"CREATE TABLE {table.name} AS FROM spans")
    _agree(connection)
    _publishers(connection)
    _actions(connection)
    connection.execute(
        """
        CREATE TABLE sites AS
            SELECT id % 10 AS n, time_zone_name, TIMESTAMP '2019-03-31 01:00:00' AS opened
            FROM publishers WHERE id BETWEEN 300 AND 309;
        CREATE TABLE logs AS
            SELECT now()::timestamp - to_seconds(i * 977) AS log_time, i % 4 AS level
            FROM range(4000) t(i)
            UNION ALL SELECT NULL, 1 UNION ALL SELECT now()::timestamp + INTERVAL 1 DAY, 2;
        CREATE TABLE sink (day date, n bigint);
        """
    )


def _agree(connection: duckdb.DuckDBPyConnection) -> None:
    """Take the zones out of the tables whose rules are not those of the engine.

    The engine's own rules may be older than the tzdata package (Cuba, from 2026 on). There is
    nothing to compare then: the tables do not have those zones, and the function answers.
    """
    connection.execute(
        f"""
        CREATE TEMP TABLE differing AS SELECT DISTINCT time_zone_name FROM (
            SELECT time_zone_name, utc_offset_seconds, unnest([
                starts_at_utc, ends_before_utc - INTERVAL 1 MICROSECOND,
                greatest(starts_at_utc, ends_before_utc - INTERVAL 100 DAY)
            ]) AS t FROM {tables.OFFSET.name}
            UNION ALL
            SELECT z.time_zone_name, microseconds_before // 1000000,
                make_timestamp((zone_period // {periods.MOST_RULES}) << {periods.PERIOD_BITS})
            FROM {tables.PERIOD.name} JOIN {tables.ZONE.name} AS z
                ON zone_period % {periods.MOST_RULES} = rules_id
            WHERE microseconds_before IS NOT NULL
        )
        WHERE t AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name
            <> t + to_seconds(utc_offset_seconds);
        DELETE FROM {tables.OFFSET.name} WHERE time_zone_name IN (FROM differing);
        DELETE FROM {tables.ZONE.name} WHERE time_zone_name IN (FROM differing);
        DELETE FROM {tables.DAILY.name} WHERE time_zone_name IN (FROM differing);
        """
    )


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[object], Counter[str]]:
    """Names and types of the columns of a query, and how often each of its rows came."""
    relation = connection.sql(sql)  # known before it is run
    # as text, because Python has no infinite timestamps
    rows = connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({sql}\n)").fetchall()
    described = zip(relation.columns, relation.types, strict=True)
    return [(name, str(kind)) for name, kind in described], Counter(map(str, rows))


def column_types(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Column types by table, as a user would declare them."""
    types: dict[str, dict[str, str]] = {}
    for table, column, text in connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
    ).fetchall():
        types.setdefault(table, {})[column] = text
    return types


def _publishers(connection: duckdb.DuckDBPyConnection) -> None:
    known = zones.installed().names
    names = [*ODD_ZONES[:4], *zones.installed().names, *ODD_ZONES[4:]]
    publishers = pa.table(
        {
            "id": pa.array(range(len(names)), pa.int32()),
            "time_zone_name": pa.array(names, pa.utf8()),
            "name": [f"publisher {index % 40}" for index in range(len(names))],
            "billing.zone": [known[index * 7 % len(known)] for index in range(len(names))],
        }
    )
    connection.register("given", publishers)
    connection.execute("CREATE TABLE publishers AS FROM given")


def given(odd_zones: list[str | None]) -> Iterator[tuple[int, str | None]]:
    """The number of a publisher and a time of it, for all odd zones and all IANA names."""
    chance = random.Random(20170420)
    rules = zones.installed()
    everywhere = _transitions(rules, ["America/New_York", "America/St_Johns", "Pacific/Apia"])
    for number, zone in enumerate([*odd_zones, *rules.names]):
        times: list[str | None] = []
        own = _transitions(rules, [zone]) if zone in rules else everywhere
        instants = chance.sample(own, min(6, len(own))) + chance.sample(everywhere, 3)
        for instant in instants:
            for moved in (-3_600_000_000, -1, 0, 1, 1_799_999_999):
                times.append(_text(instant + moved))
        times += [_text(chance.randrange(1_230_768_000, 1_900_000_000) * 10**6) for _ in range(6)]
        times += [None, chance.choice(_FAR_AWAY)]
        for time in times:
            yield number, time


def _actions(connection: duckdb.DuckDBPyConnection) -> None:
    ids, times = zip(*given(ODD_ZONES[:4]), strict=True)
    actions = pa.table({"id": pa.array(ids, pa.int32()), "t": pa.array(times, pa.utf8())})
    connection.register("given", actions)
    connection.execute(
        """
        CREATE TABLE actions AS SELECT
            t::timestamp AS action_event_time,
            id AS action_publisher_id,
            'click' AS action_name,
            t::timestamp AT TIME ZONE 'UTC' AS seen,
            t::timestamp + INTERVAL 1 MINUTE AS loaded,
            (hash(t) % 10)::integer AS n
        FROM given
        """
    )


def _transitions(rules: zones.Rules, names: list[str | None]) -> list[int]:
    """Transitions in microseconds; where a zone has none in those years, a few new years."""
    first, last = (
        int(np.datetime64(dt.datetime(year, 1, 1), "s").astype(int)) for year in _AWKWARD_YEARS
    )
    found = [
        int(instant) * 1_000_000
        for name in names
        if name
        for instant in rules.zone(name).timeline(last).starts
        if instant >= first
    ]
    return found or [
        int(np.datetime64(f"{year}-01-01", "us").astype(int)) for year in range(2010, 2030, 4)
    ]


def _text(microseconds: int) -> str:
    return str(np.datetime64(microseconds, "us")).replace("T", " ")

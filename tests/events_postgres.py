"""The same events as in tests/events.py, in a PostgreSQL.

The times are inputs only: what is right about them is what the server says of the original query.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from pathlib import Path

import psycopg
import pyarrow as pa

from tests import events
from tzconv import tables
from tzconv.tables import generate
from tzconv.tz import zones

Connection = psycopg.Connection[tuple[object, ...]]

FIXED = ["CET", "EET", "EST", "HST", "MET", "MST", "WET"]
"""IANA names that the server reads as abbreviations with one offset, whatever the year."""

ODD_ZONES = [
    "america/new_york",
    "UTC+3",
    "<-08>+8",
    "AAA-167:59:59BBB",
    "EST5EDT",
    "cet",
    "MSK",
    "+05:45",
    "-167:59:59",
    "Etc/GMT-14",
    None,
]
"""What zone columns hold in practice beside IANA names, and a few names as odd as they come."""


def load(url: str) -> None:
    """Fill an empty database with the conversion tables and the tables of tests/events.py."""
    with connect(url) as connection:
        conversion_tables(connection)
        _publishers(connection)
        _actions(connection)
        _rest(connection)


def connect(url: str) -> Connection:
    """A connection in autocommit whose session is in UTC, as most reporting sessions are."""
    return psycopg.connect(url.replace("+psycopg", ""), autocommit=True, prepare_threshold=None)


def rows_of(connection: Connection, sql: str) -> tuple[list[object], Counter[str]]:
    """Names and types of the columns of a query, and how often each of its rows came."""
    # the names of a subquery's columns may repeat, so each row is read as one value
    description = connection.execute(f"SELECT * FROM ({sql}\n) q LIMIT 0").description or []
    rows = connection.execute(f"SELECT q::text FROM ({sql}\n) q").fetchall()
    return [
        (column.name, column.type_code, column.precision, column.scale) for column in description
    ], Counter(str(row[0]) for row in rows)


def column_types(connection: Connection) -> dict[str, dict[str, str]]:
    """Column types by table, as a user would declare them."""
    types: dict[str, dict[str, str]] = {}
    for table, column, text in connection.execute(
        "SELECT table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
    ).fetchall():
        types.setdefault(str(table), {})[str(column)] = str(text)
    return types


def conversion_tables(connection: Connection) -> None:
    name, zone, period = tables.OFFSET.name, tables.ZONE.name, tables.PERIOD.name
    connection.execute(
        f"""
        CREATE TABLE {name} (
            time_zone_name varchar(400), starts_at_utc timestamp, ends_before_utc timestamp,
            starts_at_time_zone timestamp, ends_before_time_zone timestamp,
            utc_offset_seconds integer, abbreviation varchar(16), is_dst boolean
        );
        CREATE TABLE {zone} (
            time_zone_name varchar(400), zone_id integer, canonical_name varchar(400),
            number integer
        );
        CREATE TABLE {period} (
            zone_period bigint, time_zone_name varchar(400),
            changes_at_utc timestamp, microseconds_before bigint, microseconds_after bigint,
            changes_at_time_zone timestamp,
            local_microseconds_before bigint, local_microseconds_after bigint
        )
        """
    )
    _copy(connection, name, generate.offset(None))
    _copy(connection, zone, generate.zone(None))
    _copy(connection, period, generate.period(None))
    # a small horizon: most events are before or after it
    years = dt.date(2016, 1, 1), dt.date(2018, 1, 1)
    connection.execute(
        f"""
        CREATE TABLE {tables.HOURLY.name} (
            hour_at_utc timestamp, time_zone_name varchar(400), hour_at_time_zone timestamp,
            day date, starts_at_utc timestamp, ends_before_utc timestamp,
            utc_offset_seconds integer
        );
        CREATE TABLE {tables.DAILY.name} (
            time_zone_name varchar(400), day date, day_starts_at_utc timestamp,
            day_ends_at_utc timestamp, day_ends_before_utc timestamp
        )
        """
    )
    few = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns"]
    _copy(connection, tables.HOURLY.name, generate.hourly(few, *years))
    _copy(connection, tables.DAILY.name, generate.daily(few, *years))
    connection.execute(f"CREATE INDEX ON {tables.DAILY.name} (time_zone_name, day_starts_at_utc)")
    # The server's own zone rules are a little older than the tzdata package. Where the two differ
    # there is nothing to compare, so the tables do not have those zones and the function answers.
    # That the fixed names differ is no difference of rules, so these stay: the rewrite must cope.
    connection.execute(
        f"""
        CREATE TEMP TABLE times AS
            SELECT time_zone_name, starts_at_utc AS t, utc_offset_seconds AS seconds FROM {name}
            UNION ALL
            SELECT time_zone_name, ends_before_utc - INTERVAL '1 microsecond', utc_offset_seconds
            FROM {name}
            UNION ALL
            SELECT time_zone_name, t, utc_offset_seconds FROM {name}, generate_series(
                greatest(starts_at_utc, '2000-01-01'), ends_before_utc, INTERVAL '20 days'
            ) t WHERE t < ends_before_utc;
        DELETE FROM {name}
        WHERE time_zone_name NOT IN ({", ".join(map(repr, FIXED))}) AND time_zone_name IN (
            SELECT time_zone_name FROM times
            WHERE t AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name
                <> t + seconds * INTERVAL '1 second'
        );
        DELETE FROM {zone} WHERE time_zone_name NOT IN (SELECT time_zone_name FROM {name});
        DROP TABLE times
        """
    )
    connection.execute(f"CREATE UNIQUE INDEX ON {name} (time_zone_name, starts_at_utc)")
    connection.execute(f"CREATE UNIQUE INDEX ON {zone} (time_zone_name)")
    connection.execute(f"CREATE UNIQUE INDEX ON {period} (zone_period)")
    _arrays(connection)
    connection.execute(f"ANALYZE {name}; ANALYZE {zone}; ANALYZE {period}")


def _arrays(connection: Connection) -> None:
    """The columns that only PostgreSQL has, as a refresh makes them there."""
    zone = tables.ZONE.name
    connection.execute(
        f"""
        ALTER TABLE {zone}
            ADD starts_at_utc timestamp[], ADD starts_at_instant timestamptz[],
            ADD starts_at_time_zone timestamp[], ADD utc_offsets interval[],
            ADD rules_id integer;
        UPDATE {zone} SET rules_id = number;
        ALTER TABLE {zone} DROP number;
        ALTER TABLE {zone}
            ALTER time_zone_name SET STORAGE PLAIN, ALTER canonical_name SET STORAGE PLAIN,
            ALTER starts_at_utc SET STORAGE PLAIN, ALTER starts_at_instant SET STORAGE PLAIN,
            ALTER starts_at_time_zone SET STORAGE PLAIN, ALTER utc_offsets SET STORAGE PLAIN;
        UPDATE {zone} AS z SET
            starts_at_utc = starts || last,
            starts_at_instant = instants || last AT TIME ZONE 'UTC',
            starts_at_time_zone = local_starts || local_last,
            utc_offsets = offsets
        FROM (
            SELECT time_zone_name AS name,
                array_agg(starts_at_utc ORDER BY starts_at_utc) AS starts,
                array_agg(starts_at_utc AT TIME ZONE 'UTC' ORDER BY starts_at_utc) AS instants,
                array_agg(starts_at_time_zone ORDER BY starts_at_utc) AS local_starts,
                array_agg(utc_offset_seconds * INTERVAL '1 second' ORDER BY starts_at_utc)
                    AS offsets,
                max(ends_before_utc) AS last, max(ends_before_time_zone) AS local_last
            FROM {tables.OFFSET.name} WHERE ends_before_utc > '1970-01-01'
            GROUP BY time_zone_name
        ) AS made
        WHERE name = z.time_zone_name AND name NOT IN ({", ".join(map(repr, FIXED))})
        """
    )


def _copy(connection: Connection, table: str, reader: pa.RecordBatchReader) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        generate.write(reader, path, "csv")
        with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT csv, HEADER)") as copy:
            copy.write(path.read_bytes())


def _publishers(connection: Connection) -> None:
    known = zones.installed().names
    names = [*ODD_ZONES, *known, "", "Mars/Phobos"]  # the last two have no events
    connection.execute(
        """
        CREATE TABLE publishers (
            id integer PRIMARY KEY, time_zone_name text, name text, "billing.zone" varchar(40)
        )
        """
    )
    with connection.cursor().copy("COPY publishers FROM STDIN") as copy:
        for index, name in enumerate(names):
            billing = known[index * 7 % len(known)]
            copy.write_row((index, name, f"publisher {index % 40}", billing))
    connection.execute("ANALYZE publishers")


def _actions(connection: Connection) -> None:
    connection.execute("CREATE TABLE given (id integer, t text)")
    with connection.cursor().copy("COPY given FROM STDIN") as copy:
        for row in events.given(ODD_ZONES):
            copy.write_row(row)
    connection.execute(
        """
        CREATE TABLE actions AS SELECT
            t::timestamp AS action_event_time,
            id AS action_publisher_id,
            'click' AS action_name,
            t::timestamp AT TIME ZONE 'UTC' AS seen,
            t::timestamp + INTERVAL '1 minute' AS loaded,
            t::timestamp(3) AS "shortenedAt",
            abs(hashtext(t)) % 10 AS n
        FROM given;
        DROP TABLE given;
        """
    )
    # for correlated subqueries, which would read the whole table for each publisher
    connection.execute("CREATE INDEX ON actions (action_publisher_id)")
    connection.execute("ANALYZE actions")


def _rest(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE sites AS
            SELECT id % 10 AS n, time_zone_name, TIMESTAMP '2019-03-31 01:00:00' AS opened
            FROM publishers WHERE id BETWEEN 300 AND 309;
        CREATE TABLE logs AS
            SELECT now()::timestamp - i * INTERVAL '977 seconds' AS log_time, i % 4 AS level
            FROM generate_series(0, 3999) i
            UNION ALL SELECT NULL, 1 UNION ALL SELECT now()::timestamp + INTERVAL '1 day', 2;
        CREATE TABLE sink (day date, n bigint);
        CREATE TABLE shifts AS
            SELECT id, id * INTERVAL '37 minutes' AS shift FROM publishers WHERE id < 30;
        """
    )

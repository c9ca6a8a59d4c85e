"""A small database as people have them: several schemas, odd names, and a dirty zone column."""

from __future__ import annotations

import datetime as dt

from tests.databases import Database

ZONES = [
    *("Europe/Berlin", "Europe/Berlin", "America/New_York", "Asia/Calcutta"),
    *("Pacific Standard Time", "Pacific Standard Time", "Pacific Standard Time"),
    *("", " Europe/Paris", "America/New_Yrok", "PST", None),
]
"""Of the accounts 1, 2, …"""
KINDS = {
    "iana": (2, 3),
    "link": (1, 1),
    "spelling": (1, 1),
    "windows": (1, 3),
    "abbreviation": (1, 1),
    "empty": (1, 1),
    "null": (1, 1),
    "unknown": (1, 1),
}
"""Values and rows of each kind in it."""
EVENTS = 300_000
"""One a minute."""
FIRST = dt.datetime(2024, 2, 3, 4, 5)
_ACCOUNTS = ", ".join(
    f"({number}, {'NULL' if zone is None else repr(zone)}, 'Paris')"
    for number, zone in enumerate(ZONES, 1)
)
VIEW = (
    "SELECT CAST(e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS DATE) AS day, "
    "count(*) AS n FROM events e GROUP BY 1"
)
PER_ROW = (
    "SELECT count(e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone) AS n FROM events e "
    "JOIN accounts a ON a.id = e.account_id"
)
ODD = 'SELECT "At" AT TIME ZONE "Zone Name" AS local FROM "Sales EU"."Order"'


def fill(database: Database) -> None:
    """Make the tables; the events are enough for a rewrite to pay."""
    is_file = database.server is None
    numbers = f"generate_series(0, {EVENTS - 1}) AS t(i)"
    database.run(
        "CREATE TABLE accounts (id integer, time_zone varchar, city varchar)",
        f"INSERT INTO accounts VALUES {_ACCOUNTS}",
        f"CREATE TABLE events AS SELECT TIMESTAMP '{FIRST}' + i * INTERVAL '1 minute' "
        f"AS ts, 1 + i % {len(ZONES)} AS account_id FROM {numbers}",
        'CREATE SCHEMA "Sales EU"',
        'CREATE TABLE "Sales EU"."Order" ("At" TIMESTAMP WITH TIME ZONE, "Zone Name" varchar, '
        "tz varchar, tz_offset integer)",
        "INSERT INTO \"Sales EU\".\"Order\" VALUES ('infinity', 'Europe/Rome', NULL, 1), "
        "('2025-01-01 00:00:00+00', 'Fiji Standard Time', '', 2)",
        "CREATE TYPE zone AS ENUM ('UTC', 'Asia/Tokyo')",
        "CREATE TABLE offices (opened date, zone zone, warehouse_zone varchar)",
        "INSERT INTO offices VALUES (DATE '2020-01-01', 'Asia/Tokyo', 'A'), (NULL, 'UTC', 'B')",
        f"CREATE VIEW daily AS {VIEW}",
        "CREATE VIEW plain AS SELECT id FROM accounts",
        *([] if is_file else ["ANALYZE"]),
    )

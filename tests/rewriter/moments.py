"""Times around changes of the clock, and the zones whose changes are odd, for several tests."""

from __future__ import annotations

import datetime as dt
from typing import Any

import duckdb
import psycopg

TYPES = {
    "e": {"ts": "timestamp", "tz": "timestamptz", "shop": "integer"},
    "s": {"id": "integer", "zone": "varchar"},
}
AWKWARD = [
    *("America/Havana", "America/Asuncion", "Asia/Beirut", "Africa/Cairo", "Antarctica/Troll"),
    *("Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Pacific/Kwajalein"),
    *("America/New_York", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Manila"),
    *("America/Juneau", "Asia/Kolkata", "Asia/Amman", "Asia/Gaza"),
]


def naive(seconds: float) -> dt.datetime:
    return dt.datetime(1970, 1, 1) + dt.timedelta(seconds=seconds)


def nows(change: int) -> list[str]:
    steps = (-3_601, 0, 25 * 3_600)
    return [f"TIMESTAMPTZ '{naive(change + step)}+00'" for step in steps]


def fill(connection: duckdb.DuckDBPyConnection | psycopg.Connection[Any], *changes: int) -> None:
    """Times around each change: half hours of six days, both sides of it, far ones and no time.

    ``shop`` is the place of the change.
    """
    places = ", ".join(
        f"({place}, TIMESTAMP '{naive(change)}')" for place, change in enumerate(changes)
    )
    connection.execute("TRUNCATE e")
    connection.execute(
        f"""
        INSERT INTO e
        SELECT coalesce(far, t + i * step), coalesce(far, t + i * step) AT TIME ZONE 'UTC', place
        FROM (VALUES {places}) c (place, t), (
            SELECT i, INTERVAL '30 minutes', NULL::timestamp FROM generate_series(-150, 150) g (i)
            UNION ALL SELECT i, INTERVAL '1 hour', NULL
            FROM (VALUES (-9600), (-800), (-216), (-192), (-168), (192), (800), (9600)) v (i)
            UNION ALL SELECT i, INTERVAL '0.000001 seconds', NULL FROM (VALUES (-1), (1)) v (i)
            UNION ALL SELECT 0, NULL, TIMESTAMP '0044-03-15' - INTERVAL '90 years'
            UNION ALL SELECT 0, NULL, TIMESTAMP 'infinity'
            UNION ALL SELECT 0, NULL, TIMESTAMP '-infinity'
            UNION ALL SELECT 0, NULL, NULL) x (i, step, far)
        """
    )

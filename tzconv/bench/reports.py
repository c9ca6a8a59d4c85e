"""The suite ``reports``: a dozen reports as a SaaS company has them, and the data they read.

Accounts have a time zone each; events have UTC times, in order, over twelve years up to now. The
texts are the same on DuckDB and PostgreSQL.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from tzconv.bench.queries import Query, each
from tzconv.engines.scratch import Execute, Writing
from tzconv.sql.text import literal

YEARS = 12
ACCOUNTS = 5_000
_USERS = 20
"""Users of an account."""
_KINDS = ("view", "click", "export")

ZONES = (
    "America/New_York",
    "America/Los_Angeles",
    "America/Chicago",
    "Europe/London",
    "Europe/Berlin",
    "Asia/Kolkata",
    "Europe/Paris",
    "America/Denver",
    "America/Toronto",
    "Australia/Sydney",
    "America/Sao_Paulo",
    "Asia/Tokyo",
    "Europe/Madrid",
    "Europe/Amsterdam",
    "Asia/Singapore",
    "America/Phoenix",
    "Europe/Warsaw",
    "America/Bogota",
    "Africa/Johannesburg",
    "Asia/Jerusalem",
    "Pacific/Auckland",
    "America/Mexico_City",
)
"""The zones of the accounts, those with most accounts first."""

_LOCAL = "e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone"
_FIRST = "f.first_ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone"
_NEW_YORK = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York'"
_OF_ACCOUNTS = "events e JOIN accounts a ON a.id = e.account_id"


def reports(today: dt.date) -> dict[str, Query]:
    """The reports by name; only that of two months depends on ``today``."""
    first, last = today - dt.timedelta(days=150), today - dt.timedelta(days=90)
    script = f"""\
-- active-users: Daily active users by local day, all history, zone of each account
SELECT ({_LOCAL})::date AS day, count(DISTINCT e.user_id) AS users
FROM {_OF_ACCOUNTS}
GROUP BY 1
ORDER BY 1
-- last-30-days: The last 30 days by local hour, zone of each account
SELECT date_trunc('hour', {_LOCAL}) AS hour, count(*) AS events
FROM {_OF_ACCOUNTS}
WHERE e.ts >= now() - INTERVAL '30 days'
GROUP BY 1
ORDER BY 1
-- month-to-date: The month so far in the zone of each account
SELECT a.id, count(*) AS events
FROM {_OF_ACCOUNTS}
WHERE {_LOCAL} >= date_trunc('month', now() AT TIME ZONE a.time_zone)
GROUP BY a.id
-- cohorts: Weekly cohorts: users by the local week of their first event
WITH firsts AS (
    SELECT account_id, user_id, min(ts) AS first_ts
    FROM events
    GROUP BY account_id, user_id
)
SELECT date_trunc('week', {_FIRST}) AS week, count(*) AS users
FROM firsts f JOIN accounts a ON a.id = f.account_id
GROUP BY 1
ORDER BY 1
-- business-hours: Events in business hours of each account, all history
SELECT a.id, count(*) AS events
FROM {_OF_ACCOUNTS}
WHERE extract(hour FROM {_LOCAL}) BETWEEN 9 AND 17
GROUP BY a.id
-- today: Today in New York
SELECT kind, count(*) AS events
FROM events
WHERE ({_NEW_YORK})::date = (now() AT TIME ZONE 'America/New_York')::date
GROUP BY kind
-- last-7-days: The last seven local days in New York
SELECT ({_NEW_YORK})::date AS day, count(*) AS events
FROM events
WHERE ({_NEW_YORK})::date >= (now() AT TIME ZONE 'America/New_York')::date - 7
GROUP BY 1
ORDER BY 1
-- two-months: Two months by local hour, zone of each account
SELECT date_trunc('hour', {_LOCAL}) AS hour, count(*) AS events
FROM {_OF_ACCOUNTS}
WHERE e.ts >= TIMESTAMP '{first} 00:00:00' AND e.ts < TIMESTAMP '{last} 00:00:00'
GROUP BY 1
ORDER BY 1
-- one-tenant: One account by local day, 90 days
SELECT ({_LOCAL})::date AS day, count(*) AS events
FROM {_OF_ACCOUNTS}
WHERE e.account_id = 42 AND e.ts >= now() - INTERVAL '90 days'
GROUP BY 1
ORDER BY 1
-- latest-50: The latest 50 events of an account, in its local time
SELECT e.id, e.kind, {_LOCAL} AS happened_at
FROM {_OF_ACCOUNTS}
WHERE e.account_id = 42
ORDER BY e.ts DESC
LIMIT 50
-- by-month: All history by month in New York
SELECT date_trunc('month', {_NEW_YORK}) AS month, count(*) AS events
FROM events
GROUP BY 1
ORDER BY 1
-- yesterday: The daily digest: yesterday in the zone of each account
SELECT a.id, count(*) AS events, count(DISTINCT e.user_id) AS users
FROM {_OF_ACCOUNTS}
WHERE ({_LOCAL})::date = (now() AT TIME ZONE a.time_zone)::date - 1
GROUP BY a.id
"""
    return {name: Query(name, title, text, None, ("events",)) for name, title, text in each(script)}


def begin(now: dt.datetime) -> dt.datetime:
    """The time of the first event."""
    return now - dt.timedelta(days=round(YEARS * 365.25))


def make(
    execute: Execute,
    writing: Writing,
    zones: Sequence[str],
    rows: int,
    now: dt.datetime,
    *,
    indexes: bool,
) -> None:
    """Make ``accounts`` in those zones and ``rows`` of ``events`` up to ``now``.

    ``indexes`` are those that people have on PostgreSQL.
    """
    # the first zone has as many accounts as the last half of them
    skewed = [zone for place, zone in enumerate(zones) for _ in range(1 + 22 // (1 + place))]
    items = writing.array.format(items=", ".join(map(literal, skewed)))
    chosen = writing.mixed.format(salt="", below=len(skewed))
    step = (now - begin(now)) // dt.timedelta(microseconds=1) / rows
    event = writing.shifted.format(begin=begin(now), microseconds=f"(n * {step!r})::bigint")
    account, user = (
        writing.mixed.format(salt=salt, below=below)
        for salt, below in ((" + 1", ACCOUNTS), (" + 2", _USERS))
    )
    kinds = writing.array.format(items=", ".join(map(literal, _KINDS)))
    statements = [
        "CREATE TABLE accounts AS SELECT n::integer AS id, 'account ' || n AS name, "
        f"CAST({items}[1 + {chosen}] AS varchar) AS time_zone "
        f"FROM {writing.numbers.format(count=ACCOUNTS)}",
        f"CREATE TABLE events AS SELECT n::bigint AS id, {account} AS account_id, "
        f"{account} * {_USERS} + {user} AS user_id, "
        f"CAST({kinds}[1 + n % {len(_KINDS)}] AS varchar) AS kind, {event} AS ts "
        f"FROM {writing.numbers.format(count=rows)}",
    ]
    if indexes:
        statements += [
            "ALTER TABLE accounts ADD PRIMARY KEY (id)",
            "ALTER TABLE events ADD PRIMARY KEY (id)",
            "CREATE INDEX ON events (account_id, ts)",
            "CREATE INDEX ON events (ts)",
        ]
    for statement in [*statements, "ANALYZE accounts", "ANALYZE events"]:
        execute(statement)

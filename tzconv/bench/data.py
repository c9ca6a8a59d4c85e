"""The made-up tables of the benchmark and the demonstration, written by the database itself.

Row ``n`` is the same whenever it is made. ``publishers`` have a zone each and ``actions`` and
``history`` are their events; ``accounts`` and ``events`` are the tables of the reports.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tzconv.bench.queries import NOW_DAYS
from tzconv.engines.scratch import Execute, Writing
from tzconv.refresher import Disagreement
from tzconv.sql.text import literal

PUBLISHERS = 10_000
WEEKS = {"actions": 12, "history": 104, "history_12": 626, "history_50": 2609}
"""How far back the events of each table reach; all of them end with today."""
ACCOUNTS, USERS_OF_ACCOUNT, REPORT_YEARS = 5_000, 20, 12
ACCOUNT_ZONES = (
    *("America/New_York", "America/Los_Angeles", "America/Chicago", "Europe/London"),
    *("Europe/Berlin", "Asia/Kolkata", "Europe/Paris", "America/Denver", "America/Toronto"),
    *("Australia/Sydney", "America/Sao_Paulo", "Asia/Tokyo", "Europe/Madrid", "Europe/Amsterdam"),
    *("Asia/Singapore", "America/Phoenix", "Europe/Warsaw", "America/Bogota"),
    *("Africa/Johannesburg", "Asia/Jerusalem", "Pacific/Auckland", "America/Mexico_City"),
)
"""The zones of the accounts, those with most accounts first."""


def begin_of(table: str, today: dt.date) -> dt.date:
    """The day of the first event of a table."""
    return today - dt.timedelta(weeks=WEEKS[table])


def begin_of_reports(now: dt.datetime) -> dt.datetime:
    """The time of the first event of the reports."""
    return now - dt.timedelta(days=round(REPORT_YEARS * 365.25))


def some_zones(names: Sequence[str], count: int | None) -> list[str]:
    """``count`` of the names, evenly over their alphabet; all of them for None."""
    if count is None or count >= len(names):
        return list(names)
    return [names[place * len(names) // count] for place in range(count)]


def zones_that_agree(
    names: Iterable[str], disagreements: Iterable[Disagreement], first: dt.date, today: dt.date
) -> list[str]:
    """The names whose zones the database's own function converts as the tables do.

    Only the times of events count, between ``first`` and the end of ``today``.
    """
    begin = dt.datetime.combine(first, dt.time()) - dt.timedelta(days=2)
    end = dt.datetime.combine(today, dt.time()) + dt.timedelta(days=3)
    other = {
        found.zone
        for found in disagreements
        if (found.first or begin) < end and (found.last or end) >= begin
    }
    return [name for name in names if name not in other]


@dataclass(frozen=True)
class _Maker:
    """Creates tables by SQL expressions over the row number ``n``, as an engine writes them."""

    execute: Execute
    writing: Writing

    def table(self, name: str, rows: int, columns: Mapping[str, str], condition: str = "") -> None:
        made = ", ".join(f"{expression} AS {column}" for column, expression in columns.items())
        numbers = self.writing.numbers.format(count=rows)
        self.execute(f"CREATE TABLE {name} AS SELECT {made} FROM {numbers}{condition}")

    def pick(self, texts: Iterable[str], place: str) -> str:
        """One of the texts, by its place from 0."""
        items = self.writing.array.format(items=", ".join(map(literal, texts)))
        return f"CAST({items}[1 + {place}] AS varchar)"

    def random(self, below: int, salt: int = 0) -> str:
        """A pseudo-random integer from 0 on; another ``salt``, another one."""
        return self.writing.mixed.format(salt=f" + {salt}" if salt else "", below=below)

    def time(self, begin: dt.date, step: float) -> str:
        """``n`` steps of so many microseconds after the beginning."""
        return self.writing.shifted.format(begin=begin, microseconds=f"(n * {step!r})::bigint")


def make(
    execute: Execute,
    writing: Writing,
    zones: Sequence[str],
    rows: int,
    tables: Iterable[str],
    today: dt.date,
) -> None:
    """Make ``publishers`` in those zones, and ``rows`` events in each of the tables."""
    maker = _Maker(execute, writing)
    publishers = {
        "id": "n::integer",
        "name": "'publisher ' || n",
        "time_zone_name": maker.pick(zones, f"n % {len(zones)}"),
    }
    maker.table("publishers", PUBLISHERS, publishers)
    # the filter on NOW() looks back to a day without events: its rows do not depend on the second
    first_quiet = today - dt.timedelta(days=NOW_DAYS)
    after = first_quiet + dt.timedelta(days=2)
    for table in tables:
        begin = begin_of(table, today)
        event = maker.time(begin, ((today - begin).days + 1) * 86_400_000_000 / rows)
        columns = {"action_event_time": event, "action_publisher_id": maker.random(PUBLISHERS)}
        if table == "actions":
            seconds = maker.random(3 * 3600, salt=1)
            columns["action_end_time"] = f"{event} + {seconds} * INTERVAL '1 second'"
            columns["action_name"] = maker.pick(("view", "click", "share"), "n % 3")
        elif table == "history":
            columns |= {"seen": f"({event}) AT TIME ZONE 'UTC'", "local_time": event}
        quiet = f"{event} >= TIMESTAMP '{first_quiet}' AND {event} < TIMESTAMP '{after}'"
        maker.table(table, rows, columns, f" WHERE NOT ({quiet})")
    for table in ("publishers", *tables):
        execute(f"ANALYZE {table}")


def make_reports(
    execute: Execute,
    writing: Writing,
    zones: Sequence[str],
    rows: int,
    now: dt.datetime,
    *,
    indexes: bool,
    tuned: Iterable[str] = (),
) -> None:
    """Make ``accounts`` in those zones and ``rows`` of ``events`` up to ``now``.

    ``indexes`` adds the keys and indexes that people have on PostgreSQL, ``tuned`` runs what
    somebody has built for the conversions in the queries.
    """
    maker = _Maker(execute, writing)
    # the first zone has as many accounts as the last half of them
    skewed = [zone for place, zone in enumerate(zones) for _ in range(1 + 22 // (1 + place))]
    accounts = {
        "id": "n::integer",
        "name": "'account ' || n",
        "time_zone": maker.pick(skewed, maker.random(len(skewed))),
    }
    maker.table("accounts", ACCOUNTS, accounts)
    account, user = maker.random(ACCOUNTS, salt=1), maker.random(USERS_OF_ACCOUNT, salt=2)
    begin = begin_of_reports(now)
    events = {
        "id": "n::bigint",
        "account_id": account,
        "user_id": f"{account} * {USERS_OF_ACCOUNT} + {user}",
        "kind": maker.pick(("view", "click", "export"), "n % 3"),
        "ts": maker.time(begin, (now - begin) // dt.timedelta(microseconds=1) / rows),
    }
    maker.table("events", rows, events)
    if indexes:
        for table in ("accounts", "events"):
            execute(f"ALTER TABLE {table} ADD PRIMARY KEY (id)")
        for columns in ("account_id, ts", "ts"):
            execute(f"CREATE INDEX ON events ({columns})")
    for statement in tuned:
        execute(statement)
    for table in ("accounts", "events", *(("events_by_day", "events_by_time") if tuned else ())):
        execute(f"ANALYZE {table}")

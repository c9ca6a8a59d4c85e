"""The tables of a few products, made by a seeded generator: a shop, a booking, sensors, billing.

Many times are near transitions of the zones in use, some are of the last weeks, a few are NULL. The
times are inputs only: what is right about them is what the engine says of the original statement.
"""

from __future__ import annotations

import csv
import datetime as dt
import functools
import json
import random
import re
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tzconv.tz.zones import installed

ZONES = [
    *("America/New_York", "America/Los_Angeles", "America/Chicago", "Europe/London"),
    *("Europe/Berlin", "Asia/Kolkata", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo"),
    *("America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "UTC"),
    *("US/Pacific", "Europe/Madrid", "Pacific/Auckland", "America/Phoenix", "Etc/GMT+3", "GMT"),
    *("America/Santiago", "Asia/Singapore"),
]
"""The zones that the products use, links and fixed ones among them."""
ODD = "america/new_york"
"""A spelling that PostgreSQL and DuckDB know, and Java refuses."""
TABLES = {
    "accounts": "id integer PRIMARY KEY, name text, time_zone text, billing_zone text, plan text, "
    "created_at timestamp",
    "users": "id integer PRIMARY KEY, account_id integer, email text, timezone text, "
    "digest_hour integer, digest_at time, created_at timestamptz, last_seen_at timestamptz, "
    "birthday date",
    "shops": "id integer PRIMARY KEY, account_id integer, name text, tz varchar(64), "
    "opens_at time, closes_at time, is_active boolean",
    "orders": "id integer PRIMARY KEY, shop_id integer, user_id integer, status text, "
    "total_cents integer, currency text, created_at timestamp, paid_at timestamptz, "
    "shipped_at timestamp, placed_on date, external_ts text",
    "page_views": "id bigint PRIMARY KEY, user_id integer, session_id integer, path text, "
    "viewed_at timestamptz, epoch_ms bigint, epoch_s bigint",
    "subscriptions": "id integer PRIMARY KEY, account_id integer, plan text, "
    "started_at timestamp, canceled_at timestamp, trial_ends_on date, price_cents integer",
    "invoices": "id integer PRIMARY KEY, account_id integer, issued_at timestamptz, due_on date, "
    "paid_at timestamptz, amount numeric(12,2), status text",
    "sites": "id integer PRIMARY KEY, name text, timezone text, country text, is_active boolean",
    "devices": "id integer PRIMARY KEY, site_id integer, serial text",
    "readings": "device_id integer, time timestamptz, value double precision, "
    "recorded_local timestamp",
    "shifts": "id integer PRIMARY KEY, shop_id integer, user_id integer, work_date date, "
    "starts time, ends time, clock_in timestamptz, clock_out timestamptz",
    "opening_hours": "shop_id integer, weekday integer, opens time, closes time",
    "holidays": "country text, day date, name text",
    "notifications": "id integer PRIMARY KEY, user_id integer, kind text, send_on date, "
    "send_time time, scheduled_at timestamp, sent_at timestamptz",
    "audit_log": "id integer PRIMARY KEY, actor_id integer, action text, "
    "logged_at timestamp, payload text",
    "tickets": "id integer PRIMARY KEY, account_id integer, opened_at timestamptz, "
    "first_reply_at timestamptz, closed_at timestamp, priority integer",
    "app_settings": "id integer PRIMARY KEY, timezone text, week_starts_on integer",
    "settings": "key text, value text",
    "daily_stats": "account_id integer, day date, n bigint, total bigint",
    '"Shop"': '"id" integer PRIMARY KEY, "name" text, "timeZone" text',
    '"Booking"': '"id" integer PRIMARY KEY, "shopId" integer, "customerId" integer, '
    '"startsAt" timestamptz, "endsAt" timestamptz, "createdAt" timestamp, "timeZone" text, '
    '"status" text',
}
"""The columns of each table, in words that PostgreSQL and DuckDB share."""
_SPARK = {
    " PRIMARY KEY": "",
    "timestamptz": "TIMESTAMP",
    "timestamp": "TIMESTAMP_NTZ",
    "time": "STRING",
    "text": "STRING",
    "double precision": "DOUBLE",
    '"': "",
}
_UTC = dt.UTC
_FIRST, _LAST = 1_400_000_000, 1_900_000_000


def ddl(dialect: str) -> str:
    """The CREATE TABLE statements, as a user would give them to ``--schema-file``."""
    text = "".join(f"CREATE TABLE {table} ({columns});\n" for table, columns in TABLES.items())
    if dialect != "spark":
        return text
    # a type is the second word of a column: (name type, name type)
    for word, other in _SPARK.items():
        text = re.sub(rf"(?<=\w ){word}\b" if word.isalnum() else word, other, text)
    return text


@functools.cache
def _transitions(zone: str) -> list[dt.datetime]:
    """When the offset of a zone changes, in UTC."""
    years = range(2015, 2027)
    starts = installed().zone("America/New_York" if zone == ODD else zone).timeline(_LAST).starts
    changes = [dt.datetime.fromtimestamp(int(start), _UTC) for start in starts if start > _FIRST]
    return [change for change in changes if change.year in years]


class _Rows:
    """Random rows, the same for each run except the times near the present."""

    def __init__(self, odd: str | None) -> None:
        self.chance = random.Random(20240310)
        self.pick, self.number = self.chance.choice, self.chance.randint
        self.now = dt.datetime.now(_UTC)
        self.zones = [*ZONES, odd or "America/New_York"]
        self.made: dict[str, list[tuple[Any, ...]]] = {table: [] for table in TABLES}

    def near(self, zone: str | None) -> dt.datetime | None:
        """A time in UTC: near a change of that zone, of the last weeks, or any."""
        kind = self.chance.random()
        changes = _transitions(zone) if zone else []
        if kind < 0.02:
            return None
        if kind < 0.45 and changes:
            hours = self.pick([-4.0, -1.5, -0.5, 0, 0.25, 1, 1.75, 2, 9])
            seconds = self.pick([0, 0, -1, 1799.5, 0.000001])
            return self.pick(changes) + dt.timedelta(hours=hours, seconds=seconds)
        if kind < 0.65:
            return self.now - dt.timedelta(minutes=self.number(-2000, 60_000))
        if kind < 0.67:
            return dt.datetime(self.pick([1965, 1999, 2045]), 7, 4, 12, tzinfo=_UTC)
        start = dt.datetime(2015, 1, 1, tzinfo=_UTC)
        return start + dt.timedelta(seconds=self.number(0, 4_300 * 86_400))

    def some(self, zone: str | None) -> dt.datetime:
        """A time that is not NULL."""
        return self.near(zone) or dt.datetime(2021, 3, 14, 10, tzinfo=_UTC)

    def later(self, at: dt.datetime, hours: int) -> dt.datetime | None:
        """Up to so many hours after it, or not yet."""
        is_open = self.chance.random() < 0.15
        return None if is_open else at + dt.timedelta(minutes=self.number(1, hours * 60))

    def clock(self) -> dt.time:
        return dt.time(self.number(0, 23), self.pick([0, 15, 30]))

    def people(self) -> None:
        for n in range(1, 31):
            zone = self.zones[n % len(self.zones)]
            billing, plan = self.pick([None, None, *ZONES]), self.pick(["free", "team", "pro"])
            made = _naive(self.some(zone))
            self.made["accounts"].append((n, f"account {n}", zone, billing, plan, made))
            for user in (n * 2, n * 2 + 1):
                own = None if user % 14 == 7 else self.zones[(n + user) % len(self.zones)]
                born = dt.date(self.number(1950, 2008), self.number(1, 12), self.number(1, 28))
                digest = self.number(0, 23), self.clock()
                times = self.some(own), self.near(own)
                self.made["users"].append((user, n, f"u{user}@x.test", own, *digest, *times, born))

    def shops(self) -> None:
        for n in range(1, 26):
            zone = self.zones[(n * 5) % len(self.zones)]
            hours = dt.time(8 + n % 3), dt.time(17 + n % 5)
            self.made["shops"].append((n, n % 30 + 1, f"shop {n}", zone, *hours, n % 6 > 0))
            self.made['"Shop"'].append((n, f"shop {n}", zone))
            for weekday in range(7):
                self.made["opening_hours"].append((n, weekday, self.clock(), self.clock()))
        for n in range(1, 1101):
            shop, user = self.number(1, 24), self.number(2, 61)
            at = self.some(self.made["shops"][shop - 1][3])
            status = self.pick(["paid", "paid", "pending", "refunded", "canceled"])
            money = self.number(100, 99_999), self.pick(["USD", "EUR"])
            times = _naive(at), self.later(at, 30), _naive(self.later(at, 90))
            text = at.strftime("%Y-%m-%d %H:%M:%S")
            self.made["orders"].append((n, shop, user, status, *money, *times, at.date(), text))
        for n in range(1, 301):
            shop, user = self.number(1, 24), self.number(2, 61)
            zone = self.made["shops"][shop - 1][3]
            at, status = self.some(zone), self.pick(["CONFIRMED", "CANCELLED", "DONE"])
            shift = self.clock(), self.clock(), at, self.later(at, 12)
            self.made["shifts"].append((n, shop, user, at.date(), *shift))
            for double in range(1 + (n % 20 == 0)):
                booked = at, at + dt.timedelta(minutes=45), _naive(self.some(zone))
                number = n + 300 * double
                self.made['"Booking"'].append((number, shop, user, *booked, zone, status))

    def visits(self) -> None:
        for n in range(1, 1301):
            user, path = self.number(2, 61), self.pick(["/", "/pricing", "/docs", "/cart"])
            at = self.some(self.made["users"][user - 2][3])
            ms = round(at.timestamp() * 1000)
            self.made["page_views"].append((n, user, n // 5, path, at, ms, ms // 1000))
        for n in range(1, 301):
            user = self.number(2, 61)
            zone = self.made["users"][user - 2][3]
            at, kind = self.some(zone), self.pick(["digest", "reminder"])
            times = at.date(), self.clock(), _naive(at), self.later(at, 2)
            self.made["notifications"].append((n, user, kind, *times))
            at, action = self.some(zone), self.pick(["login", "edit", "export"])
            seconds, stamp = int(at.timestamp()), at.strftime("%Y-%m-%dT%H:%M:%SZ")
            values = {"created": stamp, "epoch": seconds, "tz": zone or "UTC"}
            self.made["audit_log"].append((n, user, action, _naive(at), json.dumps(values)))

    def billing(self) -> None:
        days = dt.timedelta(days=1)
        for n in range(1, 151):
            account = self.number(1, 30)
            zone = self.made["accounts"][account - 1][2]
            at, plan, price = self.some(zone), self.pick(["team", "pro"]), self.pick([900, 4900])
            times = _naive(at), _naive(self.later(at, 9600)), at.date() + 14 * days
            self.made["subscriptions"].append((n, account, plan, *times, price))
            at, status = self.some(zone), self.pick(["open", "paid", "void"])
            amount = self.number(100, 99_999) / 100
            dates = at, at.date() + 30 * days, self.later(at, 1440)
            self.made["invoices"].append((n, account, *dates, amount, status))
            at = self.some(zone)
            replies = at, self.later(at, 40), _naive(self.later(at, 400))
            self.made["tickets"].append((n, account, *replies, self.number(1, 4)))

    def sensors(self) -> None:
        for n in range(1, 11):
            country = self.pick(["US", "DE", "IN", "AU"])
            self.made["sites"].append((n, f"site {n}", self.zones[n * 2], country, n < 10))
            self.made["devices"] += [(n * 3 + m, n, f"d-{n}-{m}") for m in range(3)]
        for _ in range(1200):
            device = self.number(3, 32)
            zone = self.made["sites"][device // 3 - 1][2]
            at = self.some(zone)
            local = at.astimezone(ZoneInfo("America/New_York" if zone == ODD else zone))
            value = self.number(-40, 400) / 4
            self.made["readings"].append((device, at, value, _naive(local)))

    def settings(self) -> None:
        self.made["holidays"] += [
            (country, dt.date(year, month, day), "holiday")
            for country in ("US", "DE")
            for year in range(2015, 2027)
            for month, day in ((1, 1), (3, 14), (11, 1), (12, 25))
        ]
        self.made["app_settings"].append((1, "America/Chicago", 1))
        self.made["settings"] += [("timezone", "Europe/Madrid"), ("currency", "EUR")]
        self.made["daily_stats"] += [(n, dt.date(2024, 3, 10), n, n * 100) for n in range(1, 4)]


def _naive(at: dt.datetime | None) -> dt.datetime | None:
    return at and at.replace(tzinfo=None)


def rows(odd: str | None = ODD) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table; ``odd`` is a spelling of a zone beside those of the tz release."""
    rows = _Rows(odd)
    for make in (rows.people, rows.shops, rows.visits, rows.billing, rows.sensors, rows.settings):
        make()
    return rows.made


def csv_files(folder: Path, odd: str | None = ODD) -> dict[str, Path]:
    """Each table as a CSV file without a header, NULL as nothing."""
    files: dict[str, Path] = {}
    for table, found in rows(odd).items():
        files[table] = folder / f"{table.strip(chr(34))}_{len(files)}.csv"
        with files[table].open("w", newline="") as file:
            csv.writer(file).writerows(found)
    return files

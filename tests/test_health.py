"""Status and doctor, rules of the database, and migrations, on every database."""

from __future__ import annotations

import contextlib
import datetime as dt
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests import ROOT, postgres, releases
from tests.databases import FREE, Database, small
from tzconv import engines, health, migrate, tables
from tzconv.refresher import MismatchError, refresh
from tzconv.tz import zones

START, END = dt.date(2026, 1, 1), dt.date(2026, 3, 1)


def levels(found: health.Health) -> dict[str, str]:
    return {finding.check: finding.level for finding in found.findings}


def test_status_before_and_after(database: Database) -> None:
    if database.kind != "duckdb":
        with engines.connect(database.url, read_only=True) as backend:
            assert not health.status(backend).healthy
    begin = dt.date(2025, 10, 1)
    # PostgreSQL reads CET as an abbreviation, and no update changes that
    refresh(database.url, zones=["CET", "UTC", "Asia/Kolkata"], start=begin, end=END)
    with engines.connect(database.url, read_only=True) as backend:
        for day, level in ((-93, "error"), (-92, "ok"), (1, "warning"), (59, "error")):
            now = dt.datetime(2026, 1, 1) + dt.timedelta(days=day)
            found = health.status(backend, now)
            assert levels(found)["horizon"] == level
            assert found.healthy == (level != "error")
        early = health.doctor(backend, dt.datetime(2025, 11, 1))
        assert set(levels(early).values()) == {"ok"}
        assert early.days_left == 120
        assert early.sizes["zone"] > 0
        assert early.installed_tz_release == zones.installed().release


@pytest.mark.parametrize(
    ("installed", "today", "level", "said"),
    [
        ("2025b", "2026-06-29", "ok", "of 2025, at most 544 days old."),
        ("2025b", "2026-06-30", "warning", "of 2025, at least 181 days old: pip install"),
        ("2025b", "2031-01-01", "warning", "at least 1827 days old"),
        ("2026f", "2026-11-23", "ok", "of 2026, at most 326 days old."),
        ("2026f", "2025-11-23", "ok", "of 2026, at most 0 days old."),
    ],
)
def test_the_age_of_the_installed_release(
    installed: str,
    today: str,
    level: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its name has the year: it was made on some day of it."""
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    small(url)
    monkeypatch.setattr(zones, "installed", lambda: zones.Rules.of(installed, "tzdata", ()))
    with engines.connect(url, read_only=True) as backend:
        found = health.status(backend, dt.datetime.fromisoformat(today))
    [check] = [one for one in found.findings if one.check == "tz release age"]
    assert check.level == level
    assert said in check.text


def test_no_age_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rules from elsewhere, and of a release whose name has no year."""
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    small(url)
    for name in ("unknown", "0000a", "99999"):
        monkeypatch.setattr(
            zones, "installed", lambda name=name: zones.Rules.of(name, "tzdata", ())
        )
        with engines.connect(url, read_only=True) as backend:
            checks = levels(health.status(backend, dt.datetime(2030, 1, 1)))
        assert "tz release age" not in checks
    monkeypatch.undo()
    small(url, rules="database", repair=True)
    with engines.connect(url, read_only=True) as backend:
        assert "tz release age" not in levels(health.status(backend))


DAMAGE = {
    "time_zone_daily_conversion": "day_ends_at_utc = day_starts_at_utc",
    "time_zone_hourly_conversion": "utc_offset_seconds = utc_offset_seconds + 1",
    "time_zone_offset_conversion": "utc_offset_seconds = utc_offset_seconds + 1",
    "time_zone_conversion_zone": "canonical_name = 'Etc/GMT'",
    "time_zone_period_conversion": "local_microseconds_after = NULL",
}


@pytest.mark.parametrize("table", tables.CONVERSIONS.values(), ids=tables.CONVERSIONS)
def test_doctor_reads_every_row(database: Database, table: tables.Table) -> None:
    small(database.url, "UTC", "Asia/Kolkata")
    newest = f"SELECT max({table.order}) FROM {table.name} WHERE time_zone_name = 'UTC'"
    database.run(
        f"UPDATE {table.name} SET {DAMAGE[table.name]} "
        f"WHERE time_zone_name = 'UTC' AND {table.order} = ({newest})"
    )
    with engines.connect(database.url, read_only=True) as backend:
        found = health.doctor(backend, dt.datetime(2025, 11, 1))
    assert levels(found)["checksums"] == "error"


BROKEN = {
    "daily": ("day_ends_before_utc = day_ends_before_utc + INTERVAL '1' SECOND", "overlap"),
    "hourly": ("starts_at_utc = starts_at_utc + INTERVAL '0.5' SECOND", "overlap|whole second"),
    "offset": ("ends_before_time_zone = ends_before_time_zone - INTERVAL '1' HOUR", "local times"),
    "zone": ("zone_id = zone_id + 1000", "a number that no zone can have"),
    "period": ("zone_period = zone_period + 512000", "two"),
}
PERIODS = {
    "changes_at_utc = changes_at_utc - INTERVAL '60' DAY": "outside of its period (utc)",
    "changes_at_utc = NULL": "do not fit its change (utc)",
    "changes_at_time_zone = changes_at_time_zone + INTERVAL '51' DAY": "period (local)",
    "local_microseconds_after = local_microseconds_before": "do not fit its change (local)",
    "changes_at_utc = changes_at_utc + INTERVAL '0.25' SECOND": "no whole second",
}


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_broken_invariants_are_seen(database: Database, name: str) -> None:
    small(database.url, "America/New_York")
    table = tables.CONVERSIONS[name]
    change, said = BROKEN[name]
    key = table.order
    place = {"zone": 0, "period": 2}.get(name, 3)  # no change in February 1970
    database.run(
        f"UPDATE {table.name} SET {change} WHERE {key} = (SELECT {key} FROM {table.name} "
        f"ORDER BY {key} LIMIT 1 OFFSET {place})"
    )
    with engines.connect(database.url, read_only=True) as backend:
        assert any(part in backend.broken(table)["America/New_York"] for part in said.split("|"))


def test_broken_periods_are_seen(database: Database) -> None:
    small(database.url, "America/New_York", "Asia/Tokyo")
    with engines.connect(database.url) as backend:
        assert backend.broken(tables.PERIOD) == {}
        for damage, said in PERIODS.items():
            with contextlib.suppress(_UndoneError), backend.transaction():
                statement = (
                    f"UPDATE time_zone_period_conversion SET {damage} WHERE zone_period = "
                    "(SELECT max(zone_period) FROM time_zone_period_conversion WHERE "
                    "changes_at_utc IS NOT NULL AND time_zone_name = 'America/New_York')"
                )
                database.queries.append(statement)  # no statement of tzconv's
                backend.execute(statement)
                found = backend.broken(tables.PERIOD)
                assert found.keys() == {"America/New_York"}, damage
                assert said in found["America/New_York"], damage
                raise _UndoneError


def test_a_zone_table_that_does_not_fit_the_offset_table(database: Database) -> None:
    small(database.url, "America/New_York", "Asia/Tokyo", "UTC")
    table = tables.ZONE.name
    with engines.connect(database.url) as backend:
        for damage, said in (
            (f"DELETE FROM {table} WHERE time_zone_name = 'UTC'", {"UTC": "no row"}),
            (
                f"DELETE FROM {tables.OFFSET.name} WHERE time_zone_name = 'UTC'",
                {"UTC": "a row and no spans"},
            ),
            (
                f"UPDATE {table} SET zone_id = (SELECT max(zone_id) FROM {table})",
                dict.fromkeys(
                    ("America/New_York", "Asia/Tokyo", "UTC"), "the number of another zone"
                ),
            ),
            (f"UPDATE {table} SET rules_id = (SELECT max(rules_id) FROM {table})", {}),
        ):
            with contextlib.suppress(_UndoneError), backend.transaction():
                database.queries.append(damage)
                backend.execute(damage)
                assert backend.broken(tables.ZONE) == said
                if "rules_id" in damage:
                    # UTC has the least number: it shares the history of Africa/Abidjan
                    other = {"America/New_York", "UTC"}
                    number = "rows with the number of another zone"
                    assert backend.broken(tables.PERIOD) == dict.fromkeys(other, number)
                raise _UndoneError


class _UndoneError(Exception):
    pass


def test_rules_of_the_database(database: Database) -> None:
    """Tables and function agree by construction, CET included."""
    names = [*zones.installed().names[::9], "CET", "America/Edmonton", "America/Havana"]
    # a tree that is older than the database: that of the tests' PostgreSQL is PostgreSQL's own
    other = str(releases.TREE) if database.kind == "duckdb" else "tzdata"
    load = partial(refresh, database.url, start=START, end=END)
    assert load(zones=names, rules=other).disagreements
    for some in (names, names[1:]):
        with pytest.raises(MismatchError, match="--rules database"):
            load(zones=some, rules=other, on_mismatch="fail", **FREE)
    result = load(zones=names, rules="database")
    assert result.rules == "database"
    assert result.tz_release.startswith(("DuckDB", "PostgreSQL", "Vertica"))
    assert result.disagreements == ()
    assert not load(zones=names, rules="database").changed


def test_migrations_up_down_and_up_again(tmp_path: Path, server: postgres.Server) -> None:
    """By the command alembic itself, and by tzconv: the same tables."""
    for schema in (None, 'odd "name" :x %'):
        url = server.fresh("migrated")
        given = []
        if schema is not None:
            with server.connect("migrated") as connection:
                connection.execute('CREATE SCHEMA "odd ""name"" :x %"')
            given = ["-x", f"schema={schema}"]
        alembic = [sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini"]
        alembic += ["-x", f"url={url}", *given]
        shapes = []
        for step in (["upgrade", "head"], ["downgrade", "base"], ["upgrade", "head"]):
            subprocess.run([*alembic, *step], cwd=ROOT, check=True, capture_output=True)
            shapes.append(shape(server))
        assert shapes[0] == shapes[2]
        assert len(shapes[1]) < len(shapes[0])
        with engines.connect(url, schema=schema) as backend:
            backend.check_ours()
            assert backend.migration() == migrate.newest()
            for statement in migrate.statements("postgres", schema, backend.migration(), "base"):
                backend.execute(statement)
            migrate.migrate(backend)
        assert shape(server) == shapes[0]
        assert refresh(url, zones=["UTC"], start=START, end=END, schema=schema).changed
    server.drop("migrated")


def shape(server: postgres.Server) -> list[tuple[object, ...]]:
    with server.connect("migrated") as connection:
        return connection.execute(
            "SELECT table_schema, table_name, column_name, data_type, is_nullable "
            "FROM information_schema.columns WHERE table_schema NOT IN "
            "('pg_catalog', 'information_schema') ORDER BY 1, 2, ordinal_position"
        ).fetchall()


def test_the_age_of_the_last_refresh(database: Database) -> None:
    """One that found nothing to do counts; a clock that was wrong hides nothing."""
    small(database.url)
    hour, most = dt.timedelta(hours=1), dt.timedelta(hours=36)
    with engines.connect(database.url, read_only=True) as backend:
        release = backend.newest_release()
        assert release is not None
        last = release["last_checked_at"]
        for now, level in (
            (last, "ok"),
            (last + most, "ok"),
            (last + most + hour, "error"),
            (last - most, "ok"),
            (last - most - hour, "error"),
        ):
            assert levels(health.status(backend, now, most))["age"] == level
            assert levels(health.status(backend, now))["age"] == "ok"
    old = last - 2 * most
    database.run(f"UPDATE {tables.RELEASE.name} SET last_checked_at = '{old.isoformat(' ')}'")
    assert not small(database.url)
    with engines.connect(database.url, read_only=True) as backend:
        assert levels(health.doctor(backend, None, most))["age"] == "ok"
    # a revision before 0003 has not kept it: the end of the refresh counts
    database.run(f"UPDATE {tables.RELEASE.name} SET last_checked_at = NULL")
    with engines.connect(database.url, read_only=True) as backend:
        assert levels(health.status(backend, last + most + hour, most))["age"] == "error"


def test_a_refresh_after_one_in_the_future(database: Database) -> None:
    """Its row stays the newest, and says when it really looked."""
    small(database.url)
    database.run(f"UPDATE {tables.RELEASE.name} SET finished_at = '2199-01-01 00:00:00'")
    assert small(database.url, "UTC", "Asia/Tokyo")
    assert not small(database.url, "UTC", "Asia/Tokyo")
    with engines.connect(database.url, read_only=True) as backend:
        release = backend.newest_release()
        assert release is not None
        assert release["zone_count"] == 2
        assert release["last_checked_at"] < backend.now() + dt.timedelta(hours=1)
        assert release["last_checked_at"] < release["finished_at"]


def test_today_before_the_horizon(database: Database) -> None:
    small(database.url)
    with engines.connect(database.url, read_only=True) as backend:
        for now, level in (("2025-12-31 23:59", "error"), ("2026-01-01", "warning")):
            found = health.status(backend, dt.datetime.fromisoformat(now))
            assert levels(found)["horizon"] == level

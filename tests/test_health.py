"""Status and doctor, rules of the database, and migrations, on every database."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest

from tests import postgres
from tests.databases import Database
from tzconv import backends, health, migrate, tables, zones
from tzconv.refresher import MismatchError, refresh

START, END = dt.date(2026, 1, 1), dt.date(2026, 3, 1)
ROOT = Path(__file__).parent.parent


def levels(found: health.Health) -> dict[str, str]:
    return {finding.check: finding.level for finding in found.findings}


def test_status_before_and_after(database: Database) -> None:
    if database.kind != "duckdb":
        with backends.connect(database.url, read_only=True) as backend:
            assert not health.status(backend).healthy
    refresh(database.url, zones=["UTC", "Asia/Kolkata"], start=START, end=END)
    with backends.connect(database.url, read_only=True) as backend:
        for day, level in ((1, "warning"), (59, "error")):
            now = dt.datetime(2026, 1, 1) + dt.timedelta(days=day)
            found = health.status(backend, now)
            assert levels(found)["horizon"] == level
            assert found.healthy == (level != "error")
        early = health.doctor(backend, dt.datetime(2025, 11, 1))
        assert set(levels(early).values()) == {"ok"}
        assert early.days_left == 120
        assert early.sizes["hourly"] > 0
        assert early.installed_tz_release == zones.installed().release


@pytest.mark.parametrize("table", tables.CONVERSIONS.values(), ids=tables.CONVERSIONS)
def test_doctor_reads_every_row(database: Database, table: tables.Table) -> None:
    refresh(database.url, zones=["UTC", "Asia/Kolkata"], start=START, end=END)
    number = "utc_offset_seconds"
    damage = "day_ends_at_utc = day_starts_at_utc"
    if number in {column.name for column in table.columns}:
        damage = f"{number} = {number} + 1"
    key = f"{table.key[0]} = 'UTC' AND {table.key[1]}"
    newest = f"SELECT max({table.key[1]}) FROM {table.name} WHERE {table.key[0]} = 'UTC'"
    database.run(f"UPDATE {table.name} SET {damage} WHERE {key} = ({newest})")
    with backends.connect(database.url, read_only=True) as backend:
        found = health.doctor(backend, dt.datetime(2025, 11, 1))
    assert levels(found)["checksums"] == "error"


BROKEN = {
    "daily": ("day_ends_before_utc = day_ends_before_utc + INTERVAL '1' SECOND", "overlap"),
    "hourly": ("starts_at_utc = starts_at_utc + INTERVAL '0.5' SECOND", "overlap|whole second"),
    "offset": ("ends_before_time_zone = ends_before_time_zone - INTERVAL '1' HOUR", "local times"),
    "utc_day": ("utc_day = utc_day + 4000", "overlap"),
}


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_broken_invariants_are_seen(database: Database, name: str) -> None:
    refresh(database.url, zones=["America/New_York"], start=START, end=END)
    table = tables.CONVERSIONS[name]
    change, said = BROKEN[name]
    key = table.key[1]
    database.run(
        f"UPDATE {table.name} SET {change} WHERE {key} = (SELECT {key} FROM {table.name} "
        f"ORDER BY {key} LIMIT 1 OFFSET 3)"
    )
    with backends.connect(database.url, read_only=True) as backend:
        assert any(part in backend.broken(table)["America/New_York"] for part in said.split("|"))


def test_rules_of_the_database(database: Database) -> None:
    """Tables and function agree by construction, CET included."""
    names = [*zones.installed().names[::9], "CET", "America/Edmonton", "America/Havana"]
    assert refresh(database.url, zones=names, start=START, end=END).disagreements
    with pytest.raises(MismatchError, match="--rules database"):
        refresh(database.url, zones=names, start=START, end=END, on_mismatch="fail")
    with pytest.raises(MismatchError, match="--rules database"):
        refresh(database.url, zones=names[1:], start=START, end=END, on_mismatch="fail")
    result = refresh(database.url, zones=names, start=START, end=END, rules="database")
    assert result.rules == "database"
    assert result.tz_release.startswith(("DuckDB", "PostgreSQL", "Vertica"))
    assert result.disagreements == ()
    assert not refresh(database.url, zones=names, start=START, end=END, rules="database").changed


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
        with backends.connect(url, schema=schema) as backend:
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

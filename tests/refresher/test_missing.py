"""What somebody has dropped or deleted: named by status and doctor, and made again by a refresh."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.command import assert_one_sentence, run
from tests.databases import ALL, Database
from tzconv import engines, health, migrate, tables
from tzconv.errors import DatabaseError
from tzconv.refresher import Refresh, refresh
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

TODAY = dt.datetime(2026, 1, 15)
START, END = dt.date(2026, 1, 1), dt.date(2026, 7, 1)
ZONES = ["America/New_York", "Asia/Kolkata", "UTC"]
RELEASE, MIGRATION = tables.RELEASE.name, tables.MIGRATION
DROPPED = {table.name: f"DROP TABLE {table.name}" for table in tables.ALL}
DAMAGE = {
    **DROPPED,
    MIGRATION: f"DROP TABLE {MIGRATION}",
    "no revision": f"DELETE FROM {MIGRATION}",
    "older revision": f"UPDATE {MIGRATION} SET version_num = '0004'",
    "no row": f"DELETE FROM {RELEASE}",
}
NAMED = {"no revision": MIGRATION, "older revision": "revision 0004", "no row": RELEASE}
LOST = {"no row", RELEASE}
"""With these nothing says any more what was loaded."""
OFFSET, ZONE, DAILY = tables.OFFSET.name, tables.ZONE.name, tables.DAILY.name
SEVERAL: list[tuple[str, ...]] = [
    (OFFSET, ZONE),
    (OFFSET, "no revision"),
    (ZONE, MIGRATION),
    (RELEASE, MIGRATION),
    (DAILY, "no row"),
    (OFFSET, "no row"),
    ("no revision", "no row"),
    tuple(table.name for table in tables.CONVERSIONS.values()),
    tuple(DROPPED),
]
ROOM: dict[str, Any] = {"start": START, "end": END, "zones": ZONES, "tables": ALL}


def again(database: Database, *, repair: bool, schema: str | None = None) -> Refresh:
    """As a nightly job; the horizon is given, because without the row only the zones are known."""
    return refresh(database.url, start=START, end=END, tables=ALL, repair=repair, schema=schema)


def said_by_health(
    database: Database, schema: str | None = None, *, is_upgrade: bool = False
) -> set[str]:
    """What is wrong, for status and doctor: the same."""
    with engines.connect(database.url, read_only=True, schema=schema) as backend:
        one, other = (check(backend, TODAY) for check in (health.status, health.doctor))
    assert one.healthy == other.healthy == is_upgrade
    texts = [
        {check.text for check in found.findings if check.check in ("rows", "loaded")}
        for found in (one, other)
    ]
    assert texts[0] == texts[1]
    return texts[0]


CASES = [(damage, n % 2 == 0) for n, damage in enumerate([*((one,) for one in DAMAGE), *SEVERAL])]
"""Each damage, and whether ``--repair`` is given: both, on one of the databases."""


@pytest.mark.parametrize(("damage", "repair"), CASES)
def test_what_is_missing(database: Database, damage: tuple[str, ...], repair: bool) -> None:
    damage_and_refresh(database, damage, repair=repair)


@pytest.mark.parametrize(("damage", "other"), CASES)
def test_what_is_missing_otherwise(tmp_path: Path, damage: tuple[str, ...], other: bool) -> None:
    database = Database("duckdb", f"duckdb:///{tmp_path}/tz.duckdb")
    damage_and_refresh(database, damage, repair=not other)


def damage_and_refresh(database: Database, damage: tuple[str, ...], *, repair: bool) -> None:
    refresh(database.url, **ROOM)
    database.run(*(DAMAGE[one] for one in damage))
    said = said_by_health(database, is_upgrade=damage == ("older revision",))
    everything = set(DROPPED) <= set(damage)
    if everything:
        assert said == {"No conversion tables are loaded: run tzconv refresh."}
    for one in () if everything else damage:
        assert any(NAMED.get(one, one) in text for text in said), (one, said)
    if LOST & set(damage) and not repair and not everything:
        with pytest.raises(DatabaseError, match="refresh --repair"):
            again(database, repair=False)
        return
    if everything:  # nothing is left that says which zones
        refresh(database.url, **ROOM, repair=repair)
    again(database, repair=repair)
    database.assert_holds(zones.installed(), ZONES, Horizon(START, END))
    with engines.connect(database.url, read_only=True) as backend:
        assert health.doctor(backend, TODAY).healthy
    assert not again(database, repair=True).changed


@pytest.mark.not_core
@pytest.mark.parametrize("revision", ["0001", "0004", "none", "newest"])
def test_tables_without_any_row(database: Database, revision: str) -> None:
    """As a dump of the schema alone leaves them; also of an old revision."""
    if revision in ("none", "newest"):
        refresh(database.url, **ROOM)
        database.run(*(f"DELETE FROM {table}" for table in DROPPED))
        if revision == "none":
            database.run(f"DELETE FROM {MIGRATION}")
    else:
        database.apply(*migrate.statements(database.kind, None, None, revision))
    if revision == "none":
        assert said_by_health(database) == {"No conversion tables are loaded: run tzconv refresh."}
    assert refresh(database.url, **ROOM).changed
    database.assert_holds(zones.installed(), ZONES, Horizon(START, END))
    assert not again(database, repair=True).changed


@pytest.mark.parametrize("schema", [None, 'odd "name" :x %'])
def test_lost_primary_keys(server: postgres.Server, schema: str | None) -> None:
    """Of each table, one after the other."""
    url = server.fresh("keys")
    database = Database("postgres", url, server, "keys")
    if schema is not None:
        database.run('CREATE SCHEMA "odd ""name"" :x %"')
    refresh(url, **ROOM, schema=schema)
    prefix = "" if schema is None else '"odd ""name"" :x %".'
    for place, table in enumerate(tables.ALL):
        [(key,)] = database.run(
            f"SELECT conname FROM pg_constraint WHERE contype = 'p' "
            f"AND conrelid = '{prefix}{table.name}'::regclass"
        )
        database.run(f"ALTER TABLE {prefix}{table.name} DROP CONSTRAINT {key}")
        assert any(
            f"primary key of {table.name}" in text for text in said_by_health(database, schema)
        )
        again(database, repair=place % 2 == 0, schema=schema)
        with engines.connect(url, read_only=True, schema=schema) as backend:
            assert health.doctor(backend, TODAY).healthy, table.name
            assert not backend.missing_keys()
    server.drop("keys")


def test_a_lost_key_and_doubled_rows(server: postgres.Server) -> None:
    url = server.fresh("doubled")
    database = Database("postgres", url, server, "doubled")
    for table in tables.CONVERSIONS.values():
        refresh(url, **ROOM)
        [(key,)] = database.run(
            f"SELECT conname FROM pg_constraint WHERE contype = 'p' "
            f"AND conrelid = '{table.name}'::regclass"
        )
        columns = ", ".join(column.name for column in table.columns)
        database.run(
            f"ALTER TABLE {table.name} DROP CONSTRAINT {key}",
            f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM {table.name} "
            "WHERE time_zone_name = 'UTC'",
        )
        assert said_by_health(database)
        again(database, repair=False)
        database.assert_holds(zones.installed(), ZONES, Horizon(START, END))
    server.drop("doubled")


def test_a_dropped_table_of_a_schema(database: Database) -> None:
    database.run('CREATE SCHEMA "Reports x"')
    refresh(database.url, **ROOM, schema="Reports x")
    for table in tables.ALL:
        database.run(f'DROP TABLE "Reports x".{table.name}')
        assert any(table.name in text for text in said_by_health(database, "Reports x"))
        again(database, repair=table is tables.RELEASE, schema="Reports x")
        with engines.connect(database.url, read_only=True, schema="Reports x") as backend:
            assert health.doctor(backend, TODAY).healthy, table.name


def test_a_role_that_may_not_create_tables(server: postgres.Server) -> None:
    url = server.fresh("limited")
    database = Database("postgres", url, server, "limited")
    refresh(url, **ROOM)
    database.run(
        "DROP ROLE IF EXISTS limited_writer",
        "CREATE ROLE limited_writer LOGIN",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO limited_writer",
    )
    mine = server.url("limited", user="limited_writer")
    given = ["--start", str(START), "--end", str(END), "--tables", ",".join(ALL)]
    cwd = server.data
    assert run("refresh", "--url", mine, *given, cwd=cwd).returncode == 0
    for damage in (f"DROP TABLE {DAILY}", f"DROP TABLE {MIGRATION}"):
        database.run(damage)
        for flags in ([], ["--repair"]):
            done = run("refresh", "--url", mine, *given, *flags, cwd=cwd)
            assert_one_sentence(done, "permission denied")
        status = run("status", "--url", mine, cwd=cwd)
        assert status.returncode == 1
        assert "Traceback" not in status.stderr
        assert damage.split()[-1] in status.stdout
    server.drop("limited")
    with server.connect() as connection:
        connection.execute("DROP ROLE limited_writer")

"""Every statement that is ever sent to a Vertica, in one file for those who watch over it.

TZCONV_UPDATE_GOLDEN=1 writes the file anew; read the diff before you commit it. That nothing else
is sent, the fixture ``database`` looks at after each of its tests.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlfluff

from tests import databases, postgres
from tests.databases import ALL, FREE, Database
from tests.engines.vertica import sent
from tests.releases import TREE, tzif
from tzconv import bench, engines, health, migrate, tables
from tzconv._version import __version__
from tzconv.errors import DatabaseError
from tzconv.refresher import loaded, refresh, replaced_rules

START, END = dt.date(2026, 11, 1), dt.date(2026, 11, 8)
ZONES = ["America/Edmonton", "Asia/Kolkata", "UTC"]
BENCH = ("hourly", "local-days", "local-days-12", "local-days-50")  # which need all its tables

HEAD = """\
-- Every kind of statement that tzconv sends to a Vertica, in the order in which the commands below
-- first send it. A statement that differs from one above in its values alone is left out.
-- Rows go over after COPY, as gzipped lines. What only reads ends with ROLLBACK.
"""


@pytest.fixture
def database(tmp_path: Path, server: postgres.Server) -> Iterator[Database]:
    with databases.fresh("vertica", tmp_path, server) as opened:
        yield opened


def small(database: Database, **other: object) -> None:
    given = {"zones": ZONES, "start": START, "end": END, "rules": "tzdata", "tables": ALL, **FREE}
    refresh(database.url, seed=1, **{**given, **other})


def commands(database: Database, folder: Path) -> Iterator[str]:  # noqa: PLR0915 # one thing each
    """Do one thing after another; yields what it was, once it is done."""
    (folder / "Home").write_bytes(tzif([], [], [(3600, 0, "HOM")], "HOM-1"))
    with engines.connect(database.url) as backend, backend.transaction():
        backend.lock()
        migrate.migrate(backend)
    yield "tzconv migrate"
    small(database, rules=TREE)
    yield "tzconv refresh, the first time"
    small(database, rules=TREE)
    yield "tzconv refresh, with nothing to do"
    small(database)
    yield "tzconv refresh, with a new tz release"
    with engines.connect(database.url) as backend:
        release, rules = loaded.read_rules(backend)
        assert replaced_rules.rules_before(backend, release or {}, rules) is not None
    yield "tzconv impact"
    zones = ["Asia/Kolkata", "Asia/Seoul", "Asia/Tokyo"]
    small(database, zones=zones, start=dt.date(2026, 11, 3))
    yield "tzconv refresh, with other zones and another horizon"
    small(database, zones=zones, end=dt.date(2026, 11, 9))
    yield "tzconv refresh, with a horizon that moved"
    small(database, zones=["Europe/Paris"])
    yield "tzconv refresh, with none of the old zones"
    small(database, zones=["Home"], rules=folder)
    yield "tzconv refresh, with a name that the server does not know"
    small(database, zones=["Europe/Paris"], repair=True)
    yield "tzconv refresh --repair"
    small(database, zones=ZONES, rules="database")
    yield "tzconv refresh --rules database"
    with engines.connect(database.url) as one, one.transaction():
        one.lock()
        with pytest.raises(DatabaseError, match="Another refresh"):
            small(database, lock_timeout=0)
    yield "tzconv refresh, while another one is at work"
    with engines.connect(database.url, schema="public") as backend:
        health.status(backend)
        yield "tzconv status --db-schema public"
        health.doctor(backend)
        yield "tzconv doctor"
        zone = backend.session_time_zone()
        backend.column_types()
        backend.set_session_time_zone(zone)
        backend.query("SELECT COUNT(*) FROM time_zone_hourly_conversion")
        yield "tzconv compare, with the user's query"
    database.apply(*migrate.statements("vertica", None, migrate.newest(), "0001"))
    with engines.connect(database.url) as backend:
        health.doctor(backend)
    yield "tzconv doctor, of revision 0001"
    small(database)
    yield "tzconv refresh, of revision 0001"
    bench.run(bench.BenchOptions(database.url, 200, 3, BENCH, rounds=1), lambda _: None, END)
    yield "tzconv bench, without its queries"
    database.run(f"DROP TABLE {tables.RELEASE.name}")
    with pytest.raises(DatabaseError, match="without the release row of a refresh"):
        small(database)
    yield "tzconv refresh, without the release table"
    database.run(f"DROP TABLE {tables.MIGRATION}", f"DROP TABLE {tables.ZONE.name}")
    small(database, repair=True)
    yield "tzconv refresh --repair, without three of the tables"
    database.run(f"DELETE FROM {tables.MIGRATION}")
    small(database)
    yield "tzconv refresh, without the revision"
    database.run(f"UPDATE {tables.MIGRATION} SET version_num = '0004'")
    small(database)
    yield "tzconv refresh, with the number of an older revision"
    database.apply(*migrate.statements("vertica", None, migrate.newest(), "0004"))
    database.run(
        f"INSERT INTO {tables.PERIOD.name} (zone_period, time_zone_name) VALUES (0, 'UTC')"
    )
    small(database)
    yield "tzconv refresh, of revision 0004"


def written(database: Database, folder: Path) -> str:
    """The golden file."""
    assert database.vertica is not None
    seen: set[str] = set()
    text = HEAD
    before = 0
    for command in commands(database, folder):
        recorded = database.vertica.statements[before:]
        before += len(recorded)
        new = []
        queries = database.queries if "bench" in command else ()
        for statement in sent.ours(recorded, queries):
            if sent.shape(statement) not in seen:
                seen.add(sent.shape(statement))
                new.append(statement)
        if new:
            text += f"\n-- {command}\n" + "".join(f"{stable(one, folder)};\n" for one in new)
    return text


def stable(statement: str, folder: Path) -> str:
    """Without times of day, folders and the release of tzconv, which are others each time."""
    statement = statement.replace(str(TREE), "/rules").replace(str(folder), "/home")
    statement = re.sub(r"TIMESTAMP '[^']*\.\d+'", "TIMESTAMP '2026-11-21 10:00:00'", statement)
    statement = re.sub(r"tzconv_bench_\w+", "tzconv_bench", statement)
    return statement.replace(f"'{__version__}'", "'VERSION'")


def test_the_file_has_every_statement(database: Database, tmp_path: Path) -> None:
    found = written(database, tmp_path)
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        sent.GOLDEN.write_text(found)
    assert sent.GOLDEN.read_text() == found


def test_a_statement_that_is_not_in_the_file_is_seen() -> None:
    known = [
        f"DELETE FROM {tables.DAILY.name} WHERE time_zone_name IN ('A', 'B', 'C')",
        f"DELETE FROM \"other\".{tables.DAILY.name} WHERE time_zone_name IN ('A')",
    ]
    assert sent.unknown(known) == []
    for wrong in (f"TRUNCATE TABLE {tables.DAILY.name}", f"DELETE FROM {tables.DAILY.name}2"):
        assert sent.unknown([*known, wrong]) == [wrong]


MIGRATING = [
    statement
    for statement in migrate.statements("vertica", None, "0001")
    if statement.startswith(("ALTER", "DROP"))
]
"""These commit, before the transaction of a refresh begins, and may run again."""


def test_what_may_have_run_already_is_conditional() -> None:
    assert len(MIGRATING) == 13
    assert all(" IF NOT EXISTS " in one or " IF EXISTS " in one for one in MIGRATING)


def test_what_vertica_would_do_by_itself_is_never_left_to_it() -> None:
    for statement in sent.in_golden():
        first = statement.split()[0]
        if statement == 'DROP SCHEMA IF EXISTS "tzconv_bench" CASCADE':
            continue  # which the benchmark has made
        if statement in MIGRATING:
            continue
        assert first not in ("TRUNCATE", "MERGE", "ALTER", "DROP")
        if first == "COPY":
            assert statement.endswith("ABORT ON ERROR NO COMMIT")


def test_another_reader_of_the_dialect_takes_them() -> None:
    """sqlfluff knows neither NO COMMIT nor LOCK TABLE, SHOW, SAVEPOINT and CURRENT_USER."""
    unread = ("COPY", "LOCK", "SHOW", "SAVEPOINT", "ROLLBACK TO", "SET", "SELECT CURRENT_USER")
    taken = [s for s in sent.in_golden() if not s.startswith(unread)]
    assert len(taken) > 30
    found = sqlfluff.lint(";\n".join([*taken, ""]), dialect="vertica", rules=["LT12"])
    assert [one for one in found if one["code"] in ("PRS", "LXR", "TMP")] == []

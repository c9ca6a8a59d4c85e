"""Vertica as a backend when something goes wrong: locks, lost connections, kills, rejected rows."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests import databases, postgres, reference
from tests.databases import END, FREE, START, Database, message, quiet, small, vertica_of
from tests.refresher.kills import ONE, OTHER, READ, Reader, end, fits, seconds_of_a_job, start
from tests.releases import tzif
from tests.waiting import SECONDS
from tzconv import engines, migrate, tables
from tzconv.engines.backend import Backend
from tzconv.engines.vertica.load import Vertica
from tzconv.errors import DatabaseError
from tzconv.refresher import Disagreement, refresh
from tzconv.tables import generate
from tzconv.tz import horizon
from tzconv.tz.zones import installed

RULES = installed()
KILLS = int(os.environ.get("TZCONV_KILLS", "6"))


@pytest.fixture
def database(tmp_path: Path, server: postgres.Server) -> Iterator[Database]:
    with databases.fresh("vertica", tmp_path, server) as opened:
        yield opened


# -- locks


@pytest.mark.not_core
def test_a_second_refresh_waits_and_then_says_who_is_at_work(database: Database) -> None:
    small(database.url)
    with engines.connect(database.url) as one, one.transaction():
        one.lock()
        said = message(database.url, "Asia/Tokyo", lock_timeout=0.3)
        assert f"process {os.getpid()} of" in said
        assert "user dbadmin" in said
        assert "--lock-timeout" in said
        assert not small(database.url)  # nothing to do needs no lock
        done: list[bool] = []
        waiting = threading.Thread(
            target=lambda: done.append(small(database.url, "Asia/Tokyo", lock_timeout=SECONDS))
        )
        waiting.start()
        time.sleep(0.5)
        assert done == []
    waiting.join(SECONDS)
    assert done == [True]


def test_refreshes_of_two_schemas_do_not_wait(database: Database) -> None:
    database.run("CREATE SCHEMA a", "CREATE SCHEMA b")
    with engines.connect(database.url, schema="a") as one, one.transaction():
        one.lock()
        assert small(database.url, schema="b", lock_timeout=0.2)


def test_the_lock_outlives_the_commits_of_ddl(database: Database) -> None:
    with (
        engines.connect(database.url) as one,
        engines.connect(database.url) as two,
        one.transaction(),
    ):
        one.lock()
        migrate.migrate(one)
        with two.transaction(), pytest.raises(DatabaseError, match="Another refresh is at work"):
            two.lock()


def test_many_first_refreshes_at_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """DDL gives the lock away, and whoever waits longest takes it: the jobs alternate."""
    lock, chance = Vertica.lock, random.Random(20261124)
    done: list[bool] = []

    def late(self: Vertica) -> None:
        time.sleep(chance.uniform(0, 0.05))
        lock(self)

    monkeypatch.setattr(Vertica, "lock", late)
    names = ["UTC", "Asia/Tokyo", "Asia/Kolkata"]

    def load(name: str) -> None:
        done.append(small(database.url, name, lock_timeout=SECONDS))

    threads = [threading.Thread(target=load, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert done == [True] * 3
    assert database.run(f"SELECT version_num FROM {tables.MIGRATION}") == [(migrate.newest(),)]
    assert database.run(f"SELECT count(*) FROM {tables.RELEASE.name}") == [(3,)]
    [(zone,)] = database.run(f"SELECT DISTINCT time_zone_name FROM {tables.HOURLY.name}")
    database.assert_holds(RULES, [str(zone)], horizon.Horizon(START, END))


def test_other_programs_work_on_the_tables(database: Database) -> None:
    """A reader's long transaction is no obstacle; a lock on a table is waited for and named."""
    small(database.url)
    server = vertica_of(database)
    server.lock_timeout = 0.5
    assert database.server is not None
    with database.server.connect(database.name) as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute(f"SELECT count(*) FROM {tables.DAILY.name}")
        reader.execute("ROLLBACK; BEGIN")
        reader.execute(f"LOCK TABLE {tables.DAILY.name} IN EXCLUSIVE MODE")
        before = database.contents()
        said = message(database.url, "Europe/Paris")
        assert "Locking failure" in said
        assert "another session holds a lock" in said
        assert database.contents() == before
        reader.execute("ROLLBACK")
    assert small(database.url, "Europe/Paris")


# -- failures in the middle


@pytest.mark.parametrize("size", [1, 400, 20_000])
def test_a_connection_that_is_cut_in_a_copy_leaves_the_old_state(
    database: Database, size: int
) -> None:
    small(database.url)
    before = database.contents()
    vertica_of(database).drop_copy_after(size=size)
    said = message(database.url, "Asia/Tokyo", "Europe/Paris", end=dt.date(2027, 1, 1))
    assert said.startswith("The connection to Vertica was lost")
    assert database.contents() == before
    assert small(database.url, "Asia/Tokyo")


def test_a_session_that_is_closed_leaves_the_old_state(database: Database) -> None:
    small(database.url)
    before = database.contents()
    server = vertica_of(database)
    with engines.connect(database.url) as backend, pytest.MonkeyPatch.context() as patch:
        load = Vertica.load

        def cut(self: Vertica, *rest: Any, **other: Any) -> None:
            server.kill_all()
            load(self, *rest, **other)

        patch.setattr(Vertica, "load", cut)
        with pytest.raises(DatabaseError, match="The connection to Vertica was lost"):
            small(backend, "Asia/Tokyo")
    assert database.contents() == before
    assert small(database.url, "Asia/Tokyo")


@pytest.mark.not_core
def test_an_interrupt_in_the_middle_of_a_copy(database: Database) -> None:
    small(database.url)
    before = database.contents()

    def interrupted(name: str, done: int, _: int) -> None:
        if (name, done) == ("hourly", 1):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small(database.url, "Asia/Tokyo", progress=interrupted)
    assert database.contents() == before
    assert small(database.url, "Asia/Tokyo", lock_timeout=10)


def reader_of(batch: pa.RecordBatch) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def load_instead(backend: Backend, batch: pa.RecordBatch) -> None:
    with backend.transaction():
        backend.delete(tables.PERIOD, None)
        backend.load(tables.PERIOD, reader_of(batch), new=False)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Z" * 401, "has been rejected"),
        ("a|b", "cannot be loaded into Vertica"),
        ('a"b', "cannot be loaded into Vertica"),
    ],
)
def test_a_row_that_is_rejected_leaves_the_old_state(
    database: Database, name: str, said: str
) -> None:
    small(database.url)
    before = database.contents()
    batch = generate.stream("period", RULES, ["UTC"], horizon.Horizon(START, END)).read_all()
    [batch] = batch.to_batches()
    names = pa.array([name] * batch.num_rows).cast(batch.schema.field("time_zone_name").type)
    batch = batch.set_column(1, "time_zone_name", names)
    with engines.connect(database.url) as backend:
        with pytest.raises(DatabaseError, match=said) as caught:
            load_instead(backend, batch)
        assert "\n" not in str(caught.value)
        assert database.contents() == before
        assert small(backend, "Asia/Tokyo")


def test_rows_that_were_not_counted_are_missed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that says that it took all of them, and took fewer."""
    small(database.url)
    before = database.contents()
    run = Vertica._run

    def lying(self: Vertica, sql: str) -> list[Any]:
        rows = run(self, sql)
        return [[rows[0][0] - 1, 0]] if "GET_NUM_ACCEPTED_ROWS" in sql else rows

    monkeypatch.setattr(Vertica, "_run", lying)
    assert "nothing was changed" in message(database.url, "Asia/Tokyo")
    assert database.contents() == before


def test_a_server_that_aborts_transactions_by_any_error(database: Database, tmp_path: Path) -> None:
    """Vertica undoes the statement; nothing of ours rests on it."""
    vertica_of(database).statement_level_rollback = False
    (tmp_path / "Home").write_bytes(tzif([], [], [(3600, 0, "HOM")], "HOM-1"))
    (tmp_path / "UTC").write_bytes(reference.bytes_of("UTC"))
    assert small(database.url, "Home", "UTC", rules=tmp_path)
    assert not small(database.url, "Home", "UTC", rules=tmp_path)
    given: dict[str, Any] = {
        "zones": ["Home"],
        "start": START,
        "end": END,
        "rules": tmp_path,
        "repair": True,
    }
    result = refresh(database.url, **given, **FREE)
    assert result.disagreements == (Disagreement("Home", "unknown"),)


# -- killed


def test_killed_at_random(database: Database) -> None:
    """The job with SIGKILL, or its session in the server; a reader runs all the time."""
    chance = random.Random(20261121)
    server = vertica_of(database)
    whole = seconds_of_a_job(database)
    reader = Reader(database)
    reader.start()
    ended = []
    for number in range(KILLS):
        job = start(database, OTHER if number % 2 else ONE)
        time.sleep(chance.uniform(0, whole))
        if number % 3 == 0:
            job.kill()
        elif number % 3 == 1:
            server.kill_all()
        else:
            server.drop_copy_after(size=chance.randrange(1, 60_000))
        ended.append(end(job))
        reader.wait_for_another()
    server.drop_copy_after()
    for zones in (ONE, OTHER):
        assert end(start(database, zones)) == 0
    reader.end()
    assert len(set(ended)) > 1  # some were stopped, or the test says nothing
    [row] = database.run(READ)
    assert row[-1] == len(OTHER.split(","))


def test_jobs_at_once_end_one_after_the_other(database: Database) -> None:
    jobs = [start(database, zones) for zones in (ONE, OTHER, ONE)]
    assert [end(job) for job in jobs] == [0, 0, 0]
    [row] = database.run(READ)
    assert fits(row)


# -- memory

LOAD = """
import sys, datetime as dt
from pathlib import Path
from tzconv import engines, tables
from tzconv.tables import generate
from tzconv.tz import horizon, zones
years = int(sys.argv[2])
range_ = horizon.Horizon(dt.date(2026, 1, 1), dt.date(2026 + years, 1, 1))
names = zones.installed().names[:12]
with engines.connect(sys.argv[1]) as backend, backend.transaction():
    rows = generate.stream("hourly", zones.installed(), names, range_)
    backend.load(tables.HOURLY, rows, new=False)
# not ru_maxrss, which keeps the peak of the process that started this one
[line] = [x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmHWM")]
print(int(line.split()[1]) // 1024)
"""


def test_loading_needs_no_more_memory_for_more_rows(database: Database) -> None:
    with engines.connect(database.url) as backend, backend.transaction():
        backend.lock()
        migrate.migrate(backend)
    peaks = {}
    for years in (1, 8):
        done = subprocess.run(
            [sys.executable, "-c", LOAD, database.url, str(years)],
            capture_output=True,
            text=True,
            check=True,
        )
        peaks[years] = int(done.stdout)
    [(rows,)] = database.run(f"SELECT count(*) FROM {tables.HOURLY.name}")
    assert int(str(rows)) > 900_000
    assert peaks[8] < 300
    # seven times as many rows, of which a zone is in memory at a time
    assert peaks[8] - peaks[1] < 40, peaks


def test_a_command_that_fails_leaves_no_socket(database: Database) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with contextlib.suppress(DatabaseError):
            engines.connect(quiet(vertica_of(database).url("nobody")))
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1

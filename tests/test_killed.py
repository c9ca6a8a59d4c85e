"""Jobs and servers that are killed at random, with a reader running all the time."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import databases, postgres
from tests.databases import Database
from tzconv import tables
from tzconv.horizon import Horizon
from tzconv.refresher import refresh
from tzconv.zones import installed

JOB = """
import datetime as dt, sys
from tzconv.horizon import Horizon
from tzconv.refresher import refresh
from tzconv.zones import installed
print("go", flush=True)
refresh(sys.argv[1], zones=sys.argv[2].split(","), start=dt.date(2026, 1, 1),
        end=dt.date(2028, 1, 1))
"""
ONE = "America/New_York,Asia/Kolkata,Europe/Berlin,Australia/Adelaide,America/St_Johns,UTC"
OTHER = "America/New_York,Asia/Kathmandu,Europe/Paris,Australia/Sydney,Asia/Tokyo,America/Lima"
COUNTS = ", ".join(f"{name}_rows" for name in tables.CONVERSIONS)
TABLES = [table.name for table in tables.ALL]
READ = (
    f"SELECT {COUNTS}, "
    + ", ".join(f"(SELECT count(*) FROM {t.name})" for t in tables.CONVERSIONS.values())
    + f", zone_count, (SELECT count(DISTINCT time_zone_name) FROM {tables.OFFSET.name}) "
    f"FROM {tables.RELEASE.name} ORDER BY finished_at DESC LIMIT 1"
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """In a server of its own, because the server is killed too."""
    with (
        postgres.running() as server,
        databases.fresh("postgres", tmp_path, server) as opened,
    ):
        yield opened


class Reader(threading.Thread):
    """Reads in one statement after another, and keeps what did not fit together."""

    def __init__(self, database: Database) -> None:
        super().__init__(daemon=True)
        self.database, self.reads = database, 0
        self.wrong: list[object] = []
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                [row] = self.database.run(READ)
            except psycopg.OperationalError:
                time.sleep(0.05)  # the server is starting again
                continue
            self.reads += 1
            if row[:4] != row[4:8] or row[8] != row[9]:
                self.wrong.append(row)
            time.sleep(0.02)  # the jobs need the processor too


def start(database: Database, zones: str, *, quiet: bool = True) -> subprocess.Popen[str]:
    job = subprocess.Popen(
        [sys.executable, "-c", JOB, database.url, zones],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        text=True,
    )
    assert job.stdout is not None
    job.stdout.readline()
    return job


def end(job: subprocess.Popen[str]) -> int:
    with job:
        return job.wait(60)


def kill_backend(database: Database) -> None:
    """SIGKILL to the server's process of the job: the whole server starts again."""
    try:
        found = database.run(
            "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'tzconv,%'"
        )
    except psycopg.OperationalError:
        return
    for (pid,) in found:
        with contextlib.suppress(ProcessLookupError):  # the job was done just now
            os.kill(int(str(pid)), signal.SIGKILL)


def wait_until_up(database: Database) -> None:
    for _ in range(200):
        try:
            database.run("SELECT 1")
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server does not come back")


def test_killed_forty_times(database: Database) -> None:
    chance = random.Random(20261121)
    assert end(start(database, ONE)) == 0
    reader = Reader(database)
    reader.start()
    for number in range(40):
        job = start(database, OTHER if number % 2 else ONE)
        time.sleep(chance.uniform(0, 0.8))
        if chance.random() < 0.5:
            job.kill()
        else:
            kill_backend(database)
        end(job)
        wait_until_up(database)
    for zones in (ONE, OTHER):
        assert end(start(database, zones)) == 0
    reader.stopped.set()
    reader.join(60)
    assert reader.wrong == []
    assert reader.reads > 40
    horizon = Horizon(dt.date(2026, 1, 1), dt.date(2028, 1, 1))
    database.assert_holds(installed(), OTHER.split(","), horizon)


def test_duckdb_killed_forty_times(tmp_path: Path) -> None:
    """No reader can run beside a writing job, so each state is read after each death."""
    with databases.fresh("duckdb", tmp_path, None) as database:
        chance = random.Random(20261121)
        assert end(start(database, ONE)) == 0
        survived = 0
        for number in range(40):
            job = start(database, OTHER if number % 2 else ONE)
            time.sleep(chance.uniform(0, 0.4))
            job.kill()
            survived += end(job) == 0
            [row] = database.run(READ)
            assert row[:4] == row[4:8]
            assert row[8] == row[9]
        assert survived < 40
        for zones in (ONE, OTHER):
            assert end(start(database, zones)) == 0
        horizon = Horizon(dt.date(2026, 1, 1), dt.date(2028, 1, 1))
        database.assert_holds(installed(), OTHER.split(","), horizon)


def test_two_at_once_end_one_after_the_other(database: Database) -> None:
    for _ in range(3):  # some have nothing to do any more when their turn comes
        database.run(*[f"DROP TABLE IF EXISTS {t}" for t in (*TABLES, tables.MIGRATION)])
        jobs = [start(database, zones, quiet=False) for zones in (ONE, ONE, OTHER, ONE)]
        assert [end(job) for job in jobs] == [0, 0, 0, 0]
    [row] = database.run(READ)
    assert row[:4] == row[4:8]
    assert refresh(database.url, zones=["UTC"]).changed

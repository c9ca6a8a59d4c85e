"""Jobs and servers that are killed at random, with a reader running all the time."""

from __future__ import annotations

import contextlib
import datetime as dt
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import psycopg
import pytest

from tests import databases, postgres
from tests.databases import Database
from tests.waiting import SECONDS, eventually
from tzconv import tables
from tzconv.refresher import refresh
from tzconv.tz.horizon import Horizon
from tzconv.tz.zones import installed

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


def fits(row: Sequence[object]) -> bool:
    """Whether the release row has as many rows and zones as there are."""
    kinds = len(tables.CONVERSIONS)
    return row[:kinds] == row[kinds:-2] and row[-2] == row[-1]


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
            if not fits(row):
                self.wrong.append(row)
            time.sleep(0.02)  # the jobs need the processor too

    def wait_for_another(self) -> None:
        """Until a read has ended that began after this call."""
        enough = self.reads + 2
        assert eventually(lambda: self.reads >= enough or not self.is_alive())

    def end(self) -> None:
        """Read once more, then no more."""
        self.wait_for_another()
        self.stopped.set()
        self.join(SECONDS)
        assert not self.is_alive()
        assert self.wrong == []


PROCESSES = multiprocessing.get_context("forkserver")
# each job is a process of its own, which need not import everything anew
PROCESSES.set_forkserver_preload(["tests.refresher.test_killed", "tzconv.engines.postgres.load"])


def job(url: str, zones: str) -> None:
    start, end = dt.date(2026, 1, 1), dt.date(2028, 1, 1)
    refresh(url, zones=zones.split(","), start=start, end=end, tables=databases.ALL)


def start(database: Database, zones: str) -> ForkServerProcess:
    made = PROCESSES.Process(target=job, args=(database.url, zones))
    made.start()
    return made


def end(made: ForkServerProcess) -> int | None:
    """Its exit code; None where it does not end."""
    made.join(SECONDS)
    return made.exitcode


def seconds_of_a_job(database: Database) -> float:
    """What a whole job takes on this machine, once there are tables: kills fall into that time."""
    assert end(start(database, OTHER)) == 0
    since = time.monotonic()
    assert end(start(database, ONE)) == 0
    return time.monotonic() - since


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
    def is_up() -> bool:
        with contextlib.suppress(psycopg.OperationalError):
            return bool(database.run("SELECT 1"))
        return False

    assert eventually(is_up), "the server does not come back"


def test_killed_forty_times(database: Database) -> None:
    chance = random.Random(20261121)
    whole = seconds_of_a_job(database)
    reader = Reader(database)
    reader.start()
    for number in range(40):
        made = start(database, OTHER if number % 2 else ONE)
        time.sleep(chance.uniform(0, whole))
        if chance.random() < 0.5:
            made.kill()
        else:
            kill_backend(database)
        end(made)
        wait_until_up(database)
        reader.wait_for_another()
    for zones in (ONE, OTHER):
        assert end(start(database, zones)) == 0
    reader.end()
    horizon = Horizon(dt.date(2026, 1, 1), dt.date(2028, 1, 1))
    database.assert_holds(installed(), OTHER.split(","), horizon)


def test_duckdb_killed_forty_times(tmp_path: Path) -> None:
    """No reader can run beside a writing job, so each state is read after each death."""
    with databases.fresh("duckdb", tmp_path, None) as database:
        chance = random.Random(20261121)
        whole = seconds_of_a_job(database)
        survived = 0
        for number in range(40):
            made = start(database, OTHER if number % 2 else ONE)
            time.sleep(chance.uniform(0, whole))
            made.kill()
            survived += end(made) == 0
            [row] = database.run(READ)
            assert fits(row)
        assert survived < 40
        for zones in (ONE, OTHER):
            assert end(start(database, zones)) == 0
        horizon = Horizon(dt.date(2026, 1, 1), dt.date(2028, 1, 1))
        database.assert_holds(installed(), OTHER.split(","), horizon)


def test_two_at_once_end_one_after_the_other(database: Database) -> None:
    for _ in range(3):  # some have nothing to do any more when their turn comes
        database.run(*[f"DROP TABLE IF EXISTS {t}" for t in (*TABLES, tables.MIGRATION)])
        jobs = [start(database, zones) for zones in (ONE, ONE, OTHER, ONE)]
        assert [end(made) for made in jobs] == [0, 0, 0, 0]
    [row] = database.run(READ)
    assert fits(row)
    assert refresh(database.url, zones=["UTC"]).changed

"""Executors and jobs that are killed, with a reader: the tables are old or new, never mixed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.engines.spark.loaded import ONE, OTHER, SPRING, assert_holds
from tests.waiting import SECONDS, eventually
from tzconv import tables
from tzconv.errors import DatabaseError
from tzconv.refresher import refresh

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

KILLS = int(os.environ.get("TZCONV_KILLS", "1"))
JOB = """
import datetime as dt, sys
from tzconv.engines.spark.load import Spark
from tzconv.refresher import refresh
with Spark(sys.argv[1], master="local[1]", lock_timeout=300) as backend:
    backend.spark
    exec(sys.argv[4])
    print("go", flush=True)
    refresh(backend, zones=sys.argv[2].split(","), start=dt.date(2026, 3, 1),
            end=dt.date(2026, 5, 1), tables=sys.argv[3].split(","), allow=("drop", "delete"))
"""
# with it a job hangs when all files of the new version are written, before CURRENT names them
STOPS = """
import time
from tzconv.engines.spark.warehouse import Warehouse
Warehouse._replace = lambda *given: time.sleep(600)
"""


class Reader(threading.Thread):
    """Attaches and reads again and again; keeps what did not fit together."""

    def __init__(self, spark: Any, folder: Path) -> None:
        super().__init__(daemon=True)
        self.spark, self.folder, self.reads = spark.newSession(), folder, 0
        self.wrong: list[object] = []
        self.stopped = threading.Event()

    def run(self) -> None:
        try:
            self.read()
        except Exception as error:
            self.wrong.append(error)

    def read(self) -> None:
        from tzconv.engines.spark.load import attach

        counts = ", ".join(
            f"(SELECT count(*) FROM {table.name}), {name}_rows"
            for name, table in tables.CONVERSIONS.items()
        )
        newest = f"SELECT {counts} FROM {tables.RELEASE.name} ORDER BY finished_at DESC LIMIT 1"
        while not self.stopped.is_set():
            attach(self.spark, self.folder)
            [row] = self.spark.sql(newest).collect()
            self.reads += 1
            if tuple(row)[::2] != tuple(row)[1::2]:
                self.wrong.append(tuple(row))
            time.sleep(0.3)  # the jobs need the processor too

    def wait_for_another(self) -> None:
        """Until a read has ended that began after this call; a read may last for seconds."""
        enough = self.reads + 2
        assert eventually(lambda: self.reads >= enough or not self.is_alive())

    def end(self) -> None:
        """Read once more, then no more."""
        self.wait_for_another()
        self.stopped.set()
        self.join(timeout=SECONDS)
        assert not self.is_alive()
        assert self.wrong == []


def executors() -> list[int]:
    """The executors that this process started, through Java."""
    parents, lines = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            lines[int(folder.name)] = (folder / "cmdline").read_text()
        except OSError:
            continue  # it has ended
        parents[int(folder.name)] = int(stat[1])

    def ours(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    return [
        pid for pid, line in lines.items() if "CoarseGrainedExecutorBackend" in line and ours(pid)
    ]


def wait_for_executors() -> list[int]:
    assert eventually(lambda: len(executors()) >= 2)
    return executors()


def test_an_executor_killed_during_a_query(spark: Any, backend: Any, tmp_path: Path) -> None:
    from tzconv.engines.spark.load import attach
    from tzconv.rewriter import rewrite

    refresh(backend, zones=ONE, **SPRING)
    attach(spark, tmp_path / "tz")
    spark.sql(
        "SELECT timestamp_micros(1767225600000000 + id * 5000000) AS ts, "
        f"element_at(array({', '.join(map(repr, ONE))}), CAST(id % 5 + 1 AS INT)) AS zone "
        "FROM range(0, 4000000, 1, 64)"
    ).createOrReplaceTempView("events")
    sql = (
        "SELECT date_trunc('day', from_utc_timestamp(ts, zone)) AS day, count(*) AS n FROM events "
        "WHERE ts >= '2026-01-01' AND ts < '2026-09-01' GROUP BY 1"
    )
    types = {"events": {"ts": "timestamp", "zone": "string"}}
    rewritten = rewrite(sql, dialect="spark", schema=types)
    assert {change.strategy for change in rewritten.changes} == {"offset"}
    expected = sorted(map(tuple, spark.sql(sql).collect()))
    status = spark.sparkContext.statusTracker()

    def at_work_when_killed() -> bool:
        found: list[object] = []
        query = threading.Thread(
            target=lambda: found.append(sorted(map(tuple, spark.sql(rewritten.sql).collect())))
        )
        victim = wait_for_executors()[0]
        query.start()
        assert eventually(lambda: status.getActiveStageIds() or not query.is_alive())
        time.sleep(0.2)
        was_at_work = query.is_alive()
        os.kill(victim, signal.SIGKILL)
        query.join(timeout=SECONDS)
        assert found == [expected]
        assert eventually(lambda: victim not in executors())
        return was_at_work

    # a query may end before its executor is killed
    assert any(at_work_when_killed() for _ in range(10))


def test_an_executor_killed_during_a_refresh(spark: Any, backend: Any, tmp_path: Path) -> None:
    folder = tmp_path / "tz"
    refresh(backend, zones=ONE, **SPRING)
    reader = Reader(spark, folder)
    reader.start()
    reader.wait_for_another()
    outcome: list[object] = []

    def job() -> None:
        try:
            outcome.append(refresh(backend, zones=OTHER, **SPRING))
        except DatabaseError as error:
            outcome.append(error)

    running = threading.Thread(target=job)
    victim = wait_for_executors()[0]
    running.start()
    assert eventually(lambda: list(folder.glob(".asked-*")) or not running.is_alive())
    os.kill(victim, signal.SIGKILL)
    running.join(timeout=SECONDS)
    assert len(outcome) == 1
    reader.end()
    assert_holds(spark, folder, ONE if isinstance(outcome[0], DatabaseError) else OTHER)


def start(folder: Path, names: list[str], code: str = "") -> subprocess.Popen[str]:
    """A refresh in a process of its own; returns when its Spark is up."""
    job = subprocess.Popen(
        [sys.executable, "-c", JOB, str(folder), ",".join(names), ",".join(databases.ALL), code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert job.stdout is not None
    assert job.stdout.readline() == "go\n"
    return job


def test_jobs_killed_at_random_moments(spark: Any, backend: Any, tmp_path: Path) -> None:
    """Between two sets of zones; what follows a kill finds the old tables or the new ones."""
    chance = random.Random(20261121)
    folder = tmp_path / "tz"
    began = start(folder, ONE)
    since = time.monotonic()
    assert began.wait(SECONDS) == 0
    whole = time.monotonic() - since
    assert_holds(spark, folder, ONE)
    reader = Reader(spark, folder)
    reader.start()
    there, killed = ONE, 0
    for number in range(10 * KILLS):
        if number >= KILLS and killed:
            break
        asked = OTHER if there == ONE else ONE
        before = (folder / "CURRENT").read_text()
        job = start(folder, asked)
        time.sleep(chance.uniform(0, whole))
        job.kill()
        killed += job.wait(SECONDS) == -signal.SIGKILL
        there = there if (folder / "CURRENT").read_text() == before else asked
        assert_holds(spark, folder, there)
    reader.end()
    assert killed, "no job was killed before its end"
    asked = OTHER if there == ONE else ONE
    refresh(backend, zones=asked, **SPRING)  # it repairs, and the lock is free
    assert_holds(spark, folder, asked)


def test_a_job_killed_while_it_writes(spark: Any, backend: Any, tmp_path: Path) -> None:
    folder = tmp_path / "tz"
    refresh(backend, zones=ONE, **SPRING)
    job = start(folder, OTHER, STOPS)
    assert eventually((folder / "v000002").exists)
    job.kill()
    assert job.wait() == -signal.SIGKILL
    assert (folder / "CURRENT").read_text() == "v000001\n"
    assert (folder / "v000002").exists(), "it was at work on the next version"
    assert_holds(spark, folder, ONE)
    assert refresh(backend, zones=OTHER, **SPRING).changed
    assert_holds(spark, folder, OTHER)


def test_two_jobs_at_once(spark: Any, tmp_path: Path) -> None:
    """One waits for the other; what is there at the end is what one of them asked for."""
    folder = tmp_path / "tz"
    jobs = [start(folder, names) for names in (ONE, OTHER)]
    assert [job.wait(SECONDS) for job in jobs] == [0, 0]
    assert (folder / "CURRENT").read_text() == "v000002\n", "both have loaded, one after the other"
    from tzconv.engines.spark.load import attach

    attach(spark, folder)
    rows = spark.sql(f"SELECT zone_count FROM {tables.RELEASE.name} ORDER BY finished_at").collect()
    last = ONE if rows[-1][0] == len(ONE) else OTHER
    assert_holds(spark, folder, last)

"""Jobs that can be killed, and a reader that runs beside them."""

from __future__ import annotations

import datetime as dt
import multiprocessing
import threading
import time
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess

import psycopg

from tests import databases
from tests.databases import Database
from tests.waiting import SECONDS, eventually
from tzconv import tables
from tzconv.refresher import refresh

ONE = "America/New_York,Asia/Kolkata,Europe/Berlin,Australia/Adelaide,America/St_Johns,UTC"
OTHER = "America/New_York,Asia/Kathmandu,Europe/Paris,Australia/Sydney,Asia/Tokyo,America/Lima"
COUNTS = ", ".join(f"{name}_rows" for name in tables.CONVERSIONS)
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
PROCESSES.set_forkserver_preload(["tests.refresher.kills", "tzconv.engines.postgres.load"])


def job(url: str, zones: str) -> None:
    start, end = dt.date(2026, 1, 1), dt.date(2028, 1, 1)
    given = databases.FREE | {"start": start, "end": end, "tables": databases.ALL}
    refresh(url, zones=zones.split(","), **given)


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

"""What refreshes cost, and how large the tables become: ``python -m tests.refresher.costs``.

Default tables and all zones, on DuckDB and PostgreSQL. Each run is a process of its own; its CPU
time is that of the whole process and of the server. Medians of three rounds, with their ratio to
a first load. Sizes are those after ten new years, with their ratio to a first load of that year.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

import psutil  # type: ignore[import-untyped] # it has no types

from tests import ROOT, postgres
from tests.databases import Database
from tzconv import tables

ROUNDS = 3
YEARS = range(2016, 2027)
JOB = """
import datetime as dt, importlib, sys, time
from tzconv import engines
from tzconv.engines.backend import Backend
from tzconv.refresher import refresh

url, now, *days = sys.argv[1:]
importlib.import_module(f"tzconv.engines.{engines.dialect_of_url(url)}.load")
Backend.now = lambda self: dt.datetime.fromisoformat(now)
start, end = map(dt.date.fromisoformat, days) if days else ("default", "default")
began = time.process_time()
refresh(url, start=start, end=end)
print(time.process_time() - began)
"""
STEPS = {
    "first load": ["2025-07-03"],
    "night without work": ["2025-07-04"],
    "a year on": ["2026-07-04"],
    "a day on": ["2026-07-04", "2025-01-02", "2028-01-02"],
}


def cpu(server: postgres.Server) -> float:
    """Seconds of all processes of a server, those that have ended included."""
    process = psutil.Process(server.program.get_pid())
    own = sum(process.cpu_times()[:4])
    return float(own + sum(sum(one.cpu_times()[:2]) for one in process.children()))


def run(url: str, *arguments: str) -> tuple[float, float]:
    """The CPU seconds of a refresh, and those of Python's start, imports and end around it."""
    before = os.times()
    command = [sys.executable, "-c", JOB, url, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    after = os.times()
    return float(done.stdout), sum(after[2:4]) - sum(before[2:4]) - float(done.stdout)


def size(database: Database) -> int:
    """Bytes of the file, or of the tables with their indexes."""
    if database.server is None:
        return database.path.stat().st_size
    [(found,)] = database.run(
        "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class "
        "WHERE relkind = 'r' AND relname LIKE 'time\\_zone\\_%'"
    )
    return int(found)


def costs(server: postgres.Server, database: Database) -> None:
    spent: dict[str, list[tuple[float, ...]]] = {name: [] for name in STEPS}
    for _ in range(ROUNDS):
        fresh(database)
        for name, arguments in STEPS.items():
            before = cpu(server)
            client, start = run(database.url, *arguments)
            time.sleep(0.2)  # until the session has ended
            served = cpu(server) - before if database.server else 0.0
            spent[name].append((client + served, client, served, start))
    first, *_, first_start = map(statistics.median, zip(*spent["first load"], strict=True))
    for name, rounds in spent.items():
        work, client, served, start = map(statistics.median, zip(*rounds, strict=True))
        print(
            f"{database.kind} {name}: {work:.2f} s (client {client:.2f}, server {served:.2f}), "
            f"{work / first:.2f}; with Python's start {work + start:.2f} s, "
            f"{(work + start) / (first + first_start):.2f}",
            flush=True,
        )


def sizes(database: Database) -> None:
    fresh(database)
    found = []
    for year in YEARS:
        run(database.url, f"{year}-01-02")
        found.append(size(database))
        if database.server is not None:  # as autovacuum does, which the tests' server has not
            database.run(f"VACUUM {tables.DAILY.name}")
    fresh(database)
    run(database.url, f"{YEARS[-1]}-01-02")
    first = size(database)
    shown = ", ".join(f"{one / 1e6:.1f}" for one in found)
    print(f"{database.kind} sizes: {shown}; first {first / 1e6:.1f} MB, {found[-1] / first:.2f}")


def fresh(database: Database) -> None:
    if database.server is None:
        database.path.unlink(missing_ok=True)
    else:
        database.server.fresh(database.name)


def main() -> None:
    kinds = sys.argv[1:] or ["duckdb", "postgres"]
    with tempfile.TemporaryDirectory() as folder, postgres.running() as server:
        for kind in kinds:
            url = f"duckdb:///{folder}/tz.duckdb" if kind == "duckdb" else server.url("costs")
            named = Database(kind, url, None if kind == "duckdb" else server, "costs")
            costs(server, named)
            sizes(named)


if __name__ == "__main__":
    main()

"""Measures ``tzconv refresh`` of an empty database against the bare bulk load of the same rows.

The refresh is the command that users run, in a process of its own, from start to end. The rows of
the bare load are ready before it starts: in PostgreSQL's binary format, with the keys added
afterwards, or in Arrow for DuckDB.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url

from tzconv import engines, tables
from tzconv.bench.data import some_zones
from tzconv.bench.results import FirstLoad, Say
from tzconv.engines.scratch import Scratch, scratch
from tzconv.errors import DatabaseError
from tzconv.tables import generate
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

_LOOK_AGAIN_SECONDS = 0.02
_DAY = dt.timedelta(days=1)


def measure(url: str | None, count: int | None, rounds: int, say: Say) -> FirstLoad:
    """Load all tables in their default horizon both ways in turn, each time into an empty place.

    After each load with tzconv the horizon moves by a day. Seconds are medians of the rounds; the
    memory is that of the refresh which needed most.
    """
    is_file = engines.dialect_of_url(url) == engines.DEFAULT
    place_of = None if is_file else url  # a user's own file is not touched
    names = some_zones(zones.installed().names, count)
    refreshed, bare, moved, peaks, moved_peaks, rows = [], [], [], [], [], 0
    for number in range(1, rounds + 1):
        with scratch(place_of) as place:
            say(f"Loading the tables with tzconv refresh, {number} of {rounds}.")
            seconds, peak, made = _refresh(place, names)
            refreshed.append(seconds)
            peaks.append(peak)
            rows = sum(made["rows"].values())
            start, end = (dt.date.fromisoformat(made[name]) for name in ("start", "end"))
            horizon, later = Horizon(start, end), (start + _DAY, end + _DAY)
            say("Moving the horizon by a day with tzconv refresh.")
            seconds, peak, _ = _refresh(place, names, later)
            moved.append(seconds)
            moved_peaks.append(peak)
        with scratch(place_of) as place:
            say("Loading the same rows without tzconv.")
            bare.append(_bare(place, names, horizon))
    refresh, raw, day = map(statistics.median, (refreshed, bare, moved))
    return FirstLoad(rows, refresh, raw, max(peaks), day, max(moved_peaks))


def _bare(place: Scratch, names: list[str], horizon: Horizon) -> float:
    spent = 0.0
    for name, table in tables.CONVERSIONS.items():
        with tempfile.TemporaryDirectory(prefix="tzconv-bench-") as folder:
            stream = generate.stream(name, zones.installed(), names, horizon)
            spent += place.load_bare(table, stream, Path(folder) / name)
    return spent


def _refresh(
    place: Scratch, names: list[str], days: tuple[dt.date, dt.date] | None = None
) -> tuple[float, int, dict[str, Any]]:
    """Elapsed seconds, the most memory that the process had, in bytes, and what it printed."""
    import resource

    parsed, url = make_url(place.url), place.url
    environment = dict(os.environ)
    if parsed.password is not None:  # others can see the arguments of a process
        environment["PGPASSWORD"] = str(parsed.password)
        url = parsed.set(password=None).render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tzconv", "refresh", "--json", "--url", url]
    command += ["--zones", ",".join(names), "--tables", ",".join(tables.CONVERSIONS)]
    command += ["--db-schema", place.schema] if place.schema else []
    if days is not None:
        command += ["--start", str(days[0]), "--end", str(days[1])]
    with tempfile.TemporaryFile() as output:
        began, peak = time.perf_counter(), 0
        with subprocess.Popen(
            command, stdout=output, stderr=subprocess.DEVNULL, env=environment
        ) as process:
            try:
                while process.poll() is None:
                    peak = max(peak, _most_memory(process.pid))
                    time.sleep(_LOOK_AGAIN_SECONDS)
            except BaseException:
                process.kill()
                raise
        seconds = time.perf_counter() - began
        output.seek(0)
        if code := process.returncode:
            error = json.loads(output.read() or "{}").get("error", {})  # none if it was killed
            said = error.get("message", f"exit code {code}")
            raise DatabaseError(f"tzconv refresh failed: {said}")
        # what the system counts for a process begins with what its parent had
        peak = peak or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        return seconds, peak, json.load(output)


def _most_memory(process: int) -> int:
    """The most memory that a process has had, in bytes; 0 where that cannot be seen."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0

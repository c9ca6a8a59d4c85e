"""A year of monthly runs: two tz releases, one new year, and the memory of each run."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests import ROOT
from tests.databases import Database
from tests.releases import TREE
from tzconv import tables
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

MONTHS = [(2026 + (6 + month) // 12, (6 + month) % 12 + 1) for month in range(12)]
"""July 2026 to June 2027."""
NEW_RELEASE, NEW_YEAR = 3, 6
MOST_BYTES = 400_000_000
JOB = """
import dataclasses, datetime, json, re, sys
from pathlib import Path
from tzconv.engines.duckdb.load import DuckDB
from tzconv.refresher import refresh

url, rules, year, month = sys.argv[1:]
DuckDB.now = lambda self: datetime.datetime(int(year), int(month), 3, 2, 10)
result = refresh(url, rules=rules or None)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps(dataclasses.asdict(result) | {"peak": int(peak[1]) * 1024}, default=str))
"""


def run(url: str, rules: str, month: int) -> dict[str, Any]:
    """One monthly run, in a process of its own."""
    command = [sys.executable, "-c", JOB, url, rules, *map(str, MONTHS[month])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_twelve_months(tmp_path: Path) -> None:
    database = Database("duckdb", f"duckdb:///{tmp_path}/tz.duckdb")
    peaks = []
    for month in range(12):
        if month == NEW_YEAR:
            old = "day_ends_before_utc <= TIMESTAMP '2026-01-01'"
            [(expired,)] = database.run(f"SELECT count(*) FROM {tables.DAILY.name} WHERE {old}")
        # what is given once is kept: the other runs need no option
        given = {0: str(TREE), NEW_RELEASE: "tzdata"}.get(month, "")
        result = run(database.url, given, month)
        peaks.append(result["peak"])
        counts = {
            name: database.run(f"SELECT count(*) FROM {table.name}")[0][0]
            for name, table in tables.CONVERSIONS.items()
        }
        assert result["rows"] == counts
        assert result["changed"] == (month in (0, NEW_RELEASE, NEW_YEAR))
        if month == NEW_YEAR:
            deleted, inserted = result["deleted"], result["inserted"]
            assert deleted == dict.fromkeys(deleted, 0) | {"daily": expired}
            [(come,)] = database.run(
                f"SELECT count(*) FROM {tables.DAILY.name} "
                "WHERE day_starts_at_utc >= TIMESTAMP '2028-01-01'"
            )
            assert inserted == dict.fromkeys(inserted, 0) | {"daily": come}
    assert max(peaks) < MOST_BYTES
    assert max(peaks[1:]) <= 1.3 * peaks[0]
    [(releases, checked)] = database.run(
        f"SELECT count(*), max(last_checked_at) FROM {tables.RELEASE.name}"
    )
    assert (releases, checked) == (3, dt.datetime(2027, 6, 3, 2, 10))
    horizon = Horizon(dt.date(2026, 1, 1), dt.date(2029, 1, 1))
    rows = database.run(f"SELECT time_zone_name FROM {tables.ZONE.name} ORDER BY 1")
    names = [name for (name,) in rows]
    assert names == list(zones.installed().names)
    database.assert_holds(zones.installed(), names, horizon, without=("hourly",))

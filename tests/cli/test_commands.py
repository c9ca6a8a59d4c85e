"""The command line as a person uses it: what it prints, where, and its exit codes."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from tests.command import DDL, QUERY, assert_one_sentence, changed, run, start
from tests.waiting import SECONDS, until_it_grows
from tzconv._version import __version__
from tzconv.cli import printing, refresh
from tzconv.errors import some
from tzconv.tz import zones
from tzconv.tz.changes import OffsetChange


def test_version_and_help(tmp_path: Path) -> None:
    """In a new Python each: that a command imports what it needs is seen there."""
    version = start("--version", cwd=tmp_path).stdout.splitlines()
    assert version[:2] == [
        f"tzconv {__version__}",
        f"tz release {zones.installed().release}",
    ]
    assert f"duckdb {duckdb.__version__}" in version
    shown = start("--help", cwd=tmp_path)
    assert shown.returncode == 0
    for command in ("demo", "generate", "refresh", "rewrite", "compare", "ddl"):
        assert f"  {command} " in shown.stdout
        helped = start(command, "--help", cwd=tmp_path)
        assert helped.returncode == 0
        assert f"tzconv {command}" in helped.stdout, "an example"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--version"],
        ["rewrite", "q.sql", "--schema-file", "t.sql"],
        ["rewrite", "bad.sql"],
        ["show", "Asia/Tokyo"],
    ],
)
def test_a_fork_is_like_a_new_python(arguments: list[str], tmp_path: Path) -> None:
    """So the other tests may run the program in forks, which take a quarter of the time."""
    for name, text in (("q.sql", QUERY), ("t.sql", DDL), ("bad.sql", "SELECT a,\n b c d")):
        (tmp_path / name).write_text(text)
    forked, started = run(*arguments, cwd=tmp_path), start(*arguments, cwd=tmp_path)
    assert forked.stdout + forked.stderr != ""
    assert (forked.returncode, forked.stdout, forked.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_generate(tmp_path: Path) -> None:
    done = run(
        *["generate", "--out", "o", "--zones", "Asia/Kolkata,UTC", "--json"],
        *["--start", "2026-01-01", "--end", "2026-02-01"],
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["tz_release"], made["zones"]) == (zones.installed().release, 2)
    assert {Path(file["file"]).name for file in made["files"]} == {
        "time_zone_daily_conversion.parquet",
        "time_zone_offset_conversion.parquet",
        "time_zone_conversion_zone.parquet",
        "time_zone_period_conversion.parquet",
    }
    for file in made["files"]:
        with duckdb.connect() as database:
            path = tmp_path / file["file"]
            counted = database.execute(f"SELECT count(*) FROM '{path}'").fetchall()
        assert counted == [(file["rows"],)]
    csv = run(
        *["generate", "--out", "o", "--zones", "UTC", "--tables", "daily", "--format", "csv"],
        *["--start", "2026-01-01", "--end", "2026-01-02"],
        cwd=tmp_path,
    )
    assert csv.stdout == ""
    assert "1 row," in csv.stderr
    assert (tmp_path / "o" / "time_zone_daily_conversion.csv").read_text() == (
        '"time_zone_name","day","day_starts_at_utc","day_ends_at_utc","day_ends_before_utc"\n'
        '"UTC",2026-01-01,2026-01-01 00:00:00,2026-01-01 23:59:59,2026-01-02 00:00:00\n'
    )


def test_refresh_rewrite_compare(tmp_path: Path) -> None:
    few = ["--zones", "Asia/Kolkata,UTC", "--start", "2026-01-01", "--end", "2026-02-01"]
    first = run("refresh", *few, "--json", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["changed"] is True
    again = run("refresh", *few, cwd=tmp_path)
    assert again.stdout == ""
    assert not changed(again)
    with duckdb.connect(tmp_path / "tzconv.duckdb") as database:
        database.execute(DDL)
        database.execute(
            "INSERT INTO logs SELECT now()::timestamp - to_hours(i), 1 FROM range(99) r(i)"
        )
    (tmp_path / "q.sql").write_text(QUERY)
    compared = run("compare", "q.sql", "--json", cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    result = json.loads(compared.stdout)
    assert result["same"] is True
    assert result["rows"] == 1
    assert result["original_seconds"] > 0
    assert result["rewritten_seconds"] > 0
    assert "CAST(NOW()" in result["sql"]
    rewritten = run("rewrite", "q.sql", "--url", "duckdb:///tzconv.duckdb", cwd=tmp_path)
    assert rewritten.stdout == QUERY.replace(
        "NOW() - INTERVAL '1 day'", "CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)"
    )
    assert "q.sql:1:45: changed by now: " in rewritten.stderr


def test_compare_before_the_first_refresh_and_on_empty_tables(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "tzconv.duckdb") as database:
        database.execute("CREATE TABLE a (t TIMESTAMP, i INT); CREATE TABLE p (i INT, z VARCHAR)")
    (tmp_path / "q.sql").write_text(
        "SELECT a.t AT TIME ZONE 'UTC' AT TIME ZONE p.z AS local FROM a JOIN p ON a.i = p.i "
        "WHERE a.t BETWEEN '2026-01-01' AND '2026-02-01'"
    )
    early = run("compare", "q.sql", cwd=tmp_path)
    assert_one_sentence(early, "no conversion tables", "tzconv refresh")
    assert run("refresh", "--zones", "UTC", cwd=tmp_path).returncode == 0
    few = run("compare", "q.sql", cwd=tmp_path)
    assert few.returncode == 0
    assert "left: about 0 rows reach it" in few.stderr
    done = run("compare", "q.sql", "--strategy", "columns", cwd=tmp_path)
    assert done.returncode == 0
    assert "0 rows, identical" in done.stdout
    assert "changed by columns" in done.stderr


def test_the_zone_of_the_session(tmp_path: Path) -> None:
    """DuckDB's sessions begin with the zone of the machine, and NOW() depends on it."""
    with duckdb.connect(tmp_path / "tzconv.duckdb") as database:
        database.execute(DDL)
        database.execute("INSERT INTO logs SELECT now()::timestamp, 1")
    assert run("refresh", "--zones", "UTC", cwd=tmp_path).returncode == 0
    (tmp_path / "q.sql").write_text(QUERY)
    machine = run("compare", "q.sql", cwd=tmp_path, TZ="America/New_York")
    assert "left: the session time zone America/New_York changes its offset" in machine.stderr
    said = run(
        "compare", "q.sql", "--session-time-zone", "UTC", cwd=tmp_path, TZ="America/New_York"
    )
    assert "changed by now" in said.stderr
    assert "1 row, identical" in said.stdout
    assert_one_sentence(
        run("compare", "q.sql", "--session-time-zone", "Mars/Phobos'", cwd=tmp_path), "Mars/Phobos"
    )


def test_a_database_in_use(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "tzconv.duckdb"):
        assert_one_sentence(
            run("refresh", "--zones", "UTC", "--lock-timeout", "1", cwd=tmp_path),
            f"in use by process {os.getpid()}",
        )


def assert_stops(job: subprocess.Popen[str]) -> None:
    """Ctrl-C in the middle of a load: one sentence, exit 130, and no word of anything else."""
    job.send_signal(signal.SIGINT)
    _, words = job.communicate(timeout=SECONDS)
    assert job.returncode == 130, words
    assert words == "tzconv: stopped; unfinished changes were undone.\n"


@pytest.mark.not_core
def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C in the middle of a load leaves the old state."""
    few = ["refresh", "--zones", "UTC", "--start", "2026-01-01", "--end", "2026-02-01"]
    assert run(*few, cwd=tmp_path).returncode == 0
    job = subprocess.Popen(
        [sys.executable, "-m", "tzconv", "refresh", "--zones", "all", "--start", "2016-01-01"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    # the file grows while rows are loaded, before they are committed
    file = tmp_path / "tzconv.duckdb"
    until_it_grows(file, job, file.stat().st_size)
    assert_stops(job)
    assert not changed(run(*few, cwd=tmp_path))


@pytest.mark.not_core
def test_interrupted_in_a_first_load(tmp_path: Path) -> None:
    """Then DuckDB has most to complain of: what was open."""
    job = subprocess.Popen(
        [sys.executable, "-m", "tzconv", "refresh", "--start", "2016-01-01"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    until_it_grows(tmp_path / "tzconv.duckdb", job)
    assert_stops(job)
    assert run("status", cwd=tmp_path).returncode == 1


def test_demo(tmp_path: Path) -> None:
    done = run("demo", "--events", "200000", cwd=tmp_path, TZ="America/New_York")
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"([\d,]+) rows?, identical", done.stdout)
    assert rows[1:] == ["42", "1"], "the days of six weeks, and one count"
    assert re.search(r"(?m)^query +before .* CPU ratio\n1\. hourly report  +\d", done.stdout)
    assert len(re.findall(r"(?m)^   \+", done.stdout)) <= 10, "short enough to be read aloud"
    assert re.search(r"publishers in 5[89][0-9] zones", done.stderr)
    for line in (
        "+LEFT JOIN time_zone_period_conversion",
        "CAST(NOW() - INTERVAL '8 weeks' AS TIMESTAMP)",
        "tzconv refresh --url",
    ):
        assert line in done.stdout
    assert "\x1b[" not in done.stdout, "no colours off a terminal"
    assert run("demo", "--events", "1000", cwd=tmp_path).returncode == 0, "it may be made again"
    with duckdb.connect(tmp_path / "mine.duckdb") as database:
        database.execute("CREATE TABLE precious (a int)")
    done = run("demo", "--file", "mine.duckdb", cwd=tmp_path)
    assert done.returncode == 1
    assert "was not made by the demonstration" in done.stderr
    with duckdb.connect(tmp_path / "mine.duckdb") as database:
        assert database.execute("SHOW TABLES").fetchall() == [("precious",)]


@pytest.mark.parametrize(
    ("after", "before", "shown"),
    [
        (0.5, 2.0, "0.25"),
        (0.0002, 0.0001, "2.00"),
        (0.001, 0.0, "-"),
        (0.0, 0.00004, "-"),
        (math.nan, math.nan, "-"),
        (math.nan, 1.0, "-"),
    ],
)
def test_ratios_of_what_is_too_short_are_not_shown(after: float, before: float, shown: str) -> None:
    assert printing.ratio(after, before) == shown


def test_durations_that_were_not_measured() -> None:
    assert [printing.seconds(value) for value in (math.nan, 0.0, 1.5)] == ["-", "0.0 ms", "1.50 s"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "+00:00"),
        (20_700, "+05:45"),
        (-12_600, "-03:30"),
        (-2_670, "-00:44:30"),
        (59, "+00:00:59"),
    ],
)
def test_offsets(seconds: int, shown: str) -> None:
    assert printing.offset(seconds) == shown


def test_long_lists_are_cut() -> None:
    assert some(list("abcdef")) == "a, b, c, d, e, f"
    assert some(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"


def test_a_plan_shows_the_first_changes_of_local_times() -> None:
    """Three of a zone, of forty zones."""
    year = dt.datetime(2026, 1, 1)
    changes = [
        OffsetChange(f"Zone/{zone:02}", begin, begin + dt.timedelta(hours=zone + 1), 3600, 7200)
        for zone in range(42)
        for begin in (year + dt.timedelta(days=day) for day in range(5))
    ]

    def shown(changes: list[OffsetChange]) -> list[str]:
        plan: Any = SimpleNamespace(changes=changes)
        return list(refresh._changes(plan))

    lines = shown(changes)
    assert lines[:6] == [
        "  local times change for 42 zones (UTC times):",
        "    Zone/00",
        "      2026-01-01 00:00 to 2026-01-01 01:00: +01:00 becomes +02:00",
        "      2026-01-02 00:00 to 2026-01-02 01:00: +01:00 becomes +02:00",
        "      2026-01-03 00:00 to 2026-01-03 01:00: +01:00 becomes +02:00",
        "      and 2 more until 2026-01-05",
    ]
    assert lines[-1] == "    and 2 more groups of zones: --json has them all"
    assert len(lines) == 1 + 40 * 5 + 1
    assert len(shown(changes[:200])) == 1 + 40 * 5
    assert shown([]) == []


def test_import_is_light() -> None:
    """`import tzconv` alone loads none of the heavy libraries; the rewriter loads no driver."""
    code = (
        "import sys, tzconv\n"
        "heavy = {'numpy', 'pyarrow', 'sqlglot', 'duckdb', 'sqlalchemy', 'rich'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "tzconv.rewrite('SELECT 1')\n"
        "assert not {'pyarrow', 'duckdb', 'sqlalchemy', 'rich', 'click'} & set(sys.modules)\n"
        "assert tzconv.generate.daily and tzconv.refresh and tzconv.Rewrite\n"
        "assert callable(tzconv.rewrite)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

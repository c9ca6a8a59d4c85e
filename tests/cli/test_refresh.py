"""refresh, status, doctor and migrate as a scheduler and a person use them: on every database."""

from __future__ import annotations

import datetime as dt
import json
import resource
import subprocess
import sys
from pathlib import Path

import duckdb

from tests import postgres
from tests.command import assert_one_sentence, changed, run
from tests.databases import Database
from tzconv.tz import zones

DAYS = ["--start", "2026-01-01", "--end", "2026-03-01"]
FEW = ["--zones", "UTC,Asia/Kolkata", *DAYS]


def test_a_dry_run_tells_and_changes_nothing(database: Database, tmp_path: Path) -> None:
    where = ["--url", database.url]
    before = [] if database.kind == "duckdb" else database.state()
    plan = run("refresh", *where, *FEW, "--dry-run", cwd=tmp_path)
    assert plan.returncode == 2, plan.stderr
    assert "nothing -> " in plan.stdout
    assert "daily    delete 0, insert " in plan.stdout
    if database.kind == "duckdb":
        assert not database.path.exists()
    else:
        assert database.state() == before
    told = run("refresh", *where, *FEW, "--dry-run", "--json", cwd=tmp_path)
    assert told.returncode == 2
    rows = {one["table"]: one["insert"] for one in json.loads(told.stdout)["tables"]}
    done = run("refresh", *where, *FEW, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["changed"]
    assert result["rows"] == rows
    again = run("refresh", *where, *FEW, "--dry-run", cwd=tmp_path)
    assert (again.returncode, again.stdout.split(":")[0]) == (0, "Nothing to do")


def test_the_statements_of_a_dry_run(database: Database, tmp_path: Path) -> None:
    """They do what a refresh does, run by somebody else."""
    where = ["--url", database.url]
    assert run("refresh", *where, *FEW, cwd=tmp_path).returncode == 0
    other = ["--zones", "UTC,Asia/Tokyo", *DAYS]
    script = run("refresh", *where, *other, "--dry-run", "--sql", cwd=tmp_path)
    assert script.returncode == 2
    database.run(script.stdout)
    again = run("refresh", *where, *other, cwd=tmp_path)
    assert not changed(again)


def test_status_and_doctor(database: Database, tmp_path: Path) -> None:
    where = ["--url", database.url]
    today = dt.datetime.now(dt.UTC).date()
    days = ["--start", "2026-01-01", "--end", str(today + dt.timedelta(days=30))]
    nothing = run("status", *where, cwd=tmp_path)
    assert nothing.returncode == 1
    assert "refresh" in nothing.stdout + nothing.stderr
    assert "Traceback" not in nothing.stderr
    assert run("refresh", *where, "--zones", "UTC", *days, cwd=tmp_path).returncode == 0
    for command in ("status", "doctor"):
        done = run(command, *where, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
        assert f"tz release {zones.installed().release}" in done.stdout
        # the day may have turned since
        assert "in 30 days: run tzconv refresh" in done.stdout or "in 29 days" in done.stdout
    table = "time_zone_daily_conversion"
    database.run(f"DELETE FROM {table} WHERE day = DATE '2026-02-02'")
    ill = run("status", *where, "--json", cwd=tmp_path)
    assert ill.returncode == 1
    found = json.loads(ill.stdout)
    assert not found["healthy"]
    assert [one["check"] for one in found["findings"] if one["level"] == "error"] == ["rows"]
    assert run("refresh", *where, "--zones", "UTC", *days, cwd=tmp_path).returncode == 0
    assert run("doctor", *where, cwd=tmp_path).returncode == 0


def test_migrate_makes_tables_that_refresh_fills(database: Database, tmp_path: Path) -> None:
    where = ["--url", database.url]
    first, second = (run("migrate", *where, cwd=tmp_path) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert first.stderr != second.stderr
    assert run("refresh", *where, "--zones", "UTC", cwd=tmp_path).returncode == 0
    assert run("doctor", *where, cwd=tmp_path).returncode == 0


def test_a_schema_of_the_users_choice(tmp_path: Path, server: postgres.Server) -> None:
    url = server.fresh("reports")
    where = ["--url", url, "--db-schema", 'reporting; DROP TABLE "x"']
    missing = run("refresh", *where, *FEW, cwd=tmp_path)
    assert_one_sentence(missing, "schema", "CREATE SCHEMA")
    with server.connect("reports") as connection:
        connection.execute('CREATE SCHEMA "reporting; DROP TABLE ""x"""')
    for command in (["refresh", *FEW], ["status"], ["doctor"], ["migrate"]):
        done = run(command[0], *where, *command[1:], cwd=tmp_path)
        assert "Traceback" not in done.stderr
        assert (done.returncode, command[0]) in {(0, command[0]), (1, "status"), (1, "doctor")}
    with server.connect("reports") as connection:
        schemas = connection.execute(
            "SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_name LIKE "
            "'time_zone_%'"
        ).fetchall()
    assert schemas == [('reporting; DROP TABLE "x"',)]
    server.drop("reports")


def test_a_full_disk_leaves_the_old_state_of_a_file(tmp_path: Path) -> None:
    """A process whose files may not grow past some size: as far as it can tell, a full disk."""
    assert run("refresh", *FEW, cwd=tmp_path).returncode == 0
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tzconv",
            "refresh",
            "--zones",
            "all",
            "--tables",
            "daily,hourly,period",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12_000_000, 12_000_000)),
    )
    assert done.returncode == 1
    assert_one_sentence(
        done, "DuckDB error: ", "File too large: free some space, or load less with --zones or"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["tzconv.duckdb"]
    assert not changed(run("refresh", *FEW, cwd=tmp_path))


def test_exit_codes_of_status(tmp_path: Path) -> None:
    """0 without --detailed-exitcode although there are warnings; 1 wins over 3."""
    today = dt.datetime.now(dt.UTC).date()

    def load(days: int) -> None:
        end = ["--end", str(today + dt.timedelta(days=days))]
        done = run("refresh", "--zones", "UTC", "--start", "2026-01-01", *end, cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    load(20)
    for command in ("status", "doctor"):
        for given, code in (
            ([], 0),
            (["--detailed-exitcode"], 3),
            (["--max-age", "36h", "--json"], 0),
            (["--max-age", "36h", "--detailed-exitcode"], 3),
        ):
            done = run(command, *given, cwd=tmp_path)
            assert done.returncode == code, (command, given, done.stdout)
    with duckdb.connect(tmp_path / "tzconv.duckdb") as database:
        database.execute(
            "UPDATE time_zone_conversion_release SET last_checked_at = "
            "last_checked_at - INTERVAL '37' HOUR"
        )
    late = run("status", "--max-age", "36h", "--detailed-exitcode", cwd=tmp_path)
    assert late.returncode == 1
    assert "look at the log of the job" in late.stdout
    assert run("status", "--max-age", "2d", cwd=tmp_path).returncode == 0
    load(900)
    done = run("status", "--max-age", "90m", "--detailed-exitcode", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert run("status", "--max-age", "999999d", cwd=tmp_path).returncode == 0

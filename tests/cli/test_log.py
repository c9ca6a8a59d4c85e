"""What `refresh` writes to standard error, and control characters, which reach no terminal."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import tzdata

from tests import postgres
from tests.command import assert_one_sentence, log, run
from tzconv.errors import visible
from tzconv.tz import zones

MONTH = ["--start", "2026-01-01", "--end", "2026-02-01"]
FEW = ["--zones", "UTC,Asia/Kolkata", *MONTH]
EVIL = "\x1b]0;x\x07\x9b31m\u202e\nok       The tables are right\x7f"


def on_a_terminal(*arguments: str, cwd: Path) -> tuple[int, bytes]:
    """The exit code of a command, and what it writes to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tzconv", *arguments]
    job = subprocess.Popen(
        command,
        cwd=cwd,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb"},
    )
    os.close(theirs)
    written = b""
    try:
        while data := os.read(ours, 10_000):
            written += data
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return job.wait(), written


def test_a_refresh_and_one_with_nothing_to_do(tmp_path: Path) -> None:
    *progress, summary = log(run("refresh", *FEW, "--json", cwd=tmp_path))
    assert {line["event"] for line in progress} == {"loading"}
    expected = {"event": "summary", "changed": True, "zone_count": 2, "added": 2, "changes": 0}
    assert expected.items() <= summary.items()
    done = run("refresh", *FEW, "-v", "--json", cwd=tmp_path)
    *_, again, took = log(done)
    assert (again["event"], again["changed"]) == ("summary", False)
    assert took["text"].startswith("Took ")
    assert json.loads(done.stdout)["changed"] is False
    assert run("refresh", *FEW, cwd=tmp_path).stderr.startswith("Nothing to do: tz release")
    quiet = run("refresh", *FEW, "--quiet", "--repair", cwd=tmp_path)
    assert (quiet.returncode, quiet.stderr, quiet.stdout) == (0, "", "")


def test_a_refresh_on_a_terminal(tmp_path: Path) -> None:
    code, written = on_a_terminal("refresh", *FEW, cwd=tmp_path)
    assert code == 0
    assert b"Loaded tz release" in written
    assert b"{" not in written
    code, written = on_a_terminal("refresh", "--zones", "Mars/X", cwd=tmp_path)
    assert code == 1
    assert b"tzconv: Unknown time zone 'Mars/X'" in written


def test_names_that_are_skipped(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "tzconv.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT unnest(['UTC', $1]) AS z", [EVIL])
    asked = ["--zones", "sql:SELECT z FROM t", *MONTH]
    planned = run("refresh", *asked, "--dry-run", "--json", cwd=tmp_path)
    *_, skipped, summary = log(planned)
    assert skipped["text"].startswith("Skipped unknown zone names: '\\x1b]0;x")
    assert summary == {"event": "summary", "dry_run": True, "needed": True}
    *_, message, summary = log(run("refresh", *asked, "--json", cwd=tmp_path))
    assert message["text"] == skipped["text"]
    assert message["text"].endswith(" (1 row). Show what they are with tzconv names.")
    assert summary["left_out"] == {EVIL: 1}


@pytest.mark.parametrize("failure", ["raise ZeroDivisionError('x')", "raise KeyboardInterrupt"])
def test_what_nobody_expected(failure: str, tmp_path: Path) -> None:
    """A bug of tzconv's, a warning of a driver's, a message of some library's: all are JSON."""
    script = f"""
import logging, sys, warnings
import tzconv.refresher
from tzconv.cli import main
def refresh(*_, **__):
    warnings.warn("old \\x1b")
    logging.getLogger("driver").warning("lost %s", "it")
    {failure}
tzconv.refresher.refresh = refresh
sys.argv = ["tzconv", "refresh", "--json"]
main()
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    warned, logged, error = log(done)
    assert warned["text"] == "UserWarning: old \x1b"
    assert logged["text"] == "lost it"
    is_bug = "Zero" in failure
    assert (done.returncode, error["exit_code"]) == ((1, 1) if is_bug else (130, 130))
    assert ("ZeroDivisionError" in error.get("traceback", "")) == is_bug


def assert_plain(written: bytes) -> None:
    text = written.decode()
    assert all(one.isprintable() or one in "\r\n" for one in text), repr(text)
    assert not any(line.startswith("ok       The tables are right") for line in text.splitlines())


def test_names_from_a_rules_tree(tmp_path: Path) -> None:
    """Names and abbreviations of files, on a terminal, where they are loaded and shown."""
    tree = tmp_path / f"t{EVIL.replace(chr(10), '')}"
    tree.mkdir()
    tzif = Path(tzdata.__file__).parent / "zoneinfo" / "Asia" / "Kolkata"
    (tree / f"A{EVIL}").write_bytes(tzif.read_bytes().replace(b"IST", b"\x1bMT"))
    shutil.copy(tzif, tree / "B")
    (tree / "+VERSION").write_text(f"2026\x1b[2J{zones.installed().release}\n")
    asked = ["--rules", str(tree), "--start", "1940-01-01", "--end", "1943-01-01"]
    for arguments in (
        ["refresh", *asked, "--dry-run"],
        ["refresh", *asked],
        ["status"],
        ["doctor"],
        ["show", f"A{EVIL}", "1942", "--rules", str(tree)],
        ["show", f"C{EVIL}", "--rules", str(tree)],
        ["refresh", *asked, "--zones", f"C{EVIL}"],
        ["generate", "--out", f"o{EVIL}", *asked],
        ["show", f"A{EVIL}", "1942", "--json", "--rules", str(tree)],
    ):
        _, written = on_a_terminal(*arguments, cwd=tmp_path)
        assert written, arguments
        assert_plain(written)


def test_names_of_files(tmp_path: Path) -> None:
    name = EVIL.replace("/", "") + ".sql"
    (tmp_path / name).write_text("SELECT now() AT TIME ZONE 'UTC' FROM t WHERE x = 1")
    (tmp_path / f"b{name}").write_text("SELECT (")
    for arguments in (
        ["rewrite", name],
        ["rewrite", "--check", "."],
        ["rewrite", "--diff", "."],
        ["rewrite", "--json", "."],
        ["lint", "."],
        ["lint", ".", "--format", "json"],
        ["lint", f"c{name}"],
        ["--config", name, "ddl"],
        ["compare", name, "--url", f"duckdb:///{name}"],
        ["status", "--url", f"duckdb:///{name.replace(EVIL[0], '')}"],
        [name],
        ["refresh", name],
    ):
        _, written = on_a_terminal(*arguments, cwd=tmp_path)
        assert written, arguments
        assert_plain(written)


def test_errors_of_a_server(tmp_path: Path) -> None:
    query = f"sql:SELECT error('{EVIL}')"
    with duckdb.connect(tmp_path / "tzconv.duckdb"):
        pass
    code, written = on_a_terminal("refresh", "--zones", query, cwd=tmp_path)
    assert code == 1
    assert_plain(written)


def test_visible() -> None:
    assert visible("Zürich é\tx\ny") == "Zürich é\\tx\\ny"
    assert visible("\x9b\u202e\udcff\x7f\r") == "\\x9b\\u202e\\udcff\\x7f\\r"


@pytest.mark.parametrize("option", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT content FROM read_text('{0}')",
        "SELECT * FROM read_csv('{0}')",
        "SELECT * FROM read_blob('{0}')",
        "SELECT file FROM glob('{0}*')",
        "SELECT * FROM v",
        "SELECT * FROM query('SELECT content FROM read_text(''{0}'')')",
        "SELECT * FROM duckdb_secrets()",
        "SELECT getenv('HOME')",
        "SELECT * FROM 'http://127.0.0.1:1/x.csv'",
        "SELECT nextval('s')",
        "COPY (SELECT 1) TO '{0}2'",
        "ATTACH '{0}2'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE t",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT 'Asia/Tokyo'",
        "EXPLAIN ANALYZE SELECT z FROM t",
        "SET enable_external_access = true",
    ],
)
def test_the_query_for_zones_reaches_no_file(query: str, option: list[str], tmp_path: Path) -> None:
    """And does nothing but read: on DuckDB."""
    (tmp_path / "private").write_text("Mars/Private\n")
    path = tmp_path / "private"
    with duckdb.connect(tmp_path / "tzconv.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT 'UTC' AS z")
        database.execute(f"CREATE VIEW v AS SELECT * FROM read_text('{path}')")
        database.execute("CREATE SEQUENCE s")
    before = (tmp_path / "tzconv.duckdb").read_bytes()
    done = run("refresh", "--zones", f"sql:{query.format(path)}", *option, cwd=tmp_path)
    assert_one_sentence(done, "query of --zones cannot be run")
    assert "Mars" not in done.stderr
    assert (tmp_path / "tzconv.duckdb").read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["private", "tzconv.duckdb"]


WRITES = [
    "SELECT set_config('transaction_read_only', 'off', false)",
    "WITH x AS (DELETE FROM t RETURNING z) SELECT z FROM x",
    "SELECT nextval('s')::text",
    "SELECT f()",
    "SELECT z INTO u FROM t",
    "SELECT z FROM t FOR UPDATE",
    "SELECT lo_create(0)::text",
    "SELECT 'UTC'; COMMIT; DROP TABLE t",
    "COMMIT",
    "DO 'BEGIN DELETE FROM t; END'",
    "COPY t TO PROGRAM 'touch written'",
]


@pytest.mark.parametrize("option", [[], ["--dry-run"]])
def test_the_query_for_zones_writes_nothing(
    option: list[str], tmp_path: Path, server: postgres.Server
) -> None:
    url = server.fresh("reports")
    with server.connect("reports") as database:
        database.execute("CREATE TABLE t AS SELECT 'UTC' AS z")
        database.execute("CREATE SEQUENCE s")
        database.execute(
            "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS "
            "$$ DELETE FROM t; SELECT 'UTC'::text $$"
        )
        for query in WRITES:
            done = run("refresh", "--url", url, "--zones", f"sql:{query}", *option, cwd=tmp_path)
            assert_one_sentence(done, "query of --zones cannot be run")
            left = "SELECT count(*), (SELECT is_called FROM s), to_regclass('u') FROM t"
            assert database.execute(left).fetchall() == [(1, False, None)]
    server.drop("reports")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full", ">&-"])
def test_a_log_that_cannot_be_written_stops_no_refresh(stream: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -m tzconv refresh --zones UTC {stream}"
    subprocess.run(command, shell=True, cwd=tmp_path, check=False)
    assert run("status", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("command", ["status --json", "rewrite -"])
def test_standard_streams_that_are_closed(command: str, tmp_path: Path) -> None:
    """No file of a database gets their numbers, which a library may write messages to."""
    assert run("refresh", "--zones", "UTC", "--tables", "zone", cwd=tmp_path).returncode == 0
    line = f"{sys.executable} -m tzconv {command} <&- >&-"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["ddl", "show Europe/Paris", "status --json", "--help"])
def test_a_standard_output_that_is_full(command: str, tmp_path: Path) -> None:
    assert run("refresh", "--zones", "UTC", "--tables", "zone", cwd=tmp_path).returncode == 0
    line = f"{sys.executable} -m tzconv {command} >/dev/full"
    done = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert_one_sentence(done, "standard output is full")


def test_a_working_directory_that_was_removed(tmp_path: Path) -> None:
    (gone := tmp_path / "gone").mkdir()
    line = f"rmdir {gone}; {sys.executable} -P -m tzconv rewrite query.sql"
    done = subprocess.run(line, shell=True, cwd=gone, capture_output=True, text=True, check=False)
    assert_one_sentence(done, "the working directory was removed: run this in one that exists.")


def test_arguments_that_are_no_text(tmp_path: Path) -> None:
    for arguments in (
        ["--zones", "\udcff"],
        ["--zones", "sql:SELECT '\udcff'"],
        ["--db-schema", "\udcff"],
        ["--rules", "/\udcff"],
        ["--tables", "\udcff"],
    ):
        with duckdb.connect(tmp_path / "tzconv.duckdb"):
            pass
        assert_one_sentence(run("refresh", *arguments, cwd=tmp_path), " ")

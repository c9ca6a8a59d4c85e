"""Each message with an advice: the state is made, the advice is followed, the state is gone."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import tzconv
from tests import ROOT, postgres, releases
from tests.command import assert_one_sentence, changed, log, run
from tests.databases import Database, small
from tests.waiting import SECONDS, eventually
from tzconv import engines, health, tables
from tzconv.engines.postgres import load as loads
from tzconv.engines.postgres import session
from tzconv.errors import BusyError, DatabaseError, NewerTablesError
from tzconv.refresher import refresh

ZONES = ("Asia/Kolkata", "UTC")
LATER = dt.date(2026, 4, 1)
HOLD = """
import duckdb, sys
held = duckdb.connect(sys.argv[1], read_only=len(sys.argv) < 3)
print("open", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def held(path: Path, *write: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has a DuckDB file open, for reading unless ``write`` is given."""
    command = [sys.executable, "-c", HOLD, str(path), *write]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        try:
            yield holder
        finally:
            holder.send_signal(signal.SIGCONT)
            holder.kill()


def advice(said: str, form: str) -> str:
    """The part of a message that is an advice of that form."""
    found = re.search(form, said)
    assert found, said
    return found[1]


def is_healthy(url: str, now: dt.datetime = dt.datetime(2026, 1, 10), **other: Any) -> bool:
    with engines.connect(url, read_only=True) as backend:
        return health.status(backend, now, **other).healthy


# -- newer and older hosts


def test_tables_of_a_newer_tzconv(database: Database) -> None:
    """They are left alone with an exit code of their own, and dropping them is the way back."""
    small(database.url, *ZONES)
    database.run(f"UPDATE {tables.MIGRATION} SET version_num = '9001'")
    with pytest.raises(NewerTablesError, match=r"revision 9001, .* use tzconv 0") as caught:
        refresh(database.url)
    with pytest.raises(NewerTablesError, match="revision 9001"):
        tzconv.read_options(database.url)
    with engines.connect(database.url, read_only=True) as backend:
        [finding] = health.status(backend).findings
    assert (finding.check, finding.level, finding.text) == ("revision", "error", str(caught.value))
    names = advice(str(caught.value), r"drop the tables (.*), and run tzconv refresh\.")
    for name in re.split(r", | and ", names):
        database.run(f"DROP TABLE {name}")
    assert small(database.url, *ZONES)
    assert is_healthy(database.url)


def test_two_versions_take_turns(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer one checks every row once; the older one then leaves what there is to do to it."""

    def use(version: str) -> None:
        for module in ("guards", "loaded", "wanted"):
            monkeypatch.setattr(f"tzconv.refresher.{module}.__version__", version)

    rows = f"SELECT count(*) FROM {tables.RELEASE.name}"
    small(database.url, *ZONES)
    for version in ("0.10.0", "0.9.1", "0.10.0", "0.9.1"):
        use(version)
        is_first = database.run(rows) == [(1,)]
        assert is_healthy(database.url), "an upgrade is no alarm"
        assert small(database.url, *ZONES) == is_first
    assert database.run(rows) == [(2,)]
    before = database.contents()
    with pytest.raises(NewerTablesError, match="keeps these tables, and 0"):
        small(database.url, *ZONES, "Asia/Tokyo", allow=["drop"])
    assert database.contents() == before
    assert small(database.url, *ZONES, "Asia/Tokyo", allow=["older"])
    use("0.10.0")
    with engines.connect(database.url, read_only=True) as backend:
        [found] = [one for one in health.status(backend).findings if one.check == "rows"]
    assert found.level == "warning"
    advice(found.text, "made by an older tzconv, 0.9.1: (run tzconv refresh), which checks")
    assert small(database.url, *ZONES, "Asia/Tokyo")
    assert is_healthy(database.url)


def test_two_hosts_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one with the older tz release ends with 3 and changes nothing."""
    monkeypatch.chdir(tmp_path)
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    given = ("--zones", "UTC,Europe/Berlin", "--tables", "offset", "--url", url)
    assert run("refresh", *given, cwd=tmp_path).returncode == 0
    before = Database("duckdb", url).contents()
    tree = tmp_path / "older"
    shutil.copytree(releases.TREE, tree)
    (tree / "+VERSION").write_text("2020a")
    older = run("refresh", "--rules", str(tree), "--json", "--url", url, cwd=tmp_path)
    assert older.returncode == 3
    assert json.loads(older.stdout)["error"]["code"] == "newer-tables"
    assert "is older: pip install --upgrade tzdata" in log(older)[-1]["text"]
    assert Database("duckdb", url).contents() == before
    assert not changed(run("refresh", "--rules", "tzdata", "--url", url, cwd=tmp_path))


def test_a_column_that_somebody_added(database: Database) -> None:
    for table in (tables.DAILY, tables.ZONE, tables.RELEASE):
        small(database.url, *ZONES)
        database.run(f"ALTER TABLE {table.name} ADD COLUMN note varchar")
        with pytest.raises(DatabaseError, match="has a column note that tzconv") as caught:
            small(database.url, *ZONES)
        database.run(advice(str(caught.value), r"(ALTER TABLE \S+ DROP COLUMN \S+), or"))
        assert not small(database.url, *ZONES)
        assert is_healthy(database.url)


def test_a_column_that_somebody_dropped(database: Database) -> None:
    small(database.url, *ZONES)
    database.run(f"ALTER TABLE {tables.DAILY.name} DROP COLUMN day_ends_at_utc")
    with pytest.raises(DatabaseError, match="it is left alone; rename it"):
        small(database.url, *ZONES)
    database.run(f"ALTER TABLE {tables.DAILY.name} RENAME TO kept")
    assert small(database.url, *ZONES)
    assert is_healthy(database.url)


# -- an old DuckDB file that a report reads


def test_a_report_has_the_file_open(tmp_path: Path) -> None:
    """A night without work succeeds and is noted; another one names the process."""
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    small(url, *ZONES)
    database = Database("duckdb", url)
    before = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    database.run(f"UPDATE {tables.RELEASE.name} SET last_checked_at = TIMESTAMP '2026-01-01'")
    age = dt.timedelta(hours=1)
    assert not is_healthy(url, before, max_age=age)
    with held(database.path) as holder:
        assert not small(url, *ZONES)
        with engines.connect(url, read_only=True) as backend:
            release = backend.newest_release()
            findings = health.status(backend, max_age=age).findings
        assert release is not None
        assert release["last_checked_at"] >= before
        assert [one.level for one in findings if one.check == "age"] == ["ok"]
        with pytest.raises(BusyError, match=f"in use by process {holder.pid}: wait until"):
            small(url, *ZONES, end=LATER, lock_timeout=0)
    assert small(url, *ZONES, end=LATER)
    assert not small(url, *ZONES, end=LATER)
    noted = database.run(f"SELECT max(last_checked_at) FROM {tables.RELEASE.name}")
    assert noted > [(before,)]


def test_a_stopped_process_has_the_file_open(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    small(url, *ZONES)
    with held(Path(url.removeprefix("duckdb:///")), "to write") as holder:
        holder.send_signal(signal.SIGSTOP)
        stat = Path(f"/proc/{holder.pid}/stat")
        assert eventually(lambda: ") T " in stat.read_text())
        with pytest.raises(BusyError) as caught:
            small(url, *ZONES, lock_timeout=0)
        kill = advice(str(caught.value), r"it was stopped: end it with (kill -9 \d+), and")
        assert kill == f"kill -9 {holder.pid}"
        subprocess.run(kill.split(), check=True)
        holder.wait(SECONDS)
    assert not small(url, *ZONES)


# -- stopped clients of PostgreSQL


@pytest.fixture
def lone(server: postgres.Server) -> Iterator[Database]:
    url = server.fresh("advice")
    yield Database("postgres", url, server, "advice")
    server.drop("advice")


def refreshing(database: Database) -> psycopg.Connection[Any]:
    """A client with an open refresh: it holds the lock, as ``lock`` takes it."""
    assert database.server is not None
    client = database.server.connect(database.name)
    client.execute("SET application_name = 'tzconv, process 1 of elsewhere'")
    client.execute("BEGIN")
    lock = f"{loads._LOCK}, oid::int"
    client.execute(
        f"SELECT pg_advisory_xact_lock({lock}) FROM pg_namespace WHERE nspname = 'public'"
    )
    return client


def test_the_server_ends_a_client_that_was_stopped(
    lone: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own setting is looked at, and then shortened for the test."""
    small(lone.url, *ZONES)
    with engines.connect(lone.url) as backend, backend.transaction():
        for name, most in (
            ("statement_timeout", "1h"),
            ("idle_in_transaction_session_timeout", "5min"),
        ):
            assert backend._run(f"SHOW {name}") == [(most,)]
        assert backend._run("SHOW client_connection_check_interval") == [("5s",)]
    monkeypatch.setitem(session._OURS, "idle_in_transaction_session_timeout", "'100ms'")
    with (
        engines.connect(lone.url) as stopped,
        contextlib.suppress(DatabaseError),
        stopped.transaction(),
    ):
        stopped.lock()
        monkeypatch.undo()
        assert small(lone.url, *ZONES, end=LATER)
        with pytest.raises(DatabaseError, match="idle-in-transaction"):
            stopped.now()


def test_a_stopped_copy_is_ended_by_the_next_refresh(
    lone: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that still gets rows is not, nor a young one."""
    small(lone.url, *ZONES)
    monkeypatch.setattr(loads, "_LONG_WAIT", 0.5)
    with refreshing(lone) as client, client.cursor() as cursor, contextlib.suppress(psycopg.Error):
        client.execute("CREATE TEMPORARY TABLE sent (n int)")
        with cursor.copy("COPY sent FROM STDIN") as copy:
            copy.write("1\n" * 100_000)
            with pytest.raises(BusyError, match="process 1 of elsewhere"):
                small(lone.url, *ZONES, end=LATER, lock_timeout=0.5)
            monkeypatch.setattr(session, "STALLED_AFTER", "0s")
            with pytest.raises(BusyError, match="process 1 of elsewhere"):
                small(lone.url, *ZONES, end=LATER, lock_timeout=0.1)
            process = client.info.backend_pid
            assert small(lone.url, *ZONES, end=LATER, lock_timeout=1)
            assert lone.run(f"SELECT 1 FROM pg_stat_activity WHERE pid = {process}") == []


@pytest.mark.not_core
@pytest.mark.parametrize("end", [None, LATER], ids=["without work", "with work"])
def test_a_client_that_reads_no_rows_is_ended_by_the_next_refresh(
    end: dt.date | None, lone: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A young one is not, nor one of another program."""
    assert lone.server is not None
    small(lone.url, *ZONES)
    waiting = (
        "SELECT application_name FROM pg_stat_activity "
        f"WHERE wait_event = 'ClientWrite' AND datname = '{lone.name}' ORDER BY 1"
    )
    ours, other = ("tzconv, process 1 of elsewhere",), ("a report",)
    with contextlib.ExitStack() as opened:
        for name in (*ours, *other):
            client = lone.server.connect(lone.name)
            opened.callback(client.close)
            if name in ours and end is not None:
                client.close()
                client = refreshing(lone)
                opened.callback(client.close)
            client.execute(f"SET application_name = '{name}'")
            client.pgconn.send_query(
                b"BEGIN; SELECT repeat('x', 1000) FROM generate_series(1, 100000)"
            )
        assert eventually(lambda: lone.run(waiting) == [other, ours])
        if end is None:
            small(lone.url, *ZONES)
        else:
            with pytest.raises(BusyError, match="process 1 of elsewhere"):
                small(lone.url, *ZONES, end=end, lock_timeout=0.1)
        assert lone.run(waiting) == [other, ours]
        monkeypatch.setattr(session, "UNREAD_AFTER", "0s")
        small(lone.url, *ZONES, **({} if end is None else {"end": end}), lock_timeout=0.1)
        assert lone.run(waiting) == [other]


@pytest.mark.not_core
def test_a_query_ends_with_its_client(lone: Database) -> None:
    """It takes the server five seconds to look."""
    small(lone.url, *ZONES)
    program = (
        "import sys; from tzconv import engines\n"
        "with engines.connect(sys.argv[1]) as backend: backend._run('SELECT pg_sleep(600)')"
    )
    client = subprocess.Popen([sys.executable, "-c", program, lone.url], cwd=ROOT)
    sleeps = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
    assert eventually(lambda: lone.run(sleeps) == [(1,)])
    client.kill()
    client.wait()
    assert eventually(lambda: lone.run(sleeps) == [(0,)], 60)


# -- no memory, no space


def limited(
    tmp_path: Path, kind: int, most: int, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """A refresh of a process with a limit."""

    def limit() -> None:
        resource.setrlimit(kind, (most, most))

    command = [sys.executable, "-m", "tzconv", "refresh", *arguments]
    return subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_memory(tmp_path: Path) -> None:
    done = limited(tmp_path, resource.RLIMIT_AS, 420_000_000, "--quiet")
    # Python or DuckDB notices first, and each says so in its words
    assert_one_sentence(done, "Out of ", "give the process more")
    done = run("refresh", "--zones", "UTC", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done


def test_a_full_disk(tmp_path: Path) -> None:
    """The limit of a file's size is a disk that is full; the night after it works again."""
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    given = ("--url", url, "--zones", "UTC,Asia/Tokyo", "--quiet")
    assert run("refresh", *given, cwd=tmp_path).returncode == 0
    before = Database("duckdb", url).contents()
    more = (*given, "--tables", "daily,hourly,period", "--end", "2060-01-01")
    done = limited(tmp_path, resource.RLIMIT_FSIZE, (tmp_path / "tz.duckdb").stat().st_size, *more)
    assert_one_sentence(done, "free some space")
    assert Database("duckdb", url).contents() == before
    assert run("refresh", *more, cwd=tmp_path).returncode == 0
    assert run("doctor", "--url", url, cwd=tmp_path).returncode == 0


# -- what monitors read


def test_an_error_has_the_fields_that_monitors_read(tmp_path: Path) -> None:
    for name in ("status", "doctor"):
        done = run(name, "--url", "duckdb:///no.duckdb", "--json", cwd=tmp_path)
        assert done.returncode == 1
        answer = json.loads(done.stdout)
        assert answer["healthy"] is False
        [finding] = answer["findings"]
        assert finding == {"check": "error", "level": "error", "text": answer["error"]["message"]}


def metrics(path: Path) -> dict[str, float]:
    """The samples of a text file of Prometheus, each line checked by its grammar."""
    found = {}
    for line in path.read_text().splitlines():
        sample = re.fullmatch(r'(\w+(?:\{(?:\w+="(?:[^"\\\n]|\\.)*",?)+\})?) (-?[\d.e+]+)', line)
        assert sample or re.fullmatch(r"# (HELP|TYPE) tzconv_\w+ .+", line), line
        if sample:
            found[sample[1]] = float(sample[2])
    return found


def test_prometheus(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    out = tmp_path / "tzconv.prom"
    given = ("--url", url, "--prometheus", str(out))
    assert run("status", *given, cwd=tmp_path).returncode == 1
    assert {*metrics(out)} == {"tzconv_healthy", "tzconv_status_timestamp_seconds"}
    assert metrics(out)["tzconv_healthy"] == 0
    run("refresh", "--url", url, "--zones", "UTC", "--quiet", cwd=tmp_path)
    began = time.time()
    assert run("status", *given, cwd=tmp_path).returncode == 0
    found = metrics(out)
    assert found["tzconv_healthy"] == 1
    assert abs(found["tzconv_refreshed_timestamp_seconds"] - began) < SECONDS
    assert found['tzconv_rows{table="offset"}'] == 1
    assert found['tzconv_check{check="horizon"}'] == 0
    Database("duckdb", url).run(f"DELETE FROM {tables.DAILY.name}")
    assert run("status", *given, cwd=tmp_path).returncode == 1
    assert metrics(out)['tzconv_check{check="rows"}'] == 2
    assert {one.name for one in tmp_path.iterdir()} == {"tz.duckdb", "tzconv.prom"}

"""DuckDB as a backend: what it opens, what it leaves alone, how it fails."""

from __future__ import annotations

import contextlib
import datetime as dt
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tests.databases import FREE
from tests.releases import tzif
from tests.waiting import SECONDS
from tzconv import engines, health, tables
from tzconv.engines.backend import Backend
from tzconv.engines.duckdb.load import DuckDB
from tzconv.errors import DatabaseError, QueryError
from tzconv.refresher import refresh
from tzconv.tz import zones

START, END = dt.date(2026, 1, 1), dt.date(2026, 2, 1)
DAILY = "time_zone_daily_conversion"
COLUMNS = (
    "time_zone_name VARCHAR, day DATE, day_starts_at_utc TIMESTAMP, day_ends_at_utc TIMESTAMP, "
    "day_ends_before_utc TIMESTAMP"
)


def small(database: str | Backend, *names: str) -> bool:
    return refresh(database, zones=names or ("UTC",), start=START, end=END, **FREE).changed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tz.duckdb"


@pytest.mark.parametrize(
    "url",
    [
        "duckdb://",
        "duckdb:///",
        "duckdb://tz.duckdb",  # a host to SQLAlchemy: it would open, and lose, a database in memory
        "duckdb://me:secret@host/tz.duckdb",
        "duckdb:///tz.duckdb?access_mode=read_only",
    ],
)
def test_a_part_of_a_url_is_not_dropped_in_silence(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatabaseError, match="A DuckDB URL is duckdb:///FILE") as caught:
        engines.connect(url)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_url_is_not_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in ``--url "$UNSET"``."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatabaseError, match="not a database URL"):
        engines.connect("")
    engines.connect().__exit__()
    assert [path.name for path in tmp_path.iterdir()] == ["tzconv.duckdb"]


@pytest.mark.parametrize("name", ["tz.duckdb", "clock.duckdb", "does not exist.duckdb"])
@pytest.mark.parametrize("read_only", [False, True])
def test_files_that_are_no_duckdb_files(tmp_path: Path, name: str, read_only: bool) -> None:
    url = f"duckdb:///{tmp_path / name}"
    (tmp_path / name).write_bytes(b"not a database " * 1000)
    with pytest.raises(DatabaseError, match="is not a DuckDB file"):
        engines.connect(url, read_only=read_only)
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(DatabaseError, match="is not a DuckDB file"):
        engines.connect(url, read_only=read_only)
    (tmp_path / name).unlink()
    with sqlite3.connect(tmp_path / name) as other:  # DuckDB would try to download an extension
        other.execute("CREATE TABLE t (a)")
    other.close()
    with pytest.raises(DatabaseError, match="is not a DuckDB file"):
        engines.connect(url, read_only=read_only)


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="is a folder: name a file in it"):
        engines.connect(f"duckdb:///{tmp_path}")
    with pytest.raises(DatabaseError, match="no such folder: create it"):
        engines.connect(f"duckdb:///{tmp_path}/none/tz.duckdb")
    with pytest.raises(DatabaseError, match=r"clock.duckdb: no such file: make it"):
        engines.connect(f"duckdb:///{tmp_path}/clock.duckdb", read_only=True)
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseError, match=r"(no such folder|cannot be opened)"):
        engines.connect(f"duckdb:///{tmp_path}/file/tz.duckdb")


def test_open_in_this_program_already(path: Path) -> None:
    with (
        engines.connect(f"duckdb:///{path}"),
        pytest.raises(DatabaseError, match="is open in this program in another mode"),
    ):
        engines.connect(f"duckdb:///{path}", read_only=True)


@pytest.mark.parametrize(
    "columns", [COLUMNS.upper(), COLUMNS.upper().replace(", DAY_ENDS_BEFORE_UTC TIMESTAMP", "")]
)
def test_hand_made_tables_in_upper_case_are_left_alone(path: Path, columns: str) -> None:
    """DuckDB finds them by our names: a DELETE would have emptied them."""
    with duckdb.connect(path) as database:
        database.execute(f"CREATE TABLE {DAILY.upper()} ({columns})")
        database.execute(f"INSERT INTO {DAILY} (time_zone_name) VALUES ('mine')")
    with pytest.raises(DatabaseError, match="left alone"):
        small(f"duckdb:///{path}")
    with duckdb.connect(path) as database:
        assert database.execute("SHOW TABLES").fetchall() == [(DAILY.upper(),)]
        assert database.execute(f"SELECT time_zone_name FROM {DAILY}").fetchall() == [("mine",)]


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE TABLE {DAILY} ({COLUMNS.replace('day DATE', 'day VARCHAR')})",
        f"CREATE TABLE {DAILY} ({COLUMNS.replace('TIMESTAMP', 'TIMESTAMPTZ')})",
        f"CREATE TABLE {DAILY} ({COLUMNS}, note VARCHAR)",
        f"CREATE TABLE source ({COLUMNS}); CREATE VIEW {DAILY} AS FROM source",
    ],
)
def test_other_types_columns_and_kinds_are_left_alone(path: Path, statement: str) -> None:
    with duckdb.connect(path) as database:
        database.execute(statement)
        before = database.execute("SHOW TABLES").fetchall()
    said = f"something else named {DAILY}, a (table|view) with|{DAILY} has a column note"
    with pytest.raises(DatabaseError, match=said):
        small(f"duckdb:///{path}")
    with duckdb.connect(path) as database:
        assert database.execute("SHOW TABLES").fetchall() == before


def test_tables_of_our_names_elsewhere_do_not_matter(path: Path) -> None:
    with duckdb.connect(path) as database:
        database.execute(f"CREATE SCHEMA other; CREATE TABLE other.{DAILY} AS SELECT 1 AS a")
    assert small(f"duckdb:///{path}")
    with duckdb.connect(path) as database:
        assert database.execute(f"FROM other.{DAILY}").fetchall() == [(1,)]


def test_a_refresh_that_may_not_write(path: Path) -> None:
    small(f"duckdb:///{path}")
    with engines.connect(f"duckdb:///{path}", read_only=True) as backend:
        assert not small(backend)  # it leaves its sign beside the file
        with pytest.raises(DatabaseError, match="read-only"):
            small(backend, "Asia/Tokyo")
    assert not small(f"duckdb:///{path}")


def test_two_refreshes_in_one_program(path: Path) -> None:
    url = f"duckdb:///{path}"
    small(url)
    with engines.connect(url) as one, engines.connect(url) as other:
        with one.transaction():
            one.delete(tables.DAILY, None)
            with pytest.raises(DatabaseError, match="Another connection changes the same rows"):
                small(other, "Asia/Tokyo")
        assert one.row_counts()["daily"] == 0
        assert small(other, "Asia/Tokyo")


@pytest.mark.parametrize("alone", [True, False])
def test_a_load_may_change_the_order_of_rows_only_where_it_is_alone(
    path: Path, *, alone: bool
) -> None:
    url = f"duckdb:///{path}"
    small(url)
    seen: list[bool] = []
    with engines.connect(url) as backend, contextlib.ExitStack() as others:
        assert isinstance(backend, DuckDB)
        if not alone:
            others.enter_context(duckdb.connect(path))

        def kept() -> bool:
            with backend._connection.cursor() as beside:
                [(found,)] = beside.execute(
                    "SELECT current_setting('preserve_insertion_order')"
                ).fetchall()
            return bool(found)

        stored = backend._connection.sql(f"FROM {tables.OFFSET.name}").to_arrow_table()

        def batches() -> Iterator[pa.RecordBatch]:
            seen.append(kept())
            yield from stored.to_batches()

        rows = pa.RecordBatchReader.from_batches(stored.schema, batches())
        with backend.transaction():
            backend.delete(tables.OFFSET, None)
            backend.load(tables.OFFSET, rows, new=False)
        assert seen == [not alone]
        assert kept()
        assert backend.row_counts()["offset"] == len(stored)


def test_the_size_of_a_first_load_is_the_estimate_of_its_plan(path: Path) -> None:
    refresh(f"duckdb:///{path}", start=dt.date(2025, 1, 1), end=dt.date(2028, 1, 1))
    with duckdb.connect(path) as stored:
        for name in DuckDB.default_tables:
            table, per_row = tables.CONVERSIONS[name].name, (DuckDB.bytes_per_row or {})[name]
            [(rows,)] = stored.execute(f"SELECT count(*) FROM {table}").fetchall()
            [(blocks,)] = stored.execute(
                "SELECT count(DISTINCT block_id) FROM pragma_storage_info(?) WHERE persistent",
                [table],
            ).fetchall()
            assert blocks << 18 == pytest.approx(rows * per_row, rel=0.3), name


class StoppedError(Exception):
    """What the rows of a load raise in the middle."""


@pytest.mark.parametrize("name", ["hourly", "daily"])
@pytest.mark.parametrize("end", [None, StoppedError(), KeyboardInterrupt()])
def test_a_load_takes_little_memory_unless_it_sorts_and_gives_the_limit_back(
    path: Path, end: BaseException | None, name: str
) -> None:
    url, table = f"duckdb:///{path}", tables.CONVERSIONS[name]
    refresh(url, zones=["UTC"], start=START, end=END, tables=[name], **FREE)
    seen: list[str] = []
    with engines.connect(url) as backend:
        assert isinstance(backend, DuckDB)
        connection = backend._connection

        def limit() -> str:
            with connection.cursor() as beside:
                rows = beside.execute("SELECT current_setting('memory_limit')").fetchall()
            return str(rows[0][0])

        connection.execute("SET memory_limit = '3GiB'")
        before = limit()
        stored = connection.sql(f"FROM {table.name}").to_arrow_table()

        def batches() -> Iterator[pa.RecordBatch]:
            seen.append(limit())
            if end is not None:
                raise end
            yield from stored.to_batches()

        rows = pa.RecordBatchReader.from_batches(stored.schema, batches())
        with contextlib.suppress(StoppedError, KeyboardInterrupt), backend.transaction():
            backend.delete(table, None)
            backend.load(table, rows, new=False)
        assert backend.row_counts()[name] == len(stored)
        assert limit() == before
    assert len(seen) == 1
    assert seen[0].endswith("MiB") == (name == "hourly")


@pytest.mark.not_core
def test_a_first_load_on_many_processors(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread holds memory, to sort and to write: 96 MB were too little for 64."""
    connect = duckdb.connect

    def with_threads(*arguments: Any, **options: Any) -> duckdb.DuckDBPyConnection:
        return connect(*arguments, **options).execute("SET threads = 64")

    monkeypatch.setattr("duckdb.connect", with_threads)
    assert refresh(f"duckdb:///{path}", tables=tables.CONVERSIONS, **FREE).changed


def test_a_clock_that_went_back(path: Path) -> None:
    url = f"duckdb:///{path}"
    small(url)
    with duckdb.connect(path) as database:
        database.execute(f"UPDATE {tables.RELEASE.name} SET finished_at = '2999-01-01'")
    assert small(url, "UTC", "Asia/Tokyo")
    assert not small(url, "UTC", "Asia/Tokyo")
    with engines.connect(url) as backend:
        release = backend.newest_release()
    assert release is not None
    assert release["zone_count"] == 2


def test_rules_that_change_under_one_name(path: Path, tmp_path: Path) -> None:
    root = tmp_path / "rules"
    root.mkdir()
    for hours in (1, 2):
        (root / "Home").write_bytes(tzif([], [], [(hours * 3600, 0, "HOM")], f"HOM-{hours}"))
        for changes in (True, False):
            made = refresh(
                f"duckdb:///{path}", rules=root, start=START, end=END, tables=["hourly"], **FREE
            )
            assert made.changed is changes
        with duckdb.connect(path) as database:
            offsets = database.execute(
                f"SELECT DISTINCT utc_offset_seconds FROM {tables.HOURLY.name}"
            )
            assert offsets.fetchall() == [(hours * 3600,)]


def test_damaged_rules_are_loaded_anew(path: Path) -> None:
    url = f"duckdb:///{path}"
    small(url, "Asia/Kolkata")
    with duckdb.connect(path) as database:
        database.execute(
            f"UPDATE {tables.OFFSET.name} SET utc_offset_seconds = 19801 WHERE rowid = 2"
        )
    assert small(url, "Asia/Kolkata")
    assert not small(url, "Asia/Kolkata")


@pytest.mark.not_core
@pytest.mark.parametrize("work", ["query", "load"])
def test_ctrl_c_while_duckdb_is_at_work(path: Path, work: str) -> None:
    url = f"duckdb:///{path}"
    small(url)
    code = f"""
import sys
from tzconv import engines
from tzconv.refresher import refresh
with engines.connect(sys.argv[1]) as backend:
    refresh(backend, zones=["UTC"])  # imports are done: Python may lose a signal in one of them
    try:
        print("go", flush=True)
        if {work!r} == "query":
            backend.query("SELECT count(*) FROM range(100000000) a, range(9999) b "
                          "WHERE hash(a.range + b.range) = 7")
        else:
            for _ in range(100):
                refresh(backend)
                refresh(backend, zones=["UTC"])
    except KeyboardInterrupt:
        print("interrupted")
"""
    for delay in (0.3, 0.9, 1.5) if work == "load" else (0.5,):
        job = subprocess.Popen(
            [sys.executable, "-c", code, url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert job.stdout is not None
        job.stdout.readline()
        time.sleep(delay)
        job.send_signal(signal.SIGINT)
        out, err = job.communicate(timeout=SECONDS)
        assert (out, err) == ("interrupted\n", "")
    with engines.connect(url) as backend:
        release = backend.newest_release()
        assert release is not None
        assert backend.row_counts() == {
            name: release[f"{name}_rows"] for name in tables.CONVERSIONS
        }


def test_queries_see_the_database_and_nothing_of_this_program() -> None:
    with engines.connect("duckdb:///:memory:") as backend:
        rows = pa.table({"a": [1]})
        assert rows.num_rows == 1
        for name in ("rows", "statements", "relation", "tables"):
            with pytest.raises(QueryError, match=f"Table with name {name} does not exist"):
                backend.query(f"SELECT * FROM {name}")


def test_names_and_types_of_a_query() -> None:
    with engines.connect("duckdb:///:memory:") as backend:
        result = backend.query(
            "SELECT 1 AS a, INTERVAL 1 DAY AS a, TIMETZ '10:00:00+02' AS t, now()"
        )
        assert result.names == ("a", "a", "t", "now()")
        assert result.types == (
            "INTEGER",
            "INTERVAL",
            "TIME WITH TIME ZONE",
            "TIMESTAMP WITH TIME ZONE",
        )
        assert result.rows.column_names == ["c0", "c1", "c2", "c3"]
        assert result.rows["c2"].to_pylist() == ["10:00:00+02"]
        assert result.seconds > 0
        assert backend.query("SELECT 1 AS a WHERE false").rows.num_rows == 0


def test_column_types_of_tables_and_views(path: Path) -> None:
    with duckdb.connect(path) as database:
        database.execute(
            'CREATE TABLE "Odd.Name" ("A b" TIMESTAMPTZ, c DECIMAL(9, 2)); CREATE SCHEMA s; '
            "CREATE TABLE s.t (x TIMESTAMP); CREATE VIEW v AS SELECT x, now() AS n FROM s.t"
        )
    with engines.connect(f"duckdb:///{path}", read_only=True) as backend:
        types = backend.column_types()
        assert types["v"] == types["main.v"]
        assert types["v"] == {"x": "TIMESTAMP", "n": "TIMESTAMP WITH TIME ZONE"}
        assert types["Odd.Name"] == {"A b": "TIMESTAMP WITH TIME ZONE", "c": "DECIMAL(9,2)"}
        assert types["s.t"] == {"x": "TIMESTAMP"}
        assert "t" not in types
        assert isinstance(backend, DuckDB)
        backend._run("SET TimeZone = 'Asia/Tokyo'")
        assert backend.session_time_zone() == "Asia/Tokyo"


def test_every_zone_name_passes_through(path: Path) -> None:
    """Names are data: the longest and the oddest ones come back as they are."""
    names = [*sorted(zones.installed().names, key=len)[-3:], "Etc/GMT+12", "Etc/GMT-14"]
    small(f"duckdb:///{path}", *names)
    with engines.connect(f"duckdb:///{path}") as backend:
        assert isinstance(backend, DuckDB)
        assert set(backend.checksums(tables.PERIOD)) == set(names)


def test_a_file_that_is_in_use(path: Path) -> None:
    url = f"duckdb:///{path}"
    small(url)
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(DatabaseError, match=f"in use by process {holder.pid}"):
            engines.connect(url, lock_timeout=0.5)
    finally:
        holder.communicate("\n")
    assert not small(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("tz.duckdb", "write it as duckdb:///tz.duckdb"),
        ("nonsense", "not a database URL"),
        ("duckdb:///", "A DuckDB URL is duckdb:///FILE"),
        ("duckdb://", "A DuckDB URL is duckdb:///FILE"),
        ("mysql://me:secret@host/db", "scheme 'mysql' is not supported"),
        ("duckdb:////missing/folder/tz.duckdb", "no such folder: create it"),
    ],
)
def test_urls_that_cannot_be_used(url: str, message: str) -> None:
    with pytest.raises(DatabaseError, match=message) as caught:
        engines.connect(url)
    assert "secret" not in str(caught.value)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="no such file"):
        engines.connect(f"duckdb:///{tmp_path}/none.duckdb", read_only=True)
    (tmp_path / "text.duckdb").write_text("this is no database at all " * 500)
    with pytest.raises(DatabaseError, match="not a DuckDB file"):
        engines.connect(f"duckdb:///{tmp_path}/text.duckdb")


def test_types_of_views_are_those_of_now(tmp_path: Path) -> None:
    """DuckDB's catalog has those of when a view was read last."""
    path = tmp_path / "views.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            """
            CREATE TABLE t (ts TIMESTAMP); CREATE VIEW "a ""view" AS SELECT ts FROM t;
            CREATE TABLE gone (ts TIMESTAMP); CREATE VIEW lost AS SELECT ts FROM gone;
            DROP TABLE gone
            """
        )
    with duckdb.connect(path) as connection:
        connection.execute("ALTER TABLE t ALTER ts TYPE TIMESTAMPTZ")
        try:
            connection.execute('FROM "a ""view"')
            expected = {"ts": "TIMESTAMP WITH TIME ZONE"}
        except duckdb.BinderException:  # DuckDB 1.4 refuses to read the view
            expected = None
    with engines.connect(f"duckdb:///{path}", read_only=True) as backend:
        assert backend.column_types().get('a "view') == expected


def test_a_bit_that_a_disk_has_changed(path: Path) -> None:
    """Anywhere in the file, it is an error that says what to do, or was of no use."""
    small(f"duckdb:///{path}")
    whole, draw = path.read_bytes(), random.Random(36)
    said: list[str] = []
    for number in range(20):
        damaged = bytearray(whole)
        # the first blocks have the headers
        place = draw.randrange(len(whole) if number % 2 else 3 * 4096)
        damaged[place] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        try:
            with engines.connect(f"duckdb:///{path}", read_only=True) as backend:
                found = health.doctor(backend, dt.datetime(2026, 1, 10))
        except DatabaseError as error:
            said.append(str(error))
        else:
            assert found.healthy
    assert len(said) > 10
    advice = "Corrupt .* or, if it holds .* and run tzconv refresh.$"
    assert all(re.search(advice, one) for one in said), said

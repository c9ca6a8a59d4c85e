"""Loading the tables into DuckDB: exactly what was generated, all of it or nothing."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tests.test_zones import tzif
from tzconv import backends, checksums, generate, refresher, tables, zones
from tzconv.backends import Disagreement
from tzconv.backends.duckdb import DuckDB
from tzconv.errors import DatabaseError, HorizonError, UnknownZoneError
from tzconv.horizon import Horizon
from tzconv.refresher import refresh

START, END = dt.date(2026, 1, 1), dt.date(2026, 7, 1)
ZONES = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]
RULES = zones.installed()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"duckdb:///{tmp_path}/tz.duckdb"


def small(url: str, **other: Any) -> refresher.Refresh:
    return refresh(url, **{"zones": ZONES, "start": START, "end": END, **other})


def path_of(url: str) -> Path:
    return Path(url.removeprefix("duckdb:///"))


def contents(url: str) -> dict[str, list[Any]]:
    with duckdb.connect(path_of(url), read_only=True) as database:
        return {
            table.name: database.execute(f"FROM {table.name} ORDER BY ALL").fetchall()
            for table in tables.ALL
        }


def assert_holds_the_stream(url: str, names: list[str], horizon: Horizon) -> None:
    """Row for row what the generator says, compared by DuckDB."""
    with duckdb.connect(path_of(url), read_only=True) as database:
        for name, table in tables.CONVERSIONS.items():
            database.register("expected", generate.stream(name, RULES, names, horizon).read_all())
            columns = ", ".join(column.name for column in table.columns)
            difference = database.execute(
                f"SELECT count(*) FROM ("
                f"(SELECT {columns} FROM expected EXCEPT ALL SELECT {columns} FROM {table.name}) "
                "UNION ALL "
                f"(SELECT {columns} FROM {table.name} EXCEPT ALL SELECT {columns} FROM expected))"
            ).fetchall()
            assert difference == [(0,)], name


def test_a_first_refresh(url: str) -> None:
    result = small(url)
    assert result.changed
    assert (result.tz_release, result.rules, result.zone_count) == (RULES.release, "tzdata", 4)
    assert_holds_the_stream(url, ZONES, Horizon(START, END))
    with backends.connect(url, read_only=True) as backend:
        release = backend.newest_release()
        assert release is not None
        assert release["horizon_starts_on"] == START
        assert release["horizon_ends_before"] == END
        assert release["offset_ends_before"] == dt.date(2038, 1, 1)
        assert {name: release[f"{name}_rows"] for name in result.rows} == result.rows
        assert backend.row_counts() == result.rows
        assert release["started_at"] <= release["finished_at"]
        assert len(release["hourly_checksum"]) == 64


def test_the_tables_agree_with_the_function(url: str) -> None:
    """The database's own function, asked about every hour that was loaded."""
    small(url)
    with duckdb.connect(path_of(url), read_only=True) as database:
        asked, wrong = database.execute(
            """
            SELECT count(*), count(*) FILTER (
                WHERE moment AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name
                      <> moment + utc_offset_seconds * INTERVAL 1 SECOND)
            FROM (SELECT time_zone_name, utc_offset_seconds,
                         unnest([starts_at_utc, ends_before_utc - INTERVAL 1 MICROSECOND]) AS moment
                  FROM time_zone_hourly_conversion)
            """
        ).fetchall()[0]
    assert wrong == 0
    assert asked > 40_000


def test_nothing_to_do_writes_nothing(url: str) -> None:
    small(url)
    before, state = contents(url), path_of(url).stat()
    again = small(url)
    assert not again.changed
    assert contents(url) == before
    assert path_of(url).stat().st_mtime_ns == state.st_mtime_ns
    assert len(before[tables.RELEASE.name]) == 1


@pytest.mark.parametrize(
    ("change", "names", "horizon"),
    [
        ({"zones": [*ZONES, "Asia/Tokyo"]}, [*ZONES, "Asia/Tokyo"], Horizon(START, END)),
        ({"zones": ["UTC"]}, ["UTC"], Horizon(START, END)),
        ({"end": dt.date(2026, 9, 1)}, ZONES, Horizon(START, dt.date(2026, 9, 1))),
        ({"start": dt.date(2026, 3, 1)}, ZONES, Horizon(dt.date(2026, 3, 1), END)),
    ],
)
def test_a_change_leaves_exactly_what_was_asked_for(
    url: str, change: dict[str, Any], names: list[str], horizon: Horizon
) -> None:
    small(url)
    assert small(url, **change).changed
    assert_holds_the_stream(url, names, horizon)
    assert len(contents(url)[tables.RELEASE.name]) == 2
    assert not small(url, **change).changed


def test_rows_that_were_deleted_come_back(url: str) -> None:
    small(url)
    with duckdb.connect(path_of(url)) as database:
        database.execute("DELETE FROM time_zone_daily_conversion WHERE day = '2026-03-08'")
    assert small(url).changed
    assert_holds_the_stream(url, ZONES, Horizon(START, END))


class _StopError(Exception):
    pass


def failing(reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    def batches() -> Iterator[pa.RecordBatch]:
        yield reader.read_next_batch()
        raise _StopError

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


@pytest.mark.parametrize("table", tables.CONVERSIONS)
def test_a_failure_anywhere_leaves_the_old_state(
    url: str, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(url)
    before = contents(url)
    load = DuckDB.load

    def load_badly(self: DuckDB, into: tables.Table, rows: pa.RecordBatchReader) -> None:
        load(self, into, failing(rows) if into is tables.CONVERSIONS[table] else rows)

    monkeypatch.setattr(DuckDB, "load", load_badly)
    with pytest.raises(_StopError):
        small(url, zones=["Asia/Tokyo", "Europe/Paris"])
    assert contents(url) == before
    monkeypatch.undo()
    assert small(url, zones=["Asia/Tokyo"]).changed


def test_rows_that_are_not_what_was_generated_are_refused(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(url)
    before = contents(url)
    load = DuckDB.load

    def load_and_damage(self: DuckDB, into: tables.Table, rows: pa.RecordBatchReader) -> None:
        load(self, into, rows)
        if into is tables.UTC_DAY:
            self._connection.execute(
                f"UPDATE {into.name} SET utc_offset_seconds = utc_offset_seconds + 1 "
                "WHERE time_zone_name = 'Europe/Paris' AND utc_day = '2026-05-05'"
            )

    monkeypatch.setattr(DuckDB, "load", load_and_damage)
    with pytest.raises(DatabaseError, match=r"does not hold what was generated.*Europe/Paris"):
        small(url, zones=["Asia/Tokyo", "Europe/Paris"])
    assert contents(url) == before


def test_killed_at_any_moment(url: str) -> None:
    """SIGKILL to the job: the next one finds the old tables, complete, and goes on from there."""
    small(url)
    before = contents(url)
    code = (
        "import datetime as dt, sys; from tzconv.refresher import refresh\n"
        "print('go', flush=True)\n"
        "refresh(sys.argv[1], start=dt.date(2020,1,1), end=dt.date(2024,1,1))"
    )
    for delay in (0.05, 0.4, 0.8, 1.6):
        job = subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE)
        assert job.stdout is not None
        job.stdout.readline()
        time.sleep(delay)
        os.kill(job.pid, signal.SIGKILL)
        job.wait()
        job.stdout.close()
        assert contents(url) == before
    assert not small(url).changed


def test_tables_of_other_people_are_left_alone(url: str) -> None:
    with duckdb.connect(path_of(url)) as database:
        database.execute(
            "CREATE TABLE time_zone_daily_conversion (time_zone_name varchar, day date, "
            "day_starts_at_utc timestamp, day_ends_at_utc timestamp)"
        )
        database.execute(
            "INSERT INTO time_zone_daily_conversion VALUES ('x', '2020-01-01', NULL, NULL)"
        )
    with pytest.raises(DatabaseError, match="something else named time_zone_daily_conversion"):
        small(url)
    with duckdb.connect(path_of(url)) as database:
        assert database.execute("SHOW TABLES").fetchall() == [("time_zone_daily_conversion",)]
        assert database.execute("FROM time_zone_daily_conversion").fetchall()[0][0] == "x"


def test_tables_like_ours_that_no_refresh_made_are_left_alone(url: str) -> None:
    small(url)
    with duckdb.connect(path_of(url)) as database:
        database.execute("DROP TABLE time_zone_conversion_release")
    with pytest.raises(DatabaseError, match="that no refresh has made"):
        small(url)


def test_a_view_of_our_name_is_left_alone(url: str) -> None:
    with duckdb.connect(path_of(url)) as database:
        database.execute("CREATE VIEW time_zone_offset_conversion AS SELECT 1 AS one")
    with pytest.raises(DatabaseError, match="something else named time_zone_offset_conversion"):
        small(url)


def test_wrong_input_touches_no_database(url: str) -> None:
    with pytest.raises(UnknownZoneError):
        small(url, zones=["Mars/Phobos"])
    with pytest.raises(HorizonError):
        small(url, start=END, end=START)
    assert not path_of(url).exists()


def test_rules_of_another_tree(url: str, tmp_path: Path) -> None:
    root = tmp_path / "rules"
    root.mkdir()
    (root / "tzdata.zi").write_text("# version 1999z\n")
    (root / "Home").write_bytes(tzif([], [], [(3600, 0, "HOM")], "HOM-1"))
    result = refresh(url, rules=root, start=START, end=END)
    assert (result.tz_release, result.rules, result.zone_count) == ("1999z", str(root), 1)
    assert result.disagreements == (Disagreement("Home", None, None),)
    assert small(url).tz_release == RULES.release


def test_zones_for_which_the_database_has_other_rules(url: str, tmp_path: Path) -> None:
    """A tree in which New York never changes its clock, and Tokyo is what it is."""
    root = tmp_path / "rules"
    (root / "America").mkdir(parents=True)
    (root / "Asia").mkdir()
    (root / "America" / "New_York").write_bytes(tzif([], [], [(-18000, 0, "EST")], "EST5"))
    (root / "Asia" / "Tokyo").write_bytes(tzif([], [], [(32400, 0, "JST")], "JST-9"))
    result = refresh(url, rules=root, start=START, end=END)
    (found,) = result.disagreements
    assert found.zone == "America/New_York"
    # daylight saving from 8 March, and on every midnight asked after it
    assert (found.first, found.last) == (dt.datetime(2026, 3, 9), dt.datetime(2026, 6, 30))
    assert small(url).disagreements == ()


def test_progress(url: str) -> None:
    seen: list[tuple[str, int, int]] = []
    small(url, progress=lambda *step: seen.append(step))
    assert seen == [(name, done, 4) for name in tables.CONVERSIONS for done in (1, 2, 3, 4)]


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_every_change_of_a_value_changes_the_checksum(name: str) -> None:
    table = tables.CONVERSIONS[name]
    batch = generate.stream(name, RULES, ["Australia/Lord_Howe"], Horizon(START, END)).read_all()
    columns = {
        column: batch[column].to_numpy()
        for column in batch.schema.names
        if column != "time_zone_name"
    }
    before = checksums.of_columns(table, columns)
    for column, values in columns.items():
        for row in range(0, len(values), max(1, len(values) // 7)):
            changed = values.copy()
            if values.dtype == object:
                changed[row] = values[row] + "X"
            elif values.dtype == bool:
                changed[row] = not values[row]
            elif str(values[row]) == "NaT":
                changed[row] = "2026-01-01"
            else:
                unit = "s" if values.dtype == "M8[us]" else "D"
                step = np.array(1, f"m8[{unit}]")
                changed[row] = values[row] + (step if values.dtype.kind == "M" else 1)
            assert checksums.of_columns(table, {**columns, column: changed}) != before, column
    # rows that swap one value are caught too, if they differ in another: order does not matter
    for column, values in columns.items():
        others = [other for key, other in columns.items() if key != column]
        for row in range(1, len(values)):
            if str(values[row]) != str(values[0]) and any(str(o[row]) != str(o[0]) for o in others):
                swapped = values.copy()
                swapped[0], swapped[row] = values[row], values[0]
                assert checksums.of_columns(table, {**columns, column: swapped}) != before, column
                break


def test_a_file_that_is_in_use(url: str) -> None:
    small(url)
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path_of(url))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(DatabaseError, match=f"in use by process {holder.pid}"):
            small(url)
    finally:
        holder.communicate("\n")


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
        backends.connect(url)
    assert "secret" not in str(caught.value)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="no such file"):
        backends.connect(f"duckdb:///{tmp_path}/none.duckdb", read_only=True)
    (tmp_path / "text.duckdb").write_text("this is no database at all " * 500)
    with pytest.raises(DatabaseError, match="not a DuckDB file"):
        backends.connect(f"duckdb:///{tmp_path}/text.duckdb")

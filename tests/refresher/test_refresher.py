"""Loading the tables: exactly what was generated, all of it or nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests import databases, reference
from tests.databases import ALL, FREE, Database
from tests.releases import tzif
from tzconv import engines, refresher, tables
from tzconv.engines.backend import Backend
from tzconv.engines.duckdb.load import DuckDB
from tzconv.engines.postgres.load import Postgres
from tzconv.engines.vertica.load import Vertica
from tzconv.errors import DatabaseError, HorizonError, RulesError
from tzconv.refresher import Disagreement, refresh
from tzconv.tables import arrow, generate
from tzconv.tz import spans, zones
from tzconv.tz.horizon import Horizon

BACKENDS: dict[str, type[DuckDB | Postgres | Vertica]] = {
    "duckdb": DuckDB,
    "postgres": Postgres,
    "vertica": Vertica,
}
SHAPES: tuple[type[Backend], ...] = (DuckDB, Postgres, Vertica)
"""So that the type checker compares each with the protocol."""
TABLE_NAMES = """
SELECT table_name FROM information_schema.tables
WHERE table_schema IN ('main', 'public') ORDER BY 1
"""
START, END = dt.date(2026, 1, 1), dt.date(2026, 7, 1)
ZONES = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]
RULES = zones.installed()


def small(database: Database, **other: Any) -> refresher.Refresh:
    given = {"zones": ZONES, "start": START, "end": END, "rules": "tzdata", "tables": ALL}
    return refresh(database.url, **{**given, **FREE, **other})


def test_a_first_refresh(database: Database) -> None:
    result = small(database)
    assert result.changed
    assert (result.tz_release, result.rules, result.zone_count) == (RULES.release, "tzdata", 4)
    database.assert_holds(RULES, ZONES, Horizon(START, END))
    with engines.connect(database.url, read_only=True) as backend:
        release = backend.newest_release()
        assert release is not None
        assert release["horizon_starts_on"] == START
        assert release["horizon_ends_before"] == END
        assert release["offset_ends_before"] == dt.date(2038, 1, 1)
        assert {name: release[f"{name}_rows"] for name in result.rows} == result.rows
        assert backend.row_counts() == result.rows
        assert release["started_at"] <= release["finished_at"]
        assert len(release["hourly_checksum"]) == 32
        assert release["last_checked_at"] == release["finished_at"]


def test_the_tables_agree_with_the_function(database: Database) -> None:
    """The database's own function, asked about every hour that was loaded."""
    small(database)
    [(asked, wrong)] = database.run(
        """
        SELECT count(*), count(*) FILTER (
            WHERE moment AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name
                  <> moment + utc_offset_seconds * INTERVAL '1' SECOND)
        FROM (SELECT time_zone_name, utc_offset_seconds, starts_at_utc AS moment
              FROM time_zone_hourly_conversion
              UNION ALL
              SELECT time_zone_name, utc_offset_seconds,
                     ends_before_utc - INTERVAL '0.000001' SECOND
              FROM time_zone_hourly_conversion) AS asked
        """
    )
    assert wrong == 0
    assert asked > 40_000


def test_nothing_to_do_leaves_a_sign_and_no_more(database: Database) -> None:
    small(database)
    before = database.contents()
    again = small(database)
    assert not again.changed
    after = database.contents()
    [row], [row_after] = before.pop(tables.RELEASE.name), after.pop(tables.RELEASE.name)
    assert after == before
    place = [column.name for column in tables.RELEASE.columns].index("last_checked_at")
    assert row_after[place] > row[place]
    assert row_after[:place] == row[:place]


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
    database: Database, change: dict[str, Any], names: list[str], horizon: Horizon
) -> None:
    small(database)
    assert small(database, **change).changed
    database.assert_holds(RULES, names, horizon)
    assert len(database.contents()[tables.RELEASE.name]) == 2
    assert not small(database, **change).changed


def test_rows_that_were_deleted_come_back(database: Database) -> None:
    small(database)
    database.run("DELETE FROM time_zone_daily_conversion WHERE day = '2026-03-08'")
    assert small(database).changed
    database.assert_holds(RULES, ZONES, Horizon(START, END))


def test_another_refresh_was_faster(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """It did the same, or something else, while this one waited for it."""
    if database.kind == "duckdb":  # one process at a time opens the file
        return
    engine = BACKENDS[database.kind]
    lock = engine.lock

    def late(zones: list[str]) -> None:
        def locking(self: Any) -> None:
            monkeypatch.undo()
            assert small(database, zones=zones).changed
            lock(self)

        monkeypatch.setattr(engine, "lock", locking)

    late(ZONES)
    assert not small(database).changed
    database.assert_holds(RULES, ZONES, Horizon(START, END))
    late(["UTC"])
    assert small(database, zones=["Asia/Tokyo"]).changed
    database.assert_holds(RULES, ["Asia/Tokyo"], Horizon(START, END))
    assert len(database.contents()[tables.RELEASE.name]) == 3


class _StopError(Exception):
    pass


def failing(reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    def batches() -> Iterator[pa.RecordBatch]:
        yield reader.read_next_batch()
        raise _StopError

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


@pytest.mark.parametrize("table", tables.CONVERSIONS)
def test_a_failure_anywhere_leaves_the_old_state(
    database: Database, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(database)
    before = database.contents()
    engine = BACKENDS[database.kind]
    load = engine.load

    def load_badly(self: Any, into: tables.Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        load(self, into, failing(rows) if into is tables.CONVERSIONS[table] else rows, new=new)

    monkeypatch.setattr(engine, "load", load_badly)
    with pytest.raises(_StopError):
        small(database, zones=["Asia/Tokyo", "Europe/Paris"])
    assert database.contents() == before
    monkeypatch.undo()
    assert small(database, zones=["Asia/Tokyo"]).changed


def test_rows_that_do_not_arrive_as_they_were_sent_are_refused(database: Database) -> None:
    """A trigger of somebody's, as it were: what it makes of the rows is never committed."""
    small(database)
    before = database.contents()
    engine = BACKENDS[database.kind]
    load = engine.load

    def load_and_damage(
        self: Any, into: tables.Table, rows: pa.RecordBatchReader, *, new: bool
    ) -> None:
        load(self, into, rows, new=new)
        if into is tables.PERIOD:
            damage = (
                f"UPDATE {self.name(into.name)} SET microseconds_after = microseconds_after + 1 "
                "WHERE time_zone_name = 'Europe/Paris' AND zone_period > 200000"
            )
            database.queries.append(damage)
            self._run(damage)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "load", load_and_damage)
        with pytest.raises(DatabaseError, match=r"has other rows than were loaded.*Europe/Paris"):
            small(database, zones=["Asia/Tokyo", "Europe/Paris"])
    assert database.contents() == before


def test_tables_of_other_people_are_left_alone(database: Database) -> None:
    database.run(
        "CREATE TABLE time_zone_daily_conversion (time_zone_name varchar, day date, "
        "day_starts_at_utc timestamp, day_ends_at_utc timestamp)",
        "INSERT INTO time_zone_daily_conversion VALUES ('x', '2020-01-01', NULL, NULL)",
    )
    with pytest.raises(DatabaseError, match="something else named time_zone_daily_conversion"):
        small(database)
    assert database.run(TABLE_NAMES) == [("time_zone_daily_conversion",)]
    assert database.run("SELECT time_zone_name FROM time_zone_daily_conversion") == [("x",)]


def test_tables_like_ours_that_no_refresh_made_are_left_alone(database: Database) -> None:
    small(database)
    database.run("DROP TABLE time_zone_conversion_release")
    with pytest.raises(DatabaseError, match="without the release row of a refresh"):
        small(database)


def test_a_view_of_our_name_is_left_alone(database: Database) -> None:
    database.run("CREATE VIEW time_zone_offset_conversion AS SELECT 1 AS one")
    with pytest.raises(DatabaseError, match="something else named time_zone_offset_conversion"):
        small(database)


def test_a_table_with_the_name_of_the_migrations_is_left_alone(database: Database) -> None:
    database.run("CREATE TABLE time_zone_conversion_migration (day date)")
    with pytest.raises(DatabaseError, match="something else named time_zone_conversion_migration"):
        small(database)


def test_wrong_input_touches_no_database(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    with pytest.raises(RulesError, match="Mars/Phobos"):
        refresh(url, start=START, end=END, zones=["Mars/Phobos"])
    with pytest.raises(RulesError, match="no table 'weekly'"):
        refresh(url, start=START, end=END, tables=["weekly"])
    with pytest.raises(HorizonError):
        refresh(url, start=END, end=START)
    assert list(tmp_path.iterdir()) == []


def test_rules_of_another_tree(database: Database, tmp_path: Path) -> None:
    root = tmp_path / "rules"
    root.mkdir()
    (root / "tzdata.zi").write_text("# version 1999z\n")
    (root / "Home").write_bytes(tzif([], [], [(3600, 0, "HOM")], "HOM-1"))
    result = refresh(database.url, rules=root, start=START, end=END)
    assert (result.tz_release, result.rules, result.zone_count) == ("1999z", str(root), 1)
    assert result.disagreements == (Disagreement("Home", "unknown"),)
    with pytest.raises(RulesError, match="Mars/Phobos"):
        refresh(database.url, rules="database", zones=["Mars/Phobos"])
    assert small(database).tz_release == RULES.release


def test_zones_for_which_the_database_has_other_rules(database: Database, tmp_path: Path) -> None:
    """A tree in which New York never changes its clock, and Tokyo is what it is."""
    root = tmp_path / "rules"
    (root / "America").mkdir(parents=True)
    (root / "Asia").mkdir()
    (root / "America" / "New_York").write_bytes(tzif([], [], [(-18000, 0, "EST")], "EST5"))
    (root / "Asia" / "Tokyo").write_bytes(reference.bytes_of("Asia/Tokyo"))
    result = refresh(database.url, rules=root, start=START, end=END, seed=1)
    (found,) = result.disagreements
    assert (found.zone, found.kind) == ("America/New_York", "rules")
    assert found.first is not None
    assert found.last is not None
    # year 1 by the sun; and a summer of the last years, asked at random
    if database.kind == "vertica":  # its function has rules since 1902 only
        assert dt.datetime(1902, 1, 1) <= found.first < dt.datetime(2026, 7, 1)
    else:
        assert found.first == dt.datetime(1, 1, 1)
    assert dt.datetime(2026, 6, 30) <= found.last < dt.datetime(2037, 11, 1, 6)
    later = END + dt.timedelta(days=366)
    (found,) = refresh(database.url, rules=root, start=START, end=later, seed=1).disagreements
    assert found.zone == "America/New_York"
    assert small(database).disagreements == ()


def test_the_last_run_counts_though_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    given: dict[str, Any] = {"start": START, "end": END, "rules": "tzdata"}
    refresh(url, zones=["UTC"], **given)
    an_hour_ago = dt.datetime.now(dt.UTC).replace(tzinfo=None) - dt.timedelta(hours=1)
    monkeypatch.setattr(Backend, "now", lambda _: an_hour_ago)
    assert refresh(url, zones=["UTC", "Asia/Tokyo"], **given).zone_count == 2
    assert refresh(url, **given).zone_count == 2


def test_progress(database: Database) -> None:
    seen: list[tuple[str, int, int]] = []
    small(database, progress=lambda *step: seen.append(step))
    assert seen == [(name, done, 4) for name in tables.CONVERSIONS for done in (1, 2, 3, 4)]


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_every_change_of_a_value_changes_the_checksum(name: str) -> None:
    table = tables.CONVERSIONS[name]
    batches = generate.stream(name, RULES, ["Australia/Lord_Howe"], Horizon(START, END)).read_all()
    batch = batches.combine_chunks()
    columns = {
        column: arrow.values_of(batch[column].chunk(0))
        for column in batch.schema.names
        if column != "time_zone_name"
    }
    before = databases.sums_of(table, columns)
    for column, values in columns.items():
        for row in range(0, len(values), max(1, len(values) // 7)):
            changed = values.copy()
            if values.dtype == object:
                changed[row] = values[row] + "X"
            elif values.dtype == bool:
                changed[row] = not values[row]
            elif str(values[row]) == "NaT":
                changed[row] = "2026-01-01"
            elif values[row] == spans.NO_OFFSET:
                changed[row] = 0
            else:
                unit = "s" if values.dtype == "M8[us]" else "D"
                step = np.array(1, f"m8[{unit}]")
                changed[row] = values[row] + (step if values.dtype.kind == "M" else 1)
            assert databases.sums_of(table, {**columns, column: changed}) != before, column
    # rows that swap one value are caught too, if they differ in another: order does not matter
    for column, values in columns.items():
        others = [other for key, other in columns.items() if key != column]
        for row in range(1, len(values)):
            if str(values[row]) != str(values[0]) and any(str(o[row]) != str(o[0]) for o in others):
                swapped = values.copy()
                swapped[0], swapped[row] = values[row], values[0]
                assert databases.sums_of(table, {**columns, column: swapped}) != before, column
                break

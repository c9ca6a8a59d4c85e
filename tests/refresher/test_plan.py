"""The plan says what changes, and the refresh changes that and nothing else."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.databases import ALL, FREE, Database
from tests.releases import TREE, tzif
from tzconv import engines, health, refresher, tables
from tzconv.errors import QueryError, RulesError
from tzconv.refresher import Request, refresh, script
from tzconv.tables import generate
from tzconv.tz import numbers, zones
from tzconv.tz.changes import groups
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.periods import Numbers

START, END = dt.date(2026, 1, 1), dt.date(2027, 1, 1)
HORIZON = Horizon(START, END)
NEW = zones.installed()
OLD = zones.from_tree(TREE)
SOME = ("America/Edmonton", "Africa/Casablanca", "Asia/Kolkata", "Canada/Mountain", "UTC")
HISTORIES = 4
"""Canada/Mountain is a link to America/Edmonton."""


def plan_of(database: Database, **request: Any) -> refresher.Plan:
    asked = {"zones": SOME, "start": START, "end": END, "rules": "tzdata", "tables": ALL, **request}
    with refresher.open_for_plan(database.url, None) as backend:
        return refresher.make_plan(backend, Request(**asked))


def loaded_with(database: Database, **request: Any) -> refresher.Refresh:
    given = {"zones": SOME, "start": START, "end": END, "rules": "tzdata", "tables": ALL}
    return refresh(database.url, **{**given, **FREE, **request})


def rows_that_differ(name: str, names: tuple[str, ...]) -> tuple[Counter[Any], Counter[Any]]:
    """Rows of full generations from the old and from the new rules, compared by DuckDB.

    The zones have the same numbers in both.
    """
    end = seconds_of(HORIZON.offset_end)
    taken = numbers.numbered(OLD, OLD.names, Numbers(), end)
    older, newer = (
        rules.with_numbers(numbers.numbered(rules, names, taken, end)) for rules in (OLD, NEW)
    )
    with duckdb.connect() as judge:
        for word, rules in (("old", older), ("new", newer)):
            judge.register(word, generate.stream(name, rules, names, HORIZON).read_all())
        gone = judge.execute("FROM old EXCEPT ALL FROM new").fetchall()
        come = judge.execute("FROM new EXCEPT ALL FROM old").fetchall()
    return Counter(gone), Counter(come)


def physical_rows(database: Database, table: tables.Table) -> dict[Any, Any]:
    """Each row by the place where it lies, which a row that is written again leaves.

    DuckDB moves rows when it writes its file anew: there a row's place is what it says. So it is
    with the zone table, whose arrays PostgreSQL makes after the rest of the row.
    """
    columns = ", ".join(column.name for column in table.columns)
    if database.kind == "duckdb" or table is tables.ZONE:
        return {row: row for row in database.run(f"SELECT {columns} FROM {table.name}")}
    rows = database.run(f"SELECT ctid::text || xmin::text, {columns} FROM {table.name}")
    return {row[0]: row[1:] for row in rows}


def test_the_trees_differ_where_the_tests_look() -> None:
    assert OLD.release < NEW.release or OLD.release == "unknown"
    gone, come = rows_that_differ("offset", SOME)
    assert {row[0] for row in gone} >= {"America/Edmonton", "Africa/Casablanca"}
    assert {row[0] for row in come}.isdisjoint({"Asia/Kolkata", "UTC"})


def test_a_new_release_touches_the_zones_that_differ_and_no_other(database: Database) -> None:
    loaded_with(database, rules=TREE)
    before = {name: physical_rows(database, table) for name, table in tables.CONVERSIONS.items()}
    planned = plan_of(database)
    result = loaded_with(database)
    assert result.changed
    for name, table in tables.CONVERSIONS.items():
        place = [column.name for column in table.columns].index("time_zone_name")
        zones_of_rows = [{row[place] for row in rows} for rows in rows_that_differ(name, SOME)]
        differing = set.union(*zones_of_rows)
        after = physical_rows(database, table)
        stayed = {row for row in before[name].items() if row[1][place] not in differing}
        assert stayed <= after.items(), name
        [told] = [one for one in planned.tables if one.table == name]
        assert told.touched == differing
        went, came = (
            sum(row[place] in differing for row in rows.values()) for rows in (before[name], after)
        )
        assert (told.deleted, told.inserted) == (went, came)
        assert (result.deleted[name], result.inserted[name]) == (went, came)
    database.assert_holds(NEW, list(SOME), HORIZON)
    assert not loaded_with(database).changed


class Offsets:
    """The offsets of one zone, looked up in its generated spans."""

    def __init__(self, rules: zones.Rules, name: str) -> None:
        [spans] = generate.zone_columns("offset", rules, name, HORIZON)
        self.starts = spans["starts_at_utc"].astype("M8[us]")
        self.seconds = spans["utc_offset_seconds"]

    def at(self, times: Any) -> Any:
        return self.seconds[np.searchsorted(self.starts, times, "right") - 1]


def test_the_plan_names_the_local_times_whose_answer_changes(database: Database) -> None:
    both = [name for name in NEW.names if name in OLD]
    # what is said is the same on every database: all names are asked about on one
    some = set(both if database.kind == "duckdb" else both[::8])
    names = tuple(sorted(some | {"America/Edmonton", "Africa/Casablanca", "Canada/Mountain"}))
    few = Horizon(dt.date(2026, 6, 1), dt.date(2026, 6, 3))
    refresh(database.url, zones=names, start=few.start, end=few.end, rules=TREE, **FREE)
    planned = plan_of(database, zones=names, start=few.start, end=few.end)
    told = {change.zone for change in planned.changes}
    assert {"America/Edmonton", "Africa/Casablanca", "Canada/Mountain"} <= told
    first, last = np.datetime64("1960-01-01", "us"), np.datetime64("2038-01-01", "us")
    for name in names:
        old, new = Offsets(OLD, name), Offsets(NEW, name)
        changes = [change for change in planned.changes if change.zone == name]
        ends = np.array([t for c in changes for t in (c.starts, c.ends)], "M8[us]")
        # between two of these times neither an offset nor what is said of it can change
        times = np.unique(np.concatenate([[first], old.starts, new.starts, ends]))
        times = times[(times >= first) & (times < last)]
        expected = old.at(times)
        for change in changes:
            inside = (times >= np.datetime64(change.starts)) & (times < np.datetime64(change.ends))
            assert (old.at(times[inside]) == change.old_offset).all()
            expected[inside] = change.new_offset
        assert (expected == new.at(times)).all(), name
    group = next(group for group in groups(planned.changes) if "America/Edmonton" in group.zones)
    assert "Canada/Mountain" in group.zones


@pytest.mark.parametrize(
    "change",
    [
        {"start": dt.date(2026, 3, 5), "end": dt.date(2027, 3, 5)},
        {"start": dt.date(2025, 11, 1), "end": dt.date(2026, 7, 1)},
        {"start": dt.date(2030, 1, 1), "end": dt.date(2031, 1, 1)},
        {"end": dt.date(2029, 1, 1)},
        {"zones": ("Asia/Kolkata", "Asia/Tokyo")},
        {"tables": ["period"]},
        {"rules": TREE, "zones": ("Africa/Casablanca", "Australia/Lord_Howe"), "end": END},
    ],
)
def test_any_change_ends_where_a_first_load_would(
    database: Database, change: dict[str, Any]
) -> None:
    loaded_with(database)
    planned = plan_of(database, **change)
    result = loaded_with(database, **change)
    rules = OLD if "rules" in change else NEW
    horizon = Horizon(change.get("start", START), change.get("end", END))
    names = list(change.get("zones", SOME))
    if "tables" not in change:
        database.assert_holds(rules, names, horizon)
    else:
        assert result.rows["daily"] == result.rows["hourly"] == 0
        assert result.rows["offset"] > 0
        assert result.rows["zone"] == len(SOME)
        assert result.rows["period"] == HISTORIES * 487 + 1
    assert {one.table: one.inserted for one in planned.tables} == result.inserted
    assert not loaded_with(database, **change).changed


def test_a_move_of_the_horizon_touches_its_ends_only(database: Database) -> None:
    loaded_with(database)
    before = physical_rows(database, tables.HOURLY)
    result = loaded_with(database, start=dt.date(2026, 1, 2), end=dt.date(2027, 1, 2))
    after = physical_rows(database, tables.HOURLY)
    # one UTC day of five zones, one of which has two rows an hour
    assert result.deleted["hourly"] == result.inserted["hourly"] == 6 * 24
    assert sum(before.get(place) == row for place, row in after.items()) == len(after) - 6 * 24
    assert result.deleted["offset"] == result.inserted["offset"] == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE time_zone_offset_conversion SET is_dst = NOT is_dst WHERE time_zone_name = 'UTC'",
        "UPDATE time_zone_offset_conversion SET starts_at_utc = TIMESTAMP '0002-01-01' - INTERVAL "
        "'9' YEAR WHERE time_zone_name = 'Africa/Casablanca' AND ends_before_utc > '2037-12-31'",
        "UPDATE time_zone_offset_conversion SET starts_at_utc = TIMESTAMP '9999-12-31' "
        "WHERE time_zone_name = 'UTC'",
        "DELETE FROM time_zone_hourly_conversion WHERE day = DATE '2026-05-05'",
        "UPDATE time_zone_conversion_release SET tzconv_version = '0.0.1'",
        "UPDATE time_zone_conversion_zone SET zone_id = 7 WHERE time_zone_name = 'UTC'",
        "UPDATE time_zone_conversion_zone SET zone_id = zone_id + 1024",
        "UPDATE time_zone_conversion_zone SET zone_id = 7",
        "UPDATE time_zone_conversion_zone SET canonical_name = 'UTC'",
        "DELETE FROM time_zone_conversion_zone",
        "DELETE FROM time_zone_period_conversion WHERE zone_period >= 240000",
    ],
)
def test_damage_that_shows_is_repaired_without_being_asked(database: Database, damage: str) -> None:
    loaded_with(database)
    database.run(damage)
    planned = plan_of(database)
    assert planned.needed
    assert planned.loaded.damage
    assert loaded_with(database).changed
    database.assert_holds(NEW, list(SOME), HORIZON)
    assert not loaded_with(database).changed


def test_damage_that_hides_is_found_by_repair(database: Database) -> None:
    loaded_with(database)
    odd = "9999-01-01" if database.kind == "vertica" else "infinity"
    database.run(
        "UPDATE time_zone_period_conversion SET microseconds_after = NULL "
        "WHERE time_zone_name = 'Asia/Kolkata' AND zone_period > 240000",
        f"UPDATE time_zone_period_conversion SET zone_period = zone_period + {2**62} "
        "WHERE zone_period = (SELECT max(zone_period) FROM time_zone_period_conversion)",
        f"UPDATE time_zone_daily_conversion SET day = DATE '{odd}' "
        "WHERE time_zone_name = 'UTC' AND day = DATE '2026-05-05'",
    )
    with engines.connect(database.url, read_only=True) as backend:
        assert not health.doctor(backend).healthy
    assert not loaded_with(database).changed
    result = loaded_with(database, repair=True)
    assert result.changed
    assert result.inserted == {"daily": 365, "hourly": 0, "offset": 0, "zone": 0, "period": 487}
    database.assert_holds(NEW, list(SOME), HORIZON)
    assert not loaded_with(database, repair=True).changed


LATE = (
    "UPDATE time_zone_daily_conversion SET day_starts_at_utc = day_starts_at_utc "
    "- INTERVAL '1' SECOND WHERE day = DATE '2026-05-05'"
)


def test_damaged_rows_of_a_zone_with_other_rules_are_replaced(database: Database) -> None:
    loaded_with(database, rules=TREE)
    database.run(f"{LATE} AND time_zone_name = 'America/Edmonton'")
    assert loaded_with(database).changed
    database.assert_holds(NEW, list(SOME), HORIZON)


def test_a_move_of_the_horizon_reads_its_ends_and_repair_all_rows(database: Database) -> None:
    loaded_with(database)
    database.run(LATE)
    moved = {"end": dt.date(2027, 2, 1)}
    assert loaded_with(database, **moved).changed
    with engines.connect(database.url, read_only=True) as backend:
        assert not health.doctor(backend, dt.datetime(2026, 1, 1)).healthy
    assert loaded_with(database, **moved, repair=True).changed
    database.assert_holds(NEW, list(SOME), Horizon(START, dt.date(2027, 2, 1)))
    with engines.connect(database.url, read_only=True) as backend:
        assert health.doctor(backend, dt.datetime(2026, 1, 1)).healthy


def test_the_script_does_what_the_refresh_does(database: Database) -> None:
    loaded_with(database, rules=TREE)
    asked = Request([*SOME, "Asia/Tokyo"], START, dt.date(2027, 1, 3), "tzdata", ALL)
    with refresher.open_for_plan(database.url, None) as backend:
        planned = refresher.make_plan(backend, asked)
        statements = list(script.statements(backend, planned))
    assert (statements[0], statements[-1]) == ("BEGIN", "COMMIT")
    database.apply(*statements)
    database.assert_holds(NEW, [*SOME, "Asia/Tokyo"], Horizon(START, dt.date(2027, 1, 3)))
    assert not refresh(
        database.url, zones=[*SOME, "Asia/Tokyo"], start=START, end=dt.date(2027, 1, 3)
    ).changed


def test_the_script_of_a_first_load(database: Database) -> None:
    asked = Request(["Asia/Kolkata"], START, dt.date(2026, 2, 1))
    with refresher.open_for_plan(database.url, None) as backend:
        statements = list(script.statements(backend, refresher.make_plan(backend, asked)))
    database.apply(*statements)
    assert not refresh(
        database.url, zones=["Asia/Kolkata"], start=START, end=dt.date(2026, 2, 1)
    ).changed


def test_nothing_to_do_has_no_script(database: Database) -> None:
    loaded_with(database)
    with engines.connect(database.url, read_only=True) as backend:
        planned = refresher.make_plan(backend, Request(SOME, START, END))
        assert list(script.statements(backend, planned)) == []


def test_zones_of_a_query(database: Database) -> None:
    database.run(
        "CREATE TABLE publishers (zone varchar)",
        "INSERT INTO publishers VALUES ('Asia/Kolkata'), ('UTC'), (NULL), ('UTC'), ('Mars/Phobos'),"
        " ('asia/tokyo'), (''), ('asia/tokyo')",
    )
    query = "sql:SELECT zone FROM publishers"
    result = loaded_with(database, zones=query)
    assert result.left_out == {"": 1, "Mars/Phobos": 1, "asia/tokyo": 2}
    database.assert_holds(NEW, ["Asia/Kolkata", "UTC"], HORIZON)
    assert not loaded_with(database, zones=query).changed
    with pytest.raises(RulesError, match="returned no name"):
        loaded_with(database, zones="sql:SELECT zone FROM publishers WHERE zone IS NULL")
    with pytest.raises(RulesError, match="None of the 1 names"):
        loaded_with(database, zones="sql:SELECT zone FROM publishers WHERE zone LIKE 'Mars%'")
    with pytest.raises(RulesError, match="returned 2 columns"):
        loaded_with(database, zones="sql:SELECT zone, 1 FROM publishers")
    with pytest.raises(QueryError, match=r"The query of --zones cannot be run: .*only a single"):
        loaded_with(database, zones="sql:INSERT INTO publishers VALUES ('x')")
    with pytest.raises(QueryError, match="nothing_there"):
        loaded_with(database, zones="sql:SELECT zone FROM nothing_there")
    assert database.run("SELECT count(*) FROM publishers") == [(8,)]


def test_a_change_of_rules_alone(database: Database, tmp_path: Path) -> None:
    """Other abbreviations, the same offsets: no local time changes, and the plan says so."""
    for word, text in (("one", "HOM"), ("two", "HEM")):
        root = tmp_path / word
        root.mkdir()
        (root / "UTC").write_bytes(tzif([], [], [(0, 0, text)], f"{text}0"))
    refresh(database.url, rules=tmp_path / "one", start=START, end=END, **FREE)
    planned = plan_of(database, zones=None, rules=tmp_path / "two", tables=None)
    assert (planned.changes, planned.renamed) == ((), ("UTC",))
    assert {one.table for one in planned.tables if one.touched} == {"offset"}

"""A plan leads from one state to another: its sums are those of the rows that differ, and no more.

States are drawn: rules of two releases, zones, horizons and tables. What each holds is computed
whole, and no database is asked.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.refresher.horizons import BOTH, NEW, ODD, OLD, moved, near_a_mark
from tzconv import tables
from tzconv.refresher import plan, rows
from tzconv.refresher.loaded import State
from tzconv.refresher.plan import Plan
from tzconv.refresher.selection import Selection
from tzconv.refresher.wanted import Wanted
from tzconv.tables import checksums
from tzconv.tables.checksums import Sums
from tzconv.tz.horizon import OFFSETS_UNTIL, Horizon, seconds_of
from tzconv.tz.periods import Numbers
from tzconv.tz.zones import Rules, of_rows

NOTHING: Any = None
"""A backend that nothing may be asked of."""
ZONES = [*(one for one in ODD if one in BOTH), "Asia/Calcutta"]  # another name of Kolkata
CHOSEN = tuple(tables.CONVERSIONS)


def everything(wanted: Wanted, table: str) -> dict[str, Sums]:
    """The checksums of all rows of a table, by zone."""
    if table not in wanted.tables:
        return {}
    made = rows.of_zones(table, wanted.rules, wanted.names, wanted.horizon)
    found = rows.sums(table, wanted.names, made)
    return {zone: sums for zone, sums in found.items() if sums[0]}


def loaded(wanted: Wanted, **other: Any) -> State:
    """The state of tables after a refresh to there."""
    release = wanted.release()
    sums = {table: everything(wanted, table) for table in tables.CONVERSIONS}
    for table, found in sums.items():
        release[f"{table}_rows"] = checksums.total(found.values())[0]
        release[f"{table}_checksum"] = checksums.digest(found)
    numbers = wanted.rules.numbers
    assert numbers is not None
    return State(
        {**release, **other},
        {table: release[f"{table}_rows"] for table in tables.CONVERSIONS},
        sums={table: sums[table] for table in tables.ALWAYS},
        numbers=numbers,
        read_rules=functools.partial(_rules_of_rows, wanted),
    )


def _rules_of_rows(wanted: Wanted) -> Rules:
    """What the rows of the offset table say of the rules: nothing beyond its end."""
    columns = ["time_zone_name", "starts_at_utc", "utc_offset_seconds", "is_dst", "abbreviation"]
    made = rows.of_zones("offset", wanted.rules, wanted.names, wanted.horizon)
    found = [one for some in made for one in rows.batch("offset", some).select(columns).to_pylist()]
    spans = (tuple(one[name] for name in columns) for one in found)
    numbers = wanted.rules.numbers
    assert numbers is not None
    return of_rows("", "", spans).with_numbers(numbers)


def wanted(
    rules: Any, names: Collection[str], horizon: Horizon, chosen: Collection[str], taken: Numbers
) -> Wanted:
    in_order = tuple(one for one in CHOSEN if one in chosen or one in tables.ALWAYS)
    selection = Selection(tuple(sorted(names)), in_order)
    goal = Wanted(rules, tuple(sorted(names)), horizon, in_order, selection)
    return goal.fitted(taken, in_order)


def follow(
    made: Plan,
    before: Mapping[str, Mapping[str, Sums]],
    after: Wanted,
    *,
    count: bool = True,
    broken: Collection[str] = (),
) -> None:
    """Each zone's sums before, less what goes, and with what comes, are those after."""
    for one in made.tables:
        old, new = before.get(one.table, {}), everything(after, one.table)
        for zone in {*old, *new}:
            gone, come = one.gone.get(zone, (0, 0, 0)), one.come.get(zone, (0, 0, 0))
            there = zip(old.get(zone, (0, 0, 0)), gone, come, strict=True)
            result = tuple(have - less + more for have, less, more in there)
            must_count = count or (zone in old and zone not in one.move)
            if must_count or zone in one.come:
                assert must_count or one.table in tables.ALWAYS, "the load counts these rows"
                assert result == new.get(zone, (0, 0, 0)), (one.table, zone)
            is_other = old.get(zone) != new.get(zone) or (one.table == "zone" and zone in broken)
            assert (zone in one.touched) == is_other, (one.table, zone)
            if zone in one.move:
                assert zone not in (*one.drop, *one.add)
                assert 0 <= gone[0] < old[zone][0]
            else:
                assert gone == (old[zone] if zone in one.drop else (0, 0, 0))
        assert set(one.drop) <= old.keys()
        assert (one.inner is None) == (not one.move)
        if count:
            made_of = rows.sums(one.table, {*one.add, *one.move}, made.rows(one))
            assert {zone: sums for zone, sums in made_of.items() if sums[0]} == one.come
            assert one.inserted == sum(sums[0] for sums in one.come.values())
            assert made.release()[f"{one.table}_rows"] == checksums.total(new.values())[0]
            assert made.release()[f"{one.table}_checksum"] == checksums.digest(new)


def drawn(draw: random.Random, horizon: Horizon, taken: Numbers) -> Wanted:
    names = draw.sample(ZONES, draw.randrange(2, len(ZONES)))
    chosen = draw.sample(CHOSEN, draw.randrange(2, len(CHOSEN) + 1))
    return wanted(draw.choice((NEW, OLD)), names, horizon, chosen, taken)


def _of(made: Plan, table: str) -> tuple[str, ...]:
    """The zones whose rows are all deleted, if the table stays."""
    [one] = [one for one in made.tables if one.table == table]
    return one.drop if table in made.wanted.tables else ()


@pytest.mark.parametrize("seed", range(1, 25))
def test_drawn_states(seed: int) -> None:
    draw = random.Random(seed)
    before: Wanted | None = None
    horizon, state = near_a_mark(draw), State(None, dict.fromkeys(CHOSEN, 0))
    for step in range(4):
        goal = drawn(draw, horizon, state.numbers)
        if before is not None and draw.random() < 0.5:  # the horizon alone moves
            goal = replace(before, horizon=horizon).fitted(state.numbers, before.tables)
        count = draw.random() < 0.7
        made = plan.make(NOTHING, state, goal, **({} if count else {"count": False}))
        told = state.release or {}
        assert made.needed == (step == 0 or told != {**told, **goal.release()})
        assert not made.by_rows
        if made.needed:
            there = {table: everything(before, table) for table in CHOSEN} if before else {}
            follow(made, there, goal, count=count)
            old = () if before is None else before.names
            assert made.added == tuple(sorted({*goal.names} - {*old}))
            assert made.dropped == tuple(sorted({*old} - {*goal.names}))
            if before is not None and before.rules.release == goal.rules.release:
                assert not made.changes
                assert not made.renamed
                end = max(before.horizon.end, goal.horizon.end)
                if rows.common(before.horizon, goal.horizon) and end.year < 2037:
                    # what lies in both horizons stays
                    assert {*old} - {*goal.names} >= {*_of(made, "daily"), *_of(made, "hourly")}
        before, state = goal, loaded(goal)
        again = plan.make(NOTHING, state, goal)
        assert (again.loaded, again.needed, again.tables) == (state, False, ())
        horizon = moved(draw, horizon)


@pytest.mark.parametrize("seed", range(12))
def test_drawn_damage(seed: int) -> None:
    """Rows were lost, changed or added, or what the database derives is wrong."""
    draw = random.Random(seed)
    goal = drawn(draw, near_a_mark(draw), Numbers())
    there = {table: everything(goal, table) for table in CHOSEN}
    for table in draw.sample(goal.tables, draw.randrange(len(goal.tables))):
        zone = draw.choice(sorted(there[table]))
        count, *sums = there[table].pop(zone)
        if draw.random() < 0.7:
            there[table][draw.choice((zone, "Else/Where"))] = count + 1, sums[0] + 1, sums[1]
        if draw.random() < 0.2:
            there[table].clear()
    if seed == 0:
        there["offset"].clear()
    broken = draw.sample(goal.names, draw.randrange(2))

    def look(table: tables.Table) -> dict[str, Sums]:
        [name] = [name for name, one in tables.CONVERSIONS.items() if one is table]
        assert there[name], "an empty table is not read"
        return there[name]

    def derived(table: tables.Table) -> dict[str, str]:
        assert look(table), "nor does it derive anything"
        assert there["offset"], "of nothing"
        return dict.fromkeys(broken, "?")

    backend: Any = SimpleNamespace(checksums=look, broken=derived)
    counts = {table: checksums.total(sums.values())[0] for table, sums in there.items()}
    state = replace(
        loaded(goal), counts=counts, sums={table: there[table] for table in tables.ALWAYS}
    )
    are_derived = broken if counts["zone"] and counts["offset"] else []
    for made in (
        plan.make(backend, state, goal, repair=True),
        plan.make(backend, replace(state, damages=("changed",)), goal),
    ):
        assert made.by_rows
        follow(made, there, goal, broken={*are_derived} & there["zone"].keys())
        is_touched = any(one.touched for one in made.tables)
        assert made.needed == (is_touched or bool(made.loaded.damages))


def test_what_a_release_row_says() -> None:
    """Another value of the row is a reason to refresh; a newer tzconv or its times are none."""
    horizon = Horizon(dt.date(2026, 1, 1), dt.date(2026, 2, 1))
    goal = wanted(NEW, ZONES[:3], horizon, CHOSEN, Numbers())
    assert not plan.make(NOTHING, loaded(goal, finished_at=None), goal).needed
    assert not plan.make(NOTHING, loaded(goal, tzconv_version="999.0"), goal).needed
    for key in goal.release().keys() - {"tzconv_version", "offset_ends_before"}:
        assert plan.make(NOTHING, _with(goal, key), goal).needed, key
    made = plan.make(NOTHING, loaded(goal), goal)
    assert made.few(ZONES[:1]) == ZONES[:1]  # of three
    assert made.few(ZONES[:2]) is None
    fewer = loaded(goal)
    empty = replace(fewer, counts={**fewer.counts, "daily": 0})
    assert plan.make(NOTHING, empty, goal).needed


def test_keys_whose_sum_no_bigint_holds() -> None:
    """Without it the queries call the function."""
    for end, is_kept in ((dt.date(2100, 1, 1), True), (dt.date(9999, 1, 1), False)):
        goal = wanted(NEW, ZONES[:1], Horizon(dt.date(2026, 1, 1), end), CHOSEN, Numbers())
        assert (goal.release()["period_keys"] is not None) == is_kept


def test_other_rules_of_the_same_release() -> None:
    """A folder of rules may change without another name: what the release row says is the same."""
    horizon = Horizon(dt.date(2025, 1, 1), dt.date(2026, 2, 1))
    before = wanted(OLD, ZONES, horizon, CHOSEN, Numbers())
    state = loaded(before)
    goal = wanted(NEW, ZONES, horizon, CHOSEN, state.numbers)
    assert state.release is not None
    made = plan.make(NOTHING, replace(state, release={**state.release, **goal.release()}), goal)
    assert made.needed
    assert made.changed_rules == {*(change.zone for change in made.changes), *made.renamed}
    assert json.loads(made.release()["rule_changes"])["rules"] == goal.rules.source
    follow(made, {table: everything(before, table) for table in CHOSEN}, goal)


def _with(goal: Wanted, key: str) -> State:
    """The state with another value in one column of its release row."""
    value = goal.release()[key]
    other = value + dt.timedelta(days=1) if isinstance(value, dt.date) else f"{value}1"
    return loaded(goal, **{key: other})


def test_only_zones_that_may_differ_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refresh takes as long as its change, and reads the loaded rules only for that."""
    asked: dict[str, set[str]] = {}

    def of_zones(table: str, rules: Rules, zones: Collection[str], *horizons: Any) -> Any:
        asked.setdefault(table, set()).update(zones)
        return computed(table, rules, zones, *horizons)

    computed = rows.of_zones
    horizon = Horizon(dt.date(2025, 1, 1), dt.date(2026, 2, 1))
    before = wanted(OLD, ZONES, horizon, CHOSEN, Numbers())
    state = loaded(before)
    goals = {
        release: wanted(rules, ZONES, horizon, CHOSEN, state.numbers)
        for release, rules in (("new", NEW), ("old", OLD))
    }
    fewer = wanted(OLD, ZONES[:-2], horizon, CHOSEN, state.numbers)
    monkeypatch.setattr(rows, "of_zones", of_zones)
    made = plan.make(NOTHING, state, goals["new"])
    assert made.changed_rules
    assert asked.pop("daily") == asked.pop("hourly") == made.changed_rules
    assert asked.pop("period") <= made.changed_rules
    # the latest end at which no daily row reaches beyond the offset table
    last = replace(horizon, end=OFFSETS_UNTIL - rows.NEIGHBOURS)
    state = loaded(wanted(OLD, ZONES, last, CHOSEN, state.numbers))
    asked.clear()
    made = plan.make(NOTHING, state, wanted(NEW, ZONES, last, CHOSEN, state.numbers))
    assert asked["daily"] == made.changed_rules
    state = loaded(before)
    asked.clear()
    unread = replace(state, read_rules=lambda: pytest.fail("the rules were read"))
    longer = replace(goals["old"], horizon=replace(horizon, end=dt.date(2026, 3, 1)))
    assert plan.make(NOTHING, unread, longer.fitted(state.numbers, CHOSEN)).needed
    assert "period" not in asked
    asked.clear()
    assert plan.make(NOTHING, state, fewer).dropped == tuple(sorted(ZONES[-2:]))
    assert asked.pop("daily") == asked.pop("hourly") == {*ZONES[-2:]}


@pytest.mark.parametrize("ends", [(2030, 2041), (2041, 2030)])
def test_the_offset_table_ends_elsewhere(ends: tuple[int, int]) -> None:
    """Nothing has changed in what both states know of."""
    first, second = (Horizon(dt.date(2029, 11, 1), dt.date(end, 1, 20)) for end in ends)
    before = wanted(NEW, ZONES, first, CHOSEN, Numbers())
    state = loaded(before)
    goal = wanted(NEW, ZONES, second, CHOSEN, state.numbers)
    made = plan.make(NOTHING, state, goal)
    assert made.changed_rules == set()
    follow(made, {table: everything(before, table) for table in CHOSEN}, goal)


@pytest.mark.parametrize("days", [-2, -1, 0])
def test_a_change_behind_the_end_of_the_offset_table(days: int) -> None:
    """The local day that begins before the end may be another one, and no row tells."""
    start, end = (seconds_of(OFFSETS_UNTIL + dt.timedelta(days)) for days in (-90, 0))
    standard = ("Test/Zone", start, -5 * 3600, False, "S")
    changed = ("Test/Zone", end + 2 * 3600, -4 * 3600, True, "D")
    horizon = Horizon(dt.date(2037, 12, 1), OFFSETS_UNTIL + dt.timedelta(days))
    before, after = (
        wanted(of_rows(release, "", found), ["Test/Zone"], horizon, CHOSEN, Numbers())
        for release, found in (("2026a", [standard]), ("2026b", [standard, changed]))
    )
    made = plan.make(NOTHING, loaded(before), after)
    assert made.needed
    follow(made, {table: everything(before, table) for table in CHOSEN}, after)

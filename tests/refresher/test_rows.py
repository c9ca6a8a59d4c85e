"""A horizon that moves: its tables are those of a first load, however they came to be."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import random
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests import reference
from tests.databases import ALL, FREE, Database
from tests.refresher.horizons import BOTH, NEW, ODD, OLD, moved, near_a_mark
from tests.releases import TREE
from tzconv import engines, health
from tzconv.refresher import function_check, refresh, rows
from tzconv.tables import generate
from tzconv.tz.horizon import Horizon

SEEDS = range(int(os.environ.get("TZCONV_RANDOM_MOVES", "1")))


def rows_of(parts: Any) -> list[tuple[Any, ...]]:
    parts = list(parts)
    columns = (
        [np.concatenate([part[name] for part in parts]).tolist() for name in parts[0]]
        if parts
        else []
    )
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("table", ["daily", "hourly"])
def test_what_leaves_and_comes_is_the_difference(table: str) -> None:
    """Over all zones: no row of the inside, each row of the outside once."""
    chance = random.Random(19)
    for name in NEW.names:
        before = near_a_mark(chance)
        after = moved(chance, before)
        inner = rows.common(before, after)
        if inner is None:
            continue
        old, new = (
            rows_of(generate.zone_columns(table, NEW, name, horizon)) for horizon in (before, after)
        )
        gone, come = (
            rows_of(rows.at_ends(table, NEW, name, horizon, inner)) for horizon in (before, after)
        )
        assert len(set(gone)) == len(gone)
        assert sorted([*(set(old) - set(gone)), *come]) == sorted(new), (name, before, after)
        assert set(gone) <= set(old), (name, before, after)


def digests(database: Database, schema: str | None) -> dict[str, Any]:
    with engines.connect(database.url, read_only=True, schema=schema) as backend:
        release = backend.newest_release()
        assert release is not None
        assert health.doctor(
            backend, dt.datetime.combine(release["horizon_starts_on"], dt.time())
        ).healthy
    return {name: value for name, value in release.items() if name.endswith(("_rows", "_checksum"))}


def assert_as_a_first_load(database: Database, given: dict[str, Any]) -> None:
    database.run("DROP SCHEMA IF EXISTS first CASCADE", "CREATE SCHEMA first")
    refresh(database.url, **given, schema="first")
    assert digests(database, None) == digests(database, "first"), given


@pytest.mark.parametrize("seed", SEEDS)
def test_any_sequence_of_moves_and_rules(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    horizon = near_a_mark(chance)
    for _ in range(4):
        old = chance.random() < 0.4
        given: dict[str, Any] = {
            "zones": ODD,
            "start": horizon.start,
            "end": horizon.end,
            "rules": TREE if old else "tzdata",
            "tables": ALL,
        }
        refresh(database.url, **given, **FREE)
        database.assert_holds(OLD if old else NEW, ODD, horizon)
        horizon = moved(chance, horizon)
    assert_as_a_first_load(database, given)


def test_moves_of_all_zones(tmp_path: Any) -> None:
    database = Database("duckdb", f"duckdb:///{tmp_path}/tz.duckdb")
    chance = random.Random(7)
    horizon = Horizon(dt.date(2026, 3, 20), dt.date(2026, 4, 20))
    for rules in ("tzdata", "tzdata", TREE):
        given: dict[str, Any] = {
            "zones": BOTH,
            "start": horizon.start,
            "end": horizon.end,
            "rules": rules,
            "tables": ["daily", "period"],
        }
        refresh(database.url, **given, **FREE)
        database.assert_holds(OLD if rules is TREE else NEW, BOTH, horizon, without=("hourly",))
        horizon = moved(chance, horizon)
    assert_as_a_first_load(database, given)


class _Recording:
    """A database that is asked about local and UTC times, and always wrong."""

    function_range = None

    def __init__(self) -> None:
        self.asked: dict[tuple[str, bool], set[int]] = {}

    def zone_names(self, names: list[str]) -> set[str]:
        return {name.lower() for name in names}

    def abbreviations(self) -> dict[str, int]:
        return {}

    def convert(self, names: list[str], of_zone: Any, times: Any, *, to_utc: bool) -> Any:
        for place, name in enumerate(names):
            seconds = times[of_zone == place] // 1_000_000
            self.asked.setdefault((name, to_utc), set()).update(seconds.tolist())
        return times + 1


@pytest.mark.parametrize("name", ["Australia/Lord_Howe", "Europe/Paris", "Pacific/Apia"])
def test_the_edges_of_each_gap_and_fold_are_asked_for(name: str) -> None:
    recording: Any = _Recording()
    horizon = Horizon(dt.date(2005, 1, 1), dt.date(2016, 1, 1))
    [found] = function_check.disagreements(recording, NEW, [name], horizon, seed=1)
    assert (found.zone, found.kind) == (name, "rules")
    years = (reference.utc("2005-01-01"), reference.utc("2016-01-01"))
    states = reference.changes(ZoneInfo(name), *years, reference.DAY)
    assert len(states) > 5
    for (_, before), (instant, after) in itertools.pairwise(states):
        assert {instant - 1, instant} <= recording.asked[name, False]
        edges = {instant + before.offset, instant + after.offset}
        assert edges | {edge - 1 for edge in edges} <= recording.asked[name, True]

"""A refresh stops before a change that is rarely meant, names its flag, and changes nothing."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.command import assert_one_sentence, run
from tests.databases import ALL, Database
from tests.releases import TREE, tzif
from tzconv import engines
from tzconv.engines import backend as backends
from tzconv.refresher import Refresh, refresh
from tzconv.refresher.guards import NotAllowedError, OlderHostError
from tzconv.tz import horizon, zones

START, END = dt.date(2026, 1, 1), dt.date(2026, 7, 1)
ZONES = ("America/Edmonton", "Asia/Kolkata", "UTC")


def load(database: Database, **other: Any) -> Refresh:
    given = {"zones": ZONES, "start": START, "end": END, "tables": ("daily", "hourly")}
    return refresh(database.url, **{**given, **other})


def aged(tmp_path: Path, name: str) -> Path:
    """The older rules under the name of some release."""
    tree = tmp_path / name
    tree.mkdir()
    for zone in ZONES:
        (tree / zone).parent.mkdir(exist_ok=True)
        (tree / zone).write_bytes((TREE / zone).read_bytes())
    (tree / "+VERSION").write_text(name)
    return tree


def set_clock(monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    """Let this program, and no server, believe that it is that year."""

    class Clock(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return dt.datetime.now(tz).replace(year=year, day=1)

    for module in (backends, horizon):
        fake = SimpleNamespace(**{**vars(dt), "datetime": Clock})
        monkeypatch.setattr(module, "dt", fake)


STOPS = [
    ({"tables": ("daily",)}, ("delete",), "--allow-delete"),
    ({"zones": ("UTC",)}, ("drop",), "--allow-drop"),
    ({"start": dt.date(2026, 4, 15)}, ("delete",), "--allow-delete"),
    ({"start": dt.date(2030, 1, 1), "end": dt.date(2030, 7, 1)}, ("delete",), "--allow-delete"),
]


@pytest.mark.parametrize(("change", "allow", "said"), STOPS)
def test_what_stops_without_its_flag(
    database: Database, change: dict[str, Any], allow: tuple[str, ...], said: str
) -> None:
    load(database)
    before = database.contents()
    others = [flag for flag in ("delete", "drop", "older") if flag not in allow]
    for repair in (False, True):
        with pytest.raises(NotAllowedError, match=said) as caught:
            load(database, allow=others, repair=repair, **change)
        assert str(caught.value).endswith("Nothing was changed.")
    assert database.contents() == before
    assert load(database, allow=allow, **change).changed


def test_rules_that_change_most_times(tmp_path: Path) -> None:
    """Of one zone of three they do not stop a refresh, although its rows are replaced."""
    database = Database("duckdb", f"duckdb:///{tmp_path}/tz.duckdb")
    load(database)
    trees = []
    for count, tree in enumerate(aged(tmp_path, name) for name in ("wrong1", "wrong2")):
        for zone in ZONES[: count + 1]:
            (tree / zone).write_bytes(tzif([], [], [(7200, 0, "XXX")], "XXX-2"))
        trees.append(tree)
    with pytest.raises(NotAllowedError, match=r"change on most days.*--rules.*--allow-delete"):
        load(database, rules=trees[1], allow=("drop", "older"))
    assert load(database, rules=trees[0]).changed
    assert load(database, rules=trees[1], allow=("delete",)).changed


def test_what_does_not_stop(database: Database) -> None:
    """Half of the horizon, a zone more, a longer horizon, a table more."""
    load(database)
    assert load(database, start=dt.date(2026, 4, 1)).changed
    assert load(database, zones=(*ZONES, "Asia/Tokyo"), tables=ALL, end=dt.date(2027, 1, 1)).changed


def test_an_older_release_stops(database: Database, tmp_path: Path) -> None:
    """Each night two hosts refresh; the one with the older rules never wins."""
    older, newer = aged(tmp_path, "2024z"), aged(tmp_path, "2024za")
    load(database, rules=newer)
    before = database.contents()
    for _ in range(2):
        with pytest.raises(NotAllowedError, match=r"2024za is loaded, and 2024z is older.*--allow"):
            load(database, rules=older, allow=("delete", "drop"))
    assert database.contents() == before
    assert not load(database, rules=newer).changed
    assert load(database, rules=older, allow=("older",)).changed
    assert load(database, rules="tzdata").changed
    assert load(database, rules="database").changed  # whose rules have no release to compare


@pytest.mark.not_core
def test_an_older_release_lacks_a_name(database: Database, tmp_path: Path) -> None:
    """A host with it leaves the tables alone, and an undo needs its flag and no other."""
    older, newer = aged(tmp_path, "2024z"), aged(tmp_path, "2024za")
    (newer / "America" / "Coyhaique").write_bytes((TREE / "America" / "Coyhaique").read_bytes())
    load(database, rules=newer, zones="all")
    before = database.contents()
    with pytest.raises(OlderHostError, match="2024z is older") as caught:
        load(database, rules=older, zones="all")
    assert "--allow-drop" not in str(caught.value)
    assert database.contents() == before
    with pytest.raises(NotAllowedError, match=r"would be dropped .Asia/Kolkata.: check") as other:
        load(database, rules=older, zones=("America/Edmonton", "UTC"))
    assert type(other.value) is NotAllowedError
    result = load(database, rules=older, zones="all", allow=("older",))
    assert result.dropped == ("America/Coyhaique",)


def test_a_client_with_a_wrong_clock(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB has no other clock; a server's own counts."""
    given = {"start": None, "end": None, "tables": ("daily",)}
    load(database, **given)
    before = database.contents()["time_zone_daily_conversion"]
    for year in (1999, 2199):
        set_clock(monkeypatch, year)
        if database.kind == "duckdb":
            with pytest.raises(NotAllowedError, match="and the clock"):
                load(database, **given)
        else:
            assert not load(database, **given).changed
            end = load(database, **given).end
            ended = load(database, **{**given, "end": end})  # the day alone, of this client
            assert not any((ended.deleted | ended.inserted).values())
            load(database, **{**given, "end": "default"})
        monkeypatch.undo()
    assert database.contents()["time_zone_daily_conversion"] == before
    assert not load(database, **given).changed


def test_a_dry_run_says_what_stops(tmp_path: Path) -> None:
    days = ["--start", "2026-01-01", "--end", "2026-03-01"]
    assert run("refresh", "--zones", "UTC,Asia/Tokyo", *days, cwd=tmp_path).returncode == 0
    change = ["--zones", "UTC", "--end", "2026-01-20"]
    plan = run("refresh", *change, "--dry-run", cwd=tmp_path)
    assert plan.returncode == 2
    stops = [line for line in plan.stdout.splitlines() if line.startswith("  stops ")]
    assert [flag for line in stops for flag in ("--allow-drop", "--allow-delete") if flag in line]
    assert len(stops) == 2
    done = run("refresh", *change, cwd=tmp_path)
    assert_one_sentence(done, "--allow-drop", "--allow-delete", "Asia/Tokyo", "Nothing was changed")
    assert_one_sentence(run("refresh", *change, "--allow-drop", cwd=tmp_path), "--allow-delete")
    done = run("refresh", *change, "--allow-drop", "--allow-delete", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with engines.connect(f"duckdb:///{tmp_path}/tzconv.duckdb", read_only=True) as backend:
        assert backend.row_counts()["zone"] == 1


def test_the_first_load_needs_no_flag(database: Database) -> None:
    assert zones.installed().release
    assert load(database).changed

"""What was chosen is kept in the release row, and a run without options follows it."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from tests.databases import FREE, Database
from tests.releases import TREE
from tzconv import engines
from tzconv.errors import DatabaseError, RulesError, TzconvError
from tzconv.refresher import Refresh, Request, job, refresh
from tzconv.refresher.guards import NotAllowedError
from tzconv.refresher.selection import Selection
from tzconv.target import read_options
from tzconv.tz import zones

START, END = dt.date(2026, 1, 1), dt.date(2026, 3, 1)
DAYS: dict[str, Any] = {"start": START, "end": END}
COMPLETE: dict[str, Any] = {**DAYS, "zones": ["UTC"], "tables": ["daily"], "rules": "tzdata"}


def again(database: Database, **other: Any) -> Refresh:
    return refresh(database.url, **FREE, **other)


def loaded(database: Database) -> set[str]:
    return {
        name for (name,) in database.run("SELECT time_zone_name FROM time_zone_conversion_zone")
    }


def release(database: Database) -> dict[str, Any]:
    with engines.connect(database.url, read_only=True) as backend:
        row = backend.newest_release()
    assert row is not None
    return row


def test_a_run_without_options_follows_the_last_one(database: Database) -> None:
    first = refresh(
        database.url, zones=["UTC", "Asia/Tokyo"], tables=["hourly"], rules=TREE, **DAYS
    )
    assert first.kept == {}
    for repair in (False, True):
        result = again(database, repair=repair)
        assert not result.changed
        assert set(result.kept) == {"zones", "tables", "rules", "start", "end"}
    result = again(database, zones=["UTC"])
    assert set(result.kept) == {"tables", "rules", "start", "end"}
    assert (result.start, result.end, result.rules) == (START, END, first.rules)
    assert loaded(database) == {"UTC"}
    assert result.rows["daily"] == 0 < result.rows["hourly"]


def test_words_that_reset_a_part(tmp_path: Path) -> None:
    """On one engine, because it loads all zones."""
    database = Database("duckdb", f"duckdb:///{tmp_path}/tz.duckdb")
    refresh(database.url, zones=["UTC"], tables=["hourly"], rules=TREE, **DAYS)
    assert again(database, rules="tzdata").rules == "tzdata"
    reset = again(database, tables=["default"])
    assert "tables" not in again(database).kept
    assert reset.rows["daily"]
    for day in ("start", "end"):
        assert day not in again(database, **{day: "default"}).kept
    result = again(database, zones="all", start=START, end=END)
    assert result.zone_count == len(zones.installed().names)
    assert set(again(database).kept) == {"start", "end"}


def test_a_query_is_kept_and_not_its_answer(database: Database) -> None:
    database.run(
        "CREATE TABLE places (zone varchar(40))", "INSERT INTO places VALUES ('UTC'), ('O''x')"
    )
    query = """sql:SELECT zone FROM places WHERE zone <> '"\\' -- it's ü\n"""
    result = refresh(database.url, zones=query, **DAYS)
    assert result.left_out == {"O'x": 1}
    assert json.loads(release(database)["selection"])["zones"] == query
    database.run("INSERT INTO places VALUES ('Asia/Tokyo')")
    assert again(database).added == ("Asia/Tokyo",)
    assert again(database, repair=True).kept["zones"] == query
    database.run("DELETE FROM places")
    with pytest.raises(RulesError, match="returned no name"):
        again(database, repair=True)


def test_any_iterable_of_names(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    result = refresh(url, zones=iter(["UTC"]), tables=(name for name in ["hourly"]), **DAYS)
    assert result.zone_count == 1
    assert (result.rows["daily"], bool(result.rows["hourly"])) == (0, True)
    assert not refresh(url).changed


@pytest.mark.parametrize("names", [["UTC", None], [1], ["UTC", b"UTC"]])
def test_a_name_is_a_text(tmp_path: Path, names: Any) -> None:
    for name in ("zones", "tables"):
        with pytest.raises(RulesError, match=f"^{name} has .* give texts, each of them a name"):
            refresh(f"duckdb:///{tmp_path}/tz.duckdb", **{name: names})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("day", ["2026-01-01", dt.datetime(2026, 1, 1, tzinfo=dt.UTC), 20260101])
def test_a_day_is_a_date(tmp_path: Path, day: Any) -> None:
    for name in ("start", "end"):
        with pytest.raises(RulesError, match=f"^{name} is .* give a datetime.date or 'default'"):
            refresh(f"duckdb:///{tmp_path}/tz.duckdb", **{name: day})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"database": object()}, "^database=<object .* give a URL"),
        ({"zones": 5}, "^zones=5 cannot be used"),
        ({"rules": 5}, "^rules=5 cannot be used"),
        ({"on_mismatch": "Fail"}, "^on_mismatch has 'Fail': choose from warn, fail"),
        ({"allow": ["all"]}, "^allow has 'all': choose from delete, drop, older"),
    ],
)
def test_other_arguments(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(TzconvError, match=said):
        refresh(**{"database": f"duckdb:///{tmp_path}/tz.duckdb", **given})
    assert not list(tmp_path.iterdir())
    with pytest.raises(DatabaseError, match="database=5 cannot"):
        read_options(5)  # type: ignore[arg-type] # wrong on purpose


def test_one_name_of_a_table_may_be_a_text(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    assert refresh(url, zones="UTC", tables="hourly", **DAYS).rows["daily"] == 0
    assert refresh(url, tables="default").rows["daily"]
    assert not refresh(url, tables="hourly", allow="delete").rows["daily"]


def test_no_names(tmp_path: Path) -> None:
    """No zone is an error; no table is those that are always loaded, and stays so."""
    url = f"duckdb:///{tmp_path}/tz.duckdb"
    with pytest.raises(RulesError, match="No time zone was named"):
        refresh(url, zones=[], **DAYS)
    result = refresh(url, zones=["UTC"], tables=[], **DAYS)
    assert (result.rows["offset"], result.rows["zone"], result.rows["daily"]) == (1, 1, 0)
    assert not refresh(url).changed


def test_the_longest_selection(database: Database) -> None:
    """Nothing is cut off: it fits, or nothing is written."""
    query = "sql:SELECT 'UTC' -- "
    fits = query + "x" * (65_000 - len(Selection(query, start=START, end=END).text()))
    refresh(database.url, zones=["UTC"], **DAYS)  # of a file, which a query needs
    again(database, zones=fits)
    assert again(database).kept["zones"] == fits
    before = database.contents()
    with pytest.raises(RulesError, match="make a view"):
        again(database, zones=fits + "x")
    assert database.contents() == before


WRONG = [
    "nonsense",
    "[]",
    "5",
    '"text"',
    '{"start": 5}',
    '{"start": "soon"}',
    '{"zones": 5}',
    '{"tables": 5}',
    '{"tables": "daily"}',
    '{"rules": 5}',
    '{"rules": ["tzdata"]}',
    '{"more": 1}',
    '{"zones": "UTC"}',
    '{"zones": {"UTC": 1}}',
    '{"zones": [null]}',
    '{"zones": [["UTC"]]}',
    "[" * 60_000,
]


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:20])
def test_a_selection_that_somebody_else_wrote(text: str) -> None:
    with pytest.raises(RulesError, match="cannot be read: give --zones") as caught:
        Selection.read(text)
    assert "\n" not in str(caught.value)
    assert Request(**COMPLETE).selection(text).zones == ("UTC",)


def test_a_wrong_selection_is_replaced(database: Database) -> None:
    refresh(database.url, **COMPLETE)
    database.run("UPDATE time_zone_conversion_release SET selection = '{'")
    for given in ({}, {"repair": True}, {"zones": ["UTC"]}):
        with pytest.raises(TzconvError, match="cannot be read"):
            again(database, **given)
    assert again(database, **COMPLETE).changed
    assert not again(database).changed


def test_what_is_written_is_read() -> None:
    for one in (
        Selection(),
        Selection(("UTC",), ("daily",), "/some/tree", START, END),
        Selection("sql:SELECT 1", (), "database"),
    ):
        assert Selection.read(one.text()) == one
    assert Selection.read(None) == Selection.read("") == Selection()


def _another_comes_first(
    database: Database, monkeypatch: pytest.MonkeyPatch, **selection: Any
) -> None:
    """The next refresh plans, then another one loads this selection, before the first has begun."""
    plan = job._Job.plan

    def late(self: Any, backend: Any, **how: Any) -> Any:
        made = plan(self, backend, **how)
        monkeypatch.undo()
        if database.kind == "duckdb":  # which one program opens in one mode at a time
            backend.__exit__()
        again(database, **selection)
        return made

    database.run("DELETE FROM time_zone_daily_conversion")  # something to do
    monkeypatch.setattr(job._Job, "plan", late)


def test_another_selection_came_first(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refresh without options follows the newest selection, never the one before it."""
    refresh(database.url, zones=["UTC"], **DAYS)
    more = END + dt.timedelta(days=3)
    _another_comes_first(database, monkeypatch, zones=["UTC", "Asia/Tokyo"], end=more)
    with pytest.raises(DatabaseError, match="Another refresh has just changed the selection"):
        again(database)
    assert loaded(database) == {"UTC", "Asia/Tokyo"}
    assert not again(database).changed


def test_what_another_refresh_has_loaded_is_guarded(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan before it would have dropped nothing."""
    refresh(database.url, zones=["UTC"], **DAYS)
    _another_comes_first(database, monkeypatch, zones=["UTC", "Asia/Tokyo"])
    with pytest.raises(NotAllowedError, match=r"would be dropped \(Asia/Tokyo\)"):
        refresh(database.url, zones=["UTC"])
    assert loaded(database) == {"UTC", "Asia/Tokyo"}

"""A refresh beside readers: the space of an emptied table, and a file that others may read."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from typing import Any

import pytest

from tests import postgres
from tests.databases import FREE, Database
from tzconv import refresher
from tzconv.refresher import apply as applying
from tzconv.refresher import job, refresh
from tzconv.tables import HOURLY

START, END = dt.date(2026, 1, 1), dt.date(2028, 1, 1)
ZONES = ["America/New_York", "Asia/Kolkata", "Europe/Paris", "UTC"]


def test_the_space_of_an_emptied_table_is_returned(server: postgres.Server) -> None:
    """A reader of an older state still sees its rows, and the next run returns the space."""
    url = server.fresh("emptied")
    database = Database("postgres", url, server, "emptied")
    refresh(url, zones=ZONES, start=START, end=END, tables=["daily", "hourly"])

    def size() -> int:
        [(found,)] = database.run(f"SELECT pg_total_relation_size('{HOURLY.name}')")
        return int(found)

    before = size()
    assert before > 5_000_000
    count = f"SELECT count(*) FROM {HOURLY.name}"
    [rows] = database.run(count)
    with server.connect("emptied") as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert reader.execute(count).fetchone() == rows
        refresh(url, tables=["daily"], **FREE)
        assert database.run(count) == [(0,)]
        assert reader.execute(count).fetchone() == rows
        assert size() > before / 2  # the reader needs it
        reader.execute("COMMIT")
    assert not refresh(url).changed
    assert size() < 100_000
    refresh(url, tables=["daily", "hourly"])
    assert database.run(count) == [rows]
    refresh(url, tables=["daily"], **FREE)
    assert size() < 100_000
    server.drop("emptied")


def test_an_index_is_built_anew_if_it_is_loose(server: postgres.Server) -> None:
    """And at no other time: it locks readers out."""
    url = server.fresh("loose")
    database = Database("postgres", url, server, "loose")
    refresh(url, zones=ZONES, start=START, end=END, tables=["hourly"])

    def run_again() -> bool:
        asked = f"SELECT pg_relation_filenode('{HOURLY.name}_pkey')"
        before = database.run(asked)
        assert not refresh(url).changed
        return database.run(asked) != before

    assert not run_again()
    database.run(
        f"ALTER INDEX {HOURLY.name}_pkey SET (fillfactor = 50)", f"REINDEX TABLE {HOURLY.name}"
    )
    assert run_again()
    server.drop("loose")


def test_a_file_can_be_read_while_a_refresh_plans(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another process; while the plan is applied it waits."""
    path = tmp_path / "tz.duckdb"
    url = f"duckdb:///{path}"
    given: dict[str, Any] = {"zones": ZONES, "start": START, "end": END}
    refresh(url, **given)
    seen: dict[str, bool] = {}

    def look(when: str) -> None:
        program = (
            f"import duckdb; duckdb.connect({str(path)!r}, read_only=True)"
            ".execute('FROM time_zone_conversion_release')"
        )
        done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
        seen[when] = done.returncode == 0

    make, apply = job.make_plan, applying.apply

    def planning(*given: Any, **other: Any) -> Any:
        look("plan")
        return make(*given, **other)

    def change(*given: Any, **other: Any) -> Any:
        look("apply")
        return apply(*given, **other)

    monkeypatch.setattr(job, "make_plan", planning)
    monkeypatch.setattr(job, "apply", change)
    assert refresher.refresh(url, end=dt.date(2028, 2, 1)).changed
    assert seen == {"plan": True, "apply": False}
    look("after")
    assert seen["after"]


def test_ctrl_c_between_plan_and_apply(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    refresh(database.url, zones=["UTC"], start=START, end=dt.date(2026, 3, 1))
    before = database.contents()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("finish", "_insert_release"):
        monkeypatch.setattr(job._Job, name, stop)
        with pytest.raises(KeyboardInterrupt):
            refresh(database.url, zones=ZONES)
        monkeypatch.undo()
        assert database.contents() == before
    assert refresh(database.url, zones=ZONES).changed

"""Rollups on databases, against zoneinfo over the raw rows."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests import ROOT, databases, postgres, reference
from tests.databases import Database
from tzconv import engines
from tzconv.errors import DatabaseError, QueryError, TzconvError
from tzconv.refresher import refresh
from tzconv.rollup import Entry, Outcome, plan, run
from tzconv.rollup.report import over_rollup
from tzconv.rollup.statements import FIRST
from tzconv.tz import zones

VALUES = {"n": "count(*)", "cents": "sum(cents)", "least": "min(cents)", "most": "max(cents)"}
BY_ACCOUNT = Entry(
    "by_account",
    "events",
    "ts",
    "bucket",
    VALUES,
    ("account",),
    zone_column="accounts.tz",
    key="account=id",
)
BY_ZONE = Entry(
    "by_zone", "events", "ts", "bucket", VALUES, zone_column="accounts.tz", key="account=id"
)
OWN_ZONE = Entry("own_zone", "events", "ts", "bucket", VALUES, zone_column="tz")
TO_KATHMANDU = "UPDATE accounts SET tz = 'Asia/Kathmandu' WHERE id = {}"
Row = tuple[int | None, int | None, str | None, int]
"""UTC second, account, zone of the event, cents."""


@pytest.fixture(params=("duckdb", "postgres"))
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of each kind that keeps rollups."""
    server = None if request.param == "duckdb" else request.getfixturevalue("server")
    with databases.fresh(request.param, tmp_path, server) as opened:
        yield opened


def fill(place: Database, accounts: dict[int, str | None], rows: Iterable[Row]) -> None:
    place.run(
        "CREATE TABLE accounts (id integer, tz varchar)",
        "CREATE TABLE events (ts timestamp, account integer, tz varchar, cents integer)",
    )
    texts = [f"({key}, {text(zone)})" for key, zone in accounts.items()]
    if texts:
        place.run(f"INSERT INTO accounts VALUES {', '.join(texts)}")
    add(place, rows)


def add(place: Database, rows: Iterable[Row]) -> None:
    texts = [
        f"({moment(at)}, {'NULL' if account is None else account}, {text(zone)}, {cents})"
        for at, account, zone, cents in rows
    ]
    for start in range(0, len(texts), 20_000):
        place.run(f"INSERT INTO events VALUES {', '.join(texts[start : start + 20_000])}")


def moment(at: int | None) -> str:
    return "NULL" if at is None else f"TIMESTAMP '{reference.naive(at)}'"


def text(zone: str | None) -> str:
    return "NULL" if zone is None else "'" + zone + "'"


def keep(place: Database, entry: Entry, *, force: bool = True, **options: Any) -> Outcome:
    with engines.connect(place.url) as backend:
        return run(backend, entry, force=force, **options)


def truncated(local: dt.datetime | None, unit: str) -> Any:
    if local is None:
        return None
    if unit == "hour":
        return local.replace(minute=0, second=0)
    day = local.date()
    if unit == "week":
        return day - dt.timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day


UNITS = ("hour", "day", "week", "month")


def expected(
    rows: Iterable[Row], accounts: dict[int, str | None], *, own: bool = False
) -> dict[str, dict[Any, tuple[int, int, int, int]]]:
    """Count, sum, least and most by zone and local time, by unit: zoneinfo over the raw rows."""
    known = {name.casefold(): ZoneInfo(name) for name in reference.NAMES}
    found: dict[str, dict[Any, list[int]]] = {unit: {} for unit in UNITS}
    for at, account, tz, cents in rows:
        zone = tz if own else accounts.get(account)  # type: ignore[arg-type]
        local = None
        if at is not None and zone is not None:
            local = reference.local_at(known[zone.casefold()], at)
        for unit in UNITS:
            found[unit].setdefault((zone, truncated(local, unit)), []).append(cents)
    return {
        unit: {key: (len(own), sum(own), min(own), max(own)) for key, own in one.items()}
        for unit, one in found.items()
    }


def shown(place: Database, entry: Entry, zone: str) -> dict[str, dict[Any, Any]]:
    """The same from the view."""
    return {
        unit: {
            (name, local): (int(n), int(cents), least, most)
            for name, local, n, cents, least, most in place.run(
                f"SELECT {zone}, v.local_{unit}, sum(v.n), sum(v.cents), min(v.least), max(v.most) "
                f"FROM {entry.table}_local v LEFT JOIN accounts a ON "
                f"{'a.id = v.account' if 'account' in entry.keys else 'FALSE'} GROUP BY 1, 2"
            )
        }
        for unit in UNITS
    }


def assert_right(
    place: Database, rows: list[Row], accounts: dict[int, str | None], *entries: Entry
) -> None:
    """0 wrong sums."""
    for entry in entries or (BY_ACCOUNT, BY_ZONE, OWN_ZONE):
        wanted = expected(rows, accounts, own=entry.zone_column == "tz")
        found = shown(place, entry, "a.tz" if "account" in entry.keys else "v.tz")
        for unit in UNITS:
            assert found[unit] == wanted[unit], (entry.table, unit)


def around(names: Iterable[str], seed: int = 3) -> tuple[dict[int, str | None], list[Row]]:
    """An account of each zone, and events a second either side of each transition 1970-2037."""
    drawn = random.Random(seed)
    until = reference.utc("2038-01-01")
    accounts: dict[int, str | None] = dict(enumerate(names))
    rows: list[Row] = []
    for account, name in accounts.items():
        assert name is not None
        starts, _ = zones.installed().zone(name).offset_changes(until)
        times = [int(one) + step for one in starts if one >= 0 for step in (-1, 0)]
        times += [drawn.randrange(0, until) for _ in range(4)]
        rows += [(one, account, name, drawn.randrange(-50, 999)) for one in times]
    nobody = len(accounts)
    accounts[nobody] = None
    rows += [(None, 0, accounts[0], 5), (None, nobody, None, 6), (86_399, nobody, None, 7)]
    rows += [(86_399, 12_345, None, 8), (None, None, None, 9)]
    return accounts, rows


OFF_GRID = ["America/St_Johns", "Antarctica/Casey", "Africa/Monrovia", "Asia/Kathmandu"]
SOME = [*OFF_GRID, "Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia"]


def load(place: Database, *names: str) -> None:
    """The conversion tables of some zones, which is quick."""
    refresh(place.url, zones=names, start=databases.START, end=dt.date(2027, 1, 1))


def test_sums_around_transitions(empty: Database) -> None:
    accounts, rows = around(SOME)
    accounts[len(accounts)] = "america/new_york"  # the function takes it in any case
    rows += [(at, len(accounts) - 1, "america/new_york", 3) for at in range(0, 9**9, 9**8 // 5)]
    fill(empty, accounts, rows)
    load(empty, *SOME)
    for entry in (BY_ACCOUNT, BY_ZONE, OWN_ZONE):
        keep(empty, entry)
        assert_right(empty, rows, accounts, entry)


@pytest.mark.not_core
def test_sums_of_all_names(empty: Database) -> None:
    refreshed = refresh(empty.url)
    # a server with older rules has other answers for some zones, and no view is made over them
    apart = {one.zone for one in refreshed.disagreements}
    assert len(apart) < 60
    accounts, rows = around([name for name in reference.NAMES if name not in apart])
    fill(empty, accounts, rows)
    for entry in (BY_ACCOUNT, BY_ZONE, OWN_ZONE):
        keep(empty, entry)
        assert_right(empty, rows, accounts, entry)


@pytest.mark.not_core
def test_a_run_follows_the_source(empty: Database) -> None:  # noqa: PLR0915 # one story
    """Late, deleted and new rows, a key that moves, one that is new, and one that is gone."""
    names = ["Europe/Paris", "Asia/Kolkata", "America/New_York"]
    accounts: dict[int, str | None] = {1: names[0], 2: names[1], 3: names[2], 4: None}
    start = reference.utc("2026-03-01")
    drawn = random.Random(1)

    def some(count: int, first: int, days: int) -> list[Row]:
        made: list[Row] = []
        for _ in range(count):
            account = drawn.randrange(1, 6)
            at = first + drawn.randrange(days * 86_400)
            made.append((at, account, accounts.get(account), drawn.randrange(100)))
        return made

    rows = some(900, start, 40)
    fill(empty, accounts, rows)
    load(empty, *names, "Asia/Kathmandu")
    entries = (BY_ACCOUNT, BY_ZONE, OWN_ZONE)

    def after(**options: bool) -> list[Outcome]:
        found = [keep(empty, entry, **options) for entry in entries]
        assert_right(empty, rows, accounts, *entries)
        return found

    assert [one.is_new for one in after()] == [True, True, True]
    quiet = after()
    assert [one.inserted == one.deleted for one in quiet] == [True, True, True]

    new = [*some(90, start + 40 * 86_400, 1), (None, 1, names[0], 4)]
    rows += new
    add(empty, new)
    after()

    late = some(50, start + 40 * 86_400, 1)  # within the lookback
    rows += late
    add(empty, late)
    after()

    # an account moves, one comes whose events are there already, and one goes
    accounts[1], accounts[5] = "Asia/Kathmandu", names[2]
    del accounts[3]
    empty.run(
        "UPDATE accounts SET tz = 'Asia/Kathmandu' WHERE id = 1",
        "INSERT INTO accounts VALUES (5, 'America/New_York')",
        "DELETE FROM accounts WHERE id = 3",
    )
    with pytest.raises(DatabaseError, match="too long for Asia/Kathmandu: run tzconv rollup "):
        keep(empty, BY_ZONE)
    found = after(rebuild=True)
    assert all(one.deleted for one in found)
    assert [one.width for one in found] == [900, 900, 900 * 2]
    accounts[2], accounts[1] = "Europe/Paris", None
    empty.run("UPDATE accounts SET tz = 'Europe/Paris' WHERE id = 2")
    empty.run("UPDATE accounts SET tz = NULL WHERE id = 1")
    moved = after()[1].moved
    assert set(moved) >= {"Asia/Kathmandu", "Asia/Kolkata", "Europe/Paris", None}

    # late and deleted rows of closed buckets are found by a verification
    times = [one[0] for one in rows if one[0] is not None]
    gone = [one for one in rows if one[0] is not None and min(times) < one[0] < start + 86_400]
    rows[:] = [one for one in rows if one not in gone[: len(gone) // 2]]
    empty.run("DELETE FROM events")
    add(empty, rows)
    old = some(20, start + 20 * 86_400, 1)
    rows += old
    add(empty, old)
    tails = [keep(empty, entry).inserted for entry in entries]
    found = [keep(empty, entry, verify=True) for entry in entries]
    assert_right(empty, rows, accounts, *entries)
    for entry, tail, one in zip(entries, tails, found, strict=True):
        in_days = " OR ".join(f"bucket::date = DATE '1970-01-01' + {day}" for day in one.days)
        [(fresh,)] = empty.run(f"SELECT count(*) FROM {entry.table} WHERE {in_days}")
        assert one.inserted == tail + fresh, "only those days are computed anew"
    days = {start // 86_400, start // 86_400 + 20}
    assert [days <= set(one.days) for one in found] == [True, True, True]
    assert [one.days for one in after(verify=True)] == [(), (), ()]


def test_a_zone_of_the_source_that_comes_later(empty: Database) -> None:
    rows: list[Row] = [(reference.utc("2026-03-01"), 1, "Europe/Paris", 1)]
    fill(empty, {}, rows)
    load(empty, "Europe/Paris", "Asia/Kolkata")
    keep(empty, OWN_ZONE)
    rows += [(reference.utc("2026-03-01 18:45:00"), 1, "Asia/Kolkata", 1)]
    add(empty, rows[1:])
    before = empty.run("SELECT * FROM own_zone")
    with pytest.raises(DatabaseError, match="60 minutes, too long for Asia/Kolkata"):
        keep(empty, OWN_ZONE)
    assert empty.run("SELECT * FROM own_zone") == before
    assert keep(empty, OWN_ZONE, rebuild=True).width == 1_800
    assert_right(empty, rows, {}, OWN_ZONE)
    rows += [(reference.utc("2026-03-01 20:45:00"), 1, "Europe/Berlin", 1)]
    add(empty, rows[2:])
    as_key = replace(OWN_ZONE, table="as_key", keys=("tz",))  # the zone is kept once
    for entry in (OWN_ZONE, as_key):
        keep(empty, entry)
        assert_right(empty, rows, {}, entry)


def test_a_late_row_of_the_first_days(empty: Database) -> None:
    """The least time of some program, which does not say where the source begins."""
    rows: list[Row] = [(reference.utc(f"2026-03-0{day}"), 1, "Europe/Paris", 1) for day in (1, 5)]
    fill(empty, {}, rows)
    load(empty, "Europe/Paris")
    keep(empty, OWN_ZONE)
    rows += [(reference.utc("0001-01-02"), 1, "Europe/Paris", 1)]
    add(empty, rows[2:])
    empty.run("DELETE FROM events WHERE ts = TIMESTAMP '2026-03-01'")
    assert keep(empty, OWN_ZONE, verify=True).days == (FIRST // 86_400,)
    assert_right(empty, rows, {}, OWN_ZONE)


def test_a_time_in_nanoseconds(tmp_path: Path) -> None:
    with databases.fresh("duckdb", tmp_path, None) as place:
        rows: list[Row] = [(at, 1, "Europe/Paris", 1) for at in (-1, 0, 9**10)]
        fill(place, {}, rows)
        place.run("ALTER TABLE events ALTER ts TYPE TIMESTAMP_NS")
        load(place, "Europe/Paris")
        for _ in range(2):
            keep(place, OWN_ZONE, verify=True)
            assert_right(place, rows, {}, OWN_ZONE)


def test_a_zone_that_comes_while_the_first_run_fills(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "ROWS_AT_ONCE", 200)
    start = reference.utc("2026-01-01")
    rows: list[Row] = [(start + hour * 3_600, 1, "Europe/Paris", 1) for hour in range(1_400)]
    fill(empty, {}, rows)
    load(empty, "Europe/Paris", "Asia/Kolkata")

    def come(_: str, step: int, __: int) -> None:
        if step == 1:
            rows.append((reference.utc("2026-02-10 18:45:00"), 1, "Asia/Kolkata", 1))
            add(empty, rows[-1:])

    with pytest.raises(DatabaseError, match="60 minutes, too long for Asia/Kolkata"):
        keep(empty, OWN_ZONE, progress=come)
    # what is there already is made anew even if it does not pay
    assert keep(empty, OWN_ZONE, rebuild=True, force=False).width == 1_800
    assert_right(empty, rows, {}, OWN_ZONE)


@pytest.mark.not_core
def test_a_key_that_moves(empty: Database) -> None:
    """The closed days of both zones are computed; those of a new key if rows were without one."""
    accounts: dict[int, str | None] = {1: "Europe/Paris", 2: "Europe/Berlin"}
    rows: list[Row] = [
        (reference.utc("2026-03-01") + 7_200 * n, 1 + n % 2, None, n) for n in range(90)
    ]
    fill(empty, accounts, rows)
    load(empty, "Europe/Paris", "Europe/Berlin", "America/New_York")
    keep(empty, BY_ZONE)
    accounts |= {1: "America/New_York", 3: "Europe/Paris"}
    empty.run("UPDATE accounts SET tz = 'America/New_York' WHERE id = 1")
    empty.run("INSERT INTO accounts VALUES (3, 'Europe/Paris')")
    assert set(keep(empty, BY_ZONE).moved) == {"Europe/Paris", "America/New_York"}
    assert_right(empty, rows, accounts, BY_ZONE)
    accounts[4] = "Europe/Berlin"
    empty.run("INSERT INTO accounts VALUES (4, 'Europe/Berlin')")
    assert keep(empty, BY_ZONE).moved == ()
    early: list[Row] = [(at, 5, None, n) for at, _, _, n in rows[:9]]
    add(empty, early)
    keep(empty, BY_ZONE, verify=True)
    accounts[5] = "America/New_York"
    empty.run("INSERT INTO accounts VALUES (5, 'America/New_York')")
    assert set(keep(empty, BY_ZONE).moved) == {None, "America/New_York"}
    assert_right(empty, [*rows, *early], accounts, BY_ZONE)


@pytest.mark.not_core  # 60 rows would be too few for the refusal
def test_what_the_source_has_let_go_stays(empty: Database) -> None:
    """A job deletes old events at any time of the day: no later run loses the sums of those."""
    accounts: dict[int, str | None] = {1: "Europe/Paris", 2: "Asia/Tokyo", 3: "Asia/Kolkata"}
    start, week = reference.utc("2026-03-01"), 7 * 86_400
    rows: list[Row] = [(start + 600 * n, 1 + n % 2, None, n) for n in range(3_000)]
    rows += [(None, 1, None, 7)]
    fill(empty, accounts, rows)
    empty.run("INSERT INTO events VALUES (TIMESTAMP '-infinity', 2, NULL, 3)")
    load(empty, *filter(None, accounts.values()), "Asia/Kathmandu")

    def sums() -> list[tuple[Any, ...]]:
        text = f"bucket <= {moment(start + week + 43_200)}"
        zones = [("by_zone", "tz"), ("by_account", "account")]
        return [
            one
            for table, key in zones
            for one in empty.run(
                f"SELECT {key}, count(*), sum(n), sum(cents) FROM {table} WHERE {text} "
                "AND bucket > TIMESTAMP '2000-01-01' GROUP BY 1 ORDER BY 1"
            )
        ]

    for entry in (BY_ZONE, BY_ACCOUNT):
        keep(empty, entry)
    before = sums()
    empty.run(f"DELETE FROM events WHERE ts < {moment(start + week + 43_800)}")
    add(empty, [(start + 9 * 86_400, 1, None, 5), (start + 3_000 * 600, 3, None, 5)])
    for options in ({"verify": True}, {"rebuild": True}, {"verify": True}):
        for entry in (BY_ZONE, BY_ACCOUNT):
            keep(empty, entry, **options)
        assert sums() == before
    [(found,)] = empty.run(
        f"SELECT sum(n) FROM by_zone WHERE bucket >= {moment(start + week + 46_800)}"
    )
    assert found == 2 + 3_000 - (week + 46_800) // 600
    empty.run("UPDATE accounts SET tz = 'Asia/Kathmandu' WHERE id = 1")
    with pytest.raises(DatabaseError, match="too long for Asia/Kathmandu"):
        keep(empty, BY_ZONE)
    assert keep(empty, BY_ZONE, rebuild=True).width == 900
    assert sums() == before
    empty.run("UPDATE accounts SET tz = 'Asia/Kolkata' WHERE id = 1")
    assert set(keep(empty, BY_ZONE).moved) == {"Asia/Kathmandu", "Asia/Kolkata"}
    assert sums() == before
    # a new account needs short buckets, and those of the others are long where events are gone
    empty.run("INSERT INTO accounts VALUES (4, 'Asia/Kathmandu')")
    add(empty, [(start + 3_001 * 600, 4, None, 5)])
    assert {keep(empty, BY_ACCOUNT, rebuild=True).width for _ in range(2)} == {900}
    assert empty.run("SELECT grid FROM by_account_state")[0][0].count(" 900,") == 1  # no change
    assert sums() == before
    for options in ({}, {"rebuild": True}, {"verify": True}):
        empty.run(TO_KATHMANDU.format(3))  # whose events are all there
        keep(empty, BY_ACCOUNT, **options)
        empty.run(TO_KATHMANDU.format(2))
        with pytest.raises(DatabaseError, match="buckets of 30 minutes, too long for Asia/Kathm"):
            keep(empty, BY_ACCOUNT, **options)
        with pytest.raises(DatabaseError, match="30 minutes, too long for"):
            keep(empty, replace(BY_ACCOUNT, zones=("Asia/Kathmandu",)), **options)
        empty.run("UPDATE accounts SET tz = 'Asia/Tokyo' WHERE id > 1 AND id < 4")
        assert sums() == before
    empty.run(TO_KATHMANDU.format(2))
    keep(empty, BY_ACCOUNT, rebuild=True, allow_delete=True)
    keep(empty, BY_ACCOUNT)
    assert sums() != before
    empty.run("DELETE FROM events")
    with pytest.raises(DatabaseError, match="would become 0, because the source has lost theirs"):
        keep(empty, BY_ZONE, rebuild=True)
    assert sums()[:2] == before[:2]
    assert keep(empty, BY_ZONE, rebuild=True, allow_delete=True).rows == 0


@pytest.mark.not_core
def test_no_bucket_is_read_again_that_has_ended(empty: Database) -> None:
    """Without a lookback, and no row of its last bucket is missing."""
    entry = replace(OWN_ZONE, lookback="0 hours")
    start = reference.utc("2026-03-01")
    rows: list[Row] = [(start + 700 * n, 1, "Europe/Paris", n) for n in range(90)]
    fill(empty, {}, rows)
    load(empty, "Europe/Paris")
    keep(empty, entry)
    quiet = keep(empty, entry)
    assert (quiet.deleted, quiet.inserted) == (0, 0)
    later: list[Row] = [(start + 65_900 + 60 * n, 1, "Europe/Paris", n) for n in range(9)]
    add(empty, later)
    found = keep(empty, entry)
    assert found.deleted == 0
    assert_right(empty, rows + later, {}, entry)
    # a bucket that has not ended for as long as it lasts is read again
    [(now,)] = empty.run("SELECT CAST(extract(epoch FROM now()) AS bigint)")
    for at in (now - 60, now - 30):
        later.append((at, 1, "Europe/Paris", 5))
        add(empty, later[-1:])
        keep(empty, entry)
        assert_right(empty, rows + later, {}, entry)


@pytest.mark.not_core
def test_rows_that_come_during_a_long_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket that ends while a run takes hours is read again."""
    with databases.fresh("duckdb", tmp_path, None) as place:
        entry = replace(OWN_ZONE, lookback="0 hours")
        rows: list[Row] = [(reference.utc("2026-03-01 10:59:50"), 1, "Europe/Paris", 1)]
        fill(place, {}, rows)
        load(place, "Europe/Paris")
        clock = iter(dt.datetime(2026, 3, 1, hour) for hour in (11, 16, 17, 18, 19, 20))
        with engines.connect(place.url) as backend:
            monkeypatch.setattr(backend, "now", lambda: next(clock))
            run(backend, entry, force=True)
        rows.append((reference.utc("2026-03-01 10:59:55"), 1, "Europe/Paris", 2))
        add(place, rows[1:])
        assert keep(place, entry).deleted == 1
        assert_right(place, rows, {}, entry)


@pytest.mark.not_core
def test_a_key_that_is_there_twice_later(empty: Database) -> None:
    """It would repeat rows: nothing is changed."""
    accounts, rows = spread(300)
    fill(empty, accounts, rows)
    load(empty, "Europe/Paris", "Asia/Kolkata")
    keep(empty, BY_ZONE)
    empty.run("INSERT INTO accounts VALUES (1, 'Europe/Paris')")
    with pytest.raises(DatabaseError, match="is no key: 1 of its values"):
        keep(empty, BY_ZONE)
    assert_right(empty, rows, accounts, BY_ZONE)


def spread(count: int = 6_000) -> tuple[dict[int, str | None], list[Row]]:
    """Events of three accounts over a month, many to a bucket."""
    accounts: dict[int, str | None] = {1: "Europe/Paris", 2: "Asia/Kolkata", 3: None}
    start, drawn = reference.utc("2026-03-10"), random.Random(count)
    rows: list[Row] = [
        (start + drawn.randrange(30 * 86_400), key, accounts[key], drawn.randrange(100))
        for key in (drawn.randrange(1, 4) for _ in range(count))
    ]
    return accounts, rows


RUN = """
import sys
from tzconv import engines
from tzconv.rollup import plan, run
from tests.rollup.test_rollup import BY_ZONE
plan.ROWS_AT_ONCE = 500
with engines.connect(sys.argv[1], lock_timeout=60) as backend:
    print("open", flush=True)
    run(backend, BY_ZONE, force=True, verify=True)
"""


def job(place: Database) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, place.url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.not_core
def test_a_kill_at_any_moment(empty: Database) -> None:
    accounts, rows = spread()
    fill(empty, accounts, rows)
    load(empty, "Europe/Paris", "Asia/Kolkata")
    drawn = random.Random(7)
    for _ in range(int(os.environ.get("TZCONV_KILLS", "8"))):
        with job(empty) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == "open\n"
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(drawn.uniform(0, 0.8))
            running.kill()
    keep(empty, BY_ZONE)
    assert_right(empty, rows, accounts, BY_ZONE)
    assert keep(empty, BY_ZONE, verify=True).days == ()


@pytest.mark.not_core
def test_a_first_run_goes_on_where_it_ended(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(name: str, step: int, steps: int) -> None:
        if step == 2:
            raise KeyboardInterrupt

    accounts, rows = spread()
    fill(empty, accounts, rows)
    load(empty, "Europe/Paris", "Asia/Kolkata")
    monkeypatch.setattr(plan, "ROWS_AT_ONCE", 500)
    with pytest.raises(KeyboardInterrupt):
        keep(empty, BY_ZONE, progress=ends)
    [(filled,)] = empty.run(f"SELECT sum(n) FROM {BY_ZONE.table}")
    assert 0 < filled <= 1_000
    keep(empty, BY_ZONE)
    assert_right(empty, rows, accounts, BY_ZONE)


@pytest.mark.not_core
def test_jobs_at_once(server: postgres.Server, tmp_path: Path) -> None:
    """On PostgreSQL; of DuckDB one process writes a file."""
    with databases.fresh("postgres", tmp_path, server) as place:
        accounts, rows = spread()
        fill(place, accounts, rows)
        load(place, "Europe/Paris", "Asia/Kolkata")
        with contextlib.ExitStack() as stack:
            running = [stack.enter_context(job(place)) for _ in range(8)]
            late: list[Row] = [(at, account, tz, 7) for at, account, tz, _ in rows[:40]]
            add(place, late)
            assert [one.wait() for one in running] == [0] * 8
        keep(place, BY_ZONE, verify=True)
        assert_right(place, [*rows, *late], accounts, BY_ZONE)


def test_refusals(empty: Database) -> None:
    accounts, rows = spread(300)
    fill(empty, accounts, rows)
    with pytest.raises(DatabaseError, match="no conversion tables: run tzconv refresh"):
        keep(empty, BY_ZONE)
    load(empty, "Europe/Paris", "Asia/Kolkata")
    for values, said in {
        "avg(cents)": "keep sum",
        "count(DISTINCT account)": "distinct count",
        "median(cents)": "median",
        "/* euros */ sum(cents::float8)": "sum integers|sum DECIMALs",
        "max(cents, 2)": "only count, sum, min and max",
        "sum(cents) FILTER (WHERE ts < now())": "another value tomorrow",
        "count(*) FILTER (WHERE (ts AT TIME ZONE 'UTC')::date = DATE '2026-01-01')": "tz release",
        "max(time_bucket(INTERVAL '1 day', ts, 'Europe/Paris'))": "tz release",
        "count(*); DROP TABLE events; SELECT 1": "more than an expression",
        "sum(nothing)": "nothing",
    }.items():
        with pytest.raises(TzconvError, match=said):
            keep(empty, replace(BY_ZONE, values={"n": values}))
    if empty.kind == "postgres":
        with pytest.raises(TzconvError, match=r"too long for x+_zones, of 63 bytes: shorten it"):
            keep(empty, replace(BY_ZONE, table="x" * 58))
        assert "x" * 57 + "_local" in str(keep(empty, replace(BY_ZONE, table="x" * 57)).view)
    with pytest.raises(DatabaseError, match=r"by_account: \d+ rows for 300 of the source"):
        keep(empty, BY_ACCOUNT, force=False)
    empty.run("INSERT INTO accounts VALUES (1, 'Europe/Paris')")
    with pytest.raises(DatabaseError, match="is no key: 1 of its values"):
        keep(empty, BY_ZONE)
    empty.run("DELETE FROM accounts", "INSERT INTO accounts VALUES (1, 'UTC+3')")
    with pytest.raises(DatabaseError, match="'UTC\\+3', which the database converts although"):
        keep(empty, BY_ZONE)
    empty.run("UPDATE accounts SET tz = 'Europe/Paris'")
    keep(empty, BY_ZONE)
    empty.run("UPDATE accounts SET tz = 'Mars/Olympus'")
    assert "knows no zone 'Mars/Olympus'" in keep(empty, BY_ZONE).notes[0]
    with pytest.raises(DatabaseError, match="too long for Asia/Kathmandu"):
        keep(empty, replace(BY_ZONE, zones=("Asia/Kathmandu",)))
    with pytest.raises(DatabaseError, match="made by another entry"):
        keep(empty, replace(BY_ZONE, values={"n": "count(*)"}))
    with pytest.raises(DatabaseError, match="has a dot in its name"):
        keep(empty, replace(BY_ZONE, table='"by.zone"'))
    with pytest.raises(TzconvError, match="has no values: add"):
        keep(empty, replace(BY_ZONE, values={}))
    with pytest.raises(TzconvError, match="name the columns that join it"):
        keep(empty, replace(BY_ZONE, key="account"))
    empty.run("ALTER TABLE accounts ALTER tz TYPE text")
    for kind in ("timestamp(0)", "timestamptz", "timestamp"):  # the buckets of each are the same
        empty.run(f"ALTER TABLE events ALTER ts TYPE {kind}")
        assert keep(empty, BY_ZONE, verify=True).days == ()
    empty.run("ALTER TABLE events ALTER cents TYPE numeric(12, 2)")  # the kept sum would round
    for options in ({}, {"rebuild": True}, {"verify": True}):
        with pytest.raises(DatabaseError, match=r"keeps 'cents' as .* gives .* now: drop"):
            keep(empty, BY_ZONE, **options)
    with pytest.raises(DatabaseError, match=r"no view: accounts\.tz: .* --column 'accounts\.tz'"):
        keep(empty, replace(BY_ZONE, table="unknown"))
    empty.run("CREATE TABLE mine (n integer)")
    with pytest.raises(DatabaseError, match="has not made it"):
        keep(empty, replace(BY_ZONE, table="mine"))


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_values_that_depend_on_the_session(dialect: str) -> None:
    """Its zone, and the current time in all spellings; not what is the same in every session."""
    for kept in (
        "max(at)",
        "count(AT) FILTER (WHERE at IS NOT NULL AND at < other)",
        "sum(n) FILTER (WHERE at >= TIMESTAMPTZ '2026-01-01 00:00+00' OR ts::date < '2026-02-03')",
        "sum(n) FILTER (WHERE at BETWEEN '2026-01-01 00:00Z' AND '2026-01-02 00:00:00.5+05')",
    ):
        replace(BY_ZONE, values={"n": kept}).check(dialect, {"at", "other"})
    for refused in (
        "max(at::date)",
        "max(CAST(at AS text))",
        "sum(extract(hour FROM at))",
        "sum(n) FILTER (WHERE at >= '2026-01-01')",
        "sum(n) FILTER (WHERE at >= '2026-01-01 00:00')",
        "sum(n) FILTER (WHERE at < ts)",
        "sum(n) FILTER (WHERE ts < TIMESTAMPTZ '2026-01-01 00:00+00')",
        "max(ts::timestamptz)",
    ):
        with pytest.raises(DatabaseError, match="in the time zone of the session"):
            replace(BY_ZONE, values={"n": refused}).check(dialect, {"at", "other"})
    for now in ("localtimestamp", "current_date", "now()"):
        with pytest.raises(DatabaseError, match="another value tomorrow"):
            replace(BY_ZONE, values={"n": f"sum(n) FILTER (WHERE ts < {now})"}).check(dialect)


def test_an_instant_of_the_source_in_a_value(empty: Database) -> None:
    fill(empty, {1: "Europe/Paris"}, [(0, 1, None, 5)])
    empty.run("ALTER TABLE events ALTER ts TYPE timestamptz")
    load(empty, "Europe/Paris")
    with pytest.raises(DatabaseError, match="it reads ts in the time zone of the session"):
        keep(empty, replace(BY_ZONE, values={"last": "max(ts::date)"}))
    keep(empty, replace(BY_ZONE, values={"last": "max(ts)"}))


HOSTILE = Entry(
    'My Sums.Roll" up',
    'My Sums."Ev.ents"',
    'T"s',
    "Buck'et",
    {
        "N": "count(*)",
        f'c"{"s" * 70}': 'sum("C.ents")',  # PostgreSQL cuts it
        "order": "max(\"C.ents\") FILTER (WHERE kind = 'a;b')",
    },
    ("Key.1", "select"),
    zone_column='My Sums.acc ounts."t.z"',
    key='Acc=I"d',
)


@pytest.mark.parametrize("keeps_zone", [True, False])
def test_names_that_need_quotes(empty: Database, *, keeps_zone: bool) -> None:
    """Upper case, dots, quotes, spaces and words of SQL, in each place of an entry."""
    entry = HOSTILE if keeps_zone else replace(HOSTILE, keys=("Key.1", "Acc"))
    empty.run(
        'CREATE SCHEMA "My Sums"',
        'CREATE TABLE "My Sums"."acc ounts" ("I""d" integer, "t.z" varchar)',
        """INSERT INTO "My Sums"."acc ounts" VALUES (1, 'Europe/Paris'), (2, 'Asia/Kolkata')""",
        'CREATE TABLE "My Sums"."Ev.ents" ("T""s" timestamp, "Acc" integer, "Key.1" integer, '
        '"select" varchar, "C.ents" integer, kind varchar)',
        """INSERT INTO "My Sums"."Ev.ents" SELECT TIMESTAMP '2026-03-01' + n * INTERVAL '7 minutes',
        1 + n % 3, n % 2, 'x', n, CASE WHEN n % 5 = 0 THEN 'a;b' END
        FROM generate_series(0, 2999) AS s (n)""",
    )
    load(empty, "Europe/Paris", "Asia/Kolkata")
    assert keep(empty, entry).is_new
    empty.run("""UPDATE "My Sums"."acc ounts" SET "t.z" = 'Asia/Kolkata' WHERE "I""d" = 1""")
    assert keep(empty, entry, verify=True).days == ()
    wanted = empty.run(
        """SELECT CAST(e."T""s" AT TIME ZONE 'UTC' AT TIME ZONE a."t.z" AS date), count(*),
        sum("C.ents"), max("C.ents") FILTER (WHERE kind = 'a;b')
        FROM "My Sums"."Ev.ents" e LEFT JOIN "My Sums"."acc ounts" a ON a."I""d" = e."Acc"
        GROUP BY 1 ORDER BY 1"""
    )
    found = empty.run(
        f"""SELECT local_day, CAST(sum("N") AS bigint), CAST(sum("c""{"s" * 70}") AS bigint),
        max("order") FROM "My Sums"."Roll"" up_local" GROUP BY 1 ORDER BY 1"""
    )
    assert found == wanted
    report = """SELECT CAST("E"."T""s" AT TIME ZONE 'UTC' AT TIME ZONE "z"."t.z" AS date) AS "D",
        count(*), sum("E"."C.ents"), max("C.ents") FILTER (WHERE kind = 'a;b')
        FROM "My Sums"."Ev.ents" AS "E" LEFT JOIN "My Sums"."acc ounts" AS "z"
        ON "z"."I""d" = "E"."Acc" GROUP BY 1 ORDER BY 1"""
    with engines.connect(empty.url) as backend:
        shape = plan.make(backend, entry).shape
        over = over_rollup(report, shape, backend)
        with pytest.raises(QueryError, match="does not keep"):
            over_rollup(report.replace('sum("E".', 'sum("z".'), shape, backend)
    assert empty.run(over) == wanted


@pytest.mark.not_core
def test_reports_over_a_rollup(empty: Database) -> None:
    """What a rollup can answer gives the same rows, and the rest is refused in a sentence."""
    accounts, rows = spread(300)
    fill(empty, accounts, rows)
    load(empty, "Europe/Paris", "Asia/Kolkata")
    keep(empty, BY_ZONE)
    day = "CAST(e.ts AT TIME ZONE 'UTC' AT TIME ZONE tz AS date)"
    joined = f"SELECT {day} AS d, count(*) FROM events e {{}} accounts a {{}} GROUP BY 1"
    same = [
        joined.format("LEFT JOIN", "ON id = account").replace("tz", "a.tz"),
        joined.format("LEFT JOIN", "ON a.id = e.account").replace("tz", "a.tz"),
        joined.format("LEFT JOIN", "ON account = a.id").replace("tz", "a.tz").replace("e.ts", "ts"),
        f"SELECT {day.replace('tz', 'a.tz')} AS d, sum(count(*)) OVER () AS n FROM events e "
        "LEFT JOIN accounts a ON a.id = e.account GROUP BY 1",
    ]
    refused = {
        joined.format(
            "JOIN", "ON a.id = e.account AND a.id > 1"
        ): "by more, or by less, than account = id",
        joined.format("JOIN", "ON a.id = e.account + 1"): "by more, or by less, than account = id",
        joined.format("JOIN", "ON e.id = a.account"): "by more, or by less, than account = id",
        joined.format(
            "RIGHT JOIN", "ON a.id = e.account"
        ): "by more, or by less, than account = id",
        f"SELECT {day} AS d FROM events e LEFT JOIN accounts a ON id = account": "single rows",
    }
    with engines.connect(empty.url) as backend:
        shape = plan.make(backend, BY_ZONE).shape
        over = [over_rollup(report, shape, backend) for report in same]
        for report, said in refused.items():
            with pytest.raises(QueryError, match=said):
                over_rollup(report, shape, backend)
    for report, found in zip(same, over, strict=True):
        assert sorted(empty.run(found), key=str) == sorted(empty.run(report), key=str)


def test_events_of_somebody_else(server: postgres.Server, tmp_path: Path) -> None:
    """With triggers: the job's role reads them, and owns what it makes in a schema of its own."""
    with databases.fresh("postgres", tmp_path, server) as place:
        accounts, rows = spread(300)
        fill(place, accounts, rows)
        load(place, "Europe/Paris", "Asia/Kolkata")
        place.run(
            "DROP ROLE IF EXISTS keeper",
            "CREATE ROLE keeper LOGIN",
            "ALTER ROLE keeper SET DateStyle = 'German'",  # how the server writes a time
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE 'nobody writes here'; END $$",
            "CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON events "
            "FOR EACH ROW EXECUTE FUNCTION refuse()",
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO keeper",
            "CREATE SCHEMA sums AUTHORIZATION keeper",
        )
        entry = replace(BY_ZONE, table="sums.by_zone")
        url = server.url(place.name, user="keeper")
        try:
            denied = pytest.raises(DatabaseError, match="permission denied for schema public")
            with engines.connect(url) as backend, denied:
                run(backend, BY_ZONE, force=True)
            place.run("ALTER ROLE keeper SET search_path = gone")
            entry = replace(entry, source="public.events", zone_column="public.accounts.tz")
            with engines.connect(url, schema="public") as backend:
                with pytest.raises(DatabaseError, match="has no schema, because none"):
                    run(backend, replace(entry, table="by_zone"), force=True)
                for _ in range(2):
                    run(backend, entry, force=True, verify=True)
            place.run("CREATE VIEW by_zone_local AS SELECT * FROM sums.by_zone_local")
            assert_right(place, rows, accounts, BY_ZONE)
        finally:
            place.run("DROP OWNED BY keeper CASCADE", "DROP ROLE keeper")


@pytest.mark.parametrize("is_made", [False, True])
@pytest.mark.parametrize("name", ["by_zone", "by_zone_state", "by_zone_zones"])
def test_tables_of_another_role(
    server: postgres.Server, tmp_path: Path, name: str, *, is_made: bool
) -> None:
    """The job would run their triggers, and what their views call, with its own rights."""
    with databases.fresh("postgres", tmp_path, server) as place:
        accounts, rows = spread(30)
        fill(place, accounts, rows)
        load(place, "Europe/Paris")
        made = [
            "CREATE FUNCTION called() RETURNS text LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE 'called by %', current_user; END $$",
            f"CREATE VIEW {name} AS SELECT called() AS definition",
        ]
        if is_made:
            assert keep(place, BY_ZONE).is_new
            made = []
        place.run(
            "DROP ROLE IF EXISTS stranger",
            "CREATE ROLE stranger",
            "GRANT ALL ON SCHEMA public TO stranger",
            *made,
            f"ALTER TABLE {name} OWNER TO stranger",
        )
        try:
            said = f'^{name}: owned by "stranger", whose code a rollup could run: run tzconv rollup'
            with pytest.raises(DatabaseError, match=said):
                keep(place, BY_ZONE)
        finally:
            place.run("DROP OWNED BY stranger CASCADE", "DROP ROLE stranger")

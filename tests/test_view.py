"""Views with ready local columns, on databases with rows of their own."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg
import pytest

from tests import ROOT, databases, releases
from tests.command import assert_one_sentence, run
from tests.databases import Database
from tzconv import engines
from tzconv.errors import DatabaseError, QueryError
from tzconv.refresher import refresh
from tzconv.view import create, plan, verify

ZONES = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Europe/Paris", "UTC"]
_ROWS = [
    (number, dt.datetime(2025, 10, 1) + number * dt.timedelta(minutes=1499), zone, number % 3)
    for number, zone in enumerate([*ZONES, None] * 60)
]


@pytest.fixture(params=("duckdb", "postgres"))
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Facts with NULLs among zones and times, their accounts, and the conversion tables."""
    server = None if request.param == "duckdb" else request.getfixturevalue("server")
    with databases.fresh(request.param, tmp_path, server) as opened:
        values = ", ".join(
            f"({number}, TIMESTAMP '{time}', {_text(zone)}, {account})"
            for number, time, zone, account in _ROWS
        )
        opened.run(
            "CREATE TABLE events (id integer, ts timestamp, tz varchar, account integer)",
            f"INSERT INTO events VALUES {values}, (1000, NULL, 'Europe/Paris', 1)",
            "CREATE TABLE accounts (id integer, tz varchar)",
            "INSERT INTO accounts VALUES (1, 'Asia/Kolkata'), (2, NULL)",
        )
        refresh(opened.url, zones=ZONES)
        yield opened


def _text(zone: str | None) -> str:
    return "NULL" if zone is None else f"'{zone}'"


def _local(time: dt.datetime | None, zone: str | None) -> dt.datetime | None:
    """The answer of Python's zoneinfo."""
    if time is None or zone is None:
        return None
    return time.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def _created(url: str, column: str, **options: str) -> str:
    with engines.connect(url) as backend:
        view = plan(backend, column, **options)
        assert verify(backend, view, rounds=1).same
        create(backend, view)
    return view.name


def _tzconv(database: Database, *arguments: str) -> subprocess.CompletedProcess[str]:
    folder = database.path.parent if database.server is None else Path.cwd()
    return run("view", *arguments, "--url", database.url, cwd=folder)


def test_each_row_has_its_local_time(loaded: Database) -> None:
    name = _created(loaded.url, "events.ts", zone_column="tz")
    columns = "id, ts, tz, account, local_time, local_hour, local_day"
    found = loaded.run(f"SELECT {columns} FROM {name} ORDER BY id")
    expected = []
    for row in [*_ROWS, (1000, None, "Europe/Paris", 1)]:
        local = _local(row[1], row[2])
        hour = local and local.replace(minute=0, second=0)
        expected.append((*row, local, hour, local and local.date()))
    assert found == expected
    assert [*loaded.run(f"SELECT * FROM {name} ORDER BY id")[0]] == [*expected[0]]


def test_the_same_table_in_other_letters(loaded: Database) -> None:
    with engines.connect(loaded.url) as backend:
        queries = {plan(backend, "events.ts", zone_column=one).query for one in ("tz", "EVENTS.tz")}
    assert len(queries) == 1


def test_zone_of_another_table(loaded: Database) -> None:
    name = _created(loaded.url, "events.ts", zone_column="accounts.tz", key="account=id")
    zones = {1: "Asia/Kolkata", 2: None, 0: None}
    rows = [*_ROWS, (1000, None, "", 1)]
    assert loaded.run(f"SELECT id, local_time FROM {name} ORDER BY id") == [
        (number, _local(time, zones[account])) for number, time, _, account in rows
    ]


def test_one_zone_and_other_columns(loaded: Database) -> None:
    with engines.connect(loaded.url) as backend:
        view = plan(
            backend, "events.ts", zone="europe/paris", name="paris", columns=["month", "week"]
        )
        create(backend, view)
    assert list(view.columns) == ["time", "week", "month"]
    rows = loaded.run("SELECT id, local_week, local_month FROM paris WHERE id < 9 ORDER BY id")
    days = [(number, _local(time, "Europe/Paris")) for number, time, *_ in _ROWS[:9]]
    assert rows == [
        (number, (day - dt.timedelta(day.weekday())).date(), day.date().replace(day=1))
        for number, day in days
        if day is not None
    ]


def test_an_instant_is_converted_as_one(loaded: Database) -> None:
    loaded.run("CREATE TABLE instants AS SELECT id, ts AT TIME ZONE 'UTC' AS ts, tz FROM events")
    name = _created(loaded.url, "instants.ts", zone_column="tz")
    found = loaded.run(f"SELECT id, local_time FROM {name} WHERE id < 1000 ORDER BY id")
    assert found == [(number, _local(time, zone)) for number, time, zone, _ in _ROWS]


def test_names_with_capitals_quotes_and_a_schema(loaded: Database) -> None:
    loaded.run(
        'CREATE SCHEMA "My ""S"""',
        'CREATE TABLE "My ""S"""."Ev ents" ("At" timestamp, "t" varchar, "v" integer, "Local_Day" '
        "integer, select_ integer)",
        'INSERT INTO "My ""S"""."Ev ents" '
        "VALUES (TIMESTAMP '2026-07-01', 'Europe/Paris', 7, 8, 9)",
    )
    name = _created(loaded.url, '"My ""S"""."Ev ents"."At"', zone_column='"t"')
    assert name == '"My ""S"""."Ev ents_local"'
    assert loaded.run(f'SELECT "v", "Local_Day", local_time_2, local_day_2 FROM {name}') == [
        (7, 8, dt.datetime(2026, 7, 1, 2), dt.date(2026, 7, 1))
    ]


def test_tables_of_another_schema(loaded: Database) -> None:
    loaded.run("CREATE SCHEMA conversions")
    refresh(loaded.url, zones=ZONES, schema="conversions")
    with engines.connect(loaded.url, read_only=True, schema="conversions") as backend:
        query = plan(backend, "events.ts", zone_column="tz").query
    assert '"conversions".time_zone_conversion_zone' in query


def test_view_follows_refreshes_and_a_change_of_rules(loaded: Database) -> None:
    """Other zones twice, an older tz release and back, and without the table that it joins."""
    name = _created(loaded.url, "events.ts", zone_column="tz")
    count = f"SELECT count(*) FROM {name} WHERE local_time IS NOT NULL"
    before = loaded.run(count)
    for zones in (["Europe/Paris", "UTC"], [*ZONES, "Asia/Tokyo"]):
        assert refresh(loaded.url, zones=zones, **databases.FREE).changed
        assert loaded.run(count) == before
    older = refresh(loaded.url, rules=str(releases.TREE), on_mismatch="warn", **databases.FREE)
    assert older.changed
    assert loaded.run(count) == before
    assert refresh(loaded.url, rules="tzdata", **databases.FREE).changed
    assert loaded.run(count) == before
    for tables in ("offset", "daily,hourly,period"):
        refresh(loaded.url, tables=tables.split(","), **databases.FREE)
        found = loaded.run(f"SELECT id, local_time FROM {name} WHERE id < 1000 ORDER BY id")
        assert found == [(number, _local(time, zone)) for number, time, zone, _ in _ROWS]


def test_what_is_refused(loaded: Database) -> None:
    loaded.run(
        "CREATE TABLE dirty AS SELECT ts, CASE id WHEN 7 THEN 'Mars/Olympus' ELSE tz END AS tz "
        "FROM events",
        "INSERT INTO accounts VALUES (2, 'UTC')",
    )
    before = loaded.run("SELECT count(*) FROM information_schema.tables")
    by_row = ("--zone-column", "tz")
    own = ("events.ts", "--create")
    refusals = [
        (("dirty.ts", *by_row, "--create"), "refuses 'Mars/Olympus'"),
        ((*own, "--zone-column", "accounts.tz", "--key", "account=id"), "accounts.id is no key"),
        ((*own, "--zone-column", "accounts.tz"), "--key COLUMN=COLUMN"),
        ((*own, "--zone-column", "accounts.tz", "--key", "account"), "--key COLUMN=COLUMN"),
        ((*own, *by_row, "--key", "account=id"), "leave it out"),
        ((*own, "--zone", "Europe/Pariss"), "Unknown time zone 'Europe/Pariss'"),
        ((*own, "--zone", "Asia/Tokyo"), "The tables have no zone Asia/Tokyo"),
        ((*own, *by_row, "--name", "accounts"), "accounts exists already"),
        ((*own, *by_row, "--name", "a; DROP TABLE events"), "is no name for a view"),
        ((*own, *by_row, "--name", "nowhere.v", "--force"), "nowhere"),
        ((*own, *by_row, "--columns", "time,year"), "no local column 'year'"),
        (("events.id", *by_row), "name a TIMESTAMP in UTC"),
        (("events.tst", *by_row), "events has no column tst: it has account, id, ts, tz."),
        (
            ("event.ts", *by_row),
            "event.ts: there is no table event that you may read: did you mean events?",
        ),
        (("events", *by_row), "'events' is no column"),
        (("events.ts", "--zone-column", "zone"), "events has no column zone: it has"),
    ]
    for arguments, said in refusals:
        assert_one_sentence(_tzconv(loaded, *arguments), said)
    assert loaded.run("SELECT count(*) FROM information_schema.tables") == before
    assert _tzconv(loaded, "events.ts").returncode == 64
    assert _tzconv(loaded, "events.ts", *by_row, "--force").returncode == 64


def test_other_rules_are_refused(loaded: Database, tmp_path: Path) -> None:
    """A release in which Paris has always been five hours ahead."""
    (tmp_path / "other/Europe").mkdir(parents=True)
    rules = releases.tzif([], [], [(5 * 3600, 0, "X")], "<+05>-5")
    (tmp_path / "other/Europe/Paris").write_bytes(rules)
    refresh(
        loaded.url,
        zones=["Europe/Paris"],
        rules=str(tmp_path / "other"),
        allow=("delete", "drop", "older"),
        on_mismatch="warn",
    )
    done = _tzconv(loaded, "events.ts", "--zone-column", "tz", "--create")
    assert_one_sentence(done, "other rules", "for Europe/Paris")
    loaded.run("DELETE FROM events WHERE tz = 'Europe/Paris'")
    done = _tzconv(loaded, "events.ts", "--zone-column", "tz")
    assert done.returncode == 0
    assert "the view calls the function for those rows" in done.stderr


def test_a_changed_table_is_found(loaded: Database) -> None:
    """Rows that were changed by hand, which no comparison of rules shows."""
    with engines.connect(loaded.url) as backend:
        view = plan(backend, "events.ts", zone_column="tz")
    wrong = view.query.replace("t.tz\n", "'UTC'\n").replace("COALESCE(", "COALESCE(t.ts, ")
    broken = dataclasses.replace(view, query=wrong)
    with engines.connect(loaded.url) as backend:
        with pytest.raises(QueryError, match="local times that differ"):
            verify(backend, broken)
        with pytest.raises(QueryError, match="local times that differ"):
            create(backend, broken)
    assert loaded.run(
        "SELECT count(*) FROM information_schema.tables WHERE table_name = 'events_local'"
    ) == [(0,)]


def test_a_slower_view_needs_force(loaded: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The measurement is replaced: what is slower differs between machines."""
    monkeypatch.setattr("tzconv.compare.Cost.loses_to", lambda self, other: True)
    from click.testing import CliRunner

    from tzconv.cli import cli

    arguments = ["view", "events.ts", "--zone-column", "tz", "--url", loaded.url]
    printed = CliRunner().invoke(cli, arguments)
    assert printed.exit_code == 0
    assert "do not use it" in printed.stderr
    refused = CliRunner().invoke(cli, [*arguments, "--create"])
    assert refused.exit_code == 1
    assert "not created" in refused.stderr
    forced = CliRunner().invoke(cli, [*arguments, "--create", "--force", "--json"])
    assert forced.exit_code == 0
    assert json.loads(forced.stdout)["created"] is True
    assert loaded.run("SELECT count(*) FROM events_local") == [(len(_ROWS) + 1,)]


def test_printed_statement_runs_as_it_is(loaded: Database) -> None:
    done = _tzconv(loaded, "events.ts", "--zone", "Asia/Kolkata")
    assert done.returncode == 0, done
    assert "361 rows, as the function has them" in done.stderr
    loaded.run(done.stdout)
    assert loaded.run("SELECT local_time FROM events_local WHERE id = 0") == [
        (_local(_ROWS[0][1], "Asia/Kolkata"),)
    ]


def test_query_of_the_page_for_grafana(loaded: Database) -> None:
    """With the macro as Grafana's source for PostgreSQL writes it."""
    (query,) = re.findall(r"```sql\n(.*?)```", (ROOT / "docs/bi.md").read_text(), re.DOTALL)
    _created(loaded.url, "events.ts", zone_column="tz")
    times = "ts BETWEEN '2026-01-01T00:00:00Z' AND '2026-02-01T00:00:00Z'"
    macro = "$__timeFilter(ordered_at)"
    assert macro in query
    found = loaded.run(query.replace(macro, times).replace("orders_local", "events_local"))
    first, last = dt.datetime(2026, 1, 1), dt.datetime(2026, 2, 1)
    days = Counter(
        local.date() if (local := _local(time, zone)) else None
        for _, time, zone, _ in _ROWS
        if first <= time <= last
    )
    assert dict(found) == days


def test_empty_table_and_database_without_tables(loaded: Database, tmp_path: Path) -> None:
    loaded.run("CREATE TABLE nothing (ts timestamp, tz varchar)")
    assert _created(loaded.url, "nothing.ts", zone_column="tz")
    done = run("view", "t.ts", "--zone", "UTC", "--url", "duckdb:///none.duckdb", cwd=tmp_path)
    assert_one_sentence(done, "no such file")
    loaded.run("DROP TABLE time_zone_conversion_release")
    assert_one_sentence(_tzconv(loaded, "events.ts", "--zone", "UTC"), "run tzconv refresh")


def test_partitioned_table_and_privileges_of_postgres(server: object, tmp_path: Path) -> None:
    from tests import postgres

    assert isinstance(server, postgres.Server)
    with databases.fresh("postgres", tmp_path, server) as database:
        database.run(
            "CREATE TABLE parts (id integer, ts timestamp, tz text) PARTITION BY RANGE (ts)",
            "CREATE TABLE early PARTITION OF parts FOR VALUES FROM (MINVALUE) TO ('2026-01-01')",
            "CREATE TABLE late PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO (MAXVALUE)",
            "INSERT INTO parts SELECT n, TIMESTAMP '2025-12-31' + n * INTERVAL '1 hour', "
            "'Europe/Paris' FROM generate_series(0, 47) g(n)",
        )
        refresh(database.url, zones=ZONES)
        name = _created(database.url, "parts.ts", zone_column="tz")
        plan_ = database.run(f"EXPLAIN SELECT * FROM {name} WHERE ts >= '2026-01-01'")
        text = "\n".join(str(line) for (line,) in plan_)
        assert "late" in text
        assert "early" not in text
        database.run(
            "DROP ROLE IF EXISTS reader",
            "CREATE ROLE reader LOGIN",
            f"GRANT SELECT ON parts, {', '.join(_conversion_tables(database))} TO reader",
        )
        try:
            with engines.connect(server.url(database.name, user="reader")) as backend:
                view = plan(backend, "parts.ts", zone_column="tz", name="mine")
                assert verify(backend, view, rounds=1).rows == 48
                with pytest.raises(DatabaseError, match="permission denied for schema public"):
                    create(backend, view)
            with pytest.raises(psycopg.errors.UndefinedTable):
                database.run("SELECT 1 FROM mine")
        finally:
            database.run("DROP OWNED BY reader", "DROP ROLE reader")


def _conversion_tables(database: Database) -> list[str]:
    rows = database.run(
        "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'time_zone_%'"
    )
    return [name for (name,) in rows]

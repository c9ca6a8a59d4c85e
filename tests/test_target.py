"""One truth: what a rewrite knows of rules and tables comes from the database that runs it."""

from __future__ import annotations

import datetime as dt
import functools
import sys
import zoneinfo
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tzconv
from tests import databases, postgres, reference
from tests.command import assert_one_sentence, run
from tests.databases import FREE, Database
from tests.releases import TREE
from tzconv import cli, engines, rewriter, tables, target
from tzconv.compare import compare
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.refresher import refresh
from tzconv.tz import zones

START, END = dt.date(2025, 1, 1), dt.date(2028, 1, 1)
LOADED = [name for name in tables.CONVERSIONS if name != "hourly"]
EVENTS = """
    CREATE TABLE events AS
    SELECT i AS n, TIMESTAMP '2025-01-01' + to_seconds(i * 131071) AS t FROM range(720) r(i)
"""
NAMES = reference.NAMES


# What is read


@pytest.fixture
def probed(own_rules: Backend, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """While the installed rules are older: what is taken from them would be wrong."""
    monkeypatch.setattr(zones, "installed", functools.cache(lambda: zones.from_tree(TREE)))
    return own_rules


@pytest.fixture(scope="module")
def own_rules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """A DuckDB whose tables follow its own function, events, and one row for each zone."""
    url = f"duckdb:///{tmp_path_factory.mktemp('probed')}/t.duckdb"
    refresh(url, start=START, end=END, rules="database", tables=LOADED)
    with engines.connect(url) as backend:
        backend.execute(EVENTS)
        backend.execute(
            f"CREATE TABLE places AS SELECT time_zone_name AS z FROM {tables.OFFSET.name} "
            "GROUP BY time_zone_name"
        )
        backend.set_session_time_zone("UTC")
        yield backend


def test_rules_are_those_of_the_tables(probed: Backend) -> None:
    """Cuba has other clocks in this DuckDB than in the installed rules: else nothing is said."""
    told = target.read(probed)
    assert told.rules is not None
    assert told.rules.release == probed.product()
    assert len(told.rules.names) == 598
    ours, theirs = (
        rules.zone("America/Havana").timeline(1_800_000_000).offset_changes()
        for rules in (zones.installed(), told.rules)
    )
    assert any(not np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))
    assert told.loaded == set(LOADED)
    assert told.literals_until == dt.date(2038, 1, 1)
    assert told.schema["events"] == {"n": "BIGINT", "t": "TIMESTAMP"}


@pytest.mark.not_core
def test_each_zone_as_a_constant(probed: Backend) -> None:
    options = target.read(probed).options() | {"rows": None}
    for begin in range(0, len(NAMES), 40):
        columns = ", ".join(
            f"t AT TIME ZONE 'UTC' AT TIME ZONE '{name}'" for name in NAMES[begin : begin + 40]
        )
        original = (
            f"SELECT n, {columns} FROM events "
            "WHERE t >= TIMESTAMP '2025-06-01' AND t < TIMESTAMP '2027-06-01'"
        )
        rewritten = rewriter.rewrite(original, **options)
        assert len(rewritten.changes) >= len(NAMES[begin : begin + 40])
        result = compare(probed, original, rewritten.sql)
        assert result.same, result.differences
        assert result.rows == 481


@pytest.mark.not_core
def test_each_zone_as_the_bound_of_a_day(probed: Backend) -> None:
    """The first of January in Havana begins at another time by the tz release."""
    options = target.read(probed).options()
    for name in ("America/Havana", "Cuba", "America/New_York", "Australia/Lord_Howe"):
        original = (
            f"SELECT n FROM events WHERE (t AT TIME ZONE 'UTC' AT TIME ZONE '{name}')::date "
            "BETWEEN DATE '2026-12-01' AND DATE '2027-01-31'"
        )
        rewritten = rewriter.rewrite(original, **options)
        assert rewritten.changes
        result = compare(probed, original, rewritten.sql)
        assert result.same, result.differences
        assert result.rows > 30


@pytest.mark.not_core
def test_each_zone_of_a_column(probed: Backend) -> None:
    options = target.read(probed).options() | {"rows": None}
    original = (
        "SELECT z, n, t AT TIME ZONE 'UTC' AT TIME ZONE z AS local FROM events, places "
        "WHERE t >= TIMESTAMP '2025-06-01' AND t < TIMESTAMP '2027-06-01'"
    ).replace("events, places", "events CROSS JOIN places")
    rewritten = rewriter.rewrite(original, **options)
    assert rewritten.changes
    result = compare(probed, original, rewritten.sql)
    assert result.same, result.differences
    assert result.rows == 598 * 481


def test_the_zone_of_the_session_need_not_be_loaded(database: Database) -> None:
    databases.small(database.url, "Asia/Kolkata")
    with engines.connect(database.url, read_only=True) as backend:
        loaded = target.read(backend, "Asia/Kolkata").options()
        other = target.read(backend, "america/new_york").options()
    assert other["session_time_zone"] == "america/new_york"
    assert {*other["rules"].names} - {*loaded["rules"].names} == {"America/New_York"}
    assert other["rules"].release == zones.installed().release


def test_only_tables_with_rows_that_may_be_read(database: Database) -> None:
    databases.small(database.url, tables=["daily"])
    with engines.connect(database.url, read_only=True) as backend:
        told = target.read(backend)
    assert told.loaded >= {"daily", "offset"}
    assert "hourly" not in told.loaded
    assert told.dialect == {"postgres": "postgres", "duckdb": "duckdb"}.get(
        database.kind, told.dialect
    )
    database.apply(f"DROP TABLE {tables.DAILY.name}")
    assert "daily" not in tzconv.read_options(database.url)["loaded"]


def test_literals_end_where_the_tables_end(database: Database) -> None:
    databases.small(database.url)
    options = tzconv.read_options(database.url)
    assert options["literals_until"] == dt.date(2038, 1, 1)
    until = tzconv.read_options(database.url, kept=True)["literals_until"]
    assert until < dt.date(2026, 12, 31)


def test_a_database_without_tables(database: Database) -> None:
    database.apply("CREATE TABLE nothing (n integer)")
    with pytest.raises(DatabaseError, match=r"no conversion tables, .* run tzconv refresh"):
        tzconv.read_options(database.url)


# Texts that are kept: written with old rules, run after a refresh


def old_tree(folder: Path) -> Path:
    """Alberta's rules as they were before 2026, under the name of a release of that time."""
    root = folder / "rules"
    (root / "America").mkdir(parents=True)
    (root / "tzdata.zi").write_text("# version 2025b\n")
    (root / "America" / "Edmonton").write_bytes((TREE / "America" / "Edmonton").read_bytes())
    return root


def local(instant: int) -> dt.datetime:
    return reference.local_at(zoneinfo.ZoneInfo("America/Edmonton"), instant)


STORED: dict[str, tuple[str, Callable[[int, int], tuple[object, ...] | None]]] = {
    "a conversion": (
        "SELECT n, t AT TIME ZONE 'UTC' AT TIME ZONE 'America/Edmonton' AS local FROM events "
        "WHERE t >= TIMESTAMP '2024-12-01' AND t < TIMESTAMP '2027-12-01' ORDER BY n",
        lambda n, t: (n, local(t)),
    ),
    "an open window": (
        "SELECT n, t AT TIME ZONE 'UTC' AT TIME ZONE 'America/Edmonton' AS local FROM events "
        "WHERE t >= TIMESTAMP '2026-12-01' ORDER BY n",
        lambda n, t: (n, local(t)),
    ),
    "a day to come": (
        "SELECT n FROM events WHERE (t AT TIME ZONE 'UTC' AT TIME ZONE 'America/Edmonton')::date "
        "= DATE '2026-12-15' ORDER BY n",
        lambda n, t: (n,) if local(t).date() == dt.date(2026, 12, 15) else None,
    ),
    "all days from one to come": (
        "SELECT n FROM events WHERE (t AT TIME ZONE 'UTC' AT TIME ZONE 'America/Edmonton') "
        ">= TIMESTAMP '2026-12-15' ORDER BY n",
        lambda n, t: (n,) if local(t) >= dt.datetime(2026, 12, 15) else None,
    ),
}
STEP, COUNT = 2, 120_000
"""So many rows in three days that they are not left to the function."""
FIRST = reference.utc("2026-12-14")


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("kind", STORED)
def test_a_stored_text_follows_a_refresh(
    kind: str,
    engine: str,
    server: postgres.Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Expected is what zoneinfo says by the installed release, which the second refresh loads."""
    sql, expected = STORED[kind]
    with databases.fresh(engine, tmp_path, server) as database:
        old = refresh(database.url, rules=old_tree(tmp_path), start=START, end=END, tables=LOADED)
        assert old.tz_release == "2025b"
        times = [(n, FIRST + n * STEP) for n in range(COUNT)]
        database.apply(
            "CREATE TABLE events (n integer, t timestamp)",
            f"INSERT INTO events SELECT n, TIMESTAMP '{reference.naive(FIRST)}' + n * INTERVAL "
            f"'{STEP} seconds' FROM generate_series(0, {COUNT - 1}) AS r(n)",
            "ANALYZE events",
        )
        file = tmp_path / "report.sql"
        file.write_text(sql)
        monkeypatch.setattr(sys, "argv", ["tzconv", "rewrite", str(file), "--url", database.url])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 0
        stored = capsys.readouterr().out
        assert tables.ZONE.name in stored or tables.PERIOD.name in stored
        given: dict[str, Any] = {"zones": ["America/Edmonton"], "rules": "tzdata"}
        new = refresh(database.url, start=START, end=END, tables=LOADED, **given, **FREE)
        assert [change.zone for change in new.changes][:1] == ["America/Edmonton"]
        wanted = [row for n, t in times if (row := expected(n, t)) is not None]
        assert wanted
        assert database.run(stored) == wanted


@pytest.mark.parametrize("day", ["2024-07-01", "2024-12-15"])
def test_a_day_of_the_past_stays_a_literal(day: str, tmp_path: Path) -> None:
    """It is before the release of the rules, so no law can change it."""
    url = f"duckdb:///{tmp_path}/t.duckdb"
    refresh(url, rules=old_tree(tmp_path), start=START, end=END, tables=LOADED)
    sql = (
        "SELECT n FROM events WHERE (t AT TIME ZONE 'UTC' AT TIME ZONE 'America/Edmonton')::date "
        f"= DATE '{day}'"
    )
    options = tzconv.read_options(url, kept=True) | {"schema": {"events": {"t": "timestamp"}}}
    result = rewriter.rewrite(sql, **options)
    assert [change.strategy for change in result.changes] == ["range"]
    assert "AT TIME ZONE" not in result.sql
    assert tables.OFFSET.name not in result.sql


def test_literals_of_the_future_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text holds them, a comment says so, and --check finds it after a refresh."""
    url = f"duckdb:///{tmp_path}/t.duckdb"
    refresh(url, rules=old_tree(tmp_path), start=START, end=END, tables=LOADED)
    file = tmp_path / "report.sql"
    file.write_text(f"{STORED['a day to come'][0]};\n")
    schema = tmp_path / "schema.sql"
    schema.write_text("CREATE TABLE events (n integer, t timestamp);")

    def rewrite(*more: str) -> tuple[object, str]:
        words = ["tzconv", "rewrite", str(file), "--schema-file", str(schema), *more]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, capsys.readouterr().out

    assert rewrite("--url", url, "--future-literals", "--in-place")[0] == 0
    lines = file.read_text().splitlines()
    assert lines[0] == "-- tzconv: literals of 2025b for America/Edmonton"
    assert "AT TIME ZONE" not in file.read_text()
    assert rewrite("--url", url, "--check") == (0, "")
    given: dict[str, Any] = {"zones": ["America/Edmonton"], "rules": "tzdata"}
    refresh(url, start=START, end=END, tables=LOADED, **given, **FREE)
    for more in (["--url", url], []):  # the tables' release, and the installed one
        code, said = rewrite(*more, "--check")
        assert code == 2
        assert "report.sql:1:1: has literals of 2025b for America/Edmonton" in said
        assert zones.installed().release in said


# Wrong use


@pytest.fixture
def loaded_file(tmp_path: Path) -> Path:
    refresh(f"duckdb:///{tmp_path}/t.duckdb", zones=["Asia/Kolkata"], start=START, end=END)
    return tmp_path


@pytest.mark.parametrize("name", ["rewrite", "lint"])
def test_a_dialect_that_contradicts_the_url(name: str, loaded_file: Path) -> None:
    arguments = (name, "-", "--url", "duckdb:///t.duckdb")
    done = run(*arguments, "--dialect", "postgres", cwd=loaded_file, stdin="SELECT 1\n")
    assert done.returncode == 64
    assert done.stdout == ""
    assert "--dialect postgres contradicts --url" in done.stderr
    assert "leave --dialect out" in done.stderr
    same = run(*arguments, "--dialect", "duckdb", cwd=loaded_file, stdin="SELECT 1\n")
    assert same.returncode == 0, same.stderr


def test_missing_tables_and_unknown_schemas(loaded_file: Path) -> None:
    def rewrite(*arguments: str) -> object:
        return run("rewrite", *arguments, cwd=loaded_file, stdin="SELECT 1\n")

    with engines.connect(f"duckdb:///{loaded_file}/empty.duckdb") as backend:
        backend.execute("CREATE TABLE t (n integer)")
    for name in ("rewrite", "compare"):
        done = run(name, "-", "--url", "duckdb:///empty.duckdb", cwd=loaded_file, stdin="SELECT 1")
        assert_one_sentence(done, "no conversion tables", "tzconv refresh with the same --url")
        done = run(
            *(name, "-", "--url", "duckdb:///t.duckdb", "--db-schema", "nowhere"),
            cwd=loaded_file,
            stdin="SELECT 1",
        )
        assert_one_sentence(done, "in its schema 'nowhere'", "--db-schema")
    with pytest.raises(DatabaseError, match="not the name of a schema"):
        engines.connect(f"duckdb:///{loaded_file}/t.duckdb", schema="a\0b")


def test_a_wrong_password_and_a_missing_schema(server: postgres.Server, tmp_path: Path) -> None:
    url = server.fresh("truth")
    done = run("rewrite", "--url", url, "--db-schema", "tz", cwd=tmp_path, stdin="SELECT 1")
    assert_one_sentence(done, "in its schema 'tz'", "tzconv refresh")
    with server.connect("truth") as connection:
        connection.execute("CREATE SCHEMA tz; CREATE TABLE logs (t timestamp, z text)")
    refresh(url, zones=["UTC"], start=START, end=END, schema="tz", tables=LOADED)
    sql = "SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z FROM logs"
    request = ("rewrite", "--url", url, "--db-schema", "tz", "--strategy", "array")
    done = run(*request, cwd=tmp_path, stdin=sql)
    assert done.returncode == 0, done.stderr
    assert '"tz".time_zone_' in done.stdout
    nobody = server.url("truth", user="nobody", password="s3cret")
    done = run("rewrite", "--url", nobody, cwd=tmp_path, stdin=sql)
    assert_one_sentence(done, "nobody")
    assert "s3cret" not in done.stderr


@pytest.mark.not_core
def test_zones_that_a_collation_makes_equal(server: postgres.Server) -> None:
    # two names may be equal there, and a row would find two zones
    with databases.fresh("postgres", Path(), server) as opened:
        databases.small(opened.url)
        opened.apply(
            "CREATE COLLATION loose (locale = 'C');"
            "UPDATE pg_collation SET collisdeterministic = false WHERE collname = 'loose';"
            "CREATE DOMAIN loose_name AS text COLLATE loose;"
            "CREATE TABLE visits (at timestamp, zone varchar COLLATE loose, named loose_name,"
            " plain text)"
        )
        opened.apply("CREATE VIEW seen AS SELECT at, zone FROM visits")
        options = tzconv.read_options(opened.url)
        for table, zone, is_left in [
            ("visits", "zone", True),
            ("visits", "named", True),
            ("seen", "zone", True),
            ("visits", "zone || ''", True),
            ("visits", "coalesce(zone, 'UTC')", True),
            ("visits", "(SELECT max(zone) FROM visits)", True),
            ("visits", "plain", False),
        ]:
            sql = f"SELECT at AT TIME ZONE 'UTC' AT TIME ZONE {zone} AS local FROM {table}"
            assert (not tzconv.rewrite(sql, **options).changes) == is_left, zone

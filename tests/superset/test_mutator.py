"""Superset's mutator, called as Superset calls it, on DuckDB and PostgreSQL."""

from __future__ import annotations

import logging
import stat
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests import ROOT, databases
from tests.databases import Database as Loaded
from tests.superset.contract import Database
from tzconv import superset
from tzconv.refresher import refresh
from tzconv.sql import script
from tzconv.superset import Mutator, mutator, process
from tzconv.superset.worker import answer

ZONES = ["America/New_York", "Asia/Kolkata", "Europe/Paris", "UTC"]
DAY = "CAST(ts AT TIME ZONE 'UTC' AT TIME ZONE tz AS date)"
CHART = (
    f"SELECT {DAY} AS day, count(*) AS n\nFROM events\nGROUP BY {DAY}\n"
    "ORDER BY n DESC, day\nLIMIT 10000"
)
RECENT = "SELECT count(*) AS n FROM events WHERE ts >= now() - interval '1 day'"


@pytest.fixture(scope="module", params=("duckdb", "postgres"))
def loaded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Loaded]:
    """300,000 events, and the conversion tables."""
    server = None if request.param == "duckdb" else request.getfixturevalue("server")
    with databases.fresh(request.param, tmp_path_factory.mktemp("superset"), server) as opened:
        opened.run(
            "CREATE TABLE events AS SELECT TIMESTAMP '2024-01-01' + n * INTERVAL '2 minutes' AS ts,"
            " CASE n % 7 WHEN 0 THEN 'Europe/Paris' WHEN 1 THEN 'Asia/Kolkata' WHEN 2 THEN 'UTC' "
            "WHEN 3 THEN NULL ELSE 'America/New_York' END AS tz "
            "FROM generate_series(1, 300000) AS g(n)",
            "ANALYZE",
        )
        refresh(opened.url, zones=ZONES)
        yield opened


@pytest.fixture
def make() -> Iterator[Callable[..., Mutator]]:
    """Mutators whose processes end with the test."""
    made: list[Mutator] = []

    def one(**options: object) -> Mutator:
        # a busy machine may take long, and an age may end in a test; the limit has tests of its own
        patient = {"seconds": 120, "max_age": 1e9}
        made.append(mutator(**{**patient, **options}))  # type: ignore[arg-type] # each has a type of its own
        return made[-1]

    yield one
    for each in made:
        each.close()


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> types.SimpleNamespace:
    """An application context of Flask, which a request of Superset has: its ``g``."""

    class Globals(dict[object, object]):
        pass

    flask = types.SimpleNamespace(has_app_context=lambda: True, g=Globals())
    monkeypatch.setitem(sys.modules, "flask", flask)
    return flask


def test_a_chart_is_rewritten_and_returns_the_same_rows(
    loaded: Loaded, make: Callable[..., Mutator], caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(loaded.url, make())
    with caplog.at_level(logging.INFO, "tzconv.superset"):
        text = database.mutate_sql_based_on_config(CHART)
    assert "time_zone_" in text
    assert text.endswith("LIMIT 10000")
    assert loaded.run(text) == loaded.run(CHART)
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert "runs rewritten (" in caplog.text
    caplog.clear()
    constant = "SELECT TIMESTAMP '2026-01-01' AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS t"
    with caplog.at_level(logging.INFO, "tzconv.superset"):
        assert database.mutate_sql_based_on_config(constant) == constant
    assert not caplog.records, "a conversion that gains nothing is not worth a line"
    assert database.mutate_sql_based_on_config(CHART) == text
    assert database.engines == 1
    commented = f"-- Superset, admin\n{CHART}"
    assert database.mutate_sql_based_on_config(commented) == f"-- Superset, admin\n{text}"


@pytest.mark.parametrize("after_split", [False, True])
def test_mutate_after_split(
    loaded: Loaded, make: Callable[..., Mutator], after_split: bool
) -> None:
    database = Database(loaded.url, make(), after_split=after_split)
    assert database.mutate_sql_based_on_config(CHART, is_split=not after_split) == CHART
    assert database.mutate_sql_based_on_config(CHART, is_split=after_split) != CHART


def test_several_statements_of_which_only_queries_change(
    loaded: Loaded, make: Callable[..., Mutator]
) -> None:
    database = Database(loaded.url, make())
    copy = f"CREATE TABLE copied AS SELECT {DAY} AS day FROM events"
    text = database.mutate_sql_based_on_config(f"{CHART};\n{copy};")
    assert text.endswith(f";\n{copy};")
    assert "time_zone_" in text
    for other in (copy, f"INSERT INTO days SELECT {DAY} FROM events", "SELECT 1", "not time SQL ("):
        assert database.mutate_sql_based_on_config(other) == other


def test_what_ran_before_in_the_session_counts(
    loaded: Loaded, make: Callable[..., Mutator], context: types.SimpleNamespace
) -> None:
    """SQL Lab sends one statement after the other, all in one session."""
    database = Database(loaded.url, make())
    assert database.mutate_sql_based_on_config(CHART) != CHART
    assert database.mutate_sql_based_on_config(RECENT) != RECENT
    zone = "SET TimeZone = 'Asia/Tokyo'"
    assert database.mutate_sql_based_on_config(zone) == zone
    assert database.mutate_sql_based_on_config(RECENT) == RECENT
    path = "SET search_path = other"
    assert database.mutate_sql_based_on_config(path) == path
    assert database.mutate_sql_based_on_config(CHART) == CHART
    context.g.clear()
    assert database.mutate_sql_based_on_config(CHART) != CHART


def test_every_statement_that_changes_a_session_is_kept(context: types.SimpleNamespace) -> None:
    """Those that the rewriter's script looks at, and no other."""
    words = (
        *("ALTER", "ATTACH", "CALL", "CREATE", "DETACH", "DISCARD", "DO", "DROP"),
        *("EXECUTE", "PRAGMA", "RESET", "SET", "USE"),
    )
    texts = [f"{word} x" for word in words] + [
        "SELECT 1 INTO t",
        "SELECT set_config('a', 'b', true)",
    ]
    for text in texts:
        noted = script.Script()
        noted.ran(text)
        assert noted, text
        superset._earlier(context, text)
        superset._earlier(context, CHART)
    assert superset._earlier(context, CHART) == tuple(texts)


@pytest.mark.not_core
@pytest.mark.parametrize("now", ["GETDATE()", "SYSDATE", "statement_timestamp()", "today()"])
def test_every_form_of_now_is_looked_at(now: str) -> None:
    assert superset._MAY_MATTER.search(f"SELECT 1 FROM events WHERE seen > {now} - 7")


def test_a_name_that_two_schemas_have(loaded: Loaded, make: Callable[..., Mutator]) -> None:
    """Superset may run it with another schema first, and does not say which."""
    loaded.run("CREATE SCHEMA lab", "CREATE TABLE lab.events (ts timestamptz, tz varchar)")
    try:
        database = Database(loaded.url, make())
        assert database.mutate_sql_based_on_config(CHART) == CHART
        schema = "main" if loaded.kind == "duckdb" else "public"
        qualified = CHART.replace("FROM events", f"FROM {schema}.events")
        text = database.mutate_sql_based_on_config(qualified)
        assert f'"{schema}".time_zone_' in text
        assert loaded.run(text) == loaded.run(qualified)
    finally:
        loaded.run("DROP SCHEMA lab CASCADE")


def test_positional_arguments_of_old_versions(loaded: Loaded, make: Callable[..., Mutator]) -> None:
    """Superset 1.4: the user's name, the security manager, the database."""
    change = make()
    database = Database(loaded.url, change)
    assert change(CHART, "admin", object(), database) != CHART
    assert change(CHART, user_name="admin", database=database) != CHART
    assert change(CHART) == CHART


def test_threads_share_one_process(loaded: Loaded, make: Callable[..., Mutator]) -> None:
    database = Database(loaded.url, make())
    queries = [CHART.replace("10000", str(9000 + number)) for number in range(12)]
    found: dict[str, str] = {}

    def work(query: str) -> None:
        found[query] = database.mutate_sql_based_on_config(query)

    threads = [threading.Thread(target=work, args=(query,)) for query in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[query] != query for query in queries)


def test_databases_that_are_left_alone(
    loaded: Loaded, make: Callable[..., Mutator], caplog: pytest.LogCaptureFixture
) -> None:
    for field in ("impersonate_user", "allow_multi_catalog"):
        database = Database(loaded.url, make())
        setattr(database, field, True)
        assert database.mutate_sql_based_on_config(CHART) == CHART
        assert database.engines == 0
    assert "impersonation" in caplog.text


def test_failures_are_logged_once_without_a_password(
    make: Callable[..., Mutator], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    urls = [
        "postgresql+psycopg://me:s3cret@127.0.0.1:1/none",
        "mysql://me:s3cret@127.0.0.1:1/none",
        f"duckdb:///{tmp_path}/none.duckdb",
        "nonsense",
    ]
    for url in urls:
        caplog.clear()
        database = Database(url, make())
        assert database.mutate_sql_based_on_config("SELECT 1 AS n") == "SELECT 1 AS n"
        assert not caplog.records, "no process is asked about a text without a time"
        for query in (CHART, RECENT, CHART):
            assert database.mutate_sql_based_on_config(query) == query
        assert [record.levelname for record in caplog.records] == ["WARNING"], url
        assert "query not rewritten" in caplog.text
        assert "s3cret" not in caplog.text


@pytest.mark.not_core
def test_a_python_without_tzconv_and_one_that_hangs(
    loaded: Loaded,
    make: Callable[..., Mutator],
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = {"exit 1": "check that TZCONV_PYTHON", "exec sleep 600": "took more than 0.2 s"}
    for body, text in said.items():
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\n{body}\n")
        python.chmod(python.stat().st_mode | stat.S_IEXEC)
        monkeypatch.setenv("TZCONV_PYTHON", str(python))
        caplog.clear()
        change = make(seconds=0.2 if "sleep" in body else 10)
        database = Database(loaded.url, change)
        for _ in range(3):
            assert database.mutate_sql_based_on_config(CHART) == CHART
        assert len(caplog.records) == 1
        assert text in caplog.text
    monkeypatch.delenv("TZCONV_PYTHON")
    change._rests_until, change.seconds = -1.0, 120
    assert database.mutate_sql_based_on_config(CHART) != CHART, "a minute later it asks a new one"
    monkeypatch.setenv("TZCONV_PYTHON", str(tmp_path / "none"))
    assert Database(loaded.url, make()).mutate_sql_based_on_config(CHART) == CHART


@pytest.mark.not_core
def test_a_text_longer_than_the_pipe_to_a_process_that_hangs(
    loaded: Loaded, make: Callable[..., Mutator], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """It reads nothing, so a write of more than the 64 kB of a pipe would wait for ever."""
    python = tmp_path / "python"
    answer = '{"ask": "SELECT current_setting(\'TimeZone\')"}'
    python.write_text(
        f"#!/bin/sh\nread question\necho '{answer}'\nexec sleep 600\n".replace(
            answer, answer.replace("'", "'\\''")
        )
    )
    python.chmod(python.stat().st_mode | stat.S_IEXEC)
    database = Database(loaded.url, make(python=str(python), seconds=2))
    query = f"{CHART} -- {'x' * 90_000}"
    done: list[str] = []
    thread = threading.Thread(
        target=lambda: done.append(database.mutate_sql_based_on_config(query)), daemon=True
    )
    thread.start()
    thread.join(60)
    assert done == [query]
    assert "took more than 2 s" in caplog.text


@pytest.mark.not_core
def test_more_queries_than_may_wait_end_no_process(loaded: Loaded) -> None:
    one = process.Process(sys.executable)
    for _ in range(16):
        one._free.acquire()
    with pytest.raises(process.BusyError, match="too many"):
        one.ask({"url": loaded.url, "question": True}, 10)
    assert one.is_ours
    one._free.release()
    assert "ask" in one.ask({"url": loaded.url, "question": True}, 120)
    one.kill()


@pytest.mark.not_core
def test_a_process_that_was_killed_is_started_again(loaded: Loaded) -> None:
    change = mutator(seconds=120)
    database = Database(loaded.url, change)
    text = database.mutate_sql_based_on_config(CHART)
    change.close()
    other = CHART.replace("LIMIT 10000", "LIMIT 9999")
    assert database.mutate_sql_based_on_config(other) == text.replace("LIMIT 10000", "LIMIT 9999")
    change.close()


def test_it_needs_only_the_standard_library(tmp_path: Path) -> None:
    """In Superset's Python the other dependencies have other versions."""
    code = (
        "import sys; from tzconv.superset import SQL_QUERY_MUTATOR; "
        "print(sorted(set(sys.modules) & {'sqlglot', 'sqlalchemy', 'duckdb', 'numpy', 'pyarrow'}), "
        "SQL_QUERY_MUTATOR('SELECT now()', security_manager=None, database=None))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[] SELECT now()\n"


def test_what_the_worker_remembers(tmp_path: Path) -> None:
    """The types of a database, as long as it is asked to; in this process."""
    path = tmp_path / "remembered.duckdb"
    refresh(f"duckdb:///{path}", zones=ZONES)
    asked: dict[str, Any] = {
        "url": f"duckdb:///{path}",
        "zone": "UTC",
        "before": [],
        "schema": None,
    }
    asked["sql"] = "SELECT count(*) AS n FROM later WHERE ts >= now() - interval '1 day'"

    def is_known(max_age: float) -> bool:
        return "CAST(" in answer({**asked, "max_age": max_age})["sql"]

    assert not is_known(1e9)
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE later AS SELECT TIMESTAMP '2026-01-01' AS ts")
    assert not is_known(1e9)
    assert is_known(-1)

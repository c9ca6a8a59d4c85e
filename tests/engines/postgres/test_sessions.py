"""Settings of a session: those of a role never bite, and ours never outlive a transaction."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.pool import NullPool

from tests import command, databases, pooler, postgres
from tests.databases import END, START, Database, message, small
from tests.waiting import SECONDS, eventually
from tzconv import engines, health, target
from tzconv.compare import compare
from tzconv.engines.postgres import query, session
from tzconv.engines.postgres.alchemy import ALCHEMY
from tzconv.errors import DatabaseError, QueryError
from tzconv.refresher import refresh
from tzconv.rewriter import rewrite
from tzconv.sql.binder import NotBoundError
from tzconv.sqlalchemy import rewrite_queries
from tzconv.tz import horizon, zones

RULES = zones.installed()
KOLKATA = "SELECT n, ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS local FROM events"
EVENTS = (
    "CREATE TABLE events AS SELECT n, TIMESTAMP '2026-01-01' + n * INTERVAL '1 hour' AS ts "
    "FROM generate_series(1, 500) AS n",
    "ANALYZE events",
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC",
    "GRANT CREATE ON SCHEMA public TO PUBLIC",
)


LIMITS = {
    "statement_timeout": "500ms",
    "lock_timeout": "1ms",
    "idle_in_transaction_session_timeout": "500ms",
    "transaction_timeout": "500ms",  # since 17
}
ODD = {
    **LIMITS,
    "DateStyle": "German, DMY",
    "IntervalStyle": "sql_standard",
    "TimeZone": "Asia/Kathmandu",
    "bytea_output": "escape",
    "extra_float_digits": "-15",
    "standard_conforming_strings": "off",
    "backslash_quote": "off",
    "client_encoding": "latin1",
    "client_min_messages": "debug5",
    "quote_all_identifiers": "on",
    "timezone_abbreviations": "India",
    "transform_null_equals": "on",
    "array_nulls": "off",
    "default_transaction_isolation": "serializable",
    "default_transaction_deferrable": "on",
    "synchronize_seqscans": "off",
    "synchronous_commit": "off",
    "jit_above_cost": "0",
    "work_mem": "64kB",
    "maintenance_work_mem": "1MB",
    "temp_buffers": "800kB",
    "enable_hashagg": "off",
    "from_collapse_limit": "1",
    "default_statistics_target": "1",
    "plan_cache_mode": "force_generic_plan",
    "row_security": "off",
    "search_path": "nowhere, public",
}
"""Settings of a role, each of which some server has."""


@pytest.fixture
def role(server: postgres.Server) -> Iterator[Callable[..., str]]:
    """Makes a role with those settings, as far as the server knows them; returns its name."""
    with server.connect() as connection:
        known = {
            str(name).lower() for (name,) in connection.execute("SELECT name FROM pg_settings")
        }

        def make(**settings: str) -> str:
            connection.execute("CREATE ROLE limited LOGIN")
            for name, value in settings.items():
                if name.lower() in known:
                    change = sql.SQL("ALTER ROLE limited SET {} = ").format(sql.Identifier(name))
                    values = value.split(", ") if name == "search_path" else [value]
                    connection.execute(change + sql.SQL(", ").join(map(sql.Literal, values)))
            return "limited"

        yield make
        connection.execute("DROP ROLE limited")


@pytest.fixture
def database(tmp_path: Path, server: postgres.Server) -> Iterator[Database]:
    with databases.fresh("postgres", tmp_path, server) as opened:
        opened.run(*EVENTS)
        yield opened


def everything(database: Database, url: str, folder: Path) -> None:
    """All that tzconv does with a database; each part must succeed, with the right rows."""
    names = ["Asia/Kolkata", "Europe/Paris", "UTC"]
    assert small(url, *names)
    database.assert_holds(RULES, names, horizon.choose(START, END))
    assert not small(url, *names, repair=True)
    names = ["America/New_York", "Asia/Kolkata", "UTC"]
    assert small(url, *names)
    database.assert_holds(RULES, names, horizon.choose(START, END))
    with engines.connect(url, read_only=True) as backend:
        began = dt.datetime(2026, 1, 1)
        assert health.status(backend, began).healthy
        assert health.doctor(backend, began).healthy
        options = target.read(backend).options()
        assert options["rows"]("SELECT date_trunc('day', ts) FROM events") == 500
        assert options["bind"](KOLKATA) == (("n", "int4"), ("local", "timestamp"))
        same = compare(backend, KOLKATA, KOLKATA.replace("n, ", "n + 0 AS n, ", 1), rounds=2)
        assert (same.same, same.rows) == (True, 500)
    own: dict[str, Any] = {
        "rules": "database",
        "zones": ["Asia/Kolkata"],
        "start": START,
        "end": END,
    }
    assert refresh(url, **own, **databases.FREE).changed
    file = folder / "query.sql"
    file.write_text(KOLKATA + "\n")
    for arguments in (
        ("refresh", "--zones", "Asia/Kolkata,UTC", "--start", "2026-01-01", "--end", "default"),
        ("status",),
        ("doctor",),
        ("rewrite", str(file)),
        ("compare", str(file), "--session-time-zone", "America/New_York"),
        ("refresh", "--dry-run", "--sql", "--zones", "UTC"),
        ("migrate",),
    ):
        done = command.run(*arguments, "--url", url, cwd=folder)
        assert done.returncode in (0, 2), (arguments, done)


def test_settings_of_a_role_do_not_bite(
    role: Callable[..., str], database: Database, server: postgres.Server, tmp_path: Path
) -> None:
    everything(database, server.url(database.name, role(**ODD)), tmp_path)


def test_text_in_the_encoding_of_a_role(
    role: Callable[..., str], database: Database, server: postgres.Server
) -> None:
    url = server.url(database.name, role(client_encoding="latin1"))
    with engines.connect(url) as backend:
        found = backend.query("SELECT 'é' AS a, chr(233) AS b").rows
    assert [column.to_pylist() for column in found.columns] == [["é"], ["é"]]


def test_an_estimate_where_all_names_are_quoted(
    role: Callable[..., str], database: Database, server: postgres.Server
) -> None:
    """The plan would have the function's name in quotes."""
    sql = "SELECT date_trunc('day', ts) FROM (SELECT ts FROM events ORDER BY n LIMIT 3) AS few"
    with engines.connect(server.url(database.name, role(quote_all_identifiers="on"))) as backend:
        assert backend.expected_rows(sql) == 3


@pytest.mark.not_core
def test_limits_of_a_role_do_not_stop_our_own_work(
    role: Callable[..., str], database: Database, server: postgres.Server
) -> None:
    """The server's statements, and its waiting for ours, take longer than the role may."""
    url = server.url(database.name, role(**LIMITS))
    was_slow: list[bool] = []

    def slow(*_: object) -> None:
        if not was_slow:
            time.sleep(1)
            was_slow.append(True)

    assert small(url, progress=slow)
    assert was_slow
    was_slow.clear()
    locked = threading.Event()

    def hold() -> None:
        """Keep the refresh from writing, for longer than its role may wait."""
        with server.connect(database.name) as other, other.transaction():
            other.execute("LOCK TABLE time_zone_conversion_release IN SHARE MODE")
            locked.set()
            waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = %s::regclass"
            assert eventually(
                lambda: other.execute(waits, ["time_zone_conversion_release"]).fetchall()
            )
            time.sleep(1)
            held.append(True)

    held: list[bool] = []
    holder = threading.Thread(target=hold)
    holder.start()
    assert locked.wait(SECONDS)
    assert small(url, "Asia/Tokyo", progress=slow)
    holder.join(SECONDS)
    assert was_slow
    assert held
    assert not small(url, "Asia/Tokyo")
    with engines.connect(url) as backend, backend.transaction(read_only=True):
        time.sleep(1)
        assert backend.query("SELECT 1 AS one").rows.num_rows == 1


@pytest.mark.not_core
def test_a_users_query_has_the_limit_of_its_role(
    role: Callable[..., str], database: Database, server: postgres.Server
) -> None:
    url = server.url(database.name, role(statement_timeout="500ms"))
    with engines.connect(url) as backend:
        for _ in range(2):
            with pytest.raises(QueryError, match=r"statement timeout: .*raise statement_timeout"):
                backend.query("SELECT pg_sleep(60)")
            assert backend.query("SHOW statement_timeout").rows.column("c0")[0].as_py() == "500ms"
    free = f"{url}&options=-c%20statement_timeout%3D0"
    with engines.connect(free) as backend:
        assert backend.query("SELECT pg_sleep(1)").rows.num_rows == 1


def test_a_role_that_only_reads(
    role: Callable[..., str], database: Database, server: postgres.Server
) -> None:
    """Somebody has set that on purpose: a refresh says so, and writes only if told to."""
    url = server.url(database.name, role(default_transaction_read_only="on"))
    said = message(url)
    assert "cannot execute CREATE TABLE in a read-only transaction" in said
    assert "default_transaction_read_only" in said
    assert small(f"{url}&options=-c%20default_transaction_read_only%3Doff")
    assert "cannot execute UPDATE in a read-only transaction" in message(url)  # the sign
    with engines.connect(url, read_only=True) as backend:
        assert health.doctor(backend, dt.datetime(2026, 1, 1)).healthy


@pytest.mark.not_core
def test_a_session_that_was_idle_for_too_long(
    role: Callable[..., str], database: Database, server: postgres.Server
) -> None:
    url = server.url(database.name, role(idle_session_timeout="2s"))
    with engines.connect(url) as backend:
        time.sleep(3)
        with pytest.raises(DatabaseError, match=r"lost.*raise idle_session_timeout") as caught:
            backend.product()
        assert len(str(caught.value).splitlines()) == 1


def test_a_backslash_where_it_escapes(
    role: Callable[..., str], database: Database, server: postgres.Server
) -> None:
    """We read it as the standard does, so a text that has one stays as it is."""
    url = server.url(database.name, role(standard_conforming_strings="off"))
    assert small(url, "Asia/Kolkata")
    texts = ["SELECT 'a/b', ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS t FROM events"]
    texts.append(texts[0].replace("/", "\\", 1))
    with engines.connect(url) as backend:
        options = target.read(backend).options() | {"rows": None}
        found = [rewrite(text, **options).sql != text for text in texts]
        assert found == [True, False]
    sessions = sa.create_engine(url, poolclass=NullPool)
    with sessions.connect() as connection:
        bind = ALCHEMY(connection.connection.driver_connection, list).bind()
        assert bind is not None
        with pytest.raises(NotBoundError, match="standard_conforming_strings"):
            bind(texts[1])
    with engines.connect(server.url(database.name)) as backend:
        options = target.read(backend).options() | {"rows": None}
        assert all(rewrite(text, **options).sql != text for text in texts)


@pytest.mark.parametrize("path", ["''", "nowhere", "pg_temp", "pg_temp, public"])
def test_a_search_path_without_a_schema_for_tables(
    role: Callable[..., str], database: Database, server: postgres.Server, path: str
) -> None:
    url = server.url(database.name, role())
    database.run(f"ALTER ROLE limited SET search_path = {path}")
    assert "name one with --db-schema" in message(url)
    assert small(url, schema="public")


@pytest.mark.not_core
def test_nothing_is_left_behind_a_pooler(
    database: Database, server: postgres.Server, tmp_path: Path
) -> None:
    with pooler.pooling(server) as pooled:
        url = pooled.url(database.name)
        everything(database, url, tmp_path)
        small(url, "UTC", lock_timeout=2.5)
        engine = sa.create_engine(url, poolclass=NullPool, connect_args={"prepare_threshold": None})
        for options in ({}, {"isolation_level": "AUTOCOMMIT"}):
            own = engine.execution_options(**options)
            rewriting = rewrite_queries(own)
            with own.connect() as connection:
                for _ in range(7):  # psycopg prepares a statement the sixth time
                    assert len(connection.execute(sa.text(KOLKATA)).all()) == 500
            rewriting.disable()
        engine.dispose()
    assert pooled.transactions > 100
    assert pooled.left == set()


def test_the_pooler_finds_what_is_left(database: Database, server: postgres.Server) -> None:
    left = {
        "SET lock_timeout = 1000": "lock_timeout = 1000",
        "PREPARE mine AS SELECT 1": "prepared statement mine",
        "SELECT pg_advisory_lock(1)": "advisory lock",
        "CREATE TEMP TABLE mine (n int)": "temporary table mine",
        "LISTEN mine": "LISTEN mine",
    }
    for statement, expected in left.items():
        with pooler.pooling(server) as pooled:
            engine = sa.create_engine(
                pooled.url(database.name), poolclass=NullPool, isolation_level="AUTOCOMMIT"
            )
            with engine.connect() as connection:
                connection.exec_driver_sql(statement)
                connection.exec_driver_sql("SELECT 1")
        assert pooled.left == {expected}


def test_a_statement_is_bound_in_one_session(database: Database, server: postgres.Server) -> None:
    """Outside a transaction, behind a pooler that might ask another one."""
    with pooler.pooling(server) as pooled:
        engine = sa.create_engine(
            pooled.url(database.name), poolclass=NullPool, isolation_level="AUTOCOMMIT"
        )
        with engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            for _ in range(3):
                columns = query.bind(driver.pgconn, KOLKATA)
                assert columns == (("n", "int4"), ("local", "timestamp"))
    assert pooled.left == set()


def test_a_zone_of_a_session_holds_in_each_transaction(
    database: Database, server: postgres.Server
) -> None:
    with pooler.pooling(server) as pooled, engines.connect(pooled.url(database.name)) as backend:
        backend.set_session_time_zone("Asia/Kolkata")
        for _ in range(3):
            assert backend.session_time_zone() == "Asia/Kolkata"
            shown = backend.query("SELECT TIMESTAMPTZ '2026-01-01 00:00Z' AS t")
            assert shown.rows.column("c0").to_pylist() == ["2026-01-01 05:30:00+05:30"]
    assert pooled.left == set()


@pytest.mark.not_core
def test_a_lock_in_another_database_is_not_ours(server: postgres.Server) -> None:
    """The schema ``public`` has one number in all databases of a server."""
    server.fresh("lock_here")
    server.fresh("lock_there")
    with server.connect("lock_here") as here, server.connect("lock_there") as there:
        here.execute("SELECT pg_advisory_lock(7, 2200)")

        def holder(connection: psycopg.Connection[tuple[object, ...]]) -> str:
            def run(statement: str) -> list[Any]:
                return connection.execute(statement.encode()).fetchall()

            return session.holder(run, 7, 2200)

        assert f"server process {here.info.backend_pid}" in holder(there) + holder(here)
        assert holder(there) == "it has just finished"
    server.drop("lock_here")
    server.drop("lock_there")

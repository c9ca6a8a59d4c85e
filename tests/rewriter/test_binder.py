"""The engine as judge: what it does not bind to the same columns is not rewritten."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import psycopg
import pytest
import sqlalchemy as sa

from tests import postgres
from tzconv import engines, refresh, rewriter
from tzconv.engines.duckdb import bind
from tzconv.engines.duckdb.alchemy import ALCHEMY
from tzconv.engines.postgres import query
from tzconv.sql.binder import BoundColumns, NotBoundError
from tzconv.sqlalchemy import Decision, rewrite_queries

TYPES = {"events": {"id": "integer", "ts": "timestamp", "tz": "varchar"}}
SITE = "ts AT TIME ZONE 'UTC' AT TIME ZONE tz"
QUERY = f"SELECT {SITE} AS t FROM events"


def refusing(word: str, *, is_syntax: bool = False) -> Callable[[str], BoundColumns]:
    """An engine that refuses each text with a word in it."""

    def bind(sql: str) -> BoundColumns:
        if word in sql:
            raise NotBoundError(f"no {word}", is_syntax=is_syntax)
        return (("t", "timestamp"),)

    return bind


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_what_would_not_bind_is_left(dialect: str) -> None:
    bind = refusing("tzconv_1")
    result = rewriter.rewrite(f"SELECT 1; {QUERY}", dialect=dialect, schema=TYPES, bind=bind)
    assert result.sql == f"SELECT 1; {QUERY}"
    [left] = result.left
    assert left.reason == "the engine refuses the rewritten statement: no tzconv_1"
    assert (left.line, left.column, left.text) == (1, 18, SITE)


def test_other_columns_are_left() -> None:
    def bind(sql: str) -> BoundColumns:
        return (("t", "timestamp"), ("u", "date")) if "tzconv_1" in sql else (("t", "timestamp"),)

    [left] = rewriter.rewrite(f"{QUERY}; -- a note", schema=TYPES, bind=bind).left
    assert left.reason == "a column of the rewritten statement would be u date, not none"


def test_a_text_that_the_engine_cannot_read_is_left() -> None:
    bind = refusing("events", is_syntax=True)
    [left] = rewriter.rewrite(QUERY, schema=TYPES, bind=bind).left
    assert left.reason == "the engine refuses the statement: no events"
    # but a mark may be the driver's
    assert rewriter.rewrite(f"{QUERY} WHERE id = :id", schema=TYPES, bind=bind).changes


def test_of_a_statement_that_does_not_bind_nothing_is_known() -> None:
    assert rewriter.rewrite(QUERY, schema=TYPES, bind=refusing("events")).changes
    unknown = f"SELECT {SITE} AS t FROM events JOIN missing m ON m.id = events.id"
    assert rewriter.rewrite(unknown, schema=TYPES).changes
    odd = {"events": {**TYPES["events"], "mood": "a_type_of_the_users"}}
    assert rewriter.rewrite(QUERY, schema=odd).changes


def test_a_table_without_data_is_judged_by_its_query() -> None:
    for text in (QUERY, f"({QUERY}) UNION ALL ({QUERY})", f"{QUERY} WITH NO DATA"):
        assert rewriter.rewrite(f"CREATE TABLE made AS {text}", schema=TYPES).changes


def test_one_statement_is_judged_without_the_others() -> None:
    other = QUERY.replace("events", "logs")
    types = TYPES | {"logs": TYPES["events"]}
    text = f"{QUERY};\n{other};\n"
    result = rewriter.rewrite(text, schema=types, bind=refusing("logs LEFT"))
    assert len(rewriter.rewrite(text, schema=types).changes) == 2 * len(result.changes) > 0
    assert result.sql.endswith(f";\n{other};\n")


def test_tables_of_ours_that_are_others() -> None:
    types = TYPES | {"time_zone_conversion_zone": {"x": "integer"}}
    [left] = rewriter.rewrite(QUERY, schema=types).left
    assert "does not have a column named" in left.reason


@pytest.mark.parametrize(
    ("statement", "columns"),
    [
        ("SELECT id, ts FROM events", (("id", "INTEGER"), ("ts", "TIMESTAMP"))),
        ("SELECT id AS a, a FROM (SELECT id, $1 AS a FROM events WHERE id = $id)", None),
        ("SELECT ?::DATE AS d", (("d", "DATE"),)),
        ("INSERT INTO events SELECT * FROM events", ()),
        ("CREATE TABLE other AS SELECT * FROM events", ()),
        ("FROM events", (("id", "INTEGER"), ("ts", "TIMESTAMP"), ("tz", "VARCHAR"))),
        ("SELECT range FROM range(1000000000000)", (("range", "BIGINT"),)),
        ("SELECT nothing FROM events", None),
        ("SELECT 1; SELECT 2", None),
        ("DROP TABLE events", None),
        ("SELEC 1", None),
    ],
)
def test_binding_in_memory(statement: str, columns: BoundColumns | None) -> None:
    asked = bind.bind_in_memory(TYPES, None, ["events"])
    if columns is not None:
        assert asked(statement) == columns
        return
    with pytest.raises(NotBoundError) as refused:
        asked(statement)
    assert refused.value.is_syntax == (statement == "SELEC 1")
    assert asked("SELECT id FROM events") == (("id", "INTEGER"),)  # nothing is left behind


def test_nothing_is_run(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/own.duckdb"
    with engines.connect(url) as backend:
        pass
    with duckdb.connect(f"{tmp_path}/own.duckdb") as own:
        own.execute("CREATE TABLE events (id integer)")
        bind.bind(own, "INSERT INTO events VALUES (1)")
        assert own.execute("SELECT count(*) FROM events").fetchone() == (0,)
    with engines.connect(url) as backend:
        assert backend.bind("SELECT id FROM events") == (("id", "INTEGER"),)
        assert backend.bind("CREATE TABLE x AS SELECT 1") == ()
        with pytest.raises(NotBoundError):
            backend.bind("SELECT * FROM x")


def test_postgres_prepares_and_runs_nothing(server: postgres.Server) -> None:
    url = server.fresh("binder")
    with server.connect("binder") as own:
        own.execute("CREATE TABLE events (id integer, ts timestamp(3), tz varchar(30))")
    with engines.connect(url) as backend:
        columns = (("id", "int4"), ("ts", "timestamp(3)"), ("tz", "varchar(30)"))
        assert backend.bind("SELECT * FROM events WHERE id = $1") == columns
        assert backend.bind("INSERT INTO events SELECT * FROM events") == ()
        for statement in ("SELECT nothing", "SELECT 1; SELECT 2", "SELEC 1", "SELECT :a"):
            with pytest.raises(NotBoundError):
                backend.bind(statement)
        assert backend.bind("SELECT id FROM events") == columns[:1]


@pytest.mark.parametrize("autocommit", [True, False])
def test_a_transaction_of_postgres_goes_on(server: postgres.Server, autocommit: bool) -> None:
    server.fresh("binder")
    with psycopg.connect(
        host=str(server.folder), user="postgres", dbname="binder", autocommit=autocommit
    ) as own:
        own.execute("CREATE TEMP TABLE events (id integer)")
        with pytest.raises(NotBoundError):
            query.bind(own.pgconn, "SELECT missing FROM events")
        assert query.bind(own.pgconn, "SELECT id FROM events") == (("id", "int4"),)
        assert own.execute("SELECT count(*) FROM events").fetchone() == (0,)
        with own.pipeline(), pytest.raises(NotBoundError, match="pipeline"):
            query.bind(own.pgconn, "SELECT id FROM events")


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_the_hook_asks_the_database(dialect: str, server: postgres.Server, tmp_path: Path) -> None:
    """What would fail because somebody has altered a table of ours runs as it was written."""
    url = f"duckdb:///{tmp_path}/hook.duckdb" if dialect == "duckdb" else server.fresh("binder")
    refresh(url, zones=["UTC", "Asia/Kolkata"])
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE events (id int, ts timestamp, tz varchar(40))")
        connection.exec_driver_sql(
            "INSERT INTO events VALUES (1, '2026-01-01 00:00:00', 'Asia/Kolkata')"
        )
    told: list[Decision] = []
    strategy = "period" if dialect == "duckdb" else "array"
    rewriting = rewrite_queries(engine, strategy=strategy, on_decision=told.append)
    with engine.connect() as connection:
        before = connection.exec_driver_sql(QUERY).one()
    column = "rules_id" if dialect == "duckdb" else "utc_offsets"
    other = sa.create_engine(url)
    with other.begin() as connection:
        connection.exec_driver_sql(
            f"ALTER TABLE time_zone_conversion_zone RENAME {column} TO renamed"
        )
    other.dispose()
    with engine.connect() as connection:
        assert connection.exec_driver_sql(f"{QUERY} WHERE id = 1").one() == before
    rewriting.disable()
    engine.dispose()
    right, wrong = told
    assert right.rewritten is not None
    assert wrong.rewritten is None
    assert "refuses the rewritten statement" in wrong.left[0].reason


def test_a_session_that_takes_any_row_of_a_subquery(tmp_path: Path) -> None:
    driver = duckdb.connect(tmp_path / "a.duckdb")
    driver.execute("CREATE TABLE events (id integer, ts timestamp, tz varchar)")
    nested = f"SELECT ({QUERY}) AS t"
    for setting in ("true", "false"):
        driver.execute(f"SET scalar_subquery_error_on_multiple_rows = {setting}")
        ask = ALCHEMY(driver, list).bind()
        for sql in (nested, QUERY):  # the inner join of periods has subqueries, too
            [left] = rewriter.rewrite(sql, schema=TYPES, bind=ask).left
            # without the setting, the engine only lacks the conversion tables
            assert ("scalar_subquery_error_on_multiple_rows" in left.reason) is (setting == "false")
    driver.close()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as Python handles it, whatever ran in this process before."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before or signal.default_int_handler)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_duckdb_binds() -> None:
    """DuckDB makes an error of its own of some; the next statement binds all the same."""
    asked = bind.bind_in_memory(TYPES, None, ["events"])

    def bind_until_interrupted() -> None:
        for _ in range(20):  # Python drops one that comes while it frees an object
            threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
            until = time.monotonic() + 1
            while time.monotonic() < until:
                asked(QUERY)

    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            bind_until_interrupted()
        with contextlib.suppress(NotBoundError):  # what was interrupted may still be open
            asked(QUERY)
        assert asked(QUERY) == (("t", "TIMESTAMP"),)


VARIABLES = [
    ("p_from timestamptz DEFAULT now()", "ts >= p_from::timestamp", True),
    ("IN p_limit numeric(12, 2)", "(id > p_limit) AND id < v_n", True),
    ("p_row events", "ts >= p_row.ts", False),
    ("p_name pg_class.relname%TYPE", "tz = p_name", False),
    ("n int", "id IN (SELECT r.id)", False),
]


def test_variables_are_nulls_of_their_types(server: postgres.Server) -> None:
    """Or the reason of the change says that it was not checked."""
    url = server.fresh("variables")
    refresh(url, zones=("UTC", "Asia/Tokyo"))
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE events (id integer, ts timestamp, tz varchar)")
        for argument, condition, is_checked in VARIABLES:
            asked: list[str] = []

            def bind(sql: str, asked: list[str] = asked) -> BoundColumns:
                found = query.bind(connection.pgconn, sql)
                asked.append(sql)
                return found

            sql = (
                f"CREATE FUNCTION f({argument}) RETURNS SETOF timestamp LANGUAGE plpgsql AS $$\n"
                f"DECLARE v_n CONSTANT integer := 3; r record;\nBEGIN\n"
                f"RETURN QUERY SELECT {SITE} AS t FROM events WHERE {condition};\nEND $$"
            )
            result = rewriter.rewrite(sql, dialect="postgres", schema=TYPES, bind=bind)
            assert result.changes
            connection.execute(result.sql)
            assert bool(asked) == is_checked, condition
            assert all(("not checked" in one.reason) != is_checked for one in result.changes)
            refused = rewriter.rewrite(
                sql, dialect="postgres", schema=TYPES, bind=refusing("tzconv_1")
            )
            assert [one.code for one in refused.left] == ["engine-refuses"]


@pytest.mark.not_core
@pytest.mark.parametrize("read", ["'{0}'", "read_csv('{0}')", "glob('{0}')", "read_text('{0}')"])
def test_a_text_that_is_only_read_opens_no_file(tmp_path: Path, read: str) -> None:
    file = tmp_path / "events.csv"
    file.write_text("id,n\n1,2\n", encoding="utf-8")
    sql = f"SELECT e.*, {SITE} AS t FROM events CROSS JOIN {read.format(file)} AS e"
    asked = bind.bind_in_memory(TYPES, None, ["events"])
    with pytest.raises(NotBoundError, match="disabled by configuration"):
        asked(sql)
    with duckdb.connect() as connection:
        assert connection.execute(f"SELECT * FROM {read.format(file)}").fetchall()  # it is there
    assert rewriter.rewrite(sql, schema=TYPES).changes

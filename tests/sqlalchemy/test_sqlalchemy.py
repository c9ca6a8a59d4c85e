"""Rewriting for a SQLAlchemy engine: what a caller gets is what the original query returns."""

from __future__ import annotations

import asyncio
import datetime as dt
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, aliased, mapped_column

from tests import events, events_postgres, postgres
from tests.corpora import in_turn
from tests.sqlalchemy import reports
from tzconv.engines.duckdb import alchemy as of_duckdb
from tzconv.engines.duckdb.write import DuckDBWriter
from tzconv.engines.postgres import alchemy as of_postgres
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.errors import DatabaseError, RewriteError
from tzconv.refresher import refresh
from tzconv.rewriter import Rewrite
from tzconv.sqlalchemy import (
    Decision,
    Shadowed,
    decide,
    include_name,
    local_time,
    new_time,
    rewrite_queries,
    tables,
)
from tzconv.sqlalchemy import catalog as _catalog
from tzconv.sqlalchemy import look as _look
from tzconv.sqlalchemy import lookup as _lookup

# Python has no infinite timestamps
_FINITE = "DELETE FROM actions WHERE NOT isfinite(action_event_time)"


@pytest.fixture(autouse=True)
def _as_if_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The few thousand events of these tests stand for millions."""
    for engine in (DuckDBWriter, PostgresWriter):
        monkeypatch.setattr(engine, "fewest_rows", 0)


@pytest.fixture(scope="module")
def urls(server: postgres.Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A loaded database of each kind."""
    path = tmp_path_factory.mktemp("events") / "events.duckdb"
    with events.connect() as connection:
        connection.execute(_FINITE)
        connection.execute(f"ATTACH '{path}' AS file; COPY FROM DATABASE memory TO file")
    url = server.loaded(events_postgres.load)
    with events_postgres.connect(url) as connection:
        connection.execute(_FINITE)
    return {"duckdb": f"duckdb:///{path}", "postgres": url}


@pytest.fixture(params=["duckdb", "postgres"])
def engine(request: pytest.FixtureRequest, urls: dict[str, str]) -> Iterator[sa.Engine]:
    made = sa.create_engine(urls[request.param])
    if request.param == "duckdb":
        sa.event.listen(made, "connect", lambda raw, _: raw.execute("SET TimeZone = 'UTC'"))
    yield made
    made.dispose()


def outcome(connection: sa.Connection, statement: Any, parameters: dict[str, Any]) -> object:
    result = connection.execute(statement, parameters)
    return list(result.keys()), Counter(map(repr, result.all()))


def original(connection: sa.Connection, statement: Any, parameters: dict[str, Any]) -> object:
    """The same of the statement as it was written."""
    result = connection.execute(statement, parameters, execution_options={"tzconv": False})
    return list(result.keys()), Counter(map(repr, result.all()))


REWRITTEN = set(reports.ALL) - {"no_conversion"}


@pytest.mark.parametrize("name", reports.ALL)
def test_ten_reports_return_the_same(engine: sa.Engine, name: str) -> None:
    decisions: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=decisions.append)
    statement, parameters = reports.ALL[name]()
    # in one transaction NOW() is the same for both
    with engine.connect() as connection:
        rewritten = outcome(connection, statement, parameters)
        again = outcome(connection, statement, parameters)
        expected = original(connection, statement, parameters)
    rewriting.disable()
    assert rewritten == expected
    assert again == expected
    told = [decision for decision in decisions if decision.rewritten is not None]
    assert [decision.error for decision in decisions if decision.error] == []
    assert len(told) == (1 if name in REWRITTEN else 0), decisions


def test_an_engine_is_rewritten_once(engine: sa.Engine) -> None:
    rewriting = rewrite_queries(engine)
    with pytest.raises(DatabaseError, match=r"rewritten already: .* call its disable\(\) first"):
        rewrite_queries(engine)
    with pytest.raises(DatabaseError, match="rewritten already"):
        rewrite_queries(engine.execution_options(tzconv=True))
    rewriting.disable()
    rewrite_queries(engine).disable()


def test_tables_that_are_made_later_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"duckdb:///{tmp_path}/events.duckdb"
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    statement = sa.text("SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS local FROM events")
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE events AS SELECT TIMESTAMP '2026-01-01 12:00' AS seen, "
            "'Asia/Tokyo' AS zone"
        )
    rewriting = rewrite_queries(engine)
    caplog.set_level("INFO", "tzconv.sqlalchemy")
    clock = [0.0]
    monkeypatch.setattr(rewriting, "_clock", lambda: clock[0])
    with pytest.warns(RuntimeWarning, match="run tzconv refresh"), engine.connect() as connection:
        assert connection.execute(statement).scalar() == dt.datetime(2026, 1, 1, 21)
    assert [one.rewritten for one in rewriting.decisions] == [None]
    refresh(url, zones="Asia/Tokyo")
    clock[0] = 61.0  # it looks once a minute
    with engine.connect() as connection:
        assert connection.execute(statement).scalar() == dt.datetime(2026, 1, 1, 21)
    [decision] = rewriting.decisions
    rewriting.disable()
    assert decision.changes
    before, after = (one.getMessage() for one in caplog.records if one.levelname == "INFO")
    assert before.startswith("runs as it was written (left: the table time_zone_conversion_zone is")
    assert after.startswith(f"runs rewritten ({decision.changes[0].strategy}: ")


def test_schemas_are_translated_first(engine: sa.Engine) -> None:
    """SQLAlchemy writes the schema of a tenant into the text before it is rewritten."""
    schema = "main" if engine.dialect.name == "duckdb" else "public"
    columns = [sa.Column("action_event_time", sa.TIMESTAMP())]
    actions = sa.Table("actions", sa.MetaData(), *columns, schema="tenant")
    hours = sa.func.date_trunc("hour", local_time(actions.c.action_event_time, "Asia/Kolkata"))
    statement = sa.select(hours.label("hour"), sa.func.count()).group_by("hour")
    rewriting = rewrite_queries(engine)
    options = {"schema_translate_map": {"tenant": schema}}
    with engine.connect().execution_options(**options) as connection:
        assert outcome(connection, statement, {}) == original(connection, statement, {})
    [decision] = rewriting.decisions
    rewriting.disable()
    assert decision.changes
    assert f"{schema}.actions" in decision.statement


def test_alembic_leaves_the_tables_alone(urls: dict[str, str]) -> None:
    """`alembic revision --autogenerate` would drop tables that the MetaData does not have."""

    engine = sa.create_engine(urls["postgres"])  # Alembic does not know DuckDB

    def drops(**options: Any) -> set[str]:
        with engine.connect() as connection:
            context = MigrationContext.configure(connection, opts=options)
            found = compare_metadata(context, sa.MetaData())
        return {change[1].name for change in found if change[0] == "remove_table"}

    everything, others = drops(), drops(include_name=include_name)
    ours = {name for name in everything if name.startswith("time_zone_")}
    assert "time_zone_conversion_zone" in ours
    assert everything - others == ours
    engine.dispose()


NOW = "SELECT count(*) FROM logs WHERE NOW() - log_time < INTERVAL '1 day'"
LOCAL = "SELECT a.seen AT TIME ZONE 'Asia/Kolkata' AS local FROM actions a WHERE a.n = :n"


def running(engine: sa.Engine) -> list[str]:
    """What reaches the driver, in order: this listener comes after the one of the hook."""
    texts: list[str] = []

    def note(*arguments: Any) -> None:
        texts.append(arguments[2])

    sa.event.listen(engine, "before_cursor_execute", note)
    return texts


def test_what_is_left_alone(engine: sa.Engine) -> None:
    rewriting = rewrite_queries(engine)
    texts = running(engine)
    with engine.begin() as connection:
        connection.execute(sa.text(NOW))
        connection.execute(sa.text(NOW).execution_options(tzconv=False))
        connection.execute(sa.text(f"CREATE TEMP TABLE kept AS {NOW}"))
        connection.execute(sa.text("SELECT 1"))
        # not understood by the parser, but by the database
        connection.execute(sa.text('SELECT count(*) AS "{{ now }}" FROM logs'))
    rewriting.disable()
    rewriting.disable()
    with engine.connect() as connection:
        connection.execute(sa.text(NOW))
    assert "AS TIMESTAMP)" in texts[0]
    assert texts[1:] == [
        NOW,
        f"CREATE TEMP TABLE kept AS {NOW}",
        "SELECT 1",
        'SELECT count(*) AS "{{ now }}" FROM logs',
        NOW,
    ]


def test_several_values_of_a_zone_parameter(engine: sa.Engine) -> None:
    decisions: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=decisions.append)
    statement = sa.text("SELECT seen AT TIME ZONE :zone AS local FROM actions WHERE n = :n")
    with engine.connect() as connection:
        for zone in ("Asia/Kolkata", "America/St_Johns", "asia/kolkata", "UTC", "Asia/Kolkata"):
            for n in (1, 2):
                given = {"zone": zone, "n": n}
                assert outcome(connection, statement, given) == original(
                    connection, statement, given
                )
    rewriting.disable()
    assert [decision.rewritten is not None for decision in decisions] == [True, True, True, False]


_BOUNDED = """
    SELECT a.{column} AT TIME ZONE {utc} p.time_zone_name AS local, p.id
    FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
    WHERE a.n IN (1, 4) AND a.{column} {comparison}
    """
_UTC = dt.UTC
_NEW_YORK = ZoneInfo("America/New_York")
_TIMES: list[tuple[Any, Any]] = [
    (dt.datetime(2017, 2, 1), dt.datetime(2017, 3, 31, 23, 59, 59, 999_999)),
    (dt.datetime(2017, 1, 9), dt.datetime(2017, 1, 10)),  # the same quarter again
    (dt.datetime(2017, 3, 31, 23, 59, 59), dt.datetime(2017, 4, 1)),
    (dt.date(2016, 10, 1), dt.date(2017, 4, 1)),
    (dt.datetime(2017, 12, 31), dt.datetime(2017, 1, 1)),
    (dt.datetime(1850, 1, 1), dt.datetime(2150, 1, 1)),
    (dt.datetime(2190, 1, 1), dt.datetime(9999, 12, 31)),
    (None, dt.datetime(2017, 4, 1)),
    (dt.datetime(2017, 2, 1, tzinfo=_UTC), dt.datetime(2017, 3, 31, tzinfo=_NEW_YORK)),
    (dt.datetime(2016, 11, 6, 1, 30, fold=1, tzinfo=_NEW_YORK), dt.datetime(2016, 12, 31)),
    (dt.datetime(2017, 1, 1, tzinfo=_UTC), dt.datetime.max.replace(tzinfo=_NEW_YORK)),
]


@pytest.mark.parametrize("column", ["action_event_time", "seen"])
@pytest.mark.parametrize(
    "comparison",
    [
        ">= :since AND a.{column} < :before",
        "BETWEEN :since AND :before",
        "> CAST(:since AS {type}) AND a.{column} <= CAST(:before AS {type})",
        ">= CAST(:since AS date) AND (a.{column} < :before OR a.{column} = :since)",
    ],
)
def test_times_in_parameters(engine: sa.Engine, column: str, comparison: str) -> None:
    """They bound the query, and the next times in the same text are not those of the first."""
    kind = "timestamptz" if column == "seen" else "timestamp"
    text = _BOUNDED.format(
        column=column,
        utc="" if column == "seen" else "'UTC' AT TIME ZONE",
        comparison=comparison.format(column=column, type=kind),
    )
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=told.append)
    found = 0
    for zone in ("UTC", "America/New_York"):  # a date or a naive time may mean another instant
        with engine.connect() as connection:
            connection.exec_driver_sql(f"SET TimeZone = '{zone}'")
            for since, before in _TIMES if zone == "UTC" else in_turn(_TIMES, 0):
                given = {"since": since, "before": before}
                try:
                    expected: Any = original(connection, sa.text(text), given)
                except sa.exc.DBAPIError:  # not every database compares all of these
                    connection.rollback()
                    connection.exec_driver_sql(f"SET TimeZone = '{zone}'")
                    continue
                assert outcome(connection, sa.text(text), given) == expected, given
                found += expected[1].total() > 0
            connection.rollback()
    rewriting.disable()
    assert found >= 6
    assert [decision.error for decision in told if decision.error] == []
    used = {change.strategy for one in told for change in one.changes}
    if engine.dialect.name == "duckdb":
        # a TIMESTAMPTZ compared with a date depends on the zone of the session
        assert ("columns" in used) == (column != "seen" or "AS date" not in comparison)
    else:  # which needs no bounds
        assert used == {"array"}
    # for each zone of a session; two of them lie in the same quarters
    assert len(told) <= 2 * (len(_TIMES) - 1)


def test_times_that_decide_nothing_are_decided_once(engine: sa.Engine) -> None:
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=told.append)
    text = sa.text(
        "SELECT count(*) FROM actions WHERE action_event_time < :before AND now() IS NOT NULL"
    )
    with engine.connect() as connection:
        for year in range(2000, 2040):
            given = {"before": dt.datetime(year, 5, 1)}
            assert outcome(connection, text, given) == original(connection, text, given)
    rewriting.disable()
    assert len(told) == 1
    assert rewriting.remembered == 1


def test_parameters_of_the_driver(engine: sa.Engine) -> None:
    """Statements that SQLAlchemy hands through, in every form that the driver takes."""
    forms: list[tuple[str, Any]]
    if engine.dialect.name == "duckdb":
        forms = [("?", (2, 4)), ("$1", (2,)), ("$n", {"n": 2})]
    else:
        forms = [("%s", (2, 4)), ("%(n)s", {"n": 2, "unused": 1}), ("%(n)s::int", {"n": 2})]
    rewriting = rewrite_queries(engine)
    texts = running(engine)
    with engine.connect() as connection:
        for mark, parameters in forms:
            second = mark if len(parameters) == 1 or isinstance(parameters, dict) else "4"
            given = parameters if second == mark else parameters[:1]
            sql = (
                f"SELECT date_trunc('day', seen AT TIME ZONE 'Asia/Kolkata') AS day, 'a?$1' AS q "
                f"FROM actions WHERE n IN ({mark}, {second}) -- ?"
            )
            options: list[dict[str, Any]] = [{}, {"tzconv": False}]
            rows = [
                Counter(map(repr, connection.exec_driver_sql(sql, given, one).all()))
                for one in options
            ]
            assert rows[0] == rows[1]
            assert texts[-2] != texts[-1] == sql
            assert rows[0]
    rewriting.disable()


def test_the_zone_of_the_session_decides(engine: sa.Engine) -> None:
    """NOW() compared with a TIMESTAMP is rewritten only where the session's zone is fixed."""
    rewriting = rewrite_queries(engine)
    texts = running(engine)
    with engine.connect() as connection:
        for zone in ("UTC", "America/New_York", "Etc/GMT+5", "America/New_York"):
            connection.exec_driver_sql(f"SET TimeZone = '{zone}'")
            rewritten = outcome(connection, sa.text(NOW), {})
            assert rewritten == original(connection, sa.text(NOW), {})
            assert (texts[-2] == NOW) == (zone == "America/New_York")
    rewriting.disable()


def test_an_index_is_searched_for_a_known_now(engine: sa.Engine) -> None:
    """PostgreSQL's planner knows NOW(), and the hook's plan is for one set of parameters."""
    decisions: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=decisions.append)
    with engine.connect() as connection:
        for more in ("", " AND level > :level"):
            query = sa.text(f"SELECT 1 FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'{more}")
            assert outcome(connection, query, {"level": 0}) == original(
                connection, query, {"level": 0}
            )
    rewriting.disable()
    codes = ["loses-estimate"] if engine.dialect.name == "postgresql" else []
    assert [[left.code for left in one.left] for one in decisions] == [codes, codes]


def test_a_text_is_made_for_the_zone_of_its_session(engine: sa.Engine) -> None:
    """CURRENT_DATE as a bound is midnight of the session: what it bounds is not that of another."""
    query = sa.text(
        "SELECT a.seen AT TIME ZONE 'America/New_York' AS local FROM actions a "
        "WHERE a.seen >= CURRENT_DATE - 4000 AND a.seen < CURRENT_DATE - 100"
    )
    decisions: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=decisions.append)
    zones = ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"]
    with engine.connect() as connection:
        for zone in zones:
            connection.exec_driver_sql(f"SET TimeZone = '{zone}'")
            assert outcome(connection, query, {}) == original(connection, query, {})
    rewriting.disable()
    made = [one for one in decisions if one.statement == str(query)]
    assert len(made) == len(set(zones))
    assert any(one.rewritten for one in made)


def test_a_failure_inside_never_reaches_the_caller(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **named: object) -> None:
        raise ZeroDivisionError("inside")

    expected = [(1,)]
    monkeypatch.setattr("tzconv.rewriter.rewrite", fail)
    rewriting = rewrite_queries(engine)
    with engine.connect() as connection:
        with pytest.warns(RuntimeWarning, match="not rewritten: ZeroDivisionError: inside"):
            assert connection.execute(sa.text("SELECT 1 WHERE now() IS NOT NULL")).all() == expected
        # said once; and as an error it would be raised here
        assert (
            connection.execute(sa.text("SELECT 1 AS too WHERE now() IS NOT NULL")).all() == expected
        )
    rewriting.disable()
    monkeypatch.undo()
    told: list[Decision] = []
    # even where warnings are errors
    if rewriting.dialect == "postgres":  # the transaction of the caller goes on
        monkeypatch.setattr(of_postgres, "COLUMNS", "SELECT nonsense")
    else:
        monkeypatch.setattr(_catalog.Session, "column_types", fail)
    rewriting = rewrite_queries(engine, on_decision=told.append)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT 1 WHERE now() IS NOT NULL")).all() == expected
        assert connection.execute(sa.text("SELECT 1 WHERE now() IS NOT NULL")).all() == expected
    rewriting.disable()
    assert told == []


def test_tables_that_are_not_loaded(tmp_path: Path, server: postgres.Server) -> None:
    urls = [f"duckdb:///{tmp_path}/empty.duckdb", server.fresh("empty")]
    sql = sa.text("SELECT (seen AT TIME ZONE 'UTC' AT TIME ZONE zone)::date AS day FROM t")
    for url in urls:
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE t (seen timestamp, zone text)")
            connection.exec_driver_sql(
                "INSERT INTO t VALUES (TIMESTAMP '2026-01-01', 'Asia/Tokyo')"
            )
        rewriting = rewrite_queries(engine)
        with engine.connect() as connection:
            with pytest.warns(RuntimeWarning, match="no conversion tables .* run tzconv refresh"):
                rows = connection.execute(sql).all()
            assert [str(row.day)[:10] for row in rows] == ["2026-01-01"]
        rewriting.disable()
        engine.dispose()
    server.drop("empty")


def test_ddl_through_the_engine_is_noticed(tmp_path: Path, server: postgres.Server) -> None:
    """A column of another type means another thing, and the next query must know it."""
    sql = sa.text("SELECT seen AT TIME ZONE 'Asia/Kolkata' AS converted FROM t")
    for url in (f"duckdb:///{tmp_path}/t.duckdb", server.fresh("altered")):
        engine = sa.create_engine(url)
        rewriting = rewrite_queries(engine)
        for kind in ("timestamptz", "timestamp"):
            with engine.begin() as connection:
                connection.exec_driver_sql("DROP TABLE IF EXISTS t")
                connection.exec_driver_sql(f"CREATE TABLE t (seen {kind})")
                connection.exec_driver_sql("INSERT INTO t VALUES ('2026-01-01 12:00:00')")
            cast = sa.text(f"SELECT converted::text FROM ({sql}) q")
            with engine.connect() as connection:
                assert outcome(connection, cast, {}) == original(connection, cast, {})
                connection.exec_driver_sql("ALTER TABLE t ALTER seen TYPE date")
                assert outcome(connection, cast, {}) == original(connection, cast, {})
                connection.rollback()
                assert outcome(connection, cast, {}) == original(connection, cast, {})
        rewriting.disable()
        engine.dispose()
    server.drop("altered")


def test_types_that_are_given(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Declared types win over those of the database, and serve where those are not known."""
    kept = "SELECT table_schema, table_name, 'x', 'x', true FROM information_schema.tables"
    for catalog in (of_duckdb, of_postgres):
        monkeypatch.setattr(catalog, "COLUMNS", kept)
    query = sa.text(LOCAL)
    schemas: list[Any] = [reports.metadata, {"actions": {"seen": "timestamptz"}}, None]
    told: list[Decision] = []
    for schema in schemas:
        rewriting = rewrite_queries(engine, schema=schema, on_decision=told.append)
        with engine.connect() as connection:
            assert outcome(connection, query, {"n": 1}) == original(connection, query, {"n": 1})
        rewriting.disable()
    assert [decision.rewritten is not None for decision in told] == [True, True, False]
    assert "a.seen is not known" in told[2].left[0].reason


def test_sixteen_threads(engine: sa.Engine) -> None:
    pooled = sa.create_engine(engine.url, pool_size=16)
    told: list[Decision] = []
    with pooled.connect() as connection:
        expected = {n: outcome(connection, sa.text(LOCAL), {"n": n}) for n in range(4)}
    rewriting = rewrite_queries(pooled, on_decision=told.append)

    def work(number: int) -> int:
        with pooled.connect() as connection:
            for n in range(4):
                assert outcome(connection, sa.text(LOCAL), {"n": n}) == expected[n]
                text = sa.text(f"SELECT {number % 4} AS n{n}, now()")
                assert connection.execute(text).scalar() == number % 4
        return number

    with ThreadPoolExecutor(16) as threads:
        assert sorted(threads.map(work, range(32))) == list(range(32))
    rewriting.disable()
    pooled.dispose()
    # each text was decided once, whichever thread came first; and then both forms were timed
    told = [decision for decision in told if decision.timings is None]
    assert len(told) == len({decision.statement for decision in told}) == 1 + 16


def test_statements_without_end(engine: sa.Engine) -> None:
    """Thousands of texts leave no more behind than the cache holds."""
    rewriting = rewrite_queries(engine, cache_size=50)
    with engine.connect() as connection:
        connection.execute(sa.text(LOCAL), {"n": 1})
        context = SimpleNamespace(execution_options={})
        listener: Any = rewriting._before
        tracemalloc.start()
        sizes = []
        for number in range(30_000):
            # most statements of an application have nothing to do with time
            text = f"SELECT {number} AS {'now' if number % 500 == 0 else 'id'}"
            assert listener(connection, None, text, {}, context, False)[0] == text
            if number in (6_000, 29_999):
                sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    rewriting.disable()
    assert rewriting.remembered <= 50
    assert len(rewriting._statements) == 50
    assert sizes[1] - sizes[0] < 300_000


@pytest.mark.parametrize("bounded", [False, True])
def test_a_known_statement_costs_next_to_nothing(engine: sa.Engine, bounded: bool) -> None:
    rewriting = rewrite_queries(engine, measure=False)  # which would take each form in turn
    statement = "SELECT a.seen AT TIME ZONE 'Asia/Kolkata' AS local FROM actions a WHERE a.n = 1"
    given: dict[str, Any] = {}
    if bounded:
        statement += " AND a.seen BETWEEN {0}since{1} AND {0}before{1}".format(
            *(("$", "") if rewriting.dialect == "duckdb" else ("%(", ")s"))
        )
        given["since"] = dt.datetime(2026, 1, 1, tzinfo=_NEW_YORK)
        given["before"] = dt.datetime(2026, 2, 1, tzinfo=_UTC)
    listener: Any = rewriting._before
    context = SimpleNamespace(execution_options={})
    with engine.connect() as connection:

        def calls() -> int:
            """How many functions are called for the statement, those of C included."""
            done: Counter[str] = Counter()
            sys.setprofile(lambda frame, event, argument: done.update([event]))
            try:
                found = listener(connection, None, statement, given, context, False)
            finally:
                sys.setprofile(None)
            assert found[0] != statement
            return done["call"] + done["c_call"]

        decided = calls()
        known = {calls() for _ in range(100)}
    rewriting.disable()
    print(f"{known} calls, {decided} at first")
    assert max(known) < 100
    assert decided > 200 * max(known)


def test_async_engine(urls: dict[str, str]) -> None:
    async def run() -> None:
        engine = create_async_engine(urls["postgres"])
        told: list[Decision] = []
        rewriting = rewrite_queries(engine, on_decision=told.append)
        async with engine.connect() as connection:
            for report in reports.ALL.values():
                statement, parameters = report()
                outcomes = []
                for options in ({}, {"tzconv": False}):
                    found = await connection.execute(
                        statement, parameters, execution_options=options
                    )
                    outcomes.append((list(found.keys()), Counter(map(repr, found.all()))))
                assert outcomes[0] == outcomes[1]
        rewriting.disable()
        await engine.dispose()
        assert sum(decision.rewritten is not None for decision in told) == len(REWRITTEN)

    asyncio.run(run())


def test_async_tasks_do_not_wait_for_each_other(urls: dict[str, str]) -> None:
    """All of them come to a hook that knows nothing, and are the same thread."""

    async def run() -> None:
        engine = create_async_engine(urls["postgres"], pool_size=10)
        rewriting = rewrite_queries(engine)

        async def count(n: int) -> int:
            async with engine.connect() as connection:
                return len((await connection.execute(sa.text(LOCAL), {"n": n % 3})).all())

        async with asyncio.timeout(60):
            counts = await asyncio.gather(*(count(n) for n in range(30)))
        assert counts == counts[:3] * 10
        assert min(counts) > 0
        rewriting.disable()
        await engine.dispose()

    asyncio.run(run())


def test_async_shadow_mode(urls: dict[str, str]) -> None:
    found: list[Shadowed] = []

    async def run() -> None:
        engine = create_async_engine(urls["postgres"])
        rewriting = rewrite_queries(engine, shadow=1, on_shadow=found.append)
        async with engine.connect() as connection:
            await connection.execute(sa.text(LOCAL), {"n": 1})
        await asyncio.to_thread(rewriting.disable)
        await engine.dispose()

    asyncio.run(run())
    assert [(one.difference, one.failure) for one in found] == [(None, None)]


def test_shadow_mode(engine: sa.Engine) -> None:
    found: list[Shadowed] = []
    rewriting = rewrite_queries(engine, shadow=1, on_shadow=found.append)
    texts = running(engine)
    names = [name for name in reports.ALL if name != "no_conversion"]
    with engine.connect() as connection:
        for name in names:
            connection.execute(*reports.ALL[name]())
    rewriting.disable()
    assert not any("tzconv" in text or "make_timestamp" in text for text in texts)
    assert len(found) == len(names)
    for one in found:
        assert (one.difference, one.failure) == (None, None), one
        assert one.statement != one.rewritten
        assert one.seconds > 0
        assert one.rewritten_seconds > 0


def test_shadow_mode_tells_differences(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller gets what the original returns, whatever the rewritten query would."""
    texts = {
        "wrong rows": "SELECT a.seen AT TIME ZONE 'Asia/Tokyo' AS local FROM actions a "
        "WHERE a.n = 1",
        "other name": "SELECT a.seen AS localised FROM actions a WHERE a.n = 1",
        "an error": "SELECT a.seen / 0 AS local FROM actions a",
        "fewer rows": "SELECT a.seen AT TIME ZONE 'Asia/Kolkata' AS local FROM actions a "
        "WHERE a.n = 1 LIMIT 3",
    }
    said = {
        "wrong rows": "only in the original",
        "other name": "was named 'local' and is now named 'localised'",
        "an error": "the rewritten query fails",
        "fewer rows": "rows became 3",
    }
    query = sa.text(LOCAL.replace(":n", "1"))
    with engine.connect() as connection:
        expected = outcome(connection, query, {})
    for kind, text in texts.items():
        found: list[Shadowed] = []

        def rewritten(sql: str, *, text: str = text, **options: object) -> Rewrite:
            return Rewrite(text, (), ())

        monkeypatch.setattr("tzconv.rewriter.rewrite", rewritten)
        monkeypatch.setattr(decide, "typed", lambda alchemy, text, *rest: text)
        monkeypatch.setattr(decide, "_refuse_unbound", lambda *texts: None)
        rewriting = rewrite_queries(engine, shadow=1, on_shadow=found.append)
        with engine.connect() as connection:
            assert outcome(connection, query, {}) == expected
            # nothing happened to the transaction of the caller either
            assert outcome(connection, query, {}) == expected
        rewriting.disable()
        assert len(found) == 2
        assert said[kind] in str(found[0].difference), found
    logged = rewrite_queries(engine, shadow=1)
    with engine.connect() as connection:
        connection.execute(query)
    logged.disable()
    assert "rows became 3" in caplog.text


def test_shadow_mode_says_what_it_cannot_compare(
    engine: sa.Engine, caplog: pytest.LogCaptureFixture
) -> None:
    found: list[Shadowed] = []
    rewriting = rewrite_queries(engine, shadow=1, on_shadow=found.append, shadow_rows=10)
    sql = (
        "SELECT seen AT TIME ZONE 'Asia/Kolkata' AS local, random() AS r FROM actions "
        "ORDER BY seen LIMIT 5"
    )
    with engine.connect() as connection:
        connection.execute(sa.text(LOCAL), {"n": 1})
        connection.execute(sa.text(sql))
    rewriting.disable()
    assert [one.difference for one in found] == [None, None]
    assert "more than 10 rows" in str(found[0].failure)
    assert "other rows each time" in str(found[1].failure)
    logged = rewrite_queries(engine, shadow=1, shadow_rows=10)
    with engine.connect() as connection:
        connection.execute(sa.text(LOCAL), {"n": 1})
    logged.disable()
    assert "rewritten," not in caplog.text, "no difference is known"


def test_shadow_mode_says_whose_query_fails(engine: sa.Engine) -> None:
    """The caller gets the database's own error, and nothing is compared."""
    found: list[Shadowed] = []
    rewriting = rewrite_queries(engine, shadow=1, on_shadow=found.append)
    sql = "SELECT seen AT TIME ZONE 'Asia/Kolkata' AS local, CAST('x' AS INTEGER) AS n FROM actions"
    with engine.connect() as connection, pytest.raises(sa.exc.DBAPIError):
        connection.execute(sa.text(sql))
    rewriting.disable()
    assert [one.difference for one in found] == [None]
    assert str(found[0].failure).startswith("the original query fails, also without tzconv: ")


def test_wrong_arguments() -> None:
    with pytest.raises(DatabaseError, match="'sqlite' cannot be rewritten"):
        rewrite_queries(sa.create_engine("sqlite://"))
    duckdb = sa.create_engine("duckdb://")
    for wrong in (
        *({"shadow": 2}, {"shadow": -0.1}, {"cache_size": 0}, {"shadow_rows": 0}),
        *({"shadow": "all"}, {"cache_size": 1.5}, {"schema": {"t": 1}}, {"on_decision": 3}),
        *({"rules": "2026f"}, {"table_schema": 1}, {"strategy": 1}),
    ):
        with pytest.raises(DatabaseError):
            rewrite_queries(duckdb, **wrong)
    with pytest.raises(RewriteError, match="There is no strategy 'perod'"):
        rewrite_queries(duckdb, strategy="perod")
    with pytest.raises(DatabaseError, match="give an Engine or AsyncEngine"):
        rewrite_queries("duckdb://")  # type: ignore[arg-type]


def test_the_tables_can_be_joined_by_hand(engine: sa.Engine) -> None:
    offsets = tables().tables["time_zone_offset_conversion"]
    t = reports.actions.c.action_event_time
    covered = sa.and_(
        offsets.c.time_zone_name == "Asia/Kolkata",
        t >= offsets.c.starts_at_utc,
        t < offsets.c.ends_before_utc,
    )
    shifted = t + offsets.c.utc_offset_seconds * sa.literal_column("INTERVAL '1 second'")
    joined = sa.select(shifted.label("local")).select_from(reports.actions.join(offsets, covered))
    native = sa.select(local_time(t, "Asia/Kolkata").label("local")).where(
        t < sa.text("'2037-01-01'")
    )
    with engine.connect() as connection:
        one = outcome(connection, joined.where(t < sa.text("'2037-01-01'")), {})
        assert one == outcome(connection, native, {})


def test_constructs(engine: sa.Engine) -> None:
    """The same rows as the database's own words for them, rewritten or not."""
    t, seen = reports.actions.c.action_event_time, reports.actions.c.seen
    zone = reports.publishers.c.time_zone_name
    at = "action_event_time"
    pairs: list[tuple[Any, str]] = [
        (local_time(t, "Asia/Kolkata"), f"{at} AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata'"),
        (local_time(seen, "Asia/Kolkata"), "seen AT TIME ZONE 'Asia/Kolkata'"),
        (local_time(t, zone), f"{at} AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name"),
        (local_time(seen, zone), "seen AT TIME ZONE time_zone_name"),
        (
            new_time(t, "America/New_York", "UTC"),
            f"{at} AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC'",
        ),
        (new_time(t, "UTC", zone), f"{at} AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name"),
        (
            new_time(t + sa.text("INTERVAL '1 hour'"), "UTC", "Asia/Tokyo"),
            f"({at} + INTERVAL '1 hour') AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'",
        ),
    ]
    rewriting = rewrite_queries(engine)
    with engine.connect() as connection:
        for construct, text in pairs:
            select = sa.select(construct.label("local")).select_from(reports.joined)
            native = sa.text(
                f"SELECT {text} "
                "AS local FROM actions JOIN publishers ON action_publisher_id = publishers.id"
            )
            expected = original(connection, native, {})
            assert original(connection, select, {}) == expected
            assert outcome(connection, select, {}) == expected
    rewriting.disable()


def test_constructs_of_mapped_attributes() -> None:
    """Also of an alias, and of the zone."""

    class Base(DeclarativeBase):
        pass

    class Action(Base):
        __tablename__ = "actions"
        at: Mapped[dt.datetime] = mapped_column(sa.TIMESTAMP(), primary_key=True)
        zone: Mapped[str]

    other = aliased(Action, name="b")
    between = new_time(Action.at, Action.zone, other.zone)
    assert str(between) == "(actions.at AT TIME ZONE actions.zone AT TIME ZONE b.zone)"
    assert str(local_time(other.at, "Asia/Tokyo")) == (
        "(b.at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')"
    )


def test_constructs_on_vertica_and_elsewhere() -> None:
    class Vertica(DefaultDialect):
        name = "vertica"

    t, seen = reports.actions.c.action_event_time, reports.actions.c.seen
    texts = {
        new_time(t, "America/New_York", "UTC"): "new_time(actions.action_event_time, "
        "'America/New_York', 'UTC')",
        local_time(t, "it's"): "new_time(actions.action_event_time, 'UTC', 'it''s')",
        local_time(seen, "Asia/Tokyo"): "(actions.seen AT TIME ZONE 'Asia/Tokyo')",
        local_time(t, sa.bindparam("zone")): "new_time(actions.action_event_time, 'UTC', :zone)",
    }
    for construct, text in texts.items():
        assert str(construct.compile(dialect=Vertica())) == text
    utc = "actions.action_event_time AT TIME ZONE 'UTC'"
    assert f"({utc} AT TIME ZONE 'Asia/Tokyo')" in str(sa.select(local_time(t, "Asia/Tokyo")))
    with pytest.raises(RewriteError, match="is no column"):
        local_time("t", "UTC")  # type: ignore[arg-type]
    with pytest.raises(RewriteError, match="is no time zone"):
        local_time(t, 5)  # type: ignore[arg-type]
    with pytest.raises(sa.exc.CompileError):
        local_time(t, "UTC").compile(dialect=sqlite.dialect())
    with pytest.raises(RewriteError, match="use local_time"):
        new_time(seen, "UTC", "Asia/Tokyo")
    with pytest.raises(RewriteError, match="not declared as TIMESTAMP"):
        local_time(sa.column("x"), "UTC")
    with pytest.raises(RewriteError, match="not the name"):
        local_time(t, "a\\b")


BY_DAY = sa.text(
    "SELECT CAST(action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS date) AS d, "
    "count(*) AS n FROM actions GROUP BY 1"
)
"""Of a TIMESTAMPTZ it gives other days, in columns of the same types."""
_SWAPPED = "AS SELECT seen AS action_event_time FROM actions"


_TABLE, _COPY = "CREATE TEMP TABLE t (n int)", "CREATE TEMP TABLE t AS SELECT * FROM u"
_PATH, _ROLE, _AUTH = "SET search_path = a, b", "SET ROLE x", "SET SESSION AUTHORIZATION y"
_UNLESS = "CREATE TEMP TABLE IF NOT EXISTS t (n text)"
_LOCAL, _LASTING = (
    f"SELECT set_config('role', 'x', {one}), set_config('app.x', 'y', {other})"
    for one, other in (("true", "false"), ("false", "'t'::boolean"))
)
_VALUE = "CREATE TEMP TABLE t AS SELECT %s AS n"
_ZONED = (dt.datetime(2026, 1, 1, tzinfo=dt.UTC),)
_ROWS = "CREATE TEMP TABLE t AS SELECT n FROM (VALUES (1, 'a')) AS v (n, m) WHERE n IN (1)"
_MANY = "; ".join(f"ALTER TABLE u{n} ADD m{n} int" for n in range(60))
Steps: TypeAlias = list[str | tuple[str, object]]
SAME: list[tuple[Steps, Steps]] = [  # as PostgreSQL has it
    ([_PATH], ["SET schema = 'c'", _PATH]),
    ([_PATH], ["SET SESSION search_path = x", _PATH]),
    ([_TABLE], [f"DISCARD PLANS; /* of t */ {_TABLE}; -- ;"]),
    ([_ROLE, _TABLE], [_ROLE, "SAVEPOINT s", "DISCARD ALL", 'ROLLBACK TO "s"', _TABLE]),
    ([_ROLE, _PATH], [_ROLE, _PATH, _TABLE, "DISCARD TEMP"]),
    ([_ROLE, _PATH], [_ROLE, _PATH, "DISCARD PLANS"]),
    ([_ROLE], [_ROLE, _PATH, "RESET ALL"]),
    ([_AUTH], [_AUTH, _ROLE, "RESET ROLE"]),
    ([_AUTH], [_ROLE, _AUTH]),
    ([_LASTING], [_LASTING, "commit"]),
    ([_ROLE], [_ROLE, "SAVEPOINT s", "RESET ROLE", "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s"]),
    ([_ROLE, "commit"], [_ROLE, "commit", "RESET ROLE", "ROLLBACK TO unknown"]),
    ([_ROLE, "commit"], [_ROLE, "commit", _LOCAL, _MANY, "commit"]),
    ([_TABLE, _UNLESS], [_TABLE, _UNLESS, _UNLESS]),
    ([_ROWS], [_ROWS.replace("(1, 'a')", "(2, 'b'), (3, 'c')").replace("IN (1)", "IN (4, 5)")]),
    ([(_VALUE, (1,))], [(_VALUE, (2,))]),
]
OTHER: list[tuple[Steps, Steps]] = [
    ([_AUTH], [_AUTH, _ROLE]),
    ([_ROLE], [_ROLE, _AUTH]),
    ([_ROLE], ["SET ROLE y"]),
    ([_TABLE], ["CREATE TEMP TABLE t (n text)"]),
    ([_TABLE], [_TABLE, "ALTER TABLE t ADD m int"]),
    ([_TABLE], [_TABLE, _UNLESS]),
    ([_UNLESS], [_TABLE, _UNLESS]),
    ([_COPY], [_PATH, _COPY, "RESET search_path"]),
    ([_COPY], [_TABLE.replace(" t ", " u "), _COPY]),
    ([_TABLE.replace(" t ", " u "), "ALTER TABLE u RENAME TO t"], ["ALTER TABLE u RENAME TO t"]),
    ([(_VALUE, (1,))], [(_VALUE, ("a",))]),
    ([(_VALUE, {"n": _ZONED[0]})], [(_VALUE, {"n": _ZONED[0].replace(tzinfo=None)})]),
    (["CREATE TEMP TABLE t AS SELECT 1 AS n"], ["CREATE TEMP TABLE t AS SELECT 'a' AS n"]),
    (["SAVEPOINT s"], ["SELECT 1 INTO TEMP t"]),
]
LASTING: Steps = [("SELECT set_config('role', 'x', false), %s", (True,))]
LASTING += [_PATH, _ROLE, _AUTH, _TABLE, _LASTING, 'SET "role" = x', "SELECT 1 INTO pg_temp.t"]
LASTING += [
    "CREATE TABLE pg_temp.t (n int)",
    'CREATE TEMP VIEW "T" AS SELECT 1',
    "PRAGMA schema = 'a'",
]
FLEETING: Steps = [("SELECT set_config('role', %s, %s)", ("x", True))]
FLEETING += [
    "SET LOCAL ROLE x",
    "ALTER TABLE t ADD n int",
    "DROP TABLE a, b, c, d, e, f, g, h, i, j, k, l, t",
]
FLEETING += ["CREATE TEMP TABLE t ON COMMIT DROP AS SELECT 1", _LOCAL, "CREATE TABLE t (n int)"]
NOTHING = ["SET app.tenant = '7'", "SET VARIABLE x = 1", "SELECT set_config('app.x', 'y', true)"]
NOTHING += ["RESET search_path", "SAVEPOINT a", "ALTER TABLE u ADD n int", "SET x = ';RESET ROLE'"]
NOTHING += ['CREATE TEMP TABLE "s.t" (n int)', "RESET ROLE; RELEASE b", "SET TIME ZONE 'UTC'"]
UNCHANGING = [
    "INSERT INTO temp SELECT 1",
    "SELECT n INTO t FROM u",
    "SELECT '; SET ROLE x' -- ; SET",
]


def _place(*steps: str | tuple[str, object]) -> _lookup.Key:
    connection: Any = SimpleNamespace(info={})
    for step in steps:
        if step in ("commit", "rollback"):
            is_undone = step == "rollback"
            _lookup.end_transaction(connection, is_undone=is_undone, keeps_settings=False)
            continue
        statement, given = step if isinstance(step, tuple) else (step, None)
        made = _lookup.changes(statement)
        assert made is not None
        _lookup.change(connection, made, statement, given)
    return _lookup.key_of(_lookup.place_of(connection), {"t"}, None)


def test_sessions_share_what_their_names_lead_to() -> None:
    for one, same in SAME:
        assert _place(*one) == _place(*same) != ()
    for one, other in OTHER:
        assert _place(*one, "commit") != _place(*other, "commit")
    for step in LASTING:
        assert _place(step, "commit") == _place(step) != _place(step, "rollback") == ()
    for step in FLEETING:
        assert _place(step, "commit") == _place(step, "rollback") == () != _place(step)
    for step in NOTHING:
        assert _place(step) == _place(_ROLE, _PATH, _TABLE, "DISCARD ALL") == ()
    assert not any(map(_lookup.changes, UNCHANGING))
    entries: _lookup.Entries = {"=search_path": ("x", "x")}
    own, role = _lookup.Place(entries), _lookup.Place({**entries, "=role": ("r", "r")})
    reported = [_lookup.key_of(one, {"t"}, "a") for one in (_lookup.Place(), own, role)]
    assert reported[0] == reported[1] != reported[2]
    assert reported[0] != _lookup.key_of(own, {"t"}, "b")
    assert _lookup.others(_lookup.Place({":app.x": ("1", "1"), **entries}), ["a"]) == ("'a'", "1")


def test_a_comment_of_each_execution_makes_no_other_statement(engine: sa.Engine) -> None:
    """Tracing adds them, before or after a statement; they are sent as they are."""
    traces, sent, told = iter(range(100)), list[str](), list[Decision]()

    def traced(*given: Any) -> tuple[str, Any]:
        _, _, statement, parameters, *_ = given
        number = next(traces)
        trace = f"/*id='{number}%%3A'*/"
        texts = (f"{trace} -- of {number}\n{statement}", f"{statement}{trace}", statement)
        return texts[number % 3], parameters

    sa.event.listen(engine, "before_cursor_execute", traced, retval=True)
    rewriting = rewrite_queries(engine, on_decision=told.append)
    sa.event.listen(engine, "before_cursor_execute", lambda *given: sent.append(given[2]))
    query = sa.text(
        "SELECT action_publisher_id, "
        "action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' "
        "FROM actions WHERE action_publisher_id > :some"
    )
    with engine.connect() as connection:
        for some in range(3):
            rows = outcome(connection, query, {"some": some})
            assert rows == original(connection, query, {"some": some})
    rewriting.disable()
    [decision] = told
    assert "id=" not in decision.statement
    rewritten = [text for text in sent if "tzconv_" in text and "action_publisher_id" in text]
    places = {(text.startswith("/*id="), text.endswith("%%3A'*/")) for text in rewritten}
    assert places == {(True, False), (False, True), (False, False)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("/* a */", "/* b */;"),
        ("-- a /* b\n/* 50%% */\n ", "/* * c' */"),
    ],
)
def test_comments_around_a_statement(before: str, after: str) -> None:
    for statement in (
        "SELECT 1 ",
        "/*+ a hint */ SELECT 1",
        "/* of %s */ SELECT 1",  # psycopg puts a value in it
        "/* a /* b */ */ SELECT 1 -- c ",
        "SELECT '/* a */'",
        "SELECT 1 /* a */ + 1",
    ):
        assert _look.apart(before + statement + after) == (before, statement, after)
    for whole in ("SELECT 1 /* a /* b */ */", "SELECT 1 /*+ b */", "SELECT 1 /* %(a)s */"):
        assert _look.apart(whole) == ("", whole, "")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT start_time, timezone, now, local FROM t",
        "SELECT at, timezone, format, local FROM t",
        "SELECT 1 AS temp -- AT TIME ZONE now()",
        "SELECT 'a AT TIME ZONE b', \"now\", $$ now() $$ FROM t",
        "SELECT CAST(x AS TIMESTAMP WITH TIME ZONE) FROM t",
    ],
)
def test_words_are_no_conversions(text: str) -> None:
    assert _look.converts(text) == (False, False)
    assert _look.converts(f"{text}\n, (SELECT now())") == (True, False)
    for zone in ("TIME\n ZONE 'UTC'", "timezone 'UTC'", "LOCAL"):
        assert _look.converts(f"{text}\n, (SELECT x AT {zone})") == (True, True)


def test_names_are_kept_as_written_and_folded() -> None:
    text = 'SELECT "Zone", a FROM "Ev""s" E'
    assert _look.words(text) >= {"Zone", "a", 'Ev"s', "E", "e"}


@pytest.mark.parametrize("place", ["temporary", "schema", "view"])
def test_sessions_that_see_other_tables(engine: sa.Engine, place: str) -> None:
    """A table of one session's own, or of its search path, is not that of another session."""
    is_duckdb = engine.dialect.name == "duckdb"
    decisions: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=decisions.append, measure=False)
    with engine.connect() as one, engine.connect() as other:
        for connection in (one, other):
            if is_duckdb:  # as its tables have the time zone
                connection.exec_driver_sql("SET TimeZone = 'UTC'")
            connection.commit()

        def check() -> None:
            for connection in (one, other, one):
                assert outcome(connection, BY_DAY, {}) == original(connection, BY_DAY, {})

        check()
        one.commit()
        if place == "schema":
            other.exec_driver_sql("CREATE SCHEMA elsewhere")
            other.exec_driver_sql(f"CREATE TABLE elsewhere.actions {_SWAPPED}")
            other.commit()
            path = "schema = 'elsewhere'" if is_duckdb else "search_path = elsewhere, public"
            other.exec_driver_sql(f"SET {path}")
        else:
            kind = "TABLE" if place == "temporary" else "VIEW"
            theirs = "events.main.actions" if is_duckdb else "public.actions"
            swapped = _SWAPPED.replace("FROM actions", f"FROM {theirs}")
            other.exec_driver_sql(f"CREATE TEMP {kind} actions {swapped}")
        days = original(other, BY_DAY, {})
        assert days != original(one, BY_DAY, {})
        check()
        other.rollback()
        one.rollback()
        check()
        if place == "schema":
            other.exec_driver_sql("SET schema = 'main'" if is_duckdb else "RESET search_path")
            check()
            other.exec_driver_sql("DROP SCHEMA elsewhere CASCADE")
            other.commit()
    rewriting.disable()
    assert any(decision.rewritten for decision in decisions)

"""Changes that somebody else makes: types, names, rights, tables, paths, roles and settings.

Each statement runs through the hook and beside it through a plain engine. Its rows are never other
rows. It fails at most once where the plain one does not, and not again after that.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
import sqlalchemy as sa

from tests import postgres
from tests.databases import IS_DUCKDB_1
from tests.sqlalchemy.events import EVENTS, QUERIES, TS, ZONES, load
from tzconv.engines.duckdb.alchemy import DuckDBAlchemy
from tzconv.engines.duckdb.write import DuckDBWriter
from tzconv.engines.postgres.alchemy import PostgresAlchemy
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.refresher import refresh
from tzconv.sqlalchemy import Decision, Shadowed, rewrite_queries
from tzconv.sqlalchemy.typed import typed


class Change(NamedTuple):
    """``others`` run elsewhere; ``ours`` on the connection, ``raw`` on the driver's own cursor."""

    others: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()


_IN_TENANT = "SET search_path = tenant, public"
POSTGRES: dict[str, Change] = {
    "timestamptz": Change(("ALTER TABLE events ALTER ts TYPE timestamptz",)),
    "date": Change(("ALTER TABLE events ALTER ts TYPE date",)),
    "text": Change(("ALTER TABLE events ALTER ts TYPE text",)),
    "precision": Change(("ALTER TABLE events ALTER ts TYPE timestamp(0)",)),
    "seen is a timestamp": Change(("ALTER TABLE events ALTER seen TYPE timestamp",)),
    "zone is varchar": Change(("ALTER TABLE events ALTER zone TYPE varchar(40)",)),
    "zone is an interval": Change(
        ("ALTER TABLE events ALTER zone TYPE interval USING interval '5 hours'",)
    ),
    "zone is char": Change(("ALTER TABLE events ALTER zone TYPE char(40)",)),
    "a number is an interval": Change(
        ("ALTER TABLE events ALTER n TYPE interval USING n * interval '1 day'",)
    ),
    "renamed away": Change(("ALTER TABLE events RENAME ts TO gone",)),
    "another of that name": Change(
        (
            "ALTER TABLE events RENAME ts TO gone",
            "ALTER TABLE events RENAME seen TO ts",
            "ALTER TABLE events RENAME gone TO seen",
        )
    ),
    "column added": Change(("ALTER TABLE events ADD more timestamptz DEFAULT now()",)),
    "column dropped": Change(("ALTER TABLE events DROP other",)),
    "table made anew": Change(("DROP TABLE events", EVENTS[0].format("", TS, "timestamptz"))),
    "a view of that name": Change(
        (
            "ALTER TABLE events RENAME TO kept",
            "CREATE VIEW events AS SELECT n, ts::timestamptz AS ts, seen::timestamp AS seen, zone "
            "FROM kept",
        )
    ),
    "table gone": Change(("DROP TABLE events",)),
    "our tables gone": Change(("DROP TABLE time_zone_conversion_zone CASCADE",)),
    "our rows gone": Change(("DELETE FROM time_zone_conversion_zone",)),
    "our table renamed": Change(("ALTER TABLE time_zone_conversion_zone RENAME TO elsewhere",)),
    "rights on ours": Change(
        (
            "REVOKE ALL ON time_zone_conversion_zone, time_zone_offset_conversion FROM PUBLIC",
            "REVOKE ALL ON time_zone_conversion_zone FROM asker",
        ),
        ("SET ROLE asker",),
    ),
    "rights on a column": Change(
        ("REVOKE ALL ON events FROM PUBLIC", "GRANT SELECT (n, ts) ON events TO PUBLIC"),
        ("SET ROLE asker",),
    ),
    "path": Change(ours=(_IN_TENANT,)),
    "path for a transaction": Change(ours=("SET LOCAL search_path = tenant, public",)),
    "path by set_config": Change(
        ours=("SELECT set_config('search_path', 'tenant, public', false)",)
    ),
    "path by a function": Change(ours=("SELECT enter()",)),
    "path by a DO block": Change(ours=(f"DO $$ BEGIN {_IN_TENANT}; END $$",)),
    "path by a raw cursor": Change(raw=(_IN_TENANT,)),
    "path without our tables": Change(raw=("SET search_path = tenant",)),
    "role": Change(ours=("SET ROLE asker",)),
    "role by a raw cursor": Change(raw=("SET ROLE asker",)),
    "temporary table": Change(ours=(EVENTS[0].format("pg_temp.", TS, "timestamptz"),)),
    "temporary by a raw cursor": Change(raw=(EVENTS[0].format("pg_temp.", TS, "timestamptz"),)),
    "time zone": Change(raw=("SET TimeZone = 'America/New_York'",)),
    "dates": Change(raw=("SET DateStyle = 'German, DMY'", "SET IntervalStyle = 'iso_8601'")),
    "strings": Change(raw=("SET standard_conforming_strings = off",)),
}
_MAIN = "SET schema = '{}'"
DUCKDB: dict[str, Change] = {
    "timestamptz": POSTGRES["timestamptz"],
    "date": POSTGRES["date"],
    "nanoseconds": Change(("ALTER TABLE events ALTER ts TYPE timestamp_ns",)),
    "seen is a timestamp": POSTGRES["seen is a timestamp"],
    "another of that name": POSTGRES["another of that name"],
    "renamed away": POSTGRES["renamed away"],
    "column added": POSTGRES["column added"],
    "table made anew": POSTGRES["table made anew"],
    "table gone": POSTGRES["table gone"],
    "our tables gone": Change(("DROP TABLE time_zone_period_conversion",)),
    "our rows gone": Change(("DELETE FROM time_zone_period_conversion",)),
    "path": Change(ours=(_MAIN.format("tenant"),)),
    "path by a raw cursor": Change(raw=(_MAIN.format("tenant"),)),
    "temporary table": Change(
        ours=(EVENTS[0].replace("TABLE", "TEMP TABLE").format("", TS, "timestamptz"),)
    ),
    "temporary by a raw cursor": Change(
        raw=(EVENTS[0].replace("TABLE", "TEMP TABLE").format("", TS, "timestamptz"),)
    ),
    "time zone": Change(raw=("SET TimeZone = 'America/New_York'",)),
    "text": POSTGRES["text"],
    "zone is a number": Change(("ALTER TABLE events ALTER zone TYPE integer USING 5",)),
    "column dropped": POSTGRES["column dropped"],
    "a view of that name": POSTGRES["a view of that name"],
    "our table renamed": Change(("ALTER TABLE time_zone_period_conversion RENAME TO elsewhere",)),
    "a view of our table's name": Change(
        (
            "ALTER TABLE time_zone_period_conversion RENAME TO elsewhere",
            "CREATE VIEW time_zone_period_conversion AS SELECT * FROM elsewhere",
        )
    ),
    "our table in the tenant's schema": Change(
        ("CREATE TABLE tenant.time_zone_period_conversion (n integer)",),
        (_MAIN.format("tenant"),),
    ),
    "macros of our functions": Change(
        tuple(
            f"CREATE MACRO {name}(a) AS TIMESTAMP '2000-01-01'"
            for name in ("make_timestamp", "epoch_us", "typeof")
        )
    ),
    "a macro by a raw cursor": Change(
        raw=("CREATE TEMP MACRO make_timestamp(a) AS TIMESTAMP '2000-01-01'",)
    ),
    "a macro in the transaction": Change(
        ours=("CREATE TEMP MACRO make_timestamp(a) AS TIMESTAMP '2000-01-01'",)
    ),
    "scalar subqueries": Change(raw=("SET scalar_subquery_error_on_multiple_rows = false",)),
}


@pytest.fixture(autouse=True)
def _as_if_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in (DuckDBWriter, PostgresWriter):
        monkeypatch.setattr(engine, "fewest_rows", 0)


def run(connection: sa.Connection, query: str, change: Change) -> Any:
    """The rows of a query, or the error, after this session's part of a change."""
    try:
        for statement in change.ours:
            connection.exec_driver_sql(statement)
        return [tuple(map(str, row)) for row in connection.exec_driver_sql(query)]
    except sa.exc.DBAPIError as error:
        return type(error.orig)
    finally:
        connection.rollback()


def enter(connection: sa.Connection, change: Change) -> None:
    """What the session changes behind the hook, for all of its transactions."""
    if connection.dialect.name == "duckdb":
        connection.exec_driver_sql("SET TimeZone = 'UTC'")
    driver: Any = connection.connection
    for statement in change.raw:
        driver.cursor().execute(statement)
    driver.commit()
    connection.rollback()


def beside(
    hooked: sa.Engine,
    plain: sa.Engine,
    change: Change,
    between: Callable[[], object] = lambda: None,
    queries: Sequence[str] = QUERIES,
) -> None:
    """Run all queries both ways, before a change and several times after it."""
    rewriting = rewrite_queries(hooked, measure=False)
    nothing = Change()
    with hooked.connect() as one, plain.connect() as other:
        for connection in (one, other):
            enter(connection, nothing)
        for query in [*queries] * 2:
            assert run(one, query, nothing) == run(other, query, nothing)
        assert any(decision.rewritten for decision in rewriting.decisions)
    with plain.connect() as elsewhere:
        for statement in change.others:
            elsewhere.exec_driver_sql(statement)
        elsewhere.commit()
    between()
    with hooked.connect() as one, plain.connect() as other:
        for connection in (one, other):
            enter(connection, change)
        for query in queries:
            found = [(run(one, query, change), run(other, query, change)) for _ in range(4)]
            wrong = [pair for pair in found if pair[0] != pair[1]]
            assert not [pair for pair in wrong if not isinstance(pair[0], type)], (query, wrong)
            assert wrong in ([], found[:1]), (query, wrong)
            # what failed once is not tried again where its transaction has begun
            begun = change._replace(ours=("SELECT 1", *change.ours))
            assert run(one, query, begun) == run(other, query, begun)
    rewriting.disable()


@pytest.mark.filterwarnings("ignore:tzconv")
@pytest.mark.parametrize("kind", POSTGRES)
def test_changes_elsewhere(server: postgres.Server, kind: str) -> None:
    url = server.loaded(load)
    hooked, plain = (sa.create_engine(url, pool_size=1) for _ in range(2))
    beside(hooked, plain, POSTGRES[kind])
    hooked.dispose()
    plain.dispose()


@pytest.mark.filterwarnings("ignore:tzconv")
def test_a_range_of_other_times(server: postgres.Server) -> None:
    url = server.fresh("other_ranges")
    load(url)
    zone = {"options": "-c TimeZone=America/New_York"}
    plain, hooked = (sa.create_engine(url, connect_args=zone, pool_size=1) for _ in range(2))
    with plain.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE events ADD during tsrange")
        connection.exec_driver_sql("UPDATE events SET during = tsrange(ts, NULL)")
    local = "lower(during) AT TIME ZONE 'UTC' AT TIME ZONE zone"
    to = "ALTER during TYPE tstzrange USING tstzrange(seen, NULL)"
    queries = [f"SELECT max(({local})::timestamp)::text AS last FROM events"]
    beside(hooked, plain, Change((f"ALTER TABLE events {to}",)), queries=queries)
    hooked.dispose()
    plain.dispose()


def test_a_path_that_is_set_and_reset(
    server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way a text of its own: nothing fails, and nothing is run twice."""
    url = server.loaded(load)
    hooked, plain = (sa.create_engine(url, pool_size=1) for _ in range(2))
    rewriting = rewrite_queries(hooked, measure=False)
    monkeypatch.setattr(rewriting, "_is_stale", lambda *_: pytest.fail("it has failed first"))
    with hooked.connect() as one, plain.connect() as other:
        for setting in (_IN_TENANT, "RESET search_path", _IN_TENANT, "RESET search_path"):
            for connection in (one, other):
                connection.exec_driver_sql(setting)
                connection.commit()
            for query in QUERIES * 2:
                rows = run(other, query, Change())
                assert isinstance(rows, list)
                assert run(one, query, Change()) == rows
    assert any(decision.rewritten for decision in rewriting.decisions)
    rewriting.disable()
    hooked.dispose()
    plain.dispose()


@pytest.mark.not_core
def test_a_path_in_another_encoding(server: postgres.Server) -> None:
    encoding = {"client_encoding": "latin1"}
    engine = sa.create_engine(server.loaded(load), connect_args=encoding)
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, measure=False, on_decision=told.append)
    with engine.connect() as connection:
        connection.exec_driver_sql('SET search_path = "größe", public')
        connection.exec_driver_sql(QUERIES[0])
    assert [bool(one.rewritten) for one in told] == [True]
    rewriting.disable()
    engine.dispose()


def test_an_error_of_the_rows_is_raised_at_once(
    server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a text that no longer fits the tables is replaced by the original and run again."""
    engine = sa.create_engine(server.loaded(load), pool_size=1)
    rewriting = rewrite_queries(engine, measure=False)
    sent: list[str] = []

    execute = engine.dialect.do_execute

    def counted(cursor: Any, statement: str, *rest: Any) -> None:
        sent.append(statement)
        execute(cursor, statement, *rest)

    monkeypatch.setattr(engine.dialect, "do_execute", counted)
    query = f"{QUERIES[0]} AND 1 / (n - 5) > -9"
    for _ in range(2):
        sent.clear()
        with engine.connect() as connection, pytest.raises(sa.exc.DataError):
            connection.exec_driver_sql(query)
    assert any(decision.rewritten for decision in rewriting.decisions)
    assert len([one for one in sent if "events" in one]) == 1
    rewriting.disable()
    engine.dispose()


def test_a_refresh_elsewhere(server: postgres.Server) -> None:
    url = server.loaded(load)
    hooked, plain = (sa.create_engine(url, pool_size=1) for _ in range(2))
    beside(hooked, plain, Change(), lambda: refresh(url, zones=[*ZONES, "America/New_York"]))
    hooked.dispose()
    plain.dispose()


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_tables_of_a_newer_tzconv(dialect: str, server: postgres.Server, tmp_path: Path) -> None:
    """What their columns mean is not known."""
    url = server.loaded(load) if dialect == "postgres" else f"duckdb:///{tmp_path / 'newer.duckdb'}"
    if dialect == "duckdb":
        load(url)
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE time_zone_conversion_migration SET version_num = '9999'")
    rewriting = rewrite_queries(engine, measure=False)
    with engine.connect() as connection:
        with pytest.warns(match="The tables have revision 9999"):
            rows = run(connection, QUERIES[0], Change())
        assert run(connection, QUERIES[0], Change()) == rows
    assert not any(one.rewritten for one in rewriting.decisions)
    rewriting.disable()
    engine.dispose()


@pytest.mark.not_core
def test_a_restart_of_the_server() -> None:
    with postgres.running() as own:
        url = own.loaded(load)
        hooked, plain = (sa.create_engine(url, pool_size=1, pool_pre_ping=True) for _ in range(2))
        beside(hooked, plain, Change(), own.restart)
        with hooked.connect() as connection:
            assert isinstance(run(connection, QUERIES[0], Change()), list)
        hooked.dispose()
        plain.dispose()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of threads and forks
def test_a_forked_child(server: postgres.Server) -> None:
    url = server.loaded(load)
    hooked, plain = sa.create_engine(url), sa.create_engine(url)
    rewriting = rewrite_queries(hooked, measure=False)
    with hooked.connect() as one, plain.connect() as other:
        expected = [run(other, query, Change()) for query in QUERIES]
        assert [run(one, query, Change()) for query in QUERIES] == expected
    child = os.fork()
    if child == 0:
        try:
            hooked.dispose(close=False)
            with hooked.connect() as one:
                is_same = [run(one, query, Change()) for query in QUERIES] == expected
            os._exit(0 if is_same else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    rewriting.disable()
    hooked.dispose()
    plain.dispose()


_QUALIFIED = (
    "SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::text AS latest FROM public.events"
)


@pytest.mark.parametrize("kind", ["TABLE", "VIEW"])
def test_a_table_of_ours_in_an_earlier_schema(server: postgres.Server, kind: str) -> None:
    """The statement names its table with the schema, so what somebody makes there is not read."""
    url = server.loaded(load)
    path = {"options": "-c search_path=tenant,public"}
    engine = sa.create_engine(url, connect_args=path)
    plain = sa.create_engine(url)
    with plain.connect() as connection:
        expected = run(connection, _QUALIFIED, Change())
    rewriting = rewrite_queries(engine, measure=False)
    with engine.connect() as connection:
        assert run(connection, _QUALIFIED, Change()) == expected
        with plain.begin() as elsewhere:
            columns = elsewhere.exec_driver_sql("SELECT * FROM time_zone_conversion_zone").keys()
            shifted = [
                "(SELECT array_agg(one + INTERVAL '1 hour') FROM unnest(utc_offsets) AS u (one)) "
                "AS utc_offsets"
                if one == "utc_offsets"
                else one
                for one in columns
            ]
            elsewhere.exec_driver_sql(
                f"CREATE {kind} tenant.time_zone_conversion_zone AS SELECT {', '.join(shifted)} "
                "FROM public.time_zone_conversion_zone"
            )
            elsewhere.exec_driver_sql("GRANT SELECT ON ALL TABLES IN SCHEMA tenant TO PUBLIC")
        assert run(connection, _QUALIFIED, Change()) == expected
        assert [one.rewritten is not None for one in rewriting.decisions] == [True]
        rewriting.forget()
        with pytest.warns(RuntimeWarning, match="public, tenant of the search path"):
            assert run(connection, _QUALIFIED, Change()) == expected
        assert not rewriting.decisions
    rewriting.disable()
    rewriting = rewrite_queries(engine, measure=False, table_schema="public")
    with engine.connect() as connection:
        assert run(connection, _QUALIFIED, Change()) == expected
        assert [one.rewritten is not None for one in rewriting.decisions] == [True]
    rewriting.disable()
    engine.dispose()
    plain.dispose()


def test_tables_of_somebody_else(server: postgres.Server) -> None:
    """A role with CREATE on the schema has made them: they are read only if the caller says so."""
    url = server.loaded(load)
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        expected = run(connection, _QUALIFIED, Change())
        connection.exec_driver_sql(
            "DO $$ BEGIN CREATE ROLE mallory; EXCEPTION WHEN duplicate_object THEN END $$"
        )
        for table in ("time_zone_conversion_zone", "time_zone_conversion_release"):
            connection.exec_driver_sql(f"ALTER TABLE {table} OWNER TO mallory")
        connection.commit()
    for schema in (None, "public"):
        rewriting = rewrite_queries(engine, measure=False, table_schema=schema)
        with engine.connect() as connection:
            if schema is None:
                with pytest.warns(RuntimeWarning, match="public belong to mallory, who owns neith"):
                    assert run(connection, _QUALIFIED, Change()) == expected
            else:
                assert run(connection, _QUALIFIED, Change()) == expected
            assert bool(rewriting.decisions) == (schema is not None)
        rewriting.disable()
    engine.dispose()


def test_a_table_that_a_query_makes(server: postgres.Server) -> None:
    """The text checks no column of it: it is made anew each day."""
    url = server.loaded(load)
    engine, told = sa.create_engine(url), list[Decision]()
    rewriting = rewrite_queries(engine, measure=False, on_decision=told.append)
    into = QUERIES[0].replace(" FROM", " INTO made FROM")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE TABLE made AS {QUERIES[0]}")
        assert isinstance(run(connection, into, Change()), type)  # it exists
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as elsewhere:
        elsewhere.exec_driver_sql("DROP TABLE IF EXISTS made")
    with engine.connect() as connection:
        connection.exec_driver_sql("SELECT 1")
        connection.exec_driver_sql(into)
        assert connection.exec_driver_sql("SELECT count(*) FROM made").scalar() == 1
    texts = [one.rewritten for one in told if one.rewritten and " INTO " in one.rewritten]
    assert texts
    assert not any("FROM made" in text for text in texts)
    rewriting.disable()
    engine.dispose()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("changes") / "changes.duckdb"
    load(f"duckdb:///{path}")
    return path


@pytest.mark.filterwarnings("ignore:tzconv")
@pytest.mark.parametrize("kind", DUCKDB)
def test_changes_elsewhere_on_duckdb(file: Path, tmp_path: Path, kind: str) -> None:
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'changes.duckdb')}"
    hooked, plain = (sa.create_engine(url, pool_size=1) for _ in range(2))
    beside(hooked, plain, DUCKDB[kind])
    hooked.dispose()
    plain.dispose()


_ONE = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata'"
INSIDE = {
    "struct": ("struct_pack(ts := ts, tz := zone)", "{}", "inside.ts", "struct(ts {}, tz varchar)"),
    "list": ("array[ts]", "(SELECT unnest(inside) AS ts FROM {}) AS u", "ts", "{}[]"),
    "list in struct": (
        "{'the ''ts': [ts]}",
        '(SELECT unnest(inside."the \'ts") AS ts FROM {}) AS u',
        "ts",
        'struct("the \'ts" {}[])',
    ),
    "a text with a space": ("{'my ts': ts}", "{}", "inside['my ts']", 'struct("my ts" {})'),
    "a text with a dot in it": (
        "{'a': {'b.c': ts}}",
        "{}",
        "inside.a['b.c']",
        'struct(a struct("b.c" {}))',
    ),
    "a letter that folds to two": ("{'maß': ts}", "{}", "inside.maß", "struct(maß {})"),
}


@pytest.mark.filterwarnings("ignore:tzconv")
@pytest.mark.parametrize("to", ["timestamptz", "date"])
@pytest.mark.parametrize("of", INSIDE)
def test_values_inside_of_another_type(
    server: postgres.Server, file: Path, tmp_path: Path, of: str, to: str
) -> None:
    """Fields of structs and values of lists are checked as columns are."""
    made, relation, ts, type_ = INSIDE[of]
    urls = [f"duckdb:///{shutil.copy(file, tmp_path / 'inside.duckdb')}"]
    urls += [server.loaded(load)] if of == "list" else []
    local = _ONE.replace("ts", ts, 1)
    query = f"SELECT max(({local})::text), count(*) FROM {relation.format('nested')}"
    using = f" USING inside::{to}[]" if of == "list" else ""
    for url in urls:
        hooked, plain = (sa.create_engine(url, pool_size=1) for _ in range(2))
        with plain.begin() as connection:
            connection.exec_driver_sql(
                f"CREATE TABLE nested AS SELECT {made} AS inside FROM events"
            )
        change = f"ALTER TABLE nested ALTER inside TYPE {type_.format(to)}"
        beside(hooked, plain, Change((change + using,)), queries=[query])
        hooked.dispose()
        plain.dispose()


@pytest.mark.filterwarnings("ignore:tzconv")
@pytest.mark.parametrize("before", ["'\"'", '/* 5" */ 1'])
def test_a_column_between_quotes_of_texts(file: Path, tmp_path: Path, before: str) -> None:
    """A double quote in a text or comment begins no name, and hides none after it."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'quotes.duckdb')}"
    hooked, plain = (sa.create_engine(url, pool_size=1) for _ in range(2))
    query = f"SELECT {before} AS a, max(({_ONE})::text), '\"' AS b FROM events"
    beside(
        hooked, plain, Change(("ALTER TABLE events ALTER ts TYPE timestamptz",)), queries=[query]
    )
    hooked.dispose()
    plain.dispose()


@pytest.mark.skipif(IS_DUCKDB_1, reason="DuckDB writes in a CTE since 2.0")
@pytest.mark.filterwarnings("ignore:tzconv")
def test_queries_that_write(file: Path, tmp_path: Path) -> None:
    """DuckDB describes none, so nobody saw a check of types where only a table may stand."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'writes.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, measure=False, on_decision=told.append)
    local = "max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone)"
    with engine.connect() as connection:
        for write in (
            "INSERT INTO events SELECT * FROM events WHERE n < 9",
            "UPDATE events SET n = -1 WHERE n < 9",
            "DELETE FROM events WHERE n < 9",
        ):
            query = f"WITH w AS ({write} RETURNING n) SELECT count(*), {local} FROM w, events e"
            assert len(run(connection, query, Change())) == 1
    assert len(told) == 3
    rewriting.disable()
    engine.dispose()


@pytest.mark.filterwarnings("ignore:tzconv")
def test_the_number_of_a_temporary_row(file: Path, tmp_path: Path) -> None:
    """Another session cannot bind the check, a subquery that has no rowid."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'rowid.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    rewriting = rewrite_queries(engine, measure=False)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TEMP TABLE own AS SELECT * FROM events")
    query = f"{QUERIES[1].replace('events', 'own')} AND rowid >= 0"
    with engine.connect() as connection:
        assert run(connection, query, Change()) == run(connection, QUERIES[1], Change())
    assert [bool(one.rewritten) for one in rewriting.decisions] == [False, True]
    rewriting.disable()
    engine.dispose()


def test_a_query_named_as_the_temporary_table_that_it_reads(file: Path, tmp_path: Path) -> None:
    """Its columns are its own; another session cannot say so."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'query.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    rewriting = rewrite_queries(engine, measure=False)
    shown = "SELECT max(ts AT TIME ZONE 'Asia/Kolkata')::text FROM"
    with engine.begin() as connection:
        connection.exec_driver_sql("SET TimeZone = 'UTC'")
        connection.exec_driver_sql("CREATE TEMP TABLE own AS SELECT * FROM events")
    query = f"WITH OWN AS (SELECT seen AS ts FROM own) {shown} own"
    with engine.connect() as connection:
        expected = run(connection, f"{shown} (SELECT seen AS ts FROM events)", Change())
        assert run(connection, query, Change()) == expected
    assert all(one.rewritten for one in rewriting.decisions)
    rewriting.disable()
    engine.dispose()


def test_the_table_in_a_query_of_its_name_is_checked() -> None:
    """However deep the query is read."""
    types = {"events": {"ts": "timestamp"}}
    deep = "SELECT * FROM (SELECT * FROM (SELECT max(ts) FROM events) AS a) AS b"
    query = f"WITH events AS (SELECT * FROM events) {deep}"
    for alchemy, dialect, check in (
        (PostgresAlchemy, "postgres", "FROM events AS t0 WHERE ARRAY"),
        (DuckDBAlchemy, "duckdb", "FROM events WHERE system.main.struct_extract"),
    ):
        found = typed(alchemy, query, dialect, types, {"events", "ts"}, None)
        assert found.count(check) == 1


@pytest.mark.not_core
def test_shadow_mode_writes_nothing(file: Path, tmp_path: Path) -> None:
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'shadow.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE SEQUENCE numbers")
    found: list[Shadowed] = []
    rewriting = rewrite_queries(engine, shadow=1, on_shadow=found.append)
    query = f"SELECT nextval('numbers'), n FROM events {QUERIES[1].partition('events')[2]}"
    with engine.connect() as connection:
        numbers = [row[0] for row in connection.exec_driver_sql(query)]
        rewriting.disable()
        following = connection.exec_driver_sql("SELECT nextval('numbers')").scalar()
    assert [one.rewritten_seconds > 0 for one in found] == [False]
    assert following == max(numbers) + 1
    engine.dispose()


def test_columns_named_after_a_subquery(file: Path, tmp_path: Path) -> None:
    """The check of the session's time zone is in no text that a column's name shows."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'names.duckdb')}"
    hooked, plain = (sa.create_engine(url, poolclass=sa.NullPool) for _ in range(2))
    with plain.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE chosen (k integer)")
    rewriting = rewrite_queries(hooked, measure=False)
    shown = "1 = ALL (SELECT 1 FROM chosen)"
    for relations, is_rewritten in (("events", True), ("(VALUES (1)) v", False)):
        local = "max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone)"
        local = local if is_rewritten else "1 = ANY (SELECT 2 FROM events WHERE ts > now())"
        query = f"SELECT {shown}, {local} FROM {relations}"
        with hooked.connect() as one, plain.connect() as other:
            for connection in (one, other):
                connection.exec_driver_sql("SET TimeZone = 'Asia/Kolkata'")
            found = [connection.exec_driver_sql(query) for connection in (one, other)]
            assert found[0].keys() == found[1].keys()
            assert found[0].all() == found[1].all()
        assert bool(rewriting.decisions[-1].rewritten) is is_rewritten
    rewriting.disable()


@pytest.mark.not_core
@pytest.mark.parametrize("is_open", [True, False])
def test_a_view_of_a_table_that_a_transaction_has_changed(
    file: Path, tmp_path: Path, is_open: bool
) -> None:
    """Another session would read the types that the view had before, so they count as unknown."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'views.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    view = "CREATE OR REPLACE VIEW seen_events AS SELECT ts FROM events"
    with engine.begin() as connection:
        connection.exec_driver_sql(view)
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, measure=False, on_decision=told.append)
    local = f"ts AT TIME ZONE 'UTC' AT TIME ZONE '{ZONES[0]}'"
    with engine.connect() as connection:
        connection.exec_driver_sql("SET TimeZone = 'UTC'")
        connection.exec_driver_sql("ALTER TABLE events ALTER ts TYPE timestamptz")
        connection.exec_driver_sql(view)
        if not is_open:
            connection.commit()
        connection.exec_driver_sql(f"SELECT max({local}) FROM seen_events")
    assert [one.code for decision in told for one in decision.left] == ["unknown-type"] * is_open
    rewriting.disable()
    engine.dispose()


def test_only_the_views_that_a_statement_names_are_read() -> None:
    with duckdb.connect() as made:
        made.execute(
            "CREATE TABLE a (t timestamp); CREATE VIEW one AS FROM a; CREATE VIEW b AS FROM a"
        )
        made.execute("ALTER TABLE a ALTER t TYPE timestamptz")
        found = DuckDBAlchemy(made, lambda *_: []).column_types({"ONE"})
        assert {kind.lower() for of in found.values() for kind in of.values()} == {
            "timestamp with time zone"
        }
        assert {name.rpartition(".")[2] for name in found} == {"one"}
        read = "SELECT data_type FROM duckdb_columns() WHERE table_name = 'b'"
        assert made.execute(read).fetchall() == [("TIMESTAMP",)]


@pytest.mark.filterwarnings("ignore:tzconv")
def test_a_time_zone_that_only_the_driver_sees(file: Path, tmp_path: Path) -> None:
    """The one error makes the hook ask for the zone anew, too."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'zone.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    rewriting = rewrite_queries(engine, measure=False)
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.execute("SET TimeZone = 'UTC'")
        expected = run(connection, QUERIES[0], Change())
        assert isinstance(expected, list)
        for zone in ("Asia/Tokyo", "America/Caracas"):
            driver.execute(f"SET TimeZone = '{zone}'")
            found = [run(connection, QUERIES[0], Change()) for _ in range(4)]
            assert isinstance(found[0], type)
            assert found[1:] == [expected] * 3
            # after two errors it runs as written
            assert bool(rewriting.decisions) == (zone == "Asia/Tokyo")
    rewriting.disable()
    engine.dispose()


@pytest.mark.filterwarnings("ignore:tzconv")
def test_a_temporary_macro(file: Path, tmp_path: Path) -> None:
    """Another session does not see it, and the statement's own conversion calls it."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'macro.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.execute("CREATE TEMP MACRO timezone(zone, value) AS value")
        expected = run(connection, QUERIES[0], Change())
        rewriting = rewrite_queries(engine, measure=False)
        assert run(connection, QUERIES[0], Change()) == expected
        assert not any(one.rewritten for one in rewriting.decisions)
        rewriting.disable()
    engine.dispose()


@pytest.mark.not_core
@pytest.mark.parametrize(
    "macro",
    [
        *("timezone(zone, value) AS value", "date_trunc(part, value) AS TIMESTAMP '2026-03-02'"),
        *('"+"(a, b) AS a', "make_timestamp(value) AS TIMESTAMP '2026-03-02'"),
    ],
)
@pytest.mark.parametrize("is_open", [True, False])
def test_a_macro_and_a_table_of_the_session(
    file: Path, tmp_path: Path, macro: str, is_open: bool
) -> None:
    """The session that is asked for columns does not see them before the commit."""
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'macro.duckdb')}"
    engine = sa.create_engine(url)
    rewriting = rewrite_queries(engine, measure=False)
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE own AS SELECT * FROM events")
        connection.exec_driver_sql(f"CREATE MACRO {macro}")
        if not is_open:
            connection.commit()
        for query in (
            "SELECT n, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM own ORDER BY n",
            "SELECT n FROM own WHERE date_trunc('day', ts AT TIME ZONE 'UTC' AT TIME ZONE "
            "'Asia/Kolkata') = TIMESTAMP '2026-03-02' ORDER BY n",
        ):
            rows, plain = (
                connection.exec_driver_sql(query, execution_options={"tzconv": is_on}).fetchall()
                for is_on in (True, False)
            )
            assert rows == plain
        assert len(rewriting.decisions) == 2
    rewriting.disable()
    engine.dispose()


@pytest.mark.filterwarnings("ignore:tzconv")
@pytest.mark.not_core
@pytest.mark.parametrize("schema", [None, "main"])
@pytest.mark.parametrize(
    "made",
    [  # with the rules of the other zone, and a view of itself, which no query can read
        "TABLE {0} AS SELECT * REPLACE (sums - rules_id AS rules_id) FROM own.main.{0}, total",
        "VIEW {0} AS SELECT * REPLACE (sums - rules_id AS rules_id) FROM own.main.{0}, total",
        "VIEW {0} AS SELECT * FROM main.{0}",
    ],
)
def test_a_table_of_ours_in_the_session(
    file: Path, tmp_path: Path, made: str, schema: str | None
) -> None:
    """A temporary table comes before all others, also before main.table."""
    ours = "time_zone_conversion_zone"
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'own.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.execute(f"CREATE TABLE total AS SELECT sum(rules_id)::INTEGER AS sums FROM {ours}")
        expected = [run(connection, query, Change()) for query in QUERIES]
        rewriting = rewrite_queries(engine, measure=False, table_schema=schema)
        for moment in range(3):
            assert [run(connection, query, Change()) for query in QUERIES] == expected
            found = [one.rewritten for one in rewriting.decisions]
            assert bool(found) == any(found) == (moment < 2)
            if moment == 0:
                driver.execute(f"CREATE TEMP {made.format(ours)}")
            else:  # it was there before the decision
                rewriting.forget()
        rewriting.disable()
    engine.dispose()


@pytest.mark.filterwarnings("ignore:tzconv")
@pytest.mark.parametrize(
    ("made", "table", "is_rewritten"),
    [
        ("USE tenants", "events", True),
        ("USE tenants.tenant; CREATE SCHEMA tenants.new", "events", False),  # no tables of ours
        ("SET search_path = 'tenants,own'", "main.events", True),
        ("USE tenants", "own.main.events", False),
        (
            "CREATE MACRO tenants.timezone(zone, value) AS value;SET search_path = 'own,tenants'",
            "events",
            False,
        ),
        ("CREATE TEMP VIEW events AS SELECT * FROM tenants.main.events", "main.events", False),
        ("CREATE TEMP TABLE Events AS SELECT * FROM tenants.main.events", "main.events", False),
        ("CREATE TEMP VIEW events AS SELECT * FROM tenants.main.events", "tenant.events", True),
    ],
)
def test_an_attached_database(
    file: Path, tmp_path: Path, made: str, table: str, *, is_rewritten: bool
) -> None:
    """With the tables of the same names in it, whose columns have the other types."""
    other = sa.create_engine(f"duckdb:///{shutil.copy(file, tmp_path / 'tenants.duckdb')}")
    with other.begin() as connection:
        connection.exec_driver_sql("CREATE OR REPLACE TABLE events AS SELECT * FROM tenant.events")
    other.dispose()
    url = f"duckdb:///{shutil.copy(file, tmp_path / 'own.duckdb')}"
    engine = sa.create_engine(url, poolclass=sa.StaticPool)
    asked = [query.replace("FROM events", f"FROM {table} AS events") for query in QUERIES]
    differences: list[str | None] = []
    with engine.connect() as connection:
        connection.exec_driver_sql(f"ATTACH '{tmp_path}/tenants.duckdb' AS tenants; {made}")
        connection.commit()
        expected = [run(connection, query, Change()) for query in asked]
        rewriting = rewrite_queries(engine, measure=False)
        assert [run(connection, query, Change()) for query in asked] == expected
        joined = [one for one in rewriting.decisions if "time_zone_" in (one.rewritten or "")]
        assert bool(joined) == is_rewritten
        rewriting.disable()
        shadow = rewrite_queries(
            engine, shadow=1.0, on_shadow=lambda found: differences.append(found.difference)
        )
        run(connection, asked[0], Change())
        shadow.disable()
    assert differences == [None] * is_rewritten
    engine.dispose()

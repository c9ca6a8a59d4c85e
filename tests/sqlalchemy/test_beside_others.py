"""The hook beside other listeners, callbacks that fail, lost connections and other threads.

What a caller gets is what the same engine without the hook gives: rows, names and errors.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests import postgres
from tests.sqlalchemy.events import load
from tzconv.engines.duckdb.write import DuckDBWriter
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.sqlalchemy import Decision, rewrite_queries

QUERY = "SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS local, n FROM events"
_TENANT = """
    CREATE POLICY own ON events
        USING (n % 2 = coalesce(current_setting('app.tenant', true), '0')::int);
    ALTER TABLE events ENABLE ROW LEVEL SECURITY
    """


@pytest.fixture(autouse=True)
def _as_if_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in (DuckDBWriter, PostgresWriter):
        monkeypatch.setattr(engine, "fewest_rows", 0)


@pytest.fixture
def pair(server: postgres.Server) -> Iterator[tuple[sa.Engine, sa.Engine]]:
    """Two engines on one database; tests hook the first."""
    url = server.loaded(load)
    engines = sa.create_engine(url), sa.create_engine(url)
    yield engines
    for engine in engines:
        engine.dispose()


def outcome(engine: sa.Engine, query: Any = QUERY, given: Any = None) -> object:
    """Names and rows, or the classes of the error, in a transaction of its own."""
    try:
        with engine.connect() as connection:
            result = connection.exec_driver_sql(query, given)
            return list(result.keys()), sorted(map(str, result))
    except sa.exc.DBAPIError as error:
        return type(error), type(error.orig)


def _sets_a_tenant(engine: sa.Engine) -> None:
    def enter(connection: object, cursor: Any, statement: str, *rest: object) -> None:
        cursor.execute("SET LOCAL ROLE asker; SET LOCAL app.tenant = '1'")

    sa.event.listen(engine, "before_cursor_execute", enter)


def _adds_a_filter(engine: sa.Engine) -> None:
    def wrap(connection: object, cursor: object, statement: str, given: Any, *rest: object) -> Any:
        return f"SELECT * FROM ({statement}) AS all_rows WHERE n < 5", given

    sa.event.listen(engine, "before_cursor_execute", wrap, retval=True)


def _is_serializable(engine: sa.Engine) -> None:
    def begin(connection: object, cursor: Any, *rest: object) -> None:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")

    sa.event.listen(engine, "before_cursor_execute", begin)


@pytest.mark.parametrize("listen", [_sets_a_tenant, _adds_a_filter, _is_serializable])
def test_a_listener_behind_the_hook(
    pair: tuple[sa.Engine, sa.Engine], listen: Callable[[sa.Engine], None]
) -> None:
    """What it does to the transaction or the text holds for the original, too."""
    hooked, plain = pair
    with plain.begin() as connection:
        connection.exec_driver_sql(_TENANT.replace("%", "%%"))
    rewriting = rewrite_queries(hooked, measure=False)
    for engine in pair:
        listen(engine)
    assert outcome(hooked) == outcome(plain)
    assert [decision.rewritten is not None for decision in rewriting.decisions] == [True]
    with plain.connect() as connection:  # its listeners would wrap the ALTER
        connection.connection.cursor().execute("ALTER TABLE events ALTER ts TYPE timestamptz")
        connection.connection.commit()
    expected = outcome(plain)
    # it may fail once, and never has other rows
    first = outcome(hooked)
    assert first == expected or (isinstance(first, tuple) and first[0] is sa.exc.ProgrammingError)
    assert outcome(hooked) == expected
    rewriting.disable()


def test_a_lost_connection_is_the_error_of_the_driver(pair: tuple[sa.Engine, sa.Engine]) -> None:
    """Applications try again after it. The statement that met it is decided a minute later."""
    hooked, plain = pair
    rewriting = rewrite_queries(hooked, measure=False)
    clock = [100.0]
    vars(rewriting)["_clock"] = lambda: clock[0]
    found = []
    for engine in pair:
        with engine.connect() as connection:
            process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        killer = sa.create_engine(plain.url)
        with killer.connect() as connection:
            connection.exec_driver_sql(f"SELECT pg_terminate_backend({process}, 10000)")
        killer.dispose()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            error: Any = outcome(engine)
        found.append(error[0])
        assert [
            str(one.message).partition(":")[0] for one in told if one.category is RuntimeWarning
        ] == (["tzconv"] if engine is hooked else [])
    assert found == [sa.exc.OperationalError, sa.exc.OperationalError]
    assert outcome(hooked) == outcome(plain)
    assert not rewriting.decisions
    clock[0] += 61
    assert outcome(hooked) == outcome(plain)
    assert [decision.rewritten is not None for decision in rewriting.decisions] == [True]
    rewriting.disable()


def test_a_callback_that_fails(pair: tuple[sa.Engine, sa.Engine]) -> None:
    hooked, plain = pair
    told: list[Decision] = []

    def tell(decision: Decision) -> None:
        told.append(decision)
        raise ZeroDivisionError("in the callback")

    rewriting = rewrite_queries(hooked, on_decision=tell)
    expected = outcome(plain)
    with pytest.warns(RuntimeWarning, match="on_decision fails: ZeroDivisionError"):
        assert outcome(hooked) == expected
    assert [outcome(hooked) for _ in range(7)] == [expected] * 7
    assert [decision.timings is None for decision in told] == [True, False]
    rewriting.disable()


def test_it_is_switched_off_while_others_execute(pair: tuple[sa.Engine, sa.Engine]) -> None:
    """A thread is in the middle of the listeners meanwhile."""
    hooked, plain = pair
    is_deciding, is_off = threading.Event(), threading.Event()

    def wait(decision: object) -> None:
        is_deciding.set()
        assert is_off.wait(60)

    rewriting = rewrite_queries(hooked, on_decision=wait)
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(outcome(hooked)))
    thread.start()
    assert is_deciding.wait(60)
    rewriting.disable()
    rewrite_queries(hooked).disable()
    again = rewrite_queries(hooked)
    is_off.set()
    thread.join()
    rewriting.disable()  # a second time, which leaves the new one on
    assert found == [outcome(plain)] == [outcome(hooked)]
    assert [decision.rewritten is not None for decision in again.decisions] == [True]
    again.disable()


def test_a_query_that_the_database_refuses(pair: tuple[sa.Engine, sa.Engine]) -> None:
    """With the zones as constants PostgreSQL would take it."""
    hooked, plain = pair
    local = "(ts AT TIME ZONE 'UTC' AT TIME ZONE %s)::date"
    query = f"SELECT {local} AS day, count(*) AS n FROM events GROUP BY {local}"
    given = ("Asia/Kolkata", "Asia/Kolkata")
    rewriting = rewrite_queries(hooked)
    expected = outcome(plain, query, given)
    assert isinstance(expected, tuple)
    assert expected[0] is sa.exc.ProgrammingError
    assert [outcome(hooked, query, given) for _ in range(7)] == [expected] * 7
    rewriting.disable()


def test_the_cursor_of_a_timed_run(pair: tuple[sa.Engine, sa.Engine]) -> None:
    """It can be read and set as that of the driver."""

    def read(engine: sa.Engine) -> list[object]:
        with engine.connect() as connection:
            results = [connection.exec_driver_sql(QUERY) for _ in range(3)]
            cursors: list[Any] = [result.cursor for result in results]
            rows = sorted(cursors[0])
            cursors[1].arraysize = 3
            few = cursors[1].fetchmany()
            with cursors[2] as cursor:
                return [rows, len(few), len(cursor.fetchall()), cursor.closed]

    hooked, plain = pair
    rewriting = rewrite_queries(hooked)
    assert read(hooked) == read(plain)
    rewriting.disable()


@pytest.mark.parametrize(
    ("shown", "given", "is_rewritten"),
    [
        ("{local} AT TIME ZONE $1", ("Asia/Kolkata",), False),
        ("{local} AT TIME ZONE $1 AS local", ("Asia/Kolkata",), True),
        ("max({local} AT TIME ZONE $zone), $n", {"zone": "Asia/Kolkata", "n": 5}, False),
        ("date_trunc('day', {local} AT TIME ZONE ?) AS day, ? + n", ("Asia/Kolkata", 3), False),
        ("$2 + n, {local} AT TIME ZONE 'Asia/Kolkata' AS local, $1", (7, 3), True),
        ("$2 + n, {local} AT TIME ZONE $3 AS local, $1", (7, 3, "Asia/Kolkata"), True),
        ("extract(hour FROM {utc} AT TIME ZONE $2) AS hour", ("UTC", "Asia/Kolkata"), True),
    ],
)
def test_names_of_columns_that_show_parameters(
    tmp_path: Path, shown: str, given: Any, is_rewritten: bool
) -> None:
    """DuckDB names a column without a name by its text."""
    url = f"duckdb:///{tmp_path}/events.duckdb"
    load(url)
    hooked, plain = sa.create_engine(url), sa.create_engine(url)
    query = f"SELECT {shown} FROM events".format(
        local="ts AT TIME ZONE 'UTC'", utc="ts AT TIME ZONE $1"
    )
    rewriting = rewrite_queries(hooked, measure=False)
    assert outcome(hooked, query, given) == outcome(plain, query, given)
    assert [one.rewritten is not None for one in rewriting.decisions] == [is_rewritten]
    rewriting.disable()
    hooked.dispose()
    plain.dispose()

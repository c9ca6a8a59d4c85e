"""Sessions that change what a name leads to: the hook follows them, and no statement fails first.

Sequences of paths, roles, temporary tables, savepoints, commits and rollbacks run on a hooked
connection and on a plain one. The text that checks its types would be an error where the hook has
lost track, so no statement may need its second run; and what was decided once stays decided.
"""

from __future__ import annotations

import datetime as dt
import random
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest
import sqlalchemy as sa

from tests import postgres
from tests.sqlalchemy.events import EVENTS, QUERIES, TS, load
from tzconv.engines.postgres.alchemy import PostgresAlchemy
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.sqlalchemy import Decision, lookup, rewrite_queries

_MADE = EVENTS[0].format("", TS, "timestamptz")
Step: TypeAlias = str | tuple[str, Any]
STEPS = [
    "SET search_path = tenant, public",
    "SET LOCAL search_path = tenant, public",
    "RESET search_path",
    "SELECT set_config('search_path', 'tenant, public', true)",
    "SELECT set_config('search_path', 'tenant, public', false)",
    "SET ROLE asker",
    "SET LOCAL ROLE asker",
    "RESET ROLE",
    "RESET ALL",
    "DISCARD TEMP",
    "DISCARD PLANS",
    "SELECT set_config('app.tenant', '7', false)",
    _MADE.replace("TABLE events", "TEMP TABLE events"),
    _MADE.replace("TABLE events", "TEMP TABLE events ON COMMIT DROP"),
    *("savepoint", "release", "undo", "commit", "rollback"),
]
_DROP = "DROP TABLE IF EXISTS pg_temp.events"
_ALTER = "ALTER TABLE events ALTER ts TYPE timestamptz"
_BACK = ["rollback", "DISCARD TEMP", "RESET ROLE", "RESET ALL", "commit"]
_GIVEN = "SELECT set_config(%s, %s, %s)", ("role", "asker", True)
_TEMPORARY = _MADE.replace("TABLE events", "TEMP TABLE events")
_PATH = "SET search_path = tenant, public"
_COPY = "CREATE TEMP TABLE events AS SELECT * FROM events"
_UNLESS = "CREATE TEMP TABLE IF NOT EXISTS events AS SELECT * FROM public.events"
_VALUE = "CREATE TEMP TABLE events AS SELECT 1 AS n, %s AS ts, 'Asia/Kolkata' AS zone"
_VALUES = [(_VALUE, (dt.datetime(2026, 3, 1, tzinfo=zone),)) for zone in (None, dt.UTC)]
_BOTH = STEPS[4] + ", set_config('app.tenant', '7', true)"
_MANY = [f"more{number}" for number in range(101)]
SURE: list[Step] = [
    *(_TEMPORARY, "DISCARD PLANS", "RESET ALL", "commit", "DISCARD TEMP", "commit"),
    *("SET ROLE asker", "savepoint", "RESET ROLE", "undo", "SET LOCAL ROLE asker", "commit"),
    *(
        "RESET ALL",
        "RESET ROLE",
        "commit",
        _GIVEN,
        "commit",
        "savepoint",
        "SET ROLE asker",
        "undo",
        "rollback",
    ),
    *("SET LOCAL search_path = tenant, public", "rollback", _TEMPORARY, "rollback"),
    *("SAVEPOINT Here", "SET ROLE asker", "SAVEPOINT there", "ROLLBACK TO here", "rollback"),
    *("SET ROLE asker", "SAVEPOINT Here", "RESET ROLE", "ROLLBACK TO here", "rollback"),
    *("SAVEPOINT a", "SET ROLE asker", 'SAVEPOINT "a"', "RESET ROLE", "RELEASE a"),
    *("ROLLBACK /* it */ TO a", "rollback"),
    *("SET SESSION AUTHORIZATION asker", "RESET ROLE", "RESET SESSION AUTHORIZATION"),
    *("SET ROLE asker", "SET LOCAL session_authorization = DEFAULT", "commit", "RESET ROLE"),
    *('SET "search_path" = tenant, public', "RESET search_path", "commit"),
    "SET app.tenant = 'a; RESET ROLE'; -- it\nSET /* it */ ROLE asker; SELECT $$; RESET ROLE$$",
    *("commit", "RESET ROLE", f"SET app.tenant = '7'; /* it */ {_TEMPORARY}", "commit"),
    *("DISCARD TEMP", _BOTH, "commit", "RESET ALL", "commit"),
    *("twophase", "SET LOCAL ROLE asker", "commit"),
    *("twophase", "SET ROLE asker", "rollback", _PATH, _COPY, "RESET search_path", "commit"),
    *("DISCARD TEMP", _COPY, "commit", "DISCARD TEMP", _UNLESS, "DISCARD TEMP", _TEMPORARY),
    *(_UNLESS, "DISCARD TEMP", "SELECT * INTO pg_temp.events FROM tenant.events", "commit"),
    *("DISCARD TEMP", _VALUES[0], "commit", "DISCARD TEMP", _VALUES[1], "commit"),
    *("DISCARD TEMP", "SET ROLE asker"),
    *("; ".join(f"CREATE TEMP TABLE {name} (n int)" for name in _MANY), "commit", "RESET ROLE"),
    *("DISCARD TEMP", "commit"),
]
TABLES: list[Step] = [
    *(_ALTER, "rollback", _TEMPORARY, "commit", _DROP, "commit", _TEMPORARY, "commit", _DROP),
    *("rollback", "SELECT set_config('role', 'asker', false)", "commit", "RESET ROLE"),
    *(_TEMPORARY, "commit", _ALTER.replace("timestamptz", "timestamp"), "commit", "DISCARD TEMP"),
    *("SELECT * INTO TEMP events FROM tenant.events", "commit", "DISCARD TEMP", "commit"),
    *(_ALTER, "commit", _ALTER.replace("timestamptz", "timestamp"), "commit"),
    *(_MADE.replace("TABLE events", "TABLE pg_temp.events"), "commit"),
    *(f"DROP TABLE IF EXISTS {', '.join(_MANY[:14])}, pg_temp.events", "commit"),
    *(_TEMPORARY.replace(" events", " made"), "ALTER TABLE made RENAME TO events", "commit"),
    *("DISCARD TEMP", "commit"),
]
ASKED = [QUERIES[0], QUERIES[2]]
_STATE = (
    "SELECT current_setting('search_path'), current_user, "
    "to_regclass('events')::oid = to_regclass('pg_temp.events')::oid"
)


class Session:
    """A connection, and its open savepoints."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self.savepoints: list[sa.NestedTransaction] = []

    def take(self, step: Step) -> None:
        """Change the session."""
        if isinstance(step, tuple):
            self.connection.exec_driver_sql(*step)
        elif step == "twophase":
            self.connection.rollback()
            self.connection.begin_twophase()
        elif step in ("commit", "rollback"):
            self.savepoints.clear()
            getattr(self.connection, step)()
        elif step == "savepoint":
            self.savepoints.append(self.connection.begin_nested())
        elif step in ("release", "undo"):
            if self.savepoints:
                last = self.savepoints.pop()
                last.commit() if step == "release" else last.rollback()
        else:
            self.connection.exec_driver_sql(step)

    def outcome(self, step: Step, *queries: str) -> list[Any]:
        """The rows of queries after a step; an error undoes the transaction."""
        try:
            self.take(step)
            return [self.connection.exec_driver_sql(query).fetchall() for query in queries]
        except sa.exc.DBAPIError as error:
            self.take("rollback")
            return [type(error.orig)]


@pytest.mark.parametrize(
    ("seed", "count"),
    [
        (0, 0),
        (1, 0),
        (3, 0),
        *(pytest.param(one, 40, marks=pytest.mark.not_core) for one in (0, 1, 3, 9, 12)),
    ],
)
def test_sessions(
    server: postgres.Server, monkeypatch: pytest.MonkeyPatch, seed: int, count: int
) -> None:
    monkeypatch.setattr(PostgresWriter, "fewest_rows", 0)
    if seed % 3 == 0:  # as before PostgreSQL 18
        monkeypatch.setattr(PostgresAlchemy, "search_path", staticmethod(lambda driver: None))
    urls = [server.loaded(load) for _ in range(2)]
    # a prepared statement does not notice a new temporary table
    options = {"prepare_threshold": None}
    hooked, plain = (sa.create_engine(url, connect_args=options) for url in urls)
    decided: list[Decision] = []
    rewriting = rewrite_queries(hooked, measure=False, on_decision=decided.append)
    failed: list[str] = []
    monkeypatch.setattr(rewriting, "_is_stale", lambda *_: failed.append("once"))
    draw = random.Random(seed)
    steps: list[Step] = [*SURE, *draw.choices(STEPS, k=count)]
    if seed % 2:
        steps = [*SURE, *TABLES, *draw.choices([*STEPS, _DROP, _ALTER], k=count)]
    for engine in (hooked, plain):
        with engine.begin() as connection:  # the path of everybody leads the role elsewhere
            connection.exec_driver_sql("CREATE SCHEMA asker AUTHORIZATION asker")
            connection.exec_driver_sql(EVENTS[0].format("asker.", TS, "timestamptz"))
            connection.exec_driver_sql("GRANT SELECT ON asker.events TO asker")
    for again in (False, True):
        known = len(decided)
        with hooked.connect() as ours, plain.connect() as theirs:
            one, other = Session(ours), Session(theirs)
            for taken, step in enumerate([*_BACK, *steps]):
                rows = other.outcome(step, *ASKED, _STATE)
                assert one.outcome(step, *ASKED, _STATE) == rows, (taken, step)
                assert not failed or isinstance(rows[0], type), (taken, step)
                failed.clear()
        # the end of a transaction that changes a table forgets what stands on it
        assert not again or seed % 2 or len(decided) == known
    assert any(one.rewritten for one in decided)
    rewriting.disable()
    hooked.dispose()
    plain.dispose()


@pytest.mark.parametrize("keeps_settings", [True, False])
def test_a_rollback_undoes_tables_and_perhaps_settings(keeps_settings: bool) -> None:
    """DuckDB keeps what was set."""
    connection: Any = SimpleNamespace(info={})
    for statement in ("CREATE TEMP TABLE events (n int)", "SET search_path = tenant"):
        made = lookup.changes(statement)
        assert made is not None
        lookup.change(connection, made, statement, None)
    assert len(lookup.place_of(connection).entries) == 2
    lookup.end_transaction(connection, is_undone=True, keeps_settings=keeps_settings)
    assert set(lookup.place_of(connection).entries) == (
        {"=search_path"} if keeps_settings else set()
    )


@pytest.mark.parametrize(
    "statement",
    [
        *("RESET ALL", "DISCARD ALL", "DISCARD TEMP", "DISCARD PLANS", "RESET ROLE"),
        *("RESET search_path", "RESET app.tenant"),
    ],
)
def test_what_a_statement_takes_back(server: postgres.Server, statement: str) -> None:
    """As the server says."""
    session: Any = SimpleNamespace(info={})
    with server.connect() as connection:
        for one in (
            "SET search_path = pg_temp, tenant",
            "SET app.tenant = '7'",
            "CREATE TEMP TABLE events (n int)",
            "SET ROLE pg_monitor",
            statement,
        ):
            connection.execute(one.encode())
            if (made := lookup.changes(one)) is not None:
                lookup.change(session, made, one, None)
        [states] = connection.execute(
            "SELECT current_setting('search_path') LIKE '%tenant', current_user <> session_user, "
            "current_setting('app.tenant', true) = '7', to_regclass('pg_temp.events') IS NOT NULL"
        )
    entries = lookup.place_of(session).entries
    names = ("=search_path", "=role", ":app.tenant", "events")
    assert [bool(entries.get(name, ("",))[0]) for name in names] == list(states)


def test_what_a_driver_says() -> None:
    """psycopg 2 says it at other places than psycopg 3, others nowhere."""
    info = SimpleNamespace(parameter_status="the {}".format, transaction_status=0)
    for driver, said in ((SimpleNamespace(info=info), "the search_path"), (object(), None)):
        assert PostgresAlchemy.search_path(driver) == said
        assert PostgresAlchemy.is_idle(driver) == (said is not None)
    for name in ("sqlstate", "pgcode"):
        error: Any = ValueError()
        assert not PostgresAlchemy.is_stale(error)
        vars(error)[name] = "42703"
        assert PostgresAlchemy.is_stale(error)

"""Sessions that change what a name leads to: the hook follows them, and no statement fails first.

Sequences of paths, roles, temporary tables, savepoints, commits and rollbacks run on a hooked
connection and on a plain one. The text that checks its types would be an error where the hook has
lost track, so no statement may need its second run; and what was decided once stays decided.
"""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from tests import postgres
from tests.sqlalchemy.events import EVENTS, QUERIES, TS, load
from tzconv.engines.postgres.alchemy import PostgresAlchemy
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.sqlalchemy import Decision, lookup, rewrite_queries

_MADE = EVENTS[0].format("", TS, "timestamptz")
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
_GIVEN = "SELECT set_config(%s, %s, %s)"
_TEMPORARY = _MADE.replace("TABLE events", "TEMP TABLE events")
SURE = [
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
]
TABLES = [
    *(_ALTER, "rollback", _TEMPORARY, "commit", _DROP, "commit", _TEMPORARY, "commit", _DROP),
    *("rollback", "SELECT set_config('role', 'asker', false)", "commit", "RESET ROLE"),
    *(_TEMPORARY, "commit", _ALTER.replace("timestamptz", "timestamp"), "commit", "DISCARD TEMP"),
    *("SELECT * INTO TEMP events FROM tenant.events", "commit", "DISCARD TEMP", "commit"),
    *(_ALTER, "commit", _ALTER.replace("timestamptz", "timestamp"), "commit"),
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

    def take(self, step: str) -> None:
        """Change the session."""
        if step in ("commit", "rollback"):
            self.savepoints.clear()
            getattr(self.connection, step)()
        elif step == "savepoint":
            self.savepoints.append(self.connection.begin_nested())
        elif step in ("release", "undo"):
            if self.savepoints:
                last = self.savepoints.pop()
                last.commit() if step == "release" else last.rollback()
        else:
            given = ("role", "asker", True) if step == _GIVEN else None
            self.connection.exec_driver_sql(step, given)

    def outcome(self, step: str, *queries: str) -> list[Any]:
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
        *(pytest.param(one, 60, marks=pytest.mark.not_core) for one in (0, 1, 3, 9, 12)),
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
    steps = [*SURE, *draw.choices(STEPS, k=count)]
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
        lookup.change(connection, statement, None)
    place = lookup.place_of(connection)
    assert place is not None
    assert len(place.entries) == 2
    lookup.end_transaction(connection, place, is_undone=True, keeps_settings=keeps_settings)
    after = lookup.place_of(connection)
    assert after is not None
    assert set(after.entries) == ({"=search_path"} if keeps_settings else set())

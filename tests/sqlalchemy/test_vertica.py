"""Rewriting for an engine of Vertica, on the tests' server, through its SQLAlchemy dialect."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from tests import databases, postgres
from tests.databases import Database
from tzconv.errors import DatabaseError
from tzconv.refresher import refresh
from tzconv.sqlalchemy import Decision, local_time, new_time, rewrite_queries

ZONES = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]
_SCRIPT = [
    "CREATE TABLE publishers (id INT, zone VARCHAR(80))",
    "CREATE TABLE actions (happened TIMESTAMP, seen TIMESTAMPTZ, publisher INT)",
    *(
        f"INSERT INTO publishers VALUES ({number}, '{zone}')"
        for number, zone in enumerate([*ZONES, "Asia/Tokyo"])  # the last is not in the tables
    ),
    *(
        f"INSERT INTO actions VALUES ('{time}', '{time}+00', {number % 5})"
        for number, time in enumerate(
            dt.datetime(2026, month, day, hour, 29, 59)
            for month in (3, 4, 10, 11)
            for day in (1, 4, 5, 8, 29)
            for hour in (0, 6, 15, 16)
        )
    ),
]


@pytest.fixture(scope="module")
def loaded(server: postgres.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with databases.fresh("vertica", tmp_path_factory.mktemp("vertica"), server) as database:
        refresh(database.url, zones=ZONES, start=dt.date(2026, 1, 1), end=dt.date(2027, 1, 1))
        database.apply(*_SCRIPT, "CREATE TABLE logs (at TIMESTAMP)")
        yield database
        assert database.vertica is not None
        database.vertica.statements.clear()  # SQLAlchemy's own are none of tzconv's


@pytest.fixture
def engine(loaded: Database) -> Iterator[sa.Engine]:
    assert loaded.vertica is not None
    made = sa.create_engine(
        "vertica+vertica_python://", connect_args=loaded.vertica.options("dbadmin")
    )
    yield made
    made.dispose()


REPORTS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "zone of the row": (
        "SELECT NEW_TIME(a.happened, 'UTC', p.zone) AS local, p.id FROM actions a "
        "JOIN publishers p ON a.publisher = p.id WHERE a.happened >= :since "
        "AND a.happened < :before",
        {"since": dt.datetime(2026, 3, 2), "before": dt.datetime(2026, 4, 6)},
        "offset",
    ),
    "zone as a parameter": (
        "SELECT NEW_TIME(happened, 'UTC', :zone)::date AS day, COUNT(*) AS n, 7 % 4 AS rest, "
        "':zone' || '%' AS text FROM actions WHERE happened >= TIMESTAMP '2026-03-02' "
        "AND happened < TIMESTAMP '2026-04-06' GROUP BY 1 -- by :zone",
        {"zone": "Australia/Lord_Howe"},
        "inline",
    ),
    "now": (
        "SELECT COUNT(*) AS n FROM actions WHERE happened >= NOW() - INTERVAL '1 day'",
        {},
        "now",
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_reports_return_the_same(engine: sa.Engine, name: str) -> None:
    sql, given, strategy = REPORTS[name]
    if name == "zone as a parameter":  # the driver would write the value into comment and text
        sql = sql.replace("':zone'", "'zone'").replace("-- by :zone", "-- by zone")
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=told.append)
    with engine.connect() as connection:
        outcomes = []
        for options in ({}, {}, {"tzconv": False}):
            found = connection.execute(sa.text(sql), given, execution_options=options)
            outcomes.append((list(found.keys()), Counter(map(repr, found.all()))))
    rewriting.disable()
    assert outcomes[0] == outcomes[1] == outcomes[2]
    (decision,) = told
    assert strategy in {change.strategy for change in decision.changes}


@pytest.mark.not_core
def test_a_table_in_the_schema_of_the_user(loaded: Database, engine: sa.Engine) -> None:
    """SHOW SEARCH_PATH names it "$user"."""
    loaded.apply("CREATE SCHEMA dbadmin", "CREATE TABLE dbadmin.own (at TIMESTAMP)")
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=told.append)
    with engine.connect() as connection:
        sql = "SELECT NEW_TIME(at, 'UTC', 'Asia/Kolkata') FROM own"
        assert connection.execute(sa.text(sql)).all() == []
    rewriting.disable()
    assert [bool(decision.rewritten) for decision in told] == [True]


def test_local_times_are_those_of_zoneinfo(engine: sa.Engine) -> None:
    rewriting = rewrite_queries(engine)
    sql, given, _ = REPORTS["zone of the row"]
    with engine.connect() as connection:
        rows = connection.execute(sa.text(sql), given).all()
        times = connection.execute(sa.text("SELECT happened, publisher FROM actions")).all()
    rewriting.disable()
    zones = [ZoneInfo(name) for name in [*ZONES, "Asia/Tokyo"]]
    assert Counter(map(tuple, rows)) == Counter(
        (time.replace(tzinfo=dt.UTC).astimezone(zones[number]).replace(tzinfo=None), number)
        for time, number in times
        if given["since"] <= time < given["before"]
    )


def test_constructs(engine: sa.Engine) -> None:
    actions = sa.table(
        "actions",
        sa.column("happened", sa.TIMESTAMP()),
        sa.column("seen", sa.TIMESTAMP(timezone=True)),
    )
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=told.append)
    with engine.connect() as connection:
        for made in (
            new_time(actions.c.happened, "UTC", "Asia/Kolkata"),
            local_time(actions.c.happened, "America/New_York"),
            local_time(actions.c.seen, "America/New_York"),
        ):
            report = sa.select(made.label("local")).where(
                actions.c.happened < dt.datetime(2026, 11, 1)
            )
            rows = connection.execute(report).all()
            native = connection.execute(report, execution_options={"tzconv": False}).all()
            assert Counter(rows) == Counter(native)
            assert len(rows) > 40
    rewriting.disable()
    assert all(decision.rewritten for decision in told)


def test_the_zone_of_the_session(engine: sa.Engine) -> None:
    """A TIMESTAMP is compared with NOW() by a cast that depends on it."""
    told: list[Decision] = []
    rewriting = rewrite_queries(engine, on_decision=told.append)
    with engine.connect() as connection:
        for zone in ("America/New_York", "UTC", "America/New_York"):
            connection.exec_driver_sql(f"SET TIME ZONE TO '{zone}'")
            connection.execute(sa.text(REPORTS["now"][0])).all()
    rewriting.disable()
    assert [decision.rewritten is not None for decision in told] == [False, True]


def test_parameters_by_position_are_left_to_the_driver(engine: sa.Engine) -> None:
    rewriting = rewrite_queries(engine)
    sql = "SELECT NEW_TIME(happened, 'UTC', %s) AS local FROM actions"
    with engine.connect() as connection:
        assert len(connection.exec_driver_sql(sql, ("Asia/Kolkata",)).all()) == 80
    rewriting.disable()


def test_no_shadow_mode(engine: sa.Engine) -> None:
    with pytest.raises(DatabaseError, match="does not run on Vertica"):
        rewrite_queries(engine, shadow=0.5)

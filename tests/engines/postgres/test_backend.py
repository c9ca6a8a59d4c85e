"""PostgreSQL as a backend: what it is told, what it leaves alone, how it fails."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy.engine import make_url

from tests import ROOT, databases, postgres
from tests.command import assert_one_sentence
from tests.databases import FREE, START, Database, message, numbered_all, small
from tests.waiting import SECONDS, eventually
from tzconv import engines, migrate, tables
from tzconv.engines.backend import Backend
from tzconv.engines.postgres.load import Postgres
from tzconv.engines.postgres.session import options
from tzconv.errors import DatabaseError, QueryError
from tzconv.refresher import refresh
from tzconv.tables import generate
from tzconv.target import read_options
from tzconv.tz import horizon

RULES = numbered_all()


@pytest.fixture
def database(tmp_path: Path, server: postgres.Server) -> Iterator[Database]:
    with databases.fresh("postgres", tmp_path, server) as opened:
        yield opened


def reload(server: postgres.Server) -> None:
    """Let the server read its files again, which it does a little later."""

    def loaded() -> object:
        with server.connect() as connection:  # a new session has what the server has read
            return connection.execute("SELECT pg_conf_load_time()").fetchone()

    before = loaded()
    with server.connect() as connection:
        connection.execute("SELECT pg_reload_conf()")
    assert eventually(lambda: loaded() != before)


@pytest.fixture
def password(server: postgres.Server) -> Iterator[None]:
    """A user with a password, and a server that asks for it."""
    rules = server.data / "pg_hba.conf"
    before = rules.read_text()
    with server.connect() as connection:
        connection.execute("CREATE ROLE reporter LOGIN PASSWORD 'right-s3cret'")
        rules.write_text("local all reporter scram-sha-256\n" + before)
        reload(server)
        yield
        rules.write_text(before)
        reload(server)
        connection.execute("DROP OWNED BY reporter")
        connection.execute("DROP ROLE reporter")


def test_a_wrong_password(server: postgres.Server, password: None) -> None:
    said = message(server.url(user="reporter", password="wrong-s3cret"))
    assert "password authentication failed" in said
    assert "check the user and the password" in said
    said = message(server.url(user="reporter"))
    assert "no password supplied: set PGPASSWORD, use the password file" in said
    assert "right-s3cret" in server.url(user="reporter", password="right-s3cret")
    with engines.connect(server.url(user="reporter", password="right-s3cret")) as backend:
        assert backend.product().startswith("PostgreSQL 1")


def test_no_such_database_user_or_host(server: postgres.Server, tmp_path: Path) -> None:
    assert 'database "nowhere" does not exist: create it' in message(server.url("nowhere"))
    assert 'role "nobody" does not exist' in message(server.url(user="nobody"))
    with server.connect() as connection:
        connection.execute("CREATE ROLE reporter")
        for change, advice in (
            ("ALTER ROLE reporter NOLOGIN", "log in: ALTER ROLE … LOGIN, or use another user."),
            (
                "ALTER ROLE reporter LOGIN; REVOKE CONNECT ON DATABASE postgres FROM PUBLIC",
                'for database "postgres": grant that right to the user of the URL',
            ),
            ("ALTER ROLE reporter CONNECTION LIMIT 0", "close other connections, or try"),
        ):
            connection.execute(change)
            assert advice in message(server.url(user="reporter"))
        connection.execute("GRANT CONNECT ON DATABASE postgres TO PUBLIC; DROP ROLE reporter")
    said = message("postgresql+psycopg://me:s3cret@127.0.0.1:1/reports")
    assert said.startswith("Cannot connect to reports on 127.0.0.1: ")
    assert "check host and port" in said
    said = message("postgresql+psycopg://me@no-password.invalid/reports")
    assert said.endswith("check the host of the URL."), said
    for option in ("sslmode=wrong", "nothing=1"):
        said = message(f"{server.url()}&{option}")
        assert said.endswith("check the options after the question mark of the URL."), said
    said = message(f"postgresql+psycopg://me:s3cret@/reports?host={tmp_path}")
    assert "No such file or directory" in said
    assert "psycopg2" in message("postgresql+psycopg2://me:s3cret@host/reports")


def test_a_user_who_may_not_write(password: None, database: Database) -> None:
    assert database.server is not None
    url = database.server.url(database.name, "reporter", "right-s3cret")
    database.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")  # until 14, everybody may
    assert "permission denied for schema public" in message(url)
    small(database.url)
    assert "permission denied" in message(url)
    with pytest.raises(DatabaseError, match="permission denied"):
        read_options(url)
    page = (ROOT / "docs" / "refresh.md").read_text()
    database.run(*re.findall(r"```sql\n(GRANT SELECT .*?;)\n```", page, re.DOTALL))
    assert read_options(url)["loaded"]
    database.run(f"GRANT SELECT ON {tables.MIGRATION} TO reporter")  # a job needs one more
    assert "permission denied for table" in message(url)
    database.run(f"GRANT UPDATE ON {tables.RELEASE.name} TO reporter")
    assert not small(url)
    before = database.contents()
    assert "permission denied for table" in message(url, zones=["Asia/Tokyo"])
    assert database.contents() == before


def test_a_deadlock(database: Database) -> None:
    small(database.url)
    name, other = tables.ZONE.name, tables.RELEASE.name
    assert database.server is not None
    with (
        database.server.connect(database.name) as theirs,
        engines.connect(database.url, lock_timeout=60) as backend,
    ):
        theirs.execute("SET deadlock_timeout = '1h'; BEGIN")  # the server stops ours
        theirs.execute(f"LOCK {other}")
        thread = threading.Thread(target=theirs.execute, args=(f"LOCK {name}",))
        with contextlib.suppress(DatabaseError), backend.transaction():
            backend.execute_own(f"LOCK {backend.name(name)}")
            thread.start()
            with pytest.raises(DatabaseError, match=r"deadlock detected .*: run it again\.$"):
                backend.execute_own(f"LOCK {backend.name(other)}")
        thread.join()


def test_without_the_driver(tmp_path: Path) -> None:
    """As where the extra was not installed: everything else works, and one sentence says it."""
    (tmp_path / "psycopg.py").write_text("raise ImportError('none', name='psycopg')")
    done = subprocess.run(
        [sys.executable, "-m", "tzconv", "refresh", "--url", "postgresql://me@host/reports"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert_one_sentence(
        done, "The driver psycopg is not installed: pip install 'tzconv[postgres]'."
    )


NAMES = ["reporting", "Mixed Case", "x; DROP SCHEMA public CASCADE; --", 'a"b', "it's 100% :sure"]


@pytest.mark.parametrize("schema", NAMES)
def test_a_schema_of_any_name(database: Database, schema: str) -> None:
    assert "has no schema" in message(database.url, schema=schema)
    quoted = '"' + schema.replace('"', '""') + '"'
    database.run(f"CREATE SCHEMA {quoted}")
    assert small(database.url, "Asia/Kolkata", "UTC", schema=schema)
    assert not small(database.url, "Asia/Kolkata", "UTC", schema=schema)
    assert small(database.url, "Asia/Tokyo", schema=schema)
    assert database.run(
        "SELECT DISTINCT table_schema FROM information_schema.tables "
        "WHERE table_name LIKE 'time_zone_%'"
    ) == [(schema,)]
    assert database.run(f"SELECT DISTINCT time_zone_name FROM {quoted}.{tables.DAILY.name}") == [
        ("Asia/Tokyo",)
    ]
    assert small(database.url, schema="public")  # the one beside it is another


def test_the_keys_are_there_after_every_kind_of_load(database: Database) -> None:
    wanted = {(table.name, column) for table in tables.ALL for column in table.key}
    for zone in ("UTC", "Asia/Tokyo"):
        small(database.url, zone)
        found = database.run(
            "SELECT tc.table_name, kcu.column_name FROM information_schema.table_constraints tc "
            "JOIN information_schema.key_column_usage kcu USING (constraint_name, table_name) "
            "WHERE tc.constraint_type = 'PRIMARY KEY' AND tc.table_schema = 'public' "
            "AND tc.table_name <> "
            f"'{tables.MIGRATION}'"
        )
        assert {(str(table), str(column)) for table, column in found} == wanted


def test_statistics_are_committed_with_the_rows(database: Database) -> None:
    small(database.url)
    [(rows,)] = database.run(
        f"SELECT reltuples::int FROM pg_class WHERE relname = '{tables.HOURLY.name}'"
    )
    assert rows == 31 * 24


def test_a_second_refresh_waits_and_then_says_who_is_at_work(database: Database) -> None:
    small(database.url)
    with engines.connect(database.url) as one, one.transaction():
        one.lock()
        with pytest.raises(DatabaseError) as caught:
            small(database.url, "Asia/Tokyo", lock_timeout=0.3)
        said = str(caught.value)
        assert f"process {os.getpid()} of" in said
        assert "user postgres" in said
        assert "--lock-timeout" in said
        assert not small(database.url)  # nothing to do needs no lock
        done: list[bool] = []
        waiting = threading.Thread(
            target=lambda: done.append(small(database.url, "Asia/Tokyo", lock_timeout=SECONDS))
        )
        waiting.start()
        waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        assert eventually(lambda: database.run(waits))
        assert done == []
    waiting.join(SECONDS)
    assert done == [True]


def test_refreshes_of_two_schemas_do_not_wait(database: Database) -> None:
    database.run("CREATE SCHEMA a", "CREATE SCHEMA b")
    with engines.connect(database.url, schema="a") as one, one.transaction():
        one.lock()
        assert small(database.url, schema="b", lock_timeout=0.2)


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_the_server_and_numpy_agree_on_all_zones(database: Database, name: str) -> None:
    table = tables.CONVERSIONS[name]
    range_ = horizon.Horizon(dt.date(2026, 3, 1), dt.date(2026, 5, 1))
    with engines.connect(database.url) as backend:
        with backend.transaction():
            migrate.migrate(backend)
            # the zone and the period table are compared with what is before them
            for one in dict.fromkeys((*tables.ALWAYS, name)):
                rows = generate.stream(one, RULES, None, range_)
                backend.load(tables.CONVERSIONS[one], rows, new=True)
            for statement in backend.derivation():
                backend.execute(statement)
        expected = {}
        for zone in RULES.names:
            [columns] = generate.zone_columns(name, RULES, zone, range_)
            if len(next(iter(columns.values()))):
                expected[zone] = databases.sums_of(table, columns)
        assert backend.checksums(table) == expected
        one = "Africa/Abidjan"
        assert backend.checksums(table, [one]) == {one: expected[one]}
        assert backend.broken(table) == {}
        times = [column.name for column in table.columns if column.type == "timestamp"]
        for time in times:
            for damage in (f"{time} + INTERVAL '1 microsecond'", "'infinity'", "'-infinity'"):
                before = backend.checksums(table)
                database.run(
                    f"UPDATE {table.name} SET {time} = {damage} "
                    f"WHERE ctid = (SELECT min(ctid) FROM {table.name} WHERE {time} IS NOT NULL)"
                )
                assert backend.checksums(table) not in (before, expected), damage


def test_what_the_server_makes_of_times(database: Database) -> None:
    """Against the function called directly, at times with microseconds and long ago."""
    names = ["America/New_York", "Asia/Kolkata", "CET"]
    times = np.array(
        ["0001-01-01T00:00:00", "1883-11-18T16:59:59.999999", "2026-07-01T12:30:00.000001"],
        "M8[us]",
    ).astype(np.int64)
    with engines.connect(database.url) as backend:
        for to_utc in (False, True):
            places = np.repeat(np.arange(3, dtype=np.int32), 3)
            answers = backend.convert(names, places, np.tile(times, 3), to_utc=to_utc)
            for place, moment, answer in zip(places, np.tile(times, 3), answers, strict=True):
                zone = f"'{names[place]}'"
                one, two = (zone, "'UTC'") if to_utc else ("'UTC'", zone)
                text = str(moment.view("M8[us]")).replace("T", " ")
                [(expected,)] = database.run(
                    f"SELECT to_char(TIMESTAMP '{text}' AT TIME ZONE {one} AT TIME ZONE {two}, "
                    "'YYYY-MM-DD HH24:MI:SS.US BC')"
                )
                if str(expected).endswith("AD"):
                    assert str(answer.view("M8[us]")).replace("T", " ") + " AD" == expected


def test_queries_of_users(database: Database) -> None:
    with engines.connect(database.url) as backend:
        result = backend.query(
            "SELECT 1 AS a, 0.5::float8 AS a, now() - now() AS i, NULL::date, 'x%s' || 1"
        )
        assert result.names == ("a", "a", "i", "date", "?column?")
        assert result.types == ("int4", "float8", "interval", "date", "text")
        assert result.rows.to_pylist() == [
            {"c0": "1", "c1": 0.5, "c2": "00:00:00", "c3": None, "c4": "x%s1"}
        ]
        assert result.seconds > 0
        for wrong, said in (
            ("SELECT 1; SELECT 2", "multiple commands"),
            ("CREATE TABLE t (a int)", "only a single SELECT"),
            ("SET TimeZone = 'UTC'", "only a single SELECT"),
            ("SELECT nothing", 'column "nothing" does not exist'),
            ("SELEKT", "syntax error"),
        ):
            with pytest.raises(QueryError, match=said):
                backend.query(wrong)
        with backend.transaction(read_only=True):
            with pytest.raises(QueryError):
                backend.query("SELECT nothing")
            assert backend.query("SELECT 1 AS one").rows.num_rows == 1


def test_a_lost_connection_leaves_the_old_state(database: Database) -> None:
    small(database.url)
    before = database.contents()
    with engines.connect(database.url) as backend:
        assert isinstance(backend, Postgres)
        load = Postgres.load

        def cut(self: Postgres, *rest: object, **other: object) -> None:
            database.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                f"WHERE datname = '{database.name}' AND pid <> pg_backend_pid()"
            )
            load(self, *rest, **other)  # type: ignore[arg-type] # passed on as they came

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Postgres, "load", cut)
            said = message_of(backend)
    assert said.startswith("The connection to PostgreSQL was lost")
    assert database.contents() == before
    assert small(database.url, "Asia/Tokyo")


def message_of(backend: Backend) -> str:
    with pytest.raises(DatabaseError) as caught:
        small(backend, "Asia/Tokyo")
    return str(caught.value)


def test_a_full_disk_leaves_the_old_state(tmp_path: Path) -> None:
    """A server whose files may not grow past some size: its disk is full, as far as it can tell."""
    with (
        postgres.running(file_limit=24_000_000) as full,
        databases.fresh("postgres", tmp_path, full) as database,
    ):
        small(database.url)
        before = database.contents()
        with pytest.raises(DatabaseError) as caught:
            refresh(
                database.url, zones=RULES.names[:200], start=START, end=dt.date(2027, 1, 1), **FREE
            )
        assert "could not extend file" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert database.contents() == before
        assert not small(database.url)


def test_reading_of_the_types_of_columns(database: Database) -> None:
    database.run(
        'CREATE TABLE "Odd.Name" ("A b" timestamptz, c numeric(9, 2))',
        "CREATE SCHEMA s",
        "CREATE TABLE s.t (x timestamp)",
        "CREATE VIEW v AS SELECT x, now() AS n FROM s.t",
    )
    with engines.connect(database.url, read_only=True) as backend:
        types = backend.column_types()
        assert types["v"] == types["public.v"]
        assert types["v"] == {
            "x": "timestamp without time zone",
            "n": "timestamp with time zone",
        }
        assert types["Odd.Name"] == {"A b": "timestamp with time zone", "c": "numeric(9,2)"}
        assert types["s.t"] == {"x": "timestamp without time zone"}
        assert "t" not in types
        backend.set_session_time_zone("Asia/Tokyo")
        assert backend.session_time_zone() == "Asia/Tokyo"
        with pytest.raises(DatabaseError, match="Mars"):
            backend.set_session_time_zone("Mars")


def test_other_programs_work_on_the_tables(database: Database) -> None:
    """A reader's long transaction is no obstacle; a lock on a table is waited for and named."""
    small(database.url)
    assert database.server is not None
    with database.server.connect(database.name) as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute(f"SELECT count(*) FROM {tables.DAILY.name}")
        assert small(database.url, "Asia/Tokyo")
        assert reader.execute(
            f"SELECT DISTINCT time_zone_name FROM {tables.DAILY.name}"
        ).fetchall() == [("UTC",)]
        reader.execute("ROLLBACK; BEGIN")
        reader.execute(f"LOCK TABLE {tables.DAILY.name}")
        with pytest.raises(DatabaseError, match="lock timeout"):
            small(database.url, "Europe/Paris", lock_timeout=0)
        reader.execute("ROLLBACK")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://me:p%40ss%2F%3A@db.example:6432/reports?sslmode=require",
        "postgresql+psycopg:///reports?host=/run/postgresql&connect_timeout=5",
        "postgresql://me@/reports",
        "postgresql://[::1]:5433/reports?options=-c%20search_path%3Da",
        "postgresql+psycopg://me@/reports?host=one:1&host=two:2",
        "postgresql+psycopg://me@/reports?host=one:5433",
    ],
)
def test_a_url_is_read_as_sqlalchemy_reads_it(url: str) -> None:
    parsed = make_url(url).set(drivername="postgresql+psycopg")
    _, expected = parsed.get_dialect()().create_connect_args(parsed)
    assert options(parsed) == expected

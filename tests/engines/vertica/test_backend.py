"""Vertica as a backend, over the wire: what it is told, what it leaves alone, how it fails.

The server is that of tests/vertica_server: unmodified vertica-python talks to it.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests import ROOT, databases, postgres, vertica_server
from tests.command import assert_one_sentence
from tests.databases import FREE, Database, message, numbered_all, quiet, small, vertica_of
from tests.vertica_server import User
from tests.waiting import eventually
from tzconv import engines, health, migrate, tables
from tzconv.errors import DatabaseError, QueryError
from tzconv.refresher import refresh
from tzconv.tables import generate
from tzconv.tz import horizon

RULES = numbered_all()


@pytest.fixture
def database(tmp_path: Path, server: postgres.Server) -> Iterator[Database]:
    with databases.fresh("vertica", tmp_path, server) as opened:
        yield opened


def reporter(database: Database) -> str:
    """The URL of a user with a password and no rights."""
    server = vertica_of(database)
    name = f"reporter_{server.postgres_database}"
    server.add_user(name, User("right-s3cret", "sha512"))
    return server.url(name, "right-s3cret")


@pytest.fixture
def second(database: Database) -> Iterator[str]:
    """The URL of `reporter`, who is gone afterwards."""
    url = reporter(database)
    yield url
    name = url.partition("//")[2].partition(":")[0]
    vertica_of(database).kill_all()
    database.run(f"DROP OWNED BY {name}", f"DROP ROLE {name}")


# -- connecting


def test_a_wrong_password(database: Database, second: str) -> None:
    said = message(quiet(second.replace("right", "wrong")))
    assert said == (
        "Cannot connect to vmart on 127.0.0.1: Invalid username or password: "
        "check the user and the password of the URL."
    )
    with engines.connect(quiet(second)) as backend:
        assert backend.product() == "Vertica 24.4.0-0"


def test_no_such_database_or_host_and_wrong_options(database: Database) -> None:
    url = vertica_of(database).url()
    assert 'Database "nowhere" does not exist: check' in message(url.replace("vmart", "nowhere"))
    said = message("vertica+vertica_python://me:s3cret@127.0.0.1:1/reports")
    assert said.startswith("Cannot connect to reports on 127.0.0.1: Failed to establish")
    assert "check host and port" in said
    assert "check host and port" in message("vertica://me:s3cret@no.such.host.invalid/reports")
    assert "vertica+vertica_python://" in message("vertica+pyodbc://me:s3cret@host/reports")
    for option, told in (
        ("tlsmode=perhaps", "verify-full"),
        ("connection_load_balance=maybe", "true or false"),
        ("connection_timeout=soon", "a number of seconds"),
        ("backup_server_node=a:b", "HOST:PORT"),
        ("autocommit=true", "is not passed on"),
        ("pasword=s3cret", "is not passed on"),
    ):
        assert told in message(f"{url}?{option}"), option


def certificate(folder: Path) -> tuple[Path, Path]:
    """A new certificate for 127.0.0.1, and its key."""
    files = folder / "server.crt", folder / "server.key"
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext"
    names = ("subjectAltName=IP:127.0.0.1", "-out", str(files[0]), "-keyout", str(files[1]))
    subprocess.run([*make.split(), *names], check=True, capture_output=True)
    return files


def test_tls(database: Database, tmp_path: Path) -> None:
    import ssl

    server = vertica_of(database)
    said = message(f"{server.url()}?tlsmode=require")
    assert said.endswith("configure TLS on the server, or leave tlsmode out of the URL.")
    assert small(server.url())  # the driver asks for it, and does without: no warning either
    shown, key = certificate(tmp_path)
    server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.tls.load_cert_chain(shown, key)
    server.require_tls = True
    assert "set tlsmode=require" in message(f"{server.url()}?tlsmode=disable")
    assert not small(f"{server.url()}?tlsmode=require")
    assert not small(f"{server.url()}?tlsmode=verify-full&tls_cafile={shown}")
    other = tmp_path / "other"
    other.mkdir()
    said = message(f"{server.url()}?tlsmode=verify-ca&tls_cafile={certificate(other)[0]}")
    assert "certificate" in said
    assert "No such file" in message(f"{server.url()}?tlsmode=verify-ca&tls_cafile=/no/such")


def test_load_balancing_and_other_nodes(database: Database, server: postgres.Server) -> None:
    """A server that sends its clients to another one, and one that is not there."""

    target = vertica_of(database)
    with vertica_server.running(server) as front:
        front.load_balance_to = (target.host, target.port)
        assert small(quiet(front.url()) + "&connection_load_balance=true")
        assert front.recorded() == []
        assert target.recorded() != []
    away = quiet(target.url()).replace(f":{target.port}/", ":1/")
    assert not small(f"{away}&backup_server_node={target.host}:{target.port}")


def test_without_the_driver(tmp_path: Path) -> None:
    """As where the extra was not installed: everything else works, and one sentence says it."""
    (tmp_path / "vertica_python.py").write_text("raise ImportError('none', name='vertica_python')")
    done = subprocess.run(
        [sys.executable, "-m", "tzconv", "refresh", "--url", "vertica://me@host/reports"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert_one_sentence(
        done, "The driver vertica_python is not installed: pip install 'tzconv[vertica]'."
    )


# -- the tables


def test_a_user_who_may_not_write(database: Database, second: str) -> None:
    url = quiet(second)
    database.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    assert "ermission denied for schema public" in message(url)
    small(database.url)
    assert "has something else" not in message(url)  # it cannot even see them
    name = url.partition("//")[2].partition(":")[0]
    database.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
    assert "ermission denied" in message(url)  # a run with nothing to do leaves a sign
    with engines.connect(url) as backend:
        assert health.doctor(backend, dt.datetime(2026, 1, 1)).healthy
    before = database.contents()
    assert "ermission denied" in message(url, "Asia/Tokyo")
    assert database.contents() == before


NAMES = ["reporting", "Mixed Case", "x; DROP SCHEMA public CASCADE; --", "it's 100% :sure"]


@pytest.mark.parametrize("schema", NAMES)
def test_a_schema_of_any_name(database: Database, schema: str) -> None:
    assert "has no schema" in message(database.url, schema=schema)
    database.run(f'CREATE SCHEMA "{schema}"')
    assert small(database.url, "Asia/Kolkata", "UTC", schema=schema)
    assert not small(database.url, "Asia/Kolkata", "UTC", schema=schema)
    assert small(database.url, "Asia/Tokyo", schema=schema)
    assert database.run(
        "SELECT DISTINCT table_schema FROM information_schema.tables "
        "WHERE table_name LIKE 'time_zone_%'"
    ) == [(schema,)]
    assert database.run(f'SELECT DISTINCT time_zone_name FROM "{schema}".{tables.DAILY.name}') == [
        ("Asia/Tokyo",)
    ]
    assert small(database.url, schema="public")  # the one beside it is another


def test_the_design_of_the_tables_and_their_statistics(database: Database) -> None:
    small(database.url)
    server = vertica_of(database)
    for table in tables.ALL:
        design = server.design(table.name)
        assert design.order_by == list(table.key)
        assert design.segmentation == "UNSEGMENTED ALL NODES"
        [key] = design.keys
        assert (key.columns, key.primary, key.enabled) == (list(table.key), True, False)
    [(rows,)] = database.run(
        f"SELECT reltuples::int FROM pg_class WHERE relname = '{tables.HOURLY.name}'"
    )
    assert rows == 31 * 24


ALEMBIC = (sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini")


def test_the_migrations_offline(database: Database) -> None:
    def script(*arguments: str) -> str:
        command = [*ALEMBIC, "-x", "dialect=vertica", *arguments, "--sql"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout

    database.apply(script("upgrade", "head"))
    with engines.connect(database.url) as backend:
        assert backend.migration() == migrate.newest()
        backend.check_ours()
    for table in tables.ALL:
        assert vertica_of(database).design(table.name).order_by == list(table.key)
    assert small(database.url)
    database.apply(script("downgrade", "head:base"))
    left = database.run(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    )
    assert left == [(tables.MIGRATION,)]
    assert small(database.url)


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_the_server_sums_rows_as_we_do(database: Database, name: str) -> None:
    """All zones: NumPy's sums against those of the rows that arrived."""
    table = tables.CONVERSIONS[name]
    range_ = horizon.Horizon(dt.date(2026, 3, 1), dt.date(2026, 5, 1))
    with engines.connect(database.url) as backend:
        with backend.transaction():
            backend.lock()
            migrate.migrate(backend)
            for one in {*tables.ALWAYS, name}:  # a zone's row and its spans are checked together
                loaded = generate.stream(one, RULES, None, range_)
                backend.load(tables.CONVERSIONS[one], loaded, new=True)
        expected = {
            zone: databases.sums_of(table, *generate.zone_columns(name, RULES, zone, range_))
            for zone in RULES.names
        }
        expected = {zone: sums for zone, sums in expected.items() if sums[0]}
        assert backend.checksums(table) == expected
        one = "Africa/Abidjan"
        assert backend.checksums(table, [one]) == {one: expected[one]}
        assert backend.broken(table) == {}


def tzconv(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tzconv", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_commands(database: Database) -> None:
    range_ = ["--start", "2026-01-01", "--end", "2029-01-01"]
    asked = ["--url", database.url, "--zones", "UTC", *range_]
    assert "Cannot connect" in tzconv("status", "--url", "vertica://127.0.0.1:1/x").stderr
    assert tzconv("migrate", "--url", database.url).stderr == (
        f"The tables have revision {migrate.newest()}: 7 statements run.\n"
    )
    planned = tzconv("refresh", *asked, "--dry-run", "--json")
    assert planned.returncode == 2
    assert [one["bytes"] for one in json.loads(planned.stdout)["tables"]] == [None] * 5
    shown = tzconv("refresh", *asked, "--dry-run")
    assert shown.returncode == 2
    assert "insert 1,096 rows of 1 zone\n" in shown.stdout  # nobody has measured their size
    assert tzconv("refresh", *asked).returncode == 0
    assert tzconv("refresh", *asked, "--dry-run").returncode == 0
    told = json.loads(tzconv("status", "--url", database.url, "--json").stdout)
    assert told["database"] == "Vertica 24.4.0-0"
    assert told["sizes"]["daily"] > 0
    assert tzconv("doctor", "--url", database.url).returncode == 0
    assert tzconv("migrate", "--url", database.url).stderr.endswith("nothing to do.\n")


def test_a_query_that_is_interrupted(database: Database) -> None:
    with engines.connect(database.url) as backend:
        with ThreadPoolExecutor() as pool:
            job = pool.submit(backend.query, "SELECT SLEEP(600)")
            assert eventually(lambda: vertica_of(database).running("SELECT SLEEP(600)"))
            backend.interrupt()
            with pytest.raises(QueryError, match="cancel"):
                job.result()
        assert backend.query("SELECT 1 AS one").rows.num_rows == 1


# -- its own time zones


def test_what_the_server_makes_of_times(database: Database) -> None:
    """Against the function called directly, at times with microseconds and long ago."""
    names = ["America/New_York", "Asia/Kolkata", "CET"]
    times = np.array(
        ["2026-07-01T12:30:00.000001", "1902-01-01T00:00:00", "1918-11-18T16:59:59.999999"],
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
                    f"SELECT TIMESTAMP '{text}' AT TIME ZONE {one} AT TIME ZONE {two}"
                )
                assert answer.view("M8[us]").item() == expected


def test_names_that_it_does_not_know(database: Database) -> None:
    with engines.connect(database.url) as backend:
        asked = ["UTC", "No/Such", "Asia/Kolkata", "Nor/This", "CET"]
        assert backend.zone_names(asked) == {"utc", "asia/kolkata", "cet"}
        assert backend.zone_names(["Asia/Tokyo", "No/Such"]) >= {"asia/tokyo"}
        assert "no/such" not in backend.zone_names([])
        # PostgreSQL, which answers here, reads these as abbreviations
        assert backend.abbreviations() == {"cet", "eet", "met", "wet"}


def test_a_horizon_beyond_the_rules_of_the_function(database: Database) -> None:
    end = dt.date(2038, 3, 1)
    result = refresh(database.url, zones=["Europe/Paris"], start=dt.date(2037, 12, 1), end=end)
    assert result.beyond_function == dt.date(2038, 1, 1)
    assert result.disagreements == ()
    with engines.connect(database.url) as backend:
        found = health.status(backend, dt.datetime(2037, 12, 1))
    [said] = [one.text for one in found.findings if one.check == "function range"]
    assert "from 2038-01-01 on" in said
    shown = subprocess.run(
        [
            *(sys.executable, "-m", "tzconv", "refresh", "--url", database.url),
            *("--zones", "UTC", "--start", "2037-01-01", "--end", "2038-02-01"),
            "--allow-drop",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "no daylight saving from 2038-01-01 on" in shown.stderr
    result = refresh(
        database.url, zones=["UTC"], start=dt.date(2037, 1, 1), end=dt.date(2038, 1, 1), **FREE
    )
    assert result.beyond_function is None


# -- users' queries


def test_queries_of_users(database: Database) -> None:
    with engines.connect(database.url) as backend:
        result = backend.query(
            "SELECT 1 AS a, 0.5::float AS a, TIMESTAMP '2026-01-01 00:00:00.5', NULL::date, "
            "'x%s;--' || 1 -- ; not the end\n;"
        )
        assert result.names[:2] == ("a", "a")
        assert [kind.lower() for kind in result.types[:4]] == [
            "integer",
            "float",
            "timestamp",
            "date",
        ]
        assert result.rows.to_pylist() == [
            {"c0": "1", "c1": 0.5, "c2": "2026-01-01 00:00:00.5", "c3": None, "c4": "x%s;--1"}
        ]
        assert result.seconds > 0
        assert np.isnan(result.cpu_seconds)
        assert backend.query("SELECT 1 AS one LIMIT 0").rows.num_rows == 0
        for wrong, said in (
            ("SELECT 1; SELECT 2", "multiple commands"),
            ("CREATE TABLE t (a int)", "only a single SELECT"),
            ("SELECT 1 AS a INTO TABLE t", "it writes"),
            ("SELECT 1 /* /* */; DROP TABLE t /* */ */", "multiple commands"),
            ("SELECT $$; DROP TABLE t; $$", "multiple commands"),
            ("", "it is nothing"),
            ("SELECT nothing", 'Column "nothing" does not exist'),
            ("SELECT FROM WHERE", "yntax error"),
        ):
            with pytest.raises(QueryError, match=said):
                backend.query(wrong)
        with backend.transaction(read_only=True):
            with pytest.raises(QueryError):
                backend.query("SELECT nothing")
            assert backend.query("SELECT 1 AS one").rows.num_rows == 1


def test_reading_of_the_types_of_columns(database: Database) -> None:
    database.apply(
        "CREATE TABLE t (x timestamptz, c numeric(9, 2))",
        "CREATE SCHEMA s",
        "CREATE TABLE s.t (x timestamp)",
        "CREATE VIEW v AS SELECT x FROM s.t",
        "CREATE TABLE s.u (x timestamp)",
    )
    with engines.connect(database.url, read_only=True) as backend:
        types = backend.column_types()
        assert types["v"] == types["public.v"] == {"x": "timestamp"}
        assert types["t"] == {"x": "timestamptz", "c": "numeric(9,2)"}
        assert types["s.t"] == {"x": "timestamp"}
        assert "u" not in types
        backend.set_session_time_zone("Asia/Tokyo")
        assert backend.session_time_zone() == "Asia/Tokyo"
        with pytest.raises(DatabaseError, match="Mars"):
            backend.set_session_time_zone("Mars")

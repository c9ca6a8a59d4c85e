"""Statements: what is taken, what is refused and as which class of error, what comes back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from vertica_python import Connection, errors

from tests import postgres
from tests.vertica_server import Server, User, running
from tests.vertica_server.client import connect, run, state


@pytest.fixture(scope="module")
def vertica_of_module(server: postgres.Server) -> Iterator[Server]:
    with running(server) as vertica:
        yield vertica


@pytest.fixture
def connection(vertica_of_module: Server) -> Iterator[Connection]:
    with connect(vertica_of_module) as connection:
        for (table,) in run(connection, "SELECT table_name FROM v_catalog.tables"):
            run(connection, f"DROP TABLE {table}")
        run(connection, "CREATE TABLE t (a int, b varchar(20), c timestamp)")
        run(connection, "INSERT INTO t VALUES (1, 'one', '2026-01-01')")
        connection.commit()
        yield connection


TYPED: list[tuple[str, str, Any]] = [
    ("1", "Integer", 1),
    ("9223372036854775807", "Integer", 2**63 - 1),
    ("'text ß 日本'", "Varchar", "text ß 日本"),
    ("''", "Varchar", ""),
    ("CAST('x' AS varchar(3))", "Varchar", "x"),
    ("DATE '0001-02-03'", "Date", dt.date(1, 2, 3)),
    (
        "TIMESTAMP '2026-03-29 02:30:00.123456'",
        "Timestamp",
        dt.datetime(2026, 3, 29, 2, 30, 0, 123456),
    ),
    ("TIMESTAMP '2026-03-29'", "Timestamp", dt.datetime(2026, 3, 29)),
    (
        "TIMESTAMPTZ '2026-03-29 00:00:00+02'",
        "TimestampTz",
        dt.datetime(2026, 3, 28, 22, tzinfo=dt.UTC),
    ),
    ("CAST(12.50 AS numeric(6, 2))", "Numeric", Decimal("12.50")),
    ("1.5::float", "Float", 1.5),
    ("1 = 1", "Boolean", True),
    ("1 = 2", "Boolean", False),
    ("NULL", "Varchar", None),
    ("CAST(NULL AS timestamp)", "Timestamp", None),
    ("TIME '10:20:30'", "Time", dt.time(10, 20, 30)),
    ("'a' || NULL", "Varchar", None),
]


@pytest.mark.parametrize(("sql", "type_name", "value"), TYPED)
def test_types(connection: Connection, sql: str, type_name: str, value: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(f"SELECT {sql} AS found")
    assert cursor.fetchall() == [[value]]
    (column,) = cursor.description
    assert (column.name, column.type_name) == ("found", type_name)


ERRORS: list[tuple[str, type[Exception], str]] = [
    ("SELEC 1", errors.VerticaSyntaxError, 'Syntax error at or near "SELEC"'),
    ("SELECT FROM WHERE", errors.VerticaSyntaxError, "yntax error at or near"),
    ("SELECT a FROM", errors.VerticaSyntaxError, "yntax error at"),
    ("SELECT * FROM missing", errors.MissingRelation, 'Relation "missing" does not exist'),
    ("SELECT * FROM nowhere.t", errors.MissingSchema, 'Schema "nowhere" does not exist'),
    ("DELETE FROM nowhere.t", errors.MissingSchema, 'Schema "nowhere" does not exist'),
    ("INSERT INTO nowhere.t VALUES (1)", errors.MissingSchema, "nowhere"),
    ("CREATE TABLE nowhere.t (a int)", errors.MissingSchema, "nowhere"),
    ("SELECT z FROM t", errors.MissingColumn, 'Column "z" does not exist'),
    ("SELECT t.z FROM t", errors.MissingColumn, 'Column "t.z" does not exist'),
    ("INSERT INTO t (z) VALUES (1)", errors.MissingColumn, "z"),
    ("CREATE TABLE t (a int)", errors.DuplicateObject, 'Object "t" already exists'),
    ("CREATE SCHEMA public", errors.DuplicateObject, "already exists"),
    ("SELECT 'x'::timestamp", errors.InvalidDatetimeFormat, "timestamp"),
    ("SELECT no_such(1)", errors.QueryError, "Function no_such"),
    ("SELECT 'x'::int", errors.QueryError, "22V02"),
    ("DROP TABLE missing", errors.MissingRelation, "missing"),
    ("DROP SCHEMA nowhere", errors.MissingSchema, "nowhere"),
    ("TRUNCATE TABLE missing", errors.MissingRelation, "missing"),
    ("COPY missing FROM STDIN NO COMMIT", errors.MissingRelation, "missing"),
    ("COPY t (a, z) FROM STDIN NO COMMIT", errors.MissingColumn, "z"),
    ("SELECT * FROM pg_class", errors.MissingRelation, "pg_class"),
    ("SELECT * FROM pg_catalog.pg_class", errors.MissingSchema, "pg_catalog"),
    ("SELECT * FROM information_schema.tables", errors.MissingSchema, "information_schema"),
    ("SELECT pg_sleep(1)", errors.MissingRelation, "pg_sleep"),
    ("SELECT generate_series(1, 2)", errors.QueryError, "Function generate_series"),
    ("ALTER SESSION SET NoSuchThing = 1", errors.QueryError, "is unknown"),
    ("SELECT THROW_ERROR('mine')", errors.QueryError, "USER GENERATED ERROR: mine"),
    ("RELEASE SAVEPOINT missing", errors.QueryError, 'Savepoint "missing" does not exist'),
]


@pytest.mark.parametrize(("sql", "kind", "text"), ERRORS)
def test_errors(connection: Connection, sql: str, kind: type[Exception], text: str) -> None:
    with pytest.raises(errors.QueryError) as caught:
        run(connection, sql)
    error: Any = caught.value
    assert text in str(error)
    assert error.error_code.isdigit()
    assert type(error) is kind
    assert run(connection, "SELECT a FROM t") == [[1]]


REFUSED = [
    "VALUES (1)",
    "SELECT * FROM (VALUES (1), (2)) v",
    "INSERT INTO t (a) VALUES (1), (2)",
    "INSERT INTO t (a) VALUES (1) RETURNING a",
    "INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING",
    "INSERT INTO t",
    "INSERT t VALUES (1)",
    "SELECT a FROM t ORDER BY a NULLS LAST",
    "SELECT a FROM t ORDER BY a DESC NULLS FIRST",
    "SELECT * FROM (SELECT a FROM t ORDER BY a NULLS LAST) x",
    "SELECT TIMEZONE('UTC', c) FROM t",
    "SELECT count(*) FILTER (WHERE a > 1) FROM t",
    "SELECT a FROM t FETCH FIRST 1 ROW ONLY",
    "SELECT DISTINCT ON (a) a FROM t",
    "SELECT a INTO other FROM t",
    "SELECT * FROM t, LATERAL (SELECT t.a) x",
    "SELECT * FROM ONLY t",
    "SELECT * FROM t TABLESAMPLE SYSTEM (1)",
    "SELECT INTERVAL 1 DAY",
    "WITH x AS (DELETE FROM t) SELECT 1",
    "WITH x AS MATERIALIZED (SELECT 1) SELECT * FROM x",
    "DELETE t",
    "DELETE FROM t USING t u WHERE t.a = u.a",
    "DELETE FROM t WHERE",
    "UPDATE t",
    "MERGE INTO t USING t u ON t.a = u.a WHEN MATCHED THEN DELETE",
    "TRUNCATE t",
    "CREATE INDEX i ON t (a)",
    "CREATE UNLOGGED TABLE u (a int)",
    "CREATE TABLE u",
    "CREATE MATERIALIZED VIEW v AS SELECT 1",
    "CREATE VIEW v AS VALUES (1)",
    "CREATE EXTENSION hstore",
    "CREATE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql",
    "DROP DATABASE x",
    "DROP TABLE",
    "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE t, u RENAME TO v",
    "VACUUM t",
    "ANALYZE t",
    "EXPLAIN DELETE FROM t",
    "DO $$ BEGIN END $$",
    "CALL f()",
    "LISTEN x",
    "NOTIFY x",
    "PREPARE p AS SELECT 1",
    "DECLARE c CURSOR FOR SELECT 1",
    "SET lock_timeout = 1",
    "SET LOCKTIMEOUT TO 1",
    "SET ROLE postgres",
    "RESET ALL",
    "SHOW ALL",
    "GRANT EXECUTE ON FUNCTION f TO dbadmin",
    "GRANT dbadmin TO dbadmin",
    "COMMENT ON DATABASE x IS 'x'",
    "BEGIN ISOLATION LEVEL SERIALIZABLE",
    "COMMIT PREPARED 'x'",
    "LOCK TABLE t",
    "REFRESH MATERIALIZED VIEW v",
    "COPY t FROM STDIN WITH (FORMAT csv)",
    "COPY t TO STDOUT",
    "COPY t FROM STDIN NO COMMIT NULL ''",
    "COPY t FROM STDIN NO COMMIT ABORT ON ERROR",
    "COPY t FROM STDIN ABORT ON ERROR ABORT ON ERROR",
    "COPY t FROM STDIN DELIMITER '|' GZIP",
    "COPY t FROM STDIN DELIMITER",
    "COPY FROM STDIN",
    "SELECT 'unterminated",
    'SELECT "unterminated',
    "SELECT /* unterminated",
    "SELECT a ` b",
]


@pytest.mark.parametrize("sql", REFUSED)
def test_what_vertica_refuses(connection: Connection, sql: str) -> None:
    """Syntax errors, and nothing has happened."""
    with pytest.raises(errors.QueryError) as caught:
        run(connection, sql)
    assert isinstance(caught.value, errors.VerticaSyntaxError) or (
        "not supported by the test server" in str(caught.value)
    )
    assert run(connection, "SELECT a, b FROM t") == [[1, "one"]]
    tables = "SELECT table_name FROM v_catalog.all_tables"
    assert run(connection, tables) == [["t"]]


TAKEN: list[tuple[str, Any]] = [
    ("SELECT 1 /*+ LABEL(x) */", 1),
    ("(SELECT 2)", 2),
    ("WITH x AS (SELECT 3 AS a) SELECT a FROM x", 3),
    ("SELECT 7 / 2", Decimal("3.5")),
    ("SELECT a / 2 FROM t", Decimal("0.5")),
    ("SELECT rank() OVER (ORDER BY a NULLS LAST) FROM t", 1),
    ("SELECT a FROM t ORDER BY a DESC LIMIT 1 OFFSET 0", 1),
    (
        "SELECT NEW_TIME('2026-07-01 12:00:00', 'UTC', 'America/New_York')",
        dt.datetime(2026, 7, 1, 8),
    ),
    ("SELECT NEW_TIME(c, 'GMT', 'Asia/Kolkata') FROM t", dt.datetime(2026, 1, 1, 5, 30)),
    ("SELECT NEW_TIME('2012-05-24 13:48:00', 'EST', 'PST')", dt.datetime(2012, 5, 24, 10, 48)),
    ("SELECT NEW_TIME(NULL, 'UTC', 'EST')", None),
    ("SELECT c AT TIME ZONE 'UTC' AT TIMEZONE 'Asia/Tokyo' FROM t", dt.datetime(2026, 1, 1, 9)),
    ("SELECT \"timezone\"('UTC', \"timezone\"('UTC', c)) FROM t", dt.datetime(2026, 1, 1)),
    ("SELECT date_trunc('hour', c) FROM t", dt.datetime(2026, 1, 1)),
    ("SELECT GETUTCDATE() - GETDATE() < INTERVAL '1 second'", True),
    ("SELECT ANALYZE_STATISTICS('t')", 0),
    ("SELECT ANALYZE_STATISTICS('public.t', 'a, b')", 0),
    ("SELECT E'a\\tb'", "a\tb"),
    ("SELECT $$it's$$", "it's"),
    ("SELECT a::varchar || 'x' FROM t", "1x"),
    ("SELECT count(*) FROM t WHERE c BETWEEN '2026-01-01' AND NOW()", 1),
    ("SHOW SEARCH_PATH", "search_path"),
    ("INSERT INTO t SELECT a + 1, b, c FROM t", 1),
    ("INSERT INTO t DEFAULT VALUES", 1),
    ("UPDATE t SET a = 2 WHERE a = 99", 0),
    ("DELETE FROM t", 1),
    (
        "MERGE INTO t USING (SELECT 1 AS a) u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = 'x' "
        "WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)",
        1,
    ),
]


@pytest.mark.parametrize(("sql", "value"), TAKEN)
def test_what_is_taken(connection: Connection, sql: str, value: Any) -> None:
    assert run(connection, sql)[0][0] == value


def test_the_time_zone_of_the_session(connection: Connection) -> None:
    sql = "SELECT TIMESTAMPTZ '2026-07-01 12:00:00+00', TIMESTAMP '2026-07-01' AT TIME ZONE 'UTC'"
    for zone, hours in (("Asia/Tokyo", 9), ("America/New_York", -4)):
        run(connection, f"SET TIME ZONE TO '{zone}'")
        connection.rollback()  # a setting is not undone
        assert run(connection, "SHOW TIMEZONE") == [["timezone", zone]]
        assert connection.parameters["timezone"] == zone
        (row,) = run(connection, sql)
        assert [value.utcoffset() for value in row] == [dt.timedelta(hours=hours)] * 2


def test_settings_inside_a_transaction(connection: Connection) -> None:
    run(connection, "INSERT INTO t (a) VALUES (2)")
    run(connection, "SET TIMEZONE TO 'Asia/Tokyo'")
    with pytest.raises(errors.QueryError):
        run(connection, "SET TIME ZONE TO 'No/Where'")
    run(connection, "SET SEARCH_PATH TO public")
    assert run(connection, "SELECT count(*) FROM t") == [[2]]
    connection.rollback()
    assert run(connection, "SHOW TIMEZONE") == [["timezone", "Asia/Tokyo"]]
    assert run(connection, "SELECT count(*) FROM tables") == [[1]]
    assert state(connection) == "in_transaction"


def test_privileges(vertica_of_module: Server, connection: Connection) -> None:
    vertica_of_module.add_user("reader", User())
    with connect(vertica_of_module, "reader") as reader:
        for sql in ("SELECT * FROM t", "DELETE FROM t", "INSERT INTO t VALUES (1)", "DROP TABLE t"):
            with pytest.raises(errors.PermissionDenied):
                run(reader, sql)
        with pytest.raises(errors.PermissionDenied):
            reader.cursor().copy("COPY t FROM STDIN NO COMMIT", "1||\n")
        tables = "SELECT table_name FROM v_catalog.tables"
        assert run(reader, tables) == []
        run(connection, "GRANT SELECT, INSERT ON TABLE t TO reader")
        assert run(reader, "SELECT a FROM t") == [[1]]
        assert run(reader, tables) == [["t"]]
        reader.cursor().copy("COPY t FROM STDIN ABORT ON ERROR", "2||\n")
        run(connection, "REVOKE ALL PRIVILEGES ON t FROM reader")
        with pytest.raises(errors.PermissionDenied):
            run(reader, "SELECT a FROM t")

"""What commits, what rolls back, and how far."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from vertica_python import Connection, errors

from tests.vertica_server import Server
from tests.vertica_server.client import connect, run, state

Seen = Callable[[], list[int]]


@pytest.fixture
def connection(vertica: Server) -> Iterator[Connection]:
    with connect(vertica) as connection:
        run(connection, "CREATE TABLE t (a int); CREATE TABLE other (a int)")
        yield connection


@pytest.fixture
def seen(vertica: Server) -> Iterator[Seen]:
    """What another session sees in the table."""
    with connect(vertica, autocommit=True) as other:

        def look() -> list[int]:
            return [row[0] for row in run(other, "SELECT a FROM t ORDER BY a")]

        yield look


def test_commit_and_rollback(connection: Connection, seen: Seen) -> None:
    run(connection, "INSERT INTO t VALUES (1)")
    assert seen() == []
    connection.commit()
    assert seen() == [1]
    run(connection, "DELETE FROM t")
    connection.rollback()
    assert seen() == [1]
    run(connection, "INSERT INTO t VALUES (2)")
    connection.close()
    assert seen() == [1]


def test_autocommit(vertica: Server, connection: Connection, seen: Seen) -> None:
    with connect(vertica, autocommit=True) as one:
        run(one, "INSERT INTO t VALUES (1)")
        assert seen() == [1]
        assert state(one) == "no_transaction"
        run(one, "BEGIN")
        run(one, "INSERT INTO t VALUES (2)")
        assert seen() == [1]
        run(one, "ROLLBACK")
        one.autocommit = False
        assert not one.autocommit
        run(one, "INSERT INTO t VALUES (3)")
        assert seen() == [1]
        one.autocommit = True
        run(one, "COMMIT")
        assert seen() == [1, 3]
        with pytest.raises(errors.MissingRelation):
            run(one, "SELECT * FROM missing")
        assert state(one) == "no_transaction"
        one.cursor().copy("COPY t FROM STDIN NO COMMIT", "4\n")
        assert seen() == [1, 3, 4]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE u (a int)",
        "CREATE TABLE IF NOT EXISTS other (a int)",
        "CREATE TABLE u AS SELECT * FROM t",
        "CREATE VIEW v AS SELECT a FROM t",
        "CREATE SCHEMA s",
        "DROP TABLE other",
        "DROP TABLE IF EXISTS missing",
        "ALTER TABLE other ADD COLUMN b int",
        "ALTER TABLE other RENAME COLUMN a TO b",
        "GRANT SELECT ON t TO dbadmin",
        "COMMENT ON TABLE other IS 'text'",
        "TRUNCATE TABLE other",
        "CREATE TABLE t (a int)",  # fails, and what was before it is committed all the same
    ],
)
@pytest.mark.filterwarnings("ignore:NOTICE")
def test_definitions_commit(connection: Connection, seen: Seen, statement: str) -> None:
    run(connection, "INSERT INTO t VALUES (1)")
    try:
        run(connection, statement)
    except errors.DuplicateObject:
        assert statement == "CREATE TABLE t (a int)"
    assert seen() == [1]
    assert state(connection) == "no_transaction"
    connection.rollback()
    assert seen() == [1]


def test_truncate_cannot_be_rolled_back(connection: Connection, seen: Seen) -> None:
    run(connection, "INSERT INTO t VALUES (1)")
    run(connection, "TRUNCATE TABLE t")
    connection.rollback()
    assert seen() == []


def test_copy_commits_unless_told_not_to(connection: Connection, seen: Seen) -> None:
    cursor = connection.cursor()
    run(connection, "INSERT INTO t VALUES (1)")
    cursor.copy("COPY t FROM STDIN ABORT ON ERROR NO COMMIT", "2\n3\n")
    assert seen() == []
    connection.rollback()
    assert seen() == []
    run(connection, "INSERT INTO t VALUES (1)")
    cursor.copy("COPY t FROM STDIN ABORT ON ERROR", "2\n")
    assert seen() == [1, 2]
    connection.rollback()
    assert seen() == [1, 2]


def test_copy_into_temporary_tables_does_not_commit(connection: Connection, seen: Seen) -> None:
    run(connection, "INSERT INTO t VALUES (1)")
    run(connection, "CREATE LOCAL TEMP TABLE stage (a int) ON COMMIT PRESERVE ROWS")
    connection.cursor().copy("COPY stage FROM STDIN ABORT ON ERROR", "2\n")
    assert seen() == []
    connection.commit()
    assert seen() == [1]
    assert run(connection, "SELECT a FROM stage") == [[2]]


@pytest.mark.parametrize(("clause", "left"), [("PRESERVE", 1), ("DELETE", 0), (None, 0)])
def test_temporary_rows(connection: Connection, clause: str | None, left: int) -> None:
    rows = f"ON COMMIT {clause} ROWS" if clause else ""
    run(connection, f"CREATE LOCAL TEMPORARY TABLE stage (a int) {rows}")
    run(connection, "INSERT INTO stage VALUES (1)")
    assert run(connection, "SELECT count(*) FROM stage") == [[1]]
    connection.commit()
    assert run(connection, "SELECT count(*) FROM stage") == [[left]]


def test_an_error_undoes_its_statement_only(connection: Connection, seen: Seen) -> None:
    run(connection, "INSERT INTO t VALUES (1)")
    for statement in (
        "INSERT INTO t SELECT 1 / (a - a) FROM t",
        "SELECT * FROM missing",
        "SELEC",
        "SELECT 'x'::int",
    ):
        with pytest.raises(errors.QueryError):
            run(connection, statement)
        assert state(connection) == "in_transaction"
    with pytest.raises(errors.CopyRejected):
        connection.cursor().copy("COPY t FROM STDIN ABORT ON ERROR", "7\nx\n")
    run(connection, "INSERT INTO t VALUES (2)")
    assert seen() == []
    connection.commit()
    assert seen() == [1, 2]


def test_an_error_undoes_all(vertica: Server, connection: Connection, seen: Seen) -> None:
    """As a client must expect too: an error that rolls the transaction back."""
    vertica.statement_level_rollback = False
    with connect(vertica) as one:
        run(one, "INSERT INTO t VALUES (1)")
        with pytest.raises(errors.CopyRejected):
            one.cursor().copy("COPY t FROM STDIN ABORT ON ERROR NO COMMIT", "7\nx\n")
        assert state(one) == "failed_transaction"
        with pytest.raises(errors.QueryError, match="aborted"):
            run(one, "CREATE TABLE u (a int)")
        one.commit()
        assert seen() == []
        run(one, "INSERT INTO t VALUES (2)")
        one.commit()
        assert seen() == [2]


def test_savepoints(connection: Connection, seen: Seen) -> None:
    run(connection, "INSERT INTO t VALUES (1); SAVEPOINT one; INSERT INTO t VALUES (2)")
    run(connection, "SAVEPOINT two; INSERT INTO t VALUES (3)")
    with pytest.raises(errors.QueryError, match='Savepoint "three" does not exist'):
        run(connection, "ROLLBACK TO three")
    run(connection, "ROLLBACK TO SAVEPOINT two")
    run(connection, "INSERT INTO t VALUES (4); RELEASE SAVEPOINT two")
    with pytest.raises(errors.QueryError, match="does not exist"):
        run(connection, "ROLLBACK TO two")
    run(connection, "ROLLBACK TO one; INSERT INTO t VALUES (5)")
    connection.commit()
    assert seen() == [1, 5]
    with pytest.raises(errors.QueryError, match="does not exist"):
        run(connection, "ROLLBACK TO one")


def test_readers_see_all_or_nothing(connection: Connection, seen: Seen) -> None:
    """The refresh that tables get: DELETE, COPY NO COMMIT, COMMIT."""
    connection.cursor().copy("COPY t FROM STDIN ABORT ON ERROR", "1\n2\n")
    run(connection, "DELETE FROM t")
    assert seen() == [1, 2]
    connection.cursor().copy("COPY t FROM STDIN ABORT ON ERROR NO COMMIT", "3\n4\n")
    assert seen() == [1, 2]
    connection.commit()
    assert seen() == [3, 4]


def test_now_stands_still_in_a_transaction(connection: Connection) -> None:
    (first,) = run(connection, "SELECT NOW(), GETUTCDATE()")
    (second,) = run(connection, "SELECT NOW(), GETUTCDATE()")
    assert first[0] == second[0]
    assert first[1] < second[1]
    connection.commit()
    assert run(connection, "SELECT NOW()")[0][0] > second[0]

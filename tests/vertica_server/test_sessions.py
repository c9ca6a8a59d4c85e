"""Connecting, being thrown out, cancelling, waiting for each other."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from struct import pack
from typing import Literal

import pytest
import vertica_python
from vertica_python import errors

from tests import postgres, vertica_server
from tests.vertica_server.client import connect, run, state
from tests.waiting import eventually

Server = vertica_server.Server
Method = Literal["trust", "cleartext", "md5", "sha512"]
METHODS: list[Method] = ["cleartext", "md5", "sha512"]


def backends(server: Server) -> int:
    with server.postgres.connect() as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s "
            "AND backend_type = 'client backend'",
            (server.postgres_database,),
        ).fetchone()
    assert row is not None
    return int(str(row[0]))


@pytest.mark.parametrize("method", METHODS)
def test_passwords(vertica: Server, method: Method) -> None:
    user = type(vertica.users["dbadmin"])("pá ss/w:ord", method)
    vertica.add_user("reader", user)
    with connect(vertica, "reader", password="pá ss/w:ord") as connection:
        assert run(connection, "SELECT current_user") == [["reader"]]
    for wrong in ("pá ss/w:orD", "", "x" * 1000):
        with pytest.raises(errors.ConnectionError, match="Invalid username or password"):
            connect(vertica, "reader", password=wrong)
    assert eventually(lambda: not vertica.sessions())


def test_users_and_databases_that_do_not_exist(vertica: Server) -> None:
    with pytest.raises(errors.ConnectionError, match="Invalid username or password"):
        connect(vertica, "nobody", password="x")
    with pytest.raises(errors.ConnectionError, match='Database "other" does not exist'):
        connect(vertica, database="other")


def test_what_the_server_says_of_itself(vertica: Server) -> None:
    with connect(vertica, session_label="tzconv 1.0") as connection:
        assert connection.parameters["protocol_version"] == 3 << 16 | 16
        assert connection.parameters["auto_commit"] == "off"
        assert connection.backend_pid == vertica.sessions()[0].pid
        ((version,),) = run(connection, "SELECT version()")
        assert version.startswith("Vertica Analytic Database v")
        sql = "SELECT user_name, client_label, session_id FROM v_monitor.sessions"
        session = vertica.sessions()[0].id
        assert ["dbadmin", "tzconv 1.0", session] in run(connection, sql)
    with connect(vertica, autocommit=True) as connection:
        assert connection.autocommit


def test_states_of_transactions(vertica: Server) -> None:
    with connect(vertica) as connection:
        run(connection, "CREATE TABLE t (a int)")
        assert state(connection) == "no_transaction"
        run(connection, "SELECT 1")
        assert state(connection) == "in_transaction"
        connection.rollback()
        assert state(connection) == "no_transaction"
        with pytest.raises(errors.VerticaSyntaxError):
            run(connection, "SELEC 1")
        assert state(connection) == "no_transaction"
    vertica.statement_level_rollback = False
    with connect(vertica) as connection:
        run(connection, "INSERT INTO t VALUES (1)")
        with pytest.raises(errors.MissingRelation):
            run(connection, "SELECT * FROM missing")
        assert state(connection) == "failed_transaction"
        with pytest.raises(errors.QueryError, match="Current transaction is aborted") as caught:
            run(connection, "SELECT 1")
        assert caught.value.sqlstate == "25V02"
        connection.commit()
        assert run(connection, "SELECT count(*) FROM t") == [[0]]


def test_cancel(vertica: Server) -> None:
    with connect(vertica) as connection:
        run(connection, "CREATE TABLE t (a int)")
        run(connection, "INSERT INTO t VALUES (1)")
        connection.cancel()  # nothing runs
        assert eventually(lambda: vertica.cancelled)  # or it meets the next statement
        with ThreadPoolExecutor() as pool:
            job = pool.submit(run, connection, "SELECT sleep(600)")
            assert eventually(lambda: vertica.running("SELECT sleep(600)"))
            connection.cancel()
            with pytest.raises(errors.QueryCanceled):
                job.result()
        assert run(connection, "SELECT a FROM t") == [[1]]


def test_cancel_between_rows(vertica: Server) -> None:
    """As in the driver's own tests: what was sent before the cancel still comes."""
    with connect(vertica) as connection:
        digits = " UNION ALL ".join(f"SELECT {digit} AS d" for digit in range(10))
        run(connection, f"CREATE TABLE t AS SELECT 1 AS a FROM ({digits}) x, ({digits}) y")
        cursor = connection.cursor()
        cursor.execute("SELECT 1 FROM t a, t b, t c, t d")
        for _ in range(100):
            assert cursor.fetchone() == [1]
        connection.cancel()
        with pytest.raises(errors.QueryCanceled):
            sum(1 for _ in cursor.iterate())
        assert cursor.rowcount < 10_000_000
        assert run(connection, "SELECT 1") == [[1]]


def test_a_cancel_with_the_wrong_key_does_nothing(vertica: Server) -> None:
    with connect(vertica) as connection:
        connection.backend_key ^= 1
        with ThreadPoolExecutor() as pool:
            job = pool.submit(run, connection, "SELECT sleep(1)")
            assert eventually(lambda: vertica.running("SELECT sleep(1)"))
            connection.cancel()
            assert job.result() == [[0]]
        assert vertica.cancelled == 0


def test_killed_sessions_leave_nothing(vertica: Server) -> None:
    with connect(vertica) as other, connect(vertica) as connection:
        run(other, "CREATE TABLE t (a int)")
        run(connection, "INSERT INTO t VALUES (1)")
        victim = next(one for one in vertica.sessions() if one.pid == connection.backend_pid)
        with ThreadPoolExecutor() as pool:
            job = pool.submit(run, connection, "SELECT sleep(600)")
            assert eventually(lambda: vertica.running("SELECT sleep(600)"))
            vertica.kill(victim)
            with pytest.raises(errors.ConnectionError):
                job.result()
        assert run(other, "SELECT count(*) FROM t") == [[0]]
        assert len(vertica.sessions()) == 1
        connection.options["port"] = 0  # it would write a farewell to a new connection
        connection.write = lambda *_: None


def test_close_session(vertica: Server) -> None:
    connection = connect(vertica)
    with connect(vertica) as other:
        run(other, "CREATE TABLE t (a int)")
        run(connection, "INSERT INTO t VALUES (1)")
        session = f"v_vmart_node0001-{connection.backend_pid}:0x1"
        assert "close command sent" in run(other, f"SELECT CLOSE_SESSION('{session}')")[0][0]
        with pytest.raises((errors.ConnectionError, errors.QueryError)):
            run(connection, "SELECT 1")
        connection.close_socket()
        assert run(other, "SELECT count(*) FROM t") == [[0]]


def test_a_client_that_vanishes_while_it_waits(vertica: Server) -> None:
    connection = connect(vertica)
    connection.write(vertica_python.vertica.messages.Query("SELECT sleep(600)"))
    assert eventually(lambda: vertica.running("SELECT sleep(600)"))
    assert backends(vertica) == 1
    connection.close_socket()
    assert eventually(lambda: backends(vertica) == 0)
    assert eventually(lambda: not vertica.sessions())


@pytest.mark.parametrize(
    "noise",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        pack("!II", 8, 80877103),
        pack("!II", 8, 3 << 16),
        pack("!II", 2**31, 3 << 16 | 5),
        pack("!IIII", 16, 80877102, 1, 2),
    ],
)
def test_noise(vertica: Server, noise: bytes) -> None:
    with socket.create_connection((vertica.host, vertica.port)) as client:
        client.sendall(noise)
        with contextlib.suppress(OSError):  # the server may have hung up before
            client.shutdown(socket.SHUT_WR)
            while client.recv(1000):
                pass
    with connect(vertica) as connection:
        assert run(connection, "SELECT 1") == [[1]]


def test_locks(vertica: Server) -> None:
    """Deleting keeps other writers out, inserting does not, and nobody keeps readers out."""
    with connect(vertica) as one, connect(vertica) as two, connect(vertica) as three:
        run(one, "CREATE TABLE t (a int)")
        for connection in (two, three):
            run(connection, "ALTER SESSION SET LockTimeout = 1")
        run(two, "INSERT INTO t VALUES (2)")
        run(three, "INSERT INTO t VALUES (3)")
        two.commit()
        three.rollback()
        run(one, "DELETE FROM t WHERE a = 99")
        locks = "SELECT object_name, lock_mode, lock_scope FROM v_monitor.locks"
        assert run(one, locks) == [["Table:public.t", "X", "TRANSACTION"]]
        copy = "COPY t FROM STDIN ABORT ON ERROR NO COMMIT"
        writers: list[Callable[[], object]] = [
            lambda: run(two, "DELETE FROM t"),
            lambda: run(two, "INSERT INTO t VALUES (2)"),
            lambda: run(two, "UPDATE t SET a = 1"),
            lambda: two.cursor().copy(copy, "1\n"),
        ]
        waits = "SELECT count(*) FROM v_monitor.locks WHERE lock_scope = 'REQUESTED'"
        for write in writers:
            with ThreadPoolExecutor() as pool:
                job = pool.submit(write)
                assert eventually(lambda: run(one, waits) == [[1]])
                with pytest.raises(errors.LockFailure):
                    job.result()
        assert run(two, "SELECT a FROM t") == [[2]]
        one.commit()
        run(two, "DELETE FROM t")
        two.commit()
        assert run(three, "SELECT count(*) FROM t") == [[0]]


def test_a_lock_that_comes_in_time(vertica: Server) -> None:
    with connect(vertica) as one, connect(vertica) as two, ThreadPoolExecutor() as pool:
        run(one, "CREATE TABLE t (a int)")
        run(one, "DELETE FROM t")
        job = pool.submit(run, two, "DELETE FROM t")
        sql = "SELECT count(*) FROM v_monitor.locks WHERE lock_scope = 'REQUESTED'"
        assert eventually(lambda: run(one, sql) == [[1]])
        assert not job.done()
        one.commit()
        assert job.result(timeout=300) == [[0]]


def test_lock_table(vertica: Server) -> None:
    with connect(vertica) as one, connect(vertica) as two:
        run(one, "CREATE TABLE t (a int)")
        run(one, "LOCK TABLE t IN INSERT MODE")
        run(two, "LOCK t IN INSERT MODE NOWAIT")
        with pytest.raises(errors.LockFailure):
            run(two, "LOCK t IN EXCLUSIVE MODE NOWAIT")
        with pytest.raises(errors.LockFailure):
            run(two, "LOCK t IN SHARE MODE NOWAIT")
        with pytest.raises(errors.VerticaSyntaxError):
            run(two, "LOCK t IN ACCESS SHARE MODE")


def test_the_default_of_the_lock_timeout(vertica: Server) -> None:
    vertica.lock_timeout = 0.5
    with connect(vertica) as one, connect(vertica) as two:
        run(one, "CREATE TABLE t (a int)")
        run(one, "DELETE FROM t")
        with pytest.raises(errors.LockFailure):
            run(two, "DELETE FROM t")


def test_the_recorder(vertica: Server) -> None:
    with connect(vertica) as connection:
        run(connection, "SELECT 1; /* note */ SELECT 2 -- end")
    assert vertica.recorded() == ["SELECT 1", "SELECT 2"]
    assert {one.user for one in vertica.statements} == {"dbadmin"}


def test_the_end_leaves_no_threads_and_no_database(server: postgres.Server) -> None:
    with vertica_server.running(server) as one:
        connection = connect(one)
        run(connection, "SELECT 1")
        name = one.postgres_database
    connection.close_socket()
    left = {thread.name for thread in threading.enumerate()}
    assert not left & {"vertica listener", "vertica session"}
    with server.connect() as other:
        sql = "SELECT 1 FROM pg_database WHERE datname = %s"
        assert other.execute(sql, (name,)).fetchone() is None

"""COPY FROM STDIN: what arrives in the table, what is rejected, and what a broken load leaves."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vertica_python import Connection, errors

from tests import postgres
from tests.vertica_server import Server, running
from tests.vertica_server.client import Rows, connect, run
from tests.waiting import eventually

COPY = "COPY t (a, b, c) FROM STDIN DELIMITER '|' NULL '' ABORT ON ERROR NO COMMIT"


@pytest.fixture(scope="module")
def vertica_of_module(server: postgres.Server) -> Iterator[Server]:
    with running(server) as vertica:
        yield vertica


@pytest.fixture
def connection(vertica_of_module: Server) -> Iterator[Connection]:
    with connect(vertica_of_module) as connection:
        for (table,) in run(connection, "SELECT table_name FROM v_catalog.tables"):
            run(connection, f"DROP TABLE {table}")
        run(connection, "CREATE TABLE t (a int NOT NULL, b varchar(8), c timestamp)")
        yield connection


def copy(connection: Connection, sql: str, data: Any) -> tuple[int, int]:
    """Load; how many rows were accepted and how many rejected."""
    connection.cursor().copy(sql, data)
    ((accepted, rejected),) = run(
        connection, "SELECT GET_NUM_ACCEPTED_ROWS(), GET_NUM_REJECTED_ROWS()"
    )
    return accepted, rejected


def rows(connection: Connection, columns: str = "a, b") -> Rows:
    return run(connection, f"SELECT {columns} FROM t ORDER BY a")


def test_the_last_newline_may_be_missing(connection: Connection) -> None:
    assert copy(connection, COPY, "1|x|\n2|y|") == (2, 0)
    assert copy(connection, COPY, "") == (0, 0)


def compressed(data: bytes, members: int) -> bytes:
    part = len(data) // members + 1
    return b"".join(gzip.compress(data[at : at + part]) for at in range(0, len(data), part))


@pytest.mark.parametrize("members", [1, 3])
def test_compressed(connection: Connection, members: int) -> None:
    data = b"".join(b"%d|row|\n" % number for number in range(100_000))
    sql = COPY.replace("STDIN", "STDIN GZIP")
    small = compressed(data, members)
    assert len(small) < len(data) / 3
    assert copy(connection, sql, small) == (100_000, 0)
    assert run(connection, "SELECT count(DISTINCT a), min(b) FROM t") == [[100_000, "row"]]
    for broken in (small[:-20], b"no gzip at all\n" * 10, b"x" + small, data):
        with pytest.raises(errors.CopyRejected):
            copy(connection, sql, broken)
    assert copy(connection, sql, compressed(b"", 1)) == (0, 0)
    assert run(connection, "SELECT count(*) FROM t") == [[100_000]]


BAD = [
    ("x|b|\n", "invalid input syntax"),
    ("7\n", "missing data|Too few"),
    ("7|b||\n", "extra data|Too many"),
    ("|b|\n", "null value|NOT NULL"),
    ("7|b|2026-02-30\n", "out of range"),
    ("\n", "invalid input syntax|Too few|missing data"),
    ("99999999999999999999|b|\n", "out of range"),
]


@pytest.mark.parametrize(("bad", "why"), BAD)
def test_a_rejected_row_aborts(connection: Connection, bad: str, why: str) -> None:
    data = "1||\n2||\n" + bad + "4||\n" * 1000
    with pytest.raises(errors.CopyRejected, match="Input record 3 has been rejected") as caught:
        copy(connection, COPY, data)
    assert any(part.lower() in str(caught.value).lower() for part in why.split("|"))
    assert rows(connection) == []
    assert copy(connection, COPY, "1||\n") == (1, 0)


@pytest.mark.parametrize(("bad", "why"), BAD)
def test_a_rejected_row_is_counted(connection: Connection, bad: str, why: str) -> None:
    """Without ABORT ON ERROR the other rows go in, and nothing is said: that is the trap."""
    sql = COPY.replace("ABORT ON ERROR ", "")
    assert copy(connection, sql, "1|x|\n" + bad + bad + "4|y|\n") == (2, 2), why
    assert rows(connection) == [[1, "x"], [4, "y"]]


def test_long_values(connection: Connection) -> None:
    """Vertica cuts them in silence, at a number of bytes, unless it is told not to."""
    long = "123456789"
    assert copy(connection, COPY, f"1|{long}|\n2|日本日|\n") == (2, 0)
    assert rows(connection) == [[1, "12345678"], [2, "日本"]]
    sql = COPY.replace("ABORT", "ENFORCELENGTH ABORT")
    why = r"record 2 .*The 9-byte value is too long for type Varchar\(8\), column 2 \(b\)"
    with pytest.raises(errors.CopyRejected, match=why):
        copy(connection, sql, f"3|short|\n4|{long}|\n")
    sql = COPY.replace("ABORT ON ERROR", "ENFORCELENGTH")
    assert copy(connection, sql, f"3|short|\n4|{long}|\n") == (1, 1)


def test_escapes(connection: Connection) -> None:
    data = "1|a\\|b|\n2|a\\\\b|\n3|a\\\nb|\n4|\\n|\n5|\\.|\n6|a\tb\r|\n"
    expected = [[1, "a|b"], [2, "a\\b"], [3, "a\nb"], [4, "n"], [5, "."], [6, "a\tb\r"]]
    for size in (1, 3, 1000):
        connection.cursor().copy(COPY, io.BytesIO(data.encode()), buffer_size=size)
        assert rows(connection) == expected
        connection.rollback()
    sql = COPY.replace("ABORT", "NO ESCAPE ABORT")
    assert copy(connection, sql, "1|a\\n|\n2|\\|\n") == (2, 0)
    assert rows(connection) == [[1, "a\\n"], [2, "\\"]]


def test_a_source_that_fails(connection: Connection) -> None:
    """The driver sends CopyFail; nothing of the load stays, what was before it does."""

    class Source:
        parts = 0

        def read(self, size: int) -> bytes:
            self.parts += 1
            if self.parts > 5:
                raise OSError("the disk is gone")
            return b"1||\n" * (size // 4)

    run(connection, "INSERT INTO t (a) VALUES (7)")
    with pytest.raises(errors.DataError, match="the disk is gone"):
        copy(connection, COPY, Source())
    assert rows(connection, "a") == [[7]]
    connection.commit()
    assert rows(connection, "a") == [[7]]


def test_counts_are_those_of_the_last_load(connection: Connection) -> None:
    counts = "SELECT GET_NUM_ACCEPTED_ROWS(), GET_NUM_REJECTED_ROWS()"
    with connect_again(connection) as other:
        assert run(other, counts) == [[0, 0]]
        assert copy(connection, COPY, "1||\n2||\n") == (2, 0)
        connection.rollback()
        assert run(connection, counts) == [[2, 0]]
        assert run(other, counts) == [[0, 0]]


def connect_again(connection: Connection) -> Any:
    return Connection(dict(connection.options))


@pytest.mark.parametrize("limit", [{"frames": 3}, {"size": 300_000}])
@pytest.mark.parametrize("end", ["ABORT ON ERROR NO COMMIT", "ABORT ON ERROR", ""])
def test_a_connection_that_breaks_in_the_middle(
    connection: Connection, vertica_of_module: Server, limit: dict[str, int], end: str
) -> None:
    run(connection, "INSERT INTO t (a) VALUES (1)")
    connection.commit()
    before = vertica_of_module.copied
    with connect_again(connection) as victim:
        run(victim, "DELETE FROM t")
        vertica_of_module.drop_copy_after(**limit)
        data = io.BytesIO(b"2|row|\n" * 1_000_000)
        with pytest.raises((errors.ConnectionError, errors.DataError)):
            victim.cursor().copy(f"COPY t FROM STDIN {end}", data)
        victim.close_socket()
        victim.write = lambda *_: None  # it would connect anew to say goodbye
    assert 200_000 < vertica_of_module.copied - before < 600_000
    run(connection, "ALTER SESSION SET LockTimeout = 300")
    run(connection, "LOCK TABLE t IN OWNER MODE")  # when the other one is gone for good
    assert rows(connection, "a") == [[1]]


def test_a_client_that_is_killed_in_the_middle(
    connection: Connection, vertica_of_module: Server
) -> None:
    code = f"""
import vertica_python, time
connection = vertica_python.connect(**{connection.options!r})
class Source:
    parts = 0
    def read(self, size):
        self.parts += 1
        if self.parts == 10:
            print("now", flush=True)
            time.sleep(600)
        return b"2|row|\\n" * 10000
connection.cursor().copy({COPY!r}, Source())
"""
    job = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    with job:
        assert job.stdout is not None
        job.stdout.readline()
        assert eventually(lambda: len(vertica_of_module.sessions()) == 2)
        job.kill()
    run(connection, "LOCK TABLE t IN OWNER MODE")
    assert rows(connection, "a") == []
    assert eventually(lambda: len(vertica_of_module.sessions()) == 1)


def test_a_load_that_is_cancelled(connection: Connection, vertica_of_module: Server) -> None:
    """The server gives it up; the driver, which is still sending, hears of it at the end."""

    class Source:
        parts = 0

        def read(self, size: int) -> bytes:
            self.parts += 1
            if self.parts == 5:
                before = vertica_of_module.cancelled
                connection.cancel()
                assert eventually(lambda: vertica_of_module.cancelled > before)
            return b"1||\n" * 1000 if self.parts < 10 else b""

    with pytest.raises(errors.QueryCanceled):
        copy(connection, COPY, Source())
    assert rows(connection, "a") == []


class Resident:
    """The largest memory of this process while the block runs, in MiB above its beginning."""

    def __enter__(self) -> Resident:
        self.began = self.now()
        self.most = self.began
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            self.most = max(self.most, self.now())

    @staticmethod
    def now() -> float:
        fields = dict(
            line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines()
        )
        return int(fields["VmRSS"].split()[0]) / 1024

    @property
    def grown(self) -> float:
        return self.most - self.began


def test_two_million_rows_in_little_memory(connection: Connection) -> None:
    """Neither the server, which is this process, nor the driver holds the input."""
    code = f"""
import vertica_python, zlib
from pathlib import Path
connection = vertica_python.connect(**{connection.options!r})

class Source:
    at = 0
    packer = zlib.compressobj(1, wbits=31)
    def read(self, size):
        data = b""
        while not data and self.at < 2_000_000:
            rows = range(self.at, self.at + 4000)
            data = "".join(f"{{at}}|name {{at % 97}}|2026-01-01 00:00:00\\n" for at in rows)
            data = data.encode()
            self.at += 4000
            data = self.packer.compress(data)
            if self.at == 2_000_000:
                data += self.packer.flush()
        return data

def most():  # in KiB; getrusage would count what this process was before it became Python
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

before = most()
connection.cursor().copy({COPY.replace("STDIN", "STDIN GZIP")!r}, Source())
connection.commit()
print((most() - before) // 1024)
"""
    run(connection, "DROP TABLE t")
    run(connection, "CREATE TABLE t (a int NOT NULL, b varchar(400), c timestamp)")
    with Resident() as resident:
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
    print(f"{resident.grown:.0f} MiB, {done.stdout} MiB")
    assert run(connection, "SELECT count(*), count(DISTINCT a), max(b) FROM t") == [
        [2_000_000, 2_000_000, "name 96"]
    ]
    assert resident.grown < 40
    assert int(done.stdout) < 40

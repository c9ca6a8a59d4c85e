"""Short words for what the tests do with vertica-python."""

from __future__ import annotations

from typing import Any

import vertica_python

from tests.vertica_server import Server

Rows = list[list[Any]]


def connect(server: Server, user: str = "dbadmin", **options: Any) -> vertica_python.Connection:
    """An unmodified client, without TLS; the driver leaves the socket open if it is refused."""
    connection = vertica_python.Connection.__new__(vertica_python.Connection)
    try:
        connection.__init__(server.options(user, **options))
    except Exception:
        connection.close_socket()
        raise
    return connection


def run(connection: vertica_python.Connection, sql: str, *values: Any, **options: Any) -> Rows:
    """The rows of a statement; it is read to its end, where errors may wait."""
    cursor = connection.cursor()
    cursor.execute(sql, list(values) or None, **options)
    rows: Rows = cursor.fetchall()
    while cursor.nextset():
        pass
    return rows


def state(connection: vertica_python.Connection) -> str:
    """Where the transaction stands, read from the answer to the last statement."""
    cursor = connection.cursor()
    cursor.flush_to_query_ready()
    found: str = connection.transaction_status
    return found

"""The sessions of the PostgreSQL backend: no setting outlives its transaction.

Behind a pooler in transaction mode, such as PgBouncer, each transaction may run in another session,
and the next client gets that session as we leave it. So every transaction makes its settings for
itself, with SET LOCAL, and no statement is prepared by name.

Anybody who may create objects in a schema of the search path could make a function or operator
that fits our arguments better than the system's, and it would run with our rights. So our
statements run with a path of PostgreSQL's own schema, temporary objects last, and name our tables
with their schema. Only the user's statements have the user's path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import psycopg

from tzconv.errors import DatabaseError
from tzconv.sql.text import identifier

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_OURS = {
    # a role's own limits may be too short for a first load; these end what waits for a client that
    # was stopped, and no sound run comes near them
    "statement_timeout": "'1h'",
    "idle_in_transaction_session_timeout": "'5min'",
    # our statements quote names and texts as the standard says
    "standard_conforming_strings": "on",
    # plans are read by their text
    "quote_all_identifiers": "off",
}
OURS_ALONE = "pg_catalog, pg_temp"
_CLIENT_CHECK = (
    "CASE WHEN pg_catalog.version() !~* 'windows|mingw|visual' THEN "
    "pg_catalog.set_config('client_connection_check_interval', '5s', true) END"
)
"""Ends a statement whose client has gone; a server on Windows refuses the setting."""
_STALLED = """
    SELECT p.pid, p.bytes_processed FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    JOIN pg_stat_progress_copy p USING (pid)
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = {first} AND l.objid = {second}::oid
      AND a.datname = current_database() AND a.usename = current_user
      AND a.application_name LIKE 'tzconv, process %'
      AND a.wait_event = 'ClientRead' AND a.xact_start < clock_timestamp() - interval '{age}'
"""
_UNREAD = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user
      AND application_name LIKE 'tzconv, process %' AND wait_event = 'ClientWrite'
      AND query_start < clock_timestamp() - interval '{age}'
"""
UNREAD_AFTER = "1h"
"""The age of a statement whose client reads no rows; ``statement_timeout`` cannot end it then."""
STALLED_AFTER = "10min"
"""The age of a transaction from which a COPY without progress counts as one without a client."""
_OF_THE_USER = ("statement_timeout", "standard_conforming_strings")
"""What the user's own queries keep as it is in a session of theirs."""
_NOT_OF_LIBPQ = frozenset(
    ("autocommit", "conninfo", "context", "cursor_factory", "prepare_threshold", "row_factory")
)
"""Arguments of psycopg that are no connection options."""


def options(url: URL) -> dict[str, Any]:
    """The arguments of psycopg; SQLAlchemy reads a URL with several hosts."""
    if names := sorted(_NOT_OF_LIBPQ.intersection(url.query)):
        raise DatabaseError(f"The URL has an option {names[0]!r} that libpq does not have.")
    if isinstance(url.query.get("host", ""), tuple) or ":" in url.query.get("host", ""):
        from sqlalchemy.exc import ArgumentError

        dialect = url.set(drivername="postgresql+psycopg").get_dialect()
        try:
            return dict(dialect().create_connect_args(url)[1])
        except ArgumentError as error:
            raise ValueError("hosts and ports") from error
    # importing SQLAlchemy's dialect takes longer than connecting
    given = {"host": url.host, "port": url.port, "user": url.username, "password": url.password}
    given["dbname"] = url.database
    return {name: value for name, value in given.items() if value} | dict(url.query)


def connect(options: Mapping[str, Any]) -> psycopg.Connection[Any]:
    """Open a connection without a transaction, which prepares no statement by itself."""
    return psycopg.connect(
        # a role may have another encoding, and rows are compared as UTF-8
        **{"client_encoding": "utf8", **options},
        autocommit=True,
        prepare_threshold=None,
    )


def begin(
    connection: psycopg.Connection[Any], how: str, settings: Mapping[str, str], locked: str = ""
) -> tuple[str | None, str]:
    """Begin a transaction with those settings, which are SQL text, and ours.

    It is READ COMMITTED if ``how`` names no level. Others may only read the table ``locked``.
    Returns the schema in which the user's path creates tables, None without one, and the path that
    finds the user's tables and the system's functions.
    """
    has_limit = connection.info.server_version >= 170000
    local = {**_OURS, **({"transaction_timeout": "0"} if has_limit else {}), **settings}
    # in one message, because a limit of the role counts from BEGIN on
    cursor = connection.execute(
        "; ".join(
            (
                f"BEGIN {how or 'ISOLATION LEVEL READ COMMITTED'}",
                *(f"SET LOCAL {name} = {value}" for name, value in local.items()),
                # before the first query, which fixes the state that REPEATABLE READ shows
                *([f"LOCK TABLE {locked} IN EXCLUSIVE MODE"] if locked else ()),
                "SELECT pg_catalog.current_schema(), pg_catalog.current_schemas(false), "
                + _CLIENT_CHECK,
                "SHOW search_path",
                f"SET LOCAL search_path = {OURS_ALONE}",
            )
        ).encode()
    )
    rows = []
    while cursor.nextset():
        if cursor.description is not None:
            rows += cursor.fetchall()
    [(schema, schemas, _), (shown,)] = rows
    # with pg_temp before it, new tables would be temporary
    is_temporary = re.match(r'[ "]*pg_temp', shown, re.IGNORECASE) is not None
    others = [identifier(name) for name in schemas if name != "pg_catalog"]
    # pg_catalog comes first where it is not named, and new tables do not go there
    return None if is_temporary else schema, ", ".join((*(others or ["pg_catalog"]), "pg_temp"))


def of_the_user(connection: psycopg.Connection[Any], settings: Mapping[str, str]) -> None:
    """Until the end of a savepoint, set what queries of the user's have in their sessions."""
    path = {"search_path": settings.get("search_path", "DEFAULT")}
    local = {**dict.fromkeys(_OF_THE_USER, "DEFAULT"), **path}
    connection.execute(
        "; ".join(f"SET LOCAL {name} TO {to}" for name, to in local.items()).encode()
    )


def stalled(run: Callable[[str], list[Any]], first: int, second: int) -> set[tuple[int, int]]:
    """Server processes of tzconv that hold the lock and wait for rows, with the bytes they have.

    No timeout of PostgreSQL ends a COPY whose client was stopped and still holds its connection.
    """
    found = run(_STALLED.format(first=first, second=second, age=STALLED_AFTER))
    return {(pid, done) for pid, done in found}


def end_unread(run: Callable[[str], list[Any]]) -> None:
    """End sessions of tzconv whose client was stopped while it read rows."""
    run(_UNREAD.format(age=UNREAD_AFTER))


def holder(run: Callable[[str], list[Any]], first: int, second: int) -> str:
    """Who holds an advisory lock of two numbers, for a message."""
    found = run(
        "SELECT a.application_name, a.usename, a.pid, a.xact_start AT TIME ZONE 'UTC' "
        "FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
        f"WHERE l.locktype = 'advisory' AND l.granted AND l.classid = {first} "
        # the schema "public" has one number in all databases
        f"AND l.objid = {second}::oid AND a.datname = current_database()"
    )
    if not found:
        return "it has just finished"
    name, user, pid, since = found[0]
    began = f", since {since:%Y-%m-%d %H:%M:%S} UTC" if since else ""
    return f"{name or 'a program without a name'}, user {user}, server process {pid}{began}"

"""PostgreSQL's errors as one sentence each: what went wrong, and what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import psycopg

from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_ADVICE = {
    "28P01": "check the user and the password of the URL",
    "28000": "check the user of the URL and the server's pg_hba.conf",
    "3D000": "create it, or check the URL",
    "53100": "free some space, or load less with --zones, --start, --end or --tables",
    "53300": "close other connections, or try again later",
    "42501": "grant that right to the user of the URL, or use one who has it",
    "25006": "use the primary server, or a user whose default_transaction_read_only is off",
    **dict.fromkeys(("40001", "40P01"), "run it again"),
    "53400": "raise that limit for the user of the URL",
    "55P03": "another session holds a lock on that table: try again later, or wait longer",
    "57014": "it was cancelled; for more time, raise statement_timeout for that user",
    "57P01": "the server shut the connection down: run it again",
    "57P05": "raise idle_session_timeout for the user of the URL",
    "57P03": "the server is starting or stopping: try again",
}
_AT_CONNECTING = {
    **dict.fromkeys(("resolve host", "or service not known"), "check the host of the URL"),
    "no password supplied": (
        "set PGPASSWORD, use the password file ~/.pgpass, or write the password into the URL"
    ),
    "password": _ADVICE["28P01"],
    "does not exist": _ADVICE["3D000"],
    "pg_hba": _ADVICE["28000"],
    "starting up": _ADVICE["57P03"],
    "permission denied": _ADVICE["42501"],
    "not permitted to log in": "ALTER ROLE … LOGIN, or use another user",
    "too many": _ADVICE["53300"],
    "connection slots": _ADVICE["53300"],
    "invalid": "check the options after the question mark of the URL",
    "SSL": "check sslmode and the other SSL options after the question mark of the URL",
}
"""The client's own errors, and those of older servers at connecting, have no SQLSTATE."""
_NOT_REACHED = "check host and port of the URL, and that the server is running"


@contextlib.contextmanager
def as_error(
    prefix: str = "PostgreSQL error: ",
    kind: type[DatabaseError] = DatabaseError,
    connecting: URL | None = None,
) -> Iterator[None]:
    """Raise ``kind`` instead of psycopg's errors; the caller ends the transaction."""
    try:
        yield
    except psycopg.Error as error:
        raise kind(_sentence(error, prefix, connecting)) from error


def _sentence(error: psycopg.Error, prefix: str, connecting: URL | None) -> str:
    message = error.diag.message_primary or _last_line(str(error))
    if error.diag.message_detail and error.sqlstate != "42P01":
        detail = " ".join(error.diag.message_detail.split())
        message += f" ({detail.rstrip('.')})"
    advice = _ADVICE.get(error.sqlstate or "", "")
    if connecting is not None:
        where = connecting.host or connecting.query.get("host") or "the local socket"
        known = (text for part, text in _AT_CONNECTING.items() if part in message)
        advice = advice or next(known, _NOT_REACHED)
        prefix = f"Cannot connect to {connecting.database or 'PostgreSQL'} on {where}: "
    elif _is_lost(error):
        prefix, advice = "The connection to PostgreSQL was lost: ", advice or _ADVICE["57P01"]
    return f"{prefix}{message.rstrip('.')}{': ' + advice if advice else ''}."


def _is_lost(error: psycopg.Error) -> bool:
    return isinstance(error, psycopg.OperationalError) and (
        error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))
    )


def _last_line(message: str) -> str:
    lines = message.strip().splitlines() or ["no reason given"]
    # libpq tries every address and ends with advice of its own
    failures = [line for line in lines if "failed:" in line] or lines
    last = failures[-1].rpartition("failed: ")[2].strip()
    return last.removeprefix("FATAL:").removeprefix("fe_sendauth:").strip()

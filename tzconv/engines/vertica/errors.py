"""Vertica's errors as one sentence each: what went wrong, and what to do."""

from __future__ import annotations

import contextlib
import re
import ssl
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vertica_python import errors

from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

PREFIX = "Vertica error: "
_ADVICE = {
    "28000": "check the user and the password of the URL",
    "3D000": "check the name of the database in the URL",
    "22V04": "nothing of that load was kept",
    "42501": "grant that right to the user of the URL, or use one who has it",
    "53000": "load less with --zones, --start, --end or --tables, or ask for a larger pool",
    "53200": "load less with --zones, --start, --end or --tables, or ask for a larger pool",
    "55V03": "another session holds a lock on that table: try again later",
    "57014": "it was cancelled",
    "57V01": "the server ended the session: run it again",
}


@contextlib.contextmanager
def as_error(
    prefix: str = PREFIX,
    kind: type[DatabaseError] = DatabaseError,
    connecting: URL | None = None,
) -> Iterator[None]:
    """Raise ``kind`` instead of the driver's errors; the caller ends the transaction.

    The driver's own text is not shown: it repeats the whole statement.
    """
    try:
        yield
    except errors.Error as error:
        raise kind(_sentence(error, prefix, connecting)) from error
    except (OSError, ssl.SSLError) as error:
        if connecting is None:
            raise kind(_lost(str(error))) from error
        raise kind(f"{_cannot(connecting)}{_clean(str(error))}.") from error


def _is_lost(error: BaseException) -> bool:
    """Whether the connection is unusable."""
    state = getattr(error, "sqlstate", None) or ""
    return isinstance(error, errors.ConnectionError | errors.MessageError) or state.startswith(
        ("08", "57V", "V1001")
    )


def _sentence(error: errors.Error, prefix: str, connecting: URL | None) -> str:
    message, state = _message(error)
    if connecting is not None:
        advice = _advice_at_connecting(error, message, state)
        return f"{_cannot(connecting)}{message}: {advice}."
    if _is_lost(error):
        return _lost(message)
    advice = _ADVICE.get(state, "")
    return f"{prefix}{message}{': ' + advice if advice else ''}."


def _message(error: errors.Error) -> tuple[str, str]:
    """The server's message and its SQLSTATE, or else the driver's message."""
    if isinstance(error, errors.QueryError):
        text, detail = str(error.message or ""), str(error.detail or "")
        return _clean(text + (f" ({_clean(detail)})" if detail else "")), str(error.sqlstate or "")
    text = str(error)
    # an error at login is one text with all its fields
    found = re.search(r"Message: (.*?), Sqlstate: (\w+)", text, re.DOTALL)
    return (_clean(found[1]), found[2]) if found else (_clean(text), "")


def _clean(text: str) -> str:
    return " ".join(text.split()).rstrip(".") or "no reason given"


def _cannot(url: URL) -> str:
    return f"Cannot connect to {url.database or 'Vertica'} on {url.host or 'localhost'}: "


def _lost(message: str) -> str:
    return f"The connection to Vertica was lost: {message.rstrip('.')}: run it again."


def _advice_at_connecting(error: errors.Error, message: str, state: str) -> str:
    if isinstance(error, errors.SSLNotSupported):
        return "configure TLS on the server, or leave tlsmode out of the URL"
    if any(word in message for word in ("TLS", "SSL", "certificate")):
        return "set tlsmode=require in the URL, or verify-ca with tls_cafile"
    return _ADVICE.get(state, "check host and port of the URL, and that the server is running")

"""How a ``vertica+vertica_python://`` URL becomes a connection of vertica-python."""

from __future__ import annotations

import os
import socket
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import vertica_python

from tzconv.engines.vertica import errors
from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

TLS_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")


def _switch(text: str) -> bool:
    known = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
    return known[text.lower()]


def _nodes(text: str) -> list[tuple[str, int]]:
    """``node2:5433,node3`` as the driver takes it."""
    found = []
    for node in text.split(","):
        host, _, port = node.strip().partition(":")
        found.append((host, int(port or vertica_python.vertica.connection.DEFAULT_PORT)))
    return found


def _tls_mode(text: str) -> str:
    return TLS_MODES[TLS_MODES.index(text.lower())]


_OPTIONS: Mapping[str, Callable[[str], Any]] = {
    "backup_server_node": _nodes,
    "connection_load_balance": _switch,
    "connection_timeout": float,
    "kerberos_host_name": str,
    "kerberos_service_name": str,
    "oauth_access_token": str,
    "session_label": str,
    "tls_cafile": str,
    "tls_certfile": str,
    "tls_keyfile": str,
    "tlsmode": _tls_mode,
    "workload": str,
}
"""Options of the driver that the query part of a URL may hold, and how their text is read."""


_MEANT = {
    "tlsmode": f"one of {', '.join(TLS_MODES)}",
    "connection_timeout": "a number of seconds",
    "connection_load_balance": "true or false",
}


def options(url: URL) -> dict[str, Any]:
    """What the driver is told; DatabaseError for an option that it would not understand."""
    found: dict[str, Any] = {
        "host": url.host,
        "port": url.port,
        "user": url.username,
        "password": None if url.password is None else str(url.password),
        "database": url.database,
        # so that a waiting refresh can say who is at work
        "session_label": f"tzconv, process {os.getpid()} of {socket.gethostname()}",
    }
    for name, given in url.query.items():
        text = given if isinstance(given, str) else given[-1]
        if name not in _OPTIONS:
            raise DatabaseError(
                f"The URL has an option {name!r} that is not passed on: choose from "
                f"{', '.join(_OPTIONS)}."
            )
        try:
            found[name] = _OPTIONS[name](text)
        except (KeyError, ValueError) as error:
            told = _MEANT.get(name, "HOST:PORT,HOST:PORT")
            raise DatabaseError(
                f"The option {name} of the URL has a value that it cannot have: give it {told}."
            ) from error
    # DDL would end a transaction that BEGIN began; with this, the next one begins by itself
    found["autocommit"] = False
    return found


def open_connection(url: URL) -> vertica_python.Connection:
    """Connect; DatabaseError, one sentence without the password."""
    given = options(url)
    # by hand, because a login that fails would leave its socket open
    connection = vertica_python.Connection.__new__(vertica_python.Connection)
    with errors.as_error("", connecting=url), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a server has no TLS is the default's own choice
        try:
            connection.__init__(given)
        except BaseException:
            if getattr(connection, "socket", None) is not None:
                connection.close_socket()
            raise
    # the timeout was for connecting: a load may take longer than that
    connection.socket.settimeout(None)
    connection.notice_handler = _ignore
    return connection


def _ignore(_: object) -> None:
    """Notices say that something was there already, which was meant."""

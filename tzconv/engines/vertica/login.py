"""Opens a connection of vertica-python from a ``vertica+vertica_python://`` URL."""

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


_SWITCH = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def _nodes(text: str) -> list[tuple[str, int]]:
    """``node2:5433,node3`` as the driver takes it."""
    found = []
    for node in text.split(","):
        host, _, port = node.strip().partition(":")
        found.append((host, int(port or vertica_python.vertica.connection.DEFAULT_PORT)))
    return found


_OPTIONS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "backup_server_node": (_nodes, "HOST:PORT,HOST:PORT"),
    "connection_load_balance": (lambda text: _SWITCH[text.lower()], "true or false"),
    "connection_timeout": (float, "a number of seconds"),
    **dict.fromkeys(
        (
            *("kerberos_host_name", "kerberos_service_name", "oauth_access_token", "session_label"),
            *("tls_cafile", "tls_certfile", "tls_keyfile", "workload"),
        ),
        (str, "a text"),
    ),
    "tlsmode": (
        lambda text: TLS_MODES[TLS_MODES.index(text.lower())],
        f"one of {', '.join(TLS_MODES)}",
    ),
}
"""The driver's options that a URL may have: the function that reads the text, and what it reads."""


def options(url: URL) -> dict[str, Any]:
    """The driver's options; DatabaseError for one that it would not understand."""
    found: dict[str, Any] = {
        "host": url.host,
        "port": url.port,
        "user": url.username,
        "password": None if url.password is None else str(url.password),
        "database": url.database,
        # a waiting refresh names the other one by it
        "session_label": f"tzconv, process {os.getpid()} of {socket.gethostname()}",
    }
    for name, given in url.query.items():
        text = given if isinstance(given, str) else given[-1]
        if name not in _OPTIONS:
            raise DatabaseError(
                f"The URL has an option {name!r} that is not passed on: choose from "
                f"{', '.join(sorted(_OPTIONS))}."
            )
        read, expected = _OPTIONS[name]
        try:
            found[name] = read(text)
        except (KeyError, ValueError) as error:
            raise DatabaseError(
                f"The option {name} of the URL has a wrong value: give it {expected}."
            ) from error
    # DDL ends a transaction; without autocommit, the next one begins by itself
    found["autocommit"] = False
    return found


def open_connection(url: URL) -> vertica_python.Connection:
    """Connect; DatabaseError, one sentence without the password."""
    given = options(url)
    # in two steps, because a failed login would leave its socket open
    connection = vertica_python.Connection.__new__(vertica_python.Connection)
    with errors.as_error("", connecting=url), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the driver warns of its own default, no TLS
        try:
            connection.__init__(given)
        except BaseException:
            if getattr(connection, "socket", None) is not None:
                connection.close_socket()
            raise
    # the timeout is for connecting: a load may take longer
    connection.socket.settimeout(None)
    connection.notice_handler = lambda notice: None  # such as "the table exists already"
    return connection

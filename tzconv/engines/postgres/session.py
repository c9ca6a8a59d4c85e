"""The sessions of the PostgreSQL backend: no setting outlives its transaction.

Behind a pooler in transaction mode, such as PgBouncer, each transaction may run in another session,
and the next client gets that session as we leave it. So every transaction makes its settings for
itself, with SET LOCAL, and no statement is prepared by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg

_OURS = {
    # a refresh computes rows, and compare compares them, while the transaction is open
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    # our statements quote names and texts as the standard says
    "standard_conforming_strings": "on",
    # plans are read by their text
    "quote_all_identifiers": "off",
}
_SINCE_17 = {"transaction_timeout": "0"}
_OF_THE_USER = ("statement_timeout", "standard_conforming_strings")
"""What the user's own queries keep as it is in a session of theirs."""


def connect(options: Mapping[str, Any]) -> psycopg.Connection[Any]:
    """Open a connection without a transaction, which prepares no statement by itself."""
    return psycopg.connect(
        # a role may have another encoding, and rows are compared as UTF-8
        **{"client_encoding": "utf8", **options},
        autocommit=True,
        prepare_threshold=None,
    )


def begin(connection: psycopg.Connection[Any], how: str, settings: Mapping[str, str]) -> None:
    """Begin a transaction with those settings, which are SQL text, and ours.

    It is READ COMMITTED if ``how`` names no level.
    """
    has_limit = connection.info.server_version >= 170000
    local = {**_OURS, **(_SINCE_17 if has_limit else {}), **settings}
    # in one message, because a limit of the role counts from BEGIN on
    connection.execute(
        "; ".join(
            (
                f"BEGIN {how or 'ISOLATION LEVEL READ COMMITTED'}",
                *(f"SET LOCAL {name} = {value}" for name, value in local.items()),
            )
        ).encode()
    )


def of_the_user(connection: psycopg.Connection[Any]) -> None:
    """Until the end of a savepoint, set what queries of the user's have in their sessions."""
    connection.execute("; ".join(f"SET LOCAL {name} TO DEFAULT" for name in _OF_THE_USER).encode())

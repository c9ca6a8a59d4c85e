"""The connection options in a URL of PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_NOT_OF_LIBPQ = frozenset(
    ("autocommit", "conninfo", "context", "cursor_factory", "prepare_threshold", "row_factory")
)
"""Arguments of psycopg that are no connection options."""


def options(url: URL) -> dict[str, Any]:
    """The arguments of psycopg; SQLAlchemy reads a URL with several hosts."""
    from sqlalchemy.exc import ArgumentError

    if names := sorted(_NOT_OF_LIBPQ.intersection(url.query)):
        raise DatabaseError(f"The URL has an option {names[0]!r} that libpq does not have.")
    if isinstance(url.query.get("host", ""), tuple) or ":" in url.query.get("host", ""):
        dialect = url.set(drivername="postgresql+psycopg").get_dialect()
        try:
            return dict(dialect().create_connect_args(url)[1])
        except ArgumentError as error:
            raise ValueError("hosts and ports") from error
    # importing SQLAlchemy's dialect takes longer than connecting
    return url.translate_connect_args(username="user", database="dbname") | dict(url.query)

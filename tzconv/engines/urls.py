"""Database URLs, written as SQLAlchemy writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

DEFAULT = "duckdb:///tzconv.duckdb"
"""The embedded database, a file in the working directory."""


def parse(url: str) -> URL:
    """The parts of a URL such as ``duckdb:///tz.duckdb``; DatabaseError where it is none."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        # the text is not shown: it may hold a password
        raise DatabaseError(
            "That is not a database URL: write it as duckdb:///FILE, for example duckdb:///tz.duckdb."
        ) from None

"""Database URLs, written as SQLAlchemy writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

DEFAULT = "duckdb:///tzconv.duckdb"
"""The embedded database, a file in the working directory."""
EMPTY = "duckdb:///:memory:"
"""An embedded database with nothing in it."""


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


def of_file(path: object) -> str:
    """The URL of the file of an embedded database."""
    return f"duckdb:///{path}"


def missing_file(url: str | None) -> Path | None:
    """The file of an embedded database that is not there yet; None for every other URL."""
    parsed = parse(DEFAULT if url is None else url)
    path = parsed.database
    is_file = parsed.get_backend_name() == "duckdb" and path and path != ":memory:"
    return Path(str(path)) if is_file and not Path(str(path)).exists() else None

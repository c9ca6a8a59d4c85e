"""Database URLs in SQLAlchemy's notation, for the registry, the command line and the refresher."""

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


def parse(url: str | None) -> URL:
    """The parts of a URL, of ``DEFAULT`` if it is None; DatabaseError if the text is no URL."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(DEFAULT if url is None else url)
    except (ArgumentError, ValueError):
        # the text is not shown: it may hold a password
        raise DatabaseError(
            "That is not a database URL: write it as duckdb:///FILE, for example duckdb:///tz.duckdb."
        ) from None


def of_file(path: object) -> str:
    """The URL of the file of an embedded database."""
    return f"duckdb:///{path}"


def missing_file(url: str | None) -> Path | None:
    """The file of an embedded database, if it does not exist yet; None for every other URL."""
    parsed = parse(url)
    if parsed.get_backend_name() != "duckdb" or parsed.database in (None, "", ":memory:"):
        return None
    path = Path(str(parsed.database))
    return None if path.exists() else path

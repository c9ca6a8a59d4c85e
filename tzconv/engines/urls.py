"""Database URLs in SQLAlchemy's notation, for the registry, the command line and the refresher."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

DEFAULT = "duckdb:///tzconv.duckdb"
"""The embedded database, a file in the working directory."""
EMPTY = "duckdb:///:memory:"
"""An embedded database with nothing in it."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PLAIN = re.compile(r"duckdb:///([^?@%#]+)")
_PLAIN_SERVER = re.compile(
    r"(?a)(postgresql(?:\+psycopg)?)://(?:([\w.-]+)(?::([\w.-]+))?@)?"
    r"([\w.-]+)?(?::(\d+))?/([\w.-]+)(?:\?(\w+)=([\w./-]+))?"  # nothing to decode
)
_SECRET = re.compile(r"(?i)pass|pwd|secret|token")
_FILE = re.compile(r"[^:@=?]+\.\w+")
_IN_FOLDER = re.compile(r"duckdb:///(?![~:]|md:)([^?]+)(.*)")


def parse(url: str | None) -> URL:
    """The parts of a URL, of ``DEFAULT`` if it is None; DatabaseError if the text is no URL.

    No part of a wrong text is shown, because it may be part of a password.
    """
    text = DEFAULT if url is None else url
    if _CONTROL.search(text):
        raise DatabaseError(
            "The URL holds a line break or another control character: remove it, or write %0A."
        )
    if plain := _PLAIN.fullmatch(text):  # SQLAlchemy takes a fifth of a second to import
        return cast("URL", _Plain("duckdb", database=plain[1]))
    if server := _PLAIN_SERVER.fullmatch(text):
        driver, user, secret, host, port, database, name, value = server.groups()
        place = host, int(port) if port else None, database
        return cast("URL", _Plain(driver, user, secret, *place, {name: value} if name else {}))
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError):
        raise DatabaseError(
            "That is not a database URL: write it as duckdb:///FILE, for example "
            "duckdb:///tz.duckdb, or as postgresql://HOST/DATABASE."
        ) from None
    # one in a password or an option would move the bounds of user, host and password
    if parsed.username is not None and text.count("@") > 1:
        raise DatabaseError(
            "The URL has more than one @: write each of them but the one before the host as %40, "
            "also in a password or an option."
        )
    return parsed


class _Plain(NamedTuple):
    """What a connection needs of a SQLAlchemy URL."""

    drivername: str
    username: str | None = None
    password: str | None = None
    host: str | None = None
    port: int | None = None
    database: str = ""
    query: Mapping[str, str] = {}

    def get_backend_name(self) -> str:
        return self.drivername.partition("+")[0]

    def __repr__(self) -> str:
        return f"{self.drivername}://..."  # without the password


def without_password(text: str) -> tuple[str, bool]:
    """A URL without its password and options that may be one, and whether it had any."""
    if _PLAIN.fullmatch(text):
        return text, False
    parsed = parse(text)
    from sqlalchemy.engine import URL

    options = {name: value for name, value in parsed.query.items() if not _SECRET.search(name)}
    parts = (parsed.drivername, parsed.username, None, parsed.host, parsed.port, parsed.database)
    had_one = parsed.password is not None or len(options) < len(parsed.query)
    # what needs no % in the query, such as the folder of a socket, stays readable
    plain = URL.create(*parts, options).render_as_string().replace("%2F", "/")
    return (plain if had_one else text), had_one


def is_file(text: str) -> bool:
    """Whether somebody has written the name of a file instead of a URL."""
    return bool(_FILE.fullmatch(text))


def is_text(name: str) -> bool:
    """Whether a database can be sent that text: without NUL, and what is no Unicode."""
    return "\0" not in name and not re.search(r"[\ud800-\udfff]", name)


def of_file(path: object) -> str:
    """The URL of the file of an embedded database."""
    return f"duckdb:///{path}"


def beside(folder: Path, url: str) -> str:
    """A URL that stands in a file of that folder: an embedded database's file is relative to it."""
    found = _IN_FOLDER.fullmatch(url)
    return f"{of_file(folder / found[1])}{found[2]}" if found else url


def missing_file(url: str | None) -> Path | None:
    """The file of an embedded database, if it does not exist yet; None for every other URL."""
    parsed = parse(url)
    if parsed.get_backend_name() != "duckdb" or parsed.database in (None, "", ":memory:"):
        return None
    path = Path(str(parsed.database))
    return None if path.exists() else path

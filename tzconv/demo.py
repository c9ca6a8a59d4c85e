"""The demonstration: the three queries the project began with, on made-up events in a DuckDB file.

:mod:`tzconv.cli.demo` prints what these functions return.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

from tzconv import engines, rewriter, target
from tzconv.bench import data
from tzconv.bench.queries import read
from tzconv.compare import Comparison, compare
from tzconv.engines import embedded
from tzconv.errors import DatabaseError
from tzconv.refresher import Refresh
from tzconv.tz import zones

_MARK = "tzconv_demo"
"""A table of this name marks a file that the demonstration may replace."""


def make_file(path: Path) -> None:
    """Make an empty DuckDB file; an old demonstration is replaced.

    DatabaseError where the file exists and was not made by the demonstration.
    """
    exists = path.exists()
    try:
        if exists:
            with embedded.connect(path, read_only=True) as connection:
                tables = connection.execute("SHOW TABLES").fetchall()
            if (_MARK,) not in tables:
                raise DatabaseError(
                    f"{path}: was not made by the demonstration and is left alone: "
                    "name another file with --file."
                )
            path.unlink()
        with embedded.connect(path) as connection:
            connection.execute(f"CREATE TABLE {_MARK} (made_at TIMESTAMP)")
    except embedded.Error as error:
        verb, reason = "opened" if exists else "made", str(error).splitlines()[0]
        raise DatabaseError(f"{path}: cannot be {verb} ({reason})") from error


def make_events(path: Path, loaded: Refresh, events: int, today: dt.date) -> list[str]:
    """Make ``publishers`` and their ``actions`` in a file with conversion tables.

    The publishers are in the zones that are returned: those in which DuckDB agrees with the tables.
    """
    first = data.begin_of("actions", today)
    names = data.zones_that_agree(zones.installed().names, loaded.disagreements, first, today)
    with embedded.connect(path) as connection:
        connection.execute("SET enable_progress_bar = false")
        data.make(connection.execute, embedded.WRITING, names, events, ["actions"], today)
    return names


def queries(today: dt.date) -> Iterator[tuple[str, str, str]]:
    """Name, title and text of the three queries."""
    first, last = today - dt.timedelta(weeks=9), today - dt.timedelta(weeks=3)
    for name, title, text in read(Path(__file__).with_name("demo.sql")):
        yield name, title, text.format(first=first, last=last)


def show(url: str, today: dt.date) -> Iterator[tuple[str, str, str, str, Comparison]]:
    """Name, title, text and rewritten text of each query, and both compared in three runs."""
    with engines.connect(url, read_only=True) as backend:
        backend.set_session_time_zone("UTC")  # DuckDB begins with the zone of the machine
        options = target.read(backend).options()
        for name, title, sql in queries(today):
            rewritten = rewriter.rewrite(sql, **options).sql
            yield name, title, sql, rewritten, compare(backend, sql, rewritten, rounds=3)

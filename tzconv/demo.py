"""The demonstration: the three queries the project began with, on made-up events in a DuckDB file.

Everything is made here from a fixed seed: publishers in all zones of the tz release, and events up
to today. Nothing is printed; the command line shows what comes back.
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

_MARK = "tzconv_demo"
"""A table of this name says that a file was made by the demonstration and may be made again."""


def make_file(path: Path) -> None:
    """Make an empty DuckDB file; an old demonstration is replaced.

    DatabaseError where the file exists and was not made by the demonstration.
    """
    what = "opened" if path.exists() else "made"
    try:
        if path.exists():
            _check_is_ours(path)
            path.unlink()
        with embedded.connect(path) as connection:
            connection.execute(f"CREATE TABLE {_MARK} (made_at TIMESTAMP)")
    except embedded.Error as error:
        raise DatabaseError(f"{path}: cannot be {what} ({str(error).splitlines()[0]})") from error


def make_events(path: Path, names: list[str], events: int, today: dt.date) -> None:
    """Make ``publishers`` in those zones and their ``actions``, in the file of ``make_file``."""
    with embedded.connect(path) as connection:
        connection.execute("SET enable_progress_bar = false")
        data.make(connection.execute, embedded.WRITING, names, events, ["actions"], today)


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


def _check_is_ours(path: Path) -> None:
    with embedded.connect(path, read_only=True) as connection:
        tables = connection.execute("SHOW TABLES").fetchall()
    if (_MARK,) not in tables:
        raise DatabaseError(
            f"{path}: was not made by the demonstration and is left alone: "
            "name another file with --file."
        )

"""The demonstration: the three queries the project began with, on made-up events in a DuckDB file.

Everything is made here from a fixed seed: publishers in all zones of the tz release, and events up
to today. Nothing is printed; the command line shows what comes back.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tzconv import backends, rewriter
from tzconv.compare import Comparison, compare
from tzconv.errors import DatabaseError
from tzconv.refresher import Disagreement
from tzconv.rewriter import Rewrite

EVENTS = 2_000_000
PUBLISHERS = 10_000
_WEEKS = 12
_MARK = "tzconv_demo"
"""A table of this name says that a file was made by the demonstration and may be made again."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One query of the demonstration: its name, its title, its text, the rewrite and how both ran."""

    name: str
    title: str
    sql: str
    rewrite: Rewrite
    comparison: Comparison


def make_file(path: Path) -> None:
    """Make an empty DuckDB file; an old demonstration is replaced.

    DatabaseError where the file exists and was not made by the demonstration.
    """
    import duckdb

    if path.exists():
        _check_is_ours(path)
        path.unlink()
    try:
        with duckdb.connect(path) as connection:
            connection.execute(f"CREATE TABLE {_MARK} (made_at TIMESTAMP)")
    except duckdb.Error as error:
        raise DatabaseError(f"{path}: cannot be made ({str(error).splitlines()[0]})") from error


def without_other_rules(
    names: Iterable[str], disagreements: Iterable[Disagreement], today: dt.date
) -> list[str]:
    """The names for which DuckDB's own function agrees with the tables while events happen."""
    begin = dt.datetime.combine(today, dt.time()) - dt.timedelta(weeks=_WEEKS + 1)
    end = dt.datetime.combine(today, dt.time()) + dt.timedelta(days=2)
    other = {
        found.zone
        for found in disagreements
        if (found.first or begin) < end and (found.last or end) >= begin
    }
    return [name for name in names if name not in other]


def make_events(path: Path, names: list[str], events: int, today: dt.date) -> None:
    """Make ``publishers`` in those zones and their ``actions``, in the file of ``make_file``."""
    import duckdb

    begin = dt.datetime.combine(today, dt.time()) - dt.timedelta(weeks=_WEEKS)
    with duckdb.connect(path) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            """
            CREATE TABLE publishers AS
            SELECT id::INTEGER AS id, 'publisher ' || id AS name,
                   $zones[1 + id % len($zones)] AS time_zone_name
            FROM range($publishers) AS made(id)
            """,
            {"zones": names, "publishers": PUBLISHERS},
        )
        connection.execute(
            """
            CREATE TABLE actions AS
            SELECT $begin::TIMESTAMP
                     + to_microseconds((number * ($seconds * 1e6 / $events))::BIGINT)
                     AS action_event_time,
                   (hash(number) % $publishers)::INTEGER AS action_publisher_id,
                   ['view', 'click', 'share'][1 + number % 3] AS action_name
            FROM range($events) AS made(number)
            """,
            {
                "begin": begin,
                # to the end of today, so that some events are always newer than NOW()
                "seconds": (_WEEKS * 7 + 1) * 86_400,
                "events": events,
                "publishers": PUBLISHERS,
            },
        )


def queries(today: dt.date) -> Iterator[tuple[str, str, str]]:
    """Name, title and text of the three queries."""
    first, last = today - dt.timedelta(weeks=9), today - dt.timedelta(weeks=3)
    yield (
        "hourly report",
        "Taboola's hourly report: actions of six weeks, by hour of each publisher's time zone",
        f"""\
SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name),
       count(a.action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '{first} 00:00:00' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
      AND TIMESTAMP '{last} 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
GROUP BY 1
""",
    )
    yield (
        "local days",
        "A local-day report: clicks of six weeks by day in New York",
        f"""\
SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::DATE AS day,
       count(*) AS clicks
FROM actions
WHERE action_name = 'click'
  AND action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' >= '{first}'
  AND action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' < '{last}'
GROUP BY day
ORDER BY day
""",
    )
    yield (
        "NOW() filter",
        "Adform's filter: how many actions in the last eight weeks",
        """\
SELECT count(*)
FROM actions
WHERE action_event_time >= NOW() - INTERVAL '8 weeks'
""",
    )


def show(url: str, today: dt.date, rounds: int = 3) -> Iterator[Shown]:
    """Rewrite each query, run it both ways ``rounds`` times in turn, and compare the rows."""
    with backends.connect(url, read_only=True) as backend:
        backend.set_session_time_zone("UTC")  # DuckDB begins with the zone of the machine
        types = backend.column_types()
        for name, title, sql in queries(today):
            rewritten = rewriter.rewrite(sql, dialect="duckdb", schema=types)
            yield Shown(
                name, title, sql, rewritten, compare(backend, sql, rewritten.sql, rounds=rounds)
            )


def _check_is_ours(path: Path) -> None:
    import duckdb

    try:
        with duckdb.connect(path, read_only=True) as connection:
            tables = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    except duckdb.Error as error:
        raise DatabaseError(f"{path}: cannot be opened ({str(error).splitlines()[0]})") from error
    if _MARK not in tables:
        raise DatabaseError(
            f"{path}: was not made by the demonstration and is left alone: "
            "name another file with --file."
        )

"""The events of the benchmark: made by the database itself, the same ones whenever it is asked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from tzconv.bench.queries import NEWEST
from tzconv.engines.scratch import Execute, Writing
from tzconv.refresher import Disagreement
from tzconv.sql.text import literal

PUBLISHERS = 10_000
WEEKS = {"actions": 12, "history": 104, "history_12": 626, "history_50": 2609}
"""How far back the events of each table reach; all of them end with today."""


def begin_of(table: str, today: dt.date) -> dt.date:
    """The day of the first event of a table."""
    return today - dt.timedelta(weeks=WEEKS[table])


def some_zones(names: Sequence[str], count: int | None) -> list[str]:
    """``count`` of the names, evenly over their alphabet; all of them for None."""
    if count is None or count >= len(names):
        return list(names)
    return [names[place * len(names) // count] for place in range(count)]


def without_other_rules(
    names: Iterable[str], disagreements: Iterable[Disagreement], first: dt.date, today: dt.date
) -> list[str]:
    """The names whose zones the database's own function converts as the tables do.

    It is asked about the times of events between ``first`` and the end of ``today``.
    """
    begin = dt.datetime.combine(first, dt.time()) - dt.timedelta(days=2)
    end = dt.datetime.combine(today, dt.time()) + dt.timedelta(days=3)
    other = {
        found.zone
        for found in disagreements
        if (found.first or begin) < end and (found.last or end) >= begin
    }
    return [name for name in names if name not in other]


def make(
    execute: Execute,
    writing: Writing,
    zones: Sequence[str],
    rows: int,
    tables: Iterable[str],
    today: dt.date,
) -> None:
    """Make ``publishers`` in those zones, and ``rows`` events in each of the tables."""
    items = writing.array.format(items=", ".join(map(literal, zones)))
    execute(
        "CREATE TABLE publishers AS SELECT n::integer AS id, 'publisher ' || n AS name, "
        f"CAST({items}[1 + n % {len(zones)}] AS varchar) AS time_zone_name "
        f"FROM {writing.numbers.format(count=PUBLISHERS)}"
    )
    for table in tables:
        execute(f"CREATE TABLE {table} AS {_events(writing, table, rows, today)}")
    for table in ("publishers", *tables):
        execute(f"ANALYZE {table}")


def _events(writing: Writing, table: str, rows: int, today: dt.date) -> str:
    begin = begin_of(table, today)
    span = ((today - begin).days + 1) * 86_400_000_000
    event = writing.shifted.format(begin=begin, microseconds=f"(n * {span / rows!r})::bigint")
    source = writing.numbers.format(count=rows)
    publisher = writing.mixed.format(salt="", below=PUBLISHERS)
    columns = [f"{event} AS action_event_time", f"{publisher} AS action_publisher_id"]
    if table == "actions":
        hours = writing.mixed.format(salt=" + 1", below=3 * 3600)
        name = writing.array.format(items="'view', 'click', 'share'")
        columns += [
            f"{event} + {hours} * INTERVAL '1 second' AS action_end_time",
            f"CAST({name}[1 + n % 3] AS varchar) AS action_name",
        ]
    elif table == "history":
        columns += [f"({event}) AT TIME ZONE 'UTC' AS seen", f"{event} AS local_time"]
    # no event of the day that NOW() looks back to: the rows must not depend on the second
    bound = today - NEWEST
    after = bound + dt.timedelta(days=2)
    quiet = f"{event} >= TIMESTAMP '{bound}' AND {event} < TIMESTAMP '{after}'"
    return f"SELECT {', '.join(columns)} FROM {source} WHERE NOT ({quiet})"

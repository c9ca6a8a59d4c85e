"""The queries of the benchmark, each with the same query that converts nothing beside it.

``actions`` holds twelve weeks of events up to the end of today, ``history`` as many events of two
years, ``history_12`` and ``history_50`` of so many years, ``publishers`` the zones. The texts are
the same on all engines, except that some have functions for AT TIME ZONE.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tzconv import engines, files
from tzconv.engines.facts import ConversionSpelling
from tzconv.errors import OutputError, nearest_names

NEWEST = dt.timedelta(days=7)
"""How far the filter on NOW() looks back. No event is near that time: see ``data``."""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to measure. ``limit`` is the same query without conversions, where there is one.

    ``tables`` are the tables of made-up events that it reads; a query of the user's reads none.
    """

    name: str
    title: str
    sql: str
    limit: str | None
    tables: tuple[str, ...]


CONSTANT_ZONE = "America/New_York"
_NEW_YORK = f"'{CONSTANT_ZONE}'"
_ROW = "p.time_zone_name"
_YEARS = {"": "two", "_12": "12", "_50": "50"}


def standard(today: dt.date, dialect: str = engines.DEFAULT) -> dict[str, Query]:
    """The named queries, by name, as the dialect spells them; windows end before ``today``."""
    spelling = engines.facts_of(dialect).spelling
    limits = {name: text for name, _, text in each(_script(spelling, today, converts=False))}
    return {
        name: Query(name, title, text, limits[name], tuple(re.findall(r"FROM (\w+)", text)))
        for name, title, text in each(_script(spelling, today, converts=True))
    }


def each(script: str) -> Iterator[tuple[str, str, str]]:
    """Name, title and text of the queries of a script, which ``-- name: title`` begins."""
    _, *parts = re.split(r"^-- ([^:\n]+): (.*)\n", script, flags=re.MULTILINE)
    return zip(parts[::3], parts[1::3], parts[2::3], strict=True)


def _script(spelling: ConversionSpelling, today: dt.date, *, converts: bool) -> str:
    """All queries; without ``converts`` the same ones on times that are taken as they are."""
    timestamp = spelling.timestamp
    first, last = today - dt.timedelta(weeks=9), today - dt.timedelta(weeks=3)
    day = today - dt.timedelta(days=20)
    noon = dt.datetime.combine(today, dt.time(12)) - NEWEST
    since = f"NOW() - INTERVAL '{NEWEST.days} days'" if converts else f"{timestamp} '{noon}'"
    seen = "h.action_event_time"
    if converts:
        seen = spelling.instant_to_zone.format(value="h.seen", zone=_ROW)

    def to(value: str, zone: str) -> str:
        return spelling.to_zone.format(value=value, zone=zone) if converts else value

    def to_utc(value: str) -> str:
        return spelling.to_utc.format(value=value, zone=_ROW) if converts else value

    def between(begin: dt.date, end: dt.date) -> str:
        return (
            f"a.action_event_time >= {timestamp} '{begin}' "
            f"AND a.action_event_time < {timestamp} '{end}'"
        )

    def on_day(zone: str) -> str:
        if converts:
            return f"({to('a.action_event_time', zone)})::date = DATE '{day}'"
        return between(day, day + dt.timedelta(days=1))

    actions, history = (
        f"{table} JOIN publishers p ON {table[-1]}.action_publisher_id = p.id"
        for table in ("actions a", "history h")
    )
    local_days = "".join(
        f"""\
-- local-days{table.replace("_", "-")}: Local days: zone of each row, open window, {years} years of events
SELECT ({to("h.action_event_time", _ROW)})::date AS day, count(*) AS actions
FROM {history.replace("history", f"history{table}")}
GROUP BY 1
"""
        for table, years in _YEARS.items()
    )
    return f"""\
-- hourly: Taboola's hourly report: zone of each row, six weeks
SELECT date_trunc('hour', {to("a.action_event_time", _ROW)}) AS hour,
       count(a.action_name) AS actions
FROM {actions}
WHERE a.action_event_time BETWEEN ({to_utc(f"{timestamp} '{first} 00:00:00'")})
      AND ({to_utc(f"{timestamp} '{last} 23:59:59.999'")})
GROUP BY 1
{local_days}\
-- constant-days: Local days of one constant zone, open window
SELECT ({to("a.action_event_time", _NEW_YORK)})::date AS day, count(*) AS actions
FROM actions a
GROUP BY 1
-- constant-weeks: Local days of one constant zone, six weeks
SELECT ({to("a.action_event_time", _NEW_YORK)})::date AS day, count(*) AS actions
FROM actions a
WHERE {between(first, last)}
GROUP BY 1
-- day-constant: One local day of one constant zone
SELECT count(*) AS actions
FROM actions a
WHERE {on_day(_NEW_YORK)}
-- day-zone: One local day in the zone of each row
SELECT count(*) AS actions
FROM {actions}
WHERE {on_day(_ROW)}
-- now: Adform's filter: a TIMESTAMP compared with NOW()
SELECT count(*) AS actions
FROM actions a
WHERE a.action_event_time >= {since}
-- local-to-utc: Local times of each row's zone read as UTC, open window
SELECT date_trunc('hour', {to_utc("h.local_time")}) AS hour, count(*) AS actions
FROM {history}
GROUP BY 1
-- two-timestamps: Begin and end of each action in the zone of its row, six weeks
SELECT ({to("a.action_event_time", _ROW)})::date AS day,
       ({to("a.action_end_time", _ROW)})::date AS end_day,
       count(*) AS actions
FROM {actions}
WHERE {between(first, last)}
GROUP BY 1, 2
-- timestamptz-days: Local days of a TIMESTAMPTZ: zone of each row, open window
SELECT ({seen})::date AS day, count(*) AS actions
FROM {history}
GROUP BY 1
"""


def choose(asked: Iterable[str], known: Mapping[str, Query]) -> list[Query]:
    """The known queries of those names, or all; a name with a dot or a slash is a file: one SELECT.

    OutputError for a name that is neither, and for a file that cannot be read.
    """
    chosen: list[Query] = []
    for name in asked:
        if name == "all":
            chosen += known.values()
        elif name in known:
            chosen.append(known[name])
        elif "." in name or "/" in name:
            chosen.append(Query(name, f"The query of {name}", files.read(name).text, None, ()))
        else:
            near = nearest_names(name, known)
            hint = f"; did you mean {near[0]}?" if near else f": choose of {', '.join(known)}."
            raise OutputError(f"There is no query {name!r}, and no file has that name{hint}")
    return list({query.name: query for query in chosen}.values())

"""The queries of the benchmark, each with the same query that converts nothing beside it.

``actions`` holds twelve weeks of events up to the end of today, ``history`` as many events of two
years, ``publishers`` the zones. Every text is the same on all engines, but that Spark and Vertica
have functions in the place of AT TIME ZONE.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How a dialect writes conversions; ``zone`` is a text that gives one."""

    to_zone: str
    to_utc: str
    with_time_zone: str
    timestamp: str


_SQL = _Spelling(
    "{value} AT TIME ZONE 'UTC' AT TIME ZONE {zone}",
    "{value} AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
    "{value} AT TIME ZONE {zone}",
    "TIMESTAMP",
)
_VERTICA = _Spelling(
    "NEW_TIME({value}, 'UTC', {zone})",
    "NEW_TIME({value}, {zone}, 'UTC')",
    "NEW_TIME(CAST({value} AS TIMESTAMP), 'UTC', {zone})",  # what a session in UTC shows
    "TIMESTAMP",
)
_SPARK = _Spelling(
    "convert_timezone('UTC', {zone}, {value})",
    "convert_timezone({zone}, 'UTC', {value})",
    "from_utc_timestamp({value}, {zone})",
    "TIMESTAMP_NTZ",  # TIMESTAMP has a time zone there
)


_ROW = "p.time_zone_name"
_NEW_YORK = "'America/New_York'"
_ACTIONS = "actions a JOIN publishers p ON a.action_publisher_id = p.id"
_HISTORY = "history h JOIN publishers p ON h.action_publisher_id = p.id"


def standard(today: dt.date, dialect: str = "") -> dict[str, Query]:
    """The named queries, by name, as the dialect spells them; windows end before ``today``."""
    spelling = {"spark": _SPARK, "vertica": _VERTICA}.get(dialect, _SQL)
    timestamp = spelling.timestamp
    first, last = today - dt.timedelta(weeks=9), today - dt.timedelta(weeks=3)
    day = today - dt.timedelta(days=20)
    now = dt.datetime.combine(today, dt.time()) + dt.timedelta(hours=12) - NEWEST
    start, end = f"{timestamp} '{first} 00:00:00'", f"{timestamp} '{last} 23:59:59.999'"
    window = (
        f"a.action_event_time >= {timestamp} '{first}' "
        f"AND a.action_event_time < {timestamp} '{last}'"
    )
    one_day = (
        f"a.action_event_time >= {timestamp} '{day}' "
        f"AND a.action_event_time < {timestamp} '{day + dt.timedelta(days=1)}'"
    )

    def to(value: str, zone: str) -> str:
        return spelling.to_zone.format(value=value, zone=zone)

    def local_start(value: str) -> str:
        return spelling.to_utc.format(value=value, zone=_ROW)

    seen = spelling.with_time_zone.format(value="h.seen", zone=_ROW)

    made = [
        Query(
            "hourly",
            "Taboola's hourly report: zone of each row, six weeks",
            f"""\
SELECT date_trunc('hour', {to("a.action_event_time", _ROW)}) AS hour,
       count(a.action_name) AS actions
FROM {_ACTIONS}
WHERE a.action_event_time BETWEEN ({local_start(start)})
      AND ({local_start(end)})
GROUP BY 1
""",
            f"""\
SELECT date_trunc('hour', a.action_event_time) AS hour, count(a.action_name) AS actions
FROM {_ACTIONS}
WHERE a.action_event_time BETWEEN {start} AND {end}
GROUP BY 1
""",
            ("actions",),
        ),
        Query(
            "local-days",
            "Local days: zone of each row, open window, two years of events",
            f"""\
SELECT ({to("h.action_event_time", _ROW)})::date AS day, count(*) AS actions
FROM {_HISTORY}
GROUP BY 1
""",
            f"""\
SELECT (h.action_event_time)::date AS day, count(*) AS actions
FROM {_HISTORY}
GROUP BY 1
""",
            ("history",),
        ),
        Query(
            "constant-days",
            "Local days of one constant zone, open window",
            f"""\
SELECT ({to("a.action_event_time", _NEW_YORK)})::date AS day, count(*) AS actions
FROM actions a
GROUP BY 1
""",
            """\
SELECT (a.action_event_time)::date AS day, count(*) AS actions
FROM actions a
GROUP BY 1
""",
            ("actions",),
        ),
        Query(
            "day-constant",
            "One local day of one constant zone",
            f"""\
SELECT count(*) AS actions
FROM actions a
WHERE ({to("a.action_event_time", _NEW_YORK)})::date = DATE '{day}'
""",
            f"SELECT count(*) AS actions\nFROM actions a\nWHERE {one_day}\n",
            ("actions",),
        ),
        Query(
            "day-zone",
            "One local day in the zone of each row",
            f"""\
SELECT count(*) AS actions
FROM {_ACTIONS}
WHERE ({to("a.action_event_time", _ROW)})::date = DATE '{day}'
""",
            f"SELECT count(*) AS actions\nFROM {_ACTIONS}\nWHERE {one_day}\n",
            ("actions",),
        ),
        Query(
            "now",
            "Adform's filter: a TIMESTAMP compared with NOW()",
            f"""\
SELECT count(*) AS actions
FROM actions a
WHERE a.action_event_time >= NOW() - INTERVAL '{NEWEST.days} days'
""",
            f"""\
SELECT count(*) AS actions
FROM actions a
WHERE a.action_event_time >= {timestamp} '{now}'
""",
            ("actions",),
        ),
        Query(
            "local-to-utc",
            "Local times of each row's zone read as UTC, open window",
            f"""\
SELECT date_trunc('hour', {local_start("h.local_time")}) AS hour, count(*) AS actions
FROM {_HISTORY}
GROUP BY 1
""",
            f"""\
SELECT date_trunc('hour', h.local_time) AS hour, count(*) AS actions
FROM {_HISTORY}
GROUP BY 1
""",
            ("history",),
        ),
        Query(
            "two-timestamps",
            "Begin and end of each action in the zone of its row, six weeks",
            f"""\
SELECT ({to("a.action_event_time", _ROW)})::date AS day,
       ({to("a.action_end_time", _ROW)})::date AS end_day,
       count(*) AS actions
FROM {_ACTIONS}
WHERE {window}
GROUP BY 1, 2
""",
            f"""\
SELECT (a.action_event_time)::date AS day, (a.action_end_time)::date AS end_day,
       count(*) AS actions
FROM {_ACTIONS}
WHERE {window}
GROUP BY 1, 2
""",
            ("actions",),
        ),
        Query(
            "timestamptz-days",
            "Local days of a TIMESTAMPTZ: zone of each row, open window",
            f"""\
SELECT ({seen})::date AS day, count(*) AS actions
FROM {_HISTORY}
GROUP BY 1
""",
            f"""\
SELECT (h.action_event_time)::date AS day, count(*) AS actions
FROM {_HISTORY}
GROUP BY 1
""",
            ("history",),
        ),
    ]
    return {query.name: query for query in made}


def choose(asked: Iterable[str], today: dt.date, dialect: str = "") -> list[Query]:
    """The queries of those names, or all; a name with a dot or a slash is a file with one SELECT.

    OutputError for a name that is neither, and for a file that cannot be read.
    """
    known = standard(today, dialect)
    chosen: list[Query] = []
    for name in asked:
        if name == "all":
            chosen += known.values()
        elif name in known:
            chosen.append(known[name])
        elif "." in name or "/" in name:
            chosen.append(_of_file(Path(name)))
        else:
            near = nearest_names(name, known)
            hint = f"; did you mean {near[0]}?" if near else f": choose of {', '.join(known)}."
            raise OutputError(f"There is no query {name!r}, and no file has that name{hint}")
    return list({query.name: query for query in chosen}.values())


def _of_file(path: Path) -> Query:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise OutputError(f"{path}: is not UTF-8 text; save it as UTF-8 first.") from error
    return Query(str(path), f"The query of {path}", text, None, ())

"""The queries of the benchmark, of its two suites and of the demonstration, read from SQL files.

The suite ``conversions`` has a query for each kind of conversion. Beside each stands its limit, the
same query without conversions. ``reports`` are a dozen reports as a SaaS company has them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tzconv import engines, files
from tzconv.engines.facts import ConversionSpelling
from tzconv.errors import OutputError, nearest_names

NOW_DAYS = 7
"""How far the filter on NOW() looks back. No event is near that time: see ``data``."""
CONSTANT_ZONE = "America/New_York"
_VALUE = r"(?:TIMESTAMP '[^']*'|[\w.]+)"
_ZONE = r"(?:[\w.]+|'[^']*')"
_CONVERSION = re.compile(
    rf"(?P<utc>{_VALUE}) AT TIME ZONE 'UTC' AT TIME ZONE (?P<to_zone>{_ZONE})"
    rf"|(?P<local>{_VALUE}) AT TIME ZONE (?P<from_zone>{_ZONE}) AT TIME ZONE 'UTC'"
    rf"|(?P<instant>{_VALUE}) AT TIME ZONE (?P<zone>{_ZONE})"
)


@dataclass(frozen=True, slots=True)
class Query:
    """A text to measure. ``limit`` is the same query without conversions, where there is one.

    ``tables`` are the made-up tables of events that it reads; a query of the user's reads none.
    """

    name: str
    title: str
    sql: str
    limit: str | None
    tables: tuple[str, ...]


def standard(today: dt.date, dialect: str = engines.DEFAULT) -> dict[str, Query]:
    """The suite ``conversions`` by name, as the dialect spells it; windows end before ``today``."""
    spelling = engines.facts_of(dialect).spelling
    day = today - dt.timedelta(days=20)
    noon = dt.datetime.combine(today, dt.time(12)) - dt.timedelta(days=NOW_DAYS)
    limits = {
        "h.seen": "h.action_event_time",
        f"NOW() - INTERVAL '{NOW_DAYS} days'": f"TIMESTAMP '{noon}'",
        f"(a.action_event_time)::date = DATE '{day}'": f"a.action_event_time >= TIMESTAMP '{day}' "
        f"AND a.action_event_time < TIMESTAMP '{day + dt.timedelta(days=1)}'",
    }
    first, last = today - dt.timedelta(weeks=9), today - dt.timedelta(weeks=3)
    timestamp = f"{spelling.timestamp} '"
    found = {}
    for name, title, text in read(Path(__file__).with_name("conversions.sql")):
        sql = text.format(first=first, last=last, day=day, now_days=NOW_DAYS)
        limit = _CONVERSION.sub(_unconverted, sql)
        for converted, plain in limits.items():
            limit = limit.replace(converted, plain)
        spelled = _CONVERSION.sub(lambda match: _spelled(match, spelling), sql)
        spelled, limit = (one.replace("TIMESTAMP '", timestamp) for one in (spelled, limit))
        tables = tuple(re.findall(r"FROM (\w+)", sql))
        found[name] = Query(name, title, spelled, limit, tables)
    return found


def reports(today: dt.date, suite: str = "reports") -> dict[str, Query]:
    """The suite ``reports`` or ``tuned`` by name; the dates in them depend on ``today``."""
    first, last = today - dt.timedelta(days=150), today - dt.timedelta(days=90)
    return {
        name: Query(name, title, text.format(first=first, last=last), None, ("events",))
        for name, title, text in read(Path(__file__).with_name(f"{suite}.sql"))
    }


def read(file: Path) -> Iterator[tuple[str, str, str]]:
    """Name, title and text of the queries of a file, each under a line ``-- name: title``."""
    script = file.read_text(encoding="utf-8")
    _, *parts = re.split(r"^-- ([^:\n]+): (.*)\n", script, flags=re.MULTILINE)
    return zip(parts[::3], parts[1::3], parts[2::3], strict=True)


def choose(names: Iterable[str], known: Mapping[str, Query]) -> list[Query]:
    """The known queries of those names, or all; a name with a dot or a slash is a file: one SELECT.

    OutputError for a name that is neither, and for a file that cannot be read.
    """
    chosen: list[Query] = []
    for name in names:
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


def _unconverted(match: re.Match[str]) -> str:
    return match["utc"] or match["local"] or match["instant"]


def _spelled(match: re.Match[str], spelling: ConversionSpelling) -> str:
    value, zone = _unconverted(match), match["to_zone"] or match["from_zone"] or match["zone"]
    form = spelling.to_zone if match["utc"] else spelling.to_utc
    return (spelling.instant_to_zone if match["instant"] else form).format(value=value, zone=zone)

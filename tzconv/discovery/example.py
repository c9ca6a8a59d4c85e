"""A query to compare: a report of the user's that gains, or a small one of the user's own names."""

from __future__ import annotations

from tzconv import engines
from tzconv.discovery import Discovery
from tzconv.discovery.reports import Report
from tzconv.errors import ParseError
from tzconv.rewriter import is_one_query
from tzconv.sql.templates import is_template
from tzconv.sql.text import literal

_MOST_LINES = 60
_ANY_ZONE = "Europe/Berlin"


def report(found: Discovery, dialect: str) -> Report | None:
    """The most expensive report that a rewrite changes and that runs as it is; None without one.

    A file of the user's comes before the views of the database.
    """
    for one in sorted(found.reports.gaining, key=lambda one: one.kind != "file"):
        if not one.hides_constants and not is_template(one.sql) and _is_one(one.sql, dialect):
            return one
    return None


def query(found: Discovery, dialect: str) -> str:
    """The rows of each local day in the largest table."""
    spelling, largest = engines.facts_of(dialect).spelling, found.tables[0]
    column = next(one for one in largest.columns if one.kind in ("timestamp", "timestamptz"))
    own = [one for one in found.zones.columns if one.source.startswith(f"{largest.name}.")]
    clean = [one.source[len(largest.name) + 1 :] for one in own if not one.invalid]
    zone = clean[0] if clean else literal(next(iter(found.zones.zones), _ANY_ZONE))
    shape = spelling.instant_to_zone if column.kind == "timestamptz" else spelling.to_zone
    day = f"CAST({shape.format(value=column.name, zone=zone)} AS DATE)"
    return f"SELECT {day} AS day, count(*) AS n\nFROM {largest.name}\nGROUP BY 1\nORDER BY 1"


def _is_one(sql: str, dialect: str) -> bool:
    try:
        return sql.count("\n") < _MOST_LINES and is_one_query(sql, dialect)
    except ParseError:
        return False

"""Names and values as SQL text that every engine reads alike."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

ALEMBIC_COLUMN = "version_num"


def identifier(name: str) -> str:
    """A name as SQL text, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string as SQL text, whatever characters it has."""
    return "'" + text.replace("'", "''") + "'"


def constant(value: object) -> str:
    """A value as SQL text."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return literal(str(value))


def of_zones(zones: Iterable[str] | None) -> str:
    """The WHERE clause of some zones; empty for all of them."""
    if zones is None:
        return ""
    return f"WHERE time_zone_name IN ({', '.join(map(literal, sorted(zones))) or 'NULL'})"

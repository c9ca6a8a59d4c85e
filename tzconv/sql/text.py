"""Names and values as SQL text that every engine reads alike."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

ALEMBIC_COLUMN = "version_num"


def identifier(name: str, quote: str = '"') -> str:
    """A name as SQL text, whatever characters it has."""
    return quote + name.replace(quote, quote * 2) + quote


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


def spliced(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    """The text with other text for each ``text[start:end]``; they are in order and apart."""
    parts, position = [], 0
    for start, end, new in pieces:
        parts += [text[position:start], new]
        position = end
    return "".join([*parts, text[position:]])


def of_zones(zones: Iterable[str] | None, condition: str = "") -> str:
    """The WHERE clause of some zones (None for all) and a condition; empty without either."""
    parts = [condition] if condition else []
    if zones is not None:
        names = ", ".join(map(literal, sorted(zones))) or "NULL"
        parts.insert(0, f"time_zone_name IN ({names})")
    return f"WHERE {' AND '.join(parts)}" if parts else ""

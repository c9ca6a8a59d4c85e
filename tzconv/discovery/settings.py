"""The text of a ``tzconv.toml`` for a database: what is set, and in comments what else may be."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tzconv.discovery import Discovery

_MOST_ZONES = 40
"""Zones of a list that a person reads."""
_PURPOSES = {
    "daily": "local days, for queries of yours that join them; most of the default rows",
    "hourly": "local hours, for the same; 25 times the rows of daily",
    "period": "offsets by periods of 51 days: joined by rewritten queries where it is a default",
}


def text(found: Discovery, url: str, had_password: bool, dialect: str, schema: str | None) -> str:
    """The file; ``url`` is without its password, ``schema`` that of the conversion tables."""
    lines = _lines(found, url, had_password, dialect, schema)
    # the name of a table may hold anything, and a comment ends with its line
    return "".join("".join(c if c.isprintable() else "?" for c in line) + "\n" for line in lines)


def _lines(
    found: Discovery, url: str, had_password: bool, dialect: str, schema: str | None
) -> Iterator[str]:
    yield f"# Written by tzconv init for {found.product}; docs/configuration.md explains it."
    yield "# Commands in this folder use it. If it was moved, copied or set to another database,"
    yield "# name it: tzconv --config FILE refresh, or export TZCONV_CONFIG=FILE."
    yield ""
    if had_password:
        ways = [*filter(None, [found.password]), "set TZCONV_URL to the whole URL"]
        yield f"# Without the password: {', or '.join(ways)}."
    yield f"url = {_string(url)}"
    yield f"dialect = {_string(dialect)}"
    if schema is not None:
        yield f"db-schema = {_string(schema)}"
    yield ""
    yield from _zones(found)
    yield ""
    yield from _tables(found)
    if found.first is not None and found.first < found.default_start:
        yield ""
        yield f"# {found.first_in} begins on {found.first}. Set this for older rows in the"
        yield "# daily and hourly tables, which begin last year; others begin in 1970 or before."
        yield f"# start = {found.first.replace(month=1, day=1)}"
    if any(one.kind == "rules" for one in found.disagreements):
        yield ""
        yield f"# The database's own rules differ from {found.tz_release}. This loads them:"
        yield '# rules = "database"'


def _zones(found: Discovery) -> Iterator[str]:
    used = found.zones.zones
    yield "# All zones, so that no later customer is without one."
    yield 'zones = "all"'
    if used and len(used) <= _MOST_ZONES:
        names = ", ".join(map(_string, used))
        yield f"# Smaller tables: the {len(used)} in use. Others use the database's own function."
        yield f"# zones = [{names}]"


def _tables(found: Discovery) -> Iterator[str]:
    yield "# offset and zone are always loaded, for rewritten queries. The others:"
    yield from (f"#   {name:<6}  {_PURPOSES[name]}" for name in _PURPOSES)
    yield f"tables = [{', '.join(map(_string, found.chosen))}]"
    others = ", ".join(_string(name) for name in found.chosen if name != "daily")
    if "daily" not in found.reports.joined:
        yield "# No report that was looked at joins daily, which has most of the rows. Without it:"
        yield f"# tables = [{others or _string('offset')}]"


def _string(value: str) -> str:
    """A text as TOML."""
    return json.dumps(value, ensure_ascii=False)

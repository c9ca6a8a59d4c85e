"""Statements that make IANA names of the other names in a column. They are proposed, never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tzconv import engines, tables
from tzconv.engines.backend import Backend
from tzconv.errors import some
from tzconv.sql.text import literal
from tzconv.tz import spellings
from tzconv.zone_names import Column, ZoneName, ZoneNames

ALIASES = "time_zone_alias"
"""The table of aliases: a name as it stands in a column, the IANA name, and whose name it is."""

_MOST_LISTED = 100


def text(backend: Backend, found: ZoneNames) -> Iterator[str]:
    """The script, line by line."""
    column = Column.read(found.source, engines.engine_of(backend.dialect).quote)
    mapped = [one for one in found.invalid if one.zone]
    names = {"table": column.table, "column": column.name, "zones": backend.name(tables.ZONE.name)}
    asked = backend.zone_column.format(**{name: literal(text) for name, text in names.items()})
    there = backend.query(asked).tuples() if asked else [(None, "")]
    yield f"-- Proposed by tzconv for {found.source}, tz release {found.tz_release}; not run."
    yield from _left(found)
    if not there:
        yield "-- No text column of a table: correct its type, or the table that a view reads."
        return
    if mapped:
        yield ""
        yield from _aliases(backend, column, mapped)
    yield ""
    yield from _constraint(backend, names, *there[0])


def _left(found: ZoneNames) -> Iterator[str]:
    """Comments about the names that somebody must decide."""
    left = [one for one in found.invalid if not one.zone]
    if left:
        yield "-- Names without a certain zone, which a person must decide:"
    for one in left[:_MOST_LISTED]:
        reason = spellings.REASONS[one.kind]
        # a repr has no line break that would end the comment
        yield f"--   {one.text!r}, rows: {one.rows}: {reason}{_others(one)}"
    if len(left) > _MOST_LISTED:
        yield f"--   and {len(left) - _MOST_LISTED:,} more"


def _aliases(backend: Backend, column: Column, mapped: list[ZoneName]) -> Iterator[str]:
    aliases = backend.name(ALIASES)
    yield (
        f"CREATE TABLE IF NOT EXISTS {aliases} (\n    name varchar(400) NOT NULL PRIMARY KEY,\n"
        "    iana_name varchar(400) NOT NULL,\n    source varchar(16) NOT NULL\n);"
    )
    yield "-- An alias that the table has already stays as it is."
    for one in mapped:
        name = _string(one.text or "")
        values = f"{name}, {literal(one.zone or '')}, {literal(one.kind)}"
        yield (
            f"INSERT INTO {aliases} (name, iana_name, source) SELECT {values}\n"
            f"    WHERE NOT EXISTS (SELECT 1 FROM {aliases} AS alias WHERE alias.name = {name});"
            f"{_others(one)}"
        )
    rows = sum(one.rows for one in mapped)
    yield f"-- This changes {rows} row{'' if rows == 1 else 's'}."
    yield (
        f"UPDATE {column.table} SET {column.name} = (SELECT alias.iana_name\n"
        f"    FROM {aliases} AS alias WHERE alias.name = {column.table}.{column.name})\n"
        f"WHERE {column.name} IN (SELECT alias.name FROM {aliases} AS alias);"
    )


def _others(one: ZoneName) -> str:
    if not one.others:
        return ""
    where = "  -- in other countries" if one.zone else ", perhaps"
    return f"{where} {some(one.others)}"


def _constraint(
    backend: Backend, names: Mapping[str, str], there: str | None, unchecked: str
) -> Iterator[str]:
    table, column, zones = names.values()
    if backend.zone_constraint is None:
        yield (
            "-- This engine adds no constraint to a table with rows. After tzconv refresh, this "
            "finds\n-- names that it has not loaded:"
        )
        yield (
            f"SELECT {column}, count(*) FROM {table} WHERE {column} NOT IN "
            f"(SELECT time_zone_name FROM {zones}) GROUP BY {column};"
        )
        return
    if there is not None:
        yield f"-- The foreign key {there} is there already."
        return
    yield "-- Once, after tzconv refresh: new rows may only have names that it has loaded, or NULL."
    made = f'{column[:-1]}_is_known"' if '"' in column else f"{column}_is_known"
    if not unchecked:
        yield "-- For a partitioned table this server checks the rows that are there, too."
    yield f"{backend.zone_constraint.format(**names, constraint=made, unchecked=unchecked)};"


def _string(name: str) -> str:
    """A string as SQL text that can be printed, with chr() for what cannot."""
    parts: list[str] = []
    for one in name:
        if not one.isprintable():
            parts.append(f"chr({ord(one)})")
        elif parts and parts[-1].startswith("'"):
            parts[-1] = literal(parts[-1][1:-1].replace("''", "'") + one)
        else:
            parts.append(literal(one))
    return " || ".join(parts)

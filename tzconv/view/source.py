"""What a view reads: the fact table, its UTC time, and the zone of each row."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tzconv import engines
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError, QueryError
from tzconv.sql.schema import Kind
from tzconv.sql.text import identifier, literal
from tzconv.tz import spellings, zones
from tzconv.zone_names import PART, Column, ask, requoted, why_missing

_ONE = re.compile(PART)
_NAME = re.compile(rf"{PART}(?:\.{PART}){{0,2}}")
_KEY = re.compile(rf"\s*({PART})\s*=\s*({PART})\s*")
_IN_ZONE = re.compile(r"timestamptz|timestamp\b.*\bwith time zone|timestamp_ltz", re.I | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """Tables and columns as SQL text, for the aliases ``t`` (facts) and ``z`` (owner of the zone).

    ``time`` is the local time by the function of the database. The columns ``identity`` of ``t``
    decide it. ``owner`` is the other table with its key, None if the zone stands in ``table``.
    """

    title: str
    zone_title: str
    table: str
    relations: str
    moment: str
    zone: str
    time: str
    identity: tuple[str, ...]
    owner: Column | None


def read(
    backend: Backend,
    column: str,
    *,
    zone_column: str | None = None,
    zone: str | None = None,
    key: str | None = None,
) -> Source:
    """The source that a user names, one of ``zone_column`` and ``zone``.

    DatabaseError if names do not go together, or the time is no timestamp; QueryError for what the
    database does not have.
    """
    quote = engines.engine_of(backend.dialect).quote
    own = _qualified(backend, Column.read(column, quote))
    relations, identity, named = f"{own.table} AS t", [own.name], [own]
    joined: Column | None = None
    if zone is not None:
        at, title = literal(known_zone(zone)), zone
    else:
        owner = _zone_column(backend, str(zone_column), own, quote)
        title = f"{owner.table}.{owner.name}"
        at = f"t.{owner.name}"
        named.append(owner)
        if owner.table == own.table:
            identity.append(owner.name)
        else:
            match = _KEY.fullmatch(key or "")
            if match is None:
                raise DatabaseError(
                    f"{title} is in another table than {column}: name the columns that join them, "
                    f"--key COLUMN=COLUMN, first that of {own.table}."
                )
            foreign, primary = (requoted(one, quote) for one in match.groups())
            relations += f"\n    LEFT JOIN {owner.table} AS z ON z.{primary} = t.{foreign}"
            joined, at = Column(owner.table, primary), f"z.{owner.name}"
            identity.append(foreign)
            named += [joined, Column(own.table, foreign)]
    if key is not None and joined is None:
        raise DatabaseError("--key joins another table that has the zone: leave it out here.")
    moment = f"t.{own.name}"
    try:
        type_ = ask(backend, f"SELECT {moment}, {at} FROM {relations} LIMIT 0", column).types[0]
    except QueryError as error:
        for one in named:
            if (wrong := why_missing(backend, one)) is not None:
                raise QueryError(f"{one.table}.{one.name}: {wrong}") from error
        raise
    spelling = engines.facts_of(backend.dialect).spelling
    is_instant = kind_of_time(column, type_) == "timestamptz"
    form = spelling.instant_to_zone if is_instant else spelling.to_zone
    return Source(
        title=column,
        zone_title=title,
        table=own.table,
        relations=relations,
        moment=moment,
        zone=at,
        time=form.format(value=moment, zone=at),
        identity=tuple(identity),
        owner=joined,
    )


def kind_of_time(column: str, type_: str) -> Kind:
    """The kind of a column with UTC times, by its type; DatabaseError if it is no timestamp."""
    if not type_.lower().startswith("timestamp"):
        raise DatabaseError(f"{column} is a {type_}: name a TIMESTAMP in UTC, or a TIMESTAMPTZ.")
    return "timestamptz" if has_zone(type_) else "timestamp"


def has_zone(type_: str) -> bool:
    """Whether a type is that of an instant."""
    return _IN_ZONE.search(type_) is not None


def known_zone(name: str) -> str:
    """The zone of that name in any case; UnknownZoneError with the nearest names."""
    package = zones.installed()
    if (found := package.spelled(name)) is None:
        raise spellings.unknown_zone(name, package.names, package.links, package.release)
    return found


def view_name(name: str | None, table: str, quote: str) -> str:
    """The name that a user gives, or that of the table with ``_local`` behind it."""
    if name is None:
        if table.endswith(quote):
            return f"{table[:-1]}_local{quote}"
        return f"{table}_local"
    if not _NAME.fullmatch(name.strip()):
        raise DatabaseError(
            f"{name!r} is no name for a view: write NAME or SCHEMA.NAME, with double quotes around "
            "names that are not plain."
        )
    return requoted(name.strip(), quote)


def exists(backend: Backend, relation: str) -> bool:
    """Whether a table or view can be read; one without the privilege is not found."""
    try:
        backend.query(f"SELECT 1 FROM {relation} AS t LIMIT 0")
    except QueryError:
        return False
    return True


def _zone_column(backend: Backend, text: str, own: Column, quote: str) -> Column:
    if _ONE.fullmatch(text.strip()):
        return Column(own.table, requoted(text.strip(), quote))
    read = Column.read(text, quote)
    found = _qualified(backend, read)
    is_own = found.table.casefold() == own.table.casefold() and quote not in read.table
    return Column(own.table, found.name) if is_own else found


def _qualified(backend: Backend, column: Column) -> Column:
    """The column with the schema of its table, so that the view means it in every session."""
    schema = backend.current_schema() if _ONE.fullmatch(column.table) else None
    quote = engines.engine_of(backend.dialect).quote
    full = f"{identifier(schema or '', quote)}.{column.table}"
    return Column(full, column.name) if schema and exists(backend, full) else column

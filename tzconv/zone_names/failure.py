"""Why a query fails at a zone: which name the database refuses, and which rows hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from tzconv import engines
from tzconv.engines.backend import Backend
from tzconv.engines.contents import named
from tzconv.errors import DatabaseError, TzconvError
from tzconv.sql.parse import parse
from tzconv.sql.text import literal
from tzconv.tz import spellings, zones
from tzconv.zone_names import Column

_QUOTED = re.compile(r"'(.*?)'(?!\w)|\"(.*?)\"|»(.*?)«|«\s*(.*?)\s*»|„(.*?)[“”]|“(.*?)”")
"""A name in a message, as each language of the server quotes it."""
_ABOUT_ZONES = re.compile(r"(?i)zone|zona|fuseau|часов|时区|タイムゾーン|시간대")
"""Before the name in a message about a time zone, in each language of the server."""
_NO_ZONES = re.compile(
    r"(?i)(?:timestamp\w*|date|time|interval|\w*int(?:eger)?|numeric|decimal|double|real|bool\w*"
    r"|bytea|blob|.*binary|jsonb?|xml|uuid|struct|map|array)\b"
)
"""Types of columns that hold no names."""
_NONE = frozenset[str]()
"""``tzconv names`` takes a name without quotes even if it is a word of SQL."""


def refused(
    backend: Backend, sql: str, message: str, types: Mapping[str, Mapping[str, str]]
) -> str | None:
    """What is wrong with the zone name in a message of the database; None if it is not about one.

    ``types`` are those of the tables. The name is looked for in the texts of all tables that the
    query reads, also by views.
    """
    match = _QUOTED.search(message)
    # the name of a column, or the text of the query, may follow
    if match is None or not _ABOUT_ZONES.search(message[: match.start()]):
        return None
    name = next(text for text in match.groups() if text is not None)
    try:
        rules = zones.installed()
        kind = spellings.read(name, frozenset(rules.names), rules.links).kind
        if backend.accepted([name]).get(name, kind in spellings.VALID):
            return None
        known = {table.casefold(): columns for table, columns in types.items()}
        held: dict[str, int] = {}
        for table, full in _tables(backend, sql).items():
            held |= _rows(backend, table, known.get(full, {}), name)
    except TzconvError:  # an explanation that is not found is no error of its own
        return None
    return explained(name, held) if held or literal(name) in sql else None


def explained(name: str, rows: Mapping[str, int]) -> str:
    """What a refused name is, where it is, and what to do, without the full stop.

    ``rows`` are those of each column that holds it; without any the query itself has it.
    """
    rules = zones.installed()
    found = spellings.read(name, frozenset(rules.names), rules.links)
    near = f", perhaps {' or '.join(found.others)}" if found.others else ""
    meant = f", which may be {found.zone}" if found.zone else near
    what = f"the database does not know the time zone {name!r}"
    if found.kind in spellings.VALID:
        return (
            f"{what}, which is {spellings.REASONS[found.kind]} of {rules.release}: update the "
            "database's own rules (the rewritten query needs only the tables for it)"
        )
    what += f" ({spellings.REASONS[found.kind]}{meant})"
    if not rows:
        return f"{what}, which the query names: write an IANA name there"
    where = [f"{count:,} row{'' if count == 1 else 's'} of {one}" for one, count in rows.items()]
    (column, *_), verb = rows, "holds" if sum(rows.values()) == 1 else "hold"
    return (
        f"{what}, which {' and '.join(where)} {verb}: tzconv names --column {column} with the "
        "same --url shows such names, and --sql how to correct them"
    )


def _tables(backend: Backend, sql: str) -> dict[str, str]:
    """The tables in a query and in the views that it reads, as SQL text; their names without case.

    The text has double quotes, as ``tzconv names`` takes it on every engine.
    """
    stored = backend.stored_objects()
    views = {} if stored is None else stored.views
    found: dict[str, str] = {}
    waiting, seen = [sql], set[str]()
    while waiting:
        statements = parse(waiting.pop(), backend.dialect).statements
        for table in (one for tree in statements for one in tree.find_all(exp.Table)):
            path = [one for one in (table.args.get("db"), table.this) if one]
            full = ".".join(part.name for part in path).casefold()
            if full not in views:
                found[".".join(named(part.name, _NONE) for part in path)] = full
            elif full not in seen:
                waiting += filter(None, [views[full]])
            seen.add(full)
    return found


def _rows(backend: Backend, table: str, types: Mapping[str, str], name: str) -> dict[str, int]:
    """How many rows of a table hold a name, by the columns that do, read in one pass."""
    paths = [
        f"{table}.{named(column, _NONE)}"
        for column, kind in types.items()
        if not _NO_ZONES.match(kind)
    ]
    if not paths:
        return {}
    quote = engines.engine_of(backend.dialect).quote
    own = [Column.read(path, quote) for path in paths]
    counts = ", ".join(
        f"count(CASE WHEN CAST({one.name} AS VARCHAR(1000)) = {literal(name)} THEN 1 END)"
        for one in own
    )
    try:
        [rows] = backend.query(f"SELECT {counts} FROM {own[0].table}").tuples()
    except DatabaseError:  # a table that the user may not read
        return {}
    return {path: int(count) for path, count in zip(paths, rows, strict=True) if int(count)}

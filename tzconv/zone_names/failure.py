"""Why a query fails at a zone: which name the database refuses, and which rows hold it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from tzconv import engines
from tzconv.engines.backend import Backend
from tzconv.engines.write import quoted
from tzconv.errors import DatabaseError, TzconvError
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node, parse
from tzconv.sql.text import literal
from tzconv.tz import spellings, zones
from tzconv.zone_names import Column

_QUOTED = re.compile(r"'(.*?)'(?!\w)|\"(.*?)\"|»(.*?)«|«\s*(.*?)\s*»|„(.*?)[“”]|“(.*?)”")
"""A name in a message, as each language of the server quotes it."""
_ABOUT_ZONES = re.compile(r"(?i)zone|zona|fuseau|часов|时区|タイムゾーン|시간대")
"""In a message about an empty name, which many other messages quote."""
_CONVERSIONS = (exp.AtTimeZone, exp.ConvertTimezone, NewTime, exp.TimestampTrunc, exp.DateTrunc)
_ZONE_ARGUMENTS = ("zone", "source", "target", "source_tz", "target_tz")
_NO_ZONES = re.compile(
    r"(?i)(?:timestamp\w*|date|time|interval|\w*int(?:eger)?|numeric|decimal|double|real|bool\w*)\b"
)
"""Types of columns that stand in a conversion for other reasons."""
_MOST_COLUMNS = 10


@dataclass(frozen=True, slots=True)
class RefusedName:
    """A name that the database's function refuses; ``rows`` by the columns that hold it.

    Without ``rows`` the query itself has it.
    """

    name: str
    rows: Mapping[str, int]

    def __str__(self) -> str:
        """What it is, where it is, and what to do, as the rest of a sentence."""
        rules = zones.installed()
        found = spellings.read(self.name, frozenset(rules.names), rules.links)
        near = f", perhaps {' or '.join(found.others)}" if found.others else ""
        meant = f", which may be {found.zone}" if found.zone else near
        what = f"the database does not know the time zone {self.name!r}"
        if found.kind in spellings.VALID:
            return (
                f"{what}, which is {spellings.REASONS[found.kind]} of {rules.release}: update the "
                "database's own rules (the rewritten query needs only the tables for it)"
            )
        what += f" ({spellings.REASONS[found.kind]}{meant})"
        if not self.rows:
            return f"{what}, which the query names: write an IANA name there"
        where = [
            f"{rows:,} row{'' if rows == 1 else 's'} of {one}" for one, rows in self.rows.items()
        ]
        (column, *_), verb = self.rows, "holds" if sum(self.rows.values()) == 1 else "hold"
        return (
            f"{what}, which {' and '.join(where)} {verb}: tzconv names --column {column} with the "
            "same --url shows such names, and --sql how to correct them"
        )


def refused(
    backend: Backend, sql: str, message: str, types: Mapping[str, Mapping[str, str]]
) -> RefusedName | None:
    """The zone name in a message of the database; None if it is not about one.

    ``types`` are those of the tables. Columns that hold zones are found in the query and in the
    views that it reads.
    """
    match = _QUOTED.search(message)
    if match is None:
        return None
    name = next(text for text in match.groups() if text is not None)
    if not name.strip() and not _ABOUT_ZONES.search(message):
        return None
    try:
        rules = zones.installed()
        kind = spellings.read(name, frozenset(rules.names), rules.links).kind
        if backend.accepted([name]).get(name, kind in spellings.VALID):
            return None
        stored = backend.stored_objects()
        views = {} if stored is None else stored.views
        trees = list(_trees(sql, backend.dialect, views))
        columns = dict.fromkeys(_columns(trees, types, views))
        rows = {one: _rows(backend, one, name) for one in list(columns)[:_MOST_COLUMNS]}
    except TzconvError:  # an explanation that is not found is no error of its own
        return None
    held = {column: count for column, count in rows.items() if count}
    if held or any(zone.is_string and zone.name == name for zone in _zones(trees)):
        return RefusedName(name, held)
    return None


def _trees(sql: str, dialect: str, views: Mapping[str, str | None]) -> Iterator[Node]:
    """The statements of the query and of the views in it."""
    waiting, seen = [sql], set[str]()
    while waiting:
        for tree in parse(waiting.pop(), dialect).statements:
            yield tree
            for table in tree.find_all(exp.Table):
                name = _full(table).casefold()
                if name not in seen and (definition := views.get(name)) is not None:
                    waiting.append(definition)
                seen.add(name)


def _zones(trees: list[Node]) -> Iterator[Node]:
    """The expressions that conversions in these statements use as their zones."""
    for tree in trees:
        for node in tree.walk():
            if isinstance(node, _CONVERSIONS):
                parts = [node.args.get(key) for key in _ZONE_ARGUMENTS]
            elif isinstance(node, exp.Anonymous):  # timezone() and the like
                parts = list(node.expressions)
            else:
                continue
            for part in parts:
                if isinstance(part, exp.Expression):
                    yield from part.walk()


def _columns(
    trees: list[Node], types: Mapping[str, Mapping[str, str]], views: Collection[str]
) -> Iterator[str]:
    """Columns of text that name zones, as ``tzconv names --column`` takes them."""
    known = {name.casefold(): name for name in types}
    names = _sources(trees, _names(_zones(trees)))
    for tree in trees:
        for table in tree.find_all(exp.Table):
            full = _full(table)
            if full.casefold() in views:
                continue
            found = types.get(full) or types.get(known.get(full.casefold(), ""), {})
            for column, kind in found.items():
                if column.casefold() in names and not _NO_ZONES.match(kind):
                    path = [part for part in (table.db, table.name) if part]
                    yield ".".join(_named(part) for part in (*path, column))


def _names(nodes: Iterable[Node]) -> set[str]:
    return {one.name.casefold() for one in nodes if isinstance(one, exp.Column)}


def _sources(trees: list[Node], names: set[str]) -> set[str]:
    """The names of columns, and of those that they are aliases of."""
    aliases = [one for tree in trees for one in tree.find_all(exp.Alias)]
    while True:
        behind = [_names(one.walk()) for one in aliases if one.alias.casefold() in names]
        more = names.union(*behind)
        if more == names:
            return names
        names = more


def _full(table: exp.Table) -> str:
    return ".".join(filter(None, (table.db, table.name)))


def _named(name: str) -> str:
    """A name as ``tzconv names`` takes it, on every engine in double quotes."""
    is_plain = re.fullmatch(r"[a-z_][a-z0-9_]*", name) is not None
    return name if is_plain else quoted(name)


def _rows(backend: Backend, column: str, name: str) -> int:
    own = Column.read(column, engines.engine_of(backend.dialect).quote)
    sql = (
        f"SELECT count(*) FROM {own.table} WHERE CAST({own.name} AS VARCHAR(1000)) = "
        f"{literal(name)}"
    )
    try:
        [count] = backend.query(sql).rows.column("c0").to_pylist()
    except DatabaseError:
        return 0
    return int(count)

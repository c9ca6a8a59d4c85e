"""Which objects of a database hold answers of the old rules, by the definitions in its catalog.

Definitions are parsed, and so are the views and functions that they use. What cannot be read is
unknown, never fine.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tzconv.engines.alchemy import OURS
from tzconv.engines.contents import StoredObject, StoredObjects
from tzconv.errors import ParseError, RewriteError
from tzconv.impact.named import parts
from tzconv.impact.windows import RulesDifference
from tzconv.sql.expressions import (
    ConversionChain,
    conversion_chain,
    conversion_chains,
    is_utc,
    without_parens,
    zone_conversion,
)
from tzconv.sql.parse import Node, Source, parse
from tzconv.sql.text import identifier

_ORIGINS = ("timestamp", "timestamptz", "date")


@dataclass(frozen=True, slots=True)
class Converting:
    """A ``column`` of one ``table``, converted by ``zone``: a constant, or a column of that table.

    ``is_local`` says that the column holds local times if it is a TIMESTAMP.
    """

    table: str
    column: str
    zone: str
    zone_is_column: bool
    is_local: bool


@dataclass(frozen=True, slots=True)
class Count:
    """Rows inside the windows, their keys (zone and local day), and all rows of the table."""

    rows: int
    keys: int
    total: int


@dataclass(slots=True)
class Uses:
    """What an object uses, with the views and functions in its definition.

    ``zones`` are the affected constant zones; with ``any_zone`` it also converts by others.
    ``reads_tables`` says that it joins the conversion tables, ``rollups`` are those of the
    configuration that it reads, ``unknown`` says what was not understood. ``converting`` is None
    where the rows of no single table decide, and ``count`` if these could not be counted either.
    """

    object: StoredObject
    zones: set[str] = field(default_factory=set)
    any_zone: bool = False
    reads_tables: bool = False
    rollups: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    converting: Converting | None = None
    count: Count | None = None

    @property
    def is_affected(self) -> bool:
        """Whether it holds answers that the new rules change."""
        return bool(self.zones or self.any_zone or self.reads_tables or self.rollups)


def find(
    stored: StoredObjects,
    difference: RulesDifference,
    dialect: str,
    rollups: Collection[str] = (),
) -> list[Uses]:
    """What each object uses, in the order of the catalog; nothing if no local time differs.

    ``rollups`` are affected tables: what reads them is affected, too.
    """
    names = {parts(name)[-1].casefold(): name for name in rollups}
    reader = _Reader(stored, difference, dialect, names)
    found = [Uses(one) for one in of_users(stored) if difference.groups]
    for uses in found:
        one = uses.object
        trees = reader.read(one.definition, one.kind, uses, set())
        if not (uses.reads_tables or uses.rollups):
            uses.converting = _converting(trees, one.table)
    return found


def of_users(stored: StoredObjects) -> list[StoredObject]:
    """The objects that are not of the conversion tables."""
    names = ((one, (one.table or "").rpartition(".")[2].strip('"')) for one in stored.objects)
    return [one for one, name in names if name not in OURS]


@dataclass(frozen=True)
class _Reader:
    stored: StoredObjects
    difference: RulesDifference
    dialect: str
    rollups: Mapping[str, str]

    def read(self, text: str | None, what: str, uses: Uses, seen: set[str]) -> list[Node]:
        """The trees of a definition; notes what they use, also by views and functions."""
        if text is None:
            uses.unknown.append(f"the catalog does not show the definition of the {what}")
            return []
        first = text.lstrip("( \n").partition(" ")[0].partition("\n")[0].upper()
        is_statement = first in ("CREATE", "SELECT", "TABLE", "VALUES", "WITH")  # or an expression
        try:
            source = parse(text if is_statement else f"SELECT {text}", self.dialect)
        except (ParseError, RewriteError) as error:
            why = error.reason if isinstance(error, ParseError) else error
            uses.unknown.append(f"the definition of the {what} is not understood: {why}")
            return []
        self._note_zones(source, uses)
        for tree in source.statements:
            self._note(tree, what, uses)
        for name, definition, kind in self._inner(source):
            if name not in seen:
                seen.add(name)
                self.read(definition, f"{kind} {name}", uses, seen)
        return source.statements

    def _note(self, tree: Node, what: str, uses: Uses) -> None:
        for node in tree.walk():
            if isinstance(node, exp.Command):
                uses.unknown.append(f"the definition of the {what} is not understood")
            elif isinstance(node, exp.Table):
                name = node.name.casefold()
                uses.reads_tables |= name in OURS
                uses.rollups |= {self.rollups[name]} if name in self.rollups else set()
            elif any(not _is_constant(zone) for zone in zones_of(node)):
                uses.any_zone = True

    def _note_zones(self, source: Source, uses: Uses) -> None:
        """Zones in strings: tokens, because a tree does not keep each string as a literal."""
        texts = {one.text for one in source.tokens if one.token_type == TokenType.STRING}
        literals = [one for tree in source.statements for one in tree.find_all(exp.Literal)]
        converting = {one.name for one in literals if " " in one.name or not _is_compared(one)}
        texts -= {one.name for one in literals} - converting
        # '2026-12-01 09:00 America/Edmonton' is a text of a time
        words = {word for text in texts for word in text.casefold().split()}
        uses.zones |= {name for name in self.difference.zones if name.casefold() in words}

    def _inner(self, source: Source) -> Iterator[tuple[str, str | None, str]]:
        for tree in source.statements:
            own = {one.alias.casefold() for one in tree.find_all(exp.CTE)}
            for table in tree.find_all(exp.Table):
                name = table.name.casefold()
                full = f"{table.db.casefold()}.{name}" if table.db else name
                if full in self.stored.views and (table.db or name not in own):
                    yield full, self.stored.views[full], "view"
        read, named = (
            {one.name.casefold() for tree in source.statements for one in tree.find_all(kind)}
            for kind in (exp.Table, exp.Column)
        )
        for one in self.stored.objects:
            *_, of, column = ("", *map(str.casefold, parts(one.name)))
            if "generated" in one.kind and of in read and column in named:
                yield one.name, one.definition, "column"
        # by tokens: the tree has no name of a user's day(), which it takes for the usual one
        for token, after in itertools.pairwise(source.tokens):
            name = token.text.casefold()
            if after.token_type == TokenType.L_PAREN and name in self.stored.functions:
                yield name, self.stored.functions[name], "function"


def zones_of(node: Node) -> Iterable[Node]:
    """The zones by which a node converts, without UTC."""
    found = conversion_chain(node)
    if found is not None:
        return found.zones
    if isinstance(node, (exp.DateTrunc, exp.TimestampTrunc)) and node.args.get("zone"):
        return [node.args["zone"]]
    if isinstance(node, exp.DateBin) and isinstance(node.args.get("unit"), exp.Var):
        # sqlglot keeps the third argument of time_bucket() as a word, a literal or a column
        return [node.args["unit"]]
    if isinstance(node, exp.Anonymous) and node.name.casefold() in ("time_bucket", "date_trunc"):
        third = node.expressions[2:3]  # or an offset or an origin of the buckets
        return [one for one in third if not (one.find(exp.Interval) or one.is_type(*_ORIGINS))]
    return []


def _is_compared(literal: Node) -> bool:
    """Whether a literal selects rows by their zone, and converts nothing."""
    around = literal.parent
    while isinstance(around, (exp.Paren, exp.Cast, exp.Array, exp.Any, exp.Tuple)):
        around = around.parent
    return isinstance(around, (exp.EQ, exp.NEQ, exp.In))


def _is_constant(zone: Node) -> bool:
    """Whether a zone is a literal, or an interval: the literals are compared with all names."""
    zone = without_parens(zone)
    if isinstance(zone, exp.Cast):
        zone = without_parens(zone.this)
    is_name = isinstance(zone, exp.Var) and "/" in zone.name
    return is_name or isinstance(zone, (exp.Literal, exp.Interval, exp.Null))


def _converting(trees: list[Node], table: str | None) -> Converting | None:
    """The one column that a definition converts, if all its columns are those of one table."""
    found = {_parts(one) for tree in trees for one in conversion_chains(tree.walk())}
    named = {_sql(one) for tree in trees for one in tree.find_all(exp.Table)}
    if table is None and len(named) == 1:
        (table,) = named
    if table is None or len(named - {table}) > 1:
        return None
    only = found.pop() if len(found) == 1 else None
    return only and Converting(table, *only)


def _parts(found: ConversionChain) -> tuple[str, str, bool, bool] | None:
    """Column, zone, whether that is a column, and whether the value is read as local time."""
    value = without_parens(found.value)
    if not isinstance(value, exp.Column) or len(found.zones) != 1:
        return None
    zone = without_parens(found.zones[0])
    if isinstance(zone, exp.Cast):
        zone = without_parens(zone.this)
    if not isinstance(zone, (exp.Literal, exp.Column)):
        return None
    innermost = zone_conversion(found.links[-1])
    is_local = innermost is not None and not is_utc(innermost[0])
    return value.name, zone.name, isinstance(zone, exp.Column), is_local


def _sql(table: exp.Table) -> str:
    return ".".join(identifier(part) for part in (table.db, table.name) if part)

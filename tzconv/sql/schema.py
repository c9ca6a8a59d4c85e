"""Column types of the user's tables, by the names that a query uses.

What ``AT TIME ZONE`` means depends on whether a column is TIMESTAMP or TIMESTAMPTZ, so a site whose
column type is unknown is left alone.

PostgreSQL folds the ASCII letters of names without quotes and keeps those in quotes; the others
ignore the case of both. Letters outside ASCII depend on the engine or on the encoding of the
database. So a name has two forms. Names are the same where their keys are equal, and differ where
their folded forms do; between the two it is not known.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
import string
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from sqlglot import exp
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import TokenError

from tzconv.sql.parse import Node, reader_of
from tzconv.sql.reading import ITEM, Nested, Reading, reading_of
from tzconv.sql.reading import Kind as _Kind
from tzconv.sql.reasons import Reason

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class Name(NamedTuple):
    """A name as it is looked for, and as it is compared; an empty key is equal to no other."""

    folded: str
    key: str


Kind: TypeAlias = _Kind
Columns: TypeAlias = Mapping[str, str]
Tables: TypeAlias = Mapping[str, Columns]
"""Column types as SQL text, by table (``actions`` or ``public.actions``) and column name."""

Kinds: TypeAlias = Mapping[str, tuple[Name, Kind | None]]
"""Columns by the folded form of their names; None where a kind is not known."""

OTHERS = ""
"""In place of a column's name: the table has other columns too, which were not declared."""

_PARTS = ("catalog", "db", "this")
"""What names a table: its database, its schema, and itself."""
_NESTED = (exp.DType.STRUCT, exp.DType.ARRAY, exp.DType.LIST)
_COLUMN = (exp.ColumnDef, exp.Identifier)
_TEXTS = (exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.CHAR, exp.DType.BPCHAR)
_KINDS: dict[exp.DType, Kind] = {
    **dict.fromkeys((exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ), "timestamp"),
    **dict.fromkeys((exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ), "timestamptz"),
    **dict.fromkeys(_TEXTS, "text"),
    exp.DType.TSRANGE: "tsrange",
    exp.DType.TSTZRANGE: "tstzrange",
    exp.DType.DATE: "date",
    exp.DType.TIME: "time",
    exp.DType.INTERVAL: "interval",
    **dict.fromkeys((exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT), "number"),
    **dict.fromkeys((exp.DType.FLOAT, exp.DType.DOUBLE, exp.DType.DECIMAL), "number"),
}


class Schema:
    """The kinds of all columns that are known, by the names that the catalog has."""

    def __init__(
        self,
        tables: Tables,
        dialect: str,
        *,
        session_is_utc: bool = False,
        session_is_known: bool = True,
        temporary: frozenset[str] = frozenset(),
    ) -> None:
        times = Counter(name.casefold() for name in tables)  # of two names with one form: neither
        self._tables = {name: one for name, one in tables.items() if times[name.casefold()] == 1}
        self._names = {name.casefold(): name for name in self._tables}
        self._kinds: dict[str, Kinds] = {}
        self.dialect = dialect
        self.session_is_utc = session_is_utc
        self.session_is_known = session_is_known
        """Whether the caller has named the zone of the session, and not left it at UTC."""
        self._temporary = temporary
        self._made: frozenset[str] = frozenset()
        self.is_forgotten = False
        """Whether a statement before may have changed the columns of known tables."""

    @property
    def reading(self) -> Reading:
        """How the engine reads SQL."""
        return reading_of(self.dialect)

    @property
    def tables(self) -> Tables:
        """Column types as SQL text by table, in lower case."""
        return {
            folded: {column: text for column, text in self._tables[name].items() if column}
            for folded, name in self._names.items()
        }

    def columns_of(self, table: str) -> Columns:
        """Column types of a table as SQL text, by its name in lower case, perhaps with a schema."""
        names = [Name(part, part) for part in table.split(".")]
        bare = names[-1].key if self._is_default(names) else ""
        return self.tables.get(table) or self.tables.get(bare, {})

    @functools.cached_property
    def columns_of_all(self) -> set[str]:
        """The names of all known columns, in lower case."""
        return {column.casefold() for table in self._tables.values() for column in table}

    @functools.cached_property
    def timestamps(self) -> set[str]:
        """The names, in lower case, of columns that are TIMESTAMP or DATE wherever they occur."""
        kinds: dict[str, set[Kind]] = {}
        for table in self._tables.values():
            for column, text in table.items():
                kind = kind_of_text(text, self.dialect)
                kinds.setdefault(column.casefold(), set()).add(kind)
        return {name for name, known in kinds.items() if known <= {"timestamp", "date"}}

    def without(self, names: Collection[str]) -> Schema:
        """This schema without these tables, in lower case: a statement may have replaced them."""
        if not names:
            return self
        return self.of({k: v for k, v in self._tables.items() if _last(k.casefold()) not in names})

    def changed(self, names: Collection[str]) -> Schema:
        """This schema after a change of these tables, in lower case.

        Views may read them, and most engines look up the names in a view when it is read. But what
        was known before the script made a table does not read that.
        """
        known = {at: _last(name.casefold()) for at, name in enumerate(self._tables)}
        found = [at for at, last in known.items() if last in names]
        if not found:
            return self
        first = found[0] if {known[at] for at in found} <= self._made else 0
        left = self.of(dict(itertools.islice(self._tables.items(), first)))
        left.is_forgotten = True
        return left

    def of(self, tables: Tables) -> Schema:
        """This schema with these tables and no others."""
        left = Schema(
            tables,
            self.dialect,
            session_is_utc=self.session_is_utc,
            session_is_known=self.session_is_known,
            temporary=self._temporary,
        )
        left._made, left.is_forgotten = self._made, self.is_forgotten
        return left

    def made(self, create: exp.Create, shown: Kinds | None) -> Schema:
        """This schema after a CREATE, whose AS SELECT has the columns ``shown``."""
        name, is_temporary = create.find(exp.Table), create.find(exp.TemporaryProperty)
        if name is None or not isinstance(name.this, exp.Identifier):
            return self
        parts = [part for part in map(name.args.get, _PARTS) if part]
        names = [name_of(part, self.dialect) for part in parts]
        folded = names[-1].folded
        needed = self._needed(names)
        is_new = needed == len(names) == len(_PARTS) - 1 and not create.args.get("replace")
        if is_new and ".".join(one.folded for one in names) not in self._names:
            # the name alone means it where the search path says so, or another table
            others = {key: one for key, one in self._tables.items() if key.casefold() != folded}
            left = self.of(others)
            left.is_forgotten |= len(others) < len(self._tables)
        else:
            left = self.changed([folded])
        if create.args.get("exists") and folded in self._names:
            return left if is_temporary else self  # a new one that is temporary hides the other
        if left is not self and create.find(exp.OnCommitProperty):
            return left  # it may hide another until the transaction ends
        columns = declared_columns(create, self.dialect)
        # of two temporary tables of one name in a body it is not known which one is meant
        if shown and create.this is name and folded not in self._temporary:
            types = _types_of(shown, self.dialect)
            columns = by_ends((declared(part, self.dialect) for part in parts), types)
        columns = {key: one for key, one in columns.items() if key.count(".") >= needed - 1}
        made = left.of({**left._tables, **columns})
        if is_temporary:
            made._temporary |= {folded}
        may_be_older = create.args.get("exists") or create.args.get("replace")
        if columns and not may_be_older and all(_last(one) != folded for one in self._names):
            made._made |= {folded}
        return made

    def _needed(self, names: list[Name]) -> int:
        """How many parts of a table's name a statement must write to mean no other table."""
        is_own = len(names) == len(_PARTS) and self._is_own(names[0])
        rest = names[1:] if is_own else names
        return 1 if self._is_default(rest) else len(rest)

    def _is_default(self, names: list[Name]) -> bool:
        """Whether ``schema.table`` is the table that a declaration without a schema means."""
        default = self.reading.default_schema
        return (
            len(names) == 2 and names[0].key == default and names[1].folded not in self._temporary
        )

    def _is_own(self, database: Name) -> bool:
        """Whether it must be the database of the session, or the statement fails.

        It is none of those that tables were declared with, if any were.
        """
        named = {name.partition(".")[0] for name in self._names if name.count(".") > 1}
        return self.reading.has_one_database and (not named or database.folded in named)

    def columns(self, table: exp.Table) -> Kinds | None:
        """The columns of a table as a query names it; None where the table is unknown."""
        parts = [part for part in map(table.args.get, _PARTS) if part]
        # a function has no name here, and a name with a dot would look like one with a schema
        if not all(isinstance(part, exp.Identifier) and "." not in part.name for part in parts):
            return None
        names = [name_of(part, self.dialect) for part in parts]
        known = self._names.get(".".join(name.folded for name in names))
        if known is None and len(names) == len(_PARTS) and self._is_own(names[0]):
            names = names[1:]
            known = self._names.get(".".join(name.folded for name in names))
        if known is None and self._is_default(names):
            names = names[1:]
            known = self._names.get(names[0].folded)
        if known is None:
            return None
        if stored(known, self.dialect).key != ".".join(name.key for name in names):
            return None
        if known not in self._kinds:
            columns = self._tables[known]
            kinds = kinds_by_name(
                (stored(column, self.dialect), kind_of_text(text, self.dialect))
                for column, text in columns.items()
            )
            others: Kinds = {OTHERS: (Name("", ""), None)} if OTHERS in columns else {}
            self._kinds[known] = {**others, **kinds}
        return self._kinds[known]


def is_complete(columns: Kinds | None) -> bool:
    """Whether all columns of a relation are known by name."""
    return columns is not None and OTHERS not in columns


def kinds_by_name(columns: Iterable[tuple[Name, Kind | None]]) -> Kinds:
    """Columns by name; of two that look alike the kind is not known.

    The engine takes one of them, or complains. DuckDB numbers the others, ``id_1`` after ``id``,
    and takes such a name for its own before it looks for a column of that name.
    """
    known = list(columns)
    times = Counter(name.folded for name, _ in known)
    twice = [name for name, count in times.items() if name and count > 1]
    numbered = [f"{name}_{number}" for name in twice for number in range(1, times[name])]
    is_numbered = re.compile("|".join(rf"{re.escape(name)}(_\d+)+" for name in twice) or r"\b\B")
    found = {
        name.folded: (name, kind if times[name.folded] == 1 else None)
        for name, kind in known
        if name.folded
    }
    unsure = [*numbered, *(name for name in found if is_numbered.fullmatch(name))]
    return found | {name: (Name(name, ""), None) for name in unsure}


def _types_of(columns: Kinds, dialect: str) -> dict[str, str]:
    """A type of its kind for each column; those of unknown kind or name are others."""
    types = {kind_of_text(text, dialect): text for text in _OF_KINDS}
    known = {one.key: types[kind] for one, kind in columns.values() if kind in types}
    known = {name: text for name, text in known.items() if name and name.isprintable()}
    return known if len(known) == len(columns) else {**known, OTHERS: ""}


_OF_KINDS = ("TIMESTAMP_NTZ", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMPTZ", "DATE", "VARCHAR")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def agreed(found: Iterable[dict[str, dict[str, str]]]) -> dict[str, dict[str, str]]:
    """Tables by their names, each time first the whole one, then its ends.

    An end that several tables share counts only if they have the same columns, or if it is the
    whole name of one. Of two tables with one whole name the later one counts.
    """
    versions: dict[str, dict[str, dict[str, str]]] = {}
    for names in found:
        for name, columns in names.items():
            versions.setdefault(name, {})[next(iter(names))] = columns
    several = (
        (name, [one[name]] if name in one else [*one.values()]) for name, one in versions.items()
    )
    return {name: one[0] for name, one in several if all(it == one[0] for it in one)}


def by_ends(parts: Iterable[str], columns: dict[str, str]) -> dict[str, dict[str, str]]:
    """The columns of a table by its whole name, and by what is left of that without its begin."""
    known = [part for part in parts if part]
    return {".".join(known[start:]): columns for start in range(len(known))}


def declared_columns(statement: Node, dialect: str) -> dict[str, dict[str, str]]:
    """The columns that a CREATE TABLE declares, as ``by_ends``; nothing for other statements."""
    if not isinstance(statement, exp.Create) or not isinstance(statement.this, exp.Schema):
        return {}
    table = statement.this.this
    hive = statement.find(exp.PartitionedByProperty)  # its columns are of the table, too
    columns = [one for one in statement.this.expressions if isinstance(one, _COLUMN)]
    columns += hive.find_all(exp.ColumnDef) if hive is not None else []
    typed = [one for one in columns if one.args.get("kind")]
    has_others = statement.find(exp.LikeProperty, exp.InheritsProperty) or len(typed) < len(columns)
    types = {OTHERS: ""} if has_others else {}
    types |= {
        declared(one.this, dialect): one.args["kind"].sql(dialect=reader_of(dialect))
        for one in typed
    }
    parts = [part for part in map(table.args.get, _PARTS) if part]
    return by_ends((declared(part, dialect) for part in parts), types)


def kind_of_type(type: exp.DataType, dialect: str) -> Kind:
    """The kind of a type as sqlglot reads it; maps and the like are other."""
    if type.this in _NESTED and type.expressions:
        return Nested(tuple(_inside(one, dialect) for one in type.expressions))
    kind = _KINDS.get(type.this, "other")
    is_time = kind in ("timestamp", "timestamptz")
    if type.expressions and is_time and dialect and reading_of(dialect).precision_is_a_type:
        return "other"  # TIMESTAMP(3) is a type of its own, whose values no function here takes
    return kind


def _inside(part: Node, dialect: str) -> tuple[str, Kind]:
    """The name and kind of a field, or those of the values of a list."""
    is_field = isinstance(part, exp.ColumnDef)
    of = part.args.get("kind") if is_field else part
    kind = kind_of_type(of, dialect) if isinstance(of, exp.DataType) else "other"
    return part.name if is_field else ITEM, kind


def is_type(text: str, dialect: str) -> bool:
    """Whether a text is a type of the engine, and none of the user's own."""
    return _type(text, dialect) is not None


@functools.cache
def kind_of_text(type: str, dialect: str) -> Kind:
    """The kind of a type as SQL text."""
    found = _type(type, dialect)
    # without one: a type of the user's own, or newer than we know, which is no timestamp to us
    return "other" if found is None else kind_of_type(found, dialect)


def _type(text: str, dialect: str) -> exp.DataType | None:
    with contextlib.suppress(SqlglotParseError, TokenError, ValueError):
        return exp.DataType.build(text, dialect=reader_of(dialect))
    return None


def name_of(identifier: exp.Identifier | None, dialect: str) -> Name:
    """A name as a statement writes it."""
    if identifier is None:
        return Name("", "")
    text = identifier.name
    if identifier.args.get("quoted"):
        return stored(text, dialect)
    key = text.translate(_LOWER)
    # a database in Latin-1 folds these too: then a name without quotes is not the one in quotes
    return Name(text.casefold(), key if key == key.lower() else f"{key}\0")


def stored(text: str, dialect: str) -> Name:
    """A name as the catalog has it."""
    return Name(text.casefold(), text if reading_of(dialect).keeps_case else text.translate(_LOWER))


def declared(identifier: exp.Expr, dialect: str) -> str:
    """The name that the catalog has of what a statement makes."""
    if not reading_of(dialect).keeps_case or identifier.args.get("quoted"):
        return identifier.name
    return identifier.name.translate(_LOWER)


def why_cut(statement: exp.Expr, dialect: str) -> Reason | None:
    """The reason to leave a statement with a name that the engine would cut: it may be another."""
    longest = reading_of(dialect).longest_name
    for name in statement.find_all(exp.Identifier) if longest else ():
        if longest and len(name.name.encode()) > longest:
            text = f"{dialect} cuts names to {longest} bytes: shorten {name.name}"
            return Reason("long-name", text)
    return None

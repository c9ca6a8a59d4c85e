"""Column types of the user's tables, by the names that a query uses.

What ``AT TIME ZONE`` means depends on whether a column is TIMESTAMP or TIMESTAMPTZ, so a site whose
column type is unknown is left alone.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias, TypeVar

from sqlglot import exp
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import TokenError

from tzconv.sql.parse import Node, parse, reader_of
from tzconv.sql.reading import Reading, reading_of

Kind: TypeAlias = Literal["timestamp", "timestamptz", "date", "text", "interval", "other"]
"""What matters of a type. ``timestamp`` and ``timestamptz`` have microseconds; others are other."""

Columns: TypeAlias = Mapping[str, str]
Tables: TypeAlias = Mapping[str, Columns]
"""Column types as SQL text, by table (``actions`` or ``public.actions``) and column name."""

_Value = TypeVar("_Value")

_TEXTS = (exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.CHAR, exp.DType.BPCHAR)
_KINDS: dict[exp.DType, Kind] = {
    **dict.fromkeys((exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ), "timestamp"),
    **dict.fromkeys((exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ), "timestamptz"),
    **dict.fromkeys(_TEXTS, "text"),
    exp.DType.DATE: "date",
    exp.DType.INTERVAL: "interval",
}


class Schema:
    """The kinds of all columns that are known, found without regard to case."""

    def __init__(self, tables: Tables, dialect: str, *, session_is_utc: bool = False) -> None:
        self._tables = _without_doubles(tables)
        self._kinds: dict[str, dict[str, Kind]] = {}
        self.dialect = dialect
        self.session_is_utc = session_is_utc

    @property
    def reading(self) -> Reading:
        """How the engine reads SQL."""
        return reading_of(self.dialect)

    @property
    def tables(self) -> Tables:
        """Column types as SQL text by table, in lower case."""
        return self._tables

    def without(self, names: Collection[str]) -> Schema:
        """The same without these tables, in lower case; they may have been made anew."""
        if not names:
            return self
        known = {key: one for key, one in self._tables.items() if key.split(".")[-1] not in names}
        return self.of(known)

    def changed(self, names: Collection[str]) -> Schema:
        """The same after a change of these tables, in lower case.

        Views may read them, and most engines look up the names in a view when it is read.
        """
        is_known = any(key.split(".")[-1] in names for key in self._tables)
        return self.of({}) if is_known else self

    def of(self, tables: Tables) -> Schema:
        """The same with these tables and no others."""
        return Schema(tables, self.dialect, session_is_utc=self.session_is_utc)

    def made(self, create: exp.Create) -> Schema:
        """The same after a CREATE; the columns of AS SELECT are not known."""
        name = create.find(exp.Table)
        if name is None or (create.args.get("exists") and name.name.casefold() in self._tables):
            return self
        left = self.changed([name.name.casefold()])
        return left.of({**left._tables, **_declared(create, self.dialect)})

    def columns(self, table: exp.Table) -> Mapping[str, Kind] | None:
        """The columns of a table as a query names it; None where the table is unknown."""
        if not isinstance(table.this, exp.Identifier):  # a function
            return None
        parts = [part.name for part in (table.args.get("db"), table.this) if part]
        key = ".".join(parts).casefold()
        if key not in self._tables:
            return None
        if key not in self._kinds:
            self._kinds[key] = {
                column: _kind_of_text(text, self.dialect)
                for column, text in _without_doubles(self._tables[key]).items()
            }
        return self._kinds[key]


def from_ddl(text: str, dialect: str) -> dict[str, dict[str, str]]:
    """Column types from the CREATE TABLE statements of a text; other statements are passed over."""
    tables: dict[str, dict[str, str]] = {}
    for statement in parse(text, dialect).statements:
        tables.update(_declared(statement, dialect))
    return tables


def _declared(statement: Node, dialect: str) -> dict[str, dict[str, str]]:
    """The columns that a CREATE TABLE declares; nothing for other statements."""
    if not isinstance(statement, exp.Create) or not isinstance(statement.this, exp.Schema):
        return {}
    table = statement.this.this
    columns = {
        column.name: column.kind.sql(dialect=reader_of(dialect))
        for column in statement.this.expressions
        if isinstance(column, exp.ColumnDef) and column.kind is not None
    }
    db = table.args.get("db")
    return {table.name: columns} | ({f"{db.name}.{table.name}": columns} if db else {})


def kind_of_type(type: exp.DataType, dialect: str) -> Kind:
    """The kind of a type as sqlglot reads it; arrays and structs are other."""
    kind = _KINDS.get(type.this, "other")
    is_time = kind in ("timestamp", "timestamptz")
    if type.expressions and is_time and dialect and reading_of(dialect).precision_is_a_type:
        return "other"  # TIMESTAMP(3) is a type of its own, whose values no function here takes
    return kind


def _without_doubles(named: Mapping[str, _Value]) -> dict[str, _Value]:
    """By names in lower case; those that differ in case only are left out: which is meant?"""
    times = Counter(name.casefold() for name in named)
    return {name.casefold(): value for name, value in named.items() if times[name.casefold()] == 1}


@functools.cache
def _kind_of_text(type: str, dialect: str) -> Kind:
    try:
        return kind_of_type(exp.DataType.build(type, dialect=reader_of(dialect)), dialect)
    except (SqlglotParseError, TokenError, ValueError):
        return "other"  # a type of the user's own, or newer than we know: no timestamp to us

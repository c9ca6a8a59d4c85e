"""What stands in a zone column: each name with its rows, its kind, and the zone that it means.

It only reads. :mod:`tzconv.zone_names.script` proposes statements.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from tzconv import engines
from tzconv.engines.backend import Backend, Result
from tzconv.errors import DatabaseError, QueryError, nearest_names
from tzconv.sql.text import identifier
from tzconv.tz import spellings, zones
from tzconv.tz.spellings import Spelling

MOST_NAMES = 100_000
"""Distinct values of a column; one with more holds something else."""
_MOST_COLUMNS = 12

PART = r'(?:"(?:[^"\0\ud800-\udfff]|"")+"|[A-Za-z_][\w$]*)'
"""A pattern for a name as users write it: plain, or in double quotes. No database takes others."""
_COLUMN = re.compile(rf"({PART}(?:\.{PART}){{0,2}})\.({PART})")


@dataclass(frozen=True, slots=True)
class Column:
    """A column as SQL text: its ``table``, with a schema if one was named, and its ``name``."""

    table: str
    name: str

    @classmethod
    def read(cls, text: str, quote: str) -> Column:
        """The column ``[SCHEMA.]TABLE.COLUMN``; names in double quotes may hold anything."""
        match = _COLUMN.fullmatch(text.strip())
        if match is None:
            raise DatabaseError(
                f"{text!r} is no column: write TABLE.COLUMN or SCHEMA.TABLE.COLUMN, with double "
                "quotes around names that are not plain."
            )
        return cls(*(requoted(one, quote) for one in match.groups()))


def requoted(name: str, quote: str) -> str:
    """A name whose parts may stand in double quotes, with the quotation marks of an engine."""

    def of_part(found: re.Match[str]) -> str:
        part = found[0]
        return identifier(part[1:-1].replace('""', '"'), quote) if part.startswith('"') else part

    return re.sub(PART, of_part, name)


@dataclass(frozen=True, slots=True)
class ZoneName(Spelling):
    """One name with the number of rows that have it.

    ``accepted`` says whether the database's own function takes it; None if it was not asked.
    ``fact_rows`` are the rows of other tables that join to these, by column.
    """

    rows: int = 0
    accepted: bool | None = None
    fact_rows: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ZoneNames:
    """All names of a ``source``, those with the most rows first, judged by a ``tz_release``.

    The source is a column as SQL text, or a file. With ``is_sample`` not all rows were counted.
    """

    source: str
    tz_release: str
    names: Sequence[ZoneName]
    is_sample: bool = False

    @property
    def invalid(self) -> list[ZoneName]:
        """Names that are not IANA's; NULL is valid, because no function fails at it."""
        valid = (*spellings.VALID, "null")
        return [one for one in self.names if one.kind not in valid]

    @property
    def zones(self) -> set[str]:
        """The IANA names in it."""
        valid = (one.text for one in self.names if one.kind in spellings.VALID)
        return {text for text in valid if text is not None}

    @property
    def rows(self) -> int:
        """The rows that were counted."""
        return sum(one.rows for one in self.names)

    def by_kind(self) -> dict[str, tuple[int, int]]:
        """How many names and rows there are of each kind, in the order of the kinds."""
        found: dict[str, tuple[int, int]] = {}
        for kind in spellings.KINDS:
            rows = [one.rows for one in self.names if one.kind == kind]
            if rows:
                found[kind] = (len(rows), sum(rows))
        return found


def of_column(backend: Backend, column: str, facts: Iterable[str] = ()) -> ZoneNames:
    """The names in a column; DatabaseError if it cannot be read.

    A fact is ``TABLE.COLUMN=TABLE.COLUMN``: the join of another table to that of the column.
    """
    quote = engines.engine_of(backend.dialect).quote
    own, facts = Column.read(column, quote), tuple(facts)
    # before anything is read: a typing error is found at once
    joins = dict(_join(one, own, quote) for one in facts)
    try:
        with backend.transaction(read_only=True):  # one state of all tables
            name = f"owner.{own.name}"
            counted = counts(backend, f"{own.table} AS owner", name, column)
            fact_rows = {
                fact: counts(backend, join, name, f"--fact {fact}") for fact, join in joins.items()
            }
    except QueryError as error:
        read = [(f"--fact {one}", side) for one in facts for side in one.partition("=")[::2]]
        for what, side in [(column, column), *read]:
            if (wrong := why_missing(backend, Column.read(side, quote))) is not None:
                raise QueryError(f"{what}: {wrong}") from error
        raise
    return of_counts(column, counted, backend, fact_rows)


def of_counts(
    source: str,
    rows: Mapping[str | None, int],
    backend: Backend | None = None,
    fact_rows: Mapping[str, Mapping[str | None, int]] | None = None,
) -> ZoneNames:
    """Names with their ``rows``; a ``backend`` is asked which ones its function takes."""
    rules = zones.installed()
    known = frozenset(rules.names)
    accepted = backend.accepted([name for name in rows if name is not None]) if backend else {}
    found = [
        ZoneName(
            **asdict(spellings.read(name, known, rules.links)),
            rows=count,
            accepted=None if name is None else accepted.get(name),
            fact_rows={table: joined.get(name, 0) for table, joined in (fact_rows or {}).items()},
        )
        for name, count in rows.items()
    ]
    found.sort(key=lambda one: (-one.rows, one.text or ""))
    return ZoneNames(source, rules.release, found)


def _join(text: str, own: Column, quote: str) -> tuple[str, str]:
    """The column of the other table, and both tables as SQL text."""
    left, equals, right = text.partition("=")
    if not equals:
        raise DatabaseError(f"{text!r} is no join: write TABLE.COLUMN={own.table}.COLUMN.")
    fact, key = Column.read(left, quote), Column.read(right, quote)
    if _folded(key.table) != _folded(own.table):
        raise DatabaseError(
            f"{text!r} joins {key.table}, and the zone column is one of {own.table}: write "
            f"{left.strip()}={own.table}.COLUMN."
        )
    on = f"fact.{fact.name} = owner.{key.name}"
    return (
        f"{fact.table}.{fact.name}",
        f"{fact.table} AS fact JOIN {own.table} AS owner ON {on}",
    )


def why_missing(backend: Backend, own: Column) -> str | None:
    """A sentence if the table or the column does not exist; None if both do."""
    table, name = _plain(own.table), _plain(own.name)
    known = {key.casefold(): columns for key, columns in backend.column_types().items()}
    columns = known.get(table.casefold())
    if columns is None:
        near = nearest_names(table, known)
        hint = f"did you mean {near[0]}?" if near else "check its name and schema."
        return f"there is no table {table} that you may read: {hint}"
    if name.casefold() not in map(str.casefold, columns):
        return f"{table} has no column {name}: it has {', '.join(sorted(columns)[:_MOST_COLUMNS])}."
    return None


def _plain(name: str) -> str:
    """A name without its quotation marks, for messages and catalogs."""
    return name.replace('"', "").replace("`", "")


def _folded(table: str) -> str:
    """A table for comparison; a name without quotes is the same in any case."""
    return table if '"' in table or "`" in table else table.casefold()


def counts(backend: Backend, relations: str, name: str, what: str) -> Counter[str | None]:
    """The texts of a column ``name`` of ``relations``, both SQL text, with their rows.

    QueryError that begins with ``what`` was named if they cannot be read; DatabaseError for more
    than ``MOST_NAMES``.
    """
    # Vertica's VARCHAR has 80 letters, and Spark wants a number
    text = f"CAST({name} AS VARCHAR(65000))"
    sql = f"SELECT {text}, count(*) FROM {relations} GROUP BY {text} LIMIT {MOST_NAMES + 1}"
    rows = ask(backend, sql, what).tuples()
    if len(rows) > MOST_NAMES:
        raise DatabaseError(
            f"{what} has more than {MOST_NAMES:,} distinct values: name the column of the time "
            "zones."
        )
    return Counter({name: int(count) for name, count in rows})


def ask(backend: Backend, sql: str, what: str) -> Result:
    """Run a SELECT about the user's tables; QueryError that begins with ``what`` was named."""
    try:
        return backend.query(sql)
    except QueryError as error:
        message = str(error).rstrip(".")
        raise QueryError(f"{what}: cannot be read ({message}).") from error

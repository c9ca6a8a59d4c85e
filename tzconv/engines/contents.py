"""What ``tzconv init`` and ``tzconv impact`` ask a database: tables, past queries, stored answers.

Names are SQL text: quoted where they must be. Those of :class:`Contents` have a schema where the
plain name does not find the table, those of :class:`StoredObjects` always.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from tzconv.sql.text import identifier

Run: TypeAlias = Callable[[str], list[Any]]
ColumnKind = Literal["timestamp", "timestamptz", "text", "number"]
MOST_LETTERS = 100
"""Letters of a value in a sample; a longer text is no zone name."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that may hold times or zones; ``type`` is the database's own name of its type."""

    name: str
    type: str
    kind: ColumnKind


@dataclass(frozen=True, slots=True)
class Relation:
    """A table with its estimated ``rows``, None if the database has no estimate.

    ``why_skipped`` says why its rows are not read; None if they may be. A small one may be read
    whole.
    """

    name: str
    columns: tuple[Column, ...]
    rows: float | None
    is_small: bool
    why_skipped: str | None = None


@dataclass(frozen=True, slots=True)
class StoredQuery:
    """The query of a view, or one that the database has run ``calls`` times in ``seconds``.

    ``hides_constants`` says that its text has parameters instead of them.
    """

    name: str
    sql: str
    kind: Literal["view", "query"]
    calls: int | None = None
    seconds: float | None = None
    hides_constants: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """The queries that a database remembers, those that took most time first.

    ``note`` is a sentence about what is missing, and what to do about it; empty if nothing is.
    """

    queries: Sequence[StoredQuery]
    note: str = ""


class Contents(Protocol):
    """The catalog of an engine; DatabaseError where a question is refused.

    Each method is one question of bounded work, asked in a read-only transaction of its own.
    """

    password: str
    """How to give the password of a URL without writing it into a file."""

    def __init__(self, run: Run) -> None: ...

    def relations(self) -> list[Relation]:
        """The tables of users that have such columns, but no partitions and no views."""

    def sample(self, relation: Relation, names: Sequence[str], rows: int) -> list[Sequence[Any]]:
        """Columns of up to so many rows as texts, cut after ``MOST_LETTERS`` and one more."""

    def earliest(self, relation: Relation, name: str) -> dt.date | None:
        """The day of the first time in a column, or near it; None if finding it is not cheap."""

    def views(self) -> list[StoredQuery]:
        """The views and materialized views of users."""

    def history(self, most: int) -> History:
        """Up to so many queries that were run and may convert time zones."""


Kind = Literal[
    "materialized view",
    "continuous aggregate",
    "index",
    "stored generated column",
    "generated column",
    "column default",
    "check constraint",
    "partition key",
]


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What may hold answers that a conversion gave when they were stored.

    ``definition`` is a statement or an expression over the columns of ``table``, None if the
    catalog does not show it. ``repair`` computes the object anew with the server's own rules.
    """

    kind: Kind
    name: str
    table: str | None
    definition: str | None
    repair: str | None = None


@dataclass(frozen=True, slots=True)
class StoredObjects:
    """``views`` have the definitions of what objects may read, by name in lower case.

    ``functions`` has those of functions that users have made; None if they are not SQL expressions.
    Views have two names, with their schema and without it.
    """

    objects: tuple[StoredObject, ...]
    views: Mapping[str, str | None] = field(default_factory=dict)
    functions: Mapping[str, str | None] = field(default_factory=dict)


_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


def named(name: str, reserved: frozenset[str]) -> str:
    """A name as short SQL text."""
    is_plain = _PLAIN.fullmatch(name) is not None and name not in reserved
    return name if is_plain else identifier(name)


def first_day(value: object) -> dt.date | None:
    """The day of a time; None for infinity and what lies before the conversion tables."""
    day = value.date() if isinstance(value, dt.datetime) else value
    return day if isinstance(day, dt.date) and day.year >= 1970 else None

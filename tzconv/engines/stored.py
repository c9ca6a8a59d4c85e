"""What in a database may hold answers that a conversion gave when they were stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
    """One object; names are SQL text, with the schema.

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

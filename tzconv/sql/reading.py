"""How the SQL of an engine is read where engines differ."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from sqlglot.dialects import Dialect


@dataclass(frozen=True, slots=True)
class Nested:
    """What a struct or a list holds: the kinds of its fields, or that of its values."""

    kinds: tuple[tuple[str, Kind], ...]

    def inside(self, name: str) -> Kind | None:
        """The kind of a field; its case is ignored."""
        found = [kind for one, kind in self.kinds if one.casefold() == name.casefold()]
        return found[0] if len(found) == 1 else None


ITEM = ""
"""In place of a field's name: the values of a list."""
_Plain: TypeAlias = Literal[
    "timestamp",
    "timestamptz",
    "date",
    "time",
    "interval",
    "text",
    "number",
    "tsrange",
    "tstzrange",
    "other",
]
Kind: TypeAlias = _Plain | Nested
"""What matters of a type. ``timestamp`` and ``timestamptz`` have microseconds; others are other."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the same SQL means to one engine.

    ``parser`` makes sqlglot's dialect. ``precision_is_a_type``: TIMESTAMP(3) is a type of its own.
    ``indexes_order``: an index serves ranges and ORDER BY too, not only ``=``.
    ``shows_eras_alike``: a year before our era as text looks like the one of our era.
    ``windows_name_columns``: a column without alias is named after the definition of its WINDOW.
    ``casts_keep_names``: a cast of a column has the name of that column.
    ``truncates_dates_as_dates``: date_trunc() of a DATE is no TIMESTAMPTZ. ``timestamp_is_zoned``:
    TIMESTAMP is what others call TIMESTAMPTZ, and literals of both kinds are read alike.
    ``slow``: what takes as long to compute as to convert: times read from ``text``, values in
    ``json``, and ``zoned``, a TIMESTAMPTZ made of another type, truncated, or moved by days.

    ``keeps_case``: names in quotes keep their case, the others are folded; elsewhere the case of
    both is ignored. ``longest_name`` is in bytes: longer ones are cut. ``groups_by_columns``: a
    name in HAVING is never an output column. ``may_show_columns``: an expression may give several
    output columns. ``sees_aliases``: a name that no relation has may be that of an output column.
    ``where_sees_aliases``: in WHERE it is. ``sees_left``: without LATERAL a derived table sees the
    relations to its left too.
    ``shell_has_variables``: its shell puts values for ``:'name'`` and ``:"name"``.
    ``has_methods``: ``x.f(y)`` calls ``f(x, y)``.
    ``has_one_database``: a statement reads tables of the session's database only.
    ``default_schema`` is where a table is made that no schema is named for. ``has_fields``:
    ``a.b.c`` may be a field of a struct.

    ``functions``: the kind of what its functions give, by their names or sqlglot's for them, or the
    index of the argument that has that kind. ``series_of_dates``: the kind of what
    generate_series() gives between dates. ``series_is_named_by_alias``: its column has the name of
    its alias.
    """

    parser: Callable[[], Dialect]
    precision_is_a_type: bool = False
    windows_name_columns: bool = False
    casts_keep_names: bool = True
    indexes_order: bool = True
    shows_eras_alike: bool = True
    truncates_dates_as_dates: bool = False
    timestamp_is_zoned: bool = False
    slow: frozenset[Literal["text", "json", "zoned"]] = frozenset()
    keeps_case: bool = False
    longest_name: int | None = None
    groups_by_columns: bool = False
    may_show_columns: bool = False
    sees_aliases: bool = False
    where_sees_aliases: bool = False
    sees_left: bool = False
    shell_has_variables: bool = False
    has_methods: bool = False
    has_one_database: bool = False
    default_schema: str | None = None
    has_fields: bool = True
    functions: Mapping[str, Kind | int] = field(default_factory=dict)
    series_of_dates: Kind | None = None
    series_is_named_by_alias: bool = False


@functools.cache
def reading_of(dialect: str) -> Reading:
    """How a dialect is read; each engine says it in the module ``read`` of its folder."""
    found: Reading = importlib.import_module(f"tzconv.engines.{dialect}.read").READING
    return found

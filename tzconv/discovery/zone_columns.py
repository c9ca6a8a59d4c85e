"""Finds the columns that hold names of time zones, by their values, and audits each.

The name of a column alone proves nothing: ``zone`` may be one of a warehouse. A value proves more,
but ``London`` may be a city, so without a telling name a column needs values that nothing else
looks like, such as ``Europe/London``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tzconv import zone_names
from tzconv.engines.backend import Backend
from tzconv.engines.contents import MOST_LETTERS, Column, Contents, Relation
from tzconv.errors import DatabaseError
from tzconv.tz import spellings, zones
from tzconv.zone_names import ZoneNames

_SAMPLE, _SAMPLE_OF_MANY, _MANY = 1000, 200, 200
"""Rows that are looked at in each table, and in each of many tables."""
_AUDIT = 10_000
"""Rows of a large table whose names are counted."""
_MOST_DISTINCT = 60
_TELLING = re.compile(r"(?i)(?:^|_)(?:tz|tzname|tzid)(?:$|_)|time_?zone|(?:^|_)utc_?offset|olson")
_CERTAIN = re.compile(
    r"(?i)\s*(?:[a-z_]+/[a-z_+-]{2}|.+ (?:standard|daylight) time\s*$|(?:etc/)?utc\s*$)"
)
_SURE_KINDS = (*spellings.VALID, "spelling", "windows")
_NAMED_KINDS = (*_SURE_KINDS, "rails", "abbreviation", "offset", "posix")


@dataclass(frozen=True, slots=True)
class ZoneColumns:
    """``columns`` hold zones; ``empty`` and ``numbers`` are only named so."""

    columns: Sequence[ZoneNames]
    empty: Sequence[str]
    numbers: Sequence[str]

    @property
    def zones(self) -> list[str]:
        """The IANA names in all of them, sorted."""
        return sorted(set().union(*(one.zones for one in self.columns)))


def find(
    backend: Backend, contents: Contents, relations: Sequence[Relation]
) -> tuple[ZoneColumns, list[tuple[str, str]]]:
    """The zone columns of tables, and the tables whose rows could not be read, with the reason."""
    found: list[ZoneNames] = []
    empty: list[str] = []
    numbers: list[str] = []
    unread: list[tuple[str, str]] = []
    for relation in relations:
        texts = [column for column in relation.columns if column.kind == "text"]
        numbers += [
            f"{relation.name}.{column.name}"
            for column in relation.columns
            if column.kind == "number" and _is_telling(column.name)
        ]
        try:
            sampled = _sampled(backend, contents, relation, texts, len(relations))
            for column, values in zip(texts, sampled, strict=True):
                if is_zones(column.name, values):
                    found.append(_audited(backend, contents, relation, column))
                elif _is_telling(column.name) and not any(value.strip() for value in values):
                    empty.append(f"{relation.name}.{column.name}")
        except DatabaseError as error:  # a timeout, or rows that the user may not see
            unread.append((relation.name, str(error).rstrip(".")))
    found.sort(key=lambda one: (not one.invalid, -one.rows))
    return ZoneColumns(found, empty, numbers), unread


def is_zones(column: str, values: Iterable[str]) -> bool:
    """Whether distinct values of a column are names of zones, by its name and by theirs."""
    known = [value for value in values if value.strip() and len(value) <= MOST_LETTERS]
    telling = _is_telling(column)
    if not known or not (telling or any(map(_CERTAIN.match, known))):
        return False
    rules = zones.installed()
    names = frozenset(rules.names)
    kinds = Counter(
        spellings.read(value, names, rules.links).kind
        for value in known[:_MOST_DISTINCT]
        if telling or _CERTAIN.match(value)
    )
    if telling:
        return any(kinds[kind] for kind in _NAMED_KINDS)
    return 2 * sum(kinds[kind] for kind in _SURE_KINDS) >= min(len(known), _MOST_DISTINCT)


def _is_telling(name: str) -> bool:
    return _TELLING.search(name) is not None


def _sampled(
    backend: Backend,
    contents: Contents,
    relation: Relation,
    columns: Sequence[Column],
    tables: int,
) -> list[list[str]]:
    """Distinct values of text columns in some rows of a table."""
    if not columns:
        return []
    rows = _SAMPLE if tables <= _MANY else _SAMPLE_OF_MANY
    with backend.transaction(read_only=True):
        found = contents.sample(relation, [column.name for column in columns], rows)
    return [
        list(dict.fromkeys(row[place] for row in found if row[place] is not None))
        for place in range(len(columns))
    ]


def _audited(backend: Backend, contents: Contents, relation: Relation, column: Column) -> ZoneNames:
    name = f"{relation.name}.{column.name}"
    counted: Mapping[str | None, int]
    with backend.transaction(read_only=True):
        if relation.is_small:
            counted = zone_names.counts(backend, relation.name, column.name, name)
        else:
            rows = contents.sample(relation, [column.name], _AUDIT)
            counted = Counter(value for (value,) in rows)
    names = zone_names.of_counts(name, counted)
    if names.invalid:  # only then it matters what the function takes, and asking takes long
        names = zone_names.of_counts(name, counted, backend)
    return replace(names, is_sample=not relation.is_small)

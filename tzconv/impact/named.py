"""Tables that the configuration names: rollups by local day or hour, and appointments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, TypeVar

from tzconv.errors import OutputError, nearest_names
from tzconv.sql.text import identifier

T = TypeVar("T")
Unit = Literal["day", "hour"]
_PART = re.compile(r'"(?:[^"]|"")+"(?=\.|$)|[^.]+')


@dataclass(frozen=True, slots=True)
class Rollup:
    """A table with rows by zone and ``local_day`` or ``local_hour``, made from ``source``.

    Names are as the database spells them; ``table`` and ``source`` may have a schema, and double
    quotes around a name with a dot. The zone is the constant ``zone``, or the column
    ``zone_column`` (in the source ``source_zone_column``, by default the same name). ``timestamp``
    is a UTC time. ``keys`` are the other columns that it groups by, ``values`` the aggregates of
    its other columns, as SQL.
    """

    table: str
    source: str
    timestamp: str
    local_day: str = ""
    local_hour: str = ""
    zone: str = ""
    zone_column: str = ""
    source_zone_column: str = ""
    keys: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The column of the local day or hour."""
        return self.local_day or self.local_hour

    @property
    def unit(self) -> Unit:
        """What that column has."""
        return "day" if self.local_day else "hour"

    @property
    def columns(self) -> list[str]:
        """All columns that a repair fills."""
        zone = [self.zone_column] if self.zone_column else []
        return [*zone, self.key, *self.keys, *self.values]


@dataclass(frozen=True, slots=True)
class Appointments:
    """A table whose ``column`` has UTC times that stand for times on the clock of a zone."""

    table: str
    column: str
    zone: str = ""
    zone_column: str = ""


def read(kind: type[T], settings: Iterable[Mapping[str, Any]], file: str) -> list[T]:
    """The Rollups or Appointments of a file; OutputError names what is wrong."""
    word = "appointments" if kind is Appointments else "rollup"
    has_buckets = "bucket" in {one.name for one in fields(kind)}  # type: ignore[arg-type] # a dataclass
    return [
        _made(kind, one, f"{file}: {word} {place}")
        for place, one in enumerate(settings, 1)
        if ("bucket" in one) == has_buckets
    ]


def quoted(name: str) -> str:
    """A table name, perhaps with its schema, as SQL text."""
    return ".".join(map(identifier, parts(name)))


def parts(name: str) -> list[str]:
    """Schema and table of a name; double quotes stand around one with a dot."""
    found = _PART.findall(name)
    return [one[1:-1].replace('""', '"') if one[0] == '"' else one for one in found]


def _made(kind: type[T], settings: Mapping[str, Any], where: str) -> T:
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type] # a dataclass
    given: dict[str, Any] = {}
    for name, value in settings.items():
        if name not in known:
            near = nearest_names(name, known)
            hint = f"did you mean {near[0]!r}?" if near else f"choose of {', '.join(known)}."
            raise OutputError(f"{where}: there is no setting {name!r}: {hint}")
        given[name] = _checked(name, value, where)
    for name, one in known.items():
        if one.default is MISSING and one.default_factory is MISSING and not given.get(name):
            raise OutputError(f"{where}: has no {name}.")
    for pair in (("local_day", "local_hour"), ("zone", "zone_column")):
        needed = pair[0] in known and not given.get("zones")
        if needed and sum(bool(given.get(name)) for name in pair) != 1:
            raise OutputError(f"{where}: needs either {' or '.join(pair)}.")
    return kind(**given)


def _checked(name: str, value: Any, where: str) -> Any:
    if name in ("keys", "zones"):
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            what = "columns" if name == "keys" else "zones"
            raise OutputError(f"{where}: {name} must be a list of {what}.")
        return tuple(value)
    if name == "values":
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise OutputError(f'{where}: values must have an aggregate by column: n = "count(*)".')
        return value
    if not isinstance(value, str):
        raise OutputError(f"{where}: {name} must be a text.")
    return value

"""Tables that the configuration names: appointments, and the rollups of other packages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar

from tzconv.errors import OutputError, nearest_names
from tzconv.sql.text import identifier

T = TypeVar("T")
_PART = re.compile(r'"(?:[^"]|"")+"(?=\.|$)|[^.]+')


@dataclass(frozen=True, slots=True)
class Appointments:
    """A table whose ``column`` has UTC times that stand for times on the clock of a zone."""

    table: str
    column: str
    zone: str = ""
    zone_column: str = ""


def read(kind: type[T], settings: Iterable[Mapping[str, Any]], file: str) -> list[T]:
    """The tables of a file, such as its Appointments; OutputError names what is wrong."""
    word = "appointments" if kind is Appointments else "rollup"
    return [_made(kind, one, f"{file}: {word} {place}") for place, one in enumerate(settings, 1)]


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
    if not given.get("zones") and bool(given.get("zone")) == bool(given.get("zone_column")):
        raise OutputError(f"{where}: needs either zone or zone_column.")
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

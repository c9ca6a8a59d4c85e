"""The options of a refresh, and those that the release row keeps for the next one.

A later run, also with ``--repair``, then needs no options. The row keeps the rule (a query for
zones, a moving horizon), not its result.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Literal, TypeAlias

from tzconv import tables
from tzconv.errors import RulesError, refuse_types
from tzconv.tz.zones import Rules

BY_QUERY = "sql:"
ALL = "all"
"""All zones, whatever was kept."""
DEFAULT = "default"
"""The default of a day or of the tables, whatever was kept."""
INSTALLED = "tzdata"
FROM_DATABASE = "database"

Day: TypeAlias = dt.date | Literal["default"] | None

_MOST_LETTERS = next(
    column.length for column in tables.RELEASE.columns if column.name == "selection"
)
_UNREADABLE = (
    "The selection in the release table cannot be read: give --zones, --tables, --rules, --start "
    "and --end, and tzconv refresh keeps those."
)


@dataclass(frozen=True, slots=True)
class Selection:
    """``zones`` are names or a query, ``rules`` as of ``--rules``; None is the default."""

    zones: tuple[str, ...] | str | None = None
    tables: tuple[str, ...] | None = None
    rules: str | None = None
    start: dt.date | None = None
    end: dt.date | None = None

    def text(self) -> str:
        """The selection as it is kept; RulesError if it is too long."""
        values = {
            name: value for name, value in dataclasses.asdict(self).items() if value is not None
        }
        text = json.dumps(values, default=dt.date.isoformat)
        if len(text) > _MOST_LETTERS:
            raise RulesError(
                f"The selection of zones has {len(text):,} letters, and the release table keeps "
                f"{_MOST_LETTERS:,}: make a view of the query of --zones and select from it."
            )
        return text

    @classmethod
    def read(cls, text: str | None) -> Selection:
        """The selection of a release row; RulesError if somebody else has written it."""
        try:
            values = json.loads(text or "{}")
            for name in ("start", "end"):
                if name in values:
                    values[name] = dt.date.fromisoformat(values[name])
            for name in ("zones", "tables"):
                if isinstance(values.get(name), list):
                    values[name] = tuple(values[name])
            found = cls(**values)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise RulesError(_UNREADABLE) from error
        zones = found.zones
        has_zones = zones.startswith(BY_QUERY) if isinstance(zones, str) else _are_names(zones)
        if not (has_zones and _are_names(found.tables) and isinstance(found.rules, str | None)):
            raise RulesError(_UNREADABLE)
        return found


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of :func:`tzconv.refresh`; None takes what the release row keeps."""

    zones: str | Iterable[str] | None = None
    start: Day = None
    end: Day = None
    rules: str | Path | Rules | None = None
    tables: Iterable[str] | None = None

    def __post_init__(self) -> None:
        texts, rules = (str, Iterable, NoneType), (str, Path, Rules, NoneType)
        refuse_types(
            RulesError,
            ("zones", self.zones, texts, "names"),
            ("tables", self.tables, texts, "names"),
            ("rules", self.rules, rules, "a text, a folder or Rules"),
        )
        for name in ("zones", "tables"):  # they are read several times, and an iterator only once
            value = getattr(self, name)
            if not (value is None or isinstance(value, str)):
                found = tuple(value)
                if not _are_names(found):
                    raise RulesError(f"{name} has {found!r}: give texts, each of them a name.")
                object.__setattr__(self, name, found)
        for name in ("start", "end"):
            day = getattr(self, name)
            if not (day is None or day == DEFAULT or type(day) is dt.date):
                raise RulesError(f"{name} is {day!r}: give a datetime.date or {DEFAULT!r}.")

    def selection(self, kept: str | None) -> Selection:
        """The complete selection: this request, and the ``kept`` one where it has None."""
        is_complete = all(getattr(self, one.name) is not None for one in dataclasses.fields(self))
        before = Selection() if is_complete else Selection.read(kept)
        zones: str | tuple[str, ...] | None = before.zones
        if isinstance(self.zones, str):
            is_query = self.zones.startswith(BY_QUERY)
            zones = self.zones if is_query else None if self.zones == ALL else (self.zones,)
        elif self.zones is not None:
            zones = tuple(sorted(set(self.zones)))
        chosen = before.tables
        if self.tables is not None:
            names = (self.tables,) if isinstance(self.tables, str) else tuple(self.tables)
            chosen = None if names == (DEFAULT,) else names
        rules = before.rules
        if isinstance(self.rules, Rules):
            rules = None
        elif self.rules is not None:
            is_path = self.rules not in (INSTALLED, FROM_DATABASE)
            rules = str(Path(self.rules).absolute()) if is_path else str(self.rules)
        days = [
            before_day if day is None else day if isinstance(day, dt.date) else None
            for day, before_day in ((self.start, before.start), (self.end, before.end))
        ]
        return Selection(zones, chosen, None if rules == INSTALLED else rules, *days)

    def kept_of(self, selection: Selection) -> dict[str, object]:
        """The parts of the complete selection that were kept, by the names of the options."""
        return {
            name: value
            for name, value in dataclasses.asdict(selection).items()
            if value is not None and getattr(self, name) is None
        }

    @property
    def by_query(self) -> bool:
        """Whether this request has a query for the zones."""
        return isinstance(self.zones, str) and self.zones.startswith(BY_QUERY)


def _are_names(names: object) -> bool:
    return names is None or (
        isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    )

"""Questions to a database about a difference of rules: which rows lie inside its windows."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tzconv.engines.alchemy import Types
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError, nearest_names
from tzconv.impact import windows
from tzconv.impact.named import parts
from tzconv.impact.objects import Converting, Count
from tzconv.impact.windows import RulesDifference
from tzconv.sql.text import constant, identifier


@dataclass(frozen=True)
class Inspection:
    """The questions to an open database; none of them writes."""

    backend: Backend
    difference: RulesDifference

    @functools.cached_property
    def _all_types(self) -> Types:
        return self.backend.column_types()

    def types(self, table: str) -> dict[str, str]:
        """The types of the columns of a table, by name; none if it is not found."""
        return self._all_types.get(".".join(parts(table)), {})

    def check_columns(self, table: str, columns: Iterable[str]) -> None:
        """DatabaseError with the nearest name for a table or column that is not there."""
        there = self.types(table)
        if not there:
            raise DatabaseError(
                f"The database has no table {table!r}{_hint(table, self._all_types)}"
            )
        for name in columns:
            if name not in there:
                raise DatabaseError(f"The table {table} has no column {name!r}{_hint(name, there)}")

    def check_times(
        self, table: str, column: str, kinds: tuple[str, ...], *, is_local: bool = False
    ) -> None:
        """DatabaseError for a column whose type does not begin with one of ``kinds``.

        A column of local times cannot have a time zone.
        """
        kind = self.types(table)[column]
        if is_local and _is_instant(kind):
            raise DatabaseError(
                f"The column {column} of {table} has the type {kind}, which shows another local "
                f"time in each session: a {' or '.join(kinds)} without time zone is needed."
            )
        if not kind.casefold().startswith(kinds):
            raise DatabaseError(
                f"The column {column} of {table} has the type {kind}, and a "
                f"{' or '.join(kinds)} is needed: check the configuration."
            )

    def check_zone(self, table: str, zone: str) -> None:
        """DatabaseError with the nearest name for a zone that neither release has."""
        if windows.by_spelling([zone], self.difference)[zone] is None:
            hint = _hint(zone, self.difference.after.names)
            raise DatabaseError(f"The configuration of {table} has an unknown zone {zone!r}{hint}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a SELECT."""
        return self.backend.query(sql).tuples()

    def count(self, found: Converting, since: dt.datetime | None = None) -> Count:
        """The rows whose conversion differs; ``since`` leaves out earlier times."""
        if (condition := self.inside(found, since)) is None:
            [(total,)] = self.rows(f"SELECT count(*) FROM {found.table}")
            return Count(0, 0, int(total))
        relation, where = condition
        day = f"CAST({self._value(found)} + w.tzconv_seconds * INTERVAL '1 second' AS DATE)"
        [(rows, keys, total)] = self.rows(
            f"SELECT count(*), count(DISTINCT (w.tzconv_zone, {day})), "
            f"(SELECT count(*) FROM {found.table}) FROM {found.table} AS s, {relation} "
            f"WHERE {where}"
        )
        return Count(int(rows), int(keys), int(total))

    def inside(self, found: Converting, since: dt.datetime | None = None) -> tuple[str, str] | None:
        """A relation of the windows, and the condition under which a row s of the table is in one.

        None if no zone of the table has a window.
        """
        is_local = found.is_local and not _is_instant(self._type(found))
        windows_of = self.difference.local_windows if is_local else self.difference.windows
        names = [found.zone]
        if found.zone_is_column:
            zone = identifier(found.zone)
            sql = f"SELECT DISTINCT {zone} FROM {found.table} WHERE {zone} IS NOT NULL"
            names = [str(name) for (name,) in self.rows(sql)]
        rows = [
            (spelling, one.starts, one.ends, 0 if is_local else one.new_offset)
            for spelling, name in sorted(windows.by_spelling(names, self.difference).items())
            if name is not None
            for one in windows_of(name)
        ]
        if not rows:
            return None
        value = self._value(found)
        where = f"{value} >= w.tzconv_starts AND {value} < w.tzconv_ends"
        if found.zone_is_column:
            where = f"s.{identifier(found.zone)} = w.tzconv_zone AND {where}"
        if since is not None:
            where += f" AND {value} >= {constant(since)}"
        named = "w (tzconv_zone, tzconv_starts, tzconv_ends, tzconv_seconds)"
        return f"(\n{values(rows)}) AS {named}", where

    def _type(self, found: Converting) -> str:
        return self.types(found.table).get(found.column, "")

    def _value(self, found: Converting) -> str:
        return utc(f"s.{identifier(found.column)}", self._type(found))


def utc(column: str, kind: str) -> str:
    """A column with UTC times as a TIMESTAMP, by its type."""
    return f"({column} AT TIME ZONE 'UTC')" if _is_instant(kind) else column


def values(rows: Iterable[Iterable[object]]) -> str:
    """Rows as SQL text, a line each."""
    lines = ",\n".join(f"    ({', '.join(map(constant, row))})" for row in rows)
    return f"  VALUES\n{lines}"


def _is_instant(kind: str) -> bool:
    text = kind.casefold()
    return "with time zone" in text or "timestamptz" in text


def _hint(name: str, known: Iterable[str]) -> str:
    near = nearest_names(name, known)
    return f": did you mean {near[0]!r}?" if near else ": check the configuration."

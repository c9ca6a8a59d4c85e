"""What the backends have in common: statements that every engine reads alike."""

from __future__ import annotations

import abc
import contextlib
import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from tzconv import checksums, tables
from tzconv.backends.base import Backend
from tzconv.checksums import Sums
from tzconv.errors import DatabaseError
from tzconv.spans import Columns
from tzconv.tables import Table

ALEMBIC_COLUMN = "version_num"

PLACE = "\0"
"""Where a value stands in a statement; no SQL text can hold it."""

_SPANS = {
    "daily": ("day_starts_at_utc", "day_ends_before_utc"),
    "hourly": ("starts_at_utc", "ends_before_utc"),
    "offset": ("starts_at_utc", "ends_before_utc"),
}
"""Begin and end of the spans that lie without holes and overlaps on a zone's UTC line."""


def identifier(name: str) -> str:
    """A name as SQL text, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string as SQL text, whatever characters it has."""
    return "'" + text.replace("'", "''") + "'"


def constant(value: object) -> str:
    """A value as SQL text."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return literal(str(value))


def missing_schema(name: str) -> str:
    """What to say of a schema that is not there."""
    return (
        f"The database has no schema {identifier(name)}: make it with "
        f"CREATE SCHEMA {identifier(name)}, or name another with --db-schema."
    )


class SqlBackend(abc.ABC):
    """The part of a backend that differs between engines in a few expressions only."""

    schema: str | None = None
    ddl_commits: bool = False
    builds_index: bool = False
    function_range: tuple[dt.date, dt.date] | None = None
    seconds: ClassVar[str]
    """A ``{column}`` of timestamps as seconds since 1970 and ``checksums.BEFORE_1970``."""
    days: ClassVar[str]
    """A ``{column}`` of dates as days since 1970."""
    next_day: ClassVar[str] = "{column} + 1"

    @abc.abstractmethod
    def _run(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement, PLACE where its values stand, and fetch its rows; DatabaseError."""

    @abc.abstractmethod
    def _columns(self, table: str) -> list[tuple[str, str]] | None:
        """Names and types of the columns of what has that name in our schema; None for nothing."""

    @abc.abstractmethod
    def _kind(self, table: str) -> str:
        """``table`` or ``view``, or what else has that name."""

    @abc.abstractmethod
    def _type(self, column: tables.Column) -> str:
        """How the engine names the type of a column of ours."""

    def name(self, table: str) -> str:
        """The name of a table of ours with its schema, as SQL text."""
        return f"{identifier(self.schema)}.{table}" if self.schema else table

    def check_ours(self) -> None:
        present = []
        for table in tables.ALL:
            wanted = [(column.name, self._type(column)) for column in table.columns]
            if self._check_shape(table.name, wanted):
                present.append(table.name)
        self._check_shape(tables.MIGRATION, [(ALEMBIC_COLUMN, "")])
        if present and self.newest_release() is None and any(map(self._has_rows, present)):
            raise DatabaseError(
                f"The database has tables named {', '.join(sorted(present))} that no refresh has "
                "made: they are left alone; rename them, or use another database or schema."
            )

    def _check_shape(self, name: str, wanted: list[tuple[str, str]]) -> bool:
        found = self._columns(name)
        if found is None:
            return False
        kind = self._kind(name)
        differs = [column for column, _ in found] != [column for column, _ in wanted] or any(
            text not in ("", there) for (_, there), (_, text) in zip(found, wanted, strict=True)
        )
        if differs or kind != "table":
            columns = ", ".join(f"{column} {text}" for column, text in found)
            raise DatabaseError(
                f"The database has something else named {name}, a {kind} with the columns "
                f"{columns}: it is left alone; rename it, or use another database or schema."
            )
        return True

    def migration(self) -> str | None:
        if self._columns(tables.MIGRATION) is None:
            return None
        rows = self._run(f"SELECT {ALEMBIC_COLUMN} FROM {self.name(tables.MIGRATION)}")
        return str(rows[0][0]) if rows else "base"

    def execute(self, statement: str) -> None:
        self._run(statement)

    def delete_all(self, table: Table) -> None:
        self._run(f"DELETE FROM {self.name(table.name)}")

    def delete_zones(self, table: Table, zones: Sequence[str]) -> None:
        if zones:
            self._run(f"DELETE FROM {self.name(table.name)} {of_zones(zones)}")

    def insert_release(self, row: Mapping[str, Any]) -> None:
        columns = [column.name for column in tables.RELEASE.columns]
        places = ", ".join(PLACE for _ in columns)
        self._run(
            f"INSERT INTO {self.name(tables.RELEASE.name)} ({', '.join(columns)}) "
            f"VALUES ({places})",
            [row[column] for column in columns],
        )

    def newest_release(self) -> dict[str, Any] | None:
        if self._columns(tables.RELEASE.name) is None:
            return None
        columns = [column.name for column in tables.RELEASE.columns]
        rows = self._run(
            f"SELECT {', '.join(columns)} FROM {self.name(tables.RELEASE.name)} "
            "ORDER BY finished_at DESC LIMIT 1"
        )
        return dict(zip(columns, rows[0], strict=True)) if rows else None

    def row_counts(self) -> dict[str, int]:
        return {
            name: self._one(f"SELECT count(*) FROM {self.name(table.name)}")
            if self._columns(table.name) is not None
            else 0
            for name, table in tables.CONVERSIONS.items()
        }

    def checksums(self, table: Table, zones: Iterable[str] | None = None) -> dict[str, Sums]:
        name, where = self.name(table.name), of_zones(zones)
        rows = self._run(checksums.sql_sums(table, name, self.seconds, self.days, where))
        return {zone: (int(count), int(one), int(two)) for zone, count, one, two in rows}

    def sums_of(self, table: Table, zone: str, columns: Columns) -> Sums:
        del zone
        return checksums.of_columns(table, columns)

    def whole(self, table: Table) -> Sums | None:
        del table
        return None

    def beside(self) -> AbstractContextManager[Backend | None]:
        return contextlib.nullcontext()

    def broken(self, table: Table, zones: Iterable[str] | None = None) -> dict[str, str]:
        found: dict[str, str] = {}
        for zone, wrong in self._run(self._invariants(table, of_zones(zones))):
            found.setdefault(zone, wrong)
        return found

    def _invariants(self, table: Table, where: str) -> str:
        """The SELECT of the zones that break an invariant of the table, and which one."""
        short = next(name for name, known in tables.CONVERSIONS.items() if known is table)
        begin, end = _SPANS.get(short, ("utc_day", self.next_day.format(column="utc_day")))
        over = f"OVER (PARTITION BY time_zone_name ORDER BY {table.key[1]})"
        checks = {
            "a hole or an overlap": f"lead({begin}) {over} <> {end}",
            "a span that ends before it begins": f"{end} <= {begin}",
        }
        if short == "offset":
            checks["a hole or an overlap of local times"] = (
                f"lead(starts_at_time_zone) {over} <> ends_before_time_zone"
            )
        times = [column.name for column in table.columns if column.type == "timestamp"]
        checks["a time that is no whole second"] = " OR ".join(
            f"{time} <> date_trunc('second', {time})" for time in times
        )
        cases = " ".join(f"WHEN {wrong} THEN {literal(text)}" for text, wrong in checks.items())
        return (
            "SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, "
            f"CASE {cases} END AS wrong FROM {self.name(table.name)} {where}) AS checked "
            "WHERE wrong IS NOT NULL ORDER BY 1, 2"
        )

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC).replace(tzinfo=None)

    def _has_rows(self, table: str) -> bool:
        return bool(self._run(f"SELECT 1 FROM {self.name(table)} LIMIT 1"))

    def _one(self, sql: str) -> Any:
        return self._run(sql)[0][0]


def of_zones(zones: Iterable[str] | None) -> str:
    """The WHERE clause of some zones; empty for all of them."""
    if zones is None:
        return ""
    return f"WHERE time_zone_name IN ({', '.join(map(literal, sorted(zones))) or 'NULL'})"

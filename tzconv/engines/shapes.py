"""The tables of a database as they are and as they should be: names, columns, keys, revision.

Each engine's backend is one; the migration, the refresh and the health checks ask it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

from tzconv import tables
from tzconv.errors import DatabaseError
from tzconv.sql.text import ALEMBIC_COLUMN, constant, identifier
from tzconv.tables import Table, checksums

ColumnList: TypeAlias = "list[tuple[str, str]]"
"""Names and types of the columns of a table or view, in their order."""


class Shapes(Protocol):
    """The conversion tables of an open database."""

    schema: str | None = None
    """The schema of the conversion tables; None for the one of unqualified names."""
    type_names: ClassVar[Mapping[tables.ColumnType, str]] = {}
    """The engine's names of column types, with a ``{length}``, if they are not ours."""
    _shown: dict[str, ColumnList] | None = None
    """The columns of the tables as a read-only transaction shows them, empty until somebody asks;
    None outside of one."""

    def name(self, table: str) -> str:
        """The name of a conversion table with its schema, as SQL text."""
        return f"{identifier(self.schema)}.{table}" if self.schema else table

    @property
    def own_schema(self) -> str | None:
        """The schema that statements of ours name; None if names without one cannot be captured."""
        return self.schema

    def check_ours(self, *, adopt: bool = False) -> None:
        """DatabaseError if something that tzconv did not make has the name of one of its tables.

        With ``adopt`` tables of the right shape are ours even without a release row.
        """
        if not self._has_schema():
            if self.schema is None:
                raise DatabaseError(
                    "No schema of the search path exists: name one with --db-schema."
                )
            name = identifier(self.schema)
            raise DatabaseError(
                f"The database has no schema {name}: make it with CREATE SCHEMA {name}, or name "
                "another with --db-schema."
            )
        there = self._there()
        shapes = {one.name: self._shape(one) for one in tables.ALL if one.name in there}
        present = [*shapes]
        if tables.MIGRATION in there:
            shapes[tables.MIGRATION] = [(ALEMBIC_COLUMN, "")]
        for name, shape in shapes.items():
            self._check_shape(name, there[name], shape)
        some = (f"SELECT 1 FROM {self.name(table)} LIMIT 1" for table in present)
        if present and not adopt and self.newest_release() is None and any(map(self._run, some)):
            raise DatabaseError(
                f"The database has tables named {', '.join(sorted(present))} without the release "
                "row of a refresh, and they are left alone: if a refresh has made them, run tzconv "
                "refresh --repair; otherwise rename them, or use another database or schema."
            )

    def check_trusted(self) -> None:
        """DatabaseError if a table of ours is not as tzconv made it, or may be another role's."""
        for text, _ in self.distrusted():
            raise DatabaseError(f"{text} Nothing was changed.")

    def distrusted(self) -> Iterable[tuple[str, bool]]:
        """Sentences about tables that somebody else owns or has added to.

        And whether it is an error for this session: a reader's role owns no table.
        """
        if self.columns(tables.MIGRATION) is None:
            return []
        rows = self._run(f"SELECT {ALEMBIC_COLUMN} FROM {self.name(tables.MIGRATION)}")
        if len(rows) < 2:
            return []
        found = ", ".join(sorted(str(row[0]) for row in rows))
        text = (
            f"{tables.MIGRATION} has {len(rows)} rows ({found}) instead of one: delete those that "
            "tzconv did not write."
        )
        return [(text, True)]

    def of_other_roles(self, names: Iterable[str], command: str) -> Iterable[str]:
        """Sentences about tables, named as SQL text, whose owners' code a command could run."""
        return ()

    def selection_writers(self) -> list[str]:
        """Roles besides this session's that may write the selection that a refresh follows."""
        return []

    def _shape(self, table: Table) -> list[tuple[str, str]]:
        """Expected names and types of the columns of a conversion table."""
        return [
            (
                column.name,
                self.type_names.get(column.type, column.type).format(length=column.length),
            )
            for column in table.columns
            if table is not tables.RELEASE or not _depends_on_revision(column.name)
        ]

    def _check_shape(self, name: str, found: ColumnList, expected: ColumnList) -> None:
        """DatabaseError if a table has other columns than ``expected``."""
        if name == tables.RELEASE.name:
            found = [(column, text) for column, text in found if not _depends_on_revision(column)]
        kind = self._kind(name)
        known, names = {column for column, _ in expected}, [column for column, _ in found]
        former = [*tables.BEFORE_0005.get(name, ())]
        is_older = not known <= {*names} and bool(former) and names[: len(former)] == former
        if is_older and known >= {*names[len(former) :]} and kind == "table":
            return
        differs = names != [column for column, _ in expected] or any(
            text not in ("", there.lower())
            for (_, there), (_, text) in zip(found, expected, strict=True)
        )
        added = [column for column in names if column not in known]
        if kind == "table" and [one for one, _ in expected] == [n for n in names if n in known]:
            for column in added:
                raise DatabaseError(
                    f"{name} has a column {column} that tzconv did not make: ALTER TABLE "
                    f"{self.name(name)} DROP COLUMN {identifier(column)}, or keep it in another "
                    "table."
                )
        if differs or kind != "table":
            columns = ", ".join(f"{column} {text}" for column, text in found)
            raise DatabaseError(
                f"The database has something else named {name}, a {kind} with the columns "
                f"{columns}: it is left alone; rename it, or use another database or schema."
            )

    def columns(self, table: str) -> ColumnList | None:
        """The columns of one of our tables; None if there is none of that name."""
        return self._there().get(table)

    def _there(self) -> dict[str, ColumnList]:
        """The columns of all our tables that exist, asked once in a read-only transaction."""
        if not self._shown:
            found = self._columns((*(table.name for table in tables.ALL), tables.MIGRATION))
            if self._shown is None:
                return found
            self._shown = found
        return self._shown

    def migration(self) -> str | None:
        """The revision of the tables; ``base`` after a full downgrade, None in a new database."""
        if self.columns(tables.MIGRATION) is None:
            return None
        rows = self._run(f"SELECT {ALEMBIC_COLUMN} FROM {self.name(tables.MIGRATION)}")
        return str(rows[0][0]) if rows else "base"

    def missing_tables(self) -> list[Table]:
        """Those of the tables that do not exist."""
        there = self._there()
        return [table for table in tables.ALL if table.name not in there]

    def missing_keys(self) -> list[Table]:
        """The tables that have lost a primary key that the engine would enforce."""
        return []

    def has_columns(self, table: Table) -> bool:
        """Whether a table has all columns of its newest shape."""
        there = {name for name, _ in self.columns(table.name) or ()}
        return all(column.name in there for column in table.columns)

    def add_key(self, table: Table) -> None:
        """Give a table its primary key again."""
        return

    def create(self, table: Table) -> None:
        """Make a table that is missing, in its newest shape."""
        self.execute_own(self.create_statement(table))

    def create_statement(self, table: Table) -> str:
        """What makes a table in its newest shape, if it does not exist."""
        name = f"EXISTS {self.name(table.name)}"
        return self._create_table(table).replace(f"EXISTS {table.name}", name, 1)

    def newest_release(self) -> dict[str, Any] | None:
        """The row that describes what is loaded; None in a database without one."""
        there = {name for name, _ in self.columns(tables.RELEASE.name) or ()}
        if not there:
            return None
        known = [column.name for column in tables.RELEASE.columns]
        columns = [name for name in known if name in there]
        rows = self._run(
            f"SELECT {', '.join(columns)} FROM {self.name(tables.RELEASE.name)} "
            "ORDER BY finished_at DESC LIMIT 1"
        )
        # an older revision has not counted the tables that it did not have
        none = {
            column.name: None
            if column.nullable
            else 0
            if column.name.endswith("_rows")
            else checksums.digest({})
            for column in tables.RELEASE.columns
        }
        return none | dict(zip(columns, rows[0], strict=True)) if rows else None

    def insert_release(self, row: Mapping[str, Any]) -> None:
        """Append a row to the release table."""
        self._run(self.release_insert({name: constant(value) for name, value in row.items()}))

    def release_insert(self, values: Mapping[str, str]) -> str:
        """The INSERT of a release row whose values are SQL text."""
        columns = [column.name for column in tables.RELEASE.columns]
        return (
            f"INSERT INTO {self.name(tables.RELEASE.name)} ({', '.join(columns)}) "
            f"VALUES ({', '.join(values[column] for column in columns)})"
        )

    def rows_of(self, table: Table, columns: str) -> list[Sequence[Any]]:
        """Those columns of a small table, sorted by its key; no rows if it does not exist."""
        if self.columns(table.name) is None:
            return []
        name, key = self.name(table.name), ", ".join(table.key)
        return self._run(f"SELECT {columns} FROM {name} ORDER BY {key}")

    def execute(self, statement: str) -> None:
        """Run one statement of a migration; if that ends the lock, take it again."""
        self._run(statement)

    def execute_own(self, statement: str) -> None:
        """The same for a statement that names our tables by ``own_schema``, and no others."""
        self.execute(statement)

    def write(self, statement: str) -> int:
        """Run an INSERT or a DELETE like :meth:`execute_own`; the number of its rows."""
        raise DatabaseError("No rollups were written for this engine.")

    # -- what every backend implements for the methods above

    def _run(self, sql: str) -> list[Any]:
        """Run a statement and fetch its rows; DatabaseError."""

    @staticmethod
    def _create_table(table: Table) -> str:
        """The CREATE TABLE IF NOT EXISTS of a table, without a schema."""

    def _has_schema(self) -> bool:
        """Whether the schema of the tables exists, or without one, that of unqualified names."""

    def _columns(self, names: Iterable[str]) -> dict[str, ColumnList]:
        """The columns of those tables or views in our schema that exist, by their names."""

    def _kind(self, table: str) -> str:
        """``table``, ``view``, or another kind of relation."""


def by_table(rows: Iterable[tuple[str, str, str]]) -> dict[str, ColumnList]:
    """The columns of each table, of rows with table, name and type."""
    found: dict[str, ColumnList] = {}
    for table, name, kind in rows:
        found.setdefault(table, []).append((name, kind))
    return found


def _depends_on_revision(column: str) -> bool:
    """Whether only some revisions of the release table have that column."""
    added = ("selection", "last_checked_at", "rule_changes", "period_keys")
    return column.endswith(("_rows", "_checksum")) or column in added

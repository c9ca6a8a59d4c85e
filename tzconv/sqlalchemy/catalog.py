"""What the hook asks of the database over the caller's open connection.

Column types, the time zone of the session, the loaded conversion tables, and the zone rules in
them: a rewritten text takes its offsets and bounds from the tables that it joins, never from the
installed tz release, so that both are of one release.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tzconv import migrate, tables
from tzconv.engines.alchemy import OURS, Alchemy, Types, home
from tzconv.sql.built import Built
from tzconv.sql.reasons import Reason
from tzconv.sql.text import ALEMBIC_COLUMN, identifier
from tzconv.sqlalchemy.cache import Cache
from tzconv.tz import zones
from tzconv.tz.zones import Rules

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Dialect
    from sqlalchemy.schema import MetaData

_log = logging.getLogger("tzconv.sqlalchemy")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LoadedTables:
    """``tables`` are the short names of the tables that have rows and may be read.

    ``rules`` are those of the offset table and hold until ``until``; None without such a table.
    ``release`` is the newest release row, None if there is none.
    """

    tables: frozenset[str]
    rules: Rules
    until: dt.date | None
    release: Mapping[str, Any] | None


class Session:
    """A connection of the caller's; questions leave its transaction as it is."""

    def __init__(self, connection: Connection, alchemy: type[Alchemy]) -> None:
        self._connection = connection
        self.alchemy = alchemy(connection.connection.driver_connection, self._rows)
        self._plans: dict[str, Any] = {}

    def column_types(
        self, words: Collection[str], schema: str | None, *, is_changing: bool
    ) -> Types:
        """Types of columns by ``table`` and ``schema.table``, of tables among the ``words``.

        And those of the conversion tables in ``schema``. ``is_changing`` says that the session has
        tables that others do not see.
        """
        names = {*words, *OURS, tables.MIGRATION, *([schema] if schema else [])}
        return self.alchemy.column_types(names, is_changing=is_changing)

    def home(self, given: str | None) -> str | None:
        """The schema of the conversion tables; None names them without one.

        A text with it means these tables, whatever somebody makes in a schema before it in the
        path. DatabaseError if it is uncertain which tables a refresh has made.
        """
        found = self.alchemy.homes(OURS)
        return home(found, "table_schema=") if given is None else given

    def expected_rows(self, statement: str, parameters: Any) -> float | None:
        """The rows that a single query is expected to convert with those parameters of the driver.

        It is planned and not run. None if the database has no estimate, or refuses the query.
        """
        explain = self._explained
        return self._asked(lambda: self.alchemy.expected_rows(explain(statement, parameters)))

    def refuses(self, statement: str, parameters: Any) -> bool:
        """Whether the database does not bind a query, which then fails as it is written."""
        try:
            self._explained(statement, parameters)
        except Exception as error:
            return self.alchemy.is_stale(error)
        return False

    def loss(self, *statements: tuple[str, Any]) -> Reason | None:
        """What the plan of the second statement, with its parameters, loses against the first's.

        None if the database shows no plans, or refuses one of the statements.
        """
        explain = self._explained
        return self._asked(lambda: self.alchemy.loss(*(explain(*one) for one in statements)))

    def indexes(self, statement: str, parameters: Any) -> frozenset[str] | None:
        """The indexes that the plan of a statement uses; None if the database does not say."""
        return self._asked(lambda: self.alchemy.indexes(self._explained(statement, parameters)))

    def _explained(self, statement: str, parameters: Any) -> Any:
        """The plan of a statement, which is asked for once in a decision."""
        if statement not in self._plans:
            self._plans[statement] = self.alchemy.explain(statement, parameters)
        return self._plans[statement]

    def built(self) -> tuple[Built, ...]:
        """The indexes and the like of expressions that convert zones; none if that fails."""
        return self._asked(self.alchemy.built) or ()

    def _asked(self, ask: Callable[[], T]) -> T | None:
        """The answer to a question; None if the database refuses it, as an older server may.

        Each driver has its own errors, and the query itself will raise what is wrong with it.
        """
        try:
            return ask()
        except Exception:
            _log.debug("the database does not answer", exc_info=True)
            return None

    def loaded(
        self, types: Types, schema: str | None, known: Cache[str, LoadedTables]
    ) -> LoadedTables:
        """Read the release row, and the offset table unless its release is ``known``.

        ``types`` has the tables that may be read. NewerTablesError where a newer tzconv made them.
        """
        release = self.newest_release(types, schema)
        found = frozenset(
            name
            for name, table in tables.CONVERSIONS.items()
            if name_in(schema, table.name) in types
            and (release is None or release.get(f"{name}_rows"))
        )
        before = known.get(release_key(schema, release)) if release else None
        if before is not None and "offset" in found:
            return LoadedTables(found, before.rules, before.until, release)
        if ALEMBIC_COLUMN in types.get(name_in(schema, tables.MIGRATION), ()):
            migration = _sql_name(schema, tables.MIGRATION)
            for (revision,) in self._rows(f"SELECT {ALEMBIC_COLUMN} FROM {migration}"):
                migrate.refuse_newer(revision, lambda: release)
        if "offset" not in found:
            return LoadedTables(found, Rules.of("", "", ()), None, release)
        columns = "time_zone_name, starts_at_utc, utc_offset_seconds, ends_before_utc"
        rows = self._rows(
            f"SELECT {columns} FROM {_sql_name(schema, tables.OFFSET.name)} ORDER BY 1, 2"
        )
        until = max((row[3] for row in rows), default=None)
        # rewritten texts use neither flags nor abbreviations
        rules = zones.of_rows(
            str(release["tz_release"]) if release else "",
            "database",
            ((name, start, int(seconds), False, "") for name, start, seconds, _ in rows),
        )
        return LoadedTables(found, rules, until.date() if until else None, release)

    def newest_release(
        self, types: Mapping[str, object], schema: str | None
    ) -> dict[str, Any] | None:
        """The release row that describes what is loaded; None if there is none to read."""
        if name_in(schema, tables.RELEASE.name) not in types:
            return None
        table = _sql_name(schema, tables.RELEASE.name)
        names, rows = self._query(f"SELECT * FROM {table} ORDER BY finished_at DESC LIMIT 1")
        return dict(zip(names, rows[0], strict=True)) if rows else None

    def _rows(self, sql: str, parameters: Any = None) -> list[Any]:
        return self._query(sql, parameters)[1]

    def _query(self, sql: str, parameters: Any = None) -> tuple[list[str], list[Any]]:
        """Names of the columns and rows of a query."""
        cursor = self._connection.connection.cursor()
        try:
            with self._savepoint(cursor):
                # with parameters, even without any in them, drivers read percent signs differently
                cursor.execute(sql, *([] if parameters is None else [parameters]))
                names = [str(column[0]) for column in cursor.description]
                rows = list(cursor.fetchall())
                while self.alchemy.has_one_cursor and cursor.nextset():
                    pass  # an error may follow the rows
                return names, rows
        finally:
            if not self.alchemy.has_one_cursor:
                cursor.close()

    @contextlib.contextmanager
    def _savepoint(self, cursor: Any) -> Iterator[None]:
        """Keeps an error inside from ending the caller's transaction."""
        autocommit = getattr(self._connection.connection.dbapi_connection, "autocommit", False)
        if not self.alchemy.has_savepoints or autocommit:
            yield
            return
        cursor.execute("SAVEPOINT tzconv_catalog")
        try:
            yield
        except BaseException:
            cursor.execute("ROLLBACK TO SAVEPOINT tzconv_catalog")
            raise
        finally:
            cursor.execute("RELEASE SAVEPOINT tzconv_catalog")


def declared_types(metadata: MetaData, dialect: Dialect) -> Types:
    """Column types as a ``MetaData`` declares them."""
    types: Types = {}
    for table in metadata.tables.values():
        columns = {
            column.name: column.type.compile(dialect=dialect)
            for column in table.columns
            if column.type.__visit_name__ != "null"
        }
        types[table.name] = columns
        if table.schema is not None:
            types[f"{table.schema}.{table.name}"] = columns
    return types


def release_key(schema: str | None, release: Mapping[str, Any] | None) -> str:
    """The key of what was read of a release: two schemas may have different tables of one."""
    return f"{schema}: {release!r}"


def name_in(schema: str | None, table: str) -> str:
    """The key of a table in the column types."""
    return f"{schema}.{table}" if schema else table


def _sql_name(schema: str | None, table: str) -> str:
    return f"{identifier(schema)}.{table}" if schema else table

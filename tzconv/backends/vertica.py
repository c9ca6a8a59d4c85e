"""Vertica, through vertica-python.

Two things of Vertica's shape this backend. DDL commits, so that the tables are made before the
transaction of a refresh; and there are no advisory locks, so that the table of revisions, which
nobody else writes, is locked in the place of one.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import vertica_python

from tzconv import generate, tables, zones
from tzconv.backends import (
    vertica_catalog,
    vertica_copy,
    vertica_errors,
    vertica_login,
    vertica_query,
    vertica_zones,
)
from tzconv.backends.base import Product, Result
from tzconv.backends.sql import (
    PLACE,
    SqlBackend,
    constant,
    identifier,
    literal,
    missing_schema,
)
from tzconv.checksums import BEFORE_1970
from tzconv.errors import DatabaseError
from tzconv.posix import Int64
from tzconv.tables import Column, Table

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_REFUSED = "Vertica refused it: "
_LOOK_AGAIN_SECONDS = 0.25
_RUNS_AT_ONCE = 200
_TYPES: Mapping[tables.ColumnType, str] = {
    "name": "varchar({length})",
    "text": "varchar({length})",
    "integer": "int",
    "bigint": "int",
}
_WINTER, _SUMMER = (
    int(np.datetime64(f"1990-{month:02}-01", "us").astype(np.int64)) for month in (1, 7)
)


def connect(
    url: URL, *, read_only: bool = False, schema: str | None = None, lock_timeout: float = 0
) -> Vertica:
    """Open the database of a ``vertica+vertica_python://`` URL; its query part goes to the driver.

    ``read_only`` changes nothing: what only reads takes no lock and writes nothing.
    """
    if url.drivername not in ("vertica", "vertica+vertica_python"):
        raise DatabaseError(
            f"The driver of {url.drivername}:// is not used: write vertica+vertica_python://."
        )
    return Vertica(vertica_login.open_connection(url), schema, lock_timeout)


class Vertica(SqlBackend):
    """An open Vertica database."""

    dialect = "vertica"
    bytes_per_row: Mapping[str, float] | None = None
    ddl_commits = True
    # outside of these days its function knows standard time only
    function_range: tuple[dt.date, dt.date] | None = (dt.date(1902, 1, 1), dt.date(2038, 1, 1))
    # Not EXTRACT(EPOCH ...), which may read a timestamp in the time zone of the session.
    seconds = f"(DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', {{column}}) + {BEFORE_1970})"
    days = "CAST({column} - DATE '1970-01-01' AS BIGINT)"

    def __init__(
        self,
        connection: vertica_python.Connection,
        schema: str | None = None,
        lock_timeout: float = 0,
    ) -> None:
        self._connection = connection
        self.schema = schema
        self._lock_timeout = lock_timeout
        self._locked = False
        self._can_ask = False
        self._unknown: dict[str, bool] = {}
        self._abbreviations: frozenset[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        with contextlib.suppress(vertica_python.errors.Error, OSError):
            if self._connection.opened():
                self._connection.close()
        self._connection.close_socket()

    def product(self) -> Product:
        return Product("Vertica", str(self._one("SELECT VERSION()")).rpartition(" v")[2])

    # -- transactions

    @contextlib.contextmanager
    def transaction(self, *, read_only: bool = False) -> Iterator[None]:
        self._run("ROLLBACK")  # of what a question before it has begun, for nothing was written
        self._can_ask = False
        self._run("BEGIN")
        try:
            yield
            self._run("ROLLBACK" if read_only else "COMMIT")
        except Exception:
            with contextlib.suppress(DatabaseError):
                self._run("ROLLBACK")
            raise
        except BaseException:
            # in the middle of an answer or of a COPY, where a ROLLBACK would not be heard
            self._connection.close_socket()
            raise
        finally:
            self._locked = self._can_ask = False

    def lock(self) -> None:
        if self._columns(tables.MIGRATION) is None:
            self._run(vertica_catalog.create_migration(self.name(tables.MIGRATION)))
        self._prepare_to_ask()
        self._run("COMMIT")  # of these two only: nothing was written
        until = time.monotonic() + self._lock_timeout
        while True:
            try:
                self._run(f"LOCK TABLE {self.name(tables.MIGRATION)} IN EXCLUSIVE MODE NOWAIT")
            except DatabaseError as error:
                if not isinstance(error.__cause__, vertica_python.errors.LockFailure):
                    raise
                self._run("ROLLBACK")
                if time.monotonic() >= until:
                    raise self._busy() from error
            else:
                self._locked = True
                return
            time.sleep(_LOOK_AGAIN_SECONDS)

    def _busy(self) -> DatabaseError:
        holder = vertica_catalog.holder(self._schema_name(), tables.MIGRATION)
        found = self._run(holder)
        who = f"{found[0][0] or 'a program without a label'}, user {found[0][1]}" if found else ""
        return DatabaseError(
            "Another refresh is at work on these tables: "
            f"{who or 'a session that this user may not see'}; it was waited for "
            f"{self._lock_timeout:g} s: try again later, or wait longer with --lock-timeout."
        )

    def execute(self, statement: str) -> None:
        self._run(statement)
        if self._locked and not statement.startswith(("INSERT", "UPDATE", "DELETE")):
            self.lock()  # DDL has committed, and the lock is gone

    # -- the tables

    def check_ours(self) -> None:
        if self.schema is None:
            if self._schema_name() is None:
                raise DatabaseError(
                    "No schema of the search path exists: name one with --db-schema."
                )
        elif not self._run(vertica_catalog.has_schema(self.schema)):
            raise DatabaseError(missing_schema(self.schema))
        super().check_ours()

    def delete_runs(self, table: Table, runs: pa.Table) -> None:
        # A DELETE can be joined with nothing, so the runs are in its text, those that many zones
        # share only once.
        by_range: dict[tuple[Any, Any], list[str]] = {}
        for run in runs.to_pylist():
            by_range.setdefault((run["first"], run["last"]), []).append(run["zone"])
        key = table.key[1]
        parts = [
            f"({key} BETWEEN {constant(first)} AND {constant(last)} "
            f"AND time_zone_name IN ({', '.join(map(literal, names))}))"
            for (first, last), names in by_range.items()
        ]
        for start in range(0, len(parts), _RUNS_AT_ONCE):
            some = "\n   OR ".join(parts[start : start + _RUNS_AT_ONCE])
            self._run(f"DELETE FROM {self.name(table.name)}\nWHERE {some}")

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        self.copy(self.name(table.name), [column.name for column in table.columns], rows)

    def copy(self, name: str, columns: Sequence[str], rows: pa.RecordBatchReader) -> None:
        """Add rows to a table; DatabaseError unless the server takes all of them."""
        stream = vertica_copy.Stream(rows)
        try:
            with vertica_errors.as_error(_REFUSED):
                cursor = self._connection.cursor()
                cursor.copy(vertica_copy.statement(name, columns), stream)
                while cursor.nextset():  # an error may come after everything was taken
                    pass
        except DatabaseError:
            if stream.raised is not None:
                raise stream.raised from None
            raise
        [[accepted, rejected]] = self._run(
            "SELECT GET_NUM_ACCEPTED_ROWS(), GET_NUM_REJECTED_ROWS()"
        )
        if (accepted, rejected) != (stream.rows, 0):
            raise DatabaseError(
                f"Vertica took {accepted:,} of {stream.rows:,} rows into {name} and rejected "
                f"{rejected:,}: nothing was changed; please report this."
            )

    def offset_rows(self) -> pa.Table:
        columns = ", ".join(column.name for column in tables.OFFSET.columns)
        order = ", ".join(tables.OFFSET.key)
        sql = f"SELECT {columns} FROM {self.name(tables.OFFSET.name)} ORDER BY {order}"
        with vertica_errors.as_error(_REFUSED):
            values, _ = vertica_query.fetch(self._connection, sql)
        wanted = generate.arrow_schema("offset")
        arrays = []
        for field, column in zip(wanted, values or [()] * len(wanted), strict=True):
            texts = vertica_query.texts_of(column)
            is_flag = pa.types.is_boolean(field.type)
            arrays.append(pa.compute.equal(texts, "t") if is_flag else texts.cast(field.type))
        return pa.table(arrays, schema=wanted)

    def sizes(self) -> dict[str, int]:
        found = dict(self._run(vertica_catalog.used_bytes(self._schema_name())))
        return {
            name: int(found.get(table.name, 0))
            for name, table in tables.CONVERSIONS.items()
            if self._columns(table.name) is not None
        }

    def tidy(self) -> None:
        """Statistics, which a load makes old; it commits, so that it comes after everything."""
        schema = self._schema_name()
        for table in tables.ALL:
            name = f"{identifier(schema)}.{table.name}" if schema else table.name
            try:
                self._run(f"SELECT ANALYZE_STATISTICS({literal(name)})")
                self._run("COMMIT")  # no lock may be held while the next table is waited for
            except DatabaseError as error:
                raise DatabaseError(
                    f"The tables are loaded, but the statistics of {table.name} are not new: "
                    f"{str(error).removeprefix(_REFUSED)}"
                ) from error

    # -- its own time zones

    def zone_names(self, asked: Iterable[str]) -> frozenset[str]:
        # no table of the catalog lists them: the function is asked, and refuses what it knows not
        names = sorted(set(asked) - self._unknown.keys())
        if names:
            self._ask(names, np.arange(len(names), dtype=np.int32), np.zeros(len(names), np.int64))
            unknown = vertica_zones.unknown(len(names), self._is_refused)
            self._unknown |= {name: place in unknown for place, name in enumerate(names)}
            self._run(vertica_zones.EMPTY)
        return frozenset(name.lower() for name, unknown in self._unknown.items() if not unknown)

    def _is_refused(self, select: str) -> bool:
        self._run("SAVEPOINT tzconv_question")
        try:
            self._run(select)
        except DatabaseError as error:
            if vertica_errors.is_lost(error.__cause__):
                raise
            self._run("ROLLBACK TO SAVEPOINT tzconv_question")
            return True
        return False

    def abbreviations(self) -> frozenset[str]:
        if self._abbreviations is None:
            self._abbreviations = self._find_abbreviations()
        return self._abbreviations

    def _find_abbreviations(self) -> frozenset[str]:
        # Such a name has one offset in January and July where the rules of its zone have two; the
        # names with a slash are never abbreviations.
        rules = zones.installed()
        names = [name for name in rules.names if "/" not in name]
        known = self.zone_names(names)
        seasons = np.array([_WINTER, _SUMMER], np.int64)
        candidates = []
        for name in names:
            starts = rules.zone(name).timeline(_SUMMER // 1_000_000 + 1)
            places = np.searchsorted(starts.starts, seasons // 1_000_000, "right") - 1
            winter, summer = (starts.types[kind].utc_offset for kind in starts.kinds[places])
            if winter != summer and name.lower() in known:
                candidates.append(name)
        asked_places = np.arange(len(candidates), dtype=np.int32).repeat(2)
        asked = np.tile(seasons, len(candidates))
        shifts = (self.convert(candidates, asked_places, asked, to_utc=False) - asked).reshape(
            -1, 2
        )
        return frozenset(
            name.lower()
            for name, (winter, summer) in zip(candidates, shifts.tolist(), strict=True)
            if winter == summer
        )

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        if not len(times):
            return np.empty(0, np.int64)
        order = vertica_zones.in_order(places, times)
        self._ask(names, places[order], times[order])
        rows = self._run(vertica_zones.shifts(to_utc=to_utc))
        self._run(vertica_zones.EMPTY)
        return vertica_zones.answers(rows, times, order)

    def _ask(self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64) -> None:
        if not self._can_ask:
            self._prepare_to_ask()
        rows = vertica_zones.questions(names, places, times)
        self.copy(vertica_zones.ASKED, vertica_zones.COLUMNS, rows)

    def _prepare_to_ask(self) -> None:
        """Make the temporary table; before anything is written, in case that it commits."""
        self._run(vertica_zones.CREATE)
        self._can_ask = True

    # -- the user's own tables and queries

    def search_path(self) -> str:
        """The schemas in which a name without one is looked for, as SET SEARCH_PATH takes them."""
        return str(self._run("SHOW SEARCH_PATH")[0][1])

    def column_types(self) -> dict[str, dict[str, str]]:
        path = vertica_catalog.schemas_of_path(
            self.search_path(), str(self._one("SELECT CURRENT_USER"))
        )
        return vertica_catalog.types_by_name(self._run(vertica_catalog.COLUMNS), path)

    def session_time_zone(self) -> str:
        return str(self._run("SHOW TIMEZONE")[0][1])

    def set_session_time_zone(self, zone: str) -> None:
        self._run(f"SET TIME ZONE TO {literal(zone)}")

    def query(self, sql: str) -> Result:
        return vertica_query.run(self._connection, sql)

    def interrupt(self) -> None:
        with vertica_errors.as_error(_REFUSED):
            self._connection.cancel()

    def now(self) -> dt.datetime:
        # the server's clock, so that jobs of several machines agree on which release is the newest
        moment: dt.datetime = self._one("SELECT CLOCK_TIMESTAMP() AT TIME ZONE 'UTC'")
        return moment

    def _schema_name(self) -> str | None:
        if self.schema is not None:
            return self.schema
        found = self._one("SELECT CURRENT_SCHEMA()")
        return None if found is None else str(found)

    def _columns(self, table: str) -> list[tuple[str, str]] | None:
        for sql in vertica_catalog.columns_of(self._schema_name(), table):
            rows = self._run(sql)
            if rows:
                return [(name, kind) for name, kind in rows]
        return None

    def _kind(self, table: str) -> str:
        found = self._run(vertica_catalog.kind_of(self._schema_name(), table))
        return str(found[0][0]).lower() if found else "relation of another kind"

    def _type(self, column: Column) -> str:
        return _TYPES.get(column.type, column.type).format(length=column.length)

    def _run(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        for value in values:
            sql = sql.replace(PLACE, constant(value), 1)
        with vertica_errors.as_error(_REFUSED):
            cursor = self._connection.cursor()
            cursor.execute(sql)
            rows: list[Any] = cursor.fetchall()
            while cursor.nextset():  # an error may come after the rows
                pass
            return rows

"""DuckDB, the embedded default: a file, or memory."""

from __future__ import annotations

import concurrent.futures
import contextlib
import datetime as dt
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb
import pyarrow as pa

from tzconv import checksums, tables
from tzconv.backends import ddl
from tzconv.backends.base import Disagreement, Result
from tzconv.checksums import Sums
from tzconv.errors import DatabaseError, QueryError
from tzconv.tables import Column, Table

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

T = TypeVar("T")

_MICROSECONDS = "epoch_us({column})"
_DAYS = "date_diff('day', DATE '1970-01-01', {column})"
_STREAM = "tzconv_stream"
_NOT_IN_ARROW = re.compile(r"\b(TIME WITH TIME ZONE|INTERVAL|UHUGEINT|BIT)\b")
"""Types that Arrow alters on the way: it drops the offset of a time, wraps long intervals round."""


def connect(url: URL, read_only: bool) -> DuckDB:
    """Open the file of a ``duckdb:///FILE`` URL; ``duckdb:///:memory:`` is a new one in memory."""
    path = url.database
    if not path or url.host or url.username or url.query:
        # a part that is not used must not pass in silence: duckdb://tz.duckdb would open memory
        raise DatabaseError(
            "A DuckDB URL is duckdb:///FILE, duckdb:////absolute/FILE or duckdb:///:memory:, "
            "without host, user or options."
        )
    if path != ":memory:":
        _check_file(Path(path), read_only)
    try:
        connection = duckdb.connect(path, read_only=read_only and path != ":memory:")
    except duckdb.Error as error:
        raise DatabaseError(_opening(path, str(error))) from error
    # a query must not find the variables of this program as tables
    connection.execute("SET enable_progress_bar = false; SET python_enable_replacements = false")
    return DuckDB(connection)


class DuckDB:
    """An open DuckDB database."""

    dialect = "duckdb"

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._connection.close()

    @contextlib.contextmanager
    def transaction(self, *, read_only: bool = False) -> Iterator[None]:
        self._run("BEGIN TRANSACTION READ ONLY" if read_only else "BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            # DuckDB ends a transaction by itself after some errors; closing undoes it in any case
            with contextlib.suppress(DatabaseError):
                self._run("ROLLBACK")
            raise
        self._run("ROLLBACK" if read_only else "COMMIT")

    def check_ours(self) -> None:
        present = {}
        for table in tables.ALL:
            found = self._columns(table.name)
            wanted = [(column.name, _type(column)) for column in table.columns]
            if found is not None and (found != wanted or self._is_view(table.name)):
                kind = "view" if self._is_view(table.name) else "table"
                columns = ", ".join(f"{name} {text}" for name, text in found)
                raise DatabaseError(
                    f"The database has something else named {table.name}, a {kind} with the "
                    f"columns {columns}: it is left alone; rename it, or use another database."
                )
            if found is not None:
                present[table.name] = found
        if present and self.newest_release() is None and any(self._count(t) for t in present):
            raise DatabaseError(
                f"The database has tables named {', '.join(sorted(present))} that no refresh has "
                "made: they are left alone; rename them, or use another database."
            )

    def create_tables(self) -> None:
        for table in tables.ALL:
            key = self.dialect not in ddl.WITHOUT_KEYS
            self._run(ddl.create_table(table, key=key))

    def clear(self, table: Table) -> None:
        self._run(f"DELETE FROM {table.name}")

    def load(self, table: Table, rows: pa.RecordBatchReader) -> None:
        columns = ", ".join(column.name for column in table.columns)
        raised: list[BaseException] = []
        self._connection.register(_STREAM, _watched(rows, raised))
        try:
            self._run(f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM {_STREAM}")
        except DatabaseError:
            if raised:
                raise raised[0] from None
            raise
        finally:
            with contextlib.suppress(duckdb.Error):  # an aborted transaction refuses even that
                self._connection.unregister(_STREAM)

    def insert_release(self, row: Mapping[str, Any]) -> None:
        columns = [column.name for column in tables.RELEASE.columns]
        places = ", ".join("?" for _ in columns)
        self._run(
            f"INSERT INTO {tables.RELEASE.name} ({', '.join(columns)}) VALUES ({places})",
            [row[column] for column in columns],
        )

    def newest_release(self) -> dict[str, Any] | None:
        if self._columns(tables.RELEASE.name) is None:
            return None
        columns = [column.name for column in tables.RELEASE.columns]
        rows = self._run(
            f"SELECT {', '.join(columns)} FROM {tables.RELEASE.name} "
            "ORDER BY finished_at DESC LIMIT 1"
        )
        return dict(zip(columns, rows[0], strict=True)) if rows else None

    def row_counts(self) -> dict[str, int]:
        return {
            name: self._count(table.name) if self._columns(table.name) is not None else 0
            for name, table in tables.CONVERSIONS.items()
        }

    def checksums(self, table: Table) -> dict[str, Sums]:
        rows = self._run(checksums.sql_sums(table, _MICROSECONDS, _DAYS))
        return {zone: (int(count), int(one), int(two)) for zone, count, one, two in rows}

    def disagreements(self) -> list[Disagreement]:
        known = "SELECT lower(name) FROM pg_timezone_names()"
        unknown = self._run(
            f"SELECT DISTINCT time_zone_name FROM {tables.OFFSET.name} "
            f"WHERE lower(time_zone_name) NOT IN ({known}) ORDER BY ALL"
        )
        # CASE, because the function raises for a zone it does not know, wherever it is evaluated
        differing = self._run(
            f"""
            WITH asked AS (
                SELECT time_zone_name, utc_day::TIMESTAMP AS moment, utc_offset_seconds
                FROM {tables.UTC_DAY.name}
                UNION ALL
                SELECT time_zone_name,
                       unnest([changes_at_utc, changes_at_utc - INTERVAL 1 MICROSECOND]),
                       unnest([utc_offset_seconds_after, utc_offset_seconds])
                FROM {tables.UTC_DAY.name} WHERE changes_at_utc IS NOT NULL
            )
            SELECT time_zone_name, min(moment), max(moment) FROM asked
            WHERE CASE WHEN lower(time_zone_name) IN ({known})
                  THEN moment AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name
                       <> moment + to_seconds(utc_offset_seconds) END
            GROUP BY time_zone_name ORDER BY time_zone_name
            """
        )
        return [
            *(Disagreement(zone, None, None) for (zone,) in unknown),
            *(Disagreement(*row) for row in differing),
        ]

    def tidy(self) -> None:
        # Puts the rows of the write-ahead log into the file; another connection may forbid it now.
        with contextlib.suppress(duckdb.Error):
            self._connection.execute("CHECKPOINT")

    def column_types(self) -> dict[str, dict[str, str]]:
        types: dict[str, dict[str, str]] = {}
        for schema, table, column, text, is_current in self._run(
            """
            SELECT schema_name, table_name, column_name, data_type,
                   schema_name = current_schema()
            FROM duckdb_columns()
            WHERE database_name = current_database() AND NOT internal
            ORDER BY column_index
            """
        ):
            types.setdefault(f"{schema}.{table}", {})[column] = text
            if is_current:
                types.setdefault(table, {})[column] = text
        return types

    def session_time_zone(self) -> str:
        return str(self._one("SELECT current_setting('TimeZone')"))

    def set_session_time_zone(self, zone: str) -> None:
        self._run("SET TimeZone = '" + zone.replace("'", "''") + "'")

    def query(self, sql: str) -> Result:
        with _as_error(QueryError, ""):
            statements = self._connection.extract_statements(sql)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                kinds = " and ".join(statement.type.name for statement in statements) or "nothing"
                raise QueryError(f"it is {kinds}, and only a single SELECT is run here")
            names, types, rows, seconds, cpu = self._interruptible(lambda: self._timed(sql))
        renamed = rows.rename_columns([f"c{index}" for index in range(len(names))])
        return Result(names, types, renamed, seconds, cpu)

    def _timed(self, sql: str) -> tuple[tuple[str, ...], tuple[str, ...], pa.Table, float, float]:
        began, began_cpu = time.perf_counter(), time.process_time()
        relation = self._connection.sql(sql)
        names, types = tuple(relation.columns), tuple(map(str, relation.types))
        if any(map(_NOT_IN_ARROW.search, types)):
            relation = relation.project(", ".join(_fetched(types)))
        rows = relation.to_arrow_table()
        seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
        return names, types, rows, seconds, cpu

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC).replace(tzinfo=None)

    def _columns(self, table: str) -> list[tuple[str, str]] | None:
        # DuckDB keeps the case of a name and finds it by any: TIME_ZONE_... is the same table
        rows = self._run(
            "SELECT lower(column_name), data_type FROM duckdb_columns() "
            "WHERE lower(table_name) = ? AND schema_name = current_schema() "
            "AND database_name = current_database() ORDER BY column_index",
            [table],
        )
        return rows or None

    def _is_view(self, name: str) -> bool:
        return bool(
            self._run(
                "SELECT 1 FROM duckdb_views() WHERE lower(view_name) = ? "
                "AND schema_name = current_schema() AND database_name = current_database()",
                [name],
            )
        )

    def _count(self, table: str) -> int:
        return int(self._one(f"SELECT count(*) FROM {table}"))

    def _one(self, sql: str) -> Any:
        return self._run(sql)[0][0]

    def _run(self, sql: str, values: list[Any] | None = None) -> list[Any]:
        with _as_error(DatabaseError, "DuckDB refused it: "):
            return self._interruptible(lambda: self._connection.execute(sql, values).fetchall())

    def _interruptible(self, call: Callable[[], T]) -> T:
        """Run the call in a thread, so that a Ctrl-C stops it at once.

        DuckDB looks for signals only between its tasks, and one task may take minutes.
        """
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            running = thread.submit(call)
            try:
                return running.result()
            except KeyboardInterrupt:
                self._connection.interrupt()
                raise


def _type(column: Column) -> str:
    text = column.type.upper()
    return text if column.type not in ("name", "text") else "VARCHAR"


def _fetched(types: tuple[str, ...]) -> Iterator[str]:
    for place, text in enumerate(types, 1):
        yield f"CAST(#{place} AS VARCHAR)" if _NOT_IN_ARROW.search(text) else f"#{place}"


def _watched(rows: pa.RecordBatchReader, raised: list[BaseException]) -> pa.RecordBatchReader:
    """The same stream; what it raises is kept, because DuckDB makes its own error of it."""

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            yield from rows
        except BaseException as error:
            raised.append(error)
            raise

    return pa.RecordBatchReader.from_batches(rows.schema, batches())


@contextlib.contextmanager
def _as_error(kind: type[DatabaseError], prefix: str) -> Iterator[None]:
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        said = prefix + _first_lines(str(error))
        if isinstance(error, duckdb.TransactionException) and "onflict" in said:
            said += " Another connection is at work on it: try again."
        raise kind(said) from error


def _check_file(path: Path, read_only: bool) -> None:
    """Errors that DuckDB words badly; it takes a SQLite file for a reason to go online."""
    try:
        if path.is_dir():
            raise DatabaseError(f"{path}: is a folder: name a file in it.")
        if path.exists():
            with path.open("rb") as file:
                if file.read(12)[8:] != b"DUCK":
                    raise DatabaseError(f"{path}: is not a DuckDB file: check the URL.")
        elif read_only:
            raise DatabaseError(
                f"{path}: no such file: make it with tzconv refresh, or check the URL."
            )
        elif not path.parent.is_dir():
            raise DatabaseError(f"{path.parent}: no such folder: create it, or check the URL.")
    except OSError as error:
        raise DatabaseError(f"{path}: cannot be opened: {error.strerror}.") from error


def _opening(path: str, message: str) -> str:
    if "Could not set lock" in message:
        found = re.search(r"PID (\d+)", message)
        who = f"process {found[1]}" if found else "another process"
        return f"{path}: is in use by {who}: wait until it is closed there, or use another file."
    if "different configuration" in message:
        return f"{path}: is open in this program in another mode: close that connection first."
    return f"{path}: cannot be opened: {_first_lines(message)}"


def _first_lines(message: str) -> str:
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    return " ".join(lines[:2])

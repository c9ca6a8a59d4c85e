"""DuckDB, the embedded default: a file, or memory."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import duckdb
import pyarrow as pa

from tzconv import checksums, tables
from tzconv.backends import ddl
from tzconv.backends.base import Disagreement, Result
from tzconv.checksums import Sums
from tzconv.errors import DatabaseError, QueryError
from tzconv.tables import Table

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_SECONDS = "epoch_us({column}) // 1000000"
_DAYS = "date_diff('day', DATE '1970-01-01', {column})"
_STREAM = "tzconv_stream"


def connect(url: URL, read_only: bool) -> DuckDB:
    """Open the file of a ``duckdb:///FILE`` URL; ``duckdb:///:memory:`` is a new one in memory."""
    path = url.database
    if not path:
        raise DatabaseError(
            "The URL names no file: write duckdb:///FILE, or duckdb:///:memory: for a database that "
            "ends with this process."
        )
    try:
        connection = duckdb.connect(path, read_only=read_only and path != ":memory:")
    except duckdb.Error as error:
        raise DatabaseError(_opening(path, str(error))) from error
    connection.execute("SET enable_progress_bar = false")
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
    def transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            # DuckDB ends a transaction by itself after some errors; closing undoes it in any case
            with contextlib.suppress(duckdb.Error):
                self._connection.execute("ROLLBACK")
            raise
        with _as_database_error():
            self._connection.execute("COMMIT")

    def check_ours(self) -> None:
        present = {
            table.name: columns
            for table in tables.ALL
            if (columns := self._columns(table.name)) is not None
        }
        for table in tables.ALL:
            wanted = [column.name for column in table.columns]
            if table.name in present and present[table.name] != wanted:
                raise DatabaseError(
                    f"The database has something else named {table.name}, with the columns "
                    f"{', '.join(present[table.name])}: it is left alone; rename it, or use "
                    "another database."
                )
        if present and self.newest_release() is None and any(self._count(t) for t in present):
            raise DatabaseError(
                f"The database has tables named {', '.join(sorted(present))} that no refresh has "
                "made: they are left alone; rename them, or use another database."
            )

    def create_tables(self) -> None:
        for table in tables.ALL:
            key = self.dialect not in ddl.WITHOUT_KEYS
            self._connection.execute(ddl.create_table(table, key=key))

    def clear(self, table: Table) -> None:
        with _as_database_error():
            self._connection.execute(f"DELETE FROM {table.name}")

    def load(self, table: Table, rows: pa.RecordBatchReader) -> None:
        columns = ", ".join(column.name for column in table.columns)
        raised: list[BaseException] = []
        self._connection.register(_STREAM, _watched(rows, raised))
        try:
            with _as_database_error():
                self._connection.execute(
                    f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM {_STREAM}"
                )
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
        self._connection.execute(
            f"INSERT INTO {tables.RELEASE.name} ({', '.join(columns)}) VALUES ({places})",
            [row[column] for column in columns],
        )

    def newest_release(self) -> dict[str, Any] | None:
        if self._columns(tables.RELEASE.name) is None:
            return None
        columns = [column.name for column in tables.RELEASE.columns]
        rows = self._connection.execute(
            f"SELECT {', '.join(columns)} FROM {tables.RELEASE.name} "
            "ORDER BY finished_at DESC LIMIT 1"
        ).fetchall()
        return dict(zip(columns, rows[0], strict=True)) if rows else None

    def row_counts(self) -> dict[str, int]:
        return {
            name: self._count(table.name) if self._columns(table.name) is not None else 0
            for name, table in tables.CONVERSIONS.items()
        }

    def zone_names(self) -> frozenset[str]:
        names = self._connection.execute(
            f"SELECT DISTINCT time_zone_name FROM {tables.OFFSET.name}"
        ).fetchall()
        return frozenset(name for (name,) in names)

    def checksums(self, table: Table) -> dict[str, Sums]:
        number = checksums.sql_terms(table, _SECONDS, _DAYS)
        rows = self._rows(
            f"SELECT time_zone_name, count(*), sum(n), sum(n * n % {checksums.PRIME}) "
            f"FROM (SELECT time_zone_name, {number} AS n FROM {table.name}) GROUP BY ALL"
        )
        return {zone: (int(count), int(one), int(two)) for zone, count, one, two in rows}

    def disagreements(self) -> list[Disagreement]:
        known = "SELECT lower(name) FROM pg_timezone_names()"
        unknown = self._rows(
            f"SELECT DISTINCT time_zone_name FROM {tables.OFFSET.name} "
            f"WHERE lower(time_zone_name) NOT IN ({known}) ORDER BY ALL"
        )
        # CASE, because the function raises for a zone it does not know, wherever it is evaluated
        differing = self._rows(
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
        for schema, table, column, text, is_current in self._connection.execute(
            """
            SELECT schema_name, table_name, column_name, data_type,
                   schema_name = current_schema()
            FROM duckdb_columns()
            WHERE database_name = current_database() AND NOT internal
            ORDER BY column_index
            """
        ).fetchall():
            types.setdefault(f"{schema}.{table}", {})[column] = text
            if is_current:
                types.setdefault(table, {})[column] = text
        return types

    def session_time_zone(self) -> str:
        return str(self._one("SELECT current_setting('TimeZone')"))

    def query(self, sql: str) -> Result:
        try:
            began, began_cpu = time.perf_counter(), time.process_time()
            with _interruptible():
                relation = self._connection.sql(sql)
                if relation is None:
                    raise QueryError("it is not a query: it returns no rows")
                rows: pa.Table = relation.to_arrow_table()
            seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
            description = relation.description or []
        except duckdb.Error as error:
            raise QueryError(_first_lines(str(error))) from error
        names = tuple(str(column[0]) for column in description)
        types = tuple(str(column[1]) for column in description)
        renamed = rows.rename_columns([f"c{index}" for index in range(len(names))])
        return Result(names, types, renamed, seconds, cpu)

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC).replace(tzinfo=None)

    def _columns(self, table: str) -> list[str] | None:
        rows = self._connection.execute(
            "SELECT column_name FROM duckdb_columns() WHERE table_name = ? "
            "AND schema_name = current_schema() AND database_name = current_database() "
            "ORDER BY column_index",
            [table],
        ).fetchall()
        return [name for (name,) in rows] or None

    def _count(self, table: str) -> int:
        return int(self._one(f"SELECT count(*) FROM {table}"))

    def _one(self, sql: str) -> Any:
        return self._rows(sql)[0][0]

    def _rows(self, sql: str) -> list[Any]:
        with _as_database_error():
            return self._connection.execute(sql).fetchall()


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
def _interruptible() -> Iterator[None]:
    """Ctrl-C while DuckDB works reaches Python as an error of DuckDB's, or as a RuntimeError."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


@contextlib.contextmanager
def _as_database_error() -> Iterator[None]:
    try:
        with _interruptible():
            yield
    except duckdb.Error as error:
        raise DatabaseError(f"DuckDB refused it: {_first_lines(str(error))}") from error


def _opening(path: str, message: str) -> str:
    if "lock" in message:
        found = re.search(r"PID (\d+)", message)
        who = f"process {found[1]}" if found else "another process"
        return f"{path}: is in use by {who}: wait until it is closed there, or use another file."
    if "does not exist" in message:
        return f"{path}: no such file: make it with tzconv refresh, or check the URL."
    if "not a valid DuckDB" in message:
        return f"{path}: is not a DuckDB file: check the URL."
    return f"{path}: cannot be opened: {_first_lines(message)}"


def _first_lines(message: str) -> str:
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    return " ".join(lines[:2])

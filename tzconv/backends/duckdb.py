"""DuckDB, the embedded default: a file, or memory."""

from __future__ import annotations

import concurrent.futures
import contextlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv import tables
from tzconv.backends import catalog
from tzconv.backends import duckdb_files as files
from tzconv.backends.base import Product, Result
from tzconv.backends.sql import PLACE, SqlBackend, literal, missing_schema
from tzconv.checksums import BEFORE_1970, FRACTION_WEIGHT
from tzconv.errors import DatabaseError, QueryError
from tzconv.posix import Int64
from tzconv.tables import Column, Table

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

T = TypeVar("T")

_MICROSECONDS = f"(epoch_us({{column}}) + {BEFORE_1970}000000)"
_LOOK_AGAIN_SECONDS = 0.2
_MEMORY_TO_LOAD = "160MB"
_STREAM = "tzconv_stream"
_NOT_IN_ARROW = re.compile(r"\b(TIME WITH TIME ZONE|INTERVAL|UHUGEINT|BIT)\b")
"""Types that Arrow alters on the way: it drops the offset of a time, wraps long intervals round."""

_BYTES_PER_ROW = {"daily": 6.0, "hourly": 4.5, "offset": 25.0, "utc_day": 3.0}


def connect(
    url: URL, *, read_only: bool = False, schema: str | None = None, lock_timeout: float = 0
) -> DuckDB:
    """Open the file of a ``duckdb:///FILE`` URL; ``duckdb:///:memory:`` is a new one in memory.

    A file that another process has open is tried again for ``lock_timeout`` seconds.
    """
    path = url.database
    if not path or url.host or url.username or url.query:
        # a part that is not used must not pass in silence: duckdb://tz.duckdb would open memory
        raise DatabaseError(
            "A DuckDB URL is duckdb:///FILE, duckdb:////absolute/FILE or duckdb:///:memory:, "
            "without host, user or options."
        )
    if path != ":memory:":
        files.check(Path(path), read_only)
    until = time.monotonic() + lock_timeout
    while True:
        try:
            connection = duckdb.connect(path, read_only=read_only and path != ":memory:")
            break
        except duckdb.Error as error:
            if not files.is_locked(error) or time.monotonic() >= until:
                raise DatabaseError(files.cannot_open(path, error)) from error
            time.sleep(_LOOK_AGAIN_SECONDS)
    # a query must not find the variables of this program as tables
    connection.execute("SET enable_progress_bar = false; SET python_enable_replacements = false")
    return DuckDB(connection, schema)


class DuckDB(SqlBackend):
    """An open DuckDB database."""

    dialect = "duckdb"
    bytes_per_row: Mapping[str, float] | None = _BYTES_PER_ROW
    seconds = f"({_MICROSECONDS} // 1000000 + {_MICROSECONDS} % 1000000 * {FRACTION_WEIGHT})"
    days = "date_diff('day', DATE '1970-01-01', {column})"

    def __init__(self, connection: duckdb.DuckDBPyConnection, schema: str | None = None) -> None:
        self._connection = connection
        self.schema = schema

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._connection.close()

    def product(self) -> Product:
        return Product("DuckDB", duckdb.__version__)

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

    def lock(self) -> None:
        """Nothing to wait for: DuckDB lets one process open a file for writing."""

    def check_ours(self) -> None:
        if self.schema and not self._run(
            "SELECT 1 FROM duckdb_schemas() WHERE schema_name = " + PLACE, [self.schema]
        ):
            raise DatabaseError(missing_schema(self.schema))
        super().check_ours()

    def delete_runs(self, table: Table, runs: pa.Table) -> None:
        key = table.key[1]
        with self._registered(runs):
            self._run(
                f"DELETE FROM {self.name(table.name)} USING {_STREAM} AS run "
                f"WHERE time_zone_name = run.zone AND {key} BETWEEN run.first AND run.last"
            )

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        columns = ", ".join(column.name for column in table.columns)
        raised: list[BaseException] = []
        try:
            with (
                self._any_order(),  # first, because it counts the connections
                self._little_memory(),
                self._registered(_watched(rows, raised)),
            ):
                self._run(
                    f"INSERT INTO {self.name(table.name)} ({columns}) "
                    f"SELECT {columns} FROM {_STREAM}"
                )
        except DatabaseError:
            if raised:
                raise raised[0] from None
            raise

    @contextlib.contextmanager
    def _little_memory(self) -> Iterator[None]:
        """Let go of what is written: DuckDB would keep all of it, though nobody reads it soon."""
        path, limit = self._run(
            "SELECT path, current_setting('memory_limit') FROM duckdb_databases() "
            "WHERE database_name = current_database()"
        )[0]
        number, unit = str(limit).split()
        lower = path is not None and unit in ("GiB", "TiB")
        # beside the transaction, which may refuse everything at the end
        with self._connection.cursor() as beside:
            try:
                if lower:
                    with contextlib.suppress(duckdb.Error):  # others here may hold more than that
                        beside.execute(f"SET memory_limit = '{_MEMORY_TO_LOAD}'")
                yield
            finally:
                if lower:  # what it shows is cut off after one place, and must not shrink
                    beside.execute(f"SET memory_limit = '{float(number) + 0.05} {unit}'")

    @contextlib.contextmanager
    def _any_order(self) -> Iterator[None]:
        """Let threads write the rows as they come: to keep their order takes half as long again."""
        alone, kept = self._run(
            "SELECT (SELECT any_value(count) FROM duckdb_connection_count()) = 1, "
            "current_setting('preserve_insertion_order')"
        )[0]
        # it holds for the whole process: somebody else in it may rely on the order
        if not (alone and kept):
            yield
            return
        with self._connection.cursor() as beside:
            beside.execute("SET preserve_insertion_order = false")
            try:
                yield
            finally:
                beside.execute("SET preserve_insertion_order = true")

    def offset_rows(self) -> pa.Table:
        columns = ", ".join(column.name for column in tables.OFFSET.columns)
        order = ", ".join(tables.OFFSET.key)
        sql = f"SELECT {columns} FROM {self.name(tables.OFFSET.name)} ORDER BY {order}"
        return self._arrow(sql)

    def sizes(self) -> dict[str, int]:
        found = {}
        for name, table in tables.CONVERSIONS.items():
            if self._columns(table.name) is not None:
                found[name] = self._one(
                    "SELECT count(DISTINCT block_id) * any_value(size) FROM pragma_storage_info("
                    f"{literal(self.name(table.name))}), (SELECT block_size AS size "
                    "FROM pragma_database_size() WHERE database_name = current_database()) "
                    "WHERE persistent"
                )
        return {name: int(size or 0) for name, size in found.items()}

    def zone_names(self, asked: Iterable[str]) -> frozenset[str]:
        return frozenset(
            name for (name,) in self._run("SELECT lower(name) FROM pg_timezone_names()")
        )

    def abbreviations(self) -> frozenset[str]:
        return frozenset()  # DuckDB reads CET as the IANA zone of that name

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        zone, utc = "names[place + 1]", "'UTC'"
        one, two = (zone, utc) if to_utc else (utc, zone)
        asked = pa.table(
            {"n": np.arange(len(times)), "place": places, "moment": times.view("M8[us]")}
        )
        with self._registered(asked):
            answers = self._arrow(
                f"SELECT epoch_us(moment AT TIME ZONE {one} AT TIME ZONE {two}) AS answer "
                f"FROM {_STREAM}, (SELECT [{', '.join(map(literal, names))}] AS names) "
                "ORDER BY n"
            )
        found: Int64 = answers.column("answer").to_numpy()
        return found

    def tidy(self) -> None:
        # Puts the rows of the write-ahead log into the file; another connection may forbid it now.
        with contextlib.suppress(duckdb.Error):
            self._connection.execute("CHECKPOINT")

    def column_types(self) -> dict[str, dict[str, str]]:
        return catalog.types_by_name(self._run(catalog.COLUMNS["duckdb"]))

    def session_time_zone(self) -> str:
        return str(self._one("SELECT current_setting('TimeZone')"))

    def set_session_time_zone(self, zone: str) -> None:
        self._run(f"SET TimeZone = {literal(zone)}")

    def query(self, sql: str) -> Result:
        with _as_error(QueryError, ""):
            statements = self._connection.extract_statements(sql)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                kinds = " and ".join(statement.type.name for statement in statements) or "nothing"
                raise QueryError(f"it is {kinds}, and only a single SELECT is run here")
            names, types, rows, seconds, cpu = self._interruptible(lambda: self._timed(sql))
        renamed = rows.rename_columns([f"c{index}" for index in range(len(names))])
        return Result(names, types, renamed, seconds, cpu)

    def interrupt(self) -> None:
        self._connection.interrupt()

    def _timed(self, sql: str) -> tuple[tuple[str, ...], tuple[str, ...], pa.Table, float, float]:
        began, began_cpu = time.perf_counter(), time.process_time()
        relation = self._connection.sql(sql)
        names, types = tuple(relation.columns), tuple(map(str, relation.types))
        if any(map(_NOT_IN_ARROW.search, types)):
            relation = relation.project(", ".join(_fetched(types)))
        rows = relation.to_arrow_table()
        seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
        return names, types, rows, seconds, cpu

    def _columns(self, table: str) -> list[tuple[str, str]] | None:
        # DuckDB keeps the case of a name and finds it by any: TIME_ZONE_... is the same table
        rows = self._run(
            "SELECT lower(column_name), data_type FROM duckdb_columns() "
            f"WHERE lower(table_name) = {PLACE} AND schema_name = "
            f"coalesce({PLACE}, current_schema()) "
            "AND database_name = current_database() ORDER BY column_index",
            [table, self.schema],
        )
        return rows or None

    def _kind(self, table: str) -> str:
        found = self._run(
            f"SELECT 1 FROM duckdb_views() WHERE lower(view_name) = {PLACE} AND schema_name = "
            f"coalesce({PLACE}, current_schema()) AND database_name = current_database()",
            [table, self.schema],
        )
        return "view" if found else "table"

    def _type(self, column: Column) -> str:
        return "VARCHAR" if column.type in ("name", "text") else column.type.upper()

    def _run(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        text = sql.replace(PLACE, "?")
        with _as_error(DatabaseError, "DuckDB refused it: "):
            return self._interruptible(
                lambda: self._connection.execute(text, list(values) or None).fetchall()
            )

    def _arrow(self, sql: str) -> pa.Table:
        with _as_error(DatabaseError, "DuckDB refused it: "):
            return self._interruptible(lambda: self._connection.sql(sql).to_arrow_table())

    @contextlib.contextmanager
    def _registered(self, rows: pa.Table | pa.RecordBatchReader) -> Iterator[None]:
        self._connection.register(_STREAM, rows)
        try:
            yield
        finally:
            with contextlib.suppress(duckdb.Error):  # an aborted transaction refuses even that
                self._connection.unregister(_STREAM)

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
        said = prefix + files.first_lines(str(error))
        if isinstance(error, duckdb.TransactionException) and "onflict" in said:
            said += " Another connection is at work on it: try again."
        if isinstance(error, duckdb.IOException) and "write" in said:
            said += ": free some space, or load less with --zones or --tables."
        raise kind(said) from error

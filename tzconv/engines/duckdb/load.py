"""The backend of DuckDB, the embedded default: a file, or memory."""

from __future__ import annotations

import concurrent.futures
import contextlib
import datetime as dt
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv import tables
from tzconv.engines.alchemy import Alchemy
from tzconv.engines.backend import Backend, Result, numbered
from tzconv.engines.contents import Contents, StoredObjects
from tzconv.engines.duckdb import ddl, errors
from tzconv.engines.duckdb.alchemy import ALCHEMY
from tzconv.engines.duckdb.contents import DuckDBContents
from tzconv.engines.locks import attempts
from tzconv.engines.shapes import ColumnList, by_table
from tzconv.errors import DatabaseError, QueryError
from tzconv.sql.text import constant, identifier, literal
from tzconv.tables import Table, arrow
from tzconv.tables.checksums import BEFORE_1970, FRACTION_WEIGHT
from tzconv.tz.posix import Int64

if TYPE_CHECKING:
    from sqlalchemy.engine import URL


T = TypeVar("T")
_NOTHING = contextlib.nullcontext()

_MICROSECONDS = (
    "(CASE WHEN {column} NOT BETWEEN '0001-12-31 (BC)' AND '10000-01-02' THEN 0 "
    f"ELSE epoch_us({{column}}) + {BEFORE_1970}000000 END)"
)
_STREAM = "tzconv_stream"
_BYTES_PER_ROW = {"daily": 4.0, "hourly": 4.1, "offset": 45.0, "zone": 877.0, "period": 26.4}
_ORDERS = {tables.DAILY: "ORDER BY day_starts_at_utc", tables.PERIOD: "ORDER BY zone_period"}
"""By time, so that a filter on it reads few of the rows. Zones with the same days are side by side
then, and DuckDB writes the times of a day once for all of them: 4 bytes a row in place of 23."""
_OUTSIDE = ("autoinstall_known_extensions", "autoload_known_extensions", "enable_external_access")
"""Settings that let a query read files, write them, and load code from the network."""
_PLACE = "SELECT system.main.current_database(), system.main.current_schema()"
_NOT_IN_ARROW = re.compile(r"\b(TIME WITH TIME ZONE|INTERVAL|UHUGEINT|BIT)\b")
"""Types that Arrow changes: it drops the offset of a time, and long intervals overflow."""


def connect(url: URL, *, read_only: bool, schema: str | None, lock_timeout: float) -> DuckDB:
    """Open the file of a ``duckdb:///FILE`` URL; ``duckdb:///:memory:`` is a new one in memory.

    A file that another process has open is tried again for ``lock_timeout`` seconds.
    """
    path = url.database
    if not path or url.host or url.username or url.query:
        # no part is ignored silently: duckdb://tz.duckdb would open memory
        is_file = url.host and not (path or url.username or url.query)
        meant = f": did you mean duckdb:///{url.host}?" if is_file else "."
        raise DatabaseError(
            "A DuckDB URL is duckdb:///FILE, duckdb:////absolute/FILE or duckdb:///:memory:, "
            f"without host, user or options{meant}"
        )
    if path != ":memory:":
        errors.check_file(Path(path), read_only)
    for is_last in attempts(lock_timeout):
        try:
            connection = duckdb.connect(path, read_only=read_only and path != ":memory:")
            # a query must not find the variables of this program as tables
            connection.execute(
                "SET enable_progress_bar = false; SET python_enable_replacements = false"
            )
            [(database, place)] = connection.execute(_PLACE).fetchall()
            break
        except duckdb.Error as error:
            if is_last or errors.LOCKED not in str(error):
                raise errors.cannot_open(path, error) from error
    file = None if path == ":memory:" else path
    return DuckDB(connection, schema, database, place, file, read_only)


class DuckDB(Backend):
    """An open DuckDB database."""

    dialect = "duckdb"
    alchemy: ClassVar[type[Alchemy]] = ALCHEMY
    default_tables: tuple[str, ...] = ("daily", "offset", "zone", "period")
    bytes_per_row: Mapping[str, float] | None = _BYTES_PER_ROW
    seconds = f"({_MICROSECONDS} // 1000000 + {_MICROSECONDS} % 1000000 * {FRACTION_WEIGHT})"
    _create_table = staticmethod(ddl.create_table)
    type_names: ClassVar[Mapping[tables.ColumnType, str]] = {"name": "varchar", "text": "varchar"}
    days = "date_diff('day', DATE '1970-01-01', {column})"
    snapshot = "TRANSACTION READ ONLY"
    other_zones = r"(?i:UTC|GMT)[+-]\d[\d:]*"

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        schema: str | None = None,
        database: str = "memory",
        place: str = "main",
        file: str | None = None,
        read_only: bool = False,
    ) -> None:
        self._connection = connection
        self._database, self._place = database, place
        self._path_of_user: str | None = None
        """The search path to go back to, while that of our own statements is set."""
        self.schema = schema
        self._read_only = read_only
        self._heartbeat = file and Path(f"{file}.checked")
        """Beside the file: where a refresh notes that it looked while others read the file."""
        self._thread = concurrent.futures.ThreadPoolExecutor(1)
        self._thread.submit(lambda: None)  # a Ctrl-C while it starts would lose it

    def __exit__(self, *exception: object) -> None:
        self._thread.shutdown()
        self._connection.close()

    def current_schema(self) -> str | None:
        return self._place

    def product(self) -> str:
        return f"DuckDB {duckdb.__version__}"

    def newest_release(self) -> dict[str, Any] | None:
        release = super().newest_release()
        if release and self._heartbeat:
            with contextlib.suppress(OSError, ValueError):
                finished, looked = map(
                    dt.datetime.fromisoformat, self._heartbeat.read_text().split()
                )
                if finished == release["finished_at"]:
                    release["last_checked_at"] = max(looked, release["last_checked_at"] or finished)
        return release

    def check_in(self, release: Mapping[str, Any]) -> None:
        if not (self._read_only and self._heartbeat):
            super().check_in(release)
            return
        note = f"{release['finished_at'].isoformat()} {self.now().isoformat()}\n"
        with contextlib.suppress(OSError):  # the next run writes it into the table
            self._heartbeat.write_text(note)

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        columns = ", ".join(column.name for column in table.columns)
        order = _ORDERS.get(table, "")
        raised: list[BaseException] = []

        def watched() -> Generator[pa.RecordBatch, None, None]:
            try:
                yield from rows
            except BaseException as error:  # DuckDB raises its own instead
                if not isinstance(error, GeneratorExit):  # closed by its reader
                    raised.append(error)
                raise

        batches = watched()
        stream = pa.RecordBatchReader.from_batches(rows.schema, batches)
        try:
            with (
                # an interrupted DuckDB keeps the stream, and with it all that the batches refer to
                errors.closing(batches),
                _NOTHING if order else self._any_order(),
                # a sort needs more for each thread, and for each run that it merges
                _NOTHING if order else self._little_memory(),
                self._registered(stream),
            ):
                self._run(
                    f"INSERT INTO {self.name(table.name)} ({columns}) "
                    f"SELECT {columns} FROM {_STREAM} {order}"
                )
        except DatabaseError:
            if raised:
                raise raised[0] from None
            raise

    @contextlib.contextmanager
    def _any_order(self) -> Iterator[None]:
        """Let threads write rows as they come: keeping their order takes half as long again."""
        alone, kept = self._run(
            "SELECT any_value(count) = 1, current_setting('preserve_insertion_order') "
            "FROM duckdb_connection_count()"
        )[0]
        # the setting is the whole process's: another connection may rely on the order
        with self._set("preserve_insertion_order", "false", "true") if alone and kept else _NOTHING:
            yield

    @contextlib.contextmanager
    def _little_memory(self) -> Iterator[None]:
        """Limit the memory: DuckDB would keep all rows in it, though nobody reads them soon."""
        path, limit, threads = self._run(
            "SELECT path, current_setting('memory_limit'), current_setting('threads') "
            f"FROM duckdb_databases() WHERE database_name = {literal(self._database)}"
        )[0]
        number, unit = str(limit).split()
        if path is None or unit not in ("GiB", "TiB"):
            yield
            return
        # DuckDB shows one decimal place, cut off; the limit must not shrink
        after = f"'{float(number) + 0.05} {unit}'"
        # each thread writes rows of its own; never more than now
        little = min(max(96, 8 * int(threads)), int(float(number) * 1_000))
        with self._set("memory_limit", f"'{little}MB'", after):
            yield

    @contextlib.contextmanager
    def _set(self, setting: str, before: str, after: str) -> Iterator[None]:
        # outside of the transaction, which refuses every statement once it has failed
        def run(value: str) -> None:
            with self._connection.cursor() as outside:  # and closed: `_any_order` counts it
                self._interruptible(partial(outside.execute, f"SET {setting} = {value}"))

        with contextlib.ExitStack() as restored:
            restored.callback(run, after)
            with contextlib.suppress(duckdb.Error):  # other connections may hold more memory
                run(before)
            yield

    def _size(self, table: str) -> str:
        return (
            "SELECT count(DISTINCT block_id) * any_value(size) FROM pragma_storage_info("
            f"{literal(self.name(table))}), (SELECT block_size AS size "
            f"FROM pragma_database_size() WHERE database_name = {literal(self._database)}) "
            "WHERE persistent"
        )

    def abbreviations(self) -> frozenset[str]:
        return frozenset()  # DuckDB reads CET as the IANA zone of that name

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        zone, utc = "names[place + 1]", "'UTC'"
        one, two = (zone, utc) if to_utc else (utc, zone)
        questions = pa.table(
            {
                "n": arrow.array_of(np.arange(len(times)), pa.int64()),
                "place": arrow.array_of(places, pa.int32()),
                "moment": arrow.array_of(times.view("M8[us]"), pa.timestamp("us")),
            }
        )
        sql = (
            f"SELECT epoch_us(moment AT TIME ZONE {one} AT TIME ZONE {two}) AS answer FROM "
            f"{_STREAM}, (SELECT [{', '.join(map(literal, names))}] AS names) ORDER BY n"
        )
        with self._registered(questions), errors.as_error(DatabaseError, errors.PREFIX):
            answers = self._interruptible(lambda: self._own().sql(sql).to_arrow_table())
        parts = [arrow.values_of(batch.column(0)) for batch in answers.to_batches()]
        return np.concatenate([np.empty(0, np.int64), *parts])

    def tidy(self) -> None:
        # Puts the rows of the write-ahead log into the file; another connection may forbid it now.
        with contextlib.suppress(duckdb.Error):
            self._on_path_of_user(lambda: self._connection.execute("CHECKPOINT"))

    def stored_objects(self) -> StoredObjects | None:
        from tzconv.engines.duckdb import stored  # with sqlglot, which a refresh does not need

        return stored.read(self._named)

    def contents(self) -> Contents:
        return DuckDBContents(self._named)

    def _named(self, sql: str) -> list[Any]:
        """Run a statement that finds the user's tables and names the system's functions."""
        with errors.as_error(DatabaseError, errors.PREFIX):
            return self._on_path_of_user(lambda: self._connection.execute(sql).fetchall())

    def query(self, sql: str) -> Result:
        with errors.as_error(QueryError, ""):
            statements = self._connection.extract_statements(sql)
            kinds = " and ".join(statement.type.name for statement in statements) or "nothing"
            if kinds != "SELECT":
                raise QueryError(f"it is {kinds}, and only a single SELECT is run here")
            return self._on_path_of_user(lambda: self._timed(sql))

    def confine(self) -> None:
        # for good, and for every connection of this process to the file: not to those of others
        if self._one("SELECT any_value(count) FROM duckdb_connection_count()") == 1:
            for setting in _OUTSIDE:
                self._run(f"SET {setting} = false")

    @contextlib.contextmanager
    def _as_user(self) -> Iterator[Alchemy]:
        self._on_path_of_user(lambda: None)
        yield self.alchemy(self._connection, self._named)

    def interrupt(self) -> None:
        self._connection.interrupt()

    def _timed(self, sql: str) -> Result:
        began, began_cpu = time.perf_counter(), time.process_time()
        relation = self._connection.sql(sql)
        names, types = tuple(relation.columns), tuple(map(str, relation.types))
        if any(map(_NOT_IN_ARROW.search, types)):
            relation = relation.project(
                ", ".join(
                    f"CAST(#{place} AS VARCHAR)" if _NOT_IN_ARROW.search(text) else f"#{place}"
                    for place, text in enumerate(types, 1)
                )
            )
        rows = relation.to_arrow_table()
        spent = time.perf_counter() - began, time.process_time() - began_cpu
        return Result(names, types, numbered(rows.columns), *spent)

    def name(self, table: str) -> str:
        # a schema alone is looked for in the first catalog of the path
        own = super().name(table)
        return own if self.schema is None else f"{identifier(self._database)}.{own}"

    def _has_schema(self) -> bool:
        known = f"SELECT 1 FROM duckdb_schemas() WHERE schema_name = {constant(self.schema)}"
        return self.schema is None or bool(self._run(known))

    def _columns(self, names: Iterable[str]) -> dict[str, ColumnList]:
        # DuckDB keeps the case of a name and finds it by any: TIME_ZONE_... is the same table
        rows = self._run(
            "SELECT lower(table_name), lower(column_name), data_type FROM duckdb_columns() "
            f"WHERE NOT internal AND lower(table_name) IN ({', '.join(map(literal, names))}) "
            f"AND {self._in_schema()} ORDER BY column_index"
        )
        return by_table(rows)

    def _kind(self, table: str) -> str:
        view = f"lower(view_name) = {literal(table)} AND {self._in_schema()}"
        return "view" if self._run(f"SELECT 1 FROM duckdb_views() WHERE {view}") else "table"

    def _in_schema(self) -> str:
        schema = f"schema_name = {literal(self.schema or self._place)}"
        return f"{schema} AND database_name = {literal(self._database)}"

    def _run(self, sql: str) -> list[Any]:
        with errors.as_error(DatabaseError, errors.PREFIX):
            return self._interruptible(lambda: self._own().execute(sql).fetchall())

    def _own(self) -> duckdb.DuckDBPyConnection:
        """The connection with a path on which no macro of the user's is found first."""
        if self._path_of_user is None:
            with contextlib.suppress(duckdb.Error):  # an aborted transaction takes only ROLLBACK
                path = "SELECT system.main.current_setting('search_path')"
                shown = self._connection.execute(path).fetchall()[0][0]
                place = f"{identifier(self._database)}.{identifier(self._place)}"
                self._set_path(f"system.main,{place}")
                self._path_of_user = str(shown)
        return self._connection

    def _on_path_of_user(self, call: Callable[[], T]) -> T:
        """Call with the search path of the user, in the thread that can be interrupted."""

        def with_path() -> T:
            if self._path_of_user is not None:
                self._set_path(self._path_of_user)
                self._path_of_user = None
            return call()

        return self._interruptible(with_path)

    def _set_path(self, path: str) -> None:
        self._connection.execute(f"SET search_path = {literal(path)}")

    def execute(self, statement: str) -> None:
        self._named(statement)

    def write(self, statement: str) -> int:
        return int(self._named(statement)[0][0])

    @contextlib.contextmanager
    def _registered(self, rows: pa.Table | pa.RecordBatchReader) -> Iterator[None]:
        self._interruptible(lambda: self._connection.register(_STREAM, rows))
        try:
            yield
        finally:
            with contextlib.suppress(duckdb.Error):  # an aborted transaction refuses even that
                self._interruptible(lambda: self._connection.unregister(_STREAM))

    def _interruptible(self, call: Callable[[], T]) -> T:
        """Run the call in a thread, so that a Ctrl-C stops it at once.

        DuckDB looks for signals only between its tasks, and one task may take minutes.
        """
        try:
            return self._thread.submit(call).result()
        except KeyboardInterrupt:
            # the thread runs one call after another, so this one ends after the one to stop,
            # which may not have reached DuckDB yet
            end = self._thread.submit(lambda: None)
            while not end.done():
                self._connection.interrupt()
                concurrent.futures.wait([end], timeout=0.2)  # then again
            raise

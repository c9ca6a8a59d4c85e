"""The backend of Spark: the tables are Parquet files in a folder.

DuckDB writes the files, because they are small; Spark reads each of them back before readers see
them. Spark's own function is compared with the tables.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from tzconv import tables
from tzconv.engines.alchemy import Alchemy, Types
from tzconv.engines.backend import Backend, Result
from tzconv.engines.duckdb.load import DuckDB
from tzconv.engines.spark import sessions
from tzconv.engines.spark.sessions import as_error
from tzconv.engines.spark.warehouse import Warehouse
from tzconv.errors import DatabaseError, QueryError
from tzconv.sql.binder import BoundColumns, NotBoundError
from tzconv.sql.text import literal
from tzconv.tables import checksums
from tzconv.tables.checksums import BEFORE_1970, FRACTION_WEIGHT
from tzconv.tz.posix import Int64

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_DAY = 86_400_000_000
_NAMES = (*(table.name for table in tables.ALL), tables.MIGRATION)
_MICROSECONDS = f"(unix_micros(CAST({{column}} AS TIMESTAMP)) + {BEFORE_1970}000000L)"
_SECONDS = f"({_MICROSECONDS} div 1000000 + {_MICROSECONDS} % 1000000 * {FRACTION_WEIGHT})"
_BYTES_PER_ROW = {"daily": 6.0, "hourly": 4.5, "offset": 12.0, "zone": 20.0, "period": 8.0}
_ABBREVIATIONS = frozenset({"est", "hst", "mst"})
"""IANA names that Java reads as fixed offsets (ZoneId.SHORT_IDS)."""


def connect(url: URL, *, read_only: bool, schema: str | None, lock_timeout: float) -> Spark:
    """Open the folder of a ``spark:///FOLDER?master=MASTER&tables=FOLDER`` URL.

    Spark starts at the first question, with the ``master`` of its own settings by default; a
    session that this process already has is used. ``tables`` is a folder of Parquet files or
    folders, the user's own tables by their names, for a Spark without a catalog.
    """
    unknown = set(url.query) - {"master", "tables"}
    several = [name for name, value in url.query.items() if not isinstance(value, str)]
    if not url.database or url.host or url.username or unknown or several:
        raise DatabaseError(
            "A Spark URL is spark:///FOLDER, optionally with ?master=MASTER and &tables=FOLDER, "
            "without host, user or other options."
        )
    if schema is not None:
        raise DatabaseError("A folder of Parquet files has no schemas: leave --db-schema out.")
    folder = Path("/" + url.database.lstrip("/"))
    if read_only and not folder.is_dir():
        raise DatabaseError(
            f"{folder}: no such folder: make it with tzconv refresh, or check the URL."
        )
    master, own = url.query.get("master"), url.query.get("tables")
    if own and not Path(str(own)).is_dir():
        raise DatabaseError(f"{own}: no such folder of tables: check the URL.")
    return Spark(
        folder,
        master=str(master) if master else None,
        own_tables=str(own) if own else None,
        lock_timeout=lock_timeout,
    )


def attach(session: Any, folder: str | Path) -> str:
    """Make views of the newest tables in a SparkSession; returns the version that they read.

    The views have the names of the tables, and the zones that this Java knows: for the others the
    function fails as it does without the tables. Attach again to read a newer version.
    DatabaseError if the folder has no tables.
    """
    warehouse = Warehouse(Path(folder))
    version = warehouse.current()
    if version is None:
        raise DatabaseError(f"{folder}: holds no conversion tables: run tzconv refresh.")
    known = sorted(sessions.java_zones(session))
    for table in tables.ALL:
        path = warehouse.file(version, table.name)
        if not path.exists():  # written by an older revision
            continue
        frame = session.read.parquet(f"file://{path}")
        if "time_zone_name" in frame.columns:
            frame = frame.where(frame.time_zone_name.isin(known))
        frame.createOrReplaceTempView(table.name)
    return version


class Spark(DuckDB):
    """A folder of tables and the Spark that reads them; see :mod:`tzconv.engines.spark.warehouse`.

    ``session`` is the caller's SparkSession, which stays open; otherwise the backend starts one
    when it needs it. A query finds the newest tables as temporary views.
    """

    dialect = "spark"
    alchemy = Alchemy  # has no estimate of rows
    ddl_dialect = "duckdb"  # its files are those of a DuckDB
    default_tables: tuple[str, ...] = Backend.default_tables
    bytes_per_row: Mapping[str, float] | None = _BYTES_PER_ROW

    def __init__(
        self,
        folder: str | Path,
        *,
        session: Any = None,
        master: str | None = None,
        own_tables: str | Path | None = None,
        lock_timeout: float = 60,
    ) -> None:
        super().__init__(duckdb.connect(":memory:"), None)
        self._warehouse = Warehouse(Path(folder))
        self._session = session
        self._own_session = contextlib.ExitStack()
        self._master = master
        self._own_tables = own_tables
        self._lock_timeout = lock_timeout
        self._viewed: str | None = None
        self._attached: str | None = None
        self._locked = contextlib.ExitStack()
        try:
            self._make_views()
        except DatabaseError:
            self.__exit__()
            raise

    def __exit__(self, *exception: object) -> None:
        self._locked.close()
        super().__exit__(*exception)
        self._own_session.close()

    @property
    def spark(self) -> Any:
        """The session; it starts at the first use."""
        if self._session is None:
            self._session = self._own_session.enter_context(sessions.opened(self._master))
            if self._own_tables is not None:
                self.make_views_of(Path(self._own_tables))
        return self._session

    def make_views_of(self, folder: Path) -> None:
        """Make temporary views of the Parquet files and folders of a folder, by their names."""
        for path in sorted(folder.iterdir()):
            if path.suffix == ".parquet" or any(path.glob("*.parquet")):
                with as_error(DatabaseError):
                    frame = self.spark.read.parquet(f"file://{path.absolute()}")
                    frame.createOrReplaceTempView(path.stem)

    def product(self) -> str:
        return f"Spark {self.spark.version}"

    # -- versions

    @contextlib.contextmanager
    def transaction(self, *, read_only: bool = False) -> Iterator[None]:
        self._make_views()
        if read_only:
            with super().transaction(read_only=True):
                yield
            return
        try:
            with contextlib.ExitStack() as stack:
                with super().transaction():
                    yield
                    version = self._warehouse.following()
                    folder = stack.enter_context(self._warehouse.making(version))
                    self._write(folder)
                    self._read_back(version)
                self._warehouse.publish(version)
        finally:
            self._locked.close()
            self._make_views(again=True)

    def newest_release(self) -> dict[str, Any] | None:
        row = super().newest_release()
        checked = self._warehouse.checked()
        if row is not None and checked is not None:
            row["last_checked_at"] = max(checked, row["finished_at"])
        return row

    def check_in(self, release: Mapping[str, Any]) -> None:
        # a file of its own: a new version would write all tables again
        self._warehouse.check_in(self.now())

    def lock(self) -> None:
        """Wait for the lock, then load the current tables, to change them."""
        self._warehouse.make()
        self._locked.enter_context(self._warehouse.locked(self._lock_timeout))
        self._make("TABLE", self._warehouse.current())

    def tidy(self) -> None:
        with self._warehouse.locked(self._lock_timeout):
            self._warehouse.sweep()

    def sizes(self) -> dict[str, int]:
        version = self._warehouse.current()
        return {
            name: file.stat().st_size
            for name, table in tables.CONVERSIONS.items()
            if version and (file := self._warehouse.file(version, table.name)).exists()
        }

    def _kind(self, table: str) -> str:
        return "table"  # views of the files are the tables here

    def _make_views(self, *, again: bool = False) -> None:
        """Make views of the current version, if it is new."""
        version = self._warehouse.current()
        if again or version != self._viewed:
            self._make("VIEW", version)
            self._viewed = version

    def _make(self, kind: str, version: str | None) -> None:
        """Make tables, or views, of the files of a version."""
        for name in _NAMES:
            # by its full name: the schema of DuckDB's own functions is first in the path
            table = f"memory.main.{name}"
            self._run(f"DROP {super()._kind(name).upper()} IF EXISTS {table}")
            file = None if version is None else self._warehouse.file(version, name)
            if file is not None and file.exists():
                self._run(f"CREATE {kind} {table} AS FROM read_parquet({literal(str(file))})")

    def _write(self, folder: Path) -> None:
        for name in _NAMES:
            (folder / name).mkdir()
            path = literal(str(folder / name / "part-0.parquet"))
            table = next((one for one in tables.ALL if one.name == name), None)
            order = f"ORDER BY {', '.join(table.key)}" if table else ""
            self._run(
                f"COPY (FROM {name} {order}) TO {path} (FORMAT parquet, PARQUET_VERSION v2, "
                "COMPRESSION zstd)"
            )

    def _read_back(self, version: str) -> None:
        """DatabaseError unless Spark reads the rows that were written to the new files."""
        session = self.spark.newSession()  # with its own time zone
        session.conf.set("spark.sql.session.timeZone", "UTC")
        for table in tables.CONVERSIONS.values():
            path = self._warehouse.file(version, table.name)
            source = f"parquet.`file://{path}`"
            sql = checksums.sql_sums(table, source, _SECONDS, "CAST(unix_date({column}) AS BIGINT)")
            with as_error(DatabaseError):
                rows = session.sql(sql).collect()
            there = {row[0]: (int(row[1]), int(row[2]), int(row[3])) for row in rows}
            if there != self.checksums(table):
                raise DatabaseError(
                    f"Spark reads other rows from {path} than were written: nothing was changed; "
                    "check that all executors find that folder under this path."
                )

    def interrupt(self) -> None:
        if self._session is not None:
            self._session.sparkContext.cancelAllJobs()
        super().interrupt()

    # -- Spark's own time zones

    def zone_names(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(name.lower() for name in sessions.java_zones(self.spark))

    def abbreviations(self) -> frozenset[str]:
        return _ABBREVIATIONS

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        """See the protocol; in a fold, the second of the two times, as in the tables.

        Spark's function returns the first. Converted back, the second must give the same local
        time.
        """
        if not to_utc:
            return self._ask(names, places, times, "from_utc_timestamp")
        first = self._ask(names, places, times, "to_utc_timestamp")
        later = first + _DAY
        offset = self._ask(names, places, later, "from_utc_timestamp") - later
        second = times - offset
        local = self._ask(names, places, second, "from_utc_timestamp")
        answer: Int64 = np.where((local == times) & (second > first), second, first)
        return answer

    def _ask(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, function: str
    ) -> Int64:
        questions = pa.table(
            {"n": np.arange(len(times)), "zone": pa.array(names).take(places), "t": times}
        )
        with self._warehouse.asking() as folder:
            path = folder / "questions.parquet"
            with self._warehouse.accessed("written"):
                pq.write_table(questions, path)
            with as_error(DatabaseError):
                found = self.spark.sql(
                    f"SELECT n, unix_micros({function}(timestamp_micros(t), zone)) AS answer "
                    f"FROM parquet.`file://{path}`"
                ).toArrow()
        answers = np.empty(len(times), np.int64)
        answers[found.column("n").to_numpy()] = found.column("answer").to_numpy()
        return answers

    # -- the user's own tables and queries

    def column_types(self) -> Types:
        types: Types = {}
        self._attach()
        for table in self.spark.catalog.listTables():
            columns = dict(self.spark.table(f"`{table.name}`").dtypes)
            types[table.name] = columns
            if table.namespace:
                types[f"{table.namespace[-1]}.{table.name}"] = columns
            if table.namespace and table.catalog:
                types[f"{table.catalog}.{table.namespace[-1]}.{table.name}"] = columns
        return types

    def session_time_zone(self) -> str:
        return str(self.spark.conf.get("spark.sql.session.timeZone"))

    def set_session_time_zone(self, zone: str) -> None:
        with as_error(DatabaseError):
            self.spark.conf.set("spark.sql.session.timeZone", zone)

    def bind(self, sql: str) -> BoundColumns:
        try:
            with as_error(QueryError):
                if not self._is_query(sql):  # Spark would run it
                    raise NotBoundError("it is no query", is_syntax=False)
                self._attach()
                return tuple(self.spark.sql(sql).dtypes)
        except QueryError as error:
            is_syntax = "PARSE_SYNTAX_ERROR" in str(error)
            raise NotBoundError(str(error), is_syntax=is_syntax) from error

    def stored_objects(self) -> None:
        return None

    def query(self, sql: str) -> Result:
        began = time.perf_counter()
        with as_error(QueryError):
            if not self._is_query(sql):
                raise QueryError("it is no query, and only a single SELECT is run here")
            self._attach()
            frame = self.spark.sql(sql)
            names = tuple(frame.columns)
            types = tuple(kind for _, kind in frame.dtypes)
            rows = frame.toDF(*(f"c{index}" for index in range(len(names)))).toArrow()
        # other processes did the work: their CPU time is unknown
        return Result(names, types, rows, time.perf_counter() - began)

    def _attach(self) -> None:
        version = self._warehouse.current()
        if version is not None and version != self._attached:
            self._attached = attach(self.spark, self._warehouse.folder)

    def _is_query(self, sql: str) -> bool:
        plan = self.spark._jsparkSession.sessionState().sqlParser().parsePlan(sql)
        java, plans = self.spark._jvm.java.lang.Class, "org.apache.spark.sql.catalyst.plans.logical"
        nodes = [plan]
        while nodes:
            node = nodes.pop()
            kinds = (java.forName(f"{plans}.{one}") for one in ("Command", "ParsedStatement"))
            if any(kind.isInstance(node) for kind in kinds):
                return False
            children = node.children()
            nodes += [children.apply(place) for place in range(children.size())]
        return True

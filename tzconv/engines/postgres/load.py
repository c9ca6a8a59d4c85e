"""The backend of PostgreSQL 14 and later, through psycopg 3."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import psycopg
import pyarrow as pa
from psycopg import pq

from tzconv import tables
from tzconv.engines.backend import Backend, Result
from tzconv.engines.locks import busy
from tzconv.engines.postgres import arrays, copy, errors, hashes, query
from tzconv.engines.postgres.alchemy import ALCHEMY
from tzconv.errors import DatabaseError
from tzconv.sql.text import literal, of_zones
from tzconv.tables import Table
from tzconv.tables.checksums import BEFORE_1970, Sums
from tzconv.tz.posix import Int64
from tzconv.tz.spans import Columns

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_LOCK = 1_954_241_382
"""First half of the advisory lock's number, chosen at random; the second half is the schema, so
that refreshes of two schemas do not wait for each other."""
_TIMES_AT_ONCE = 250_000
_BYTES_PER_ROW = {"daily": 119.0, "hourly": 139.0, "offset": 142.0, "zone": 3030.0, "period": 120.0}


def connect(
    url: URL, *, read_only: bool = False, schema: str | None = None, lock_timeout: float = 0
) -> Postgres:
    """Open the database of a ``postgresql+psycopg://`` URL; its query part goes to libpq.

    ``read_only`` changes nothing: reading takes no lock and writes nothing.
    """
    options = {
        "fallback_application_name": f"tzconv, process {os.getpid()} of {socket.gethostname()}",
        **_options(url),
    }
    with errors.as_error("", connecting=url):
        return Postgres(options, schema, lock_timeout)


def _options(url: URL) -> dict[str, Any]:
    """The arguments of psycopg; SQLAlchemy reads a URL with several hosts."""
    if isinstance(url.query.get("host", ""), tuple) or ":" in url.query.get("host", ""):
        dialect = url.set(drivername="postgresql+psycopg").get_dialect()
        return dict(dialect().create_connect_args(url)[1])
    # importing SQLAlchemy's dialect takes longer than connecting
    return url.translate_connect_args(username="user", database="dbname") | dict(url.query)


class Postgres(Backend):
    """An open PostgreSQL database."""

    dialect = "postgres"
    alchemy = ALCHEMY
    bytes_per_row: Mapping[str, float] | None = _BYTES_PER_ROW
    builds_index: bool = True
    # Fractions of a second would take most of the time: `broken` checks for them.
    seconds = f"(date_part('epoch', {{column}})::bigint + {BEFORE_1970})"
    type_names: ClassVar[Mapping[tables.ColumnType, str]] = {
        "name": "character varying({length})",
        "text": "character varying({length})",
        "timestamp": "timestamp without time zone",
    }
    clock = "SELECT clock_timestamp() AT TIME ZONE 'UTC'"
    days = "({column} - DATE '1970-01-01')::bigint"
    # a writing transaction is READ COMMITTED, so that a refresh that waited for the lock reads the
    # newest state
    snapshot = "ISOLATION LEVEL REPEATABLE READ READ ONLY"

    def __init__(self, options: Mapping[str, Any], schema: str | None, lock_timeout: float) -> None:
        connection = psycopg.connect(**options, autocommit=True)
        connection.adapters.register_dumper(query.Sent, query.SentDumper)
        self._connection = connection
        self._options = options
        self.schema = schema
        self._lock_timeout = lock_timeout
        self._hashes: bool | None = None
        # nothing waits forever, not even a reader for another session's LOCK TABLE
        self._run(f"SET lock_timeout = {max(1000, round(lock_timeout * 1000))}")

    def __exit__(self, *exception: object) -> None:
        self._connection.close()

    def product(self) -> str:
        return f"PostgreSQL {str(self._one('SHOW server_version')).split()[0]}"

    def lock(self) -> None:
        number = f"{_LOCK}, {self._schema_oid()}::oid::int"
        self._run(f"SET LOCAL lock_timeout = {max(1, round(self._lock_timeout * 1000))}")
        try:
            self._run(f"SELECT pg_advisory_xact_lock({number})")
        except DatabaseError as error:
            if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
                raise
            self._run("ROLLBACK; BEGIN")  # the failed transaction runs nothing more
            raise busy(self._holder(), self._lock_timeout) from error
        self._run(f"SET LOCAL lock_timeout = {max(1000, round(self._lock_timeout * 1000))}")

    def _holder(self) -> str:
        found = self._run(
            "SELECT a.application_name, a.usename, a.pid, a.xact_start AT TIME ZONE 'UTC' "
            "FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
            f"WHERE l.locktype = 'advisory' AND l.granted AND l.classid = {_LOCK} "
            f"AND l.objid = {self._schema_oid()}::oid"
        )
        if not found:
            return "it has just finished"
        name, user, pid, since = found[0]
        began = f", since {since:%Y-%m-%d %H:%M:%S} UTC" if since else ""
        return f"{name or 'a program without a name'}, user {user}, server process {pid}{began}"

    def delete_runs(self, table: Table, runs: pa.Table) -> None:
        key = table.order
        kind = "timestamp" if pa.types.is_timestamp(runs.schema.field("first").type) else "bigint"
        name = self.name(table.name).replace("%", "%%")
        with errors.as_error():
            self._connection.execute(
                f"DELETE FROM {name} USING unnest(%s::text[], %s::{kind}[], %s::{kind}[]) "
                "AS run (zone, first, last) "
                f"WHERE time_zone_name = run.zone AND {key} BETWEEN run.first AND run.last",
                [runs.column(column).to_pylist() for column in ("zone", "first", "last")],
            )

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        name = self.name(table.name)
        columns = ", ".join(column.name for column in table.columns)
        options = "FORMAT BINARY"
        if new:
            # Building an index is faster than updating it, and rows of a table that no other
            # session can see yet may be written as VACUUM would leave them.
            options += ", FREEZE"
            self._run(f"ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {table.name}_pkey")
        self._hashes_alike()  # for `sums_of`: during the COPY nothing can be asked
        with errors.as_error():
            copy.send(self._connection, f"COPY {name} ({columns}) FROM STDIN ({options})", rows)
        if new:
            self._run(f"ALTER TABLE {name} ADD PRIMARY KEY ({', '.join(table.key)})")
        # in the same transaction, so that the first reader's plan knows the new rows
        self._run(f"ANALYZE {name}")

    def _sql_sums(self, table: Table, name: str, where: str) -> str:
        if not self._hashes_alike():
            return super()._sql_sums(table, name, where)
        return hashes.sql_sums(table, name, where)

    def sums_of(self, table: Table, zone: str, columns: Columns) -> Sums:
        if not self._hashes_alike():
            return super().sums_of(table, zone, columns)
        return hashes.of_columns(table, zone, columns)

    def whole(self, table: Table) -> Sums | None:
        if not self._hashes_alike():
            return None
        # grouping many rows by a text takes as long as hashing them
        sums = f"SELECT count(*), sum({hashes.sql_row(table)}) FROM {self.name(table.name)}"
        [(count, total)] = self._run(sums)
        return int(count), int(total or 0), 0

    def _hashes_alike(self) -> bool:
        """Whether the server's hashes are those that `hashes` computes; a fork's may differ."""
        if self._hashes is None:
            needed = ", ".join(map(literal, hashes.NEEDED))
            known = self._run(f"SELECT DISTINCT proname FROM pg_proc WHERE proname IN ({needed})")
            there = len(known) == len(hashes.NEEDED)
            self._hashes = there and self._one(hashes.PROBE) == hashes.probe_hash()
        return self._hashes

    def derivation(self, zones: Iterable[str] | None = None) -> tuple[str, ...]:
        zone, offset = self.name(tables.ZONE.name), self.name(tables.OFFSET.name)
        return arrays.fill(zone, offset, of_zones(zones)), f"ANALYZE {zone}"

    def broken(self, table: Table, zones: Iterable[str] | None = None) -> dict[str, str]:
        found = super().broken(table, zones)
        if table is tables.ZONE:
            statement = arrays.wrong(self.name(table.name), self.name(tables.OFFSET.name))
            for (zone,) in self._run(statement):
                if zones is None or zone in zones:
                    found.setdefault(zone, "arrays that are not those of its spans")
        return found

    @contextlib.contextmanager
    def second_connection(self) -> Iterator[Backend | None]:
        with contextlib.ExitStack() as stack:
            other = None
            with contextlib.suppress(psycopg.Error):  # such as: too many connections
                other = Postgres(self._options, self.schema, self._lock_timeout)
                stack.enter_context(other)
            yield other

    def _size(self, table: str) -> str:
        return f"SELECT pg_total_relation_size({literal(self.name(table))})"

    def tidy(self) -> None:
        """Does nothing: the statistics were committed with the rows."""

    def abbreviations(self) -> frozenset[str]:
        found = self._run("SELECT lower(abbrev) FROM pg_timezone_abbrevs")
        return frozenset(name for (name,) in found)

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        # a timestamptz is sent in UTC, so that one AT TIME ZONE converts in either direction
        kind = "timestamp" if to_utc else "timestamptz"
        sql = (
            "SELECT array_agg(moment AT TIME ZONE zone.name ORDER BY n) "
            f"FROM unnest(%b::int4[], %b::{kind}[]) WITH ORDINALITY AS question (place, moment, n) "
            "JOIN unnest(%b::text[]) WITH ORDINALITY AS zone (name, place1) ON place1 = place + 1"
        )
        answers = [np.empty(0, np.int64)]
        with errors.as_error(), self._connection.cursor(binary=True) as cursor:
            for start in range(0, len(times), _TIMES_AT_ONCE):
                part = slice(start, start + _TIMES_AT_ONCE)
                sent = query.times(times[part], are_instants=not to_utc)
                cursor.execute(sql, [query.ints(places[part]), sent, list(names)])
                assert cursor.pgresult is not None
                answers.append(query.times_of(cursor.pgresult.get_value(0, 0)))
        return np.concatenate(answers)

    def query(self, sql: str) -> Result:
        return query.run(self._connection, sql)

    def expected_rows(self, sql: str) -> float | None:
        return query.expected_rows(self._connection, sql)

    def interrupt(self) -> None:
        self._connection.cancel_safe()

    def _has_schema(self) -> bool:
        return self._schema_oid() != 0

    def _schema_oid(self) -> int:
        name = "current_schema()" if self.schema is None else literal(self.schema)
        found = self._run(f"SELECT oid::bigint FROM pg_namespace WHERE nspname = {name}")
        return int(found[0][0]) if found else 0

    def _relation(self, table: str) -> str:
        return f"relname = {literal(table)} AND relnamespace = {self._schema_oid()}::oid"

    def _columns(self, table: str) -> list[tuple[str, str]] | None:
        rows = self._run(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
            f"JOIN pg_class c ON c.oid = attrelid WHERE {self._relation(table)} "
            "AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        )
        return rows or None

    def _kind(self, table: str) -> str:
        kinds = {"r": "table", "v": "view", "m": "materialized view", "f": "foreign table"}
        kind = self._one(f"SELECT relkind::text FROM pg_class c WHERE {self._relation(table)}")
        return kinds.get(kind, "relation of another kind")

    def _shape(self, table: Table) -> list[tuple[str, str]]:
        more = arrays.COLUMNS.items() if table is tables.ZONE else ()
        return super()._shape(table) + [(name, kind) for name, (_, kind) in more]

    def _run(self, sql: str) -> list[Any]:
        with errors.as_error():
            cursor = self._connection.execute(sql)
            if cursor.description is None or cursor.pgresult is None:
                return []
            return cursor.fetchall() if cursor.pgresult.status == pq.ExecStatus.TUPLES_OK else []

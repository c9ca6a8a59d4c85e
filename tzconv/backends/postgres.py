"""PostgreSQL 14 and later, through psycopg 3."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import psycopg
import pyarrow as pa
from psycopg import pq

from tzconv import generate, tables
from tzconv.backends import catalog, pgcopy, pgerrors, pghash, pgquery
from tzconv.backends.base import Backend, Product, Result
from tzconv.backends.sql import PLACE, SqlBackend, literal, missing_schema, of_zones
from tzconv.checksums import BEFORE_1970, Sums
from tzconv.errors import DatabaseError
from tzconv.posix import Int64
from tzconv.spans import Columns
from tzconv.tables import Column, Table

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_LOCK = 1_954_241_382
"""First half of the advisory lock's number, any that no other program is likely to take; the second
half is the schema, so that refreshes of two schemas do not wait for each other."""
_MOST_ASKED = 250_000
_TYPES: Mapping[tables.ColumnType, str] = {
    "name": "character varying({length})",
    "text": "character varying({length})",
    "timestamp": "timestamp without time zone",
}

_BYTES_PER_ROW = {"daily": 119.0, "hourly": 139.0, "offset": 142.0, "utc_day": 99.0}


def connect(
    url: URL, *, read_only: bool = False, schema: str | None = None, lock_timeout: float = 0
) -> Postgres:
    """Open the database of a ``postgresql+psycopg://`` URL; its query part goes to libpq."""
    if url.drivername not in ("postgresql", "postgresql+psycopg"):
        raise DatabaseError(
            f"The driver of {url.drivername}:// is not used: write postgresql+psycopg://."
        )
    options = {
        "fallback_application_name": f"tzconv, process {os.getpid()} of {socket.gethostname()}",
        **_options(url),
    }
    with pgerrors.as_error("", connecting=url):
        connection = psycopg.connect(**options, autocommit=True)
    return Postgres(connection, schema, lock_timeout, read_only=read_only, options=options)


def _options(url: URL) -> dict[str, Any]:
    """What psycopg is called with; where several hosts are named, as SQLAlchemy reads them."""
    if isinstance(url.query.get("host", ""), tuple) or ":" in url.query.get("host", ""):
        dialect = url.set(drivername="postgresql+psycopg").get_dialect()
        return dict(dialect().create_connect_args(url)[1])
    # to import SQLAlchemy's dialect takes longer than to connect
    return url.translate_connect_args(username="user", database="dbname") | dict(url.query)


class Postgres(SqlBackend):
    """An open PostgreSQL database."""

    dialect = "postgres"
    bytes_per_row: Mapping[str, float] | None = _BYTES_PER_ROW
    builds_index: bool = True
    # Fractions of a second are not seen: asking for them would take most of the time. `broken` is.
    seconds = f"(date_part('epoch', {{column}})::bigint + {BEFORE_1970})"
    days = "({column} - DATE '1970-01-01')::bigint"

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        schema: str | None = None,
        lock_timeout: float = 0,
        *,
        read_only: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        pgquery.register(connection)
        self._connection = connection
        self._options = options
        self.schema = schema
        self._lock_timeout = lock_timeout
        self._read_only = read_only
        self._hashes: bool | None = None
        # nothing waits for ever, not even a reader for somebody's LOCK TABLE
        self._run(f"SET lock_timeout = {max(1000, round(lock_timeout * 1000))}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._connection.close()

    def product(self) -> Product:
        return Product("PostgreSQL", str(self._one("SHOW server_version")).split()[0])

    @contextlib.contextmanager
    def transaction(self, *, read_only: bool = False) -> Iterator[None]:
        only = read_only or self._read_only
        # READ COMMITTED, so that what a refresh reads after waiting for the lock is the newest
        self._run(f"BEGIN {'ISOLATION LEVEL REPEATABLE READ READ ONLY' if only else ''}")
        try:
            yield
        except BaseException:
            with contextlib.suppress(DatabaseError):
                self._run("ROLLBACK")
            raise
        self._run("ROLLBACK" if read_only else "COMMIT")

    def lock(self) -> None:
        number = f"{_LOCK}, {self._schema_oid()}::oid::int"
        self._run(f"SET LOCAL lock_timeout = {max(1, round(self._lock_timeout * 1000))}")
        try:
            with pgerrors.as_error("PostgreSQL refused it: "):
                self._connection.execute(f"SELECT pg_advisory_xact_lock({number})")
        except DatabaseError as error:
            if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
                raise
            self._run("ROLLBACK; BEGIN")  # the failed one can ask nothing more
            raise DatabaseError(
                f"Another refresh is at work on these tables: {self._holder()}; it was waited for "
                f"{self._lock_timeout:g} s: try again later, or wait longer with --lock-timeout."
            ) from error
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

    def check_ours(self) -> None:
        if self._schema_oid() == 0:
            if self.schema is None:
                raise DatabaseError(
                    "No schema of the search path exists: name one with --db-schema."
                )
            raise DatabaseError(missing_schema(self.schema))
        super().check_ours()

    def delete_runs(self, table: Table, runs: pa.Table) -> None:
        key = table.key[1]
        kind = "timestamp" if pa.types.is_timestamp(runs.schema.field("first").type) else "date"
        values = [runs.column(name).to_pylist() for name in ("zone", "first", "last")]
        self._run(
            f"DELETE FROM {self.name(table.name)} USING unnest({PLACE}::text[], "
            f"{PLACE}::{kind}[], {PLACE}::{kind}[]) AS run (zone, first, last) "
            f"WHERE time_zone_name = run.zone AND {key} BETWEEN run.first AND run.last",
            values,
        )

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        name = self.name(table.name)
        columns = ", ".join(column.name for column in table.columns)
        options = "FORMAT BINARY"
        if new:
            # An index is built faster than it is kept up, and rows of a table that nobody else can
            # see yet may be written as VACUUM would leave them.
            options += ", FREEZE"
            key = f"{table.name}_pkey"
            self._run(f"ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {key}")
        self._hashes_alike()  # who sums the rows as they pass can ask nothing during a COPY
        statement = f"COPY {name} ({columns}) FROM STDIN ({options})"
        with pgerrors.as_error("PostgreSQL refused it: "):
            pgcopy.send(self._connection, statement, rows)
        if new:
            self._run(f"ALTER TABLE {name} ADD PRIMARY KEY ({', '.join(table.key)})")
        # in the same transaction, so that the first reader's plan knows the new rows
        self._run(f"ANALYZE {name}")

    def offset_rows(self) -> pa.Table:
        columns = ", ".join(column.name for column in tables.OFFSET.columns)
        order = ", ".join(tables.OFFSET.key)
        rows = self._run(f"SELECT {columns} FROM {self.name(tables.OFFSET.name)} ORDER BY {order}")
        arrays = list(zip(*rows, strict=True)) or [()] * len(tables.OFFSET.columns)
        return pa.table([pa.array(a) for a in arrays], schema=generate.arrow_schema("offset"))

    def checksums(self, table: Table, zones: Iterable[str] | None = None) -> dict[str, Sums]:
        if not self._hashes_alike():
            return super().checksums(table, zones)
        rows = self._run(pghash.sql_sums(table, self.name(table.name), of_zones(zones)))
        return {zone: (int(count), int(one), int(two)) for zone, count, one, two in rows}

    def sums_of(self, table: Table, zone: str, columns: Columns) -> Sums:
        if not self._hashes_alike():
            return super().sums_of(table, zone, columns)
        return pghash.of_columns(table, zone, columns)

    def whole(self, table: Table) -> Sums | None:
        if not self._hashes_alike():
            return None
        [(count, total)] = self._run(pghash.sql_whole(table, self.name(table.name)))
        return int(count), int(total or 0), 0

    def _hashes_alike(self) -> bool:
        """Whether the server has the hash that we can compute; those derived from it may not."""
        if self._hashes is None:
            needed = ", ".join(map(literal, pghash.NEEDED))
            known = self._run(f"SELECT DISTINCT proname FROM pg_proc WHERE proname IN ({needed})")
            there = len(known) == len(pghash.NEEDED)
            self._hashes = there and self._one(pghash.PROBE) == pghash.probe_hash()
        return self._hashes

    @contextlib.contextmanager
    def beside(self) -> Iterator[Backend | None]:
        other = None
        if self._options is not None:
            with contextlib.suppress(psycopg.Error):  # the server may have no place for another
                other = psycopg.connect(**self._options, autocommit=True)
        if other is None:
            yield None
            return
        with Postgres(other, self.schema, self._lock_timeout, read_only=True) as backend:
            yield backend

    def sizes(self) -> dict[str, int]:
        return {
            name: int(self._one(f"SELECT pg_total_relation_size({literal(self.name(table.name))})"))
            for name, table in tables.CONVERSIONS.items()
            if self._columns(table.name) is not None
        }

    def tidy(self) -> None:
        """Nothing is left to do: the statistics were committed with the rows."""

    def zone_names(self, asked: Iterable[str]) -> frozenset[str]:
        return frozenset(name for (name,) in self._run("SELECT lower(name) FROM pg_timezone_names"))

    def abbreviations(self) -> frozenset[str]:
        found = self._run("SELECT lower(abbrev) FROM pg_timezone_abbrevs")
        return frozenset(name for (name,) in found)

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        # a timestamptz goes over the wire in UTC, so that one conversion does for each way
        kind, sent = ("timestamp", pgquery.Times) if to_utc else ("timestamptz", pgquery.Moments)
        sql = (
            "SELECT array_agg(moment AT TIME ZONE zone.name ORDER BY n) "
            f"FROM unnest(%b::int4[], %b::{kind}[]) WITH ORDINALITY AS asked (place, moment, n) "
            "JOIN unnest(%b::text[]) WITH ORDINALITY AS zone (name, place1) ON place1 = place + 1"
        )
        answers = [np.empty(0, np.int64)]
        with (
            pgerrors.as_error("PostgreSQL refused it: "),
            self._connection.cursor(binary=True) as cursor,
        ):
            for start in range(0, len(times), _MOST_ASKED):
                part = slice(start, start + _MOST_ASKED)
                asked = [pgquery.Ints(places[part]), sent(times[part]), list(names)]
                cursor.execute(sql, asked)
                assert cursor.pgresult is not None
                answers.append(pgquery.times_of(cursor.pgresult.get_value(0, 0)))
        return np.concatenate(answers)

    def column_types(self) -> dict[str, dict[str, str]]:
        return catalog.types_by_name(self._run(catalog.COLUMNS["postgres"]))

    def session_time_zone(self) -> str:
        return str(self._one("SHOW TimeZone"))

    def set_session_time_zone(self, zone: str) -> None:
        self._run(f"SET TimeZone = {literal(zone)}")

    def query(self, sql: str) -> Result:
        return pgquery.run(self._connection, sql)

    def interrupt(self) -> None:
        self._connection.cancel_safe()

    def now(self) -> dt.datetime:
        # the server's clock, so that jobs of several machines agree on which release is the newest
        moment: dt.datetime = self._one("SELECT clock_timestamp() AT TIME ZONE 'UTC'")
        return moment

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

    def _type(self, column: Column) -> str:
        return _TYPES.get(column.type, column.type).format(length=column.length)

    def _run(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        text = sql.replace("%", "%%").replace(PLACE, "%s") if values else sql
        with pgerrors.as_error("PostgreSQL refused it: "):
            cursor = self._connection.execute(text, values or None)
            if cursor.description is None or cursor.pgresult is None:
                return []
            return cursor.fetchall() if cursor.pgresult.status == pq.ExecStatus.TUPLES_OK else []

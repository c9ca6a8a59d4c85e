"""The backend of PostgreSQL 14 and later, through psycopg 3."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import psycopg
import pyarrow as pa
from psycopg import pq

from tzconv import tables
from tzconv.engines.alchemy import Alchemy
from tzconv.engines.backend import Result
from tzconv.engines.contents import Contents, StoredObjects
from tzconv.engines.locks import busy
from tzconv.engines.postgres import arrays, copy, ddl, errors, query, session, trust
from tzconv.engines.postgres.alchemy import ALCHEMY
from tzconv.engines.postgres.contents import PostgresContents
from tzconv.engines.shapes import ColumnList, by_table
from tzconv.errors import DatabaseError
from tzconv.sql.binder import BoundColumns
from tzconv.sql.text import constant, identifier, literal, of_zones
from tzconv.tables import Table
from tzconv.tables.checksums import BEFORE_1970, FRACTION_WEIGHT
from tzconv.tz.posix import Int64

if TYPE_CHECKING:
    from sqlalchemy.engine import URL


_LOCK = 1_954_241_382
"""First half of the advisory lock's number, chosen at random; the second half is the schema, so
that refreshes of two schemas do not wait for each other."""
_PART_TO_ANALYZE = 2
"""Statistics are made anew where more than this part of the rows is new, as autovacuum does."""
_LONG_WAIT = 10.0
"""Seconds without a byte of a COPY after which its client counts as stopped."""
_TIMES_AT_ONCE = 250_000
_SPACE_TO_KEEP = 1_000_000
"""Bytes that an empty table may keep: fewer are not worth a lock."""
_MOST_OF_INDEX = 0.65
"""Of the bytes of the rows; a new index has 0.45 to 0.6 of them."""
_BYTES_PER_ROW = {"daily": 119.0, "hourly": 139.0, "offset": 142.0, "zone": 3030.0, "period": 120.0}


def connect(url: URL, *, read_only: bool, schema: str | None, lock_timeout: float) -> Postgres:
    """Open the database of a ``postgresql+psycopg://`` URL; its query part goes to libpq.

    ``read_only`` changes nothing: reading takes no lock and writes nothing.
    """
    options = {
        "fallback_application_name": f"tzconv, process {os.getpid()} of {socket.gethostname()}",
        **session.options(url),
    }
    with errors.as_error("", connecting=url):
        return Postgres(options, schema, lock_timeout)


class Postgres(trust.Trusted):
    """An open PostgreSQL database."""

    dialect = "postgres"
    alchemy = ALCHEMY
    not_planned = (psycopg.Error, ValueError, KeyError)
    bytes_per_row: Mapping[str, float] | None = _BYTES_PER_ROW
    lists_zones: bool = True
    # date_part() is fast and rounds, so what is no whole second counts extra
    seconds = (
        "(least(greatest(date_part('epoch', {column}), -1e11), 4e11)::bigint "
        f"+ ({{column}} <> {{column}}::timestamp(0))::int * {FRACTION_WEIGHT} + {BEFORE_1970})"
    )
    _create_table = staticmethod(ddl.create_table)
    type_names: ClassVar[Mapping[tables.ColumnType, str]] = {
        "name": "character varying({length})",
        "text": "character varying({length})",
        "timestamp": "timestamp without time zone",
    }
    clock = "SELECT clock_timestamp() AT TIME ZONE 'UTC'"
    days = "(least(greatest({column}, '0001-01-01'), '10000-01-01') - DATE '1970-01-01')::bigint"
    fence = "OFFSET 0"
    # a writing transaction is READ COMMITTED, so that a refresh that waited for the lock reads the
    # newest state
    snapshot = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
    frozen = "ISOLATION LEVEL REPEATABLE READ"
    scans_ranges = False
    # POSIX rules: a name, then an offset of at most 167 hours
    other_zones = r"(?s:(<[^>]*>|[^\d,+-]*)[+-]?0*(1[0-6]\d|\d?\d)(?!\d).*)"
    # deferred, because a refresh replaces rows of the zone table
    zone_constraint = (
        "ALTER TABLE {table} ADD CONSTRAINT {constraint} FOREIGN KEY ({column}) "
        "REFERENCES {zones} (time_zone_name) DEFERRABLE INITIALLY DEFERRED{unchecked}"
    )
    zone_column = (
        "SELECT x.conname::text, CASE WHEN c.relkind = 'r' OR "
        "current_setting('server_version_num')::int >= 180000 THEN ' NOT VALID' ELSE '' END "
        "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
        "JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_constraint x ON x.contype = 'f' AND "
        "x.conrelid = c.oid AND x.conkey = ARRAY[attnum] AND x.confrelid = to_regclass({zones}) "
        "WHERE c.oid = to_regclass({table}) AND attname = (parse_ident({column}))[1] "
        "AND c.relkind IN ('r', 'p') AND t.typcategory = 'S' LIMIT 1"
    )

    def __init__(self, options: Mapping[str, Any], schema: str | None, lock_timeout: float) -> None:
        self._connection = session.connect(options)
        self._connection.adapters.register_dumper(query.Sent, query.SentDumper)
        self._options = options
        self.schema = schema
        self._lock_timeout = lock_timeout
        # nothing waits forever, not even a reader for another session's LOCK TABLE
        self._patience = f"{max(1000, round(lock_timeout * 1000))}ms"
        self._place: str | None = None
        """The schema of unqualified names, and the path of what names the user's tables."""
        self._mixed_path = ""
        self.settings: dict[str, str] = {}
        """What each transaction sets for itself, as SQL text, queries of the user's included."""

    def __exit__(self, *exception: object) -> None:
        self._connection.close()

    def product(self) -> str:
        return f"PostgreSQL {str(self._one('SHOW server_version')).split()[0]}"

    def lock(self) -> None:
        schema = self._schema_oid()
        number = f"{_LOCK}, {schema}::oid::int"
        session.end_unread(self._run)
        before = session.stalled(self._run, _LOCK, schema)
        self._run("SAVEPOINT tzconv_lock")
        self._run(f"SET LOCAL lock_timeout = {max(1, round(self._lock_timeout * 1000))}")
        try:
            self._run(f"SELECT pg_advisory_xact_lock({number})")
        except DatabaseError as error:
            if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
                raise
            self._run("ROLLBACK TO SAVEPOINT tzconv_lock")
            without_client = before & session.stalled(self._run, _LOCK, schema)
            for pid, _ in without_client if self._lock_timeout >= _LONG_WAIT else ():
                self._run(f"SELECT pg_terminate_backend({pid}, 10000)")
                self.lock()
                return
            holder = session.holder(self._run, _LOCK, schema)
            raise busy(holder, self._lock_timeout) from error
        self._run(f"SET LOCAL lock_timeout = '{self._patience}'")

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        name = self.name(table.name)
        columns = ", ".join(column.name for column in table.columns)
        options = "FORMAT BINARY"
        if new:
            # Building an index is faster than updating it, and rows of a table that no other
            # session can see yet may be written as VACUUM would leave them.
            options += ", FREEZE"
            self._run(f"ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {table.name}_pkey")
        statement = f"COPY {name} ({columns}) FROM STDIN ({options})"
        with errors.as_error(), self._connection.cursor() as cursor:
            with cursor.copy(statement) as sent:
                for piece in copy.encoded(rows):
                    sent.write(piece)
            count = cursor.rowcount
        if new:
            self._run(f"ALTER TABLE {name} ADD PRIMARY KEY ({', '.join(table.key)})")
        known = self._one(f"SELECT reltuples FROM pg_class c WHERE {self._relation(table.name)}")
        if new or count * _PART_TO_ANALYZE > known:
            # in the same transaction, so that the first reader's plan knows the new rows
            self._run(f"ANALYZE {name}")

    def derivation(self, zones: Iterable[str] | None = None) -> tuple[str, ...]:
        zone, offset = self.name(tables.ZONE.name), self.name(tables.OFFSET.name)
        return arrays.fill(zone, offset, of_zones(zones)), f"ANALYZE {zone}"

    def broken(
        self, table: Table, zones: Iterable[str] | None = None, condition: str = ""
    ) -> dict[str, str]:
        found = super().broken(table, zones, condition)
        if table is tables.ZONE:
            statement = arrays.wrong(self.name(table.name), self.name(tables.OFFSET.name))
            for (zone,) in self._run(statement):
                if zones is None or zone in zones:
                    found.setdefault(zone, "arrays that are not those of its spans")
        return found

    def create(self, table: Table) -> None:
        super().create(table)
        if table is tables.ZONE:
            self._run(arrays.plain().replace(table.name, self.name(table.name), 1))

    def reclaim(self) -> None:
        session.end_unread(self._run)
        listed = ", ".join(literal(table.name) for table in tables.CONVERSIONS.values())
        for table, rows, index in self._run(
            "SELECT relname::text, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class c "
            f"WHERE relnamespace = {self._schema_oid()}::oid AND relname IN ({listed})"
        ):
            full = self.name(table)
            # what a refresh inserts between old keys leaves the pages of an index half full
            is_loose = index > max(rows * _MOST_OF_INDEX, _SPACE_TO_KEEP)
            is_large = rows + index > _SPACE_TO_KEEP
            is_empty = is_large and not self._run(f"SELECT 1 FROM {full} LIMIT 1")
            # If a reader holds the table, the next run tries again.
            with contextlib.suppress(psycopg.Error, DatabaseError):
                if is_empty:
                    # Unlike TRUNCATE it leaves an older snapshot the rows that it sees.
                    self._connection.execute(f"VACUUM (SKIP_LOCKED) {full}".encode())
                if is_empty or is_loose:
                    # while it waits, every new reader waits behind it
                    with self.transaction():
                        self._run("SET LOCAL lock_timeout = '100ms'")
                        self._run(f"REINDEX TABLE {full}")

    def _size(self, table: str) -> str:
        return f"SELECT pg_total_relation_size({literal(self.name(table))})"

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
        with (
            errors.as_error(),
            self._in_transaction(),
            self._connection.cursor(binary=True) as cursor,
        ):
            for start in range(0, len(times), _TIMES_AT_ONCE):
                part = slice(start, start + _TIMES_AT_ONCE)
                sent = query.times(times[part], are_instants=not to_utc)
                cursor.execute(sql, [query.ints(places[part]), sent, list(names)])
                assert cursor.pgresult is not None
                answers.append(query.times_of(cursor.pgresult.get_value(0, 0)))
        return np.concatenate(answers)

    def session_time_zone(self) -> str:
        return str(self._one("SHOW TimeZone"))

    def set_session_time_zone(self, zone: str) -> None:
        self._run(f"SET LOCAL TimeZone = {literal(zone)}")
        self.settings["TimeZone"] = literal(zone)

    def stored_objects(self) -> StoredObjects:
        from tzconv.engines.postgres import stored  # with sqlglot, which a refresh does not need

        with self._as_user() as user:
            return stored.read(user.ask)

    def contents(self) -> Contents:
        def run(sql: str) -> list[Any]:
            with self._as_user() as user:
                found: list[Any] = user.ask(sql)
            return found

        return PostgresContents(run)

    @contextlib.contextmanager
    def _as_user(self) -> Iterator[Alchemy]:
        """Let our statements find the user's tables, after everything of the system's."""
        with self._in_transaction():
            self._run(f"SET LOCAL search_path = {self._mixed_path}")
            yield ALCHEMY(self._connection, self._run)
            # after an error the transaction is over
            self._run(f"SET LOCAL search_path = {session.OURS_ALONE}")

    @contextlib.contextmanager
    def _planning(self) -> Iterator[Alchemy]:
        with self._in_transaction(), query.asking(self._connection, self.settings) as ask:
            yield ALCHEMY(self._connection, ask)

    def execute(self, statement: str) -> None:
        with self._as_user() as user:
            user.ask(statement)

    def execute_own(self, statement: str) -> None:
        self._run(statement)

    def write(self, statement: str) -> int:
        with errors.as_error():
            return self._connection.execute(statement.encode()).rowcount

    def query(self, sql: str) -> Result:
        with self._in_transaction(read_only=True):
            return query.run(self._connection, sql, self.settings)

    def bind(self, sql: str) -> BoundColumns:
        # it means what it means in a session of the user's
        with self._in_transaction(), self._connection.transaction(force_rollback=True):
            session.of_the_user(self._connection, self.settings)
            return query.bind(self._connection.pgconn, sql)

    def interrupt(self) -> None:
        self._connection.cancel_safe()

    def name(self, table: str) -> str:
        schema = self.own_schema
        return f"{identifier(schema)}.{table}" if schema else table

    @property
    def own_schema(self) -> str | None:
        return self.current_schema() if self.schema is None else self.schema

    def current_schema(self) -> str | None:
        with self._in_transaction():
            return self._place

    def _has_schema(self) -> bool:
        return self._schema_oid() != 0

    def _schema_oid(self) -> int:
        name = constant(self.own_schema)
        found = self._run(f"SELECT oid::bigint FROM pg_namespace WHERE nspname = {name}")
        return int(found[0][0]) if found else 0

    def _relation(self, table: str) -> str:
        return f"relname = {literal(table)} AND relnamespace = {self._schema_oid()}::oid"

    def _columns(self, names: Iterable[str]) -> dict[str, ColumnList]:
        rows = self._run(
            "SELECT relname, attname, format_type(atttypid, atttypmod) FROM pg_attribute "
            f"JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = {self._schema_oid()}::oid "
            f"AND relname IN ({', '.join(map(literal, names))}) "
            "AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        )
        return by_table(rows)

    def _kind(self, table: str) -> str:
        kinds = {"r": "table", "v": "view", "m": "materialized view", "f": "foreign table"}
        kind = self._one(f"SELECT relkind::text FROM pg_class c WHERE {self._relation(table)}")
        return kinds.get(kind, "relation of another kind")

    def _shape(self, table: Table) -> list[tuple[str, str]]:
        more = arrays.COLUMNS.items() if table is tables.ZONE else ()
        *columns, last = super()._shape(table)
        return [*columns, *((name, kind) for name, (_, kind) in more), last]

    def _run(self, sql: str) -> list[Any]:
        is_end = sql in ("COMMIT", "ROLLBACK")  # a statement may have ended it already
        with contextlib.nullcontext() if is_end else self._in_transaction(), errors.as_error():
            cursor = self._connection.execute(sql)
            if cursor.description is None or cursor.pgresult is None:
                return []
            return cursor.fetchall() if cursor.pgresult.status == pq.ExecStatus.TUPLES_OK else []

    def _begin(self, how: str, locked: str = "") -> None:
        with errors.as_error():
            settings = {"lock_timeout": f"'{self._patience}'"} | self.settings
            self._place, self._mixed_path = session.begin(self._connection, how, settings, locked)

    def _in_transaction(self, *, read_only: bool = False) -> AbstractContextManager[None]:
        """The open transaction, or one of its own: only there are our settings in force."""
        idle = self._connection.info.transaction_status == pq.TransactionStatus.IDLE
        return self.transaction(read_only=read_only) if idle else contextlib.nullcontext()

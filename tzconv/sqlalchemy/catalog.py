"""What is read of the database through a connection that the caller has open.

Column types, the time zone of the session, which conversion tables there are, and the zone rules in
them: a rewritten text takes its offsets and bounds from the tables that it joins, never from the
installed tz release, so that both are of one release.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import itertools
import json
import logging
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tzconv import tables
from tzconv.engines import catalog
from tzconv.errors import DatabaseError
from tzconv.sql.binder import Bind, BoundColumns, bind_in_duckdb
from tzconv.sql.text import identifier
from tzconv.tz.posix import LocalType, PosixRule
from tzconv.tz.zones import Rules, Zone

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Dialect
    from sqlalchemy.schema import MetaData

_log = logging.getLogger("tzconv.sqlalchemy")
_DIALECTS = {"duckdb": "duckdb", "postgresql": "postgres", "vertica": "vertica"}
"""By SQLAlchemy's name: the dialect of the rewriter."""

_NONE = Rules.of("", "", ())
_SESSION_ZONE = {
    "duckdb": "SELECT current_setting('TimeZone')",
    "postgres": "SHOW TimeZone",
    "vertica": "SHOW TIMEZONE",
}


def dialect_of(dialect: Dialect) -> str:
    """The rewriter's name of a SQLAlchemy dialect; DatabaseError where it has none."""
    name = _DIALECTS.get(dialect.name)
    if name is None:
        raise DatabaseError(
            f"Queries of {dialect.name!r} cannot be rewritten: use an engine of "
            f"{' or '.join(_DIALECTS)}."
        )
    return name


def column_types(
    connection: Connection, dialect: str, *, is_changing: bool
) -> dict[str, dict[str, str]]:
    """Types of the columns that the connection may read, by ``table`` and ``schema.table``.

    ``is_changing`` says that tables are changed in a transaction that is open.
    """
    path: list[str] = []
    if dialect == "duckdb":
        driver: Any = connection.connection.driver_connection
        return catalog.duckdb_types(driver, is_changing=is_changing)
    if dialect == "vertica":
        path = catalog.schemas_of_path(
            str(_rows(connection, "SHOW SEARCH_PATH")[0][1]),
            str(_rows(connection, "SELECT CURRENT_USER")[0][0]),
        )
    return catalog.types_by_name(_rows(connection, catalog.COLUMNS[dialect]), path)


def declared(metadata: MetaData, dialect: Dialect) -> dict[str, dict[str, str]]:
    """Column types as a ``MetaData`` declares them."""
    types: dict[str, dict[str, str]] = {}
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


def session_time_zone(connection: Connection, dialect: str) -> str:
    """The time zone of the session, as it is at this moment."""
    driver: Any = connection.connection.driver_connection
    if dialect == "postgres" and hasattr(driver, "info"):
        # the server reports every change of it, so nothing has to be asked
        reported = getattr(driver.info, "parameter_status", lambda name: None)("TimeZone")
        if reported:
            return str(reported)
    # Vertica shows the name of a setting before its value
    return str(_rows(connection, _SESSION_ZONE[dialect])[0][-1])


def expected_rows(
    connection: Connection, dialect: str, statement: str, parameters: Any
) -> float | None:
    """The rows that a single query is expected to convert with those parameters of the driver.

    It is planned and not run. None where the database does not say, or refuses the query.
    """
    try:
        if dialect == "duckdb":
            from tzconv.engines.duckdb import expected as of_duckdb

            driver: Any = connection.connection.driver_connection
            return of_duckdb.expected(driver, statement, parameters)
        if dialect != "postgres":
            return None
        from tzconv.engines.postgres import expected

        _, rows = query(connection, expected.EXPLAIN + statement, parameters)
        plans = json.loads(rows[0][0]) if isinstance(rows[0][0], str) else rows[0][0]

        def size(table: tuple[str, str]) -> float:
            return float(query(connection, expected.size_of(table))[1][0][0])

        return expected.rows_of(plans[0]["Plan"], size)
    except Exception:  # each driver has errors of its own, and the query itself will tell
        _log.debug("a query is not explained", exc_info=True)
        return None


def bind(connection: Connection, dialect: str) -> Bind | None:
    """Asks the database for the columns of a statement; None where its driver has no such call."""
    driver: Any = connection.connection.driver_connection
    if dialect == "duckdb":

        def in_duckdb(sql: str) -> BoundColumns:
            with driver.duplicate() as own:
                return bind_in_duckdb(own, sql)

        return in_duckdb
    if not hasattr(driver, "pgconn"):
        return None
    from tzconv.engines.postgres import query

    return functools.partial(query.bind, driver.pgconn)


def query(connection: Connection, sql: str, parameters: Any = None) -> tuple[list[str], list[Any]]:
    """Names of the columns and rows of a query, beside what the caller does on the connection."""
    cursor = connection.connection.cursor()
    # a connection of vertica-python has one cursor, which the caller is about to use
    is_shared = connection.dialect.name == "vertica"
    try:
        with _savepoint(connection, cursor):
            # drivers read percent signs otherwise where there are parameters, be it none
            cursor.execute(sql, *([] if parameters is None else [parameters]))
            names = [str(column[0]) for column in cursor.description]
            rows = list(cursor.fetchall())
            while is_shared and cursor.nextset():  # an error may come after the rows
                pass
            return names, rows
    finally:
        if not is_shared:
            cursor.close()


def _rows(connection: Connection, sql: str) -> list[Any]:
    return query(connection, sql)[1]


@contextlib.contextmanager
def _savepoint(connection: Connection, cursor: Any) -> Iterator[None]:
    """A failure inside must not be a failure of the caller's transaction."""
    autocommit = getattr(connection.connection.dbapi_connection, "autocommit", False)
    if connection.dialect.name != "postgresql" or autocommit:
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


@dataclass(frozen=True, slots=True)
class Loaded:
    """``tables`` are the short names of the tables that have rows and may be read.

    ``rules`` are those of the offset table and hold until ``until``; None without such a table.
    ``release`` is the newest release row, None where nobody has written one.
    """

    tables: frozenset[str]
    rules: Rules
    until: dt.date | None
    release: Mapping[str, Any] | None


def loaded(
    connection: Connection,
    types: Mapping[str, object],
    schema: str | None,
    before: Loaded | None = None,
) -> Loaded:
    """Read the release row, and the offset table unless ``before`` has the same release.

    ``types`` has the tables that may be read.
    """
    release = newest(connection, types, schema)
    found = frozenset(
        name
        for name, table in tables.CONVERSIONS.items()
        if name_in(schema, table.name) in types and (release is None or release.get(f"{name}_rows"))
    )
    if before and release and before.release == release:
        return Loaded(found, before.rules, before.until, release)
    if "offset" not in found:
        return Loaded(found, _NONE, None, release)
    columns = "time_zone_name, starts_at_utc, utc_offset_seconds, ends_before_utc"
    _, rows = query(
        connection, f"SELECT {columns} FROM {_sql_name(schema, tables.OFFSET.name)} ORDER BY 1, 2"
    )
    until = max((row[3] for row in rows), default=None)
    name = str(release["tz_release"]) if release else ""
    return Loaded(found, _rules(name, rows), until.date() if until else None, release)


def newest(
    connection: Connection, types: Mapping[str, object], schema: str | None
) -> dict[str, Any] | None:
    """The release row that describes what is loaded; None where there is none to be read."""
    if name_in(schema, tables.RELEASE.name) not in types:
        return None
    names, rows = query(
        connection,
        f"SELECT * FROM {_sql_name(schema, tables.RELEASE.name)} ORDER BY finished_at DESC LIMIT 1",
    )
    return dict(zip(names, rows[0], strict=True)) if rows else None


def name_in(schema: str | None, table: str) -> str:
    """A table by its name among the column types."""
    return f"{schema}.{table}" if schema else table


def _sql_name(schema: str | None, table: str) -> str:
    return f"{identifier(schema)}.{table}" if schema else table


def _rules(release: str, rows: Iterable[Sequence[Any]]) -> Rules:
    """Zones whose spans are the rows; abbreviations are in no rewritten text."""
    zones = []
    for name, spans in itertools.groupby(rows, operator.itemgetter(0)):
        _, starts, seconds, _ = zip(*spans, strict=True)
        offsets, kinds = np.unique(np.array(seconds, np.int64), return_inverse=True)
        types = tuple(LocalType(int(offset), False, "") for offset in offsets)
        first = np.array(starts, "M8[s]").astype(np.int64)
        zones.append(
            Zone(str(name), first, kinds.astype(np.intp), types, PosixRule(types[kinds[-1]]))
        )
    return Rules.of(release, "database", zones)

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
import logging
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tzconv import tables
from tzconv.engines.alchemy import Alchemy, Ask
from tzconv.sql.binder import Bind
from tzconv.sql.text import identifier
from tzconv.tz.posix import LocalType, PosixRule
from tzconv.tz.zones import Rules, Zone

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Dialect
    from sqlalchemy.schema import MetaData

_log = logging.getLogger("tzconv.sqlalchemy")
_NONE = Rules.of("", "", ())


def column_types(
    connection: Connection, alchemy: Alchemy, *, is_changing: bool
) -> dict[str, dict[str, str]]:
    """Types of the columns that the connection may read, by ``table`` and ``schema.table``.

    ``is_changing`` says that tables are changed in a transaction that is open.
    """
    return alchemy.column_types(*_asked(connection, alchemy), is_changing=is_changing)


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


def session_time_zone(connection: Connection, alchemy: Alchemy) -> str:
    """The time zone of the session, as it is at this moment."""
    return alchemy.session_time_zone(*_asked(connection, alchemy))


def expected_rows(
    connection: Connection, alchemy: Alchemy, statement: str, parameters: Any
) -> float | None:
    """The rows that a single query is expected to convert with those parameters of the driver.

    It is planned and not run. None where the database does not say, or refuses the query.
    """
    try:
        return alchemy.expected_rows(*_asked(connection, alchemy), statement, parameters)
    except Exception:  # each driver has errors of its own, and the query itself will tell
        _log.debug("a query is not explained", exc_info=True)
        return None


def bind(connection: Connection, alchemy: Alchemy) -> Bind | None:
    """Asks the database for the columns of a statement; None where its driver has no such call."""
    return alchemy.bind(connection.connection.driver_connection)


def _asked(connection: Connection, alchemy: Alchemy) -> tuple[Any, Ask]:
    driver: Any = connection.connection.driver_connection
    return driver, functools.partial(query, connection, alchemy)


def query(
    connection: Connection, alchemy: Alchemy, sql: str, parameters: Any = None
) -> tuple[list[str], list[Any]]:
    """Names of the columns and rows of a query, beside what the caller does on the connection."""
    cursor = connection.connection.cursor()
    try:
        with _savepoint(connection, alchemy, cursor):
            # drivers read percent signs otherwise where there are parameters, be it none
            cursor.execute(sql, *([] if parameters is None else [parameters]))
            names = [str(column[0]) for column in cursor.description]
            rows = list(cursor.fetchall())
            while alchemy.has_one_cursor and cursor.nextset():  # an error may come after the rows
                pass
            return names, rows
    finally:
        if not alchemy.has_one_cursor:
            cursor.close()


@contextlib.contextmanager
def _savepoint(connection: Connection, alchemy: Alchemy, cursor: Any) -> Iterator[None]:
    """A failure inside must not be a failure of the caller's transaction."""
    autocommit = getattr(connection.connection.dbapi_connection, "autocommit", False)
    if not alchemy.has_savepoints or autocommit:
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
class LoadedTables:
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
    alchemy: Alchemy,
    types: Mapping[str, object],
    schema: str | None,
    before: LoadedTables | None = None,
) -> LoadedTables:
    """Read the release row, and the offset table unless ``before`` has the same release.

    ``types`` has the tables that may be read.
    """
    release = newest(connection, alchemy, types, schema)
    found = frozenset(
        name
        for name, table in tables.CONVERSIONS.items()
        if name_in(schema, table.name) in types and (release is None or release.get(f"{name}_rows"))
    )
    if before and release and before.release == release:
        return LoadedTables(found, before.rules, before.until, release)
    if "offset" not in found:
        return LoadedTables(found, _NONE, None, release)
    columns = "time_zone_name, starts_at_utc, utc_offset_seconds, ends_before_utc"
    _, rows = query(
        connection,
        alchemy,
        f"SELECT {columns} FROM {_sql_name(schema, tables.OFFSET.name)} ORDER BY 1, 2",
    )
    until = max((row[3] for row in rows), default=None)
    name = str(release["tz_release"]) if release else ""
    return LoadedTables(found, _rules(name, rows), until.date() if until else None, release)


def newest(
    connection: Connection, alchemy: Alchemy, types: Mapping[str, object], schema: str | None
) -> dict[str, Any] | None:
    """The release row that describes what is loaded; None where there is none to be read."""
    if name_in(schema, tables.RELEASE.name) not in types:
        return None
    names, rows = query(
        connection,
        alchemy,
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

"""Column types and the session's time zone, read through a connection that the caller has open."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tzconv.backends import catalog, vertica_catalog
from tzconv.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Dialect
    from sqlalchemy.schema import MetaData

_DIALECTS = {"duckdb": "duckdb", "postgresql": "postgres", "vertica": "vertica"}
"""By SQLAlchemy's name: the dialect of the rewriter."""

_SESSION_ZONE = {
    "duckdb": "SELECT current_setting('TimeZone')",
    "postgres": "SHOW TimeZone",
    "vertica": "SHOW TIMEZONE",
}


def dialect_of(dialect: Dialect) -> str:
    """The rewriter's name of a SQLAlchemy dialect; DatabaseError where it has none."""
    from tzconv.rewriter import DIALECTS

    name = _DIALECTS.get(dialect.name)
    if name is None or name not in DIALECTS:
        raise DatabaseError(
            f"Queries of {dialect.name!r} cannot be rewritten: use an engine of "
            f"{' or '.join(_DIALECTS)}."
        )
    return name


def column_types(connection: Connection, dialect: str) -> dict[str, dict[str, str]]:
    """Types of the columns that the connection may read, by ``table`` and ``schema.table``."""
    if dialect == "vertica":
        path = vertica_catalog.schemas_of_path(
            str(_rows(connection, "SHOW SEARCH_PATH")[0][1]),
            str(_rows(connection, "SELECT CURRENT_USER")[0][0]),
        )
        return vertica_catalog.types_by_name(_rows(connection, vertica_catalog.COLUMNS), path)
    return catalog.types_by_name(_rows(connection, catalog.COLUMNS[dialect]))


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


def _rows(connection: Connection, query: str) -> list[Any]:
    cursor = connection.connection.cursor()
    # a connection of vertica-python has one cursor, which the caller is about to use
    is_shared = connection.dialect.name == "vertica"
    try:
        with _savepoint(connection, cursor):
            cursor.execute(query)
            rows = list(cursor.fetchall())
            while is_shared and cursor.nextset():  # an error may come after the rows
                pass
            return rows
    finally:
        if not is_shared:
            cursor.close()


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

"""What the hook of SQLAlchemy asks of an engine, through a connection that its caller has open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from tzconv.engines.catalog import Types
from tzconv.sql.binder import Bind

Ask: TypeAlias = Callable[..., tuple[list[str], list[Any]]]
"""Runs a query, with parameters if there are any: names of the columns, and rows."""


class Alchemy:
    """``driver`` is the driver's own connection, ``ask`` runs a query on it."""

    session_zone = "SHOW TimeZone"
    """Shows the time zone of the session in the last column."""
    reports_zone = False
    """Whether the server reports each change of it, so that it costs nothing to know."""
    has_savepoints = False
    """Whether an error would end the caller's transaction, and a savepoint keeps it apart."""
    has_one_cursor = False
    """Whether a connection has one cursor, which its caller is about to use."""
    has_rows_at_once = False
    """Whether the driver has all rows of a query when it has been run."""
    percent_drivers: tuple[str, ...] = ()
    """Drivers that read percent signs as parameters where a query has none, too."""
    has_shadow = True
    """Whether queries can be run both ways beside the caller's."""

    def column_types(self, driver: Any, ask: Ask, *, is_changing: bool) -> Types:
        """Types of the columns that the connection may read, by ``table`` and ``schema.table``.

        ``is_changing`` says that tables are changed in a transaction that is open.
        """
        raise NotImplementedError

    def session_time_zone(self, driver: Any, ask: Ask) -> str:
        """The time zone of the session, as it is at this moment."""
        del driver
        return str(ask(self.session_zone)[1][0][-1])

    def expected_rows(self, driver: Any, ask: Ask, statement: str, parameters: Any) -> float | None:
        """The rows that a query is expected to convert with those parameters of the driver.

        It is planned and not run. None where the database does not say.
        """
        del driver, ask, statement, parameters
        return None

    def bind(self, driver: Any) -> Bind | None:
        """Asks for the columns of a statement; None where the driver has no such call."""
        del driver
        return None

    def private(self, driver: Any) -> Any:
        """A session of its own in a database that has no other way in; None where a URL is one."""
        del driver
        return None

    def between_zones(self, column: str, from_zone: str, to_zone: str) -> str:
        """A TIMESTAMP on the clock of one zone as one on the clock of another."""
        return f"({column} AT TIME ZONE {from_zone} AT TIME ZONE {to_zone})"

"""What tzconv needs of a database; every backend has this shape and no other."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, Self

import pyarrow as pa

from tzconv.tables import Table


@dataclass(frozen=True, slots=True)
class Result:
    """The rows of a query, the names and types the database gives its columns, and the cost.

    ``rows`` has the columns in order under the names ``c0``, ``c1``, …, because names may repeat.
    ``cpu_seconds`` counts all threads of the process that ran the query.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: pa.Table
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A zone for which the database's own function has other rules than the tables, or none.

    ``first`` and ``last`` are the UTC times that were asked and answered differently; None where
    the database does not know the zone.
    """

    zone: str
    first: dt.datetime | None
    last: dt.datetime | None


class Backend(Protocol):
    """An open database. Leaving its context closes it and undoes what was not committed."""

    dialect: str

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def transaction(self, *, read_only: bool = False) -> AbstractContextManager[None]:
        """Commits at the end of its body, undoes everything when the body raises.

        ``read_only`` shows one state of the data throughout, refuses to write, and commits nothing.
        """
        ...

    def check_ours(self) -> None:
        """DatabaseError where one of our names belongs to something that we did not make."""
        ...

    def create_tables(self) -> None:
        """Create those of the tables that are missing."""
        ...

    def clear(self, table: Table) -> None:
        """Delete all rows of a conversion table."""
        ...

    def load(self, table: Table, rows: pa.RecordBatchReader) -> None:
        """Append all rows of a stream to a table."""
        ...

    def insert_release(self, row: Mapping[str, Any]) -> None:
        """Append a row to the release table."""
        ...

    def newest_release(self) -> dict[str, Any] | None:
        """The row that describes what is loaded; None in a database without one."""
        ...

    def row_counts(self) -> dict[str, int]:
        """Number of rows of each conversion table, by its short name."""
        ...

    def checksums(self, table: Table) -> dict[str, tuple[int, int, int]]:
        """For each zone the row count and two sums that :mod:`tzconv.checksums` defines."""
        ...

    def disagreements(self) -> list[Disagreement]:
        """Zones for which the database's own function and the tables differ inside the horizon.

        Asked are each UTC midnight, each transition of the tables, and a microsecond before it.
        """
        ...

    def tidy(self) -> None:
        """What the database wants after a load: statistics, or a smaller file."""
        ...

    def column_types(self) -> dict[str, dict[str, str]]:
        """Types of all columns of tables and views, by ``table`` and by ``schema.table``."""
        ...

    def session_time_zone(self) -> str:
        """The time zone of this session."""
        ...

    def set_session_time_zone(self, zone: str) -> None:
        """Set the time zone of this session; DatabaseError for one it does not know."""
        ...

    def query(self, sql: str) -> Result:
        """Run one SELECT and fetch all its rows; QueryError with the database's own message.

        QueryError also for anything else, before it runs: another statement, or several.
        """
        ...

    def now(self) -> dt.datetime:
        """The UTC time, without time zone."""
        ...

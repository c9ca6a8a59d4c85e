"""What tzconv needs of a database; every backend has this shape and no other."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv.checksums import Sums
from tzconv.posix import Int64
from tzconv.spans import Columns
from tzconv.tables import Table


@dataclass(frozen=True, slots=True)
class Result:
    """The rows of a query, the names and types the database gives its columns, and the cost.

    ``rows`` has the columns in order under the names ``c0``, ``c1``, …, because names may repeat.
    ``cpu_seconds`` counts all threads of the process that ran the query; NaN where that process is
    on another machine.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: pa.Table
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Product:
    """The database's name and version, as in ``PostgreSQL 18.4``."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Backend(Protocol):
    """An open database. Leaving its context closes it and undoes what was not committed."""

    dialect: str
    schema: str | None
    """The schema of the conversion tables; None for the one that plain names mean."""
    bytes_per_row: Mapping[str, float] | None
    """What a row takes with its index, by the short names of the tables; None: not measured."""
    ddl_commits: bool
    """Whether a statement that makes a table ends the transaction that it is part of."""
    builds_index: bool
    """Whether a first load ends with work of a server alone, while its client may do other work."""
    function_range: tuple[dt.date, dt.date] | None
    """The UTC days ``[first, end)`` for which its function has rules; None for all of them."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def product(self) -> Product:
        """What runs the database."""
        ...

    # -- transactions

    def transaction(self, *, read_only: bool = False) -> AbstractContextManager[None]:
        """Commits at the end of its body, undoes everything when the body raises.

        ``read_only`` shows one state of the data throughout, refuses to write, and commits nothing.
        """
        ...

    def lock(self) -> None:
        """Wait until no other refresh is at work on the same tables, until the transaction ends.

        It is the first thing in a transaction, before anything is written.
        DatabaseError that says who is at work, after the lock timeout given at connecting.
        """
        ...

    # -- the tables

    def check_ours(self) -> None:
        """DatabaseError where one of our names belongs to something that we did not make."""
        ...

    def migration(self) -> str | None:
        """The revision of the tables; ``base`` where they were taken back, None where none were."""
        ...

    def execute(self, statement: str) -> None:
        """Run one statement of a migration; a lock that it ends is taken again."""
        ...

    def delete_all(self, table: Table) -> None:
        """Delete every row of a conversion table."""
        ...

    def delete_zones(self, table: Table, zones: Sequence[str]) -> None:
        """Delete all rows of those zones."""
        ...

    def delete_runs(self, table: Table, runs: pa.Table) -> None:
        """Delete the rows of ``zone`` whose second key column lies from ``first`` to ``last``."""
        ...

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        """Append all rows of a stream; ``new`` says that this transaction has made the table."""
        ...

    def insert_release(self, row: Mapping[str, Any]) -> None:
        """Append a row to the release table."""
        ...

    def newest_release(self) -> dict[str, Any] | None:
        """The row that describes what is loaded; None in a database without one."""
        ...

    def offset_rows(self) -> pa.Table:
        """All rows of the offset table, sorted by its key."""
        ...

    def row_counts(self) -> dict[str, int]:
        """Number of rows of each conversion table, by its short name."""
        ...

    def sizes(self) -> dict[str, int]:
        """Bytes that each table takes with its index, by its short name."""
        ...

    def checksums(self, table: Table, zones: Iterable[str] | None = None) -> dict[str, Sums]:
        """For each zone (of ``zones``) the row count and two sums over all columns."""
        ...

    def sums_of(self, table: Table, zone: str, columns: Columns) -> Sums:
        """What ``checksums`` must find for those rows of one zone, computed here."""
        ...

    def whole(self, table: Table) -> Sums | None:
        """What ``checksums`` of all zones add up to; None where that is no faster."""
        ...

    def broken(self, table: Table, zones: Iterable[str] | None = None) -> dict[str, str]:
        """Zones whose rows break an invariant of the table, with what is wrong."""
        ...

    def beside(self) -> AbstractContextManager[Backend | None]:
        """A second connection, to ask while the first one loads; None where it is not worth it."""
        ...

    def tidy(self) -> None:
        """What the database wants after a load has been committed."""
        ...

    # -- its own time zones

    def zone_names(self, asked: Iterable[str]) -> frozenset[str]:
        """The time zone names that its function knows, in lower case: of ``asked`` at least.

        To find out may need a statement that fails: ask before a transaction that writes.
        """
        ...

    def abbreviations(self) -> frozenset[str]:
        """The names, in lower case, that its function reads as abbreviations of fixed offsets."""
        ...

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        """What its function makes of UTC times (local ones with ``to_utc``) in those zones.

        ``times`` and the answers are microseconds since 1970; ``places`` index ``names``, all of
        which the function must know.
        """
        ...

    # -- the user's own tables and queries

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

    def interrupt(self) -> None:
        """Stop what another thread runs on this connection, which then raises there."""
        ...

    def now(self) -> dt.datetime:
        """The UTC time, without time zone."""
        ...

"""The interface of an open database, and what all engines do alike.

Each engine's ``load`` module has a class of it.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv import tables
from tzconv.engines.alchemy import OURS, Alchemy, Types, with_database
from tzconv.engines.contents import Contents, StoredObjects
from tzconv.engines.invariants import invariants
from tzconv.engines.shapes import Shapes
from tzconv.errors import DatabaseError
from tzconv.sql.binder import BoundColumns, NotBoundError
from tzconv.sql.reasons import Reason
from tzconv.sql.text import constant, literal, of_zones
from tzconv.tables import Table, checksums
from tzconv.tables.checksums import Sums
from tzconv.tz.posix import Int64

if TYPE_CHECKING:
    from tzconv.sql.built import Built


@dataclass(frozen=True, slots=True)
class Result:
    """The rows of a query, the names and types the database gives its columns, and the cost.

    ``rows`` has the columns in order under the names ``c0``, ``c1``, …, because names may repeat.
    ``cpu_seconds`` counts all threads and parallel workers that ran the query; NaN if the server is
    on another machine.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: pa.Table
    seconds: float
    cpu_seconds: float = math.nan

    def tuples(self) -> list[tuple[Any, ...]]:
        """The rows as Python's values."""
        return list(zip(*(column.to_pylist() for column in self.rows.columns), strict=True))


def numbered(columns: Sequence[Any]) -> pa.Table:
    """Columns of a result under the names ``c0``, ``c1``, …"""
    return pa.table(columns, names=[f"c{place}" for place in range(len(columns))])


def column_of(values: Iterable[bytes | None], *, is_float: bool) -> pa.Array:
    """A column of a result from the server's texts: strings, or floating-point numbers."""
    texts = pa.array(values, pa.binary()).cast(pa.utf8())
    if not is_float:
        return texts
    numbers = (None if text is None else float(text) for text in texts.to_pylist())
    return pa.array(numbers, pa.float64())


class Backend(Shapes, Protocol):
    """An open database. Leaving its context closes it and undoes what was not committed."""

    dialect: str
    alchemy: ClassVar[type[Alchemy]]
    """The questions to its session."""
    not_planned: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors for a statement that is refused or has no plan."""
    ddl_dialect: str = ""
    """The dialect in which its tables are made, if it is not its own."""
    inserts_by_select: bool = False
    """Whether VALUES take one row, so that several need a SELECT each."""
    default_tables: tuple[str, ...] = ("daily", "offset", "zone")
    """The tables that are loaded by default."""
    bytes_per_row: Mapping[str, float] | None = None
    """Bytes of a row with its index, by the short names of the tables; None: not measured."""
    ddl_commits: bool = False
    """Whether CREATE TABLE ends the transaction around it."""
    lists_zones: bool = False
    """Whether to list all zones for some rows of each: a key that begins with them finds those."""
    function_range: tuple[dt.date, dt.date] | None = None
    """The UTC days ``[first, end)`` for which its function has rules; None for all of them."""
    seconds: ClassVar[str]
    """A ``{column}`` of timestamps as seconds since 1970 and ``checksums.BEFORE_1970``."""
    days: ClassVar[str]
    """A ``{column}`` of dates as days since 1970."""
    fence: ClassVar[str] = ""
    """What ends a subquery whose expressions the planner would else compute for each use."""
    clock: ClassVar[str] = ""
    """The SELECT of the server's UTC time, so that jobs on several machines agree which release is
    the newest; empty for the clock of this machine."""
    other_zones: ClassVar[str | None] = None
    """A regular expression for zones that its function takes besides the names and abbreviations
    that it lists, such as offsets; None: it is not asked whether it takes a text."""
    zone_constraint: ClassVar[str | None] = None
    """The statement that lets a {column} of a {table} hold only names of the {zones} table, by a
    {constraint}; None if the engine adds none to a table with rows. ``{unchecked}`` ends it."""
    zone_column: ClassVar[str] = ""
    """A SELECT, with these names as texts, of the name of such a constraint or NULL and of words by
    which it leaves old rows alone, if it has any; no row if it is no text column of a table."""
    snapshot: ClassVar[str] = ""
    """What follows BEGIN in a transaction that shows one state of the data and cannot write."""
    frozen: ClassVar[str] = ""
    """The same for one that can."""
    scans_ranges: ClassVar[bool] = True
    """Whether a range of times in a table of many rows is read quickly without an index."""
    _connection: Any

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None: ...

    def product(self) -> str:
        """The database's name and version, as in ``PostgreSQL 18.4``."""

    # -- transactions

    @contextlib.contextmanager
    def transaction(self, *, read_only: bool = False) -> Iterator[None]:
        """Commits at the end of its body, undoes everything if the body raises.

        ``read_only`` shows one state of the data throughout, refuses to write, and commits nothing.
        """
        with self._between(self.snapshot if read_only else "", read_only=read_only):
            yield

    def one_state(self, locked: str) -> AbstractContextManager[None]:
        """A transaction that writes and shows one state of the data, its own changes aside.

        Its turn comes when no other has locked the table ``locked``, and the state is that of then.
        """
        return self._between(self.frozen, locked=locked)

    @contextlib.contextmanager
    def _between(self, how: str, *, read_only: bool = False, locked: str = "") -> Iterator[None]:
        try:
            self._begin(how, locked)
            self._shown = {} if read_only else None
            yield
        except BaseException:
            # some errors end the transaction by themselves; closing undoes it in any case
            with contextlib.suppress(DatabaseError):
                self._run("ROLLBACK")
            raise
        finally:
            self._shown = None
        self._run("ROLLBACK" if read_only else "COMMIT")

    def lock(self) -> None:
        """Keep other refreshes of the same tables out until the transaction ends.

        It is the first thing in a transaction, before anything is written. DatabaseError that names
        the other refresh, after the lock timeout given at connecting.
        """
        return

    # -- the tables

    def check_in(self, release: Mapping[str, Any]) -> None:
        """Note in the release row that a refresh has looked, and found nothing to do."""
        with self.transaction():
            self._run(
                f"UPDATE {self.name(tables.RELEASE.name)} SET last_checked_at = "
                f"{constant(self.now())} WHERE finished_at = {constant(release['finished_at'])}"
            )

    def delete(self, table: Table, zones: Iterable[str] | None, condition: str = "") -> None:
        """Delete the rows of a conversion table (of ``zones``) that meet an SQL condition."""
        self._run(f"DELETE FROM {self.name(table.name)} {of_zones(zones, condition)}")

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        """Append all rows of a stream; ``new`` says that this transaction has made the table."""

    def derivation(self, zones: Iterable[str] | None = None) -> tuple[str, ...]:
        """Statements that compute columns of conversion tables from other rows of those zones."""
        return ()

    def row_counts(self) -> dict[str, int]:
        """Number of rows of each conversion table, by its short name."""
        counts = dict.fromkeys(tables.CONVERSIONS, 0)
        for name, table in self._existing():
            counts[name] = self._one(f"SELECT count(*) FROM {self.name(table)}")
        return counts

    def sizes(self) -> dict[str, int]:
        """Bytes of each conversion table with its index, by its short name."""
        return {name: int(self._one(self._size(table)) or 0) for name, table in self._existing()}

    def checksums(
        self, table: Table, zones: Iterable[str] | None = None, condition: str = ""
    ) -> dict[str, Sums]:
        """For each zone (of ``zones``) the count of rows that meet a condition, and two sums."""
        where = f"{of_zones(zones, condition)} {self.fence}".strip()
        if not self.has_columns(table):  # of an older revision: no row is right
            names = f"SELECT DISTINCT time_zone_name FROM {self.name(table.name)} {where}"
            return {zone: checksums.total([]) for (zone,) in self._run(names)}
        sql = checksums.sql_sums(table, self.name(table.name), self.seconds, self.days, where)
        rows = self._run(sql)
        return {zone: (int(count), int(one), int(two)) for zone, count, one, two in rows}

    def broken(
        self, table: Table, zones: Iterable[str] | None = None, condition: str = ""
    ) -> dict[str, str]:
        """Zones whose rows (those that meet a ``condition``) break an invariant, with what."""
        found: dict[str, str] = {}
        if not self.has_columns(table):  # of an older revision
            return found
        where = of_zones(zones, condition)
        for zone, wrong in self._run(invariants(table, self.name, self.seconds, where)):
            found.setdefault(zone, wrong)
        return found

    def tidy(self) -> None:
        """Maintenance after a load has been committed, such as statistics."""
        return

    def reclaim(self) -> None:
        """Return the space of tables that a refresh has emptied, outside of a transaction."""
        return

    # -- its own time zones

    def zone_names(self, names: Iterable[str]) -> frozenset[str]:
        """The time zone names that its function knows, in lower case: of ``names`` at least.

        To find out may need a statement that fails: ask before a transaction that writes.
        """
        return frozenset(
            name for (name,) in self._run("SELECT lower(name) FROM pg_timezone_names()")
        )

    def abbreviations(self) -> frozenset[str]:
        """The names, in lower case, that its function reads as abbreviations of fixed offsets."""

    def accepted(self, texts: Iterable[str]) -> dict[str, bool]:
        """Whether its function takes each of these texts as a zone; nothing if it is not asked.

        Outside of a transaction, because some statements fail. It is asked for few texts: a refusal
        takes milliseconds or is a line in the server's log.
        """
        if self.other_zones is None:
            return {}
        texts = list(texts)
        known = self.zone_names(texts) | self.abbreviations()
        found = {text: text.lower() in known for text in texts}
        for text in texts:
            if not found[text] and re.fullmatch(self.other_zones, text):
                with contextlib.suppress(DatabaseError):
                    self._run(f"SELECT TIMESTAMP '2026-01-01' AT TIME ZONE {literal(text)}")
                    found[text] = True
        return found

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        """UTC times in those zones (local times in UTC with ``to_utc``) by its own function.

        ``times`` and the answers are microseconds since 1970; ``places`` index ``names``, all of
        which the function must know.
        """

    # -- the user's own tables and queries

    def column_types(self) -> Types:
        """Types of all columns of tables and views.

        By ``table``, ``schema.table`` and ``database.schema.table``.
        """
        with self._as_user() as session:
            types, database = session.column_types(), session.database
            return with_database(types, session.ask(database)[0][0]) if database else types

    def current_schema(self) -> str | None:
        """The schema that plain names mean first; None if there is none."""
        [(found,)] = self.query("SELECT current_schema()").tuples()
        return None if found is None else str(found)

    def homes(self) -> list[tuple[str, str | None]]:
        """The schemas of the user's path with conversion tables: :meth:`Alchemy.homes`."""
        with self._as_user() as session:
            return session.homes(OURS)

    def session_time_zone(self) -> str:
        """The time zone of this session."""
        return self.alchemy(self._connection, self._run).session_time_zone()

    def set_session_time_zone(self, zone: str) -> None:
        """Set the time zone of this session; DatabaseError if the database does not know it."""
        self._run(f"SET TimeZone = {literal(zone)}")

    def view_rights(self) -> tuple[str, str | None]:
        """The options of a view that reads with its reader's rights, and a note without them."""
        return "", None

    def stored_objects(self) -> StoredObjects | None:
        """What holds results of expressions; None if that is not read on this engine."""
        return None

    def contents(self) -> Contents | None:
        """The questions of ``tzconv init`` to its catalog; None if that is not read."""
        return None

    def query(self, sql: str) -> Result:
        """Run one SELECT and fetch all its rows; QueryError with the database's own message.

        QueryError also for anything else, before it runs: another statement, or several.
        """

    def confine(self) -> None:
        """Let queries of this connection reach nothing but the database, as far as it can."""
        return

    def bind(self, sql: str) -> BoundColumns:
        """Names and types of the columns of one statement, which is not run.

        NotBoundError if the engine refuses it, or has no way to ask without running it.
        """
        with self._as_user() as session:
            bind = session.bind()
            if bind is None:
                raise NotBoundError("the driver describes no statements", is_syntax=False)
            return bind(sql)

    def expected_rows(self, sql: str) -> float | None:
        """The rows that a single statement is expected to convert; it is planned and not run.

        None without an estimate, as for one with parameters. No open transaction is disturbed.
        """
        with contextlib.suppress(*self.not_planned), self._planning() as session:
            return session.expected_rows(session.explain(sql))
        return None

    def loss(self, before: str, after: str, *known: str) -> Reason | None:
        """What the plan of a rewritten statement loses against that of the original.

        None too if the engine does not plan one of them without parameters. Nothing is run.
        """
        with contextlib.suppress(*self.not_planned), self._planning() as session:
            texts = (before, after, *known)
            return session.loss(*(session.explain(sql, is_generic=True) for sql in texts))
        return None

    def indexes(self, statement: str) -> frozenset[str] | None:
        """The indexes that the plan of a statement uses; None if the engine does not say."""
        with contextlib.suppress(*self.not_planned), self._planning() as session:
            return session.indexes(session.explain(statement, is_generic=True))
        return None

    def built(self) -> tuple[Built, ...]:
        """What the database has built for expressions that convert zones, such as indexes."""
        with self._as_user() as session:
            return session.built()

    def interrupt(self) -> None:
        """Stop what another thread runs on this connection, which then raises there."""

    def now(self) -> dt.datetime:
        """The UTC time, without time zone."""
        local = dt.datetime.now(dt.UTC).replace(tzinfo=None)
        moment: dt.datetime = self._one(self.clock) if self.clock else local
        return moment

    # -- what every backend implements for the methods above

    def _begin(self, how: str, locked: str = "") -> None:
        """Begin a transaction; ``how`` follows the BEGIN. A table is locked where others write."""
        self._run(f"BEGIN {how}")

    @contextlib.contextmanager
    def _as_user(self) -> Iterator[Alchemy]:
        """Questions that find the user's tables."""
        yield self.alchemy(self._connection, self._run)

    def _planning(self) -> AbstractContextManager[Alchemy]:
        """Questions about the plans of the user's statements."""
        return self._as_user()

    def _size(self, table: str) -> str:
        """The SELECT of the bytes of a table of that name."""

    def _existing(self) -> Iterator[tuple[str, str]]:
        """Short and full name of each conversion table that exists."""
        for short, table in tables.CONVERSIONS.items():
            if self.columns(table.name) is not None:
                yield short, table.name

    def _one(self, sql: str) -> Any:
        return self._run(sql)[0][0]

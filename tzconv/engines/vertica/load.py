"""The backend of Vertica, through vertica-python.

Two properties of Vertica shape it. DDL commits, so the tables are made before the transaction of a
refresh. There are no advisory locks, so a refresh locks the table of revisions, which no other
program writes.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import vertica_python

from tzconv import tables
from tzconv.engines.backend import Backend, Result
from tzconv.engines.locks import attempts, busy
from tzconv.engines.shapes import ColumnList, by_table
from tzconv.engines.vertica import copy, ddl, errors, login, query, questions
from tzconv.engines.vertica.alchemy import ALCHEMY, SEARCH_PATH
from tzconv.errors import DatabaseError
from tzconv.sql.text import ALEMBIC_COLUMN, identifier, literal
from tzconv.tables import Table
from tzconv.tables.checksums import BEFORE_1970
from tzconv.tz import zones
from tzconv.tz.posix import Int64

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_SEASONS = np.array(["1990-01-01", "1990-07-01"], "M8[s]").astype(np.int64)


def connect(url: URL, *, read_only: bool, schema: str | None, lock_timeout: float) -> Vertica:
    """Open the database of a ``vertica+vertica_python://`` URL; its query part goes to the driver.

    ``read_only`` changes nothing: reading takes no lock and writes nothing.
    """
    return Vertica(login.open_connection(url), schema, lock_timeout)


class Vertica(Backend):
    """An open Vertica database."""

    dialect = "vertica"
    alchemy = ALCHEMY
    default_tables: tuple[str, ...] = ("daily", "offset", "zone", "period")
    inserts_by_select = True
    ddl_commits = True
    # its function knows no daylight saving before and after these days
    function_range: tuple[dt.date, dt.date] | None = (dt.date(1902, 1, 1), dt.date(2038, 1, 1))
    # Not EXTRACT(EPOCH ...), which may read a timestamp in the time zone of the session.
    seconds = f"(DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', {{column}}) + {BEFORE_1970})"
    _create_table = staticmethod(ddl.create_table)
    type_names: ClassVar[Mapping[tables.ColumnType, str]] = {
        "name": "varchar({length})",
        "text": "varchar({length})",
        "integer": "int",
        "bigint": "int",
    }
    clock = "SELECT CLOCK_TIMESTAMP() AT TIME ZONE 'UTC'"
    days = "CAST({column} - DATE '1970-01-01' AS BIGINT)"

    def __init__(
        self, connection: vertica_python.Connection, schema: str | None, lock_timeout: float
    ) -> None:
        self._connection = connection
        self.schema = schema
        self._lock_timeout = lock_timeout
        self._locked = False
        self._can_ask = False
        self._unknown: dict[str, bool] = {}
        self._abbreviations: frozenset[str] | None = None

    def __exit__(self, *exception: object) -> None:
        with contextlib.suppress(vertica_python.errors.Error, OSError):
            if self._connection.opened():
                self._connection.close()
        self._connection.close_socket()

    def product(self) -> str:
        return f"Vertica {str(self._one('SELECT VERSION()')).rpartition(' v')[2]}"

    # -- transactions

    @contextlib.contextmanager
    def transaction(self, *, read_only: bool = False) -> Iterator[None]:
        self._run("ROLLBACK")  # ends the transaction of an earlier question; it wrote nothing
        self._can_ask = False
        self._run("BEGIN")
        try:
            yield
            self._run("ROLLBACK" if read_only else "COMMIT")
        except Exception:
            with contextlib.suppress(DatabaseError):
                self._run("ROLLBACK")
            raise
        except BaseException:
            # in the middle of an answer or of a COPY, where the server would not read a ROLLBACK
            self._connection.close_socket()
            raise
        finally:
            self._locked = self._can_ask = False

    def lock(self) -> None:
        if self.columns(tables.MIGRATION) is None:
            # the same table that Alembic would make
            self._run(
                f"CREATE TABLE IF NOT EXISTS {self.name(tables.MIGRATION)} "
                f"({ALEMBIC_COLUMN} VARCHAR(32) NOT NULL, "
                f"CONSTRAINT {tables.MIGRATION}_pkc PRIMARY KEY ({ALEMBIC_COLUMN}) DISABLED) "
                f"ORDER BY {ALEMBIC_COLUMN} UNSEGMENTED ALL NODES"
            )
        self._prepare_to_ask()
        self._run("COMMIT")  # of these two statements only
        for is_last in attempts(self._lock_timeout):
            try:
                self._run(f"LOCK TABLE {self.name(tables.MIGRATION)} IN EXCLUSIVE MODE NOWAIT")
                break
            except DatabaseError as error:
                if not isinstance(error.__cause__, vertica_python.errors.LockFailure):
                    raise
                self._run("ROLLBACK")
                if is_last:
                    raise busy(self._holder(), self._lock_timeout) from error
        self._locked = True

    def _holder(self) -> str:
        table = f"Table:{self._schema_name()}.{tables.MIGRATION}"
        found = self._run(
            "SELECT s.client_label, s.user_name FROM v_monitor.locks l "
            "JOIN v_monitor.sessions s ON s.transaction_id = l.transaction_id "
            f"WHERE {_is('l.object_name', table)} AND l.lock_mode = 'X'"
        )
        if not found:
            return "a session that this user may not see"
        return f"{found[0][0] or 'a program without a label'}, user {found[0][1]}"

    def execute(self, statement: str) -> None:
        self._run(statement)
        if self._locked and not statement.startswith(("INSERT", "UPDATE", "DELETE")):
            self.lock()  # DDL has committed, and the lock is gone

    # -- the tables

    def load(self, table: Table, rows: pa.RecordBatchReader, *, new: bool) -> None:
        self.copy(self.name(table.name), [column.name for column in table.columns], rows)

    def copy(self, name: str, columns: Sequence[str], rows: pa.RecordBatchReader) -> None:
        """Add rows to a table; DatabaseError unless the server takes all of them."""
        with tempfile.TemporaryFile() as file:
            try:
                sent = copy.write(rows, file)
                file.seek(0)
            except OSError as error:
                text = f"{tempfile.gettempdir()}: no room for the rows ({error.strerror})."
                raise DatabaseError(text) from error
            with errors.as_error():
                cursor = self._connection.cursor()
                cursor.copy(copy.statement(name, columns), file)
                while cursor.nextset():  # an error may follow the last row
                    pass
        [[accepted, rejected]] = self._run(
            "SELECT GET_NUM_ACCEPTED_ROWS(), GET_NUM_REJECTED_ROWS()"
        )
        if (accepted, rejected) != (sent, 0):
            raise DatabaseError(
                f"Vertica took {accepted:,} of {sent:,} rows into {name} and rejected "
                f"{rejected:,}: nothing was changed; please report this."
            )

    def _size(self, table: str) -> str:
        return (  # all copies on all nodes
            "SELECT SUM(used_bytes) FROM v_monitor.projection_storage "
            f"WHERE {_is('anchor_table_schema', self._schema_name())} "
            f"AND {_is('anchor_table_name', table)}"
        )

    def tidy(self) -> None:
        """Renew the statistics, after everything else because that commits."""
        schema = self._schema_name()
        for table in tables.ALL:
            name = f"{identifier(schema)}.{table.name}" if schema else table.name
            try:
                self._run(f"SELECT ANALYZE_STATISTICS({literal(name)})")
                self._run("COMMIT")  # hold no lock while waiting for the next table
            except DatabaseError as error:
                raise DatabaseError(
                    f"The tables are loaded, but the statistics of {table.name} are old: "
                    f"{str(error).removeprefix(errors.PREFIX)}"
                ) from error

    # -- its own time zones

    def zone_names(self, names: Iterable[str]) -> frozenset[str]:
        # no table of the catalog lists them: the function is asked, and refuses unknown names
        new = sorted(set(names) - self._unknown.keys())
        if new:
            self._send(new, np.arange(len(new), dtype=np.int32), np.zeros(len(new), np.int64))
            unknown = questions.unknown(len(new), self._is_refused)
            self._unknown |= {name: place in unknown for place, name in enumerate(new)}
            self._run(questions.EMPTY)
        return frozenset(name.lower() for name, unknown in self._unknown.items() if not unknown)

    def _is_refused(self, select: str) -> bool:
        self._run("SAVEPOINT tzconv_question")
        try:
            self._run(select)
        except DatabaseError:
            self._run("ROLLBACK TO SAVEPOINT tzconv_question")
            return True
        return False

    def abbreviations(self) -> frozenset[str]:
        # Such a name has the same offset in January and July, but its zone's rules have two. Names
        # with a slash are never abbreviations.
        if self._abbreviations is None:
            rules, candidates = zones.installed(), []
            names = [name for name in rules.names if "/" not in name]
            known = self.zone_names(names)
            for name in names:
                starts, offsets = rules.zone(name).offset_changes(int(_SEASONS[1]) + 1)
                winter, summer = offsets[np.searchsorted(starts, _SEASONS, "right") - 1]
                if winter != summer and name.lower() in known:
                    candidates.append(name)
            places = np.arange(len(candidates), dtype=np.int32).repeat(2)
            times = np.tile(_SEASONS * 1_000_000, len(candidates))
            shifts = self.convert(candidates, places, times, to_utc=False) - times
            self._abbreviations = frozenset(
                name.lower()
                for name, winter, summer in zip(candidates, shifts[::2], shifts[1::2], strict=True)
                if winter == summer
            )
        return self._abbreviations

    def convert(
        self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64, *, to_utc: bool
    ) -> Int64:
        if not len(times):
            return np.empty(0, np.int64)
        order = np.lexsort((times, places))  # questions with the same answer are neighbours
        self._send(names, places[order], times[order])
        rows = self._run(questions.shifts(to_utc=to_utc))
        self._run(questions.EMPTY)
        return questions.answers(rows, times, order)

    def _send(self, names: Sequence[str], places: npt.NDArray[np.int32], times: Int64) -> None:
        if not self._can_ask:
            self._prepare_to_ask()
        rows = questions.stream(names, places, times)
        self.copy(questions.TABLE, questions.COLUMNS, rows)

    def _prepare_to_ask(self) -> None:
        """Make the temporary table, before anything is written because this may commit."""
        self._run(questions.CREATE)
        self._can_ask = True

    # -- the user's own tables and queries

    def search_path(self) -> str:
        """The search path, as SET SEARCH_PATH takes it."""
        return str(self._run(SEARCH_PATH)[0][1])

    def set_session_time_zone(self, zone: str) -> None:
        self._run(f"SET TIME ZONE TO {literal(zone)}")

    def query(self, sql: str) -> Result:
        return query.run(self._connection, sql)

    def interrupt(self) -> None:
        with errors.as_error():
            self._connection.cancel()

    def _has_schema(self) -> bool:
        if self.schema is None:
            return self._schema_name() is not None
        known = f"SELECT 1 FROM v_catalog.schemata WHERE {_is('schema_name', self.schema)}"
        return bool(self._run(known))

    def _schema_name(self) -> str | None:
        return self._one("SELECT CURRENT_SCHEMA()") if self.schema is None else self.schema

    def _columns(self, names: Iterable[str]) -> dict[str, ColumnList]:
        schema, found, missing = self._schema_name(), dict[str, ColumnList](), [*names]
        for view in ("columns", "view_columns"):
            rows = self._run(
                "SELECT LOWER(table_name), LOWER(column_name), LOWER(data_type) "
                f"FROM v_catalog.{view} WHERE {_is('table_schema', schema)} "
                f"AND LOWER(table_name) IN ({', '.join(map(literal, missing))}) "
                "ORDER BY ordinal_position"
            )
            found |= by_table(rows)
            missing = [name for name in missing if name not in found]
            if not missing:
                break
        return found

    def _kind(self, table: str) -> str:
        schema = _is("schema_name", self._schema_name())
        found = self._run(
            "SELECT table_type FROM v_catalog.all_tables "
            f"WHERE {schema} AND {_is('table_name', table)}"
        )
        return str(found[0][0]).lower() if found else "relation of another kind"

    def _run(self, sql: str) -> list[Any]:
        with errors.as_error():
            cursor = self._connection.cursor()
            cursor.execute(sql)
            rows: list[Any] = cursor.fetchall()
            while cursor.nextset():  # an error may come after the rows
                pass
            return rows


def _is(column: str, name: str | None) -> str:
    # Vertica's names are equal if they differ in case only
    return f"LOWER({column}) = LOWER({literal(name or '')})"

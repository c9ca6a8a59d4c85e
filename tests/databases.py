"""A fresh database of each kind that the tables can be loaded into, for tests that hold for all."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyarrow import csv

from tests import postgres, vertica_server
from tests.engines.vertica import sent
from tests.vertica_server.client import connect, run
from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.engines.vertica import query
from tzconv.errors import DatabaseError
from tzconv.refresher import refresh
from tzconv.tables import Table, checksums, generate
from tzconv.tables.checksums import Sums
from tzconv.tz import numbers, zones
from tzconv.tz.horizon import OFFSETS_UNTIL, Horizon, seconds_of
from tzconv.tz.periods import Numbers
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Rules

INDEXES_CONVERSIONS = tuple(map(int, duckdb.__version__.split(".")[:3])) < (2, 0, 1)
"""Newer releases of DuckDB refuse an index on a conversion, and writing to a table with one."""
IS_DUCKDB_1 = duckdb.__version__.startswith("1.")
"""`make test-duckdb` runs the tests on such a release."""


@dataclass(frozen=True)
class Database:
    """``run`` looks at it past tzconv, on a connection of its own: with a Vertica, on one to the
    PostgreSQL that keeps its data.
    """

    kind: str
    url: str
    server: postgres.Server | None = None
    name: str = ""
    vertica: vertica_server.Server | None = None
    queries: list[str] = field(default_factory=list)
    """Statements that went through a session of tzconv and are not its own."""

    @property
    def path(self) -> Path:
        return Path(self.url.removeprefix("duckdb:///"))

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements and commit; the rows of the last one."""
        rows: list[tuple[Any, ...]] = []
        if self.server is None:
            with duckdb.connect(self.path) as database:
                for statement in statements:
                    rows = database.execute(statement).fetchall()
            return rows
        with self.server.connect(self.name) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
                rows = list(cursor.fetchall()) if cursor.description else []
        return rows

    def apply(self, *statements: str) -> None:
        """Run a script in the database's own dialect, and commit."""
        if self.vertica is None:
            self.run(*statements)
            return
        with connect(self.vertica) as connection:
            for statement in (*statements, "COMMIT"):
                run(connection, statement)

    def contents(self) -> dict[str, list[Any]]:
        """All rows of all tables."""
        return {
            table.name: self.run(
                f"SELECT {', '.join(column.name for column in table.columns)} "
                f"FROM {table.name} ORDER BY {', '.join(table.key)}"
            )
            for table in tables.ALL
        }

    def state(self) -> object:
        """Something that any write changes."""
        if self.server is None:
            return self.path.stat().st_mtime_ns, self.path.stat().st_size
        # only writing transactions get a number
        return self.run(
            "SELECT pg_snapshot_xmax(pg_current_snapshot())::text, "
            "(SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relkind IN ('r', 'i'))::text"
        )

    def _rows(self, name: str, columns: str) -> pa.Table:
        """All rows of a table, without a Python object for each value."""
        query = f"SELECT {columns} FROM {tables.CONVERSIONS[name].name}"
        if self.server is None:
            with duckdb.connect(self.path) as database:
                return database.sql(query).to_arrow_table()
        types = {
            field.name: pa.utf8() if field.name == "time_zone_name" else field.type
            for field in generate.arrow_schema(name)
        }
        statement = f"COPY ({query}) TO STDOUT (FORMAT csv, HEADER)"
        with (
            self.server.connect(self.name) as connection,
            connection.cursor().copy(statement) as copy,
        ):
            text = b"".join(bytes(part) for part in copy)
        options = csv.ConvertOptions(
            column_types=types,
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        return csv.read_csv(io.BytesIO(text), convert_options=options)

    def assert_holds(
        self, rules: Rules, names: list[str], horizon: Horizon, without: tuple[str, ...] = ()
    ) -> None:
        """Row for row what the generator says, by DuckDB and not by checksums."""
        with duckdb.connect() as judge:
            ids, shared = (
                dict(self.run(f"SELECT time_zone_name, {column} FROM {tables.ZONE.name}"))
                for column in ("zone_id", "rules_id")
            )
            assert len(set(ids.values())) == len(ids)
            end = seconds_of(horizon.offset_end)
            taken = numbers.numbered(rules, names, Numbers(ids, shared), end)
            numbered = rules.with_numbers(taken)
            for name, table in tables.CONVERSIONS.items():
                if name in without:
                    continue
                expected = generate.stream(name, numbered, names, horizon).read_all()
                columns = ", ".join(column.name for column in table.columns)
                judge.register("expected", expected)
                judge.register("found", self._rows(name, columns))
                # as EXCEPT ALL in both directions, with a fifth of the work
                difference = judge.execute(
                    f"SELECT count(*) FROM (SELECT {columns} FROM ("
                    f"SELECT {columns}, 1 AS rows FROM expected UNION ALL "
                    f"SELECT {columns}, -1 FROM found) GROUP BY ALL HAVING sum(rows) <> 0)"
                ).fetchall()
                assert difference == [(0,)], name


def sums_of(table: Table, columns: Columns) -> Sums:
    """The checksums of one zone's rows."""
    [found] = checksums.of_runs(table, columns, [len(next(iter(columns.values())))])
    return found


def numbered_all() -> Rules:
    """The installed rules, with the numbers that all their names get in a new database."""
    rules = zones.installed()
    end = seconds_of(OFFSETS_UNTIL)
    return rules.with_numbers(numbers.numbered(rules, rules.names, Numbers(), end))


def vertica_of(database: Database) -> vertica_server.Server:
    """The server of a database that is a Vertica."""
    assert database.vertica is not None
    return database.vertica


KINDS = ("duckdb", "postgres", "vertica")
ALL = tuple(tables.CONVERSIONS)
FREE: dict[str, Any] = {"allow": ("delete", "drop", "older")}
"""Of a refresh that may do what it is told."""


def quiet(url: str) -> str:
    """A URL of a Vertica without TLS, which its driver would ask for."""
    return f"{url}?tlsmode=disable"


@contextlib.contextmanager
def _queries_of_users() -> Iterator[list[str]]:
    """The queries that are not tzconv's own, as they come."""
    queries: list[str] = []
    run_query = query.run

    def remembering(connection: Any, sql: str) -> Any:
        queries.append(sql)
        return run_query(connection, sql)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query, "run", remembering)
        yield queries


@contextlib.contextmanager
def fresh(kind: str, folder: Path, server: postgres.Server | None) -> Iterator[Database]:
    """An empty database; a file in ``folder``, or one of the server."""
    if kind == "duckdb":
        yield Database(kind, f"duckdb:///{folder}/tz.duckdb")
        return
    assert server is not None
    if kind == "vertica":
        with vertica_server.running(server) as vertica, _queries_of_users() as queries:
            url, name = quiet(vertica.url()), vertica.postgres_database
            yield Database(kind, url, server, name, vertica, queries)
            ours = sent.ours(vertica.statements, queries)
        unknown = sent.unknown(ours)
        assert not unknown, unknown[0]
        return
    name = f"t{abs(hash(str(folder)))}"
    yield Database(kind, server.fresh(name), server, name)
    server.drop(name)


START, END = dt.date(2026, 1, 1), dt.date(2026, 2, 1)


def small(database: str | Backend, *names: str, **other: object) -> bool:
    """Refresh a month of a few zones (UTC); whether anything was changed."""
    given = {"zones": names or ("UTC",), "start": START, "end": END, "tables": ALL, **FREE, **other}
    return refresh(database, **given).changed  # type: ignore[arg-type] # each as refresh takes it


def message(url: str, *names: str, **options: object) -> str:
    """What a small refresh that fails says: one sentence without a password."""
    with pytest.raises(DatabaseError) as caught:
        small(url, *names, **options)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(".")
    assert "s3cret" not in said
    return said

"""Engines with the tables of tests.people.data, that run a statement and say all that it did."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import duckdb
import psycopg
import pyarrow as pa
from psycopg.types.string import TextLoader

from tests import events_redshift, events_vertica, postgres
from tests.people import Statement, data
from tzconv import tables
from tzconv.refresher import refresh

Result: TypeAlias = tuple[list[object], Counter[str]]
"""Names and types of the columns, and how often each row came."""

_WRITES = re.compile(
    r"""^(?!--).*?\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|(?:TABLE|VIEW)(?:\s+IF\s+NOT\s+EXISTS)?)
    \s+(?!(?:SET|OF|ON)\b)("?\w+"?)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_EXPLAIN = re.compile(r"\bEXPLAIN\b(?:\s*\([^)]*\)|\s+ANALYZE|\s+VERBOSE)*", re.IGNORECASE)
_DATABASE = re.compile(r'"?shop"?\.(?="?public)')
"""The database of names with three parts: what it is called in a test is known then."""
_CONTINUOUS = re.compile(r"\bWITH\s*\(\s*timescaledb[^)]*\)", re.IGNORECASE)
_EXTENSIONS = """
CREATE FUNCTION time_bucket(width interval, ts timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT date_bin(width, ts, '2000-01-03') $$;
CREATE FUNCTION time_bucket(width interval, ts timestamptz) RETURNS timestamptz LANGUAGE sql STABLE
    AS $$ SELECT date_bin(width, ts, '2000-01-03 00:00:00+00') $$;
CREATE FUNCTION time_bucket(width interval, ts timestamptz, zone text) RETURNS timestamptz
    LANGUAGE sql STABLE AS $$
    SELECT date_bin(width, ts AT TIME ZONE zone, '2000-01-03') AT TIME ZONE zone $$;
"""
"""What other products add to PostgreSQL."""


class Database(Protocol):
    """An engine that runs statements and forgets what they did."""

    connection: Any

    def results(self, statement: Statement, *texts: str) -> list[list[Result]]:
        """What each text returns and leaves behind, each on the same data at the same time."""


def _written(text: str) -> list[str]:
    return [*dict.fromkeys(_WRITES.findall(text))]


class Postgres:
    """A PostgreSQL, for its own dialect and for those that it stands for."""

    def __init__(
        self, server: postgres.Server, prepare: str = "", word: Callable[[str], str] = str
    ) -> None:
        url = server.fresh(f"people{id(self)}")
        self.word = word
        self.connection = psycopg.connect(
            url.replace("+psycopg", ""), autocommit=True, prepare_threshold=None
        )
        for kind in ("timestamp", "timestamptz", "date", "time", "interval", "json", "jsonb"):
            self.connection.adapters.register_loader(kind, TextLoader)
        _load_postgres(self.connection)
        refresh(url, zones=tuple(data.ZONES), tables=tuple(tables.CONVERSIONS))
        self.connection.execute(_EXTENSIONS + prepare)
        self.connection.execute("SELECT set_config('app.tz', 'America/Chicago', false)")

    def results(self, statement: Statement, *texts: str) -> list[list[Result]]:
        found = []
        self.connection.execute("BEGIN")
        try:
            for text in map(statement.rendered, texts):
                self.connection.execute("SAVEPOINT before")
                found.append(self._results(statement, text))
                self.connection.execute("ROLLBACK TO SAVEPOINT before")
        finally:
            self.connection.execute("ROLLBACK")
        return found

    def _results(self, statement: Statement, text: str) -> list[Result]:
        text = _CONTINUOUS.sub("", _EXPLAIN.sub("", self.word(text)))
        text = _DATABASE.sub(f'"{self.connection.info.dbname}".', text)
        text = _with_values(re.sub(r"(?m)^\\\w.*\n", "", text), statement.given)
        if re.match(r"(?:--[^\n]*\n|\s)*COPY\b", text):
            with self.connection.cursor().copy(text) as copy:
                return [(["COPY"], Counter(b"".join(copy).decode().splitlines()))]
        cursor = self.connection.execute(text)
        found = [_result(cursor)] if cursor.description else []
        while cursor.nextset():
            found += [_result(cursor)] if cursor.description else []
        for table in _written(text):
            cursor = self.connection.execute(f"SELECT * FROM {table}")
            found.append(_result(cursor))
        return found


def _result(cursor: psycopg.Cursor[Any]) -> Result:
    columns: list[object] = [
        (column.name, column.type_code, column.precision, column.scale)
        for column in cursor.description or []
    ]
    return columns, Counter(map(str, cursor.fetchall()))


def _with_values(text: str, given: dict[str, str]) -> str:
    """A statement with parameters as one that a session can run."""
    numbered = {name: value for name, value in given.items() if name[1:].isdigit()}
    for name, value in given.items():
        if name not in numbered:
            text = re.sub(rf"(?<!:){re.escape(name)}(?!\w)", value, text)
    if numbered:
        values = ", ".join(value for _, value in sorted(numbered.items()))
        text = f"DEALLOCATE ALL; PREPARE people AS {text}\n; EXECUTE people({values})"
    return text


def _load_postgres(connection: psycopg.Connection[Any]) -> None:
    connection.execute(data.ddl("postgres"))
    with tempfile.TemporaryDirectory() as folder:
        for table, path in data.csv_files(Path(folder)).items():
            with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT csv)") as copy:
                copy.write(path.read_bytes())
    connection.execute(
        "CREATE INDEX ON orders (created_at); CREATE INDEX ON page_views (viewed_at); ANALYZE"
    )


def vertica(server: postgres.Server) -> Postgres:
    """PostgreSQL with Vertica's functions."""
    return Postgres(server, events_vertica.FUNCTIONS, events_vertica.transliterated)


def redshift(server: postgres.Server) -> Postgres:
    """PostgreSQL with Redshift's functions, which read gaps and folds in the other way."""
    functions = events_redshift.FUNCTIONS + events_redshift.OTHERWISE
    return Postgres(server, functions, events_redshift.transliterated)


class DuckDB:
    """A DuckDB in memory."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "people.duckdb"
            refresh(f"duckdb:///{file}", zones=tuple(data.ZONES), tables=tuple(tables.CONVERSIONS))
            self.connection = duckdb.connect()
            self.connection.execute(
                f"SET TimeZone = 'UTC'; SET threads = 2; ATTACH '{file}' AS made"
            )
            self.connection.execute("COPY FROM DATABASE made TO memory; DETACH made")
            self.connection.execute(data.ddl("duckdb"))
            for table, path in data.csv_files(Path(folder)).items():
                self.connection.execute(f"COPY {table} FROM '{path}' (FORMAT csv, HEADER false)")

    def results(self, statement: Statement, *texts: str) -> list[list[Result]]:
        # now() is that of a transaction; without savepoints, what writes needs one for each text
        texts = tuple(map(statement.rendered, texts))
        groups = [[text] for text in texts] if _written(texts[0]) else [texts]
        found = []
        for group in groups:
            self.connection.execute("BEGIN")
            try:
                found += [self._results(statement, text) for text in group]
            finally:
                self.connection.execute("ROLLBACK")
        return found

    def _results(self, statement: Statement, text: str) -> list[Result]:
        values = [value.strip("'") for value in statement.given.values()]
        texts = _EXPLAIN.sub("", text).rstrip().removesuffix(";").split(";\n")
        found = [self._rows(each, values) for each in texts]
        return found + [self._rows(f"SELECT * FROM {table}", []) for table in _written(text)]

    def _rows(self, sql: str, values: list[str]) -> Result:
        relation: Any = self.connection.sql(sql, params=values or None)
        if relation is None:  # no query: it has run
            return [], Counter()
        columns = [*zip(relation.columns, map(str, relation.types), strict=True)]
        made = relation.to_arrow_table()
        # as text, because what Python knows of time zones is not asked here
        values_of = [
            column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column
            for column in made.columns
        ]
        rows = zip(*(column.to_pylist() for column in values_of), strict=True)
        return list(columns), Counter(map(str, rows))


def _duckdb(server: postgres.Server) -> DuckDB:
    del server
    return DuckDB()


OPEN: dict[str, Callable[[postgres.Server], Database]] = {
    "postgres": Postgres,
    "redshift": redshift,
    "duckdb": _duckdb,
    "vertica": vertica,
}
"""The engines that run in the usual tests."""


class Opened(dict[str, Database]):
    """The engines by name, each made when it is first asked for."""

    def __init__(self, server: postgres.Server) -> None:
        self.server = server

    def close(self) -> None:
        """Close all of them."""
        for database in self.values():
            database.connection.close()

    def __missing__(self, dialect: str) -> Database:
        return self.setdefault(dialect, OPEN[dialect](self.server))

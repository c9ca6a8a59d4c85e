"""The queries of tests/corpus, and the engines with the events that they run on."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import TypeVar

from tests import ROOT, events, events_postgres, events_redshift, events_vertica, postgres
from tzconv.rewriter import Rewrite, rewrite

T = TypeVar("T")
FOLDER = ROOT / "tests" / "corpus"


def parts(file: str) -> Iterator[tuple[str, list[str], str]]:
    """Name, marks and text of each query of a file."""
    for part in (FOLDER / f"{file}.sql").read_text().split("-- >>> ")[1:]:
        head, _, text = part.partition("\n")
        name, *marks = head.split()
        yield name, marks, text.rstrip("\n")


def corpus(dialect: str, *files: str) -> dict[str, tuple[str, bool]]:
    """Query and whether it must change, by name."""
    queries: dict[str, tuple[str, bool]] = {}
    for name, marks, text in (part for file in files for part in parts(file)):
        assert name not in queries, f"two queries are named {name}"
        unknown = {mark for mark in marks if not mark.isdigit()} - {"duckdb:2"}
        if "duckdb:2" in marks and version("duckdb") < "2":
            continue  # an older one cannot run it
        assert unknown <= {"!left", "!left:duckdb", "!left:postgres"}, name
        queries[name] = (text, not {"!left", f"!left:{dialect}"} & set(marks))
    return queries


SHARE = int(os.environ.get("TZCONV_ONE_QUERY_OF", "3"))
"""Of queries for another engine, and of what is tried with each query, one of so many is run."""


def in_turn(values: Iterable[T], place: int) -> list[T]:
    """One of ``SHARE`` values, those of the next place tomorrow; with 1, all of them."""
    return list(values)[(place + int(os.environ["TZCONV_TURN"])) % SHARE :: SHARE]


CORPORA = {
    "duckdb": corpus("duckdb", "duckdb", "shapes"),
    "postgres": corpus("postgres", "postgres", "shapes"),
    "redshift": corpus("redshift", "redshift"),
    "vertica": corpus("vertica", "vertica"),
}
_LOADS = {
    "postgres": (events_postgres.load,),
    "redshift": events_redshift.LOADS,
    "vertica": (events_postgres.load, events_vertica.functions),
}
_STANDS_FOR = {
    "redshift": events_redshift.transliterated,
    "vertica": events_vertica.transliterated,
}


class NothingLost:
    """A planner to whom no plan loses anything."""

    def loss(self, before: str, after: str, *known: str) -> None:
        del before, after, known

    def indexes(self, statement: str) -> None:
        del statement


class Database:
    """One engine with the events, and the types of its tables; PostgreSQL stands for some."""

    def __init__(
        self,
        dialect: str,
        server: postgres.Server | None = None,
        *loads: Callable[[str], None],
    ) -> None:
        self.dialect = dialect
        if dialect == "duckdb":
            self.duckdb = events.connect()
            self.types = events.column_types(self.duckdb)
        else:
            assert server is not None
            self.postgres = events_postgres.connect(server.loaded(*(loads or _LOADS[dialect])))
            self.types = events_postgres.column_types(self.postgres)

        self._rewritten: dict[tuple[str, str | None, bool], Rewrite] = {}

    def rewrite(
        self, sql: str, strategy: str | None = None, *, is_planned: bool = False
    ) -> Rewrite:
        """Rewrite a text; once, because several tests look at the result.

        What a text alone leaves, for fear of a sort or of a guess, is rewritten if a plan loses
        nothing by it, as with ``is_planned``.
        """
        key = (sql, strategy, is_planned)
        if key not in self._rewritten:
            plans = NothingLost() if is_planned else None
            self._rewritten[key] = rewrite(
                sql, dialect=self.dialect, schema=self.types, strategy=strategy, plans=plans
            )
        return self._rewritten[key]

    def execute(self, sql: str) -> None:
        if self.dialect == "duckdb":
            self.duckdb.execute(sql)
        else:
            self.postgres.execute(sql)

    def close(self) -> None:
        if self.dialect == "duckdb":
            self.duckdb.close()
        else:
            self.postgres.close()

    def rows_of(self, sql: str) -> tuple[list[object], Counter[str]]:
        """Names and types of the columns, and how often each row came."""
        [rows] = self.rows_of_each(sql)
        return rows

    def rows_of_each(self, *texts: str) -> list[tuple[list[object], Counter[str]]]:
        """The same of several texts, in one transaction: NOW() is the same for all."""
        self.execute("BEGIN")
        try:
            return [self._rows_of(sql) for sql in texts]
        finally:
            self.execute("ROLLBACK")

    def _rows_of(self, sql: str) -> tuple[list[object], Counter[str]]:
        if self.dialect in _STANDS_FOR:
            sql = _STANDS_FOR[self.dialect](sql)
        made = re.match(r"(INSERT INTO|CREATE (TABLE|MATERIALIZED VIEW|VIEW)) (\w+)", sql)
        if made:
            self.execute(sql)
            sql = f"SELECT * FROM {made[3]}"
        if self.dialect == "duckdb":
            rows = events.rows_of(self.duckdb, sql)
        else:
            rows = events_postgres.rows_of(self.postgres, sql)
        if made:  # the next text makes it anew
            self.execute(f"DROP {made[2]} {made[3]}" if made[2] else f"DELETE FROM {made[3]}")
        return rows


def check_bytes(sql: str, result: Rewrite) -> None:
    """The output without what was put in is the input without what was taken out."""
    position, output = 0, 0
    for change in result.changes:
        kept = sql[position : change.start]
        assert result.sql[output : output + len(kept)] == kept
        assert sql[change.start : change.end] == change.before
        output += len(kept)
        assert result.sql[output : output + len(change.after)] == change.after
        output += len(change.after)
        position = change.end
    assert result.sql[output:] == sql[position:]

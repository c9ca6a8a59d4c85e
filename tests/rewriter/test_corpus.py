"""Every query of the corpora, run as it was and as it was rewritten, on the same data."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator

import pytest

from tests import ROOT, events, events_postgres, events_vertica, postgres
from tzconv.rewriter import Rewrite, rewrite
from tzconv.rewriter.strategies import STRATEGIES

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
        unknown = {mark for mark in marks if not mark.isdigit()}
        assert unknown <= {"!left", "!left:duckdb", "!left:postgres"}, name
        queries[name] = (text, not {"!left", f"!left:{dialect}"} & set(marks))
    return queries


CORPORA = {
    "duckdb": corpus("duckdb", "duckdb", "shapes"),
    "postgres": corpus("postgres", "postgres", "shapes"),
    "vertica": corpus("vertica", "vertica"),
}
EVERY = [(dialect, name) for dialect, queries in CORPORA.items() for name in queries]


class Database:
    """One engine with the events, and the types of its tables; PostgreSQL stands for Vertica."""

    def __init__(self, url: str | None, dialect: str = "postgres") -> None:
        if url is None:
            self.dialect, self.duckdb = "duckdb", events.connect()
            self.types = events.column_types(self.duckdb)
        else:
            (events_postgres if dialect == "postgres" else events_vertica).load(url)
            self.dialect, self.postgres = dialect, events_postgres.connect(url)
            self.types = events_postgres.column_types(self.postgres)

    def rewrite(self, sql: str, strategy: str | None = None) -> Rewrite:
        return rewrite(sql, dialect=self.dialect, schema=self.types, strategy=strategy)

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
        if self.dialect == "vertica":
            sql = events_vertica.transliterated(sql)
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


@pytest.fixture(scope="module")
def databases(server: postgres.Server) -> Iterator[dict[str, Database]]:
    made = {"duckdb": Database(None), "postgres": Database(server.fresh("corpus"))}
    made["vertica"] = Database(server.fresh("corpus_vertica"), "vertica")
    yield made
    for database in made.values():
        database.close()


@pytest.mark.parametrize(("dialect", "name"), EVERY)
def test_same_rows(dialect: str, name: str, databases: dict[str, Database]) -> None:
    database = databases[dialect]
    sql, must_change = CORPORA[dialect][name]
    result = database.rewrite(sql)
    assert bool(result.changes) == must_change, result.left
    assert must_change or result.sql == sql
    if not must_change and not name.startswith("constants_only"):
        assert result.left, "what is left has a reason"
    before, after = database.rows_of_each(sql, result.sql)
    assert sum(before[1].values()) > 0, "a query without rows proves nothing"
    assert after == before


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_the_text_stays_short(dialect: str, databases: dict[str, Database]) -> None:
    """A rewritten text is reviewed by people."""
    results = {name: databases[dialect].rewrite(sql) for name, (sql, _) in CORPORA[dialect].items()}
    growth = {
        name: len(result.sql) / len(CORPORA[dialect][name][0])
        for name, result in results.items()
        if result.changes
    }
    assert statistics.median(growth.values()) <= 3
    assert {name: times for name, times in growth.items() if times > 8} == {}


@pytest.mark.parametrize("name", CORPORA["postgres"])
def test_same_rows_where_many_are_expected(name: str, databases: dict[str, Database]) -> None:
    """The engine's estimate chooses another relation to join for short windows."""
    database = databases["postgres"]
    sql, _ = CORPORA["postgres"][name]
    result = rewrite(sql, dialect="postgres", schema=database.types, rows=lambda _: 1e9)
    before, after = database.rows_of_each(sql, result.sql)
    assert before == after
    again = rewrite(result.sql, dialect="postgres", schema=database.types, rows=lambda _: 1e9)
    assert again.sql == result.sql


@pytest.mark.parametrize(("dialect", "name"), EVERY)
def test_second_pass_changes_nothing(
    dialect: str, name: str, databases: dict[str, Database]
) -> None:
    once = databases[dialect].rewrite(CORPORA[dialect][name][0])
    assert databases[dialect].rewrite(once.sql).sql == once.sql


@pytest.mark.parametrize(("dialect", "name"), EVERY)
def test_bytes_outside_the_edits_stay(
    dialect: str, name: str, databases: dict[str, Database]
) -> None:
    sql = CORPORA[dialect][name][0].replace("\n", "\r\n").replace("  ", "\t")
    check_bytes(sql, databases[dialect].rewrite(sql))


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


ONE_ENGINE_ONLY = {"array": ["postgres"], "columns": ["duckdb"], "period": ["duckdb"]}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("dialect", CORPORA)
def test_each_strategy_alone(dialect: str, strategy: str, databases: dict[str, Database]) -> None:
    database = databases[dialect]
    changed = 0
    for name, (sql, _) in CORPORA[dialect].items():
        result = database.rewrite(sql, strategy)
        assert {change.strategy for change in result.changes} <= {strategy}
        if result.changes:
            changed += 1
            before, after = database.rows_of_each(sql, result.sql)
            assert after == before, name
    assert (changed > 2) == (dialect in ONE_ENGINE_ONLY.get(strategy, [dialect]))


@pytest.mark.parametrize("dialect", CORPORA)
def test_most_sites_are_changed(dialect: str, databases: dict[str, Database]) -> None:
    changed = left = 0
    for sql, _ in CORPORA[dialect].values():
        result = databases[dialect].rewrite(sql)
        changed += sum(
            # neither an inserted condition nor a relation that became a derived table
            bool(change.before) and not re.match(r"\(\s+SELECT", change.after)
            for change in result.changes
        )
        left += len(result.left)
    assert changed >= 4 * left

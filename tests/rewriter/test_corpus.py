"""Every query of the corpora, run as it was and as it was rewritten, on the same data."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator

import pytest

from tests import postgres
from tests.corpora import CORPORA, Database, check_bytes
from tzconv.rewriter import rewrite
from tzconv.rewriter.strategies import STRATEGIES

EVERY = [(dialect, name) for dialect, queries in CORPORA.items() for name in queries]


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

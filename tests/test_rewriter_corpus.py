"""Every query of the corpus, run as it was and as it was rewritten, on the same data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests import events
from tzconv.rewriter import Rewrite, rewrite
from tzconv.rewriter.strategies import STRATEGIES

CORPUS = Path(__file__).parent / "corpus" / "duckdb.sql"


def corpus() -> dict[str, tuple[str, bool]]:
    """Query and whether it must change, by name."""
    queries: dict[str, tuple[str, bool]] = {}
    for part in CORPUS.read_text().split("-- >>> ")[1:]:
        head, _, text = part.partition("\n")
        name, _, mark = head.partition(" ")
        assert name not in queries, f"two queries are named {name}"
        queries[name] = (text.rstrip("\n"), mark != "!left")
    return queries


QUERIES = corpus()


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = events.connect()
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def types(database: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    return events.column_types(database)


def run(database: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[object], Counter[str]]:
    """Names and types of the columns, and how often each row came."""
    made = re.match(r"(?:INSERT INTO|CREATE TABLE) (\w+)", sql)
    if made:
        database.execute(sql)
        sql = f"SELECT * FROM {made[1]}"
    return events.rows_of(database, sql)


def rows_of(database: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[object], Counter[str]]:
    database.execute("BEGIN")
    try:
        return run(database, sql)
    finally:
        database.execute("ROLLBACK")


@pytest.mark.parametrize("name", QUERIES)
def test_same_rows(
    name: str, database: duckdb.DuckDBPyConnection, types: dict[str, dict[str, str]]
) -> None:
    sql, must_change = QUERIES[name]
    result = rewrite(sql, schema=types)
    assert bool(result.changes) == must_change, result.left
    assert must_change or result.sql == sql
    if not must_change and name != "constants_only":
        assert result.left, "what is left has a reason"
    columns, rows = rows_of(database, sql)
    assert sum(rows.values()) > 0, "a query without rows proves nothing"
    assert rows_of(database, result.sql) == (columns, rows)


@pytest.mark.parametrize("name", QUERIES)
def test_second_pass_changes_nothing(name: str, types: dict[str, dict[str, str]]) -> None:
    once = rewrite(QUERIES[name][0], schema=types)
    assert rewrite(once.sql, schema=types).sql == once.sql


@pytest.mark.parametrize("name", QUERIES)
def test_bytes_outside_the_edits_stay(name: str, types: dict[str, dict[str, str]]) -> None:
    sql = QUERIES[name][0].replace("\n", "\r\n").replace("  ", "\t")
    check_bytes(sql, rewrite(sql, schema=types))


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


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_alone(
    strategy: str, database: duckdb.DuckDBPyConnection, types: dict[str, dict[str, str]]
) -> None:
    changed = 0
    for name, (sql, _) in QUERIES.items():
        result = rewrite(sql, schema=types, strategy=strategy)
        assert {change.strategy for change in result.changes} <= {strategy}
        if result.changes:
            changed += 1
            assert rows_of(database, result.sql) == rows_of(database, sql), name
    assert changed > 5

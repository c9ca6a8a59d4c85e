"""Statements of the kinds that people write: what is rewritten of them, and that it is right.

The conversions are found by words alone and the rows are the engine's, so that nothing here depends
on what the rewriter makes of a statement. tests/engines/spark/test_people.py runs those of Spark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import duckdb
import pytest

from tests import ROOT, postgres
from tests.people import databases, measure, statements

FLOORS = {"postgres": 0.85, "redshift": 0.92, "duckdb": 0.85, "spark": 0.80, "vertica": 0.85}
AT_LEAST = {"postgres": 140, "redshift": 90, "duckdb": 40, "spark": 75, "vertica": 70}


@pytest.fixture(scope="module")
def opened(server: postgres.Server) -> Iterator[databases.Opened]:
    """Each engine with the tables, once it is asked for."""
    engines = databases.Opened(server)
    yield engines
    engines.close()


@pytest.mark.parametrize("dialect", databases.OPEN)
def test_same_rows(dialect: str, opened: databases.Opened) -> None:
    """All statements of an engine in one test: many processes would each make its tables."""
    wrong: dict[str, str] = {}
    for name, statement in statements(dialect).items():
        texts = dict.fromkeys([statement.text, measure.rewritten(dialect)[name].sql])
        before, *after = opened[dialect].results(statement, *texts)
        assert any(rows for _, rows in before), f"{name}: a statement without rows proves nothing"
        if any(rows != before for rows in after):
            wrong[name] = measure.rewritten(dialect)[name].sql
    assert wrong == {}


@pytest.mark.parametrize("dialect", measure.DIALECTS)
def test_nothing_is_silent(dialect: str) -> None:
    assert [str(found) for found in measure.measured(dialect) if found.state == "silent"] == []


def test_vertica_has_no_type_text() -> None:
    """What runs the statements here has one."""
    for result in measure.rewritten("vertica").values():
        for change in result.changes:
            assert change.after.count(" AS text") == change.before.count(" AS text")


@pytest.mark.parametrize("dialect", measure.DIALECTS)
def test_most_conversions_are_rewritten(dialect: str) -> None:
    counts = measure.counts(dialect)
    assert counts.statements >= AT_LEAST[dialect]
    left = [str(one) for one in measure.measured(dialect) if one.state != "rewritten"]
    assert counts.rate >= FLOORS[dialect], "\n".join([str(counts), *left])


@pytest.mark.parametrize("dialect", measure.DIALECTS)
def test_second_pass_changes_nothing(dialect: str) -> None:
    once = {name: result.sql for name, result in measure.rewritten(dialect).items()}
    again = measure.again(dialect, once)
    assert {name: sql for name, sql in again.items() if sql != once[name]} == {}


def test_the_table_in_the_docs_is_fresh() -> None:
    """TZCONV_UPDATE_GOLDEN=1 writes it anew; DuckDB before 2.0 takes fewer rewritten subqueries."""
    if duckdb.__version__.startswith("1."):
        pytest.skip("the table is that of DuckDB 2.0")
    path = ROOT / "docs" / "rewrite.md"
    text = path.read_text()
    made = re.sub(
        r"(?m)^\| engine \| statements \|.*\n(?:\|.*\n)+", lambda _: measure.table(), text
    )
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        path.write_text(made)
    assert measure.table() in path.read_text()

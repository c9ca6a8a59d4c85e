"""The rewriter's choices against the committed runs of the benchmark."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from tests import ROOT
from tests.command import run
from tzconv import rewriter
from tzconv.bench import check
from tzconv.bench.results import CHOSEN, LIMIT, ORIGINAL, Measured, Run, Variant
from tzconv.engines import facts_of
from tzconv.rewriter.verdicts import strategies

RUNS = {found.dialect: found for found in check.committed()}
QUERIES = [(dialect, query.name) for dialect, found in RUNS.items() for query in found.queries]


def test_there_is_a_run_of_each_engine_that_can_be_measured() -> None:
    assert set(RUNS) == {"duckdb", "postgres"}
    assert RUNS["duckdb"].rows >= 10_000_000
    assert RUNS["postgres"].rows >= 2_000_000
    for found in RUNS.values():
        assert found.same, "a strategy that returned other rows"
        assert found.rounds >= 3


@pytest.mark.parametrize(("dialect", "name"), QUERIES)
def test_the_rewriter_chooses_nothing_slower_than_native(dialect: str, name: str) -> None:
    """Looked up by the strategies that the text of today uses, past the check itself."""
    found = RUNS[dialect]
    (query,) = (query for query in found.queries if query.name == name)
    original = query.variants[0].sql
    today = rewriter.rewrite(original, dialect=dialect, schema=found.types)
    used = {change.strategy for change in today.changes}
    if not used:
        return
    measured = [
        variant.of_native
        for variant in query.variants
        if set(variant.strategies) == used and variant.of_native is not None
    ]
    assert measured, f"{name} uses {used}, which the run has not measured"
    assert min(measured) <= 1.0, (name, used, measured)


@pytest.mark.parametrize("dialect", sorted(RUNS))
def test_every_verdict_has_a_measurement(dialect: str) -> None:
    assert check.unmeasured(RUNS[dialect]) == []
    assert list(facts_of(dialect).verdicts) == list(strategies(dialect, None))
    assert [one.problem for one in check.check(RUNS[dialect]) if one.problem] == []


IN_README = {"hourly", "local-days", "constant-days", "day-zone", "now", "local-to-utc"}


def _shown(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.095 else f"{ratio:.3f}"


@pytest.mark.parametrize(("dialect", "name"), QUERIES)
def test_the_documents_show_the_runs(dialect: str, name: str) -> None:
    (query,) = (query for query in RUNS[dialect].queries if query.name == name)
    chosen, limit = query.variant(CHOSEN), query.variant(LIMIT)
    assert chosen is not None
    assert limit is not None
    assert chosen.of_native is not None
    assert chosen.of_limit is not None
    assert limit.of_native is not None
    native, of_limit = _shown(chosen.of_native), f"{chosen.of_limit:.2f}"
    used = " + ".join(f"`{strategy}`" for strategy in chosen.strategies)
    page = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8")
    row = f"| `{name}` | {used} | {native} | {of_limit} | {_shown(limit.of_native)} |"
    assert row in page
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [line for line in readme.splitlines() if f"(`{name}`)" in line]
    assert len(rows) == (name in IN_README)
    for row in rows:
        cell = row.split(" | ")[1 + list(RUNS).index(dialect)].rstrip(" |")
        assert cell == f"{native} ({of_limit})"


def _changed(found: Run, name: str, **changes: object) -> Run:
    """The run with other figures for what the rewriter chooses of one query."""
    queries = [
        Measured(
            query.name,
            query.title,
            tuple(
                dataclasses.replace(one, **changes)  # type: ignore[arg-type] # its fields
                if query.name == name and not {ORIGINAL, LIMIT} & {*one.names}
                else one
                for one in query.variants
            ),
        )
        for query in found.queries
    ]
    return dataclasses.replace(found, queries=tuple(queries))


@pytest.mark.parametrize("dialect", sorted(RUNS))
def test_a_slow_choice_is_a_problem(dialect: str) -> None:
    slow = {one.query: one for one in check.check(_changed(RUNS[dialect], "now", of_native=1.3))}
    assert "needs 1.30 times the original" in str(slow["now"].problem)
    assert [one.query for one in slow.values() if one.problem] == ["now"]
    wrong = {one.query: one for one in check.check(_changed(RUNS[dialect], "now", same=False))}
    assert "returns other rows" in str(wrong["now"].problem)
    gone = {one.query: one for one in check.check(_changed(RUNS[dialect], "now", of_native=None))}
    assert "has not measured" in str(gone["now"].problem)


def test_a_text_that_has_changed_is_told(tmp_path: Path) -> None:
    found = _changed(RUNS["duckdb"], "now", sql="SELECT 'an older text'")
    (one,) = (one for one in check.check(found) if one.query == "now")
    assert one.stale
    assert one.problem is None


def test_a_strategy_that_no_query_used(tmp_path: Path) -> None:
    found = RUNS["postgres"]
    kept = tuple(query for query in found.queries if query.name != "now")
    assert check.unmeasured(dataclasses.replace(found, queries=kept)) == ["now"]


def test_a_query_that_is_left(tmp_path: Path) -> None:
    variant = Variant((ORIGINAL,), "SELECT 1", (), of_native=1.0)
    slow = Variant(("period",), "SELECT 1 + 0", ("period",), of_native=1.4, same=True)
    query = Measured("left", "Left", (variant, slow))
    found = dataclasses.replace(RUNS["duckdb"], queries=(query,))
    (one,) = check.check(found)
    assert (one.chosen, one.best, one.best_ratio, one.problem) == ((), "none", 1.0, None)


def test_the_command(tmp_path: Path) -> None:
    done = run("bench", "--verdicts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for dialect, name in QUERIES:
        assert name in done.stdout, dialect
    printed = run("bench", "--verdicts", "--json", cwd=tmp_path)
    found = json.loads(printed.stdout)
    assert len(found["verdicts"]) == len(QUERIES)
    assert found["unmeasured"] == {dialect: [] for dialect in RUNS}
    assert CHOSEN not in {one["best"] for one in found["verdicts"] if one["best_ratio"] == 1}

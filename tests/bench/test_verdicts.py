"""The rewriter's choices against the committed runs of the benchmark.

A strategy that the rewriter uses by itself must have been measured, and must not be slower than the
engine's own function wherever it is chosen.
"""

from __future__ import annotations

import pytest

from tests import ROOT
from tests.bench.runs import committed
from tzconv import rewriter
from tzconv.bench.results import CHOSEN, LIMIT, REPORTS, Run
from tzconv.compare import NOISE
from tzconv.engines import facts_of
from tzconv.rewriter.strategies import chosen

RUNS = {found.dialect: found for found in committed()}
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
    """A text that has changed since is judged by the strategies that it is made of."""
    found = RUNS[dialect]
    (query,) = (query for query in found.queries if query.name == name)
    original = query.variants[0]
    today = rewriter.rewrite(original.sql, dialect=dialect, schema=found.types)
    used = tuple(dict.fromkeys(change.strategy for change in today.changes))
    if not used:
        return
    measured = [one for one in query.variants if one.strategies == used and one.of_native]
    exact = [one for one in measured if one.sql == today.sql]
    assert measured, f"{name} uses {used}, which the run has not measured"
    best = min(exact or measured, key=lambda one: one.of_native or 0.0)
    assert best.same is True
    assert (best.of_native or 0.0) <= NOISE, (name, used)
    assert not best.cost.loses_to(original.cost), (name, used)


@pytest.mark.parametrize("dialect", sorted(RUNS))
def test_every_verdict_has_a_measurement(dialect: str) -> None:
    measured = {
        name
        for query in RUNS[dialect].queries
        for variant in query.variants
        if variant.of_native is not None
        for name in variant.strategies
    }
    assert set(facts_of(dialect).verdicts) <= measured
    assert list(facts_of(dialect).verdicts) == list(chosen(dialect, None))


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


@pytest.mark.parametrize("found", [*committed(), *committed(REPORTS)], ids=lambda run: run.product)
def test_the_facts_name_the_versions_that_were_measured(found: Run) -> None:
    facts = facts_of(found.dialect)
    assert facts.not_measured(found.product) is None
    newer = f"{facts.title} {found.product.split()[1].split('.')[0]}9.1"
    said = facts.not_measured(newer)
    assert said is not None
    assert said.startswith(f"{newer}: the strategies were measured on {facts.title} ")
    assert all(command in said for command in ("tzconv compare", "tzconv bench"))

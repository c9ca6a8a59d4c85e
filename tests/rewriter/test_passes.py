"""The page of the passes is true: documented, in the order of the docs, run for each statement."""

from __future__ import annotations

import pytest

from tests import ROOT
from tzconv.engines import DIALECTS, facts_of
from tzconv.rewriter import passes, rewrite

SQL = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'"


def test_the_docs_show_the_passes_in_their_order() -> None:
    names = [one.__name__ for one in passes.PASSES]
    assert " ▶ ".join(names) in (ROOT / "docs" / "architecture.md").read_text()
    assert all(one.__doc__ for one in passes.PASSES)


def test_every_pass_sees_each_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []

    def noting(one: passes.Pass) -> passes.Pass:
        def run(work: passes.Work) -> None:
            seen.append((one.__name__, work.source.text))
            one(work)

        return run

    monkeypatch.setattr(passes, "PASSES", tuple(map(noting, passes.PASSES)))
    rewrite(f"{SQL}; EXPLAIN {SQL}", schema={"logs": {"log_time": "timestamp"}})
    names = [one.__name__ for one in passes.PASSES]
    assert len(seen) == 2 * len(names)
    assert {text for _, text in seen} == {SQL}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_aggregate_depends_on_order_or_does_not(dialect: str) -> None:
    facts = facts_of(dialect)
    assert not facts.ordered_aggregates & facts.unordered_aggregates
    every = facts.ordered_aggregates | facts.unordered_aggregates | facts.fixed_functions
    assert every == {name.lower() for name in every}

"""What requests cost, counted: decisions, reads of the catalog and remembered entries."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa

from tests import postgres
from tests.sqlalchemy import costs
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.sqlalchemy import rewrite_queries
from tzconv.sqlalchemy.catalog import Session
from tzconv.sqlalchemy.decide import Rewriter

_BY_TENANT = {"set_config", "SET LOCAL search_path", "SET LOCAL ROLE"}


@pytest.mark.parametrize("name", costs.PATTERNS)
def test_a_pattern_is_decided_once(
    server: postgres.Server, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    calls: Counter[str] = Counter()
    monkeypatch.setattr(PostgresWriter, "fewest_rows", 0)
    for made, method in (
        (Rewriter, "decide"),
        (Session, "column_types"),
        (Session, "expected_rows"),
        (Session, "_query"),
    ):
        own: Any = getattr(made, method)

        def counted(*given: Any, method: str = method, own: Any = own, **options: Any) -> Any:
            calls[method] += 1
            return own(*given, **options)

        monkeypatch.setattr(made, method, counted)
    engine = sa.create_engine(server.loaded(costs.load_few))
    rewriting = rewrite_queries(engine)
    costs.request(engine, name, 0)
    first = calls.copy()
    for _ in range(100):
        costs.request(engine, name, 0)
    assert calls == first
    assert (first["decide"], first["column_types"]) == (1, 1)
    # a path or a role of another tenant is another decision; nothing else is
    for number in range(100):
        costs.request(engine, name, number)
    tenants = 4 if name in _BY_TENANT else 1
    assert (calls["decide"], calls["column_types"]) == (tenants, tenants)
    assert any(one.text for one in rewriting._choices.values())
    rewriting.disable()
    engine.dispose()


def test_what_is_remembered_is_bounded_by_what_differs(
    server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresWriter, "fewest_rows", 0)
    engine = sa.create_engine(server.loaded(costs.load_few))
    rewriting = rewrite_queries(engine)

    def transactions(times: int) -> dict[str, int]:
        for number in range(times):
            costs.request(engine, list(costs.PATTERNS)[number % len(costs.PATTERNS)], number)
        with engine.connect() as connection:
            caches = ("_statements", "_choices", "_errors", "_loaded")
            kept = {name: len(getattr(rewriting, name)) for name in caches}
            races = [one.race for one in rewriting._choices.values() if one.race is not None]
            kept["races"] = sum(len(race._races) for race in races)
            place: Any = connection.info.get("tzconv_place")
            return {**kept, "place": len(place.entries) if place else 0}

    every = len(costs.PATTERNS) * 4
    few = transactions(every)
    assert few["_choices"] > 0
    assert transactions(every * 10) == few
    rewriting.disable()
    engine.dispose()

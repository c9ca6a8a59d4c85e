"""Names that are hard to follow: each query runs as it was and as it was rewritten."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from tests import postgres
from tests.corpora import NothingLost
from tests.databases import IS_DUCKDB_1
from tests.rewriter import scopes
from tests.rewriter.scope_engine import SECONDS, Engine
from tzconv.rewriter import rewrite
from tzconv.sql.reasons import QUIET

BY_HAND = "TZCONV_RANDOM_SCOPES" in os.environ
COUNT = int(os.environ.get("TZCONV_RANDOM_SCOPES", "200"))
"""More than in a usual run for a search by hand; then every run is another one."""
PARTS = 2
LEAST_REWRITTEN = 0.9
"""The share of conversions: a rewriter that leaves everything alone makes no mistake."""


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    if request.param == "duckdb":
        made = Engine("duckdb", f"duckdb:///{tmp_path_factory.mktemp('scopes')}/scopes.duckdb")
    else:
        server: postgres.Server = request.getfixturevalue("server")
        made = Engine("postgres", server.fresh("scopes"))
    yield made
    made.connection.close()


@pytest.mark.parametrize("part", range(PARTS))
def test_random_scopes(part: int, engine: Engine) -> None:
    chance = random.Random(None if BY_HAND else part)
    made = scopes.Scopes(engine.dialect, chance)
    changed = left = refused = 0
    for _ in range(COUNT // PARTS):
        first, sql = made.script()
        before = engine.rows(first, sql)
        if before is None:
            refused += 1
            continue
        text = "".join(f"{one};\n" for one in [*first, sql])
        # of a text alone less is rewritten
        result = rewrite(text, dialect=engine.dialect, schema=engine.types, plans=NothingLost())
        if not first:  # most of what may stand before a query makes its tables unknown
            changed += sum(" AT TIME ZONE " in change.before for change in result.changes)
            left += sum(one.code not in QUIET for one in result.left)
        if result.sql != text:
            start = text.index(sql)
            assert result.sql[:start] == text[:start]
            # a machine that is busy by now is no difference
            after = engine.rows(first, result.sql[start:].rstrip(";\n"), 20 * SECONDS)
            assert after is not None, (engine.error, text, result.sql)
            assert after == before, (text, result.sql)
    assert refused < COUNT / PARTS / (2 if IS_DUCKDB_1 else 4)
    assert changed / (changed + left) >= LEAST_REWRITTEN, (changed, left, refused)

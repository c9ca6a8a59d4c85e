"""Scopes as the engines' own regression tests nest them: each query as it was and as rewritten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import postgres
from tests.databases import IS_DUCKDB_1
from tests.rewriter.scope_engine import Engine
from tzconv.errors import ParseError
from tzconv.rewriter import rewrite
from tzconv.sql.binder import BoundColumns, NotBoundError

FOLDER = Path(__file__).parent / "skeletons"
LEAST_REWRITTEN = {"duckdb": 400, "postgres": 400}
"""Conversions: a rewriter that leaves everything alone makes no mistake."""
MOST_UNREAD = 12
"""Queries with syntax that sqlglot does not read."""


def not_asked(sql: str) -> BoundColumns:
    """No engine is asked what it thinks of a rewrite: it must be right by itself."""
    raise NotBoundError(f"not asked: {sql}", is_syntax=False)


@pytest.mark.parametrize("dialect", LEAST_REWRITTEN)
def test_skeletons(dialect: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if dialect == "duckdb":
        engine = Engine(dialect, f"duckdb:///{tmp_path}/skeletons.duckdb")
    else:
        server: postgres.Server = request.getfixturevalue("server")
        engine = Engine(dialect, server.fresh("skeletons"))
    rewritten = unread = 0
    wrong = []
    text = (FOLDER / f"{dialect}.sql").read_text(encoding="utf-8")
    for query in re.split(r"\n\n+", text)[1:]:
        sql = query.strip()
        before = engine.rows([], sql)
        if before is None and dialect == "duckdb" and IS_DUCKDB_1:
            continue  # syntax of 2.0
        assert before is not None, (sql, engine.error)
        assert before[1], f"no row shows what {sql} does"
        try:
            result = rewrite(sql, dialect=dialect, schema=engine.types, bind=not_asked)
        except ParseError:
            unread += 1
            continue
        rewritten += sum(" AT TIME ZONE " in change.before for change in result.changes)
        if result.sql != sql and engine.rows([], result.sql) != before:
            wrong.append((sql, result.sql, engine.error))
    engine.connection.close()
    assert not wrong
    assert rewritten >= LEAST_REWRITTEN[dialect], rewritten
    assert unread <= MOST_UNREAD

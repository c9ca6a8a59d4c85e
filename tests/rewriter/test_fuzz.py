"""Damaged SQL gives a rewrite that parses, or a ParseError with a place; never anything else."""

from __future__ import annotations

import os
import random

import pytest

from tests.corpora import CORPORA
from tests.waiting import HangError, no_hang
from tzconv.errors import ParseError
from tzconv.rewriter import rewrite

TYPES = {
    "actions": {
        "action_event_time": "timestamp",
        "seen": "timestamptz",
        "loaded": "timestamp",
        "action_publisher_id": "integer",
        "n": "integer",
    },
    "publishers": {
        "id": "integer",
        "time_zone_name": "varchar",
        "name": "varchar",
        "billing.zone": "varchar",
    },
    "logs": {"log_time": "timestamp", "level": "integer"},
    "sites": {"n": "integer", "time_zone_name": "varchar", "opened": "timestamp"},
}
PIECES = ["(", ")", ",", "'", '"', "--", "/*", "*/", ";", "::date", " AT TIME ZONE ", "SELECT "]
PIECES += [" NULL ", "{{", "}}", "$1", "?", "\0", "\n", "é", " BETWEEN ", " AND ", "0", "now()"]


def damaged(chance: random.Random, sql: str) -> str:
    for _ in range(chance.randint(1, 3)):
        at, to = sorted(chance.randrange(len(sql) + 1) for _ in range(2))
        sql = (
            chance.choice(
                [
                    sql[:at],
                    sql[at:],
                    sql[:at] + chance.choice(PIECES) + sql[at:],
                    sql[:at] + sql[min(to, at + 12) :],
                    sql[:at] + sql[at : min(to, at + 40)] * 2 + sql[at:],
                ]
            )
            or " "
        )
    return sql


@pytest.mark.parametrize("dialect", CORPORA)
@pytest.mark.parametrize("seed", range(8))
def test_damaged_queries(dialect: str, seed: int) -> None:
    chance = random.Random(seed)
    queries = [sql for sql, _ in CORPORA[dialect].values()]
    for _ in range(int(os.environ.get("TZCONV_DAMAGED_QUERIES", "30"))):
        sql = damaged(chance, chance.choice(queries))
        refused = None
        try:
            with no_hang():
                result = rewrite(sql, dialect=dialect, schema=TYPES)
        except HangError:
            pytest.fail(f"a hang: {sql}")
        except ParseError as error:
            refused = error
        if refused is None:
            again = rewrite(result.sql, dialect=dialect, schema=TYPES)
            assert again.sql == result.sql, sql
        else:
            assert 1 <= refused.line <= sql.count("\n") + 1, sql
            assert refused.column >= 1


def test_parentheses_without_end() -> None:
    for sql in ("SELECT " + "(" * 5000, "SELECT " + "(" * 5000 + "1" + ")" * 5000):
        with pytest.raises(ParseError, match="nested too deeply"):
            rewrite(sql)


def test_long_queries() -> None:
    columns = ", ".join(f"n + {index} AS c{index}" for index in range(3000))
    sql = f"SELECT {columns} FROM actions WHERE action_event_time > now()"
    assert rewrite(sql, schema=TYPES).sql == sql.replace("now()", "CAST(now() AS TIMESTAMP)")


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_any_depth_is_rewritten_or_refused(dialect: str) -> None:
    """Some depths can be read, but not be walked by what comes after."""
    types = {"t": {"ts": "timestamptz", "zone": "text"}}
    for depth in range(30, 50, 2):
        sql = f"SELECT {'(' * depth}ts AT TIME ZONE zone{')' * depth} FROM t"
        try:
            rewrite(sql, dialect=dialect, schema=types)
        except ParseError as error:
            assert "nested too deeply" in str(error)  # noqa: PT017 - a shallow one is no error

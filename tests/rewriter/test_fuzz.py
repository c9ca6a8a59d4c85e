"""Damaged SQL gives a rewrite that parses, or a ParseError with a place; never anything else."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from sqlglot import exp

from tests.corpora import CORPORA
from tests.waiting import HangError, no_hang
from tzconv.errors import ParseError, RewriteError
from tzconv.lint import lint, statement
from tzconv.rewriter import rewrite
from tzconv.sql.lexer import Word, words

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


@pytest.mark.parametrize(
    "wrong",
    [
        *({"sql": b"SELECT 1"}, {"sql": None}, {"dialect": 1}, {"schema": 1}, {"schema": {"t": 1}}),
        *({"rules": "2026f"}, {"session_time_zone": 1}, {"table_schema": 1}, {"now": 1}),
        *({"ranges": 1}, {"loaded": 1}, {"literals_until": 1}, {"rows": 1}, {"bind": 1}),
        *({"watch": 1}, {"strategy": 1}),
    ],
)
def test_arguments_of_a_wrong_type(wrong: dict[str, Any]) -> None:
    given: dict[str, Any] = {"sql": "SELECT now()", **wrong}
    with pytest.raises(RewriteError):
        rewrite(**given)


def test_a_type_whose_name_has_a_quote() -> None:
    with pytest.raises(ParseError, match="not understood as SQL"):
        rewrite('CREATE TABLE "a" ("b" "EN""UM")', dialect="duckdb")


def test_a_statement_of_many_queries_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def counted(text: str) -> list[Word]:
        texts.append(text)
        return words(text)

    monkeypatch.setattr(statement, "words", counted)
    union = " UNION ALL ".join(["SELECT now()"] * 50)
    assert len(lint(f"CREATE MATERIALIZED VIEW v AS {union}", dialect="postgres")) >= 50
    assert len(texts) == 1


def test_long_queries() -> None:
    columns = ", ".join(f"n + {index} AS c{index}" for index in range(3000))
    sql = f"SELECT {columns} FROM actions WHERE action_event_time > now()"
    assert rewrite(sql, schema=TYPES).sql == sql.replace("now()", "CAST(now() AS TIMESTAMP)")


def test_two_hundred_inside_each_other_are_rewritten() -> None:
    types = {"t": {"ts": "timestamptz", "zone": "text", "n": "integer"}}
    before = sys.getrecursionlimit()
    for opened, closed in (("(", ")"), ("CASE WHEN n > 1 THEN (", ") END")):
        inside = f"{opened * 199}ts AT TIME ZONE zone{closed * 199}"
        result = rewrite(f"SELECT {inside} FROM t", dialect="postgres", schema=types)
        assert result.changes
        assert not result.left
    assert lint(f"SELECT {'(' * 199}ts AT TIME ZONE zone{')' * 199} FROM t", schema=types)
    assert sys.getrecursionlimit() == before


def test_many_ctes_take_as_long_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the nodes that are looked at: of twice as many CTEs there are less than thrice as many."""
    looked: list[int] = []
    every = exp.Expression.iter_expressions

    def counted(self: exp.Expr, reverse: bool = False) -> Iterator[exp.Expr]:
        looked.append(1)
        return every(self, reverse)

    monkeypatch.setattr(exp.Expression, "iter_expressions", counted)
    types = {"t": {"ts": "timestamp", "zone": "text", "n": "integer"}}
    counts = []
    for number in (20, 40):
        ctes = "".join(
            f", c{n} AS (SELECT (ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::date AS d, ts, zone, "
            f"count(*) AS n FROM c{n - 1} GROUP BY 1, 2, 3)"
            for n in range(1, number)
        )
        sql = f"WITH c0 AS (SELECT ts, zone, n FROM t){ctes} SELECT d FROM c{number - 1}"
        looked.clear()
        result = rewrite(sql, dialect="postgres", schema=types)
        assert len(result.changes) > number
        counts.append(len(looked))
    assert counts[1] < 3 * counts[0], counts

"""How much work a rewrite is, counted: times differ from machine to machine.

A query of a hundred lines is rewritten in the time that two or three readings of it take.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import sqlglot.parser
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from tzconv.errors import CheckError, RewriteError
from tzconv.rewriter import rewrite, windows
from tzconv.rewriter.aggregates import why_ordered
from tzconv.rewriter.check import check
from tzconv.rewriter.edits import Edit, EditKind, apply
from tzconv.rewriter.strategies import relations
from tzconv.sql.parse import parse, tokenize
from tzconv.sql.reasons import Reason

TYPES = {
    "actions": {"happened": "timestamp", "publisher": "integer", "n": "integer"},
    "publishers": {"id": "integer", "zone": "varchar", "name": "varchar"},
}
SITE = "a.happened AT TIME ZONE 'UTC' AT TIME ZONE p.zone"
HOURS = "\n".join(
    f"  sum(CASE WHEN extract(hour FROM {SITE}) = {hour % 24} THEN a.n ELSE 0 END) AS h{hour},"
    for hour in range(90)
)
LONG = f"""SELECT
  p.name,
{HOURS}
  count(*) AS n
FROM actions a
JOIN publishers p ON a.publisher = p.id
WHERE a.happened >= TIMESTAMP '2026-01-01'
  AND a.happened < TIMESTAMP '2026-02-01'
GROUP BY p.name
ORDER BY 2 DESC"""


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Characters that were cut into tokens, and texts that were read."""
    done: Counter[str] = Counter()
    cut, read = Dialect.tokenize, sqlglot.parser.Parser.parse

    def counted_cut(self: Dialect, sql: str) -> object:
        done["characters"] += len(sql)
        return cut(self, sql)

    def counted_read(self: sqlglot.parser.Parser, *args: object) -> object:
        done["texts"] += 1
        return read(self, *args)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(Dialect, "tokenize", counted_cut)
    monkeypatch.setattr(sqlglot.parser.Parser, "parse", counted_read)
    return done


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "vertica"])
def test_a_long_query_is_read_once_and_what_is_put_in_once(
    dialect: str, work: Counter[str]
) -> None:
    assert LONG.count("\n") + 1 >= 99
    rewrite(LONG, dialect=dialect, schema=TYPES)  # the types are read once for all queries
    work.clear()
    result = rewrite(LONG, dialect=dialect, schema=TYPES)
    assert len(result.changes) == 90 + 1  # the sites, and the relation
    # the query; the site; WHERE and its conditions; what each of three kinds of edit puts in
    assert work["texts"] <= 8
    inserted = sum(len(text) for text in {change.after for change in result.changes})
    assert work["characters"] < len(LONG) + len(result.sql) + inserted + 1500


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "vertica"])
def test_a_query_with_one_conversion_is_cut_into_tokens_twice(
    dialect: str, work: Counter[str]
) -> None:
    one = LONG.replace(SITE, "a.happened").replace("p.name,", f"p.name, {SITE} AS shown,", 1)
    one = one.replace("GROUP BY p.name", "GROUP BY 1, 2")
    rewrite(one, dialect=dialect, schema=TYPES)
    work.clear()
    result = rewrite(one, dialect=dialect, schema=TYPES)
    # the query, the result, and what is put in alone
    inserted = sum(len(change.after) for change in result.changes)
    assert inserted > 0
    assert work["characters"] < len(one) + len(result.sql) + inserted + 500


def test_nothing_to_do_is_one_reading(work: Counter[str]) -> None:
    sql = LONG.replace(SITE, "a.happened")
    rewrite(sql, schema=TYPES)  # the types are read once for all queries
    work.clear()
    assert rewrite(sql, schema=TYPES).sql == sql
    assert work == {"texts": 1, "characters": len(sql)}


@pytest.mark.not_core
@pytest.mark.parametrize("word", [" AND ", " OR "])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_condition_is_compared_with_its_own_columns(
    dialect: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[int] = Counter()
    same = windows.same_column

    def counted(*args: Any) -> bool:
        calls[size] += 1
        return same(*args)

    monkeypatch.setattr(windows, "same_column", counted)
    for size in (30, 300):
        named = [f"c{number}" for number in range(size)]
        where = word.join(f"{name} AT TIME ZONE z > TIMESTAMP '2026-01-01'" for name in named)
        schema = {"t": dict.fromkeys(named, "timestamptz") | {"z": "varchar"}}
        sql = f"SELECT count(*) AS n FROM t WHERE {where}"
        result = rewrite(sql, dialect=dialect, schema=schema)
        assert len(result.changes) > size
    assert calls[300] <= 10 * calls[30]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_query_is_asked_once_whether_the_order_of_its_rows_matters(
    dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[object]()

    def noted(query: exp.Expr) -> Reason | None:
        asked.append(query)
        return why_ordered(query)

    monkeypatch.setattr(relations, "why_ordered", noted)
    joined = "FROM actions a JOIN publishers p ON a.publisher = p.id"
    inner = " UNION ALL ".join([f"SELECT {SITE} AS l {joined}"] * 5)
    result = rewrite(f"SELECT max(l) AS m FROM ({inner}) q", dialect=dialect, schema=TYPES)
    assert result.changes
    assert Counter(map(id, asked)).most_common(1)[0][1] == 1


BEFORE = "SELECT f(a) AS x FROM t WHERE b"


@pytest.mark.parametrize(
    ("form", "place", "after", "is_right"),
    [
        ("expression", "f(a)", "COALESCE(a, f(a))", True),
        ("expression", "f(a)", "f(a), 1", False),
        ("expression", "f(a)", "f(a) AS y", False),
        ("expression", "f(a)", "(a", False),
        ("expression", "f(a)", "a AND", False),
        ("relation", "t", "(SELECT * FROM t) t", True),
        ("relation", "t", "(SELECT * FROM t", False),
        ("relation", "t", "t WHERE", False),
        ("joins", "", " LEFT JOIN u ON u.a = t.a", True),
        ("joins", "", " LEFT JOIN", False),
        ("conditions", "", " AND a < 3", True),
        ("conditions", "", ") AND a < 3", False),
        ("conditions", "", " AND a <", False),
        ("bracket", "b", "(", False),
        ("alias", "", " AS", False),
    ],
)
def test_what_is_put_in_is_read_alone(
    form: EditKind, place: str, after: str, is_right: bool
) -> None:
    ends = {"joins": " WHERE", "alias": " AS x"}
    start = BEFORE.index(place) if place else BEFORE.find(ends.get(form, "\0"))
    start = len(BEFORE) if start < 0 else start
    edit = Edit(start, start + len(place), after, "rule", "strategy", "reason", form)
    result = apply(BEFORE, [edit])
    source = parse(BEFORE, "duckdb")
    if is_right:
        check(source, [edit], result, "duckdb")
        check(source, [replace(edit, kind=None)], result, "duckdb")  # all of it is read again
        return
    with pytest.raises(CheckError):
        check(source, [edit], result, "duckdb")


def test_brackets_come_in_pairs() -> None:
    source = parse("SELECT 1 FROM t WHERE a OR b", "duckdb")
    opening = Edit(22, 22, "(", "rule", "strategy", "reason", "bracket")
    closing = Edit(28, 28, ") AND c", "rule", "strategy", "reason", "conditions")
    check(source, [opening, closing], "SELECT 1 FROM t WHERE (a OR b) AND c", "duckdb")
    with pytest.raises(CheckError, match="does not parse"):
        check(source, [opening], "SELECT 1 FROM t WHERE (a OR b", "duckdb")


def test_tokens_of_an_open_quote_are_an_error() -> None:
    source = parse("SELECT a FROM t", "duckdb")
    edit = Edit(7, 8, "'", "rule", "strategy", "reason", "expression")
    with pytest.raises(CheckError, match="does not parse"):
        check(source, [edit], "SELECT ' FROM t", "duckdb")
    assert len(tokenize("SELECT a FROM t", source.dialect)) == 4


def test_compiled_modules_of_sqlglot_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlglot.parser, "__file__", "parser.cpython-311-x86_64-linux-gnu.so")
    with pytest.raises(RewriteError, match="uninstall sqlglotc"):
        rewrite("SELECT 1")

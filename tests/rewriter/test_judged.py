"""What decides whether a place is rewritten: purity and errors by the engines, and the judge."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from tests import postgres
from tzconv.rewriter import judge, purity
from tzconv.rewriter.edits import Edit
from tzconv.sql.binder import CapturedError, NotBoundError
from tzconv.sql.built import Built
from tzconv.sql.names import Names
from tzconv.sql.parse import Node, parse
from tzconv.sql.schema import Schema
from tzconv.sql.selects import selects_of

TYPES = {
    "t": {"s": "varchar", "ts": "timestamp", "seen": "timestamptz", "n": "integer", "j": "json"}
}


def read(text: str, dialect: str = "duckdb") -> tuple[Node, Names]:
    """An expression over the columns of t, in a SELECT, and the names of that."""
    tree = parse(f"SELECT {text} FROM t", dialect).statements[0]
    [*_, scope] = selects_of(tree)
    return tree.expressions[0].unalias(), Names(scope, Schema(TYPES, dialect))


def test_no_volatile_function_may_be_written_twice(server: postgres.Server) -> None:
    """Of all that the catalogs of the engines have."""
    with duckdb.connect() as database:
        volatile = {
            "duckdb": database.execute(
                "SELECT function_name, len(parameters) FROM duckdb_functions() "
                "WHERE stability = 'VOLATILE' AND regexp_full_match(function_name, '[a-z_0-9]+')"
            ).fetchall()
        }
    with server.connect() as connection:
        volatile["postgres"] = connection.execute(
            "SELECT proname, pronargs FROM pg_proc WHERE provolatile = 'v' AND prokind = 'f'"
        ).fetchall()
    for dialect, functions in volatile.items():
        assert len(functions) > 5
        for name, count in functions:
            call, _ = read(f"{name}({', '.join(['n'] * count)})", dialect)
            assert not purity.is_repeatable(call), (dialect, name)
            assert not purity.is_computed_once(call), (dialect, name)


SAFE = ["s", "ts", "lower(s)", "ts + INTERVAL '1 day'", "coalesce(ts, now())", "ts::date"]
SAFE += [
    *("ts::text", "n::text", "date(ts)", "date_trunc('month', ts)"),
    "ts AT TIME ZONE 'UTC'",
    "timezone('Asia/Kolkata', seen)",
    "s::varchar",
    "CASE s WHEN 'a' THEN ts END",
    *("j ->> '$.a'", "replace(left(s, n), ' ', '_')", "concat_ws('/', s, right(s, -n))"),
    "CASE WHEN n > 5 OR s IN ('a', 'b') AND n BETWEEN 1 AND 2 THEN s || 'x' END",
    *("s LIKE 'Asia/%'", "s NOT ILIKE '%'"),
]
FAILING = [
    *("s::timestamp", "s::integer", "CAST(s AS timestamptz)", "ts AT TIME ZONE s"),
    *("timezone(s, ts)", "1 // n", "n::timestamp", "seen AT TIME ZONE lower(s)", "error(s)"),
    *("make_timestamp(n, 13, 1, 0, 0, 0)", "strptime(s, '%Y')", "chr(n - 5)", "(s || 'x')::date"),
    *(
        "n::smallint",
        "(n * 2)::utinyint",
        "ts AT TIME ZONE (s || '')",
        "array_value(n)::smallint[]",
        "n * 60000",
    ),
    *("date(s)", "date_trunc(s, ts)", "INTERVAL (s) DAY", "INTERVAL '100000 years' * n"),
    *(
        "s LIKE (s || error(s))",
        "s ->> '$.a'",
        "s > n",
        "s IN (1, 2)",
        "n BETWEEN s AND 5",
        "ts = s",
    ),
]


@pytest.mark.parametrize("text", [*SAFE, *FAILING, "ts::timestamptz"])
def test_what_fails_for_a_row_may_fail(text: str) -> None:
    rows = (
        "(VALUES ('no zone', TIMESTAMP '2026-01-01', now(), 0, JSON '[1]'), "
        "(NULL, NULL, NULL, 70000, NULL))"
    )
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t AS SELECT * FROM {rows} AS v (s, ts, seen, n, j)")
        failed = False
        try:
            database.execute(f"SELECT {text} FROM t").fetchall()
        except duckdb.Error:
            failed = True
    node, names = read(text)
    assert purity.may_fail(node, names) or not failed
    if text in SAFE:
        assert not purity.may_fail(node, names)


@pytest.mark.parametrize(
    ("zones", "may_fail"), [("'UTC', s", True), ("s, 'UTC'", True), ("'UTC', 'Asia/Tokyo'", False)]
)
def test_a_column_may_have_what_is_no_zone(zones: str, *, may_fail: bool) -> None:
    node, names = read(f"NEW_TIME(ts, {zones})", "vertica")
    assert purity.may_fail(node, names) == may_fail


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("CASE WHEN n > 0 THEN {} END", True),
        ("CASE WHEN n > 0 THEN 1 ELSE {} END", True),
        ("CASE WHEN n > 0 THEN 1 WHEN {} IS NULL THEN 2 END", True),
        ("CASE WHEN {} IS NULL THEN 2 END", False),
        ("CASE {} WHEN ts THEN 1 END", False),
        ("coalesce({}, ts)", False),
        ("coalesce(ts, {})", True),
        ("n > 0 AND {} > ts", True),
        ("{} > ts AND n > 0", False),
        ("n > 0 OR {} > ts", True),
        ("count({}) FILTER (WHERE n > 0)", True),
        ("count(*) FILTER (WHERE {} > ts)", False),
        ("lower({}::text)", False),
        ("(SELECT {})", False),
    ],
)
def test_what_another_part_keeps_rows_from(text: str, guarded: bool) -> None:
    node, _ = read(text.format("(seen AT TIME ZONE s)"))
    site = next(one for one in node.walk() if type(one).__name__ == "AtTimeZone")
    assert purity.is_guarded(site) == guarded


_SQL = "SELECT a FROM t; SELECT b"
_EDIT = Edit(7, 8, "c", "rule", "join", "why", "expression")
_BEFORE, _AFTER = "SELECT a FROM t", "SELECT c FROM t"


def _unbound(message: str) -> NotBoundError:
    return NotBoundError(message, is_syntax=False)


_TYPED = [("a", "integer"), ("b", "date")]


@pytest.mark.parametrize(
    ("before", "after", "text", "said"),
    [
        (_TYPED, _TYPED, "", None),
        (_TYPED, _TYPED[:1], "", "would be none, not b date"),
        (_TYPED[:1], _TYPED, "", "would be b date, not none"),
        (_TYPED, [_TYPED[0], ("b", "text")], "", "would be b text, not b date"),
        (_TYPED, [_TYPED[0], ("c", "date")], "", "would be c date, not b date"),
        (_TYPED, _unbound("no c"), "", "refuses the rewritten statement: no c"),
        (CapturedError("a macro"), _TYPED, "", "a macro"),
        (_unbound("no t"), _unbound("no t"), "", None),
        (_unbound("no t"), _TYPED, "", None),
        (_unbound("no t"), CapturedError("a macro"), "", "rewritten statement: a macro"),
        (NotBoundError("near a", is_syntax=True), _TYPED, "", "refuses the statement: near a"),
        (NotBoundError("near $", is_syntax=True), _unbound("no"), " WHERE n = $1", None),
    ],
)
def test_what_the_engine_objects_to(before: Any, after: Any, text: str, said: str | None) -> None:
    source = parse(f"{_BEFORE}{text}; -- b", "postgres")
    asked: list[str] = []

    def bind(statement: str) -> Any:
        asked.append(statement)
        answer = before if len(asked) == 1 else after
        if isinstance(answer, Exception):
            raise answer
        return answer

    place = judge.place_of(source)
    found = judge.objection(source, place, source.statements[0], [_EDIT], bind)
    assert asked in ([_BEFORE + text], [_BEFORE + text, _AFTER + text])
    assert (found is None) == (said is None)
    if found is not None and said is not None:
        assert found.code == "engine-refuses"
        assert said in found.text


@pytest.mark.parametrize(
    "head",
    [
        *("", "CREATE VIEW v AS ", "CREATE TABLE v (a, b) AS ", "CREATE TABLE v AS /* x AS y */ "),
        "CREATE MATERIALIZED VIEW v (a) WITH (fillfactor = 70) AS ",
    ],
)
def test_the_query_of_a_table_is_asked_for_its_columns(head: str) -> None:
    query = "SELECT a AS b, CAST(c AS date) AS d FROM t"
    source = parse(f"/* 1 AS a */ ; {head}{query}", "postgres")
    start, end = judge.place_of(source)
    edit = Edit(end - 1, end, "u", "rule", "join", "why", "expression")
    outside = Edit(0, 6, "", "rule", "join", "why", "expression")
    found = judge.texts(source, (start, end), source.statements[0], [edit, outside])
    assert found == (query, f"{query[:-1]}u")


def test_strategies_that_are_tried_next() -> None:
    order: Any = dict.fromkeys(("now", "range", "zone", "period"))
    edits = {name: Edit(0, 1, "", "rule", name, "", "expression") for name in order}

    def tried(*used: str) -> list[str]:
        return [*judge.fewer(order, [edits[name] for name in used], order)]

    assert tried("zone", "range", "now") == ["now", "zone", "period"]
    without_bounds = {name: run for name, run in order.items() if name != "range"}
    assert [*judge.fewer(without_bounds, [edits["zone"]], order)] == ["now", "range"]
    assert tried("zone", "now") == tried("period") == ["now", "range"]
    assert tried("now", "range") == ["now"]
    assert tried("now") == tried("range") == tried() == []


def test_what_is_built_for_a_conversion() -> None:
    def one(kind: Any, name: str, table: str = "public.t", condition: str = "") -> Built:
        return Built(table, kind, name, "", condition)

    key, index, other, told = (
        one("partition key", "k"),
        one("index", "i"),
        one("index", "i", "public.u"),
        one("statistics", "s"),
    )
    source = parse("SELECT * FROM T", "postgres")
    place = judge.place_of(source)
    everything = (key, index, other, told)
    for used, kept in ((frozenset("i"), (key, index)), (None, (key, index)), (frozenset(), (key,))):
        plans: Any = SimpleNamespace(indexes=lambda _, used=used: used)
        assert judge.served(source, place, everything, plans) == kept
    nothing: Any = None  # is not asked
    assert judge.served(source, place, (other,), nothing) == ()
    partial = one("index", "p", condition="n > 5")
    found = judge.statistics((key, index, partial, told))
    assert [(one.kind, one.name) for one in found] == [
        ("statistics", "of the index i"),
        ("statistics", "s"),
    ]

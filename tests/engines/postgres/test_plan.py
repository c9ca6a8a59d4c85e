"""What a plan of PostgreSQL loses against another one, in plans made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tzconv.engines.postgres.expected import expected_rows
from tzconv.engines.postgres.plan import loss
from tzconv.sql.reasons import Code

_ROWS, _PAGES = 100_000.0, 1_000.0
CONVERTED = "(e.ts AT TIME ZONE a.zone)"


def _no_shares(*_: object) -> tuple[float, float]:
    return 0.0, 0.0


def _node(kind: str, *plans: dict[str, Any], **keys: Any) -> dict[str, Any]:
    shown = {name.replace("_", " "): value for name, value in keys.items()}
    made = {"Node Type": kind, "Plan Rows": 1_000, "Plan Width": 40, "Total Cost": 5_000.0}
    return {**made, "Schema": "public", "Parallel Aware": False, "Plans": list(plans), **shown}


def _scan(**keys: Any) -> dict[str, Any]:
    return _node("Seq Scan", **{"Relation_Name": "events", "Plan_Rows": _ROWS, **keys})


def _zones(**keys: Any) -> dict[str, Any]:
    return _node("Seq Scan", Relation_Name="time_zone_conversion_zone", Plan_Rows=600, **keys)


def _parallel(workers: int, **keys: Any) -> dict[str, Any]:
    return _node("Gather", _scan(Parallel_Aware=True), Workers_Planned=workers, **keys)


def _nested(inner: dict[str, Any]) -> dict[str, Any]:
    outer = _scan(Relation_Name="accounts", Plan_Rows=50)
    return _node("Nested Loop", outer, {**inner, "Parent Relationship": "Inner"})


def _by_index(kind: str = "Index Scan", **keys: Any) -> dict[str, Any]:
    named = {"Relation_Name": "events", "Index_Name": "by_ts", "Index_Cond": "(ts > now())"}
    return _node(kind, **{**named, "Plan_Rows": 9_000, "Total_Cost": 4_900.0, **keys})


def _grouped(ordered: dict[str, Any]) -> dict[str, Any]:
    outer = {**ordered, "Parent Relationship": "Outer"}
    return _node("Aggregate", outer, Strategy="Sorted")


def _sorted(width: int, rows: float = _ROWS) -> dict[str, Any]:
    return _node("Sort", _scan(), Plan_Width=width, Plan_Rows=rows)


def _first(*tables: dict[str, Any]) -> dict[str, Any]:
    return _node("WindowAgg", *tables, Run_Condition="(row_number() <= 3)", Output=[CONVERTED])


INDEXED = _node("Bitmap Heap Scan", _node("Bitmap Index Scan", Index_Name="brin"), Plan_Rows=9_000)
INDEXED |= {"Relation Name": "events", "Total Cost": 9_000.0}
CONSTANT = {"Parent Relationship": "InitPlan"}


def _later(than: str, computed_as: str = "") -> dict[str, Any]:
    value = [_node("Result", Subplan_Name=computed_as) | CONSTANT] if computed_as else []
    return _by_index(Index_Cond=f"(ts > {than})", Plan_Rows=900) | {"Plans": value}


PLANS: dict[str, tuple[dict[str, Any], dict[str, Any], Code | None]] = {
    "an index in place of the whole table, with dear conditions": (_scan(), INDEXED, None),
    "the whole table, once": (
        _nested(_node("Materialize", _scan())),
        _nested(_scan()),
        "reads-more",
    ),
    "the whole table, for each row": (
        _node("Result", _scan() | CONSTANT),
        _node("Result", _scan() | {"Parent Relationship": "SubPlan"}),
        "reads-more",
    ),
    "the whole table by several processes": (_scan(), _parallel(2, Total_Cost=100.0), None),
    "fewer workers": (_parallel(3), _parallel(1, Total_Cost=9_000.0), "loses-parallel"),
    "fewer workers for less work": (_parallel(3), _parallel(1, Total_Cost=100.0), None),
    "an index that has all columns": (
        _by_index("Index Only Scan", Total_Cost=900.0),
        _by_index("Index Scan", Total_Cost=880.0),
        "loses-index",
    ),
    "an index that has all columns, for far fewer rows": (
        _by_index("Index Only Scan", Total_Cost=900.0),
        _by_index("Index Scan", Total_Cost=400.0),
        None,
    ),
    "rows in the order of an index": (_grouped(_by_index()), _grouped(_sorted(40)), "loses-order"),
    "the order of an index for what is hashed": (_grouped(_by_index()), _scan(), None),
    "offsets in a sort": (_sorted(40), _sorted(1_340), "loses-order"),
    "offsets in a small sort": (_sorted(40, 2_000), _sorted(1_340, 2_000), None),
    "offsets of a short window in a sort": (_sorted(40), _sorted(105), None),
    "the first rows only": (
        _node("Limit", _sorted(40), Plan_Rows=100),
        _node("Limit", _sorted(1_340), Plan_Rows=100),
        None,
    ),
    "all rows for the first of each group": (
        _first(_scan()),
        _first(_scan(), _zones()),
        "reads-more",
    ),
    "a time that is not known": (
        _scan(),
        _later("(InitPlan 2).col1", "InitPlan 2"),
        "loses-estimate",
    ),
    "one that is not known to PostgreSQL 16": (
        _later("now()"),
        _later("$0", "InitPlan 1 (returns $0)"),
        "loses-estimate",
    ),
    "one that was not known before": (
        _later("$0", "InitPlan 1 (returns $0)"),
        _later("(InitPlan 2).col1", "InitPlan 2"),
        None,
    ),
    "a parameter": (_scan(), _later("$1", "InitPlan 1 (returns $0)"), None),
    "a constant zone": (_first(_scan()), _first(_scan(), _zones() | CONSTANT), None),
}
"""The plan before, the plan after, and the code of what it loses."""


@pytest.mark.parametrize("name", PLANS)
def test_loss(name: str) -> None:
    before, after, code = PLANS[name]
    found = loss(before, after, lambda _: (_ROWS, _PAGES), _no_shares, lambda: _ROWS)
    assert (found and found.code) == code


@pytest.mark.parametrize(
    ("known", "code"),
    [
        (_by_index(Total_Cost=900.0), None),
        (_scan(Total_Cost=99_000.0), "loses-estimate"),
        (_later("(InitPlan 1).col1", "InitPlan 1"), "loses-estimate"),
    ],
)
def test_known_bounds(known: dict[str, Any], code: Code | None) -> None:
    """An index is searched by a guess if it were worth that by the values of the bounds."""
    guessed = _later("(InitPlan 1).col1", "InitPlan 1")
    before = _scan() | {"Total Cost": 10_000.0}
    found = loss(before, guessed, lambda _: (_ROWS, _PAGES), _no_shares, lambda: _ROWS, known)
    assert (found and found.code) == code


@pytest.mark.parametrize(("rows", "code"), [(40_000, "few-rows"), (90_000, None)])
def test_workers_are_started_for_many_rows(rows: float, code: Code | None) -> None:
    found = loss(_scan(), _parallel(1), lambda _: (_ROWS, _PAGES), _no_shares, lambda: rows)
    assert (found and found.code) == code


_OF_ZONE = "({} = (tzconv_1.time_zone_name)::text)"
FIXED: dict[str, tuple[tuple[float, float], Code | None]] = {
    "a.zone": ((0.3, 0.0), "no-gain"),
    '"a"."zone"': ((0.9, 0.0), "no-gain"),
    "(a.zone)::text": ((0.1, 0.3), None),
    "((a.zone)::text)": ((0.1, 0.5), "no-gain"),
    "COALESCE(a.zone, 'UTC'::text)": ((0.1, 0.3), "no-gain"),
    "COALESCE(a.zone, b.zone)": ((0.9, 0.0), None),
    "c.zone": ((0.9, 0.0), None),
    "(InitPlan 1).col1": ((0.9, 0.0), None),
}
"""The zone that ours are joined by; the parts of accounts.zone that are fixed and NULL."""


@pytest.mark.parametrize("zone", FIXED)
def test_zones_with_a_fixed_offset(zone: str) -> None:
    tables = _scan(Relation_Name="accounts", Alias="a"), _scan(Relation_Name="other", Alias="b")
    known, code = FIXED[zone]
    after = _node("Hash Join", _zones(Alias="tzconv_1"), *tables, Hash_Cond=_OF_ZONE.format(zone))
    before = _node("Hash Join", *tables, Hash_Cond=f"({zone} = b.time_zone_of)")

    def shares(relation: tuple[str, str], column: str) -> tuple[float, float]:
        assert (relation[0], column) == ("public", "zone")
        return known if relation[1] == "accounts" else (0.0, 0.0)

    found = loss(before, after, lambda _: (_ROWS, _PAGES), shares, lambda: _ROWS)
    assert (found and found.code) == code
    assert loss(after, before, lambda _: (_ROWS, _PAGES), shares, lambda: _ROWS) is None


@pytest.mark.parametrize(
    ("null", "test", "times", "code"),
    [
        (0.4, "", ["ts"], None),
        (0.7, "", ["ts"], "no-gain"),
        (0.7, "(e.ts IS NOT NULL)", ["ts"], None),
        (0.7, "(e.day IS NOT NULL)", ["ts"], "no-gain"),
        (0.7, "", ["ts", "day"], None),
    ],
)
def test_times_that_are_null(null: float, test: str, times: list[str], code: Code | None) -> None:
    """What a condition tests is not NULL after it; one time that has values pays for the join."""
    output = [f"width_bucket(e.{time}, tzconv_1.starts_at_utc)" for time in times]
    events, accounts = _scan(Alias="e", Filter=test), _scan(Relation_Name="accounts", Alias="a")
    zones, zone = _zones(Alias="tzconv_1"), _OF_ZONE.format("a.zone")
    before = _node("Hash Join", events, accounts)
    after = _node("Hash Join", zones, events, accounts, Hash_Cond=zone, Output=output)

    def shares(relation: tuple[str, str], column: str) -> tuple[float, float]:
        return (0.1, null - 0.1) if (relation[1], column) == ("events", "ts") else (0.0, 0.0)

    found = loss(before, after, lambda _: (_ROWS, _PAGES), shares, lambda: _ROWS)
    assert (found and (found.code, "of e.ts are NULL" in found.text)) == (code and (code, True))


def _inner(child: dict[str, Any], parent: str) -> dict[str, Any]:
    outer = _scan(Relation_Name="accounts", Plan_Rows=50)
    if parent == "SubPlan":
        return outer | {"Plans": [child | {"Parent Relationship": parent}]}
    return _node("Nested Loop", outer, child | {"Parent Relationship": parent})


def _group(output: str) -> dict[str, Any]:
    return _node("Aggregate", _scan(), Strategy="Hashed", Plan_Rows=40, Output=[output])


def _workers() -> dict[str, Any]:
    scan = _scan(Parallel_Aware=True, Filter=CONVERTED, Plan_Rows=5)
    return _node("Gather", scan, Workers_Planned=4)


BOUND = {"Index Name": "by_ts", "Index Cond": f"(ts >= {CONVERTED})", "Plan Rows": 9_000}
COMPUTED = {"Output": [CONVERTED], "Plan Rows": 7}
RUNS: dict[str, tuple[dict[str, Any], float]] = {
    "a bound, once": (_scan() | BOUND, 1),
    "a bound for each row": (_inner(_scan() | BOUND, "Inner"), 50),
    "a bound for each row of a subquery": (_inner(_scan() | BOUND, "SubPlan"), 50),
    "values of each row of a subquery": (_inner(_scan() | COMPUTED, "SubPlan"), 350),
    "values of a subquery that runs once": (_inner(_scan() | COMPUTED, "InitPlan"), 7),
    "in an aggregate": (_group(f"max({CONVERTED})"), _ROWS),
    "in the filter of one": (_group(f"count(*) FILTER (WHERE {CONVERTED} > e.ts)"), _ROWS),
    "of an aggregate": (_group("(max(e.ts) AT TIME ZONE a.zone)"), 40),
    "beside an aggregate": (_group(f"(max(e.n) + date_part('hour', {CONVERTED}))"), 40),
    "in an aggregate of each row": (_inner(_group(f"max({CONVERTED})"), "Inner"), 50 * _ROWS),
    "of some of the rows": (
        _node("Limit", _inner(_group(f"max({CONVERTED})"), "Inner"), Plan_Rows=500),
        25 * _ROWS,
    ),
    "a condition of parallel workers": (_workers(), _ROWS),
    "of the workers of two nodes": (_node("Append", _workers(), _workers()), 2 * _ROWS),
}
"""How often a plan computes its conversion."""


@pytest.mark.parametrize("name", RUNS)
def test_expected_rows(name: str) -> None:
    plan, runs = RUNS[name]
    assert expected_rows(plan, lambda *_, **__: [(_ROWS, _PAGES)]) == runs

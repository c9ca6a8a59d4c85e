"""Variables: their types, and what stands for them while a query is rewritten."""

from __future__ import annotations

import pytest

from tzconv.sql.lexer import words
from tzconv.sql.schema import Schema
from tzconv.sql.variables import masked, resolved, types_of, with_nulls, zones


@pytest.mark.parametrize(
    ("header", "body", "types"),
    [
        ("f", "", {}),
        ("f(a text, int, variadic B int[])", "", {"a": "text", "b": "int[]"}),
        ("f(a decimal(3, 2) DEFAULT 1, b int = 1) c (d x)", "", {"a": "decimal(3, 2)", "b": "int"}),
        (
            "f",
            "DECLARE a CONSTANT text := 'x'; b int; BEGIN c text; END",
            {"a": "text", "b": "int"},
        ),
        ("f", 'DECLARE "A" text COLLATE "C"; b int NOT NULL = 1; BEGIN', {"a": "text", "b": "int"}),
        ("f(c int)", "DECLARE a int; BEGIN DECLARE c int; BEGIN", {"a": "int", "c": "int"}),
        ("f(a text)", "DECLARE a int; BEGIN DECLARE a text; BEGIN", {"a": "%"}),
        (
            "f",
            "DECLARE a t.c%TYPE := 1; b t % ROWTYPE; BEGIN",
            {"a": "t.c%TYPE", "b": "t % ROWTYPE"},
        ),
        ("f", "DECLARE a record; b CURSOR (c int) FOR SELECT 1; BEGIN", {"a": "%", "b": "%"}),
    ],
)
def test_types(header: str, body: str, types: dict[str, str]) -> None:
    text = f"{header} {body}"
    assert types_of(text, words(header), words(text, len(header))) == types


def test_types_of_columns() -> None:
    schema = Schema({"t": {"c": "text", "d": "date"}}, "postgres")
    types = {"a": "t.C%TYPE", "b": "t%ROWTYPE", "c": "int", "d": "t.x%TYPE", "e": "x.c%TYPE"}
    known = {"a": "text", "b.c": "text", "b.d": "date", "c": "int"}
    assert resolved({**types, "f": "%"}, schema) == known
    assert resolved(None, schema) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("timezone(tz, timezone(other, x.tz))", "timezone($a, timezone($b___, x.tz))"),
        ("t AT TIME ZONE tz AT TIME ZONE TZ", "t AT TIME ZONE $a AT TIME ZONE $b"),
        ("timezone(r.tz, t AT TIME ZONE r.tz), r.tz", "timezone($a__, t AT TIME ZONE $a__), r.tz"),
        (
            "t AT TIME ZONE r.tz.x, t AT TIME ZONE s.r.tz, t AT TIME ZONE tz.x, TIME ZONE tz(1)",
            None,
        ),
        ("timezone(number, t AT TIME ZONE unknown), tz, f(tz), TIME tz, timezone tz", None),
        ("t AT TIME ZONE n, t AT TIME ZONE r.", None),
        ("t AT TIME ZONE tz, '$a', t AT TIME ZONE", None),
    ],
)
def test_zones(text: str, shown: str | None) -> None:
    types = {"tz": "text", "other": "varchar(9)", "n": "text", "number": "int", "r.tz": "text"}
    found = zones(text, types, "postgres")
    assert (found and found[0]) == shown
    assert found is None or found[1](found[0]) == text


def test_each_zone_has_a_letter() -> None:
    names = [f"zone_{number}" for number in range(10, 40)]
    text = ", ".join(f"timezone({name}, t)" for name in names)
    shown, back = zones(text, dict.fromkeys(names, "text"), "postgres") or ("", str)
    assert "timezone($z_____, t), timezone(zone_36, t)" in shown
    assert back(shown) == text


def test_a_variable_as_null() -> None:
    sql = "SELECT a, b.a, A.b, a(1), x AS a FROM t WHERE (a)"
    shown = sql.replace("SELECT a", "SELECT CAST(NULL AS int)").replace(
        "(a)", "(CAST(NULL AS int))"
    )
    assert with_nulls(sql, {"a": "int"}) == shown


def test_variables_of_the_shell() -> None:
    text = """:'v', :"c", :x, a::"b", ':''v', :"abc" :"c_" :'v__'"""
    shown, back = masked(text) or ("", str)
    assert shown == """:v__, c___, :x, a::"b", ':''v', abc___ c____ :v____"""
    assert back(shown) == text
    assert masked(f"{text}, c___") is None

"""Conversions and comparisons with now, found by words alone in texts that are not parsed."""

from __future__ import annotations

from collections import Counter

import pytest
import sqlglot
from sqlglot import exp

from tests import corpora
from tests.people import statements
from tzconv.engines import foreign
from tzconv.rewriter.sweep import words_of
from tzconv.sql.operands import comparisons, converted
from tzconv.sql.reading import reading_of

_FILES = {
    "duckdb": ("duckdb", "shapes"),
    **{name: (name,) for name in ("postgres", "redshift", "spark", "vertica")},
}
_UTC = {"utc", "etc/utc", "gmt", "etc/gmt", "zulu", "etc/zulu", "uct", "etc/uct"}
_CLOCKS = ("now", "getdate", "getutcdate")
_FIXED = (exp.CurrentTimestamp, exp.CurrentDate, exp.Cast, exp.TsOrDsToDate, exp.Date)


@pytest.mark.parametrize(
    "text",
    [
        "«ts > now()»",
        "«now() < ts»",
        "«NOW() <= e.ts» AND x",
        "e.«ts >= current_timestamp» - INTERVAL '1 day'",
        "«CURRENT_TIMESTAMP = ts»",
        "x = 1 AND «ts < now()» OR now() < other",
        "now()::date = ts",
        "ts > now()::date",
        "«ts IS DISTINCT FROM now()»",
        "x > «now(3) >= s.e.ts» AND ts > 1",
        "«ts >= (now()»)",
        "ts, x > now()",
        "ts now()",
        "now() ts",
        "now() BETWEEN",
        "= now() ts",
        "> now",
        "now() >",
        "date(ts) > now()",
        "now() > date(ts)",
        "other > now() AND now() > 3",
        "ts IN (1, now())",
        "now()",
    ],
)
def test_comparisons(text: str) -> None:
    plain, expected = text.replace("«", "").replace("»", ""), []
    if "«" in text:
        start = text.index("«")
        expected = [plain[start : text.index("»") - 1]]
    found = list(comparisons(plain, words_of(plain, "postgres"), {"ts"}))
    assert [plain[first:last] for first, last in found] == expected


@pytest.mark.parametrize(
    ("before", "operand", "after"),
    [
        ("x, ", "date_trunc('day', ts) AT TIME ZONE 'UTC'", ", y"),
        ("x, ", "(a + b) AT TIME ZONE z", " FROM t"),
        ("x = ", "a.b.ts AT TIME ZONE z.name", " AND x"),
        ("CASE WHEN ", "(x) AT TIME ZONE z", " > y THEN 1 END"),
        ("", "ts::timestamp AT TIME ZONE 'Asia/Tokyo'", " AS l"),
        ("f(", "g(a[1]) AT TIME ZONE (z)", ")"),
        ("", "TIMESTAMP '2026-01-01' AT TIME ZONE z", ""),
        ("x + ", "timezone('UTC', e.ts)", " - y"),
        ("own.timezone('UTC', x), ", "pg_catalog.timezone('UTC', ts)", " AS l"),
        ("", "ts AT TIME ZONE 'UTC' AT TIME ZONE z", " AS l"),
        ("", "ts AT TIMEZONE 'UTC' AT TIMEZONE z", " AS l"),
        ("", "max(s.f(x)) AT TIME ZONE upper(z.name)", ""),
    ],
)
def test_the_operands_of_a_conversion(before: str, operand: str, after: str) -> None:
    text = f"SELECT {before}{operand}{after}"
    *_, found = converted(text, words_of(text, "postgres"), {"timezone"}, has_methods=False)
    assert text[found.start : found.end] == operand


@pytest.mark.parametrize(
    ("call", "is_conversion"),
    [
        ("date_trunc('day', ts)", False),
        ("date_trunc('day', ts, z)", True),
        ("date_trunc('day', f(ts, x))", False),
        ("date_trunc('day', f(ts, x), zones.name)", True),
        ("date(ts)", False),
        ("date(ts, 'Asia/Tokyo')", True),
        ("date(ts, 'start of day')", False),
        ("date(2026, 1, 'a/b')", False),
        ("timestamp_trunc(ts, DAY)", False),
        ("timestamp_trunc(ts, DAY, 'Asia/Tokyo')", True),
        ("date_add(ts, INTERVAL '1 day')", False),
        ("date_add(ts, INTERVAL '1 day', z)", True),
        ("date_subtract(ts, interval '1 day', 'Asia/Tokyo')", True),
        ("date_add(DAY, 1, ts)", False),
        ("date_add('day', 1, ts)", False),
        ("date_add(days, INTERVAL '1 day', z)", True),
        ("generate_series(a, b, step)", False),
        ("generate_series(a, b, step, z)", True),
        ("make_timestamptz(2026, 1, 1, 0, 0, 0)", False),
        ("make_timestamptz(2026, 1, 1, 0, 0, 0, z)", True),
        ("time_bucket('1 day', ts)", False),
        ("time_bucket('1 day', ts, z)", True),
        ("time_bucket('1 day', ts, '2026-01-01')", False),
        ("time_bucket('1 day', ts, TIMESTAMP '2026-01-01')", False),
        ("time_bucket('1 day', ts, z, TIMESTAMP '2026-01-01')", False),
        ("time_bucket('1 day', ts, INTERVAL '1 hour')", False),
        ("time_bucket('1 day', ts, 'Asia/Tokyo')", True),
        ("timezone(z, ts)", True),
        ("timezone", False),
        ("timezone z", False),
        ("other.timezone(z, ts)", False),
        ("pg_catalog.timezone(z, ts)", True),
        ('"timezone"(z, ts)', True),
        ("CREATE TABLE timezone (z, ts)", False),
        ("INSERT INTO timezone (z, ts)", False),
        ("WITH timezone (z, ts)", False),
        ("SELECT (a) timezone (z, ts)", False),
        ("SELECT DISTINCT ON (a) timezone(z, ts)", True),
        ("CREATE MACRO f(z, ts) AS timezone(z, ts)", True),
        ("CREATE MACRO f(z, ts) AS (SELECT a AS timezone (z, ts", False),
        ("SELECT x AS timezone (z, ts)", False),
        ("ts AT TIME ZONE", False),
        ("ts AT LOCAL", True),
        ("ts AT TIMEZONE z", True),
        ("ts AT TIMEZONE", False),
        ('"Own".timezone(z, ts)', False),
        ("AT TIME", False),
        ("ts AT TIME z", False),
    ],
)
def test_what_is_a_conversion(call: str, is_conversion: bool) -> None:
    words = words_of(call, "postgres")
    found = [*converted(call, words, foreign.functions(), has_methods=False)]
    assert [one.end for one in found] == [len(call)] * is_conversion


@pytest.mark.parametrize(
    ("text", "is_constant"),
    [
        ("now() AT TIME ZONE :z", True),
        ("$1 AT TIME ZONE @z", True),
        ("now()::time AT TIME ZONE 'UTC'", True),
        ("CAST('2026-01-01' AS date) AT TIME ZONE 'UTC'", True),
        ("date '2026-01-01' AT TIME ZONE 'UTC'", True),
        ("date AT TIME ZONE 'UTC'", False),
        ("time AT TIME ZONE 'UTC'", False),
        ("'2026-01-01'::at AT TIME ZONE zone", False),
        ("now() AT TIME ZONE time", False),
        ("now() AT TIME ZONE f(timezone)", False),
        ("now() AT TIME ZONE (time zone)", False),
        ("pg_catalog.timezone('UTC', now())", True),
        ("timezone('UTC', '2026-01-01'::own)", False),
        ("now() AT LOCAL", False),
        ("now() AT TIME ZONE utc", False),
        (":at AT TIME ZONE 'UTC'", True),
        ('now() AT TIME ZONE "utc"', False),
    ],
)
def test_constants(text: str, is_constant: bool) -> None:
    words = words_of(text, "postgres")
    [*_, found] = converted(text, words, {"timezone"}, has_methods=False)
    assert found.is_constant == is_constant
    assert found.is_utc == text.endswith("ZONE 'UTC'")


@pytest.mark.parametrize(
    ("text", "methods"),
    [
        ("ts.timezone('UTC')", ["ts.timezone('UTC')"]),
        ("SELECT 'UTC'.timezone(a.ts) AS x", ["'UTC'.timezone(a.ts)"]),
        ("iv.time_bucket(t.ts, z)", ["iv.time_bucket(t.ts, z)"]),
        ("x.date_trunc('day', z)", []),
        (".timezone(z, ts)", []),
    ],
)
def test_methods(text: str, methods: list[str]) -> None:
    found = [*converted(text, words_of(text, "duckdb"), {"timezone"}, has_methods=True)]
    assert [text[one.start : one.end] for one in found if one.is_method] == methods


@pytest.mark.parametrize("dialect", _FILES)
def test_the_words_find_what_the_tree_has(dialect: str) -> None:
    """Of statements that sqlglot reads: each conversion by AT TIME ZONE, its operands and kind."""
    texts = [text for file in _FILES[dialect] for _, _, text in corpora.parts(file)]
    texts += [one.text for one in statements(dialect).values()]
    read, has_methods = dialect.replace("vertica", "postgres"), reading_of(dialect).has_methods
    seen = 0
    for text in texts:
        try:
            trees = [tree for tree in sqlglot.parse(text, read=read) if tree is not None]
        except sqlglot.ParseError:
            continue
        if any(isinstance(tree, exp.Command) for tree in trees) or "{" in text or "%(" in text:
            continue
        expected = Counter(_zoned(node) for tree in trees for node in tree.walk())
        made: Counter[str] = Counter()
        words = words_of(text, dialect)
        for one in converted(text, words, foreign.functions(), has_methods=has_methods):
            select = sqlglot.parse_one(f"SELECT {text[one.start : one.end]}", read=read)
            node = select.expressions[0].unalias()
            made[_zoned(node)] += 1
            if not one.name:
                assert isinstance(node, exp.AtTimeZone)
                zone = node.args["zone"]
                assert one.is_utc == (zone.is_string and zone.name.lower() in _UTC), text
            names = node.find_all(exp.Column)
            calls = [call for call in node.walk() if isinstance(call, exp.Func) and call != node]
            is_plain = not any(names) and all(
                isinstance(call, _FIXED) or call.name.lower() in _CLOCKS for call in calls
            )
            assert one.is_constant == is_plain, (text, text[one.start : one.end])
            seen += 1
        del made[""], expected[""]
        assert made == expected, text
    assert seen > 100


def _zoned(node: exp.Expr) -> str:
    return node.sql(comments=False) if isinstance(node, exp.AtTimeZone) else ""

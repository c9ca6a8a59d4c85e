"""Conversions and comparisons with now, found by words alone in texts that are not parsed."""

from __future__ import annotations

import pytest

from tzconv.rewriter.sweep import words_of
from tzconv.sql.operands import comparisons, converted


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
    *_, found = converted(text, words_of(text, "postgres"), {"timezone"})
    assert text[found.start : found.end] == operand

"""Comparisons with now that are found by words alone, in texts that are not parsed."""

from __future__ import annotations

import pytest

from tzconv.rewriter.sweep import words_of
from tzconv.sql.operands import comparisons


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

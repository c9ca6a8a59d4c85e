"""The check passes no text that is another one outside its edits."""

from __future__ import annotations

import contextlib

import pytest

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter.check import check, is_unchanged
from tzconv.rewriter.edits import Edit, apply
from tzconv.sql.parse import parse


@pytest.mark.parametrize("after", ["-- ", "/* */ -- ", "'", "/*", '"', "1, --"])
def test_swallowed_tokens_are_missed_where_those_after_them_are_alike(after: str) -> None:
    source = parse("SELECT a, 1, 1, 1, 1 FROM t ORDER BY\n1, 1, 1, 1", "duckdb")
    place = source.text.index("1, 1, 1")
    edit = Edit(place, place, after, "rule", "strategy", "reason")
    result = apply(source.text, [edit])
    with contextlib.suppress(ParseError):  # a quote or a comment that is not closed
        assert not is_unchanged(source, [edit], result)


@pytest.mark.parametrize("after", ["t.*, u.*", "t.*", "t.*, u.a", "t.*, 1 AS a", "t.a", "", "*, a"])
@pytest.mark.parametrize("value", ["b + 1", "b + ?", "b % c", "b % 512"])
def test_only_the_stars_of_relations_are_put_for_a_star(value: str, after: str) -> None:
    text = f"SELECT *, {value} AS c FROM t JOIN u ON TRUE"
    source, end = parse(text, "duckdb"), text.index(" AS c")
    edits = [
        Edit(7, 8, after, "rule", "strategy", "reason", "stars"),
        Edit(end - len(value), end, f"({value})", "rule", "strategy", "reason", "expression"),
    ]
    is_so = after in ("t.*, u.*", "t.*")
    with contextlib.nullcontext() if is_so else pytest.raises(CheckError):
        check(source, edits, apply(text, edits), "duckdb")

"""What is read around an edit alone never passes where reading all of it would not."""

from __future__ import annotations

import contextlib
import itertools
import os
import random

import pytest
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token

from tests.corpora import CORPORA
from tzconv.errors import CheckError, ParseError
from tzconv.rewriter.check import check, is_unchanged
from tzconv.rewriter.edits import Edit, apply, in_order
from tzconv.sql.parse import Source, parse

EDITED = int(os.environ.get("TZCONV_RANDOM_EDITS", "1320"))
"""Texts for each dialect, about as many of each query."""
HARMLESS = ["x", "f(a, 'b')", " AND a < 3", "\n-- said\n", "/* said */", "(SELECT 1)", ""]
HARMFUL = ["--", "/*", "*/", "'", '"', "$$", "$tag$", "e'", "x''", "group", "--\n'", "; show", "1e"]
HARMFUL += ["::", "@", "{{", "/*+", "E'\\", "b", "is not", "0x", ".", "-", "/", "*", "\\", "q'["]
BEFORE = (
    "SELECT a, 1, 1, 1, 1, 1, 1, 1, 1, 'x', 1, 1, 1 FROM t WHERE b ORDER BY 1, 1, 1, 1, 1, 1, 1"
)


def outside(text: str, tokens: list[Token], ranges: list[tuple[int, int]]) -> list[object]:
    return [
        (token.token_type, text[token.start : token.end + 1])
        for token in tokens
        if not any(start <= token.start and token.end < end for start, end in ranges)
    ]


def is_so(source: Source, edits: list[Edit], result: str) -> bool:
    shifts = itertools.accumulate((len(e.after) - (e.end - e.start) for e in edits), initial=0)
    moved = [(e.start + s, e.start + s + len(e.after)) for e, s in zip(edits, shifts, strict=False)]
    try:
        tokens = list(source.dialect.tokenize(result))
    except TokenError:
        return False
    before = outside(source.text, source.tokens, [(e.start, e.end) for e in edits])
    return before == outside(result, tokens, moved)


def edited(chance: random.Random, source: Source) -> list[Edit]:
    edits, last = [], -1
    for index in sorted(chance.sample(range(len(source.tokens)), min(3, len(source.tokens)))):
        first, end = source.tokens[index], source.tokens[index]
        if first.start <= last:
            continue
        last = end.end + 1
        pieces = [chance.choice(HARMLESS), chance.choice([*HARMLESS, *HARMFUL])]
        after = chance.choice(["", " "]).join(pieces[: chance.randint(1, 2)])
        place = (first.start, chance.choice([first.start, last]))
        edits.append(Edit(*place, after, "rule", "strategy", "reason"))
    return edits


@pytest.mark.parametrize("dialect", CORPORA)
def test_windows_pass_what_all_of_it_passes(dialect: str) -> None:
    chance = random.Random(20261121)
    counts = {True: 0, False: 0}
    for sql, _ in CORPORA[dialect].values():
        # long enough for windows to be used
        source = parse(f"{sql.rstrip().rstrip(';')}\n;\n{BEFORE};\n{BEFORE}", dialect)
        for _ in range(1 + EDITED // len(CORPORA[dialect])):
            edits = in_order(edited(chance, source))
            result = apply(source.text, edits)
            expected = is_so(source, edits, result)
            try:
                found = is_unchanged(source, edits, result)
            except ParseError:
                found = False
            assert found == expected, result
            counts[expected] += 1
    assert min(counts.values()) > EDITED / 4


@pytest.mark.parametrize("after", ["-- ", "/* */ -- ", "'", "/*", '"', "1, --"])
def test_swallowed_tokens_are_missed_where_those_after_them_are_alike(after: str) -> None:
    source = parse(f"{BEFORE},\n1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1", "duckdb")
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


def test_no_keyword_has_more_words_than_are_left_unsure() -> None:
    import tzconv.engines.vertica.read  # noqa: F401 # sqlglot knows it once it is imported
    from tzconv.rewriter.check import _UNSURE

    for dialect in CORPORA:
        words = Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
        assert max(len(keyword.split()) for keyword in words) < _UNSURE

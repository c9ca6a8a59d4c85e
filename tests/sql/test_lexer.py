"""Where strings, quoted names and comments stand; the texts say themselves what is code."""

from __future__ import annotations

import duckdb
import pytest

from tzconv.sql.lexer import Lexer

# X is looked for; x in lower case stands where it must not be found
TEXTS = [
    "X",
    "'x' X \"x\" X",
    "'it''s x' X \"a\"\"x\" X",
    "-- x\nX -- x",
    "/* x */ X /* x /* x */ x */ X",
    "E'\\' x' X",
    "'\\' X",
    "'a' 'x' X 'x'",
    "$$ x $$ X $a$ x $$ x $a$ X",
    "$1 X $2",
    "a$b$ X c$b$ X",
    "'x -- ' X -- 'x' x\n X",
    "/* ' x */ X '/* x' X",
    'X "x -- x" X',
    "1 - -1 X 2 / 3 * 4 X",
]


@pytest.mark.parametrize("text", TEXTS)
def test_only_code_is_searched(text: str) -> None:
    found = [piece for piece in Lexer("x").pieces(text) if piece.kind == "found"]
    assert [text[one.start : one.end] for one in found] == ["X"] * text.count("X")
    assert [one.start for one in found] == [i for i, c in enumerate(text) if c == "X"]
    marked = Lexer("x").sub(lambda match: f"<{match[0]}>", text)
    assert marked == text.replace("X", "<X>")


def test_comments_and_what_is_not_closed() -> None:
    def kinds(text: str) -> list[tuple[str, str]]:
        return [(one.kind, text[one.start : one.end]) for one in Lexer().pieces(text)]

    assert kinds("1 -- a\n/* b */ 'c'") == [
        ("comment", "-- a"),
        ("comment", "/* b */"),
        ("text", "'c'"),
    ]
    assert kinds("1 /* a /* b */ c") == [("open", "/* a /* b */ c")]
    assert kinds("'a") == [("open", "'")]
    assert kinds("") == []


@pytest.mark.parametrize("text", [one for one in TEXTS if "$" not in one and "\\" not in one])
def test_an_engine_reads_the_same_texts(text: str) -> None:
    """DuckDB's own tokenizer finds the comments and strings in the same places."""
    kinds = dict(duckdb.tokenize(text))
    code = [one.start for one in Lexer("x").pieces(text) if one.kind == "found"]
    starts = sorted(start for start in kinds if kinds[start] is duckdb.token_type.identifier)
    assert [start for start in starts if text[start] != '"'] == code

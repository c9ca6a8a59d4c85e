"""Where strings, quoted names and comments stand in SQL text, so that a pattern is not found there.

For texts that need not be valid SQL: scripts with commands of a shell, statements of any engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from tzconv.sql.text import spliced

Kind: TypeAlias = Literal["found", "comment", "text", "open"]
SPACE = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)"
"""White space or one comment."""
_APART = r"""
    (?P<comment>--[^\n]*) | (?P<block>/\*)
    | (?P<text>
        (?<![\w$])[eE]'(?:[^'\\]|\\.|'')*+'     # a backslash escapes a quote here, and only here
        | '(?:[^']|'')*+' | "(?:[^"]|"")*+" | `[^`]*+`
        | (?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)
    | (?P<open>['"])"""
_RAW = r"""(?<![\w$])[rR](?:'[^']*+'|"[^"]*+")"""
_ESCAPED = _APART.replace("[^']|", r"[^'\\]|\\.|").replace('[^"]|', r'[^"\\]|\\.|')
_ESCAPED = _ESCAPED.replace("(?P<text>", rf"(?P<text> {_RAW} |")
"""Like ``_APART``, in dialects where a backslash escapes a quote in every text but raw ones."""
_WORD = r"[^\W\d][\w$]* | \d[\w.]* | \S"
_BLOCK = re.compile(r"/\*|\*/")
_KINDS: dict[str | None, Kind] = {"comment": "comment", "text": "text", "open": "open"}


class Piece(NamedTuple):
    """``text[start:end]``: a comment, a quoted text, what was looked for, or what is not closed."""

    kind: Kind
    start: int
    end: int
    match: re.Match[str]


class Lexer:
    """Looks for a pattern (verbose, in any case) outside of strings, quoted names and comments."""

    def __init__(self, pattern: str = r"(?!)", *, backslash_escapes: bool = False) -> None:
        flags = re.VERBOSE | re.DOTALL | re.IGNORECASE
        apart = _ESCAPED if backslash_escapes else _APART
        self._pattern = re.compile(f"{apart} | {pattern}", flags)

    def pieces(self, text: str, start: int = 0) -> Iterator[Piece]:
        """The pieces from ``start`` on, in order; other code is passed over."""
        while match := self._pattern.search(text, start):
            kind, end = _KINDS.get(match.lastgroup, "found"), match.end()
            if match.lastgroup == "block":
                kind, end = _block(text, match.start())
            yield Piece(kind, match.start(), end, match)
            start = max(end, match.start() + 1)

    def sub(self, by: Callable[[re.Match[str]], str], text: str) -> str:
        """The text with other text for each place that was found."""
        found = (piece for piece in self.pieces(text) if piece.kind == "found")
        return spliced(text, ((piece.start, piece.end, by(piece.match)) for piece in found))


class Word(NamedTuple):
    """A word, a number or a sign of a text, or a quoted part of it (``is_text``).

    ``upper`` is the word in upper case, empty for what is quoted, so that no keyword equals it.
    """

    start: int
    end: int
    upper: str
    is_text: bool

    @property
    def is_name(self) -> bool:
        """Whether it is a word without quotes."""
        return self.upper[:1].isalpha() or self.upper.startswith("_")

    def name(self, text: str) -> str:
        """The word as it is written in its text, without quotes."""
        return text[self.start : self.end].strip('"')


_WORDS = {escapes: Lexer(_WORD, backslash_escapes=escapes) for escapes in (False, True)}


def words(text: str, start: int = 0, *, backslash_escapes: bool = False) -> list[Word]:
    """What a text consists of, without its comments; a quote that is not closed is passed over."""
    found: list[Word] = []
    for piece in _WORDS[backslash_escapes].pieces(text, start):
        if piece.kind not in ("comment", "open"):
            is_text = piece.kind == "text"
            upper = "" if is_text else text[piece.start : piece.end].upper()
            found.append(Word(piece.start, piece.end, upper, is_text))
    return found


def closing(found: list[Word], at: int) -> int:
    """The place of the parenthesis that closes the one at ``at``, or after the last word."""
    depth = 0
    for place in range(at, len(found)):
        depth += (found[place].upper == "(") - (found[place].upper == ")")
        if not depth:
            return place
    return len(found)


def _block(text: str, start: int) -> tuple[Kind, int]:
    """The end of a block comment; such comments nest in PostgreSQL and DuckDB."""
    depth, at = 0, start
    while found := _BLOCK.search(text, at):
        depth += 1 if found[0] == "/*" else -1
        at = found.end()
        if depth == 0:
            return "comment", at
    return "open", len(text)

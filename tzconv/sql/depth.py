"""How deeply a text may nest, and the stack that reading it takes."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Iterator

from sqlglot.tokenizer_core import Token, TokenType

from tzconv.errors import ParseError
from tzconv.sql.places import line_and_column

_DEEPEST = 200
"""Parentheses inside parentheses: for more, the recursion of the parser needs too much stack."""
_MARKS = re.compile(r"[()]|\b(?:CASE|END|SELECT)\b", re.IGNORECASE)
_STEPS = {"(": 1, ")": -1, "CASE": 1, "END": -1}
_MOST_DEPTH = 400
_MOST_SELECTS = 1_000
_CALLS, _CALLS_OF_SELECT = 100, 20
_USUAL = 1_000

_lock = threading.Lock()
_waiting: list[int] = []
_before = 0


def refuse_depth(text: str, tokens: list[Token]) -> None:
    """ParseError at the first parenthesis inside too many others."""
    depth = 0
    for token in tokens:
        depth += token.token_type == TokenType.L_PAREN
        depth -= token.token_type == TokenType.R_PAREN
        if depth > _DEEPEST:
            place = line_and_column(text, token.start)
            raise ParseError("the statement is nested too deeply to be read", *place)


@contextlib.contextmanager
def room(text: str) -> Iterator[None]:
    """Raise the limit of the interpreter while a text needs more; most texts do not.

    The limit is that of all threads, so the last one to finish puts it back.
    """
    global _before  # noqa: PLW0603 # there is one limit
    calls = _calls(text)
    if calls <= _USUAL:
        yield
        return
    with _lock:
        if not _waiting:
            _before = sys.getrecursionlimit()
        _waiting.append(calls)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _USUAL + calls))
    try:
        yield
    finally:
        with _lock:
            _waiting.remove(calls)
            if not _waiting:
                sys.setrecursionlimit(_before)


def _calls(text: str) -> int:
    """How many calls inside each other a text may take, beyond those of the usual ones."""
    depth = deepest = selects = 0
    for mark in _MARKS.finditer(text):
        word = mark[0].upper()
        selects += word == "SELECT"
        depth = max(0, depth + _STEPS.get(word, 0))
        deepest = max(deepest, depth)
    return min(deepest, _MOST_DEPTH) * _CALLS + min(selects, _MOST_SELECTS) * _CALLS_OF_SELECT

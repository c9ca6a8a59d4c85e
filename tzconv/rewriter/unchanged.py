"""Whether a rewritten text has the tokens of the original wherever it was not edited.

Cutting a text into tokens takes as long as a third of reading it. What a token is depends on the
text that follows and on the two tokens before it, so around an edit a few tokens show whether the
rest can differ: where two tokens after an edit are those of the original, all up to the next are.
"""

from __future__ import annotations

import itertools
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token

from tzconv.rewriter.edits import Edit
from tzconv.rewriter.parse import Range, Source, tokenize

_BEFORE = 3
"""Tokens read before an edit: the first is only there for the two after it to be what they are."""
_AFTER = 8
_UNSURE = 5
"""How many of them the end of the window may change: a keyword of several words looks ahead."""
_NOWHERE: Range = (sys.maxsize, sys.maxsize)


def is_unchanged(source: Source, edits: Sequence[Edit], result: str) -> bool:
    """Whether the tokens outside the edits, which are in order, are those of the source.

    ParseError where a quoted text or a comment of the result is not closed.
    """
    return _is_so_nearby(source, edits, result) or _is_so(source, edits, result)


def _is_so(source: Source, edits: Sequence[Edit], result: str) -> bool:
    before = _outside(source.text, source.tokens, [(edit.start, edit.end) for edit in edits])
    after = _outside(result, tokenize(result, source.dialect), list(_moved(edits)))
    return before == after


def _is_so_nearby(source: Source, edits: Sequence[Edit], result: str) -> bool:
    """The same by windows around the edits; False also where they do not show it."""
    starts = [token.start for token in source.tokens]
    windows: list[tuple[int, int, list[tuple[Edit, Range]]]] = []
    for edit, moved in zip(edits, _moved(edits), strict=True):
        first = max(0, bisect_left(starts, edit.start) - _BEFORE)
        last = min(len(starts), bisect_left(starts, edit.end) + _AFTER)
        if windows and first <= windows[-1][1]:
            first, _, inside = windows.pop()
            windows.append((first, last, [*inside, (edit, moved)]))
        else:
            windows.append((first, last, [(edit, moved)]))
    if sum(last - first for first, last, _ in windows) > len(starts) // 2:
        return False  # then one reading of all is as fast
    return all(
        _is_so_within(source, first, last, inside, result) for first, last, inside in windows
    )


def _is_so_within(
    source: Source, first: int, last: int, edits: list[tuple[Edit, Range]], result: str
) -> bool:
    tokens = source.tokens
    is_end = last == len(tokens)
    start = tokens[first].start if first else 0
    shift = edits[0][1][0] - edits[0][0].start  # of what stands before the first edit
    shift_after = edits[-1][1][1] - edits[-1][0].end
    text = result[start + shift : None if is_end else tokens[last].start + shift_after]
    found = _tokens(text, source.dialect)
    if found is None:
        return False
    before = _outside(source.text, tokens[first:last], [(e.start, e.end) for e, _ in edits])
    moved = [(a - start - shift, b - start - shift) for _, (a, b) in edits]
    after = _outside(text, found, moved)
    if is_end:
        return before == after
    if len(before) != len(after) or before[:-_UNSURE] != after[:-_UNSURE]:
        return False
    sure = range(-_AFTER, -_UNSURE)  # they stand where they stood, too
    moved_by = shift_after - start - shift
    return [found[i].start for i in sure] == [tokens[last + i].start + moved_by for i in sure]


def _tokens(text: str, dialect: Dialect) -> list[Token] | None:
    try:
        return list(dialect.tokenize(text))
    except TokenError:
        return None


def _outside(text: str, tokens: list[Token], edited: list[Range]) -> list[tuple[object, str]]:
    """The tokens that lie in none of the edited ranges, which are in order."""
    outside: list[tuple[object, str]] = []
    waiting = iter(edited)
    start, end = next(waiting, _NOWHERE)
    for token in tokens:
        while end <= token.start:
            start, end = next(waiting, _NOWHERE)
        if not (start <= token.start and token.end < end):
            outside.append((token.token_type, text[token.start : token.end + 1]))
    return outside


def _moved(edits: Sequence[Edit]) -> Iterator[Range]:
    """Where the edits stand in the rewritten text."""
    lengths = (len(edit.after) - (edit.end - edit.start) for edit in edits)
    for edit, shift in zip(edits, itertools.accumulate(lengths, initial=0), strict=False):
        start = edit.start + shift
        yield start, start + len(edit.after)

"""Queries inside other files: rewritten in JSON and YAML, found in all others.

A text is edited only where the file, read again, has the rewritten query in the same place; all
that is around it stays as it is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter import kept, templated
from tzconv.rewriter.kept import Held
from tzconv.rewriter.report import Change, Left, Rewrite, left_at, placed
from tzconv.sql.declarations import Declared
from tzconv.sql.embedded import Piece, pieces
from tzconv.sql.lexer import Lexer
from tzconv.sql.parse import Range
from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import Reason
from tzconv.sql.text import spliced

_Place = TypeVar("_Place", Change, Left)
_QUERY = re.compile(
    r"(?:\s|;|\[\[|--.*\n|/\*(?s:.*?)\*/|\{[{%#](?s:.*?)[}%#]\})*"
    r"(?:SELECT|WITH|FROM|INSERT|UPDATE|DELETE|MERGE|CREATE|EXPLAIN|SET)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"'[^']*'|\"[^\"]*\"|[^\s'\"]+")
"""Literals and names with their spaces, and what stands between them without."""
_SELECT = "SELECT "
_PART = Reason("statement", "it is a part of a query: rewrite the query that it becomes")
_BY_HAND = Reason(
    "statement", "the file cannot be edited for certain in this place: rewrite the query by hand"
)


def is_query(text: str) -> bool:
    """Whether a text begins as a statement does, and is no part of one."""
    return _QUERY.match(text) is not None


def as_query(piece: Piece) -> Piece:
    """A part of a query as a query without FROM, which cannot be edited; others as they are."""
    if is_query(piece.text):
        return piece
    return Piece(f"{_SELECT}{piece.text}", (*(piece.starts[0] for _ in _SELECT), *piece.starts))


def texts(name: str, text: str) -> list[Piece] | None:
    """The queries and conversions that a file has in it; None for a file that is SQL itself."""
    found = pieces(name, text)
    if found is None:
        return None
    known = [one for one in found if templated.MAY_CHANGE.search(one.text)]
    return [
        one
        for one in known
        if is_query(one.text.lstrip("(\n\t ")) or templated.ANYWHERE.search(one.text)
    ]


def rewrite_each(
    name: str, text: str, rewrite: Callable[..., Rewrite], declared: Declared, dialect: str
) -> Rewrite:
    """Rewrite a file: all of it, or the queries in it by what its name says.

    ``rewrite`` and ``declared`` are those of :func:`templated.rewrite_each`.
    """
    found = texts(name, text)
    if found is None:
        return templated.rewrite_each(text, rewrite, declared, dialect)
    one = functools.partial(
        templated.rewrite_each, rewrite=rewrite, declared=declared, dialect=dialect
    )
    changes: list[Change] = []
    left: list[Left] = []
    spans: list[tuple[int, int, str]] = []
    for piece in found:
        sql, edits, others = _rewritten(text, piece, one)
        own = [(one.start, one.end, one.after) for one in edits]
        if edits and not _holds(name, text, own, piece, sql):
            # a comment stands before it, too: all of it is put in anew
            new, end = piece.encode and piece.encode(sql.rstrip()), len(piece.text.rstrip())
            own = [(piece.starts[0], piece.starts[end], new or "")]
            if new is None or not _holds(name, text, own, piece, sql):
                others.append(_at(text, piece, 0, len(piece.text), _BY_HAND))
                edits, own = [], []
        changes += edits
        left += others
        spans += own
    return Rewrite(spliced(text, spans), tuple(changes), tuple(left))


def outdated(name: str, text: str, release: str) -> list[Held]:
    """The comments of :func:`kept.outdated`; of a query in a file, where the query begins."""
    found = pieces(name, text)
    if found is None:
        return kept.outdated(text, release)
    return [
        replace(held, line=line, column=column)
        for piece in found
        if kept.COMMENT.search(piece.text)
        for line, column in [line_and_column(text, piece.starts[0])]
        for held in kept.outdated(piece.text, release)
    ]


def _rewritten(
    text: str, piece: Piece, rewrite: Callable[[str], Rewrite]
) -> tuple[str, list[Change], list[Left]]:
    """A query as it becomes; its changes and the places left, with their places in the file."""
    is_part = not is_query(piece.text)
    piece = as_query(piece)
    try:
        result = rewrite(piece.text)
    except (ParseError, CheckError) as error:
        reason = Reason("not-parsed", f"the query cannot be read as SQL: {error.reason}")
        spans = [match.span() for match in templated.ANYWHERE.finditer(piece.text)]
        return piece.text, [], [_at(text, piece, *span, reason) for span in spans]
    left = [_moved(text, piece, one) for one in result.left]
    if is_part:
        left += [_at(text, piece, *span, _PART) for span in _quoted(piece.text, result)]
    afters = [piece.encode(one.after) if piece.encode else None for one in result.changes]
    if None in afters:
        why = _PART if is_part else _BY_HAND
        spans = sorted({(one.start, one.end) for one in result.changes if one.end > one.start})
        return piece.text, [], left + [_at(text, piece, *span, why) for span in spans]
    edits = [
        replace(_moved(text, piece, one), after=after)
        for one, after in zip(result.changes, afters, strict=True)
        if after is not None
    ]
    return result.sql, edits, left


def _quoted(text: str, result: Rewrite) -> list[Range]:
    """Conversions in the quotes of a part of a query, which may be quotes of the program."""
    known = [(one.start, one.end) for one in result.changes]
    known += [(one.start, one.end) for one in result.left]
    known += [(one.start, one.end) for one in Lexer().pieces(text) if one.kind == "comment"]
    found = (match.span() for match in templated.ANYWHERE.finditer(text))
    return [
        (start, end)
        for start, end in found
        if not any(first < end and start < last for first, last in known)
    ]


def _moved(text: str, piece: Piece, one: _Place) -> _Place:
    start = piece.starts[one.start]
    return placed(one, text, start, max(start, piece.starts[one.end]))


def _at(text: str, piece: Piece, start: int, end: int, reason: Reason) -> Left:
    return left_at(text, piece.starts[start], piece.starts[end], reason)


def _holds(name: str, text: str, own: list[tuple[int, int, str]], piece: Piece, sql: str) -> bool:
    """Whether the file with one query edited has it where it was, line breaks perhaps as spaces."""
    try:
        new = pieces(name, spliced(text, own)) or ()
    except ParseError:
        return False
    found = [one for one in new if one.starts[0] == piece.starts[0]]
    return [_WORDS.findall(one.text) for one in found] == [_WORDS.findall(sql)]

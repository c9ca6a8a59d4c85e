"""Findings in the queries that other files hold, and in the parts of queries, with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tzconv.errors import ParseError
from tzconv.lint import Finding, Fix
from tzconv.rewriter import Left
from tzconv.rewriter.embedded import as_query, texts
from tzconv.sql.embedded import Piece
from tzconv.sql.places import line_and_column

_UNREAD = ("not-parsed", "template")
_UNSURE = (*_UNREAD, "statement", "unknown-column", "unknown-type", "unknown-zone")
"""Codes of places of which a rewrite knows too little; of SQL files TZ001 says the others."""


def lint_each(
    name: str, text: str, lint: Callable[[str], tuple[Finding, ...]], left: Iterable[Left]
) -> tuple[Finding, ...]:
    """All findings in a file, or in the queries in it by what its name says.

    ``left`` are the places that a rewrite of the file leaves: where it could not read a query, or
    knows too little of it, a conversion is a finding, too.
    """
    pieces = texts(name, text)
    if pieces is None:
        found = list(lint(text))
    else:
        found = [one for piece in pieces for one in _findings(text, as_query(piece), lint)]
    for one in left:
        codes = _UNREAD if pieces is None else _UNSURE
        if one.code in codes and not any(
            it.start <= one.end and one.start <= it.end for it in found
        ):
            place = (*line_and_column(text, one.start), *line_and_column(text, one.end))
            message = f"a time zone may be converted for each row: {one.reason}"
            found.append(Finding("TZ001", message, *place, one.start, one.end, ()))
    return tuple(sorted(found, key=lambda one: (one.start, one.code)))


def _findings(text: str, piece: Piece, lint: Callable[[str], tuple[Finding, ...]]) -> list[Finding]:
    try:
        return [_moved(text, piece, one) for one in lint(piece.text)]
    except ParseError:
        return []  # the rewriter says so


def _moved(text: str, piece: Piece, one: Finding) -> Finding:
    start = piece.starts[one.start]
    end = max(start, piece.starts[one.end])
    afters = [piece.encode(fix.after) if piece.encode else None for fix in one.fixes]
    fixes = tuple(
        Fix(piece.starts[fix.start], piece.starts[fix.end], after)
        for fix, after in zip(one.fixes, afters, strict=True)
        if after is not None and None not in afters
    )
    (line, column), (last, after) = (line_and_column(text, at) for at in (start, end))
    moved = replace(one, line=line, column=column, end_line=last, end_column=after)
    return replace(moved, start=start, end=end, fixes=fixes)

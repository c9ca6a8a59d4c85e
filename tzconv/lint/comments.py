"""Comments that switch rules off: ``-- tzconv: ignore[TZ002]`` or ``-- tzconv: ignore``.

Such a comment holds for its own line. On a line of its own it holds for the next line with code
and, where a statement begins there, for all of that statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tzconv.rewriter.statements import Statement
from tzconv.sql.lexer import Lexer
from tzconv.sql.places import line_and_column

_IGNORE = re.compile(r"\btzconv:\s*ignore\b(?:\s*\[(?P<codes>[^\]]*)\])?", re.IGNORECASE)


def ignored(text: str, statements: Iterable[Statement]) -> dict[int, frozenset[str]]:
    """By line, counted from 1: the codes that are switched off there; ``*`` for all of them."""
    found: dict[int, frozenset[str]] = {}
    lines = text.split("\n")
    spans = {
        line_and_column(text, one.start)[0]: line_and_column(text, one.end)[0] for one in statements
    }
    for piece in Lexer().pieces(text):
        is_comment = piece.kind == "comment"
        ignore = _IGNORE.search(text, piece.start, piece.end) if is_comment else None
        if ignore is None:
            continue
        codes = frozenset(code.strip().upper() for code in (ignore["codes"] or "*").split(","))
        first, column = line_and_column(text, piece.start)
        after = line_and_column(text, piece.end)[0] + 1
        covered = range(first, after)
        if not lines[first - 1][: column - 1].strip():  # on a line of its own
            while after <= len(lines) and re.match(r"\s*(--|$)", lines[after - 1]):
                after += 1
            covered = range(after, spans.get(after, after) + 1)
        for line in covered:
            found[line] = found.get(line, frozenset()) | codes
    return found

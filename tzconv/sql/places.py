"""Where in a text a character stands."""

from __future__ import annotations

import bisect
import functools
import re


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The place of a character offset, both counted from 1."""
    starts = _line_starts(text)
    line = bisect.bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


@functools.lru_cache(maxsize=2)
def _line_starts(text: str) -> list[int]:
    """Kept for the text at work: each of its edits has a place."""
    return [0, *(match.end() for match in re.finditer("\n", text))]

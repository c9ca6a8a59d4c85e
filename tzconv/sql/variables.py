"""Variables as parameters: those of psql and vsql, ``:'name'`` and ``:"name"``, and of PL/pgSQL.

The shell puts a quoted text or name there. What stands for a variable has its length, so that all
other characters keep their places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tzconv.sql.lexer import Lexer, words
from tzconv.sql.schema import kind_of_text
from tzconv.sql.text import spliced

_VARIABLE = Lexer(r"""(?<!:):(?:'(?P<value>[^\W\d]\w*)'|"(?P<name>[^\W\d]\w*)")""")

_MOST = 26
"""Each variable of PL/pgSQL has a letter of its own."""


def masked(text: str) -> tuple[str, Callable[[str], str]] | None:
    """The text without such variables, and what puts them back into any text made of it."""
    originals: dict[str, str] = {}

    def mask(match: re.Match[str]) -> str:
        made = f":{match['value']}__" if match["value"] else f"{match['name']}___"
        originals[made] = match[0]
        return made

    shown = _VARIABLE.sub(mask, text)
    return _with_back(text, shown, originals)


def zones(
    text: str, types: Mapping[str, str], dialect: str
) -> tuple[str, Callable[[str], str]] | None:
    """Like ``masked``, for the variables of PL/pgSQL that name the zone of a conversion.

    ``types`` are those of variables by name, in lower case. Where a zone stands, an expression is
    read, and the engine refuses a name there that may be a column as well.
    """
    own = words(text)
    signs = ["", "", *(word.upper for word in own), ""]
    originals: dict[str, str] = {}
    pieces = []
    for word, first, before, after in zip(own, signs, signs[1:], signs[3:], strict=False):
        is_zone = (first, before) in (("TIME", "ZONE"), ("TIMEZONE", "("))
        kind = types.get(word.upper.lower(), "") if is_zone and after not in (".", "(") else ""
        spelt, known = text[word.start : word.end], {one: it for it, one in originals.items()}
        if len(spelt) > 1 and len(known) < _MOST and kind_of_text(kind or "?", dialect) == "text":
            new = f"${chr(ord('a') + len(known))}".ljust(len(spelt), "_")
            made = known.get(spelt, new)
            originals[made] = spelt
            pieces.append((word.start, word.end, made))
    return _with_back(text, spliced(text, pieces), originals)


def with_nulls(sql: str, types: Mapping[str, str]) -> str:
    """A query in which each variable is a NULL of its type."""
    own, pieces = words(sql), list[tuple[int, int, str]]()
    signs = ["", *(word.upper for word in own), ""]
    for word, before, after in zip(own, signs, signs[2:], strict=False):
        kind = types.get(word.name(sql).casefold())
        if kind is not None and before not in (".", "AS") and after not in (".", "("):
            pieces.append((word.start, word.end, f"CAST(NULL AS {kind})"))
    return spliced(sql, pieces)


def _with_back(
    text: str, shown: str, originals: Mapping[str, str]
) -> tuple[str, Callable[[str], str]] | None:
    if not originals or any(one in text for one in originals):
        return None

    def back(made: str) -> str:
        for mask, original in originals.items():
            made = made.replace(mask, original)
        return made

    return shown, back

"""The variables of a function in PL/pgSQL, and a query of its body with typed NULLs instead.

A server that is asked for the columns of such a query knows no variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tzconv.sql.lexer import Word, closing, words
from tzconv.sql.text import spliced

_MODES = {"IN", "OUT", "INOUT", "VARIADIC", "CONSTANT"}
_AFTER_TYPE = {"NOT", "DEFAULT", "COLLATE", ":", "=", "%"}
_NO_VALUES = {"RECORD", "CURSOR", "REFCURSOR", "ALIAS"}


def types_of(text: str, header: list[Word], inside: list[Word]) -> dict[str, str]:
    """The types of arguments and declared variables by name, in lower case, as far as known."""
    found: dict[str, str] = {}
    opened = next((at for at, word in enumerate(header) if word.upper == "("), len(header))
    declarations = list(separated(header[opened + 1 : closing(header, opened)], ","))
    ends = [at for at, word in enumerate(inside) if word.upper == "BEGIN"]
    if inside and inside[0].upper == "DECLARE" and ends:
        declarations += separated(inside[1 : ends[0]], ";")
    for own in declarations:
        named = [word for word in own if word.upper not in _MODES]
        end = next((at for at, one in enumerate(named) if one.upper in _AFTER_TYPE), len(named))
        is_known = end > 1 and named[1].upper not in _NO_VALUES
        if is_known and [word.upper for word in named[end : end + 1]] != ["%"]:
            kind = text[named[1].start : named[end - 1].end]
            found[_name(text, named[0])] = kind
    return found


def with_nulls(sql: str, types: Mapping[str, str]) -> str:
    """A query in which each variable is a NULL of its type."""
    own, pieces = words(sql), list[tuple[int, int, str]]()
    signs = ["", *(word.upper for word in own), ""]
    for word, before, after in zip(own, signs, signs[2:], strict=False):
        kind = types.get(_name(sql, word))
        if kind is not None and before not in (".", "AS") and after not in (".", "("):
            pieces.append((word.start, word.end, f"CAST(NULL AS {kind})"))
    return spliced(sql, pieces)


def separated(found: list[Word], sign: str) -> Iterator[list[Word]]:
    """The words between the signs that stand outside of parentheses."""
    own: list[Word] = []
    depth = 0
    for word in found:
        depth += (word.upper == "(") - (word.upper == ")")
        if word.upper != sign or depth:
            own.append(word)
        elif own:
            yield own
            own = []
    if own:
        yield own


def _name(text: str, word: Word) -> str:
    return text[word.start : word.end].strip('"').casefold()

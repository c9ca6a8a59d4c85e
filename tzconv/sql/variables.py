"""Variables as parameters: those of psql and vsql, ``:'name'`` and ``:"name"``, and of PL/pgSQL.

The shell puts a quoted text or name there. What stands for a variable has its length, so that all
other characters keep their places.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping

from tzconv.sql.lexer import Lexer, Word, closing, words
from tzconv.sql.schema import Schema, kind_of_text
from tzconv.sql.text import spliced

_VARIABLE = Lexer(r"""(?<!:):(?:'(?P<value>[^\W\d]\w*)'|"(?P<name>[^\W\d]\w*)")""")

_MOST = 26
"""Each variable of PL/pgSQL has a letter of its own."""
_BEFORE_ZONES = {("TIME", "ZONE"), ("TIMEZONE", "("), ("CONVERT_TIMEZONE", "(")}
_MODES = {"IN", "OUT", "INOUT", "VARIADIC", "CONSTANT"}
_AFTER_TYPE = {"NOT", "DEFAULT", "COLLATE", ":", "=", "%"}
_NO_VALUES = {"RECORD", "CURSOR", "REFCURSOR", "ALIAS"}
_UNKNOWN = "%"


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
    signs = ["", "", *(word.upper for word in own), "", "", ""]
    originals: dict[str, str] = {}
    pieces = []
    for at, word in enumerate(own):
        is_zone = (signs[at], signs[at + 1]) in _BEFORE_ZONES or (
            signs[max(at - 2, 0) : at + 2] == ["CONVERT_TIMEZONE", "(", "", ","]  # after a text
            and signs[at + 3] == ","
        )
        last = at + 2 if signs[at + 3] == "." and signs[at + 4] else at  # a field: account.tz
        name = "".join(signs[at + 2 : last + 3]).lower()
        kind = types.get(name, "") if is_zone and signs[last + 3] not in (".", "(") else ""
        spelt, known = text[word.start : own[last].end], {it: one for one, it in originals.items()}
        if len(spelt) > 1 and len(known) < _MOST and kind_of_text(kind or "?", dialect) == "text":
            new = f"${chr(ord('a') + len(known))}".ljust(len(spelt), "_")
            made = known.get(spelt, new)
            originals[made] = spelt
            pieces.append((word.start, own[last].end, made))
    return _with_back(text, spliced(text, pieces), originals)


def types_of(text: str, header: list[Word], inside: list[Word]) -> dict[str, str]:
    """The types of arguments and declared variables by name, in lower case, as far as known.

    A name that an inner block declares anew, with another type, has none that is known.
    """
    found: dict[str, str] = {}
    opened = next((at for at, word in enumerate(header) if word.upper == "("), len(header))
    declarations = list(separated(header[opened + 1 : closing(header, opened)], ","))
    for at, word in enumerate(inside):
        if word.upper == "DECLARE":
            rest = itertools.takewhile(lambda one: one.upper != "BEGIN", inside[at + 1 :])
            declarations += separated(list(rest), ";")
    for own in declarations:
        named = [word for word in own if word.upper not in _MODES]
        end = next((at for at, one in enumerate(named) if one.upper in _AFTER_TYPE), len(named))
        if end > 1:
            end += 2 * ([word.upper for word in named[end : end + 1]] == ["%"])  # a.b%TYPE
            kind = text[named[1].start : named[:end][-1].end]
            kind = _UNKNOWN if named[1].upper in _NO_VALUES else kind
            name = named[0].name(text).casefold()
            found[name] = kind if found.get(name, kind) == kind else _UNKNOWN
    return found


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


def resolved(types: Mapping[str, str] | None, schema: Schema) -> dict[str, str] | None:
    """The types of variables, with those of the columns for ``table.column%TYPE``, if known.

    Those of ``table%ROWTYPE`` are of the fields: ``account.tz``.
    """
    found: dict[str, str] = {}
    for name, text in (types or {}).items():
        what, _, form = text.casefold().rpartition("%")
        table, _, column = what.rpartition(".")
        if form == "rowtype":
            fields = schema.columns_of(what)
            found |= {f"{name}.{field}": kind for field, kind in fields.items()}
        elif "%" not in text:
            found[name] = text
        elif column in schema.columns_of(table):
            found[name] = schema.columns_of(table)[column]
    return None if types is None else found


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

    # the longest first: another may begin with one
    masks = re.compile("|".join(map(re.escape, sorted(originals, key=len, reverse=True))))
    return shown, lambda made: masks.sub(lambda match: originals[match[0]], made)

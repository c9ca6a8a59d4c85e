"""The first look at a statement's text: what it may convert, and what it may change.

It costs microseconds for texts of thousands of parameters, and reads tokens: a column
``start_time``, a comment or an alias ``now`` is no conversion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tzconv.sql.lexer import SPACE, Lexer

_COMMENT = r"/\*(?!\+)(?:(?!/\*)(?:%%|[^%*]|\*(?!/)))*+\*/"
"""Without a hint, a placeholder or another comment in it."""
_FIRST = re.compile(rf"(?:(?:{_COMMENT}|--(?:%%|[^%\n])*+\n)\s*+)*+")
_LAST = re.compile(rf"{_COMMENT};?")
_HEAD = re.compile(rf"(?:{SPACE}|\()*+([a-z]+)", re.IGNORECASE | re.DOTALL)
# each pattern begins with fixed text, so that the search for it runs over 1,000 parameters in
# microseconds; what comes before that text is looked at after it
_ZONES = re.compile(r"time\s*+zone\b"), re.compile(r"local\b")
_AT = re.compile(r"\bat\s+\Z")
_OF_ROWS = tuple(
    re.compile(rf"{name}(?<!\w{name})\s*\(")
    for name in ("timezone", "new_time", "date_trunc", "datetrunc", "time_bucket")
)
_OF_NOW = (
    *(re.compile(rf"{name}(?<!\w{name})\s*\(") for name in ("now", "today", "getdate")),
    *(
        re.compile(rf"{name}(?<!\w{name})\b")
        for name in (
            *("current_timestamp", "current_date", "current_time"),
            *("localtimestamp", "localtime", "sysdate"),
        )
    ),
    re.compile(r"_timestamp\s*\("),
)
_APART = re.compile(
    r"'(?:[^']|'')*+'|\"[^\"]*+\"|--[^\n]*+|/\*.*?\*/|\$(\w*)\$.*?\$\1\$", re.DOTALL
)
_QUOTED_CALL = re.compile(r'"(timezone|date_trunc|now)"(?=\s*\()')
_END = Lexer(";")
# a quote in a text or comment begins no name, so each is tried and the text after it is read again
_WORD = re.compile(r'"(?=((?:[^"]|"")+)")|([^\W\d][\w$]*)')


def apart(statement: str) -> tuple[str, str, str]:
    """The comment before a statement, the statement, and the comment after it.

    Tracing writes comments there that differ at each execution.
    """
    start, end = 0, len(statement)
    if statement.startswith(("/*", "--")) and (first := _FIRST.match(statement)):
        start = first.end()
    if statement.endswith(("*/", "*/;")):
        last = statement.rfind("/*")
        if last >= start and _LAST.fullmatch(statement, last):
            end = last
    return statement[:start], statement[start:end], statement[end:]


def head(statement: str) -> str:
    """The first word of a statement in upper case."""
    found = _HEAD.match(statement)
    return found[1].upper() if found else ""


def parts(statement: str) -> Iterator[tuple[str, str]]:
    """The first word of each statement in a text, and the text of it without comments."""
    text, start = "", 0
    for piece in _END.pieces(statement):
        if piece.kind in ("found", "comment"):
            text, start = f"{text}{statement[start : piece.start]} ", piece.end
        if piece.kind == "found":
            yield head(text), text.strip()
            text = ""
    yield head(text + statement[start:]), (text + statement[start:]).strip()


def converts(statement: str) -> tuple[bool, bool]:
    """Whether a text has a conversion or a form of NOW(), and whether one of each row."""
    low = statement.lower()
    if not any(_found(low)):
        return False, False
    if any(mark in low for mark in ("'", '"', "--", "/*", "$$")):
        low = _APART.sub(" ", _QUOTED_CALL.sub(r"\1", low))
    return _found(low)


def _found(low: str) -> tuple[bool, bool]:
    is_rowwise = any(
        _AT.search(low, max(0, one.start() - 100), one.start())
        for zone in _ZONES
        for one in zone.finditer(low)
    ) or any(pattern.search(low) for pattern in _OF_ROWS)
    return is_rowwise or any(pattern.search(low) for pattern in _OF_NOW), is_rowwise


def words(text: str) -> frozenset[str]:
    """The names in a text, as they are written and in lower case."""
    found = {quoted.replace('""', '"') or name for quoted, name in _WORD.findall(text)}
    return frozenset(found | {name.lower() for name in found})

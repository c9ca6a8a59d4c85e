"""The conversions in a text, found by its words alone, to check what the rewriter says of them.

Nothing here knows names, types or statements, or reads a module of tzconv. A chain such as
``ts AT TIME ZONE 'UTC' AT TIME ZONE zone`` is one conversion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<skip>\s+|--[^\n]*|/\*.*?\*/|\{\#.*?\#\}|\$\w*\$(?!\d))
    |(?P<text>[eE]?'(?:\{\{.*?\}\}|[^']|'')*')
    |(?P<name>(?:"(?:[^"]|"")+"|`[^`]+`|[A-Za-z_]\w*)(?:\.(?:"(?:[^"]|"")+"|`[^`]+`|[A-Za-z_]\w*))*)
    |(?P<value>\{\{.*?\}\}|\$\{.*?\}|\d+(?:\.\d+)?|\$\d+|%\(\w+\)s|%s|\?|(?<!:):(?:\w+|'\w+'))
    |(?P<other>::!?|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_FUNCTIONS = {
    *("timezone", "convert_timezone", "new_time", "from_utc_timestamp", "to_utc_timestamp"),
}
_KEYWORDS = {
    *("at", "time", "zone", "timezone", "timestamp", "timestamptz", "date", "interval", "with"),
    *("without", "now", "current_timestamp", "current_date", "current_time", "localtimestamp"),
    *("day", "days", "hour", "hours", "month", "week", "year", "minute", "second", "sysdate"),
    *("text", "varchar", "as", "from", "cast", "timestamp_ntz", "and", "or", "not", "null"),
    *("to", "in", "is", "select", "true", "false"),
}


@dataclass(frozen=True)
class Site:
    """A conversion at ``text[at]``, its first letter of AT TIME ZONE or of the function.

    Of a chain it is the last one to another zone than UTC, which needs no rules.
    ``start`` and ``end`` are those of the expression. ``of_rows`` says that a name is in it that is
    no word of the language, so that it may differ from row to row.
    """

    at: int
    start: int
    end: int
    of_rows: bool


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def is_word(self, word: str) -> bool:
        return self.kind == "name" and self.text.lower() == word


class _Text:
    def __init__(self, sql: str) -> None:
        self.tokens = [
            _Token(match.lastgroup or "", match[0], match.start())
            for match in _TOKEN.finditer(sql)
            if match.lastgroup != "skip"
        ]
        self.partner: dict[int, int] = {}
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.text in "([":
                opened.append(index)
            elif token.text in ")]" and opened:
                self.partner[index] = opened[-1]
                self.partner[opened.pop()] = index

    def text(self, index: int) -> str:
        return self.tokens[index].text.lower() if 0 <= index < len(self.tokens) else ""

    def zoned(self, index: int) -> int:
        """How many words AT TIME ZONE has here, 0 if these are others."""
        if self.text(index) == "at":
            if self.text(index + 1) == "timezone":
                return 2
            if self.text(index + 1) == "time" and self.text(index + 2) == "zone":
                return 3
        return 0

    def before(self, index: int) -> int:
        """The first token of the operand that ends at ``index``."""
        if index >= 2 and self.text(index - 1).startswith("::"):
            return self.before(index - 2)
        if self.text(index) in ")]" and index in self.partner:
            first = self.partner[index]
            if self.text(first - 1).startswith("::") or self.text(first - 2).startswith("::"):
                return self.before(first - 1)
            if self.text(first - 1) == "over":
                return self.before(first - 2)
            if first and self.tokens[first - 1].kind == "name" and not self._stops(first - 1):
                return first - 1
            return first
        if self.text(index) == "end":
            depth = 0
            for other in range(index, -1, -1):
                depth += (self.text(other) == "end") - (self.text(other) == "case")
                if not depth:
                    return other
        if self.tokens[index].kind == "text" and self.text(index - 1) in (
            *("timestamp", "timestamptz", "date", "timestamp_ntz", "zone"),
        ):
            return index - 1
        return index

    def after(self, index: int) -> int:
        """The last token of the operand that begins at ``index``."""
        if self.text(index) == "(":
            return self.partner.get(index, index)
        if self.text(index + 1) == "(" and self.tokens[index].kind == "name":
            return self.partner.get(index + 1, index)
        return index

    def _stops(self, index: int) -> bool:
        """Whether a word before a parenthesis is no function."""
        return self.text(index) in (
            *("select", "where", "and", "or", "not", "on", "by", "then", "else", "when", "in"),
            *("as", "from", "having", "values", "between", "using", "case"),
        )

    def ends_zoned(self, first: int, last: int) -> bool:
        """Whether the tokens are one conversion: ``(x AT TIME ZONE z)`` or a function's call."""
        if self.text(last) != ")" or self.partner.get(last) is None:
            return False
        opened = self.partner[last]
        if opened > first:
            return self.text(first) in _FUNCTIONS
        index, found = opened + 1, False
        while index < last:
            if self.text(index) in ",=<>":
                return False
            if self.zoned(index):
                found = self.after(index + self.zoned(index)) == last - 1 or self.ends_zoned(
                    index + self.zoned(index), last - 1
                )
                if found:
                    return True
            index = self.partner[index] + 1 if self.text(index) == "(" else index + 1
        return self.ends_zoned(opened + 1, last - 1)


def sites(sql: str) -> list[Site]:
    """The conversions of a text in order; a chain is one, with the place of its last link."""
    text = _Text(sql)
    found: dict[int, tuple[int, int, int]] = {}  # by its last token: place, first token, last token
    inner: set[int] = set()
    for index, token in enumerate(text.tokens):
        words = text.zoned(index)
        if words and index:
            last = text.after(index + words)
            first = text.before(index - 1)
            at, is_utc = token.start, text.text(last).strip("'") in ("utc", "gmt")
            for known, (link, start, end) in list(found.items()):
                # the operand to the left is itself a conversion: one chain
                if end == index - 1 or (
                    text.ends_zoned(first, index - 1)
                    and first <= start
                    and end < index
                    and _only(text, first, index - 1, start, end)
                ):
                    first = min(first, start)
                    at = link if is_utc else at
                    inner.add(known)
            found[index] = (at, first, last)
        elif _is_call(text, index):
            found[index] = (token.start, index, text.partner.get(index + 1, index))
    for known, (_, start, end) in found.items():
        for other, (_, first, last) in found.items():
            is_zone_call = text.text(other) == "timezone" and text.text(known) in ("timezone", "at")
            if other != known and is_zone_call and first < start and end == last - 1:
                inner.add(known)  # timezone(zone, timezone('UTC', ts))
    return [
        Site(at, text.tokens[first].start, text.tokens[last].end, _of_rows(text, first, last))
        for known, (at, first, last) in sorted(found.items())
        if known not in inner
    ]


def _only(text: _Text, first: int, last: int, start: int, end: int) -> bool:
    """Whether only parentheses are around the inner conversion."""
    around = [*range(first, start), *range(end + 1, last + 1)]
    return all(text.text(index) in "()" for index in around)


def _is_call(text: _Text, index: int) -> bool:
    if text.text(index + 1) != "(" or text.zoned(index - 1) or text.zoned(index - 2):
        return False
    if text.text(index) in _FUNCTIONS:
        return True
    last = text.partner.get(index + 1, index)
    inside, commas = index + 2, 0
    while inside < last:
        commas += text.text(inside) == ","
        inside = text.partner[inside] + 1 if text.text(inside) == "(" else inside + 1
    return text.text(index) in ("date_trunc", "time_bucket") and commas == 2


def _of_rows(text: _Text, first: int, last: int) -> bool:
    index = first
    while index <= last:
        token = text.tokens[index]
        if token.text == "(" and text.text(index + 1) == "select":
            index = text.partner[index]
        is_call = text.text(index + 1) == "("
        is_word = token.text.lower() in _KEYWORDS
        if token.text.lower() == "time" and not text.zoned(index - 1):  # often a column
            is_word = text.text(index - 1) == "::" or text.text(index + 1).startswith("'")
        if token.kind == "name" and not is_call and not is_word:
            return True
        index += 1
    return False

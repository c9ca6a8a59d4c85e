"""Parameters of a statement: marks for the rewriter, and the driver's style for the result.

The rewriter reads ``$1``, ``$2``, …, which may repeat, in any order. Drivers expect ``%(name)s``,
``%s``, ``$1`` or ``?``; for positional parameters, the values are put into the order of the
rewritten text. The hook marks a statement, ``decide`` unmarks its rewrite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tzconv.sql.lexer import Lexer

Key: TypeAlias = str | int
Parameters: TypeAlias = Mapping[str, Any] | Sequence[Any]

_PERCENT = re.compile(r"%(?:%|\((?P<pyformat>[^)]*)\)s|(?P<format>s))")
_COLON = Lexer(r"(?<![\w:]):(?P<colon>[^\W\d]\w*)")
_DOLLAR = Lexer(
    r"""(?<![\w$])\$(?P<dollar>\d+) | (?<![\w$])\$(?P<named>[^\W\d]\w*)(?!\w*\$)
    | (?P<qmark>\?)"""
)
_SYNTAX: dict[str, tuple[Lexer | re.Pattern[str], str]] = {
    "pyformat": (_PERCENT, "pyformat"),
    "format": (_PERCENT, "pyformat"),
    "named": (_COLON, "colon"),
}
"""By the ``paramstyle`` of a driver: the pattern of its parameters, and the default style."""
_WRITTEN = {
    **{"pyformat": "%({key})s", "colon": ":{key}", "format": "%s", "qmark": "?"},
    "dollar": "${place}",
}
"""How each style writes a parameter."""
_MARK = re.compile(r"\$(731\d{4})")
_FIRST_MARK = 7_310_001
"""Marks count from here, so that no text of the user's looks like one."""
_MARK_TEXT = r"(?P<mark>\$731\d{4}(?:::(?:text|varchar)\b(?!\s*\())?)"
_SHAPING = re.compile(
    rf"(?:\bAT\s+TIME\s*ZONE\s+|\b(?:timezone|date_trunc|datetrunc)\s*\(\s*){_MARK_TEXT}"
    rf"|\bnew_time\s*\((?:[^()]|\([^()]*\))*?,\s*{_MARK_TEXT.replace('mark', 'source')}\s*,"
    rf"\s*(?:{_MARK_TEXT.replace('mark', 'target')})?"
    rf"|\bnew_time\s*\((?:[^()]|\([^()]*\))*?,\s*'[^']*'\s*,"
    rf"\s*{_MARK_TEXT.replace('mark', 'last')}",
    re.IGNORECASE,
)
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9_+/:<> .-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Marked:
    """A statement whose parameters are ``$`` marks; ``keys[i]`` is the parameter of the mark ``i``.

    ``style`` is that of the driver: ``pyformat``, ``format``, ``dollar``, ``qmark``, ``colon``, or
    ``plain`` if the driver reads no parameters in the text.
    """

    text: str
    keys: tuple[Key, ...]
    style: str

    @property
    def shaping(self) -> tuple[Key, ...]:
        """The parameters that name a time zone or a unit: the rewrite depends on their values."""
        return tuple(dict.fromkeys(key for _, _, key in self._places()))

    def _places(self) -> list[tuple[int, int, Key]]:
        """Start and end of the shaping parameters with their casts, in order."""
        return [
            (*match.span(group), self.keys[int(match[group][1:8]) - _FIRST_MARK])
            for match in _SHAPING.finditer(self.text)
            for group in ("mark", "source", "target", "last")
            if match[group]
        ]

    def number(self, key: Key) -> str:
        """The number of that parameter's mark."""
        return str(self.keys.index(key) + _FIRST_MARK)

    def with_values(self, values: Mapping[Key, str]) -> str:
        """The text with those shaping parameters written into it as constants."""
        text = self.text
        for start, end, key in reversed(self._places()):
            if key in values:
                text = f"{text[:start]}'{values[key]}'{text[end:]}"
        return text

    def unmark(self, text: str) -> tuple[str, Callable[[Parameters], Parameters] | None]:
        """A rewritten text for the driver, and a function for its parameters; None if they fit."""
        used = [self.keys[int(number) - _FIRST_MARK] for number in _MARK.findall(text)]
        if self.style not in ("format", "qmark"):  # in order: a column may be named by a number
            used = sorted(set(used))

        def in_style(match: re.Match[str]) -> str:
            key = self.keys[int(match[1]) - _FIRST_MARK]
            place = key if isinstance(key, str) else used.index(key) + 1
            return _WRITTEN[self.style].format(key=key, place=place)

        if self.style in ("pyformat", "format"):
            text = text.replace("%", "%%")
        text = _MARK.sub(in_style, text)
        if self.style in ("pyformat", "colon", "plain"):
            return text, None

        def fit(parameters: Parameters) -> Parameters:
            given: Any = parameters
            if isinstance(parameters, Mapping):
                return {str(key): given[key] for key in used}
            return tuple(given[key] for key in used)

        return text, fit


def mark(statement: str, paramstyle: str, *, plain: bool = False) -> Marked | None:
    """Replace parameters by marks; None if it is uncertain which they are.

    ``paramstyle`` is that of the driver; ``plain`` says that it reads no parameters.
    """
    if f"${str(_FIRST_MARK)[:3]}" in statement:
        return None
    if plain:
        return Marked(statement, (), "plain")
    pattern, style = _SYNTAX.get(paramstyle, (_DOLLAR, "plain"))
    keys: dict[Key, int] = {}
    styles: set[str] = set()

    def put(match: re.Match[str]) -> str:
        if match.lastgroup is None:
            return "%"
        styles.add(match.lastgroup)
        key: Key = match[match.lastgroup]
        if match.lastgroup in ("format", "qmark"):
            key = len(keys)
        elif match.lastgroup == "dollar":
            key = int(key) - 1
        return f"${keys.setdefault(key, len(keys)) + _FIRST_MARK}"

    text = pattern.sub(put, statement)
    if len(styles) > 1 or (pattern is _PERCENT and "%" in _PERCENT.sub("", statement)):
        return None
    style = styles.pop() if styles else style
    return Marked(text, tuple(keys), "dollar" if style == "named" else style)


def constant(value: object) -> str | None:
    """A parameter's value as it may be written into a text, that of an Enum too; None if not."""
    return str.__str__(value) if isinstance(value, str) and _PLAIN_TEXT.fullmatch(value) else None


def value(parameters: Any, key: Key) -> object:
    """A parameter; None if it is missing: the driver will raise that."""
    try:
        found: object = parameters[key]
    except (LookupError, TypeError):
        return None
    return found

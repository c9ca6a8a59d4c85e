"""Parameters of a statement, as the rewriter reads them and as the driver wants them back.

The rewriter reads ``$1``, ``$2``, …, which may be written twice and in any order. Drivers want
``%(name)s``, ``%s``, ``$1`` or ``?``; where parameters are told apart by their order alone, the
values are put into the order of the rewritten text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Key: TypeAlias = str | int
Parameters: TypeAlias = Mapping[str, Any] | Sequence[Any]

_FORMAT = re.compile(r"%(?:%|\((?P<name>[^)]*)\)[sbt]|(?P<position>[sbt]))")
_DOLLAR = re.compile(
    r"""'(?:[^']|'')*+' | "(?:[^"]|"")*+" | --[^\n]* | /\*.*?\*/ | \$\$.*?\$\$
    | (?<![\w$])\$(?P<number>\d+) | (?<![\w$])\$(?P<name>[^\W\d]\w*)(?!\w*\$) | (?P<mark>\?)""",
    re.VERBOSE | re.DOTALL,
)
_COLON = re.compile(
    r"""'(?:[^']|'')*+' | "(?:[^"]|"")*+" | --[^\n]* | /\*.*?\*/
    | (?<![\w:]):(?P<name>[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL,
)
_MARK = re.compile(r"\$(\d+)")
_FIRST_MARK = 7_310_001
"""Marks count from here, so that no text of the user's is taken for one."""
_MARK_TEXT = r"\$(?P<mark>731\d{4})(?:::\w+)?"
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
    """A statement whose parameters are ``$`` marks; ``keys[i]`` is that of the mark ``i``.

    ``style`` is how the driver writes them: ``pyformat``, ``format``, ``dollar``, ``qmark``,
    ``colon``, or ``plain`` where the driver reads no parameters in the text.
    """

    text: str
    keys: tuple[Key, ...]
    style: str

    @property
    def shaping(self) -> tuple[Key, ...]:
        """The parameters that name a time zone or a unit: what a rewrite does depends on them."""
        found: dict[Key, None] = {}
        for match in _SHAPING.finditer(self.text):
            for group in ("mark", "source", "target", "last"):
                if match[group]:
                    found[self.keys[int(match[group]) - _FIRST_MARK]] = None
        return tuple(found)

    def number(self, key: Key) -> str:
        """What the rewriter calls that parameter."""
        return str(self.keys.index(key) + _FIRST_MARK)

    def with_values(self, values: Mapping[Key, str]) -> str:
        """The text with those shaping parameters written into it as constants."""

        def write(match: re.Match[str]) -> str:
            text = match[0]
            for group in ("last", "target", "source", "mark"):  # from the last to the first
                if not match[group]:
                    continue
                key = self.keys[int(match[group]) - _FIRST_MARK]
                if key in values:
                    start = match.start(group) - 1 - match.start()
                    end = match.end(group) - match.start()
                    cast = re.match(r"::\w+", text[end:])
                    end += cast.end() if cast else 0
                    text = f"{text[:start]}'{values[key]}'{text[end:]}"
            return text

        return _SHAPING.sub(write, self.text)

    def unmark(self, text: str) -> tuple[str, Callable[[Parameters], Parameters] | None]:
        """A rewritten text for the driver, and what makes the parameters fit; None: they do."""
        used: list[Key] = []

        def back(match: re.Match[str]) -> str:
            number = int(match[1]) - _FIRST_MARK
            if not 0 <= number < len(self.keys):
                return match[0]
            key = self.keys[number]
            if self.style in ("pyformat", "colon"):
                return f"%({key})s" if self.style == "pyformat" else f":{key}"
            if self.style in ("format", "qmark"):
                used.append(key)
                return "%s" if self.style == "format" else "?"
            if key not in used:
                used.append(key)
            return f"${key if isinstance(key, str) else used.index(key) + 1}"

        if self.style in ("pyformat", "format"):
            text = text.replace("%", "%%")
        text = _MARK.sub(back, text)
        if self.style in ("pyformat", "colon", "plain"):
            return text, None
        return text, _Chosen(tuple(used))


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Takes those parameters, in that order."""

    keys: tuple[Key, ...]

    def __call__(self, parameters: Parameters) -> Parameters:
        given: Any = parameters
        if isinstance(parameters, Mapping):
            return {str(key): given[key] for key in self.keys}
        return tuple(given[key] for key in self.keys)


def mark(statement: str, paramstyle: str, *, plain: bool = False) -> Marked | None:
    """Put marks in the place of parameters; None where they cannot be told for certain.

    ``paramstyle`` is that of the driver; ``plain`` says that it will read no parameters.
    """
    if f"${str(_FIRST_MARK)[:3]}" in statement:
        return None
    if plain:
        return Marked(statement, (), "plain")
    if paramstyle in ("pyformat", "format"):
        return _mark_format(statement)
    return _mark_colon(statement) if paramstyle == "named" else _mark_dollar(statement)


def constant(value: object) -> str | None:
    """A parameter as it may stand in a statement; None where it must stay a parameter."""
    return value if isinstance(value, str) and _PLAIN_TEXT.fullmatch(value) else None


def _mark_format(statement: str) -> Marked | None:
    keys: dict[Key, int] = {}
    styles: set[str] = set()

    def put(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        named = match["name"] is not None
        styles.add("pyformat" if named else "format")
        key: Key = match["name"] if named else len(keys)
        return f"${keys.setdefault(key, len(keys)) + _FIRST_MARK}"

    text = _FORMAT.sub(put, statement)
    if len(styles) > 1 or "%" in _FORMAT.sub("", statement):
        return None
    return Marked(text, tuple(keys), styles.pop() if styles else "pyformat")


def _mark_colon(statement: str) -> Marked:
    keys: dict[Key, int] = {}

    def put(match: re.Match[str]) -> str:
        if not match["name"]:
            return match[0]
        return f"${keys.setdefault(match['name'], len(keys)) + _FIRST_MARK}"

    return Marked(_COLON.sub(put, statement), tuple(keys), "colon")


def _mark_dollar(statement: str) -> Marked | None:
    keys: dict[Key, int] = {}
    styles: set[str] = set()

    def put(match: re.Match[str]) -> str:
        key: Key
        if match["mark"]:
            style, key = "qmark", len(keys)
        elif match["number"]:
            style, key = "dollar", int(match["number"]) - 1
        elif match["name"]:
            style, key = "named", match["name"]
        else:
            return match[0]
        styles.add(style)
        return f"${keys.setdefault(key, len(keys)) + _FIRST_MARK}"

    text = _DOLLAR.sub(put, statement)
    if len(styles) > 1:
        return None
    style = styles.pop() if styles else "plain"
    return Marked(text, tuple(keys), "dollar" if style == "named" else style)

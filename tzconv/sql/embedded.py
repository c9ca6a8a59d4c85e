"""SQL that is kept in other files: dashboards in JSON, models in YAML or LookML, program strings.

Each text is a :class:`Piece`, with the place in the file of each of its characters. JSON and YAML
can be edited: what is put in is escaped as the text around it is. All other files are only read.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tzconv.errors import ParseError

Encode: TypeAlias = Callable[[str], str | None]
"""Writes SQL as the file needs it; None where that is impossible."""


@dataclass(frozen=True, slots=True)
class Piece:
    """``starts`` has the place in the file of each character of ``text``, and of its end.

    ``encode`` is None in a file that is only read.
    """

    text: str
    starts: tuple[int, ...]
    encode: Encode | None = None


def pieces(name: str, text: str) -> list[Piece] | None:
    """The texts in a file; None for a file that is SQL itself.

    ParseError for a file that is not what its name says.
    """
    read = _READERS.get(Path(name).suffix.lower())
    return None if read is None else list(read(text))


def is_other(name: str) -> bool:
    """Whether a file is no SQL itself, by its name."""
    return Path(name).suffix.lower() in _READERS


# one character of a JSON string: two escapes can be one character outside of Unicode's first plane
_UNIT = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\.|[^\\]", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_KEY = re.compile(r"\s*:")


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _json(text: str) -> Iterator[Piece]:
    try:
        json.loads(text)
    except RecursionError as error:
        raise ParseError("is nested too deeply to be read") from error
    except ValueError as error:
        place = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        raise ParseError(f"is not JSON ({getattr(error, 'msg', error)})", *place) from error
    for match in _STRING.finditer(text):
        if _KEY.match(text, match.end()):
            continue
        units = list(_UNIT.finditer(text, match.start() + 1, match.end() - 1))
        starts = (*(unit.start() for unit in units), match.end() - 1)
        yield from _inside(Piece(json.loads(match[0]), starts, _escaped))


def _inside(outer: Piece) -> list[Piece]:
    """The texts of a JSON document that a text is, as Superset keeps settings; else the text."""

    def placed(one: Piece) -> Piece:
        starts = tuple(outer.starts[at] for at in one.starts)
        return Piece(one.text, starts, outer.encode and (lambda sql: _twice(outer, one, sql)))

    if outer.text.lstrip()[:1] in ("{", "["):
        with contextlib.suppress(ParseError):
            return list(map(placed, _json(outer.text)))
    return [outer]


def _twice(outer: Piece, inner: Piece, sql: str) -> str | None:
    new = inner.encode and inner.encode(sql)
    return new and outer.encode and outer.encode(new)


def _yaml(text: str) -> Iterator[Piece]:
    import yaml

    try:
        scalars = [one for one in yaml.parse(text) if isinstance(one, yaml.ScalarEvent)]
    except RecursionError as error:
        raise ParseError("is nested too deeply to be read") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise ParseError(f"is not YAML ({getattr(error, 'problem', error)})", *place) from error
    for one in scalars:
        start = one.start_mark.index
        starts = _aligned(text, start, one.value, one.style)
        encode = _encoder(text, starts, one.style) if starts else None
        yield from _inside(Piece(one.value, starts or (start,) * (len(one.value) + 1), encode))


_BLANKS = re.compile(r" *")
_CONTINUED = re.compile(r"\\\r?\n[ \t]*")
_ESCAPE = re.compile(r"\\(?:x\w\w|u\w{4}|U\w{8}|[^\n])")
_FOLD = re.compile(r"[ \t]*\r?\n\s*")


def _aligned(text: str, at: int, value: str, style: str | None) -> tuple[int, ...] | None:
    """The place of each character of a YAML scalar; None where it is not certain."""
    starts: list[int] = []
    if style == "|":
        at = text.index("\n", at) + 1
        indent = len(next(_BLANKS.finditer(text, at))[0])
        while len(starts) < len(value):
            line = value[len(starts) :].partition("\n")[0]
            if line:  # an empty line may have no indent
                at += indent
            if not text.startswith(line, at):
                return None
            starts += range(at, at + len(line) + 1)
            at += len(line) + 1 + text.startswith("\r", at + len(line))
        return (*starts[: len(value)], starts[len(value)] if len(starts) > len(value) else at)
    at = text.index("\n", at) + 1 if style == ">" else at + (style is not None)
    at = _BLANKS.match(text, at).end() if style == ">" else at  # type: ignore[union-attr]
    while len(starts) < len(value):
        if style == '"' and (skipped := _CONTINUED.match(text, at)):
            at = skipped.end()
        unit = _ESCAPE.match(text, at) if style == '"' else None
        run = _FOLD.match(text, at)
        count, is_space = 1, True
        if unit is None and run is not None:  # a line break is a space, n + 1 of them are n
            unit, count = run, max(1, run[0].count("\n") - 1)
            is_space = set(value[len(starts) : len(starts) + count]) <= {" ", "\n"}
        elif unit is None:
            width = 2 if style == "'" and text.startswith("''", at) else 1
            unit = re.compile(f".{{{width}}}").match(text, at)
            is_space = text[at : at + 1] == value[len(starts)]
        if unit is None or not is_space:
            return None
        starts += [at] * count
        at = unit.end()
    return (*starts, at)


def _encoder(text: str, starts: tuple[int, ...], style: str | None) -> Encode:
    if style == "|":
        first = text.rfind("\n", 0, starts[0]) + 1
        indent = ("\r\n" if text[:first].endswith("\r\n") else "\n") + " " * (starts[0] - first)
        return lambda sql: sql.replace("\n", indent)

    if style == '"':  # a space at the beginning of a continued line would not count
        return lambda sql: re.sub("^ ", r"\\ ", _escaped(sql))

    def flowing(sql: str) -> str | None:
        """In one line: in these styles a line break is a space."""
        line = re.sub(r"\s*\n\s*", " ", sql)
        if "--" in line:
            return None
        return line.replace("'", "''") if style == "'" else line

    return flowing


_LOOKML = re.compile(r"^[ \t]*#[^\n]*|\bsql\w*\s*:(?P<sql>.*?);;", re.DOTALL | re.MULTILINE)
_QUOTES = re.compile(r"(\w*)('''|\"\"\"|'|\")")
_FIELD = re.compile(r"(?<!\{)\{(?=[^{}]*\})")


def _python(text: str) -> Iterator[Piece]:
    lines = [0]
    for line in io.StringIO(text):  # a form feed ends no line here
        lines.append(lines[-1] + len(line))
    try:
        opened: list[tuple[int, bool]] = []
        beside: list[Piece] = []
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            start, end = (lines[row - 1] + column for row, column in (token.start, token.end))
            kind = tokenize.tok_name[token.type]  # f-strings are tokens of their own in Python 3.12
            if kind == "STRING" and not opened and (quotes := _QUOTES.match(token.string)):
                kinds = quotes[1].casefold()
                inside = start + quotes.end(), end - len(quotes[2])
                found = _plain(text, *inside, is_raw="r" in kinds)
                beside.append(_fields(found) if "f" in kinds else found)
            elif kind.endswith("STRING_START"):  # also that of a template string
                opened.append((end, "r" in token.string.casefold()))
            elif kind.endswith("STRING_END") and (begin := opened.pop()) and not opened:
                beside.append(_fields(_plain(text, begin[0], start, is_raw=begin[1])))
            elif beside and not opened and kind not in ("NL", "COMMENT"):
                yield _joined(beside)
                beside = []
    except (tokenize.TokenError, SyntaxError) as error:
        row = error.lineno if isinstance(error, SyntaxError) else error.args[1][0]
        raise ParseError(f"is not Python ({error.args[0]})", row or 1, 1) from error


def _joined(beside: list[Piece]) -> Piece:
    """Strings side by side, which are one to Python."""
    places = (place for one in beside for place in one.starts[:-1])
    return Piece("".join(one.text for one in beside), (*places, beside[-1].starts[-1]))


def _fields(piece: Piece) -> Piece:
    """An f-string, with the fields that it fills in as those of other languages' templates."""
    text, starts = piece.text, list(piece.starts)
    for match in reversed(list(_FIELD.finditer(text))):
        text = f"{text[: match.start()]}${text[match.start() :]}"
        starts.insert(match.start(), starts[match.start()])
    return Piece(text, tuple(starts))


_RUBY = r"""\#(?!\{).*
    |<<[~-]?(['"`]?)(?P<end>\w+)\1.*\n(?P<heredoc>(?:.*\n)*?)[ \t]*(?P=end)\b
    |"(?P<double>(?:[^"\\]|\\(?s:.))*)"|'(?P<single>(?:[^'\\]|\\(?s:.))*)'"""
_REGEX = r"(?:[=(,:\[!&|?{;]|\breturn)\s*/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
_SCRIPT = rf"""//.*|/\*(?s:.*?)\*/|{_REGEX}|`(?P<template>(?:[^`\\]|\\(?s:.))*)`
    |"(?P<double>(?:[^"\\\n]|\\(?s:.))*)"|'(?P<single>(?:[^'\\\n]|\\(?s:.))*)'"""
_LITERAL = re.compile(r"\\([nrt\n\"'`\\])|.", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\n": ""}
# a conversion in a string of another form, such as one in a value that is filled in
_CODE = r"""|(?P<code>\b(?i:AT\s+TIME\s+ZONE\b|(?:new_time|convert_timezone|\w+_utc_timestamp)\s*\(
    |timezone\s*\(\s*'[^'\n]*'\s*,))"""


def _strings(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Piece]]:
    def read(text: str) -> Iterator[Piece]:
        for match in pattern.finditer(text):
            for name in pattern.groupindex:
                if name != "end" and match[name]:
                    yield _plain(text, *match.span(name), is_raw=name == "sql")

    return read


def _plain(text: str, start: int, end: int, *, is_raw: bool = False) -> Piece:
    """A part of a file with the usual escapes, unless it is raw."""
    own, starts = "", list[int]()
    for unit in _LITERAL.finditer(text, start, end):
        one = unit[0] if is_raw or not unit[1] else _ESCAPED.get(unit[1], unit[1])
        own += one
        starts += [unit.start()] * len(one)
    return Piece(own, (*starts, end))


_READERS: dict[str, Callable[[str], Iterator[Piece]]] = {
    ".json": _json,
    **dict.fromkeys((".yml", ".yaml"), _yaml),
    **dict.fromkeys((".lkml", ".lookml"), _strings(_LOOKML)),
    ".py": _python,
    ".rb": _strings(re.compile(_RUBY + _CODE, re.VERBOSE)),
    **dict.fromkeys(
        (".ts", ".tsx", ".js", ".jsx", ".mjs"), _strings(re.compile(_SCRIPT + _CODE, re.VERBOSE))
    ),
}

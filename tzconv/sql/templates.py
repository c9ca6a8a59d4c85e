"""Templates of SQL: dbt's and Airflow's Jinja, Looker's tags, macros of Grafana.

A template is read into parts: text, what stands for a value, what stands for nothing, and blocks of
which rendering takes one branch. ``masks`` writes such parts as SQL.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tzconv.errors import ParseError
from tzconv.sql.places import line_and_column

Kind: TypeAlias = Literal[
    "text", "value", "string", "name", "silent", "choice", "loop", "opening", "closing"
]

_MOST_WAYS = 8
"""More ways to render a template are not looked at."""
_DEEPEST = 40
_IS_TEMPLATE = re.compile(r"\{\{|\{%|\{#|\$\{|#\{|<%|\$__[a-zA-Z]|'\$[a-zA-Z_]\w*'")
_QUOTED = r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\""
_JINJA = rf"\{{\{{(?:{_QUOTED}|(?!\}}\}}).)*+\}}\}}"
_VALUE = rf"{_JINJA}|\$\{{[^{{}}]*\}}|\#\{{[^{{}}]*\}}|<%=(?:(?!%>).)*%>"
_TAG = rf"\{{%[-+]?(?:{_QUOTED}|(?!%\}}).)*+%\}}|<%(?!=)(?:(?!%>).)*%>"
_COMMENT = r"\{\#(?:(?!\#\}).)*\#\}|<%\#(?:(?!%>).)*%>"
_TOKENS = re.compile(
    rf"""
      (?P<silent>{_COMMENT}) | (?P<tag>{_TAG}) | (?P<value>{_VALUE})
    | (?P<grafana>\$__[a-zA-Z]\w*)
    | (?P<optional>\[\[(?=(?:(?!\]\]).)*\{{\{{)) | (?P<end>\]\])
    | (?P<string>'(?:{_VALUE}|{_TAG}|{_COMMENT}|''|[^'])*+')
    | (?P<name>"(?:{_VALUE}|{_TAG}|""|[^"])*+")
    | (?P<line>--) | (?P<block>/\*)
    | (?P<dollar>(?<![\w$])\$(?P<label>(?:[^\W\d]\w*)?)\$.*?\$(?P=label)\$)
    | (?P<open>\{{\{{|\{{%|\{{\#)
    """,
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile(_VALUE, re.DOTALL)
_IN_STRING = re.compile(r"\{\{-?\s*[A-Za-z_]|\{%|\$\{|#\{|<%|\$__[a-zA-Z]|\A'\$[a-zA-Z_]\w*'\Z")
_LINE = re.compile(rf"(?P<silent>{_COMMENT})|(?P<tag>{_TAG})|\n|\Z", re.DOTALL)
_BLOCK = re.compile(rf"(?P<silent>{_COMMENT})|(?P<tag>{_TAG})|\*/|\Z", re.DOTALL)
_WORD = re.compile(r"(?:\{%|<%)[-+]?\s*(\w*)\s*(.*?)\s*[-+]?(?:%\}|%>)\Z", re.DOTALL)
_ELSE = re.compile(r"(?:\{%|<%)[-+]?\s*else\b")
_HIDDEN = ("set", "macro", "test", "materialization", "docs")
"""Blocks whose text is not where it stands."""
_CALLS = ("statement", "set_sql_header")
"""What dbt calls with a block, and renders nothing."""
_THROUGH = ("snapshot", "block", "with")
_PREDICATES = ("condition", "incrementcondition")
"""Looker's blocks, which compare what is inside."""
_VALUES = ("parameter", "date_start", "date_end")
"""Looker's tags that become a value."""
_RUBY_BLOCK = re.compile(r"\bdo\s*(?:\|[^|]*\|)?\s*\Z")
_MACRO = re.compile(
    r"\{%[-+]?\s*macro\s+(?P<name>\w+)\s*\(.*?%\}(?P<text>.*?)\{%[-+]?\s*endmacro\b", re.DOTALL
)
_END = "the end of the text"


@dataclass(slots=True)
class Part:
    """``text[start:end]`` of a template.

    A choice renders exactly one of its ``branches``; choices with equal keys pick the same index.
    ``epoch`` counts the tags that set variables before it.
    """

    kind: Kind
    start: int
    end: int
    epoch: int = 0
    key: str = ""
    branches: list[list[Part]] = field(default_factory=list)


def is_template(text: str) -> bool:
    """Whether a text may hold anything that is rendered."""
    return _IS_TEMPLATE.search(text) is not None


def inner_values(text: str) -> list[str]:
    """What stands for values inside a quoted text."""
    return _INSIDE.findall(text)


def macros(text: str) -> Iterator[tuple[str, int, int]]:
    """The macros that a text defines: the name, and where what it becomes begins and ends."""
    for match in _MACRO.finditer(text):
        yield match["name"], match.start("text"), match.end("text")


def read(text: str) -> list[Part]:
    """The parts of a template in order; ParseError where a tag is unknown or not closed."""
    return _Reader(text).parts(_END)[0]


class _Reader:
    """Reads the parts of a text, block by block."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.epoch = 0
        self.depth = 0
        self.ruby: list[str] = []
        self.tokens = self._tokens()

    def error(self, reason: str, at: tuple[str, int, int]) -> ParseError:
        shown = " ".join(self.text[at[1] : at[2]].split())[:40]
        return ParseError(f"{shown}: {reason}", *line_and_column(self.text, at[1]))

    def _tokens(self) -> Iterator[tuple[str, int, int]]:
        """Kind and place of what is no plain text."""
        at, optional = 0, 0
        while match := _TOKENS.search(self.text, at):
            kind, start, at = str(match.lastgroup), match.start(), match.end()
            if kind == "open":
                raise self.error("it is not closed", ("", start, start + 20))
            if kind in ("line", "block"):
                for found in (_LINE if kind == "line" else _BLOCK).finditer(self.text, at):
                    at = found.end()
                    if found.lastgroup is None:
                        break
                    yield found.lastgroup, found.start(), at
                continue
            if kind == "grafana":
                at = self._after_arguments(at)
            optional += (kind == "optional") - (kind == "end")
            is_quoted = kind in ("string", "name")
            is_plain = is_quoted and not _IN_STRING.search(match[0])
            if optional < 0 or is_plain or match["dollar"] is not None:
                optional = max(0, optional)
                continue
            yield "value" if kind == "grafana" else kind, start, at

    def _after_arguments(self, at: int) -> int:
        if self.text[at : at + 1] != "(":
            return at
        depth = 0
        for match in re.compile(r"'[^']*'|[()]").finditer(self.text, at):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if not depth:
                return match.end()
        return at

    def parts(
        self, *until: str, of: tuple[str, int, int] | None = None
    ) -> tuple[list[Part], tuple[str, int, int]]:
        """The parts up to a tag of ``until``, and that tag; ``of`` opens their block."""
        found: list[Part] = []
        closing = (_END, len(self.text), len(self.text))
        for kind, start, end in self.tokens:
            if kind in ("silent", "value", "string", "name"):
                found.append(Part(kind, start, end, self.epoch))  # type: ignore[arg-type] # a Kind
                continue
            word, rest = self.word(kind, start, end)
            if word in ("]]", "elif", "else") or word.startswith("end"):
                closing = (word, start, end)
                break
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self.error("its block is nested too deeply", (word, start, end))
            found += self._block(word, rest, (word, start, end))
            self.depth -= 1
        if closing[0] in until:
            return found, closing
        if of is None:
            raise self.error("it closes no block", closing)
        if (of[0], closing[0]) == ("for", "else"):
            raise self.error("tzconv does not read else in a loop", closing)
        raise self.error("its block is not closed", of)

    def word(self, kind: str, start: int, end: int) -> tuple[str, str]:
        """The word of a tag and what follows it."""
        if kind != "tag":
            return self.text[start:end], ""
        word, rest = _WORD.findall(self.text[start:end])[0]
        return self._ruby_word(word, rest) if self.text[start] == "<" else (word, rest)

    def _ruby_word(self, word: str, rest: str) -> tuple[str, str]:
        """The word of Jinja for a line of Ruby, where one END closes every block."""
        if word in ("if", "unless") and not re.search(r"\bend\b", rest):
            self.ruby.append("if")
            return "if", rest if word == "if" else f"unless {rest}"
        if _RUBY_BLOCK.search(rest):
            self.ruby.append("for")
            return "for", rest
        if word == "end" and self.ruby:
            return f"end{self.ruby.pop()}", rest
        known = {"elsif": "elif", "else": "else", "end": "end", "case": "case", "when": "when"}
        return known.get(word, "do"), rest

    def _block(self, word: str, rest: str, tag: tuple[str, int, int]) -> list[Part]:
        _, start, end = tag
        if word in ("if", "[["):
            return [self._choice(word, rest, tag)]
        if word in _VALUES:
            return [Part("value", start, end, self.epoch)]
        if word in _PREDICATES:
            inner, closing = self.parts(f"end{word}", of=tag)
            closed = Part("closing", closing[1], closing[2], self.epoch)
            return [Part("opening", start, end, self.epoch), *inner, closed]
        self.epoch += word != "for"
        silent = Part("silent", start, end, self.epoch)
        if word in ("do", "import", "from") or (word == "set" and "=" in rest):
            return [silent]
        is_hidden = word in _HIDDEN or (word == "call" and rest.startswith(_CALLS))
        if word == "for" or is_hidden or word in _THROUGH:
            inner, closing = self.parts(f"end{word}", of=tag)
            self.epoch += 1
            if word in _THROUGH:
                return [silent, *inner, Part("silent", closing[1], closing[2], self.epoch)]
            kind: Kind = "loop" if word == "for" else "silent"
            return [Part(kind, start, closing[2], self.epoch)]
        raise self.error("tzconv does not know this tag", tag)

    def _choice(self, word: str, rest: str, tag: tuple[str, int, int]) -> Part:
        """A block of which one branch is rendered, or none."""
        start, epoch = tag[1], self.epoch
        branches, keys = list[list[Part]](), [f"{epoch} {' '.join(rest.split())}"]
        closing_words = ("]]",) if word == "[[" else ("elif", "else", "endif")
        while tag[0] not in ("endif", "]]"):
            opening = Part("silent", start, tag[2], self.epoch)
            inner, closing = self.parts(*closing_words, of=tag)
            if word == "[[":
                inside = self.text[tag[2] : closing[1]]
                keys = [" ".join(sorted(set(inner_values(inside))))]
            behind = Part("silent", closing[1], closing[2], self.epoch)
            branches.append([opening, *_filled(inner, tag[2], closing[1]), behind])
            keys.append(" ".join(self.text[closing[1] : closing[2]].split()))
            tag = closing
        keys.pop()
        for branch in branches:  # what it leaves out is silent
            branch[-1].end = tag[2]
        if _ELSE.match(keys[-1]):
            keys.pop()  # as many ways as without else
        else:
            branches.append([Part("silent", start, tag[2], epoch)])
        return Part("choice", start, tag[2], epoch, "\n".join(keys), branches)


def _filled(parts: list[Part], start: int, end: int) -> list[Part]:
    """The parts with the text between them."""
    filled, at = list[Part](), start
    for part in parts:
        if part.start > at:
            filled.append(Part("text", at, part.start))
        filled.append(part)
        at = part.end
    return [*filled, Part("text", at, end)]


def variants(text: str) -> Iterator[list[Part]]:
    """The flat parts of each way to render a template; ParseError where it cannot be read.

    What a way leaves out is silent.
    """
    parts = read(text)
    counts: dict[str, int] = {}
    _count(parts, counts)
    total = math.prod(counts.values())
    if total > _MOST_WAYS:
        first = next(one for one in parts if one.kind == "choice")
        place = line_and_column(text, first.start)
        raise ParseError(f"{len(counts)} conditions have {total} ways to be rendered", *place)
    for chosen in itertools.product(*([(key, n) for n in range(counts[key])] for key in counts)):
        yield list(_flat(_filled(parts, 0, len(text)), dict(chosen)))


def _count(parts: list[Part], counts: dict[str, int]) -> None:
    for part in parts:
        if part.kind == "choice":
            counts[part.key] = len(part.branches)
            for branch in part.branches:
                _count(branch, counts)


def _flat(parts: list[Part], chosen: dict[str, int]) -> Iterator[Part]:
    for part in parts:
        if part.kind == "choice":
            yield from _flat(part.branches[chosen[part.key]], chosen)
        else:
            yield part

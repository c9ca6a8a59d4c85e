"""Vertica's SQL as tokens, and a reader over them for statements whose shape must be known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from tests.vertica_server.errors import VerticaError, syntax

Kind = Literal["word", "quoted", "string", "number", "op"]

_SPACE = re.compile(r"(?:\s+|--[^\n]*)+")
_COMMENT = re.compile(r"/\*|\*/")
_DOLLAR = re.compile(r"\$([A-Za-z_]\w*)?\$")
_TOKEN = re.compile(
    r"""
    (?P<string>[eE]'(?:[^'\\]|\\.|'')*' | (?:[xXbBnN]|[uU]&)?'(?:[^']|'')*')
    | (?P<quoted>(?:[uU]&)?"(?:[^"]|"")*")
    | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)? | \.\d+(?:[eE][+-]?\d+)?)
    | (?P<word>(?:[^\W\d]|[^\x00-\x7f])(?:[\w$]|[^\x00-\x7f])*)
    | (?P<op>::!|::|//|<=>|<=|>=|<>|!=|\|\||:=|=>|[-+*/%^<>=~!@\#&|(),.;\[\]:?])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """One token and its place in the text that the client sent."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The keyword in capital letters, or the operator; nothing for quoted things."""
        return self.text.upper() if self.kind == "word" else self.text if self.kind == "op" else ""


def tokens(sql: str) -> Iterator[Token]:
    """The tokens of a text, without white space, comments and hints."""
    at = 0
    while True:
        at = _skipped(sql, at)
        if at == len(sql):
            return
        if opening := _DOLLAR.match(sql, at):
            end = sql.find(opening[0], opening.end())
            if end < 0:
                raise syntax(opening[0], at + 1)
            yield Token("string", sql[at : end + len(opening[0])], at, end + len(opening[0]))
            at = end + len(opening[0])
            continue
        match = _TOKEN.match(sql, at)
        if match is None:
            raise syntax(sql[at : at + 10], at + 1)
        kind = cast(Kind, match.lastgroup)
        yield Token(kind, match[0], at, match.end())
        at = match.end()


def _skipped(sql: str, at: int) -> int:
    """Behind white space and comments, which may contain comments."""
    while True:
        if space := _SPACE.match(sql, at):
            at = space.end()
        if not sql.startswith("/*", at):
            return at
        depth = 0
        for mark in _COMMENT.finditer(sql, at):
            depth += 1 if mark[0] == "/*" else -1
            if depth == 0:
                at = mark.end()
                break
        else:
            raise syntax("/*", at + 1)


@dataclass(frozen=True)
class Statement:
    """One statement of those that a client sent together."""

    text: str
    tokens: tuple[Token, ...]
    """Their places count from the start of ``text``."""


def statements(sql: str) -> Iterator[Statement]:
    """Cut a text at its semicolons; empty statements vanish."""
    part: list[Token] = []
    for token in tokens(sql):
        if token.word == ";":
            if part:
                yield _statement(sql, part)
            part = []
        else:
            part.append(token)
    if part:
        yield _statement(sql, part)


def _statement(sql: str, part: Sequence[Token]) -> Statement:
    first, last = part[0].start, part[-1].end
    moved = (Token(t.kind, t.text, t.start - first, t.end - first) for t in part)
    return Statement(sql[first:last], tuple(moved))


class Reader:
    """Reads a statement from left to right; what does not fit is a syntax error."""

    def __init__(self, statement: Statement, at: int = 0) -> None:
        self.statement = statement
        self.at = at

    def peek(self, ahead: int = 0) -> str:
        """The keyword or operator that comes, or nothing."""
        at = self.at + ahead
        return self.statement.tokens[at].word if at < len(self.statement.tokens) else ""

    @property
    def done(self) -> bool:
        """Whether the statement is at its end."""
        return self.at >= len(self.statement.tokens)

    def next(self) -> Token:
        """Take whatever comes."""
        if self.done:
            raise self.error()
        self.at += 1
        return self.statement.tokens[self.at - 1]

    def error(self, at: int | None = None) -> VerticaError:
        """A syntax error at this place, or at that token."""
        at = self.at if at is None else at
        if at >= len(self.statement.tokens):
            return syntax("EOL", len(self.statement.text))
        token = self.statement.tokens[at]
        return syntax(token.text, token.start + 1)

    def accept(self, *words: str) -> bool:
        """Take these words if they come now, all of them."""
        if any(self.peek(ahead) != word for ahead, word in enumerate(words)):
            return False
        self.at += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Take these words, which must come now."""
        for word in words:
            if not self.accept(word):
                raise self.error()

    def choose(self, *words: str) -> str:
        """Take one of these words, which must come now."""
        for word in words:
            if self.accept(word):
                return word
        raise self.error()

    def end(self) -> None:
        """Nothing may follow."""
        if not self.done:
            raise self.error()

    def name(self) -> str:
        """An identifier, as it was written."""
        token = self.next()
        if token.kind not in ("word", "quoted"):
            raise self.error(self.at - 1)
        return token.text

    def names(self) -> list[str]:
        """Identifiers in parentheses."""
        self.expect("(")
        found = [self.name()]
        while self.accept(","):
            found.append(self.name())
        self.expect(")")
        return found

    def table(self) -> str:
        """The name of a table, with its schema if there is one."""
        parts = [self.name()]
        while self.accept("."):
            parts.append(self.name())
        if len(parts) > 2:
            raise self.error(self.at - 1)
        return ".".join(parts)

    def string(self) -> str:
        """The value of a string."""
        token = self.next()
        if token.kind != "string":
            raise self.error(self.at - 1)
        return value(token)

    def number(self) -> int:
        """The value of a whole number."""
        token = self.next()
        if token.kind != "number" or not token.text.isdigit():
            raise self.error(self.at - 1)
        return int(token.text)

    def balanced(self, *stop: str) -> tuple[int, int]:
        """Step over tokens up to one of these words outside parentheses; first and end token."""
        first, depth = self.at, 0
        while not self.done:
            word = self.peek()
            if depth == 0 and word in stop:
                break
            depth += (word == "(") - (word == ")")
            if depth < 0:
                break
            self.at += 1
        if self.at == first or depth > 0:
            raise self.error()
        return first, self.at

    def between(self, first: int, end: int) -> str:
        """The text of some tokens."""
        found = self.statement.tokens
        return self.statement.text[found[first].start : found[end - 1].end]


def folded(name: str) -> str:
    """An identifier as PostgreSQL keeps it."""
    if name.startswith('"'):
        return name[1:-1].replace('""', '"')
    return name.lower()


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def value(token: Token) -> str:
    """What a string says; backslashes count in E'...' only."""
    text = token.text
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text[0] not in "eE":
        raise syntax(text, token.start + 1)
    inner = text[2:-1].replace("''", "'")
    octal = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)

    def unescaped(match: re.Match[str]) -> str:
        what = match[1]
        if what[0] in "01234567":
            return chr(int(what, 8))
        if what[0] == "x" and len(what) > 1:
            return chr(int(what[1:], 16))
        return _ESCAPES.get(what, what)

    return octal.sub(unescaped, inner)

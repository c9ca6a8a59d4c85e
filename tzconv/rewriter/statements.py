"""A text of many statements: queries are rewritten one by one, all else stays as it is.

A script for a database's shell holds more than queries: settings, grants, loads, commands of the
shell itself. No query is in them, so they need not be understood and are passed over unread.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter.report import Change, Left, Rewrite
from tzconv.sql.lexer import SPACE, Lexer
from tzconv.sql.places import line_and_column
from tzconv.sql.script import Script

_Place = TypeVar("_Place", Change, Left)
_SPACES = f"{SPACE}++"  # all or none of it: no second thoughts
_OTHER = re.compile(
    r"(?:ABORT|ALTER|ANALYZE|ANALYSE|ATTACH|BEGIN|CALL|CHECKPOINT|CLOSE|CLUSTER|COMMENT|COMMIT"
    r"|CONNECT|COPY|DEALLOCATE|DECLARE|DELETE|DESCRIBE|DETACH|DISCARD|DISCONNECT|DO|DROP|END"
    r"|EXECUTE|EXPLAIN|EXPORT|FETCH|GRANT|IMPORT|INSTALL|LISTEN|LOAD|LOCK|MERGE|MOVE|NOTIFY"
    r"|PRAGMA|PREPARE|PROFILE|REASSIGN|REFRESH|REINDEX|RELEASE|RESET|REVOKE|ROLLBACK|SAVEPOINT"
    r"|SECURITY|SET|SHOW|START|SUMMARIZE|TRUNCATE|UNLISTEN|UPDATE|USE|VACUUM)\b"
    rf"|CREATE\b(?!(?:{_SPACES}(?:OR{_SPACES}REPLACE|GLOBAL|LOCAL|MATERIALIZED|RECURSIVE|TEMP"
    rf"|TEMPORARY|UNLOGGED))*{_SPACES}(?:TABLE|VIEW)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""How statements begin that hold no query to rewrite; a word not known here is read as a query."""

_FIRST = Lexer(r"\S")
_END = Lexer(";")
_ROUTINE = re.compile(
    rf"CREATE{_SPACES}(?:OR{_SPACES}REPLACE{_SPACES})?(?:FUNCTION|PROCEDURE)\b",
    re.IGNORECASE | re.DOTALL,
)
_IN_ROUTINE = Lexer(r"; | (?<![\w$.])(?:BEGIN\s+ATOMIC|CASE|END)\b")
"""The body of BEGIN ATOMIC has semicolons of its own, up to its END."""
_TAKES_DATA = re.compile(r"COPY\b[^;]*\bFROM\s+(?:LOCAL\s+)?STDIN\b", re.IGNORECASE)
_END_OF_DATA = re.compile(r"^\\\.[ \t]*\r?$", re.MULTILINE)
"""What ends the lines of data that stand below a COPY."""
_LINE = re.compile(r"[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """``text[start:end]`` from the first word of a statement to its semicolon, that not included.

    ``other`` says that it is not a query and holds none.
    """

    start: int
    end: int
    other: bool


def split(text: str) -> list[Statement]:
    """The statements of a text in order; ParseError where a quote or comment is not closed."""
    found: list[Statement] = []
    at = _code(text, 0)
    while at < len(text):
        if text[at] in "\\.":  # a command of the shell, such as \timing or .mode, ends its line
            line = _LINE.match(text, at)
            end = line.end() if line else at
            found.append(Statement(at, end, True))
        else:
            end = _end(text, at)
            if end > at:
                found.append(Statement(at, end, _OTHER.match(text, at) is not None))
            takes_data = _TAKES_DATA.match(text, at, end)
            data = _END_OF_DATA.search(text, end) if takes_data else None
            end = data.end() if data else end + 1
        at = _code(text, end)
    return found


def rewrite_each(text: str, rewrite: Callable[..., Rewrite]) -> Rewrite:
    """Rewrite the queries of a text one by one; lines, columns and offsets are those of the text.

    ``rewrite`` rewrites one statement: :func:`tzconv.rewrite` with everything but the SQL given. It
    gets a ``script`` too where statements before that one may change what it means.
    ParseError and CheckError name the line where the statement at fault stands in the text.
    """
    parts: list[str] = []
    changes: list[Change] = []
    left: list[Left] = []
    position = 0
    script = Script()
    for statement in split(text):
        own = text[statement.start : statement.end]
        if statement.other:
            script.ran(own)
            continue
        line, column = line_and_column(text, statement.start)
        try:
            result = rewrite(own, script=script) if script else rewrite(own)
        except ParseError as error:
            raise moved_error(error, line, column) from error
        except CheckError as error:
            raise CheckError(f"line {line}, column {column}: {error}") from error
        script.ran(own)
        parts += [text[position : statement.start], result.sql]
        position = statement.end
        for change in result.changes:
            start, end = change.start + statement.start, change.end + statement.start
            changes.append(replace(_moved(change, line, column), start=start, end=end))
        left += [_moved(place, line, column) for place in result.left]
    return Rewrite("".join([*parts, text[position:]]), tuple(changes), tuple(left))


def alternatives(
    text: str,
    chosen: Rewrite,
    strategies: Iterable[str],
    rewrite: Callable[..., Rewrite],
) -> tuple[tuple[str, ...], ...]:
    """For each change of ``chosen``, the other strategies that would change the same characters.

    ``rewrite`` rewrites one statement, with ``strategy=NAME`` by that strategy and no other.
    """
    found: list[tuple[str, ...]] = [() for _ in chosen.changes]
    for name in strategies:
        try:
            forced = rewrite_each(text, functools.partial(rewrite, strategy=name))
        except CheckError:
            continue
        for index, change in enumerate(chosen.changes):
            if name != change.strategy and any(_overlap(change, it) for it in forced.changes):
                found[index] += (name,)
    return tuple(found)


def _moved(place: _Place, line: int, column: int) -> _Place:
    first = column - 1 if place.line == 1 else 0
    return replace(place, line=place.line + line - 1, column=place.column + first)


def _overlap(one: Change, other: Change) -> bool:
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def moved_error(error: ParseError, line: int, column: int) -> ParseError:
    """The error in a statement, with its place in the text whose line and column that begins at."""
    reason = str(error).removeprefix(f"line {error.line}, column {error.column}: ")
    first = column - 1 if error.line == 1 else 0
    return ParseError(reason, error.line + line - 1, error.column + first)


def _code(text: str, at: int) -> int:
    """The place of the first character at or after ``at`` that is no space and no comment."""
    for piece in _FIRST.pieces(text, at):
        if piece.kind == "open" and text.startswith("/*", piece.start):
            raise _not_closed(text, piece.start)
        if piece.kind != "comment":
            return piece.start
    return len(text)


def _end(text: str, at: int) -> int:
    """The place of the semicolon that ends a statement, or of the end of the text."""
    is_routine, depth = _ROUTINE.match(text, at) is not None, 0
    for piece in (_IN_ROUTINE if is_routine else _END).pieces(text, at):
        if piece.kind == "open":
            raise _not_closed(text, piece.start)
        if piece.kind != "found":
            continue
        word = piece.match[0].upper()
        if word == ";" and not depth:
            return piece.start
        if word != ";" and (depth or word.startswith("BEGIN")):
            depth += -1 if word == "END" else 1
    return len(text)


def _not_closed(text: str, at: int) -> ParseError:
    return ParseError("a quoted text or comment is not closed", *line_and_column(text, at))

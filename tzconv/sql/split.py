"""Where the statements of a text begin and end.

A script for a database's shell holds more than queries: settings, grants, loads, commands of the
shell itself. They need not be valid SQL to be told apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tzconv.errors import ParseError
from tzconv.sql.lexer import SPACE, Lexer
from tzconv.sql.places import line_and_column

_SPACES = f"{SPACE}++"  # all or none of it: no second thoughts
_OTHER = re.compile(
    r"(?:ABORT|ALTER|ANALYZE|ANALYSE|ATTACH|BEGIN|CALL|CHECKPOINT|CLOSE|CLUSTER|COMMENT|COMMIT"
    r"|CONNECT|COPY|DEALLOCATE|DECLARE|DELETE|DESCRIBE|DETACH|DISCARD|DISCONNECT|DO|DROP|END"
    r"|EXECUTE|EXPLAIN|EXPORT|FETCH|GRANT|IMPORT|INSTALL|LISTEN|LOAD|LOCK|MERGE|MOVE|NOTIFY"
    r"|PRAGMA|PREPARE|PROFILE|REASSIGN|REFRESH|REINDEX|RELEASE|RESET|REVOKE|ROLLBACK|SAVEPOINT"
    r"|SECURITY|SET|SHOW|START|SUMMARIZE|TRUNCATE|UNLISTEN|UNLOAD|UPDATE|USE|VACUUM)\b"
    rf"|CREATE\b(?!(?:{_SPACES}(?:OR{_SPACES}REPLACE|GLOBAL|LOCAL|MATERIALIZED|RECURSIVE|TEMP"
    rf"|TEMPORARY|UNLOGGED))*{_SPACES}(?:TABLE|VIEW)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""How statements begin that are no queries; a word not known here is read as a query."""

_FIRST = Lexer(r"\S")
_ENDS = r"; | \\(?:g\w*|watch|crosstabview|bind\w*|parse|;)"
"""A semicolon, or a command of psql that sends what stands before it."""
_END = {escapes: Lexer(_ENDS, backslash_escapes=escapes) for escapes in (False, True)}
_ROUTINE = re.compile(
    rf"CREATE{_SPACES}(?:OR{_SPACES}REPLACE{_SPACES})?(?:FUNCTION|PROCEDURE)\b",
    re.IGNORECASE | re.DOTALL,
)
_IN_ROUTINE = Lexer(r"; | (?<![\w$.])(?:BEGIN\s+ATOMIC|CASE|END)\b")
"""The body of BEGIN ATOMIC has semicolons of its own, up to its END."""
_TAKES_DATA = re.compile(
    r"COPY\b[^;]*\bFROM\s+(?:LOCAL\s+)?STDIN\b|\\copy\b[^\n]*\bFROM\s+P?STDIN\b", re.IGNORECASE
)
_END_OF_DATA = re.compile(r"^\\\.[ \t]*\r?$", re.MULTILINE)
"""What ends the lines of data that stand below a COPY."""
_WORD = re.compile(r"\w+")
_LINE = re.compile(r"[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """``text[start:end]`` from the first word of a statement to its semicolon, that not included.

    ``other`` says that it is not a query; ``is_shell``, that it is a command of the shell.
    """

    start: int
    end: int
    other: bool
    is_shell: bool = False


def split(text: str, *, backslash_escapes: bool = False) -> list[Statement]:
    """The statements of a text in order; ParseError where a quote or comment is not closed.

    ``backslash_escapes`` says that a backslash escapes a quote in each text of the dialect.
    """
    found: list[Statement] = []
    at = _code(text, 0)
    while at < len(text):
        is_shell = text[at] in "\\." and not text.startswith("\\;", at)
        if is_shell:  # a command of the shell, such as \timing or .mode, ends its line
            line = _LINE.match(text, at)
            end = line.end() if line else at
            found.append(Statement(at, end, True, True))
        else:
            end = _end(text, at, backslash_escapes)
            if end > at:
                found.append(Statement(at, end, _OTHER.match(text, at) is not None))
        takes_data = _TAKES_DATA.match(text, at, end)
        data = _END_OF_DATA.search(text, end) if takes_data else None
        if data is not None:
            end = data.end()
        elif text.startswith("\\;", end):
            end += 2
        elif text.startswith(";", end):
            end += 1
        at = _code(text, end)
    return found


def first_word(text: str) -> tuple[str, bool]:
    """The first word of a text in upper case, and whether a query begins with it."""
    at = _code(text, 0)
    word = _WORD.match(text, at)
    return (word[0].upper() if word else "", _OTHER.match(text, at) is None)


def _code(text: str, at: int) -> int:
    """The place of the first character at or after ``at`` that is no space and no comment."""
    for piece in _FIRST.pieces(text, at):
        if piece.kind == "open" and text.startswith("/*", piece.start):
            raise _not_closed(text, piece.start)
        if piece.kind != "comment":
            return piece.start
    return len(text)


def _end(text: str, at: int, backslash_escapes: bool) -> int:
    """The place of what ends a statement, or of the end of the text."""
    is_routine, depth = _ROUTINE.match(text, at) is not None, 0
    for piece in (_IN_ROUTINE if is_routine else _END[backslash_escapes]).pieces(text, at):
        if piece.kind == "open":
            raise _not_closed(text, piece.start)
        if piece.kind != "found":
            continue
        word = piece.match[0].upper()
        if not is_routine or (word == ";" and not depth):
            return piece.start
        if word != ";" and (depth or word.startswith("BEGIN")):
            depth += -1 if word == "END" else 1
    return len(text)


def _not_closed(text: str, at: int) -> ParseError:
    return ParseError("a quoted text or comment is not closed", *line_and_column(text, at))

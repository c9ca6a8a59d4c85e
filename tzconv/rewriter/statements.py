"""A text of many statements: each is rewritten alone, and one that fails does not stop the others.

A script for a database's shell also holds commands of the shell itself; they are passed over.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from tzconv.errors import CheckError, ParseError, PlacedError, internal_errors
from tzconv.rewriter import sweep
from tzconv.rewriter.report import Change, Left, Rewrite
from tzconv.sql.parse import escapes_by_backslash
from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import Reason
from tzconv.sql.script import Script
from tzconv.sql.split import Statement, split

__all__ = ["Statement", "alternatives", "changed_text", "moved", "rewrite_each", "split"]

_Place = TypeVar("_Place", Change, Left)
_Placed = TypeVar("_Placed", bound=PlacedError)
_SHELL = Reason("statement", "tzconv does not rewrite commands of the shell")


def rewrite_each(
    text: str,
    rewrite: Callable[..., Rewrite],
    *,
    dialect: str | None = None,
    script: Script | None = None,
) -> Rewrite:
    """Rewrite the statements of a text one by one; all places are those of the text.

    ``rewrite`` rewrites one statement: :func:`tzconv.rewrite` with everything but the SQL given. It
    gets a ``script`` too where statements before that one may change what it means.
    The conversions of a statement that is not understood are left, as are those of the shell's
    commands; ``dialect`` tells the functions of other dialects. ParseError for a text of one
    statement, or a quote or comment that is not closed; other errors name the place
    of their statement.
    """
    changes: list[Change] = []
    left: list[Left] = []
    before = script.copy() if script else Script()
    escapes = dialect is not None and escapes_by_backslash(dialect)
    statements = split(text, backslash_escapes=escapes)
    is_alone = sum(not one.is_shell for one in statements) == 1
    parts: list[str] = []
    position = 0
    for statement in statements:
        own = text[statement.start : statement.end]
        line, column = line_and_column(text, statement.start)
        try:
            with internal_errors(1, 1):
                result = _rewrite_one(own, statement, rewrite, before)
        except ParseError as error:
            error = moved_error(error, line, column)
            result = _left_whole(own, dialect, why_not_parsed(error))
            if is_alone and (result.left or not statement.other):
                raise error from None
        except PlacedError as error:
            raise moved_error(error, line, column) from error
        before.ran(own)
        parts += [text[position : statement.start], result.sql]
        position = statement.end
        changes += [moved(change, text, statement.start) for change in result.changes]
        left += [moved(place, text, statement.start) for place in result.left]
    return Rewrite("".join([*parts, text[position:]]), tuple(changes), tuple(left))


def _rewrite_one(
    sql: str, statement: Statement, rewrite: Callable[..., Rewrite], before: Script
) -> Rewrite:
    if statement.is_shell:
        return _left_whole(sql, None, _SHELL)
    if statement.other and not sweep.may_convert(sql, ["now"]):
        return Rewrite(sql, (), ())  # it need not be read
    return rewrite(sql, script=before) if before else rewrite(sql)


def _left_whole(sql: str, dialect: str | None, reason: Reason) -> Rewrite:
    """All conversions of a statement, left for one reason."""
    places = sweep.places_in_text(sql, dialect, lambda _: reason)
    return Rewrite(sql, (), tuple(sweep.swept(sql, places, (), ())))


def alternatives(
    text: str,
    chosen: Rewrite,
    strategies: Iterable[str],
    rewrite: Callable[..., Rewrite],
    each: Callable[[str, Callable[..., Rewrite]], Rewrite] = rewrite_each,
) -> tuple[tuple[str, ...], ...]:
    """For each change of ``chosen``, the other strategies that would change the same characters.

    ``rewrite`` rewrites one statement, with ``strategy=NAME`` by that strategy and no other;
    ``each`` all statements of the text.
    """
    found: list[tuple[str, ...]] = [() for _ in chosen.changes]
    for name in strategies:
        try:
            forced = each(text, functools.partial(rewrite, strategy=name))
        except CheckError:
            continue
        for index, change in enumerate(chosen.changes):
            if name != change.strategy and any(_overlap(change, it) for it in forced.changes):
                found[index] += (name,)
    return tuple(found)


def changed_text(text: str, changes: Iterable[Change]) -> str:
    """The text with changes made that do not overlap."""
    parts, position = [], 0
    for change in sorted(changes, key=lambda one: (one.start, one.end)):
        parts += [text[position : change.start], change.after]
        position = change.end
    return "".join([*parts, text[position:]])


def moved(place: _Place, text: str, shift: int) -> _Place:
    """A place of the part of a text that begins at ``shift``, as a place of the text."""
    start, end = place.start + shift, place.end + shift
    line, column = line_and_column(text, start)
    return replace(place, line=line, column=column, start=start, end=end)


def _overlap(one: Change, other: Change) -> bool:
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def why_not_parsed(error: ParseError) -> Reason:
    """The reason to leave a statement that is not understood."""
    place = f"line {error.line}, column {error.column}"
    return Reason("not-parsed", f"{error.reason} ({place})")


def moved_error(error: _Placed, line: int, column: int) -> _Placed:
    """The error in a statement, with its place in the text whose line and column that begins at."""
    first = column - 1 if error.line == 1 else 0
    return type(error)(error.reason, error.line + line - 1, error.column + first)

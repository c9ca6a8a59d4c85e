"""Any text but a template: a script, one query, or a statement that holds queries, as EXPLAIN does.

Each statement of a script is rewritten alone, and one that fails does not stop the others. Queries
inside a statement are rewritten as texts of their own. What is not rewritten (commands of a
database's shell, statements that are not queries) is searched for conversions by its words.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from tzconv import tables
from tzconv.errors import CheckError, ParseError, PlacedError, internal_errors
from tzconv.rewriter import sweep
from tzconv.rewriter.block import Job
from tzconv.rewriter.passes import rewrite_statement
from tzconv.rewriter.report import Change, Left, Rewrite, placed
from tzconv.sql import variables
from tzconv.sql.binder import BoundColumns, NotBoundError
from tzconv.sql.containers import Container, InnerQuery, body_of, container_of, head
from tzconv.sql.lexer import Word, words
from tzconv.sql.parse import Range, escapes_by_backslash
from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import Reason
from tzconv.sql.script import Script, Statement, first_word, split
from tzconv.sql.text import spliced

__all__ = ["Statement", "alternatives", "moved", "rewrite_each", "split"]

_Place = TypeVar("_Place", Change, Left)
_SHELL = Reason("statement", "tzconv does not rewrite commands of the shell")
_OURS = frozenset(
    [
        *tables.ARRAYS,
        *(one.name for it in (tables.ZONE, tables.OFFSET, tables.PERIOD) for one in it.columns),
    ]
)
"""The columns that a rewrite names without their table, in a subquery."""
_UNCHECKED = (
    "not checked by the database, which does not know all types of the variables in the query"
)
_IN_ORDER = "its rows are taken in their order, which a join may change"
_HOLDING_TEXTS = {"FUNCTION", "PROCEDURE", "DO", "EXECUTE", "UNLOAD"}
"""Words of statements whose quoted texts may be SQL, among their first ones."""
_HEAD = 4
_QUOTES = re.compile("(?:'')+")
_SELECT = re.compile(r"\bSELECT\b", re.I)
"""Its rows may have a TIMESTAMPTZ, which a TIMESTAMP beside it is cast to."""


def rewrite_text(sql: str, job: Job, script: Script | None = None) -> Rewrite:
    """Rewrite all queries of a text that runs after a script."""
    shown = variables.masked(sql) if job.known.reading.shell_has_variables else None
    if shown is not None:
        return _restored(rewrite_text(shown[0], job, script), shown[1])
    first, is_query = first_word(sql)
    escapes = escapes_by_backslash(job.known.dialect)
    statements = split(sql, backslash_escapes=escapes) if ";" in sql else []
    if len(statements) > 1:

        def again(text: str, script: Script | None = None) -> Rewrite:
            return rewrite_text(text, job, script)

        strict = not any(one.other for one in statements)
        return rewrite_each(sql, again, dialect=job.known.dialect, script=script, strict=strict)
    container = container_of(sql, first, job.known.columns_of_all, _OURS)
    if container is not None:
        return _rewrite_container(sql, container, job, script)
    if is_query or first in ("UPDATE", "DELETE"):
        try:
            return rewrite_statement(sql, job, script)
        except RecursionError as error:  # it was shallow enough to be read, but not for more
            raise ParseError("the statement is nested too deeply to be read") from error
    return _left_in_text(sql, Rewrite(sql, (), ()), job, _reason_inside(sql))


def _restored(result: Rewrite, back: Callable[[str], str]) -> Rewrite:
    """The result with the variables that were masked."""
    changes = (replace(o, before=back(o.before), after=back(o.after)) for o in result.changes)
    left = (replace(one, text=back(one.text), reason=back(one.reason)) for one in result.left)
    return Rewrite(back(result.sql), tuple(changes), tuple(left))


def rewrite_each(
    text: str,
    rewrite: Callable[..., Rewrite],
    *,
    dialect: str | None = None,
    script: Script | None = None,
    strict: bool = False,
) -> Rewrite:
    """Rewrite the statements of a text one by one; all places are those of the text.

    ``rewrite`` rewrites one statement: :func:`tzconv.rewrite` with everything but the SQL given. It
    gets a ``script`` too where statements before that one may change what it means.
    The conversions of a statement that is not understood are left, as are those of the shell's
    commands; ``dialect`` tells the functions of other dialects. ParseError for a text of one
    statement, for any statement if ``strict``, and for a quote or comment that is not closed; other
    errors name the place of their statement.
    """
    changes: list[Change] = []
    left: list[Left] = []
    before = script.copy() if script else Script()
    escapes = dialect is not None and escapes_by_backslash(dialect)
    statements = split(text, backslash_escapes=escapes)
    is_alone = sum(not one.is_shell for one in statements) == 1
    pieces: list[tuple[int, int, str]] = []
    for statement in statements:
        own = text[statement.start : statement.end]
        line, column = line_and_column(text, statement.start)
        try:
            with internal_errors():
                result = _rewrite_one(own, statement, rewrite, before)
        except ParseError as error:
            error = error.moved(line, column)
            result = _left_whole(own, dialect, _why_not_parsed(error))
            if strict or (is_alone and (result.left or not statement.other)):
                raise error from None
        except PlacedError as error:
            raise error.moved(line, column) from error
        before.ran(own)
        pieces.append((statement.start, statement.end, result.sql))
        changes += [moved(change, text, statement.start) for change in result.changes]
        left += [moved(place, text, statement.start) for place in result.left]
    return Rewrite(spliced(text, pieces), tuple(changes), tuple(left))


def _rewrite_one(
    sql: str, statement: Statement, rewrite: Callable[..., Rewrite], before: Script
) -> Rewrite:
    if statement.is_shell:
        return _left_whole(sql, None, _SHELL)
    if statement.other and not (sweep.may_convert(sql, ["now"]) or _SELECT.search(sql)):
        return Rewrite(sql, (), ())  # it need not be read
    return rewrite(sql, script=before) if before else rewrite(sql)


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
        for index, one in enumerate(chosen.changes):
            is_changed = any(
                one.start == it.start or (one.start < it.end and it.start < one.end)
                for it in forced.changes
            )
            found[index] += (name,) if name != one.strategy and is_changed else ()
    return tuple(found)


def moved(place: _Place, text: str, shift: int) -> _Place:
    """A place of the part of a text that begins at ``shift``, as a place of the text."""
    return placed(place, text, place.start + shift, place.end + shift)


def _why_not_parsed(error: ParseError) -> Reason:
    place = f"line {error.line}, column {error.column}"
    return Reason("not-parsed", f"{error.reason} ({place})")


def _rewrite_container(sql: str, container: Container, job: Job, script: Script | None) -> Rewrite:
    inside = script.copy() if script else Script()
    for text in container.before:
        inside.ran(text)
    changed: list[Change] = []
    left: list[Left] = []
    refused: list[tuple[InnerQuery, Reason]] = []
    done: list[Range] = []
    for held in container.queries:
        if held.why_not:
            refused.append((held, Reason("statement", held.why_not)))
            continue
        line, column = line_and_column(sql, held.start)
        unchecked: list[str] = []
        held = replace(held, variables=variables.resolved(held.variables, job.known))  # noqa: PLW2901
        try:
            query = _query(sql, held)
            shown, back = variables.zones(query, held.variables or {}, job.known.dialect) or (
                query,
                str,
            )
            own_job = _checking(replace(job, shift=job.shift + held.start), held, unchecked, back)
            result = _restored(rewrite_text(shown, own_job, inside.copy()), back)
        except ParseError as error:
            refused.append((held, _why_not_parsed(error.moved(line, column))))
            continue
        except PlacedError as error:
            raise error.moved(line, column) from error
        if held.in_order:
            result = _without_limit(result)
        own = [moved(change, sql, held.start) for change in result.changes]
        if unchecked:
            own = [replace(one, reason=f"{one.reason}; {_UNCHECKED}") for one in own]
        start, end = held.hidden or (held.start, held.start)
        if all(it.end <= held.end and not (it.start < end and start < it.end) for it in own):
            changed += own
            left += [moved(place, sql, held.start) for place in result.left]
            done.append((held.start, held.end))

    outside = _reason_inside(sql, container.why_not)

    def why(anchor: int) -> Reason:
        inner = (reason for held, reason in refused if held.start <= anchor < held.end)
        return next(inner, None) or outside(anchor)

    ordered = sorted(changed, key=lambda one: (one.start, one.end))
    new = spliced(sql, [(one.start, one.end, one.after) for one in ordered])
    result = Rewrite(new, tuple(changed), tuple(left))
    return _left_in_text(sql, result, job, why, done)


def _checking(job: Job, held: InnerQuery, unchecked: list[str], back: Callable[[str], str]) -> Job:
    """The job, which binds typed NULLs for variables; ``unchecked`` collects what fails."""
    bind, types = job.bind, held.variables
    if bind is None or types is None:
        return job

    def with_variables(sql: str) -> BoundColumns:
        try:
            return bind(variables.with_nulls(back(sql), types))
        except NotBoundError as error:
            unchecked.append(str(error))
            raise

    return replace(job, bind=with_variables)


def _query(sql: str, held: InnerQuery) -> str:
    """The text of a query with blanks for its INTO: all other characters keep their place."""
    start, end = held.hidden or (held.start, held.start)
    query = sql[held.start : start] + " " * (end - start) + sql[end : held.end]
    return f"{query}\nLIMIT 1" if held.in_order else query


def _without_limit(result: Rewrite) -> Rewrite:
    """The result; its reasons do not mention the LIMIT that :func:`_query` added."""
    left = [
        replace(one, reason=_IN_ORDER) if one.code == "row-order" and "LIMIT" in one.reason else one
        for one in result.left
    ]
    return replace(result, left=tuple(left))


def _left_whole(sql: str, dialect: str | None, reason: Reason) -> Rewrite:
    places = sweep.places_in_text(sql, dialect, lambda _: reason)
    return Rewrite(sql, (), tuple(sweep.swept(sql, places, (), ())))


def _left_in_text(
    sql: str, result: Rewrite, job: Job, why: Callable[[int], Reason], done: Collection[Range] = ()
) -> Rewrite:
    """The result plus the conversions left in an unparsed text, outside of the parts ``done``."""
    if not sweep.may_convert(sql, job.known.timestamps):
        return result
    places = [
        place
        for text, found in _layers(sql, sweep.words_of(sql, job.known.dialect))
        for place in sweep.places_in_text(text, job.known.dialect, why, job.known.timestamps, found)
        if not sweep.is_inside(place.anchor, done)
    ]
    left = sweep.swept(sql, places, result.changes, result.left)
    return replace(result, left=tuple(left))


def _layers(sql: str, found: list[Word]) -> Iterator[tuple[str, list[Word]]]:
    """The words of a statement, then those of bodies and of dynamic SQL in it.

    Each comes with a text that has them at their places.
    """
    yield sql, found
    is_dynamic = any(word.upper in _HOLDING_TEXTS for word in found[:_HEAD])
    waiting = [(sql, word) for word in found if is_dynamic and word.is_text]
    for text, word in waiting:
        start, end = body_of(text, word)
        body = text[start:end]
        if text[word.start] == "'":  # each quote in it is written twice
            body = _QUOTES.sub(lambda one: one[0][::2].rjust(len(one[0])), body)
        shown = text[:start] + body
        inside = words(shown, start)
        yield shown, inside
        waiting += [(shown, inner) for inner in inside if inner.is_text]


def _reason_inside(sql: str, why_not: str | None = None) -> Callable[[int], Reason]:
    because = f": {why_not}" if why_not else ""
    reason = Reason("statement", f"tzconv does not rewrite inside {head(words(sql))}{because}")
    return lambda _: reason

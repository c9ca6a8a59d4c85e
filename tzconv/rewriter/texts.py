"""Any text: a script, one query, or a statement that only holds queries, such as EXPLAIN.

The queries that a statement holds are rewritten as texts of their own; what is not rewritten in it
is searched for conversions by its words.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from tzconv import tables
from tzconv.errors import ParseError, PlacedError
from tzconv.rewriter import sweep
from tzconv.rewriter.pipeline import Job, rewrite_parsed
from tzconv.rewriter.report import Change, Left, Rewrite
from tzconv.rewriter.statements import (
    changed_text,
    moved,
    moved_error,
    rewrite_each,
    why_not_parsed,
)
from tzconv.sql.binder import BoundColumns, NotBoundError
from tzconv.sql.bodies import Held, body_of
from tzconv.sql.containers import Container, container_of, head
from tzconv.sql.lexer import Word, words
from tzconv.sql.locals import with_nulls
from tzconv.sql.parse import Range, escapes_by_backslash
from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import Reason
from tzconv.sql.script import Script
from tzconv.sql.split import first_word, split
from tzconv.sql.variables import masked

_OURS = frozenset(
    [
        *tables.ARRAYS,
        *(one.name for it in (tables.ZONE, tables.OFFSET, tables.PERIOD) for one in it.columns),
    ]
)
"""The columns that a rewrite names without their table, in a subquery."""
_WRITES = ("UPDATE", "DELETE")
_UNCHECKED = (
    "not checked by the database, which does not know all types of the variables in the query"
)
_IN_ORDER = "its rows are taken in their order, which a join may change"
_HOLDING_TEXTS = {"FUNCTION", "PROCEDURE", "DO", "EXECUTE", "UNLOAD"}
"""Words of statements whose quoted texts may be SQL, among their first ones."""
_HEAD = 4


def rewrite_text(sql: str, job: Job, script: Script | None) -> Rewrite:
    """Rewrite all queries of a text that runs after a script."""
    shown = masked(sql) if job.known.reading.shell_has_variables else None
    if shown is None:
        return _rewrite_shown(sql, job, script)
    result, back = _rewrite_shown(shown.text, job, script), shown.back
    return Rewrite(
        back(result.sql),
        tuple(
            replace(one, before=back(one.before), after=back(one.after)) for one in result.changes
        ),
        tuple(replace(one, text=back(one.text), reason=back(one.reason)) for one in result.left),
    )


def _rewrite_shown(sql: str, job: Job, script: Script | None) -> Rewrite:
    first, is_query = first_word(sql)
    escapes = escapes_by_backslash(job.dialect)
    statements = split(sql, backslash_escapes=escapes) if ";" in sql else []
    if len(statements) > 1 and any(one.other for one in statements):
        again = functools.partial(_again, job=job)
        return rewrite_each(sql, again, dialect=job.dialect, script=script)
    container = container_of(sql, first, job.known.columns_of_all(), _OURS)
    if container is not None:
        return _rewrite_container(sql, container, job, script)
    if is_query or first in _WRITES:
        try:
            return rewrite_parsed(sql, job, script)
        except RecursionError as error:  # it was shallow enough to be read, but not for more
            raise ParseError("the statement is nested too deeply to be read", 1, 1) from error
    return _left_in_text(sql, Rewrite(sql, (), ()), job, _reason_inside(sql))


def _again(sql: str, *, job: Job, script: Script | None = None) -> Rewrite:
    return rewrite_text(sql, job, script)


def _rewrite_container(sql: str, container: Container, job: Job, script: Script | None) -> Rewrite:
    inside = script.copy() if script else Script()
    for text in container.before:
        inside.ran(text)
    changed: list[Change] = []
    left: list[Left] = []
    refused: list[tuple[Held, Reason]] = []
    done: list[Range] = []
    for held in container.queries:
        if held.why_not:
            refused.append((held, Reason("statement", held.why_not)))
            continue
        line, column = line_and_column(sql, held.start)
        unchecked: list[str] = []
        try:
            own_job = _checking(job.inside(held.start), held, unchecked)
            result = rewrite_text(_query(sql, held), own_job, inside.copy())
        except ParseError as error:
            refused.append((held, why_not_parsed(moved_error(error, line, column))))
            continue
        except PlacedError as error:
            raise moved_error(error, line, column) from error
        if held.in_order:
            result = _without_limit(result)
        own = [moved(change, sql, held.start) for change in result.changes]
        if unchecked:
            own = [replace(one, reason=f"{one.reason}; {_UNCHECKED}") for one in own]
        if all(_may_change(held, change) for change in own):
            changed += own
            left += [moved(place, sql, held.start) for place in result.left]
            done.append((held.start, held.end))

    outside = _reason_inside(sql, container.why_not)

    def why(anchor: int) -> Reason:
        inner = (reason for held, reason in refused if held.start <= anchor < held.end)
        return next(inner, None) or outside(anchor)

    result = Rewrite(changed_text(sql, changed), tuple(changed), tuple(left))
    return _left_in_text(sql, result, job, why, done)


def _checking(job: Job, held: Held, unchecked: list[str]) -> Job:
    """The job whose engine is asked with NULLs of their types instead of variables."""
    bind, types = job.bind, held.variables
    if bind is None or types is None:
        return job

    def with_variables(sql: str) -> BoundColumns:
        try:
            return bind(with_nulls(sql, types))
        except NotBoundError as error:
            unchecked.append(str(error))
            raise

    return replace(job, bind=with_variables)


def _query(sql: str, held: Held) -> str:
    """The text of a query; what it does not show is blank, so that all else keeps its place."""
    start, end = held.hidden or (held.start, held.start)
    query = sql[held.start : start] + " " * (end - start) + sql[end : held.end]
    return f"{query}\nLIMIT 1" if held.in_order else query


def _without_limit(result: Rewrite) -> Rewrite:
    """The result, whose reasons do not speak of the LIMIT that was added."""
    left = [
        replace(one, reason=_IN_ORDER) if one.code == "row-order" and "LIMIT" in one.reason else one
        for one in result.left
    ]
    return replace(result, left=tuple(left))


def _may_change(held: Held, change: Change) -> bool:
    start, end = held.hidden or (held.start, held.start)
    return change.end <= held.end and not (change.start < end and start < change.end)


def _left_in_text(
    sql: str,
    result: Rewrite,
    job: Job,
    why: Callable[[int], Reason],
    done: Collection[Range] = (),
) -> Rewrite:
    """The result with what is left in a text that is not parsed, but for the parts ``done``."""
    if not sweep.may_convert(sql, job.timestamps):
        return result
    places = [
        place
        for text, found in _layers(sql, sweep.words_of(sql, job.dialect))
        for place in sweep.places_in_text(text, job.dialect, why, job.timestamps, found)
        if not any(start <= place.anchor < end for start, end in done)
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
        # a quote in a quoted text is written twice
        body = text[start:end].replace("''", " '") if text[word.start] == "'" else text[start:end]
        shown = text[:start] + body
        inside = words(shown, start)
        yield shown, inside
        waiting += [(shown, inner) for inner in inside if inner.is_text]


def _reason_inside(sql: str, why_not: str | None = None) -> Callable[[int], Reason]:
    name = head(words(sql))
    because = f": {why_not}" if why_not else ""
    reason = Reason("statement", f"tzconv does not rewrite inside {name}{because}")
    return lambda _: reason

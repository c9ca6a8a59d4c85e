"""What is done with one statement: read, rewritten, and checked against what is loaded."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from tzconv import rewriter, tables
from tzconv.errors import DatabaseError, TzconvError
from tzconv.rewriter import Change, Left
from tzconv.sql.binder import Bind
from tzconv.sqlalchemy.catalog import LoadedTables, name_in
from tzconv.sqlalchemy.parameters import Key, Marked, Parameters
from tzconv.sqlalchemy.race import Race, Timings
from tzconv.tz.zones import Rules

_FREE = ("now", "range")
"""Strategies that join nothing: with them alone, a statement is never slower."""
Quarter: TypeAlias = tuple[bool, int]
"""Whether the times have a zone, and the quarters since the year 0."""
_FIRST_YEAR, _LAST_YEAR = 1900, 2200
_MARGIN = dt.timedelta(days=1)
"""What a driver may make of odd zones and of more than six digits stays inside, by far."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one statement: it is told when that happens, not at each execution.

    ``rewritten`` is the text that runs instead, None where ``statement`` runs as it is. ``changes``
    and ``left`` are those of :func:`tzconv.rewrite`; their places are those of the statement with
    its parameters written as ``$`` marks. ``error`` is why nothing could be
    decided: ParseError where the statement is not understood. ``rows`` is what the database
    expects to convert, None where it was not asked or does not know. ``timings`` are there where
    both forms were run some times, and the faster one is kept.
    """

    statement: str
    rewritten: str | None
    changes: tuple[Change, ...]
    left: tuple[Left, ...]
    error: TzconvError | None
    seconds: float
    rows: float | None = None
    timings: Timings | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """How a statement runs: ``text`` with ``fit(parameters)``; ``text`` None runs it as it is.

    ``by_session`` says that the time zone of the session has a say in it. With a ``race`` that is
    not decided, runs take ``text`` and the statement by turns.
    """

    text: str | None = None
    fit: Callable[[Parameters], Parameters] | None = None
    by_session: bool = False
    race: Race | None = None
    decision: Decision | None = None

    def decided(self) -> Decision | None:
        """The decision, with what a race has found."""
        if self.race is None or self.decision is None or self.race.is_won is None:
            return self.decision
        found = replace(self.decision, timings=self.race.timings)
        return found if self.race.is_won else replace(found, rewritten=None, changes=())


@dataclass(frozen=True, slots=True)
class Rewriter:
    """What :func:`tzconv.rewrite` is told beside the text."""

    dialect: str
    types: Mapping[str, Mapping[str, str]]
    loaded: LoadedTables
    rules: Rules | None
    strategy: str | None
    table_schema: str | None
    measure: bool

    def decide(
        self,
        statement: str,
        marked: Marked,
        values: Mapping[Key, str],
        quarters: Mapping[Key, Quarter],
        session: str,
        rows: float | None,
        bind: Bind | None,
    ) -> tuple[Choice, Decision]:
        """The plan for a statement in a session of that time zone; errors are in the decision.

        It holds for these values of shaping parameters, and these quarters of other ones. ``rows``
        is what the database expects to convert, ``bind`` asks it for the columns of a statement.
        """
        started = time.perf_counter()
        plan = Choice()
        result: rewriter.Rewrite | None = None
        error: TzconvError | None = None
        try:
            text = marked.with_values(values)
            if rewriter.is_one_query(text, self.dialect):
                ranges = {marked.number(key): _times(one) for key, one in quarters.items()}
                result = rewriter.rewrite(
                    text,
                    dialect=self.dialect,
                    schema=self.types,
                    rules=self.rules or self.loaded.rules,
                    session_time_zone=session,
                    strategy=self.strategy,
                    table_schema=self.table_schema,
                    loaded=self.loaded.tables,
                    # what comes after the end of the tables is for the function
                    literals_until=None if self.rules else self.loaded.until,
                    rows=lambda sql: rows,
                    ranges=ranges,
                    bind=bind,
                )
                plan = self._plan(marked, text, result)
        except TzconvError as failed:
            error = failed
        decision = Decision(
            statement,
            plan.text,
            result.changes if result and plan.text is not None else (),
            result.left if result else (),
            error,
            time.perf_counter() - started,
            rows,
        )
        if self.measure and any(one.strategy not in _FREE for one in decision.changes):
            plan = replace(plan, race=Race())
        return replace(plan, decision=decision), decision

    def _plan(self, marked: Marked, text: str, result: rewriter.Rewrite) -> Choice:
        # what bounds a query may follow the session's clock: another session gets its own text
        by_session = bool(result.changes) or any(
            left.code == "session-time-zone" for left in result.left
        )
        if result.sql == text:
            return Choice(by_session=by_session)
        for table in tables.CONVERSIONS.values():
            name = name_in(self.table_schema, table.name)
            if table.name in result.sql and table.name not in text and name not in self.types:
                raise DatabaseError(
                    f"The rewritten query needs the table {name}, which this connection cannot "
                    "read: run tzconv refresh, or grant SELECT on it."
                )
        back, fit = marked.unmark(result.sql)
        return Choice(back, fit, by_session)


def is_query(text: str, dialect: str) -> bool:
    """Whether a text is a single query that can be read."""
    try:
        return rewriter.is_one_query(text, dialect)
    except TzconvError:
        return False


def quarter(value: object) -> Quarter | None:
    """The quarter of the year of a date or time; None for all else, and where the calendar ends.

    What bounds a query is most often a parameter, and a bounded query has cheaper rewrites. So
    decisions are remembered by quarter as well: few enough to be remembered, and a quarter has two
    transitions at most in nearly every zone.
    """
    zoned = isinstance(value, dt.datetime) and value.tzinfo is not None
    if isinstance(value, dt.datetime) and zoned:
        try:
            value = value.astimezone(dt.UTC)
        except OverflowError:
            return None
    if not isinstance(value, dt.date) or not _FIRST_YEAR <= value.year < _LAST_YEAR:
        return None
    return zoned, value.year * 4 + (value.month - 1) // 3


def _times(quarter: Quarter) -> tuple[dt.datetime, dt.datetime]:
    """The first and the last time that a value of this quarter may have, and a little more."""
    zoned, number = quarter
    zone = dt.UTC if zoned else None
    first, after = (
        dt.datetime(one // 4, one % 4 * 3 + 1, 1, tzinfo=zone) for one in (number, number + 1)
    )
    return first - _MARGIN, after + _MARGIN

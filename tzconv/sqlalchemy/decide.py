"""The decision about one statement: rewrite it for the loaded tables, or run it as written.

The hook asks for it once for a statement, and remembers the :class:`Choice`.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from tzconv import engines, rewriter, tables
from tzconv.engines.alchemy import Alchemy
from tzconv.errors import DatabaseError, TzconvError
from tzconv.rewriter import Change, Left
from tzconv.sql.binder import Bind, BoundColumns, NotBoundError, Plans
from tzconv.sql.built import Built
from tzconv.sqlalchemy.catalog import LoadedTables, name_in
from tzconv.sqlalchemy.parameters import Key, Marked, Parameters
from tzconv.sqlalchemy.race import Races, Timings
from tzconv.sqlalchemy.typed import typed
from tzconv.tz.zones import Rules

_FREE = ("now", "range")
"""Strategies without a join: a statement with these only is never slower."""
Quarter: TypeAlias = tuple[bool, int]
"""Whether the time has a zone, and the number of quarters since year 0."""
_FIRST_YEAR, _LAST_YEAR = 1900, 2200
_MARGIN = dt.timedelta(days=1)
"""Allows for drivers that shift a time by its zone, or round its fraction."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one statement; reported when it is made, not at each execution.

    ``rewritten`` is the text that runs instead, None if ``statement`` runs as it is. ``changes``
    and ``left`` are those of :func:`tzconv.rewrite`; their positions are in the statement with its
    parameters written as ``$`` marks. ``error`` is the reason if there is no decision, such as a
    ParseError. ``rows`` is the database's estimate of rows to convert, None without one.
    ``timings`` are set after several runs of both forms; the faster one is kept.
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

    ``by_session`` says that it depends on the time zone of the session. During a ``race``, runs
    alternate between ``text`` and the statement.
    """

    text: str | None = None
    fit: Callable[[Parameters], Parameters] | None = None
    by_session: bool = False
    race: Races | None = None
    decision: Decision | None = None
    many: Decision | None = None
    """The decision for other parameters than those of ``decision``, which reach few rows."""
    names: frozenset[str] = frozenset()
    """Tables and schemas that it stands on: a change of one makes the hook decide anew."""

    def decided(self) -> Decision | None:
        """The decision, with the result of the race."""
        if self.race is None or self.decision is None or self.race.is_won is None:
            return self.decision
        found = replace(self.many or self.decision, timings=self.race.timings)
        return found if self.race.is_won else replace(found, rewritten=None, changes=())


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The arguments of :func:`tzconv.rewrite` but the text, for one statement of a session.

    ``words`` are those of the statement, ``zone`` is the time zone of the session. ``bind`` asks
    the database for the columns of a statement, ``plans`` for what the plan of a rewritten one
    loses. ``built`` has the indexes of expressions.
    """

    types: Mapping[str, Mapping[str, str]]
    loaded: LoadedTables
    marked: Marked
    words: frozenset[str]
    zone: str
    bind: Bind | None
    plans: Plans | None
    built: tuple[Built, ...]
    dialect: str
    rules: Rules | None
    strategy: str | None
    table_schema: str | None
    measure: bool
    alchemy: type[Alchemy]

    def decide(
        self,
        statement: str,
        values: Mapping[Key, str],
        quarters: Mapping[Key, Quarter],
        rows: float | None,
    ) -> tuple[Choice, Decision]:
        """The choice for a statement; errors are in the decision.

        It holds for these values of shaping parameters, and these quarters of other ones. ``rows``
        is the database's estimate of rows to convert.
        """
        started = time.perf_counter()
        choice = Choice()
        result: rewriter.Rewrite | None = None
        error: TzconvError | None = None
        try:
            text = self.marked.with_values(values)
            bind = self._binds(text)
            if rewriter.is_one_query(text, self.dialect):
                ranges = {self.marked.number(key): _times(one) for key, one in quarters.items()}
                result = rewriter.rewrite(
                    text,
                    dialect=self.dialect,
                    schema=self.types,
                    rules=self.rules or self.loaded.rules,
                    session_time_zone=self.zone,
                    strategy=self.strategy,
                    table_schema=self.table_schema,
                    loaded=self.loaded.tables,
                    # the function converts times after the end of the tables
                    literals_until=None if self.rules else self.loaded.until,
                    rows=lambda sql: rows,
                    ranges=ranges,
                    bind=bind,
                    plans=self.plans,
                    built=self.built,
                )
                choice = self._choice(text, result, bind)
        except TzconvError as failed:
            error = failed
        decision = Decision(
            statement,
            choice.text,
            result.changes if result and choice.text is not None else (),
            result.left if result else (),
            error,
            time.perf_counter() - started,
            rows,
        )
        if self.measure and any(one.strategy not in _FREE for one in decision.changes):
            choice = replace(choice, race=Races(engines.engine_of(self.dialect).fewest_rows))
        return replace(choice, decision=decision), decision

    def _binds(self, text: str) -> Bind | None:
        """Names the columns of ``text`` as those of its statement, which may show parameters."""
        ask, marked = self.bind, self.marked
        if ask is None or marked.style not in ("dollar", "qmark"):
            return ask

        def columns(sql: str) -> BoundColumns:
            found = ask(marked.unmark(sql)[0])
            if sql != text or text == marked.text:
                return found
            shown = ask(marked.unmark(marked.text)[0])  # parameters without a type may give others
            return tuple((name, kind) for (name, _), (_, kind) in zip(shown, found, strict=True))

        return columns

    def _choice(self, text: str, result: rewriter.Rewrite, bind: Bind | None) -> Choice:
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

        def check(zone: str | None) -> str:
            kinds = typed(self.alchemy, result.sql, self.dialect, self.types, self.words, zone)
            return self.alchemy.protected(kinds, text, self.types)

        sql = check(None)
        _refuse_unbound(text, sql, bind)  # perhaps in a session of another time zone
        if not self.alchemy.reports_zone:
            sql = check(self.zone)
        return Choice(*self.marked.unmark(sql), by_session)


def _refuse_unbound(text: str, typed: str, bind: Bind | None) -> None:
    """DatabaseError if the database binds only one, or one to other columns than the other."""
    if bind is not None and _columns(text, bind) != _columns(typed, bind):
        raise DatabaseError(
            "The database does not bind the rewritten query with a check of its column types as it "
            "binds the statement, which runs as written. Compare the types in schema= with those "
            "of the database."
        )


def _columns(text: str, bind: Bind) -> BoundColumns | None:
    """None if it does not bind: a table of this transaction may be asked for elsewhere.

    () if it is no SQL, as ``INSERT INTO (SELECT ...)`` in a CTE, which DuckDB describes nowhere.
    """
    try:
        return bind(text)
    except NotBoundError as error:
        return () if error.is_syntax else None


def is_query(text: str, dialect: str) -> bool:
    """Whether a text is a single query that can be parsed."""
    try:
        return rewriter.is_one_query(text, dialect)
    except TzconvError:
        return False


def quarter(value: object) -> Quarter | None:
    """The quarter of a date or time; None for other values, and outside of 1900 to 2199.

    Bounds of a query are mostly parameters, and a bounded query has cheaper rewrites. So decisions
    are remembered by quarter, too: there are few of them, and nearly every zone has at most two
    transitions in a quarter.
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
    """The first and the last time of a quarter, with a margin."""
    zoned, number = quarter
    zone = dt.UTC if zoned else None
    first, after = (
        dt.datetime(one // 4, one % 4 * 3 + 1, 1, tzinfo=zone) for one in (number, number + 1)
    )
    return first - _MARGIN, after + _MARGIN

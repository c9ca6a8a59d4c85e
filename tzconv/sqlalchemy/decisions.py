"""The decisions of a hook: made once for what they stand on, and remembered.

A statement's text is read once. Its decision holds for one search path, role and set of temporary
tables, and where it matters for one session time zone.
"""

from __future__ import annotations

import contextlib
import logging
import time
import warnings
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.engine import Connection, Dialect, Engine

from tzconv import engines
from tzconv.engines.alchemy import Types
from tzconv.errors import DatabaseError, ParseError
from tzconv.sql.built import Built
from tzconv.sql.reasons import QUIET, Reason
from tzconv.sqlalchemy import look, lookup, race
from tzconv.sqlalchemy.cache import Cache
from tzconv.sqlalchemy.catalog import LoadedTables, Session, release_key
from tzconv.sqlalchemy.decide import Choice, Decision, Rewriter, is_query, quarter
from tzconv.sqlalchemy.parameters import Key, Marked, constant, mark, value

_AS_WRITTEN = Choice()
_NO_TABLES = (
    "The database has no conversion tables that this connection can read: run tzconv refresh, or "
    "grant SELECT on them."
)
_ZONE = "tzconv_session_time_zone"
_MOST_RELEASES = 8
CHECK_RELEASE_SECONDS = 60
"""How often the release row is read: a refresh changes the offsets in rewritten texts."""
_MOST_ERRORS = 2
"""So many errors of a statement are forgiven: after the first, it is decided anew."""
_log = logging.getLogger("tzconv.sqlalchemy")


@dataclass(frozen=True, slots=True)
class Statement:
    """The properties of a statement's text; only queries that may matter have ``marked``.

    The values of the ``shaping`` parameters and the quarters of the ``times`` decide the rewrite.
    Runs are compared among those with the same ``others``.
    """

    changes: lookup.Changes | None = None
    marked: Marked | None = None
    converts: bool = False
    shaping: tuple[Key, ...] = ()
    times: tuple[Key, ...] = ()
    others: tuple[Key, ...] = ()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Planner:
    """Plans texts with the parameters of the statement that is ``written``."""

    session: Session
    written: tuple[str, Any]
    marked: Marked

    def loss(self, before: str, after: str, *known: str) -> Reason | None:
        """What the plan of the text ``after`` loses against that of the statement."""
        del before  # with the values of some parameters in it
        sent = self.written[1]
        texts = map(self.marked.unmark, (after, *known))
        fitted = ((text, fit(sent) if fit and sent is not None else sent) for text, fit in texts)
        return self.session.loss(self.written, *fitted)

    def indexes(self, statement: str) -> frozenset[str] | None:
        """The indexes that the plan of the statement uses."""
        del statement
        return self.session.indexes(*self.written)


class Decisions:
    """What is known about statements, and the decisions about them."""

    def __init__(
        self,
        engine: Engine,
        declared: Types,
        rewriter: Callable[..., Rewriter],
        table_schema: str | None,
        *,
        on_decision: Callable[[Decision], object] | None,
        cache_size: int,
    ) -> None:
        self.dialect, self._alchemy = engines.alchemy_of(engine.dialect.name)
        self._declared = declared
        self._rewriter = rewriter
        self._table_schema = table_schema
        self._on_decision = on_decision or (lambda decision: None)
        self._statements: Cache[str, Statement] = Cache(cache_size)
        self._choices: Cache[tuple[Any, ...], Choice] = Cache(cache_size)
        self._errors: Cache[tuple[Any, ...], int] = Cache(cache_size)
        self._loaded: Cache[str, LoadedTables] = Cache(_MOST_RELEASES)
        self._release_checked = 0.0
        self._clock = time.perf_counter
        self._has_warned = False
        self._zone_changes = 0
        self._generation = 0

    def forget(self) -> None:
        """Forget time zones, rules and decisions."""
        with race.LOCK:
            for cache in (self._statements, self._choices, self._errors, self._loaded):
                cache.clear()
            self._zone_changes += 1
            self._generation += 1

    def _forget_names(self, names: Set[str]) -> None:
        """Forget the decisions that stand on one of these tables or schemas."""
        if names and self._alchemy.follows_views:
            self._choices.clear()
        elif names:
            self._choices.drop(lambda choice: not choice.names.isdisjoint(names))
        self._generation += bool(names)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The remembered decisions with their timings, the most recently used one last."""
        found = {id(choice): choice.decided() for choice in self._choices.values()}
        return tuple(one for one in found.values() if one is not None)

    @property
    def remembered(self) -> int:
        """How many decisions are remembered."""
        return len(self._choices)

    def _is_stale(self, key: tuple[Any, ...], choice: Choice) -> None:
        """A text does not bind: what it stands on has changed, or it is wrong."""
        statement, _, place, _ = key
        _log.info("does not bind any more, and is decided anew: %s", statement)
        known = statement, place
        count = (self._errors.get(known) or 0) + 1
        self._errors.put(known, count)
        self._forget_names(choice.names or {statement})
        self._choices.drop(lambda one: one is choice)
        self._zone_changes += 1  # it may be the session's time zone

    def _rows(
        self, connection: Connection, statement: str, parameters: Any, marked: Marked
    ) -> float | None:
        """The rows that the database expects a query to convert."""
        given = None if marked.style == "plain" else parameters
        return Session(connection, self._alchemy).expected_rows(statement, given)

    def _report(self, decision: Decision) -> None:
        if decision.changes or any(one.code not in QUIET for one in decision.left):
            form = "as it was written" if decision.rewritten is None else "rewritten"
            why = [f"{one.strategy}: {one.reason}" for one in decision.changes]
            why += [f"left: {one.reason}" for one in decision.left]
            timings = [str(decision.timings)] if decision.timings else []
            _log.info("runs %s (%s): %s", form, "; ".join(timings + why), decision.statement)
        try:
            self._on_decision(decision)
        except Exception as error:
            self._warn(f"on_decision fails: {type(error).__name__}: {error}")

    def _check_release(self, connection: Connection) -> None:
        """Forget everything if the tables have been refreshed since they were read."""
        self._release_checked = self._clock()
        self._choices.drop(lambda choice: choice.decision is None)  # a failure may be over
        if len(self._choices):
            session = Session(connection, self._alchemy)
            try:
                schema = session.home(self._table_schema)
            except DatabaseError:  # somebody has made tables of those names
                self.forget()
                return
            types = session.column_types((), schema, is_changing=True)
            release = session.newest_release(types, schema)
            if self._loaded.get(release_key(schema, release)) is None:
                self.forget()

    def _read(
        self, connection: Connection, statement: str, parameters: Any, context: Any
    ) -> Statement:
        read = Statement(lookup.changes(statement))
        converts, is_rowwise = look.converts(statement)
        if converts and look.head(statement) in ("SELECT", "WITH"):
            marked = self._marked(connection.dialect, statement, parameters, context)
            if marked is not None:
                named = marked.shaping
                shaping = tuple(key for key in named if constant(parameters[key]) is not None)
                rest = [key for key in marked.keys if key not in named]
                times = tuple(key for key in rest if quarter(value(parameters, key)) is not None)
                others = tuple(key for key in rest if key not in times)
                words = look.words(marked.text)
                read = Statement(read.changes, marked, is_rowwise, shaping, times, others, words)
        self._statements.put(statement, read)
        return read

    def _marked(
        self, dialect: Dialect, statement: str, parameters: Any, context: Any
    ) -> Marked | None:
        plain = not parameters and bool(context.execution_options.get("no_parameters"))
        if dialect.paramstyle == "named":
            is_certain = not parameters or isinstance(parameters, Mapping)
        else:  # without parameters, most drivers leave percent signs alone
            is_percent = dialect.driver in self._alchemy.percent_drivers
            is_certain = bool(parameters or plain or is_percent or "%" not in statement)
        return mark(statement, dialect.paramstyle, plain=plain) if is_certain else None

    def _choose(
        self,
        connection: Connection,
        statement: str,
        parameters: Any,
        read: Statement,
        given: tuple[Any, ...],
        place: lookup.Key,
    ) -> tuple[Choice, tuple[Any, ...]]:
        """The choice for this session's time zone; remembered for all sessions if it fits all."""
        zone = self._session_time_zone(connection)
        key = (statement, given, place, zone)
        choice = self._choices.get(key)
        if choice is None and (self._errors.get((statement, place)) or 0) >= _MOST_ERRORS:
            choice = _AS_WRITTEN
        if choice is not None:
            return choice, key
        try:
            return self._decided(connection, parameters, read, key), key
        except Exception:
            # do not try again at each execution
            failed = replace(_AS_WRITTEN, names=read.words)
            self._choices.put((statement, given, place, None), failed)
            raise

    def _decided(
        self, connection: Connection, parameters: Any, read: Statement, key: tuple[Any, ...]
    ) -> Choice:
        statement, given, place, zone = key
        marked = read.marked
        assert marked is not None, "only such a statement is decided"
        # what may change how many rows it reaches
        changed = lookup.place_of(connection)
        others = lookup.others(changed, [value(parameters, key) for key in read.others])
        is_own = any(name[0] not in "=:" for name in changed.entries)
        session = Session(connection, self._alchemy)
        generation = self._generation
        schema = session.home(self._table_schema)
        types = session.column_types(read.words, schema, is_changing=is_own)
        loaded = session.loaded(types, schema, self._loaded)
        texts = map(constant, given)
        values = {key: text for key, text in zip(read.shaping, texts, strict=False) if text}
        rows, plans, built = None, None, tuple[Built, ...]()
        if read.converts and is_query(marked.with_values(values), self.dialect):
            sent = None if marked.style == "plain" else parameters
            if session.refuses(statement, sent):  # a rewrite might run with zones as constants
                return _AS_WRITTEN
            rows, built = session.expected_rows(statement, sent), session.built()
            plans = _Planner(session, (statement, sent), marked)
            if not loaded.tables:
                self._warn(_NO_TABLES)
        rewriter = self._rewriter(
            {**types, **self._declared},
            loaded,
            marked,
            read.words,
            zone,
            session.alchemy.bind(),
            plans,
            built,
            table_schema=schema,
        )
        of_times = zip(read.times, given[len(read.shaping) :], strict=True)
        quarters = {key: one for key, one in of_times if one is not None}
        choice, decision = rewriter.decide(statement, values, quarters, rows)
        is_few = any(one.code == "few-rows" for one in decision.left)
        if is_few and choice.text is None and others and rewriter.measure:
            # other parameters may reach many
            many, other = rewriter.decide(statement, values, quarters, None)
            if many.race is not None:
                many.race.leave(others)
                choice = replace(many, decision=decision, many=other)
        is_idle = all(one.code in QUIET for one in decision.left)
        is_timeless = bool(read.times) and not decision.changes and is_idle
        if is_timeless:  # it converts nothing for each row, whatever the times
            given = given[: len(read.shaping)]
        tables_read = {part for name in types for part in name.lower().split(".")}
        choice = replace(choice, names=frozenset(tables_read))
        # Nothing asks the database while it holds the lock: an async engine then switches to other
        # tasks of the same thread, and one of them might wait for the lock.
        with race.LOCK:
            # several threads may decide one statement: the first is reported, and has the race
            one, own = (self._choices.get((statement, given, place, it)) for it in (None, zone))
            if (found := own if one is None or one.by_session else one) is not None:
                return found
            if self._generation == generation:
                self._loaded.put(release_key(schema, loaded.release), loaded)
                if is_timeless:
                    self._statements.put(statement, replace(read, times=()))
                self._choices.put((statement, given, place, None), choice)
                if choice.by_session:
                    self._choices.put((statement, given, place, zone), choice)
        if decision.error is not None and not isinstance(decision.error, ParseError):
            self._warn(f"Query not rewritten: {decision.error}")
        self._report(decision)
        return choice

    def _session_time_zone(self, connection: Connection) -> str:
        """The session's time zone; asked once for a connection if the driver does not know it."""
        zone = self._alchemy.reported_zone(connection.connection.driver_connection)
        if zone is not None:
            return zone
        changes, zone = connection.info.get(_ZONE, (None, ""))
        if self._alchemy.reports_zone or changes != self._zone_changes:
            zone = Session(connection, self._alchemy).alchemy.session_time_zone()
            connection.info[_ZONE] = (self._zone_changes, zone)
        return str(zone)

    def _warn(self, text: str) -> None:
        _log.debug(text)
        if not self._has_warned:
            self._has_warned = True
            # even where warnings are errors, the query must run
            with contextlib.suppress(Warning):
                warnings.warn(f"tzconv: {text}", RuntimeWarning, stacklevel=2)

"""The listeners on an engine: each SELECT is looked up, rewritten once, and run as rewritten.

:func:`tzconv.sqlalchemy.rewrite_queries` makes a :class:`Rewriting`. A statement that was seen
before costs a few look-ups: 3 microseconds without a conversion, about 20 with one. No failure here
reaches the caller: the statement runs as it was written, and one warning says so.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import os
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine, ExceptionContext

from tzconv import engines
from tzconv.engines.alchemy import Types
from tzconv.errors import DatabaseError, ParseError
from tzconv.sql.reasons import QUIET
from tzconv.sqlalchemy import look, lookup
from tzconv.sqlalchemy.cache import Cache
from tzconv.sqlalchemy.catalog import LoadedTables, Session
from tzconv.sqlalchemy.decide import Choice, Decision, Rewriter, is_query, quarter
from tzconv.sqlalchemy.parameters import Key, Marked, constant, mark
from tzconv.sqlalchemy.race import Fetching, Race, TimedRun
from tzconv.sqlalchemy.shadow import Shadow

_AS_WRITTEN = Choice()
_NO_TABLES = (
    "The database has no conversion tables that this connection can read: run tzconv refresh, or "
    "grant SELECT on them."
)
_ZONE = "tzconv_session_time_zone"
_RUN = "tzconv_run"
_PLAN = "tzconv_plan"
_MOST_RELEASES = 8
_CHECK_RELEASE_SECONDS = 60
"""How often the release row is read: a refresh changes the offsets in rewritten texts."""
_MOST_ERRORS = 2
"""So many errors of a statement are forgiven: after the first, it is decided anew."""
_REWRITTEN: weakref.WeakSet[Engine] = weakref.WeakSet()
_HOOKS: weakref.WeakSet[Rewriting] = weakref.WeakSet()
_log = logging.getLogger("tzconv.sqlalchemy")


@dataclass(frozen=True, slots=True)
class _Statement:
    """The properties of a statement's text; only queries that may matter have ``marked``.

    The values of the ``shaping`` parameters and the quarters of the ``times`` decide the rewrite.
    Runs are compared among those with the same ``others``.
    """

    changes: bool
    marked: Marked | None = None
    converts: bool = False
    shaping: tuple[Key, ...] = ()
    times: tuple[Key, ...] = ()
    others: tuple[Key, ...] = ()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Plan:
    """One execution of a rewritten text: what to run instead if it does not bind."""

    original: tuple[str, Any]
    key: tuple[Any, ...]
    choice: Choice
    is_first: bool


class Rewriting:
    """Rewriting that is on for one engine; made by :func:`tzconv.sqlalchemy.rewrite_queries`."""

    def __init__(
        self,
        engine: Engine,
        declared: Types,
        rewriter: Callable[[Types, LoadedTables], Rewriter],
        table_schema: str | None,
        *,
        on_decision: Callable[[Decision], object] | None,
        shadow: Shadow | None,
        cache_size: int,
    ) -> None:
        self.engine = engine
        self.dialect, self._alchemy = engines.alchemy_of(engine.dialect.name)
        self._declared = declared
        self._rewriter = rewriter
        self._table_schema = table_schema
        self._on_decision = on_decision or (lambda decision: None)
        self._shadow = shadow
        self._statements: Cache[str, _Statement] = Cache(cache_size)
        self._choices: Cache[tuple[Any, ...], Choice] = Cache(cache_size)
        self._errors: Cache[tuple[Any, ...], int] = Cache(cache_size)
        self._loaded: Cache[str, LoadedTables] = Cache(_MOST_RELEASES)
        self._release_checked = 0.0
        self._clock = time.perf_counter
        self._deciding = threading.Lock()
        self._has_warned = False
        self._is_on = True
        self._zone_changes = 0
        self._generation = 0
        self._listeners: dict[str, Callable[..., object]] = {
            "do_execute": self._execute,
            "after_cursor_execute": self._after,
            "handle_error": self._failed,
            "commit": functools.partial(self._end, is_undone=False),
            "rollback": functools.partial(self._end, is_undone=True),
            "savepoint": functools.partial(_savepoint, is_undone=False),
            "rollback_savepoint": functools.partial(_savepoint, is_undone=True),
        }
        if any(engine in _lineage(one) or one in _lineage(engine) for one in _REWRITTEN):
            raise DatabaseError(
                "The queries of this engine are rewritten already: use the object that the first "
                "rewrite_queries() returned, or call its disable() first."
            )
        _REWRITTEN.add(engine)
        _HOOKS.add(self)
        event.listen(engine, "before_cursor_execute", self._before, retval=True)
        for name, listener in self._listeners.items():
            event.listen(engine, name, listener)

    def disable(self) -> None:
        """Run all statements as they are written again; shadow mode finishes what it has begun."""
        if self._is_on:
            self._is_on = False
            _REWRITTEN.discard(self.engine)
            event.remove(self.engine, "before_cursor_execute", self._before)
            for name, listener in self._listeners.items():
                event.remove(self.engine, name, listener)
            if self._shadow is not None:
                self._shadow.close()

    def forget(self) -> None:
        """Forget time zones, rules and decisions."""
        with self._deciding:
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

    def forked(self) -> None:
        """In a child process: threads that held a lock are gone."""
        self._deciding = threading.Lock()
        if self._shadow is not None:
            self._shadow.start()
        for choice in self._choices.values():
            if choice.race is not None:
                choice.race.lock = threading.Lock()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The remembered decisions with their timings, the most recently used one last."""
        found = {id(choice): choice.decided() for choice in self._choices.values()}
        return tuple(one for one in found.values() if one is not None)

    @property
    def remembered(self) -> int:
        """How many decisions are remembered."""
        return len(self._choices)

    # -- listeners

    def _before(
        self, connection: Connection, cursor: Any, statement: str, parameters: Any, *rest: Any
    ) -> tuple[str, Any]:
        try:
            return self._run(connection, statement, parameters, *rest)
        except Exception as error:
            self._warn(f"Query not rewritten: {type(error).__name__}: {error}")
            return statement, parameters

    def _execute(self, cursor: Any, statement: str, parameters: Any, context: Any) -> bool | None:
        """Run a rewritten text; where it does not bind and nothing would be lost, the original."""
        plan: _Plan | None = getattr(context, _PLAN, None)
        if plan is None or not plan.is_first:
            return None
        try:
            context.dialect.do_execute(cursor, statement, parameters, context)
        except Exception as error:
            if not self._alchemy.is_stale(error):
                raise
            self._is_stale(plan)
            setattr(context, _PLAN, None)
            run: TimedRun | None = getattr(context, _RUN, None)
            if run is not None:
                run.end(math.inf)
            # it was the first statement of its transaction: there is nothing else to undo
            context.root_connection.connection.dbapi_connection.rollback()
            original, given = plan.original
            context.dialect.do_execute(cursor, original, given, context)
        return True

    def _is_stale(self, plan: _Plan) -> None:
        """A text does not bind: what it stands on has changed, or it is wrong."""
        _log.info("does not bind any more, and is decided anew: %s", plan.original[0])
        statement, _, place, _ = plan.key
        known = statement, place
        count = (self._errors.get(known) or 0) + 1
        self._errors.put(known, count)
        self._forget_names(plan.choice.names or {statement})
        self._choices.drop(lambda choice: choice is plan.choice)

    def _after(self, connection: Connection, cursor: Any, *rest: Any) -> None:
        context = rest[2]
        run: TimedRun | None = getattr(context, _RUN, None)
        if run is not None:
            run.stop()
            if self._alchemy.has_rows_at_once:
                run.rows = cursor.rowcount
                run.end()
            else:
                context.cursor = Fetching(cursor, run)

    def _failed(self, error: ExceptionContext) -> None:
        context = error.execution_context
        run: TimedRun | None = getattr(context, _RUN, None)
        if run is not None:
            run.end(math.inf)
        plan: _Plan | None = getattr(context, _PLAN, None)
        if plan is not None and self._alchemy.is_stale(error.original_exception):
            self._is_stale(plan)

    def _end(self, connection: Connection, *, is_undone: bool) -> None:
        """A transaction may have changed tables for all, or undone changes of this session."""
        driver = connection.connection.dbapi_connection
        keeps = self._alchemy.keeps_settings
        is_undone = is_undone and getattr(driver, "autocommit", None) is not True
        self._forget_names(
            lookup.end_transaction(connection, is_undone=is_undone, keeps_settings=keeps)
        )

    # -- one execution

    def _run(
        self, connection: Connection, statement: str, parameters: Any, context: Any, many: bool
    ) -> tuple[str, Any]:
        if many or not self._is_on:
            return statement, parameters
        read = self._statements.get(statement)
        if read is None:
            read = self._read(connection, statement, parameters, context)
        if read.changes:
            self._change(connection, statement, parameters)
        if read.marked is None or context.execution_options.get("tzconv") is False:
            return statement, parameters
        driver = connection.connection.driver_connection
        is_first = self._alchemy.is_idle(driver)  # before tzconv itself asks something
        if self._clock() - self._release_checked > _CHECK_RELEASE_SECONDS:
            self._check_release(connection)
        place = lookup.key_of(connection, read.words, self._alchemy.search_path(driver))
        given = tuple(parameters[key] for key in read.shaping)
        given += tuple(quarter(parameters[key]) for key in read.times)
        key = (statement, given, place, None)
        choice = self._choices.get(key)
        if choice is None or choice.by_session:
            choice, key = self._choose(
                connection, statement, parameters, read, read.marked, given, place
            )
        if choice.text is None:
            return statement, parameters
        fitting = parameters if choice.fit is None else choice.fit(parameters)
        if self._shadow is not None:
            self._shadow.offer(connection, (statement, parameters), (choice.text, fitting))
            return statement, parameters
        if choice.race is not None:
            others = _hashable(tuple(_value(parameters, key) for key in read.others))
            if not self._takes_rewritten(choice, choice.race, others, context):
                return statement, parameters
        setattr(context, _PLAN, _Plan((statement, parameters), key, choice, is_first))
        return choice.text, fitting

    def _change(self, connection: Connection, statement: str, parameters: Any) -> None:
        """A statement changes what names lead to, or settings."""
        self._forget_names(lookup.change(connection, statement, parameters))
        self._zone_changes += 1

    def _takes_rewritten(self, choice: Choice, race: Race, given: Any, context: Any) -> bool:
        """Whether this run takes the rewritten form; by turns until the race is decided."""
        if getattr(context, "_is_server_side", False):
            # the caller decides when rows are fetched: there is nothing to time
            return race.is_won is not False
        is_rewritten, is_timed = race.begin(given)
        if is_timed:
            ran = functools.partial(self._ran, choice, race, given)
            setattr(context, _RUN, TimedRun(is_rewritten, ran, self._clock))
        return is_rewritten

    def _ran(
        self, choice: Choice, race: Race, given: Any, is_rewritten: bool, seconds: float, rows: int
    ) -> None:
        """A run has ended; if that decides the race, report the decision."""
        decision = choice.decided() if race.end(given, is_rewritten, seconds, rows) else None
        if decision is not None:
            self._report(decision)

    def _report(self, decision: Decision) -> None:
        if decision.changes or any(one.code not in QUIET for one in decision.left):
            form = "as it was written" if decision.rewritten is None else "rewritten"
            why = [f"{one.strategy}: {one.reason}" for one in decision.changes]
            why += [f"left: {one.reason}" for one in decision.left]
            timings = [str(decision.timings)] if decision.timings else []
            _log.info("runs %s (%s): %s", form, "; ".join(timings + why), decision.statement)
        self._on_decision(decision)

    def _check_release(self, connection: Connection) -> None:
        """Forget everything if the tables have been refreshed since they were read."""
        self._release_checked = self._clock()
        if len(self._choices):
            session = Session(connection, self._alchemy)
            types = session.column_types((), self._table_schema, is_changing=True)
            release = session.newest_release(types, self._table_schema)
            if self._loaded.get(repr(release)) is None:
                self.forget()

    def _read(
        self, connection: Connection, statement: str, parameters: Any, context: Any
    ) -> _Statement:
        read = _Statement(lookup.may_change(statement))
        converts, is_rowwise = look.converts(statement)
        if converts and look.head(statement) in ("SELECT", "WITH"):
            read = self._read_query(read, connection, statement, parameters, context, is_rowwise)
        self._statements.put(statement, read)
        return read

    def _read_query(
        self,
        read: _Statement,
        connection: Connection,
        statement: str,
        parameters: Any,
        context: Any,
        is_rowwise: bool,
    ) -> _Statement:
        dialect = connection.dialect
        plain = not parameters and bool(context.execution_options.get("no_parameters"))
        if dialect.paramstyle == "named":
            is_certain = not parameters or isinstance(parameters, Mapping)
        else:  # without parameters, most drivers leave percent signs alone
            is_percent = dialect.driver in self._alchemy.percent_drivers
            is_certain = bool(parameters or plain or is_percent or "%" not in statement)
        marked = mark(statement, dialect.paramstyle, plain=plain) if is_certain else None
        if marked is None:
            return read
        shaping = tuple(key for key in marked.shaping if constant(parameters[key]) is not None)
        rest = [key for key in marked.keys if key not in marked.shaping]
        times = tuple(key for key in rest if quarter(_value(parameters, key)) is not None)
        others = tuple(key for key in rest if key not in times)
        words = look.words(marked.text)
        return _Statement(read.changes, marked, is_rowwise, shaping, times, others, words)

    def _choose(
        self,
        connection: Connection,
        statement: str,
        parameters: Any,
        read: _Statement,
        marked: Marked,
        given: tuple[Any, ...],
        place: lookup.Key,
    ) -> tuple[Choice, tuple[Any, ...]]:
        """The choice for this session's time zone; remembered for all sessions if it fits all."""
        session = Session(connection, self._alchemy)
        zone = self._session_time_zone(connection, session)
        key = (statement, given, place, zone)
        choice = self._choices.get(key)
        if choice is None and (self._errors.get((statement, place)) or 0) >= _MOST_ERRORS:
            choice = _AS_WRITTEN
        if choice is not None:
            return choice, key
        try:
            is_own = lookup.has_own(connection)
            return self._decided(session, parameters, read, marked, key, is_own=is_own), key
        except Exception:
            # do not try again at each execution
            failed = replace(_AS_WRITTEN, names=read.words)
            self._choices.put((statement, given, place, None), failed)
            raise

    def _decided(
        self,
        session: Session,
        parameters: Any,
        read: _Statement,
        marked: Marked,
        key: tuple[Any, ...],
        *,
        is_own: bool,
    ) -> Choice:
        """Decide a statement; ``is_own`` says that the session has tables of its own."""
        statement, given, place, zone = key
        # Ask nothing of the database while holding the lock: an async engine then switches to other
        # tasks of the same thread, and one of them might wait for the lock.
        generation = self._generation
        types = session.column_types(read.words, self._table_schema, is_changing=is_own)
        loaded = session.loaded(types, self._table_schema, self._loaded)
        rewriter = self._rewriter({**types, **self._declared}, loaded)
        texts = map(constant, given)
        values = {key: text for key, text in zip(read.shaping, texts, strict=False) if text}
        rows, bind = None, session.bind()
        if read.converts and is_query(marked.with_values(values), self.dialect):
            rows = session.expected_rows(statement, None if marked.style == "plain" else parameters)
            if not loaded.tables:
                self._warn(_NO_TABLES)
        with self._deciding:
            is_current = self._generation == generation
            if is_current:
                self._loaded.put(repr(loaded.release), loaded)
            for known in (None, zone):  # another thread may have decided the same statement
                choice = self._choices.get((statement, given, place, known))
                if choice is not None and (known or not choice.by_session):
                    return choice
            of_times = zip(read.times, given[len(read.shaping) :], strict=True)
            quarters = {key: one for key, one in of_times if one is not None}
            decide = functools.partial(
                rewriter.decide,
                statement,
                marked,
                values,
                quarters,
                zone,
                bind=bind,
                words=read.words,
            )
            choice, decision = decide(rows=rows)
            is_few = any(one.code == "few-rows" for one in decision.left)
            if is_few and choice.text is None and read.others and rewriter.measure:
                # other parameters may reach many
                many, found = decide(rows=None)
                if many.race is not None:
                    others = tuple(_value(parameters, key) for key in read.others)
                    many.race.leave(_hashable(others))
                    choice = replace(many, decision=decision, many=found)
            tables_read = {part for name in types for part in name.lower().split(".")}
            choice = replace(choice, names=frozenset(tables_read))
            if is_current:
                is_idle = all(one.code in QUIET for one in decision.left)
                if read.times and not decision.changes and is_idle:
                    # it converts nothing for each row, whatever the times
                    self._statements.put(statement, replace(read, times=()))
                    given = given[: len(read.shaping)]
                self._choices.put((statement, given, place, None), choice)
                if choice.by_session:
                    self._choices.put((statement, given, place, zone), choice)
        if decision.error is not None and not isinstance(decision.error, ParseError):
            self._warn(f"Query not rewritten: {decision.error}")
        self._report(decision)
        return choice

    def _session_time_zone(self, connection: Connection, session: Session) -> str:
        """The session's time zone; asked once for a connection if the driver does not know it."""
        if self._alchemy.reports_zone:
            return session.time_zone()
        changes, zone = connection.info.get(_ZONE, (None, ""))
        if changes != self._zone_changes:
            changes, zone = self._zone_changes, session.time_zone()
            connection.info[_ZONE] = (changes, zone)
        return str(zone)

    def _warn(self, text: str) -> None:
        _log.debug(text)
        if not self._has_warned:
            self._has_warned = True
            # even where warnings are errors, the query must run
            with contextlib.suppress(Warning):
                warnings.warn(f"tzconv: {text}", RuntimeWarning, stacklevel=2)


def _lineage(engine: Engine) -> list[Engine]:
    """An engine and those that its ``execution_options()`` were given."""
    found = [engine]
    while (parent := getattr(found[-1], "_proxied", None)) is not None:
        found.append(parent)
    return found


def _savepoint(connection: Connection, name: str, *rest: Any, is_undone: bool) -> None:
    lookup.savepoint(connection, name, is_undone=is_undone)


def _hashable(values: tuple[Any, ...]) -> Any:
    try:
        hash(values)
    except TypeError:
        return repr(values)
    return values


def _value(parameters: Any, key: Key) -> object:
    """A parameter; None if it is missing: the driver will raise that."""
    try:
        value: object = parameters[key]
    except (LookupError, TypeError):
        return None
    return value


def _forked() -> None:
    for hook in list(_HOOKS):
        hook.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)

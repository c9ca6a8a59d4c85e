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
import re
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine, ExceptionContext

from tzconv import engines
from tzconv.engines.alchemy import Types
from tzconv.errors import DatabaseError, ParseError
from tzconv.sql.reasons import QUIET
from tzconv.sqlalchemy import lookup
from tzconv.sqlalchemy.cache import Cache
from tzconv.sqlalchemy.catalog import LoadedTables, Session
from tzconv.sqlalchemy.decide import Choice, Decision, Rewriter, is_query, quarter
from tzconv.sqlalchemy.lookup import BEFORE, Lookup, lookup_of
from tzconv.sqlalchemy.parameters import Key, Marked, constant, mark
from tzconv.sqlalchemy.race import Fetching, Race, TimedRun
from tzconv.sqlalchemy.shadow import Shadow

_FLAGS = re.IGNORECASE | re.DOTALL
_QUERY = re.compile(rf"{BEFORE}(?:SELECT|WITH)\b", _FLAGS)
_MAY_MATTER = re.compile(r"time|now|trunc|today|current", re.IGNORECASE)
"""Every conversion and every form of NOW() has one of these in its spelling."""
_CONVERTS = re.compile(r"time\s*zone|new_time|date_trunc", re.IGNORECASE)
_CHANGES_TYPES = re.compile(rf"(?:\A|;){BEFORE}(?:ALTER|CREATE|DROP|ATTACH|DETACH)\b", _FLAGS)
_CHANGES_ZONE = re.compile(
    rf"(?:\A|;){BEFORE}(?:SET|RESET|PRAGMA)\b[^;]*(?:\bALL\b|time_?\s*zone)", _FLAGS
)
_AS_WRITTEN = Choice()
_NO_TABLES = (
    "The database has no conversion tables that this connection can read: run tzconv refresh, or "
    "grant SELECT on them."
)
_ZONE = "tzconv_session_time_zone"
_RUN = "tzconv_run"
_CHECK_RELEASE_SECONDS = 60
"""How often the release row is read: a refresh changes the offsets in rewritten texts."""
_REWRITTEN: weakref.WeakSet[Engine] = weakref.WeakSet()
_log = logging.getLogger("tzconv.sqlalchemy")


@dataclass(frozen=True, slots=True)
class _Statement:
    """The properties of a statement's text; only queries that may matter have ``marked``.

    The values of the ``shaping`` parameters and the quarters of the ``times`` decide the rewrite.
    """

    marked: Marked | None
    converts: bool
    shaping: tuple[Key, ...]
    times: tuple[Key, ...]
    changes_types: bool
    changes_zone: bool
    changes_lookup: bool


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
        self._rewriters: Cache[Lookup, Rewriter] = Cache(cache_size)
        self._loaded: LoadedTables | None = None
        self._release_checked = 0.0
        self._clock = time.perf_counter
        self._deciding = threading.Lock()
        self._has_warned = False
        self._is_on = True
        self._zone_changes = 0
        self._generation = 0
        self._types_are_changing = False
        self._listeners: dict[str, Callable[..., object]] = {
            "after_cursor_execute": self._after,
            "handle_error": self._failed,
            "commit": functools.partial(self._end, is_undone=False),
            **dict.fromkeys(("rollback", "rollback_savepoint"), self._end),
        }
        if engine in _REWRITTEN:
            raise DatabaseError(
                "The queries of this engine are rewritten already: use the object that the first "
                "rewrite_queries() returned, or call its disable() first."
            )
        _REWRITTEN.add(engine)
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
        """Forget column types, time zones and decisions: after a change made elsewhere."""
        with self._deciding:
            self._rewriters.clear()
            self._statements.clear()
            self._choices.clear()
            self._zone_changes += 1
            self._generation += 1

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

    def _after(self, connection: Connection, cursor: Any, *rest: Any) -> None:
        context = rest[2]
        run: TimedRun | None = getattr(context, _RUN, None)
        if run is not None:
            run.stop()
            if self._alchemy.has_rows_at_once:
                run.end()
            else:
                context.cursor = Fetching(cursor, run)

    def _failed(self, error: ExceptionContext) -> None:
        run: TimedRun | None = getattr(error.execution_context, _RUN, None)
        if run is not None:
            run.end(math.inf)

    def _end(self, connection: Connection, *rest: Any, is_undone: bool = True) -> None:
        """Column types read inside a transaction may not hold after it, nor in other sessions."""
        lookup.end_transaction(connection, is_undone=is_undone)
        if self._types_are_changing:
            self._types_are_changing = False
            self.forget()

    # -- one execution

    def _run(
        self, connection: Connection, statement: str, parameters: Any, context: Any, many: bool
    ) -> tuple[str, Any]:
        if many or not self._is_on:
            return statement, parameters
        read = self._statements.get(statement)
        if read is None:
            read = self._read(connection, statement, parameters, context)
        if read.changes_types:
            self._types_are_changing = True
            self.forget()
        if read.changes_lookup:
            lookup.change(connection, statement, parameters)
        if read.changes_zone:
            self._zone_changes += 1
        if read.marked is None or context.execution_options.get("tzconv") is False:
            return statement, parameters
        if self._clock() - self._release_checked > _CHECK_RELEASE_SECONDS:
            self._check_release(connection)
        given = tuple(parameters[key] for key in read.shaping)
        given += tuple(quarter(parameters[key]) for key in read.times)
        choice = self._choices.get((statement, given, lookup_of(connection), None))
        if choice is None or choice.by_session:
            choice = self._choose(connection, statement, parameters, read, read.marked, given)
        if choice.text is None:
            return statement, parameters
        fitting = parameters if choice.fit is None else choice.fit(parameters)
        if self._shadow is not None:
            self._shadow.offer(connection, (statement, parameters), (choice.text, fitting))
            return statement, parameters
        if choice.race is not None and not self._takes_rewritten(choice, choice.race, context):
            return statement, parameters
        return choice.text, fitting

    def _takes_rewritten(self, choice: Choice, race: Race, context: Any) -> bool:
        """Whether this run takes the rewritten form; by turns until the race is decided."""
        if race.is_won is not None:
            return race.is_won
        if getattr(context, "_is_server_side", False):
            return True  # the caller decides when rows are fetched: there is nothing to time
        is_rewritten = race.begin()
        ran = functools.partial(self._ran, choice, race)
        setattr(context, _RUN, TimedRun(is_rewritten, ran, self._clock))
        return is_rewritten

    def _ran(self, choice: Choice, race: Race, is_rewritten: bool, seconds: float) -> None:
        """A run has ended; if that decides the race, report the decision."""
        decision = choice.decided() if race.end(is_rewritten, seconds) else None
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
        known = self._rewriters.get(lookup_of(connection))
        if known is not None:
            session = Session(connection, self._alchemy)
            types = known.types
            if not known.loaded.tables:  # perhaps they have been made since
                types = session.column_types(is_changing=self._types_are_changing)
            release = session.newest_release(types, known.table_schema)
            if release != known.loaded.release:
                self.forget()

    def _read(
        self, connection: Connection, statement: str, parameters: Any, context: Any
    ) -> _Statement:
        marked = None
        if _QUERY.match(statement) and _MAY_MATTER.search(statement):
            dialect = connection.dialect
            plain = not parameters and bool(context.execution_options.get("no_parameters"))
            if dialect.paramstyle == "named":
                is_certain = not parameters or isinstance(parameters, Mapping)
            else:  # without parameters, most drivers leave percent signs alone
                is_percent = dialect.driver in self._alchemy.percent_drivers
                is_certain = parameters or plain or is_percent or "%" not in statement
            if is_certain:
                marked = mark(statement, dialect.paramstyle, plain=plain)
        shaping, keys = (marked.shaping, marked.keys) if marked else ((), ())
        read = _Statement(
            marked,
            marked is not None and _CONVERTS.search(statement) is not None,
            tuple(key for key in shaping if constant(parameters[key]) is not None),
            tuple(
                key
                for key in keys
                if key not in shaping and quarter(_value(parameters, key)) is not None
            ),
            _CHANGES_TYPES.search(statement) is not None,
            _CHANGES_ZONE.search(statement) is not None,
            lookup.changes_lookup(statement),
        )
        self._statements.put(statement, read)
        return read

    def _choose(
        self,
        connection: Connection,
        statement: str,
        parameters: Any,
        read: _Statement,
        marked: Marked,
        given: tuple[Any, ...],
    ) -> Choice:
        """The choice for this session's time zone; remembered for all sessions if it fits all."""
        session = Session(connection, self._alchemy)
        place, zone = lookup_of(connection), self._session_time_zone(connection, session)
        choice = self._choices.get((statement, given, place, zone))
        if choice is not None:
            return choice
        # Ask nothing of the database while holding the lock: an async engine then switches to other
        # tasks of the same thread, and one of them might wait for the lock.
        generation = self._generation
        rewriter = self._rewriters.get(place) or self._read_database(session)
        texts = map(constant, given)
        values = {key: text for key, text in zip(read.shaping, texts, strict=False) if text}
        rows, bind = None, session.bind()
        if read.converts and is_query(marked.with_values(values), self.dialect):
            rows = session.expected_rows(statement, None if marked.style == "plain" else parameters)
            if not rewriter.loaded.tables:
                self._warn(_NO_TABLES)
        with self._deciding:
            is_current = self._generation == generation
            if is_current:
                self._rewriters.put(place, rewriter)
                self._loaded = rewriter.loaded
            for known in (None, zone):  # another thread may have decided the same statement
                choice = self._choices.get((statement, given, place, known))
                if choice is not None and (known or not choice.by_session):
                    return choice
            of_times = zip(read.times, given[len(read.shaping) :], strict=True)
            quarters = {key: one for key, one in of_times if one is not None}
            try:
                choice, decision = rewriter.decide(
                    statement, marked, values, quarters, zone, rows, bind
                )
            except Exception:
                self._choices.put((statement, given, place, None), _AS_WRITTEN)  # do not try again
                raise
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

    def _read_database(self, session: Session) -> Rewriter:
        types = session.column_types(is_changing=self._types_are_changing)
        loaded = session.loaded(types, self._table_schema, self._loaded)
        return self._rewriter({**types, **self._declared}, loaded)

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


def _value(parameters: Any, key: Key) -> object:
    """A parameter; None if it is missing: the driver will raise that."""
    try:
        value: object = parameters[key]
    except (LookupError, TypeError):
        return None
    return value

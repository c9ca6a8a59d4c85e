"""The listener on an engine: each SELECT is looked up, rewritten once, and run as rewritten.

A statement that was seen before costs two look-ups. Nothing that goes wrong here reaches the
caller: the statement runs as it was written, and a warning says so, once.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import re
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine, ExceptionContext
from sqlalchemy.schema import MetaData

from tzconv import engines
from tzconv.errors import ParseError
from tzconv.sqlalchemy import catalog
from tzconv.sqlalchemy.cache import Cache
from tzconv.sqlalchemy.decide import Choice, Decision, Rewriter, is_query, quarter
from tzconv.sqlalchemy.parameters import Key, Marked, constant, mark
from tzconv.sqlalchemy.place import BEFORE, Place, end, move, moves, place_of
from tzconv.sqlalchemy.race import Fetching, Race, TimedRun
from tzconv.sqlalchemy.shadow import Shadow
from tzconv.tz.zones import Rules

_QUERY = re.compile(rf"{BEFORE}(?:SELECT|WITH)\b", re.IGNORECASE | re.DOTALL)
_MAY_MATTER = re.compile(r"time|now|trunc|today|current", re.IGNORECASE)
"""Every conversion and every form of NOW() has one of these in its spelling."""
_CONVERTS = re.compile(r"time\s*zone|new_time|date_trunc", re.IGNORECASE)
_CHANGES_TYPES = re.compile(
    rf"(?:\A|;){BEFORE}(?:ALTER|CREATE|DROP|ATTACH|DETACH)\b", re.IGNORECASE | re.DOTALL
)
_CHANGES_ZONE = re.compile(
    rf"(?:\A|;){BEFORE}(?:SET|RESET|PRAGMA)\b[^;]*(?:\bALL\b|time_?\s*zone)",
    re.IGNORECASE | re.DOTALL,
)
_AS_IT_IS = Choice()
_NO_TABLES = (
    "The database has no conversion tables that this connection can read: run tzconv refresh, or "
    "grant SELECT on them."
)
_ZONE = "tzconv_session_time_zone"
_RUN = "tzconv_run"
_LOOK_AGAIN_SECONDS = 60
"""How often the release row is looked at: a refresh changes what is written into texts."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What the text of a statement says: ``marked`` is None for all but queries that may matter.

    The values of ``shaping`` and the quarters of ``times`` decide what is made of it.
    """

    marked: Marked | None
    converts: bool
    shaping: tuple[Key, ...]
    times: tuple[Key, ...]
    changes_types: bool
    changes_zone: bool
    moves: bool


_log = logging.getLogger("tzconv.sqlalchemy")


class Rewriting:
    """Rewriting that is on for one engine; made by :func:`tzconv.sqlalchemy.rewrite_queries`."""

    def __init__(  # noqa: PLR0913 - rewrite_queries() has the defaults
        self,
        engine: Engine,
        *,
        schema: MetaData | Mapping[str, Mapping[str, str]] | None,
        rules: Rules | None,
        strategy: str | None,
        table_schema: str | None,
        measure: bool,
        on_decision: Callable[[Decision], object] | None,
        shadow: Shadow | None,
        cache_size: int,
    ) -> None:
        self.engine = engine
        self.dialect, self._alchemy = engines.alchemy_of(engine.dialect.name)
        self._declared = (
            catalog.declared(schema, engine.dialect)
            if isinstance(schema, MetaData)
            else dict(schema or {})
        )
        self._options = (rules, strategy, table_schema, measure and strategy is None)
        self._on_decision = on_decision or (lambda decision: None)
        self._shadow = shadow
        self._known: Cache[str, _Known] = Cache(cache_size)
        self._plans: Cache[tuple[Any, ...], Choice] = Cache(cache_size)
        self._rewriters: Cache[Place, Rewriter] = Cache(cache_size)
        self._loaded: catalog.LoadedTables | None = None
        self._looked = 0.0
        self._clock = time.perf_counter
        self._deciding = threading.Lock()
        self._has_warned = False
        self._is_on = True
        self._zones_read = 0
        self._forgotten = 0
        self._types_are_changing = False
        self._listeners: dict[str, Callable[..., object]] = {
            "after_cursor_execute": self._after,
            "handle_error": self._failed,
            "commit": functools.partial(self._end, is_undone=False),
            **dict.fromkeys(("rollback", "rollback_savepoint"), self._end),
        }
        event.listen(engine, "before_cursor_execute", self._before, retval=True)
        for name, listener in self._listeners.items():
            event.listen(engine, name, listener)

    def disable(self) -> None:
        """Run all statements as they are written again; what shadow mode has begun is finished."""
        if self._is_on:
            self._is_on = False
            event.remove(self.engine, "before_cursor_execute", self._before)
            for name, listener in self._listeners.items():
                event.remove(self.engine, name, listener)
            if self._shadow is not None:
                self._shadow.close()

    def forget(self) -> None:
        """Forget column types, time zones and decisions: after a change past this engine."""
        with self._deciding:
            self._rewriters.clear()
            self._known.clear()
            self._plans.clear()
            self._zones_read += 1
            self._forgotten += 1

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What is remembered, the last used at the end, with the timings that have decided it."""
        found = {id(plan): plan.decided() for plan in self._plans.values()}
        return tuple(one for one in found.values() if one is not None)

    @property
    def remembered(self) -> int:
        """How many decisions are remembered."""
        return len(self._plans)

    def _end(self, connection: Connection, *rest: Any, is_undone: bool = True) -> None:
        """What was read of tables inside a transaction may not hold after it, nor elsewhere."""
        end(connection, is_undone=is_undone)
        if self._types_are_changing:
            self._types_are_changing = False
            self.forget()

    def _before(
        self, connection: Connection, cursor: Any, statement: str, parameters: Any, *rest: Any
    ) -> tuple[str, Any]:
        try:
            return self._run(connection, statement, parameters, *rest)
        except Exception as error:
            self._warn(f"Query not rewritten: {type(error).__name__}: {error}")
            return statement, parameters

    def _run(
        self, connection: Connection, statement: str, parameters: Any, context: Any, many: bool
    ) -> tuple[str, Any]:
        if many or not self._is_on:
            return statement, parameters
        known = self._known.get(statement)
        if known is None:
            known = self._read(connection, statement, parameters, context)
        if known.changes_types:
            self._types_are_changing = True
            self.forget()
        if known.moves:
            move(connection, statement, parameters)
        if known.changes_zone:
            self._zones_read += 1
        marked = known.marked
        if marked is None or context.execution_options.get("tzconv") is False:
            return statement, parameters
        if self._clock() - self._looked > _LOOK_AGAIN_SECONDS:
            self._look(connection)
        given = tuple(parameters[key] for key in known.shaping)
        if known.times:
            given += tuple(quarter(parameters[key]) for key in known.times)
        plan = self._plans.get((statement, given, place_of(connection), None))
        if plan is None or plan.by_session:
            plan = self._by_session(connection, statement, parameters, known, marked, given)
        if plan.text is None:
            return statement, parameters
        fitting = parameters if plan.fit is None else plan.fit(parameters)
        if self._shadow is not None:
            self._shadow.offer(connection, (statement, parameters), (plan.text, fitting))
            return statement, parameters
        if plan.race is not None and not self._takes(plan, plan.race, context):
            return statement, parameters
        return plan.text, fitting

    def _takes(self, plan: Choice, race: Race, context: Any) -> bool:
        """Whether this run takes the rewritten form; until it is known to be faster, by turns."""
        if race.is_won is not None:
            return race.is_won
        if getattr(context, "_is_server_side", False):
            return True  # rows are fetched when the caller wants them: there is nothing to time
        is_rewritten = race.begin()
        ran = functools.partial(self._ran, plan, race)
        setattr(context, _RUN, TimedRun(is_rewritten, ran, self._clock))
        return is_rewritten

    def _ran(self, plan: Choice, race: Race, is_rewritten: bool, seconds: float) -> None:
        """A run has ended: tell when that decides which form is kept."""
        decision = plan.decided() if race.end(is_rewritten, seconds) else None
        if decision is not None:
            kept = "rewritten" if race.is_won else "as it was written"
            _log.debug("runs %s from now on, %s: %s", kept, race.timings, decision.statement)
            self._on_decision(decision)

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
            run.fail()

    def _look(self, connection: Connection) -> None:
        """Forget everything where the tables have been refreshed since they were read."""
        self._looked = self._clock()
        known = self._rewriters.get(place_of(connection))
        if known is None:
            return
        if (
            catalog.newest(connection, self._alchemy, known.types, known.table_schema)
            != known.loaded.release
        ):
            self.forget()

    def _read(
        self, connection: Connection, statement: str, parameters: Any, context: Any
    ) -> _Known:
        marked = None
        if _QUERY.match(statement) and _MAY_MATTER.search(statement):
            dialect = connection.dialect
            plain = not parameters and bool(context.execution_options.get("no_parameters"))
            named = dialect.paramstyle == "named"
            # other drivers leave percent signs alone where there are no parameters
            reads = (
                parameters
                or plain
                or dialect.driver in self._alchemy.percent_drivers
                or "%" not in statement
            )
            if (isinstance(parameters, Mapping) or not parameters) if named else reads:
                marked = mark(statement, dialect.paramstyle, plain=plain)
        shaping = marked.shaping if marked else ()
        known = _Known(
            marked,
            marked is not None and _CONVERTS.search(statement) is not None,
            tuple(key for key in shaping if constant(parameters[key]) is not None),
            tuple(
                key
                for key in (marked.keys if marked else ())
                if key not in shaping and quarter(_value(parameters, key)) is not None
            ),
            _CHANGES_TYPES.search(statement) is not None,
            _CHANGES_ZONE.search(statement) is not None,
            moves(statement),
        )
        self._known.put(statement, known)
        return known

    def _by_session(
        self,
        connection: Connection,
        statement: str,
        parameters: Any,
        known: _Known,
        marked: Marked,
        given: tuple[Any, ...],
    ) -> Choice:
        """The plan for this session; where it is none for all of them, it says so for the next."""
        session, place = self._session(connection), place_of(connection)
        plan = self._plans.get((statement, given, place, session))
        if plan is not None:
            return plan
        # nothing is asked of the database under the lock: in an async engine that gives way to
        # other tasks of the same thread, and one of them might wait for the lock
        forgotten = self._forgotten
        rewriter = self._rewriters.get(place) or self._read_database(connection)
        texts = map(constant, given)
        values = {key: text for key, text in zip(known.shaping, texts, strict=False) if text}
        rows, bind = None, catalog.bind(connection, self._alchemy)
        if known.converts and is_query(marked.with_values(values), self.dialect):
            sent = None if marked.style == "plain" else parameters
            rows = catalog.expected_rows(connection, self._alchemy, statement, sent)
            if not rewriter.loaded.tables:
                self._warn(_NO_TABLES)
        with self._deciding:
            if self._forgotten == forgotten:
                self._rewriters.put(place, rewriter)
                self._loaded = rewriter.loaded
            for zone in (None, session):  # another thread may have been at the same statement
                plan = self._plans.get((statement, given, place, zone))
                if plan is not None and (zone or not plan.by_session):
                    return plan
            lying = zip(known.times, given[len(known.shaping) :], strict=True)
            quarters = {key: one for key, one in lying if one is not None}
            try:
                plan, decision = rewriter.decide(
                    statement, marked, values, quarters, session, rows, bind
                )
            except Exception:
                self._plans.put((statement, given, place, None), _AS_IT_IS)  # once is enough
                raise
            if self._forgotten == forgotten:
                if known.times and not decision.changes and not decision.left:
                    # nothing is found in it: no other time would change that
                    self._known.put(statement, replace(known, times=()))
                    given = given[: len(known.shaping)]
                self._plans.put((statement, given, place, None), plan)
                if plan.by_session:
                    self._plans.put((statement, given, place, session), plan)
        if decision.error is not None and not isinstance(decision.error, ParseError):
            self._warn(f"Query not rewritten: {decision.error}")
        self._on_decision(decision)
        return plan

    def _read_database(self, connection: Connection) -> Rewriter:
        is_changing = self._types_are_changing
        types = catalog.column_types(connection, self._alchemy, is_changing=is_changing)
        schema = self._options[2]
        read = catalog.loaded(connection, self._alchemy, types, schema, self._loaded)
        return Rewriter(self.dialect, {**types, **self._declared}, read, *self._options)

    def _session(self, connection: Connection) -> str:
        """The session's time zone; asked once a connection where the driver does not know it."""
        if self._alchemy.reports_zone:
            return catalog.session_time_zone(connection, self._alchemy)
        read, zone = connection.info.get(_ZONE, (None, ""))
        if read != self._zones_read:
            read, zone = self._zones_read, catalog.session_time_zone(connection, self._alchemy)
            connection.info[_ZONE] = (read, zone)
        return str(zone)

    def _warn(self, text: str) -> None:
        _log.debug(text)
        if not self._has_warned:
            self._has_warned = True
            # where warnings are errors, this one is no reason to stop the query either
            with contextlib.suppress(Warning):
                warnings.warn(f"tzconv: {text}", RuntimeWarning, stacklevel=2)


def _value(parameters: Any, key: Key) -> object:
    """A parameter; None where the text has a mark for which there is none: the driver will say."""
    try:
        value: object = parameters[key]
    except (LookupError, TypeError):
        return None
    return value

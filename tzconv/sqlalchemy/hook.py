"""The listeners on an engine: each SELECT is looked up, rewritten once, and run as rewritten.

:func:`tzconv.sqlalchemy.rewrite_queries` makes a :class:`Rewriting`. A statement that was seen
before costs a few look-ups: 3 microseconds without a conversion, about 20 with one. No failure here
reaches the caller: the statement runs as it was written, and one warning says so.
"""

from __future__ import annotations

import functools
import math
import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine, ExceptionContext

from tzconv.errors import DatabaseError
from tzconv.sqlalchemy import look, lookup, race
from tzconv.sqlalchemy.decide import Choice, quarter
from tzconv.sqlalchemy.decisions import CHECK_RELEASE_SECONDS, Decisions
from tzconv.sqlalchemy.parameters import value
from tzconv.sqlalchemy.race import Fetching, Race, Races, TimedRun
from tzconv.sqlalchemy.shadow import Shadow

_RUN = "tzconv_run"
_PLAN = "tzconv_plan"
_LISTENERS: weakref.WeakSet[_Listeners] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class _Plan:
    """One execution of a rewritten text: what to run instead if it does not bind."""

    original: tuple[str, Any]
    rewritten: tuple[str, Any]
    key: tuple[Any, ...]
    choice: Choice


class Rewriting(Decisions):
    """Rewriting that is on for one engine; made by :func:`tzconv.sqlalchemy.rewrite_queries`."""

    def __init__(self, engine: Engine, *given: Any, shadow: Shadow | None, **options: Any) -> None:
        super().__init__(engine, *given, **options)
        self.engine = engine
        self._shadow = shadow
        known = list(_LISTENERS)
        on = [one.engine for one in known if one.hook is not None]
        if any(engine in _lineage(one) or one in _lineage(engine) for one in on):
            raise DatabaseError(
                "The queries of this engine are rewritten already: use the object that the first "
                "rewrite_queries() returned, or call its disable() first."
            )
        own = [one for one in known if one.engine is engine]
        self._listeners = own[0] if own else _Listeners(engine)
        self._listeners.hook = self

    def disable(self) -> None:
        """Run all statements as they are written again; shadow mode finishes what it has begun."""
        if self._listeners.hook is self:
            self._listeners.hook = None
            if self._shadow is not None:
                self._shadow.close()

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
        """Run what is timed, and a rewritten text of which the original can take the place.

        Where that text does not bind and nothing would be lost, the original runs. Listeners after
        ours may have opened the transaction, or changed the text.
        """
        plan: _Plan | None = getattr(context, _PLAN, None)
        run: TimedRun | None = getattr(context, _RUN, None)
        if run is None and plan is None:
            return None
        opened = context.root_connection.connection
        is_first = plan is not None and self._alchemy.is_idle(opened.driver_connection)
        try:
            context.dialect.do_execute(cursor, statement, parameters, context)
        except Exception as error:
            if plan is None or not is_first or not self._alchemy.is_stale(error):
                raise
            rewritten, fitting = plan.rewritten
            if rewritten not in statement or parameters is not fitting:
                raise
            self._is_stale(plan.key, plan.choice)
            setattr(context, _PLAN, None)
            if run is not None:
                run.end(math.inf)
            # it was the first statement of its transaction: there is nothing else to undo
            opened.rollback()
            original, given = plan.original
            statement = statement.replace(rewritten, original)
            context.dialect.do_execute(cursor, statement, given, context)
            return True
        if run is not None:
            run.stop()
            context.cursor = Fetching(cursor, run)
        return True

    def _failed(self, error: ExceptionContext) -> None:
        context = error.execution_context
        run: TimedRun | None = getattr(context, _RUN, None)
        if run is not None:
            run.end(math.inf)
        plan: _Plan | None = getattr(context, _PLAN, None)
        if plan is not None and self._alchemy.is_stale(error.original_exception):
            self._is_stale(plan.key, plan.choice)

    def _end(self, connection: Connection, *prepared: object, is_undone: bool) -> None:
        """A transaction may have changed tables for all, or undone changes of this session."""
        if connection.invalidated:  # its session is gone
            return
        driver = connection.connection.dbapi_connection
        is_undone = is_undone and getattr(driver, "autocommit", None) is not True
        keeps = self._alchemy.keeps_settings or prepared[1:] == (True,)
        names = lookup.end_transaction(connection, is_undone=is_undone, keeps_settings=keeps)
        self._forget_names(names)

    # -- one execution

    def _run(
        self, connection: Connection, statement: str, parameters: Any, context: Any, many: bool
    ) -> tuple[str, Any]:
        original = statement, parameters
        if many:
            return original
        before, statement, after = look.apart(statement)
        read = self._statements.get(statement)
        if read is None:
            read = self._read(connection, statement, parameters, context)
        if read.changes:
            self._forget_names(lookup.change(connection, read.changes, statement, parameters))
            self._zone_changes += 1
        if read.marked is None or context.execution_options.get("tzconv") is False:
            return original
        driver = connection.connection.driver_connection
        is_first = self._alchemy.is_idle(driver)
        try:
            if self._clock() - self._release_checked > CHECK_RELEASE_SECONDS:
                self._check_release(connection)
            session = lookup.place_of(connection)
            place = lookup.key_of(session, read.words, self._alchemy.search_path(driver))
            given = tuple(parameters[key] for key in read.shaping)
            given += tuple(quarter(parameters[key]) for key in read.times)
            key = (statement, given, place, None)
            choice = self._choices.get(key)
            if choice is None or choice.by_session:
                choice, key = self._choose(connection, statement, parameters, read, given, place)
            if choice.text is None:
                return original
            fitting = parameters if choice.fit is None else choice.fit(parameters)
            rewritten = f"{before}{choice.text}{after}", fitting
            if self._shadow is not None:
                self._shadow.offer(connection, original, rewritten)
                return original
            if choice.race is not None:
                others = lookup.others(session, [value(parameters, key) for key in read.others])
                rows = functools.partial(self._rows, connection, statement, parameters, read.marked)
                own = choice.race.of(others, rows)
                if not self._takes_rewritten(choice, choice.race, own, context):
                    return original
        finally:
            if is_first and not self._alchemy.is_idle(driver):
                connection.connection.rollback()  # tzconv has asked something, and nobody else
        setattr(context, _PLAN, _Plan(original, rewritten, key, choice))
        return rewritten

    def _takes_rewritten(self, choice: Choice, races: Races, own: Race, context: Any) -> bool:
        """Whether this run takes the rewritten form; by turns until the race is decided."""
        if own.is_won is not None:
            return own.is_won
        # the caller decides when rows are fetched, or no event tells when the driver works
        if getattr(context, "_is_server_side", False) or context.no_parameters:
            return True
        is_rewritten = own.begin()
        ran = functools.partial(self._ran, choice, races, own)
        setattr(context, _RUN, TimedRun(is_rewritten, ran, self._clock))
        return is_rewritten

    def _ran(
        self, choice: Choice, races: Races, own: Race, is_rewritten: bool, seconds: float
    ) -> None:
        """A run has ended; if that changes the decision about the statement, report it."""
        before = races.is_won
        if own.end(is_rewritten, seconds) and races.is_won is not before:
            decision = choice.decided()
            if decision is not None:
                self._report(decision)


class _Listeners:
    """Those on an engine, which call its hook. They stay when it is off.

    Where a listener is removed, SQLAlchemy fails in the threads that execute something meanwhile.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.hook: Rewriting | None = None
        _LISTENERS.add(self)
        event.listen(engine, "before_cursor_execute", self._before, retval=True)
        for name, method in _METHODS.items():
            event.listen(engine, name, functools.partial(self._call, method))

    def _before(self, connection: Connection, cursor: Any, *rest: Any) -> tuple[str, Any]:
        hook = self.hook
        return rest[:2] if hook is None else hook._before(connection, cursor, *rest)

    def _call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        hook = self.hook
        return None if hook is None else method(hook, *arguments)


_METHODS: dict[str, Callable[..., object]] = {
    "do_execute": Rewriting._execute,
    "handle_error": Rewriting._failed,
    **dict.fromkeys(
        ("commit", "commit_twophase"), functools.partial(Rewriting._end, is_undone=False)
    ),
    **dict.fromkeys(
        ("rollback", "rollback_twophase"), functools.partial(Rewriting._end, is_undone=True)
    ),
}


def _lineage(engine: Engine) -> list[Engine]:
    """An engine and those that its ``execution_options()`` were given."""
    found = [engine]
    while (parent := getattr(found[-1], "_proxied", None)) is not None:
        found.append(parent)
    return found


def _forked() -> None:
    """In a child process: threads that held a lock are gone."""
    race.LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)

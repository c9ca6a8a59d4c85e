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
from tzconv.sqlalchemy import look, lookup
from tzconv.sqlalchemy.decide import Choice, quarter
from tzconv.sqlalchemy.decisions import CHECK_RELEASE_SECONDS, Decisions
from tzconv.sqlalchemy.parameters import value
from tzconv.sqlalchemy.race import Fetching, Race, Races, TimedRun
from tzconv.sqlalchemy.shadow import Shadow

_RUN = "tzconv_run"
_PLAN = "tzconv_plan"
_COMMITS, _ROLLBACKS = ("commit", "commit_twophase"), ("rollback", "rollback_twophase")
_REWRITTEN: weakref.WeakSet[Engine] = weakref.WeakSet()
_HOOKS: weakref.WeakSet[Rewriting] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class _Plan:
    """One execution of a rewritten text: what to run instead if it does not bind."""

    original: tuple[str, Any]
    key: tuple[Any, ...]
    choice: Choice
    is_first: bool


class Rewriting(Decisions):
    """Rewriting that is on for one engine; made by :func:`tzconv.sqlalchemy.rewrite_queries`."""

    def __init__(self, engine: Engine, *given: Any, shadow: Shadow | None, **options: Any) -> None:
        super().__init__(engine, *given, **options)
        self.engine = engine
        self._shadow = shadow
        self._is_on = True
        self._listeners: dict[str, Callable[..., object]] = {
            "do_execute": self._execute,
            "handle_error": self._failed,
            **{end: functools.partial(self._end, is_undone=False) for end in _COMMITS},
            **{end: functools.partial(self._end, is_undone=True) for end in _ROLLBACKS},
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

    def forked(self) -> None:
        """In a child process: threads that held a lock are gone."""
        self._deciding = threading.Lock()
        if self._shadow is not None:
            self._shadow.forked()
        for choice in self._choices.values():
            if choice.race is not None:
                choice.race.forked()

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

        Where that text does not bind and nothing would be lost, the original runs.
        """
        plan: _Plan | None = getattr(context, _PLAN, None)
        run: TimedRun | None = getattr(context, _RUN, None)
        is_first = plan is not None and plan.is_first
        if run is None and not is_first:
            return None
        try:
            context.dialect.do_execute(cursor, statement, parameters, context)
        except Exception as error:
            if plan is None or not is_first or not self._alchemy.is_stale(error):
                raise
            self._is_stale(plan.key, plan.choice)
            setattr(context, _PLAN, None)
            if run is not None:
                run.end(math.inf)
            # it was the first statement of its transaction: there is nothing else to undo
            context.root_connection.connection.dbapi_connection.rollback()
            original, given = plan.original
            context.dialect.do_execute(cursor, original, given, context)
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
        if many or not self._is_on:
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
        is_first = self._alchemy.is_idle(driver)  # before tzconv itself asks something
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
            race = choice.race.of(others, rows)
            if not self._takes_rewritten(choice, choice.race, race, context):
                return original
        setattr(context, _PLAN, _Plan(original, key, choice, is_first))
        return rewritten

    def _takes_rewritten(self, choice: Choice, races: Races, race: Race, context: Any) -> bool:
        """Whether this run takes the rewritten form; by turns until the race is decided."""
        if race.is_won is not None:
            return race.is_won
        # the caller decides when rows are fetched, or no event tells when the driver works
        if getattr(context, "_is_server_side", False) or context.no_parameters:
            return True
        is_rewritten = race.begin()
        ran = functools.partial(self._ran, choice, races, race)
        setattr(context, _RUN, TimedRun(is_rewritten, ran, self._clock))
        return is_rewritten

    def _ran(
        self, choice: Choice, races: Races, race: Race, is_rewritten: bool, seconds: float
    ) -> None:
        """A run has ended; if that changes the decision about the statement, report it."""
        before = races.is_won
        if race.end(is_rewritten, seconds) and races.is_won is not before:
            decision = choice.decided()
            if decision is not None:
                self._report(decision)


def _lineage(engine: Engine) -> list[Engine]:
    """An engine and those that its ``execution_options()`` were given."""
    found = [engine]
    while (parent := getattr(found[-1], "_proxied", None)) is not None:
        found.append(parent)
    return found


def _forked() -> None:
    for hook in list(_HOOKS):
        hook.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)

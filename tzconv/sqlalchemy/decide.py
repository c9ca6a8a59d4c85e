"""What is done with one statement: read, rewritten, and checked against what is loaded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tzconv import rewriter, tables
from tzconv.errors import DatabaseError, TzconvError
from tzconv.rewriter import Change, Left
from tzconv.rewriter.ranges import Ranges
from tzconv.sqlalchemy.parameters import Key, Marked, Parameters
from tzconv.sqlalchemy.quarters import Quarter, times
from tzconv.zones import Rules


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one statement: it is told when that happens, not at each execution.

    ``rewritten`` is the text that runs instead, None where ``statement`` runs as it is. ``changes``
    and ``left`` are those of :func:`tzconv.rewrite`; their places are those of the statement with
    its parameters written as ``$`` marks. ``error`` is why nothing could be
    decided: ParseError where the statement is not understood.
    """

    statement: str
    rewritten: str | None
    changes: tuple[Change, ...]
    left: tuple[Left, ...]
    error: TzconvError | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Plan:
    """How a statement runs: ``text`` with ``fit(parameters)``; ``text`` None runs it as it is.

    ``by_session`` says that the time zone of the session has a say in it.
    """

    text: str | None = None
    fit: Callable[[Parameters], Parameters] | None = None
    by_session: bool = False


@dataclass(frozen=True, slots=True)
class Rewriter:
    """What :func:`tzconv.rewrite` is told beside the text."""

    dialect: str
    types: Mapping[str, Mapping[str, str]]
    rules: Rules | None
    strategy: str | None
    table_schema: str | None

    def decide(
        self,
        statement: str,
        marked: Marked,
        values: Mapping[Key, str],
        quarters: Mapping[Key, Quarter],
        session: str,
    ) -> tuple[Plan, Decision]:
        """The plan for a statement in a session of that time zone; errors are in the decision.

        It holds for these values of shaping parameters, and these quarters of other ones.
        """
        started = time.perf_counter()
        plan = Plan()
        result: rewriter.Rewrite | None = None
        error: TzconvError | None = None
        try:
            text = marked.with_values(values)
            if rewriter.is_one_query(text, self.dialect):
                ranges = {marked.number(key): times(one) for key, one in quarters.items()}
                result = self._rewrite(text, ranges, session)
                plan = self._plan(marked, text, result)
        except TzconvError as failed:
            error = failed
        return plan, Decision(
            statement,
            plan.text,
            result.changes if result and plan.text is not None else (),
            result.left if result else (),
            error,
            time.perf_counter() - started,
        )

    def _rewrite(self, text: str, ranges: Ranges, session: str) -> rewriter.Rewrite:
        options: dict[str, Any] = {"rules": self.rules, "strategy": self.strategy}
        return rewriter.rewrite(
            text,
            dialect=self.dialect,
            schema=self.types,
            session_time_zone=session,
            table_schema=self.table_schema,
            ranges=ranges,
            **options,
        )

    def _plan(self, marked: Marked, text: str, result: rewriter.Rewrite) -> Plan:
        by_session = any(change.strategy == "now" for change in result.changes) or any(
            "session time zone" in left.reason for left in result.left
        )
        if result.sql == text:
            return Plan(by_session=by_session)
        for table in tables.CONVERSIONS.values():
            name = f"{self.table_schema}.{table.name}" if self.table_schema else table.name
            if table.name in result.sql and table.name not in text and name not in self.types:
                raise DatabaseError(
                    f"The rewritten query needs the table {name}, which this connection cannot "
                    "read: run tzconv refresh, or grant SELECT on it."
                )
        back, fit = marked.unmark(result.sql)
        return Plan(back, fit, by_session)

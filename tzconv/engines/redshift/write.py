"""How the rewriter writes Redshift's SQL: with the functions that its documents describe.

An offset is a number of seconds, and DATEADD() adds it: intervals are no values of columns or CASE
in every release.
"""

from __future__ import annotations

import datetime as dt

from sqlglot import exp

from tzconv.engines.postgres.write import IntervalWriter
from tzconv.engines.write import Periods, UnknownNameError
from tzconv.sql.constants import SECOND, microseconds_of
from tzconv.sql.parse import Node, expression_of
from tzconv.sql.schema import Kind
from tzconv.tz.zones import Rules

_NAMED_CALLS = frozenset(
    {
        *("avg", "convert_timezone", "count", "date_trunc", "last_day", "max", "min", "sum"),
        *("to_char", "trunc"),
    }
)
"""Calls that its documents show as columns of that name; DATEADD has another one."""


class RedshiftWriter(IntervalWriter):
    """Where Redshift's documents are silent, the text relies on nothing."""

    name = "redshift"
    compares_sides = True
    # it comes from PostgreSQL 8.0, whose rules ended there; its documents do not say
    rules_hold = (microseconds_of(dt.date(1902, 1, 1)), microseconds_of(dt.date(2038, 1, 1)))
    gaps_are_known = False
    loops_over_ranges = True
    is_measured = False
    periods = Periods(
        "(DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', {utc}) >> 42)",
        "({key} >> 9)",
        # DATEADD() adds an INTEGER
        "CAST(CASE WHEN {} THEN {} ELSE {} END / 1000000 AS INTEGER)",
        is_total=False,  # its documents do not say what >> makes of negative numbers
    )
    joins_in_subqueries = False  # it refuses those that it cannot turn into joins itself

    def offset(self, microseconds: int) -> str:
        return str(microseconds // SECOND)

    def offset_of_seconds(self, seconds: str) -> str:
        return seconds

    def shifted(self, value: str, kind: Kind, offset: str, gives: Kind | None = None) -> str:
        return f"DATEADD(second, {offset}, {self.utc_timestamp(value, kind)})"

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        less = offset[1:] if offset[1:].isdigit() and offset[0] == "-" else f"-({offset})"
        added = self.shifted(value, "timestamp", less)
        return added if kind == "timestamp" else f"({added} AT TIME ZONE 'UTC')"

    def alone(self, shifted: str) -> str:
        return shifted

    def output_name(self, expression: str) -> str:
        node: Node | None = expression_of(f"SELECT {expression}", self.name)[0]
        name = super().output_name(expression)
        while isinstance(node, (exp.Paren, exp.Cast)):
            node = node.this
        if isinstance(node, (exp.Column, exp.AtTimeZone)) or name in ("?column?", *_NAMED_CALLS):
            return name
        raise UnknownNameError("the name that Redshift gives it is not known")

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        # its documents do not say whether the case of a name matters
        return super().zone_name(constant, rules) if constant in rules.names else None


WRITER = RedshiftWriter()

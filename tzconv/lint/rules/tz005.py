"""A range ends at the last second of a day, inclusive, so that what is after it is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from tzconv.lint.statement import Hit, Select, Statement
from tzconv.rewriter.names import without_parens
from tzconv.rewriter.parse import Node

CODE = "TZ005"
TITLE = "inclusive end of day"
FIXABLE = False

_LAST_SECOND = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}[ T]23:59(?::59(?:\.\d{1,5})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)
_DAY_ENDS = "day_ends_at_utc"


def check(statement: Statement) -> Iterator[Hit]:
    """Upper bounds such as 23:59:59, and the inclusive end of the daily table."""
    for select in statement.selects:
        for node in select.nodes:
            if isinstance(node, exp.Between):
                bound, value = node.args["high"], node.this
            elif isinstance(node, exp.LTE):
                bound, value = node.expression, node.this
            elif isinstance(node, exp.GTE):
                bound, value = node.this, node.expression
            else:
                continue
            if _is_time(value, select) and _ends_a_day(bound):
                yield Hit(
                    node,
                    "the last second of the day is lost but for its beginning: compare with < and "
                    "the first instant of the next day",
                )


def _is_time(value: Node, select: Select) -> bool:
    """A date has no seconds to lose, and a constant is no row's."""
    return value.find(exp.Column) is not None and select.kind(value) in (
        "timestamp",
        "timestamptz",
        None,
    )


def _ends_a_day(bound: Node) -> bool:
    bound = without_parens(bound)
    if isinstance(bound, exp.Column):
        return bound.name.casefold() == _DAY_ENDS
    if isinstance(bound, exp.Sub) and isinstance(bound.expression, exp.Interval):
        text = bound.expression.sql().casefold()
        return "second" in text and re.search(r"'1(?: second)?'", text) is not None
    return any(
        literal.is_string and _LAST_SECOND.fullmatch(literal.name.strip()) is not None
        for literal in bound.find_all(exp.Literal)
    )

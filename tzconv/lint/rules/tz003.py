"""A predicate converts its column, so that no index, zone map or partition helps it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.lint.conversions import (
    Converted,
    compared,
    conversion,
    has_now,
    is_worth_a_word,
    unwrapped,
)
from tzconv.lint.statement import Hit, Select, Statement
from tzconv.rewriter.parse import Node

CODE = "TZ003"
TITLE = "conversion on the column side of a predicate"
FIXABLE = True


def check(statement: Statement) -> Iterator[Hit]:
    """Converted columns that WHERE or ON compares with a constant."""
    for select in statement.selects:
        for found, node in predicates(select):
            if is_worth_a_word(found, select, statement) or statement.is_changed(node):
                yield Hit(
                    node,
                    "the column is converted before it is compared, which defeats pruning: compare "
                    "it with UTC bounds",
                )


def predicates(select: Select) -> Iterator[tuple[Converted, Node]]:
    """Conversions in WHERE and ON that are compared with constants, with the comparison."""
    nodes = {id(node) for node in select.nodes}
    for condition in select.conditions():
        for node in condition.walk():
            if id(node) not in nodes:
                continue
            for left, right in compared(node):
                found = conversion(unwrapped(left))
                if found is None or not found.is_per_row:
                    continue
                # what the present time is on another clock the rewriter must judge
                if not right.find(exp.Column, exp.Query) and not has_now(right):
                    yield found, node
                    break

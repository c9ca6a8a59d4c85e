"""A TIMESTAMP is compared with NOW() or its like, so that the column is cast for each row."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.lint.conversions import compared, has_now
from tzconv.lint.statement import Hit, Statement
from tzconv.rewriter.parse import Node

CODE = "TZ002"
TITLE = "TIMESTAMP compared with NOW()"
FIXABLE = True


def check(statement: Statement) -> Iterator[Hit]:
    """Comparisons of a TIMESTAMP of a row with a TIMESTAMPTZ that is the same for all rows."""
    for select in statement.selects:
        for node in select.nodes:
            for left, right in compared(node):
                if (
                    left.find(exp.Column)
                    and not right.find(exp.Column, exp.Query)
                    and select.kind(left) == "timestamp"
                    and select.kind(right) == "timestamptz"
                ):
                    yield Hit(
                        node,
                        f"a TIMESTAMP is compared with {_called(right)}: the column is cast for "
                        "each row, and nothing is pruned",
                    )
                    break


def _called(constant: Node) -> str:
    return "NOW(), a TIMESTAMPTZ" if has_now(constant) else "a TIMESTAMPTZ"

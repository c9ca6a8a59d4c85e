"""A materialized view asks for NOW(), and keeps the answer of its last refresh."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.lint.conversions import has_now
from tzconv.lint.statement import Hit, Statement
from tzconv.rewriter.names import is_now_call
from tzconv.rewriter.parse import Node

CODE = "TZ009"
TITLE = "NOW() in a stored report"
FIXABLE = False


def check(statement: Statement) -> Iterator[Hit]:
    """Each call of NOW() or its like in the query of a materialized view."""
    if not _is_stored(statement.tree):
        return
    for node in statement.tree.expression.walk():
        if is_now_call(node) or (
            isinstance(node, (exp.CurrentTimestamp, exp.CurrentDate, exp.Localtimestamp))
            and has_now(node)
        ):
            yield Hit(
                node,
                "a stored report keeps the NOW() of its last refresh: filter where it is read, or "
                "write the time into it (tzconv.rewrite() with now=)",
            )


def _is_stored(tree: Node) -> bool:
    if not isinstance(tree, exp.Create) or tree.kind != "VIEW" or tree.expression is None:
        return False
    properties = tree.args.get("properties")
    return properties is not None and properties.find(exp.MaterializedProperty) is not None

"""The SELECTs of a statement with the scopes of their names; for the rewriter and lint."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from tzconv.sql.parse import Node


def selects_of(statement: Node, *, has_locks: bool = True) -> list[Scope]:
    """The SELECTs of a query, of CREATE … AS and of INSERT; other statements have none."""
    is_around = isinstance(statement, (exp.Create, exp.Insert))
    query = statement.expression if is_around else statement
    if not isinstance(query, exp.Query):
        return []
    for lock in query.find_all(exp.Lock) if has_locks else ():
        lock.set("expressions", None)  # sqlglot takes FOR UPDATE OF a for one more relation a
    return [scope for scope in traverse_scope(query) if isinstance(scope.expression, exp.Select)]

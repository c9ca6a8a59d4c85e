"""The SELECTs of a statement with the scopes of their names; for the rewriter and lint."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from tzconv.sql.parse import Node
from tzconv.sql.writes import select_of


def selects_of(
    statement: Node, *, has_locks: bool = True, with_writes: bool = False
) -> list[Scope]:
    """The SELECTs of a query, of CREATE … AS and of INSERT; other statements have none.

    ``with_writes``: UPDATE and DELETE are read as the SELECT of their rows, also in a CTE.
    """
    is_around = isinstance(statement, (exp.Create, exp.Insert))
    query = statement.expression if is_around else statement
    # sqlglot takes FOR UPDATE OF a for one more relation a
    for lock in statement.find_all(exp.Lock) if has_locks else ():
        lock.set("expressions", None)
    found = [query] if isinstance(query, exp.Query) else []
    if with_writes:
        writes = [
            one
            for one in statement.find_all(exp.Update, exp.Delete)
            if isinstance(one, (exp.Update, exp.Delete))
        ]
        found += [select_of(write) for write in writes if not _is_entangled(write, statement)]
    return [
        scope
        for query in found
        for scope in traverse_scope(query)
        if isinstance(scope.expression, exp.Select)
    ]


def _is_entangled(write: exp.Update | exp.Delete, statement: Node) -> bool:
    """Whether what an UPDATE or DELETE means depends on the CTEs beside it.

    What it changes is never a CTE, and the CTEs around it are not in the SELECT that is made of it.
    Where two change one table, the engine decides which of them gets a row.
    """
    ctes = {cte.alias.casefold() for cte in statement.find_all(exp.CTE)}
    named = [write.this] if write is statement else write.find_all(exp.Table)
    changed = [
        table.name.casefold()
        for one in statement.find_all(exp.Update, exp.Delete, exp.Insert, exp.Merge)
        if (table := one.find(exp.Table)) is not None
    ]
    is_shared = changed.count(write.this.name.casefold()) > 1
    return is_shared or any(table.name.casefold() in ctes for table in named)

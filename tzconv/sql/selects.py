"""The SELECTs of a statement with the scopes of their names; for the rewriter and lint.

UPDATE and DELETE are read as the SELECT of the rows that they change. That tree is made of the
nodes of the statement, which keep their places in the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.scope import Scope, traverse_scope

from tzconv.sql.parse import Node

_LOCKED = "tzconv_locked"
_WRITES = "tzconv_writes"


def selects_of(statement: Node) -> list[Scope]:
    """The SELECTs of a query, of CREATE … AS and of INSERT; other statements have none.

    UPDATE and DELETE are read as the SELECT of their rows, also in a CTE. OptimizeError where
    sqlglot has no scope for a relation.
    """
    unread = (exp.Describe, exp.Summarize, exp.Pivot)
    if any(isinstance(one.this, unread) for one in statement.find_all(exp.Subquery)):
        raise OptimizeError("DESCRIBE, SUMMARIZE or PIVOT in parentheses")
    is_around = isinstance(statement, (exp.Create, exp.Insert))
    query = statement.expression if is_around else statement
    _take_ctes(statement, query)
    # sqlglot takes FOR UPDATE OF a for one more relation a
    for lock in statement.find_all(exp.Lock):
        lock.meta.setdefault(_LOCKED, [table.name for table in lock.expressions])
        lock.set("expressions", None)
    found = [query] if isinstance(query, exp.Query) else []
    found += [_pivoted(query)] if isinstance(query, exp.Pivot) else []
    writes = [
        one
        for one in statement.find_all(exp.Update, exp.Delete)
        # the UPDATE of a MERGE names no table: it is no statement of its own
        if isinstance(one, (exp.Update, exp.Delete)) and isinstance(one.this, exp.Table)
    ]
    found += [select_of(write) for write in writes if not _is_entangled(write, statement)]
    scopes = [scope for query in found for scope in traverse_scope(query)]
    # sqlglot also finds those of an UPDATE or DELETE in a CTE
    once = {id(scope.expression): scope for scope in scopes}
    return [scope for scope in once.values() if isinstance(scope.expression, exp.Select)]


def locked_by(query: exp.Query) -> list[str] | None:
    """The names of the relations whose rows FOR UPDATE locks; None where it locks those of all."""
    found: list[list[str]] = [lock.meta.get(_LOCKED, []) for lock in query.args.get("locks") or []]
    return [name for names in found for name in names] if all(found) else None


def _take_ctes(statement: Node, query: Node) -> None:
    """Read the WITH before an INSERT as that of its query, which means the same."""
    ctes = statement.args.get("with_")
    is_insert = isinstance(statement, exp.Insert) and isinstance(query, exp.Query)
    if is_insert and ctes is not None and query.args.get("with_") is None:
        statement.set("with_", None)
        query.set("with_", ctes)


def _is_entangled(write: exp.Update | exp.Delete, statement: Node) -> bool:
    """Whether what an UPDATE or DELETE means depends on the CTEs beside it.

    What it changes is never a CTE, and the CTEs around it are not in the SELECT that is made of it.
    If two of them change the same row, the engine chooses which change is made.
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


def select_of(write: exp.Update | exp.Delete) -> exp.Select:
    """The SELECT of the rows that an UPDATE or DELETE changes; an UPDATE shows what it sets."""
    from_ = write.args.get("from_")
    others = [*([from_.this] if from_ else []), *(write.args.get("using") or [])]
    values = [one.expression for one in write.expressions if isinstance(one, exp.EQ)]
    select = exp.Select(
        expressions=values,
        from_=exp.From(this=write.this),
        joins=[joined for other in others for joined in _joined(other)] or None,
        where=write.args.get("where"),
        with_=write.args.get("with_"),
    )
    select.meta[_WRITES] = type(write).__name__.upper()
    return select


def _pivoted(pivot: exp.Pivot) -> exp.Select:
    """The SELECT of the rows that PIVOT or UNPIVOT reads."""
    kept = {name: pivot.args.get(name) for name in ("with_", "order", "limit", "offset")}
    select = exp.Select(
        expressions=[exp.Star(), *(pivot.args.get("using") or [])],
        from_=exp.From(this=pivot.this),
        group=pivot.args.get("group") or exp.Group(all=True),
        **kept,
    )
    select.meta[_WRITES] = "UNPIVOT" if pivot.args.get("unpivot") else "PIVOT"
    return select


def written_by(select: Node) -> str | None:
    """UPDATE, DELETE, PIVOT or UNPIVOT if a SELECT was made of one here; else None."""
    name: str | None = select.meta.get(_WRITES)
    return name


def _joined(relation: Node) -> Iterator[exp.Join]:
    """Joins for a relation after a comma and the relations joined to it."""
    joins = relation.args.get("joins") or []
    # the statement keeps its joins: what is left in it is searched for later
    alone = type(relation)(**{**relation.args, "joins": None})
    alone.meta.update(relation.meta)
    yield exp.Join(this=alone)
    yield from joins

"""Which relations of a FROM clause an expression sees; for ``names``, which resolves its columns.

WHERE, SELECT and the like see all of them. The ON of a join sees those of its own tree of joins: no
relation before a comma, outside the parentheses or further right. What stands in FROM itself, such
as LATERAL or the arguments of a function, sees the relations to its left. A name that is not seen
means one of the query outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.sql.expressions import upwards
from tzconv.sql.parse import Node
from tzconv.sql.schema import Schema, name_of


@dataclass(frozen=True, slots=True)
class Owner:
    """A relation of a FROM clause: its alias, the node that names it, and what it stands for."""

    alias: str
    key: str
    node: Node
    source: exp.Table | Scope


def sees(place: Node, relation: Node, select: Node) -> bool:
    """Whether an expression in a SELECT, or in its subqueries, sees a relation of its FROM."""
    path = list(upwards(place, select))
    if path.pop() is not select:  # parsed again from a text whose names were resolved
        return True
    if not path:
        return False
    if path[-1].arg_key not in ("from_", "joins", "laterals"):
        return path[-1].arg_key != "with_"
    return _is_among(relation, _seen(path, select, []))


def own_scopes(scope: Scope, schema: Schema) -> list[Scope]:
    """A SELECT with the derived tables that it computes for its rows; none for one of those.

    In ``FROM a, LATERAL (SELECT a.ts AT TIME ZONE 'Asia/Tokyo' AS day) AS x`` the conversion is one
    of the rows of ``a``.
    """
    if is_computed(scope, schema):
        return []
    sources = [one for one in scope.sources.values() if isinstance(one, Scope)]
    inside = [one for source in sources for one in (source, *source.subquery_scopes)]
    return [scope, *(one for one in inside if is_computed(one, schema))]


def is_computed(scope: Scope, schema: Schema) -> bool:
    """Whether a derived table is a SELECT list or VALUES, computed for each row outside."""
    query, around = scope.expression, scope.parent
    if not isinstance(query, (exp.Select, exp.Values)) or around is None:
        return False
    is_lateral = isinstance(around.expression, exp.Lateral)
    has_only = {key for key, one in query.args.items() if one} == {"expressions"}
    of_rows = (exp.AggFunc, exp.Window, exp.UDTF, exp.Star)
    is_plain = has_only and not any(one.find(*of_rows) for one in query.expressions)
    return is_plain and (is_lateral or (scope.is_derived_table and schema.reading.sees_left))


def stands_in(relation: Node, select: Node) -> bool:
    """Whether a relation is one of a SELECT, not hidden by an alias of the joins around it."""
    return _is_among(relation, _relations(select))


def _is_among(relation: Node, others: Iterable[Node]) -> bool:
    known = {id(one) for one in others}
    named: Node | None = relation
    while named is not None and id(named) not in known:  # a derived table is known by its SELECT
        named = named.parent if isinstance(named.parent, exp.Subquery) else None
    return named is not None


def _seen(path: list[Node], around: Node, left: list[Node]) -> list[Node]:
    """The relations that the first node of a path sees; the last one stands in ``around``.

    ``left`` are those to the left of ``around``.
    """
    if not path:
        return left
    step = path.pop()
    if isinstance(step, exp.From) and path:
        return _seen(path, path.pop(), left)
    if step.arg_key not in ("joins", "laterals"):
        return _seen(path, step, left) if _is_paren(around) else left
    joined = _joined(around)
    index = next(i for i, one in enumerate(joined) if one is step)
    if isinstance(step, exp.Join) and not (path and path[-1].arg_key == "this"):
        first = max((i for i in range(index + 1) if is_comma(joined[i])), default=None)
        own = [] if first is not None else list(_first(around))
        return own + [one for join in joined[first or 0 : index + 1] for one in _of(join)]
    before = [*_first(around), *(one for join in joined[:index] for one in _of(join))]
    if not isinstance(step, exp.Join):
        return [*left, *before]
    return _seen(path, path.pop(), [*left, *before])


def _joined(node: Node) -> list[Node]:
    return [*(node.args.get("joins") or []), *(node.args.get("laterals") or [])]


def _first(node: Node) -> Iterator[Node]:
    """The relations that others are joined to."""
    if isinstance(node, exp.Select):
        clause = node.args.get("from_")
        yield from _relations(clause.this) if clause is not None else ()
    elif _is_paren(node):
        yield from _relations(node.this)
    else:
        yield node


def _relations(node: Node) -> Iterator[Node]:
    """A relation (or the ones in its parentheses) and the relations joined to it."""
    yield from _first(node)
    for one in _joined(node):
        yield from _of(one)


def _of(joined: Node) -> Iterator[Node]:
    yield from _relations(joined.this if isinstance(joined, exp.Join) else joined)


def _is_paren(node: Node) -> bool:
    """Whether a node is only the parentheses around joins."""
    if not isinstance(node, (exp.Subquery, exp.Paren)) or node.args.get("alias"):
        return False
    return isinstance(node.this, (exp.Table, exp.Subquery, exp.Paren, exp.Lateral, exp.Unnest))


def is_comma(join: Node | None) -> bool:
    """Whether a relation is separated from those before it by a comma."""
    kinds = ("method", "side", "kind", "on", "using")
    return join is not None and not any(join.args.get(kind) for kind in kinds)


def alias_of(node: Node | None) -> exp.TableAlias | None:
    """The alias of a relation; a derived table is known by its SELECT."""
    around = node
    while around is not None:
        alias = around.args.get("alias")
        if isinstance(alias, exp.TableAlias) or isinstance(around, exp.Table):
            return alias
        around = around.parent if isinstance(around.parent, exp.Subquery) else None
    return None


def identifier_of(node: Node) -> exp.Identifier | None:
    """The name of a relation; None where it has none."""
    alias = alias_of(node)
    named = alias.this if alias is not None else node.this if isinstance(node, exp.Table) else None
    return named if isinstance(named, exp.Identifier) else None


def may_be_later(table: exp.Table, source: exp.Table | Scope) -> bool:
    """Whether a table's name may be that of a CTE which comes after the one that it stands in.

    WITH RECURSIVE lets it be seen there. A CTE's own name is sqlglot's to follow, where it does.
    """
    cte = None if table.args.get("db") else table.find_ancestor(exp.CTE)
    while cte is not None:
        with_ = cte.parent
        if isinstance(with_, exp.With) and with_.recursive and cte.index is not None:
            seen = with_.expressions[cte.index + isinstance(source, Scope) :]
            if any(one.alias.casefold() == table.name.casefold() for one in seen):
                return True
        cte = cte.find_ancestor(exp.CTE)
    return False


def ctes_named(table: exp.Identifier, scope: Scope, schema: Schema) -> list[Scope | None]:
    """CTEs with a table's name, ignoring case; None if the case may tell them apart."""
    name, found = name_of(table, schema.dialect), list[Scope | None]()
    for alias, cte in scope.cte_sources.items():
        if alias.casefold() == name.folded:
            named = cte.expression.find_ancestor(exp.CTE) if isinstance(cte, Scope) else None
            own = name_of(named.args["alias"].this, schema.dialect) if named else None
            found.append(_traversed(cte, scope) if isinstance(cte, Scope) and own == name else None)
    is_sure = schema.reading.keeps_case and name.folded.isascii() and any(found)
    return [cte for cte in found if cte is not None or not is_sure]


def _traversed(cte: Scope, scope: Scope) -> Scope:
    """A CTE; in the second part of a recursive one its first part, of which sqlglot knows less."""
    around: Scope | None = scope
    while around is not None and around.expression is not cte.expression.parent:
        around = around.parent
    return cte if around is None else around.set_operation_scopes[0]


def ctes_around(select: Node) -> Iterator[str]:
    """The CTEs that a SELECT may see, and those after it, which WITH RECURSIVE lets it see too."""
    for node in upwards(select):
        with_ = node.args.get("with_")
        yield from (cte.alias for cte in with_.expressions) if with_ is not None else ()

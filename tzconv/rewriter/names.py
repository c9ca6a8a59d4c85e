"""Which table a column of a query belongs to, and of what kind an expression is."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.rewriter.nodes import NewTime, StatementTime
from tzconv.rewriter.parse import Node
from tzconv.rewriter.schema import Kind, Schema, kind_of_type

_KINDS_OF_CALLS: dict[Kind, tuple[type[Node], ...]] = {
    "timestamptz": (exp.CurrentTimestamp,),
    "timestamp": (exp.Localtimestamp, NewTime, StatementTime),
    "date": (exp.CurrentDate, exp.Date),
}
NOW_FUNCTIONS = frozenset(
    {"now", "get_current_timestamp", "transaction_timestamp", "statement_timestamp"}
)
"""Calls that sqlglot has no node for and that give the start of the transaction or statement."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A relation of a FROM clause: its alias, the node that names it, and what it stands for."""

    alias: str
    node: Node
    source: exp.Table | Scope


class Names:
    """Resolves the columns of one SELECT, given what is known of the tables."""

    def __init__(self, scope: Scope, schema: Schema) -> None:
        self.scope = scope
        self.schema = schema
        times = Counter(alias.casefold() for alias in scope.selected_sources)
        self.owners = {
            alias.casefold(): Owner(alias, node, source)
            for alias, (node, source) in scope.selected_sources.items()
            if times[alias.casefold()] == 1  # "A" and a: which is meant is not told by the name
        }
        self._is_ambiguous = len(self.owners) < len(scope.selected_sources)
        self._columns = {alias: self._columns_of(owner) for alias, owner in self.owners.items()}

    @functools.cached_property
    def nodes(self) -> list[Node]:
        """All nodes of this SELECT without those of its subqueries, parents before children."""
        return list(self.scope.walk())

    def owner(self, column: exp.Column) -> Owner | None:
        """The relation of this SELECT that a column belongs to; None if unknown or outer."""
        if column.table:
            found = self.owners.get(column.table.casefold())
            return None if found is None or column.args.get("db") else found
        if self._is_ambiguous:
            return None
        name = column.name.casefold()
        known = [a for a, columns in self._columns.items() if columns and name in columns]
        if len(known) == 1:
            return self.owners[known[0]]
        if not known and len(self.owners) == 1 and not self.scope.is_correlated_subquery:
            alias, owner = next(iter(self.owners.items()))
            return owner if self._columns[alias] is None else None
        return None

    def columns(self, owner: Owner) -> Mapping[str, Kind] | None:
        """The columns of a relation in lower case; None where they are not known."""
        return self._columns[owner.alias.casefold()]

    def kind(self, node: Node | None) -> Kind | None:
        """The kind of an expression's value; None where it cannot be told."""
        if isinstance(node, (exp.Paren, exp.Filter, exp.Window)):
            return self.kind(node.this)
        if isinstance(node, exp.Column):
            owner = self.owner(node)
            columns = None if owner is None else self._columns[owner.alias.casefold()]
            return None if columns is None else columns.get(node.name.casefold())
        if isinstance(node, exp.Cast):  # TryCast too
            return kind_of_type(node.to, self.schema.dialect)
        if isinstance(node, exp.Literal):
            return "text" if node.is_string else "other"
        if isinstance(node, exp.Interval):
            return "interval"
        return self._kind_of_call(node)

    def _kind_of_call(self, node: Node | None) -> Kind | None:
        for known, types in _KINDS_OF_CALLS.items():
            if isinstance(node, types):
                return known
        if is_now_call(node):
            return "timestamptz"
        zone_and_value = zone_conversion(node)
        if zone_and_value is not None:
            flipped: dict[Kind | None, Kind] = {
                "timestamp": "timestamptz",
                "timestamptz": "timestamp",
            }
            return flipped.get(self.kind(zone_and_value[1]))
        if isinstance(node, exp.TimestampTrunc):
            kind = self.kind(node.this)
            return kind if kind in ("timestamp", "timestamptz") else None
        return self._kind_of_operation(node)

    def _kind_of_operation(self, node: Node | None) -> Kind | None:
        if isinstance(node, (exp.Add, exp.Sub)):
            moved = self.kind(node.this) if self.kind(node.expression) == "interval" else None
            return moved if moved in ("timestamp", "timestamptz", "interval") else None
        if isinstance(node, exp.Nullif):
            return self.kind(node.this)
        if isinstance(node, (exp.Lower, exp.Upper, exp.Trim)):
            return "text"
        if isinstance(node, exp.Mul):
            sides = {self.kind(node.this), self.kind(node.expression)}
            return "interval" if "interval" in sides else None
        if isinstance(node, exp.Case):
            results = [part.args["true"] for part in node.args["ifs"]]
            results += [node.args["default"]] if node.args.get("default") else []
            kinds = {self.kind(part) for part in results if not isinstance(part, exp.Null)}
            return kinds.pop() if len(kinds) == 1 else None
        if isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least, exp.Max, exp.Min)):
            kinds = {self.kind(part) for part in [node.this, *node.expressions]}
            return kinds.pop() if len(kinds) == 1 else None
        return None

    def _columns_of(self, owner: Owner) -> Mapping[str, Kind] | None:
        if isinstance(owner.source, exp.Table):
            if self._may_be_cte(owner.source):
                return None
            return self.schema.columns(owner.source)
        alias = owner.node.args.get("alias")
        names = alias.args.get("columns") if alias else None
        return _output(owner.source, self.schema, [name.name for name in names or []])

    def _may_be_cte(self, table: exp.Table) -> bool:
        """Whether a CTE has the name of a table but for case, which sqlglot takes for another."""
        name = table.name.casefold()
        return not table.db and any(cte.casefold() == name for cte in self.scope.cte_sources)


def _output(scope: Scope, schema: Schema, renamed: list[str]) -> dict[str, Kind] | None:
    """The named output columns of a derived table or CTE whose kinds are known.

    ``renamed`` are the names that its alias lists for the first of them.
    """
    renamed = renamed or list(scope.outer_columns)
    positions = _positions(scope, schema)
    if positions is not None:
        new = [*renamed, *(name for name, _ in positions[len(renamed) :])]
        kinds = (kind for _, kind in positions)
        return {
            name.casefold(): kind for name, kind in zip(new, kinds, strict=False) if name and kind
        }
    if renamed or isinstance(scope.expression, exp.SetOperation):
        return None
    return dict(_named(scope, schema))


def _positions(scope: Scope, schema: Schema) -> list[tuple[str, Kind | None]] | None:
    """Names and kinds of the output columns in order; None where a star hides them.

    The branches of a UNION must agree on a kind, otherwise the engine chooses one.
    """
    query = scope.expression
    if isinstance(query, exp.SetOperation):
        if query.args.get("by_name") or len(scope.set_operation_scopes) != 2:
            return None
        branches = [_positions(branch, schema) for branch in scope.set_operation_scopes]
        if branches[0] is None or branches[1] is None or len(branches[0]) != len(branches[1]):
            return None
        return [
            (name, kind if kind == other else None)
            for (name, kind), (_, other) in zip(*filter(None, branches), strict=True)
        ]
    if not isinstance(query, exp.Select) or any(part.is_star for part in query.selects):
        return None
    names = Names(scope, schema)
    return [(part.output_name, names.kind(part.unalias())) for part in query.selects]


def _named(scope: Scope, schema: Schema) -> Iterator[tuple[str, Kind]]:
    names = Names(scope, schema)
    for projection in scope.expression.selects if isinstance(scope.expression, exp.Query) else ():
        if projection.is_star:
            table = projection.table if isinstance(projection, exp.Column) else ""
            for alias, columns in names._columns.items():
                if not table or alias == table.casefold():
                    yield from (columns or {}).items()
        elif projection.output_name:
            kind = names.kind(projection.unalias())
            if kind is not None:
                yield projection.output_name.casefold(), kind


def shifts_zone(node: Node | None) -> bool:
    """Whether a node shows a time on another clock, in whatever spelling."""
    return isinstance(node, NewTime) or zone_conversion(node) is not None


def is_now_call(node: Node | None) -> bool:
    """Whether a node is a call of now() or one of its synonyms that sqlglot leaves anonymous."""
    return (
        isinstance(node, exp.Anonymous)
        and node.name.casefold() in NOW_FUNCTIONS
        and not node.expressions
    )


def zone_conversion(node: Node | None) -> tuple[Node, Node] | None:
    """Zone and value of ``value AT TIME ZONE zone`` or ``timezone(zone, value)``."""
    if isinstance(node, exp.AtTimeZone):
        return _plain_text(node.args["zone"]), without_parens(node.this)
    if not isinstance(node, exp.Anonymous) or node.name.casefold() != "timezone":
        return None
    if len(node.expressions) != 2:
        return None
    return _plain_text(node.expressions[0]), without_parens(node.expressions[1])


def _plain_text(zone: Node) -> Node:
    """A zone without the cast to text that PostgreSQL writes into the definitions of views."""
    inner = without_parens(zone)
    if isinstance(inner, exp.Cast) and inner.to.this in (exp.DType.TEXT, exp.DType.VARCHAR):
        literal = without_parens(inner.this)
        if isinstance(literal, exp.Literal) and literal.is_string and not inner.to.expressions:
            return literal
    return zone


def without_parens(node: Node) -> Node:
    """The expression inside any parentheses around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node

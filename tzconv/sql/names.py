"""Which table a column of a query belongs to, and of what kind an expression is."""

from __future__ import annotations

import functools
from collections import Counter

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.sql import visible
from tzconv.sql.expressions import is_variable, unnested
from tzconv.sql.kinds import columns_of_series, kind_of_call, same_kind, shows_several
from tzconv.sql.parse import Node
from tzconv.sql.schema import (
    Kind,
    Kinds,
    Name,
    Schema,
    is_complete,
    kind_of_type,
    kinds_by_name,
    name_of,
)
from tzconv.sql.stars import MODIFIERS, modified, output_name
from tzconv.sql.visible import Owner

_PLAIN = {"this", "db", "catalog", "alias", "joins", "sample", "only"}
"""What may be said of a table whose columns are those of the schema."""
_AROUND = (exp.Paren, exp.Filter, exp.Window, exp.IgnoreNulls, exp.RespectNulls, exp.Nullif)
"""What has the kind of the expression inside."""
_RESHAPING = ("pivots", "laterals", "match", "connect")
"""What gives a relation other columns than those of its table or query."""


def _aliases_beside(column: exp.Column) -> set[str]:
    """The names of output columns where a column stands, perhaps a derived table without FROM."""
    select = column.find_ancestor(exp.Select)
    return {one.alias.casefold() for one in select.expressions} if select else set()


def _is_plain(table: exp.Table) -> bool:
    return {key for key, one in table.args.items() if one} <= _PLAIN


class Names:
    """Resolves the columns of one SELECT, given what is known of the tables."""

    def __init__(self, scope: Scope, schema: Schema) -> None:
        self.scope = scope
        self.schema = schema
        times = Counter(alias.casefold() for alias in scope.selected_sources)
        self.owners = {
            one.casefold(): Owner(one, self._name(visible.identifier_of(node)).key, node, source)
            for one, (node, source) in scope.selected_sources.items()
            if times[one.casefold()] == 1  # "A" and a: the name alone does not say which
        }
        self._is_ambiguous = len(self.owners) < len(scope.selected_sources)
        self._found: dict[str, Kinds | None] = {}

    @functools.cached_property
    def _columns(self) -> dict[str, Kinds | None]:
        return {alias: self.columns_by(alias) for alias in self.owners}

    def columns_by(self, alias: str) -> Kinds | None:
        """The columns of the relation of an alias, without a look at others that may look back."""
        if alias not in self._found:
            owner = self.owners[alias]
            self._found[alias] = None  # of a LATERAL in terms of itself nothing is known
            self._found[alias] = self._columns_of(owner.node, owner.source)
        return self._found[alias]

    @functools.cached_property
    def _merged(self) -> set[str]:
        """Names that may stand for columns of two relations, one of them with unknown columns."""
        joins = [node for node in self.nodes if isinstance(node, exp.Join)]
        using = [one.name.casefold() for join in joins for one in join.args.get("using") or []]
        found = self._columns.values()
        if all(join.method != "NATURAL" for join in joins) or all(map(is_complete, found)):
            return set(using)
        return {*using, *(name for columns in found for name in columns or ())}

    @functools.cached_property
    def nodes(self) -> list[Node]:
        """All nodes of this SELECT without those of its subqueries, parents before children."""
        return [node for one in visible.own_scopes(self.scope, self.schema) for node in one.walk()]

    @functools.cached_property
    def _aliases(self) -> set[str]:
        """The names that AS gives to output columns."""
        return {one.alias.casefold() for one in self.scope.expression.expressions}

    def owner(self, column: exp.Column) -> Owner | None:
        """The relation of this SELECT that a column belongs to; None if unknown or outer."""
        if is_variable(column) or self._may_be_output(column):
            return None
        if column.args.get("db"):
            return self._by_schema(column)
        table = column.args.get("table")
        return self._if_seen(column, self.by_alias(table) if table else self._having(column))

    def _if_seen(self, place: Node, owner: Owner | None) -> Owner | None:
        is_seen = owner is not None and visible.sees(place, owner.node, self.scope.expression)
        return owner if is_seen else None

    def _name(self, identifier: exp.Identifier | None) -> Name:
        return name_of(identifier, self.schema.dialect)

    def by_alias(self, alias: exp.Identifier) -> Owner | None:
        """The relation of an alias, wherever it is seen."""
        name = self._name(alias)
        found = self.owners.get(name.folded)
        return found if found is not None and found.key == name.key else None

    def _by_schema(self, column: exp.Column) -> Owner | None:
        """The table that ``schema.table.column`` names, where that is no field of a struct."""
        found = self.by_alias(column.args["table"])
        if found is None or not isinstance(found.node, exp.Table):
            return None
        if found.node.alias or len(found.node.parts) != 2:
            return None
        # a table that has the column comes before a field
        columns = self.columns_by(found.alias.casefold()) or {}
        has = not self.schema.reading.has_fields or column.name.casefold() in columns
        is_same = self._name(found.node.args["db"]) == self._name(column.args["db"])
        return self._if_seen(column, found) if is_same and has else None

    def _having(self, column: exp.Column) -> Owner | None:
        """The one relation that has a column of that name."""
        name = self._name(column.this)
        folded = name.folded
        if self._is_ambiguous or folded in self._merged or self._may_be_alias(column, folded):
            return None
        known = [(a, one[folded][0]) for a, one in self._columns.items() if one and folded in one]
        if len(known) == 1:
            return self.owners[known[0][0]] if known[0][1].key == name.key else None
        if not known and len(self.owners) == 1 and not self.scope.is_correlated_subquery:
            alias, owner = next(iter(self.owners.items()))
            return None if is_complete(self._columns[alias]) else owner
        return None

    def _may_be_alias(self, column: exp.Column, name: str) -> bool:
        """Whether a name may be that of an output column: in HAVING, in QUALIFY, or anywhere."""
        if name not in self._aliases:
            return self.schema.reading.sees_aliases and name in _aliases_beside(column)
        clause = column.find_ancestor(exp.Having, exp.Qualify, exp.Query)
        is_after = isinstance(clause, (exp.Having, exp.Qualify))
        return is_after or (self.schema.reading.sees_aliases and not self.may_be_column(name))

    def _may_be_output(self, column: exp.Column) -> bool:
        """Whether ``alias.x`` may be DuckDB's word for the output column x of the SELECT."""
        if column.table.casefold() != "alias":
            return False
        return column.name.casefold() in self._aliases | _aliases_beside(column)

    def kind(self, node: Node | None) -> Kind | None:
        """The kind of an expression's value; None where it is unknown."""
        if isinstance(node, _AROUND):
            return self.kind(node.this)
        if isinstance(node, exp.Query):
            return self._kind_of_query(node)
        if isinstance(node, exp.Column):
            if is_variable(node) or self._may_be_output(node):
                return None
            owner = self.owner(node)
            if owner is None:
                outer = self.outer_for(node.table, node.db)
                return self._kind_in_on(node) if outer is None else outer.kind(node)
            return self._kind_among(self.columns_by(owner.alias.casefold()), node)
        if isinstance(node, exp.Cast):  # TryCast too
            return kind_of_type(node.to, self.schema.dialect)
        if isinstance(node, exp.Literal):
            return "text" if node.is_string else "number"
        return kind_of_call(node, self)

    def _kind_in_on(self, column: exp.Column) -> Kind | None:
        """The kind of a column on the right of a SEMI or ANTI join, which only ON sees."""
        hidden = self.scope.semi_or_anti_join_tables
        table = column.table.casefold()
        named = [
            self._columns_of(node, self.scope.sources[alias])
            for alias, node in self.scope.references
            if alias in hidden and alias.casefold() == table
        ]
        is_in_on = isinstance(column.find_ancestor(exp.Join, exp.Query), exp.Join)
        if len(named) != 1 or not is_in_on or column.args.get("db"):
            return None
        return self._kind_among(named[0], column)

    def _kind_among(self, columns: Kinds | None, column: exp.Column) -> Kind | None:
        name = self._name(column.this)
        found = (columns or {}).get(name.folded)
        return found[1] if found is not None and found[0] == name else None

    def outer_for(self, table: str, schema: str = "") -> Names | None:
        """The names of the query around this one, where a qualified column must be one of those."""
        known = [one for one in self._columns.values() if one is not None and is_complete(one)]
        hidden = self.scope.semi_or_anti_join_tables  # seen in ON alone
        is_own = any(
            alias.casefold() == table.casefold()
            and (alias in hidden or visible.stands_in(node, self.scope.expression))
            for alias, node in self.scope.references
        )
        # DuckDB takes a.b for a field of a column a before it looks further out
        is_field = any({table.casefold(), schema.casefold()} & set(columns) for columns in known)
        is_unsure = self._is_ambiguous or len(known) < len(self.owners)
        is_inside = table or visible.is_computed(self.scope, self.schema)
        if not is_inside or is_own or is_field or is_unsure:
            return None
        return self._outer

    def shown_by(self, star: Node, of: exp.Identifier | None) -> list[Kinds | None]:
        """The columns of the relations that a star shows: all, or the one that it names.

        Those of a relation count only if all of them were declared.
        """
        if of is None:
            return [one if is_complete(one) else None for one in self._columns.values()]
        outer = self.outer_for(of.name) or self
        is_seen = outer._if_seen(star, outer.by_alias(of)) is not None
        columns = outer.columns_by(of.name.casefold()) if is_seen else None
        return [columns if is_complete(columns) else None]

    @functools.cached_property
    def _outer(self) -> Names | None:
        """The query that a subquery or a LATERAL stands in; other relations see nothing of it."""
        is_inside = self.scope.is_subquery or visible.is_computed(self.scope, self.schema)
        parent = self.scope.parent if is_inside else None
        if parent is not None and isinstance(parent.expression, exp.Lateral):
            parent = parent.parent
        if parent is None or not isinstance(parent.expression, exp.Select):
            return None
        return names_of(parent, self.schema)

    def is_closed(self, query: exp.Query) -> bool:
        """Whether a subquery names no column of a query around it, as far as its tables say."""
        inside = self._inside(query)
        found = [names_of(one, self.schema) for one in inside.traverse()] if inside else []
        columns = [(one, it) for one in found for it in one.nodes if isinstance(it, exp.Column)]
        return bool(found) and all(names.owner(column) for names, column in columns)

    def _inside(self, node: exp.Query) -> Scope | None:
        query = node.unnest() if isinstance(node, exp.Subquery) else node
        return next((one for one in self.scope.subquery_scopes if one.expression is query), None)

    def _kind_of_query(self, node: exp.Query) -> Kind | None:
        inside = self._inside(node)
        shown = _positions(inside, self.schema) if inside is not None else None
        return shown[0][1] if shown is not None and len(shown) == 1 else None

    def may_be_column(self, word: str) -> bool:
        """Whether a relation has a column of that name, in lower case."""
        return any(word in columns for columns in self._columns.values() if columns)

    def _columns_of(self, node: Node, source: exp.Table | Scope) -> Kinds | None:
        if any(node.args.get(clause) for clause in _RESHAPING):
            return None
        is_call = isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier)
        if is_call or unnested(node) is not None:
            return columns_of_series(node, self._listed(node), self)
        if isinstance(node, exp.Table) and isinstance(source, exp.Table) and not self._ctes(node):
            is_own = not (visible.may_be_later(node, source) or self._listed(node))
            return self.schema.columns(node) if is_own and _is_plain(node) else None
        query = self.query_of(node, source)
        return output(query[0], self.schema, *query[1:]) if query else None

    def query_of(
        self, node: Node, source: exp.Table | Scope
    ) -> tuple[Scope, list[Name], list[Name]] | None:
        """The query that a relation stands for, and the names that CTE and alias list for it."""
        if isinstance(node, exp.Table):
            ctes = self._ctes(node)
            if len(ctes) != 1 or not _is_plain(node) or visible.may_be_later(node, source):
                return None
            source = ctes[0] or node
        if isinstance(source, exp.Table):
            return None
        if isinstance(source.expression, exp.Lateral):
            if len(source.subquery_scopes) != 1:  # a function
                return None
            source = source.subquery_scopes[0]
        cte = source.expression.find_ancestor(exp.CTE) if isinstance(node, exp.Table) else None
        return source, self._listed(cte), self._listed(node)

    def _ctes(self, node: exp.Table) -> list[Scope | None]:
        is_name = isinstance(node.this, exp.Identifier) and not node.db
        return visible.ctes_named(node.this, self.scope, self.schema) if is_name else []

    def _listed(self, node: Node | None) -> list[Name]:
        alias = visible.alias_of(node)
        return [self._name(one) for one in alias.columns] if alias else []


_NAMES = "tzconv_names"


def names_of(scope: Scope, schema: Schema) -> Names:
    """The names of a SELECT, resolved once: relations beside it and inside it ask for them too."""
    known: Names | None = getattr(scope, _NAMES, None)
    if known is None or known.schema is not schema:
        known = Names(scope, schema)
        setattr(scope, _NAMES, known)
    return known


def output(scope: Scope, schema: Schema, *lists: list[Name]) -> Kinds | None:
    """The named output columns of a query, derived table or CTE; None where a star hides some.

    ``lists`` are the names for the first of them, of the CTE and of an alias.
    """
    shown = _positions(scope, schema, *lists)
    if shown is None:
        query, of = scope.expression, names_of(scope, schema)
        if any(lists) or not isinstance(query, exp.Select):
            return None
        if (same := _passed_on(query, of)) is not None:
            return same
        if (shown := _starred(query, of)) is None:
            return None
    return kinds_by_name(shown)


def _positions(
    scope: Scope, schema: Schema, *lists: list[Name]
) -> list[tuple[Name, Kind | None]] | None:
    """Names and kinds of the output columns in order; None where a star hides them."""
    if (shown := _in_order(scope, schema)) is None:
        return None
    for names in lists:
        shown = [*zip(names, (kind for _, kind in shown), strict=False), *shown[len(names) :]]
    return shown


def _in_order(scope: Scope, schema: Schema) -> list[tuple[Name, Kind | None]] | None:
    """The output columns by their own names. A table's may be declared in another order.

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
    names = names_of(scope, schema)
    if isinstance(query, exp.Values):
        rows = [row.expressions for row in query.expressions]
        # a row of another length is refused; without an alias list the names differ by engine
        return [(Name("", ""), same_kind(column, names)) for column in zip(*rows, strict=False)]
    if not isinstance(query, exp.Select):
        return None
    if any(part.is_star for part in query.selects):
        [owner] = names.owners.values() if _passed_on(query, names) is not None else [None]
        inside = names.query_of(owner.node, owner.source) if owner else None
        return _positions(inside[0], schema, *inside[1:]) if inside else None
    if any(shows_several(part, names) for part in query.selects):
        return None
    return [(output_name(part, schema), names.kind(part.unalias())) for part in query.selects]


def _passed_on(query: exp.Select, names: Names) -> Kinds | None:
    """The columns of the one relation that SELECT * shows, also where some were not declared."""
    if len(query.selects) != 1 or query.args.get("joins") or len(names.owners) != 1:
        return None
    part, [columns] = query.selects[0], names._columns.values()
    star, of = (part.this, part.args.get("table")) if isinstance(part, exp.Column) else (part, None)
    is_plain = isinstance(star, exp.Star) and not any(star.args.values())
    is_own = of is None or names.by_alias(of) is not None  # LATERAL may show one outside
    return columns if is_plain and is_own else None


def _starred(query: exp.Select, names: Names) -> list[tuple[Name, Kind | None]] | None:
    """The output columns where some are stars; None where a star may show an unknown column.

    Then a name after the star may be one more of the same name, and the engine takes the first.
    """
    shown, schema = list[tuple[Name, Kind | None]](), names.schema
    for projection in query.selects:
        if shows_several(projection, names):
            return None
        if not projection.is_star:
            shown.append((output_name(projection, schema), names.kind(projection.unalias())))
            continue
        of = projection.args.get("table") if isinstance(projection, exp.Column) else None
        star = projection.this if of else projection
        relations = names.shown_by(projection, of)
        if (
            None in relations
            or {key for key, one in star.args.items() if one} - MODIFIERS
            or names._is_ambiguous
        ):
            return None
        columns = [item for one in relations if one is not None for item in one.values()]
        shown += modified(star, columns, names.kind, schema)
    return shown

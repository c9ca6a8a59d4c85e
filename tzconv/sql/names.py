"""Which table a column of a query belongs to, and of what kind an expression is."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from tzconv.sql.expressions import is_now_call, zone_conversion
from tzconv.sql.nodes import NewTime, StatementTime
from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind, Schema, kind_of_type

NOW_NODES = (exp.CurrentTimestamp, exp.CurrentDate, exp.Localtimestamp)
_KINDS_OF_CALLS: dict[Kind, tuple[type[Node], ...]] = {
    "timestamptz": (exp.CurrentTimestamp,),
    "timestamp": (exp.Localtimestamp, StatementTime),
    "date": (exp.CurrentDate, exp.Date),
    "text": (exp.Lower, exp.Upper, exp.Trim),
    "interval": (exp.Interval,),
}
_PLAIN = {"this", "db", "alias", "joins", "sample", "only"}
"""What may be said of a table whose columns are those of the schema."""
_CONVERTED: dict[Kind | None, Kind] = {"timestamp": "timestamptz", "timestamptz": "timestamp"}


Columns: TypeAlias = Mapping[str, Kind | None]
"""Names in lower case and the kinds of what they hold; None where a kind is not known."""


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
        self._found: dict[str, Columns | None] = {}

    @functools.cached_property
    def _columns(self) -> dict[str, Columns | None]:
        return {alias: self._columns_by(alias) for alias in self.owners}

    def _columns_by(self, alias: str) -> Columns | None:
        """The columns of one relation; others are not looked at, which may look at this one."""
        if alias not in self._found:
            self._found[alias] = None  # of a LATERAL in terms of itself nothing is known
            self._found[alias] = self._columns_of(self.owners[alias])
        return self._found[alias]

    @functools.cached_property
    def _merged(self) -> set[str]:
        """Names that stand for columns of two relations, which need not be of one kind."""
        joins = self.scope.expression.args.get("joins") or []
        using = [one.name.casefold() for join in joins for one in join.args.get("using") or []]
        if all(join.method != "NATURAL" for join in joins):
            return set(using)
        known = Counter(name for columns in self._columns.values() for name in columns or ())
        least = 1 if None in self._columns.values() else 2  # an unknown table may have any name
        return {*using, *(name for name, times in known.items() if times >= least)}

    @functools.cached_property
    def nodes(self) -> list[Node]:
        """All nodes of this SELECT without those of its subqueries, parents before children."""
        return list(self.scope.walk())

    def owner(self, column: exp.Column) -> Owner | None:
        """The relation of this SELECT that a column belongs to; None if unknown or outer."""
        if column.table:
            found = self.owners.get(column.table.casefold())
            return None if found is None or column.args.get("db") else found
        name = column.name.casefold()
        if self._is_ambiguous or name in self._merged or self._may_be_alias(column, name):
            return None
        known = [a for a, columns in self._columns.items() if columns and name in columns]
        if len(known) == 1:
            return self.owners[known[0]]
        if not known and len(self.owners) == 1 and not self.scope.is_correlated_subquery:
            alias, owner = next(iter(self.owners.items()))
            return owner if self._columns[alias] is None else None
        return None

    def _may_be_alias(self, column: exp.Column, name: str) -> bool:
        """Whether a name in HAVING or QUALIFY may be that of an output column."""
        clause = column.find_ancestor(exp.Having, exp.Qualify, exp.Query)
        shown = self.scope.expression.expressions
        return isinstance(clause, (exp.Having, exp.Qualify)) and any(
            isinstance(one, exp.Alias) and one.alias.casefold() == name for one in shown
        )

    def columns(self, owner: Owner) -> Columns | None:
        """The columns of a relation in lower case; None where they are not known."""
        return self._columns_by(owner.alias.casefold())

    def kind(self, node: Node | None) -> Kind | None:
        """The kind of an expression's value; None where it is unknown."""
        if isinstance(node, (exp.Paren, exp.Filter, exp.Window, exp.Nullif)):
            return self.kind(node.this)
        if isinstance(node, exp.Column):
            owner = self.owner(node)
            if owner is None:
                outer = self._outer_for(node.table)
                return None if outer is None else outer.kind(node)
            columns = self.columns(owner)
            return None if columns is None else columns.get(node.name.casefold())
        if isinstance(node, exp.Cast):  # TryCast too
            return kind_of_type(node.to, self.schema.dialect)
        if isinstance(node, exp.Literal):
            return "text" if node.is_string else "other"
        return self._kind_of_call(node)

    def _outer_for(self, table: str) -> Names | None:
        """The names of the query around this one, where a qualified column must be one of those."""
        known = [columns for columns in self._columns.values() if columns is not None]
        is_own = table.casefold() in self.owners or self._is_ambiguous
        # DuckDB takes a.b for a field of a column a before it looks further out
        is_field = any(table.casefold() in columns for columns in known)
        if not table or is_own or is_field or len(known) < len(self.owners):
            return None
        return self._outer

    @functools.cached_property
    def _outer(self) -> Names | None:
        """The query that a subquery or a LATERAL stands in; other relations see nothing of it."""
        parent = self.scope.parent if self.scope.is_subquery else None
        if parent is not None and isinstance(parent.expression, exp.Lateral):
            parent = parent.parent
        if parent is None or not isinstance(parent.expression, exp.Select):
            return None
        return names_of(parent, self.schema)

    def _kind_of_call(self, node: Node | None) -> Kind | None:
        if isinstance(node, NewTime):
            return node.args.get("kind") or "timestamp"
        for known, types in _KINDS_OF_CALLS.items():
            if isinstance(node, types):
                return known
        if is_now_call(node):
            return "timestamptz"
        zone_and_value = zone_conversion(node)
        if zone_and_value is not None:
            return _CONVERTED.get(self.kind(zone_and_value[1]))
        if isinstance(node, exp.TimestampTrunc):
            kind = self.kind(node.this)
            return kind if kind in ("timestamp", "timestamptz") else None
        return self._kind_of_operation(node)

    def _kind_of_operation(self, node: Node | None) -> Kind | None:
        if isinstance(node, (exp.Add, exp.Sub)):
            moved = self.kind(node.this) if self.kind(node.expression) == "interval" else None
            return moved if moved in ("timestamp", "timestamptz", "interval") else None
        if isinstance(node, exp.Mul):
            sides = {self.kind(node.this), self.kind(node.expression)}
            return "interval" if "interval" in sides else None
        parts: list[Node | None] = []
        if isinstance(node, exp.Case):
            results = [*(part.args["true"] for part in node.args["ifs"]), node.args.get("default")]
            parts = [part for part in results if part and not isinstance(part, exp.Null)]
        elif isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least, exp.Max, exp.Min)):
            parts = [node.this, *node.expressions]
        kinds = {self.kind(part) for part in parts}
        return kinds.pop() if len(kinds) == 1 else None

    def _columns_of(self, owner: Owner) -> Columns | None:
        alias = owner.node.args.get("alias")
        names = alias.args.get("columns") if alias else None
        source = owner.source
        if isinstance(owner.node, exp.Table) and _may_be_later(owner.node, source):
            return None
        if isinstance(source, exp.Table):
            is_plain = {key for key, value in source.args.items() if value} <= _PLAIN
            ctes = [] if source.db else self._ctes_named(source)
            if not ctes:
                return self.schema.columns(source) if is_plain and not names else None
            if not is_plain or len(ctes) > 1 or ctes[0] is None:
                return None
            source = ctes[0]
        if isinstance(source.expression, exp.Lateral):
            if len(source.subquery_scopes) != 1:  # a function
                return None
            source = source.subquery_scopes[0]
        return _output(source, self.schema, [name.name for name in names or []])

    def _ctes_named(self, table: exp.Table) -> list[Scope | None]:
        """CTEs with the name of a table but for case, which sqlglot takes for others.

        None for one in quotes: whether it is the same, engines decide.
        """
        found: list[Scope | None] = []
        for name, cte in self.scope.cte_sources.items():
            if name.casefold() == table.name.casefold():
                scope = cte if isinstance(cte, Scope) else None
                named = scope.expression.parent if scope else None
                is_plain = isinstance(named, exp.CTE) and not named.args["alias"].this.quoted
                found.append(scope if is_plain and not table.this.args.get("quoted") else None)
        return found


def _may_be_later(table: exp.Table, source: exp.Table | Scope) -> bool:
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


_NAMES = "tzconv_names"


def names_of(scope: Scope, schema: Schema) -> Names:
    """The names of a SELECT, resolved once: relations beside it and inside it ask for them too."""
    known: Names | None = getattr(scope, _NAMES, None)
    if known is None or known.schema is not schema:
        known = Names(scope, schema)
        setattr(scope, _NAMES, known)
    return known


def _output(scope: Scope, schema: Schema, renamed: list[str]) -> Columns | None:
    """The named output columns of a derived table or CTE; None where a star hides some.

    ``renamed`` are the names that its alias lists for the first of them.
    """
    renamed = renamed or list(scope.outer_columns)
    shown = _positions(scope, schema)
    if shown is None:
        if renamed or isinstance(scope.expression, exp.SetOperation):
            return None
        shown = _starred(scope, schema)
        if shown is None:
            return None
    new = [name.casefold() for name in [*renamed, *(name for name, _ in shown[len(renamed) :])]]
    times = Counter(new)  # of two columns with one name the engine takes one, or complains
    kinds = (kind for _, kind in shown)
    return {
        name: kind if times[name] == 1 else None
        for name, kind in zip(new, kinds, strict=False)
        if name
    }


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
    if isinstance(query, exp.Values):
        names = names_of(scope, schema)
        rows = [[names.kind(one) for one in row.expressions] for row in query.expressions]
        # a row of another length is refused; without an alias list the names differ by engine
        return [
            ("", kinds[0] if len(set(kinds)) == 1 else None) for kinds in zip(*rows, strict=False)
        ]
    if not isinstance(query, exp.Select) or any(part.is_star for part in query.selects):
        return None
    return list(_shown(scope, schema))


def _shown(scope: Scope, schema: Schema) -> Iterator[tuple[str, Kind | None]]:
    """Names and kinds of the output columns, where none is a star."""
    names = names_of(scope, schema)
    for projection in scope.expression.expressions:
        yield projection.output_name, names.kind(projection.unalias())


def _starred(scope: Scope, schema: Schema) -> list[tuple[str, Kind | None]] | None:
    """The output columns where some are stars; None where a star may show an unknown column.

    Then a name after the star may be one more of the same name, and the engine takes the first.
    """
    names, shown = names_of(scope, schema), list[tuple[str, Kind | None]]()
    for projection in scope.expression.selects if isinstance(scope.expression, exp.Query) else ():
        if not projection.is_star:
            if projection.find(exp.Star, exp.Columns) not in (None, projection) and not (
                projection.find(exp.Count)
            ):
                return None
            shown.append((projection.output_name, names.kind(projection.unalias())))
            continue
        of = projection.table.casefold() if isinstance(projection, exp.Column) else ""
        star = projection.this if of else projection
        relations = [columns for alias, columns in names._columns.items() if of in ("", alias)]
        outer = names._outer_for(of)
        if outer is not None:
            relations = [outer._columns_by(of) if of in outer.owners else None]
        if (
            not relations
            or None in relations
            or {key for key, one in star.args.items() if one} - _STAR
            or names._is_ambiguous
        ):
            return None
        columns = [item for one in relations if one is not None for item in one.items()]
        shown += _modified(star, columns, names)
    return shown


_STAR = {"except_", "replace", "rename"}


def _modified(
    star: Node, columns: list[tuple[str, Kind | None]], names: Names
) -> Iterator[tuple[str, Kind | None]]:
    """What a star shows of columns with EXCLUDE, REPLACE and RENAME."""
    left_out = {one.name.casefold() for one in star.args.get("except_") or []}
    replaced = {one.alias.casefold(): one.this for one in star.args.get("replace") or []}
    renamed = {one.this.name.casefold(): one.alias for one in star.args.get("rename") or []}
    for name, kind in columns:
        if name not in left_out:
            shown = names.kind(replaced[name]) if name in replaced else kind
            yield renamed.get(name, name), shown


def selects_of(statement: Node, *, has_locks: bool = True) -> list[Scope]:
    """The SELECTs of a query, of CREATE … AS and of INSERT; other statements have none."""
    is_around = isinstance(statement, (exp.Create, exp.Insert))
    query = statement.expression if is_around else statement
    if not isinstance(query, exp.Query):
        return []
    for lock in query.find_all(exp.Lock) if has_locks else ():
        lock.set("expressions", None)  # sqlglot takes FOR UPDATE OF a for one more relation a
    return [scope for scope in traverse_scope(query) if isinstance(scope.expression, exp.Select)]

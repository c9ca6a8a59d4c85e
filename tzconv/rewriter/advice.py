"""The ``--types`` option that a message suggests for a column of unknown type."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.sql.names import Names, names_of
from tzconv.sql.parse import Node
from tzconv.sql.schema import Schema, is_complete
from tzconv.sql.text import identifier
from tzconv.sql.visible import Owner

_UNKNOWN = "?"
"""In place of a column whose table is unknown."""


def to_declare(value: Node, names: Names, kinds: tuple[str, ...]) -> str:
    """How to declare the columns of a value, as the end of a sentence.

    Empty where no declaration helps: the columns are those of a function, or of another query's
    expression. ``kinds`` are the types that it may have, the most probable first.
    """
    wanted: list[str] = []
    for column in value.find_all(exp.Column):
        if names.kind(column) is None:
            found = _origins(column, names)
            if not found:
                return ""
            wanted += found
    if not wanted:
        return ""
    if names.schema.is_forgotten:
        return ": a statement before it may have changed it"
    if any(one == _UNKNOWN for one in wanted):
        return (
            ": write its table before it, or declare the columns of all tables with --schema-file"
        )
    texts = ",".join(f"{one}={kinds[0]}" for one in dict.fromkeys(wanted))
    quote = "'" if '"' in texts else '"'
    other = f" (or {', '.join(kinds[1:])})" if kinds[1:] else ""
    return f": add --types {quote}{texts}{quote}{other}"


def _origins(column: exp.Column, names: Names) -> list[str]:
    """The columns of tables that a column shows, as ``table.column``, if known."""
    owner = names.owner(column)
    if owner is not None:
        return _of_owner(owner, column.this, names.schema)
    if column.table:
        return []
    owners = names.owners
    open_tables = [owners[one] for one in owners if not is_complete(names.columns_by(one))]
    if len(open_tables) == 1:
        return _of_owner(open_tables[0], column.this, names.schema)
    return [_UNKNOWN] if open_tables else []


def _of_owner(owner: Owner, name: Node, schema: Schema) -> list[str]:
    if isinstance(owner.source, exp.Table):
        table = owner.node
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return []
        parts = [part for part in map(table.args.get, ("catalog", "db", "this")) if part]
        # a file of DuckDB has a dot in its name, which no declaration may
        if is_complete(schema.columns(table)) or any("." in part.name for part in parts):
            return []
        return [".".join(map(_quoted, (*parts, name)))]
    return _shown(owner.source, name, schema)


def _branches(scope: Scope) -> Iterator[Scope]:
    """The SELECTs of a query: those of a UNION must agree about a type."""
    branches = scope.set_operation_scopes if isinstance(scope.expression, exp.SetOperation) else []
    if not branches:
        yield scope
    for branch in branches:
        yield from _branches(branch)


def _shown(scope: Scope, name: Node, schema: Schema) -> list[str]:
    """The origins of an output column that is only a column of a table."""
    first, *_ = branches = list(_branches(scope))
    if not all(isinstance(one.expression, exp.Select) for one in branches):
        return []
    names = [one.alias_or_name.casefold() for one in first.expression.expressions]
    if names == ["*"] and len(branches) == 1:
        owners = list(names_of(first, schema).owners.values())
        return _of_owner(owners[0], name, schema) if len(owners) == 1 else []
    if names.count(name.name.casefold()) != 1:
        return []
    found: list[str] = []
    for branch in branches:  # a UNION takes columns by their place
        if len(branch.expression.expressions) != len(names):  # a star stands for several
            return []
        projection = branch.expression.expressions[names.index(name.name.casefold())].unalias()
        if not isinstance(projection, exp.Column):
            return []
        found += _origins(projection, names_of(branch, schema))
    return found


def _quoted(part: Node) -> str:
    is_plain = part.name.isidentifier() and (part.name.islower() or not part.args.get("quoted"))
    return part.name if is_plain else identifier(part.name)

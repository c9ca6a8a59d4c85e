"""Rewritten texts that bind only while columns have the kinds that the rewriter relied on.

A column may get another type elsewhere, or a path may lead to another table: the rewritten text is
then an error and never another answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeGuard

from sqlglot import exp

from tzconv import tables
from tzconv.engines.alchemy import Alchemy, Path, Relation
from tzconv.errors import RewriteError
from tzconv.sql.expressions import upwards
from tzconv.sql.parse import Node, parse
from tzconv.sql.reading import Nested
from tzconv.sql.schema import Kind, Schema, Tables

_OURS = {table.name for table in tables.CONVERSIONS.values()}


def typed(
    alchemy: type[Alchemy],
    text: str,
    dialect: str,
    types: Tables,
    words: Collection[str],
    zone: str | None,
) -> str:
    """The rewritten text with a check of the columns among ``words``.

    ``zone`` is that of the session, if the text depends on it. RewriteError if no place for the
    check is certain.
    """
    source, known = parse(text, dialect), Schema(types, dialect)
    tree = source.statements[0]
    queries = {one.alias.casefold() for one in tree.find_all(exp.CTE)}
    relations = []
    for table in filter(_is_users, tree.find_all(exp.Table)):
        columns = known.columns(table) or {}
        known_kinds = ((name.key, kind) for name, kind in columns.values() if name.key in words)
        kinds = {path: of for name, kind in known_kinds for path, of in _paths(name, kind, words)}
        is_query = not table.args.get("db") and table.name.casefold() in queries
        if is_query and any(one.args.get("recursive") for one in tree.find_all(exp.With)):
            raise RewriteError(f"{table.name} may be a table or a recursive query.")
        if is_query and _is_cte(table):
            kinds = {}
        parts = [part for part in map(table.args.get, ("catalog", "db", "this")) if part]
        start, end = parts[0].meta["start"], parts[-1].meta["end"] + 1
        has_alias = table.args.get("alias") is not None
        around = (one for one in upwards(table) if one.arg_key == "expressions")
        is_shown = any(isinstance(one.parent, exp.Select) for one in around)  # of an output column
        relations.append(Relation(text[start:end], start, end, has_alias, kinds, is_shown))
    if zone is not None and relations and all(one.is_shown for one in relations):
        raise RewriteError("Every table is in a subquery that may name a column.")
    return alchemy.typed(text, source.tokens[0].start, relations, zone)


def _paths(name: str, kind: Kind | None, words: Collection[str]) -> Iterator[tuple[Path, str]]:
    """The kind of a column, or those of its values and of its fields among some words.

    A field in a text, such as ``s['my ts']``, may be several words or none.
    """
    if isinstance(kind, Nested):
        for part, of in kind.kinds:
            if not (part.isascii() and part.isidentifier()) or part.lower() in words:
                yield from (((name, *path), plain) for path, plain in _paths(part, of, words))
    elif kind is not None:
        yield (name,), kind


def _is_cte(table: exp.Table) -> bool:
    """Whether a name certainly means a CTE of a WITH around it, and no table."""
    inside: Node = table
    for one in upwards(table):
        if isinstance(one, exp.CTE):
            inside = one
        elif (with_ := one.args.get("with_")) is not None:
            before = inside.index if inside.parent is with_ else None
            names = (cte.args["alias"].this for cte in with_.expressions[:before])
            if any(_key(name) == _key(table.this) for name in names):
                return True
    return False


def _key(name: exp.Identifier) -> tuple[bool, str]:
    """Names with one key are one to every engine."""
    return name.quoted, name.name if name.quoted else name.name.casefold()


def _is_users(table: Node) -> TypeGuard[exp.Table]:
    """Whether a node is a table of the user's; ours have the types that tzconv made."""
    is_name = isinstance(table.this, exp.Identifier) and "start" in table.this.meta
    is_made = isinstance(table.parent, exp.Into)
    return is_name and not is_made and table.name not in _OURS

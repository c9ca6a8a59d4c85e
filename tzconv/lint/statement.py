"""One statement as the rules see it: its SELECTs, the types of columns, and what a rewrite does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from tzconv import rewriter
from tzconv.errors import TzconvError
from tzconv.rewriter import Rewrite
from tzconv.rewriter.names import Names
from tzconv.rewriter.parse import Node, Source, parse, without_warnings
from tzconv.rewriter.schema import Schema
from tzconv.zones import Rules

Types = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found: the node at fault, and a sentence about it."""

    node: Node
    message: str


@dataclass(frozen=True)
class Select:
    """One SELECT with the names that are known in it."""

    names: Names
    expression: exp.Select

    @property
    def nodes(self) -> list[Node]:
        """All nodes of it without those of its subqueries, parents before children."""
        return self.names.nodes

    def conditions(self) -> Iterator[Node]:
        """What WHERE and the ON of each join say."""
        where = self.expression.args.get("where")
        if where is not None:
            yield where.this
        for join in self.expression.args.get("joins") or []:
            if join.args.get("on") is not None:
                yield join.args["on"]

    def kind(self, node: Node) -> str | None:
        """The kind of a value, None where it is not known; see the rewriter's schema."""
        return self.names.kind(node)

    def declared_type(self, column: exp.Column, types: Types) -> str | None:
        """The type of a column as it was declared, in lower case."""
        owner = self.names.owner(column)
        if owner is None or not isinstance(owner.source, exp.Table):
            return None
        parts = [part.name for part in (owner.source.args.get("db"), owner.source.this) if part]
        for table in (".".join(parts), parts[-1]):
            for name, columns in types.items():
                if name.casefold() == table.casefold():
                    for known, text in columns.items():
                        if known.casefold() == column.name.casefold():
                            return text.casefold()
        return None


@dataclass(frozen=True)
class Statement:
    """``result`` is what the rewriter makes of it, None where it cannot rewrite the dialect."""

    source: Source
    tree: Node
    selects: tuple[Select, ...]
    types: Types
    dialect: str
    rules: Rules
    result: Rewrite | None
    _places: dict[int, tuple[int, int]] = field(default_factory=dict, repr=False)

    def place(self, node: Node) -> tuple[int, int]:
        """The characters of a node; where they are not noted, from its first name to its last."""
        found = self.source.range(node)
        if found is not None:
            return found
        ends = [
            (part.meta["start"], part.meta["end"] + 1)
            for part in node.walk()
            if "start" in part.meta and "end" in part.meta
        ]
        if not ends:
            return (0, len(self.source.text))
        return min(start for start, _ in ends), max(end for _, end in ends)

    def is_changed(self, node: Node) -> bool:
        """Whether the rewrite changes characters of a node."""
        start, end = self.place(node)
        changes = self.result.changes if self.result else ()
        return any(
            start <= change.start <= end
            if change.start == change.end  # an insertion, perhaps right behind it
            else change.start < end and start < change.end
            for change in changes
        )

    @property
    def can_be_rewritten(self) -> bool:
        """Whether there is a rewriter for the dialect."""
        return self.result is not None


def read(
    text: str, dialect: str, types: Types, rules: Rules, session_time_zone: str
) -> list[Statement]:
    """The statements of a text; ParseError where it is not understood."""
    source = parse(text, dialect)
    result: Rewrite | None = None
    if dialect in rewriter.DIALECTS:
        try:
            result = rewriter.rewrite(
                text,
                dialect=dialect,
                schema=types,
                rules=rules,
                session_time_zone=session_time_zone,
            )
        except TzconvError:
            result = Rewrite(text, (), ())
    schema = Schema(types, dialect)
    found = []
    for tree in source.statements:
        found.append(
            Statement(source, tree, tuple(_selects(tree, schema)), types, dialect, rules, result)
        )
    return found


def _selects(tree: Node, schema: Schema) -> list[Select]:
    query = tree.expression if isinstance(tree, (exp.Create, exp.Insert)) else tree
    found: list[Select] = []
    if not isinstance(query, exp.Query):
        return found
    for lock in query.find_all(exp.Lock):
        lock.set("expressions", None)  # sqlglot takes FOR UPDATE OF a for one more relation a
    # names that cannot be resolved: the database will say so
    with contextlib.suppress(SqlglotError), without_warnings():
        for scope in traverse_scope(query):
            if isinstance(scope.expression, exp.Select):
                found.append(Select(Names(scope, schema), scope.expression))
    return found

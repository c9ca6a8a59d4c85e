"""One statement as the rules see it: its SELECTs, the types of columns, and what a rewrite does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError

from tzconv import rewriter
from tzconv.errors import TzconvError
from tzconv.rewriter import Rewrite
from tzconv.sql.names import Names
from tzconv.sql.parse import Node, Range, Source, parse, without_warnings
from tzconv.sql.schema import Schema, Tables
from tzconv.sql.script import Script, with_tables
from tzconv.sql.selects import selects_of
from tzconv.tz.zones import Rules


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found: the node at fault, and a sentence about it."""

    node: Node
    message: str


@dataclass(frozen=True)
class CheckedStatement:
    """``result`` is what the rewriter makes of it."""

    source: Source
    tree: Node
    types: Tables
    dialect: str
    rules: Rules
    result: Rewrite

    def place(self, node: Node) -> Range:
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
        return any(
            start <= change.start <= end
            if change.start == change.end  # an insertion, perhaps right behind it
            else change.start < end and start < change.end
            for change in self.result.changes
        )


@dataclass(frozen=True)
class Select:
    """One SELECT of a statement with the names that are known in it."""

    names: Names
    statement: CheckedStatement

    @property
    def joins(self) -> list[exp.Join]:
        """The joins of its FROM clause."""
        return self.names.scope.expression.args.get("joins") or []

    def conditions(self) -> Iterator[Node]:
        """What WHERE and the ON of each join say."""
        where = self.names.scope.expression.args.get("where")
        yield from [where.this] if where is not None else []
        yield from (join.args["on"] for join in self.joins if join.args.get("on") is not None)

    def named_in_conditions(self) -> set[tuple[str, str]]:
        """Table (empty where none is named) and name of the columns in its conditions."""
        columns = (one for part in self.conditions() for one in part.find_all(exp.Column))
        return {(column.table.casefold(), column.name.casefold()) for column in columns}

    def declared_type(self, column: exp.Column) -> str | None:
        """The type of a column as it was declared."""
        owner = self.names.owner(column)
        if owner is None or not isinstance(owner.source, exp.Table):
            return None
        tables = {name.casefold(): columns for name, columns in self.statement.types.items()}
        name = owner.source.name.casefold()
        columns = tables.get(f"{owner.source.db.casefold()}.{name}") or tables.get(name) or {}
        folded = column.name.casefold()
        return next((text for name, text in columns.items() if name.casefold() == folded), None)


def read(
    text: str,
    dialect: str,
    types: Tables,
    rules: Rules,
    session_time_zone: str,
    script: Script,
) -> list[Select]:
    """The SELECTs of a text after those of a script; ParseError where it is not understood."""
    source = parse(text, dialect)
    try:
        result = rewriter.rewrite(
            text,
            dialect=dialect,
            schema=types,
            rules=rules,
            session_time_zone=session_time_zone,
            script=script,
        )
    except TzconvError:
        result = Rewrite(text, (), ())
    found: list[Select] = []
    for tree, schema, _ in with_tables(source.statements, Schema(types, dialect), dialect, script):
        statement = CheckedStatement(source, tree, types, dialect, rules, result)
        # names that cannot be resolved: the database will say so
        with contextlib.suppress(SqlglotError), without_warnings():
            for scope in selects_of(tree):
                found.append(Select(Names(scope, schema), statement))
    return found

"""One statement as the rules see it: its SELECTs, the types of columns, and its rewrite."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlglot import exp

from tzconv import rewriter
from tzconv.errors import CheckError
from tzconv.rewriter import Analysis, Rewrite
from tzconv.rewriter.sweep import extent
from tzconv.sql.containers import head
from tzconv.sql.lexer import words
from tzconv.sql.names import Names
from tzconv.sql.parse import Node, Range
from tzconv.sql.schema import Tables
from tzconv.sql.script import Script
from tzconv.tz.zones import Rules

Hit: TypeAlias = tuple[Node, str]
"""What a rule found: the node at fault, and a sentence about it."""
_ADVISE = ("unknown-type", "unnamed-parameter")
"""Codes of reasons that name a remedy."""


@dataclass(frozen=True)
class CheckedStatement:
    """A query of the statement ``text``; ``result`` is the rewrite of the whole statement."""

    text: str
    read: Analysis
    dialect: str
    rules: Rules
    result: Rewrite

    def place(self, node: Node) -> Range:
        """The characters of a node; where they are unknown, from its first name to its last."""
        found = self.read.source.range(node) or extent(node) or (0, len(self.read.source.text))
        return found[0] + self.read.shift, found[1] + self.read.shift

    @functools.cached_property
    def is_stored(self) -> bool:
        """Whether its rows are stored, as those of a materialized view are."""
        return head(words(self.text)) == "CREATE MATERIALIZED VIEW"

    def is_changed(self, node: Node) -> bool:
        """Whether the rewrite changes characters of a node."""
        start, end = self.place(node)
        is_left = any((left.start, left.end) == (start, end) for left in self.result.left)
        return any(
            start <= change.start <= end and not is_left
            if change.start == change.end  # an insertion, perhaps right behind it
            else change.start < end and start < change.end
            for change in self.result.changes
        )

    def advice(self, node: Node) -> str | None:
        """The reason why the rewrite leaves a node, if it says what a person can do about it."""
        start, end = self.place(node)
        return next(
            (
                left.reason
                for left in self.result.left
                if left.code in _ADVISE and left.start <= start and end <= left.end
            ),
            None,
        )

    def has_bounds(self, condition: Node) -> bool:
        """Whether the rewrite adds bounds made of the current time to a condition."""
        start, end = self.place(condition)
        return any(one.rule == "today" and start <= one.start <= end for one in self.result.changes)


@dataclass(frozen=True)
class Select:
    """One SELECT of a statement with the names that are known in it."""

    names: Names
    statement: CheckedStatement

    @property
    def joins(self) -> list[exp.Join]:
        """The joins of its FROM clause."""
        return self.names.scope.expression.args.get("joins") or []

    def conditions(self) -> list[Node]:
        """The conditions of WHERE and of the ON of each join."""
        where = self.names.scope.expression.args.get("where")
        on = [join.args["on"] for join in self.joins if join.args.get("on") is not None]
        return on if where is None else [where.this, *on]

    def named_in_conditions(self) -> set[tuple[str, str]]:
        """Table (empty where none is named) and name of the columns in its conditions."""
        columns = (one for part in self.conditions() for one in part.find_all(exp.Column))
        return {(column.table.casefold(), column.name.casefold()) for column in columns}

    def declared_type(self, column: exp.Column) -> str | None:
        """The type of a column as it was declared."""
        owner = self.names.owner(column)
        if owner is None or not isinstance(owner.source, exp.Table):
            return None
        tables, name = self.names.schema.tables, owner.source.name.casefold()
        columns = tables.get(f"{owner.source.db.casefold()}.{name}") or tables.get(name) or {}
        types = {known.casefold(): text for known, text in columns.items()}
        return types.get(column.name.casefold())


def read(
    text: str, dialect: str, types: Tables, rules: Rules, script: Script, **settings: Any
) -> list[Select]:
    """The SELECTs of a text that runs after a script; ParseError where it is not understood.

    They are those that the rewriter sees. ``settings`` are more arguments of
    :func:`tzconv.rewrite`.
    """
    seen: list[Analysis] = []
    result = Rewrite(text, (), ())
    with contextlib.suppress(CheckError):  # what was read can be checked all the same
        result = rewriter.rewrite(
            text,
            dialect=dialect,
            schema=types,
            rules=rules,
            script=script,
            watch=seen.append,
            **settings,
        )
    found: list[Select] = []
    for one in seen:
        statement = CheckedStatement(text, one, dialect, rules, result)
        found += [Select(names, statement) for names in one.selects]
    return found

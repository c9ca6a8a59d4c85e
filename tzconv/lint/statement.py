"""One statement as the rules see it: its SELECTs, the types of columns, and its rewrite."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv import rewriter
from tzconv.errors import CheckError
from tzconv.rewriter import Analysis, Rewrite
from tzconv.rewriter.conversions import is_fallback, is_ours
from tzconv.rewriter.sweep import extent
from tzconv.sql.containers import head
from tzconv.sql.expressions import ConversionChain, conversion_chains, is_now, without_parens
from tzconv.sql.lexer import words
from tzconv.sql.names import Names
from tzconv.sql.parse import Node, Range
from tzconv.sql.schema import Tables
from tzconv.sql.script import Script
from tzconv.tz.zones import Rules

Hit: TypeAlias = tuple[Node, str]
"""What a rule found: the node at fault, and a sentence about it."""
TIMES = ("timestamp", "timestamptz", None)
"""The kinds of values that are, or may be, times."""
_ADVISE = ("session-time-zone", "unknown-type", "unnamed-parameter")
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

    def conversions(self) -> Iterator[ConversionChain]:
        """All conversions, a chain of them once, whether or not they can be rewritten."""
        for found in conversion_chains(self.names.nodes):
            if not (is_ours(found.node) or is_fallback(found.node)):
                yield found

    def is_worth_reporting(self, found: ConversionChain) -> bool:
        """Whether a rewrite changes a conversion of each row, or would if it knew more."""
        if not found.zones or self._is_of_one_row(found.value):
            return False
        if self.statement.is_changed(found.node):
            return not has_now(found.value)
        return self._is_bare_time(found.value) and self.advice(found) is not None

    def advice(self, found: ConversionChain) -> str | None:
        """What a person can do so that a conversion is rewritten, or a part of its chain."""
        return next(filter(None, map(self.statement.advice, found.links)), None)

    def _is_bare_time(self, value: Node) -> bool:
        """Whether a value is a column that is, or may be, a time; casts of it to one included."""
        if isinstance(value, exp.Cast) and self.names.kind(value) in ("timestamp", "timestamptz"):
            value = without_parens(value.this)
        return isinstance(value, exp.Column) and self.names.kind(value) in TIMES

    def _is_of_one_row(self, value: Node) -> bool:
        """Whether all columns of a value come from subqueries without FROM, which have one row."""
        sources = [self.names.owner(column) for column in value.find_all(exp.Column)]
        return bool(sources) and all(
            source is not None
            and isinstance(source.source, Scope)
            and isinstance(source.source.expression, exp.Select)
            and source.source.expression.args.get("from_") is None
            for source in sources
        )

    def declared_type(self, column: exp.Column) -> str | None:
        """The type of a column as it was declared."""
        owner = self.names.owner(column)
        if owner is None or not isinstance(owner.source, exp.Table):
            return None
        tables, name = self.names.schema.tables, owner.source.name.casefold()
        columns = tables.get(f"{owner.source.db.casefold()}.{name}") or tables.get(name) or {}
        types = {known.casefold(): text for known, text in columns.items()}
        return types.get(column.name.casefold())


def has_now(node: Node) -> bool:
    """Whether a node contains NOW() or its like."""
    return any(map(is_now, node.walk()))


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

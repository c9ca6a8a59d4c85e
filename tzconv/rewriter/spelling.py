"""One key for all spellings of an expression, so that what is one to the engine is one here.

Columns are known by their relation, whether the text names it or not. Parentheses, casts of a value
to the type that it has, the quotes of names and of constants say nothing. Some that are one to an
engine stay apart (``x::date`` and ``date(x)``), so a difference of keys proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from tzconv.sql.expressions import zone_conversion
from tzconv.sql.names import Names
from tzconv.sql.parse import Node
from tzconv.sql.schema import kind_of_type, name_of

Key: TypeAlias = tuple[object, ...]

_TEXTS = (exp.RawString, exp.ByteString, exp.UnicodeString)
_ONE_TYPE = ("text", "timestamp", "timestamptz", "date", "interval")
"""Kinds whose values a cast to the same kind leaves alone."""


@dataclass(slots=True)
class Spelling:
    """The keys of the expressions of one SELECT; ``became`` has the new trees of edited nodes."""

    names: Names
    became: Mapping[int, Node] = field(default_factory=dict)
    _known: dict[int, tuple[Node, Key]] = field(default_factory=dict)

    def now(self, node: Node) -> Node:
        """What an expression has become."""
        return self.became.get(id(node), node)

    def key(self, node: Node) -> Key:
        """What an expression is, or has become; each is looked at once."""
        known = self._known.get(id(node))
        if known is None:
            known = (node, self._key(self.now(node)))  # held, so that the node keeps its id
            self._known[id(node)] = known
        return known[1]

    def _key(self, node: Node) -> Key:
        if isinstance(node, (exp.Paren, exp.Alias)) or self._is_cast_to_itself(node):
            return self.key(node.this)
        if isinstance(node, exp.Column):
            return self._key_of_column(node)
        if isinstance(node, exp.Identifier):
            return ("name", name_of(node, self.names.schema.dialect).key)
        if isinstance(node, exp.Literal):
            return ("text" if node.is_string else "number", node.name)
        if isinstance(node, _TEXTS) and "\\" not in node.name:
            return ("text", node.name)
        if isinstance(node, exp.Placeholder) and not node.this:
            return ("parameter", id(node))  # each is a value of its own
        converted = zone_conversion(node)
        if converted is not None:
            return ("zone", *map(self.key, converted))
        parts = [(name, self._part(part)) for name, part in sorted(node.args.items())]
        return (type(node), *(one for one in parts if one[1] not in (None, False, ())))

    def _part(self, part: object) -> object:
        if isinstance(part, list):
            return tuple(map(self._part, part))
        if isinstance(part, exp.Expr):
            return self.key(part)
        return part.casefold() if isinstance(part, str) else part

    def _is_cast_to_itself(self, node: Node) -> bool:
        if not isinstance(node, exp.Cast) or node.to.expressions:
            return False
        kind = kind_of_type(node.to, self.names.schema.dialect)
        is_plain = kind != "text" or node.to.this in (exp.DType.TEXT, exp.DType.VARCHAR)
        return kind in _ONE_TYPE and is_plain and self.names.kind(node.this) == kind

    def _key_of_column(self, column: exp.Column) -> Key:
        owner = self.names.owner(column)
        if owner is None and column.args.get("db"):
            # the table that ``schema.table.column`` names: no other of that name is in the FROM
            named = self.names.owners.get(column.table.casefold())
            is_table = named and isinstance(named.node, exp.Table) and not named.node.alias
            owner = named if is_table else None
        if owner is None or not isinstance(column.this, exp.Identifier):
            return ("column", *map(self.key, column.parts))
        return ("column", owner.alias.casefold(), self.key(column.this))

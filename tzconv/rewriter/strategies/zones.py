"""Zones that come from rows: which relation they belong to, and how they are written inside it.

And what all strategies must know of the zones in the conversion tables.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.horizon import OFFSETS_UNTIL, seconds_of
from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import SECOND
from tzconv.rewriter.conversions import columns_text
from tzconv.rewriter.engines import Engine
from tzconv.rewriter.names import Owner
from tzconv.rewriter.parse import Node, Range
from tzconv.rewriter.purity import is_repeatable

COVERED_UNTIL = seconds_of(OFFSETS_UNTIL) * SECOND
"""The offsets of every zone are loaded up to then, whatever the horizon is."""


def without_fixed(engine: Engine, column: str) -> list[str]:
    """Conditions that leave out the names which an engine reads as offsets, not as zones."""
    names = ", ".join(f"'{name}'" for name in engine.fixed_names)
    return [f"{column} NOT IN ({names})"] if names else []


def owner_of_zone(block: Block, zone: Node) -> Owner | str:
    """The relation whose columns alone a zone is made of; the reason where there is none."""
    columns = list(zone.find_all(exp.Column))
    if not columns or not is_repeatable(zone):
        return "the zone is neither a column nor made of columns and constants alone"
    owners = [block.names.owner(column) for column in columns]
    if owners[0] is None or None in owners:
        return f"it cannot be told which table {columns_text(zone)} belongs to"
    if any(owner is not owners[0] for owner in owners):
        return "the zone is made of columns of several relations"
    return owners[0]


def inside(block: Block, node: Node, alias: str) -> str:
    """The text of a node as it must read beside other relations: with all columns qualified."""
    start, end = block.place(node)
    text = block.source.text
    columns = sorted(
        (block.place(column), block.place(column.this)) for column in node.find_all(exp.Column)
    )
    parts = []
    for (first, last), name in columns:
        parts += [text[start:first], f"{alias}.{text[slice(*name)]}"]
        start = last
    return "".join([*parts, text[start:end]])


def alias_range(table: exp.Table) -> Range:
    """The characters of the name by which the query refers to a relation."""
    alias = table.args.get("alias")
    name = alias.this if alias else table.this
    return (name.meta["start"], name.meta["end"] + 1)

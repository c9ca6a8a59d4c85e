"""What all strategies must know of zones that come from rows, and of those in the tables."""

from __future__ import annotations

from sqlglot import exp

from tzconv.engines.write import Engine
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import columns_text
from tzconv.rewriter.purity import is_repeatable
from tzconv.sql.constants import SECOND
from tzconv.sql.expressions import without_parens
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason
from tzconv.tz.horizon import OFFSETS_UNTIL, seconds_of

UNKNOWN = Reason(
    "unknown-column", "the tables of its columns are unknown (correlated subquery, or no schema)"
)
_QUOTED = (exp.RawString, exp.ByteString, exp.UnicodeString, exp.National)
COVERED_UNTIL = seconds_of(OFFSETS_UNTIL) * SECOND
"""The offsets of every zone are loaded up to then, whatever the horizon is."""


def without_fixed(engine: Engine, column: str) -> list[str]:
    """Conditions that leave out the names which an engine reads as offsets, not as zones."""
    names = ", ".join(f"'{name}'" for name in engine.fixed_names)
    return [f"{column} NOT IN ({names})"] if names else []


def why_not_of_rows(block: QueryBlock, zone: Node) -> Reason | None:
    """The reason why a zone cannot be looked up by name; None for one made of columns."""
    if isinstance(without_parens(zone), _QUOTED):
        return Reason("unsupported", "a constant zone is understood between single quotes alone")
    columns = list(zone.find_all(exp.Column))
    if not columns or not is_repeatable(zone):
        text = "the zone is neither a column nor made of columns and constants alone"
        return Reason("unsupported", text)
    unknown = [column for column in columns if block.names.owner(column) is None]
    if unknown and all(column.table for column in unknown):
        return UNKNOWN
    if unknown:
        text = f"the table of {columns_text(zone)} is unknown: qualify it, or declare its columns"
        return Reason("unknown-column", text)
    return None

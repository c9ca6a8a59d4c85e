"""Comparisons of a column that is shown in UTC, or read as UTC, with a constant of the query.

``seen AT TIME ZONE 'UTC' >= x`` is ``seen >= x AT TIME ZONE 'UTC'``: UTC has no gaps and no folds.
Then an index on the column serves, and the engine prunes.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.rewriter import local
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.comparisons import COMPARISONS, operators, unwrapped
from tzconv.rewriter.conversions import has_column
from tzconv.rewriter.local import Unit
from tzconv.rewriter.purity import is_fixed, positional
from tzconv.rewriter.relative import fixed_kind
from tzconv.sql.constants import DAY, constant
from tzconv.sql.expressions import is_utc, without_parens, zone_conversion
from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind

_SIGNS: dict[type[Node], str] = {
    exp.EQ: "=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}


def utc_comparisons(block: QueryBlock) -> Iterator[tuple[Node, str]]:
    """Comparisons in conditions, with what they are when the constant is converted instead."""
    if block.names.schema.reading.timestamp_is_zoned:
        return
    for node in block.names.nodes:
        if not isinstance(node, (*COMPARISONS, exp.Between)):
            continue
        parts = [_converted(block, *side) for side in operators(node)]
        if not parts or None in parts or block.source.range(node) is None:
            continue
        if not isinstance(node.find_ancestor(exp.Where, exp.Join, exp.Query), exp.Query):
            yield node, " AND ".join(filter(None, parts))


def _converted(block: QueryBlock, left: Node, right: Node, operator: type[Node]) -> str | None:
    unit, inner = unwrapped(left)
    conversion = zone_conversion(inner)
    if conversion is None or not is_utc(conversion[0]) or has_column(right):
        return None
    column, shown = conversion[1], block.names.kind(inner)
    kind = block.names.kind(column)
    if not isinstance(column, exp.Column) or kind is None or shown is None:
        return None
    if block.source.range(column) is None or block.source.range(right) is None:
        return None
    value = constant(right, shown, block.names)
    name = block.text(column)
    if unit == "microsecond":
        if kind == fixed_kind(right, block.names) and _is_shown_as_it_is(block, kind, right):
            return f"{name} {_SIGNS[operator]} {block.text(right)}"
        text = _value(block, right, shown) if value is None else ""
        if value is not None:
            text = block.engine.constant(value, kind)
        elif text:
            text = f"{text} AT TIME ZONE 'UTC'"
        return f"{name} {_SIGNS[operator]} {text}" if text else None
    if shown != "timestamp":
        return None  # its days are those of the session's clock
    if value is not None:
        to_date = not isinstance(without_parens(left), exp.TimestampTrunc)
        return (
            None if to_date and value % DAY else _within(block, name, kind, unit, operator, value)
        )
    return _in_unit(block, name, unit, right, operator)


def _is_shown_as_it_is(block: QueryBlock, kind: Kind, right: Node) -> bool:
    """Whether a TIMESTAMPTZ is cast to be compared with the column as it is shown: in UTC too."""
    is_utc_session = block.names.schema.session_is_utc and kind == "timestamptz"
    return is_utc_session and is_fixed(right) and not positional(right)


def _value(block: QueryBlock, right: Node, kind: Kind) -> str:
    """A constant of the query as an operand; empty if it is of another kind."""
    found = fixed_kind(right, block.names)
    if not is_fixed(right) or right.find(exp.Query):
        return ""
    if found == "date" and kind == "timestamp":
        return f"CAST({block.rewritten(right)} AS TIMESTAMP)"
    is_cast = any(site.node is right and site not in block.open for site in block.sites.nows)
    return f"({block.rewritten(without_parens(right))})" if found == kind or is_cast else ""


def _within(
    block: QueryBlock, column: str, kind: Kind, unit: Unit, operator: type[Node], value: int
) -> str | None:
    found = local.interval(unit, operator, value)
    if found is None:
        return None
    parts = []
    if found.start is not None:
        parts.append(f"{column} >= {block.engine.constant(found.start, kind)}")
    if found.end is not None:
        parts.append(f"{column} < {block.engine.constant(found.end, kind)}")
    return " AND ".join(parts)


def _in_unit(
    block: QueryBlock, column: str, unit: Unit, right: Node, operator: type[Node]
) -> str | None:
    """A truncated column against the beginning of such a unit, today's date for example."""
    text, inner = _value(block, right, "timestamp"), without_parens(right)
    is_day = unit == "day" and fixed_kind(right, block.names) == "date"
    same = isinstance(inner, exp.TimestampTrunc) and unwrapped(inner)[0] == unit
    if not text or not (is_day or same) or positional(right):
        return None
    start = f"{text} AT TIME ZONE 'UTC'"
    length = "3 months" if unit == "quarter" else f"1 {unit}"
    end = f"({text} + INTERVAL '{length}') AT TIME ZONE 'UTC'"
    bounds: dict[type[Node], str] = {
        exp.EQ: f"{column} >= {start} AND {column} < {end}",
        exp.GTE: f"{column} >= {start}",
        exp.GT: f"{column} >= {end}",
        exp.LT: f"{column} < {start}",
        exp.LTE: f"{column} < {end}",
    }
    return bounds[operator]

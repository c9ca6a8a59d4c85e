"""What DuckDB's plan of a rewritten statement loses against that of the original.

DuckDB skips blocks, and finds rows by an index, where a condition on a bare column, or on an
expression that has an index, stands in the scan of its table. Its estimates say little of that, so
the conditions are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tzconv import tables
from tzconv.engines.duckdb.expected import Node, Plan, texts
from tzconv.sql.reasons import Reason

_OURS = {table.name for table in (*tables.CONVERSIONS.values(), tables.RELEASE)}
_DYNAMIC = "Dynamic Filter"
_CONVERTS = "timezone("
_BLOCKING = ("GROUP_BY", "AGGREGATE", "ORDER_BY", "WINDOW")


@dataclass(slots=True)
class _Seen:
    """The conditions in the scans of each table, and what stops early.

    ``tops`` counts the nodes that keep the first rows of a table without reading all its columns.
    """

    filters: dict[str, set[str]] = field(default_factory=dict)
    scans: list[str] = field(default_factory=list)
    dynamic: set[str] = field(default_factory=set)
    tops: int = 0


def loss(before: Plan, after: Plan) -> Reason | None:
    """The first of what the plan ``after`` loses; None where it loses nothing."""
    old, new = _seen(before), _seen(after)
    for table, filters in old.filters.items():
        lost = sorted(filters - new.filters.get(table, set()))
        if lost and not new.filters.get(table):
            text = f"{lost[0]} would no longer skip blocks of {table}, or find rows by an index"
            return Reason("loses-index", text)
    if new.tops < old.tops or old.dynamic - new.dynamic:
        table = min(old.dynamic - new.dynamic, default="its table")
        text = f"ORDER BY with LIMIT skips blocks of {table} now: the plan would read all of them"
        return Reason("loses-order", text)
    for table in dict.fromkeys(old.scans):
        times = old.scans.count(table), new.scans.count(table)
        if times[1] > times[0]:
            return Reason("reads-more", f"the plan would read {table} {times[1]} times")
    return None


def _seen(plan: Plan) -> _Seen:
    seen = _Seen()
    for node in _nodes(plan):
        name = node["name"].strip()
        if name == "TOP_N" and not any(_blocks(child) for child in node["children"]):
            seen.tops += 1
        table = node["extra_info"].get("Table")
        if "SCAN" not in name or table is None:
            continue
        table = str(table).rpartition(".")[2]
        if table in _OURS:
            continue
        seen.scans.append(table)
        for text in texts(node, "Filters"):
            if _DYNAMIC in text:
                seen.dynamic |= {table}
            elif _CONVERTS not in text:
                seen.filters.setdefault(table, set()).add(text)
    return seen


def _nodes(plan: Plan) -> Iterator[Node]:
    for node in plan:
        yield node
        yield from _nodes(node["children"])


def _blocks(node: Node) -> bool:
    return any(word in one["name"] for one in _nodes([node]) for word in _BLOCKING)

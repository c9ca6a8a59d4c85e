"""What PostgreSQL's plan of a rewritten statement loses against that of the original.

The planner's costs are compared for what is read from tables only: it takes a conversion for as
cheap as an addition, so its costs of whole queries say nothing of a rewrite. Both plans are made
with the same statistics and parameters; what both estimate wrongly falls out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tzconv import tables
from tzconv.engines.postgres.expected import Plan, inside, workers_of
from tzconv.sql.reasons import Reason

Size: TypeAlias = Callable[[tuple[str, str]], tuple[float, float]]
"""Rows and pages of a table by schema and name."""

_MORE, _MARGIN = 1.2, 25.0
"""So much more may be read, in the planner's units: 25 are a tenth of a millisecond, or less."""
_FAR_MORE, _WIDE_MARGIN = 2.0, 200.0
"""The same where no index was lost."""
_SMALL = 0.5
"""Who reads so much less may read the table beside an index that had all before."""
_PAGE, _ROW = 1.0, 0.01
"""What a page in order and a row cost the planner, by its defaults."""
_SORTED = ("Unique", "WindowAgg", "Group", "Merge Join", "Limit")
"""Nodes that rely on the order of their input, or for which it was worth something."""
_OURS = {table.name for table in (*tables.CONVERSIONS.values(), tables.RELEASE)}


class _Read(NamedTuple):
    """One node that reads a table."""

    table: str
    by: str | None
    is_only: bool
    cost: float


@dataclass(slots=True)
class _Seen:
    """What a plan does: it ``stops`` early where a LIMIT has no blocking node below it."""

    reads: list[_Read] = field(default_factory=list)
    workers: int = 0
    sorts: int = 0
    stops: int = 0
    ordered: set[str] = field(default_factory=set)

    def cost(self, table: str | None = None) -> float:
        return sum(one.cost for one in self.reads if table in (None, one.table))

    def indexes(self, table: str, *, only: bool = False) -> set[str]:
        return {
            one.by
            for one in self.reads
            if one.table == table and one.by is not None and (one.is_only or not only)
        }

    @property
    def tables(self) -> list[str]:
        return list(dict.fromkeys(one.table for one in self.reads))


def loss(before: Plan, after: Plan, size: Size) -> Reason | None:
    """The first of what the plan ``after`` loses; None where it loses nothing."""
    old, new = _seen(before, size), _seen(after, size)
    for table in new.tables:
        if table not in old.tables:
            return Reason(
                "loses-partition", f"the plan would also read {table}, which it skips now"
            )
    for table in old.tables:
        had, has = old.indexes(table), new.indexes(table)
        cost, now = old.cost(table), new.cost(table)
        lost = sorted(had - has)
        if lost and now > cost * _MORE + _MARGIN:
            what = f"{now / max(cost, 1.0):,.1f} times as much of {table}"
            return Reason("loses-index", f"without the index {lost[0]} the plan would read {what}")
        only = sorted(old.indexes(table, only=True) - new.indexes(table, only=True))
        if only and now > cost * _SMALL:
            text = (
                f"the index {only[0]} has all that it needs of {table}: the table is not read now"
            )
            return Reason("loses-index", text)
    if new.stops < old.stops:
        by = f" by the index {min(old.ordered)}" if old.ordered else ""
        text = f"rows come in order{by} and a LIMIT stops early: the plan would sort or group first"
        return Reason("loses-order", text)
    if new.sorts > old.sorts and old.ordered - new.ordered:
        text = f"the index {min(old.ordered - new.ordered)} gives the order: the plan would sort"
        return Reason("loses-order", text)
    is_dearer = after["Total Cost"] > before["Total Cost"]  # else it has less to share
    if old.workers and not new.workers and is_dearer:
        text = f"{old.workers} parallel workers help now: the plan would have none"
        return Reason("loses-parallel", text)
    if new.cost() > old.cost() * _FAR_MORE + _WIDE_MARGIN:
        text = f"the plan would read {new.cost() / max(old.cost(), 1.0):,.1f} times as much"
        return Reason("reads-more", text)
    return None


def indexes(plan: Plan) -> frozenset[str]:
    """The names of the indexes that a plan uses."""
    return frozenset(_indexes(plan))


def _indexes(node: Plan) -> Iterator[str]:
    if "Index Name" in node:
        yield node["Index Name"]
    for child in node.get("Plans", ()):
        yield from _indexes(child)


def _seen(plan: Plan, size: Size) -> _Seen:
    seen = _Seen()
    _visit(plan, 1.0, 1.0, seen, size)
    return seen


def _visit(node: Plan, times: float, share: float, seen: _Seen, size: Size) -> None:
    kind = node["Node Type"]
    seen.workers = max(seen.workers, int(node.get("Workers Planned", 0)))
    seen.sorts += kind in ("Sort", "Incremental Sort")
    seen.stops += kind == "Limit" and not _blocks(node["Plans"][0])
    if (
        kind in _SORTED
        or (kind == "Aggregate" and node.get("Strategy") == "Sorted")
        or kind == "Limit"
    ):
        seen.ordered |= set(_in_order(node))
    if node.get("Relation Name") and node["Relation Name"] not in _OURS:
        seen.reads.append(_read(node, times * share, size))
    for child in node.get("Plans", ()):
        if child["Node Type"] not in ("Bitmap Index Scan", "BitmapAnd", "BitmapOr"):
            _visit(child, *inside(node, child, times * workers_of(node), share), seen, size)


def _read(node: Plan, times: float, size: Size) -> _Read:
    table = node["Relation Name"]
    kind, cost = node["Node Type"], float(node["Total Cost"])
    if kind in ("Seq Scan", "Sample Scan"):
        rows, pages = size((node["Schema"], table))
        # without the conditions: they cost the same, wherever they stand
        return _Read(table, None, False, (pages * _PAGE + rows * _ROW) * min(times, 1.0))
    index = next(_indexes(node), None) if kind == "Bitmap Heap Scan" else node.get("Index Name")
    has_condition = "Index Cond" in node or kind == "Bitmap Heap Scan"
    is_only = kind == "Index Only Scan"
    # an index without a condition gives the order, or is smaller than its table
    return _Read(table, index if has_condition or is_only else None, is_only, cost * times)


def _blocks(node: Plan) -> bool:
    """Whether a node reads all of its input before it gives its first row."""
    if node["Node Type"] in ("Sort", "Hash", "SetOp") or _is_grouped(node):
        return True
    return any(
        _blocks(child)
        for child in node.get("Plans", ())
        if child.get("Parent Relationship") in ("Outer", "Member")
    )


def _is_grouped(node: Plan) -> bool:
    return bool(node["Node Type"] == "Aggregate" and node.get("Strategy") != "Sorted")


def _in_order(node: Plan) -> Iterator[str]:
    """The indexes whose order a node relies on."""
    if node["Node Type"] in ("Sort", "Hash") or _is_grouped(node):
        return
    if "Index Name" in node and node["Node Type"] != "Bitmap Index Scan":
        yield node["Index Name"]
    for child in node.get("Plans", ()):
        if child.get("Parent Relationship") in ("Outer", "Member"):
            yield from _in_order(child)

"""What PostgreSQL's plan of a rewritten statement loses against that of the original.

The planner's costs are compared for what is read from tables only: it takes a conversion for as
cheap as an addition, so its costs of whole queries say nothing of a rewrite. Both plans are made
with the same statistics and parameters; what both estimate wrongly falls out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tzconv.engines.alchemy import OURS
from tzconv.engines.postgres.expected import (
    CONDITIONS,
    Plan,
    computes_conversion,
    inside,
    is_grouped,
    rows_out,
    workers_of,
)
from tzconv.sql.reasons import Reason

Size: TypeAlias = Callable[[tuple[str, str]], tuple[float, float]]
"""Rows and pages of a table by schema and name."""
Shares: TypeAlias = Callable[[tuple[str, str], str], tuple[float, float]]
"""How much of a column has a fixed offset or is outside of the tables, and is NULL."""

_MORE, _MARGIN = 1.2, 25.0
"""So much more may be read, in the planner's units: 25 are a tenth of a millisecond, or less."""
_FAR_MORE, _WIDE_MARGIN = 2.0, 200.0
"""The same where no index was lost."""
_PAYS = 0.8  # what known bounds must leave of the cost, to search an index by a guess of them
_SMALL = 0.5
"""Who reads so much less may read the table beside an index that had all before."""
_PAGE, _ROW = 1.0, 0.01
"""What a page in order and a row cost the planner, by its defaults."""
_SORTED_BYTES, _WIDER = 4e6, 3.0
"""A sort of so many bytes, and rows so many times as wide: it spills, or copies for nothing."""
_FEWEST = 60_000
"""Rows whose conversions pay for workers: 43,000 took 1.07 to 1.14 of the CPU time, 85,000 0.74."""
_ONCE = 1.001
"""Rounded, as many times as there are processes."""
_FIXED = 0.25
"""So many zones with a fixed offset: 0.2 took 0.83 to 1.06 of the CPU time, 0.6 up to 1.2."""
_NULL = 0.45
"""What NULL counts of a fixed zone: 0.5 of zones took 0.9 of the CPU time, 0.95 1.2; 0.6 of times
1.0, 0.8 1.3."""
_OF_ONE = 0.8
"""So many times without an offset where all have one zone: 0.6 took 0.96 of it, 0.95 1.15."""
_ZONE_NAME = "time_zone_name"
_NAME = r'("(?:[^"]|"")+"|\w+)\.("(?:[^"]|"")+"|\w+)'
_COLUMN, _TIME = re.compile(_NAME), re.compile(r"width_bucket\(\(?" + _NAME)
_QUOTES = re.compile(r'^"|"$|"(?=")')
_SORTED = ("Unique", "WindowAgg", "Group", "Merge Join", "Limit")
"""Nodes that rely on the order of their input, or for which it was worth something."""


class _Read(NamedTuple):
    """One node that reads a table."""

    table: str
    by: str | None
    is_only: bool
    cost: float


@dataclass(slots=True)
class _Seen:
    """What a plan does: it ``stops`` early where a LIMIT has no blocking node below it.

    ``sorted`` are the most bytes that one sort keeps, ``width`` those of its rows. It ``joins`` a
    table of ours, and ``converts_first`` rows only: those that a window function leaves.
    """

    reads: list[_Read] = field(default_factory=list)
    workers: int = 0
    sorts: int = 0
    sorted: float = 0.0
    width: int = 0
    joins: bool = False
    converts_first: bool = False
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


def loss(
    before: Plan,
    after: Plan,
    size: Size,
    shares: Shares,
    rows: Callable[[], float],
    known: Plan | None = None,
) -> Reason | None:
    """The first of what the plan ``after`` loses; None where it loses nothing.

    ``rows`` are those that ``before`` converts; ``known`` is ``after`` with bounds that are known.
    """
    old, new = _seen(before, size), _seen(after, size)
    is_dearer = after["Total Cost"] > before["Total Cost"]
    losses = (
        _lost_reads(old, new),
        _lost_order(old, new),
        _lost_work(old, new, rows, is_dearer),
        _lost_knowledge(before, after, known or after),
        _lost_fixed(after, shares),
    )
    return next(itertools.chain(*losses), None)


def _lost_knowledge(before: Plan, after: Plan, known: Plan) -> Iterator[Reason]:
    guessed = set(_guessed(after)) - set(_guessed(before))
    pays = known["Total Cost"] < before["Total Cost"] * _PAYS and not guessed & set(_guessed(known))
    if guessed and not pays:
        text = "the planner knows NOW(), and not what a subquery gives: it would search the index "
        yield Reason("loses-estimate", f"{text}{min(guessed)} by a guess")


def _lost_fixed(after: Plan, shares: Shares) -> Iterator[Reason]:
    nodes = list(_nodes(after))
    tables = {
        node.get("Alias"): (node["Schema"], node["Relation Name"])
        for node in nodes
        if node.get("Relation Name") and node["Relation Name"] not in OURS
    }
    conditions = [str(node.get(key, "")) for node in nodes for key in (*CONDITIONS, "Index Cond")]
    zones, times = [], []
    for condition in conditions:
        for name in _COLUMN.findall(condition) if _ZONE_NAME in condition else ():
            if relation := tables.get(_unquoted(name[0])):
                fixed, null = shares(relation, _unquoted(name[1]))
                counted = fixed + null * (1.0 if "COALESCE" in condition else _NULL)
                text = f"{fixed + null:.0%} of {'.'.join(name)} are UTC, NULL or the like"
                zones.append((counted, text))
    for name in _TIME.findall("".join(text for node in nodes for text in node.get("Output", ()))):
        column = ".".join(name)
        if (relation := tables.get(_unquoted(name[0]))) and column not in "".join(conditions):
            null = sum(shares(relation, _unquoted(name[1])))
            times.append((null, f"{null:.0%} of {column} are NULL or not in the tables"))
    zone, time = min(zones, default=(0.0, "")), min(times, default=(0.0, ""))
    if (zone[0] + time[0] * _NULL > _FIXED) if zones else (time[0] > _OF_ONE):
        text = f"{max(zone, time)[1]}: the function is faster for them"
        yield Reason("no-gain", text)


def _unquoted(name: str) -> str:
    return _QUOTES.sub("", name)


def _guessed(plan: Plan) -> Iterator[str]:
    """The indexes that are searched for the value of a subquery without a table."""
    nodes = list(_nodes(plan))
    computed = [
        returned.removesuffix(")") or f"({name})"
        for node in nodes
        if node.get("Parent Relationship") == "InitPlan" and node["Node Type"] == "Result"
        for name, _, returned in [node["Subplan Name"].partition(" (returns ")]
    ]
    for node in nodes:
        if any(one in node.get("Index Cond", "") for one in computed):
            yield node["Index Name"]


def _nodes(node: Plan) -> Iterator[Plan]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _lost_reads(old: _Seen, new: _Seen) -> Iterator[Reason]:
    for table in new.tables:
        if table not in old.tables:
            text = f"the plan would also read {table}, which it skips now"
            yield Reason("loses-partition", text)
    for table in old.tables:
        had, has = old.indexes(table), new.indexes(table)
        cost, now = old.cost(table), new.cost(table)
        lost = sorted(had - has)
        if lost and now > cost * _MORE + _MARGIN:
            what = f"{now / max(cost, 1.0):,.1f} times as much of {table}"
            yield Reason("loses-index", f"without the index {lost[0]} the plan would read {what}")
        only = sorted(old.indexes(table, only=True) - new.indexes(table, only=True))
        if only and now > cost * _SMALL:
            text = (
                f"the index {only[0]} has all that it needs of {table}: the table is not read now"
            )
            yield Reason("loses-index", text)


def _lost_order(old: _Seen, new: _Seen) -> Iterator[Reason]:
    if new.stops < old.stops:
        by = f" by the index {min(old.ordered)}" if old.ordered else ""
        text = f"rows come in order{by} and a LIMIT stops early: the plan would sort or group first"
        yield Reason("loses-order", text)
    if new.sorts > old.sorts and old.ordered - new.ordered:
        text = f"the index {min(old.ordered - new.ordered)} gives the order: the plan would sort"
        yield Reason("loses-order", text)
    if new.sorted > _SORTED_BYTES and new.width > old.width * _WIDER > 0:
        text = f"the plan would sort rows of {new.width:,} bytes, not {old.width:,}, and convert "
        yield Reason("loses-order", text + "them after it")


def _lost_work(
    old: _Seen, new: _Seen, rows: Callable[[], float], is_dearer: bool
) -> Iterator[Reason]:
    if old.workers > new.workers and is_dearer:  # else it has less to share
        text = f"{old.workers} parallel workers help now: the plan would have "
        yield Reason("loses-parallel", text + f"{new.workers or 'none'}")
    if new.workers > old.workers == 0 and (few := rows()) < _FEWEST:
        text = f"about {few:,.0f} rows do not pay for the parallel workers of the new plan"
        yield Reason("few-rows", text)
    if old.converts_first and new.joins:
        text = "a window function leaves few rows to convert: the plan would look up offsets of all"
        yield Reason("reads-more", text)
    if new.cost() > old.cost() * _FAR_MORE + _WIDE_MARGIN:
        text = f"the plan would read {new.cost() / max(old.cost(), 1.0):,.1f} times as much"
        yield Reason("reads-more", text)


def indexes(plan: Plan) -> Iterator[str]:
    """The names of the indexes that a plan uses."""
    return (node["Index Name"] for node in _nodes(plan) if "Index Name" in node)


def _seen(plan: Plan, size: Size) -> _Seen:
    seen = _Seen()
    _visit(plan, 1.0, 1.0, 1.0, seen, size)
    return seen


def _visit(
    node: Plan, times: float, share: float, processes: float, seen: _Seen, size: Size
) -> None:
    kind = node["Node Type"]
    seen.workers = max(seen.workers, int(node.get("Workers Planned", 0)))
    if kind in ("Sort", "Incremental Sort"):
        seen.sorts += 1
        width = int(node["Plan Width"])
        seen.sorted, seen.width = max(
            (seen.sorted, seen.width), (rows_out(node) * times * share * width, width)
        )
    seen.stops += kind == "Limit" and not _blocks(node["Plans"][0])
    if kind in _SORTED or (kind == "Aggregate" and node.get("Strategy") == "Sorted"):
        seen.ordered |= set(_in_order(node))
    seen.converts_first |= "Run Condition" in node and computes_conversion(node)
    seen.joins |= node.get("Relation Name") in OURS
    if node.get("Relation Name") and node["Relation Name"] not in OURS:
        seen.reads.append(_read(node, times * share, processes, size))
    workers = workers_of(node)
    for child in node.get("Plans", ()):
        if child["Node Type"] not in ("Bitmap Index Scan", "BitmapAnd", "BitmapOr"):
            joins = seen.joins or child.get("Parent Relationship") != "InitPlan"
            often = inside(node, child, times * workers, share)
            _visit(child, *often, processes * workers, seen, size)
            seen.joins &= joins


def _read(node: Plan, times: float, processes: float, size: Size) -> _Read:
    """``times`` counts all ``processes``; those that share a scan read its table once."""
    table = node["Relation Name"]
    kind, cost = node["Node Type"], float(node["Total Cost"])
    rows, pages = size((node["Schema"], table))
    # without the conditions: they cost the same, wherever they stand
    whole = pages * _PAGE + rows * _ROW
    is_repeated = times > processes * _ONCE
    if kind in ("Seq Scan", "Sample Scan"):
        return _Read(table, None, False, whole * (times if is_repeated else min(times, 1.0)))
    index = next(indexes(node), None) if kind == "Bitmap Heap Scan" else node.get("Index Name")
    has_condition = "Index Cond" in node or kind == "Bitmap Heap Scan"
    is_only = kind == "Index Only Scan"
    # an index without a condition gives the order, or is smaller than its table
    by = index if has_condition or is_only else None
    # the planner prefers it to the whole table, whatever the conditions add to its cost
    cost *= times
    return _Read(table, by, is_only, min(cost, whole) if whole > 0 and not is_repeated else cost)


def _blocks(node: Plan) -> bool:
    """Whether a node reads all of its input before it gives its first row."""
    if node["Node Type"] in ("Sort", "Hash", "SetOp") or is_grouped(node):
        return True
    return any(
        _blocks(child)
        for child in node.get("Plans", ())
        if child.get("Parent Relationship") in ("Outer", "Member")
    )


def _in_order(node: Plan) -> Iterator[str]:
    """The indexes whose order a node relies on."""
    if node["Node Type"] in ("Sort", "Hash") or is_grouped(node):
        return
    if "Index Name" in node and node["Node Type"] != "Bitmap Index Scan":
        yield node["Index Name"]
    for child in node.get("Plans", ()):
        if child.get("Parent Relationship") in ("Outer", "Member"):
            yield from _in_order(child)

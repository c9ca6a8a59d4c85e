"""What DuckDB's plan of a rewritten statement loses against that of the original.

DuckDB skips blocks, and finds rows by an index, where a condition on a bare column, or on an
expression that has an index, stands in the scan of its table; whether it uses the index is decided
when it runs. Its estimates say little of either, so the plans are compared by their form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tzconv.engines.alchemy import OURS
from tzconv.engines.duckdb.expected import (
    PUSHED,
    Node,
    Plan,
    columns_of,
    converts,
    estimate_of,
    texts,
)
from tzconv.sql.reasons import Reason
from tzconv.sql.text import identifier

_COMPUTED = re.compile(r"timezone\(|CAST\(\w+ AS TIMESTAMP WITH TIME ZONE\)")
"""In a condition that skips no blocks; DuckDB 1.4 shows it where its other form is always true."""
_REDUCES = re.compile(r"GROUP_BY|AGGREGATE|TOP_N|LIMIT|row(id|_number) = |(?<!STREAMING_)WINDOW")
"""Nodes that give fewer rows than they read, or copy all of them and are often filtered."""
_WORD = re.compile(r"\w+")
Lacking: TypeAlias = Callable[..., float]
"""Which part of a column of a table a condition rejects; see ``expected.lacking``."""
_KNOWN = "{0} >= TIMESTAMP '1970-01-01' AND {0} < TIMESTAMP '2037-01-01'"
_JOINED = {
    re.compile(r"epoch_us\((.+?)\) >> 42"): (_KNOWN, "NULL or not of 1970 to 2036"),
    re.compile(r"^(.+) = time_zone_name$|^time_zone_name = (.+)$"): ("{0} IS NOT NULL", "NULL"),
}
"""How a plan shows the joins on a time and on a zone, the condition for values that have a row in
the joined table, and what a message calls the others."""
_NULL_OF_JOIN = 0.5
"""So many rows for which an outer join finds no zone, of a TIMESTAMPTZ: 0.4 took 0.9, 0.5 1.03, 0.6
1.15, 0.95 2.0 to 2.4."""
_HAS_ZONE = "{0} IN (SELECT {2} FROM {1} WHERE {3} IS NOT NULL)"
_MOST_OF_ZONES = 1_000_000
"""Rows of a table that are read before a decision: 80 ms on a busy machine. Of a filtered table the
plan does not say how many there are."""
_NULL = 0.7
"""So many NULL times or zones: 0.6 took 0.6 to 1.0 of the CPU time, 0.95 1.3 to 2.6. Of the year
9999 0.6 took 0.8, 0.95 1.1, of infinite times 0.95 1.4 to 1.7."""
_KEYS = """
    SELECT database_name, schema_name, table_name, expressions FROM system.main.duckdb_indexes()
    WHERE database_name = system.main.current_database()
    """


def indexed(run: Callable[[str], list[Any]]) -> dict[str, set[str]]:
    """The columns and expressions that have an index, as plans show them, by table.

    Before 2.0 plans show a table without its schema. An index of several columns is none of these:
    DuckDB finds no rows by it.
    """
    found: dict[str, set[str]] = {}
    for *schema, table, expressions in run(_KEYS):
        key = expressions.strip("[]").replace("\\'", "'").strip("'\"").casefold()
        for name in (table, ".".join((*schema, table))):
            found.setdefault(name, set()).add(key)
    return found


@dataclass(slots=True)
class _Seen:
    """The conditions in the scans of each table, and what is converted where.

    ``most`` is the largest table. ``converted`` and ``joined`` count the nodes that reduce its rows
    above a conversion and above a scan of ours: the most of them.
    """

    columns: Set[str]
    most: str
    filters: dict[str, set[str]] = field(default_factory=dict)
    scans: list[str] = field(default_factory=list)
    dynamic: set[str] = field(default_factory=set)
    converted: int = 0
    joined: int = 0


def loss(
    before: Plan, after: Plan, indexed: Mapping[str, Set[str]], lacking: Lacking
) -> Reason | None:
    """The first of what the plan ``after`` loses; None where it loses nothing.

    ``indexed`` has the columns and expressions that have an index, by table.
    """
    old = _seen(before)
    new = _seen(after, old.most)
    for table, filters in old.filters.items():
        if table not in new.scans:
            continue  # its statistics say that no row passes
        gone, come = (
            filters - new.filters.get(table, set()),
            new.filters.get(table, set()) - filters,
        )
        found = [key for key in indexed.get(table, ()) if any(_equals(key, one) for one in filters)]
        if (gone or come) and found:
            text = (
                f"an index finds the rows of {_last(table)} by {min(found)}: "
                "the conditions would change"
            )
            return Reason("loses-index", text)
        columns = set(map(_column, come))
        bare = sorted(one for one in gone if not _COMPUTED.search(one))
        lost = [one for one in bare if _column(one) not in columns]
        if lost:
            text = f"the condition {lost[0]} would no longer skip blocks of {_last(table)}"
            return Reason("loses-index", text)
    if old.dynamic - new.dynamic:
        table = _last(min(old.dynamic - new.dynamic))
        text = f"ORDER BY with LIMIT skips blocks of {table} now: the plan would read all of them"
        return Reason("loses-order", text)
    if new.joined > max(old.converted, old.joined):
        text = "it converts after grouping, LIMIT or a window function: the plan would look up "
        text += "the offsets of all rows"
        return Reason("reads-more", text)
    for table in dict.fromkeys(old.scans):
        times = old.scans.count(table), new.scans.count(table)
        if times[1] > times[0]:
            return Reason("reads-more", f"the plan would read {_last(table)} {times[1]} times")
    return _mostly_null(after, lacking)


def _mostly_null(after: Plan, lacking: Lacking) -> Reason | None:
    """The function returns at once for NULL, and the joins look up a row for it, too."""
    scans = [scan for node in after for scan in _scans(node)]
    joined = [text for node in after for text in _conditions(node)]
    kept, most, times = 1.0, (0.0, "", "", _NULL), set[str]()
    for pattern, (has, others) in _JOINED.items():
        found = {one[one.lastindex or 0] for one in map(pattern.search, joined) if one}
        parts = []
        for column in found:
            part = (_null(scans, column, [has], lacking), column, others, _NULL)
            for outer, key, found_by, without in _keys(after, column, times):
                null = _null(outer, key, found_by, lacking)
                part = max(part, (null, key, without, _NULL_OF_JOIN))
            parts.append(part)
        least = min(parts, default=(0.0, "", "", _NULL))
        kept, most = kept * (1 - least[0]), max(least, most)
        times = found
    if kept >= 1 - most[3]:
        return None
    text = f"{most[0]:.0%} of {most[1]} are {most[2]}: the function is faster for them"
    return Reason("no-gain", text)


def _null(scans: list[Node], column: str, has: list[str], lacking: Lacking) -> float:
    """Which part of a column has no row; 0 where it is not known, or where the query tests it."""
    known = [scan for scan in scans if column in texts(scan, "Projections")]
    if len(known) != 1 or any(column in text for text in texts(known[0], "Filters")):
        return 0.0
    if known[0]["name"].strip() != "SEQ_SCAN":  # a file, or a table of another database
        return 0.0
    return lacking(known[0]["extra_info"]["Table"], column, estimate_of(known[0]), *has)


def _keys(
    nodes: Iterable[Node], zone: str, times: Set[str]
) -> Iterator[tuple[list[Node], str, list[str], str]]:
    """The columns by which an outer join finds a zone.

    Each with the scans that it may be in, the condition for rows that may have a zone, and what a
    message calls the others.

    Where a time is a TIMESTAMP, the kept function does not look at rows without a zone.
    """
    for node in nodes:
        step = {"LEFT": 1, "RIGHT": -1}.get(node["extra_info"].get("Join Type"), 0)
        sides = node["children"][::step] if step else []
        if times and zone in columns_of(sides[1:]):
            plain = "".join(f" OR typeof({identifier(one)}) = 'TIMESTAMP'" for one in times)
            plain = plain.replace("{", "{{").replace("}", "}}")
            for text in texts(node, "Conditions"):
                key, *other = text.split(" = ")[::step]
                has, without = ["{0} IS NOT NULL" + plain], "NULL"
                if len(other) == 1 and _is_whole(sides[1]) and other[0] in columns_of(sides[1:]):
                    table = sides[1]["extra_info"]["Table"]
                    has = [_HAS_ZONE + plain, table, *other, zone]
                    without = f"without a zone in {_last(table)}"
                yield list(_scans(sides[0])), key, has, without
        yield from _keys(node["children"], zone, times)


def _is_whole(node: Node) -> bool:
    """Whether a node reads all rows of a table, and not too many to look into them beforehand."""
    is_all = node["name"].strip() == "SEQ_SCAN" and not texts(node, "Filters")
    return is_all and estimate_of(node) <= _MOST_OF_ZONES


def _conditions(node: Node) -> Iterator[str]:
    yield from texts(node, "Conditions")
    for child in node["children"]:
        yield from _conditions(child)


def _equals(key: str, condition: str) -> bool:
    """Whether a condition compares what has an index for equality."""
    known, _, after = condition.casefold().replace("(", "").partition(key.replace("(", ""))
    return not re.search(r"\w$", known) and re.match(r"\)* *=", after) is not None


def _seen(plan: Plan, table: str | None = None) -> _Seen:
    """What a plan does; ``table`` is the one whose rows count."""
    sizes: dict[str, float] = {}
    for node in plan:
        for scan in _scans(node):
            name = _table(scan)
            sizes[name] = max(sizes.get(name, 0.0), estimate_of(scan))
    most = table or max(sizes, key=lambda name: sizes[name], default="")
    seen = _Seen(frozenset(columns_of(plan)), most)
    for node in plan:
        _visit(node, 0, seen)
    return seen


def _visit(node: Node, above: int, seen: _Seen) -> None:
    if converts(node, seen.columns):
        seen.converted = max(seen.converted, above)
    if _is_scan(node):
        table = _table(node)
        seen.scans.append(table)
        for text in texts(node, "Filters"):
            if "Dynamic Filter" in text:
                seen.dynamic |= {table}
            else:
                seen.filters.setdefault(table, set()).add(text)
    elif "Table" in node["extra_info"]:
        seen.joined = max(seen.joined, above)
    name = " ".join((node["name"], *texts(node, "Conditions")))
    reduces = _REDUCES.search(name) and seen.most in map(_table, _scans(node))
    for child in node["children"]:
        _visit(child, above + bool(reduces), seen)


def _scans(node: Node) -> Iterator[Node]:
    if _is_scan(node):
        yield node
    for child in node["children"]:
        yield from _scans(child)


def _is_scan(node: Node) -> bool:
    """Whether a node reads a table of the user's, or files of it."""
    return bool(_table(node)) and _last(_table(node)) not in OURS


def _table(node: Node) -> str:
    """Its name with database and schema, if the plan has them, without quotes; else it is empty."""
    return (texts(node, "Table") or texts(node, "Function") or [""])[0].replace('"', "")


def _last(table: str) -> str:
    """Its name without database and schema."""
    return table.rpartition(".")[2]


def _column(condition: str) -> str:
    """What a condition on a bare column compares."""
    found = _WORD.search(condition.removeprefix(PUSHED))
    return found[0] if found else condition

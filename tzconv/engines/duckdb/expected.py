"""The number of rows for which DuckDB will compute a conversion, from its plan.

The rewriter leaves a conversion of few rows alone. DuckDB estimates that every range condition
keeps a fifth of the table. So the rows of a filtered scan are counted, up to a limit: with the zone
maps of a column in time order that takes less than a millisecond.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import duckdb

from tzconv.sql.text import identifier

Node: TypeAlias = Mapping[str, Any]
"""A node of a plan in JSON."""

_MOST_COUNTED = 200_000
_CONVERSION = re.compile(r"\btimezone\(")
_PUSHED = "optional: "
"""A filter that only skips blocks; a node above tests again."""
_NOT_SQL = re.compile(r"Dynamic Filter|SUBQUERY|#\d|#\[|\[INFINITY\]")
_PLAIN = re.compile(r"#.*|[^()]*\([^()]*#\d+[^()]*\)")
_BLOCKING = re.compile(r"GROUP_BY|AGGREGATE|ORDER_BY|TOP_N|CTE\Z|(?<!STREAMING_)WINDOW")
_TEXT = re.compile(r"'(?:[^']|'')*'")
_CALL = re.compile(r'("[^"]+"|\w+)\s*\(')
_NO_CALLS = {
    "AND",
    "OR",
    "NOT",
    "IN",
    "CAST",
    "TRY_CAST",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "DECIMAL",
}
_PURE = """
    SELECT function_name FROM duckdb_functions() WHERE list_contains($1, function_name)
    GROUP BY ALL HAVING bool_and(internal AND stability LIKE 'CONSISTENT%')
    """
_EXPLAINED = (["SELECT"], ["INSERT"], ["CREATE"])
_LIMIT = re.compile(r"\bLIMIT\b(?:\s+(\d+)\b(?!\s*(?:[-+*/%^|&.]|PERCENT)))?", re.IGNORECASE)
_NAMED = """
    SELECT DISTINCT database_name, schema_name FROM system.main.duckdb_tables()
    WHERE table_name = $1
    """


def expected_rows(
    connection: duckdb.DuckDBPyConnection, sql: str, values: Any = None
) -> float | None:
    """The rows that a single query will convert; None if DuckDB does not explain it.

    A second connection explains it: it sees what is committed and leaves the transaction of
    ``connection`` alone. Of the query, only filters run that change nothing.
    """
    with connection.duplicate() as own, contextlib.suppress(duckdb.Error, ValueError, KeyError):
        if [one.type.name for one in own.extract_statements(sql)] not in _EXPLAINED:
            return None
        rows = own.execute(f"EXPLAIN (FORMAT JSON) {sql}", values or None).fetchall()
        plan = json.loads(rows[0][1])
        _add_limits(plan, sql)
        walk = _DuckDBPlan(own, frozenset(_columns(plan)))
        total = max((walk.visit(root, 1.0) for root in plan), default=0.0)
        return sum(walk.found) if walk.found else max(walk.largest, total)
    return None


@dataclass(slots=True)
class _DuckDBPlan:
    connection: duckdb.DuckDBPyConnection
    columns: frozenset[str]
    found: list[float] = field(default_factory=list)
    largest: float = 0.0
    ctes: dict[str, float] = field(default_factory=dict)
    inputs: dict[int, list[float]] = field(default_factory=dict)

    def visit(self, node: Node, share: float) -> float:
        """The rows that a node returns; a LIMIT lets a ``share`` of it run."""
        name, children = node["name"].strip(), node["children"]
        if name == "FILTER" and "Table" in children[0]["extra_info"]:
            rows = self._scanned(children[0], _texts(node, "Expression"))
            if self._converts(node) or self._converts(children[0]):
                self.found.append(rows * share)
            return rows
        inner = share
        if "LIMIT" in name and children:
            inner *= min(1.0, _number(node, "Limit") / max(_estimate(children[0]), 1.0))
        elif _BLOCKING.search(name):
            inner = 1.0
        inputs = []
        for place, child in enumerate(children):
            # the second side of a join is read completely before the first one
            inputs.append(self.visit(child, 1.0 if place and "JOIN" in name else inner))
            if name == "CTE" and not place:
                self.ctes[str(node["extra_info"].get("Table Index"))] = inputs[0]
        if "SCAN" in name and not children:
            rows = self._scanned(node, [])
            inputs = [rows]
        else:
            rows = _output(node, inputs)
        if self._converts(node):
            if name == "FILTER" and "JOIN" in children[0]["name"]:
                # before 2.0 a join below a filter has the filter's estimate
                inputs += self.inputs[id(children[0])]
            self.found.append(max(inputs) * share)
        self.inputs[id(node)] = inputs
        self.largest = max(self.largest, rows * share)
        return rows

    def _converts(self, node: Node) -> bool:
        texts = [text for key in node["extra_info"] for text in _texts(node, key)]
        if any(map(_CONVERSION.search, texts)):
            return True
        # the plan shows an output column by its alias, whatever it computes
        outputs = _texts(node, "Projections") if node["name"].strip() == "PROJECTION" else ()
        return any(text not in self.columns and not _PLAIN.fullmatch(text) for text in outputs)

    def _scanned(self, node: Node, above: list[str]) -> float:
        """The rows that a scan returns; its conversions are computed for all of them.

        ``above`` are conditions of a node above that could not be pushed into the scan.
        """
        rows = self.ctes.get(str(node["extra_info"].get("CTE Index")), _estimate(node))
        table, filters = node["extra_info"].get("Table"), [*_texts(node, "Filters"), *above]
        if table is None or not filters:
            return rows
        usable = [
            text.removeprefix(_PUSHED)
            for text in filters
            if not (_NOT_SQL.search(text) or _CONVERSION.search(text)) and self._is_pure(text)
        ]
        count = self._count(table, usable)
        return max(rows, count or 0.0) if count is None or count >= _MOST_COUNTED else count

    def _is_pure(self, text: str) -> bool:
        """Whether a filter calls only functions that change nothing: nextval() moves a sequence."""
        called = {name.strip('"') for name in _CALL.findall(_TEXT.sub("''", text))} - _NO_CALLS
        pure = self.connection.execute(_PURE, [sorted(called)]).fetchall() if called else ()
        return len(pure) == len(called)

    def _count(self, table: str, filters: list[str]) -> float | None:
        where = f" WHERE {' AND '.join(filters)}" if filters else ""
        with contextlib.suppress(duckdb.Error):
            # DuckDB 1.4 shows the bare name
            named = self.connection.execute(_NAMED, [table]).fetchall()
            full = ".".join(map(identifier, (*named[0], table))) if named else table
            sql = (
                f"SELECT count(*) FROM (SELECT 1 FROM {full}{where} "
                f"LIMIT {_MOST_COUNTED if filters else 'ALL'})"
            )
            # columns are not quoted in a plan, and the name of one may be any text
            if len(named) < 2 and len(self.connection.extract_statements(sql)) == 1:
                [(found,)] = self.connection.execute(sql).fetchall()
                return float(found)
        return None


def _output(node: Node, inputs: list[float]) -> float:
    """DuckDB's estimate for a node, corrected by the counted rows of its inputs."""
    name, estimate = node["name"].strip(), _estimate(node)
    if name == "UNION":
        return sum(inputs)
    if name == "CTE":
        return inputs[-1]
    if not inputs:
        return estimate
    if "LIMIT" in name or name == "TOP_N":
        return min(_number(node, "Limit" if "LIMIT" in name else "Top"), max(inputs))
    if "AGGREGATE" in name or "GROUP_BY" in name:
        return min(estimate, max(inputs))
    if name == "PROJECTION" and _has_estimate(node) and not _has_estimate(node["children"][0]):
        return min(estimate, max(inputs))
    if name == "PROJECTION" or not estimate:  # 0 where both sides of a join ask for one key
        return max(inputs)
    for rows, child in zip(inputs, node["children"], strict=True):
        estimate *= rows / max(_estimate(child), 1.0)
    return estimate


def _columns(nodes: Iterable[Node]) -> Iterator[str]:
    """The names of the columns that the scans of a plan return."""
    for node in nodes:
        yield from _columns(node["children"]) if node["children"] else _texts(node, "Projections")


def _texts(node: Node, key: str) -> list[str]:
    value = node["extra_info"].get(key, [])
    return [value] if isinstance(value, str) else list(map(str, value))


def _add_limits(nodes: Iterable[Node], sql: str) -> None:
    """Where a plan hides the number of a LIMIT, before 2.0, put the largest one of the text."""
    limits = _LIMIT.findall(_TEXT.sub("''", sql))
    if limits and all(limits):
        most = str(max(map(int, limits)))
        for node in nodes:
            if "LIMIT" in node["name"]:
                node["extra_info"].setdefault("Limit", most)
            _add_limits(node["children"], sql)


def _has_estimate(node: Node) -> bool:
    return "Estimated Cardinality" in node["extra_info"]


def _estimate(node: Node) -> float:
    if _has_estimate(node):
        return _number(node, "Estimated Cardinality")
    return sum(_estimate(child) for child in node["children"])


def _number(node: Node, key: str) -> float:
    text = str(node["extra_info"].get(key, "")).replace(",", "")
    return float(text) if text.replace(".", "", 1).isdigit() else float("inf")

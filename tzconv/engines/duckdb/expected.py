"""The number of rows for which DuckDB will compute a conversion, from its plan.

The rewriter leaves a conversion of few rows alone. DuckDB estimates that every range condition
keeps a fifth of the table. So the rows of a filtered scan are counted, up to a limit: with the zone
maps of a column in time order that takes less than a millisecond.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import duckdb

from tzconv.engines.duckdb.bind import beside
from tzconv.sql.text import identifier

Node: TypeAlias = Mapping[str, Any]
"""A node of a plan in JSON."""
Plan: TypeAlias = list[Node]

_MOST_COUNTED = 200_000
_CONVERSION = re.compile(r"\btimezone\(")
PUSHED = "optional: "
"""A filter that only skips blocks; a node above tests again."""
_NOT_SQL = re.compile(r"Dynamic Filter|SUBQUERY|#\d|#\[|\[INFINITY\]")
_PLAIN = re.compile(r"rowid|\d+|#.*|[^()]*\([^()]*#[\d\[][^()]*\)")
_BLOCKING = re.compile(r"GROUP_BY|AGGREGATE|ORDER_BY|TOP_N|CTE\Z|(?<!STREAMING_)WINDOW")
_FIRST = {"rowid = rowid", "file_row_number = file_row_number"}
"""How the other columns of the first rows in some order are joined."""
_OUTER_KEY = " IS NOT DISTINCT FROM "
_FIRST_OF_EACH = re.compile(r"\(?limit_rownum <= (\d+)\)?")
_KEPT = 0.2
"""What DuckDB expects any other condition of a join to keep of the pairs of its keys."""
_TO_CONSTANT = re.compile(r"(?: [<>=]+ | BETWEEN | IN \()(?:'(?:[^']|'')*'::|-?\d)")
_AND = " AND "
_TEXT = re.compile(r"'(?:[^']|'')*'")
_CALL = re.compile(r'("[^"]+"|\w+)\s*\(')
_NO_CALLS = {
    *("AND", "OR", "NOT", "IN", "CAST", "TRY_CAST", "CASE", "WHEN", "THEN", "ELSE", "DECIMAL"),
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


def explain(connection: duckdb.DuckDBPyConnection, sql: str, values: Any = None) -> Plan | None:
    """The plan of a single query; None if DuckDB does not explain it.

    A second connection explains it: it sees what is committed and leaves the transaction of
    ``connection`` alone.
    """
    with beside(connection) as own, contextlib.suppress(duckdb.Error, ValueError, KeyError):
        if [one.type.name for one in own.extract_statements(sql)] in _EXPLAINED:
            rows = own.execute(f"EXPLAIN (FORMAT JSON) {sql}", values or None).fetchall()
            plan: Plan = json.loads(rows[0][1])
            _add_limits(plan, sql)
            return plan
    return None


def expected_rows(connection: duckdb.DuckDBPyConnection, plan: Plan | None) -> float | None:
    """The rows that a query with such a plan will convert; None if they cannot be counted.

    Of the query, only filters run that change nothing, on a second connection.
    """
    with beside(connection) as own, contextlib.suppress(duckdb.Error, ValueError, KeyError):
        if plan is not None:
            walk = _DuckDBPlan(own, frozenset(columns_of(plan)))
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
            rows = self._scanned(children[0], texts(node, "Expression"))
            if converts(node, self.columns) or converts(children[0], self.columns):
                self.found.append(rows * share)
            return rows
        inner = share
        if "LIMIT" in name and children:
            inner *= min(1.0, _number(node, "Limit") / max(estimate_of(children[0]), 1.0))
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
        if converts(node, self.columns):
            if name == "FILTER" and "JOIN" in children[0]["name"]:
                # before 2.0 a join below a filter has the filter's estimate
                inputs += self.inputs[id(children[0])]
            most = max(inputs)
            if "JOIN" in name and _tests_pairs(node):
                most = min(most, rows / _KEPT)
            self.found.append(most * share)
        self.inputs[id(node)] = inputs
        self.largest = max(self.largest, rows * share)
        return rows

    def _scanned(self, node: Node, above: list[str]) -> float:
        """The rows that a scan returns; its conversions are computed for all of them.

        ``above`` are conditions of a node above that could not be pushed into the scan.
        """
        rows = self.ctes.get(str(node["extra_info"].get("CTE Index")), estimate_of(node))
        table, filters = node["extra_info"].get("Table"), [*texts(node, "Filters"), *above]
        if table is None or not filters:
            return rows
        usable = [
            text
            for found in filters
            for text in conjuncts(found.removeprefix(PUSHED))
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
        limit = _MOST_COUNTED if filters else "ALL"
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {{}}{where} LIMIT {limit})"
        return _value(self.connection, table, sql)


def lacking(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    column: str,
    rows: float,
    has: str,
    *inner: str,
) -> float:
    """Which part of a column the condition ``has`` on ``{0}`` rejects, by a sample.

    ``rows`` is an estimate of the table's rows, which sets the size of the sample. ``inner`` are
    another table, ``{1}``, and columns of it.
    """
    part = min(100.0, 100.0 * _MOST_COUNTED / max(rows, 1.0))
    sample = f"TABLESAMPLE system({part:.4f} PERCENT) REPEATABLE (1) HAVING count(*) > 0"
    with beside(connection) as own:
        named = [_full(own, one) or "" for one in inner[:1]]
        condition = has.format(identifier(column), *named, *map(identifier, inner[1:]))
        sql = f"SELECT 1 - count(*) FILTER (WHERE {condition}) / count(*) FROM {{}} {sample}"
        return _value(own, table, sql) or 0.0


def _value(connection: duckdb.DuckDBPyConnection, table: str, sql: str) -> float | None:
    """What a query gives of a table, whose name in a plan it has in place of ``{}``."""
    with contextlib.suppress(duckdb.Error, ValueError):
        full = _full(connection, table)
        # columns are not quoted in a plan, and the name of one may be any text
        if full and len(connection.extract_statements(sql := sql.replace("{}", full, 1))) == 1:
            [(found,)] = connection.execute(sql).fetchall()
            return float(found)
    return None


def _full(connection: duckdb.DuckDBPyConnection, table: str) -> str | None:
    """The name of a table of a plan in SQL; None where several have it."""
    # DuckDB 1.4 shows the bare name
    named = connection.execute(_NAMED, [table]).fetchall()
    if len(named) > 1:
        return None
    return ".".join(map(identifier, (*named[0], table))) if named else table


def converts(node: Node, columns: Set[str]) -> bool:
    """Whether a node converts; ``columns`` are the names of all columns that the plan reads."""
    shown = [text for key in node["extra_info"] for text in texts(node, key)]
    if any(map(_CONVERSION.search, shown)):
        return True
    # the plan shows an output column by its alias, whatever it computes
    outputs = texts(node, "Projections") if node["name"].strip() == "PROJECTION" else ()
    return any(text not in columns and not _PLAIN.fullmatch(text) for text in outputs)


def _tests_pairs(node: Node) -> bool:
    """Whether a join converts for the pairs of its keys only: to compare with a constant."""
    found = [text for text in texts(node, "Conditions") if _CONVERSION.search(text)]
    return bool(found) and all(map(_TO_CONSTANT.search, found))


def _rows_each(node: Node) -> int | None:
    """The most rows that a LATERAL subquery has for each row outside; None if it has no LIMIT."""
    while node["name"].strip() == "PROJECTION":
        [node] = node["children"]
    keys = {*texts(node, "Conditions")} if node["extra_info"].get("Join Type") == "SEMI" else set()
    if _FIRST & keys or "GROUP_BY" in node["name"]:
        return 1
    numbers = map(_FIRST_OF_EACH.fullmatch, texts(node, "Expression"))
    return next((int(found[1]) for found in numbers if found), None)


def conjuncts(text: str) -> list[str]:
    """The conditions of a filter that must all hold, which a plan shows as ``((a) AND (b))``."""
    plain = _TEXT.sub(lambda one: "_" * len(one[0]), text)
    found, depth, start = [], 0, 1
    for place, sign in enumerate(plain):
        depth += (sign == "(") - (sign == ")")
        if depth == 1 and sign == ")":
            found.append(text[start : place + 1])
            start = place + 1 + len(_AND)
            if plain[place + 1 :] != ")" and not plain.startswith(f"{_AND}(", place + 1):
                break  # an OR, an operator, or the end of a call
        elif not depth:
            break
    return found if start == len(text) - 1 + len(_AND) else [text]


def _output(node: Node, inputs: list[float]) -> float:  # noqa: PLR0911 # one for each node
    """DuckDB's estimate for a node, corrected by the counted rows of its inputs."""
    name, estimate = node["name"].strip(), estimate_of(node)
    if name == "UNION":
        return sum(inputs)
    if name == "CTE":
        return inputs[-1]
    conditions = texts(node, "Conditions")
    if not inputs:
        return estimate
    if node["extra_info"].get("Join Type") == "SEMI" and _FIRST & {*conditions}:
        return min(inputs)  # the other columns of the first rows in some order
    if len(inputs) == 2 and conditions and all(_OUTER_KEY in text for text in conditions):
        for outer, child in zip(reversed(inputs), node["children"], strict=True):
            if each := _rows_each(child):
                return min(estimate, outer * each)
    if "LIMIT" in name or name == "TOP_N":
        return min(_number(node, "Limit" if "LIMIT" in name else "Top"), max(inputs))
    if "AGGREGATE" in name or "GROUP_BY" in name:
        return min(estimate, max(inputs))
    if name == "PROJECTION" and _has_estimate(node) and not _has_estimate(node["children"][0]):
        return min(estimate, max(inputs))
    if name == "PROJECTION" or not estimate:  # 0 where both sides of a join ask for one key
        return max(inputs)
    for rows, child in zip(inputs, node["children"], strict=True):
        estimate *= rows / max(estimate_of(child), 1.0)
    return estimate


def columns_of(nodes: Iterable[Node]) -> Iterator[str]:
    """The names of the columns that the scans of a plan return."""
    for node in nodes:
        yield from columns_of(node["children"]) if node["children"] else texts(node, "Projections")


def texts(node: Node, key: str) -> list[str]:
    """What a node says under a key: one text, several or none."""
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


def estimate_of(node: Node) -> float:
    """The rows that DuckDB expects of a node."""
    if _has_estimate(node):
        return _number(node, "Estimated Cardinality")
    return sum(estimate_of(child) for child in node["children"])


def _number(node: Node, key: str) -> float:
    text = str(node["extra_info"].get(key, "")).replace(",", "")
    return float(text) if text.replace(".", "", 1).isdigit() else float("inf")

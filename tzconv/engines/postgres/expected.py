"""The number of rows for which PostgreSQL expects to compute a conversion, from its plan.

The rewriter leaves a conversion of few rows alone. The statement is planned and not run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tzconv.sql.text import identifier, literal

Plan: TypeAlias = Mapping[str, Any]

EXPLAIN = "EXPLAIN (FORMAT JSON, VERBOSE{options}) "
_GENERIC = ", GENERIC_PLAN"
"""Since PostgreSQL 16."""
_PARAMETER = re.compile(r"\$\d")

_CONVERSIONS = (
    re.compile(r"\bAT TIME ZONE\b|\btimezone\("),
    re.compile(r"\bdate_trunc\("),
)
"""How a plan spells a conversion; the second pattern counts only if the first finds nothing."""
_NOW = re.compile(r"\b(?:now|transaction_timestamp|statement_timestamp)\(\)|CURRENT_TIMESTAMP")
_AGGREGATE = re.compile(
    r"\b(?:count|sum|min|max|avg|every|any_value|mode|(?:bool|bit|regr)_\w+|\w+_agg|percentile_\w+"
    r"|stddev\w*|var(?:iance|_\w+)|corr|covar_\w+|WITHIN GROUP )\("
)
CONDITIONS = ("Filter", "Join Filter", "Hash Cond", "Merge Cond", "Recheck Cond")
_BLOCKING = ("Hash", "Sort", "WindowAgg", "SetOp")
"""Nodes that read all of their input for the first row of their output."""
_EQUAL, _ONE_SIDED = 200, 3
"""PostgreSQL's default selectivities, inverted: what it assumes of a condition on a function."""

_SHARES = """
    SELECT (SELECT coalesce(pg_catalog.sum(m.share), 0)
            FROM ROWS FROM (
                pg_catalog.unnest(s.most_common_vals::pg_catalog.text::pg_catalog.text[]),
                pg_catalog.unnest(s.most_common_freqs)) AS m (name, share)
            WHERE pg_catalog.upper(m.name) OPERATOR(pg_catalog.=) ANY (
                SELECT abbrev FROM pg_catalog.pg_timezone_abbrevs)
              OR m.name OPERATOR(pg_catalog.~) {far}), s.null_frac
    FROM pg_catalog.pg_stats s
    WHERE schemaname OPERATOR(pg_catalog.=) {schema}::pg_catalog.name
      AND tablename OPERATOR(pg_catalog.=) {table}::pg_catalog.name
      AND attname OPERATOR(pg_catalog.=) {column}::pg_catalog.name
    """
_FAR = "infinity|(^|[-/. ])(0[0-9]|1[0-8]|2[1-9]|[3-9][0-9])[0-9][0-9]($|[-/ ])"
"""A time before 1900 or from 2100 on, in any DateStyle."""


def explain(
    statement: str,
    ask: Callable[..., list[Any]],
    parameters: Any = None,
    *,
    is_generic: bool = False,
) -> Plan:
    """The plan of a statement with those parameters; ``is_generic`` for any values of ``$1``."""
    options = _GENERIC if is_generic and _PARAMETER.search(statement) else ""
    [(plans,)] = ask(EXPLAIN.format(options=options) + statement, parameters=parameters)
    [plan] = json.loads(plans) if isinstance(plans, str) else plans
    found: Plan = plan["Plan"]
    return found


def expected_rows(plan: Plan, ask: Callable[..., list[Any]]) -> float:
    """The rows for which the conversions of a plan are computed, added up over its nodes.

    A plan without a conversion counts with the largest of its nodes. ``ask`` runs a query without
    parameters, for the sizes of tables.
    """
    for pattern in _CONVERSIONS:
        walk = _PostgresPlan(pattern, lambda relation: size_of(relation, ask)[0])
        walk.visit(plan, 1.0, 1.0)
        if walk.found:
            return sum(walk.found)
    return walk.largest


def size_of(relation: tuple[str, str], ask: Callable[..., list[Any]]) -> tuple[float, float]:
    """Rows and pages of a table by schema and name, as the last ANALYZE counted them."""
    name = literal(".".join(map(identifier, relation)))
    sql = (
        "SELECT reltuples, relpages FROM pg_catalog.pg_class "
        f"WHERE oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({name})::pg_catalog.oid"
    )
    [(rows, pages)] = ask(sql, parameters=None)
    return float(rows), float(pages)


def shares_of(
    relation: tuple[str, str], column: str, ask: Callable[..., list[Any]]
) -> tuple[float, float]:
    """Which part of a column has no offset in the tables, and is NULL, by its statistics.

    The function adds the fixed offset of a zone such as UTC without looking up rules. Times outside
    of the tables, such as the year 9999, are looked up for nothing.
    """
    schema, table = map(literal, relation)
    names = {"schema": schema, "table": table, "column": literal(column), "far": literal(_FAR)}
    sql = _SHARES.format(**names)
    return next(((float(fixed), float(null)) for fixed, null in ask(sql, parameters=None)), (0, 0))


@dataclass(slots=True)
class _PostgresPlan:
    pattern: re.Pattern[str]
    size: Callable[[tuple[str, str]], float]
    found: list[float] = field(default_factory=list)
    largest: float = 0.0
    workers: float = 1.0

    def visit(self, node: Plan, times: float, share: float) -> None:
        """``times`` is how often the node runs; a LIMIT lets a ``share`` of it run."""
        rows = rows_out(node) * times * share
        self.largest = max(self.largest, rows)
        here = []
        if any(self.pattern.search(str(node.get(key, ""))) for key in CONDITIONS):
            here.append(self._tested(node) * times * share)
        if node["Node Type"] == "Seq Scan" and _NOW.search(str(node.get("Filter", ""))):
            here.append(self._tested(node) * times * share)  # the column may have a hidden cast
        if self.pattern.search(str(node.get("Index Cond", ""))):
            here.append(times * share)  # a bound is computed once for each run
        read = max((rows_out(child) for child in node.get("Plans", ())), default=0.0)
        here += [
            max(rows, read * times * share) if is_aggregated else rows
            for is_aggregated in self._computed(node)
        ]
        if here:
            self.found.append(max(here))
        workers = workers_of(node)
        self.workers *= workers
        for child in node.get("Plans", ()):
            self.visit(child, *inside(node, child, times * workers, share))
        self.workers /= workers

    def _computed(self, node: Plan) -> list[bool]:
        """For each conversion that the node adds to its output: is it inside an aggregate?"""
        known = [
            text
            for child in node.get("Plans", ())
            for text in child.get("Output", ())
            if self.pattern.search(text)
        ]
        found = []
        for output in node.get("Output", ()):
            rest = output
            for text in sorted(known, key=len, reverse=True):
                rest = rest.replace(f"({text})", "").replace(text, "")
            if self.pattern.search(rest):
                arguments = (_argument(rest, one.end()) for one in _AGGREGATE.finditer(rest))
                found.append(any(map(self.pattern.search, arguments)))
        return found

    def _tested(self, node: Plan) -> float:
        """The rows for which a condition of the node is computed, in one run."""
        children = node.get("Plans", ())
        inputs = [rows_out(child) for child in children if child.get("Subplan Name") is None]
        if node["Node Type"] == "Nested Loop":
            return inputs[0] * inputs[1]
        if inputs:
            return max(inputs)
        text = " ".join(str(node.get(key, "")) for key in CONDITIONS)
        scanned = rows_out(node) * (_EQUAL if " = " in text or " <= " in text else _ONE_SIDED)
        if "Relation Name" not in node:
            return scanned
        size = self.size((node["Schema"], node["Relation Name"]))
        if "Index Cond" in node:
            return min(scanned, max(size, rows_out(node)))
        # the size of the table is for all workers, every other number for one of them
        return max(size / (self.workers if node["Parallel Aware"] else 1.0), rows_out(node))


def computes_conversion(node: Plan) -> bool:
    """Whether a node adds a conversion to its output."""
    known = [text for child in node.get("Plans", ()) for text in child.get("Output", ())]
    return any(text not in known for text in node.get("Output", ()) if _CONVERSIONS[0].search(text))


def rows_out(node: Plan) -> float:
    """The rows that the planner expects of one run of a node, at least one."""
    return max(float(node["Plan Rows"]), 1.0)


def inside(node: Plan, child: Plan, times: float, share: float) -> tuple[float, float]:
    """How often a child runs, and how much of it."""
    kind, relation = node["Node Type"], child.get("Parent Relationship")
    if relation == "InitPlan":
        return 1.0, 1.0
    if relation == "SubPlan":
        return times * rows_out(node), share
    if kind == "Limit":
        return times, share * min(1.0, rows_out(node) / rows_out(child))
    if kind in _BLOCKING or is_grouped(node):
        return times, 1.0
    if kind == "Nested Loop" and relation == "Inner":
        if child["Node Type"] == "Materialize":
            return times, 1.0
        return times * rows_out(node["Plans"][0]), share
    return times, share


def is_grouped(node: Plan) -> bool:
    """Whether a node groups its input without sorting it."""
    return bool(node["Node Type"] == "Aggregate" and node.get("Strategy") != "Sorted")


def workers_of(node: Plan) -> float:
    """How many processes run the nodes under this one, by the planner's formula."""
    planned = float(node.get("Workers Planned", 0))
    # the more workers the leader serves, the less it computes itself
    return planned + max(0.0, 1 - 0.3 * planned)


def _argument(text: str, start: int) -> str:
    """What follows an opening bracket, up to its closing one."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            after = text[place + 1 :]
            return text[start:place] + (after if after.startswith(" FILTER ") else "")
    return text[start:]

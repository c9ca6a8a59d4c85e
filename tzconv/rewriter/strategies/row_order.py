"""Whether the order in which an engine gives the rows of a SELECT decides a result.

A join may change that order. Clauses of the SELECT may depend on it, and so may those of the
queries that read its rows, where nothing on the way makes the order irrelevant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sqlglot import exp

from tzconv.engines import foreign
from tzconv.rewriter.aggregates import is_one_row, own_nodes, why_ordered
from tzconv.sql.parse import Node, Source, TablesByName
from tzconv.sql.reasons import Reason

_QUERY = (exp.Select, exp.SetOperation)
_COUNTERS = foreign.of_all(lambda facts: facts.numbering_functions)
_IN_ORDER = ("ASOF", "POSITIONAL")
_FIRST = "a join may change which rows come first"
_KEYS = "of two rows with one key, a join may change which comes first"


class _Reader(NamedTuple):
    """A query that reads the rows of another; ``alone`` where its rows come in their order."""

    query: Node
    alone: bool


def why_order_matters(select: exp.Select, source: Source) -> Reason | None:
    """The reason why the rows of a SELECT must keep their order; None where they need not."""
    root = select.root()
    reason = _noted(root, _why_of_statement) or _noted(select, _why)
    return reason or _why_outside(select, source.tables(root))


def _noted(node: Node, why: Callable[[Node], Reason | None]) -> Reason | None:
    """The reason, computed once per node: every strategy asks, for each SELECT of a statement."""
    key = f"tzconv{why.__name__}"
    if key not in node.meta:
        node.meta[key] = why(node)
    found: Reason | None = node.meta[key]
    return found


def _why_of_statement(root: Node) -> Reason | None:
    if isinstance(root, exp.Insert) and root.args.get("conflict"):
        return Reason("row-order", f"ON CONFLICT: {_KEYS}")
    if isinstance(root, exp.Insert) and (instead := root.args.get("alternative")):
        return Reason("row-order", f"INSERT OR {instead}: {_KEYS}")
    if any(_is_counter(node) for node in root.find_all(exp.Anonymous, exp.Column)):
        text = "a sequence numbers rows in their order, which a join may change"
        return Reason("row-order", text)
    return None


def _is_counter(node: Node) -> bool:
    """Whether a node is the next number of a sequence; Vertica also writes it as a column of it."""
    if isinstance(node, exp.Column) and not (node.table and node.name.casefold() == "nextval"):
        return False
    return node.name.casefold() in _COUNTERS


def _why(query: Node) -> Reason | None:
    """The reason why a query depends on the order of its rows."""
    return _why_limited(query) or why_ordered(query)


def _why_limited(query: Node) -> Reason | None:
    if query.args.get("order"):
        return None
    if any(query.args.get(clause) for clause in ("limit", "offset", "fetch")):
        return Reason("row-order", f"LIMIT without ORDER BY: {_FIRST}")
    distinct = query.args.get("distinct")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on"):
        return Reason("row-order", f"DISTINCT ON without ORDER BY: {_FIRST}")
    return None


def _why_joined(query: Node) -> Reason | None:
    for node in own_nodes(query):
        if isinstance(node, exp.Join) and (kind := node.method or node.kind) in _IN_ORDER:
            text = f"{kind} JOIN depends on the order of rows, which another join may change"
            return Reason("row-order", text)
        if isinstance(node, exp.TableSample):
            return Reason("row-order", "a sample: a join may change which rows are in it")
    return None


def _why_outside(select: exp.Select, tables: TablesByName) -> Reason | None:
    """The reason of a query that reads the rows, directly or through other queries."""
    waiting: list[Node] = [select]
    known = {id(select)}
    for query in waiting:
        inner, is_fixed = query, bool(query.args.get("order"))
        while isinstance(inner.parent, exp.Subquery):
            inner = inner.parent
            reason = None if is_fixed else _why_limited(inner)
            if reason is not None:
                return _around(reason)
            is_fixed = is_fixed or bool(inner.args.get("order"))
        if is_one_row(query) and not _may_be_correlated(inner):
            continue
        if isinstance(inner.parent, exp.Array) and not is_fixed:
            return Reason("row-order", f"ARRAY() of a query without ORDER BY: {_FIRST}")
        for reader in _readers(inner, tables):
            if is_fixed and reader.alone:
                continue
            reason = _noted(reader.query, _why) or _noted(reader.query, _why_joined)
            if reason is not None:
                return _around(reason)
            if id(reader.query) not in known:
                known.add(id(reader.query))
                waiting.append(reader.query)
    return None


def _around(reason: Reason) -> Reason:
    return Reason(reason.code, f"in an outer query, {reason.text}")


def _readers(query: Node, tables: TablesByName) -> Iterator[_Reader]:
    """The queries that read the rows of a query: of a CTE, all that have its name."""
    around = query.parent
    if isinstance(around, exp.CTE):
        scope = around.parent.parent if around.parent is not None else None
        for table in tables.get(around.alias.casefold(), ()) if scope is not None else ():
            node: Node | None = table
            while node is not None and node is not scope:
                node = node.parent
            if node is not None and not table.db:
                yield from _readers(table, tables)
    elif isinstance(around, exp.SetOperation):
        yield _Reader(around, alone=True)
    else:
        reader = query.find_ancestor(*_QUERY)
        if reader is not None:
            is_alone = isinstance(around, exp.From) and not any(
                reader.args.get(clause) for clause in ("joins", "laterals")
            )
            yield _Reader(reader, is_alone)


def _may_be_correlated(query: Node) -> bool:
    """Whether a subquery in an expression or a LATERAL may use columns of the outer query."""
    if isinstance(query.parent, (exp.From, exp.Join, exp.CTE, exp.SetOperation)):
        return False
    inside = {one.alias_or_name.casefold() for one in query.find_all(exp.Table, exp.Subquery)}
    return any(column.table.casefold() not in inside for column in query.find_all(exp.Column))

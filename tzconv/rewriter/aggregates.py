"""Which aggregates and window functions depend on the order of their rows.

The aggregates that do not are listed; any other one counts as order-sensitive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from tzconv.engines import foreign
from tzconv.sql.expressions import upwards
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason

_FREE: frozenset[type[Node]] = frozenset(
    (
        *(exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.ApproxDistinct, exp.Hll),
        *(exp.LogicalAnd, exp.LogicalOr, exp.BoolxorAgg, exp.HashAgg, exp.Grouping, exp.GroupingId),
        *(exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg),
        *(exp.BitmapConstructAgg, exp.BitmapOrAgg),
        *(exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
        *(exp.Corr, exp.CovarPop, exp.CovarSamp, exp.Kurtosis, exp.Skewness),
        *(exp.RegrAvgx, exp.RegrAvgy, exp.RegrCount, exp.RegrIntercept, exp.RegrR2, exp.RegrSlope),
        *(exp.RegrSxx, exp.RegrSxy, exp.RegrSyy, exp.RegrValx, exp.RegrValy),
        *(exp.Median, exp.Quantile, exp.PercentileCont, exp.PercentileDisc),
        *(exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist),
    )
)
"""Aggregates whose result is the same in any order, up to the last digits of a float sum.

The type itself counts, not its subclasses: ApproxQuantile is one of Quantile."""
_FREE_NAMES = foreign.of_all(lambda facts: facts.unordered_aggregates)
_NAMES = _FREE_NAMES | foreign.of_all(lambda facts: facts.ordered_aggregates)
_PLAIN = foreign.functions() | foreign.of_all(lambda facts: facts.fixed_functions)
_NODES = (exp.AggFunc, exp.JSONArrayAgg, exp.JSONObjectAgg, exp.JSONBObjectAgg)
_NUMBERED = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Ntile)
_AROUND = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
"""What may stand between a function and its OVER."""
_OF_SERIES = frozenset({"ts_first_value", "ts_last_value"})
"""What reads the rows of TIMESERIES, in the order of its OVER."""
_QUERY = (exp.Select, exp.SetOperation)
_SHOWN = ("having", "qualify", "order", "distinct")
_NO_ORDER = "without ORDER BY: a join may change the order of its rows"


def own_nodes(query: Node) -> Iterator[Node]:
    """The nodes of a query without those of the queries inside it."""
    return query.walk(prune=lambda one: one is not query and isinstance(one, _QUERY))


def is_of_group(node: Node) -> bool:
    """Whether a node is an aggregate, or FILTER and the like around one; no window function."""
    return _is_aggregate(node) or (isinstance(node, _AROUND) and _window(node) is None)


def _is_aggregate(node: Node) -> bool:
    return (isinstance(node, _NODES) or _name_in(node, _NAMES)) and _window(node) is None


def has_aggregate(node: Node) -> bool:
    """Whether an expression holds an aggregate, so that its SELECT has groups."""
    return any(map(_is_aggregate, node.walk(prune=lambda one: isinstance(one, exp.Query))))


def is_one_row(query: Node) -> bool:
    """Whether a query gives one row: aggregates without GROUP BY."""
    if not isinstance(query, exp.Select) or query.args.get("group"):
        return False
    return any(map(has_aggregate, query.expressions))


def why_ordered(query: Node) -> Reason | None:
    """The aggregate or window function of a query that depends on the order of its rows."""
    windows = query.args.get("windows") or []
    named = {one.name.casefold(): one for one in windows}
    is_sure = len(named) == len(windows)  # "W" and w may be two
    for node in own_nodes(query):
        if isinstance(node, exp.Window) and _is_unordered(node, named if is_sure else {}):
            return Reason("row-order", f"a window function {_NO_ORDER}")
        if _picks(node) and not _is_sorted(node):
            return Reason("row-order", f"{_name(node)} {_NO_ORDER}")
    for call in _unknown_aggregates(query) if isinstance(query, exp.Select) else ():
        if not _is_sorted(call):
            return Reason("row-order", f"{_name(call)} may be an aggregate {_NO_ORDER}")
    return None


def _name(node: Node) -> str:
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return node.name.upper()
    name = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
    return name.replace("J_S_O_N_B_", "JSONB_").replace("J_S_O_N_", "JSON_")


def _name_in(node: Node, names: frozenset[str]) -> bool:
    is_call = isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc))
    return is_call and node.name.casefold() in names


def _is_free(node: Node) -> bool:
    return type(node) in _FREE or _name_in(node, _FREE_NAMES)


def _picks(node: Node) -> bool:
    """Whether a node is an aggregate such as first() or array_agg(), which depends on row order.

    An ORDER BY in its window does not help: rows that tie may come in any order.
    """
    if isinstance(node, _NUMBERED):
        return _window(node) is None
    is_known = isinstance(node, exp.AggFunc) or _name_in(node, _NAMES)
    if not is_known and isinstance(node, exp.Anonymous) and _window(node) is None:
        is_distinct = any(isinstance(one, exp.Distinct) for one in node.expressions)
        is_known = is_distinct or isinstance(node.parent, exp.Filter)
    return is_known and not _is_free(node)


def _is_sorted(node: Node) -> bool:
    """Whether an aggregate has an ORDER BY, in its brackets or WITHIN GROUP."""
    if isinstance(node.parent, exp.WithinGroup) or _is_sorted_later(node):
        return True
    select = node.find_ancestor(exp.Select) if _name_in(node, _OF_SERIES) else None
    if select is not None and (series := select.args.get("timeseries")) is not None:
        return series.expression.args.get("order") is not None
    inside = node.walk(
        prune=lambda one: one is not node and isinstance(one, (exp.Query, exp.Window, exp.AggFunc))
    )
    return any(isinstance(one, exp.Order) for one in inside)


def _is_sorted_later(node: Node) -> bool:
    """Whether the collected values are sorted at once, as in sort_array(collect_list(x))."""
    around = node.parent
    is_call = around is not None and _name_in(around, frozenset({"sort_array", "array_sort"}))
    if around is None or not (is_call or isinstance(around, exp.ArraySort)):
        return False
    collects = isinstance(node, exp.ArrayAgg) or _name_in(node, frozenset({"collect_set"}))
    return collects and around.find(exp.Lambda) is None


def _window(function: Node) -> exp.Window | None:
    """The OVER clause of a function; None for an aggregate of a group."""
    inner, around = function, function.parent
    while isinstance(around, (*_AROUND, exp.Dot)) and _inside(around) is inner:
        inner, around = around, around.parent
    if isinstance(function, exp.Lag):
        around = function.find_ancestor(exp.Window, exp.Query)  # it has that of the call around it
        inner = around.this if isinstance(around, exp.Window) else inner
    return around if isinstance(around, exp.Window) and around.this is inner else None


def _inside(around: Node) -> Node:
    found: Node = around.expression if isinstance(around, exp.Dot) else around.this
    return found


def _is_unordered(window: exp.Window, named: Mapping[str, exp.Window]) -> bool:
    """Whether a window function depends on row order and its window has no ORDER BY."""
    function = window.this
    while isinstance(function, (*_AROUND, exp.Dot)):  # as in pg_catalog.row_number()
        function = _inside(function)
    if not isinstance(function, exp.Func):  # the definition of a named window
        return False
    frame, around = None, [window]
    for one in around:
        if one.args.get("order"):
            return False
        frame = frame or one.args.get("spec")
        base = named.get(one.alias.casefold())
        if base is not None and base not in around:
            around.append(base)
    if not _is_free(function):
        return True
    # without an order all rows are peers: only ROWS and GROUPS tell them apart
    ends = [frame.args.get(key) for key in ("start", "end")] if frame else []
    is_part = frame is not None and ends != ["UNBOUNDED", "UNBOUNDED"]
    return frame is not None and is_part and frame.args.get("kind") != "RANGE"


def grouped_by(select: exp.Select) -> Iterator[Node]:
    """The expressions that a SELECT groups by; those of ROLLUP may be in parentheses."""
    group = select.args.get("group")
    if group is None:
        return
    # without expressions it is GROUP BY ALL
    waiting = list(group.expressions) or [one.unalias() for one in select.expressions]
    for node in waiting:
        if isinstance(node, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            waiting += node.expressions
        elif isinstance(node, exp.Paren):
            waiting.append(node.this)
        else:
            yield node


def _unknown_aggregates(select: exp.Select) -> Iterator[Node]:
    """Unknown functions of ungrouped columns: in a grouped SELECT they must be aggregates.

    Columns are compared by their names, so that a plain function is not taken for one.
    """
    group = select.args.get("group")
    parts = [*select.expressions, *(select.args[one] for one in _SHOWN if select.args.get(one))]
    if group.args.get("all") if group is not None else not any(map(has_aggregate, parts)):
        return
    aliases = {exp.column(one.alias.casefold()) for one in select.expressions}
    keys = set(map(_unqualified, grouped_by(select)))
    # numbers, and names without a table, may be those of output columns
    shown = {
        one.name.casefold()
        for one in grouped_by(select)
        if isinstance(one, (exp.Column, exp.Literal)) and not one.args.get("table")
    }
    for place, one in enumerate(select.expressions, 1):
        if shown & {str(place), one.alias.casefold()}:
            keys.add(_unqualified(one.unalias()))

    def is_free(node: Node, part: Node) -> bool:
        return not any(
            is_of_group(one) or isinstance(one, exp.Query) or _unqualified(one) in keys
            for one in upwards(node, part)
        )

    for part in parts:
        for call in part.find_all(exp.Anonymous):
            if is_free(call, part) and _window(call) is None and not _name_in(call, _PLAIN):
                columns = (one for one in call.find_all(exp.Column) if is_free(one, call))
                if any(one.table or _unqualified(one) not in aliases for one in columns):
                    yield call


def _unqualified(node: Node) -> Node:
    """An expression with columns that have no tables, and names in lower case."""
    return node.transform(
        lambda one: exp.column(one.name.casefold()) if isinstance(one, exp.Column) else one
    )

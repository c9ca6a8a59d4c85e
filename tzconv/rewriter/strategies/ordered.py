"""Aggregates and window functions whose result depends on the order in which rows come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

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
"""Aggregates that do not depend on it, but for the last digits of a sum; any other may.

Their subclasses may: that of quantiles has approximate ones."""
_FREE_TEXT = """
approx_count_distinct approximate_count_distinct avg bit_and bit_or bit_xor bitstring_agg
bool_and bool_or bool_xor count count_if count_min_sketch count_star cume_dist decimal_average
dense_rank entropy every favg fsum geomean geometric_mean histogram histogram_exact
hll_sketch_agg kahan_sum kurtosis kurtosis_pop mad max mean min percent_rank percentile product
quantile_cont quantile_disc range_agg range_intersect_agg rank regr_avgx regr_avgy regr_count
regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy sem skewness some stddev sum
sum_no_overflow sumkahan try_avg try_sum var_pop var_samp wavg weighted_avg
"""
_FREE_NAMES = frozenset(_FREE_TEXT.split())
"""Names of further ones, for which sqlglot has no node."""
_PICKING_TEXT = """
any_value approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min arg_min_null
arg_min_nulls_last argmax_agg argmin_agg array_agg collect_list collect_set combine_aggr first
group_concat implode json_agg json_agg_strict json_array_agg json_arrayagg json_group_array
json_group_object json_group_structure json_object_agg json_object_agg_strict
json_object_agg_unique json_object_agg_unique_strict json_objectagg jsonb_agg jsonb_agg_strict
jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict
last list listagg lttb max_by min_by mode reservoir_quantile string_agg variant_group_object
xmlagg
"""
_PICKING = frozenset(_PICKING_TEXT.split())
"""Names of aggregates that depend on it, where sqlglot does not know that they are aggregates."""
_AGGREGATES = _FREE_NAMES | _PICKING
_NUMBERED = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Ntile)
_SORTING = frozenset({"sort_array", "array_sort"})
_AROUND = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
"""What may stand between a function and its OVER."""
_QUERY = (exp.Select, exp.SetOperation)
_SHOWN = ("having", "qualify", "order", "distinct")
_NO_ORDER = "without ORDER BY: a join may change the order of its rows"


def own_nodes(query: Node) -> Iterator[Node]:
    """The nodes of a query without those of the queries inside it."""
    return query.walk(prune=lambda one: one is not query and isinstance(one, _QUERY))


def why_ordered(query: Node) -> Reason | None:
    """The aggregate or window function of a query that depends on the order of its rows."""
    named = {one.name.casefold(): one for one in query.args.get("windows") or []}
    for node in own_nodes(query):
        if isinstance(node, exp.Window) and _is_unordered(node, named):
            return Reason("row-order", f"a window function {_NO_ORDER}")
        if _picks(node) and not _is_sorted(node):
            return Reason("row-order", f"{_name(node)} {_NO_ORDER}")
    if isinstance(query, exp.Select):
        for call in _unknown_aggregates(query):
            if not _is_sorted(call):
                return Reason("row-order", f"{_name(call)} may be an aggregate {_NO_ORDER}")
    return None


def is_one_row(query: Node) -> bool:
    """Whether a query gives one row: aggregates without GROUP BY."""
    if not isinstance(query, exp.Select) or query.args.get("group"):
        return False
    return any(map(_has_aggregate, query.expressions))


def _name(node: Node) -> str:
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return node.name.upper()
    name = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
    return name.replace("J_S_O_N_B_", "JSONB_").replace("J_S_O_N_", "JSON_")


def _picks(node: Node) -> bool:
    """Whether a node is an aggregate that takes a row for its place, or shows all in their order.

    An ORDER BY of its window does not help: of rows that are alike to it any may come first.
    """
    if isinstance(node, exp.AnonymousAggFunc):
        return node.name.casefold() not in _FREE_NAMES
    if isinstance(node, exp.Anonymous):
        name = node.name.casefold()
        is_over = _window(node) is not None
        looks_so = isinstance(node.parent, exp.Filter) or any(
            isinstance(one, exp.Distinct) for one in node.expressions
        )
        return name in _PICKING or (looks_so and not is_over and name not in _FREE_NAMES)
    if not isinstance(node, exp.AggFunc) or type(node) in _FREE:
        return False
    return not isinstance(node, _NUMBERED) or _window(node) is None


def _is_sorted(node: Node) -> bool:
    """Whether an aggregate says the order of its rows, in its brackets or WITHIN GROUP."""
    if isinstance(node.parent, exp.WithinGroup) or _is_sorted_later(node):
        return True
    inside = node.walk(
        prune=lambda one: one is not node and isinstance(one, (exp.Query, exp.Window, exp.AggFunc))
    )
    return any(isinstance(one, exp.Order) for one in inside)


def _is_sorted_later(node: Node) -> bool:
    """Whether what an aggregate collects is sorted at once, so that its order is of no matter."""
    around = node.parent
    is_call = isinstance(around, exp.Anonymous) and around.name.casefold() in _SORTING
    if around is None or not (is_call or isinstance(around, exp.ArraySort)):
        return False
    is_known = isinstance(node, exp.AnonymousAggFunc) and node.name.casefold() == "collect_set"
    return (is_known or isinstance(node, exp.ArrayAgg)) and around.find(exp.Lambda) is None


def _window(function: Node) -> exp.Window | None:
    """The OVER of a function."""
    inner, around = function, function.parent
    while isinstance(around, _AROUND) and around.this is inner:
        inner, around = around, around.parent
    return around if isinstance(around, exp.Window) and around.this is inner else None


def _is_unordered(window: exp.Window, named: Mapping[str, exp.Window]) -> bool:
    """Whether a window function numbers, picks or adds up rows of a window that says no order."""
    function = window.this
    while isinstance(function, _AROUND):
        function = function.this
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
    if type(function) in _FREE or (
        isinstance(function, (exp.Anonymous, exp.AnonymousAggFunc))
        and function.name.casefold() in _FREE_NAMES
    ):
        # without an order all rows are peers: only ROWS and GROUPS tell them apart
        ends = [frame.args.get(key) for key in ("start", "end")] if frame else []
        is_part = frame is not None and ends != ["UNBOUNDED", "UNBOUNDED"]
        return frame is not None and is_part and frame.args.get("kind") != "RANGE"
    return True


def _is_aggregate(node: Node) -> bool:
    known = isinstance(node, exp.AggFunc) or (
        isinstance(node, exp.Anonymous) and node.name.casefold() in _AGGREGATES
    )
    return known and _window(node) is None


def _has_aggregate(node: Node) -> bool:
    return any(map(_is_aggregate, node.walk(prune=lambda one: isinstance(one, exp.Query))))


def _unknown_aggregates(select: exp.Select) -> Iterator[Node]:
    """Unknown functions of ungrouped columns: in a grouped SELECT they must be aggregates.

    Columns are compared by their names, so that a plain function is not taken for one.
    """
    group = select.args.get("group")
    parts = [*select.expressions, *(select.args[one] for one in _SHOWN if select.args.get(one))]
    if group.args.get("all") if group is not None else not any(map(_has_aggregate, parts)):
        return
    keys = _names(group) if group is not None else set()
    places = {one.name for one in group.find_all(exp.Literal)} if group is not None else set()
    for place, one in enumerate(select.expressions, 1):
        if str(place) in places or one.alias_or_name.casefold() in keys:
            keys |= _names(one)
    keys |= {one.alias.casefold() for one in select.expressions if one.alias}
    for part in parts:
        for call in _outside_aggregates(part):
            if isinstance(call, exp.Anonymous) and _window(call) is None:
                columns = [one for one in _outside_aggregates(call) if isinstance(one, exp.Column)]
                if any(keys.isdisjoint(_names(column)) for column in columns):
                    yield call


def _outside_aggregates(part: Node) -> Iterator[Node]:
    for node in part.walk(prune=lambda one: _is_of_rows(one) or isinstance(one, exp.Query)):
        if not _is_of_rows(node):
            yield node


def _is_of_rows(node: Node) -> bool:
    """Whether a node is an aggregate, or the condition for the rows that one takes."""
    around = node.parent
    if isinstance(around, exp.Filter) and around.expression is node:
        return _is_aggregate(around.this)
    return _is_aggregate(node)


def _names(node: Node) -> set[str]:
    """The names in the columns of an expression: those of tables and of fields too."""
    return {part.name.casefold() for one in node.find_all(exp.Column) for part in one.parts}

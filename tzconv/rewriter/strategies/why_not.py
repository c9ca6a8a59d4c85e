"""Why a conversion or a bound is left, although its query may be joined to."""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.groups import why_not_grouped
from tzconv.rewriter.of_zones import is_compared_with_other, is_computed_before_joins
from tzconv.rewriter.purity import is_computed_once, is_repeatable, is_slow
from tzconv.rewriter.sites import NO_PLACE, Bound
from tzconv.rewriter.strategies.joins import JoinSpec
from tzconv.rewriter.strategies.placement import fails_early, is_of_relation
from tzconv.rewriter.strategies.zones import is_of_no_row, why_not_of_rows
from tzconv.rewriter.windows import window_of
from tzconv.sql.expressions import without_parens
from tzconv.sql.parse import Node
from tzconv.sql.reasons import TRUNCATES, Reason

_GUARDED = Reason(
    "may-fail",
    "it could fail for rows that the query filters out, and a join would compute it for all",
)
_WINDOW = Reason(
    "no-join",
    "the joined rows would go through the sort of a window function: compute its result in a CTE, "
    "and convert it there",
)
_BEFORE = Reason(
    "no-gain",
    "it is computed once for each row of its relation, before the join: the function costs as much",
)
_LATERAL = Reason(
    "no-gain",
    "the engine joins what LATERAL and UNNEST compute, and more columns make that slower: "
    "convert in the SELECT list, and unnest in that of a CTE",
)
_SLOW = Reason(
    "no-gain",
    "computing its value takes as long as converting it, and a rewrite would compute it twice: "
    "keep the time in a column",
)
_LONG = 150
_ALL_SPANS = Reason(
    "no-gain",
    "no condition bounds the column, and a join that tries all spans of the zone costs more",
)


def why_not(  # noqa: PLR0911 # one reason after the other
    block: QueryBlock, spec: JoinSpec, site: Conversion | Bound, *, is_open: bool
) -> Reason | None:
    """The reason why a site is not settled by the table; ``is_open``: nothing bounds its times."""
    if (reason := _why_not_zone(block, site)) is not None:
        return reason
    if isinstance(site, Bound):
        if any(join.side for join in block.select.args.get("joins") or []):
            text = "an outer join: for which rows the bound is computed must not change"
            return Reason("outer-join", text)
        if block.source.range(site.comparison) is None:
            return NO_PLACE
        return _GUARDED if fails_early(block, site.node, site.zone) else None
    if site.unit is not None and not block.is_forced:
        return TRUNCATES
    if not spec.local and (site.to_utc or site.unit is not None):
        return Reason("unsupported", "the table is not joined by local times")
    around = spec.around(site)
    if spec.only and around is None:
        return Reason("unsupported", "the table has days only")
    if around is not None and block.source.range(around[0]) is None:
        return NO_PLACE
    is_one = is_of_no_row(block, site.zone)
    if site.to_utc and block.engine.fold_is_earlier and (site.target or is_open or is_one):
        return _ALL_SPANS
    if is_one and is_open and not block.is_forced:
        return _ALL_SPANS
    return why_not_grouped(block, site.node, site.value) or _why_not_value(block, spec, site)


def _why_not_zone(block: QueryBlock, site: Conversion | Bound) -> Reason | None:
    value = site.value if isinstance(site, Conversion) else None
    for zone in zones_of(site):
        constant = without_parens(zone)
        reason = None
        if not isinstance(constant, exp.Literal):
            reason = why_not_of_rows(block, zone, value)
        elif block.iana_name(constant) is None:
            reason = block.why_no_zone(constant.name)
        if reason is not None:
            return reason
    return None


def is_alone(block: QueryBlock, spec: JoinSpec, site: Conversion | Bound) -> bool:
    """Whether a subquery has the offsets, so that no join is needed: no zone is of a row."""
    return spec.constant is not None and all(is_of_no_row(block, zone) for zone in zones_of(site))


def zones_of(site: Conversion | Bound) -> list[Node]:
    """The zones of a site: NEW_TIME() may have two."""
    further = site.target if isinstance(site, Conversion) else None
    return [site.zone] if further is None else [site.zone, further]


def _why_not_value(block: QueryBlock, spec: JoinSpec, site: Conversion) -> Reason | None:
    reason = _why_not_twice(block, spec, site)
    if reason is not None:
        return reason
    if fails_early(block, site.node, site.zone, *([site.value] if spec.of_value else [])):
        return _GUARDED
    if is_slow(site.value, block.names) and not block.is_forced:
        return _SLOW
    if block.engine.joins_laterals and not block.is_forced and is_of_relation(block, site):
        return _LATERAL
    sides = block.engine.compares_sides
    is_joined = sides and not (block.is_forced or is_alone(block, spec, site))
    is_side = is_joined and is_compared_with_other(site, block.names)
    if (site.is_of_zone or is_side) and is_computed_before_joins(site, block.names, sides=sides):
        return _BEFORE
    if isinstance(site.value, exp.Column):
        outside = block.why_no_rules(window_of(block, site.value))
        if outside is not None:
            return outside
        if spec.of_value and _is_of_groups(block, site.value):
            text = "it is computed once for each group of a subquery: the function is faster"
            return Reason("few-rows", text)
    return _why_not_nested(block, spec, site)


def _why_not_nested(block: QueryBlock, spec: JoinSpec, site: Conversion) -> Reason | None:
    """The reason against the conversion of a value that is converted itself."""
    inner = block.rewritten(site.value)
    if site.is_nested and inner == block.text(site.value):
        inside = {id(node) for node in site.value.walk()}
        reasons = [block.reasons.get(id(one)) for one in block.open if id(one.node) in inside]
        is_slower = reasons and all(one is not None and one.code == "no-gain" for one in reasons)
        text = "the conversion inside it was left, and would be computed twice"
        return Reason("no-gain" if is_slower else "nested", text)
    # a CASE may be a conversion that a former rewrite has written down
    holds = site.is_nested or site.value.find(exp.Case)
    if not holds or len(inner) <= _LONG or block.is_forced:
        return None
    # both lookups of a round trip are in one row of arrays
    is_trip = is_alone(block, spec, site) or isinstance(site.value, exp.TimestampTrunc)
    if spec.constant is not None and site.to_utc and is_trip:
        return None
    if block.engine.is_measured:
        return Reason("no-gain", "a second conversion of its result was measured to be no faster")
    return Reason("nested", "the text would hold the long expression inside it three times")


def _why_not_twice(block: QueryBlock, spec: JoinSpec, site: Conversion) -> Reason | None:
    """The reason why the value may not be written down several times."""
    if is_repeatable(site.value):
        return None
    if site.value.find(exp.Query):
        return Reason("unsupported", "the value is a subquery, which would run twice")
    if not is_computed_once(site.value):
        text = "the value would be computed twice, and may vary between evaluations"
        return Reason("varies", text)
    return None if is_alone(block, spec, site) else _WINDOW


def _is_of_groups(block: QueryBlock, column: exp.Column) -> bool:
    """Whether a column is an aggregate of a subquery, and the caller minds the number of rows.

    Engines guess the number of groups too high.
    """
    owner = block.names.owner(column)
    if owner is None or isinstance(owner.source, exp.Table) or block.is_forced:
        return False
    query = owner.source.expression
    projections = query.selects if isinstance(query, exp.Select) else []
    name = column.name.casefold()
    grouped = any(
        one.find(exp.AggFunc) for one in projections if one.output_name.casefold() == name
    )
    return grouped and block.expected_rows() is not None

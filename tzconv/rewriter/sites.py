"""The places of one SELECT where a time zone is converted row by row.

Four kinds are found: a conversion of a UTC value to a zone, a predicate on such a local value, a
bound (a UTC column compared with a constant local time of a row's zone), and a TIMESTAMP or DATE
compared with NOW(). Conversions of constants cost nothing per row and are no sites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from sqlglot import exp

from tzconv.rewriter import local
from tzconv.rewriter.calendar import within
from tzconv.rewriter.comparisons import COMPARISONS, operators, required, unwrapped
from tzconv.rewriter.conversions import (
    Conversion,
    Unclear,
    columns_text,
    conversion_at,
    converts,
    has_column,
    is_arithmetic,
    is_compared_before,
    is_condition,
    is_fallback,
    is_our_join,
    untyped,
    untyped_text,
)
from tzconv.rewriter.local import Interval, LocalPredicate
from tzconv.rewriter.of_zones import why_not_of_zone
from tzconv.rewriter.outside import conditions
from tzconv.rewriter.purity import positional
from tzconv.rewriter.relative import (
    ClockBound,
    NowComparison,
    RelativePredicate,
    clock_bounds,
    compared_with_now,
    relative_predicates,
)
from tzconv.sql.constants import DAY, constant, uncast
from tzconv.sql.expressions import is_utc, upwards, without_parens, zone_conversion
from tzconv.sql.names import Names
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Kind

NO_PLACE = Reason("unsupported", "it cannot be located in the text for certain")
_T = TypeVar("_T")
EQUAL = Reason(
    "joined-on-zone",
    "a bound is compared for equality: the engine may join on it, so nothing may be changed",
)
_BESIDE_BOUND = Reason(
    "outer-join",
    "a condition beside an outer join and a bound in the zone of a row: for which rows the bound "
    "is computed may depend on how the condition is written",
)
_PARAMETER = Reason(
    "unnamed-parameter", "a parameter without name would appear twice: give it a name or a number"
)


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """``node``, the local time ``constant`` of a row's zone, as compared with ``column``."""

    node: Node
    constant: Node
    column: exp.Column
    column_kind: Kind
    comparison: Node
    local_time: int | None
    zone: Node


Site: TypeAlias = Conversion | LocalPredicate | Bound | NowComparison | Unclear


@dataclass(slots=True)
class Sites:
    """All sites of one SELECT, in the order of its text."""

    conversions: list[Conversion] = field(default_factory=list)
    predicates: list[LocalPredicate] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)
    nows: list[NowComparison] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)
    relative: list[RelativePredicate | ClockBound] = field(default_factory=list)
    within: list[LocalPredicate] = field(default_factory=list)
    outside: list[LocalPredicate | RelativePredicate] = field(default_factory=list)

    def all(self) -> list[Site]:
        """What strategies settle, or what is left."""
        return [*self.conversions, *self.predicates, *self.bounds, *self.nows, *self.unclear]

    def without(self, refused: Mapping[Site, Reason]) -> Sites:
        """These sites, but the refused ones are unclear for a reason; predicates on them go."""
        return Sites(
            [one for one in self.conversions if one not in refused],
            [one for one in self.predicates if one.conversion not in refused],
            [one for one in self.bounds if one not in refused],
            [one for one in self.nows if one not in refused],
            [*self.unclear, *(Unclear(one.node, reason) for one, reason in refused.items())],
            [one for one in self.relative if getattr(one, "conversion", None) not in refused],
            [one for one in self.within if one.conversion not in refused],
            [one for one in self.outside if one.conversion not in refused],
        )

    def why_not_repeated(self, bound: Bound) -> Reason | None:
        """The reason where something else is rewritten in the comparison of a bound."""
        found: list[Site] = [*self.conversions, *self.nows]
        others = {id(one.node) for one in found}
        if any(id(one) in others or isinstance(one, exp.Query) for one in bound.comparison.walk()):
            return Reason("unsupported", "a conversion or query is beside it: compare each alone")
        return None

    @property
    def may_join_on_zone(self) -> bool:
        """Whether a bound is compared for equality, so that the engine may join on it.

        It then evaluates the bound for every row that owns a zone, also for rows with a zone
        unknown to it that the query never reaches. Which way it joins depends on its estimates, and
        those on every other condition: such a SELECT is left as it is.
        """
        return any(site.reason is EQUAL for site in self.unclear)


def find(names: Names, has_place: Callable[[Node], object], zone_must_be_text: bool) -> Sites:
    """The sites of one SELECT; those of its subqueries belong to them.

    ``has_place`` says whether the characters of a node are known for certain; a site with a part
    whose characters are not is unclear. ``zone_must_be_text``: so is one whose zone comes from a
    row and may not be text.
    """
    sites = Sites()
    joins = names.scope.expression.args.get("joins") or []
    ours = {id(part) for join in filter(is_our_join, joins) for part in join.walk()}
    nodes = [node for node in names.nodes if id(node) not in ours]
    inside: set[int] = set()
    to_local: dict[int, Conversion] = {}
    for node in nodes:  # parents come before their children
        if id(node) in inside or not converts(node):
            continue
        if is_fallback(node):
            inside |= {id(part) for part in node.walk()}
            continue
        found = None if is_arithmetic(node, names) else conversion_at(node, names)
        if isinstance(found, Conversion):
            # from the value up to the conversion: they are one site
            inside |= {id(part) for part in upwards(found.value.parent, node)}
            sites.conversions.append(found)
            if not found.to_utc and not found.is_of_zone:
                to_local[id(node)] = found
        elif isinstance(found, Unclear):
            sites.unclear.append(found)
    around = {id(part) for site in to_local.values() for part in upwards(site.node)}
    for node in nodes:
        if not isinstance(node, (*COMPARISONS, exp.Between)):
            continue
        for left, right, _ in operators(node):
            _compare(node, left, right, names, sites)
        if id(node) in around:
            predicate = _local_predicate(node, to_local, names)
            sites.predicates += [predicate] if predicate else []
            sites.relative += () if predicate else relative_predicates(node, to_local, names)
    sites.within = list(within(list(required(names.scope.expression)), to_local, names))
    sites.outside = list(_outside(names, to_local, has_place))
    casts = [one for node in nodes for one in compared_with_now(node, names)]
    sites.nows = [one for one in casts if isinstance(one, NowComparison)]
    sites.unclear += [one for one in casts if isinstance(one, Unclear)]
    sites.relative += [one for node in nodes for one in clock_bounds(node, names)]
    of_zone = {id(one): why_not_of_zone(one, names) for one in sites.conversions if one.is_of_zone}
    sites = _refused(sites, lambda site: of_zone.get(id(site)))
    sites = _refused(sites, _why_not_steady)
    if zone_must_be_text:
        sites = _refused(sites, lambda site: _why_not_text(site, names))
    if sites.bounds and any(join.side for join in joins):
        sites = _refused(sites, _why_not_beside)
    sites = _refused(sites, _why_shown, sites.nows)
    # a rewrite writes the original a second time, and with it the parameters inside
    sites = _refused(sites, lambda site: _PARAMETER if positional(site.node) else None)
    return _placed(sites, has_place)


def _outside(
    names: Names, to_local: dict[int, Conversion], has_place: Callable[[Node], object]
) -> Iterator[LocalPredicate | RelativePredicate]:
    """What the conditions of the query around it ask of local times of a column."""
    around = (None, names.scope.expression)
    columns = {
        at: one
        for at, one in to_local.items()
        if isinstance(one.value, exp.Column) and names.owner(one.value)
        # WHERE sees more relations than a LATERAL does: the name alone may be ambiguous there
        if one.value.table or one.value.find_ancestor(exp.Lateral, exp.Select) in around
    }
    for node, conversions, reader, beside in conditions(names, columns):
        found: list[LocalPredicate | RelativePredicate] = []
        if (predicate := _local_predicate(node, conversions, reader)) is not None:
            found = [replace(predicate, is_exact=False)]  # it stays
        else:
            found += within([node], conversions, reader)
            relative = relative_predicates(node, conversions, reader)
            found += (_uncast(one, has_place) for one in relative)
        for one in found:
            if isinstance(one, LocalPredicate) or not has_column(one.value):
                yield replace(one, node=beside or one.node)


def _uncast(predicate: RelativePredicate, has_place: Callable[[Node], object]) -> RelativePredicate:
    """Without the cast that a bound has in any case, so that a second rewrite knows it again."""
    kind, inner = uncast(predicate.value)
    is_placed = kind == "timestamp" and has_place(inner)  # not of $1::timestamp
    return replace(predicate, value=inner) if is_placed else predicate


def _why_shown(site: Conversion | Bound | NowComparison) -> Reason | None:
    """Leave the arguments of DuckDB's alias() and stats(), which show the text of an expression."""
    for call in upwards(site.node, site.node.find_ancestor(exp.Query)):
        if isinstance(call, exp.Anonymous) and call.name.casefold() in ("alias", "stats"):
            return Reason("unsupported", f"{call.name}() shows how it is written")
    return None


def _why_not_steady(site: Conversion | Bound) -> Reason | None:
    """Leave a zone that is a setting where the statement itself may change settings."""
    calls = [one.name.casefold() for one in site.zone.find_all(exp.Anonymous)]
    if "current_setting" not in calls:
        return None
    every = site.node.root().find_all(exp.Anonymous)
    if any(one.name.casefold() == "set_config" for one in every):
        return Reason("varies", "the statement calls set_config(), and its zone is a setting")
    return None


def _why_not_text(site: Conversion | Bound, names: Names) -> Reason | None:
    kind = names.kind(site.zone)
    if kind == "text" or not has_column(site.zone):
        return None
    if kind is not None:
        return Reason("unknown-zone", f"{columns_text(site.zone)} is not text")
    text = untyped_text(site.zone, names, ", and a zone may be an interval", ("text",))
    return Reason("unknown-type", text)


def _why_not_beside(site: Conversion | Bound) -> Reason | None:
    """Leave conditions that decide whether the engine turns an outer join into an inner one.

    It does so if a condition is never true for rows without a match. Then it computes bounds for
    fewer rows, perhaps for none with a zone unknown to it.
    """
    return _BESIDE_BOUND if isinstance(site, Conversion) and is_condition(site.node) else None


def _refused(
    sites: Sites, why_not: Callable[[Any], Reason | None], more: Iterable[NowComparison] = ()
) -> Sites:
    """The sites without those that ``why_not`` gives a reason for."""
    dated: list[Site] = [*sites.conversions, *sites.bounds, *more]
    return sites.without({one: reason for one in dated if (reason := why_not(one)) is not None})


def _placed(sites: Sites, has_place: Callable[[Node], object]) -> Sites:
    """The sites whose parts have places; conversions without one are unclear."""

    def kept(found: Iterable[_T], *parts: str) -> list[_T]:
        return [
            one
            for one in found
            if all(has_place(node) for part in parts if (node := getattr(one, part)) is not None)
        ]

    sites.unclear = kept(sites.unclear, "node")
    sites.bounds = kept(sites.bounds, "node", "column", "zone")
    placed = kept(sites.conversions, "node", "value", "zone")
    sites = sites.without({one: NO_PLACE for one in sites.conversions if one not in placed})
    sites.predicates = kept(sites.predicates, "node")
    sites.relative = kept(sites.relative, "column", "value", "clock")
    sites.within = kept(sites.within, "node")
    sites.outside = [one for one in sites.outside if one.node.parent is None or has_place(one.node)]
    sites.nows = kept(sites.nows, "node")
    return sites


def _compare(node: Node, left: Node, right: Node, names: Names, sites: Sites) -> None:
    """``left`` comes from a row, ``right`` is a constant or a bound."""
    bound, column = _bound_parts(right, names), without_parens(left)
    if bound is None or not isinstance(column, exp.Column):
        return
    parts = {id(part) for part in right.walk()}
    sites.conversions = [
        one for one in sites.conversions if not (one.is_of_zone and id(one.node) in parts)
    ]
    if is_fallback(right) or is_compared_before(node):
        return
    compared, zone, result_kind = bound
    kind = names.kind(column)
    if kind == result_kind and isinstance(node, exp.EQ):
        sites.unclear.append(Unclear(right, EQUAL))
    elif kind == result_kind:
        local_kind = result_kind if isinstance(without_parens(right), NewTime) else "timestamp"
        local_time = constant(compared, local_kind, names)
        sites.bounds.append(Bound(right, compared, column, result_kind, node, local_time, zone))
    elif kind is None:
        sites.unclear.append(untyped(right, column, names))


def _bound_parts(node: Node, names: Names) -> tuple[Node, Node, Kind] | None:
    """Constant, zone and result kind of ``constant AT TIME ZONE zone [AT TIME ZONE 'UTC']``."""
    node = without_parens(node)
    if isinstance(node, NewTime):
        return _new_time_parts(node, names)
    outer = zone_conversion(node)
    if outer is None:
        return None
    inner = zone_conversion(outer[1])
    kind: Kind = "timestamptz"
    if inner is not None and is_utc(outer[0]):
        outer, kind = inner, "timestamp"
    zone, constant = outer
    if has_column(constant) or not has_column(zone) or names.kind(constant) != "timestamp":
        return None
    return constant, zone, kind


def _new_time_parts(node: NewTime, names: Names) -> tuple[Node, Node, Kind] | None:
    """Like ``_bound_parts``, for ``NEW_TIME(constant, zone, 'UTC')`` and the other direction."""
    constant, zones = node.this, [node.args["source"], node.args["target"]]
    kind: Kind = node.args.get("kind") or "timestamp"
    of_rows = [zone for zone in zones if not is_utc(zone)]
    if has_column(constant) or len(of_rows) != 1 or not has_column(of_rows[0]):
        return None
    is_text = isinstance(without_parens(constant), exp.Literal)
    if names.kind(constant) not in ((kind, "text") if is_text else (kind,)):
        return None
    return constant, of_rows[0], kind


def _local_predicate(
    node: Node, conversions: dict[int, Conversion], names: Names
) -> LocalPredicate | None:
    intervals: list[Interval] = []
    conversion: Conversion | None = None
    for left, right, operator in operators(node):
        unit, inner = unwrapped(left, names)
        conversion = conversions.get(id(inner))
        if conversion is None or conversion.unit is not None:
            return None
        value = constant(right, conversion.local_kind, names)
        if value is None:
            return None
        is_zoned = unit != "microsecond" and conversion.local_kind == "timestamptz"
        if is_zoned and not names.schema.session_is_utc:
            return None  # its days and hours are those of the clock of the session
        to_date = isinstance(without_parens(left), (exp.Cast, exp.Date))
        if to_date and value % DAY != 0:
            return None  # compared with a date, a text with a time is cut or refused
        interval = local.interval(unit, operator, value)
        if interval is None:
            return None
        intervals.append(interval)
    both = local.intersection(intervals)
    return None if conversion is None else LocalPredicate(node, conversion, both)

"""Conversions and bounds settled by plain joins: why a site may be, and the text it becomes."""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock, Replacement
from tzconv.rewriter.comparisons import operators
from tzconv.rewriter.conversions import LONG_UNITS, Conversion
from tzconv.rewriter.edits import Edit, apply, next_line, reindented
from tzconv.rewriter.local import Interval
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.joins import Clock, Found, Joins, JoinSpec, Value, clashes, names_of
from tzconv.rewriter.strategies.placement import Place, place_of_join
from tzconv.rewriter.strategies.relations import expanded_stars, why_not_joined, why_sorted
from tzconv.rewriter.strategies.why_not import is_alone, why_not, zones_of
from tzconv.rewriter.strategies.zones import is_of_no_row, is_outer, looked_up
from tzconv.rewriter.windows import now_bounds, window_of
from tzconv.sql.constants import DAY
from tzconv.sql.expressions import upwards, without_parens
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason, leave_if
from tzconv.tables import ZONE

_VALUE = "adds the offset from the joined table; {engine} converts only what the table lacks"
_BOUND = "compares with a constant first; the bound is converted only for times within a day of it"
_TAKEN = "the bound is computed once for each zone"
_COMMA = "CROSS JOIN means the same as the comma, and lets the joined table see both relations"
_INSIDE = "the table is joined first, because the condition of the join needs it"
_NOWHERE = Place(-1)
_LONG_WINDOW = Reason("no-window", "the window is long, or has many changes of offset")
_NAMES = Reason(
    "name-taken", "the query uses names of the joined columns without a table: qualify them"
)
_LOOP = Reason("no-gain", "a join that compares no column of the row tries all spans for each row")
_JOINED = "matches at most one row, so row counts do not change"


def join_kept(block: QueryBlock, spec: JoinSpec) -> None:
    """Settle conversions and bounds by joining the kept tables."""
    if not spec.needs(block.engine):
        block.leave(Reason("unsupported", f"{block.engine.name} {spec.lacks}"))
        return
    sites = [site for site in block.open if isinstance(site, (Conversion, Bound))]
    if not sites:
        return
    fitting = [site for site in sites if _unfit(block, spec, site) is None]
    # asked before there are edits, which the text of a bound could overlap
    opened = {id(site) for site in fitting if _is_open(block, site)}
    is_open, by_spans = bool(opened), bool(block.engine.small_table)
    is_one = all(is_of_no_row(block, zone) for site in fitting for zone in zones_of(site))
    few = block.few_rows(is_open=is_open, is_one=is_one)
    reason = block.why_not_loaded(spec.tables) or few
    no_join, no_bound = why_not_joined(block), block.why_not_loaded([ZONE])
    names = {name for table in (*spec.tables, ZONE) for name in names_of(block, table)}
    joins = Joins(block, spec, clashes(block, names))
    if spec.zones is not None:
        joins.zones = spec.zones(block, is_open=is_open)
    if spec.short is not None and reason is None:
        short = spec.short(block, sites)
        if short is not None and not joins.clashes and not clashes(block, short.names()):
            joins.short, no_bound = short, None if spec.fits else no_bound
        elif spec.fits is not None:
            reason = _LONG_WINDOW if short is None else _NAMES
    # an inner conversion comes first, so that the outer one is built around its result
    for site in reversed(sites):
        if site not in block.open:
            continue
        if _would_loop(block, spec, site):
            block.reasons.setdefault(id(site), _LOOP)
            continue
        with block.leaving(site):
            leave_if(_unfit(block, spec, site) or reason)
            leave_if(why_not(block, spec, site, is_open=by_spans and id(site) in opened))
            if isinstance(site, Bound):
                leave_if(no_bound or (None if joins.short else block.sites.why_not_repeated(site)))
            place = _NOWHERE
            if not is_alone(block, spec, site):
                leave_if(no_join)
                leave_if(why_sorted(block, site.node) if spec.short and not joins.short else None)
                place = place_of_join(block, _columns(block, spec, site), site.node)
            joins.commas |= set(place.commas)
            joins.opens |= {} if place.opens is None else {place.at: place.opens}
            _settle(joins, place.at, site)
    _add_joins(joins)


def _add_joins(joins: Joins) -> None:
    """Make the edits of FROM, and of a star that would show the joined tables."""
    block, spec, text = joins.block, joins.spec, joins.block.source.text
    for at, lines in joins.texts.items():
        after = next_line(text, at, 0) + reindented(
            text, at, "\n".join(lines), block.source.long_literals
        )
        after += ")" * (at in joins.opens)
        block.edits.append(Edit(at, at, after, "utc_to_zone", spec.name, _JOINED, "joins"))
    block.edits += [
        Edit(start, start, "(", "utc_to_zone", spec.name, _INSIDE, "bracket")
        for start in joins.opens.values()
    ]
    # another strategy may have joined tables after the same relations
    for at in joins.commas - {edit.start for edit in block.edits if edit.kind == "comma"}:
        edit = Edit(at, at + 1, " CROSS JOIN", "utc_to_zone", spec.name, _COMMA, "comma")
        block.edits.append(edit)
    if joins.texts:
        block.edits += expanded_stars(block, spec.name)


def _would_loop(block: QueryBlock, spec: JoinSpec, site: Conversion | Bound) -> bool:
    if isinstance(site, Conversion) and (spec.is_equality or _is_of_chain(block, site)):
        return False
    is_constant = any(is_of_no_row(block, zone) for zone in zones_of(site))
    return is_constant and block.engine.loops_over_ranges and not block.is_forced


def _is_of_chain(block: QueryBlock, site: Conversion) -> bool:
    """Whether one conversion is the value of another: the text for an equality is too long then."""
    around = {id(one) for one in upwards(site.node.parent)}
    return site.is_nested or any(id(one.node) in around for one in block.open)


def _settle(joins: Joins, at: int, site: Conversion | Bound) -> None:
    block = joins.block
    if isinstance(site, Conversion):
        _convert(joins, at, site)
    elif joins.short is None:
        _compare_first(joins, at, site)
    else:
        alias = joins.zone(at, _zone_text(joins, site.zone))
        bound = joins.short.bound(alias, block.text(site.constant), site.column_kind)
        after = f"COALESCE({bound}, {block.text(site.node)})"
        block.settle(site, node=site.node, by=Replacement(after, "bounds", joins.spec.name, _TAKEN))


def _unfit(block: QueryBlock, spec: JoinSpec, site: Conversion | Bound) -> Reason | None:
    return None if spec.fits is None else spec.fits(block, site)


def _is_open(block: QueryBlock, site: Conversion | Bound) -> bool:
    """Whether no condition gives the first of the times that are converted."""
    if isinstance(site, Bound) or site.is_of_zone:
        return False
    if not isinstance(site.value, exp.Column):
        return True
    known = window_of(block, site.value).start is not None
    return not known and now_bounds(block, site.value)[0] is None


def _columns(block: QueryBlock, spec: JoinSpec, site: Conversion | Bound) -> list[exp.Column]:
    zones = [zone for zone in zones_of(site) if not is_of_no_row(block, zone)]
    of_zone = [column for zone in zones for column in zone.find_all(exp.Column)]
    if isinstance(site, Bound):
        return of_zone
    of_zone = [one for one in of_zone if not is_outer(block, one, site.value)]
    if not spec.of_value:
        return of_zone
    return [*site.value.find_all(exp.Column), *of_zone]


def _zone_text(joins: Joins, zone: Node) -> str:
    """A zone as it is compared with the names in the tables."""
    block, name = joins.block, joins.block.iana_name(without_parens(zone))
    text = looked_up(block, zone) if name is None else f"'{name}'"
    if isinstance(zone, exp.Binary):
        text = f"({text})"  # DuckDB's ->> binds less than the = of the join
    text = joins.spelt(text, zone) if name is None else text
    if name is None and block.names.kind(zone) != "text":
        text = joins.spelt(block.engine.as_text(text), zone)
    if is_of_no_row(block, zone):
        joins.constants.add(text)
    if name is not None:
        joins.known.add(text)
    return text


def _convert(joins: Joins, at: int, site: Conversion) -> None:
    block, spec, zone = joins.block, joins.spec, _zone_text(joins, site.zone)
    engine, native = block.engine, block.text(site.node)
    column = site.value if isinstance(site.value, exp.Column) else None
    window = Interval(None, None) if column is None else window_of(block, column)
    clock: Clock = "local" if site.to_utc else "utc"
    text = joins.spelt(block.operand(site.value), site.value)
    value = Value(text, site.value_kind, clock, window, column)
    found = _find(joins, at, value, zone)
    rule = "zone_to_utc" if site.to_utc else "utc_to_zone"
    reason = _VALUE.format(engine=engine.name)
    around = spec.around(site)
    if around is not None:
        node, template = around
        after = f"COALESCE({template.format(**found._asdict())}, {block.text(node)})"
        block.settle(site, node=node, by=Replacement(after, rule, spec.name, reason))
        return
    result = site.shifted(engine, value.text, found.offset, to_utc=site.to_utc)
    if site.unit is not None:
        local = f"date_trunc('{site.unit}', {result})"
        if site.unit in LONG_UNITS:
            truncated = Value(local, "timestamp", "local", Interval(None, None))
            found = _find(joins, at, truncated, zone)
        result = engine.to_utc(local, found.offset, site.utc_kind)
    if site.target is not None:
        utc = Value(result, site.utc_kind, "utc", Interval(None, None))
        found = _find(joins, at, utc, _zone_text(joins, site.target))
        result, rule = engine.shifted(result, site.utc_kind, found.offset), "zone_to_zone"
    if site.value_kind == "timestamp" and not site.to_utc and block.is_optional(site.zone):
        native = f"CASE WHEN {block.text(site.zone)} IS NOT NULL THEN {native} END"
    after = f"COALESCE({result}, {native})"
    block.settle(site, node=site.node, by=Replacement(after, rule, spec.name, reason))


def _find(joins: Joins, at: int, value: Value, zone: str) -> Found:
    if at == _NOWHERE.at and joins.spec.constant is not None:
        return Found(joins.spec.constant(joins.block, value, zone), "")
    return joins.spec.join(joins, at, value, zone)


def _compare_first(joins: Joins, at: int, site: Bound) -> None:
    """Compare with a time that is past the bound in every zone, before the bound is converted.

    That holds for zones of the table: no offset is a day or more. For others ``zone_id`` is NULL.
    """
    block, comparison = joins.block, site.comparison
    bounds = [one for one in block.open if isinstance(one, Bound) and one.comparison is comparison]
    known = [
        f"{joins.column(joins.zone(at, _zone_text(joins, one.zone)), 'zone_id')} IS NOT NULL"
        for one in bounds
    ]
    first, _ = block.place(comparison)
    edges = {id(right): operator for _, right, operator in operators(comparison)}
    edits = [
        Edit(start - first, end - first, _past(block, one, edges[id(one.node)]), "", "", "")
        for one in bounds
        for start, end in [block.place(one.node)]
    ]
    surely = apply(block.text(comparison), edits)
    after = f"({' AND '.join([*dict.fromkeys(known), surely])} OR {block.text(comparison)})"
    by = Replacement(after, "bounds", joins.spec.name, _BOUND)
    block.settle(*bounds, node=comparison, by=by)


def _past(block: QueryBlock, site: Bound, operator: type[Node]) -> str:
    """The bound moved by a day, away from the times that it lets through."""
    sign = 1 if operator in (exp.GT, exp.GTE) else -1
    if site.local_time is not None:
        return block.engine.constant(site.local_time + sign * DAY, site.column_kind)
    text = block.text(site.constant)
    if isinstance(site.constant, exp.Literal):  # such as 'now', which alone has no type
        text = block.engine.as_timestamp(text)
    moved = f"({text} {'+' if sign > 0 else '-'} INTERVAL '1 day')"
    return block.engine.column_as(moved, site.column_kind)

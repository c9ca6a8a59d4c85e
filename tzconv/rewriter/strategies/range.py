"""A predicate on a local value: bounds on the UTC column, so that the engine can prune.

With a constant zone the bounds are exact and replace the predicate. Before::

    SELECT count(*) FROM events
    WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '2026-03-08'

After::

    SELECT count(*) FROM events
    WHERE ts >= TIMESTAMP '2026-03-08 05:00:00' AND ts < TIMESTAMP '2026-03-09 04:00:00'

With the zone of a row the predicate stays, and the UTC column gains constant bounds that are wide
enough for every zone; in ON they stand before it. The same holds for a part of the calendar, such
as the year or a list of days, also of a constant zone.

A column shown in UTC, or read as UTC, is compared itself: ``seen AT TIME ZONE 'UTC' >= x`` is
``seen >= x AT TIME ZONE 'UTC'``, because UTC has no gaps and no folds.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import TypeAlias

from sqlglot import exp

from tzconv.rewriter import local
from tzconv.rewriter.block import QueryBlock, Replacement
from tzconv.rewriter.comparisons import (
    conjuncts,
    operators,
    required,
    sides,
    unwrapped,
)
from tzconv.rewriter.conversions import is_our_join
from tzconv.rewriter.groups import why_not_grouped
from tzconv.rewriter.local import Interval, LocalPredicate, Unit, intersection
from tzconv.rewriter.purity import is_fixed, positional
from tzconv.rewriter.relative import ClockBound, NowComparison, RelativePredicate, fixed_kind
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.windows import (
    bound_pieces,
    constant_window,
    narrow,
    relative_bounds,
    times_of,
    widened,
)
from tzconv.sql.constants import DAY, constant, microseconds_of
from tzconv.sql.expressions import is_now, is_utc, without_parens, zone_conversion
from tzconv.sql.parse import Node
from tzconv.sql.reasons import LeaveError, leave_if
from tzconv.sql.schema import Kind

_EXACT = "compares the UTC column with the equivalent UTC bounds for {zone}"
_FUTURE = "the rules of {zone} may change before then, so no fixed bounds"
_PADDED = "bounds on the UTC column that hold in every zone let the engine skip what is outside"
_LATER = "; exact ones lie after the tz release, and --future-literals writes them"
_CONVERTED = "compares the column itself, with a constant converted once: UTC has no gaps"
_SOON = microseconds_of(dt.date(2, 1, 1))
"""After the first year of our era in every zone."""
_SIGNS: dict[type[Node], str] = {
    exp.EQ: "=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_MOVED = re.compile(r"(?:(\d+)'?\s*|, )(y|q|mo|w|d|h|\)|$)")
"""In the text of a moved time: ``'30 days'``, ``- 7`` or, of a truncation, its unit alone."""
_DAYS = {"y": 366, "q": 92, "mo": 31, "w": 7, "d": 1, "h": 1 / 24, ")": 1, "": 1}
_UNKNOWN = (exp.Mul, exp.Div, exp.Anonymous, exp.MakeInterval)
_FEW_DAYS = 100  # a table has hardly less, and an index serves a third of one
Compared: TypeAlias = LocalPredicate | Bound


def range_(block: QueryBlock, *, but_relative: bool = False) -> None:
    """Turn predicates on local values into UTC bounds: exact ones, or padded beside them."""
    for site in [site for site in block.open if isinstance(site, LocalPredicate)]:
        zone = site.conversion.zone
        if isinstance(zone, exp.Literal):
            with block.leaving(site):
                _exact(block, site, zone.name)
    _convert_constants(block)
    _pad(block)
    if not but_relative:
        _pad_relative(block)


def _exact(block: QueryBlock, site: LocalPredicate, zone: str) -> None:
    name = block.iana_name(site.conversion.zone)
    column = site.conversion.value
    if name is None:
        leave_if(block.why_no_zone(zone))
    if not isinstance(column, exp.Column):
        raise LeaveError("unsupported", "the converted value is not a column")
    leave_if(block.why_no_rules(site.interval) or why_not_grouped(block, site.node, column))
    pieces = block.utc_pieces(site)
    if pieces is None:
        raise LeaveError("future-rules", _FUTURE.format(zone=name))
    if not pieces:
        raise LeaveError("unsupported", "the predicate is true for no time")
    text, kind = block.operand(column), site.conversion.value_kind
    after = " OR ".join(_bounds(block, text, kind, piece) for piece in pieces)
    where = block.select.args.get("where")
    is_conjunct = any(site.node is node for node in conjuncts(where))
    if len(pieces) > 1 or not is_conjunct:
        after = f"({after})"
    by = Replacement(after, "local_predicate", "range", _EXACT.format(zone=name))
    block.settle(site, site.conversion, node=site.node, by=by)


def _convert_constants(block: QueryBlock) -> None:
    """Convert the constant instead in comparisons of conditions."""
    where = block.select.args.get("where")
    for node in block.names.nodes:
        parts = [_converted(block, *side) for side in operators(node)]
        if not parts or None in parts or block.source.range(node) is None:
            continue
        around = node.find_ancestor(exp.Where, exp.Join, exp.Query)
        if isinstance(around, exp.Query) or is_our_join(around):
            continue
        after = " AND ".join(filter(None, parts))
        is_conjunct = any(node is one for one in conjuncts(where))
        text = after if is_conjunct or " AND " not in after else f"({after})"
        by = Replacement(text, "local_predicate", "range", _CONVERTED)
        compared = {id(right) for _, right in sides(node)}
        nows = [one for one in block.open if isinstance(one, NowComparison)]
        block.settle(*(one for one in nows if id(one.node) in compared), node=node, by=by)


def _converted(block: QueryBlock, left: Node, right: Node, operator: type[Node]) -> str | None:
    unit, inner = unwrapped(left, block.names)
    conversion = zone_conversion(inner)
    if conversion is None or not is_utc(conversion[0]) or not is_fixed(right):
        return None
    column, shown = conversion[1], block.names.kind(inner)
    kind = block.names.kind(column)
    if not isinstance(column, exp.Column) or kind is None or shown is None:
        return None
    if block.source.range(column) is None:
        return None
    value = constant(right, shown, block.names)
    name = block.operand(column)
    if unit == "microsecond":
        if value is not None:
            text = block.engine.constant(value, kind)
        elif kind == fixed_kind(right, block.names) and block.names.schema.session_is_utc:
            text = block.text(right)  # it is cast to be compared, to what UTC shows
        elif text := _value(block, right, shown):
            text = f"{text} AT TIME ZONE 'UTC'"
        return f"{name} {_SIGNS[operator]} {text}" if text else None
    if shown != "timestamp":
        return None  # its days are those of the session's clock
    if value is not None:
        to_date = not isinstance(without_parens(left), exp.TimestampTrunc)
        found = None if to_date and value % DAY else local.interval(unit, operator, value)
        return None if found is None else _bounds(block, name, kind, found)
    return _in_unit(block, name, unit, right, operator)


def _value(block: QueryBlock, right: Node, kind: Kind) -> str:
    """A constant of the query as an operand; empty if it is of another kind."""
    found = fixed_kind(right, block.names)
    if found == "date" and kind == "timestamp":
        return f"CAST({block.rewritten(right)} AS TIMESTAMP)"
    is_cast = any(site.node is right and site not in block.open for site in block.sites.nows)
    return f"({block.rewritten(without_parens(right))})" if found == kind or is_cast else ""


def _in_unit(
    block: QueryBlock, column: str, unit: Unit, right: Node, operator: type[Node]
) -> str | None:
    """A truncated column against the beginning of such a unit, today's date for example."""
    text = _value(block, right, "timestamp")
    is_day = unit == "day" and fixed_kind(right, block.names) == "date"
    if not text or not (is_day or unwrapped(right)[0] == unit) or positional(right):
        return None
    start = f"{text} AT TIME ZONE 'UTC'"
    length = "3 months" if unit == "quarter" else f"1 {unit}"
    end = f"({text} + INTERVAL '{length}') AT TIME ZONE 'UTC'"
    bounds: dict[type[Node], str] = {
        exp.EQ: f"{column} >= {start} AND {column} < {end}",
        exp.GTE: f"{column} >= {start}",
        exp.GT: f"{column} >= {end}",
        exp.LT: f"{column} < {start}",
        exp.LTE: f"{column} < {end}",
    }
    return bounds[operator]


def _pad(block: QueryBlock) -> None:
    for column, kind, sites in _compared(block):
        wanted = intersection(_pieces(block, column, sites))
        bounds = _bounds(block, block.operand(column), kind, wanted)
        is_added = bounds in block.source.text  # by a former rewrite: not every year is read
        present = constant_window(block, column)
        if not is_added and intersection([wanted, present]) != present:
            left = {reason.code for one in sites if (reason := block.reasons.get(id(one)))}
            why = _PADDED + _LATER * ("future-rules" in left)
            by = Replacement(bounds, "local_predicate", "range", why)
            if block.add_condition(by, beside=_beside(sites[0])):
                narrow(block, column, wanted)
    for one in (*block.sites.within, *block.sites.outside):
        if isinstance(one, LocalPredicate) and one.has_older:
            _pad_with_older(block, one)


def _beside(site: Compared | RelativePredicate) -> Node | None:
    """The condition of a site in its SELECT; None where it is one of the query around."""
    if isinstance(site, Bound):
        return site.comparison
    return None if site.node.parent is None else site.node


def _pad_with_older(block: QueryBlock, site: LocalPredicate) -> None:
    """Bounds beside which the years before our era stay, which the engine shows alike."""
    column = site.conversion.value
    if not isinstance(column, exp.Column):
        return
    window, text, kind = constant_window(block, column), block.operand(column), site.conversion
    wanted = times_of(block, site)
    is_narrower = intersection([wanted, window]) != window
    if is_narrower and (window.start is None or window.start < _SOON):
        older = f"{text} < {block.engine.constant(_SOON, kind.value_kind)}"
        bounds = f"({_bounds(block, text, kind.value_kind, wanted)} OR {older})"
        if bounds not in block.source.text:  # a former rewrite has added them
            by = Replacement(bounds, "local_predicate", "range", _PADDED)
            block.add_condition(by, beside=_beside(site))


def _pad_relative(block: QueryBlock) -> None:
    """Bounds made of the current time for predicates that follow it."""
    is_guess = block.engine.hides_once and block.job.plans is None and not block.is_forced
    for node in required(block.select):
        recent = (_is_recent(one) for one in block.sites.relative if one.node is node)
        if is_guess and not any(recent):
            continue
        found = (_once(block, column, both) for column, both in _following(block, node))
        text = " AND ".join(filter(None, found))
        if text not in block.source.text:  # a former rewrite has added them
            by = Replacement(text, "today", "range", _PADDED)
            block.add_condition(by, beside=node)
    for one in block.sites.outside:
        column = one.conversion.value
        if not isinstance(one, RelativePredicate) or not isinstance(column, exp.Column):
            continue
        if not is_guess or _is_recent(one):
            text = _once(block, column, relative_bounds(block, one))
            if text and text not in block.source.text:
                by = Replacement(text, "today", "range", _PADDED)
                block.add_condition(by, beside=_beside(one))


def _once(block: QueryBlock, column: exp.Column, both: tuple[str | None, str | None]) -> str:
    """Bounds of a column that are computed once."""
    return " AND ".join(
        f"{block.operand(column)} {operator} {block.engine.once(bound)}"
        for operator, bound in zip((">=", "<="), both, strict=True)
        if bound is not None
    )


def _is_recent(site: RelativePredicate | ClockBound) -> bool:
    """Whether a predicate leaves some months at most, by its text."""
    if site.operator is exp.EQ or not any(map(is_now, site.value.walk())):
        return getattr(site, "unit", "") != "year"
    moved = _MOVED.findall(site.value.sql().casefold())
    is_few = sum(int(number or 1) * _DAYS[unit] for number, unit in moved) <= _FEW_DAYS
    return site.operator in (exp.GT, exp.GTE) and is_few and not site.value.find(*_UNKNOWN)


def _following(
    block: QueryBlock, node: Node
) -> Iterator[tuple[exp.Column, tuple[str | None, str | None]]]:
    """The columns that a condition compares with the current time in a zone, with their edges."""
    # of two relations the engine compares values that it has computed, and prunes by them
    prunes = block.engine.compares_sides and len(block.names.owners) > 1
    for one in block.sites.relative:
        is_joined = prunes and isinstance(one, ClockBound) and one.clock is not None
        if one.node is node and isinstance(one.column, exp.Column) and not is_joined:
            yield one.column, relative_bounds(block, one)


def _compared(block: QueryBlock) -> list[tuple[exp.Column, Kind, list[Compared]]]:
    """The columns compared in a zone by conditions that must hold, with these conditions."""
    top = list(required(block.select))
    found: dict[tuple[int, str], tuple[exp.Column, Kind, list[Compared]]] = {}
    bounding = [site for site in block.sites.within if not site.has_older]
    outside = [site for site in block.sites.outside if isinstance(site, LocalPredicate)]
    for site in (*block.open, *bounding, *(one for one in outside if not one.has_older)):
        if isinstance(site, LocalPredicate):
            node, column, kind = site.node, site.conversion.value, site.conversion.value_kind
        elif isinstance(site, Bound):
            node, column, kind = site.comparison, site.column, site.column_kind
        else:
            continue
        is_required = site in outside or any(node is one for one in top)
        if not isinstance(column, exp.Column) or not is_required:
            continue
        if (owner := block.names.owner(column)) is not None:
            key = id(owner), column.name.casefold()
            found.setdefault(key, (column, kind, []))[2].append(site)
    return list(found.values())


def _pieces(block: QueryBlock, column: exp.Column, sites: list[Compared]) -> Iterator[Interval]:
    """What the conditions leave of a column, however far the zone of the row is from UTC."""
    for site in sites:
        if isinstance(site, LocalPredicate):
            yield widened(block, site) if site.is_exact else times_of(block, site)
        else:
            widest = block.widest_offset(site.zone)
            yield from bound_pieces(site.comparison, column, block.names, [site], widest)


def _bounds(block: QueryBlock, column: str, kind: Kind, piece: Interval) -> str:
    parts = []
    if piece.start is not None:
        parts.append(f"{column} >= {block.engine.constant(piece.start, kind)}")
    if piece.end is not None:
        parts.append(f"{column} < {block.engine.constant(piece.end, kind)}")
    return " AND ".join(parts)

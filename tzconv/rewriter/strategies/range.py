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
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import TypeAlias

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock, Replacement
from tzconv.rewriter.calendar import Within
from tzconv.rewriter.comparisons import conjuncts, required, sides
from tzconv.rewriter.groups import why_not_grouped
from tzconv.rewriter.local import Interval, intersection
from tzconv.rewriter.now_bounds import edges, predicate_bounds
from tzconv.rewriter.nows import NowComparison
from tzconv.rewriter.sites import Bound, LocalPredicate
from tzconv.rewriter.utc import utc_comparisons
from tzconv.rewriter.windows import bound_pieces, constant_window, same_column, widened
from tzconv.sql.constants import microseconds_of
from tzconv.sql.parse import Node
from tzconv.sql.reasons import LeaveError, leave_if
from tzconv.sql.schema import Kind

_EXACT = "compares the UTC column with the equivalent UTC bounds for {zone}"
_FUTURE = "the rules of {zone} may change before then, so no fixed bounds"
_PADDED = "bounds on the UTC column that hold in every zone let the engine skip what is outside"
_LATER = "; exact ones lie after the tz release, and --future-literals writes them"
_CONVERTED = "compares the column itself, with a constant converted once: UTC has no gaps"
_MOST_PIECES = 3
_SOON = microseconds_of(dt.date(2, 1, 1))
"""After the first year of our era in every zone."""
Compared: TypeAlias = LocalPredicate | Bound | Within


def range_(block: QueryBlock) -> None:
    """Turn predicates on local values into UTC bounds: exact ones, or padded beside them."""
    for site in [site for site in block.open if isinstance(site, LocalPredicate)]:
        zone = site.conversion.zone
        if isinstance(zone, exp.Literal):
            with block.leaving(site):
                _exact(block, site, zone.name)
    _convert_constants(block)
    _pad(block)
    _pad_relative(block)


def _exact(block: QueryBlock, site: LocalPredicate, zone: str) -> None:
    name = block.iana_name(site.conversion.zone)
    column = site.conversion.value
    if name is None:
        leave_if(block.why_no_zone(zone))
    if not isinstance(column, exp.Column):
        raise LeaveError("unsupported", "the converted value is not a column")
    leave_if(block.why_no_rules(site.interval) or why_not_grouped(block, site.node))
    pieces = block.utc_pieces(site)
    if pieces is None:
        raise LeaveError("future-rules", _FUTURE.format(zone=name))
    if not pieces or len(pieces) > _MOST_PIECES:
        raise LeaveError(
            "too-many-changes", "the predicate is true for no time, or for too many pieces of time"
        )
    text, kind = block.text(column), site.conversion.value_kind
    after = " OR ".join(_bounds(block, text, kind, piece) for piece in pieces)
    where = block.select.args.get("where")
    is_conjunct = any(site.node is node for node in conjuncts(where))
    if len(pieces) > 1 or not is_conjunct:
        after = f"({after})"
    by = Replacement(after, "local_predicate", "range", _EXACT.format(zone=name))
    block.settle(site, site.conversion, node=site.node, by=by)


def _convert_constants(block: QueryBlock) -> None:
    where = block.select.args.get("where")
    for node, after in utc_comparisons(block):
        is_conjunct = any(node is one for one in conjuncts(where))
        text = after if is_conjunct or " AND " not in after else f"({after})"
        by = Replacement(text, "local_predicate", "range", _CONVERTED)
        compared = {id(right) for _, right in sides(node)}
        nows = [one for one in block.open if isinstance(one, NowComparison)]
        block.settle(*(one for one in nows if id(one.node) in compared), node=node, by=by)


def _pad(block: QueryBlock) -> None:
    for column, kind, sites in _compared(block):
        wanted = intersection(_pieces(block, column, sites))
        if _narrower(wanted, constant_window(column, block.names)):
            bounds = _bounds(block, block.text(column), kind, wanted)
            left = {reason.code for one in sites if (reason := block.reasons.get(id(one)))}
            why = _PADDED + _LATER * ("future-rules" in left)
            by = Replacement(bounds, "local_predicate", "range", why)
            block.add_condition(by, beside=_node(sites[0]))
    for one in block.sites.within:
        if one.has_older and isinstance(one.conversion.value, exp.Column):
            _pad_with_older(block, one, one.conversion.value)


def _pad_with_older(block: QueryBlock, site: Within, column: exp.Column) -> None:
    """Bounds beside which the years before our era stay, which the engine shows alike."""
    window, text, kind = constant_window(column, block.names), block.text(column), site.conversion
    wanted = block.times_of(site)
    if _narrower(wanted, window) and (window.start is None or window.start < _SOON):
        older = f"{text} < {block.engine.constant(_SOON, kind.value_kind)}"
        bounds = f"({_bounds(block, text, kind.value_kind, wanted)} OR {older})"
        if bounds not in block.source.text:  # a former rewrite has added them
            by = Replacement(bounds, "local_predicate", "range", _PADDED)
            block.add_condition(by, beside=site.node)


def _pad_relative(block: QueryBlock) -> None:
    """Bounds made of the current time for predicates that follow it."""
    for node in required(block.select):
        found: list[str] = []
        for column, both in _following(block, node):
            found += [
                f"{block.text(column)} {operator} {block.engine.once(bound)}"
                for operator, bound in zip((">=", "<="), both, strict=True)
                if bound is not None
            ]
        text = " AND ".join(found)
        if text not in block.source.text:  # a former rewrite has added them
            by = Replacement(text, "today", "range", _PADDED)
            block.add_condition(by, beside=node)


def _following(
    block: QueryBlock, node: Node
) -> Iterator[tuple[exp.Column, tuple[str | None, str | None]]]:
    """The columns that a condition compares with the current time in a zone, with their edges."""
    for predicate in block.sites.relative:
        column = predicate.conversion.value
        if predicate.node is node and isinstance(column, exp.Column):
            yield column, predicate_bounds(block, predicate)
    for bound in block.sites.clocks:
        # of two relations the engine compares values that it has computed, and prunes by them
        is_joined = bound.clock is not None and len(block.names.owners) > 1
        if bound.node is node and not (is_joined and block.engine.compares_sides):
            yield bound.column, edges(block, bound)


def _compared(block: QueryBlock) -> list[tuple[exp.Column, Kind, list[Compared]]]:
    """The columns compared in a zone by conditions that must hold, with these conditions."""
    top = list(required(block.select))
    found: list[tuple[exp.Column, Kind, list[Compared]]] = []
    bounding = [site for site in block.sites.within if not site.has_older]
    for site in (*block.open, *bounding):
        if isinstance(site, (LocalPredicate, Within)):
            node, column, kind = site.node, site.conversion.value, site.conversion.value_kind
        elif isinstance(site, Bound):
            node, column, kind = site.comparison, site.column, site.column_kind
        else:
            continue
        if not any(node is one for one in top):
            continue
        if not isinstance(column, exp.Column) or block.names.owner(column) is None:
            continue
        for known, _, sites in found:
            if same_column(column, known, block.names):
                sites.append(site)
                break
        else:
            found.append((column, kind, [site]))
    return found


def _pieces(block: QueryBlock, column: exp.Column, sites: list[Compared]) -> Iterator[Interval]:
    """What the conditions leave of a column, however far the zone of the row is from UTC."""
    for site in sites:
        if isinstance(site, Within):
            yield block.times_of(site)
        elif isinstance(site, LocalPredicate):
            yield widened(site, block.widest_offset(site.conversion.zone))
        else:
            widest = block.widest_offset(site.zone)
            yield from bound_pieces(site.comparison, column, block.names, [site], widest)


def _node(site: Compared) -> Node:
    return site.comparison if isinstance(site, Bound) else site.node


def _narrower(wanted: Interval, present: Interval) -> bool:
    """Whether ``wanted`` cuts off something that ``present`` does not."""
    starts = wanted.start is not None and (present.start is None or present.start < wanted.start)
    ends = wanted.end is not None and (present.end is None or present.end > wanted.end)
    return starts or ends


def _bounds(block: QueryBlock, column: str, kind: Kind, piece: Interval) -> str:
    parts = []
    if piece.start is not None:
        parts.append(f"{column} >= {block.engine.constant(piece.start, kind)}")
    if piece.end is not None:
        parts.append(f"{column} < {block.engine.constant(piece.end, kind)}")
    return " AND ".join(parts)

"""A predicate on a local value: bounds on the UTC column, so that the engine can prune.

With a constant zone the bounds are exact and replace the predicate. Before::

    SELECT count(*) FROM events
    WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '2026-03-08'

After::

    SELECT count(*) FROM events
    WHERE ts >= TIMESTAMP '2026-03-08 05:00:00' AND ts < TIMESTAMP '2026-03-09 04:00:00'

With the zone of a row the predicate stays, and the UTC column gains constant bounds that are wide
enough for every zone; on PostgreSQL also closer ones that count unless some zone is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from sqlglot import exp

from tzconv.rewriter.block import Block, Condition
from tzconv.rewriter.constants import DAY, SECOND
from tzconv.rewriter.local import Interval, intersection, utc_times
from tzconv.rewriter.names import Owner
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.sites import Bound, LocalPredicate, Today
from tzconv.rewriter.strategies.relations import own_conditions
from tzconv.rewriter.strategies.zones import alias_range, inside
from tzconv.rewriter.windows import bound_pieces, conjuncts, constant_window, same_column, widened
from tzconv.tables import OFFSET

_EXACT = "the local times of this predicate, as UTC times of {zone}: no row is converted"
_CLOSER = "closer bounds, which hold where no zone is unknown to the conversion tables"
_PADDED = "bounds on the UTC column that hold in every zone let the engine skip what is outside"
_MOST_PIECES = 3
_SHORT = 33 * DAY
"""A month in every zone. Of longer windows the wider bounds keep few rows more (measured)."""
Compared: TypeAlias = LocalPredicate | Bound


def range_(block: Block) -> None:
    """Turn predicates on local values into UTC bounds: exact ones, or padded beside them."""
    for site in [site for site in block.open if isinstance(site, LocalPredicate)]:
        zone = site.conversion.zone
        if isinstance(zone, exp.Literal):
            _exact(block, site, zone.name)
    _pad(block)
    _pad_todays(block)


def _exact(block: Block, site: LocalPredicate, zone: str) -> None:
    name = block.iana_name(site.conversion.zone)
    column = site.conversion.value
    if name is None:
        return block.leave(site, block.why_no_zone(zone))
    if not isinstance(column, exp.Column):
        return block.leave(site, "the converted value is not a column")
    outside = block.why_no_rules(site.interval)
    if outside is not None:
        return block.leave(site, outside)
    pieces = utc_times(block.options.rules.zone(name), site.interval)
    if not pieces or len(pieces) > _MOST_PIECES:
        return block.leave(
            site, "the predicate is true for no time, or for too many pieces of time"
        )
    text, kind = block.text(column), site.conversion.value_kind
    after = " OR ".join(_bounds(block, text, kind, piece) for piece in pieces)
    where = block.select.args.get("where")
    is_conjunct = any(site.node is node for node in conjuncts(where))
    if len(pieces) > 1 or not is_conjunct:
        after = f"({after})"
    edit = block.replace(site.node, after, "local_predicate", "range", _EXACT.format(zone=name))
    block.done(site, edit)
    if site.conversion in block.open:
        block.open.remove(site.conversion)
    return None


def _pad(block: Block) -> None:
    for column, kind, sites in _compared(block):
        wanted = intersection(_pieces(block, column, sites, block.engine.widest_offset))
        if _narrower(wanted, constant_window(column, block.names)):
            bounds = _bounds(block, block.text(column), kind, wanted)
            block.add_condition(Condition(bounds, "local_predicate", "range", _PADDED))
            if block.engine.asks_for_unknown_zones:
                _pad_closer(block, column, kind, sites)


def _pad_closer(block: Block, column: exp.Column, kind: Kind, sites: list[Compared]) -> None:
    """Closer bounds, unless some zone is unknown: only such a name can be days from UTC.

    The engine asks that once, and only when a row lies between the bounds. It reads the rows of
    the zones for it, and so is asked only where another strategy has these read anyway.
    """
    owned = [(site, found) for site in sites if (found := _unknown(block, column, site))]
    closer = intersection(_pieces(block, column, [site for site, _ in owned], DAY))
    if closer.start is None or closer.end is None or closer.end - closer.start > _SHORT:
        return
    asked = " OR ".join(dict.fromkeys(text for _, (text, _) in owned))
    text = f"({_bounds(block, block.text(column), kind, closer)} OR {asked})"
    owners = tuple(owner for _, (_, owner) in owned)
    block.add_condition(Condition(text, "local_predicate", "range", _CLOSER, owners))


def _unknown(block: Block, column: exp.Column, site: Compared) -> tuple[str, Owner] | None:
    """Whether a table has zones that the conversion tables have not, and its owner.

    None where the zone is not a column of another table. Zones that are NULL show no time at all.
    """
    zone = site.zone if isinstance(site, Bound) else site.conversion.zone
    owner = block.names.owner(zone) if isinstance(zone, exp.Column) else None
    if owner is None or owner is block.names.owner(column):
        return None
    if not isinstance(owner.source, exp.Table) or not isinstance(owner.node, exp.Table):
        return None
    at = block.source.table_range(owner.node)
    if at is None:
        return None
    alias = block.source.text[slice(*alias_range(owner.node))]
    name, table = inside(block, zone, alias), block.source.text[slice(*at)]
    rows = " AND ".join([f"{name} IS NOT NULL", *own_conditions(block, owner, alias)])
    parts = ["SELECT", name, "FROM", table, "WHERE", rows]
    parts += ["EXCEPT SELECT time_zone_name FROM", block.table(OFFSET.name)]
    return f"EXISTS ({' '.join(parts)})", owner


def _pad_todays(block: Block) -> None:
    """Bounds around NOW() for "today in the zone of the row", wide enough for any two zones."""
    hours = 24 + 2 * block.engine.widest_offset // (3_600 * SECOND)
    top = list(conjuncts(block.select.args.get("where")))
    for today in block.sites.todays:
        column, kind = today.conversion.value, today.conversion.value_kind
        if not any(today.node is node for node in top) or not isinstance(column, exp.Column):
            continue
        now, bounds = _now(block, today, kind), []
        if today.operator in (exp.EQ, exp.GT, exp.GTE):
            bounds.append(f"{block.text(column)} >= {now} - INTERVAL '{hours} hours'")
        if today.operator in (exp.EQ, exp.LT, exp.LTE):
            bounds.append(f"{block.text(column)} <= {now} + INTERVAL '{hours} hours'")
        text = " AND ".join(bounds)
        if text not in block.source.text:  # a former rewrite has added them
            block.add_condition(Condition(text, "today", "range", _PADDED))


def _now(block: Block, today: Today, kind: Kind) -> str:
    now = block.rewritten(today.now)
    if not today.is_cast:
        return block.engine.now_as(now, kind)
    return block.engine.column_as(block.engine.as_timestamp(now), kind)


def _compared(block: Block) -> list[tuple[exp.Column, Kind, list[Compared]]]:
    """The columns that WHERE compares in the zone of the row, with the conditions that do."""
    top = list(conjuncts(block.select.args.get("where")))
    found: list[tuple[exp.Column, Kind, list[Compared]]] = []
    for site in block.open:
        if isinstance(site, LocalPredicate):
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


def _pieces(
    block: Block, column: exp.Column, sites: list[Compared], widest: int
) -> Iterator[Interval]:
    """What the conditions leave of a column where no zone is further than ``widest`` from UTC."""
    for site in sites:
        if isinstance(site, LocalPredicate):
            yield widened(site, widest)
        else:
            yield from bound_pieces(site.comparison, column, block.names, [site], widest)


def _narrower(wanted: Interval, present: Interval) -> bool:
    """Whether ``wanted`` cuts off something that ``present`` does not."""
    starts = wanted.start is not None and (present.start is None or present.start < wanted.start)
    ends = wanted.end is not None and (present.end is None or present.end > wanted.end)
    return starts or ends


def _bounds(block: Block, column: str, kind: Kind, piece: Interval) -> str:
    parts = []
    if piece.start is not None:
        parts.append(f"{column} >= {block.engine.constant(piece.start, kind)}")
    if piece.end is not None:
        parts.append(f"{column} < {block.engine.constant(piece.end, kind)}")
    return " AND ".join(parts)

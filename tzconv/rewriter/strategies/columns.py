"""The zone of a row in a short window: the few offsets of each zone as columns of a joined row.

Before::

    SELECT a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    WHERE a.ts >= TIMESTAMP '2026-03-01' AND a.ts < TIMESTAMP '2026-04-01'

After::

    SELECT COALESCE(make_timestamp(epoch_us(a.ts) + CASE WHEN a.ts >= tzconv_1.starts_at_utc_2
      THEN tzconv_1.offset_2 ELSE tzconv_1.offset_1 END), <the original expression>)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN (<a row for each zone: the second start, and both offsets>) AS tzconv_1
      ON tzconv_1.time_zone_name = p.zone
    WHERE a.ts >= TIMESTAMP '2026-03-01' AND a.ts < TIMESTAMP '2026-04-01'

The planner joins the zones to the owner of the zone column, so that rows of the facts compare two
times and look nothing up. A bound in the zone of a row is computed once for each zone.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.joins import Form, Found, Joins, Value
from tzconv.rewriter.strategies.settle import join_kept
from tzconv.rewriter.strategies.short import Short, line_of, short_of
from tzconv.rewriter.strategies.zones import COVERED_UNTIL
from tzconv.sql.constants import DAY
from tzconv.sql.expressions import without_parens
from tzconv.tables import OFFSET
from tzconv.tz.horizon import OFFSETS_UNTIL


def columns(block: Block) -> None:
    """Join the offsets that each zone has in the window."""
    if block.engine.ends is not None:
        join_kept(block, _FORM)
        return
    for site in block.open:
        reason = f"{block.engine.name} was not measured with the spans of a zone as columns"
        block.leave(site, reason)


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    if joins.short is None:
        raise TypeError("a site was settled without its window")
    alias = joins.zone(at, zone)
    line = line_of(value.kind, to_utc=value.line == "local")
    return Found(joins.short.offset(alias, value.text, line), alias)


def _why_not(  # noqa: PLR0911 # one reason after the other
    block: Block, site: Conversion | Bound
) -> str | None:
    if isinstance(without_parens(site.zone), exp.Literal):
        return "one zone needs no columns for each zone"
    to_utc = isinstance(site, Bound) or site.to_utc
    if to_utc and block.engine.fold_is_earlier:
        return "in a fold the table has the second time, the engine takes the first"
    if isinstance(site, Bound):
        return None
    if site.unit is not None or site.target is not None:
        return "columns serve conversions in one direction only"
    if not isinstance(site.value, exp.Column):
        return "the converted value is not a column"
    shown = block.window(site.value)
    if shown.start is None or shown.end is None:
        return "no condition bounds the column on both sides"
    if shown.start >= shown.end:
        return "no row is left in that window"
    if shown.end > COVERED_UNTIL - DAY:
        return f"the window reaches past {OFFSETS_UNTIL}, where the tables may end"
    return None


def _short(block: Block, sites: list[Conversion | Bound]) -> Short | None:
    return short_of(block, [site for site in sites if _why_not(block, site) is None], 2)


_FORM = Form("columns", (OFFSET,), _join, of_value=False, short=_short, fits=_why_not)

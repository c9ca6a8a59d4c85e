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

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.joins import Found, Joins, JoinSpec, Value
from tzconv.rewriter.strategies.short import short_of
from tzconv.rewriter.strategies.zones import COVERED_UNTIL, is_of_no_row
from tzconv.rewriter.windows import window_of
from tzconv.sql.constants import DAY
from tzconv.sql.reasons import Reason
from tzconv.tables import OFFSET
from tzconv.tz.horizon import OFFSETS_UNTIL


def _join(joins: Joins, at: int, value: Value, zone: str) -> Found:
    if joins.short is None:
        raise TypeError("a site was settled without its window")
    alias = joins.zone(at, zone)
    return Found(joins.short.offset(alias, value.text, value.starts), alias)


def _why_not(  # noqa: PLR0911 # one reason after the other
    block: QueryBlock, site: Conversion | Bound
) -> Reason | None:
    if is_of_no_row(block, site.zone):
        return Reason("unsupported", "a constant zone: columns is for zones of rows")
    to_utc = isinstance(site, Bound) or site.to_utc
    if to_utc and block.engine.fold_is_earlier:
        return Reason("fold", "in a fold the table has the second time, the engine takes the first")
    if isinstance(site, Bound):
        return None
    if site.unit is not None or site.target is not None:
        return Reason("unsupported", "columns serve conversions in one direction only")
    if not isinstance(site.value, exp.Column):
        return Reason("unsupported", "the converted value is not a column")
    window = window_of(block, site.value)
    if window.start is None or window.end is None:
        return Reason("no-window", "no condition bounds the column on both sides")
    if window.start >= window.end:
        return Reason("no-window", "no row is left in that window")
    if window.end > COVERED_UNTIL - DAY:
        text = f"the window reaches past {OFFSETS_UNTIL}, where the tables may end"
        return Reason("no-window", text)
    return None


SPEC = JoinSpec(
    "columns",
    (OFFSET,),
    _join,
    needs=lambda engine: engine.ends,
    lacks="was not measured with the spans of a zone as columns",
    of_value=False,
    short=lambda block, sites: short_of(block, [s for s in sites if not _why_not(block, s)], 2),
    fits=_why_not,
)

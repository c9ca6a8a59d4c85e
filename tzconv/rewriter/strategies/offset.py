"""The zone of a row: the offset span that holds the time, looked up after all other joins.

Before::

    SELECT date_trunc('hour', from_utc_timestamp(a.ts, p.zone)), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    WHERE a.ts >= '2026-03-01' AND a.ts < '2026-04-01'
    GROUP BY 1

After::

    SELECT date_trunc('hour', COALESCE(
        timestamp_micros(unix_micros(a.ts) + 1000000L * tzconv_offset_1.tzconv_offset),
        <the original expression>)), count(*)
    FROM actions a JOIN publishers p ON a.publisher_id = p.id
    LEFT JOIN (<the offset spans of the window>) AS tzconv_offset_1
      ON tzconv_offset_1.tzconv_zone = p.zone
      AND a.ts >= tzconv_offset_1.tzconv_starts_at_utc
      AND a.ts < tzconv_offset_1.tzconv_ends_before_utc
    WHERE a.ts >= '2026-03-01' AND a.ts < '2026-04-01'
    GROUP BY 1

Spans of a zone do not overlap, so the join adds no rows and loses none. The relations of the query
stay what they are: an engine that copies small tables to all its workers copies this one, and
moves no row of the others. A bound in the zone of a row is computed once for each span.
"""

from __future__ import annotations

import functools

from tzconv.rewriter.block import Block
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.engines import Engine
from tzconv.rewriter.local import Interval, hull, intersection
from tzconv.rewriter.parse import Node
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.strategies.lookups import Lookup, Shape, look_up
from tzconv.rewriter.strategies.shifting import shifted
from tzconv.rewriter.windows import usual_years
from tzconv.tables import OFFSET


def offset(block: Block) -> None:
    """Join the offset spans for each pair of a value and a zone that comes from rows."""
    release = block.options.rules.release
    rows = functools.partial(_rows, block.engine, release=release)
    look_up(block, Shape("offset", OFFSET.name, _REASON, _columns, _matches, _results, rows, True))


_REASON = "the offset is that of the span that holds the time"


def _columns(engine: Engine, kind: Kind) -> list[str]:
    return [
        f"{engine.column_as('starts_at_utc', kind)} AS tzconv_starts_at_utc",
        f"{engine.column_as('ends_before_utc', kind)} AS tzconv_ends_before_utc",
        f"{engine.offset_of_seconds('utc_offset_seconds')} AS tzconv_offset",
    ]


def _matches(engine: Engine, name: str, lookup: Lookup) -> list[str]:
    del engine
    return [
        f"{lookup.value} >= {name}.tzconv_starts_at_utc",
        f"{lookup.value} < {name}.tzconv_ends_before_utc",
    ]


def _results(engine: Engine, name: str, lookup: Lookup, site: Conversion) -> tuple[Node, str]:
    return site.node, shifted(engine, site, lookup.value, f"{name}.tzconv_offset")


def _rows(engine: Engine, lookup: Lookup, *, release: str) -> list[str]:
    """The spans of the window; of an open one those of some years, and the function answers else.

    A zone with few spans is found faster.
    """
    asked = hull(lookup.windows)
    shown = asked
    if asked.start is None or asked.end is None:
        shown = intersection([asked, usual_years(release, asked)])
    if int(shown.start or 0) >= int(shown.end or 0):
        shown = Interval(shown.start, int(shown.start or 0) + 1)  # no row is left
    first, last = (engine.constant(int(edge or 0), "timestamp") for edge in shown)
    return [f"ends_before_utc > {first}", f"starts_at_utc < {last}"]

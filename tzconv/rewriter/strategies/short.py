"""The few offsets of each zone in a short window, picked once for each zone.

From the arrays of the zone table::

    LEFT JOIN (SELECT DISTINCT time_zone_name, zone_id, <first offset, next start and offset>
      FROM time_zone_conversion_zone) AS tzconv_1
      ON tzconv_1.time_zone_name::text = p.zone::text

DISTINCT keeps the planner from picking once for each row. OFFSET 0 would, too, but it allows no
parallel workers.

From the offset table, where there are no arrays::

    LEFT JOIN (SELECT time_zone_name, <the first offset, the next start and offset>
      FROM time_zone_offset_conversion WHERE <in the window> GROUP BY time_zone_name) AS tzconv_1
      ON tzconv_1.time_zone_name = p.zone

A row of the query then compares two times. The planner joins the narrow rows to the owner of the
zone first. Zones with more spans than expected are left out, and the function answers for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from tzconv.engines.write import Ends
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.local import Interval, hull
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.zones import COVERED_UNTIL, without_fixed
from tzconv.rewriter.windows import window_of
from tzconv.sql.constants import DAY
from tzconv.sql.schema import Kind
from tzconv.tables import OFFSET, ZONE

_SEASON, _YEAR = 17 * 7 * DAY, 51 * 7 * DAY
"""Two changes for summer time are further apart than the one, two for the same season than both."""


@dataclass(frozen=True, slots=True)
class ShortWindow:
    """The spans of a window: how many there may be, and on which starts their starts are needed.

    ``window`` is None where nothing is converted. ``bounds`` are local times in each zone as UTC
    times of a kind, in the order of their numbers.
    """

    window: tuple[int, int] | None
    spans: int
    starts: tuple[str, ...]
    bounds: tuple[tuple[str, Kind], ...]

    def relation(self, block: QueryBlock) -> str:
        """What is joined."""
        ends = block.engine.ends
        return self._of_arrays(block) if ends is None else self._of_spans(block, ends)

    def names(self) -> set[str]:
        """The columns that the relation adds to those of the kept tables."""
        return {name for name, _, _ in self._picked()} | {
            f"bound_{i}" for i in range(1, len(self.bounds) + 1)
        }

    def _picked(self) -> Iterator[tuple[str, str, int]]:
        """Name, starts (none for an offset) and number of what is picked of the spans."""
        if self.window is None:
            return
        yield "offset_1", "", 1
        for i in range(2, self.spans + 1):
            for starts in self.starts:
                yield f"{starts}_{i}", starts, i
            yield f"offset_{i}", "", i

    def _of_arrays(self, block: QueryBlock) -> str:
        constant, table = block.engine.constant, block.table(ZONE.name)
        first, last = (constant(edge, "timestamp") for edge in self.window or (0, 0))
        place = f"pg_catalog.width_bucket({first}, starts_at_utc)"
        columns = [
            f"{starts or 'utc_offsets'}[{place}{f' + {i - 1}' if i > 1 else ''}] AS {name}"
            for name, starts, i in self._picked()
        ]
        for i, (local, kind) in enumerate(self.bounds, 1):
            offset = f"utc_offsets[pg_catalog.width_bucket({local}, starts_at_time_zone)]"
            utc = f"({local} - {offset})"
            columns.append(f"{block.engine.column_as(utc, kind)} AS bound_{i}")
        text = ",\n      ".join(["time_zone_name", "zone_id", *columns])
        return (
            f"(\n    SELECT DISTINCT {text}\n    FROM {table}\n"  # noqa: S608 # our names
            f"    WHERE COALESCE(starts_at_utc[{place} + {self.spans}] >= {last}, TRUE)\n  )"
        )

    def _of_spans(self, block: QueryBlock, ends: Ends) -> str:
        engine = block.engine
        columns = []
        for name, starts, i in self._picked():
            # of a zone with one span the first is the last, which is right for any time
            end = ends.first if i == 1 else ends.last
            value = f"max({starts})"
            if starts == "":
                value = engine.offset_of_seconds(end.format("utc_offset_seconds", "starts_at_utc"))
            elif starts == "starts_at_instant":
                value = engine.column_as("max(starts_at_utc)", "timestamptz")
            columns.append(f"{value} AS {name}")
        for i, (local, kind) in enumerate(self.bounds, 1):
            known = f"starts_at_time_zone <= {local} AND ends_before_time_zone > {local}"
            offset = engine.offset_of_seconds(f"max(utc_offset_seconds) FILTER (WHERE {known})")
            columns.append(f"{engine.to_utc(local, offset, kind)} AS bound_{i}")
        where, having = without_fixed(engine, "time_zone_name"), ""
        if self.window is not None:
            start, end = (engine.constant(edge, "timestamp") for edge in self.window)
            where += [f"ends_before_utc > {start}", f"starts_at_utc < {end}"]
            having = f"\n    HAVING count(*) <= {self.spans}"
        text = ",\n      ".join(["time_zone_name", *columns])
        rows = ends.rows.format(table=block.table(OFFSET.name))
        rows += "\n    WHERE " * bool(where) + "\n      AND ".join(where)
        return f"(\n    SELECT {text}\n    FROM {rows}\n    GROUP BY time_zone_name{having}\n  )"  # noqa: S608

    def offset(self, alias: str, value: str, starts: str) -> str:
        """The offset at a value, given the alias of the relation."""
        later = " ".join(
            f"WHEN {value} >= {alias}.{starts}_{i} THEN {alias}.offset_{i}"
            for i in range(self.spans, 1, -1)
        )
        return f"CASE {later} ELSE {alias}.offset_1 END"

    def bound(self, alias: str, local: str, kind: Kind) -> str:
        """The column that holds a bound."""
        return f"{alias}.bound_{self.bounds.index((local, kind)) + 1}"


def starts_of(kind: Kind, *, to_utc: bool) -> str:
    """The starts on which values of that kind are compared with the starts of spans."""
    if to_utc:
        return "starts_at_time_zone"
    return "starts_at_instant" if kind == "timestamptz" else "starts_at_utc"


def short_of(
    block: QueryBlock, sites: Iterable[Conversion | Bound], most: int
) -> ShortWindow | None:
    """The spans for conversions and bounds of a SELECT; None where they are too many."""
    windows: list[Interval] = []
    bounds: dict[tuple[str, Kind], None] = {}
    edges: list[int | None] = []
    starts: dict[str, None] = {}
    for site in sites:
        if isinstance(site, Bound):
            bounds[block.text(site.constant), site.column_kind] = None
            edges.append(site.local_time)
        elif not isinstance(site.value, exp.Column) or site.unit or site.target:
            return None
        else:
            windows.append(window_of(block, site.value))
            starts[starts_of(site.value_kind, to_utc=site.to_utc)] = None
    if not windows:
        return ShortWindow(None, 1, (), tuple(bounds)) if bounds else None
    if block.engine.ends is not None:  # its rows of the window alone are read
        windows += [Interval(edge, None if edge is None else edge + 1) for edge in edges]
    start, end = hull(windows)
    if start is None or end is None or not 0 <= start < end <= COVERED_UNTIL - 2 * DAY:
        return None
    # the offsets of a usual zone in so much time and a day before and after it
    years, rest = divmod(end - start + 2 * DAY, _YEAR)
    spans = 2 + 2 * years + (rest >= _SEASON)
    if spans > most:
        return None
    # a day more on both sides, because a window may be one of local times
    return ShortWindow((start - DAY, end + DAY), spans, tuple(starts), tuple(bounds))

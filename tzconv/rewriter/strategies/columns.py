"""The zone of a row: the zone's owner brings the few offsets as columns.

Before::

    SELECT a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone
    FROM actions a LEFT JOIN publishers p ON a.publisher_id = p.id
    WHERE a.ts >= TIMESTAMP '2026-03-01' AND a.ts < TIMESTAMP '2026-04-01'

After::

    SELECT CASE WHEN p.tzconv_offsets_1_1 IS NOT NULL THEN
      make_timestamp(epoch_us(a.ts) + CASE WHEN p.tzconv_starts_1_2 <= a.ts
      THEN p.tzconv_offsets_1_2 ELSE p.tzconv_offsets_1_1 END) ELSE <the original expression> END
    FROM actions a LEFT JOIN (
      SELECT p.*, <the second start, and both offsets, of the zone>
      FROM publishers p
      LEFT JOIN (<starts and offsets of the spans of the window, as lists>) AS tzconv_zone_1
        ON tzconv_zone_1.time_zone_name = p.zone
    ) p ON a.publisher_id = p.id
    WHERE a.ts >= TIMESTAMP '2026-03-01' AND a.ts < TIMESTAMP '2026-04-01'

The relation gets columns but no rows, so it may stand on any side of any join, and a unique key
stays one. There are as many columns as zones with summer time have spans in such a window. For
zones with more spans, and for those that the tables do not have, the native function answers.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.horizon import OFFSETS_UNTIL
from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import DAY
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.engines import Lists
from tzconv.rewriter.layout import reindented
from tzconv.rewriter.local import Interval, intersection
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.strategies.brought import (
    Asked,
    Form,
    Relation,
    Zone,
    asked_of,
    bring,
    edges,
    owns_fact,
)
from tzconv.rewriter.strategies.zones import COVERED_UNTIL, owner_of_zone, without_fixed
from tzconv.rewriter.windows import usual_years
from tzconv.tables import OFFSET

_YEARS_BEFORE = 6
_MOST_SPANS_COPIED = 4
"""Those of a year, where every row of a join gets a copy of all columns."""
_MOST_BRANCHES, _A_LINE = 3, 3
_SEASON, _YEAR = 17 * 7 * DAY, 51 * 7 * DAY
"""Two changes for summer time are further apart than the one, two for the same season than both."""


def columns(block: Block) -> None:
    """Let the relations that own zones bring their offsets along, each as a column."""
    bring(block, _FORM)


def _why_not_site(block: Block, site: Conversion | Bound) -> str | None:
    lists = block.engine.lists
    if lists is None:
        return f"{block.engine.name} was not measured with the spans of a zone as columns"
    if isinstance(site, Bound):
        return None
    if site.to_utc and block.engine.fold_is_earlier:
        return "of a local time that a clock shows twice the table has the second, not the first"
    if not isinstance(site.value, exp.Column):
        return "the converted value is not a column: it would be written down again and again"
    shown = _shown(block, site)
    if int(shown.start or 0) >= int(shown.end or 0):
        return "no row is left in that window"
    if int(shown.end or 0) > COVERED_UNTIL - DAY:
        return f"the window reaches past {OFFSETS_UNTIL}, where the tables may end"
    if _most_spans(shown) > lists.most:
        return "a zone has too many spans in a window of so many years to carry them all"
    return None


def _why_not(block: Block, relation: Relation) -> str | None:
    ours = [id(site) for site in relation.sites]
    left = [
        site
        for site in block.open
        if isinstance(site, Conversion)
        and id(site) not in ours
        and owner_of_zone(block, site.zone) is relation.owner
    ]
    if left and relation.window is None:
        return "its conversions are left for another strategy, which needs the bounds with them"
    if left and block.tries("array"):
        return "arrays serve all conversions with zones of one relation at once"
    spans = _most_spans(relation.window)
    if spans > _lists(block).most:
        return "the windows of its conversions lie too many years apart"
    if spans <= _MOST_SPANS_COPIED or block.is_forced:
        return None
    if any(join.side for join in block.select.args.get("joins") or []):
        return "an outer join would copy the offsets of several years for each row"
    if owns_fact(block, relation):
        return f"the offsets of several years would be copied for each row of {relation.alias}"
    return None


def _shown(block: Block, site: Conversion) -> Interval:
    """The times that are looked up: all of a bounded window, some years of an open one."""
    asked = asked_of(block, site)
    if asked.start is not None and asked.end is not None:
        return asked
    return intersection([asked, usual_years(block.options.rules.release, asked, _YEARS_BEFORE)])


def _most_spans(shown: Interval | None) -> int:
    """How many offsets a usual zone has in the window and a day before and after it."""
    if shown is None:
        return 0
    years, rest = divmod(int(shown.end or 0) - int(shown.start or 0) + 2 * DAY, _YEAR)
    return 2 + 2 * years + (rest >= _SEASON)


def _offset(block: Block, relation: Relation, zone: Zone, asked: Asked) -> str:
    spans = range(1, _most_spans(relation.window) + 1)
    starts = [f"{relation.alias}.tzconv_{asked.line}_{zone.number}_{i}" for i in spans]
    offsets = [f"{relation.alias}.tzconv_offsets_{zone.number}_{i}" for i in spans]
    found = _search(asked.value, starts, offsets)
    inside = None if asked.is_known else _inside(block, relation, asked)
    if inside is not None:
        found = found.replace("\n", "\n  ")
        found = f"CASE WHEN {inside} THEN\n  {found}\nEND"
    return reindented(block.source.text, asked.place, found)


def _inside(block: Block, relation: Relation, asked: Asked) -> str | None:
    """That the value lies in the window; None where the query says so."""
    if asked.window.start is not None and asked.window.end is not None:
        return None
    kind: Kind = "timestamptz" if asked.line == "instants" else "timestamp"
    edges_of = relation.window or Interval(0, 0)
    first, last = (block.engine.constant(int(edge or 0), kind) for edge in edges_of)
    return f"{asked.value} >= {first} AND {asked.value} < {last}"


def _known(block: Block, relation: Relation, zone: Zone, asked: Asked) -> str | None:
    if not block.engine.case_beats_coalesce:
        return None
    known = f"{relation.alias}.tzconv_offsets_{zone.number}_1 IS NOT NULL"
    inside = _inside(block, relation, asked)
    return known if inside is None else f"{inside} AND {known}"


def _search(value: str, starts: list[str], offsets: list[str]) -> str:
    """The offset of the last span that has begun, found by halves; a start may be missing."""
    if len(offsets) <= _MOST_BRANCHES + 1:
        branches = [
            f"WHEN {start} <= {value} THEN {offset}"
            for start, offset in zip(starts[:0:-1], offsets[:0:-1], strict=True)
        ]
        return " ".join(["CASE", *branches, f"ELSE {offsets[0]}", "END"])
    middle = (len(offsets) + 1) // 2
    before = _search(value, starts[:middle], offsets[:middle]).replace("\n", "\n    ")
    after = _search(value, starts[middle:], offsets[middle:]).replace("\n", "\n    ")
    return f"CASE\n  WHEN {starts[middle]} <= {value} THEN\n    {after}\n  ELSE\n    {before}\nEND"


def _columns(block: Block, relation: Relation, zone: Zone) -> list[str]:
    if _lists(block).but:
        return [f"{zone.name}.* {_lists(block).but} (time_zone_name)"]
    spans = range(1, _most_spans(relation.window) + 1)
    starts = [f"tzconv_{line}_{zone.number}_{i}" for line in zone.lines for i in spans[1:]]
    offsets = [f"tzconv_offsets_{zone.number}_{i}" for i in spans]
    return [f"{zone.name}.{name}" for name in (*starts, *offsets)]


def _lists(block: Block) -> Lists:
    if block.engine.lists is None:
        raise TypeError("sites were checked to be of an engine with lists")
    return block.engine.lists


def _spans(block: Block, relation: Relation, zone: Zone) -> list[str]:
    """The zones that have no more spans than there are columns."""
    lists_of, shown = _lists(block), relation.window
    rows_of = lists_of.source.format(table=block.table(OFFSET.name))
    known = without_fixed(block.engine, "time_zone_name")
    if shown is None or not zone.lines:
        where = [f"WHERE {one}" for one in known]
        return ["SELECT DISTINCT time_zone_name", f"FROM {rows_of}", *where]
    most = _most_spans(shown)
    lists = {line: (edges(block, line)[0], 2) for line in zone.lines}  # the first has begun
    lists["offsets"] = (block.engine.offset_of_seconds("utc_offset_seconds"), 1)
    # a day more on both sides, because a window may be one of local times
    start = block.engine.constant(int(shown.start or 0) - DAY, "timestamp")
    end = block.engine.constant(int(shown.end or 0) + DAY, "timestamp")
    gathered = [
        f"FROM {rows_of}",
        f"WHERE ends_before_utc > {start} AND starts_at_utc < {end}",
        *(f"  AND {one}" for one in known),
        "GROUP BY time_zone_name",
        f"HAVING count(*) <= {most}",
    ]
    of_pair = (lists_of.first, lists_of.last)
    if most == len(of_pair) and all(of_pair):
        # a zone with one span has it twice, which is the same to who looks up a time
        taken = [
            f"{of_pair[i - 1].format(value=value, by='starts_at_utc')} "
            f"AS tzconv_{line}_{zone.number}_{i}"
            for line, (value, first) in lists.items()
            for i in range(first, most + 1)
        ]
        return ["SELECT " + ",\n      ".join(["time_zone_name", *taken]), *gathered]
    # taken out here: with the lists in its rows the next join takes three times as long
    taken = [
        f"{lists_of.taken.format(list=line, number=i)} AS tzconv_{line}_{zone.number}_{i}"
        for line, (_, first) in lists.items()
        for i in range(first, most + 1)
    ]
    rows = [", ".join(taken[i : i + _A_LINE]) for i in range(0, len(taken), _A_LINE)]
    made = [
        f"{lists_of.made.format(value=value, by='starts_at_utc')} AS {line}"
        for line, (value, _) in lists.items()
    ]
    return [
        "SELECT " + ",\n      ".join(["time_zone_name", *rows]),
        "FROM (",
        "  SELECT " + ",\n        ".join(["time_zone_name", *made]),
        *(f"  {line}" for line in gathered),
        ") AS tzconv_lists",
    ]


_FORM = Form(
    "columns", "columns", _why_not_site, _why_not, _shown, _offset, _columns, _spans, _known
)

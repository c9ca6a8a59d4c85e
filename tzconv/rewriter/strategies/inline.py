"""A constant zone: the offsets of the window, written into the query.

Before::

    SELECT date_trunc('day', ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata') FROM events
    WHERE ts >= TIMESTAMP '2026-01-01' AND ts < TIMESTAMP '2026-02-01'

After::

    SELECT date_trunc('day', make_timestamp(epoch_us(ts) + 19800000000)) FROM events
    WHERE ts >= TIMESTAMP '2026-01-01' AND ts < TIMESTAMP '2026-02-01'

Where the window has transitions, the offset is a CASE over them. Where the query does not bound the
column on both sides, the offsets of some years around the tz release are written, and the native
function answers for all other times.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np
from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.constants import DAY, SECOND, microseconds_of
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.engines import Engine
from tzconv.rewriter.layout import reindented
from tzconv.rewriter.local import Interval, intersection
from tzconv.rewriter.parse import Node
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.strategies.shifting import back, shifted
from tzconv.rewriter.windows import release_year, usual_years

Spans: TypeAlias = tuple[list[int], list[int]]
"""Starts and offsets, both in microseconds."""
Move: TypeAlias = Callable[[Engine, Conversion, str, str], str]
"""Adds an offset to a value or takes it away: see ``shifting``."""

_MOST_BRANCHES_A_LINE = 3
_MOST_SPANS = 64
_YEAR = 365 * DAY
_BOUNDED = "the WHERE clause bounds the column, and these are the offsets of {zone} in that window"
_OPEN = (
    "these are the offsets of {zone} from {start:%Y-%m-%d} to {end:%Y-%m-%d}; "
    "other times still go through the function"
)


def inline(block: Block) -> None:
    """Add the offsets of constant zones as integers."""
    for site in [site for site in block.open if isinstance(site, Conversion)]:
        if isinstance(site.zone, exp.Literal):
            _write_offsets(block, site, site.zone.name)


def _write_offsets(block: Block, site: Conversion, constant: str) -> None:
    name = block.iana_name(site.zone)
    if name is None:
        return block.leave(site, block.why_no_zone(constant))
    if site.unit is not None:
        return block.leave(site, "date_trunc() in a zone was measured to be no slower")
    if not isinstance(site.value, exp.Column):
        return block.leave(site, "the converted value is not a column")
    further = None if site.target is None else block.iana_name(site.target)
    if site.target is not None and further is None:
        return block.leave(site, _why_not_further(block, site.target))
    asked = block.window(site.value)
    usual = usual_years(block.options.rules.release, asked)
    bounded = asked.start is not None and asked.end is not None and block.after_where(site.node)
    shown = asked if bounded else intersection([asked, usual])
    if bounded and int(shown.start or 0) >= int(shown.end or 0):
        shown = Interval(
            shown.start, int(shown.start or 0) + 1
        )  # no row is left: any offset will do
    if shown.start is None or shown.end is None or shown.start >= shown.end:
        return block.leave(site, f"no offset of {name} is known for the times asked for")
    outside = block.why_no_rules(shown)
    if outside is not None:
        return block.leave(site, outside)
    spans = _spans(block, name, shown, site.to_utc)
    if further is not None:
        spans = _spans_further(block, spans, int(shown.end), further)
    if len(spans[0]) > _MOST_SPANS:
        return block.leave(site, f"{name} has too many transitions in that window to write down")
    is_back = site.to_utc and further is None
    checked = None if bounded else (shown.start, shown.end)
    after = _written(block, site, spans, back if is_back else shifted, checked)
    reason = _BOUNDED.format(zone=name)
    if not bounded:
        start, end = (_as_date(edge) for edge in (shown.start, shown.end))
        reason = _OPEN.format(zone=name, start=start, end=end)
    after = reindented(block.source.text, block.place(site.node)[0], after)
    rule = "zone_to_utc" if site.to_utc else "utc_to_zone"
    rule = "zone_to_zone" if further is not None else rule
    block.done(site, block.replace(site.node, after, rule, "inline", reason))
    return None


def _written(
    block: Block, site: Conversion, spans: Spans, move: Move, checked: tuple[int, int] | None
) -> str:
    """The value with its offset; outside the ``checked`` times, if any, the function answers."""
    engine, column, kind = block.engine, block.text(site.value), site.value_kind
    starts, offsets = spans
    amounts = [engine.offset(offset) for offset in offsets]
    if checked is None:
        amount = _search(column, _texts(block, starts[1:], kind), amounts, [1.0] * len(amounts))
        return engine.alone(move(engine, site, column, amount))
    native, year = block.text(site.node), release_year(block.options.rules.release)
    if engine.case_beats_coalesce:
        weights = _recency(starts, checked[1], year)
        amount = _search(column, _texts(block, starts[1:], kind), amounts, weights)
        first, last = _texts(block, checked, kind)
        inside = f"{column} >= {first} AND {column} < {last}"
        return f"CASE WHEN {inside} THEN {move(engine, site, column, amount)} ELSE {native} END"
    edges, amounts = _texts(block, [*starts, checked[1]], kind), ["NULL", *amounts, "NULL"]
    weights = _recency([starts[0] - _YEAR, *starts, checked[1]], checked[1] + _YEAR, year)
    amount = _search(column, edges, amounts, weights)
    return f"COALESCE({move(engine, site, column, amount)}, {native})"


def _spans(block: Block, name: str, shown: Interval, local: bool) -> Spans:
    """Starts (the first one cut) and offsets, in microseconds, of the spans of the window.

    With ``local`` the starts are local times: a gap belongs to the span before, a fold to the span
    after it, as the engines have it, and so each span begins at its start plus its own offset.
    """
    first, last = int(shown.start or 0), int(shown.end or 0)
    until = -(-last // SECOND) + (DAY // SECOND if local else 0)
    starts, offsets = block.options.rules.zone(name).timeline(until).offset_changes()
    if local and block.engine.fold_is_earlier:
        # a fold belongs to the span before it too: the clock must pass the later of both times
        starts = starts + np.maximum(offsets, np.append(offsets[:1], offsets[:-1]))
    elif local:
        starts = starts + offsets
    begin = int(np.searchsorted(starts * SECOND, first, "right")) - 1
    inside = slice(begin, int(np.searchsorted(starts * SECOND, last, "left")))
    return (
        [max(int(start) * SECOND, first) for start in starts[inside]],
        [int(offset) * SECOND for offset in offsets[inside]],
    )


def _spans_further(block: Block, spans: Spans, end: int, target: str) -> Spans:
    """From the spans of local times of one zone those of what the clock of another adds to them."""
    starts: list[int] = []
    amounts: list[int] = []
    for start, after, offset in zip(spans[0], [*spans[0][1:], end], spans[1], strict=True):
        utc = Interval(start - offset, after - offset)
        for begins, other in zip(*_spans(block, target, utc, False), strict=True):
            if not amounts or amounts[-1] != other - offset:
                starts.append(begins + offset)
                amounts.append(other - offset)
    return starts, amounts


def _why_not_further(block: Block, target: Node) -> str:
    if isinstance(target, exp.Literal):
        return block.why_no_zone(target.name)
    return "it goes from a constant zone to that of a row: one of the two would be looked up still"


def _texts(block: Block, edges: Iterable[int], kind: Kind) -> list[str]:
    return [block.engine.constant(edge, kind) for edge in edges]


def _recency(starts: list[int], end: int, year: int) -> list[float]:
    """How likely a time lies in each of the spans: most events are of ``year``.

    The search then compares two or three times for those of this year, and oftener for old ones.
    """
    now = min(microseconds_of(dt.date(year, 7, 1)), end)
    ages = [abs(now - (begin + after) // 2) / _YEAR for begin, after in pairwise([*starts, end])]
    return [1 / (1 + age) ** 2 for age in ages]


def _search(column: str, edges: list[str], amounts: list[str], weights: list[float]) -> str:
    """The amount between the edges around ``column``, found by halves of about the same weight.

    One CASE over twenty transitions costs twice as much, because it compares with all of them.
    """
    if not edges:
        return amounts[0]
    if len(edges) <= _MOST_BRANCHES_A_LINE:
        branches = [
            f"WHEN {column} < {edge} THEN {amount}"
            for edge, amount in zip(edges, amounts, strict=False)
        ]
        last = [] if amounts[-1] == "NULL" else [f"ELSE {amounts[-1]}"]
        return " ".join(["CASE", *branches, *last, "END"])
    until = list(accumulate(weights))
    middle = min(range(len(edges)), key=lambda edge: abs(until[edge] - until[-1] / 2))
    cut = slice(middle + 1), slice(middle + 1, None)
    before = _search(column, edges[:middle], amounts[cut[0]], weights[cut[0]])
    after = _search(column, edges[cut[1]], amounts[cut[1]], weights[cut[1]])
    before, after = (half.replace("\n", "\n    ") for half in (before, after))
    return f"CASE\n  WHEN {column} < {edges[middle]} THEN\n    {before}\n  ELSE\n    {after}\nEND"


def _as_date(microseconds: int) -> dt.date:
    return dt.date(1970, 1, 1) + dt.timedelta(microseconds=microseconds)

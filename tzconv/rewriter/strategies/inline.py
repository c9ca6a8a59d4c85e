"""A constant zone in a bounded window: its few offsets, written into the query.

Before::

    SELECT date_trunc('day', ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata') FROM events
    WHERE ts >= TIMESTAMP '2026-01-01' AND ts < TIMESTAMP '2026-02-01'

After::

    SELECT date_trunc('day', make_timestamp(epoch_us(ts) + 19800000000)) FROM events
    WHERE ts >= TIMESTAMP '2026-01-01' AND ts < TIMESTAMP '2026-02-01'

Where the window has transitions, the offset is a CASE over them. Only what the rules say for good
is written down: see ``literals_until`` of :func:`tzconv.rewrite`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from sqlglot import exp

from tzconv.rewriter.block import QueryBlock, Replacement
from tzconv.rewriter.conversions import Conversion, is_condition
from tzconv.rewriter.edits import reindented
from tzconv.rewriter.local import Interval
from tzconv.rewriter.windows import window_of
from tzconv.sql.constants import DAY, SECOND
from tzconv.sql.expressions import without_parens
from tzconv.sql.parse import Node
from tzconv.sql.reasons import TRUNCATES, LeaveError, leave_if

Spans: TypeAlias = tuple[list[int], list[int]]
"""Starts and offsets, both in microseconds."""

_MOST_SPANS = 8
_REASON = "these are the offsets of {zone} in the window of the WHERE clause"
_GAPS = "near a change of offset, {engine} may read local times in another way than the tables"
_FUTURE = "its offsets may still change: they are read from the tables"


def inline(block: QueryBlock) -> None:
    """Add the offsets of constant zones as integers."""
    for site in [site for site in block.open if isinstance(site, Conversion)]:
        if isinstance(site.zone, exp.Literal):
            with block.leaving(site):
                _write_offsets(block, site, site.zone.name)


def _write_offsets(block: QueryBlock, site: Conversion, zone: str) -> None:
    """Replace a conversion from or to a constant zone by its offsets; LeaveError where it stays."""
    engine, name = block.engine, block.iana_name(site.zone)
    further = None if site.target is None else block.iana_name(site.target)
    if name is None:
        return leave_if(block.why_no_zone(zone))
    window = window_of(block, _column(block, site, further))
    if window.start is None or window.end is None:
        raise LeaveError("no-window", "no condition bounds the column on both sides")
    if window.start >= window.end:  # no row is left: any offset will do
        window = Interval(window.start, window.start + 1)
    if not block.may_be_literal(window):
        raise LeaveError("future-rules", _FUTURE)
    leave_if(block.why_no_rules(window))
    spans = _spans(block, name, window, site.to_utc)
    around = window.shifted(-DAY, DAY)
    if site.to_utc and not engine.gaps_are_known and len(_spans(block, name, around, True)[0]) > 1:
        raise LeaveError("fold", _GAPS.format(engine=engine.name))
    if further is not None:
        spans = _spans_further(block, spans, int(window.end or 0), further)
    if len(spans[0]) > _MOST_SPANS:
        text = f"{name} has too many changes of offset in that window to write down"
        raise LeaveError("too-many-changes", text)
    column = block.text(site.value)
    offset, to_utc = _offset(block, site, column, spans), site.to_utc and further is None
    after = engine.alone(site.shifted(engine, column, offset, to_utc=to_utc))
    after = reindented(
        block.source.text, block.place(site.node)[0], after, block.source.long_literals
    )
    rule = "zone_to_utc" if site.to_utc else "utc_to_zone"
    rule = "zone_to_zone" if further is not None else rule
    by = Replacement(after, rule, "inline", _REASON.format(zone=name))
    block.settle(site, node=site.node, by=by)
    return None


def _column(block: QueryBlock, site: Conversion, further: str | None) -> exp.Column:
    """The column whose times are converted; LeaveError where offsets cannot be written down."""
    column = _picked(site.value)
    if site.unit is not None:
        raise LeaveError(*TRUNCATES)
    if not isinstance(column, exp.Column):
        raise LeaveError("unsupported", "the converted value is not a column")
    if isinstance(site.target, exp.Literal) and further is None:
        leave_if(block.why_no_zone(site.target.name))
    if site.target is not None and further is None:
        raise LeaveError("unsupported", "it converts from a constant zone to that of a row")
    if is_condition(site.node):
        text = "it is computed before the WHERE clause has bounded the column"
        raise LeaveError("no-window", text)
    leave_if(block.few_rows())
    return column


_PICKS = (exp.Max, exp.Min, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)


def _picked(value: Node) -> Node:
    """The argument of max(), lag() and the like, which return a time of some row, or NULL."""
    while isinstance(value, (exp.Window, exp.Filter)):
        value = value.this
    is_plain = isinstance(value, _PICKS) and not (value.args.get("default") or value.expressions)
    return without_parens(value.this) if is_plain else value


def _offset(block: QueryBlock, site: Conversion, column: str, spans: Spans) -> str:
    amounts = [block.engine.offset(offset) for offset in spans[1]]
    edges = [block.engine.constant(edge, site.value_kind) for edge in spans[0][1:]]
    branches = [
        f"WHEN {column} < {edge} THEN {amount}"
        for edge, amount in zip(edges, amounts, strict=False)
    ]
    return " ".join(["CASE", *branches, f"ELSE {amounts[-1]} END"]) if branches else amounts[0]


def _spans(block: QueryBlock, name: str, window: Interval, local: bool) -> Spans:
    """Starts (the first one cut) and offsets, in microseconds, of the spans of the window.

    With ``local`` the starts are local times: a gap belongs to the span before, a fold to the span
    after it, as the engines have it, and so each span begins at its start plus its own offset.
    """
    first, last = int(window.start or 0), int(window.end or 0)
    until = -(-last // SECOND) + (DAY // SECOND if local else 0)
    starts, offsets = block.job.rules.zone(name).offset_changes(until)
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


def _spans_further(block: QueryBlock, spans: Spans, end: int, target: str) -> Spans:
    """The spans of a zone-to-zone conversion, from those of its first zone's local times."""
    starts: list[int] = []
    amounts: list[int] = []
    for start, after, offset in zip(spans[0], [*spans[0][1:], end], spans[1], strict=True):
        utc = Interval(start - offset, after - offset)
        for begins, other in zip(*_spans(block, target, utc, False), strict=True):
            if not amounts or amounts[-1] != other - offset:
                starts.append(begins + offset)
                amounts.append(other - offset)
    return starts, amounts

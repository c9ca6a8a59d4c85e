"""A TIMESTAMP or DATE column compared with NOW(): the constant becomes a TIMESTAMP, once.

Before::

    SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'

After::

    SELECT count(*) FROM logs WHERE log_time >= CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)

NOW() is a TIMESTAMPTZ, so the engine casts the column, row by row, and prunes nothing. Casting the
constant instead compares the same two times wherever the session's zone has one fixed offset.

:func:`pin` replaces NOW() and its like by literals, so that a report gives the same rows whenever
it is run.
"""

from __future__ import annotations

import datetime as dt
import re

from sqlglot import exp

from tzconv.errors import RewriteError
from tzconv.rewriter.block import QueryBlock, Replacement
from tzconv.rewriter.comparisons import COMPARISONS, sides
from tzconv.rewriter.conversions import Conversion, Unclear, has_column
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.purity import is_fixed
from tzconv.rewriter.relative import NowComparison, uncast
from tzconv.rewriter.sites import Bound
from tzconv.sql.constants import DAY, SECOND, microseconds_of
from tzconv.sql.expressions import is_now, is_now_call, upwards, without_parens
from tzconv.sql.parse import Node
from tzconv.sql.reasons import LeaveError, Reason, leave_if
from tzconv.sql.schema import Kind

_PINNED = "the given time replaces the current one"
_NO_LITERAL = Reason("varies", "cannot pin this current-time expression")
_DEPENDS = Reason("varies", "it depends on the current time, and that is a literal now")
_JOINING = (exp.Connector, exp.Paren)
_CAST = re.compile(
    r"(?s:(?i:cast)\s*\(\s*(?P<inside>.*\s)(?i:as)\b[^()]*\)|(?P<before>.*?)::[^:]*)"
)
_GUESS = Reason(
    "loses-estimate",
    "the planner knows NOW() and may search an index for it; of a cast in a subquery it would know "
    "nothing. With --url it is asked, unless the query has parameters",
)
_UNCAST = (
    "the column was cast to TIMESTAMPTZ for every row; without a zone both sides compare alike"
)
_REASON = "the column was cast to TIMESTAMPTZ for every row; now the constant is cast once"


def now(block: QueryBlock, *, but_constants: Reason | None = None) -> None:
    """Cast the constant side of each comparison of a column without a zone with a TIMESTAMPTZ.

    Casts of the text on the column's side go. The constants stay where there is a reason for it.
    """
    for site in [site for site in block.open if isinstance(site, NowComparison)]:
        if but_constants and uncast(site.node, block.names) is None:
            block.reasons[id(site)] = but_constants
            continue
        with block.leaving(site):
            _check(block, site)
            if (made := uncast(site.node, block.names)) is not None:
                found = _CAST.fullmatch(block.text(site.node))
                if found is None:
                    raise LeaveError("unsupported", "write its cast as CAST(... AS TIMESTAMPTZ)")
                _drop_cast(block, site, found, made)
            elif any(id(one) not in block.became for one in site.casts):
                raise LeaveError(
                    "no-gain", "the text casts what it is compared with to TIMESTAMPTZ"
                )
            elif isinstance(site.node, exp.Subquery) and has_column(site.node):
                # behind it, because what stands inside has edits of its own
                _, end = block.place(site.node)
                block.edits.append(Edit(end, end, "::TIMESTAMP", "now", "now", _REASON))
                block.open.remove(site)
                block.became[id(site.node)] = f"{block.text(site.node)}::TIMESTAMP"
            else:
                after = block.engine.once(block.engine.as_timestamp(block.rewritten(site.node)))
                block.settle(site, node=site.node, by=Replacement(after, "now", "now", _REASON))


def _drop_cast(block: QueryBlock, site: NowComparison, cast: re.Match[str], made: Node) -> None:
    """Take the words of a cast away, around what may have edits of its own."""
    part = "before" if cast["before"] else "inside"
    is_bare = part == "before" or isinstance(made, exp.Column)
    kept = cast[part].rstrip(" ")  # not what ends a comment
    start, end = block.place(site.node)
    inner = start + cast.start(part)
    for at, to, after in ((start, inner, "("), (inner + len(kept), end, ")")):
        if at < to:
            edit = Edit(at, to, "" if is_bare else after, "now", "now", _UNCAST)
            block.edits.append(edit)
    block.open.remove(site)
    block.became[id(site.node)] = kept if is_bare else f"({kept})"


def _check(block: QueryBlock, site: NowComparison) -> None:
    """LeaveError where the constant may not be cast, or the engine does so by itself."""
    is_column = isinstance(without_parens(site.value), exp.Column)
    is_date = block.names.kind(site.value) == "date"
    if is_date and block.engine.casts_constants and not block.is_forced:
        raise LeaveError("unsupported", f"comparing a DATE was not measured on {block.engine.name}")
    if is_column and block.engine.casts_constants and not block.is_forced:
        raise LeaveError(
            "no-gain", f"{block.engine.name} casts the constant by itself, not the column"
        )
    zone = block.job.session_time_zone
    name = block.engine.zone_name(zone, block.job.rules)
    if name is None:
        raise LeaveError("session-time-zone", f"the session time zone {zone!r} is not an IANA zone")
    if len(block.job.rules.zone(name).offset_changes(_FAR)[0]) > 1:
        raise LeaveError(
            "session-time-zone",
            f"the session time zone {name} changes its offset: near a change the cast of the "
            "column and the cast of the constant differ",
        )
    if not (is_fixed(site.node) or isinstance(site.node, exp.Subquery) or has_column(site.node)):
        raise LeaveError(
            "varies", "the constant side calls functions whose value may differ from row to row"
        )
    if block.engine.hides_once and not block.is_forced:
        leave_if(_GUESS if _is_guessed(block, site) else None)
        leave_if(block.few_rows())


def _is_guessed(block: QueryBlock, site: NowComparison) -> bool:
    """Whether an index may serve the comparison, and nobody asks for the plan of just this text."""
    value, compared = uncast(site.value, block.names) or site.value, site.value.parent
    if compared is None or not isinstance(compared, (*COMPARISONS, exp.Between, exp.In)):
        return False
    if compared.args.get("symmetric") or not isinstance(without_parens(value), exp.Column):
        return False
    is_known = uncast(site.node, block.names) is None and not isinstance(site.node, exp.Subquery)
    of_rows = any(one is site.value and has_column(other) for one, other in sides(compared))
    clause = next(one for one in upwards(compared.parent) if not isinstance(one, _JOINING))
    decides = isinstance(clause, (exp.Where, exp.Join)) and not isinstance(
        clause.parent, exp.Filter
    )
    if not is_known or of_rows or not decides:
        return False
    parameters = block.select.root().find_all(exp.Placeholder, exp.Parameter)
    return block.job.plans is None or any(parameters)


_FAR = 4_102_444_800  # 2100-01-01: a zone that has not changed by then has one offset


def moment(now: str | dt.datetime) -> int:
    """Microseconds since 1970 of a time in ISO form that names its zone or offset."""
    try:
        time = dt.datetime.fromisoformat(now) if isinstance(now, str) else now
    except ValueError as error:
        raise RewriteError(
            f"{now!r} is no time in ISO form: write it like 2026-01-01T00:00:00Z."
        ) from error
    if time.tzinfo is None:
        raise RewriteError(f"{now} names no zone: write UTC times like 2026-01-01T00:00:00Z.")
    return microseconds_of(time)


def pin(block: QueryBlock, now: int) -> None:
    """Replace all current times of a SELECT by literals."""
    for node in block.names.nodes:
        kind = block.names.kind(node) if is_now(node) else None
        is_rounded = not is_now_call(node) and kind is not None and node.args.get("this")
        if isinstance(node, (exp.CurrentTime, exp.CurrentDatetime)) or is_rounded:
            block.open.append(Unclear(node, _NO_LITERAL))
        elif kind is not None and block.source.range(node) is not None:
            is_utc = bool(node.args.get("utc"))
            after = block.engine.constant(now, kind) if is_utc else _literal(block, kind, now)
            block.settle(node=node, by=Replacement(after, "now", "now", _PINNED))
    for site in list(block.open):
        if isinstance(site, (Conversion, Bound)) and any(map(is_now, site.node.walk())):
            block.open.remove(site)
            block.open.append(Unclear(site.node, _DEPENDS))


def _literal(block: QueryBlock, kind: Kind, now: int) -> str:
    if kind == "timestamptz":
        return block.engine.constant(now, kind)
    name = block.engine.zone_name(block.job.session_time_zone, block.job.rules)
    if name is None:
        raise RewriteError(
            f"The session time zone {block.job.session_time_zone!r} is not an IANA zone: "
            "the date there is unknown."
        )
    starts, offsets = block.job.rules.zone(name).offset_changes(now // SECOND + 1)
    local = now + int(offsets[len(starts) - 1]) * SECOND
    if kind == "date":
        return f"DATE '{dt.date(1970, 1, 1) + dt.timedelta(days=local // DAY)}'"
    return block.engine.constant(local, kind)

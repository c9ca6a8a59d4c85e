"""A TIMESTAMP or DATE column compared with NOW(): the constant becomes a TIMESTAMP, once.

Before::

    SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'

After::

    SELECT count(*) FROM logs WHERE log_time >= CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)

NOW() is a TIMESTAMPTZ, so the engine casts the column, row by row, and prunes nothing. Casting the
constant instead compares the same two times wherever the session's zone has one fixed offset.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock, Replacement
from tzconv.rewriter.nows import NowComparison
from tzconv.rewriter.purity import is_fixed
from tzconv.sql.expressions import without_parens
from tzconv.sql.reasons import LeaveError, leave_if

_REASON = "the column was cast to TIMESTAMPTZ for every row; now the constant is cast once"


def now(block: QueryBlock) -> None:
    """Cast the constant side of each comparison of a column without a zone with a TIMESTAMPTZ."""
    for site in [site for site in block.open if isinstance(site, NowComparison)]:
        with block.leaving(site):
            _check(block, site)
            after = block.engine.once(block.engine.as_timestamp(block.rewritten(site.node)))
            block.settle(site, node=site.node, by=Replacement(after, "now", "now", _REASON))


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
    zone = block.options.session_time_zone
    name = block.engine.zone_name(zone, block.options.rules)
    if name is None:
        raise LeaveError("session-time-zone", f"the session time zone {zone!r} is not an IANA zone")
    if len(block.options.rules.zone(name).offset_changes(_FAR)[0]) > 1:
        raise LeaveError(
            "session-time-zone",
            f"the session time zone {name} changes its offset: near a change the cast of the "
            "column and the cast of the constant differ",
        )
    if not (is_fixed(site.node) or isinstance(site.node, exp.Subquery)):
        raise LeaveError(
            "varies", "the constant side calls functions whose value may differ from row to row"
        )
    if block.engine.hides_once:
        leave_if(block.few_rows())


_FAR = 4_102_444_800  # 2100-01-01: a zone that has not changed by then has one offset

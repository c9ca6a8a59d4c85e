"""A TIMESTAMP column compared with NOW(): the constant becomes a TIMESTAMP, once.

Before::

    SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'

After::

    SELECT count(*) FROM logs WHERE log_time >= CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)

NOW() is a TIMESTAMPTZ, so the engine casts the column, row by row, and prunes nothing. Casting the
constant instead compares the same two times wherever the session's zone has one fixed offset.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.purity import is_fixed
from tzconv.rewriter.rows import few_rows
from tzconv.rewriter.sites import NowComparison
from tzconv.sql.expressions import without_parens

_REASON = "the column was cast to TIMESTAMPTZ for every row; now the constant is cast once"


def now(block: Block) -> None:
    """Cast the constant side of each comparison of a TIMESTAMP with a TIMESTAMPTZ."""
    for site in [site for site in block.open if isinstance(site, NowComparison)]:
        reason = _changing_offset(block) or _varying(site)
        bare = isinstance(without_parens(site.value), exp.Column)
        if bare and block.engine.casts_constants and not block.is_forced:
            reason = f"{block.engine.name} casts the constant by itself, not the column"
        if block.engine.hides_once:
            reason = reason or few_rows(block)
        if reason:
            block.leave(site, reason)
            continue
        after = block.engine.once(block.engine.as_timestamp(block.rewritten(site.node)))
        block.done(site, block.replace(site.node, after, "now", "now", _REASON))


def _varying(site: NowComparison) -> str | None:
    if is_fixed(site.node):
        return None
    return "the constant side calls functions whose value may differ from row to row"


def _changing_offset(block: Block) -> str | None:
    name = block.engine.zone_name(block.options.session_time_zone, block.options.rules)
    if name is None:
        return f"the session time zone {block.options.session_time_zone!r} is not an IANA zone"
    if len(block.options.rules.zone(name).timeline(_FAR).offset_changes()[0]) > 1:
        return (
            f"the session time zone {name} changes its offset: near a change the cast of the "
            "column and the cast of the constant differ"
        )
    return None


_FAR = 4_102_444_800  # 2100-01-01: a zone that has not changed by then has one offset

"""NOW() and its like as literals, so that a report gives the same rows whenever it is run."""

from __future__ import annotations

import datetime as dt

from sqlglot import exp

from tzconv.errors import RewriteError
from tzconv.rewriter.block import QueryBlock, Replacement
from tzconv.rewriter.conversions import Conversion, Unclear
from tzconv.rewriter.sites import Bound
from tzconv.sql.constants import DAY, SECOND, microseconds_of
from tzconv.sql.expressions import is_now, is_now_call
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Kind

_REASON = "the given time replaces the current one"
_NO_LITERAL = Reason("varies", "cannot pin this current-time expression")
_DEPENDS = Reason("varies", "it depends on the current time, and that is a literal now")
_NO_LITERALS = (exp.CurrentTime, exp.CurrentDatetime)


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
        if isinstance(node, _NO_LITERALS) or is_rounded:
            block.open.append(Unclear(node, _NO_LITERAL))
        elif kind is not None and block.source.range(node) is not None:
            is_utc = bool(node.args.get("utc"))
            after = block.engine.constant(now, kind) if is_utc else _literal(block, kind, now)
            block.settle(node=node, by=Replacement(after, "now", "now", _REASON))
    for site in list(block.open):
        if isinstance(site, (Conversion, Bound)) and any(map(is_now, site.node.walk())):
            block.open.remove(site)
            block.open.append(Unclear(site.node, _DEPENDS))


def _literal(block: QueryBlock, kind: Kind, now: int) -> str:
    if kind == "timestamptz":
        return block.engine.constant(now, kind)
    name = block.engine.zone_name(block.options.session_time_zone, block.options.rules)
    if name is None:
        raise RewriteError(
            f"The session time zone {block.options.session_time_zone!r} is not an IANA zone: "
            "the date there is unknown."
        )
    starts, offsets = block.options.rules.zone(name).offset_changes(now // SECOND + 1)
    local = now + int(offsets[len(starts) - 1]) * SECOND
    if kind == "date":
        return f"DATE '{dt.date(1970, 1, 1) + dt.timedelta(days=local // DAY)}'"
    return block.engine.constant(local, kind)

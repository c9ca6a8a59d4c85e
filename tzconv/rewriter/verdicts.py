"""Which strategies each engine gains by, in the order they are tried.

A strategy is listed only where it was measured to be faster than the engine's own function on the
queries it applies to. Figures are CPU time over that of the native query, on ten million rows of
the demonstration (`tzconv demo --events 10000000`, then `tzconv compare` of one query each).
"""

from __future__ import annotations

from tzconv.errors import RewriteError
from tzconv.rewriter.strategies import STRATEGIES, Strategy

_VERDICTS: dict[str, dict[str, str]] = {
    "duckdb": {
        "now": "0.01: the scan compares integers and skips what is too old",
        "range": "0.002 with a constant zone; 0.04 with the zone of a row, 0.006 with zone_side",
        "zone_side": "0.15: bounded window, zone of a row",
        "inline": "0.04 in a bounded window, 0.14 in an open one",
        "utc_day": "0.6 with TIMESTAMP, 0.8 with TIMESTAMPTZ: open window, outer joins",
    },
    "postgres": {
        "now": "0.33: the scan compares two timestamps; a cast without subquery stays at 0.8",
        "range": "the scan skips or rejects rows before a zone is looked up",
        "zone_side": "0.32: bounded window, zone of a row, kept apart by OFFSET 0",
        "inline": "0.51: what is left is adding an interval",
        "array": "0.5 to 0.8: zone of a row, any window, outer joins; round trips 0.7 to 1.0",
    },
}


def verdicts(dialect: str) -> dict[str, str]:
    """The strategies that are used unasked, in order, each with what was measured of it."""
    return dict(_VERDICTS[dialect])


def strategies(dialect: str, forced: str | None) -> dict[str, Strategy]:
    """The strategies to try, in order; only the one that was asked for, if any."""
    if forced is None:
        return {name: STRATEGIES[name] for name in _VERDICTS[dialect]}
    if forced not in STRATEGIES:
        raise RewriteError(
            f"There is no strategy {forced!r}: choose one of {', '.join(STRATEGIES)}."
        )
    return {forced: STRATEGIES[forced]}

"""Which strategies each engine gains by, in the order they are tried.

A strategy is listed only where it was measured to be faster than the engine's own function on the
queries it applies to. Figures are CPU time against the native query, one thread; measured in one
run on 5 to 10 million rows.
"""

from __future__ import annotations

from tzconv.errors import RewriteError
from tzconv.rewriter.strategies import STRATEGIES, Strategy

_VERDICTS: dict[str, dict[str, str]] = {
    "duckdb": {
        "now": "0.01 of native: the scan prunes",
        "range": "0.001 of native with a constant zone, 0.07 with the zone of a row",
        "zone_side": "0.16 of native: bounded window, zone of a row",
        "inline": "0.06 of native in a bounded window, 0.10 to 0.17 in an open one",
    },
}


def strategies(dialect: str, forced: str | None) -> list[Strategy]:
    """The strategies to try, in order; only the one that was asked for, if any."""
    if forced is None:
        return [STRATEGIES[name] for name in _VERDICTS[dialect]]
    if forced not in STRATEGIES:
        raise RewriteError(
            f"There is no strategy {forced!r}: choose one of {', '.join(STRATEGIES)}."
        )
    return [STRATEGIES[forced]]

"""Which strategies each engine gains by, in the order they are tried.

A strategy is listed only where it was measured to be faster than the engine's own function on the
queries it applies to. Figures are CPU time over that of the native query, in the runs of the
benchmark that are part of tzconv: `tzconv bench --verdicts` checks this table against them.
"""

from __future__ import annotations

from tzconv.errors import RewriteError
from tzconv.rewriter.strategies import STRATEGIES, Strategy

_VERDICTS: dict[str, dict[str, str]] = {
    "duckdb": {
        "now": "0.02: the scan compares integers and skips what is too old",
        "range": "0.002 with a constant zone; 0.04 with the zone of a row, 0.01 with columns",
        "columns": "0.09: zone of a row, a window of up to four months",
        "inline": "0.04 in a bounded window, 0.06 in an open one",
        "period": "0.12 to 0.22: zone of a row or one zone, any window, outer joins",
    },
    "postgres": {
        "now": "0.36, without parallel workers 0.25: the scan compares two timestamps",
        "range": "0.16 with a constant zone; 0.12 with the zone of a row, with array",
        "inline": "0.43: what is left is a search among constants and adding an interval",
        "array": "0.53 to 0.78: zone of a row, any window, outer joins; local times to UTC 0.9",
    },
    # Spark 4.3, twenty million rows: elapsed time over that of the native query, on two busy cores;
    # `columns` was measured with a text that put the offsets into the owner of the zone
    "spark": {
        "now": "only beside an expression: of a bare column Spark 4.3 casts the constant itself",
        "range": "the bounds go to the Parquet reader, and no row is converted",
        "columns": "0.08 to 0.12: zone of a row, a window of up to four months",
        "inline": "0.6 to 0.7 with TIMESTAMP",
        "offset": "0.12 to 0.19: zone of a row, any window; the table goes to all executors",
    },
    # Not measured: no server could be had. These are what its documents advise, joins on plain
    # columns and no function per row; Taboola measured 0.25 to 0.5 with such joins.
    "vertica": {
        "now": "the scan compares two timestamps; Adform measured what the cast of a column costs",
        "range": "bounds on the column prune storage, and no row is converted",
        "inline": "an interval is added where a call took a lock",
        "offset": "a join on zone and range of the span, which Vertica optimises",
    },
}


def verdicts(dialect: str) -> dict[str, str]:
    """The strategies that are used unasked, in order, each with what was measured of it."""
    return dict(_VERDICTS[dialect])


def strategies(dialect: str, forced: str | None) -> dict[str, Strategy]:
    """The strategies to try, in order; only the one that was asked for, if any."""
    if forced is None:
        return {name: STRATEGIES[name] for name in _VERDICTS[dialect]}
    choices = _VERDICTS[dialect] if dialect == "spark" else STRATEGIES
    if forced in choices:
        return {forced: STRATEGIES[forced]}
    problem = f"There is no strategy {forced!r}"
    if forced in STRATEGIES:
        problem = f"The strategy {forced!r} has no form for {dialect}"
    raise RewriteError(f"{problem}: choose one of {', '.join(choices)}.")

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
        "now": "0.04: the scan compares integers and skips what is too old",
        "range": "0.002 with a constant zone; 0.04 with the zone of a row, 0.01 with columns",
        "columns": "0.14 in a bounded window, 0.16 in an open one: zone of a row",
        "zone_side": "0.16: bounded window of many years, zone of a row",
        "inline": "0.04 in a bounded window, 0.06 in an open one",
        "utc_day": "0.25 to 0.35: open window, outer joins, zone and time in one table",
    },
    "postgres": {
        "now": "0.3: the scan compares two timestamps; a cast without subquery stays at 0.8",
        "range": "0.12 with a constant zone; 0.29 with the zone of a row, 0.12 with columns",
        "columns": "0.23 to 0.52: zone of a row, bounded window of up to four years",
        "inline": "0.36: what is left is a search among constants and adding an interval",
        "array": "0.48 to 0.83: zone of a row, any window, outer joins; round trips 0.7 to 1.0",
    },
    # Spark 4.3, twenty million rows: elapsed time over that of the native query, on two busy cores
    "spark": {
        "now": "only beside an expression: of a bare column Spark 4.3 casts the constant itself",
        "range": "the bounds go to the Parquet reader, and no row is converted",
        "columns": "0.08 to 0.12: zone of a row, up to a year; its owner brings its offsets",
        "inline": "0.6 to 0.7 with TIMESTAMP",
        "offset": "0.12 to 0.19: zone of a row, any window; the table goes to all executors",
    },
    # Not measured: no server could be had. These are what its documents advise, joins on plain
    # columns and no function per row; Taboola measured 0.25 to 0.5 with such joins.
    "vertica": {
        "now": "the scan compares two timestamps; Adform measured what the cast of a column costs",
        "range": "bounds on the column prune storage, and no row is converted",
        "zone_side": "a join on the range of the span, which Vertica optimises",
        "inline": "an interval is added where a call took a lock",
        "utc_day": "an equality join on zone and day, as Taboola's on zone and hour",
    },
}


def verdicts(dialect: str) -> dict[str, str]:
    """The strategies that are used unasked, in order, each with what was measured of it."""
    return dict(_VERDICTS[dialect])


def strategies(dialect: str, forced: str | None) -> dict[str, Strategy]:
    """The strategies to try, in order; only the one that was asked for, if any."""
    if dialect == "spark" and forced in STRATEGIES and forced not in _VERDICTS[dialect]:
        raise RewriteError(
            f"The strategy {forced!r} has no form for {dialect}: choose one of "
            f"{', '.join(_VERDICTS[dialect])}."
        )
    if forced is None:
        return {name: STRATEGIES[name] for name in _VERDICTS[dialect]}
    if forced not in STRATEGIES:
        raise RewriteError(
            f"There is no strategy {forced!r}: choose one of {', '.join(STRATEGIES)}."
        )
    return {forced: STRATEGIES[forced]}

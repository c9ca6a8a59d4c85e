"""DuckDB: its names, and which strategies were measured to be faster."""

from __future__ import annotations

from tzconv.engines.facts import Facts

FACTS = Facts(
    title="DuckDB",
    scheme="duckdb",
    driver="duckdb",
    distribution="duckdb",
    extra="",
    # CET and PST have summer time, CEST and PDT are refused
    fixed_abbreviations=frozenset({"EST", "MST"}),
    verdicts={
        "now": "0.02: the scan compares integers and skips what is too old",
        "range": "0.002 with a constant zone; 0.04 with the zone of a row, 0.01 with columns",
        "columns": "0.09: zone of a row, a window of up to four months",
        "inline": "0.04 in a bounded window, 0.06 in an open one",
        "period": "0.12 to 0.22: zone of a row or one zone, any window, outer joins",
    },
)

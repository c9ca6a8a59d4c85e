"""Redshift: its names, and which strategies fit it."""

from __future__ import annotations

from tzconv.engines.facts import Facts

FACTS = Facts(
    title="Redshift",
    scheme="redshift",
    has_alchemy=False,
    has_full_bench=False,
    zone_functions=frozenset({"convert_timezone", "timezone"}),
    # not measured, because no server was available
    verdicts={
        "now": "the scan compares two timestamps",
        "range": "bounds on the column skip blocks of the sort key, and no row is converted",
        "inline": "adding seconds instead of a look-up in the rules for each row",
        "offset": "a join on the name of the zone, with few spans in a window",
        "period": "a constant zone without a window: one row of the table for each time",
    },
)

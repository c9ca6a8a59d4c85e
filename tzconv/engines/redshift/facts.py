"""Redshift: its names, its functions, and which strategies fit it."""

from __future__ import annotations

from tzconv.engines.facts import Facts, names

FACTS = Facts(
    title="Redshift",
    scheme="redshift",
    has_alchemy=False,
    has_full_bench=False,
    zone_functions=frozenset({"convert_timezone", "timezone"}),
    numbering_functions=frozenset({"nextval"}),
    fixed_functions=names(
        """
        add_months btrim concat json_extract_path_text left ltrim replace right rtrim split_part
        substr substring to_date to_timestamp trim
        """
    ),
    unordered_aggregates=names("approx_count_distinct avg count max min stddev sum"),
    ordered_aggregates=names("any_value listagg"),
    # not measured, because no server was available
    verdicts={
        "now": "the scan compares two timestamps",
        "range": "bounds on the column skip blocks of the sort key, and no row is converted",
        "inline": "adding seconds instead of a look-up in the rules for each row",
        "offset": "a join on the name of the zone, with few spans in a window",
        "period": "a constant zone without a window: one row of the table for each time",
    },
)

"""PostgreSQL: its names, its functions, and which strategies were measured to be faster."""

from __future__ import annotations

from tzconv.engines.facts import Facts, names

FACTS = Facts(
    title="PostgreSQL",
    scheme="postgresql",
    driver="psycopg",
    aliases=("postgresql", "postgres"),
    numbering_functions=frozenset({"nextval"}),
    hidden_columns=names("ctid xmin xmax cmin cmax tableoid"),
    fixed_functions=names(
        """
        btrim current_setting json_extract_path_text jsonb_extract_path_text ltrim make_date
        make_timestamptz rtrim time_bucket to_timestamp
        """
    ),
    unordered_aggregates=names(
        "bit_and bit_or bit_xor every range_agg range_intersect_agg var_pop var_samp"
    ),
    ordered_aggregates=names(
        """
        any_value json_agg json_agg_strict json_array_agg json_arrayagg json_object_agg
        json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_objectagg
        jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict
        jsonb_object_agg_unique jsonb_object_agg_unique_strict mode string_agg xmlagg
        """
    ),
    measured=("18",),
    verdicts={
        "now": "0.36, without parallel workers 0.25: the scan compares two timestamps",
        "range": "0.16 with a constant zone; 0.12 with the zone of a row, with array",
        "inline": "0.43: what is left is a search among constants and adding an interval",
        "array": "0.53 to 0.78: zone of a row, any window, outer joins; local times to UTC 0.9",
    },
)

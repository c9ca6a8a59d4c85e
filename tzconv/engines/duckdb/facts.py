"""DuckDB: its names, its functions, and which strategies were measured to be faster."""

from __future__ import annotations

from tzconv.engines.facts import Facts, names

FACTS = Facts(
    title="DuckDB",
    scheme="duckdb",
    driver="duckdb",
    # CET and PST have summer time, CEST and PDT are refused
    fixed_abbreviations=frozenset({"EST", "MST"}),
    numbering_functions=frozenset({"nextval"}),
    hidden_columns=names("rowid"),
    fixed_functions=names(
        """
        date_add date_sub epoch_ms epoch_us getvariable json_extract_string make_timestamp
        make_timestamptz time_bucket to_hours to_microseconds to_milliseconds to_minutes to_months
        to_seconds to_weeks to_years
        """
    ),
    unordered_aggregates=names(
        """
        bitstring_agg bool_and bool_or bool_xor count_if count_star decimal_average entropy favg
        fsum geomean geometric_mean histogram histogram_exact kahan_sum kurtosis kurtosis_pop mad
        mean product quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept
        regr_r2 regr_slope regr_sxx regr_sxy regr_syy sem skewness sum_no_overflow sumkahan wavg
        weighted_avg
        """
    ),
    ordered_aggregates=names(
        """
        any_value approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min
        arg_min_null arg_min_nulls_last array_agg combine_aggr first group_concat json_group_array
        json_group_object json_group_structure last list listagg lttb max_by min_by mode
        reservoir_quantile string_agg variant_group_object
        """
    ),
    measured=("1.4", "1.5", "2.0"),
    verdicts={
        "now": "0.02: the scan compares integers and skips what is too old",
        "range": "0.002 with a constant zone; 0.04 with the zone of a row, 0.01 with columns",
        "columns": "0.09: zone of a row, a window of up to four months",
        "inline": "0.04 in a bounded window, 0.06 in an open one",
        "period": "0.11 to 0.18: zone of a row or one zone, any window, outer joins",
    },
)

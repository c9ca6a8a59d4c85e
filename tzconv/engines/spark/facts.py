"""Spark: its names, and which strategies were measured to be faster."""

from __future__ import annotations

from tzconv.engines.facts import ConversionSpelling, Facts

FACTS = Facts(
    title="Spark",
    scheme="spark",
    driver="pyspark",
    distribution="pyspark",
    extra="spark",
    zone_functions=frozenset({"convert_timezone", "from_utc_timestamp", "to_utc_timestamp"}),
    has_all_strategies=False,
    has_ddl=False,
    has_alchemy=False,
    has_full_bench=False,
    spelling=ConversionSpelling(
        "convert_timezone('UTC', {zone}, {value})",
        "convert_timezone({zone}, 'UTC', {value})",
        "from_utc_timestamp({value}, {zone})",
        "TIMESTAMP_NTZ",  # TIMESTAMP has a time zone there
    ),
    # Spark 4.3, twenty million rows: elapsed time over that of the native query, on two busy cores;
    # `columns` was measured with a text that put the offsets into the owner of the zone
    verdicts={
        "now": "only for an expression: for a bare column, Spark 4.3 casts the constant itself",
        "range": "the bounds go to the Parquet reader, and no row is converted",
        "columns": "0.08 to 0.12: zone of a row, a window of up to four months",
        "inline": "0.6 to 0.7 with TIMESTAMP",
        "offset": "0.12 to 0.19: zone of a row, any window; the table goes to all executors",
    },
)

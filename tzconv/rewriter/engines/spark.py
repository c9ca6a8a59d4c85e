"""Spark: numbers of seconds are added; a conversion gives the kind of timestamp that it takes."""

from __future__ import annotations

from tzconv.rewriter.constants import SECOND, to_text
from tzconv.rewriter.engines.base import Lists
from tzconv.rewriter.engines.spark_names import output_name
from tzconv.rewriter.schema import Kind
from tzconv.zones import Rules

REFUSED = ("America/Coyhaique", "EST", "Factory", "GMT+0", "GMT-0", "HST", "MST", "ROC")
"""IANA names that Java refuses (JDK 17; Coyhaique is newer), or reads as fixed offsets."""


class Spark:
    """``timestamptz`` is Spark's TIMESTAMP, ``timestamp`` its TIMESTAMP_NTZ."""

    name = "spark"
    quote = "`"
    widest_offset = 18 * 3_600 * SECOND  # of a ZoneOffset of Java
    asks_for_unknown_zones = False
    fixed_names: tuple[str, ...] = REFUSED
    fence = ""
    has_array_lookup = False
    lists: Lists | None = Lists(
        # one partition, because Spark would move the rows of several between executors
        source="(SELECT /*+ COALESCE(1) */ * FROM {table})",
        made="array_sort(collect_list(struct({by} AS place, {value} AS item))).item",
        taken="try_element_at({list}, {number})",
        but="EXCEPT",
        most=4,
        first="min_by({value}, {by})",
        last="max_by({value}, {by})",
    )
    rules_hold: tuple[int | None, int | None] = (None, None)
    zone_must_be_text = False
    fold_is_earlier = True  # ZonedDateTime keeps the offset before the transition
    knows_loaded_zones = True
    casts_constants = True  # the filter that reaches Parquet shows it (4.3)
    case_beats_coalesce = False  # not measured
    # without it a table of 30,000 spans might be shuffled together with the facts
    small_table = "/*+ BROADCAST({table}) */ "

    def constant(self, value: int, kind: Kind) -> str:
        if kind == "timestamptz":
            return f"TIMESTAMP_LTZ '{to_text(value)}Z'"
        return f"TIMESTAMP_NTZ '{to_text(value)}'"

    def column_as(self, column: str, kind: Kind) -> str:
        # a plain cast would take the zone of the session
        return f"CAST(CONCAT({column}, 'Z') AS TIMESTAMP_LTZ)" if kind == "timestamptz" else column

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        return f"convert_timezone('UTC', {value})" if kind == "timestamptz" else value

    def infinity(self, kind: Kind, sign: int) -> str:
        text = "0001-01-01 00:00:00" if sign < 0 else "9999-12-31 00:00:00"
        return f"TIMESTAMP_LTZ '{text}Z'" if kind == "timestamptz" else f"TIMESTAMP_NTZ '{text}'"

    def offset(self, microseconds: int) -> str:
        return str(microseconds // SECOND)

    def offset_of_seconds(self, seconds: str) -> str:
        return seconds

    def shifted(self, value: str, kind: Kind, offset: str) -> str:
        return self.shifted_as(value, kind, offset, kind)

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        return self.shifted(value, kind, f"-({offset})")

    def alone(self, shifted: str) -> str:
        return shifted

    def shifted_as(self, value: str, kind: Kind, offset: str, gives: Kind) -> str:
        is_zoned = kind == "timestamptz"
        instant = value if is_zoned else f"CAST({value} AS TIMESTAMP_LTZ)"
        moved = f"timestamp_micros(unix_micros({instant}) + 1000000L * {offset})"
        if gives == "timestamp":
            moved = f"CAST({moved} AS TIMESTAMP_NTZ)"
        if is_zoned:
            return moved
        # timestampadd() takes three times as long (measured); the casts are right in UTC alone, and
        # Spark knows the zone of the session when it plans
        added = f"timestampadd(SECOND, {offset}, {value})"
        return f"CASE WHEN current_timezone() = 'UTC' THEN {moved} ELSE {added} END"

    def as_timestamp(self, value: str) -> str:
        return f"CAST({value} AS TIMESTAMP_NTZ)"

    def now_as(self, value: str, kind: Kind) -> str:
        return f"({value})" if kind == "timestamptz" else f"convert_timezone('UTC', {value})"

    def output_name(self, expression: str) -> str:
        return output_name(expression)

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        # Java tells upper from lower case
        known = constant in rules.names and constant not in REFUSED
        return constant if known else None

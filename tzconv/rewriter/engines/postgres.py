"""PostgreSQL: intervals are added, and a TIMESTAMPTZ is shown at an interval (measured)."""

from __future__ import annotations

import datetime as dt
import re

from tzconv.rewriter.constants import DAY, to_text
from tzconv.rewriter.engines.base import Lists, iana_name
from tzconv.rewriter.engines.postgres_names import output_name
from tzconv.rewriter.schema import Kind
from tzconv.zones import Rules

_COLUMN = re.compile(r'(?:[\w$]+|"[^"]+")(?:\.(?:[\w$]+|"[^"]+"))*')


class Postgres:
    """An offset is an interval without months and days, so that adding it is plain arithmetic."""

    name: str = "postgres"
    # POSIX names reach to 167:59:59, and their summer time to one hour more
    widest_offset = 8 * DAY
    asks_for_unknown_zones = True
    # the server looks among its abbreviations before it looks among its zones, whatever the case
    fixed_names: tuple[str, ...] = ("CET", "EET", "EST", "HST", "MET", "MST", "WET")
    fence: str = "OFFSET 0"
    has_array_lookup: bool = True
    # with more columns `array` is as fast: what a row of the hash table holds has to be read
    lists: Lists | None = Lists(
        "{table}", "array_agg({value} ORDER BY {by})", "{list}[{number}]", "", 10
    )
    rules_hold: tuple[int | None, int | None] = (None, None)
    zone_must_be_text = True
    quote = '"'
    fold_is_earlier = False
    knows_loaded_zones = False
    casts_constants = False
    case_beats_coalesce = False
    small_table = ""

    def constant(self, value: int, kind: Kind) -> str:
        if kind == "timestamptz":
            return f"TIMESTAMPTZ '{to_text(value)}+00'"
        return f"TIMESTAMP '{to_text(value)}'"

    def column_as(self, column: str, kind: Kind) -> str:
        return f"{column} AT TIME ZONE 'UTC'" if kind == "timestamptz" else column

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        return f"({_operand(value)} AT TIME ZONE 'UTC')" if kind == "timestamptz" else value

    def infinity(self, kind: Kind, sign: int) -> str:
        return f"{kind.upper()} '{'-' if sign < 0 else ''}infinity'"

    def offset(self, microseconds: int) -> str:
        amount = dt.timedelta(microseconds=abs(microseconds))
        text = str(amount).removesuffix(":00").zfill(5)
        return f"INTERVAL '{'-' if microseconds < 0 else ''}{text}'"

    def offset_of_seconds(self, seconds: str) -> str:
        return f"{seconds} * INTERVAL '1 second'"

    def shifted(self, value: str, kind: Kind, offset: str) -> str:
        value = _operand(value)
        if kind == "timestamptz":
            return f"{value} AT TIME ZONE {offset}"
        return f"{value} + {offset}"

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        if kind == "timestamp":
            return f"{_operand(value)} - {offset}"
        return f"{_operand(value)} AT TIME ZONE {offset}"

    def alone(self, shifted: str) -> str:
        return f"({shifted})"

    def shifted_as(self, value: str, kind: Kind, offset: str, gives: Kind) -> str:
        return f"CAST({self.shifted(value, kind, offset)} AS {gives.upper()})"

    def as_timestamp(self, value: str) -> str:
        # in a subquery of its own it is computed once; the cast alone is computed for every row
        return f"(SELECT CAST({value} AS TIMESTAMP))"

    def now_as(self, value: str, kind: Kind) -> str:
        at = "" if kind == "timestamptz" else " AT TIME ZONE 'UTC'"
        return f"(SELECT ({value}){at})"

    def output_name(self, expression: str) -> str:
        return output_name(expression)

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        name = iana_name(constant, rules)
        return None if name in self.fixed_names else name


def _operand(value: str) -> str:
    return value if _COLUMN.fullmatch(value) else f"({value})"

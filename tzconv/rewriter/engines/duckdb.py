"""DuckDB: integers are added, because intervals cost three times as much (measured)."""

from __future__ import annotations

from tzconv.rewriter.constants import DAY, to_text
from tzconv.rewriter.engines.base import Lists, iana_name
from tzconv.rewriter.schema import Kind
from tzconv.zones import Rules


class DuckDB:
    """An offset is a number of microseconds."""

    name = "duckdb"
    widest_offset = DAY  # GMT+23:59 is the widest zone that DuckDB reads
    asks_for_unknown_zones = False
    fixed_names: tuple[str, ...] = ()
    fence = ""
    has_array_lookup = False
    lists: Lists | None = Lists(
        "{table}", "list({value} ORDER BY {by})", "{list}[{number}]", "EXCLUDE", 18
    )
    rules_hold: tuple[int | None, int | None] = (None, None)
    zone_must_be_text = False
    quote = '"'
    fold_is_earlier = False
    knows_loaded_zones = False
    casts_constants = False
    case_beats_coalesce = True
    small_table = ""

    def constant(self, value: int, kind: Kind) -> str:
        if kind == "timestamptz":
            return f"TIMESTAMPTZ '{to_text(value)}+00'"
        return f"TIMESTAMP '{to_text(value)}'"

    def column_as(self, column: str, kind: Kind) -> str:
        return f"{column} AT TIME ZONE 'UTC'" if kind == "timestamptz" else column

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        # twenty times as fast as AT TIME ZONE 'UTC' (measured)
        return f"make_timestamp(epoch_us({value}))" if kind == "timestamptz" else value

    def infinity(self, kind: Kind, sign: int) -> str:
        return f"{kind.upper()} '{'-' if sign < 0 else ''}infinity'"

    def offset(self, microseconds: int) -> str:
        return str(microseconds)

    def offset_of_seconds(self, seconds: str) -> str:
        return f"CAST({seconds} AS BIGINT) * 1000000"

    def shifted(self, value: str, kind: Kind, offset: str) -> str:
        sign = "-" if offset.startswith("-") else "+"
        return f"make_timestamp(epoch_us({value}) {sign} {offset.removeprefix('-')})"

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        sign = "+" if offset.startswith("-") else "-"
        return f"make_{kind}(epoch_us({value}) {sign} {offset.removeprefix('-')})"

    def alone(self, shifted: str) -> str:
        return shifted

    def shifted_as(self, value: str, kind: Kind, offset: str, gives: Kind) -> str:
        return f"CAST({self.shifted(value, kind, offset)} AS {gives.upper()})"

    def as_timestamp(self, value: str) -> str:
        return f"CAST({value} AS TIMESTAMP)"

    def now_as(self, value: str, kind: Kind) -> str:
        return f"({value})" if kind == "timestamptz" else f"(({value}) AT TIME ZONE 'UTC')"

    def output_name(self, expression: str) -> str:
        import duckdb  # the engine alone knows how it prints an expression; this only parses

        try:
            return str(duckdb.SQLExpression(expression).get_name())
        except duckdb.Error as error:
            raise ValueError(str(error).splitlines()[0]) from error

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        return iana_name(constant, rules)

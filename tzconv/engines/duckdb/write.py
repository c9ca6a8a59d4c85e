"""How the rewriter writes DuckDB's SQL.

It adds integers, because intervals cost three times as much (measured).
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from tzconv.engines.write import Ends, Engine, Periods
from tzconv.sql.binder import Bind
from tzconv.sql.constants import DAY
from tzconv.sql.schema import Kind, Tables

_CHECKED = """\
(SELECT IF(count(*) FILTER (WHERE zone_period = -1) = 1,
        sum(zone_period * zone_period), error('{missing}'))
      FROM {period})
      = (SELECT arg_max_null(period_keys, finished_at) FROM {release})"""


class DuckDBWriter(Engine):
    """An offset is a number of microseconds."""

    name = "duckdb"
    widest_offset = DAY  # GMT+23:59 is the widest zone that DuckDB reads
    periods = Periods(
        "(epoch_us({value}) >> 42)",
        "{key} // 512",
        "IF({}, {}, {})",
        checked=_CHECKED,
        inner_from=300_000,  # 200,000 rows: 1.1 of the outer join; 400,000: 0.95; 2 million: 0.8
    )
    fewest_rows = 25_000  # 25,000 rows: 0.6 of the function; 12,000: 1.0; 3,000: 1.5
    open_times = 4  # 50,000 rows over all years: 1.1 of the function
    bucket = (
        "system.main.time_bucket(INTERVAL '{seconds} seconds', {value}, TIMESTAMP '1970-01-01')"
    )
    joins_laterals = True
    looks_at_zones_last = True  # a LEFT JOIN that finds 1 %: 0.46 of the function, not 1.22
    late_rows = 50  # its late_materialization_max_rows; the join took 3 to 18 times as long
    joins_outer_zones = not version("duckdb").startswith("1.")  # 2.0: 0.16 of the function
    ends = Ends("{table}", "arg_min({}, {})", "arg_max({}, {})")

    def bind_in_memory(self, types: Tables, table_schema: str | None, names: Iterable[str]) -> Bind:
        from tzconv.engines.duckdb import bind

        return bind.bind_in_memory(types, table_schema, names)

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        # twenty times as fast as AT TIME ZONE 'UTC' (measured)
        return f"make_timestamp(epoch_us({value}))" if kind == "timestamptz" else value

    def infinite_in_utc(self, value: str) -> str:
        return f"(({value}) AT TIME ZONE 'UTC')"  # to epoch_us() it is NULL

    def offset(self, microseconds: int) -> str:
        return str(microseconds)

    def offset_of_seconds(self, seconds: str) -> str:
        return f"{seconds} * 1000000::BIGINT"

    def shifted(self, value: str, kind: Kind, offset: str, gives: Kind | None = None) -> str:
        sign = "-" if offset.startswith("-") else "+"
        return f"make_timestamp(epoch_us({value}) {sign} {offset.removeprefix('-')})"

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        sign = "+" if offset.startswith("-") else "-"
        return f"make_{kind}(epoch_us({value}) {sign} {offset.removeprefix('-')})"

    def output_name(self, expression: str) -> str:
        import duckdb  # only the engine knows how it prints an expression; this parses it

        try:
            return str(duckdb.SQLExpression(expression).get_name())
        except duckdb.Error as error:
            raise ValueError(str(error).splitlines()[0]) from error


WRITER = DuckDBWriter()

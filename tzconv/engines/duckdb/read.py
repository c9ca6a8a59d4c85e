"""How DuckDB's SQL is read: by sqlglot's own dialect, and what may follow PIVOT."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.parsers.duckdb import DuckDBParser

from tzconv.sql.reading import Reading


class TzconvDuckDBParser(DuckDBParser):
    """Reads ORDER BY and LIMIT after PIVOT and UNPIVOT, too."""

    def _parse_simplified_pivot(self, is_unpivot: bool | None = None) -> exp.Pivot:
        pivot = super()._parse_simplified_pivot(is_unpivot)
        pivot.set("order", self._parse_order())
        pivot.set("limit", self._parse_limit())
        pivot.set("offset", self._parse_offset())
        return pivot


class TzconvDuckDB(DuckDB):
    """Known to sqlglot as ``tzconvduckdb``, so that its own dialect is unchanged."""

    Parser = TzconvDuckDBParser


READING = Reading(
    TzconvDuckDB,
    precision_is_a_type=True,
    windows_name_columns=True,
    casts_keep_names=False,
    indexes_order=False,
    shows_eras_alike=False,
    truncates_dates_as_dates=True,
    slow=frozenset({"json", "zoned"}),  # through ICU: half a microsecond
    may_show_columns=True,
    where_sees_aliases=True,
    sees_left=True,
    has_methods=True,
    default_schema="main",
    functions={
        "unix_to_time": "timestamptz",  # to_timestamp()
        "unix_to_time_3": "timestamp",  # epoch_ms() of a number, make_timestamp_ms()
        "unix_to_time_6": "timestamp",  # make_timestamp()
        "timestamp_from_parts": "timestamp",
        "str_to_time": "timestamp",  # strptime()
        "make_timestamptz": "timestamptz",
        "date_from_parts": "date",  # make_date()
        "age": "interval",
        **dict.fromkeys(("current_setting", "json_extract_string"), "text"),
        **dict.fromkeys(
            (
                f"to_{unit}"
                for unit in ("microseconds", "milliseconds", "seconds", "minutes", "hours")
            ),
            "interval",
        ),
        **dict.fromkeys((f"to_{unit}" for unit in ("weeks", "months", "years")), "interval"),
    },
    series_of_dates="timestamp",
)

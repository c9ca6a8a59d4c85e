"""How PostgreSQL's SQL is read: by sqlglot's own dialect."""

from __future__ import annotations

from sqlglot.dialects import Postgres

from tzconv.sql.reading import Reading

READING = Reading(
    Postgres,
    keeps_case=True,
    longest_name=63,
    groups_by_columns=True,
    shell_has_variables=True,
    has_one_database=True,
    default_schema="public",
    has_fields=False,
    functions={
        "unix_to_time": "timestamptz",  # to_timestamp(number)
        "str_to_time": "timestamptz",  # to_timestamp(text, format)
        "timestamp_from_parts": "timestamp",  # make_timestamp()
        "make_timestamptz": "timestamptz",
        "make_date": "date",
        "str_to_date": "date",
        "age": "interval",
        "time_bucket": 1,
        **dict.fromkeys(("json_extract_path_text", "jsonb_extract_path_text"), "text"),
        **dict.fromkeys(("btrim", "ltrim", "rtrim", "format"), "text"),
        "current_setting": "text",
    },
    series_of_dates="timestamptz",
    series_is_named_by_alias=True,
)

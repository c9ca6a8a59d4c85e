"""How DuckDB's SQL is read: by sqlglot's own dialect."""

from __future__ import annotations

from sqlglot.dialects import DuckDB

from tzconv.sql.reading import Reading

READING = Reading(
    DuckDB,
    precision_is_a_type=True,
    windows_name_columns=True,
    truncates_dates_as_dates=True,
    unnest_shows_columns=True,
    default_schema="main",
)

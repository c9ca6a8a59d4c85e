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
    default_schema="public",
    has_fields=False,
)

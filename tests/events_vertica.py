"""Vertica's queries on PostgreSQL: its functions made there, its other words put into SQL's.

Both servers' functions for time zones come from the same source. What a query returns there is what
Vertica's documents say; the rewrite never sees the words put in here.
"""

from __future__ import annotations

import re

from tests import events_postgres

FUNCTIONS = """
CREATE FUNCTION new_time(timestamp, text, text) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT $1 AT TIME ZONE $2 AT TIME ZONE $3 $$;
CREATE FUNCTION new_time(timestamptz, text, text) RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT $1::timestamp AT TIME ZONE $2 AT TIME ZONE $3 $$;
CREATE FUNCTION new_time(text, text, text) RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT $1::timestamp AT TIME ZONE $2 AT TIME ZONE $3 $$;
CREATE FUNCTION getdate() RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT statement_timestamp()::timestamp $$;
CREATE FUNCTION getutcdate() RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT statement_timestamp() AT TIME ZONE 'UTC' $$;
CREATE FUNCTION datediff(text, timestamp, timestamp) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE $1 WHEN 'day' THEN $3::date - $2::date
        WHEN 'microsecond' THEN (extract(epoch FROM $3 - $2) * 1000000)::bigint END $$;
CREATE FUNCTION time_slice(timestamp, integer, text, text) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT date_bin(($2 || $3)::interval, $1, '2000-01-01') WHERE $4 = 'START' $$;
CREATE FUNCTION nvl(anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE
    AS $$ SELECT coalesce($1, $2) $$;
CREATE FUNCTION isnull(anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE
    AS $$ SELECT coalesce($1, $2) $$;
CREATE FUNCTION minus_days(timestamp, integer) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT $1 - make_interval(days => $2) $$;
CREATE OPERATOR - (LEFTARG = timestamp, RIGHTARG = integer, FUNCTION = minus_days);
"""
_WORDS = [
    (r"\bAT\s+TIMEZONE\b", "AT TIME ZONE"),
    (r"\bWITH\s+TIMEZONE\b", "WITH TIME ZONE"),
    (r"\bsysdate\b(?:\s*\(\s*\))?", "getdate()"),
    (r"::!", "::"),
]


def functions(url: str) -> None:
    """Add Vertica's functions to a database with the events."""
    with events_postgres.connect(url) as connection:
        connection.execute(FUNCTIONS)


def transliterated(sql: str) -> str:
    """A query of Vertica's as PostgreSQL reads it."""
    for word, other in _WORDS:
        sql = re.sub(word, other, sql, flags=re.IGNORECASE)
    return sql.rstrip().removesuffix(";")

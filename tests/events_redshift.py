"""Redshift's queries on PostgreSQL: its functions made there, its other words put into SQL's.

The functions are what Redshift's documents describe. They do not say what it makes of local times
in a gap or fold: ``otherwise`` makes a server that reads them in the opposite way.
"""

from __future__ import annotations

import re

from tests import events_postgres

_UNITS = "year|quarter|month|week|day|hour|minute|second|microsecond|dow|epoch"
FUNCTIONS = """
CREATE FUNCTION zoned(text, timestamp) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    AS $$ SELECT $2 AT TIME ZONE $1 $$;
CREATE FUNCTION convert_timezone(text, text, timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT zoned($1, $3) AT TIME ZONE $2 $$;
CREATE FUNCTION convert_timezone(text, text, timestamptz) RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT convert_timezone($1, $2, $3::timestamp) $$;
CREATE FUNCTION convert_timezone(text, timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT convert_timezone('UTC', $1, $2) $$;
CREATE FUNCTION convert_timezone(text, timestamptz) RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT convert_timezone('UTC', $1, $2::timestamp) $$;
CREATE FUNCTION getdate() RETURNS timestamp LANGUAGE sql STABLE
    AS $$ SELECT statement_timestamp()::timestamp $$;
CREATE FUNCTION dateadd(text, integer, timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT $3 + $2 * CASE $1  -- of constants alone, so that it is inlined
        WHEN 'microsecond' THEN INTERVAL '1 microsecond' WHEN 'second' THEN INTERVAL '1 second'
        WHEN 'minute' THEN INTERVAL '1 minute' WHEN 'hour' THEN INTERVAL '1 hour'
        WHEN 'day' THEN INTERVAL '1 day' WHEN 'week' THEN INTERVAL '1 week'
        WHEN 'month' THEN INTERVAL '1 month' WHEN 'quarter' THEN INTERVAL '3 months'
        WHEN 'year' THEN INTERVAL '1 year'
    END $$;
CREATE FUNCTION datediff(text, timestamp, timestamp) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE $1
        WHEN 'year' THEN extract(year FROM $3) - extract(year FROM $2)
        WHEN 'month' THEN (extract(year FROM $3) - extract(year FROM $2)) * 12
            + extract(month FROM $3) - extract(month FROM $2)
        WHEN 'day' THEN $3::date - $2::date
        WHEN 'hour' THEN extract(epoch FROM date_trunc($1, $3) - date_trunc($1, $2)) / 3600
        WHEN 'minute' THEN extract(epoch FROM date_trunc($1, $3) - date_trunc($1, $2)) / 60
        WHEN 'second' THEN extract(epoch FROM date_trunc($1, $3) - date_trunc($1, $2))
        WHEN 'microsecond' THEN
            CASE WHEN isfinite($3) THEN 1000000 * extract(epoch FROM $3 - $2) END
    END::bigint $$;
CREATE FUNCTION trunc(timestamp) RETURNS date LANGUAGE sql IMMUTABLE AS $$ SELECT $1::date $$;
CREATE FUNCTION last_day(timestamp) RETURNS date LANGUAGE sql IMMUTABLE
    AS $$ SELECT (date_trunc('month', $1) + INTERVAL '1 month - 1 day')::date $$;
CREATE FUNCTION nvl(anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE
    AS $$ SELECT coalesce($1, $2) $$;
CREATE FUNCTION len(text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT length($1) $$;
CREATE FUNCTION minus_days(timestamp, integer) RETURNS timestamp LANGUAGE sql IMMUTABLE
    AS $$ SELECT $1 - make_interval(days => $2) $$;
CREATE OPERATOR - (LEFTARG = timestamp, RIGHTARG = integer, FUNCTION = minus_days);
"""
OTHERWISE = """
CREATE OR REPLACE FUNCTION zoned(text, timestamp) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN NOT isfinite($2) THEN taken
        WHEN shown <> $2 THEN taken - (shown - $2)
        WHEN earlier AT TIME ZONE $1 = $2 THEN least(earlier, taken)
        ELSE taken
    END
    FROM (
        SELECT taken, taken AT TIME ZONE $1 AS shown,
            ($2 - ((taken - INTERVAL '1 day') AT TIME ZONE $1
                - (taken - INTERVAL '1 day') AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC' AS earlier
        FROM (SELECT $2 AT TIME ZONE $1 AS taken) AS one
    ) AS both_
$$;
"""
"""In a gap the offset after it, in a fold the one before it: PostgreSQL takes the other ones."""
_WORDS = [
    (rf"\b(dateadd|datediff|date_part)\s*\(\s*({_UNITS})\s*,", r"\1('\2',"),
    (r"\bsysdate\b", "(now()::timestamp)"),
    (r"\bapproximate\s+count\b", "count"),
    (r"\bminus\b", "EXCEPT"),
    (r"\b(?:distkey|sortkey)\s*\(\w+\)", ""),
    (r"\bdiststyle\s+\w+", ""),
    (r"\bconvert\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)", r"\2::\1"),
]


def functions(url: str) -> None:
    """Add Redshift's functions to a database with the events."""
    with events_postgres.connect(url) as connection:
        connection.execute(FUNCTIONS)


def otherwise(url: str) -> None:
    """Change the reading of local times in gaps and folds."""
    with events_postgres.connect(url) as connection:
        connection.execute(OTHERWISE)


LOADS = (events_postgres.load, functions)
"""What makes a database with the events and with Redshift's functions."""


def transliterated(sql: str) -> str:
    """A query of Redshift's as PostgreSQL reads it."""
    for word, other in _WORDS:
        sql = re.sub(word, other, sql, flags=re.IGNORECASE)
    sql = re.sub(r'"[^"]*"', lambda name: name[0].lower(), sql)  # names in quotes are folded too
    return sql.rstrip().removesuffix(";")

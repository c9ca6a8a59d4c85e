"""The names of columns without an alias, beside those that PostgreSQL gives."""

from __future__ import annotations

import pytest

from tests import postgres
from tzconv.engines.postgres.write import WRITER

EXPRESSIONS = """
session_user
localtimestamp
current_date
now()
now()::date
current_date::text
now() AT TIME ZONE 'UTC'
CASE WHEN true THEN 1 ELSE 2 END
CASE WHEN true THEN 1 END
CASE WHEN true THEN 'x' ELSE session_user END
CASE WHEN true THEN 1 ELSE (SELECT 2 AS y) END
CAST(1 AS text)
CAST(CASE WHEN true THEN 1 END AS text)
1::numeric(3,1)
date '2026-01-01'
interval '1 day'
(SELECT 1)
(SELECT 1 AS x)
(((SELECT 1 AS x) LIMIT 1))
(((SELECT 1)))::text
(SELECT 1::int)::text
CASE WHEN true THEN 1 ELSE (SELECT 2) END
EXISTS (SELECT 1)
ARRAY[1]
(ARRAY[1, 2])[1]
ROW(1, 2)
COALESCE(session_user, 'x')
greatest(1, 2)
nullif(1, 2)
trim(' a ')
trim(leading from ' a')
trim(trailing 'x' from 'ax')
extract(hour from now())
pg_catalog.lower('A')
"upper"('a')
position('a' in 'ba')
substring('abc' from 2)
count(*) FILTER (WHERE true)
sum(1) OVER ()
percentile_cont(0.5) WITHIN GROUP (ORDER BY 1)
string_agg('a', ',' ORDER BY 1)
json_build_object('a', 1) -> 'a'
1 + 2
-1
NOT true
1 IN (1)
'a' || 'b'
'a' COLLATE "C"
1 IS NULL
""".strip().splitlines()


TYPES = """
"char"
bit
box
bytea
char(3)
citext
daterange
decimal(3, 1)
double precision
float
float(24)
float(25)
inet[]
interval hour to minute
"My"."odd ""T"" x"
money
my.Mood
name
oid
real
regclass
text[]
tstzrange
time(3) with time zone
timestamp(3) without time zone
varchar(3)[]
xml
""".strip().splitlines()


@pytest.mark.parametrize("kind", TYPES)
def test_output_name_of_a_cast(kind: str, server: postgres.Server) -> None:
    with server.connect() as connection, connection.transaction(force_rollback=True):
        connection.execute(
            'CREATE SCHEMA "My"; CREATE SCHEMA my; CREATE DOMAIN "My"."odd ""T"" x" AS text; '
            "CREATE DOMAIN my.mood AS text; CREATE DOMAIN citext AS text"
        )
        [column] = connection.execute(f"SELECT CAST(NULL AS {kind})".encode()).description or []
    assert WRITER.output_name(f"CAST(NULL AS {kind})") == column.name


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_output_name(expression: str, server: postgres.Server) -> None:
    with server.connect() as connection:
        [column] = connection.execute(f"SELECT {expression}".encode()).description or []
    assert (WRITER.output_name(expression) or "?column?") == column.name

"""Kinds of calls and operations, against the types that the engines give them."""

from __future__ import annotations

import itertools

import duckdb
import psycopg
import pytest
from sqlglot import exp

from tests import postgres
from tzconv.sql.names import names_of
from tzconv.sql.parse import parse
from tzconv.sql.schema import Kind, Schema
from tzconv.sql.selects import selects_of

COLUMNS = {
    "ts": "timestamp",
    "tz": "timestamptz",
    "d": "date",
    "t": "time",
    "i": "interval",
    "n": "integer",
    "x": "double precision",
    "c": "varchar",
    "j": "json",
}
OF_TYPES: dict[str, Kind] = {
    "timestamp without time zone": "timestamp",
    "timestamp": "timestamp",
    "timestamp with time zone": "timestamptz",
    "date": "date",
    "time without time zone": "time",
    "time": "time",
    "interval": "interval",
    **dict.fromkeys(("text", "character varying", "varchar"), "text"),
    **dict.fromkeys(("integer", "bigint", "double precision", "double", "numeric"), "number"),
    **dict.fromkeys(("hugeint", "decimal(12,1)"), "number"),
}
BOTH = [
    *(
        "d + i",
        "i + d",
        "d - i",
        "d + t",
        "t + d",
        "ts + i",
        "i + tz",
        "ts - tz",
        "ts - ts",
        "d - d",
    ),
    *("d + n", "d - 1", "t + i", "i + i", "-i", "n * i", "i * 2", "i / 2", "n + n", "n / 2", "-n"),
    *("n * 1.5", "d + 90 * i", "ts + (n || ' days')::interval", "c || n", "n || c", "c || 'x'"),
    *("date '2024-01-31'::timestamp", "timestamp '2024-01-31'::timestamptz AT TIME ZONE 'UTC'"),
    *("timestamptz '2024-01-31 00:00Z'::date", "time '12:00'::interval", "date '2024-01-31'::text"),
    *("CASE WHEN n > 1 THEN ts ELSE NULL END", "CASE WHEN n > 1 THEN ts ELSE tz END"),
    *("coalesce(tz, '2020-01-01')", "CASE WHEN n > 1 THEN '2020-01-01' ELSE d END"),
    *("greatest('2020-01-01', ts, NULL)", "coalesce('1', c)"),
    *("coalesce(ts, NULL)", "coalesce(d, ts)", "greatest(tz, ts + i)", "least(ts, ts - i)"),
    *("nullif(ts, ts)", "concat(c, n)", "replace(c, 'a', 'b')", "split_part(c, '/', 1)"),
    *(
        "lower(c)",
        "trim(c)",
        "substring(c, 1, 2)",
        "left(c, 3)",
        "j->>'a'",
        "extract(epoch FROM ts)",
    ),
    *("to_timestamp(n)", "to_timestamp(x / 1000)", "make_date(2020, 1, 2)", "concat_ws('/', c, c)"),
    *("make_timestamp(2020, 1, 2, 3, 4, 5)", "ts AT TIME ZONE c", "tz AT TIME ZONE c"),
    *("date_trunc('day', ts)", "date_trunc('hour', tz)", "lag(ts) OVER (ORDER BY n)"),
    *(
        "lead(tz, 1, tz) OVER (ORDER BY n)",
        "first_value(d) OVER (ORDER BY n)",
        "(SELECT max(tz) FROM e)",
    ),
    *("(SELECT o.ts FROM e o WHERE o.n = e.n LIMIT 1)", "max(tz) OVER ()", "now()", "now() - i"),
    *("current_date + i", "current_date - 1", "localtimestamp", "current_timestamp", "date(ts)"),
    *("CAST(c AS timestamp)", "n::text", "(ts)::date", "nth_value(ts, 2) OVER (ORDER BY n)"),
]
OWN = {
    "postgres": [
        *(
            "make_timestamptz(2020, 1, 2, 3, 4, 5)",
            "make_interval(hours => n)",
            "age(ts)",
            "age(tz, tz)",
        ),
        *(
            "date_bin('15 minutes', ts, ts)",
            "date_bin('15 minutes', tz, tz)",
            "to_timestamp(c, 'YYYY')",
        ),
        *(
            "generate_series(d, d, i)",
            "generate_series(ts, ts, i)",
            "generate_series(tz, tz, '1 day')",
        ),
        *(
            "lower(tstzrange(tz, tz))",
            "lower(c::tstzrange)",
            "upper(c::tsrange)",
            "upper(daterange(d, d))",
            "to_date(c, 'YYYY')",
            "j #>> '{a}'",
        ),
        *(
            "justify_hours(i)",
            "format('%s', c)",
            "btrim(c)",
            "initcap(c)",
            "j::jsonb || '{}'",
            "c || j",
        ),
        *("json_extract_path_text(j, 'a')", "generate_series(1, 2)", "d - d + d"),
        "time_bucket('1 day', ts)",
    ],
    "duckdb": [
        *("make_timestamp(n)", "epoch_ms(n)", "epoch_ms(ts)", "make_timestamptz(n)", "to_hours(n)"),
        *("time_bucket(INTERVAL 1 DAY, ts)", "time_bucket(INTERVAL 1 DAY, tz)", "to_days(n)"),
        *(
            "time_bucket(INTERVAL 1 DAY, d)",
            "if(n > 1, ts, NULL)",
            "ifnull(ts, ts)",
            "to_months(n)",
        ),
        *("arg_max(ts, n) OVER ()", "any_value(tz) OVER ()", "strptime(c, '%Y %z')", "j->>'$.a'"),
        *(
            "epoch(ts)",
            "epoch_ms(tz)",
            "to_seconds(x)",
            "json_extract_string(j, 'a')",
            "ts::timestamp_s",
        ),
        *("first(ts) OVER (ORDER BY n)", "date_trunc('day', d)", "make_timestamp_ms(n)"),
    ],
}
_OF_TIMESCALE = """
    CREATE FUNCTION time_bucket(interval, timestamp) RETURNS timestamp LANGUAGE sql AS 'SELECT $2'
    """
UNKNOWN = {
    "j::jsonb || '{}'",
    *("ts - tz", "CASE WHEN n > 1 THEN ts ELSE tz END", "coalesce(d, ts)", "epoch_ms(ts)", "d - d"),
    *("epoch_ms(tz)", "strptime(c, '%Y %z')", "date_trunc('day', d)", "lower(tstzrange(tz, tz))"),
    *(
        "upper(daterange(d, d))",
        "generate_series(1, 2)",
        "generate_series(tz, tz, '1 day')",
        "c || j",
    ),
    *(
        "greatest(tz, ts + i)",
        "make_timestamp_ms(n)",
        "d - d + d",
        "(SELECT o.ts FROM e o WHERE o.n = e.n LIMIT 1)",
    ),
}
"""What need not be known; a kind that is wrong is an error here too."""


def kind(expression: str, dialect: str) -> Kind | None:
    [tree] = parse(f"SELECT {expression} FROM e", dialect).statements
    scope = selects_of(tree)[-1]
    assert isinstance(scope.expression, exp.Select)
    return names_of(scope, Schema({"e": COLUMNS}, dialect)).kind(scope.expression.expressions[0])


def check(dialect: str, expression: str, type_: str) -> None:
    found = kind(expression, dialect)
    expected = OF_TYPES.get(type_.lower(), "other")
    if found is not None or expression not in UNKNOWN:
        assert found == expected, (expression, type_)


@pytest.mark.parametrize("expression", [*BOTH, *OWN["duckdb"]])
def test_on_duckdb(expression: str) -> None:
    with duckdb.connect() as connection:
        columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
        connection.execute(f"CREATE TABLE e ({columns})")
        [described] = connection.execute(f"DESCRIBE SELECT {expression} AS x FROM e").fetchall()
    check("duckdb", expression, str(described[1]))


def test_on_postgres(server: postgres.Server) -> None:
    server.fresh("kinds")
    with server.connect("kinds") as connection:
        columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
        connection.execute(f"CREATE TEMP TABLE e ({columns})")
        connection.execute(_OF_TIMESCALE)
        for expression in itertools.chain(BOTH, OWN["postgres"]):
            try:
                cursor = connection.execute(f"SELECT {expression} AS x FROM e")
            except psycopg.errors.UndefinedFunction:
                continue  # not on this engine
            assert cursor.description is not None
            [(name,)] = connection.execute(
                "SELECT format_type(%s, NULL)", [cursor.description[0].type_code]
            ).fetchall()
            check("postgres", expression, str(name))

"""The types that Spark gives to calls and operations, and those that a rewrite takes them for."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from tzconv.sql.names import names_of
from tzconv.sql.parse import parse
from tzconv.sql.schema import Kind, Schema
from tzconv.sql.selects import selects_of

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

COLUMNS = {
    "ts": "timestamp_ntz",
    "tz": "timestamp",
    "d": "date",
    "n": "bigint",
    "c": "string",
}
KINDS: dict[str, Kind] = {
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
    "date": "date",
    "string": "text",
    "bigint": "number",
}
EXPRESSIONS = [
    *("timestamp_micros(n)", "timestamp_millis(n)", "timestamp_seconds(n)"),
    *("make_timestamp(2020, 1, 2, 3, 4, 5)", "make_timestamp_ltz(2020, 1, 2, 3, 4, 5)"),
    *("make_timestamp_ntz(2020, 1, 2, 3, 4, 5)", "make_date(2020, 1, 2)", "now()"),
    *("to_timestamp(c)", "to_timestamp_ltz(c)", "try_to_timestamp(c)", "to_timestamp_ntz(c)"),
    *("get_json_object(c, '$.a')", "current_timestamp()", "CAST(c AS timestamp_ntz)"),
    *("CAST(c AS timestamp)", "coalesce(ts, ts)", "greatest(tz, tz)", "max(tz) OVER ()"),
    *(
        "ts + INTERVAL 1 HOUR",
        "tz - INTERVAL 1 DAY",
        "INTERVAL 1 DAY + ts",
        "n + n",
        "lower(c)",
        "concat(c, 'x')",
        "CAST(d AS string)",
    ),
    *("date_trunc('HOUR', tz)", "to_date(c)", "CAST(ts AS date)", "current_date()"),
]
UNKNOWN = {"concat(c, 'x')"}
"""What need not be known; a kind that is wrong is an error here too."""


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_on_spark(spark: Any, expression: str) -> None:
    columns = ", ".join(f"CAST(NULL AS {type_}) AS {name}" for name, type_ in COLUMNS.items())
    made = spark.sql(f"SELECT {expression} AS x FROM (SELECT {columns}) e")
    [tree] = parse(f"SELECT {expression} FROM e", "spark").statements
    [scope] = selects_of(tree)
    assert isinstance(scope.expression, exp.Select)
    names = names_of(scope, Schema({"e": COLUMNS}, "spark"))
    found = names.kind(scope.expression.expressions[0])
    if found is not None or expression not in UNKNOWN:
        assert found == KINDS.get(made.schema["x"].dataType.simpleString(), "other")

"""Fields of structs and values of lists as times and zones, and what PIVOT and UNPIVOT read."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from tests import events
from tzconv.rewriter import from_ddl, rewrite

OF = "a.action_event_time"
LOCAL = "e.seen AT TIME ZONE 'UTC' AT TIME ZONE e.zone"
"""A conversion in the struct ``e`` of ``held``, or in one of the list ``l`` that has its name."""
SPARK = (
    "CREATE TABLE held (n INT, e STRUCT<m: STRUCT<t: TIMESTAMP, z: STRING>>, "
    "l ARRAY<STRUCT<t: TIMESTAMP, z: STRING>>)"
)
DAYS = f"SELECT n, dayname({LOCAL}) AS day FROM held"

FIELDS: dict[str, tuple[str, str | None]] = {
    "struct.field": (f"SELECT n, {LOCAL} AS t FROM held", None),
    "relation.struct.field": (f"SELECT {LOCAL.replace('e.', 'h.e.')} AS t FROM held h", None),
    "a field in brackets": (
        "SELECT e['zone'] AS z, max(e['seen'] AT TIME ZONE 'UTC' AT TIME ZONE e['zone']) AS t "
        "FROM held GROUP BY e['zone']",
        None,
    ),
    "brackets of two spellings": (
        f"SELECT e.zone, count(*) FROM held h GROUP BY h.e.zone, ({LOCAL})::date",
        None,
    ),
    "a filter": (
        "SELECT count(*) AS n FROM held "
        "WHERE (e.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin')::date > '2017-03-26'",
        None,
    ),
    "names in another case": (f"SELECT {LOCAL.replace('e.', 'E.').upper()} AS t FROM held", None),
    "a CTE of structs": (f"WITH w AS (SELECT e FROM held) SELECT {LOCAL} AS t FROM w", None),
    "zones of a list in FROM": (
        f"SELECT {LOCAL.replace('e.', 'p.')} AS t FROM held AS h, unnest(h.l) AS u(p)",
        "no-gain",
    ),
    "times of a list in FROM": (
        f"SELECT {LOCAL.replace('e.seen', 'p.seen')} AS t FROM held AS h, unnest(h.l) AS u(p)",
        None,
    ),
    "times of a list in FROM in one zone": (
        "SELECT p.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS t "
        "FROM held AS h, unnest(h.l) AS u(p)",
        "no-gain",
    ),
    "a list in SELECT": (
        f"SELECT {LOCAL} AS t FROM (SELECT unnest(l) AS e FROM held) AS h",
        None,
    ),
    "a relation with the name of the struct": (
        f"SELECT {LOCAL} AS t FROM (SELECT 'UTC' AS zone, seen FROM actions) AS e, "
        "(SELECT e FROM held LIMIT 1) AS h",
        None,
    ),
    "only a struct has the field": (f"SELECT {LOCAL} AS t FROM held AS e", "unknown-type"),
    "a column of the same name beside the field": (
        f"SELECT hour({LOCAL}) AS h FROM (SELECT TIMESTAMPTZ '2024-01-01' AS seen, e FROM held) h",
        None,
    ),
    "the output column of the name": (
        f"SELECT {{'zone': 'Asia/Tokyo', 'seen': TIMESTAMPTZ '2024-01-01'}} AS e, {LOCAL} AS t "
        "FROM held",
        None,
    ),
    "REPLACE changes the type": (
        "SELECT h.e.seen AT TIME ZONE 'Asia/Tokyo' AS t FROM "
        "(SELECT * REPLACE ({'seen': TIMESTAMPTZ '2024-01-01'} AS e) FROM held) AS h",
        "unknown-type",
    ),
    "structs of a union": (
        "SELECT h.e.seen AT TIME ZONE 'Asia/Tokyo' AS t FROM (SELECT e FROM held UNION ALL "
        "SELECT {'zone': 'x', 'seen': TIMESTAMP '2024-01-01'} FROM held) AS h",
        "unknown-type",
    ),
    "a lambda of a variable alone": (
        "SELECT list_transform([e.seen], x -> x AT TIME ZONE 'Asia/Tokyo') AS t FROM held",
        "unsupported",
    ),
    "a constant in a lambda": (
        "SELECT list_transform([n], x -> x + hour(now() AT TIME ZONE 'Asia/Tokyo')) AS t FROM held",
        "constant",
    ),
    "the variable of a lambda": (
        f"SELECT list_transform(l, lambda e: {LOCAL}) AS t FROM held",
        "unsupported",
    ),
    "the variable of a comprehension": (
        f"SELECT [{LOCAL} FOR e IN l] AS t FROM held",
        "unknown-type",
    ),
    "a struct unnested": (
        "SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS t FROM (SELECT unnest(e) FROM held)",
        "unknown-type",
    ),
}
PIVOTS: dict[str, tuple[str, str | None]] = {
    "columns of the data": (f"PIVOT ({DAYS}) ON day USING sum(n)", None),
    "ORDER BY after it": (f"PIVOT ({DAYS}) ON day USING count(*) GROUP BY n ORDER BY n", None),
    "and LIMIT": (f"PIVOT ({DAYS}) ON day GROUP BY n ORDER BY n DESC LIMIT 3", None),
    "LIMIT alone": (f"PIVOT ({DAYS}) ON day GROUP BY n LIMIT 3", "row-order"),
    "an ordered aggregate": (f"PIVOT ({DAYS}) ON day USING first(n)", "row-order"),
    "a CTE": (f"WITH d AS ({DAYS}) PIVOT d ON day USING count(*) GROUP BY n", None),
    "a conversion outside": (
        "PIVOT actions ON hour(seen AT TIME ZONE 'Asia/Tokyo') USING count(*) GROUP BY n",
        "statement",
    ),
    "rows of columns": (
        f"UNPIVOT (SELECT n, {LOCAL} AS x, e.seen AS y FROM held) ON x, y ORDER BY ALL",
        None,
    ),
    "the first rows of columns": (
        f"UNPIVOT (SELECT n, {LOCAL} AS x FROM held) ON x INTO NAME a VALUE b LIMIT 3",
        "row-order",
    ),
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with events.connect() as made:
        made.execute(
            f"""
            CREATE TABLE held AS SELECT n, {{'zone': time_zone_name, 'seen': {OF}}} AS e,
                [{{'zone': p.time_zone_name, 'seen': {OF}}}] AS l
            FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
            WHERE a.action_publisher_id % 7 = 0
            """
        )
        yield made


@pytest.mark.parametrize("name", FIELDS | PIVOTS)
def test_same_rows(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    sql, code = (FIELDS | PIVOTS)[name]
    result = rewrite(sql, schema=events.column_types(connection))
    assert [one.code for one in result.left] == ([code] if code else [])
    if code is None:
        assert len(result.changes) > 1
        assert rows(connection, sql) == rows(connection, result.sql)


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[object, list[str]]:
    """Columns and rows, sorted: as text, because Python has no infinite timestamps."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE result AS {sql}")
    columns, found = events.rows_of(connection, "FROM result")
    assert found
    return columns, sorted(found.elements())


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT from_utc_timestamp(e.m.t, e.m.z) AS x FROM held", None),
        ("SELECT from_utc_timestamp(e.e.m.t, e.e.m.z) AS x FROM held e", None),
        ("SELECT from_utc_timestamp(e['m'].t, e['m']['z']) AS x FROM held", None),
        ("SELECT from_utc_timestamp(p.t, p.z) AS x FROM held, LATERAL explode(l) AS u(p)", None),
        (
            "WITH w AS (SELECT explode(l) AS p FROM held) "
            "SELECT from_utc_timestamp(p.t, p.z) AS x FROM w",
            None,
        ),
        (
            "SELECT from_utc_timestamp(p.t, p.z) AS x FROM held LATERAL VIEW explode(l) u AS p",
            "no-join",
        ),
        (
            "SELECT p.t, from_utc_timestamp(e.m.t, e.m.z) AS x FROM held "
            "LATERAL VIEW OUTER explode(l) u AS p",
            None,
        ),
        (
            "SELECT *, from_utc_timestamp(e.m.t, e.m.z) AS x FROM held LATERAL VIEW explode(l) u",
            "row-order",
        ),
        ("SELECT transform(l, p -> from_utc_timestamp(p.t, p.z)) AS x FROM held", "unsupported"),
    ],
)
def test_spark(sql: str, code: str | None) -> None:
    result = rewrite(sql, dialect="spark", schema=from_ddl(SPARK, "spark"))
    assert [one.code for one in result.left] == ([code] if code else [])

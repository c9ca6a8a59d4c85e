"""Bounds of a column that only the query itself can compute: text, and whether they hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import duckdb
import psycopg
import pytest
from sqlglot import exp

from tests import events_postgres, postgres
from tzconv import tables
from tzconv.engines import engine_of
from tzconv.rewriter.block import Job, QueryBlock
from tzconv.rewriter.sites import find
from tzconv.rewriter.windows import now_bounds
from tzconv.sql.names import names_of
from tzconv.sql.parse import parse
from tzconv.sql.schema import Schema
from tzconv.sql.selects import selects_of
from tzconv.tz import zones

Connection: TypeAlias = duckdb.DuckDBPyConnection | psycopg.Connection[Any]
TYPES = {"e": {"ts": "timestamp", "tz": "timestamptz"}}
AT = "(TIMESTAMPTZ '2026-11-01 06:30:00+00' - INTERVAL '{}')"
"""Clocks of New York show 1:30 for the second time then."""


def bounds(
    where: str, column: str, dialect: str = "duckdb", session: str = "UTC"
) -> tuple[str | None, str | None]:
    source = parse(f"SELECT {column} FROM e WHERE {where}", dialect)
    (scope,) = selects_of(source.statements[0])
    schema = Schema(TYPES, dialect, session_is_utc=session == "UTC")
    known = frozenset(tables.CONVERSIONS)
    job = Job(engine_of(dialect), schema, zones.installed(), {}, session, None, known)
    names = names_of(scope, schema)
    sites = find(names, source.range, job.engine.zone_must_be_text)
    block = QueryBlock(source, names, sites, job)
    (projection,) = block.select.selects
    assert isinstance(projection, exp.Column)
    return now_bounds(block, projection)


@pytest.mark.parametrize(
    ("where", "column", "expected"),
    [
        ("tz >= now() - INTERVAL '30 days'", "tz", ("now() - INTERVAL '30 days'", None)),
        (
            "ts BETWEEN  now()-interval 7 day AND now()",
            "ts",
            ("CAST(now()-interval 7 day AS TIMESTAMP)", "CAST(now() AS TIMESTAMP)"),
        ),
        (
            "ts > LOCALTIMESTAMP - INTERVAL '1 day' AND CURRENT_DATE - 30 <= ts AND 3 > ts",
            "ts",
            ("CAST(LOCALTIMESTAMP - INTERVAL '1 day' AS TIMESTAMP)", None),
        ),
        ("ts >= CURRENT_DATE - 30", "tz", (None, None)),
        (
            "date_trunc('month', ts) = CURRENT_DATE",
            "ts",
            (
                "CAST(CURRENT_DATE AS TIMESTAMP)",
                "CAST(CURRENT_DATE AS TIMESTAMP) + INTERVAL '744 hours'",
            ),
        ),
        (
            "tz AT TIME ZONE 'Asia/Tokyo' >= date_trunc('month', now() AT TIME ZONE 'Asia/Tokyo')",
            "tz",
            (
                "CAST(date_trunc('month', now() AT TIME ZONE 'Asia/Tokyo') AS TIMESTAMP) "
                "AT TIME ZONE 'UTC' - INTERVAL '24 hours'",
                None,
            ),
        ),
        ("ts >= TIMESTAMP '2026-01-01'", "ts", (None, None)),
        ("ts >= now() OR ts IS NULL", "ts", (None, None)),
        ("NOT ts >= now()", "ts", (None, None)),
        ("ts >= now() - to_days((random() * 9)::integer)", "ts", (None, None)),
        ("ts >= now() - INTERVAL '1 day' * ?", "ts", (None, None)),
        ("ts + INTERVAL '1 day' >= now()", "ts", (None, None)),
    ],
)
def test_text(where: str, column: str, expected: tuple[str | None, str | None]) -> None:
    assert bounds(where, column) == expected


CONDITIONS = [
    f"ts >= {AT}",
    f"tz >= {AT}",
    f"tz > {AT}::timestamp",
    f"ts < {AT}::date + 1",
    f"tz <= {AT}::date + 1",
    f"ts BETWEEN {AT} AND {AT} + INTERVAL '4 hours'",
    f"tz BETWEEN {AT}::date - 1 AND {AT}::timestamp",
    f"ts::date = {AT}::date",
    f"tz::date = {AT}::date",
    f"tz::date < {AT}",
    f"date_trunc('day', tz) >= date_trunc('day', {AT})",
    f"date_trunc('week', tz) = date_trunc('week', {AT}::date)",
    f"date_trunc('month', ts) <= date_trunc('month', {AT})",
    f"tz AT TIME ZONE 'America/New_York' >= ({AT} AT TIME ZONE 'America/New_York')",
]


@pytest.fixture(scope="module")
def connections(
    server: postgres.Server,
) -> Iterator[dict[str, Connection]]:
    made: dict[str, Connection] = {
        "duckdb": duckdb.connect(),
        "postgres": events_postgres.connect(server.fresh("now_bounds")),
    }
    for connection in made.values():
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            "CREATE TABLE e AS SELECT t AS ts, t AT TIME ZONE 'UTC' AS tz FROM (SELECT "
            "TIMESTAMP '2026-11-01 06:30:00' + i * INTERVAL '15 minutes' "
            "FROM generate_series(-6000, 6000) g (i) UNION ALL SELECT TIMESTAMP 'infinity' "
            "UNION ALL SELECT TIMESTAMP '-infinity' UNION ALL SELECT NULL) x (t)"
        )
    yield made
    for connection in made.values():
        connection.close()


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("session", ["UTC", "America/New_York", "Pacific/Apia", "Asia/Kolkata"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_no_row_of_the_result_is_outside(
    dialect: str,
    session: str,
    condition: str,
    connections: dict[str, Connection],
) -> None:
    connection = connections[dialect]
    connection.execute(f"SET TimeZone = '{session}'")
    for moved in ("0 seconds", "45 minutes", "1 hour", "90 minutes", "-2 hours", "5 days"):
        where = condition.format(*[moved] * condition.count("{}"))
        column = (
            "tz"
            if condition.startswith(("tz", "date_trunc('day', tz", "date_trunc('week'"))
            else "ts"
        )
        found = zip((">=", "<="), bounds(where, column, dialect, session), strict=True)
        kept = " AND ".join(f"{column} {sign} ({text})" for sign, text in found if text)
        assert kept
        counts = f"SELECT count(*), count(*) FILTER (WHERE {kept}) FROM e WHERE {where}"
        rows, inside = connection.execute(counts).fetchall()[0]
        assert rows == inside > 0, (where, kept)
        (outside,) = connection.execute(f"SELECT count(*) FROM e WHERE NOT ({kept})").fetchall()
        assert outside[0] > 1_000, "they leave out most of what is far away"

"""TIMESTAMPTZ that a query computes: in the zone of the session, and not twice if that is slow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.rewriter.zone_edges import AWKWARD, EVERY, TYPES, embedded, opened
from tzconv.rewriter import rewrite

SESSIONS: list[str | None] = ["UTC", "America/New_York", None]
CASTS = [
    "SELECT zone, local, local::timestamptz AT TIME ZONE zone FROM edges",
    "SELECT zone, timezone(zone, CAST(local AS timestamptz)) FROM edges",
    "SELECT (date_trunc('hour', local)::timestamptz AT TIME ZONE 'Europe/Dublin')::date FROM edges",
    "SELECT zone, count(*) FROM edges WHERE local >= '2024-01-01' "
    "AND (local::timestamptz AT TIME ZONE zone)::date BETWEEN '2024-03-10' AND '2024-11-03' "
    "GROUP BY zone",
]


def check(connection: Any, dialect: str, sessions: list[str | None]) -> None:
    """The same rows in each session; the cast is read as UTC only where the session is said to be.

    DuckDB's cast is slower than what a rewrite saves.
    """
    for session in sessions:
        for zone in ["UTC", "Asia/Tokyo"] if session is None else [session]:
            connection.execute(f"SET TimeZone = '{zone}'")
            for sql in CASTS:
                result = rewrite(sql, dialect=dialect, schema=TYPES, session_time_zone=session)
                for one, other in ((sql, result.sql), (result.sql, sql)):
                    found = connection.execute(f"({one}) EXCEPT ALL ({other}) LIMIT 1")
                    assert found.fetchone() is None, result.sql
                again = rewrite(
                    result.sql, dialect=dialect, schema=TYPES, session_time_zone=session
                )
                assert again.sql == result.sql
                if dialect == "duckdb" and session != "UTC":
                    assert [left.code for left in result.left] == ["session-time-zone"]
                else:
                    assert result.changes


@pytest.mark.not_core
@pytest.mark.parametrize("names", [AWKWARD, EVERY], ids=["awkward", "every"])
def test_the_zone_of_the_session_in_postgres(names: list[str], server: postgres.Server) -> None:
    with opened(server, names) as connection:
        check(connection, "postgres", SESSIONS if names is AWKWARD else ["UTC"])


@pytest.mark.not_core
@pytest.mark.parametrize("names", [AWKWARD, EVERY], ids=["awkward", "every"])
def test_the_zone_of_the_session_in_duckdb(names: list[str], tmp_path: Path) -> None:
    with embedded(tmp_path / "a.duckdb", names) as connection:
        check(connection, "duckdb", SESSIONS if names is AWKWARD else ["UTC"])


OF = {
    "t": {
        "ts": "timestamp",
        "tz": "timestamptz",
        "s": "text",
        "j": "json",
        "n": "integer",
        "own": "moment",
    }
}
DIALECTS = ("duckdb", "postgres")
FAST = ["tz - INTERVAL '1 hour'", "tz + n * INTERVAL '5 minutes'", "coalesce(tz, now())"]
OF_DUCKDB = [
    *("tz + INTERVAL '1 day'", "INTERVAL '1 month' + tz", "tz - n * INTERVAL '7 days'"),
    *("date_trunc('hour', tz)", "(s || 'Z')::timestamptz", "coalesce(ts::timestamptz, tz)"),
    "to_timestamp((j->>'at')::bigint)",
]
OF_POSTGRES = [
    *("s::timestamptz", "s::timestamp AT TIME ZONE 'UTC'", "to_timestamp(s, 'YYYYMMDD')"),
    *("(j->>'at')::timestamptz", "to_timestamp((j->>'at')::bigint)"),
]


@pytest.mark.parametrize("dialect", ["redshift", "vertica"])
def test_a_second_pass_leaves_the_bounds_of_a_join(dialect: str) -> None:
    """They cast the column, too, and comparisons of the user's lose such a cast."""
    sql = "SELECT ts::timestamptz AT TIME ZONE 'Asia/Tokyo' FROM t"
    once = rewrite(sql, dialect=dialect, schema=OF)
    assert once.changes
    assert rewrite(once.sql, dialect=dialect, schema=OF).sql == once.sql


@pytest.mark.parametrize(
    ("dialect", "value", "is_slow"),
    [
        *(("duckdb", value, value in OF_DUCKDB) for value in (*OF_DUCKDB, *FAST)),
        *(("postgres", value, value in OF_POSTGRES) for value in (*OF_POSTGRES, *FAST)),
        *(("duckdb", value, False) for value in (OF_POSTGRES[1], "to_timestamp(n)")),
        *(("postgres", value, False) for value in (OF_DUCKDB[0], OF_DUCKDB[3])),
        # a constant is computed once, and a cast may say what a type of the users is
        *((one, "coalesce(tz, current_date::timestamptz)", False) for one in DIALECTS),
        ("postgres", "own::timestamptz", False),
    ],
)  # fmt: skip
def test_what_would_be_computed_twice(dialect: str, value: str, is_slow: bool) -> None:
    """Measured: 0.9 to 2.2 of the CPU time on DuckDB, 0.95 to 1.44 on PostgreSQL."""
    sql = f"SELECT (({value}) AT TIME ZONE 'Asia/Tokyo')::date FROM t"
    result = rewrite(sql, dialect=dialect, schema=OF, session_time_zone="UTC")
    assert [left.code for left in result.left] == (["no-gain"] if is_slow else [])
    strategy = {"duckdb": "period", "postgres": "array"}[dialect]
    assert rewrite(sql, dialect=dialect, schema=OF, strategy=strategy).changes

"""The current time as a literal, and "today in the zone of the row"."""

from __future__ import annotations

import datetime as dt

import duckdb
import pytest

from tzconv.errors import RewriteError
from tzconv.rewriter import rewrite

TYPES = {
    "logs": {"log_time": "timestamp", "seen": "timestamptz", "shop": "integer"},
    "shops": {"id": "integer", "zone": "varchar"},
}
NOW = "2026-01-01T03:00:00Z"


@pytest.mark.parametrize("now", [NOW, "2025-12-31 22:00-05:00", dt.datetime.fromisoformat(NOW)])
def test_literals_in_the_place_of_the_current_time(now: str | dt.datetime) -> None:
    sql = "SELECT now(), CURRENT_DATE AS d, LOCALTIMESTAMP AS l FROM logs WHERE seen < now()"
    result = rewrite(sql, schema=TYPES, dialect="postgres", now=now)
    assert result.sql == (
        "SELECT TIMESTAMPTZ '2026-01-01 03:00:00+00' AS \"now\", DATE '2026-01-01' AS d, "
        "TIMESTAMP '2026-01-01 03:00:00' AS l FROM logs "
        "WHERE seen < TIMESTAMPTZ '2026-01-01 03:00:00+00'"
    )
    assert {change.strategy for change in result.changes} == {"now"}


def test_the_date_is_that_of_the_session() -> None:
    sql = "SELECT CURRENT_DATE AS d, LOCALTIMESTAMP AS l"
    result = rewrite(sql, dialect="postgres", now=NOW, session_time_zone="America/New_York")
    assert result.sql == "SELECT DATE '2025-12-31' AS d, TIMESTAMP '2025-12-31 22:00:00' AS l"
    with pytest.raises(RewriteError, match="session time zone 'LMT' is not an IANA zone"):
        rewrite(sql, dialect="postgres", now=NOW, session_time_zone="LMT")


def test_a_comparison_with_a_literal_time() -> None:
    sql = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'"
    result = rewrite(sql, schema=TYPES, now=NOW)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            "CREATE TABLE logs AS SELECT TIMESTAMP '2025-12-31 02:59:59' AS log_time UNION ALL "
            "SELECT TIMESTAMP '2025-12-31 03:00:00' UNION ALL "
            "SELECT TIMESTAMP '2026-01-01 03:00:00'"
        )
        assert connection.execute(result.sql).fetchone() == (2,)
    assert rewrite(result.sql, schema=TYPES, now=NOW).sql == result.sql


def test_what_no_literal_can_replace_is_left() -> None:
    sql = "SELECT CURRENT_TIMESTAMP(0) AS a, COALESCE(seen, now()) AT TIME ZONE 'Asia/Tokyo' AS b "
    result = rewrite(sql + "FROM logs", schema=TYPES, dialect="postgres", now=NOW)
    assert len(result.changes) == 1
    reasons = [left.reason for left in result.left]
    assert "cannot pin this current-time" in reasons[0]
    assert "depends on the current time" in reasons[1]


@pytest.mark.parametrize("now", ["2026-01-01", "2026-01-01T00:00:00", "yesterday"])
def test_a_time_without_zone_is_refused(now: str) -> None:
    with pytest.raises(RewriteError, match="write"):
        rewrite("SELECT 1", now=now)

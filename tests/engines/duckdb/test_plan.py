"""What a plan of DuckDB loses, told from the plans of two statements."""

from __future__ import annotations

import duckdb
import pytest

from tzconv.engines.duckdb.expected import explain
from tzconv.engines.duckdb.plan import loss

SINCE = "ts >= '2026-02-01'"
IN_TOKYO = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' >= '2026-02-01'"


@pytest.mark.not_core
@pytest.mark.parametrize(
    ("before", "after", "is_lost"),
    [
        (SINCE, SINCE, False),
        (SINCE, f"{SINCE} AND n > 3", False),
        (SINCE, "n > 3", True),
        (SINCE, "CASE WHEN n > 3 THEN ts END >= '2026-02-01'", True),
        (f"{SINCE} AND n > 3", SINCE, True),
        (IN_TOKYO, "true", False),
        ("true", SINCE, False),
    ],
)
def test_conditions_that_skip_blocks(before: str, after: str, is_lost: bool) -> None:
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE events AS SELECT n, TIMESTAMP '2026-01-01' + INTERVAL (n) HOUR AS ts "
            "FROM range(10000) AS r (n)"
        )
        old, new = (
            explain(database, f"SELECT n FROM events WHERE {condition}")
            for condition in (before, after)
        )
        assert old is not None
        assert new is not None
        found = loss(old, new, {})
    assert (found is not None and "would no longer skip blocks of events" in found.text) == is_lost


@pytest.mark.not_core
@pytest.mark.parametrize(("order", "code"), [("ts", None), ("ts + INTERVAL 1 HOUR", "loses-order")])
def test_an_order_that_skips_blocks(order: str, code: str | None) -> None:
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE events AS SELECT n, TIMESTAMP '2026-01-01' + INTERVAL (n) HOUR AS ts "
            "FROM range(10000) AS r (n)"
        )
        old, new = (
            explain(database, f"SELECT ts FROM events ORDER BY {one} LIMIT 5")
            for one in ("ts", order)
        )
        assert old is not None
        assert new is not None
        found = loss(old, new, {})
    assert (found and found.code) == code

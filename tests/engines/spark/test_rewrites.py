"""Rewriting Spark's SQL, as text; test_corpus.py shows with Java what the rows are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.corpora import check_bytes, corpus
from tzconv.rewriter import Rewrite, rewrite

QUERIES = corpus("spark", "spark")
TYPES = {
    "actions": {
        "action_event_time": "timestamp_ntz",
        "action_publisher_id": "int",
        "action_name": "string",
        "seen": "timestamp",
        "loaded": "timestamp_ntz",
        "n": "int",
    },
    "publishers": {
        "id": "int",
        "time_zone_name": "string",
        "name": "string",
        "billing.zone": "string",
    },
    "sites": {"n": "int", "time_zone_name": "string", "opened": "timestamp_ntz"},
    "logs": {"log_time": "timestamp_ntz", "level": "int"},
}
JOINED = (
    "FROM actions a JOIN publishers p ON a.action_publisher_id = p.id "
    "WHERE a.action_event_time >= TIMESTAMP_NTZ '{}' AND a.action_event_time < TIMESTAMP_NTZ '{}'"
)
YEAR = JOINED.format("2026-01-01", "2027-01-01")
LOCAL = "convert_timezone('UTC', p.time_zone_name, a.action_event_time)"


def spark(sql: str, **options: Any) -> Rewrite:
    return rewrite(sql, dialect="spark", schema=TYPES, **options)


def used(result: Rewrite) -> set[str]:
    return {change.strategy for change in result.changes}


@pytest.mark.parametrize("strategy", [None, "columns", "offset"])
@pytest.mark.parametrize("name", QUERIES)
def test_a_second_pass_changes_nothing(name: str, strategy: str | None) -> None:
    sql, must_change = QUERIES[name]
    result = spark(sql, strategy=strategy)
    assert bool(result.changes) == must_change or strategy is not None
    assert spark(result.sql, strategy=strategy).sql == result.sql
    check_bytes(sql, result)


@pytest.mark.parametrize("more", ["", ", p._metadata.file_name", ", _metadata.file_name"])
def test_what_a_file_says_of_its_rows_stays(more: str) -> None:
    weeks = JOINED.format("2026-03-01", "2026-05-01")
    result = spark(f"SELECT {LOCAL} AS local{more} {weeks}")
    assert used(result) == {"columns"}
    assert f"{more}\nFROM" in result.sql or f"{more} FROM" in result.sql


def test_windows_of_more_than_a_season_are_joined() -> None:
    sql = f"SELECT {LOCAL} AS local " + JOINED.format("2026-01-01", "2026-06-01")
    assert used(spark(sql)) == {"offset"}
    assert "many changes of offset" in spark(sql, strategy="columns").left[0].reason


def test_local_times_of_rows_that_become_utc_are_joined_a_day_after_a_change() -> None:
    sql = f"SELECT convert_timezone(p.time_zone_name, 'UTC', a.action_event_time) AS utc {YEAR}"
    result = spark(sql)
    assert used(result) == {"offset"}
    assert "starts_at_time_zone + INTERVAL '1 day' AS starts_at_time_zone_later" in result.sql
    assert "the engine takes the first" in spark(sql, strategy="columns").left[0].reason


def test_a_conversion_may_begin_in_the_zone_of_the_session() -> None:
    sql = f"SELECT convert_timezone(p.time_zone_name, a.action_event_time) AS l {YEAR}"
    assert spark(sql).changes
    (left,) = spark(sql, session_time_zone="CET").left
    assert left.code == "session-time-zone"


@pytest.mark.parametrize(
    ("sql", "options", "is_cast_back"),
    [
        (f"SELECT date_trunc('hour', {LOCAL}) AS h {YEAR}", {}, False),
        (f"SELECT date_trunc('hour', ({LOCAL})) AS h, count(*) {YEAR} GROUP BY 1", {}, False),
        # the groups are of TIMESTAMP_NTZ, and what is truncated must be what is grouped
        (f"SELECT date_trunc('hour', {LOCAL}) AS h {YEAR} GROUP BY {LOCAL}", {}, True),
        (f"SELECT {LOCAL} AS t, date_trunc('hour', {LOCAL}) AS h {YEAR} GROUP BY 1", {}, True),
        # there a TIMESTAMP is not on the clock that a TIMESTAMP_NTZ shows
        (f"SELECT date_trunc('hour', {LOCAL}) AS h {YEAR}", {"session_time_zone": "CET"}, True),
        (f"SELECT hour({LOCAL}) AS h {YEAR}", {}, True),
    ],
)
def test_a_time_to_be_truncated_is_not_cast_twice(
    sql: str, options: dict[str, Any], *, is_cast_back: bool
) -> None:
    result = spark(sql, **options)
    assert result.changes
    assert ("THEN CAST(timestamp_micros(" in result.sql) == is_cast_back

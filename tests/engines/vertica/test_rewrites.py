"""Rewrites for Vertica: what they may be made of, and random queries run on PostgreSQL.

That they return the same rows is tested with the other corpora, in tests/rewriter/test_corpus.py.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import psycopg
import pytest
import sqlfluff.core
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sqlglot import exp

from tests import events_postgres, events_vertica, postgres, reference
from tests.corpora import CORPORA, Database, in_turn
from tests.rewriter.random_queries import POSTGRES_FROMS, POSTGRES_ZONES, WRAPPERS, queries_of
from tzconv.errors import ParseError
from tzconv.rewriter import Rewrite, rewrite
from tzconv.rewriter.comparisons import conjuncts
from tzconv.rewriter.strategies import STRATEGIES
from tzconv.sql.parse import parse

EXAMPLES = int(os.environ.get("TZCONV_RANDOM_VERTICA_QUERIES", "40"))
"""More than in a usual run for a search by hand; then every run is another one."""

TYPES = {
    "actions": {
        "action_event_time": "timestamp",
        "action_publisher_id": "integer",
        "seen": "timestamptz",
        "loaded": "timestamp",
        "n": "integer",
    },
    "publishers": {
        "id": "integer",
        "time_zone_name": "varchar(400)",
        "name": "varchar",
        "billing.zone": "varchar",
    },
    "logs": {"log_time": "datetime", "level": "int"},
}
REFUSED_BY_THE_SERVER = re.compile(
    r"NULLS (?:FIRST|LAST)|\bTIMEZONE\s*\(|make_timestamp|width_bucket|\bLATERAL\b|\bOFFSET 0|"
    r"\bARRAY\b|\bFILTER\s*\(|\bVALUES\s*\(|INTERVAL \d|\bepoch_us\b|infinity|\bUSING\b",
    re.IGNORECASE,
)
_LINTER = sqlfluff.core.Linter(dialect="vertica")


def rewrites(strategies: list[str | None]) -> Iterator[tuple[str, str, Rewrite]]:
    for name, (sql, _) in CORPORA["vertica"].items():
        for strategy in strategies:
            yield name, sql, rewritten(sql, strategy)


@functools.cache
def rewritten(sql: str, strategy: str | None = None) -> Rewrite:
    return rewrite(sql, dialect="vertica", schema=TYPES, strategy=strategy)


def test_nothing_is_written_that_the_server_would_refuse() -> None:
    for name, _, result in rewrites([None, *STRATEGIES]):
        for change in result.changes:
            added = change.after.replace(change.before, "") if change.before else change.after
            assert not REFUSED_BY_THE_SERVER.search(added), name


def test_spans_are_matched_by_plain_comparisons_that_must_all_hold() -> None:
    joined = of_columns = 0
    for name, _, result in rewrites([None, "offset", "hourly", "daily"]):
        for statement in parse(result.sql, "vertica").statements:
            for select in statement.find_all(exp.Select):
                places = [select.args.get("where"), *select.args.get("joins", [])]
                plain = [
                    node
                    for place in places
                    if place is not None
                    for node in conjuncts(place if isinstance(place, exp.Where) else _on(place))
                ]
                for edge in select.find_all(exp.GTE, exp.LT):
                    if getattr(edge.expression, "table", "")[:7] != "tzconv_":
                        continue
                    if edge.expression.name.startswith("changes_at"):  # in the CASE of a period
                        continue
                    joined += 1
                    assert edge.find_ancestor(exp.Select) is not select or edge in plain, name
                    of_columns += isinstance(edge.this, exp.Column)
                    assert isinstance(edge.expression, exp.Column), name
    assert joined > 20
    assert of_columns > joined * 0.7  # the others convert an expression


def _on(join: exp.Expr) -> exp.Where | None:
    on = join.args.get("on")
    return None if on is None else exp.Where(this=on.copy())


@pytest.mark.parametrize("name", CORPORA["vertica"])
def test_another_reader_of_the_dialect_reads_the_output(name: str) -> None:
    sql = CORPORA["vertica"][name][0]
    result = rewritten(sql).sql
    if _is_read(sql):  # it does not know AT TIMEZONE
        assert _is_read(result), result


def test_the_other_reader_reads_most_of_the_corpus() -> None:
    unread = [name for name, (sql, _) in CORPORA["vertica"].items() if not _is_read(sql)]
    assert len(unread) <= 4, unread


@functools.cache
def _is_read(sql: str) -> bool:
    return not _LINTER.parse_string(sql).violations


def test_the_session_counts_for_now_only_where_the_column_has_no_zone() -> None:
    sql = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'"
    result = rewrite(sql, dialect="vertica", schema=TYPES)
    assert result.sql == (
        "SELECT count(*) FROM logs WHERE log_time >= CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)"
    )
    moving = rewrite(sql, dialect="vertica", schema=TYPES, session_time_zone="America/New_York")
    assert moving.sql == sql
    assert "changes its offset" in moving.left[0].reason


def test_current_times_as_literals() -> None:
    sql = "SELECT GETDATE() AS a, sysdate AS b, GETUTCDATE() AS c FROM logs WHERE log_time < NOW()"
    result = rewrite(
        sql,
        dialect="vertica",
        schema=TYPES,
        now="2026-01-01T03:00:00Z",
        session_time_zone="Etc/GMT+5",
    )
    local, utc = "TIMESTAMP '2025-12-31 22:00:00'", "TIMESTAMP '2026-01-01 03:00:00'"
    assert result.sql == (
        f"SELECT {local} AS a, {local} AS b, {utc} AS c FROM logs "
        "WHERE log_time < CAST(TIMESTAMPTZ '2026-01-01 03:00:00+00' AS TIMESTAMP)"
    )


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (
            "AT EPOCH LATEST SELECT new_time(a.action_event_time, 'UTC', p.time_zone_name) FROM "
            "actions a JOIN publishers p ON a.action_publisher_id = p.id",
            "AT EPOCH",
        ),
        (
            "SELECT new_time(a.action_event_time, 'UTC', p.time_zone_name) FROM actions a "
            "LEFT JOIN publishers p ON a.action_event_time INTERPOLATE PREVIOUS VALUE p.id",
            "event series join",
        ),
        ("SELECT new_time(x, 'UTC', 'Asia/Tokyo') FROM unknown", "the type of x is not known"),
        ("SELECT new_time(seen, 'UTC', 'Asia/Tokyo') FROM actions", "depends on the session"),
        ("SELECT new_time(loaded, 'UTC', 'Asia/Tokio') FROM actions", "is no time zone"),
        ("SELECT new_time(loaded, 'Asia/Tokyo', 'EST') FROM actions", "a fixed offset"),
        (
            "SELECT new_time(loaded, 'UTC', 'Asia/Tokyo') FROM actions "
            "WHERE loaded BETWEEN '2040-01-01' AND '2040-02-01'",
            "no summer time in those years",
        ),
        ("SELECT new_time(loaded, 'UTC', ?) FROM actions", "parameter"),
    ],
)
def test_left_with_a_reason(sql: str, reason: str) -> None:
    result = rewrite(sql, dialect="vertica", schema=TYPES)
    assert result.sql == sql
    assert reason in result.left[0].reason


def test_the_queries_of_postgresql_that_vertica_reads_too(databases: dict[str, Database]) -> None:
    read = 0
    for name, (sql, _) in in_turn(CORPORA["postgres"].items(), 0):
        if name == "value_of_an_epoch":
            continue  # to_timestamp() returns a TIMESTAMP there
        try:
            result = rewrite(sql, dialect="vertica", schema=databases["postgres"].types)
        except ParseError:
            continue
        read += 1
        if result.changes:
            before, after = databases["postgres"].rows_of_each(sql, result.sql)
            assert after == before, name
    assert read > 30


SITES = [
    "new_time(a.action_event_time, 'UTC', {zone})",
    "NEW_TIME(a.action_event_time, 'gmt', {zone})",
    "new_time(a.loaded, {zone}, 'UTC')",
    "new_time(a.loaded, {zone}, 'Australia/Lord_Howe')",
    "new_time(a.loaded, 'America/St_Johns', {zone})",
    "new_time(new_time(a.loaded, 'Pacific/Apia', 'UTC'), 'UTC', {zone})",
    "new_time(a.action_event_time + interval '90 minutes', 'UTC', {zone})",
    "a.action_event_time AT TIMEZONE 'UTC' AT TIME ZONE {zone}",
    "a.seen AT TIME ZONE {zone}",
    "a.loaded AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
]


@st.composite
def queries(draw: st.DrawFn) -> str:
    sql = draw(queries_of(POSTGRES_FROMS, POSTGRES_ZONES, SITES, WRAPPERS, between="({})"))
    bound = r"TIMESTAMP '([^']*)' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'"
    return re.sub(bound, r"new_time('\1', p.time_zone_name, 'UTC')", sql)


@pytest.fixture(scope="module")
def databases(server: postgres.Server) -> Iterator[dict[str, Database]]:
    made = {
        "vertica": Database("vertica", server),
        "postgres": Database("postgres", server, events_postgres.load, events_vertica.functions),
    }
    yield made
    for database in made.values():
        database.close()


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="TZCONV_RANDOM_VERTICA_QUERIES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    sql=queries(),
    strategy=st.sampled_from([None, None, None, *STRATEGIES]),
)
def test_random_queries(sql: str, strategy: str | None, databases: dict[str, Database]) -> None:
    database = databases["vertica"]
    result = rewrite(sql, dialect="vertica", schema=database.types, strategy=strategy).sql
    again = rewrite(result, dialect="vertica", schema=database.types, strategy=strategy).sql
    assert again == result
    try:
        before = database.rows_of(sql)
    except psycopg.Error:
        reject()  # an unknown zone that the server happened to look at: nothing to compare
    assert database.rows_of(result) == before, result


@pytest.mark.not_core
def test_each_history_as_a_constant_zone(databases: dict[str, Database]) -> None:
    # one row of periods for each time: around each change, and where the table ends
    database, begin, end = (
        databases["vertica"],
        reference.utc("1968-01-01"),
        reference.utc("2040-01-01"),
    )
    edges = [*(begin, end), *map(reference.utc, ("1970-01-01", "2037-01-01", "2038-01-01"))]
    database.execute("CREATE TEMP TABLE moments (at timestamp)")
    for zone in sorted(set(map(reference.first_name, reference.NAMES))):
        changes = [
            at for at, _ in reference.changes(ZoneInfo(zone), begin, end, 10 * reference.DAY)
        ]
        near = {at + by for at in edges + changes for by in (-14 * 3600, -1, 0, 1, 14 * 3600)}
        times = ", ".join(f"('{reference.naive(at)}')" for at in sorted(near))
        database.execute(
            f"TRUNCATE moments; INSERT INTO moments VALUES {times}, ('infinity'), (NULL)"
        )
        sql = (
            f"SELECT at, new_time(at, 'UTC', '{zone}') AS shown, "
            f"new_time(at, '{zone}', 'UTC') AS utc FROM moments"
        )
        result = rewrite(sql, dialect="vertica", schema={"moments": {"at": "timestamp"}})
        used = {change.strategy for change in result.changes}
        assert used <= {"period", "inline"}, zone
        is_fixed = len(changes) == 1 or any("abbreviation" in one.reason for one in result.left)
        assert "period" in used or is_fixed, zone
        before, after = database.rows_of_each(sql, result.sql)
        assert after == before, zone

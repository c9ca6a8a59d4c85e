"""Rewrites for Redshift: what they may be made of, and what PostgreSQL returns for both texts.

The corpus is run in tests/rewriter/test_corpus.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tests import events_redshift, postgres
from tests.corpora import CORPORA, Database, in_turn
from tests.rewriter.random_queries import POSTGRES_FROMS, POSTGRES_ZONES, WRAPPERS, queries_of
from tzconv.errors import ParseError
from tzconv.rewriter import Rewrite, rewrite
from tzconv.rewriter.strategies import STRATEGIES

EXAMPLES = int(os.environ.get("TZCONV_RANDOM_REDSHIFT_QUERIES", "40"))
"""More than in a usual run for a search by hand; then every run is another one."""

TYPES = {
    "actions": {
        "action_event_time": "timestamp",
        "action_publisher_id": "integer",
        "seen": "timestamptz",
        "loaded": "timestamp",
        "day": "date",
        "n": "integer",
    },
    "publishers": {"id": "integer", "time_zone_name": "varchar(400)", "billing.zone": "varchar"},
    "logs": {"log_time": "timestamp", "level": "int"},
}
NOT_DOCUMENTED = re.compile(
    r"make_timestamp|width_bucket|\bLATERAL\b|\bARRAY\b|\bFILTER\s*\(|\bVALUES\b|\* INTERVAL|"
    r"ZONE INTERVAL|INTERVAL '[^']*:|\bepoch_us\b|infinity|\bUSING\b|IS DISTINCT",
    re.IGNORECASE,
)
JOINED = "FROM actions a JOIN publishers p ON p.id = a.action_publisher_id"


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[Database]:
    opened = Database("redshift", server)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def otherwise(server: postgres.Server) -> Iterator[Database]:
    """A server that reads local times in gaps and folds in the other way."""
    opened = Database("redshift", server, *events_redshift.LOADS, events_redshift.otherwise)
    yield opened
    opened.close()


def changed(sql: str, strategy: str | None = None, zone: str = "UTC") -> Rewrite:
    return rewrite(sql, dialect="redshift", schema=TYPES, strategy=strategy, session_time_zone=zone)


def test_nothing_is_written_that_its_documents_do_not_have() -> None:
    for name, (sql, _) in CORPORA["redshift"].items():
        for strategy in (None, *STRATEGIES):
            for change in changed(sql, strategy).changes:
                added = change.after.replace(change.before, "") if change.before else change.after
                assert not NOT_DOCUMENTED.search(added), name


TO_UTC = [
    f"SELECT a.loaded, CONVERT_TIMEZONE(p.time_zone_name, 'UTC', a.loaded) AS utc {JOINED}",
    f'SELECT CONVERT_TIMEZONE(p.time_zone_name, p."billing.zone", a.loaded) AS there {JOINED}',
    "SELECT CONVERT_TIMEZONE('Europe/Dublin', 'UTC', loaded) AS utc FROM actions "
    "WHERE loaded BETWEEN '2016-05-01' AND '2016-09-01'",
    "SELECT COUNT(*) FROM actions a JOIN publishers p ON p.id = a.action_publisher_id "
    "WHERE a.loaded >= CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-03-12 02:30:00') "
    "AND a.loaded < CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-11-05 01:30:00')",
]


@pytest.mark.parametrize("sql", TO_UTC)
def test_gaps_and_folds_may_be_read_in_either_way(
    sql: str, database: Database, otherwise: Database
) -> None:
    result = changed(sql).sql
    assert result != sql
    rows = [one.rows_of(sql) for one in (database, otherwise)]
    assert [one.rows_of(result) for one in (database, otherwise)] == rows


def test_both_ways_differ(database: Database, otherwise: Database) -> None:
    rows = [one.rows_of(TO_UTC[0]) for one in (database, otherwise)]
    assert rows[0] != rows[1]


@pytest.mark.parametrize(
    ("sql", "code", "reason"),
    [
        ("CONVERT_TIMEZONE('Asia/Tokyo', x)", "unknown-type", "the type of x is not known"),
        ("CONVERT_TIMEZONE('Asia/Tokyo', day)", "not-a-time", "is a DATE"),
        ("CONVERT_TIMEZONE('Asia/Tokio', loaded)", "unknown-zone", "is no time zone"),
        ("CONVERT_TIMEZONE('asia/tokyo', loaded)", "unknown-zone", "write 'Asia/Tokyo'"),
        ("CONVERT_TIMEZONE('EST', loaded)", "unknown-zone", "a fixed offset"),
        ("CONVERT_TIMEZONE('UTC+3', loaded)", "unknown-zone", "is no time zone"),
        ("CONVERT_TIMEZONE('UTC', ?, loaded)", "unnamed-parameter", "parameter"),
    ],
)
def test_left_with_a_reason(sql: str, code: str, reason: str) -> None:
    result = changed(f"SELECT {sql} AS x1 FROM actions")
    assert not result.changes
    (left,) = result.left
    assert left.code == code
    assert reason in left.reason


def test_a_column_whose_new_name_is_not_known_leaves_the_statement() -> None:
    sql = f"SELECT DATEDIFF(day, a.seen, CONVERT_TIMEZONE(p.time_zone_name, a.loaded)) {JOINED}"
    (left,) = changed(sql).left
    assert left.code == "unnamed-column"
    assert changed(sql.replace("))", ")) AS days")).changes


def test_a_timestamptz_depends_on_the_session() -> None:
    sql = f"SELECT CONVERT_TIMEZONE('UTC', p.time_zone_name, a.seen) AS l {JOINED}"
    assert changed(sql).changes
    (left,) = changed(sql, zone="America/New_York").left
    assert left.code == "session-time-zone"


def test_an_alias_is_no_column() -> None:
    sql = "SELECT zone AS z, CONVERT_TIMEZONE('UTC', z, happened::timestamp) AS l FROM unknown"
    assert not changed(sql).changes
    named = "SELECT n AS time_zone_name, CONVERT_TIMEZONE('UTC', time_zone_name, a.loaded) AS l "
    assert changed(f"{named} {JOINED}").changes  # the column of the table counts


def test_a_constant_zone_without_bounds_is_joined_by_an_equality() -> None:
    sql = "SELECT CONVERT_TIMEZONE('Asia/Tokyo', loaded) AS l FROM actions"
    covered = "loaded >= TIMESTAMP '1970-01-01' AND loaded < TIMESTAMP '2037-01-01'"
    period = (
        "(DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', "
        f"CASE WHEN {covered} THEN loaded END) >> 42)"
    )
    assert f"(tzconv_1.zone_period >> 9) = {period}" in changed(sql).sql
    assert "JOIN time_zone_offset_conversion" in changed(sql, "offset").sql
    both = f"SELECT CONVERT_TIMEZONE(p.time_zone_name, 'Asia/Tokyo', a.loaded) AS l {JOINED}"
    assert changed(both).sql.count("_period_conversion") == 2


def test_a_correlated_subquery_gets_no_join() -> None:
    sql = "SELECT MAX(CONVERT_TIMEZONE('UTC', p.time_zone_name, a.loaded)) {} WHERE a.n = p.id"
    correlated = f"SELECT l.level, ({sql.format(JOINED)} AND p.id = l.level) AS last FROM logs l"
    assert changed(correlated).left[0].code == "no-join"
    assert changed(f"SELECT ({sql.format(JOINED)}) AS last FROM logs l").changes


def test_elements_of_a_column_stay_alone() -> None:
    sql = (
        "SELECT i.x, CONVERT_TIMEZONE('UTC', p.time_zone_name, a.loaded) AS l "
        "FROM actions a, a.items i, publishers p WHERE p.id = a.action_publisher_id"
    )
    assert changed(sql).left[0].code == "row-order"


def test_current_times_as_literals() -> None:
    sql = "SELECT GETDATE() AS a, SYSDATE AS b, TRUNC(SYSDATE) AS c, CURRENT_DATE AS d FROM logs"
    result = rewrite(
        sql,
        dialect="redshift",
        schema=TYPES,
        now="2026-01-01T03:00:00Z",
        session_time_zone="Etc/GMT+5",
    )
    local = "TIMESTAMP '2025-12-31 22:00:00'"
    assert result.sql == (
        f"SELECT {local} AS a, {local} AS b, TRUNC({local}) AS c, DATE '2025-12-31' AS d FROM logs"
    )


def test_select_into(database: Database) -> None:
    sql = (
        "SELECT CONVERT_TIMEZONE('UTC', p.time_zone_name, a.loaded) AS l INTO copied "
        f"{JOINED} WHERE a.n = 3"
    )
    rows = []
    for text in (sql, database.rewrite(sql).sql):
        database.execute(events_redshift.transliterated(text))
        rows.append(database.rows_of("SELECT * FROM copied"))
        database.execute("DROP TABLE copied")
    assert rows[0] == rows[1]
    assert database.rewrite(sql).changes


def test_the_queries_of_postgresql_that_redshift_reads_too(database: Database) -> None:
    read = 0
    for name, (sql, _) in in_turn(CORPORA["postgres"].items(), 0):
        try:
            result = database.rewrite(sql)
        except ParseError:
            continue
        read += 1
        # the stand-in folds names in quotes, which would make these two names one
        if result.changes and not re.search(r'"shortenedAt"|WITH "actions"', sql, re.I):
            before, after = database.rows_of_each(sql, result.sql)
            assert after == before, name
    assert read > 30


SITES = [
    "CONVERT_TIMEZONE('UTC', {zone}, a.action_event_time)",
    "convert_timezone({zone}, a.action_event_time)",
    "CONVERT_TIMEZONE({zone}, 'UTC', a.loaded)",
    "CONVERT_TIMEZONE({zone}, 'Australia/Lord_Howe', a.loaded)",
    "CONVERT_TIMEZONE('UTC', {zone}, CONVERT_TIMEZONE('Pacific/Apia', 'UTC', a.loaded))",
    "CONVERT_TIMEZONE({zone}, DATEADD(minute, 90, a.action_event_time))",
    "CONVERT_TIMEZONE({zone}, a.seen)",
    "a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE {zone}",
    "a.seen AT TIME ZONE {zone}",
    "a.loaded AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
]


@st.composite
def queries(draw: st.DrawFn) -> str:
    sql = draw(queries_of(POSTGRES_FROMS, POSTGRES_ZONES, SITES, WRAPPERS, between="({})"))
    bound = r"TIMESTAMP '([^']*)' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'"
    return re.sub(bound, r"CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '\1')", sql)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="TZCONV_RANDOM_REDSHIFT_QUERIES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(sql=queries(), strategy=st.sampled_from([None, None, None, *STRATEGIES]))
def test_random_queries(sql: str, strategy: str | None, database: Database) -> None:
    result = database.rewrite(sql, strategy)
    if any(left.code == "unnamed-column" for left in result.left):
        reject()
    assert database.rewrite(result.sql, strategy).sql == result.sql
    try:
        before = database.rows_of(sql)
    except psycopg.Error:
        reject()  # an unknown zone that the server happened to look at: nothing to compare
    assert database.rows_of(result.sql) == before, result.sql

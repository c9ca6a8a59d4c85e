"""The corpus of Spark, run as it was and as it was rewritten, on two executors of their own."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from tests import events_spark
from tests.corpora import check_bytes, corpus, in_turn
from tzconv import tables
from tzconv.rewriter import Rewrite, rewrite

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]
# pyspark's own warnings are not ours

Rows: TypeAlias = tuple[list[object], Counter[str]]

QUERIES = corpus("spark", "spark")
SESSION_ZONES = ("America/New_York", "Australia/Lord_Howe", "Asia/Kolkata")
STRATEGIES = ("now", "range", "columns", "offset", "inline")
_MEASURED = """
SELECT date_trunc('hour', from_utc_timestamp(a.seen, p.time_zone_name)) AS hour, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= to_utc_timestamp('2017-04-20 00:00:00', p.time_zone_name)
  AND a.seen < to_utc_timestamp('2017-05-31 00:00:00', p.time_zone_name)
GROUP BY 1
"""


@pytest.fixture(scope="module")
def spark(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    events_spark.load(spark, tmp_path_factory.mktemp("warehouse"))
    return spark


@pytest.fixture(scope="module")
def types(spark: Any) -> dict[str, dict[str, str]]:
    return events_spark.column_types(spark)


@pytest.fixture
def interpreted(spark: Any) -> Iterator[None]:
    """Run few rows without a compiled and revised plan, as test_same_rows runs them."""
    settings = ("spark.sql.codegen.wholeStage", "spark.sql.adaptive.enabled")
    for name in settings:
        spark.conf.set(name, "false")
    yield
    for name in settings:
        spark.conf.unset(name)


@pytest.fixture(scope="module")
def original(spark: Any) -> Callable[[str], Rows]:
    """What a query of the corpus returns as it was: run once, in a session in UTC."""
    return functools.cache(lambda name: events_spark.rows_of(spark, QUERIES[name][0]))


def rewritten(sql: str, types: dict[str, dict[str, str]], **options: Any) -> Rewrite:
    return rewrite(sql, dialect="spark", schema=types, **options)


def check_rows(spark: Any, name: str, sql: str, original: Callable[[str], Rows]) -> None:
    """The rewritten query of the corpus returns what it returned as it was."""
    rows = events_spark.rows_of(spark, sql)
    if rows != original(name):  # NOW() has moved on since that ran, perhaps past a row
        rows = events_spark.rows_of(spark, sql)
        assert rows == events_spark.rows_of(spark, QUERIES[name][0]), name


@pytest.mark.parametrize("name", QUERIES)
def test_same_rows(
    name: str, spark: Any, types: dict[str, dict[str, str]], original: Callable[[str], Rows]
) -> None:
    sql, must_change = QUERIES[name]
    result = rewritten(sql, types)
    assert bool(result.changes) == must_change, result.left
    if not must_change and not name.startswith("constants_only"):
        assert result.left, "what is left has a reason"
    assert rewritten(result.sql, types).sql == result.sql
    check_bytes(sql, result)
    _, rows = original(name)
    assert sum(rows.values()) > 0, "a query without rows proves nothing"
    check_rows(spark, name, result.sql, original)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_alone(
    strategy: str, spark: Any, types: dict[str, dict[str, str]], original: Callable[[str], Rows]
) -> None:
    changed, run = 0, in_turn(QUERIES, 0)
    for name, (sql, _) in QUERIES.items():
        result = rewritten(sql, types, strategy=strategy)
        assert {change.strategy for change in result.changes} <= {strategy}
        if result.changes:
            changed += 1
            # test_same_rows runs what is chosen
            if name in run and result.sql != rewritten(sql, types).sql:
                check_rows(spark, name, result.sql, original)
    assert changed > 2


def test_a_name_of_the_table_that_java_does_not_know(
    spark: Any, types: dict[str, dict[str, str]], original: Callable[[str], Rows]
) -> None:
    """The filter of a query is not applied to the table's names: an older Java refuses some."""
    name = "a_filter_by_the_zone_alone"
    offsets = spark.table(tables.OFFSET.name)
    unknown = offsets.where("time_zone_name = 'Asia/Tokyo'").replace("Asia/Tokyo", "Mars/Phobos")
    offsets.union(unknown).createOrReplaceTempView(tables.OFFSET.name)
    try:
        check_rows(spark, name, rewritten(QUERIES[name][0], types).sql, original)
    finally:
        offsets.createOrReplaceTempView(tables.OFFSET.name)


def test_two_executors_are_processes_of_their_own(spark: Any) -> None:
    assert spark.range(0, 100, 1, 4).count() == 100
    addresses = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size()
    assert addresses == 3, "two executors and the driver"


@pytest.mark.parametrize("strategy", [None, "offset"])
def test_the_plan_broadcasts_and_moves_no_more_rows(
    strategy: str | None, spark: Any, types: dict[str, dict[str, str]]
) -> None:
    before = plan_of(spark, _MEASURED)
    after = plan_of(spark, rewritten(_MEASURED, types, strategy=strategy).sql)
    # the offsets, and the zones for the bounds
    assert after.count("BroadcastHashJoin") == before.count("BroadcastHashJoin") + 2
    assert "SortMergeJoin" not in after
    assert "NestedLoop" not in after
    assert exchanges(after) == exchanges(before)


@pytest.mark.parametrize("strategy", [None, "offset"])
def test_the_plan_without_room_to_broadcast(
    strategy: str | None, spark: Any, types: dict[str, dict[str, str]]
) -> None:
    # the hint broadcasts the conversion table even where nothing else is
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    try:
        before = plan_of(spark, _MEASURED)
        after = plan_of(spark, rewritten(_MEASURED, types, strategy=strategy).sql)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
    assert before.count("BroadcastHashJoin") == 0
    assert after.count("BroadcastHashJoin") == 2
    assert exchanges(after) == exchanges(before)


def test_bounds_reach_the_parquet_reader(spark: Any, types: dict[str, dict[str, str]]) -> None:
    spark.conf.set("spark.sql.maxMetadataStringLength", "10000")  # else a plan is cut short
    sql = (
        "SELECT count(*) FROM actions "
        "WHERE CAST(from_utc_timestamp(seen, 'Asia/Tokyo') AS DATE) = '2018-03-01'"
    )
    assert "GreaterThanOrEqual(seen" not in plan_of(spark, sql)
    assert "GreaterThanOrEqual(seen" in plan_of(spark, rewritten(sql, types).sql)


def test_spark_casts_a_constant_by_itself(spark: Any, types: dict[str, dict[str, str]]) -> None:
    # why such a comparison is left alone; were it to fail, a verdict would have to change
    spark.conf.set("spark.sql.maxMetadataStringLength", "10000")
    sql = "SELECT count(*) FROM logs WHERE log_time >= current_timestamp() - INTERVAL 1 DAY"
    assert not rewritten(sql, types).changes
    assert "GreaterThanOrEqual(log_time" in plan_of(spark, sql)


FAILING = [
    "from_utc_timestamp(TIMESTAMP '2018-02-01 00:00:00' + make_dt_interval(p.id), {})",
    "convert_timezone('UTC', {}, s.opened)",
    "convert_timezone({}, 'UTC', s.opened)",
    "from_utc_timestamp(s.opened, {})",
]


@pytest.mark.parametrize("zone", events_spark.UNKNOWN_ZONES)
@pytest.mark.parametrize("expression", FAILING)
def test_what_fails_still_fails(
    zone: str, expression: str, spark: Any, types: dict[str, dict[str, str]]
) -> None:
    """A column and a constant take turns: each expression and each zone is tried with both."""
    turn = FAILING.index(expression) + events_spark.UNKNOWN_ZONES.index(zone)
    text = expression.format(("p.time_zone_name", f"'{zone}'")[turn % 2])
    where = f"WHERE p.time_zone_name = '{zone}'"
    sql = f"SELECT {text} AS x FROM publishers p JOIN sites s ON s.n = p.id % 10 {where}"
    assert failure(spark, sql) == "INVALID_TIMEZONE"
    assert failure(spark, rewritten(sql, types).sql) == "INVALID_TIMEZONE"


@pytest.mark.parametrize("zone", SESSION_ZONES)
def test_a_session_with_another_zone(
    zone: str, spark: Any, types: dict[str, dict[str, str]]
) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    place = SESSION_ZONES.index(zone)
    try:
        compared, run = 0, in_turn(QUERIES, 0)
        for number, (name, (sql, _)) in enumerate(QUERIES.items()):
            if name.startswith(("insert", "create")):
                continue  # run above; here they would run twice on one table
            if (number // 3) % len(SESSION_ZONES) != place or name not in run:
                continue  # each query in one of the zones: all of them in all took two minutes
            result = rewritten(sql, types, session_time_zone=zone)
            compared += bool(result.changes)
            if result.changes:
                rows = events_spark.rows_of(spark, result.sql)
                assert rows == events_spark.rows_of(spark, sql), name
        assert compared > 3
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def plan_of(spark: Any, sql: str) -> str:
    """The physical plan that was run, with what Spark changed while it ran."""
    frame = spark.sql(sql)
    frame.collect()
    text = str(frame._jdf.queryExecution().executedPlan().toString())
    return text.split("== Initial Plan ==", maxsplit=1)[0]


def exchanges(plan: str) -> int:
    """How often rows are moved between executors."""
    return sum("Exchange" in line and "Broadcast" not in line for line in plan.splitlines())


def failure(spark: Any, sql: str) -> str:
    from pyspark.errors import PySparkException

    try:
        spark.sql(sql).collect()
    except PySparkException as error:
        return str(error).partition("]")[0].rpartition("[")[2]
    return ""

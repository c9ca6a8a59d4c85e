"""The parts of the rewriter that the queries of the corpus do not show."""

from __future__ import annotations

import datetime as dt
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pytest
from sqlglot import exp

from tzconv.errors import CheckError, ParseError, RewriteError
from tzconv.rewriter import from_ddl, is_one_query, rewrite
from tzconv.rewriter.block import Ranges
from tzconv.rewriter.check import check
from tzconv.rewriter.edits import Edit, apply
from tzconv.sql.parse import parse, without_warnings
from tzconv.tz import zones
from tzconv.tz.posix import LocalType

TYPES = {"logs": {"log_time": "timestamp", "seen": "timestamptz", "name": "varchar"}}
NOW = "SELECT count(*) FROM logs WHERE log_time >= NOW()"


def edit(start: int, end: int, after: str) -> Edit:
    return Edit(start, end, after, "rule", "strategy", "reason")


@pytest.mark.parametrize(
    ("zone", "reason"),
    [
        ("UTC", None),
        ("Etc/GMT+5", None),
        ("utc", None),
        ("America/New_York", "changes its offset"),
        ("Asia/Kolkata", "changes its offset"),  # it did until 1945
        ("<+05>-05", "is not an IANA zone"),
    ],
)
def test_now_depends_on_the_zone_of_the_session(zone: str, reason: str | None) -> None:
    result = rewrite(NOW, schema=TYPES, session_time_zone=zone)
    if reason is None:
        assert result.sql == NOW.replace("NOW()", "CAST(NOW() AS TIMESTAMP)")
        assert not result.left
    else:
        assert result.sql == NOW
        assert reason in result.left[0].reason
        assert (result.left[0].line, result.left[0].column) == (1, 45)


def test_conversion_tables_in_a_schema() -> None:
    sql = (
        "SELECT a.t AT TIME ZONE 'UTC' AT TIME ZONE p.z AS local FROM a JOIN p ON a.i = p.i "
        "WHERE a.t BETWEEN '2026-01-01' AND '2026-02-01'"
    )
    types = {"a": {"t": "timestamp", "i": "int"}, "p": {"i": "int", "z": "varchar"}}
    result = rewrite(sql, schema=types, table_schema='odd "name"')
    assert 'FROM "odd ""name""".time_zone_offset_conversion WHERE' in result.sql
    result = rewrite(sql, schema=types, table_schema='odd "name"', strategy="period")
    assert 'JOIN "odd ""name""".time_zone_conversion_zone AS' in result.sql
    assert 'JOIN "odd ""name""".time_zone_period_conversion AS' in result.sql


def test_a_window_past_the_tables_is_left() -> None:
    sql = (
        "SELECT a.t AT TIME ZONE 'UTC' AT TIME ZONE p.z AS local FROM a JOIN p ON a.i = p.i "
        "WHERE a.t BETWEEN '2026-01-01' AND '2038-02-01'"
    )
    types = {"a": {"t": "timestamp", "i": "int"}, "p": {"i": "int", "z": "varchar"}}
    result = rewrite(sql, schema=types, strategy="columns")
    assert result.sql == sql
    assert "past 2038-01-01" in result.left[0].reason


@pytest.mark.parametrize("release", ["2026f", "unknown"])
def test_the_rules_are_an_argument(release: str) -> None:
    """Offsets of a zone that no release has; no file and no clock is asked."""
    kinds = (LocalType(7200, False, "TST"),)
    start = np.array([zones.BEGINNING])
    zone = zones.Zone("Test/Zone", start, np.array([0]), kinds, None)
    rules = zones.Rules.of(release, "test", [zone])
    sql = (
        "SELECT log_time AT TIME ZONE 'UTC' AT TIME ZONE 'Test/Zone' AS t FROM logs "
        "WHERE log_time >= '2026-01-01' AND log_time < '2027-01-01'"
    )
    result = rewrite(sql, schema=TYPES, rules=rules)
    assert "7200000000" in result.sql
    assert rewrite(sql, schema=TYPES).left[0].reason.endswith("is no time zone of the tz release")


def test_unknown_words() -> None:
    with pytest.raises(RewriteError, match="'klingon' is not supported: choose one of duckdb"):
        rewrite("SELECT 1", dialect="klingon")
    assert rewrite("SELECT $1", dialect="PostgreSQL").sql == "SELECT $1"
    with pytest.raises(RewriteError, match="no strategy 'magic': choose one of now, range"):
        rewrite("SELECT 1", strategy="magic")


def test_types_of_any_spelling() -> None:
    for text in ("TIMESTAMP", "timestamp without time zone", "DATETIME"):
        assert rewrite(NOW, schema={"LOGS": {"Log_Time": text}}).changes, text
    for text in ("TIMESTAMP_NS", "nonsense", "STRUCT(a INTEGER)", "ENUM('a')", '"my type"'):
        assert not rewrite(NOW, schema={"logs": {"log_time": text}}).changes, text


def test_types_from_ddl() -> None:
    types = from_ddl(
        "CREATE TABLE logs (log_time TIMESTAMP NOT NULL, level INT DEFAULT 3, PRIMARY KEY (level));"
        "CREATE TABLE other.logs (log_time TIMESTAMPTZ); CREATE VIEW v AS SELECT 1; SELECT 2",
        "duckdb",
    )
    assert set(types) == {"logs", "other.logs"}
    assert set(types["other.logs"]) == {"log_time"}
    assert rewrite("SELECT log_time < now() FROM other.logs", schema=types).changes == ()
    with pytest.raises(ParseError, match="line 1"):
        from_ddl("CREATE TABLE (", "duckdb")


def test_several_statements_in_one_text() -> None:
    sql = f"-- first\n{NOW};\nSET x = 1;\nCREATE VIEW v AS {NOW};\nDROP TABLE logs;\n"
    result = rewrite(sql, schema=TYPES)
    assert result.sql == sql.replace("NOW()", "CAST(NOW() AS TIMESTAMP)")
    assert [change.line for change in result.changes] == [2, 4]
    assert not is_one_query(sql, "duckdb")
    assert is_one_query(NOW + "; -- of today", "duckdb")
    assert not is_one_query("DROP TABLE logs", "duckdb")


def test_the_report() -> None:
    result = rewrite(f"\n\n  {NOW}", schema=TYPES)
    (change,) = result.changes
    assert (change.rule, change.strategy, change.line, change.column) == ("now", "now", 3, 47)
    assert (change.before, change.after) == ("NOW()", "CAST(NOW() AS TIMESTAMP)")
    made = result.as_dict()
    assert made["sql"] == result.sql
    assert made["changes"][0]["before"] == "NOW()"


def test_a_place_that_reads_differently_is_no_place() -> None:
    """A wrong range, as a change of the parser might note it, is found out and not used."""
    source = parse("SELECT a + b AS c, d FROM t", "duckdb")
    added = source.statements[0].find(exp.Add)
    assert added is not None
    assert source.text[slice(*source.range(added) or ())] == "a + b"
    for wrong in ((7, 8), (7, 17), (0, 12), (7, 20)):
        again = parse("SELECT a + b AS c, d FROM t", "duckdb")
        node = again.statements[0].find(exp.Add)
        assert node is not None
        node.meta["tzconv_range"] = wrong
        assert again.range(node) is None


def test_overlapping_edits_are_an_error() -> None:
    assert apply("[](){}", [edit(4, 4, "<"), edit(0, 2, "+"), edit(4, 4, ">")]) == "+()<>{}"
    with pytest.raises(CheckError, match="overlap"):
        apply("abcdef", [edit(0, 3, "X"), edit(2, 4, "Y")])


@pytest.mark.parametrize(
    ("edits", "result", "said"),
    [
        ([edit(7, 8, "b")], "SELECT b, c FROM t", "more than its edits say"),
        ([edit(7, 8, "b"), edit(14, 15, "")], "SELECT b FROM ", "does not parse"),
        ([edit(7, 8, "b, c")], "SELECT b, c FROM t", "output columns"),
        ([edit(9, 15, "; SELECT 2")], "SELECT a ; SELECT 2", "number of statements"),
        ([edit(8, 8, "AS z")], "SELECT aAS z FROM t", "more than its edits say"),
        ([replace(edit(7, 8, "t.*, ("), kind="stars")], "SELECT t.*, ( FROM t", "does not parse"),
    ],
)
def test_the_check_before_a_rewrite_is_returned(edits: list[Edit], result: str, said: str) -> None:
    with pytest.raises(CheckError, match=said):
        check(parse("SELECT a FROM t", "duckdb"), edits, result, "duckdb")


def test_the_check_lets_an_honest_rewrite_pass() -> None:
    before = parse("SELECT a AS x FROM t", "duckdb")
    check(before, [edit(7, 8, "a + 1")], "SELECT a + 1 AS x FROM t", "duckdb")
    with pytest.raises(CheckError, match="output columns"):
        check(before, [edit(7, 13, "a AS y")], "SELECT a AS y FROM t", "duckdb")


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_parameters_without_names_are_not_repeated(dialect: str) -> None:
    types = {
        "a": {"t": "timestamp", "seen": "timestamptz", "i": "int"},
        "p": {"i": "int", "z": "varchar"},
    }
    sql = (
        "SELECT a.t AT TIME ZONE 'UTC' AT TIME ZONE p.z AS local, "
        "COALESCE(a.seen, CAST(? AS timestamptz)) AT TIME ZONE p.z AS other "
        "FROM a JOIN p ON a.i = p.i WHERE p.i = ? AND a.t >= '2026-01-01' AND a.t < '2026-02-01' "
        "AND a.t > (CAST(? AS timestamp) AT TIME ZONE p.z AT TIME ZONE 'UTC')"
    )
    result = rewrite(sql, dialect=dialect, schema=types)
    assert result.changes
    assert result.sql.count("?") == 3
    assert ["a parameter without name" in left.reason for left in result.left] == [True, True]
    named = sql.replace("?", "$1")
    assert not rewrite(named, dialect=dialect, schema=types, strategy="array").sql.count("?")


def test_the_check_counts_the_parameters() -> None:
    before = parse("SELECT ? AS x FROM t", "duckdb")
    with pytest.raises(CheckError, match="number of parameters"):
        check(before, [edit(7, 8, "? + ?")], "SELECT ? + ? AS x FROM t", "duckdb")


_RANGED = (
    "SELECT log_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS t FROM logs "
    "WHERE log_time BETWEEN {} AND {}"
)
_YEAR = (dt.datetime(2026, 1, 1), dt.datetime(2026, 12, 31))
_OF_UTC = (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.datetime(2026, 12, 31, tzinfo=dt.UTC))


@pytest.mark.parametrize(
    ("low", "high", "ranges", "bounded"),
    [
        ("$low", "$high", {"low": _YEAR, "high": _YEAR}, True),
        (":low", ":high", {"low": _YEAR, "high": _YEAR}, True),
        ("$1", "CAST($2 AS timestamp)", {"1": _YEAR, "2": _YEAR}, True),
        ("$1", "CAST($2 AS date)", {"1": _YEAR, "2": _YEAR}, True),
        ("$1", "'2026-04-01'", {"1": _YEAR}, True),
        ("$low", "$high", {"low": _YEAR}, False),
        ("$low", "$high", {}, False),
        ("$low", "$high", {"low": _YEAR, "high": _OF_UTC}, False),
        ("$low", "CAST($high AS timestamptz)", {"low": _YEAR, "high": _YEAR}, False),
        ("$low", "CAST($high AS timestamp(0))", {"low": _YEAR, "high": _YEAR}, False),
        ("$low", "$high + INTERVAL '1 day'", {"low": _YEAR, "high": _YEAR}, False),
    ],
)
def test_ranges_of_parameters(low: str, high: str, ranges: Ranges, bounded: bool) -> None:
    """A bounded query needs no function for other times."""
    result = rewrite(_RANGED.format(low, high), schema=TYPES, ranges=ranges)
    assert (result.changes[0].before not in result.sql) == bounded
    assert result.changes[0].strategy == ("inline" if bounded else "period")


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe"])
def test_a_parameter_that_the_column_equals(zone: str) -> None:
    """At each hour that it may have, beside the function, in a year with changes of the clock."""
    sql = _RANGED.replace("Asia/Kolkata", zone).partition("BETWEEN")[0] + "= $moment"
    result = rewrite(sql, schema=TYPES, ranges={"moment": _YEAR})
    assert result.changes[0].before not in result.sql
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE logs AS SELECT * FROM generate_series(TIMESTAMP '2026-01-01', "
            "TIMESTAMP '2026-12-31', INTERVAL '1 hour') AS t (log_time)"
        )
        every = "SELECT log_time AS moment FROM logs"
        one, other = (
            database.execute(f"SELECT moment, ({text}) FROM ({every}) AS a ORDER BY 1").fetchall()
            for text in (part.replace("$moment", "a.moment") for part in (sql, result.sql))
        )
    assert one == other
    assert len({local - at for at, local in one}) == 2


@pytest.mark.parametrize("wrong", [None, 5, (), _YEAR[:1], ("2026-01-01", _YEAR[1])])
def test_ranges_of_no_times(wrong: Any) -> None:
    with pytest.raises(RewriteError, match=r"^ranges has .* for low: give two datetimes"):
        rewrite(_RANGED.format("$low", "$high"), schema=TYPES, ranges={"low": wrong})


@pytest.mark.parametrize("wrong", [(_YEAR[1], _YEAR[0]), (_YEAR[0], _OF_UTC[1])])
def test_ranges_that_are_none(wrong: tuple[dt.datetime, dt.datetime]) -> None:
    with pytest.raises(RewriteError, match="low cannot lie between"):
        rewrite(_RANGED.format("$low", "$high"), schema=TYPES, ranges={"low": wrong})
    moment = (_YEAR[0], _YEAR[0])
    assert rewrite(_RANGED.format("$low", "$high"), schema=TYPES, ranges={"low": moment}).changes


def test_threads_do_not_silence_each_other(caplog: pytest.LogCaptureFixture) -> None:
    """Two overlap, a third has nothing to do with it; after them everything is as before."""
    logger = logging.getLogger("sqlglot")
    level = logger.level
    both_inside, first_left, said = (threading.Barrier(3, timeout=300) for _ in range(3))

    def work(name: str) -> None:
        with without_warnings():
            both_inside.wait()
            if name == "second":
                first_left.wait()
                logger.warning("inside the %s", name)
                logger.error("an error of the %s", name)
        logger.warning("after the %s", name)
        if name == "first":
            first_left.wait()
        said.wait()

    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(work, name) for name in ("first", "second")]
        both_inside.wait()
        logger.warning("of another thread")
        first_left.wait()
        said.wait()
        for one in running:
            one.result()
    logger.warning("at the end")
    assert logger.level == level
    assert sorted(caplog.messages) == [
        "after the first",
        "after the second",
        "an error of the second",
        "at the end",
        "of another thread",
    ]


def test_statements_that_are_not_read_in_full_are_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """By sixteen threads at once, each of which parses what sqlglot warns of."""
    sql = "VACUUM FULL logs; " + NOW

    def work(number: int) -> str:
        return rewrite(sql, dialect="postgres", schema=TYPES, session_time_zone="UTC").sql

    with ThreadPoolExecutor(16) as threads:
        assert len(set(threads.map(work, range(64)))) == 1
    assert caplog.messages == []
    logging.getLogger("sqlglot").warning("still there")
    assert caplog.messages == ["still there"]

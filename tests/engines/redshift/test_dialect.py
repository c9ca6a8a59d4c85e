"""Redshift's SQL as trees: conversions where they stand, and nothing that is not in the text."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from tzconv.errors import ParseError
from tzconv.rewriter import from_ddl
from tzconv.sql.nodes import DateAdd, NewTime, StatementTime
from tzconv.sql.parse import Node, Source, parse

CALLS = [
    "SELECT «CONVERT_TIMEZONE('America/New_York', t)» FROM a",
    "SELECT «convert_timezone ( 'UTC' , 'Asia/Tokyo' , t )»::date AS d FROM a GROUP BY d",
    "SELECT TRUNC(«CONVERT_TIMEZONE('UTC','EST',t)») d, LISTAGG(n, ',') WITHIN GROUP (ORDER BY n) "
    "FROM a GROUP BY 1",
    "SELECT TOP 10 «CONVERT_TIMEZONE(p.tz, a.t)» FROM #tmp a, p WHERE a.id = p.id",
    "SELECT * EXCLUDE (n, i) FROM a WHERE «CONVERT_TIMEZONE('UTC','EST',t)» > GETDATE()",
    "SELECT a.t, ROW_NUMBER() OVER (PARTITION BY «CONVERT_TIMEZONE('UTC','EST',a.t)» ORDER BY n) r "
    "FROM a QUALIFY r = 1",
    "SELECT APPROXIMATE COUNT(DISTINCT «CONVERT_TIMEZONE('UTC','EST',t)») FROM a",
    "SELECT a.n, «CONVERT_TIMEZONE('UTC', c.tz, a.t)» INTO TEMP x FROM a JOIN c ON a.i = c.i",
    "INSERT INTO x (SELECT «CONVERT_TIMEZONE('UTC','EST',t)» FROM a)",
    "CREATE TEMP TABLE x DISTSTYLE KEY DISTKEY(i) COMPOUND SORTKEY(d, i) AS "
    "SELECT i, «CONVERT_TIMEZONE('UTC','EST',t)»::date AS d FROM a",
    "CREATE VIEW x AS SELECT «CONVERT_TIMEZONE('UTC','EST',t)» AS d FROM a WITH NO SCHEMA BINDING",
    "SELECT i FROM a MINUS SELECT DATEDIFF(day, «CONVERT_TIMEZONE('UTC','EST',t)», u) FROM b",
    "SELECT DATE_PART(dow, «CONVERT_TIMEZONE('UTC','EST',t)»), NVL(a.x, 0), 'it\\'s' FROM a",
    "SELECT CONVERT(date, «CONVERT_TIMEZONE('UTC','EST',t)»), t::TIMESTAMP WITHOUT TIME ZONE",
    "SELECT c.n, o.price, «CONVERT_TIMEZONE(c.tz, o.at::timestamp)» FROM customers c, c.orders o",
    "SELECT MEDIAN(EXTRACT(epoch FROM «CONVERT_TIMEZONE('UTC','EST',t)»)), "
    "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY n) FROM a",
    "WITH x AS (SELECT «CONVERT_TIMEZONE('UTC','EST',t)» AS d FROM s.a WHERE n ~ '^x') "
    "SELECT d, RATIO_TO_REPORT(n) OVER (PARTITION BY d) FROM x",
    "SELECT JSON_EXTRACT_PATH_TEXT(j, 'a', 'b'), «CONVERT_TIMEZONE('UTC','EST',t)» FROM a "
    "WHERE t > DATEADD('week', -2, GETDATE()) AND t < SYSDATE - INTERVAL '7 days, 3 hours'",
    "SELECT CASE WHEN x THEN «CONVERT_TIMEZONE(tz, t)» END, DECODE(n, 1, 'a', 'b'), LEN(s) FROM a",
]
REFUSED = [
    "SELECT a.t FROM a, b WHERE a.i = b.i(+)",  # no JOIN may stand beside it
    "SELECT CONVERT_TIMEZONE('UTC', t FROM a",
    "SELECT t FROM {{ ref('a') }}",
    "SELECT a b c FROM t",
]


def nodes(source: Source, kind: type[Node]) -> list[Node]:
    return [node for tree in source.statements for node in tree.find_all(kind)]


def columns(text: str) -> list[Any]:
    (statement,) = parse(text, "redshift").statements
    assert isinstance(statement, exp.Select)
    return statement.selects


@pytest.mark.parametrize("text", CALLS)
def test_every_call_is_found_where_it_stands(text: str) -> None:
    start, end = text.index("«"), text.index("»") - 1
    source = parse(text.replace("«", "").replace("»", ""), "redshift")
    (call,) = nodes(source, NewTime)
    assert source.range(call) == (start, end)
    assert not nodes(source, exp.Command)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text, "redshift")


def test_two_arguments_begin_in_utc() -> None:
    short, long = columns("SELECT CONVERT_TIMEZONE('EST', t), CONVERT_TIMEZONE('UTC', 'EST', t)")
    assert short == long
    other = columns("SELECT CONVERT_TIMEZONE('EST'), CONVERT_TIMEZONE(a, b, c, d)")
    assert [type(one) for one in other] == [exp.Anonymous] * 2


@pytest.mark.parametrize("word", ["SYSDATE", "sysdate", "GETDATE()", "getdate ( )"])
def test_the_current_time_is_a_timestamp(word: str) -> None:
    assert isinstance(columns(f"SELECT {word} - 1 FROM a")[0].this, StatementTime)
    assert columns("SELECT t.sysdate FROM t")[0] == exp.column("sysdate", "t")


def test_words_for_units_are_no_columns() -> None:
    for call in ("DATEDIFF(day, a, b)", "DATEADD(mon, a, b)", "DATE_PART(w, a + b)"):
        (node,) = columns(f"SELECT {call}")
        assert sorted(one.name for one in node.find_all(exp.Column)) == ["a", "b"]
    added = columns("SELECT DATEADD(day, -7, GETDATE())")[0]
    assert isinstance(added, DateAdd)
    assert added.this == StatementTime(utc=False)


def test_trunc_of_one_argument_is_a_date() -> None:
    one, two = columns("SELECT TRUNC(t), TRUNC(n, 2) FROM a")
    assert isinstance(one, exp.Date)
    assert isinstance(two, exp.Anonymous)


def test_exclude_holds_for_all_stars() -> None:
    for star in columns("SELECT a.*, b.* EXCLUDE n FROM a, b"):
        assert [one.name for one in star.this.args["except_"]] == ["n"]


def test_column_types_of_a_script() -> None:
    assert from_ddl(
        "CREATE TABLE s.logs (at timestamp without time zone NOT NULL ENCODE az64, "
        "seen timestamptz DISTKEY, n int IDENTITY(1, 1), zone varchar(64) ENCODE lzo, j super) "
        "DISTSTYLE KEY COMPOUND SORTKEY (at, n);",
        "redshift",
    ) == {
        name: {
            "at": "TIMESTAMP",
            "seen": "TIMESTAMP WITH TIME ZONE",
            "n": "INTEGER",
            "zone": "VARCHAR(64)",
        }
        | {"j": "SUPER"}
        for name in ("logs", "s.logs")
    }

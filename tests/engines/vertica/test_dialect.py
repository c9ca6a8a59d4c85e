"""Vertica's SQL as people write it: every statement is read in full, or refused.

In the statements «…» marks a NEW_TIME call and ⟦…⟧ a conversion with AT TIME ZONE; the marks are
taken out before the text is read, and say which characters must be found again.
"""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp
from sqlglot.errors import ParseError as SqlglotParseError

from tzconv.engines.vertica.read import TimeSeries, Vertica
from tzconv.errors import ParseError
from tzconv.sql.nodes import Interpolate, NewTime, StatementTime
from tzconv.sql.parse import Node, Source, parse
from tzconv.sql.script import from_ddl

CALLS = [
    "SELECT «NEW_TIME(a.happened, 'UTC', p.tz)» FROM actions a JOIN pubs p ON a.pub = p.id",
    "SELECT «new_time(happened,'UTC','America/New_York')»::date, count(*) FROM a GROUP BY 1",
    "SELECT date(«New_Time (happened , 'GMT' , 'EST')») FROM a GROUP BY 1 ORDER BY 1;",
    "SELECT l.*, «new_time(at,'GMT','EDT')» FROM logs l WHERE at > sysdate - 1",
    "SELECT «NEW_TIME(NOW(), 'UTC', :zone)»",
    "SELECT «NEW_TIME(t, 'UTC', %s)» FROM a WHERE t > %s",
    "SELECT «NEW_TIME(t, 'UTC', %(zone)s)» FROM a WHERE n %3 = 0",
    "SELECT «NEW_TIME(t, 'UTC', ?)» FROM a WHERE b = ?",
    "SELECT «NEW_TIME(«NEW_TIME(t, 'EST', 'GMT')», 'GMT', z.name)» FROM a, zones z",
    "SELECT «NEW_TIME(t::!timestamp, 'UTC', 'EST')» FROM a",
    "SELECT «NEW_TIME(CAST(s AS DATETIME), 'UTC', 'EST')» AS 'Local Time' FROM a",
    "SELECT «NEW_TIME(t + INTERVAL '1' HOUR, 'UTC', 'EST')» - INTERVAL '30 minutes' FROM a",
    "SELECT t FROM a WHERE «NEW_TIME(t,'UTC','EST')» BETWEEN '2026-01-01' AND '2026-02-01'",
    "SELECT t FROM a WHERE t BETWEEN «NEW_TIME('2026-01-01', tz, 'UTC')» AND getutcdate()",
    "SELECT CASE WHEN «NEW_TIME(t,'UTC','EST')»::date = current_date() - 1 THEN 1 END FROM a",
    "SELECT SUM(CASE WHEN «NEW_TIME(t,'UTC',z)» >= '2026-01-01' THEN n ELSE 0 END) FROM a",
    "SELECT RANK() OVER (PARTITION BY DATE («NEW_TIME (t,'GMT','EST')») ORDER BY t) FROM a",
    "SELECT *, ROW_NUMBER() OVER (ORDER BY «NEW_TIME(t,'GMT','EST')» DESC) AS rn FROM a",
    "SELECT COUNT(DISTINCT «NEW_TIME(t,'GMT','EST')»::date) FROM a HAVING COUNT(*) > 1",
    "SELECT /*+LABEL(daily), VERBATIM*/ «NEW_TIME(t,'GMT','EST')» FROM a",
    "SELECT «NEW_TIME(t,'GMT','EST')» FROM a JOIN /*+JTYPE(H),DISTRIB(L,B)*/ b ON a.i = b.i",
    "SELECT t, -- NEW_TIME(t,'GMT','EST')\n  «NEW_TIME(t,'GMT','EST')» /* NEW_TIME(1) */ FROM a",
    "SELECT 'NEW_TIME(t,''GMT'',''EST'')', «NEW_TIME(t,'GMT','EST')» FROM a",
    "SELECT «NEW_TIME(t,'GMT','EST')» FROM a UNION SELECT DATE(«NEW_TIME(now(),'GMT','EST')»)-1",
    "SELECT t FROM a MINUS SELECT «NEW_TIME(t,'GMT','EST')» FROM b",
    "WITH a AS (SELECT «NEW_TIME(t,'UTC',z)» AS t FROM x), b AS (SELECT 1 AS i) SELECT * FROM a, b",
    "WITH /*+ENABLE_WITH_CLAUSE_MATERIALIZATION*/ a AS (SELECT «NEW_TIME(t,'UTC',z)» t FROM x) "
    "SELECT t FROM a",
    "INSERT /*+DIRECT*/ INTO x (t) SELECT «NEW_TIME(t,'UTC','EST')» FROM a",
    "CREATE OR REPLACE VIEW s.v AS SELECT «NEW_TIME(t,'UTC','EST')» AS t FROM a",
    "CREATE TABLE x AS /*+DIRECT*/ SELECT «NEW_TIME(t,'UTC','EST')» AS t FROM a",
    "CREATE TABLE x AS SELECT «NEW_TIME(t,'UTC','EST')» t FROM a ORDER BY t UNSEGMENTED ALL NODES",
    "CREATE LOCAL TEMP TABLE x ON COMMIT PRESERVE ROWS AS SELECT «NEW_TIME(t,'UTC',:z)» t FROM a",
    "CREATE LOCAL TEMPORARY TABLE IF NOT EXISTS x ON COMMIT PRESERVE ROWS AS /*+DIRECT*/ "
    "WITH c AS (SELECT DISTINCT «new_time(t,'UTC',:z)» AS t FROM q) "
    "SELECT t, row_number() OVER (ORDER BY t) FROM c SEGMENTED BY HASH(t) ALL NODES",
    "AT EPOCH LATEST SELECT «NEW_TIME(t,'UTC','EST')» FROM a",
    "SELECT «NEW_TIME(t,'UTC','EST')» FROM a LIMIT 1 OVER (PARTITION BY u ORDER BY t DESC)",
    "SELECT DATEDIFF('day', «NEW_TIME(t,'UTC','EST')», «NEW_TIME(u,'UTC','EST')») FROM a",
    "SELECT DATEDIFF(day, «NEW_TIME(t,'UTC','EST')», GETDATE()) FROM a",
    "SELECT TIMESTAMPADD(HOUR, 1, «NEW_TIME(t,'UTC','EST')») FROM a",
    "SELECT TIMESTAMPDIFF('minute', t, «NEW_TIME(t,'UTC','EST')») FROM a",
    "SELECT TO_CHAR(«NEW_TIME(t,'UTC','EST')», 'YYYY-MM-DD HH24') FROM a WHERE n ILIKE '%x%'",
    "SELECT EXTRACT(HOUR FROM «NEW_TIME(t,'UTC','EST')»), DATE_PART('dow', t) FROM a",
    "SELECT DATE_TRUNC('week', «NEW_TIME(t,'UTC','EST')») FROM a WHERE x <=> y",
    "SELECT TIME_SLICE(«NEW_TIME(t,'UTC','EST')», 15, 'MINUTE', 'START') FROM a",
    "SELECT NVL(«NEW_TIME(t,'UTC','EST')», t), NVL2(t, 1, 2), DECODE(n, 1, 'a', 'b') FROM a",
    "SELECT LISTAGG(n USING PARAMETERS separator=';'), MAX(«NEW_TIME(t,'UTC','EST')») FROM a",
    "SELECT FIRST_VALUE(«NEW_TIME(t,'UTC','EST')» IGNORE NULLS) OVER (ORDER BY t) FROM a",
    "SELECT LAST_VALUE(«NEW_TIME(t,'UTC','EST')») OVER (PARTITION BY i ORDER BY t) FROM a",
    'SELECT "a"."Time", «NEW_TIME("a"."Time",\'UTC\',"p"."time zone")» FROM "S"."A" "a", "P" "p"',
    "SELECT item, st, «NEW_TIME(st,'GMT','EST')» FROM ticks\n"
    "TIMESERIES st AS '1 minute' OVER (PARTITION BY item ORDER BY ts)",
    "SELECT «NEW_TIME(a.t,'UTC','EST')» FROM a LEFT JOIN b ON a.t INTERPOLATE PREVIOUS VALUE b.t",
    "SELECT «NEW_TIME(t,'UTC','EST')»\r\nFROM\ta -- ü\r\nWHERE n = 'é'\r\n",
    "SELECT i FROM a WHERE i IN (SELECT «NEW_TIME(t,'UTC','EST')» FROM b WHERE b.i = a.i)",
    "SELECT glob, «NEW_TIME(t,'UTC','EST')» FROM a WHERE glob = 1",
    "UPDATE /*+DIRECT*/ a SET t = «NEW_TIME(t,'UTC','EST')» WHERE i = :i",
    "MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN UPDATE SET t = «NEW_TIME(t,'EST','GMT')»",
]

CHAINS = [
    "SELECT DATE(⟦⟦t at timezone 'UTC'⟧ at timezone 'America/New_York'⟧) AS d FROM a GROUP BY 1",
    "SELECT ⟦t AT TIME ZONE 'UTC'⟧ FROM a GROUP BY \"t\"",
    "SELECT ⟦now() AT TIMEZONE 'America/New_York'⟧ > t FROM a",
    "SELECT ⟦(current_timestamp - interval '7 days') at timezone 'EST'⟧ FROM a",
    "SELECT t FROM a WHERE ⟦⟦t at timezone 'UTC'⟧\n at  timezone :zone⟧ BETWEEN :a AND :b",
    "SELECT COALESCE(⟦⟦t AT TIME ZONE 'UTC'⟧ AT TIME ZONE p.tz⟧, t) FROM a LEFT JOIN p USING (i)",
    "SELECT ⟦t AT TIME ZONE INTERVAL '-08:00'⟧, ⟦u::timestamptz AT TIMEZONE 'EST'⟧ FROM a",
    "SELECT ⟦TIMESTAMP WITH TIMEZONE '2026-01-01 00:00+00' AT TIMEZONE 'EST'⟧",
    "SELECT SUM(n) OVER (ORDER BY ⟦t AT TIMEZONE 'EST'⟧ RANGE BETWEEN INTERVAL '7 days' PRECEDING "
    "AND CURRENT ROW) FROM a",
    "SELECT DISTINCT(d) FROM (SELECT (⟦t at timezone 'EST'⟧)::date d FROM a) x, (SELECT 1) y",
]

OTHER = [
    "CREATE TABLE s.t (z varchar(400) NOT NULL ENCODING RLE, d date ENCODING COMMONDELTA_COMP, "
    "n long varchar, CONSTRAINT pk PRIMARY KEY (z, d) DISABLED) "
    "ORDER BY z, d UNSEGMENTED ALL NODES",
    "CREATE TABLE t (a int, b smalldatetime ACCESSRANK 2) ORDER BY a SEGMENTED BY HASH(a, b) "
    "ALL NODES OFFSET 1 KSAFE 1 PARTITION BY b::date GROUP BY CALENDAR_HIERARCHY_DAY(b::date, 2)",
    "CREATE GLOBAL TEMP TABLE t (a int) ON COMMIT DELETE ROWS",
    "AT TIME '2026-01-01 00:00:00' SELECT a FROM t",
    "SELECT REGEXP_SUBSTR(j, '\"x\":\"([^\"]*)\"', 1, 1, '', 1), a // 2, a || 'x' FROM t",
    "SELECT interval, t.interval FROM t WHERE interval = 3",
    "DELETE FROM t WHERE a = :a; COMMIT;",
    "SELECT a FROM t WHERE (CASE WHEN a = 1 THEN b = 1 AND c = 2 ELSE d = 3 END)",
]

REFUSED = [
    "",
    "SELECT a FROM",
    "SELCT a FROM t",
    "SELECT a b c FROM t",
    "SELECT (a FROM t",
    "SELECT NEW_TIME(t, 'UTC' FROM a",
    "SELECT t AT TIMEZONE FROM a",
    "SELECT a::!  FROM t",
    "SELECT 'open FROM t",
    "SELECT a FROM {{ t }}",
    "SELECT a FROM t TIMESERIES",
    "SELECT a FROM t TIMESERIES s AS '1 minute'",
    "SELECT a FROM t JOIN u ON t.a INTERPOLATE VALUE u.a",
    "SELECT a FROM t JOIN u ON t.a INTERPOLATE PREVIOUS u.a",
    "SELECT a FROM t LIMIT 1 OVER PARTITION BY b",
    "SELECT INTERVAL(4 '1' SECOND",
    "AT EPOCH LATEST DROP TABLE t",
    "AT EPOCH LATEST",
    "CREATE TABLE t (a int ENCODING) UNSEGMENTED",
    "CREATE TABLE t (a int) SEGMENTED HASH(a) ALL NODES",
    "CREATE TABLE t (a int) UNSEGMENTED SOME NODES",
    "CREATE TABLE t AS SELECT a FROM u WHATEVER NODES",
    "CREATE PROJECTION p AS SELECT a FROM t ORDER BY a UNSEGMENTED ALL NODES",
    "COPY t FROM LOCAL STDIN DELIMITER '|'",
    "EXPLAIN SELECT a FROM t",
    "SHOW TIMEZONE",
    "SET TIME ZONE TO 'UTC'",
    "CALL p(1)",
    "SELECT a FROM t MATCH (PARTITION BY u ORDER BY s DEFINE e AS a = 1 PATTERN p AS (e))",
    "SELECT 1; SHOW x",
]


def marked(text: str) -> tuple[str, list[str], list[tuple[int, int]]]:
    """The text without marks, and the text and range of each marked piece, outer ones first."""
    plain, open_at, found = "", [], []
    for letter in text:
        if letter in "«⟦":
            open_at.append(len(plain))
        elif letter in "»⟧":
            found.append((open_at.pop(), len(plain)))
        else:
            plain += letter
    found.sort(key=lambda piece: (piece[0], -piece[1]))
    return plain, [plain[slice(*piece)] for piece in found], found


def nodes(source: Source, kind: type[Node]) -> list[Node]:
    return [node for tree in source.statements for node in tree.find_all(kind)]


def read(text: str) -> Source:
    return parse(text, "vertica")


def tree(text: str) -> Node:
    (statement,) = read(text).statements
    return statement


def columns(text: str) -> list[Any]:
    select = tree(text)
    assert isinstance(select, exp.Select)
    return select.selects


def test_there_are_statements_enough() -> None:
    assert len({*CALLS, *CHAINS, *OTHER}) >= 60


def text_of(source: Source, node: Node) -> str | None:
    at = source.range(node)
    return None if at is None else source.text[slice(*at)]


@pytest.mark.parametrize("text", CALLS)
def test_every_call_is_found_where_it_stands(text: str) -> None:
    sql, texts, places = marked(text)
    source = read(sql)
    calls = nodes(source, NewTime)
    ranges = [source.range(call) for call in calls]
    assert sorted(at for at in ranges if at) == sorted(places)
    assert sorted(str(text_of(source, call)) for call in calls) == sorted(texts)
    for call in calls:
        target = call.args["target"]
        assert text_of(source, target) is not None or isinstance(target, exp.Placeholder)
    assert not nodes(source, exp.Command)


@pytest.mark.parametrize("text", CHAINS)
def test_every_at_time_zone_is_found_where_it_stands(text: str) -> None:
    sql, _, places = marked(text)
    source = read(sql)
    ranges = [source.range(node) for node in nodes(source, exp.AtTimeZone)]
    assert sorted(at for at in ranges if at) == sorted(places)
    assert len(ranges) == len(places)


@pytest.mark.parametrize("text", OTHER)
def test_what_converts_nothing_is_read_too(text: str) -> None:
    source = read(text)
    assert not nodes(source, exp.Command)
    assert not nodes(source, exp.AtTimeZone)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(ParseError) as refused:
        read(text)
    assert refused.value.line == 1
    assert 1 <= refused.value.column <= len(text) + 1
    if text and "'open" not in text and "{{" not in text:  # those never reach the parser
        reader = Vertica()
        with pytest.raises(SqlglotParseError):
            reader.parser().parse(reader.tokenize(text), text)


def test_zones() -> None:
    call = tree("SELECT NEW_TIME(a.t, 'UTC', COALESCE(p.tz, :z)) FROM a").find(NewTime)
    assert call is not None
    assert call.this == exp.column("t", "a")
    assert call.args["source"] == exp.Literal.string("UTC")
    assert isinstance(call.args["target"], exp.Coalesce)
    assert call.args["target"].this == exp.column("tz", "p")
    chain = tree("SELECT t AT TIMEZONE 'UTC' AT TIME ZONE tz FROM a").find(exp.AtTimeZone)
    assert chain is not None
    assert chain.args["zone"] == exp.column("tz")
    assert chain.this.args["zone"] == exp.Literal.string("UTC")


def test_at_timezone_binds_tighter_than_other_operators() -> None:
    compared = columns("SELECT now() AT TIMEZONE 'EST' > t - INTERVAL '1 day' AT TIMEZONE 'x'")
    (node,) = compared
    assert isinstance(node, exp.GT)
    assert isinstance(node.this, exp.AtTimeZone)
    assert isinstance(node.expression, exp.Sub)
    assert isinstance(node.expression.expression, exp.AtTimeZone)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELECT /*+LABEL(x)*/ a FROM t", "+LABEL(x)"),
        ("SELECT a FROM t JOIN /*+JTYPE(H)*/ u ON t.i = u.i", "+JTYPE(H)"),
        ("INSERT /*+ DIRECT */ INTO t SELECT a FROM u", "+ DIRECT "),
        ("CREATE TABLE t AS /*+DIRECT*/ SELECT a FROM u", "+DIRECT"),
        ("WITH /*+MATERIALIZE*/ x AS (SELECT 1 AS a) SELECT a FROM x", "+MATERIALIZE"),
        ("DELETE /*+DIRECT*/ FROM t WHERE a = 1", "+DIRECT"),
        ("SELECT a FROM t /*+PROJS('p')*/, u", "+PROJS('p')"),
    ],
)
def test_a_hint_is_a_comment_wherever_it_stands(text: str, hint: str) -> None:
    source = read(text)
    assert [comment for token in source.tokens for comment in token.comments] == [hint]
    plain = read(text.replace(f"/*{hint}*/", ""))
    assert source.statements == plain.statements


def test_timeseries() -> None:
    select = tree(
        "SELECT s, TS_FIRST_VALUE(price, 'linear') FROM ticks WHERE n > 1 "
        "TIMESERIES s AS '1 minute' OVER (PARTITION BY item ORDER BY ts) ORDER BY 1 LIMIT 5"
    )
    assert isinstance(select, exp.Select)
    series = select.args["timeseries"]
    assert isinstance(series, TimeSeries)
    assert series.name == "s"
    window = series.expression
    assert window.this == exp.Literal.string("1 minute")
    assert window.args["partition_by"] == [exp.column("item")]
    assert [column.name for column in window.args["order"].find_all(exp.Column)] == ["ts"]
    for clause in ("from_", "where", "order", "limit"):
        assert select.args[clause], clause
    assert isinstance(select.selects[1], exp.AggFunc)
    named = tree("SELECT s FROM ticks x TIMESERIES s AS '1 hour' OVER (ORDER BY ts)")
    assert named.find(exp.Table).alias == "x"  # type: ignore[union-attr] # there is one


def test_interpolate() -> None:
    select = tree("SELECT 1 FROM a JOIN b ON a.s = b.s AND a.t INTERPOLATE PREVIOUS VALUE b.t")
    node = select.find(Interpolate)
    assert node is not None
    assert (node.this, node.expression) == (exp.column("t", "a"), exp.column("t", "b"))
    assert isinstance(node.parent, exp.And)
    assert select != tree("SELECT 1 FROM a JOIN b ON a.s = b.s AND a.t = b.t")


def test_limit_over() -> None:
    select = tree("SELECT a FROM t LIMIT 2 OVER (PARTITION BY b ORDER BY c DESC)")
    assert select.args["limit"].expression == exp.Literal.number(2)
    assert select.args["limit"].args["over"].args["partition_by"] == [exp.column("b")]
    assert "over" not in tree("SELECT a FROM t LIMIT 2").args["limit"].args


def test_epoch() -> None:
    assert tree("AT EPOCH LATEST SELECT a FROM t").args["epoch"].name == "LATEST"
    assert tree("AT EPOCH 7 SELECT a FROM t").args["epoch"] == exp.Literal.number(7)
    assert tree("AT TIME '2026-01-01' SELECT a FROM t").args["epoch"].is_string


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("INTERVAL '1 day'", exp.Interval),
        ("INTERVAL '1' DAY", exp.Interval),
        ("INTERVAL(4) '1' SECOND", exp.Interval),
        ("INTERVAL '1-2' YEAR TO MONTH", exp.Interval),
        ("INTERVAL '1 2:03:04' DAY TO SECOND(3)", exp.Interval),
        ("INTERVAL '1' DAY(2)", exp.Interval),
        ("INTERVAL '-08:00'", exp.Interval),
        ("'1 day'::interval", exp.Cast),
        ("'1 day'::INTERVAL DAY TO SECOND(3)", exp.Cast),
        ("CAST('1' AS INTERVAL DAY)", exp.Cast),
    ],
)
def test_intervals(text: str, kind: type[Node]) -> None:
    source = read(f"SELECT t - {text} FROM a")
    (node,) = nodes(source, exp.Sub)
    node = node.args["expression"]
    assert type(node) is kind
    assert text_of(source, node) == text
    assert not node.find(exp.Column)


def test_an_interval_takes_in_nothing_that_follows() -> None:
    node = columns("SELECT t - INTERVAL '1 day' + 5 FROM a")[0]
    assert isinstance(node, exp.Add)
    assert isinstance(node.this, exp.Sub)
    precise = [tree(f"SELECT INTERVAL({digits}) '1.55' SECOND") for digits in (1, 2)]
    assert precise[0] != precise[1]


@pytest.mark.parametrize("word", ["SYSDATE", "sysdate", "SYSDATE()", "GETDATE()", "GETUTCDATE()"])
def test_the_current_time_is_no_column_and_no_timestamptz(word: str) -> None:
    node = columns(f"SELECT {word} - 1 FROM a")[0].this
    assert isinstance(node, StatementTime)
    assert node.args["utc"] == (word == "GETUTCDATE()")
    assert columns("SELECT t.sysdate FROM t")[0] == exp.column("sysdate", "t")


def test_now_is_what_it_is_elsewhere() -> None:
    for word in ("NOW()", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP(3)"):
        assert isinstance(columns(f"SELECT {word}")[0], exp.CurrentTimestamp), word
    assert isinstance(columns("SELECT CURRENT_DATE() - 1")[0].this, exp.CurrentDate)


def test_words_for_units_are_no_columns() -> None:
    for text in ("DATEDIFF(day, a, b)", "DATEDIFF('day', a, b)", "timestampdiff(DAY, a, b)"):
        found = [column.name for column in tree(f"SELECT {text}").find_all(exp.Column)]
        assert sorted(found) == ["a", "b"], text


def test_casts() -> None:
    forced, plain = columns("SELECT a::!int, a::int FROM t")
    assert type(forced) is exp.TryCast
    assert type(plain) is exp.Cast
    assert forced != plain
    for text in ("datetime", "smalldatetime", "timestamp", "timestamp without timezone"):
        assert columns(f"SELECT a::{text}")[0].to.this == exp.DType.TIMESTAMP, text
    for text in ("timestamptz", "timestamp with timezone", "timestamp with time zone"):
        assert columns(f"SELECT a::{text}")[0].to.this == exp.DType.TIMESTAMPTZ, text


def test_parameters() -> None:
    places = list(
        tree("SELECT a % b FROM t WHERE a = :one AND b = %s AND c = %(two)s AND d = ?").find_all(
            exp.Placeholder
        )
    )
    assert sorted(str(place.this or "") for place in places) == ["", "", "one", "two"]


def test_names() -> None:
    select = tree('SELECT a "Q", b AS \'My Name\', c d FROM "S"."T" AS "u"')
    assert isinstance(select, exp.Select)
    assert [column.alias for column in select.selects] == ["Q", "My Name", "d"]
    table = select.find(exp.Table)
    assert table is not None
    assert (table.db, table.name, table.alias) == ("S", "T", "u")


def test_aggregates_are_aggregates() -> None:
    selects = columns(
        "SELECT SUM(a), COUNT(DISTINCT a), LISTAGG(a USING PARAMETERS separator=';'), "
        "APPROXIMATE_COUNT_DISTINCT(a, 5), MAX(a), UPPER(a), NEW_TIME(a, 'UTC', 'EST') FROM t"
    )
    assert [bool(node.find(exp.AggFunc)) for node in selects] == [True] * 5 + [False] * 2


def test_the_parts_of_a_table() -> None:
    create = tree(
        "CREATE TABLE t (z varchar(400) ENCODING RLE, d date) ORDER BY z, d "
        "SEGMENTED BY HASH(z) ALL NODES KSAFE 1"
    )
    assert isinstance(create, exp.Create)
    assert [column.name for column in create.this.expressions] == ["z", "d"]
    names = [part.this for part in create.args["properties"].find_all(exp.Property)]
    assert {"SEGMENTED", "KSAFE"} <= {name for name in names if isinstance(name, str)}
    assert create.find(exp.Order)


def test_column_types_of_a_script() -> None:
    assert from_ddl(
        "CREATE TABLE s.logs (at timestamp NOT NULL ENCODING DELTAVAL, seen datetime, "
        "n int DEFAULT 0) ORDER BY at SEGMENTED BY HASH(n) ALL NODES;",
        "vertica",
    ) == {name: {"at": "TIMESTAMP", "seen": "TIMESTAMP", "n": "INT"} for name in ("logs", "s.logs")}

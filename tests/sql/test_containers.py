"""Where queries stand in other statements; each is marked in its text."""

from __future__ import annotations

import re

import pytest

from tzconv.sql.containers import container_of
from tzconv.sql.script import first_word

PLPGSQL = "CREATE FUNCTION s.f(a text) RETURNS int LANGUAGE plpgsql AS $$ {} END $$"
SQL = "CREATE FUNCTION f(x int) RETURNS {} LANGUAGE sql AS $x$ {} $x$"


def of_block(text: str) -> str:
    return PLPGSQL.format(text)


@pytest.mark.parametrize(
    "text",
    [
        "EXPLAIN «SELECT 1»",
        "explain analyze verbose «SELECT 1» ; ;",
        "EXPLAIN (ANALYZE, FORMAT (x)) «SELECT 1»",
        "EXPLAIN «(SELECT 1) UNION (SELECT 2)»",
        "EXPLAIN ANALYZE (COSTS) «WITH a AS (SELECT 1) SELECT 2»",
        "PROFILE «DELETE FROM t»",
        "EXPLAIN",
        "EXPLAIN (",
        "EXPLAIN (ANALYZE)",
        "COPY («SELECT (1)») TO 'x' (FORMAT csv)",
        "COPY t (a, b) FROM 'x'",
        "COPY",
        "COPY (",
        "PREPARE x (int) AS «SELECT CAST(1 AS int)»",
        "PREPARE x AS",
        "MERGE INTO t USING («SELECT (1) AS x») s ON s.x = t.x WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING (⟦WITH a AS (SELECT 1) SELECT 2⟧) s ON x WHEN NOT MATCHED THEN "
        "INSERT VALUES (nextval('t'))",
        "MERGE INTO t USING s ON s.x = t.x WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING (s JOIN r ON x) ON s.x = t.x WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING",
        "CREATE OR REPLACE MATERIALIZED VIEW v AS «SELECT 1 AS data»",
        "CREATE MATERIALIZED VIEW IF NOT EXISTS v (a) AS «SELECT data FROM a, data»",
        "CREATE MATERIALIZED VIEW v AS «SELECT 1» WITH DATA;",
        "CREATE MATERIALIZED VIEW v AS «SELECT 1» WITH NO DATA",
        "CREATE MATERIALIZED VIEW v AS",
        # SQL
        SQL.format("bigint", "«DELETE FROM t»; VACUUM t; ⟦SELECT (1)⟧;"),
        SQL.format("SETOF int", "«SELECT 1»; «SELECT 2»"),
        SQL.format("TABLE (a int)", "«SELECT 2»"),
        SQL.format("void", "«INSERT INTO t SELECT 1»;"),
        "CREATE PROCEDURE f() LANGUAGE 'sql' AS $$ «INSERT INTO t SELECT 1» $$",
        "CREATE PROCEDURE f(INOUT x int) AS $$ ⟦SELECT 1⟧ $$ LANGUAGE sql",
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC «SELECT 1»; ⟦SELECT CASE WHEN a THEN b END⟧"
        "; END",
        SQL.format("int", "«SELECT 1 LIMIT 3»"),
        # PL/pgSQL
        "DO $$ BEGIN «DELETE FROM t»; END $$",
        "DO LANGUAGE plpgsql $$ BEGIN «DELETE FROM t»; END $$",
        of_block("<<a>> DECLARE x int; y int := 3; BEGIN «SELECT 1»;"),
        of_block("BEGIN IF a THEN «UPDATE t SET n = 1»; ELSE «WITH a AS (SELECT 1) SELECT 2»; END"),
        of_block("BEGIN <<b>> LOOP «INSERT INTO t SELECT 1»; EXIT b; END LOOP;"),
        of_block("BEGIN RETURN QUERY «SELECT CASE WHEN a THEN 1 ELSE 2 END»; RETURN; RETURN 1;"),
        of_block("BEGIN PERFORM CASE WHEN a THEN 1 END; OPEN c FOR SELECT 1; «SELECT 2»;"),
        of_block("BEGIN FOR i IN ⟦SELECT a IN (1)⟧ LOOP «DELETE FROM t»; END LOOP;"),
        of_block("BEGIN FOR i IN 1..3 LOOP x := (SELECT 1); END LOOP;"),
        of_block("BEGIN MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET n = 1; «SELECT 1»;"),
        of_block("BEGIN CREATE TABLE v AS SELECT CASE WHEN a THEN 1 END; «SELECT 1»;"),
        of_block("BEGIN EXCEPTION WHEN others THEN «SELECT 1»; END; BEGIN «SELECT 2»;"),
        of_block("BEGIN ⟦SELECT a ⟨INTO STRICT x, y.z⟩ FROM t⟧;"),
        of_block('BEGIN ⟦SELECT ⟨INTO x⟩ a⟧; ⟦WITH b AS (SELECT 1) SELECT a ⟨INTO "X"⟩⟧;'),
        of_block("BEGIN «SELECT a ⟨INTO x⟩ FROM t LIMIT 1»; «SELECT a ⟨INTO x⟩ FOR UPDATE»;"),
        of_block("BEGIN ⟦SELECT a ⟨INTO x⟩ FROM (SELECT 1 LIMIT 1) t⟧;"),
        of_block("BEGIN «INSERT INTO t VALUES (1) RETURNING a ⟨INTO x⟩»;"),
        of_block("BEGIN «UPDATE t SET n = 1 RETURNING a ⟨INTO x⟩»;"),
    ],
)
def test_queries(text: str) -> None:
    """Between brackets where the order of their rows matters, with INTO between angles."""
    plain = re.sub("[«»⟦⟧⟨⟩]", "", text)
    found = container_of(plain, first_word(plain)[0], {"t"}, {"time_zone_name"})
    shown = []
    for one in found.queries if found else ():
        assert one.why_not is None
        start, end = one.hidden or (one.end, one.end)
        into = f"⟨{plain[start:end]}⟩" if one.hidden else ""
        query = plain[one.start : start] + into + plain[end : one.end]
        shown.append(f"⟦{query}⟧" if one.in_order else f"«{query}»")
    assert shown == re.findall("«[^»]*»|⟦[^⟧]*⟧", text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DECLARE c CURSOR FOR SELECT 1", "a cursor"),
        ("CREATE MATERIALIZED VIEW v WITH (timescaledb.continuous) AS SELECT 1", "a continuous"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "its body is not"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE c AS $$x$$, $$y$$", "its body is not"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE python AS $$ SELECT 1 $$", "its body is not"),
        ("CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$", "its body is not"),
        ("CREATE FUNCTION f(a text = $$SELECT 1$$) LANGUAGE sql AS 'x'", "its body is not"),
        ("DO 'BEGIN SELECT 1; END'", "its body is not"),
        ("DO LANGUAGE plperl $$ SELECT 1 $$", "its body is not"),
        ("CREATE FUNCTION f() RETURNS int SET a = 1 BEGIN ATOMIC SELECT 1; END", "its SET"),
        ("CREATE FUNCTION f() LANGUAGE plpgsql SET a FROM CURRENT AS $$ SELECT 1 $$", "its SET"),
        ("CREATE FUNCTION f(time_zone_name text) LANGUAGE sql AS $$ SELECT 1 $$", "a variable may"),
        (of_block("DECLARE time_zone_name text; BEGIN SELECT 1;"), "a variable may"),
        (of_block("#variable_conflict error\nBEGIN SELECT 1;"), "#variable_conflict"),
        (of_block("BEGIN SELECT set_config(x, y, true);"), "its body calls"),
        (of_block("BEGIN SELECT 1 INTO x INTO y;"), "it has two INTO"),
        (of_block("BEGIN SELECT 1 INTO x[1];"), "the target"),
        (of_block("BEGIN SELECT 1 INTO x.;"), "the target"),
        (of_block("BEGIN SELECT 1 INTO STRICT;"), "the target"),
        (of_block("DECLARE t int; BEGIN SELECT t;"), "t may be a variable"),
        (of_block("<<t>> BEGIN SELECT x, T;"), "t may be a variable"),
        (of_block('DECLARE x int; "T" int; BEGIN SELECT t;'), "t may be a variable"),
        (of_block("DECLARE c CURSOR (t int) FOR SELECT 1; BEGIN SELECT t;"), "t may be a variable"),
        (of_block("BEGIN FOR x, t IN SELECT 1, 2 LOOP NULL; DELETE FROM t;"), "t may be"),
        (of_block("BEGIN <<l>> FOREACH t IN ARRAY x LOOP SELECT t;"), "t may be a variable"),
        (of_block("DECLARE r record; BEGIN SELECT r.x FROM s.r;"), "r may be a variable"),
        (of_block("DECLARE r record; BEGIN SELECT r.t, q.r.t, t(y) FROM q;"), None),
        (of_block("DECLARE y int; BEGIN SELECT y < t, t FROM q FOR UPDATE OF q;"), None),
        (of_block("DECLARE y int := t; BEGIN SELECT q.t INTO y FROM q;"), None),
        (of_block("DECLARE t int; BEGIN SELECT 1 INTO t;"), None),
    ],
)
def test_why_not(text: str, reason: str | None) -> None:
    found = container_of(text, first_word(text)[0], {"t"}, {"time_zone_name"})
    assert found
    reasons = {found.why_not, *(one.why_not for one in found.queries)} - {None}
    assert [str(one).startswith(reason or "-") for one in reasons] == [True] * (reason is not None)

"""Where queries stand in other statements; each is marked in its text."""

from __future__ import annotations

import re

import pytest

from tzconv.sql.containers import container_of
from tzconv.sql.script import first_word


def body(text: str) -> str:
    return f"CREATE FUNCTION s.f(a text) RETURNS int LANGUAGE plpgsql AS $$ {text} END $$"


@pytest.mark.parametrize(
    "text",
    [
        "explain analyze verbose «SELECT 1» ; ;",
        "EXPLAIN (ANALYZE, FORMAT (x)) «SELECT 1»",
        "EXPLAIN «(SELECT 1) UNION (SELECT 2)»",
        "PROFILE «DELETE FROM t»",
        *("EXPLAIN", "EXPLAIN (", "EXPLAIN (ANALYZE)", "COPY", "COPY (", "PREPARE x AS"),
        "COPY («SELECT (1)») TO 'x' (FORMAT csv)",
        "COPY t (a, b) FROM 'x'",
        "PREPARE x (int) AS «SELECT CAST(1 AS int)»",
        "MERGE INTO t USING («SELECT (1) AS x») s ON s.x = t.x WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING (⟦SELECT 1⟧) s ON x WHEN NOT MATCHED THEN INSERT VALUES (nextval('t'))",
        "MERGE INTO t USING (s JOIN r ON x) ON s.x = t.x WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING",
        "CREATE OR REPLACE MATERIALIZED VIEW IF NOT EXISTS v (a) AS «SELECT data FROM a, data»",
        "CREATE MATERIALIZED VIEW v AS «SELECT 1» WITH DATA;",
        "CREATE MATERIALIZED VIEW v AS «SELECT 1» WITH NO DATA",
        "CREATE TABLE v AS SELECT 1",
        "CREATE FUNCTION f() RETURNS b LANGUAGE sql AS $x$ «DELETE FROM t»; CALL p; ⟦SELECT 1⟧$x$",
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC «SELECT 1»; ⟦SELECT CASE a WHEN 1 END⟧; END",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ «SELECT 1 LIMIT 3» $$",
        "CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql AS $$ «SELECT 1»; «SELECT 2» $$",
        "CREATE FUNCTION f() RETURNS TABLE (a int) LANGUAGE sql AS $$ «SELECT 2» $$",
        "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ «INSERT INTO t SELECT 1»; $$",
        "CREATE PROCEDURE f() LANGUAGE 'sql' AS $$ «INSERT INTO t SELECT 1» $$",
        "CREATE PROCEDURE f(INOUT x int) AS $$ ⟦SELECT 1⟧ $$ LANGUAGE sql",
        "DO $$ BEGIN «DELETE FROM t»; END $$",
        "DO LANGUAGE plpgsql $$ BEGIN «DELETE FROM t»; END $$",
        body("<<a>> DECLARE x int; y int := 3; BEGIN «SELECT 1»; <<b>> LOOP «SELECT 2»; END LOOP;"),
        body("BEGIN IF a THEN «UPDATE t SET n = 1»; ELSE «WITH a AS (SELECT 1) SELECT 2»; END"),
        body("BEGIN RETURN QUERY «SELECT CASE WHEN a THEN 1 ELSE 2 END»; RETURN; «SELECT 1»;"),
        body("BEGIN PERFORM CASE WHEN a THEN 1 END; OPEN c FOR SELECT 1; «SELECT 2»;"),
        body("BEGIN <<l>> FOR i IN ⟦SELECT a IN (1)⟧ LOOP «DELETE FROM t»; x := (SELECT 1);"),
        body("BEGIN MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET n = 1; «SELECT 1»;"),
        body("BEGIN CREATE TABLE v AS SELECT CASE WHEN a THEN 1 END; «SELECT 1»;"),
        body("BEGIN EXCEPTION WHEN others THEN «SELECT 1»; END; BEGIN «SELECT 2»;"),
        body('BEGIN ⟦SELECT ⟨INTO STRICT x, y.z⟩ a⟧; ⟦WITH b AS (SELECT 1) SELECT 2 ⟨INTO "X"⟩⟧;'),
        body("BEGIN «SELECT a ⟨INTO x⟩ FROM t LIMIT 1»; «SELECT a ⟨INTO x⟩ FOR UPDATE»;"),
        body("BEGIN ⟦SELECT a ⟨INTO x⟩ FROM (SELECT 1 LIMIT 1) t⟧;"),
        body("BEGIN «INSERT INTO t VALUES (1) RETURNING a ⟨INTO x⟩»;"),
    ],
)
def test_queries(text: str) -> None:
    """In square brackets where the order of their rows matters, with INTO in angles."""
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
        ("CREATE FUNCTION f() RETURNS int LANGUAGE c AS $$x$$, $$y$$", "its body is not"),
        ("CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$", "its body is not"),
        ("CREATE FUNCTION f(a text = $$SELECT 1$$) LANGUAGE sql AS 'x'", "its body is not"),
        ("DO 'BEGIN SELECT 1; END'", "its body is not"),
        ("CREATE FUNCTION f() RETURNS int SET a = 1 BEGIN ATOMIC SELECT 1; END", "its SET"),
        ("CREATE FUNCTION f(time_zone_name text) LANGUAGE sql AS $$ SELECT 1 $$", "a variable may"),
        (body("BEGIN SELECT 1 INTO x INTO y;"), "it has two INTO"),
        (body("BEGIN SELECT 1 INTO x.;"), "the target"),
        (body("BEGIN SELECT 1 INTO STRICT;"), "the target"),
        (body("BEGIN SELECT t; <<t>> LOOP NULL; END LOOP;"), "t may be a variable"),
        (body('DECLARE x int; "T" int; BEGIN SELECT t;'), "t may be a variable"),
        (body("BEGIN FOR x, t IN SELECT 1, 2 LOOP NULL; DELETE FROM t;"), "t may be"),
        (body("BEGIN <<l>> FOREACH t IN ARRAY x LOOP SELECT t;"), "t may be a variable"),
        (body("DECLARE r record; BEGIN SELECT r.x FROM q.r;"), "r may be a variable"),
        (body("DECLARE r record; y int := t; BEGIN SELECT r.t, q.r.t, t(y), y < t FROM q;"), None),
        (body("DECLARE t int; BEGIN SELECT q.t INTO t FROM q FOR UPDATE OF q;"), None),
    ],
)
def test_why_not(text: str, reason: str | None) -> None:
    found = container_of(text, first_word(text)[0], {"t"}, {"time_zone_name"})
    assert found
    reasons = {found.why_not, *(one.why_not for one in found.queries)} - {None}
    assert [str(one).startswith(reason or "-") for one in reasons] == [True] * (reason is not None)

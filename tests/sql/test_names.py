"""Kinds of columns, by what FROM makes of the tables, against the types that the engines give."""

from __future__ import annotations

import duckdb
from sqlglot import exp

from tests import postgres
from tzconv.sql.names import names_of
from tzconv.sql.parse import parse
from tzconv.sql.schema import Kind, Schema
from tzconv.sql.selects import selects_of

OF_TYPES: dict[str, Kind] = {
    **dict.fromkeys(("timestamp", "timestamp without time zone"), "timestamp"),
    "timestamp with time zone": "timestamptz",
    "date": "date",
    "integer": "number",
}
E = {"ts": "timestamp", "tz": "timestamptz", "d": "date", "n": "integer"}
F = {"n": "integer", "tz": "timestamp", "ts": "timestamptz", "k": "date"}
TABLES = {"e": E, "f": F, "s.e": F, "t.e": E, "s.h": E, "g": {**E, "h": "date"}, "h": F}
"""All names of times have another kind in another table."""
DECLARED = {"e": E, "f": F, "s.e": F, "t.e": E, "s.h": E, "g": {"ts": "timestamp", "": ""}}

KNOWN = """
SELECT ts FROM e
SELECT E.TS FROM e
SELECT x.tz FROM e x
SELECT e.tz FROM e, f
SELECT f.tz FROM e, f
SELECT k FROM e, f
SELECT ts FROM s.e
SELECT s.e.ts FROM s.e
SELECT s.e.ts FROM s.e, f
SELECT ts FROM g
SELECT g.ts FROM g JOIN h USING (n)
SELECT d FROM e JOIN f USING (n)
SELECT d FROM e NATURAL JOIN (SELECT n FROM f) x
SELECT k FROM e NATURAL LEFT JOIN f
SELECT g.ts FROM g NATURAL JOIN (SELECT n FROM h) x
SELECT ts AS tz, tz FROM e
SELECT (SELECT max(tz) FROM f) FROM e
SELECT (SELECT max(e.tz) FROM f) FROM e
SELECT (SELECT ts FROM e UNION SELECT tz FROM f) FROM e
SELECT (SELECT x.tz FROM f WHERE f.n = x.n) FROM e x
SELECT (SELECT (SELECT x.tz FROM f LIMIT 1) FROM f LIMIT 1) FROM e x
SELECT tz FROM (SELECT ts AS tz FROM e) x
SELECT x.tz FROM (SELECT * FROM f) x
SELECT x.tz FROM (SELECT f.* FROM e, f) x
SELECT x.k FROM (SELECT e.ts, f.* FROM e, f) x
SELECT x.d FROM (SELECT * FROM e, f) x
SELECT x.ts FROM (SELECT * FROM g) x
SELECT x.ts FROM (SELECT g.* FROM g) x
SELECT x.b FROM (SELECT ts, tz FROM e) x(a, b)
SELECT x.tz FROM (SELECT ts, tz FROM e) x(a)
SELECT x.tz FROM (SELECT ts AS tz FROM e UNION ALL SELECT tz FROM f) x
SELECT x.a FROM (VALUES (TIMESTAMP '2021-01-01', 1), (NULL, 2)) x(a, b)
SELECT x.b FROM (VALUES (TIMESTAMP '2021-01-01', DATE '2021-01-01')) x(a, b)
SELECT x.tz FROM f, LATERAL (SELECT f.tz) x
SELECT x.ts FROM f, LATERAL (SELECT f.ts FROM e) x
SELECT x.ts FROM f, LATERAL (SELECT f.* FROM e) x
SELECT x.ts FROM f, LATERAL (SELECT e.* FROM e) x
SELECT (SELECT * FROM (SELECT ts AS tz FROM e) x LIMIT 1) FROM f
SELECT x.q FROM (SELECT * FROM (SELECT tz, ts FROM e) y(a) UNION SELECT ts, tz FROM f) x(p, q)
WITH e AS (SELECT tz, ts FROM e) SELECT x.ts FROM (SELECT * FROM e EXCEPT SELECT ts, tz FROM f) x
WITH c(a, b) AS (SELECT tz, ts FROM e) SELECT b FROM (SELECT * FROM c UNION ALL SELECT c.* FROM c) d
WITH e AS (SELECT ts AS tz FROM e) SELECT tz FROM e
WITH e AS (SELECT ts AS tz FROM e) SELECT x.tz FROM e AS x
WITH e AS (SELECT ts AS k FROM e) SELECT tz FROM s.e
WITH c(a, tz) AS (SELECT tz, ts FROM e) SELECT tz FROM c
WITH c(a, tz) AS (SELECT tz, ts FROM e) SELECT d FROM c AS x(tz, d)
WITH c AS (SELECT * FROM e), d AS (SELECT * FROM c) SELECT ts FROM d
WITH RECURSIVE r AS (SELECT ts AS a, 1 AS n FROM e UNION SELECT a, n + 1 FROM r) SELECT a FROM r
WITH RECURSIVE r(n, tz) AS (SELECT 1, ts FROM e UNION (SELECT * FROM r)) SELECT tz FROM r
WITH RECURSIVE r(n, e) AS (SELECT 1, d FROM e UNION SELECT n, e + 1 FROM r) SELECT e FROM r
"""
UNKNOWN = """
SELECT x.b FROM e x(a, b)
SELECT x.tz FROM e x(a)
SELECT tz FROM g
SELECT ts FROM h
SELECT x.tz FROM (SELECT * FROM g) x
SELECT x.tz FROM (SELECT * FROM h) x
SELECT x.tz FROM (SELECT tz, 1 FROM e UNION ALL SELECT NULL, 2) x
SELECT x.ts FROM (SELECT * FROM g UNION ALL SELECT * FROM g) x
SELECT x.tz FROM (SELECT * FROM (SELECT * FROM f) y UNION ALL SELECT n, ts, tz, d FROM e) x
SELECT d FROM e JOIN h USING (n)
SELECT n FROM e NATURAL JOIN f
SELECT ts FROM e RIGHT JOIN h USING (ts)
SELECT ts FROM e NATURAL RIGHT JOIN h
SELECT ts FROM g NATURAL RIGHT JOIN h
SELECT (SELECT s.e.ts FROM s.h AS e LIMIT 1) FROM s.e
SELECT (SELECT s.e.ts FROM t.e LIMIT 1) FROM s.e
SELECT (SELECT s.e.ts FROM s.e LIMIT 1) FROM t.e
SELECT (SELECT tz FROM g LIMIT 1) FROM e
SELECT x.tz FROM f, LATERAL (SELECT g.*, f.tz AS x FROM g) x
SELECT x.ts FROM (SELECT e.*, g.h FROM g, e) x
"""
OF_DUCKDB = """
SELECT x.tz FROM (SELECT * EXCLUDE (ts) REPLACE (ts AS tz) FROM e) x
SELECT x.tz FROM (SELECT * EXCLUDE (tz), ts AS tz FROM e) x
SELECT x.tz FROM (SELECT * RENAME (ts AS tz, tz AS ts) FROM e) x
SELECT x.tz FROM (SELECT count(*), ts AS tz FROM e GROUP BY ALL) x
SELECT x.n FROM (SELECT * FROM (SELECT tz, ts AS tz, n FROM e) y UNION SELECT tz, ts, n FROM e) x
SELECT x.tz FROM (SELECT * FROM (SELECT * EXCLUDE (ts) FROM (SELECT n, ts, tz FROM e)) y) x
SELECT r FROM range(TIMESTAMP '2021-01-01', TIMESTAMP '2021-01-02', INTERVAL 1 DAY) x(r)
SELECT range FROM range(TIMESTAMP '2021-01-01', TIMESTAMP '2021-01-02', INTERVAL 1 DAY) x
SELECT generate_series FROM generate_series(DATE '2021-01-01', DATE '2021-01-02', INTERVAL 1 DAY)
SELECT e.tz FROM e SEMI JOIN f USING (n)
SELECT s.e.ts FROM s.e, (SELECT {'ts': ts} AS e FROM e) AS s
SELECT s.e.ts FROM s.e, (SELECT {'e': {'ts': ts}} AS s FROM e) x
"""
NOT_OF_DUCKDB = """
SELECT x.tz FROM (SELECT COLUMNS('t.'), ts AS tz FROM e) x
SELECT x.tz FROM (SELECT * LIKE 't%', ts AS tz FROM e) x
SELECT x.tz FROM (SELECT max(COLUMNS('t.')), max(ts) AS tz FROM e) x
SELECT x.tz FROM (SELECT unnest({'tz': tz}), ts AS tz FROM e) x
SELECT x.tz FROM (SELECT ts AS tz FROM e UNION ALL BY NAME SELECT 1 AS n, tz FROM e) x
SELECT x.tz FROM (SELECT *, ts AS tz FROM e) x
SELECT x.tz FROM (SELECT tz, ts AS tz FROM e) x
SELECT ts AS tz, alias.tz FROM e AS alias
SELECT ts AS q, q FROM g
WITH RECURSIVE r AS (SELECT d FROM e UNION SELECT d + INTERVAL '1 day' FROM r) SELECT d FROM r
SELECT s.e.d FROM s.e, (SELECT {'d': ts} AS e FROM e) AS s
SELECT (SELECT s.e.ts FROM (SELECT {'e': {'ts': ts}} AS s FROM e) x LIMIT 1) FROM s.e
SELECT x.tz FROM (SELECT * FROM e JOIN f USING (n)) x
SELECT (SELECT tz FROM (SELECT tz::timestamp FROM f) x LIMIT 1) FROM e
SELECT (SELECT tz FROM (SELECT (CAST(tz AS timestamp)) FROM f) x LIMIT 1) FROM e
"""
OF_POSTGRES = """
SELECT x.tz FROM (SELECT tz::timestamp FROM e) x
SELECT (SELECT tz FROM (SELECT CAST(tz AS timestamp) FROM f) x LIMIT 1) FROM e
SELECT x FROM generate_series(DATE '2021-01-01', DATE '2021-01-02', INTERVAL '1 day') AS x
SELECT x.r FROM generate_series(now(), now(), INTERVAL '1 day') AS x(r)
SELECT x."TZ" FROM (SELECT ts AS "TZ" FROM e) x
SELECT "X"."TS" FROM (SELECT tz AS "TS" FROM e) "X"
"""
NOT_OF_POSTGRES = """
SELECT "E".tz FROM f AS "E", e
SELECT e.tz FROM f AS "E", e
SELECT x.ts FROM (SELECT tz AS "TS", ts FROM e) x
SELECT (SELECT e.tz FROM f AS "E" LIMIT 1) FROM e
"""


def lines(text: str, *, is_known: bool) -> list[tuple[str, bool]]:
    return [(line, is_known) for line in text.strip().splitlines()]


BOTH = [*lines(KNOWN, is_known=True), *lines(UNKNOWN, is_known=False)]


def check(dialect: str, sql: str, type_: str, *, is_known: bool) -> None:
    [tree] = parse(sql, dialect).statements
    scope = selects_of(tree)[-1]
    assert isinstance(scope.expression, exp.Select)
    names = names_of(scope, Schema(DECLARED, dialect))
    found = names.kind(scope.expression.expressions[-1].unalias())
    assert found == OF_TYPES[type_.lower()] or (found is None and not is_known), (sql, found, type_)


def created(name: str) -> str:
    columns = ", ".join(f"{one} {type_}" for one, type_ in TABLES[name].items())
    return f"CREATE TABLE {name} ({columns})"


def test_on_duckdb() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA s; CREATE SCHEMA t")
        for name in TABLES:
            connection.execute(created(name))
        own = lines(OF_DUCKDB, is_known=True) + lines(NOT_OF_DUCKDB, is_known=False)
        for sql, is_known in BOTH + own:
            described = connection.execute(f"DESCRIBE {sql}").fetchall()[-1]
            check("duckdb", sql, str(described[1]), is_known=is_known)


def test_on_postgres(server: postgres.Server) -> None:
    with server.connect() as connection:
        connection.execute("BEGIN")
        connection.execute("CREATE SCHEMA s")
        connection.execute("CREATE SCHEMA t")
        for name in TABLES:
            connection.execute(created(name))
        own = lines(OF_POSTGRES, is_known=True) + lines(NOT_OF_POSTGRES, is_known=False)
        for sql, is_known in BOTH + own:
            cursor = connection.execute(sql)
            assert cursor.description is not None
            [(type_,)] = connection.execute(
                "SELECT format_type(%s, NULL)", [cursor.description[-1].type_code]
            ).fetchall()
            check("postgres", sql, str(type_), is_known=is_known)
        connection.execute("ROLLBACK")

"""Queries inside other statements: both texts are run on PostgreSQL, and give the same rows."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from tests import postgres
from tests.corpora import Database, check_bytes
from tzconv.rewriter import Rewrite, rewrite, statements

ZONED = "action_event_time AT TIME ZONE 'UTC' AT TIME ZONE"
DAY = f"({ZONED} 'America/New_York')::date = DATE '2026-03-08'"
OWN = "a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name"
FROM = "FROM actions a JOIN publishers p ON p.id = a.action_publisher_id"
LATE = "action_event_time + INTERVAL '5 years' < now()"

FUNCTIONS = {
    "sql": f"""CREATE FUNCTION f() RETURNS TABLE (h timestamp, n bigint) LANGUAGE sql STABLE AS $$
        -- each hour; {DAY}
        SELECT date_trunc('hour', {OWN}), count(*) {FROM} GROUP BY 1;
    $$""",
    "sql, the last of several": f"""CREATE FUNCTION f() RETURNS SETOF bigint AS $x$
        DELETE FROM sink WHERE day = DATE '2026-03-08';
        INSERT INTO sink SELECT ({OWN})::date, count(*) {FROM} GROUP BY 1;
        SELECT n FROM sink $x$ LANGUAGE sql""",
    "sql, one row": f"""CREATE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC
        SELECT count(*) FROM actions WHERE {DAY};
        SELECT count(CASE WHEN {LATE} THEN 1 END) FROM actions;
    END""",
    "a first row": f"""CREATE FUNCTION f() RETURNS timestamp LANGUAGE plpgsql AS $$
        DECLARE latest timestamp;
        BEGIN
            SELECT {OWN} INTO latest {FROM}
                WHERE isfinite(a.action_event_time) ORDER BY 1 DESC LIMIT 1;
            RETURN latest;
        END $$""",
    "return query": f"""CREATE OR REPLACE FUNCTION f(since date DEFAULT '2000-01-01')
        RETURNS TABLE (moment timestamp, amount bigint) LANGUAGE plpgsql AS $function$
        <<top>>
        DECLARE most int := 3;
        BEGIN
            IF since IS NULL THEN RETURN; END IF;
            RETURN QUERY SELECT date_trunc('day', {OWN}), count(*) {FROM}
                WHERE a.n > most AND {OWN} >= since GROUP BY 1;
        END $function$""",
    "loops and variables": f"""CREATE FUNCTION f() RETURNS SETOF text LANGUAGE plpgsql AS $$
        DECLARE one record; total bigint; latest text;
        BEGIN
            SELECT count(*) INTO STRICT total FROM actions WHERE {DAY};
            RETURN NEXT total;
            FOR one IN SELECT {OWN} AS shown, a.n AS many {FROM} ORDER BY 1, 2 LOOP
                RETURN NEXT one.many || ': ' || coalesce(one.shown::text, '');
            END LOOP;
            DELETE FROM actions WHERE {DAY};
            UPDATE actions SET n = 3 WHERE {LATE};
            GET DIAGNOSTICS total = ROW_COUNT;
            RETURN NEXT total;
            total := CASE WHEN total > 3 THEN 1 ELSE 2 END;
            INSERT INTO sink (day, n) SELECT ({OWN})::date, count(*) {FROM} GROUP BY 1;
            SELECT sum(n) INTO total FROM sink;
            RETURN NEXT total;
        EXCEPTION WHEN division_by_zero THEN RETURN;
        END $$""",
    "a record in a query": f"""CREATE FUNCTION f() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE
            one record; action_name CONSTANT text := 'click'; -- no column of the query below
            rows CURSOR (least int) FOR SELECT action_event_time FROM actions WHERE n > least;
        BEGIN
            FOR one IN SELECT id FROM publishers ORDER BY id LIMIT 200 LOOP
                RETURN QUERY SELECT count(*) FROM actions a
                WHERE a.action_publisher_id = one.id AND {DAY} AND {LATE.replace("5", "0")};
            END LOOP;
        END $$""",
}


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[Database]:
    made = Database("postgres", server)
    yield made
    made.close()


def made_by(database: Database, sql: str) -> Rewrite:
    result = database.rewrite(sql)
    check_bytes(sql, result)
    assert database.rewrite(result.sql).sql == result.sql
    return result


def run(database: Database, sql: str, shown: str) -> list[str]:
    """What is shown after a statement, which is then undone."""
    database.execute("BEGIN")
    try:
        database.execute(sql)
        return sorted(map(str, database.postgres.execute(shown).fetchall()))
    finally:
        database.execute("ROLLBACK")
        database.execute("DEALLOCATE ALL")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(database: Database, name: str) -> None:
    result = made_by(database, FUNCTIONS[name])
    assert not [left for left in result.left if left.code != "row-order"]
    assert result.sql.count("tzconv_1.") + result.sql.count("TIMESTAMP '2026-03-0") > 1
    rows = []
    for text in (FUNCTIONS[name], result.sql):
        rows.append(run(database, text, "SELECT f::text FROM f()"))
    assert rows[0] == rows[1]
    assert rows[0]


TODAY = "(action_event_time AT TIME ZONE 'UTC' AT TIME ZONE home)::date"


@pytest.mark.parametrize(
    ("query", "is_argument"),
    [
        (f"SELECT {TODAY}, count(*) FROM actions GROUP BY 1", True),
        (
            f"SELECT {TODAY}, count(*) FROM actions, (VALUES ('Asia/Tokyo')) v(home) GROUP BY 1",
            False,
        ),
        (f"SELECT {TODAY}, 1 FROM (SELECT *, 'Asia/Tokyo' home FROM actions) a", False),
        (f"SELECT {TODAY}, 1 FROM actions NATURAL JOIN (SELECT * FROM homes) h", False),
    ],
)
@pytest.mark.not_core
def test_an_argument_of_a_function_in_sql(
    database: Database, query: str, is_argument: bool
) -> None:
    """It is the zone, unless a column has its name; of a table that is not known, the rows stay."""
    table = (
        "CREATE TABLE homes AS SELECT id AS action_id, 'Asia/Tokyo' AS home FROM publishers LIMIT 3"
    )
    header = "CREATE FUNCTION f(home text) RETURNS TABLE (d date, n bigint) LANGUAGE sql"
    function = f"{header} AS $$ {query} $$"
    result = made_by(database, function)
    assert not is_argument or result.changes
    rows = []
    for text in (f"{table}; {function}", f"{table}; {result.sql}"):
        rows.append(run(database, text, "SELECT f::text FROM f('America/New_York')"))
    assert rows[0] == rows[1]
    assert rows[0]


def test_do(database: Database) -> None:
    sql = f"DO $$ BEGIN INSERT INTO sink SELECT ({OWN})::date, 1 {FROM}; END $$"
    result = made_by(database, sql)
    rows = []
    for text in (sql, result.sql):
        rows.append(run(database, text, "SELECT sink::text FROM sink"))
    assert rows[0] == rows[1]
    assert result.changes


QUERY = (
    f"SELECT date_trunc('day', {OWN}) AS day, count(*) AS n {FROM} "
    "AND isfinite(a.action_event_time) GROUP BY 1"
)
NAMED_DATA = (
    f"SELECT count(*) FROM actions, (VALUES (0)) x(data) WHERE {DAY} - data AND {DAY} - data"
)


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        (f"PREPARE x (int) AS {QUERY} HAVING count(*) > $1", "EXECUTE x (3)"),
        (f"CREATE MATERIALIZED VIEW v TABLESPACE pg_default AS {QUERY} WITH DATA", "TABLE v"),
        (f"CREATE MATERIALIZED VIEW v WITH (fillfactor = 70) AS {QUERY}", "TABLE v"),
        (f"CREATE MATERIALIZED VIEW v AS {NAMED_DATA}", "TABLE v"),
        (f"CREATE MATERIALIZED VIEW v AS {QUERY} WITH NO DATA", "SELECT relname FROM pg_class"),
        (f"CREATE TABLE v WITH (fillfactor = 70) AS {QUERY}", "TABLE v"),
        (f"CREATE TABLE v TABLESPACE pg_default AS {QUERY} WITH DATA", "TABLE v"),
        (f"CREATE VIEW v WITH (security_barrier = true) AS {QUERY}", "TABLE v"),
        (f"CREATE VIEW v WITH (security_barrier, security_invoker) AS {QUERY}", "TABLE v"),
        (f"EXPLAIN (ANALYZE, COSTS OFF) CREATE TABLE v AS {QUERY}", "TABLE v"),
        (f"EXPLAIN ANALYZE VERBOSE INSERT INTO sink {QUERY}", "TABLE sink"),
    ],
)
def test_statements_that_hold_a_query(database: Database, sql: str, shown: str) -> None:
    result = made_by(database, sql)
    assert result.changes
    rows = []
    for text in (sql, result.sql):
        rows.append(run(database, text, shown))
    assert rows[0] == rows[1]
    assert rows[0]


def test_copy_and_explain_of_a_query(database: Database) -> None:
    sql = f"COPY ({QUERY} ORDER BY 1, 2) TO STDOUT WITH (FORMAT csv, HEADER)"
    result = made_by(database, sql)
    copied = []
    for text in (sql, result.sql):
        with database.postgres.cursor().copy(text.encode()) as copy:
            copied.append(b"".join(map(bytes, copy)))
    assert copied[0] == copied[1]
    assert copied[0].startswith(b"day,n\n")
    assert made_by(database, f"EXPLAIN ({QUERY})").changes
    inner = f"SELECT {SITE} AS shown FROM logs"
    explained = rewrite(f"EXPLAIN ANALYZE {inner}", schema=TYPES)
    assert explained.sql == f"EXPLAIN ANALYZE {rewrite(inner, schema=TYPES).sql}"
    assert explained.changes


TYPES = {"logs": {"t": "timestamp", "n": "integer", "zone": "text"}, "other": {"x": "integer"}}
SITE = "t AT TIME ZONE 'UTC' AT TIME ZONE zone"
QUOTED = SITE.replace("'", "''")
TWICE = QUOTED.replace("'", "''")


def plpgsql(body: str, header: str = "f() RETURNS void") -> str:
    return f"CREATE FUNCTION {header} LANGUAGE plpgsql AS $$ BEGIN {body} END $$"


@pytest.mark.parametrize(
    "sql",
    [
        plpgsql(f"PERFORM {SITE} FROM logs;"),
        plpgsql(f"EXECUTE 'SELECT {QUOTED} FROM logs';"),
        plpgsql(f"EXECUTE format($q$ SELECT {SITE} FROM %I $q$, 'logs');"),
        plpgsql(f"RETURN QUERY SELECT {SITE} FROM logs;", "f(t timestamp) RETURNS void"),
        plpgsql(f"RETURN QUERY SELECT {SITE} FROM logs;", "f(out T timestamp)"),
        plpgsql(f"RETURN QUERY SELECT {SITE} FROM logs;", "f(Tzconv_1 logs) RETURNS void"),
        plpgsql(f"RETURN QUERY SELECT logs.{SITE} FROM logs;", "f(logs record) RETURNS void"),
        plpgsql(f"RETURN QUERY SELECT f.{SITE} FROM logs f;", "s.f() RETURNS void"),
        plpgsql(
            f"DECLARE c CURSOR (t int) FOR SELECT 1; BEGIN INSERT INTO logs SELECT {SITE} "
            "FROM logs; END;"
        ),
        plpgsql(f"INSERT INTO logs SELECT new.{SITE} FROM s.new;"),
        plpgsql(f"FOR i IN SELECT {SITE} FROM logs LOOP RAISE NOTICE '%', i; END LOOP;"),
        plpgsql(f"SELECT {SITE} INTO x FROM logs;"),
        plpgsql(f"SET LOCAL search_path = x; INSERT INTO logs SELECT {SITE} FROM logs;"),
        plpgsql(f"INSERT INTO logs SELECT {SITE} FROM logs; CREATE TEMP TABLE logs (t date);"),
        plpgsql(f"EXECUTE x; INSERT INTO logs SELECT {SITE} FROM logs;"),
        plpgsql(f"PERFORM set_config(a, b, c); INSERT INTO logs SELECT {SITE} FROM logs;"),
        f"CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$#variable_conflict use_variable\n"
        f"BEGIN INSERT INTO logs SELECT {SITE} FROM logs; END $$",
        f"CREATE FUNCTION f() RETURNS timestamp LANGUAGE sql AS $$ SELECT {SITE} FROM logs $$",
        f"CREATE PROCEDURE f(OUT x timestamp) LANGUAGE sql AS $$ SELECT {SITE} FROM logs $$",
        f"CREATE FUNCTION f() RETURNS SETOF timestamp LANGUAGE sql AS 'SELECT {QUOTED} FROM logs'",
        f"CREATE PROCEDURE f() LANGUAGE plpgsql AS 'BEGIN EXECUTE ''SELECT {TWICE} FROM s''; END'",
        f"CREATE FUNCTION f() RETURNS void LANGUAGE plpython3u AS $$ q = 'SELECT {QUOTED}' $$",
        f"DO LANGUAGE edbspl $$ BEGIN INSERT INTO logs SELECT {SITE} FROM logs; END $$",
        f"DECLARE c CURSOR FOR SELECT {SITE} FROM logs",
        f"CREATE MATERIALIZED VIEW v WITH (timescaledb.continuous) AS SELECT {SITE} FROM logs",
        f"MERGE INTO logs USING other ON {SITE} = x WHEN MATCHED THEN UPDATE SET n = 1",
        f"CREATE INDEX i ON logs (({SITE}))",
        f"CREATE POLICY p ON logs USING ({SITE} > '2026-01-01')",
        f"CREATE TRIGGER x BEFORE UPDATE ON logs WHEN (NEW.{SITE} > n) EXECUTE PROCEDURE f()",
        f"ALTER TABLE logs ADD CHECK ({SITE} > '2026-01-01')",
        f"CREATE TABLE v (t timestamp, d date GENERATED ALWAYS AS (({SITE})::date) STORED)",
        f"CREATE VIEW v AS SELECT {SITE} FROM logs WITH CHECK OPTION",
        f"INSERT INTO logs (n) VALUES (1) ON CONFLICT (n) DO UPDATE SET t = logs.{SITE}",
        f"UNLOAD ('SELECT {QUOTED} FROM logs') TO 's3://x'",
        f"REFRESH FAST ON {SITE}",
    ],
)
def test_what_is_left_is_said(sql: str) -> None:
    """Joins, and all of it where a name may be another."""
    result = statements.rewrite_each(
        f"SELECT 1;\n  {sql};\nSELECT 2",
        functools.partial(rewrite, dialect="postgres", schema=TYPES, strategy="array"),
        dialect="postgres",
    )
    assert result.sql == f"SELECT 1;\n  {sql};\nSELECT 2"
    assert {left.line for left in result.left} in ({2}, {3})
    [left] = result.left
    assert "AT TIME ZONE" in left.text
    assert left.code not in ("constant", "fixed-offset")

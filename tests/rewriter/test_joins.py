"""What a query gains by plain joins of kept tables, and what it must not lose by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests import events, events_postgres, postgres
from tests.corpora import Database, in_turn
from tests.databases import IS_DUCKDB_1
from tzconv import tables
from tzconv.rewriter import Rewrite

LOCAL = "a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name"
HERE = "a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris'"
JOINED = "FROM actions a JOIN publishers p ON a.action_publisher_id = p.id"

# rewritten on both engines
CHANGED = {
    # names of ours, without a table, in every clause
    "name like one of ours": "SELECT tzconv_a.seen AT TIME ZONE tzconv_zone AS t "
    "FROM (SELECT seen, z AS tzconv_zone FROM zoned) tzconv_a",
    "star of a CTE in a UNION": f"WITH c AS (SELECT a.seen, p.time_zone_name AS z {JOINED}) "
    "SELECT seen AT TIME ZONE z AS t FROM (SELECT * FROM c UNION SELECT * FROM c) u",
    "recursive CTE": f"WITH RECURSIVE r(t, z, k) AS (SELECT a.seen, p.time_zone_name, 1 {JOINED} "
    "UNION ALL SELECT t + INTERVAL '9 hours', z, k + 1 FROM r WHERE k < 3 "
    "AND extract(hour FROM t AT TIME ZONE z) < 13) SELECT t AT TIME ZONE z AS t, k FROM r",
    "name in SELECT": f"SELECT {LOCAL} AS t, time_zone_name {JOINED}",
    "name in WHERE": f"SELECT {LOCAL} AS t {JOINED} WHERE time_zone_name > 'B'",
    "name in ON": f"SELECT {LOCAL} AS t {JOINED} JOIN shops s ON s.shop = a.n "
    "AND time_zone_name > 'A'",
    "name in GROUP BY": f"SELECT ({LOCAL})::date AS t, time_zone_name, count(*) {JOINED} "
    "GROUP BY 1, time_zone_name",
    "name in HAVING": f"SELECT max({LOCAL}) AS t, p.id {JOINED} GROUP BY p.id "
    "HAVING min(time_zone_name) > 'B'",
    "name in ORDER BY": f"SELECT {LOCAL} AS t {JOINED} ORDER BY time_zone_name, a.n",
    "name in a window": f"SELECT {LOCAL} AS t, count(*) OVER (PARTITION BY time_zone_name) AS c "
    f"{JOINED}",
    "name in a subquery": f"SELECT {LOCAL} AS t {JOINED} WHERE EXISTS (SELECT 1 FROM shops s "
    "WHERE s.shop = a.n AND time_zone_name > 'B')",
    "name in a subquery's subquery": f"SELECT {LOCAL} AS t {JOINED} WHERE EXISTS (SELECT 1 FROM "
    "(SELECT s.shop, time_zone_name AS z FROM shops s) q WHERE q.shop = a.n AND q.z > 'B')",
    "name in USING": "SELECT a.seen AT TIME ZONE p.time_zone_name AS t, time_zone_name "
    "FROM publishers p JOIN few o USING (time_zone_name) "
    "JOIN actions a ON a.action_publisher_id = p.id",
    "name in a joined subquery": f"SELECT {LOCAL} AS t, l.z {JOINED} "
    "CROSS JOIN (SELECT shop, 'x' AS z FROM shops) l WHERE l.shop = a.n",
    "name in a derived table": f"SELECT {LOCAL} AS t FROM actions a JOIN (SELECT id, "
    "time_zone_name FROM publishers) p ON a.action_publisher_id = p.id",
    "alias like a column": f"SELECT ({LOCAL})::date AS zone_id, count(*) {JOINED} "
    "GROUP BY zone_id ORDER BY zone_id",
    "alias like a column of the daily table": f"SELECT ({LOCAL})::date AS day, count(*) {JOINED} "
    "GROUP BY day",
    # stars
    "star": f"SELECT *, {LOCAL} AS t {JOINED}",
    "star of quoted aliases": 'SELECT *, "A".seen AT TIME ZONE "odd name".time_zone_name AS t '
    'FROM actions AS "A" JOIN publishers "odd name" ON "A".action_publisher_id = "odd name".id',
    "star with DISTINCT": f"SELECT DISTINCT * {JOINED} WHERE {LOCAL} > TIMESTAMP '2015-01-01'",
    "star of a CTE": "WITH x AS (SELECT a.n, a.seen, p.time_zone_name AS z "
    f"{JOINED}) SELECT * FROM x WHERE (seen AT TIME ZONE z)::date > DATE '2015-01-01'",
    "star in a derived table": f"SELECT count(*) FROM (SELECT *, {LOCAL} AS t {JOINED}) q "
    "WHERE q.t > TIMESTAMP '2015-01-01'",
    "star in a CTE": "WITH x AS (SELECT * FROM actions a JOIN publishers p "
    f"ON a.action_publisher_id = p.id WHERE {LOCAL} > TIMESTAMP '2015-01-01') "
    "SELECT n, time_zone_name FROM x",
    "star of all columns of one": f"SELECT a.*, {LOCAL} AS t {JOINED}",
    "star that is counted": f"SELECT count(*), max({LOCAL}) AS t {JOINED}",
    # commas
    "comma": f"SELECT {LOCAL} AS t FROM actions a, publishers p WHERE a.action_publisher_id = p.id",
    "comma and star": f"SELECT *, {LOCAL} AS t FROM publishers p, actions a "
    "WHERE a.action_publisher_id = p.id",
    "three by commas": f"SELECT {LOCAL} AS t, s.n FROM actions a, sites s, publishers p "
    "WHERE a.action_publisher_id = p.id AND s.n = a.n",
    "comma before a join": f"SELECT {LOCAL} AS t, s.n FROM actions a, publishers p "
    "LEFT JOIN sites s ON s.n = p.id WHERE a.action_publisher_id = p.id",
    "comma after": "SELECT a.seen AT TIME ZONE p.time_zone_name AS t FROM actions a "
    "JOIN publishers p ON a.action_publisher_id = p.id, sites s WHERE s.n = a.n",
    # conditions of joins
    "ON": f"SELECT a.n, s.n AS m {JOINED} LEFT JOIN sites s ON s.n = a.n "
    f"AND {LOCAL} > TIMESTAMP '2015-01-01'",
    "ON of an inner join": f"SELECT a.n, s.n AS m {JOINED} JOIN sites s ON s.n = a.n "
    f"AND ({LOCAL})::date > DATE '2015-01-01'",
    "ON of its own relation": "SELECT p.id, z.* FROM publishers p LEFT JOIN zoned z "
    "ON (z.seen AT TIME ZONE z.z)::date = DATE '2014-06-01' + p.id::integer",
    "star and ON of its own relation": "SELECT * FROM publishers p JOIN zoned z "
    "ON (z.seen AT TIME ZONE z.z)::date = DATE '2014-06-01' + p.id::integer",
    "ON of its own relation beside others": "SELECT p.id, count(b.n) FROM publishers p "
    "JOIN zoned b ON DATE '2014-06-01' + p.id::integer = (b.seen AT TIME ZONE b.z)::date "
    "JOIN sites s ON s.n = p.id GROUP BY 1",
    "ON of its own relation in parentheses": "SELECT p.id, b.n FROM sites s "
    "LEFT JOIN (publishers p JOIN zoned b ON DATE '2014-06-01' + p.id::integer = "
    "(b.seen AT TIME ZONE b.z)::date) ON s.n = p.id",
    "two zones": f"SELECT {LOCAL} AS t, a.seen AT TIME ZONE q.time_zone_name AS u {JOINED} "
    "LEFT JOIN few q ON q.id = a.n",
    "joins on all sides": f"SELECT {LOCAL} AS t FROM publishers p "
    "FULL JOIN actions a ON a.action_publisher_id = p.id LEFT JOIN sites s ON s.n = a.n",
    "beside LATERAL": f"SELECT {LOCAL} AS t, l.m {JOINED}, LATERAL (SELECT a.n + 1 AS m) l",
    "beside a joined LATERAL": f"SELECT {LOCAL} AS t, l.m {JOINED} "
    "JOIN LATERAL (SELECT s.n + a.n AS m FROM sites s WHERE s.n < a.n) l ON true",
    "name in LATERAL": f"SELECT {LOCAL} AS t, l.m {JOINED}, LATERAL (SELECT time_zone_name AS m) l",
    "star and LATERAL": f"SELECT *, {LOCAL} AS t {JOINED}, LATERAL (SELECT a.n + 1 AS m) l",
    # whole rows stay what they are
    "whole rows": f"SELECT {LOCAL} AS t, count(DISTINCT p) {JOINED} GROUP BY 1",
    "a whole row": f"SELECT {LOCAL} AS t, p {JOINED}",
    # names of ours that the query has already
    "our aliases": f"SELECT {LOCAL} AS t, tzconv_2.n AS m {JOINED} "
    "JOIN sites tzconv_2 ON tzconv_2.n = a.n "
    "JOIN sites tzconv_1 ON tzconv_1.n = a.n",
    "our columns": "SELECT x.t FROM (SELECT a.seen AT TIME ZONE p.time_zone_name AS t, "
    f"p.id AS tzconv_1 {JOINED}) x WHERE x.tzconv_1 > 3",
    # constant zones in every clause
    "constant in GROUP BY by number": f"SELECT ({HERE})::date AS t, count(*) FROM actions a "
    "GROUP BY 1",
    "constant in GROUP BY by name": f"SELECT ({HERE})::date AS t, count(*) FROM actions a "
    "GROUP BY t HAVING count(*) > 1 ORDER BY t",
    "constant in GROUP BY and HAVING": f"SELECT ({HERE})::date AS t, count(*) FROM actions a "
    f"GROUP BY ({HERE})::date HAVING ({HERE})::date > DATE '2011-01-01'",
    "constant in an aggregate of HAVING": "SELECT a.n, count(*) FROM actions a GROUP BY a.n "
    f"HAVING max({HERE}) > TIMESTAMP '2015-01-01'",
    "constant in ORDER BY": f"SELECT a.n FROM actions a ORDER BY {HERE}, a.n, a.seen",
    "constant in ORDER BY by number": f"SELECT {HERE}, a.n FROM actions a ORDER BY 1, 2 DESC",
    "constant in DISTINCT": f"SELECT DISTINCT ({HERE})::date AS t FROM actions a ORDER BY t",
    "constant in a window": f"SELECT a.n, count(*) OVER (PARTITION BY ({HERE})::date) AS c "
    "FROM actions a",
    "constant in ON": f"SELECT a.n, s.n AS m FROM actions a JOIN sites s ON s.n = a.n "
    f"AND {HERE} > s.opened",
    "two constants": f"SELECT {HERE} AS t, a.seen AT TIME ZONE 'Asia/Kolkata' AS u FROM actions a",
}

CHANGED_POSTGRES = {
    "FOR UPDATE OF": f"SELECT {LOCAL} AS t {JOINED} FOR UPDATE OF a SKIP LOCKED",
    "FOR UPDATE OF two": f"SELECT {LOCAL} AS t {JOINED} FOR SHARE OF p FOR UPDATE OF A",
    "FOR UPDATE OF another": f"SELECT * FROM (SELECT {LOCAL} AS t, p.id {JOINED}) q "
    "JOIN owners o ON o.id = q.id FOR UPDATE OF o",
}

# left on both engines, with a word of the reason
LEFT = {
    "NATURAL JOIN": ("a NATURAL join", f"SELECT {LOCAL} AS t {JOINED} NATURAL JOIN sites s"),
    "star with USING": (
        "list the columns",
        "SELECT *, seen AT TIME ZONE p.time_zone_name AS t FROM owners o "
        "JOIN publishers p USING (id, time_zone_name) JOIN actions a ON a.n = o.id",
    ),
    "star of a join in parentheses": (
        "list the columns",
        f"SELECT *, {LOCAL} AS t FROM "
        "(actions a JOIN publishers p ON a.action_publisher_id = p.id)",
    ),
    "star of a query without a name": (
        "list the columns",
        f"SELECT *, {LOCAL} AS t {JOINED} JOIN (SELECT 1 AS one) ON true",
    ),
    "ON in parentheses of the relation before": (
        "ON clause",
        "SELECT b.n, p.id FROM (zoned b JOIN publishers p ON (b.seen AT TIME ZONE b.z)::date = "
        "DATE '2014-06-01' + p.id::integer) RIGHT JOIN sites s ON s.n = b.n",
    ),
    "a merged column beside the column itself": (
        "once per group",
        "SELECT timezone('Europe/Rome', TIMESTAMPTZ '2026-01-01 00:00:00+00' + b.n * INTERVAL "
        "'1 hour') AS t FROM zoned b LEFT JOIN sites s USING (n) GROUP BY timezone('Europe/Rome', "
        "TIMESTAMPTZ '2026-01-01 00:00:00+00' + n * INTERVAL '1 hour')",
    ),
    "LIMIT without order": ("LIMIT without ORDER BY", f"SELECT {LOCAL} AS t {JOINED} LIMIT 3"),
}
LEFT_DUCKDB = {
    "a subquery without FROM": (
        "the tables of its columns are unknown",
        "SELECT (SELECT a.seen AT TIME ZONE 'Asia/Tokyo') AS t FROM actions a",
    ),
    "EXCLUDE": ("list the columns", f"SELECT * EXCLUDE (seen), {LOCAL} AS t {JOINED}"),
    "REPLACE": ("list the columns", f"SELECT * REPLACE ({LOCAL} AS seen) {JOINED}"),
    "COLUMNS": ("COLUMNS()", f"SELECT COLUMNS('n$'), {LOCAL} AS t {JOINED}"),
    "ASOF": ("ASOF", f"SELECT {LOCAL} AS t {JOINED} ASOF JOIN sites s ON s.n <= a.n"),
    "POSITIONAL": ("POSITIONAL", f"SELECT {LOCAL} AS t {JOINED} POSITIONAL JOIN sites s"),
    "rowid": ("rowid", f"SELECT rowid, {HERE} AS t FROM actions a"),
}
LEFT_POSTGRES = {
    "FOR UPDATE": ("FOR UPDATE", f"SELECT {LOCAL} AS t {JOINED} FOR UPDATE"),
    "FOR SHARE of all beside others": (
        "FOR UPDATE",
        f"SELECT {LOCAL} AS t {JOINED} FOR UPDATE OF a FOR SHARE",
    ),
    "FOR UPDATE after parentheses": (
        "FOR UPDATE",
        f"SELECT * FROM (((SELECT {LOCAL} AS t {JOINED})) FOR UPDATE) q",
    ),
    "FOR UPDATE of a subquery": (
        "FOR UPDATE",
        f"SELECT * FROM (SELECT {LOCAL} AS t {JOINED}) Q FOR UPDATE OF q",
    ),
    "an updatable view": (
        "can be written to",
        "CREATE VIEW made AS SELECT a.n, a.seen AT TIME ZONE a.z AS t FROM zoned a",
    ),
    "an updatable view of a query in parentheses": (
        "can be written to",
        "CREATE VIEW made AS ((SELECT a.n, a.seen AT TIME ZONE a.z AS t FROM zoned a))",
    ),
    "a hidden column": (
        "belongs to one table",
        "SELECT ctid, seen AT TIME ZONE z AS t FROM zoned a",
    ),
}


def prepare(database: Database) -> None:
    for statement in (
        "CREATE TABLE owners AS SELECT id, time_zone_name FROM publishers",
        "CREATE TABLE few AS SELECT id, time_zone_name FROM publishers WHERE id % 10 = 3 "
        "AND time_zone_name LIKE '%/%' AND id < 300",
        "CREATE TABLE shops AS SELECT n AS shop FROM sites",
        "CREATE TABLE zoned AS SELECT a.n, a.seen, p.time_zone_name AS z "
        "FROM actions a JOIN publishers p ON a.action_publisher_id = p.id",
    ):
        database.execute(statement)
    if database.dialect == "duckdb":
        database.types = events.column_types(database.duckdb)
    else:
        database.types = events_postgres.column_types(database.postgres)


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    made = Database(request.param, request.getfixturevalue("server"))
    prepare(made)
    yield made
    made.close()


def same_rows(database: Database, sql: str, strategy: str | None = None) -> Rewrite:
    """The rewrite, which gives the same rows, and is left alone by a second pass."""
    result = database.rewrite(sql, strategy)
    is_planned = not result.changes
    if is_planned:
        result = database.rewrite(sql, strategy, is_planned=True)
    columns, rows = database.rows_of(sql)
    assert sum(rows.values()) > 0, "a query without rows proves nothing"
    assert database.rows_of(result.sql) == (columns, rows), result.sql
    again = database.rewrite(result.sql, strategy, is_planned=is_planned)
    assert again.sql == result.sql
    return result


@pytest.mark.parametrize("name", CHANGED)
def test_rewritten(name: str, database: Database) -> None:
    result = same_rows(database, CHANGED[name])
    assert any(
        tables.ZONE.name in change.after or tables.PERIOD.name in change.after
        for change in result.changes
    ), result.left
    assert not result.left


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * REPLACE (seen AT TIME ZONE z AS seen) FROM zoned",
        "SELECT 1, * EXCLUDE (z) REPLACE (seen AT TIME ZONE 'Asia/Tokyo' AS seen) FROM zoned q",
        "SELECT range AT TIME ZONE 'Europe/Paris' FROM range(DATE '2024-10-20', "
        "DATE '2024-11-10', INTERVAL 7 HOUR)",
        "SELECT r.range AT TIME ZONE s.z AS t FROM range(TIMESTAMP '2024-10-20', "
        "TIMESTAMP '2024-11-10', INTERVAL 7 HOUR) r, (SELECT DISTINCT z FROM zoned) s",
        "SELECT object AT TIME ZONE 'UTC' AT TIME ZONE z, row AT TIME ZONE z FROM (SELECT a.seen "
        "AS list, action_event_time AS object, action_event_time AS row, p.time_zone_name AS z "
        f"{JOINED}) "
        "WHERE (list AT TIME ZONE 'Europe/Paris')::date < DATE '2014-06-01' "
        "AND (list AT TIME ZONE z)::date < DATE '2014-05-01' "
        "AND (list AT TIME ZONE z)::date < CURRENT_DATE",
    ],
)
@pytest.mark.parametrize("database", ["duckdb"], indirect=True)
def test_rewritten_on_duckdb(sql: str, database: Database) -> None:
    assert not same_rows(database, sql).left


@pytest.mark.parametrize("name", CHANGED_POSTGRES)
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_rewritten_on_postgres(name: str, database: Database) -> None:
    assert not same_rows(database, CHANGED_POSTGRES[name]).left


@pytest.mark.parametrize("strategy", ["offset", "hourly", "daily"])
def test_on_request(strategy: str, database: Database) -> None:
    changed = sum(
        bool(same_rows(database, sql, strategy).changes)
        for name, sql in in_turn(CHANGED.items(), 0)
        if name.startswith(("name", "alias", "star", "comma", "constant", "ON"))
    )
    assert changed > 1


def left_with_a_reason(database: Database, sql: str, reason: str) -> None:
    database.execute("BEGIN")
    database.execute(sql)  # it is a statement
    database.execute("ROLLBACK")
    result = database.rewrite(sql)
    assert result.sql == sql
    assert reason in result.left[0].reason


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str, database: Database) -> None:
    reason, sql = LEFT[name]
    left_with_a_reason(database, sql, reason)


@pytest.mark.parametrize("name", LEFT_DUCKDB)
@pytest.mark.parametrize("database", ["duckdb"], indirect=True)
def test_left_on_duckdb(name: str, database: Database) -> None:
    reason, sql = LEFT_DUCKDB[name]
    left_with_a_reason(database, sql, reason)


@pytest.mark.skipif(IS_DUCKDB_1, reason="before 2.0 DuckDB converts in every zone, also ''")
@pytest.mark.parametrize("database", ["duckdb"], indirect=True)
def test_a_bound_in_a_zone_of_the_query_around(database: Database) -> None:
    """It stays, beside a bound that holds in every zone."""
    sql = (
        "SELECT p.id, (SELECT count(*) FROM actions a WHERE a.action_publisher_id = p.id AND "
        "a.action_event_time >= TIMESTAMP '2014-06-01 00:00:00' AT TIME ZONE p.time_zone_name "
        "AT TIME ZONE 'UTC') AS later FROM publishers p"
    )
    result = database.rewrite(sql)
    assert "is of the query around it" in result.left[0].reason
    assert database.rows_of(result.sql) == database.rows_of(sql)


@pytest.mark.parametrize("name", LEFT_POSTGRES)
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_left_on_postgres(name: str, database: Database) -> None:
    reason, sql = LEFT_POSTGRES[name]
    left_with_a_reason(database, sql, reason)


# Damaged tables: rows that somebody deleted


def test_a_damaged_table_loses_no_row(database: Database) -> None:
    """The function answers for what the tables lack."""
    names = [name for name in CHANGED if name in ("comma", "ON", "joins on all sides", "two zones")]
    for name in names:
        before = database.rows_of(CHANGED[name])
        after = database.rewrite(CHANGED[name]).sql
        database.execute("BEGIN")
        for table, condition in (
            (tables.PERIOD.name, "zone_period % 3 = 0"),
            (tables.ZONE.name, "zone_id % 7 = 0"),
        ):
            database.execute(f"DELETE FROM {table} WHERE {condition}")
        try:
            if database.dialect == "duckdb":
                assert events.rows_of(database.duckdb, after) == before
            else:
                assert events_postgres.rows_of(database.postgres, after) == before
        finally:
            database.execute("ROLLBACK")


# The plan of the query's own relations on PostgreSQL


@pytest.fixture(scope="module")
def chain(server: postgres.Server) -> Iterator[Database]:
    """Twelve tables, each smaller than the one before, and statistics of them."""
    made = Database("postgres", server)
    for number in range(12):
        made.execute(
            f"CREATE TABLE r{number} AS SELECT i AS id, i % {max(1, 4000 >> number)} AS next, "
            "TIMESTAMP '2020-01-01' + i * INTERVAL '1 hour' AS t, "
            "CASE i % 3 WHEN 0 THEN 'Asia/Kolkata' WHEN 1 THEN 'America/New_York' "
            f"ELSE 'Europe/Paris' END AS z FROM generate_series(0, {(8000 >> number) + 3}) i"
        )
        made.execute(f"CREATE INDEX ON r{number} (id)")
    made.execute("ANALYZE")
    made.types = events_postgres.column_types(made.postgres)
    yield made
    made.close()


def plan(database: Database, sql: str) -> Any:
    rows: Any = database.postgres.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchall()
    return rows[0][0][0]["Plan"]


def shape(node: Any) -> Any:
    """Which of the query's own relations are joined first: pairs of what is joined."""
    below = [made for child in node.get("Plans", []) if (made := shape(child)) is not None]
    if node.get("Relation Name"):
        return None if node["Relation Name"] == tables.ZONE.name else node["Alias"]
    if len(below) == 1:  # a sort, a hash, or a join with a kept table
        return below[0]
    return frozenset(below) if below else None


@pytest.mark.parametrize("count", [2, 4, 7, 8, 9, 12])
@pytest.mark.parametrize("separator", ["JOIN", "LEFT JOIN", ","])
def test_the_plan_below_stays(count: int, separator: str, chain: Database) -> None:
    """With join_collapse_limit and from_collapse_limit as shipped: 8."""
    pairs = [(f"r{i}", f"r{i - 1}.next = r{i}.id") for i in range(1, count)]
    if separator == ",":
        relations = ", ".join(["r0", *(name for name, _ in pairs)])
        where = " AND ".join(["r0.id < 500", *(on for _, on in pairs)])
    else:
        relations = " ".join(["r0", *(f"{separator} {name} ON {on}" for name, on in pairs)])
        where = f"r0.id < 500 AND r{count // 2}.id % 5 < 4"
    sql = (
        f"SELECT r0.t AT TIME ZONE 'UTC' AT TIME ZONE r{count - 1}.z AS local, r1.id "
        f"FROM {relations} WHERE {where}"
    )
    result = chain.rewrite(sql)
    if separator == "," and count >= 8:
        assert result.sql == sql
        assert "would fix their order" in result.left[0].reason
        return
    assert tables.ZONE.name in result.sql
    assert shape(plan(chain, result.sql)) == shape(plan(chain, sql))
    assert chain.rows_of(result.sql) == chain.rows_of(sql)

"""What a DBA has built is worth more than a conversion saved: plans before and after a rewrite.

The plans are looked at through EXPLAIN, not timed, and the rows of both texts are compared.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from tests import postgres
from tests.command import run
from tests.databases import INDEXES_CONVERSIONS
from tzconv import engines, refresh, target
from tzconv.engines.backend import Backend
from tzconv.engines.postgres.expected import shares_of
from tzconv.rewriter import Rewrite, rewrite
from tzconv.sql.built import Built
from tzconv.sql.reasons import Code, Reason

_ZONES = ("America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe")
_EVENTS, _ACCOUNTS = 60_000, 1_000
NEW_YORK = "(e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')"
LOCAL = "(e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.zone)"
JOINED = "JOIN accounts a ON a.id = e.account_id"
_KEY = NEW_YORK.replace("e.ts", "ts")
DAY = "DATE '2024-03-10'"

_TABLES = f"""
    CREATE TABLE accounts AS SELECT i::int AS id, ({{array}})[1 + i::int % 4] AS zone
    FROM {{numbers}} AS n (i) WHERE i < {_ACCOUNTS};
    CREATE TABLE events AS SELECT i::int AS id, (i * 7919 % {_ACCOUNTS})::int AS account_id,
        CASE i % 50 WHEN 0 THEN 'refund' ELSE 'buy' END AS kind, i::int % 100 AS amount,
        TIMESTAMP '2022-01-01' + i * INTERVAL '25 minutes' AS ts
    FROM {{numbers}} AS n (i)
    """
_COPIES = ("by_day", "by_account", "partial", "ordered", "counted", "brin", "generated")
_POSTGRES = [
    *(f"CREATE TABLE {name} AS SELECT * FROM events ORDER BY md5(id::text)" for name in _COPIES),
    "ALTER TABLE accounts ADD PRIMARY KEY (id)",
    f"CREATE INDEX day_index ON by_day (({_KEY}::date))",
    f"CREATE INDEX account_index ON by_account (account_id, ({_KEY}::date))",
    f"CREATE INDEX refunds ON partial (({_KEY}::date)) WHERE kind = 'refund'",
    f"CREATE INDEX since ON partial (account_id) WHERE {_KEY}::date >= '2023-01-01'",
    "CREATE INDEX ts_index ON ordered (ts)",
    "CREATE INDEX tenant_index ON ordered (account_id, ts) INCLUDE (amount)",
    f"CREATE STATISTICS day_counts ON ({_KEY}::date) FROM counted",
    "CREATE INDEX brin_index ON brin USING brin (ts)",
    f"ALTER TABLE generated ADD COLUMN local_day date GENERATED ALWAYS AS ({_KEY}::date) STORED",
    "CREATE INDEX local_day_index ON generated (local_day)",
    "CREATE TABLE by_time AS SELECT * FROM events ORDER BY ts",
    "CREATE INDEX time_index ON by_time (ts)",
    "CREATE TABLE in_utc AS SELECT id, CASE id % 5 WHEN 0 THEN zone ELSE 'UTC' END AS zone "
    "FROM accounts",
    *(
        f"CREATE TABLE {table} AS SELECT id, account_id, CASE WHEN id % 10 < {known} THEN ts "
        "WHEN id % 3 = 1 THEN 'infinity' ELSE '9999-12-31' END AS ts FROM events"
        for table, known in (("open_ended", 3), ("ended", 1))
    ),
    "CREATE DOMAIN zone_name AS varchar CHECK (VALUE <> '')",
    "CREATE TABLE named AS SELECT id, zone::zone_name AS zone FROM accounts",
    f"CREATE TABLE parts (LIKE events) PARTITION BY RANGE (({_KEY}::date))",
    "CREATE TABLE months (LIKE events) PARTITION BY RANGE (ts)",
    *(
        f"CREATE TABLE {table}_{year}_{month} PARTITION OF {table} FOR VALUES FROM "
        f"('{year}-{month:02}-01') TO ('{year + month // 12}-{month % 12 + 1:02}-01')"
        for table in ("parts", "months")
        for year in (2021, 2022, 2023, 2024)
        for month in range(1, 13)
    ),
    "INSERT INTO parts SELECT * FROM events",
    "INSERT INTO months SELECT * FROM events",
    "ANALYZE",
]

LEFT: dict[str, tuple[str, Code, str]] = {
    "a day by its index": (
        f"SELECT count(*), sum(amount) FROM by_day e WHERE {NEW_YORK}::date = {DAY}",
        "loses-index",
        "day_index",
    ),
    "its order": (
        f"SELECT id, {NEW_YORK}::date AS d FROM by_day e ORDER BY {NEW_YORK}::date DESC LIMIT 3",
        "loses-index",
        "day_index",
    ),
    "its greatest": (
        f"SELECT max({NEW_YORK}::date) FROM by_day e",
        "loses-index",
        "day_index",
    ),
    "distinct days": (
        f"SELECT DISTINCT ON ({NEW_YORK}::date) {NEW_YORK}::date, id FROM by_day e "
        f"WHERE {NEW_YORK}::date > DATE '2024-09-01' ORDER BY {NEW_YORK}::date, id",
        "loses-index",
        "day_index",
    ),
    "a day of an account": (
        f"SELECT count(*) FROM by_account e WHERE account_id = 42 AND {NEW_YORK}::date >= {DAY}",
        "loses-index",
        "account_index",
    ),
    "a partial index": (
        f"SELECT count(*) FROM partial e WHERE kind = 'refund' AND {NEW_YORK}::date = {DAY}",
        "loses-index",
        "refunds",
    ),
    "the condition of one": (
        f"SELECT count(*) FROM partial e WHERE account_id = 7 AND {NEW_YORK}::date >= {DAY}",
        "loses-index",
        "since",
    ),
    "a partition": (
        f"SELECT count(*), sum(amount) FROM parts e WHERE {NEW_YORK}::date = {DAY}",
        "loses-partition",
        "parts",
    ),
    "partitions of now": (
        f"SELECT count(*) FROM parts e WHERE {NEW_YORK}::date = "
        "(now() AT TIME ZONE 'America/New_York')::date",
        "loses-partition",
        "parts",
    ),
}
"""Query, the code of the reason, and what it names."""

REWRITTEN = {
    "no index of that form": f"SELECT count(*) FROM by_day e WHERE {NEW_YORK} >= TIMESTAMP "
    f"'2024-03-10' AND {NEW_YORK} < TIMESTAMP '2024-03-12'",
    "no condition of the partial index": f"SELECT count(*) FROM partial e WHERE kind = 'buy' "
    f"AND {NEW_YORK}::date = DATE '2022-06-10'",
    "no first column of the index": f"SELECT count(*) FROM by_account e WHERE {NEW_YORK}::date "
    f"BETWEEN {DAY} AND DATE '2024-04-10'",
    "a bound that prunes": f"SELECT {LOCAL}::date, count(*) FROM months e {JOINED} "
    f"WHERE {LOCAL}::date = {DAY} GROUP BY 1",
    "a block range": f"SELECT count(*) FROM brin e WHERE {NEW_YORK}::date = {DAY}",
    "a column nobody asks for": f"SELECT count(*) FROM generated e WHERE {NEW_YORK}::date = {DAY}",
    "an index on ts": f"SELECT count(*) FROM ordered e {JOINED} WHERE {LOCAL}::date = {DAY}",
    "a zone of a domain": f"SELECT {LOCAL}::date, count(*) FROM ordered e "
    f"{JOINED.replace('accounts', 'named')} GROUP BY 1",
    "all days": f"SELECT {LOCAL}::date, count(*) FROM ordered e {JOINED} GROUP BY 1",
}

BOTH = f"SELECT {LOCAL}::date, count(*) FROM parts e {JOINED} WHERE {NEW_YORK}::date BETWEEN " + (
    "DATE '2023-01-05' AND DATE '2023-12-20' GROUP BY 1"
)


DUCKDB = [
    _TABLES.format(array=f"{list(_ZONES)}", numbers=f"(SELECT range FROM range(1, {_EVENTS} + 1))"),
    "CREATE TABLE by_day AS SELECT * FROM events ORDER BY hash(id)",
    *([f"CREATE INDEX day_index ON by_day (({_KEY}::date))"] if INDEXES_CONVERSIONS else []),
    "CREATE TABLE by_account AS SELECT * FROM events ORDER BY hash(id)",
    "CREATE INDEX account_index ON by_account (account_id)",
]


@dataclass(frozen=True)
class Tuned:
    backend: Backend
    connection: psycopg.Connection[tuple[object, ...]]

    def rewritten(self, sql: str, **options: Any) -> Rewrite:
        return rewrite(sql, **{**target.read(self.backend).options(), **options})

    def plan(self, sql: str) -> str:
        rows = self.connection.execute(f"EXPLAIN {sql}".encode()).fetchall()
        return "\n".join(str(row[0]) for row in rows)

    def rows(self, sql: str) -> list[str]:
        return sorted(map(str, self.connection.execute(sql.encode()).fetchall()))


@pytest.fixture(scope="module")
def tuned(server: postgres.Server) -> Iterator[Tuned]:
    url = server.fresh("plans")
    refresh(url, zones=list(_ZONES), start=dt.date(2024, 1, 1), end=dt.date(2027, 1, 1))
    with server.connect("plans") as connection:
        array, numbers = f"ARRAY{list(_ZONES)}", f"generate_series(1, {_EVENTS})"
        for statement in (*_TABLES.format(array=array, numbers=numbers).split(";"), *_POSTGRES):
            connection.execute(statement.encode())
        with engines.connect(url, read_only=True) as backend:
            yield Tuned(backend, connection)


@pytest.mark.parametrize("name", LEFT)
def test_what_is_built_for_an_expression_stays(tuned: Tuned, name: str) -> None:
    sql, code, named = LEFT[name]
    result = tuned.rewritten(sql)
    assert result.sql == sql
    assert [one.code for one in result.left if named in one.reason] == [code] * sql.count(NEW_YORK)
    known = named if code == "loses-index" else f"{named}_"
    assert known in tuned.plan(sql) or "now()" in sql


@pytest.mark.parametrize("name", LEFT)
def test_the_planner_alone_finds_it_too(tuned: Tuned, name: str) -> None:
    """Also what no catalog tells, such as an index on a partition or below a view."""
    sql, code, named = LEFT[name]
    result = tuned.rewritten(sql, built=())
    known = named if code == "loses-index" else f"{named}_"
    assert tuned.plan(sql).count(known) == tuned.plan(result.sql).count(known)
    assert tuned.rows(sql) == tuned.rows(result.sql)


@pytest.mark.parametrize("column", ["e.ts", "e.ts::timestamptz"])
@pytest.mark.parametrize(
    ("shown", "made_by"), [("count(*)", set()), (f"{LOCAL}::date, count(*)", {"array", "columns"})]
)
def test_the_planner_knows_now(tuned: Tuned, column: str, shown: str, made_by: set[str]) -> None:
    """It takes a third of the rows to be later than a subquery says, and an index for those."""
    sql = f"SELECT {shown} FROM by_time e {JOINED} WHERE {column} > now() - INTERVAL '100 years' "
    sql += "AND amount < 3 AND kind = 'buy'" + " GROUP BY 1" * bool(made_by)
    result = tuned.rewritten(sql)
    assert [one.code for one in result.left] == ["loses-estimate"]
    assert " e.ts > now() - INTERVAL '100 years' " in result.sql
    assert {one.strategy for one in result.changes} - {"now"} <= made_by
    assert any(one.strategy in made_by for one in result.changes) == bool(made_by)
    assert tuned.rewritten(result.sql).sql == result.sql
    assert tuned.rows(sql) == tuned.rows(result.sql)
    assert "time_index" not in tuned.plan(result.sql)
    assert "time_index" in tuned.plan(tuned.rewritten(sql, strategy="now").sql)
    alone = tuned.rewritten(sql, plans=None)
    assert ([one.code for one in alone.left], alone.sql) == (["loses-estimate"], result.sql)
    for_any = tuned.rewritten(sql.replace("< 3", "< $1"))
    assert [one.code for one in for_any.left] == ["loses-estimate"]


_TODAY = "(now() AT TIME ZONE 'America/New_York')::date"
BOUNDED: dict[str, tuple[bool, bool]] = {
    f"{NEW_YORK}::date >= {_TODAY} - 36500": (False, False),
    f"{NEW_YORK}::date >= {_TODAY} - {{least}}": (False, True),
    f"{NEW_YORK}::date < {_TODAY}": (False, False),
    f"{NEW_YORK}::date = {_TODAY} - {{least}}": (True, True),
    f"{NEW_YORK}::date BETWEEN {_TODAY} - 36500 AND {_TODAY}": (False, False),
    f"{NEW_YORK}::date BETWEEN {_TODAY} - 14 AND {_TODAY}": (True, True),
    f"{NEW_YORK} >= {_TODAY} - INTERVAL '40 years'": (False, False),
    f"{NEW_YORK} >= {_TODAY} - 12000 * INTERVAL '1 day'": (False, False),
    f"{NEW_YORK} >= date_trunc('month', {_TODAY}::timestamp)": (True, True),
    f"date_trunc('year', {NEW_YORK}) = date_trunc('year', {_TODAY}::timestamp)": (False, True),
    f"{LOCAL}::date >= (now() AT TIME ZONE a.zone)::date - 36500": (False, False),
    f"{LOCAL}::date >= (now() AT TIME ZONE a.zone)::date - 2": (True, True),
}
"""Conditions; are there bounds of their column without a connection, and with the planner?"""


@pytest.mark.parametrize("condition", BOUNDED)
def test_bounds_of_now_that_an_index_is_searched_for(tuned: Tuned, condition: str) -> None:
    """The planner takes a third of the rows, or of 200 one, to be within a subquery's bounds."""
    [(least,)] = tuned.connection.execute("SELECT min(CURRENT_DATE - ts::date) FROM by_time")
    sql = "SELECT count(*), sum(amount) FROM by_time e " + JOINED * ("a.zone" in condition)
    sql += f" WHERE {condition.format(least=least)}"
    alone, asked = (tuned.rewritten(sql, **one) for one in ({"plans": None}, {}))
    bounds = [re.search(r"AND e\.ts [<>]= \(SELECT ", one.sql) for one in (alone, asked)]
    assert tuple(map(bool, bounds)) == BOUNDED[condition]
    assert tuned.rows(sql) == tuned.rows(alone.sql) == tuned.rows(asked.sql)
    assert ("time_index" in tuned.plan(asked.sql)) == BOUNDED[condition][1]


SORTED: dict[str, bool] = {
    f"count(DISTINCT {LOCAL}::date)": True,
    f"kind, count(DISTINCT {LOCAL}::date) AS n GROUP BY kind": True,
    f"{LOCAL}::date, count(DISTINCT e.id) AS n GROUP BY 1": False,
    f"kind, count(DISTINCT amount), max({LOCAL}) AS n GROUP BY kind": True,
    f"kind, max({LOCAL}) AS n GROUP BY kind": False,
    f"e.id, {LOCAL}, row_number() OVER (PARTITION BY account_id ORDER BY e.ts, e.id)": True,
    f"e.id, lag({LOCAL}) OVER (PARTITION BY account_id ORDER BY e.ts, e.id)": True,
    f"e.id, count(*) OVER (PARTITION BY account_id, {LOCAL}::date)": False,
    f"e.id, sum(amount) OVER (PARTITION BY account_id ORDER BY {LOCAL})": False,
    f"string_agg(e.id::text, ',' ORDER BY {LOCAL}, e.id)": True,
}
"""What a query shows; do the joined rows go through a sort?"""


@pytest.mark.parametrize("shown", SORTED)
def test_the_text_says_that_offsets_go_through_a_sort(tuned: Tuned, shown: str) -> None:
    what, _, group = shown.partition(" AS n ")
    sql = f"SELECT {what} FROM ordered e {JOINED} {group}"
    result = tuned.rewritten(sql, plans=None, rows=None, strategy=None)
    assert bool(result.changes) != SORTED[shown]
    assert {one.code for one in result.left} == ({"loses-order"} if SORTED[shown] else set())
    forced = tuned.rewritten(sql, strategy="array").sql
    plan: Any = tuned.connection.execute(f"EXPLAIN (FORMAT JSON) {forced}".encode()).fetchall()
    nodes = _nodes(plan[0][0][0]["Plan"])
    widths = [one["Plan Width"] for one in nodes if "Sort" in one["Node Type"]]
    assert (max(widths, default=0) > 300) == SORTED[shown]
    assert tuned.rows(sql) == tuned.rows(result.sql) == tuned.rows(forced)


def test_bounds_stay_where_a_join_is_lost(tuned: Tuned) -> None:
    sql = f"SELECT kind, count(DISTINCT {LOCAL}::date) FROM ordered e {JOINED} "
    sql += f"WHERE {LOCAL}::date >= DATE '2022-02-10' GROUP BY kind"
    result = tuned.rewritten(sql, rows=None)
    assert {one.code for one in result.left} == {"loses-order"}
    assert {one.strategy for one in result.changes} == {"range"}
    assert tuned.rows(sql) == tuned.rows(result.sql)


@pytest.mark.parametrize("zone", ["a.zone", "COALESCE(a.zone, 'UTC')"])
@pytest.mark.parametrize("where", ["", f"WHERE {LOCAL}::date >= DATE '2024-02-10'"])
def test_most_zones_are_utc(tuned: Tuned, zone: str, where: str) -> None:
    sql = f"SELECT {LOCAL}::date, count(*) FROM events e {JOINED} {where} GROUP BY 1"
    sql = sql.replace("a.zone", zone)
    assert "array" in {one.strategy for one in tuned.rewritten(sql, rows=None).changes}
    sql = sql.replace("JOIN accounts", "JOIN in_utc")
    result = tuned.rewritten(sql, rows=None)
    assert {(one.code, "a.zone" in one.reason) for one in result.left} == {("no-gain", True)}
    assert {one.strategy for one in result.changes} == ({"range"} if where else set())
    assert tuned.rows(sql) == tuned.rows(result.sql)


@pytest.mark.parametrize("zone", ["a.zone", "'Europe/Berlin'"])
def test_most_times_are_in_no_table(tuned: Tuned, zone: str) -> None:
    """Where all have one zone, the function is faster from more of them on."""
    sql = f"SELECT {LOCAL}::date, count(*) FROM events e {JOINED} GROUP BY 1"
    sql = sql.replace("a.zone", zone)
    assert tuned.rewritten(sql, rows=None).changes
    [left] = tuned.rewritten(sql.replace("events", "ended"), rows=None).left
    assert (left.code, "of e.ts are NULL or not" in left.reason) == ("no-gain", True)
    result = tuned.rewritten(sql.replace("events", "open_ended"), rows=None)
    assert bool(result.changes) == ("a.zone" not in sql)


@pytest.mark.parametrize("style", ["ISO", "German", "SQL, DMY", "Postgres, MDY"])
def test_times_in_no_table_are_known_by_their_text(tuned: Tuned, style: str) -> None:
    def ask(sql: str, parameters: None) -> list[Any]:
        return tuned.connection.execute(sql.encode(), parameters).fetchall()

    tuned.connection.execute(f"SET DateStyle = '{style}'".encode())
    far, _ = shares_of(("public", "open_ended"), "ts", ask)
    assert far == pytest.approx(0.7, abs=0.05)
    assert shares_of(("public", "open_ended"), "account_id", ask) == (0, 0)
    tuned.connection.execute(b"RESET DateStyle")


def _nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(one for child in node.get("Plans", ()) for one in _nodes(child))]


@pytest.mark.parametrize("column", ["e.ts", "e.ts::timestamptz"])
def test_without_an_index_there_is_nothing_to_know(tuned: Tuned, column: str) -> None:
    sql = f"SELECT count(*) FROM events e WHERE {column} > now() - INTERVAL '100 years'"
    result = tuned.rewritten(sql)
    assert "WHERE e.ts > (SELECT CAST(now() " in result.sql
    assert (result.left, tuned.rows(sql)) == ((), tuned.rows(result.sql))


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_serves_nothing_is_rewritten(tuned: Tuned, name: str) -> None:
    sql = REWRITTEN[name]
    result = tuned.rewritten(sql)
    assert result.changes, [one.reason for one in result.left]
    assert tuned.rows(sql) == tuned.rows(result.sql)
    scans = re.compile(r"Scan (?:using \w+ )?on (?!time_zone|tzconv_|\w+_index)(\w+)")
    before, after = (scans.findall(tuned.plan(text)) for text in (sql, result.sql))
    assert set(after) <= set(before)
    if "months" in sql:
        read = [sum(one.startswith("months") for one in scans) for scans in (before, after)]
        assert read == [48, 1]


def test_one_place_stays_and_another_is_rewritten(tuned: Tuned) -> None:
    result = tuned.rewritten(BOTH)
    assert {one.strategy for one in result.changes} == {"array"}
    assert [one.code for one in result.left] == ["loses-partition"]
    assert tuned.plan(BOTH).count("parts_") == tuned.plan(result.sql).count("parts_")
    assert tuned.rows(BOTH) == tuned.rows(result.sql)


def test_bounds_that_cost_an_index_only_scan_are_dropped(tuned: Tuned) -> None:
    sql = (
        f"SELECT a.id, sum(e.amount) FROM accounts a JOIN ordered e ON e.account_id = a.id "
        f"WHERE a.id < 20 AND {LOCAL}::date >= {DAY} GROUP BY 1"
    )
    tuned.connection.execute("VACUUM ordered")
    assert "Index Only Scan using tenant_index" in tuned.plan(sql)
    result = tuned.rewritten(sql)
    assert "Index Only Scan using tenant_index" in tuned.plan(result.sql)
    assert tuned.rows(sql) == tuned.rows(result.sql)


@pytest.mark.not_core
def test_a_short_window_keeps_parallel_workers(tuned: Tuned) -> None:
    sql = (
        f"SELECT date_trunc('hour', {LOCAL}), count(*) FROM events e {JOINED} "
        "WHERE e.ts >= '2024-03-01' AND e.ts < '2024-04-01' GROUP BY 1"
    )
    result = tuned.rewritten(sql, plans=None, rows=None)
    assert "SELECT DISTINCT time_zone_name" in result.sql
    for setting in ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"):
        tuned.connection.execute(f"SET {setting} = 0".encode())
    try:
        assert "Workers Planned" in tuned.plan(sql)
        assert "Workers Planned" in tuned.plan(result.sql)
        assert tuned.rows(sql) == tuned.rows(result.sql)
    finally:
        tuned.connection.execute("RESET ALL")


def test_a_plan_of_any_parameters(tuned: Tuned) -> None:
    sql = f"SELECT count(*) FROM by_day e WHERE amount < $1 AND {NEW_YORK}::date = {DAY}"
    result = tuned.rewritten(sql, built=())
    assert result.sql == sql
    assert [(one.code, "day_index" in one.reason) for one in result.left] == [("loses-index", True)]


@dataclass(frozen=True)
class OneProcess:
    """A planner that has no parallel workers left for any rewritten statement."""

    def loss(self, before: str, after: str, *known: str) -> Reason | None:
        return Reason("loses-parallel", "none are left") if before != after else None

    def indexes(self, statement: str) -> frozenset[str]:
        return frozenset()


@pytest.mark.not_core
@pytest.mark.parametrize(
    ("built", "named"),
    [
        ((Built("events", "statistics", "days", f"{_KEY}::date"),), "the statistics days"),
        ((Built("events", "index", "by_day", f"{_KEY}::date"),), "of the index by_day"),
        ((Built("events", "index", "some", f"{_KEY}::date", "kind = 'buy'"),), "none are left"),
        ((Built("events", "statistics", "other", "date_trunc('week', ts)"),), "none are left"),
    ],
)
def test_workers_that_statistics_bring_are_named_so(built: tuple[Built, ...], named: str) -> None:
    sql = f"SELECT {NEW_YORK}::date, count(*) FROM events e GROUP BY 1"
    schema = {"events": {"ts": "timestamp", "kind": "text"}}
    result = rewrite(sql, dialect="postgres", schema=schema, built=built, plans=OneProcess())
    assert result.sql == sql
    [left] = result.left
    assert named in left.reason
    assert left.code == ("loses-parallel" if named == "none are left" else "loses-statistics")


def test_the_schema_file_says_the_same(tmp_path: Path) -> None:
    schema = """
        CREATE TABLE public.events (id int, account_id int, kind text, ts timestamp)
            PARTITION BY RANGE (((ts AT TIME ZONE 'UTC'::text) AT TIME ZONE 'Asia/Tokyo'::text));
        CREATE INDEX of_account ON public.events USING btree (account_id,
            ((((ts AT TIME ZONE 'UTC'::text) AT TIME ZONE 'America/New_York'::text))::date));
        CREATE INDEX CONCURRENTLY refunds
            ON events ((timezone('America/New_York', timezone('UTC', ts))::date))
            WHERE kind = 'refund';
        CREATE INDEX newest ON events
            (((ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Dhaka')::date) DESC NULLS LAST);
        CREATE STATISTICS weeks (ndistinct)
            ON (date_trunc('week', ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')), id
            FROM public.events;
    """
    file, query = tmp_path / "schema.sql", tmp_path / "query.sql"
    file.write_text(schema)
    of_day = f"{NEW_YORK}::date = {DAY}"
    week = f"date_trunc('week', {NEW_YORK})"
    expected: dict[str, Code | None] = {
        f"WHERE account_id = 5 AND {of_day}": "loses-index",
        f"WHERE account_id > 5 AND {of_day}": None,
        f"WHERE e.kind = 'refund' AND {of_day}": "loses-index",
        f"WHERE e.kind = 'buy' AND {of_day}": None,
        "WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' > '2024-01-01'": "loses-partition",
        "WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Seoul' > '2024-01-01'": None,
        f"WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Dhaka')::date = {DAY}": "loses-index",
        f"GROUP BY {week}": "loses-statistics",
        f"WHERE {week} = '2024-01-01'": None,
    }
    query.write_text("".join(f"SELECT count(*) FROM public.events e {one};\n" for one in expected))
    arguments = ["--dialect", "postgres", "--schema-file", str(file), "--json"]
    found = json.loads(run("rewrite", str(query), *arguments, cwd=tmp_path).stdout)
    codes = {one["line"]: one["code"] for one in found["left"]}
    changed = {one["line"] for one in found["changes"]}
    for line, (condition, code) in enumerate(expected.items(), 1):
        assert codes.get(line) == code, condition
        assert (line in changed) == (code is None), condition


def test_duckdb(tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/plans.duckdb"
    refresh(url, zones=list(_ZONES), start=dt.date(2024, 1, 1), end=dt.date(2027, 1, 1))
    with duckdb.connect(str(tmp_path / "plans.duckdb")) as database:
        for statement in DUCKDB:
            database.execute(statement)
    by_index: Code | None = "loses-index" if INDEXES_CONVERSIONS else None
    queries: dict[str, Code | None] = {
        f"SELECT count(*) FROM by_day e WHERE {NEW_YORK}::date = {DAY}": by_index,
        f"SELECT count(*) FROM by_day e WHERE {NEW_YORK}::date = "
        "(TIMESTAMPTZ '2024-03-10 12:00:00Z' AT TIME ZONE 'America/New_York')::date": by_index,
        f"SELECT count(*) FROM by_day e WHERE {NEW_YORK}::date >= {DAY}": None,
        f"SELECT {NEW_YORK}::date, count(*) FROM by_day e GROUP BY 1": None,
        f"SELECT count(*) FROM by_account e {JOINED} WHERE e.account_id = 42 "
        f"AND {LOCAL}::date >= {DAY}": "loses-index",
        f"SELECT e.id, e.kind, {NEW_YORK} FROM by_account e ORDER BY e.ts DESC LIMIT 5": "few-rows",
        f"SELECT a.zone, count(*) FROM by_account e {JOINED} WHERE {LOCAL}::date = {DAY} "
        "GROUP BY 1": None,
    }
    with engines.connect(url, read_only=True) as backend:
        options = target.read(backend).options()
        for sql, code in queries.items():
            # there are few rows for DuckDB
            few = {} if code else {"rows": None}
            result = rewrite(sql, **{**options, **few})
            assert bool(result.changes) == (code is None), sql
            assert code is None or code in [one.code for one in result.left], sql
            one, other = (
                sorted(map(str, backend.query(text).rows.to_pylist())) for text in (sql, result.sql)
            )
            assert one == other, sql


@pytest.mark.not_core
@pytest.mark.parametrize("zone", ["a.zone", "'Asia/Kolkata'"])
def test_the_first_of_each_group_are_converted_after_the_window(tmp_path: Path, zone: str) -> None:
    url = f"duckdb:///{tmp_path}/firsts.duckdb"
    refresh(url, zones=list(_ZONES), start=dt.date(2024, 1, 1), end=dt.date(2027, 1, 1))
    with duckdb.connect(str(tmp_path / "firsts.duckdb")) as database:
        database.execute(DUCKDB[0])
    local = f"e.ts AT TIME ZONE 'UTC' AT TIME ZONE {zone}"
    ranked = "row_number() OVER (PARTITION BY e.account_id ORDER BY e.amount, e.id) AS r"
    queries: dict[str, Code | None] = {
        f"SELECT * FROM (SELECT e.id, {local} AS l, {ranked} FROM events e {JOINED}) x "
        "WHERE r <= 2": "reads-more",
        f"SELECT {local}, {ranked} FROM events e {JOINED} QUALIFY r = 1": "reads-more",
        f"SELECT ({local})::date, count(*) FROM events e {JOINED} GROUP BY 1": None,
    }
    with engines.connect(url, read_only=True) as backend:
        options = target.read(backend).options()
        for sql, code in queries.items():
            result = rewrite(sql, **{**options, "rows": None})
            assert [one.code for one in result.left] == ([code] if code else []), sql
            assert bool(result.changes) == (code is None), sql

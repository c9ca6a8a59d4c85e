"""Tables that are named with their database, as dbt compiles them."""

from __future__ import annotations

import re

import duckdb
import psycopg
import pytest

from tests import postgres
from tzconv import target
from tzconv.engines import connect
from tzconv.refresher import refresh
from tzconv.rewriter import from_ddl, rewrite
from tzconv.sql.declarations import add_columns, read

DAY = "SELECT (e.ts AT TIME ZONE 'Asia/Kolkata')::date AS day FROM {} e"


@pytest.mark.parametrize(
    ("dialect", "ddl", "name", "is_known"),
    [
        ("postgres", "CREATE TABLE app.ev (ts timestamptz)", '"shop"."app"."ev"', True),
        ("postgres", "CREATE TABLE shop.app.ev (ts timestamptz)", "shop.app.ev", True),
        ("postgres", "CREATE TABLE shop.app.ev (ts timestamptz)", "other.app.ev", False),
        ("postgres", "CREATE TABLE ev (ts timestamptz)", "shop.public.ev", True),
        ("postgres", "CREATE TABLE ev (ts timestamptz)", "shop.app.ev", False),
        ("duckdb", "CREATE TABLE app.ev (ts timestamptz)", "shop.app.ev", False),
        ("duckdb", "CREATE TABLE shop.app.ev (ts timestamptz)", "shop.app.ev", True),
        ("redshift", "CREATE TABLE app.ev (ts timestamptz)", "shop.app.ev", False),
        ("redshift", "CREATE TABLE shop.app.ev (ts timestamptz)", '"shop"."app"."ev"', True),
        ("vertica", "CREATE TABLE app.ev (ts timestamptz)", "shop.app.ev", True),
        ("duckdb", "CREATE TABLE ev.csv (ts timestamptz)", "'ev.csv'", False),
        ("postgres", "CREATE TABLE app.ev (ts timestamptz)", '"app.ev"', False),
    ],
)
def test_a_name_of_another_database_is_unknown(
    dialect: str, ddl: str, name: str, *, is_known: bool
) -> None:
    result = rewrite(DAY.format(name), dialect=dialect, schema=from_ddl(ddl, dialect))
    assert bool(result.changes) == is_known
    assert [one.code for one in result.left] == ([] if is_known else ["unknown-type"])


@pytest.mark.parametrize(
    ("name", "advised"),
    [
        ('"ev"', "ev.ts"),
        ("Ev", "Ev.ts"),
        ('"Ev"', '"Ev".ts'),
        ('app."my ev"', 'app."my ev".ts'),
        ("'ev.csv'", ""),
    ],
)
def test_what_is_advised_declares_the_table(name: str, advised: str) -> None:
    [left] = rewrite(DAY.format(name), dialect="duckdb").left
    found = re.search(r"--types ([\"'])(.+)=timestamptz\1 ", left.reason)
    assert (found[2] if found else "") == advised
    types: dict[str, dict[str, str]] = {}
    add_columns(types, [f"{advised}=timestamptz"] if advised else [], "duckdb")
    assert bool(rewrite(DAY.format(name), dialect="duckdb", schema=types).changes) == bool(advised)


def test_declared_by_option_and_by_dbt() -> None:
    tables: dict[str, dict[str, str]] = {}
    add_columns(tables, ["shop.app.ev.ts=timestamptz,old.app.ev.ts=timestamp"], "redshift")
    assert tables["shop.app.ev"]["ts"] == "timestamptz"
    assert "ts" not in tables["app.ev"]  # it may be either
    catalog = """{"nodes": {"model.p.ev": {"metadata": {"database": "shop", "schema": "app",
        "name": "ev"}, "columns": {"ts": {"name": "ts", "type": "timestamptz"}}}}, "sources": {}}"""
    assert read(catalog, "redshift").tables["shop.app.ev"] == {"ts": "timestamptz"}


def test_two_schemas_with_other_columns_leave_the_name_alone_unknown() -> None:
    ddl = "CREATE TABLE a.ev (ts timestamptz); CREATE TABLE b.ev (ts timestamp)"
    types = from_ddl(ddl, "postgres")
    assert rewrite(DAY.format("a.ev"), dialect="postgres", schema=types).changes
    assert not rewrite(DAY.format("ev"), dialect="postgres", schema=types).changes


def test_the_database_of_a_connection_on_postgres(server: postgres.Server) -> None:
    url = server.fresh("shop")
    refresh(url, zones=["Asia/Kolkata"], tables=("zone",))
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA app; CREATE TABLE app.ev AS SELECT * FROM generate_series("
            "timestamptz '2020-01-01', '2024-01-01', interval '37 hours') AS ts"
        )
        with connect(url, read_only=True) as backend:
            options = {**target.read(backend).options(), "rows": None}
            text = DAY.format('"shop"."app"."ev"')
            result = rewrite(text, **options)
            other = rewrite(DAY.format("other.app.ev"), **options)
        assert result.changes
        assert not other.changes
        rows = [connection.execute(one).fetchall() for one in (text, result.sql)]
        assert sorted(rows[0]) == sorted(rows[1])
        assert rows[0]


def test_the_database_of_a_connection_on_duckdb(tmp_path: object) -> None:
    url = f"duckdb:///{tmp_path}/shop.duckdb"
    refresh(url, zones=["Asia/Kolkata"], tables=("zone", "period"))
    with duckdb.connect(f"{tmp_path}/shop.duckdb") as connection:
        connection.execute(
            "CREATE SCHEMA app; CREATE TABLE app.ev AS SELECT ts FROM range(TIMESTAMPTZ "
            "'2020-01-01', TIMESTAMPTZ '2024-01-01', INTERVAL 37 HOURS) AS r(ts)"
        )
    with connect(url, read_only=True) as backend:
        options = {**target.read(backend).options(), "rows": None}
        text = DAY.format("shop.app.ev")
        result = rewrite(text, **options)
        assert not rewrite(DAY.format("other.app.ev"), **options).changes
    assert result.changes
    with duckdb.connect(f"{tmp_path}/shop.duckdb") as connection:
        rows = [connection.execute(one).fetchall() for one in (text, result.sql)]
    assert sorted(rows[0]) == sorted(rows[1])
    assert rows[0]


@pytest.mark.parametrize(
    "value",
    [
        "date_add(e.ts, interval '1 day', 'Europe/Berlin')",
        "date_subtract(e.ts, interval '1 day', e.zone)",
        "date_add(e.ts, '1 day', e.zone)",
        "date_add(e.ts, $1, e.zone)",
        "pg_catalog.date_add(e.ts, e.step, e.zone)",
        "generate_series(e.ts, e.ts, interval '1 day', 'Europe/Berlin')",
        "make_timestamptz(2024, 3, 31, 2, 30, 0, e.zone)",
    ],
)
def test_functions_that_compute_in_a_zone_are_not_silent(value: str) -> None:
    types = {"e": {"ts": "timestamptz", "zone": "text"}}
    result = rewrite(f"SELECT {value} AS x FROM e", dialect="postgres", schema=types)
    assert [(one.code, one.text) for one in result.left] == [("unsupported", value)]
    plain = "SELECT date_add(e.ts, interval '1 day'), generate_series(1, 9, 2) FROM e"
    assert rewrite(plain, dialect="postgres", schema=types).left == ()


@pytest.mark.parametrize(
    ("dialect", "value", "code"),
    [
        ("postgres", "pg_catalog.date_trunc('day', e.ts, e.zone)", "no-gain"),
        ("spark", "make_timestamp(2024, 3, 31, 2, 30, 0, e.zone)", "unsupported"),
        ("spark", "try_make_timestamp(2024, 3, 31, 2, 30, 0, e.zone)", "unsupported"),
        ("spark", "make_timestamp(2024, 3, 31, 2, 30, 0)", None),
        ("spark", "date_add(MONTH, 1, e.ts)", None),
        ("redshift", "date_add('month', 1, e.ts)", None),
        ("duckdb", "date_add(e.ts, INTERVAL 1 DAY)", None),
    ],
)
def test_functions_that_take_a_zone_as_one_more_argument(
    dialect: str, value: str, code: str | None
) -> None:
    types = {"e": {"ts": "timestamp", "zone": "text"}}
    result = rewrite(f"SELECT {value} AS x FROM e", dialect=dialect, schema=types)
    assert [one.code for one in result.left] == ([code] if code else [])


@pytest.mark.parametrize(
    ("others", "known"),
    [
        ([], {"ev", "app.ev", "shop.app.ev"}),
        (["shop.logs.ev.ts=timestamptz"], {"ev", "app.ev", "shop.app.ev"}),
        (["shop.logs.ev.ts=varchar"], {"app.ev", "shop.app.ev"}),
    ],
)
def test_a_declared_name_counts_for_its_ends(others: list[str], known: set[str]) -> None:
    """Unless two tables of one name have other types."""
    types: dict[str, dict[str, str]] = {}
    add_columns(types, ["shop.app.ev.ts=timestamptz", *others], "postgres")
    for name in ("ev", "app.ev", "shop.app.ev"):
        result = rewrite(DAY.format(name), dialect="postgres", schema=types)
        assert bool(result.changes) == (name in known), name


@pytest.mark.parametrize(
    ("dialect", "texts", "known"),
    [
        ("duckdb", ["Ev.ts=timestamptz", "ev.n=int"], ["ev", '"EV"', "app.ev", "app.Ev"]),
        ("duckdb", ["APP.EV.TS=timestamptz"], ["ev", '"EV"', "app.ev", "app.Ev"]),
        ("redshift", ['"App"."Ev".ts=timestamptz'], ["ev", '"EV"', "app.ev", "app.Ev"]),
        ("postgres", ["Ev.TS=timestamptz"], ["ev", "app.ev", "app.Ev"]),
        ("postgres", ['"Ev".ts=timestamptz', "ev.ts=text"], []),
    ],
)
def test_a_declared_name_in_another_spelling(
    dialect: str, texts: list[str], known: list[str]
) -> None:
    types = read("CREATE TABLE app.ev (ts text, n int)", dialect).tables
    add_columns(types, texts, dialect)
    names = ["ev", '"EV"', "app.ev", "app.Ev"]
    results = [rewrite(DAY.format(name), dialect=dialect, schema=types) for name in names]
    assert [name for name, one in zip(names, results, strict=True) if one.changes] == known


def test_a_declared_name_of_another_schema() -> None:
    """The end of it is the name of a table in the file as well, with another type."""
    for others, known in (
        ("app.ev (ts timestamptz)", True),
        ("app.ev (ts timestamp, n int)", False),
    ):
        types = read(f"CREATE TABLE {others}; CREATE TABLE log (ts text)", "postgres").tables
        types = {name: dict(columns) for name, columns in types.items()}
        add_columns(types, ["old.ev.ts=timestamptz"], "postgres")
        assert types["app.ev"]["ts"] == ("TIMESTAMPTZ" if known else "TIMESTAMP")
        assert bool(rewrite(DAY.format("ev"), dialect="postgres", schema=types).changes) == known
        assert rewrite(DAY.format("old.ev"), dialect="postgres", schema=types).changes
        add_columns(types, ["old.ev.ts=text,ev.ts=date"], "postgres")
        assert [types[name]["ts"] for name in ("ev", "app.ev", "old.ev")] == [
            "date",
            "date",
            "text",
        ]


def test_a_declared_name_is_not_one_in_quotes(server: postgres.Server) -> None:
    """The local hours that come twice, by the type of the table that the query names."""
    url = server.fresh("quotes")
    refresh(url, zones=["America/New_York"], tables=("zone",))
    ddl = 'CREATE TABLE app."Ev" (ts timestamp, zone text)'
    types = read(ddl, "postgres").tables
    add_columns(types, ["ev.ts=timestamptz"], "postgres")
    text = 'SELECT e.ts AT TIME ZONE e.zone AS at FROM app."Ev" e'
    result = rewrite(text, dialect="postgres", schema=types)
    assert result.changes
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"SET TimeZone = 'UTC'; CREATE SCHEMA app; {ddl}")
        connection.execute(
            """INSERT INTO app."Ev" SELECT ts, 'America/New_York' FROM generate_series(
            timestamp '2024-01-01', '2025-01-01', interval '1 hour') AS ts"""
        )
        rows = [connection.execute(one).fetchall() for one in (text, result.sql)]
    assert sorted(rows[0]) == sorted(rows[1])

"""Macros named like the functions that tzconv runs or writes, in each schema of the path."""

import datetime as dt
from pathlib import Path

import duckdb
import pytest

import tzconv
from tzconv import engines, health, target, view
from tzconv.refresher import refresh

START, END = dt.date(2025, 1, 1), dt.date(2027, 1, 1)
QUERY = (
    "SELECT (ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::DATE AS day, count(*) FROM events GROUP BY 1"
)

SCALARS = (
    *("make_timestamp(s)", "epoch_us(x)", "count(x)", "sum(x)", "lower(x)", "ascii(x)", "min(x)"),
    *("max(x)", "substr(a, b, c)", "date_diff(a, b, c)", "current_setting(x)", "length(x)"),
    *("any_value(x)", "lead(x)", "date_trunc(a, b)", "current_schema()", "current_database()"),
    *("arg_min(a, b)", "arg_max(a, b)", "isfinite(x)", "left(a, b)", "make_timestamptz(s)"),
)
TABLES = (
    *("duckdb_columns", "duckdb_tables", "duckdb_views", "duckdb_schemas", "duckdb_databases"),
    *("duckdb_connection_count", "duckdb_functions", "duckdb_constraints", "duckdb_indexes"),
    *("pg_timezone_names", "pragma_database_size", "duckdb_keywords"),
)


def infest(path: Path) -> None:
    """Macros that raise an error, or have other rows, where they are called."""
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE events AS SELECT TIMESTAMP '2025-12-30' + INTERVAL (i) MINUTE AS ts, "
            "CASE i % 3 WHEN 0 THEN 'America/New_York' WHEN 1 THEN 'Asia/Kolkata' END AS zone "
            "FROM range(200000) t(i); CREATE SCHEMA other"
        )
        for schema in ("other", "main"):
            for macro in SCALARS:
                connection.execute(f"CREATE MACRO {schema}.{macro} AS error('captured')")
            for macro in TABLES:
                connection.execute(
                    f"CREATE MACRO {schema}.{macro}() AS TABLE SELECT error('captured') AS x"
                )


@pytest.mark.parametrize("schema", [None, "other"])
def test_no_macro_is_called(tmp_path: Path, schema: str | None) -> None:
    """Every command works, and a text that would call one is left with that reason."""
    path = tmp_path / "macros.duckdb"
    infest(path)
    url, zones = f"duckdb:///{path}", ("America/New_York", "Asia/Kolkata")
    assert refresh(url, zones=zones, start=START, end=END, schema=schema).changed
    assert not refresh(url, schema=schema).changed
    assert not refresh(url, schema=schema, repair=True).changed
    with engines.connect(url, schema=schema) as backend:
        assert health.status(backend).healthy
        assert [one for one in health.doctor(backend).findings if one.level == "error"] == []
        contents = backend.contents()
        assert contents is not None
        assert "events" in [one.name for one in contents.relations()]
        assert backend.stored_objects() is not None
        options = target.read(backend).options()
        result = tzconv.rewrite(QUERY, **options)
        assert (result.sql, result.changes) == (QUERY, ())
        assert "has a macro count" in result.left[0].reason
        # also where the query calls her macro itself
        same = tzconv.rewrite(QUERY.replace("count(*)", "max(ts)"), **options)
        assert (same.changes, "has a macro" in same.left[0].reason) == ((), True)
        for macro in ("count", "sum", "epoch_us", "make_timestamp"):
            backend.execute(f"DROP MACRO main.{macro}")
        for macro in ("if(a, b, c)", '"+"(a, b)'):  # an expression calls it
            backend.execute(f"CREATE MACRO main.{macro} AS NULL")
            same = tzconv.rewrite(QUERY, **options)
            assert (same.changes, "has a macro" in same.left[0].reason) == ((), True)
            backend.execute(f"DROP MACRO main.{macro.partition('(')[0]}")
        changed = tzconv.rewrite(QUERY, **options)
        assert changed.changes
        rows = [
            sorted(map(str, backend.query(one).rows.to_pylist())) for one in (QUERY, changed.sql)
        ]
        assert rows[0] == rows[1]
        with pytest.raises(tzconv.errors.TzconvError, match="captured"):
            backend.query("SELECT lower('A')")  # the user's own query calls her macro
        assert view.plan(backend, "events.ts", zone_column="zone", columns=["time"]).strategies

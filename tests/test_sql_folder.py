"""What people without Python use: the scripts in `sql/` and the migrations.

TZCONV_UPDATE_GOLDEN=1 writes the scripts anew; read the diff before you commit it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests import events
from tzconv import tables
from tzconv.backends import ddl
from tzconv.rewriter import rewrite

ROOT = Path(__file__).parent.parent
VERTICA = ROOT / "sql" / "vertica" / "tables.sql"
SQL = ROOT / "sql" / "duckdb"
TYPES = {
    "actions": {"action_event_time": "timestamp", "action_publisher_id": "integer"},
    "publishers": {"id": "integer", "time_zone_name": "varchar"},
}
REPORT = (ROOT / "tests" / "golden" / "zone_side.sql").read_text()


def expected_scripts() -> dict[str, str]:
    rewritten = rewrite(REPORT, schema=TYPES).sql
    return {
        "tables.sql": (
            "-- The conversion tables, as `tzconv ddl` prints them. Load them from the files of\n"
            "-- `tzconv generate`, for example:\n"
            "-- INSERT INTO time_zone_offset_conversion BY NAME\n"
            "--     FROM 'time_zone_offset_conversion.parquet';\n\n" + ddl.script("duckdb")
        ),
        "hourly_report.sql": (
            "-- Taboola's report: actions by hour of each publisher's time zone.\n\n"
            f"-- before\n{REPORT}\n-- after, as `tzconv rewrite` prints it\n{rewritten}"
        ),
    }


@pytest.mark.parametrize("name", ["tables.sql", "hourly_report.sql"])
def test_scripts_are_up_to_date(name: str) -> None:
    expected = expected_scripts()[name]
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        SQL.mkdir(parents=True, exist_ok=True)
        (SQL / name).write_text(expected)
    assert (SQL / name).read_text() == expected
    assert {path.name for path in SQL.iterdir()} == set(expected_scripts())


def test_the_tables_for_vertica_are_up_to_date() -> None:
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        VERTICA.write_text(ddl.script("vertica"))
    assert VERTICA.read_text() == ddl.script("vertica")


def test_the_example_runs_and_both_queries_agree() -> None:
    before, after = (SQL / "hourly_report.sql").read_text().split("-- after")
    with events.connect() as database:
        rows = [database.execute(sql[sql.index("SELECT") :]).fetchall() for sql in (before, after)]
    assert len(rows[0]) > 0
    assert sorted(map(str, rows[0])) == sorted(map(str, rows[1]))


ALEMBIC = (sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini")


def columns_of(database: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return database.execute(
        "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
        "WHERE NOT internal AND table_name <> 'time_zone_conversion_migration' "
        "ORDER BY table_name, column_index"
    ).fetchall()


def test_the_migrations_make_the_same_tables() -> None:
    """Frozen text that imports nothing of tzconv, and today still says what tables.py says."""
    for path in (ROOT / "migrations").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) tzconv", path.read_text(), re.MULTILINE), path
    with duckdb.connect() as wanted, duckdb.connect() as found:
        wanted.execute(ddl.script("duckdb"))
        found.execute(offline("upgrade", "head"))
        assert columns_of(found) == columns_of(wanted)
        assert len(columns_of(found)) == sum(len(table.columns) for table in tables.ALL)
        keys = found.execute(
            "SELECT table_name, constraint_column_names FROM duckdb_constraints() "
            "WHERE constraint_type = 'PRIMARY KEY' AND table_name LIKE 'time_zone_%_conversion'"
        ).fetchall()
        assert dict(keys) == {table.name: list(table.key) for table in tables.CONVERSIONS.values()}
        found.execute(offline("downgrade", "head:base"))
        assert columns_of(found) == []


def offline(direction: str, target: str) -> str:
    """The script that Alembic prints; DuckDB reads PostgreSQL's spelling."""
    done = subprocess.run(
        [*ALEMBIC, direction, target, "--sql"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout

"""What people without Python use: the scripts in `sql/` and the migrations.

TZCONV_UPDATE_GOLDEN=1 writes the scripts anew; read the diff before you commit it.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
import sqlalchemy
from alembic import op
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext

from tests import ROOT, databases, events, events_postgres, postgres
from tzconv import engines, migrate, tables
from tzconv.engines.postgres import arrays
from tzconv.refresher import refresh
from tzconv.rewriter import rewrite
from tzconv.tables import generate
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

SQL = ROOT / "sql"
TYPES = {
    "actions": {"action_event_time": "timestamp", "action_publisher_id": "integer"},
    "publishers": {"id": "integer", "time_zone_name": "varchar"},
}
REPORT = (ROOT / "tests" / "rewriter" / "golden" / "columns.sql").read_text()
REPORTS = {
    "duckdb": REPORT,
    # PostgreSQL wants parentheses around the bounds of BETWEEN
    "postgres": re.sub(r"(TIMESTAMP '.*? AT TIME ZONE 'UTC')", r"(\1)", REPORT),
    "redshift": (ROOT / "tests" / "rewriter" / "golden" / "offset_redshift.sql").read_text(),
}
LOADING = {
    "duckdb": """\
-- INSERT INTO time_zone_offset_conversion BY NAME
--     FROM 'time_zone_offset_conversion.parquet';
""",
    "postgres": """\
-- \\copy time_zone_offset_conversion from 'time_zone_offset_conversion.csv' (format csv, header)
""",
    "redshift": """\
-- COPY time_zone_offset_conversion FROM 's3://BUCKET/time_zone_offset_conversion.csv.gz'
--     IAM_ROLE default FORMAT CSV IGNOREHEADER 1 GZIP TIMEFORMAT 'auto';
""",
}


def expected_scripts(dialect: str) -> dict[str, str]:
    report = REPORTS[dialect]
    rewritten = rewrite(report, dialect=dialect, schema=TYPES).sql
    return {
        "tables.sql": (
            f"-- The conversion tables, as `tzconv ddl --dialect {dialect}` prints them. Load them "
            "from the files\n-- of `tzconv generate`, for example:\n"
            f"{LOADING[dialect]}\n{engines.script_of(dialect)}"
        ),
        "hourly_report.sql": (
            "-- Taboola's report: actions by hour of each publisher's time zone.\n\n"
            f"-- before\n{report}\n-- after, as `tzconv rewrite --dialect {dialect}` prints it\n"
            f"{rewritten}"
        ),
    }


@pytest.mark.parametrize("name", ["tables.sql", "hourly_report.sql"])
@pytest.mark.parametrize("dialect", LOADING)
def test_scripts_are_up_to_date(dialect: str, name: str) -> None:
    expected = expected_scripts(dialect)[name]
    path = SQL / dialect / name
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(expected)
    assert path.read_text() == expected
    assert {path.name for path in path.parent.iterdir()} == set(expected_scripts(dialect))


def example(dialect: str) -> list[str]:
    parts = (SQL / dialect / "hourly_report.sql").read_text().split("-- after")
    return [part[part.index("SELECT") :].strip().removesuffix(";") for part in parts]


def test_the_tables_for_vertica_are_up_to_date() -> None:
    path = SQL / "vertica" / "tables.sql"
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        path.write_text(engines.script_of("vertica"))
    assert path.read_text() == engines.script_of("vertica")


def test_the_example_runs_and_both_queries_agree() -> None:
    with events.connect() as database:
        rows = [database.execute(sql).fetchall() for sql in example("duckdb")]
    assert len(rows[0]) > 0
    assert sorted(map(str, rows[0])) == sorted(map(str, rows[1]))


def test_the_example_of_postgres(server: postgres.Server) -> None:
    with events_postgres.connect(server.loaded(events_postgres.load)) as connection:
        before, after = (events_postgres.rows_of(connection, sql) for sql in example("postgres"))
    assert len(before[1]) > 0
    assert before == after


def test_tables_of_the_script_take_the_files_of_generate(
    tmp_path: Path, server: postgres.Server
) -> None:
    """Without Python on the side of the server: the same rows as a refresh loads."""
    days = (dt.date(2026, 1, 1), dt.date(2026, 4, 1))
    names = ["America/New_York", "Asia/Kolkata"]
    for name, table in tables.CONVERSIONS.items():
        rows = generate.stream(name, zones.installed(), names, Horizon(*days))
        generate.write(rows, tmp_path / f"{table.name}.csv", "csv")
    with databases.fresh("postgres", tmp_path, server) as database:
        refresh(database.url, zones=names, start=days[0], end=days[1], tables=databases.ALL)
        wanted = database.contents() | {"arrays": database.run(ARRAYS)}
    with databases.fresh("postgres", tmp_path, server) as database:
        database.run((SQL / "postgres" / "tables.sql").read_text())
        with server.connect(database.name) as connection, connection.cursor() as cursor:
            for table in tables.CONVERSIONS.values():
                text = (tmp_path / f"{table.name}.csv").read_text()
                columns = ", ".join(column.name for column in table.columns)
                copying = f"COPY {table.name} ({columns}) FROM STDIN (FORMAT csv, HEADER)"
                with cursor.copy(copying) as copy:
                    copy.write(text)
        database.run(the_arrays())
        found = database.contents() | {"arrays": database.run(ARRAYS)}
    for table in tables.CONVERSIONS.values():
        assert found[table.name] == wanted[table.name]
    assert found["arrays"] == wanted["arrays"]
    assert all(offsets for _, *_, offsets in found["arrays"])


ARRAYS = "SELECT * FROM time_zone_conversion_zone ORDER BY 1"


def the_arrays() -> str:
    """What the script says to run after the tables were loaded."""
    text = (SQL / "postgres" / "tables.sql").read_text().partition("make the arrays")[2]
    return "\n".join(line.removeprefix("-- ") for line in text.splitlines()[1:])


def test_script_migrations_and_metadata_make_the_same_tables(
    tmp_path: Path, server: postgres.Server
) -> None:
    shapes = []
    for make in ("script", "migrations", "metadata"):
        with databases.fresh("postgres", tmp_path, server) as database:
            if make == "script":
                database.run(engines.script_of("postgres"))
            elif make == "migrations":
                database.run(*migrate.statements("postgres", None, None))
            else:
                engine = sqlalchemy.create_engine(database.url, poolclass=sqlalchemy.NullPool)
                tables.metadata().create_all(engine)
            shapes.append(database.run(SHAPE))
    assert shapes[0] == shapes[1]
    # tables.metadata(), for joins by hand, has no array columns
    plain = [
        column
        for column in shapes[0]
        if column[0] != tables.ZONE.name or column[2] not in arrays.COLUMNS
    ]
    # and rules_id, which came later, is not behind them
    assert {(one[0], *one[2:]) for one in plain} == {(one[0], *one[2:]) for one in shapes[2]}
    assert len(plain) == sum(len(table.columns) for table in tables.ALL)


SHAPE = """
SELECT c.relname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), a.attname,
       format_type(a.atttypid, a.atttypmod), a.attnotnull,
       array_position(i.indkey::int2[], a.attnum)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    AND NOT a.attisdropped
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relkind = 'r' AND c.relname LIKE 'time_zone_%' AND c.relname NOT LIKE '%_migration'
ORDER BY 1, 2
"""


ALEMBIC = (sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini")


def columns_of(database: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return database.execute(
        "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
        "WHERE NOT internal AND table_name <> 'time_zone_conversion_migration' "
        "ORDER BY table_name, column_index"
    ).fetchall()


def test_migrations_in_threads_and_in_a_migration_of_the_user() -> None:
    """Alembic keeps the schema of a run in its modules."""

    def made(number: int) -> set[bool]:
        texts = migrate.statements("postgres", f"schema{number}", None)
        return {f"schema{number}" in one for one in texts if one.startswith("CREATE TABLE")}

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(made, range(12))) == [{True}] * 12
    migration = MigrationContext.configure(dialect_name="sqlite", opts={"as_sql": True})
    with Operations.context(migration):
        assert made(1) == {True}
        assert op.get_context() is migration


def test_the_migrations_make_the_same_tables() -> None:
    """Frozen text that imports nothing of tzconv, and today still says what tables.py says."""
    for path in (ROOT / "migrations").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) tzconv", path.read_text(), re.MULTILINE), path
    with duckdb.connect() as wanted, duckdb.connect() as found:
        wanted.execute(engines.script_of("duckdb"))
        found.execute(offline("upgrade", "head"))
        assert columns_of(found) == columns_of(wanted)
        assert len(columns_of(found)) == sum(len(table.columns) for table in tables.ALL)
        found.execute(offline("downgrade", "head:base"))
        assert columns_of(found) == []


def offline(direction: str, target: str) -> str:
    """The script that Alembic prints."""
    done = subprocess.run(
        [*ALEMBIC, "-x", "dialect=duckdb", direction, target, "--sql"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout

"""Builds the project in this folder with dbt: the same models with the functions and the tables."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from tests import ROOT, events, events_postgres, postgres

KINDS = ("duckdb", "postgres")
PACKAGE = ROOT / "dbt"
_HERE = ROOT / "tests" / "dbt_package"


@dataclass(frozen=True)
class Build:
    """A project, what dbt calls its engine, and the database that it is built in."""

    kind: str
    folder: Path
    url: str

    def rows(self, sql: str) -> tuple[list[object], Counter[str]]:
        """Names and types of the columns of a query, and how often each of its rows came."""
        if self.kind == "duckdb":
            with duckdb.connect(self.url.removeprefix("duckdb:///")) as database:
                database.execute("SET TimeZone = 'UTC'")
                return events.rows_of(database, sql)
        with events_postgres.connect(self.url) as connection:
            return events_postgres.rows_of(connection, sql)

    def run(self, sql: str) -> None:
        """Run a statement in the database, and commit."""
        if self.kind == "duckdb":
            with duckdb.connect(self.url.removeprefix("duckdb:///")) as database:
                database.execute(sql)
            return
        with events_postgres.connect(self.url) as connection:
            connection.execute(sql)

    def compiled(self, name: str) -> str:
        """The text of a model that dbt has made."""
        path = self.folder / "target" / "compiled" / "shop" / "models" / f"{name}.sql"
        return path.read_text()


def on_duckdb(folder: Path) -> Build:
    """Build the project in a new DuckDB file."""
    path = folder / "shop.duckdb"
    with events.connect() as database:
        database.execute(f"ATTACH '{path}' AS shop; COPY FROM DATABASE memory TO shop")
    output = {"type": "duckdb", "path": str(path), "threads": 1, "settings": {"TimeZone": "UTC"}}
    return _built(Build("duckdb", folder / "shop", f"duckdb:///{path}"), output)


def on_postgres(server: postgres.Server, folder: Path) -> Build:
    """Build the project in a new database of the server."""
    url = server.loaded(events_postgres.load)
    output = {
        "type": "postgres",
        "host": str(server.folder),
        "port": 5432,
        "user": "postgres",
        "password": "unused",
        "dbname": url.partition("@/")[2].partition("?")[0],
        "schema": "public",
        "threads": 1,
    }
    return _built(Build("postgres", folder / "shop", url), output)


def _built(build: Build, output: dict[str, Any]) -> Build:
    shutil.copytree(_HERE / "project", build.folder)
    shutil.copytree(_HERE / "dbt_date", build.folder.with_name("dbt_date"))
    profile = {"shop": {"target": "test", "outputs": {"test": output}}}
    (build.folder / "profiles.yml").write_text(json.dumps(profile))  # which is YAML, too
    build.run("DROP TABLE IF EXISTS time_zone_conversion_release")
    build.run(
        "CREATE TABLE time_zone_conversion_release (finished_at timestamp, "
        "horizon_ends_before date, period_keys bigint)"
    )
    build.run(
        "INSERT INTO time_zone_conversion_release (finished_at, horizon_ends_before) "
        "VALUES ('2026-01-01', '2027-01-01'), ('2026-02-01', '2999-01-01')"
    )
    if build.kind == "duckdb":  # what a refresh writes, for the join of the period table
        keys = "SELECT sum(zone_period * zone_period) FROM time_zone_period_conversion"
        build.run(f"UPDATE time_zone_conversion_release SET period_keys = ({keys})")
    dbt(build, "deps")
    dbt(build, "build")
    dbt(build, "docs", "generate", "--no-compile")
    return build


def dbt(build: Build, *arguments: str, code: int = 0) -> str:
    """Run dbt in the project; what it has printed. Fails where it exits with another code."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("dbt")), "--no-use-colors", *arguments],
        cwd=build.folder,
        env={
            **os.environ,
            "TZCONV_DBT_PACKAGE": str(PACKAGE),
            "DBT_PROFILES_DIR": str(build.folder),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout

"""The examples of the pages run, in order, and print what the pages say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests import ROOT, dbt_artifacts, postgres
from tests.command import DDL
from tests.releases import TREE

DOCS = ROOT / "docs"
_BLOCK = re.compile(r"```(python|console)\n(.*?)```", re.DOTALL)
_QUERIES = {
    "queries/errors.sql": "-- errors of the last day\nSET threads = 4;\nSELECT count(*) FROM logs "
    "WHERE level >= 40 AND log_time >= NOW() - INTERVAL '1 day';\n",
    "daily.sql": "SELECT (log_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata')::date AS day, "
    "count(*) AS n FROM logs GROUP BY 1 ORDER BY 1\n",
    "queries/weekly/india.sql": "SELECT count(*)\nFROM logs\nWHERE (log_time AT TIME ZONE 'UTC' "
    "AT TIME ZONE 'Asia/Kolkata')::date = DATE '2026-03-08';\n",
    "tables.sql": DDL,
}


def run_page(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all examples of a page in one folder, and those of Python in one namespace."""
    monkeypatch.chdir(folder)
    namespace: dict[str, object] = {}
    for language, code in _BLOCK.findall((DOCS / name).read_text()):
        if language == "python":
            exec(compile(code, name, "exec"), namespace)
        else:
            for command, expected in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", code):
                check_command(command, expected, folder)


def check_command(command: str, expected: str, folder: Path) -> None:
    """Run a command line of a page; an ellipsis stands for any text."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, "TZ": "America/New_York"},
        check=False,
    )
    assert "Traceback" not in done.stderr
    printed = done.stdout + done.stderr
    pattern = re.escape(expected).replace("…", ".*")
    assert re.fullmatch(pattern, printed, re.DOTALL), printed


@pytest.mark.parametrize(
    "page", ["tutorial.md", "lint.md", "configuration.md", "operations.md", "zone-names.md"]
)
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in _QUERIES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    run_page(page, tmp_path, monkeypatch)


def test_new_tz_release_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the folder of an older release."""
    (tmp_path / "old-tzdata").symlink_to(TREE)
    run_page("new-tz-release.md", tmp_path, monkeypatch)


def test_dbt_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a project as dbt has compiled it."""
    orders = '"shop"."main"."orders"'
    day = "cast(placed_at at time zone 'UTC' at time zone 'America/New_York' as date)"
    models = {
        "by_day": f"select {day} as day, count(*) as orders\nfrom {orders} group by 1",
        "first_orders": "select at at time zone 'Asia/Tokyo' from (select min(x) as at from y) t",
        "totals": f"select count(*) as orders from {orders}",
    }
    columns = {"orders": {"placed_at": "TIMESTAMP"}}
    texts = (dbt_artifacts.model(name, text) for name, text in models.items())
    dbt_artifacts.project(tmp_path, columns, *texts)
    run_page("dbt.md", tmp_path, monkeypatch)


def test_library_page(
    server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a PostgreSQL where its client looks for one."""
    server.fresh("reports")
    monkeypatch.setenv("PGHOST", str(server.folder))
    monkeypatch.setenv("PGUSER", "postgres")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages warn of is theirs
        run_page("library.md", tmp_path, monkeypatch)
    server.drop("reports")


def test_sqlalchemy_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the database of the tutorial."""
    run_page("tutorial.md", tmp_path, monkeypatch)
    run_page("sqlalchemy.md", tmp_path, monkeypatch)


def test_start_page_leads_everywhere() -> None:
    index = (DOCS / "index.md").read_text()
    for page in DOCS.glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index, page.name

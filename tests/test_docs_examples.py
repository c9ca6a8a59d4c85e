"""The examples of the pages run, in order, and print what the pages say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import tzconv
from tests import ROOT, dbt_artifacts, postgres
from tests.command import DDL, run
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


def run_page(
    name: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    before_each: Callable[[], None] | None = None,
) -> None:
    """Run all examples of a page in one folder, and those of Python in one namespace."""
    monkeypatch.chdir(folder)
    namespace: dict[str, object] = {}
    for language, code in _BLOCK.findall((DOCS / name).read_text(encoding="utf-8")):
        if before_each is not None:
            before_each()
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
    # alone in its line, it also stands for no line
    pattern = re.sub(r"(?m)^…\\\n", ".*", re.escape(expected)).replace("…", ".*")
    assert re.fullmatch(pattern, printed, re.DOTALL), printed


@pytest.mark.parametrize(
    "page",
    [
        *("tutorial.md", "init.md", "lint.md", "configuration.md", "operations.md"),
        *("zone-names.md", "bi.md", "rollups.md"),
    ],
)
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(_QUERIES, tmp_path)
    run_page(page, tmp_path, monkeypatch)


def write(texts: dict[str, str], folder: Path) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.not_core
def test_the_wrapper_of_django(server: postgres.Server) -> None:
    """Without Django: the wrapper of the page, and queries as Django 5.2 sends them."""
    url = server.fresh("wrapper")
    with server.connect("wrapper") as connection:
        connection.execute(
            "CREATE TABLE events AS SELECT i AS id, TIMESTAMPTZ '2025-03-01Z' + i * INTERVAL "
            "'7 minutes' AS created_at FROM generate_series(1, 60000) i"
        )
        connection.execute("ANALYZE events")
        connection.commit()
        tzconv.refresh(url, zones=["Europe/Berlin"])
        (code,) = re.findall(
            r"```python\n(.*?)```", (DOCS / "frameworks.md").read_text(), re.DOTALL
        )
        page: dict[str, Any] = {}
        exec(code.replace("postgresql+psycopg://me@host/shop", url), page)
        sent: list[str] = []

        def execute(sql: Any, values: Any, many: bool, context: object) -> list[Any]:
            sent.append(sql)
            return sorted(connection.execute(sql, values).fetchall())

        day = """DATE_TRUNC(%s, "events"."created_at" AT TIME ZONE %s)"""
        for sql, params in {
            f"""SELECT {day} AS "day", COUNT("events"."id") AS "n" FROM "events" GROUP BY 1""": (
                *("day", "Europe/Berlin"),
            ),
            """SELECT ("events"."created_at" AT TIME ZONE %s)::date AS "day", '50 %%' AS "share" """
            """FROM "events" WHERE EXTRACT(HOUR FROM "created_at" AT TIME ZONE %s) = %s""": (
                *("Europe/Berlin", "Europe/Berlin", 2),
            ),
        }.items():
            before = execute(sql, params, False, None)
            assert page["in_local_time"](execute, sql, params, False, None) == before
            assert before
            assert "time_zone_conversion_zone" in sent[-1]
        assert page["in_local_time"](execute, "SELECT 1", None, False, None) == [(1,)]


def test_rewrite_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example begins with the same files, though some change them."""
    text = (DOCS / "rewrite.md").read_text(encoding="utf-8")
    (model,) = re.findall(r"\$ cat models/daily.sql\n(.*?)\$ ", text, re.DOTALL)
    files = {**_QUERIES, "queries/levels.sql": "SELECT count(*) FROM logs;\n"}
    files["models/daily.sql"] = model
    run_page("rewrite.md", tmp_path, monkeypatch, before_each=lambda: write(files, tmp_path))


@pytest.mark.parametrize("page", ["refresh.md", "redshift.md"])
def test_commands_that_need_no_server(page: str, tmp_path: Path) -> None:
    """Each listing begins with the same database and files; what it prints is not shown there."""
    text = (DOCS / page).read_text(encoding="utf-8")
    listings = [code for kind, code in _BLOCK.findall(text) if kind == "console"]
    ran = 0
    for number, code in enumerate(listings):
        folder = tmp_path / str(number)
        write(_QUERIES | {"ddl.sql": DDL, "report.sql": _QUERIES["daily.sql"]}, folder)
        with duckdb.connect(folder / "tzconv.duckdb") as database:
            database.execute("CREATE TABLE publishers AS SELECT 'UTC' AS time_zone_name")
        if "tzconv status" in code:
            assert run("refresh", "--zones", "UTC", cwd=folder).returncode == 0
        for line in re.findall(r"(?m)^\$ tzconv (.*)", code):
            words, _, file = line.partition(" > ")
            if "://" in words:
                continue
            done = run(*shlex.split(words), cwd=folder)
            assert done.returncode in (0, 2), (line, done.stderr)
            assert done.stdout or done.stderr
            assert not file or done.stdout
            ran += 1
    assert ran == {"refresh.md": 7, "redshift.md": 4}[page]


def test_new_tz_release_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the folder of an older release."""
    (tmp_path / "old-tzdata").symlink_to(TREE)
    run_page("new-tz-release.md", tmp_path, monkeypatch)


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its SQL is what the rewriter makes, can be pasted, and returns the same rows."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    made, *pairs = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    originals, rewritten = pairs[::2], pairs[1::2]
    assert len(originals) == len(rewritten) == 2
    with duckdb.connect(tmp_path / "reports.duckdb") as database:
        database.execute(made)
        for sql in (originals[0], rewritten[0]):  # pasted before anything is loaded
            assert database.execute(sql).fetchall() == [(23 * 60,)]
    write({"queries/day.sql": originals[0], "queries/days.sql": originals[1]}, tmp_path)
    run_page("../README.md", tmp_path, monkeypatch)
    assert (tmp_path / "faster.sql").read_text() == rewritten[1]
    assert run("rewrite", "queries/day.sql", "-q", cwd=tmp_path).stdout == rewritten[0]
    with duckdb.connect(tmp_path / "reports.duckdb", read_only=True) as database:
        database.execute("SET TimeZone = 'UTC'")
        one, other = (sorted(database.execute(sql).fetchall()) for sql in pairs[2:])
    assert one == other
    assert len(one) == 696


def test_the_picture_of_the_demonstration_is_described() -> None:
    """In the README, for those who do not see it: by the same figures."""
    picture = (DOCS / "pictures" / "demo.svg").read_text(encoding="utf-8")
    figures = re.findall(r">([\d.]+) ms (?:before|after)", picture)
    widths = [
        float(one)
        for one in re.findall(r'<rect class="\w+" x="20" [^>]*?width="([\d.]+)"', picture)
    ]
    (described,) = re.findall(
        r"!\[(.*)\]\(docs/pictures/demo.svg\)", (ROOT / "README.md").read_text()
    )
    assert re.findall(r"\d+(?:\.\d+)?", described) == figures
    assert len(figures) == len(widths) == 6
    scale = widths[0] / float(figures[0])
    for figure, width in zip(figures, widths, strict=True):
        assert width == pytest.approx(float(figure) * scale, abs=1), "the bars are drawn to scale"


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

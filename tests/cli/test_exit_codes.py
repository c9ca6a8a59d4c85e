"""The exit codes of every command in docs/commands.md; test_wrong_input has those of errors."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import NoReturn

import click
import duckdb
import pytest

from tests import databases, dbt_artifacts, releases
from tests.command import DDL, QUERY
from tzconv import tables
from tzconv.cli import _COMMANDS, cli, codes, main

DONE = {
    "generate": "generate --out made --zones UTC --tables daily",
    "refresh": "refresh --url duckdb:///new.duckdb --zones UTC --tables offset,zone",
    "status": "status --url {url}",
    "doctor": "doctor --url {url}",
    "migrate": "migrate --url {url}",
    "rewrite": "rewrite q.sql",
    "compare": "compare one.sql --url {url}",
    "lint": "lint one.sql",
    "rollup": "--config rollup.toml rollup --print duckdb",
    "names": "names good.txt",
    "impact": "impact --from installed",
    "show": "show UTC",
    "ddl": "ddl",
}
FOUND = {
    "refresh": "refresh --url {url} --zones UTC,Europe/Berlin --dry-run",
    "rewrite": "rewrite q.sql --check --schema-file tables.sql",
    "lint": "lint q.sql --schema-file tables.sql",
    "dbt": "dbt shop",
    "rollup": "--config rollup.toml rollup --url {url} --dry-run",
    "names": "names bad.txt",
    "impact": "impact --from {old}",
}
NEWER = {
    "refresh": "refresh --url {url}",
    "migrate": "migrate --url {url}",
    "rewrite": "rewrite q.sql --url {url}",
    "compare": "compare q.sql --url {url}",
    "lint": "lint q.sql --url {url}",
    "view": "view events.ts --zone UTC --url {url}",
    "init": "init {url}",
}
ROLLUP = """
[[rollups]]
table = "sums"
source = "events"
timestamp = "ts"
bucket = "bucket"
zone = "UTC"
values = { n = "count(*)" }
"""


def code_of(line: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["tzconv", *line.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with UTC until in a month, in a folder with the files of the lines."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "q.sql": QUERY,
        "tables.sql": DDL,
        "one.sql": "SELECT 1",
        "good.txt": "Europe/Berlin\n",
        "bad.txt": "Berlin\n",
        "rollup.toml": ROLLUP,
    }.items():
        (tmp_path / name).write_text(text)
    local = "SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS t FROM events"
    dbt_artifacts.project(
        tmp_path, {"events": {"ts": "TIMESTAMP"}}, dbt_artifacts.model("m", local)
    )
    made = f"duckdb:///{tmp_path}/tz.duckdb"
    today = dt.datetime.now(dt.UTC).date()
    databases.small(made, start=today - dt.timedelta(2), end=today + dt.timedelta(30))
    with duckdb.connect(tmp_path / "tz.duckdb") as database:
        database.execute("CREATE TABLE events (ts TIMESTAMP)")
    return made


def test_the_lines_are_those_of_the_table() -> None:
    """A command without a line has an exit code that nobody has seen."""
    assert FOUND.keys() == codes.FOUND.keys()
    assert codes.WARNED.keys() == {"status", "doctor", "dbt", *NEWER}
    assert {*_COMMANDS} >= {*DONE}


def test_done(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in DONE.values():
        assert code_of(line.format(url=url), monkeypatch) == 0, line


def test_found(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in FOUND.values():
        assert code_of(line.format(url=url, old=releases.TREE), monkeypatch) == 2, line


def test_warned(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The horizon ends in less than 90 days; then a newer tzconv has made the tables."""
    for name in ("status", "doctor"):
        assert code_of(f"{name} --url {url}", monkeypatch) == 0
        assert code_of(f"{name} --url {url} --detailed-exitcode", monkeypatch) == 3
    newer = f"UPDATE {tables.MIGRATION} SET version_num = '9001'"
    databases.Database("duckdb", url).run(newer)
    for line in NEWER.values():
        assert code_of(line.format(url=url), monkeypatch) == 3, line


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Wrong usage, Ctrl-C and help, also of a command that has no line above."""
    monkeypatch.chdir(tmp_path)
    assert code_of(f"{name} --help", monkeypatch) == 0
    capsys.readouterr()
    assert code_of(f"{name} --no-such-option --json", monkeypatch) == 64
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["exit_code"]) == ("usage", 64)
    assert "--no-such-option" in error["message"]
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    monkeypatch.setattr(command, "callback", interrupted)
    monkeypatch.setattr(command, "params", [])
    monkeypatch.setattr(cli, "get_command", lambda context, typed: command)
    assert code_of(name, monkeypatch) == 130
    assert capsys.readouterr().out == ""
    command.params = [click.Option(["--json"], is_flag=True)]
    assert code_of(f"{name} --json", monkeypatch) == 130
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"]["code"] == "stopped"
    assert "unfinished changes were undone" in printed.err


def interrupted(**options: object) -> NoReturn:
    raise KeyboardInterrupt

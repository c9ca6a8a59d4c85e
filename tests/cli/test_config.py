"""Defaults from files and the environment, loudness, and what people type wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import duckdb
import pytest

from tests import ROOT
from tests.command import (
    DDL,
    QUERY,
    assert_one_sentence,
    changed,
    run,
)
from tzconv.cli import config
from tzconv.cli.config import KEYS, variable_of


def test_defaults_of_a_file(tmp_path: Path) -> None:
    """The nearest file up from the working directory; its paths are beside it."""
    (tmp_path / "tables.sql").write_text(DDL)
    (tmp_path / "tzconv.toml").write_text('schema-file = "tables.sql"\ndialect = "postgres"\n')
    folder = tmp_path / "reports" / "weekly"
    folder.mkdir(parents=True)
    (folder / "q.sql").write_text("SELECT NOW() - log_time AS age FROM logs\n")
    assert "(SELECT CAST(NOW()" in run("rewrite", "q.sql", cwd=folder).stdout
    assert "TZ002" in run("lint", "q.sql", cwd=folder).stdout
    # the command line wins over the environment, and that over the file
    duckdb = run("rewrite", "q.sql", "--dialect", "duckdb", cwd=folder)
    assert "CAST(NOW()" in duckdb.stdout
    assert "(SELECT" not in duckdb.stdout
    assert run("rewrite", "q.sql", cwd=folder, TZCONV_DIALECT="duckdb").stdout == duckdb.stdout
    both = run("rewrite", "q.sql", "--dialect", "postgres", cwd=folder, TZCONV_DIALECT="duckdb")
    assert "(SELECT" in both.stdout
    said = run("rewrite", "q.sql", "-v", cwd=folder, TZCONV_DIALECT="duckdb").stderr.splitlines()
    assert said[:2] == [
        "Defaults from TZCONV_DIALECT.",
        f"Defaults from {tmp_path}/tzconv.toml: schema-file.",
    ]
    assert said[-1].startswith("Took ")


def test_a_file_that_was_found_is_named(tmp_path: Path) -> None:
    """In one line, with the settings that the command has taken from it."""
    (tmp_path / "tzconv.toml").write_text('start = 2026-01-01\nend = 2026-02-01\nzones = "UTC"\n')
    defaults = f"Defaults from {tmp_path}/tzconv.toml: "
    made = run("generate", "--out", "o", "--end", "2026-01-03", cwd=tmp_path)
    assert f"{defaults}zones, start.\n" in made.stderr
    assert "Defaults" not in run("show", "UTC", cwd=tmp_path).stderr
    assert "Defaults" not in run("generate", "--out", "o", "-q", cwd=tmp_path).stderr
    named = run("--config", "tzconv.toml", "generate", "--out", "o", cwd=tmp_path)
    assert "Defaults" not in named.stderr
    loaded = run("refresh", cwd=tmp_path).stderr
    assert loaded.splitlines()[0] == f"{defaults}zones, start, end."


def test_what_resets_the_refresh_is_a_default_elsewhere(tmp_path: Path) -> None:
    text = 'zones = "UTC"\ntables = "default"\nstart = "default"\nend = "default"\n'
    for name, settings in (("reset", text), ("plain", 'zones = "UTC"\n')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tzconv.toml").write_text(settings)
    made = [
        run("generate", "--out", "o", "--json", cwd=tmp_path / name) for name in ("reset", "plain")
    ]
    assert made[0].returncode == 0, made[0].stderr
    assert made[0].stdout == made[1].stdout


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ('url = "duckdb:///other.duckdb"', "sets url to a database"),
        ('zones = "sql:SELECT z FROM t"', "sets zones to a query"),
        ('zones = ["sql:SELECT z", "y FROM t"]', "sets zones to a query"),
        ('rules = "/usr/share/zoneinfo"', "sets rules to a folder"),
    ],
)
def test_what_a_file_that_was_found_may_not_set(setting: str, said: str, tmp_path: Path) -> None:
    """Neither here nor in a folder above, and not for a database that was named by hand."""
    (tmp_path / "tzconv.toml").write_text(setting + "\n")
    (tmp_path / "work").mkdir()
    with duckdb.connect(tmp_path / "other.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT 'UTC' AS z, 1 AS y")
    before = (tmp_path / "other.duckdb").read_bytes()
    key = setting.partition(" ")[0]
    for folder in (tmp_path, tmp_path / "work"):
        where = [] if key == "url" else ["--url", f"duckdb:///{tmp_path}/other.duckdb"]
        for options in ([], ["--dry-run"]):
            done = run("refresh", *where, *options, cwd=folder)
            assert_one_sentence(
                done, f"{tmp_path}/tzconv.toml: ", said, "--config", "TZCONV_CONFIG"
            )
    assert (tmp_path / "other.duckdb").read_bytes() == before
    # what the command line says instead is used
    given = {"url": "duckdb:///mine.duckdb", "zones": "UTC", "rules": "tzdata"}
    own = [part for name, value in given.items() for part in (f"--{name}", value)]
    assert changed(run("refresh", *own, cwd=tmp_path))


def test_a_file_that_init_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It chooses the database until somebody changes that, or moves the file."""
    with duckdb.connect(tmp_path / "own.duckdb") as database:
        database.execute("CREATE TABLE events AS SELECT TIMESTAMP '2026-01-01' AS ts")
    done = run("init", "duckdb:///own.duckdb", cwd=tmp_path)
    assert "\ntzconv refresh\n" in done.stdout
    file = tmp_path / "tzconv.toml"
    written = file.read_text()
    file.write_text(written.replace('zones = "all"', 'zones = "UTC"'))
    assert changed(run("refresh", cwd=tmp_path))
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "tzconv.toml").write_text(written)
    assert_one_sentence(run("refresh", cwd=tmp_path / "copy"), "nobody has named this file")
    others = {
        "duckdb:///own.duckdb": "duckdb:///other.duckdb",
        'zones = "all"': 'zones = "sql:SELECT z FROM t"',
        'dialect = "duckdb"': 'rules = "/usr/share/zoneinfo"',
    }
    for old, new in others.items():
        file.write_text(written.replace(old, new))
        assert_one_sentence(run("refresh", cwd=tmp_path), "nobody has named this file")
    file.unlink()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own.duckdb"))
    done = run("init", "duckdb:///own.duckdb", cwd=tmp_path)
    assert "\ntzconv --config tzconv.toml refresh\n" in done.stdout


def test_a_schema_outside_the_folder_of_a_file_that_was_found(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "tables.sql").write_text(DDL)
    (folder / "q.sql").write_text(QUERY)
    (folder / "link.sql").symlink_to(tmp_path / "tables.sql")
    for path in ("../tables.sql", str(tmp_path / "tables.sql"), "link.sql"):
        (folder / "tzconv.toml").write_text(f'schema = "{path}"\n')
        assert_one_sentence(run("rewrite", "q.sql", cwd=folder), "a file outside its folder")
        named = run("--config", "tzconv.toml", "rewrite", "q.sql", cwd=folder)
        assert named.returncode == 0, named.stderr


def test_a_file_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ignored, and named; the next one above counts."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "tzconv.toml").write_text('dialect = "vertica"\n')
    shared = tmp_path / "a" / "tzconv.toml"
    shared.write_text('dialect = "postgres"\n')
    shared.chmod(0o666)  # the others below have another owner, which needs the rights of root
    monkeypatch.chdir(folder)
    found = config.defaults(None)
    assert (found.found, found.ignored) == (tmp_path / "tzconv.toml", [shared])
    done = run("rewrite", "-", cwd=folder, stdin="SELECT 1")
    assert f"Ignored {shared}, which another user can change" in done.stderr
    shared.chmod(0o644)
    assert config.defaults(None).found == shared
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1 or 1)
    others = {shared, tmp_path / "tzconv.toml"} if me else set()
    assert set(config.defaults(None).ignored) == others
    monkeypatch.setattr(os, "geteuid", lambda: me)
    shared.unlink()
    shared.symlink_to(tmp_path / "tzconv.toml")
    assert config.defaults(None).found == shared


def test_no_file_is_looked_for_above_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "queries").mkdir()
    (tmp_path / "tzconv.toml").write_text('dialect = "vertica"\n')
    monkeypatch.chdir(repository / "queries")
    assert config.defaults(None).found is None
    (repository / "tzconv.toml").write_text('dialect = "spark"\n')
    assert config.defaults(None).found == repository / "tzconv.toml"
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "work")
    assert config.defaults(None).found is None
    (home / "tzconv.toml").write_text("")
    assert config.defaults(None).found == home / "tzconv.toml"


def test_no_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert config.defaults(None).found is None


def test_zones_and_horizon(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '\ufeff[project]\nname = "x"\n[tool.tzconv]\nurl = "duckdb:///r.duckdb"\n'
        'zones = ["Asia/Tokyo", "UTC"]\nstart = 2026-01-01\nend = "2026-02-01"\n'
    )
    assert_one_sentence(run("refresh", cwd=tmp_path), "sets url to a database")
    named = {"TZCONV_CONFIG": "pyproject.toml"}
    assert changed(run("refresh", cwd=tmp_path, **named))
    status = run("status", "--json", cwd=tmp_path, **named).stdout
    assert '"zone_count": 2' in status
    assert '"horizon_starts_on": "2026-01-01"' in status
    assert (tmp_path / "r.duckdb").exists()
    (tmp_path / "q").mkdir()
    above = {"TZCONV_CONFIG": "../pyproject.toml"}
    assert run("status", "--json", cwd=tmp_path / "q", **above).stdout == status
    assert run("refresh", cwd=tmp_path / "q", **above).stderr.startswith("Nothing to do")
    assert not list((tmp_path / "q").iterdir())
    (tmp_path / "other.toml").write_text('url = "duckdb:///none.duckdb"\n')
    other = run("--config", "other.toml", "status", cwd=tmp_path)
    assert_one_sentence(other, "none.duckdb")
    assert run("status", cwd=tmp_path, TZCONV_CONFIG="other.toml").stderr == other.stderr


def test_tables(tmp_path: Path) -> None:
    """What is loaded and what is written; a name that is none is found there too."""
    (tmp_path / "tzconv.toml").write_text(
        'zones = ["UTC"]\nstart = 2026-01-01\nend = "2026-02-01"\ntables = ["daily", "hourly"]\n'
    )
    loaded = json.loads(run("refresh", "--json", cwd=tmp_path).stdout)
    assert {name for name, rows in loaded["rows"].items() if rows} == {
        *("daily", "hourly", "offset", "zone")
    }
    written = json.loads(run("generate", "--out", "files", "--json", cwd=tmp_path).stdout)
    assert [Path(one["file"]).stem for one in written["files"]] == [
        "time_zone_daily_conversion",
        "time_zone_hourly_conversion",
    ]
    wrong = run("refresh", cwd=tmp_path, TZCONV_TABLES="daily,utc_day")
    assert wrong.returncode == 1
    assert "no table 'utc_day'" in wrong.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('urll = "x"', "no setting 'urll': did you mean 'url'?"),
        ("[[rollup]]", "no setting 'rollup': did you mean 'rollups'?"),
        ("url = 5", "url must be a text"),
        ("zones = [1]", "zones must be a text"),
        ("url = x", "write texts in double quotes"),
        ("url = ", "is not TOML"),
        ("\x1b[2Jx = 1", "is not TOML"),
    ],
)
def test_files_that_are_wrong(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "tzconv.toml").write_text(text)
    assert_one_sentence(run("ddl", cwd=tmp_path), "tzconv.toml: ", said)


def test_asking_for_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert_one_sentence(
        run("--config", "no.toml", "ddl", cwd=tmp_path), "no.toml: there is no such file"
    )
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    asked = run("--config", "pyproject.toml", "ddl", cwd=tmp_path)
    assert_one_sentence(asked, "has no table [tool.tzconv]")
    assert run("ddl", cwd=tmp_path).returncode == 0


def test_every_setting_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    for key in KEYS:
        assert f"`{key}`" in page
        assert f"`{variable_of(key)}`" in page


def test_quiet(tmp_path: Path) -> None:
    (tmp_path / "t.sql").write_text(DDL)
    loud = run("rewrite", "-", "--schema-file", "t.sql", cwd=tmp_path, stdin=QUERY)
    quiet = run("rewrite", "-", "--schema-file", "t.sql", "--quiet", cwd=tmp_path, stdin=QUERY)
    assert loud.stderr
    assert (quiet.stderr, quiet.stdout) == ("", loud.stdout)
    wrong = run("rewrite", "no.sql", "-q", cwd=tmp_path)
    assert_one_sentence(wrong, "no.sql")
    failed = run("lint", "no.sql", "t.sql", "-q", cwd=tmp_path)
    assert failed.stderr == "tzconv: no.sql: there is no such file: check its name and folder.\n"


@pytest.mark.parametrize("command", ["rewrite", "compare", "lint"])
def test_files_that_are_no_queries(command: str, tmp_path: Path) -> None:
    (tmp_path / "binary.sql").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    (tmp_path / "utf16.sql").write_bytes("SELECT 1".encode("utf-16-le"))
    (tmp_path / "huge.sql").write_text("SELECT 1;\n" * 1_100_000)
    (tmp_path / "empty.sql").write_text("")
    said = {"binary": "UTF-8", "utf16": "NUL", "huge": "11.0 MB", "gone": "there is no such file"}
    database = () if command == "rewrite" else ("--url", "duckdb:///:memory:")
    for name, reason in said.items():
        done = run(command, f"{name}.sql", *database, cwd=tmp_path)
        assert done.returncode == 1
        assert f"{name}.sql" in done.stderr
        assert reason in done.stderr
        assert "Traceback" not in done.stderr
    empty = run(command, "empty.sql", cwd=tmp_path)
    if command == "lint":
        assert empty.stderr == "1 file: no findings.\n"
    else:
        assert "Traceback" not in empty.stderr
        assert empty.returncode == (1 if command == "compare" else 0)


def test_no_colours_off_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "t.sql").write_text(DDL)
    (tmp_path / "q.sql").write_text(QUERY)
    forced = {"FORCE_COLOR": "1", "NO_COLOR": "1"}
    for arguments in (
        ["show", "Europe/Berlin"],
        ["rewrite", "q.sql", "--schema-file", "t.sql", "--diff"],
    ):
        assert "\x1b" not in run(*arguments, cwd=tmp_path).stdout
        assert "\x1b" not in run(*arguments, cwd=tmp_path, **forced).stdout

"""What people type wrong in their first hour: one sentence, what to do next, and the exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import databases, postgres
from tests.command import QUERY
from tzconv.cli import main

FILES = {
    "q.sql": QUERY,
    "empty.sql": "",
    "comment.sql": "-- to be written\n",
    "plain.sql": "SELECT 1",
    "two.sql": "SELECT 1;\nSELECT 2;\n",
    "bad.sql": "SELECT (\n  FROM logs",
    "template.sql": "SELECT {% if x %} log_time AT TIME ZONE 'Asia/Tokyo' FROM logs",
    "vertica.sql": "SELECT new_time(log_time, 'UTC', 'Europe/Berlin') FROM logs",
    "mysql.sql": "SELECT CONVERT_TZ(log_time, 'UTC', 'Asia/Tokyo') FROM logs",
    "zone.sql": "SELECT log_time AT TIME ZONE 'Mars/Phobos' FROM logs",
    "column.sql": "SELECT log_tme AT TIME ZONE 'Asia/Tokyo' FROM logs",
    "notes.txt": "no database",
}

Run = Callable[[str], tuple[int | str | None, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, standard output and standard error of a line, in a folder with the files."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()

    def ran(line: str) -> tuple[int | str | None, str, str]:
        monkeypatch.setattr(sys, "argv", ["tzconv", *line.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return ran


def sentence(words: str) -> str:
    """The one sentence of standard error, below the usage that wrong options print."""
    lines = [one for one in words.splitlines() if one and not one.startswith(("Usage", "Try '"))]
    lines = [one for one in lines if not one.startswith(("0 files", "1 file"))]
    assert len(lines) == 1, words
    said = lines[0]
    if said.startswith("{"):
        said = str(json.loads(said)["text"])
    return said.removeprefix("tzconv: ").removeprefix("Error: ")


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        # the URL
        ("status --url reports.duckdb", 1, "write it as duckdb:///reports.duckdb"),
        ("status --url duckdb://reports.duckdb", 1, "did you mean duckdb:///reports.duckdb?"),
        ("status --url localhost:5432/x", 1, "or as postgresql://HOST/DATABASE"),
        ("status --url mysql://me@host/x", 1, "choose one of duckdb://, postgresql://"),
        ("status --url postgresql+psycopg2://h/x", 1, "write postgresql+psycopg://"),
        ("status --url duckdb:///gone.duckdb", 1, "or name another database with --url"),
        ("status --url duckdb:///notes.txt", 1, "is not a DuckDB file: check the URL"),
        ("refresh --url redshift://h/x", 1, "rewrite its queries with --dialect redshift"),
        # the dialect
        ("rewrite q.sql --dialect postgress", 1, "did you mean postgres?"),
        ("ddl --dialect mysql", 1, "choose one of duckdb, postgres, redshift, spark, vertica"),
        ("ddl --dialect spark", 1, "tzconv refresh makes its tables"),
        ("ddl --dialect vertica --url postgres://h/x", 64, "leave --dialect out"),
        # files
        ("rewrite gone.sql", 1, "gone.sql: there is no such file: check its name"),
        ("lint folder", 1, "there is no .sql file in this folder"),
        ("rewrite .", 64, "add --check, --diff, --in-place or --json"),
        ("rewrite bad.sql", 1, "bad.sql:2:8: not understood as SQL near 'logs'"),
        ("lint bad.sql", 1, "bad.sql:2:8: not understood as SQL near 'logs'"),
        ("rewrite empty.sql", 0, "has no SQL statement: check that it is the file you mean"),
        ("rewrite comment.sql", 0, "has no SQL statement: check that it is the file you mean"),
        ("rewrite template.sql", 0, "render the template first"),
        ("lint q.sql --fix --format sarif --diff", 64, "both print to standard output"),
        ("lint - --fix", 64, "--fix needs files"),
        # names and types
        ("rewrite vertica.sql", 0, "new_time() looks like Vertica: --dialect vertica"),
        ("lint vertica.sql", 0, "new_time() looks like Vertica: --dialect vertica"),
        ("rewrite mysql.sql", 0, "looks like MySQL, which tzconv does not support"),
        ("rewrite q.sql --schema-file reporting", 1, "--db-schema names the schema"),
        ("rewrite q.sql --types log_time=timestamp", 1, "not of the form TABLE.COLUMN=TYPE"),
        ("rewrite q.sql --types logs.log_time=datetme", 1, "did you mean date?"),
        ("show Berlin", 1, "it is a Ruby on Rails name of Europe/Berlin"),
        ("show PST", 1, "it is an abbreviation"),
        ("generate --out made --zones sql:SELECT", 64, "name the zones, or load the tables"),
        ("refesh", 64, "did you mean refresh?"),
        ("rewrite --dialct duckdb", 64, "--dialect"),
        ("--config gone.toml status", 1, "gone.toml: cannot be read"),
    ],
)
def test_without_a_database(line: str, code: int, said: str, run: Run) -> None:
    ended, out, words = run(line)
    assert said in sentence(words)
    assert "Traceback" not in words
    assert ended == code
    if code:
        assert out == ""
        assert not Path("made").exists()


@pytest.fixture(params=["duckdb", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[databases.Database]:
    server: postgres.Server | None = None
    if request.param == "postgres":
        server = request.getfixturevalue("server")
    with databases.fresh(request.param, tmp_path, server) as opened:
        opened.run("CREATE TABLE logs (log_time TIMESTAMP, level INTEGER)")
        yield opened


def test_before_the_first_refresh(database: databases.Database, run: Run) -> None:
    for line, said in [
        ("rewrite q.sql", "has no conversion tables"),
        ("compare q.sql", "run tzconv refresh with the same --url first"),
        ("rewrite q.sql --db-schema reports", "--db-schema names that of tzconv's own tables"),
        ("refresh --db-schema reports", "make it with CREATE SCHEMA"),
        ("status", "No conversion tables are loaded: run tzconv refresh."),
        ("names --column logs.zone", "logs has no column zone: it has level, log_time."),
        ("names --column log.zone", "there is no table log that you may read: did you mean logs?"),
        ("names --column logs", "TABLE.COLUMN"),
    ]:
        ended, out, words = run(f"{line} --url {database.url}")
        assert ended == 1, line
        assert "Traceback" not in words
        assert said in (out + words if line == "status" else sentence(words)), line


def test_after_the_first_refresh(database: databases.Database, run: Run) -> None:
    databases.small(database.url, "Europe/Berlin")
    other = "postgres" if database.kind == "duckdb" else "duckdb"
    for line, code, said in [
        ("compare two.sql", 1, "two.sql: is not one query: compare runs a single SELECT"),
        ("compare empty.sql", 1, "check that it is the file you mean"),
        ("compare bad.sql", 1, "bad.sql:2:8: not understood as SQL"),
        ("compare vertica.sql", 1, "also without tzconv: new_time() looks like Vertica. "),
        ("compare column.sql", 1, "log_tme"),
        ("compare folder", 1, "folder: is a folder: name one file of it"),
        ("compare plain.sql --max-ratio 0.0001", 0, ""),
        ("view logs.log_tme --zone UTC", 1, "logs has no column log_tme: it has level, log_time."),
        ("view log.log_time --zone UTC", 1, "there is no table log that you may read"),
        ("compare zone.sql", 0, ""),
        ("compare q.sql --strategy fast", 1, "There is no strategy 'fast'"),
        (f"rewrite q.sql --dialect {other}", 64, "leave --dialect out"),
        (f"lint q.sql --dialect {other}", 64, "leave --dialect out"),
        ("refresh --zones Europe/Berln", 1, "did you mean Europe/Berlin"),
    ]:
        ended, out, words = run(f"{line} --url {database.url}")
        assert "Traceback" not in words
        assert ended == code, (line, words)
        if code:
            assert out == "", line
            assert said in sentence(words), line


@pytest.mark.parametrize("line", ["status --json", "compare q.sql --json", "names --json --x"])
def test_the_same_sentence_as_json(line: str, run: Run) -> None:
    ended, out, words = run(f"{line} --url nonsense")
    error = json.loads(out)["error"]
    assert set(error) == {"code", "exit_code", "message", "file", "line", "column"}
    assert error["exit_code"] == ended
    assert error["message"] == sentence(words)
    assert error["code"] == ("usage" if ended == 64 else "database")

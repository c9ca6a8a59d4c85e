"""Whatever a user types wrong: one sentence that helps, the exit code, and nothing left behind.

One line of ``LINES`` for each mistake; a command that takes input has at least one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import databases, postgres
from tests.command import QUERY
from tests.releases import tzif
from tzconv.cli import _COMMANDS, main

FILES: dict[str, str | bytes] = {
    "q.sql": QUERY,
    "empty.sql": "",
    "comment.sql": "-- to be written\n",
    "plain.sql": "SELECT 1",
    "day.sql": "SELECT count(*) FROM logs WHERE CAST(log_time AT TIME ZONE 'UTC'"
    " AT TIME ZONE 'Asia/Tokyo' AS DATE) = DATE '2024-03-01'",
    "two.sql": "SELECT 1;\nSELECT 2;\n",
    "insert.sql": "INSERT INTO logs SELECT * FROM logs",
    "bad.sql": "SELECT (\n  FROM logs",
    "jinja.sql": "SELECT 1\nFROM {{ ref('events') }}\n",
    "template.sql": "SELECT {% if x %} log_time AT TIME ZONE 'Asia/Tokyo' FROM logs",
    "vertica.sql": "SELECT new_time(log_time, 'UTC', 'Europe/Berlin') FROM logs",
    "mysql.sql": "SELECT CONVERT_TZ(log_time, 'UTC', 'Asia/Tokyo') FROM logs",
    "zone.sql": "SELECT log_time AT TIME ZONE 'Mars/Phobos' FROM logs",
    "column.sql": "SELECT log_tme AT TIME ZONE 'Asia/Tokyo' FROM logs",
    "notes.txt": "no database",
    "binary.sql": b"\x89PNG\r\n\x1a\n\x00\xff\xfe",
    "rules/Old": tzif([0, 10**9], [0, 0], [(0, 0, "AAA")], None),
}
_DIALECTS = "choose one of duckdb, postgres, redshift, spark, vertica"
_NO_RANGE = "start 2027-01-01 is not before the end 2026-01-01"
_MANY = "add --check, --diff, --in-place or --json"
LINES = [
    # the URL
    ("status --url reports.duckdb", 1, "write it as duckdb:///reports.duckdb"),
    ("status --url duckdb://reports.duckdb", 1, "did you mean duckdb:///reports.duckdb?"),
    ("status --url localhost:5432/x", 1, "or as postgresql://HOST/DATABASE"),
    ("status --url mysql://me@host/x", 1, "choose one of duckdb://, postgresql://"),
    ("status --url postgresql+psycopg2://h/x", 1, "write postgresql+psycopg://"),
    ("status --url duckdb:///gone.duckdb", 1, "or name another database with --url"),
    ("status --url duckdb:///notes.txt", 1, "is not a DuckDB file: check the URL"),
    ("doctor --url duckdb:///gone.duckdb", 1, "gone.duckdb: no such file"),
    ("refresh --url sqlite:///x.db", 1, "'sqlite' is not supported"),
    ("refresh --url redshift://h/x", 1, "rewrite its queries with --dialect redshift"),
    ("refresh --url redshift://me@x:5439/y", 1, "does not connect to Redshift"),
    ("refresh --url duckdb:///no/such/x.duckdb", 1, "no such folder"),
    ("refresh --url postgresql+psycopg2://a/b", 1, "write postgresql+psycopg://"),
    ("refresh --url postgresql+psycopg://me@127.0.0.1:1/x", 1, "connect to x on 127.0.0.1"),
    ("refresh --url postgres://me:s3cret@127.0.0.1:1/x", 1, "connect to x on 127.0.0.1"),
    ("migrate --url duckdb:///no/such/x.duckdb", 1, "no such folder"),
    ("rewrite q.sql --url redshift+psycopg2://x/y", 1, "--dialect redshift --schema-file"),
    ("rewrite q.sql --url duckdb:///gone.duckdb", 1, "gone.duckdb: no such file"),
    ("compare q.sql", 1, "tzconv.duckdb: no such file"),
    ("compare q.sql --url mysql://me:s3cret@x/y", 1, "'mysql' is not supported"),
    ("compare q.sql --url nonsense", 1, "duckdb:///FILE"),
    ("view t.c --zone UTC --url nonsense", 1, "duckdb:///FILE"),
    ("impact --url nonsense", 1, "duckdb:///FILE"),
    ("impact --sql --json", 64, "choose one"),
    ("impact --sql --from 2025b", 64, "are about a database: name it with --url"),
    ("rollup --url duckdb:///ok.duckdb", 1, "There is no configuration with [[rollups]]"),
    ("rollup --sql", 64, "prints the statements of a --dry-run: give both"),
    ("rollup --plan --dbt", 64, "choose one"),
    ("bench --url foo://x", 1, "'foo' is not supported"),
    ("ddl --url mysql://x/y", 1, "'mysql' is not supported"),
    ("names --column accounts --url duckdb:///:memory:", 1, "TABLE.COLUMN"),
    ('names --column t."\udcff" --url duckdb:///:memory:', 1, "is no column"),
    ("init duckdb:///gone.duckdb", 1, "gone.duckdb: no such file"),
    ("init mysql://me@host/db", 1, "'mysql' is not supported"),
    ("init events.duckdb", 1, "write it as duckdb:///events.duckdb"),
    ("init postgresql://me:s3cret@localhost:1/shop", 1, "Cannot connect to shop on localhost"),
    ("init redshift://me@host/db", 1, "does not connect to Redshift"),
    ("init", 64, "such as tzconv init duckdb:///tzconv.duckdb"),
    # the dialect
    ("rewrite q.sql --dialect oracle", 1, _DIALECTS),
    ("rewrite q.sql --dialect postgress", 1, "did you mean postgres?"),
    ("lint q.sql --dialect oracle", 1, _DIALECTS),
    ("ddl --dialect mysql", 1, _DIALECTS),
    ("ddl --dialect spark", 1, "tzconv refresh makes its tables"),
    ("ddl --dialect spark", 1, "choose one of duckdb, postgres, redshift, vertica"),
    ("ddl --dialect vertica --url postgres://h/x", 64, "leave --dialect out"),
    # files
    ("rewrite gone.sql", 1, "gone.sql: there is no such file: check its name"),
    ("rewrite binary.sql", 1, "binary.sql: is not UTF-8 text"),
    ("rewrite .", 64, _MANY),
    ("rewrite . --explain", 64, _MANY),
    ("rewrite q.sql plain.sql", 64, _MANY),
    ("rewrite q.sql -", 64, _MANY),
    ("rewrite folder --check", 1, "folder: there is no .sql file in this folder."),
    ("rewrite q.sql --in-place --check", 64, "choose one"),
    ("rewrite q.sql --in-place --diff", 64, "choose one"),
    ("rewrite q.sql --diff --json", 64, "choose one"),
    ("rewrite --in-place", 64, "standard input cannot be replaced"),
    ("rewrite q.sql - --in-place", 64, "standard input cannot be replaced"),
    ("rewrite bad.sql", 1, "bad.sql:2:8: not understood as SQL near 'logs'"),
    ("rewrite empty.sql", 0, "has no SQL statement: check that it is the file you mean"),
    ("rewrite comment.sql", 0, "has no SQL statement: check that it is the file you mean"),
    ("rewrite jinja.sql", 0, "nothing to do"),
    ("rewrite template.sql", 0, "render the template first"),
    ("lint bad.sql", 1, "bad.sql:2:8: not understood as SQL near 'logs'"),
    ("lint folder", 1, "there is no .sql file in this folder"),
    ("lint q.sql --json --format sarif", 64, "choose one"),
    ("lint q.sql --format xml", 64, "'xml' is not one of"),
    ("lint q.sql --select TZ999", 1, "did you mean TZ009?"),
    ("compare", 64, "Missing argument 'FILE'"),
    ("bench --queries binary.sql", 1, "binary.sql"),
    ("dbt gone", 1, "has no dbt_project.yml"),
    ("names", 64, "one of the two"),
    ("names gone.txt", 1, "gone.txt: there is no such file"),
    ("names notes.txt --column t.z", 64, "one of the two"),
    ("names notes.txt --sql", 64, "need a --column"),
    ("names --column t.z --sql --json", 64, "choose one"),
    ("generate --out q.sql", 1, "q.sql"),
    ("generate --out q.sql/o --tables daily", 1, "daily_conversion.parquet: cannot be written"),
    ("demo --file no/such/x.duckdb", 1, "no/such/x.duckdb: cannot be made"),
    ("demo --events x", 64, "'x' is not a valid integer"),
    ("init duckdb:///gone.duckdb --config folder", 1, "is a folder"),
    ("init duckdb:///gone.duckdb --config no/t.toml", 1, "no such folder"),
    ("--config gone.toml status", 1, "gone.toml: there is no such file"),
    ("--config binary.sql status", 1, "binary.sql: is not UTF-8 text; save it as UTF-8 first."),
    # names and types
    ("rewrite vertica.sql", 0, "new_time() looks like Vertica: --dialect vertica"),
    ("lint vertica.sql", 0, "new_time() looks like Vertica: --dialect vertica"),
    ("rewrite mysql.sql", 0, "looks like MySQL, which tzconv does not support"),
    ("rewrite q.sql --strategy fast", 1, "There is no strategy 'fast'"),
    ("rewrite q.sql --schema-file gone.sql", 1, "gone.sql: there is no such file"),
    ("rewrite q.sql --schema-file bad.sql", 1, "bad.sql:2:"),
    ("rewrite q.sql --schema-file q.sql", 1, "declares no columns: give CREATE TABLE"),
    ("rewrite q.sql --schema-file reporting", 1, "--db-schema names the schema"),
    ("rewrite q.sql --types logs.t", 1, "'logs.t' is not of the form TABLE.COLUMN=TYPE"),
    ("rewrite q.sql --types log_time=timestamp", 1, "not of the form TABLE.COLUMN=TYPE"),
    ("rewrite q.sql --types logs.*=", 1, "is not of the form TABLE.COLUMN=TYPE"),
    ("rewrite q.sql --types logs.t=timestampz", 1, "did you mean timestamptz?"),
    ("rewrite q.sql --types logs.log_time=datetme", 1, "did you mean date?"),
    ("rewrite q.sql --types logs.t=foo", 1, "foo is not a type that tzconv knows"),
    *(
        (f"rewrite q.sql --types {name}=text", 1, "name one column, as TABLE.COLUMN")
        for name in ("logs.*", "*.t", "a.b.c.d.t")
    ),
    ("lint q.sql --types t=date", 1, "'t=date' is not of the form TABLE.COLUMN=TYPE"),
    # zones, times and tables
    ("show Mars/Phobos", 1, "Unknown time zone 'Mars/Phobos'"),
    ("show Europe/Berln", 1, "did you mean Europe/Berlin"),
    ("show Berlin", 1, "it is a Ruby on Rails name of Europe/Berlin"),
    ("show PST", 1, "it is an abbreviation"),
    ("show Europe/Berlin 2026-02-30", 64, "neither a year"),
    ("show", 64, "Missing argument 'ZONE'"),
    *(
        (f"rewrite q.sql --in-place --now {now}", 1, "2026-01-01T00:00:00Z")
        for now in ("yesterday", "2026-01-01", "2026-01-01T00:00:00")
    ),
    ("rewrite q.sql --session-time-zone Mars", 1, "Unknown time zone 'Mars'"),
    ("refresh --zones Mars/Phobos", 1, "Unknown time zone 'Mars/Phobos'"),
    ("refresh --zones ,", 1, "No time zone was named"),
    ("refresh --start 2027-01-01 --end 2026-01-01", 1, "is not before the end"),
    ("refresh --tables weekly", 1, "There is no table 'weekly'"),
    ("refresh --rules /no/such", 1, "/no/such: no such folder"),
    ("refresh --start 2026-13-01", 64, "is not a date"),
    ("refresh --zones sql:SELECT", 1, "tzconv.duckdb: no such file"),
    ("refresh --lock-timeout -1", 64, "--lock-timeout"),
    *(
        (f"status --max-age={age}", 64, "is not an age such as 36h, 90m or 2d")
        for age in ("0h", "h", "36", "-1h", "1w", "1.5h", "", "²h", "9999999d")
    ),
    ("refresh --lock-timeout x", 64, "'x' is not a valid float"),
    ("generate", 64, "Missing option '--out'"),
    ("generate --out made --format xlsx", 64, "'xlsx' is not one of"),
    ("generate --out made --tables weekly", 64, "weekly given"),
    ("generate --out made --start yesterday", 64, "'yesterday' is not a date"),
    ("generate --out made --zones America/NewYork", 1, "did you mean America/New_York"),
    ("generate --out made --zones sql:SELECT", 64, "name the zones, or load the tables"),
    ("generate --out made --start 2027-01-01 --end 2026-01-01", 1, _NO_RANGE),
    ("generate --out made --end 9999-12-31", 1, "outside"),
    ("generate --out made --rules rules --tables daily", 1, "2001-09-09"),
    ("generate --out made --rules nowhere", 1, "nowhere: no such folder"),
    # commands and options
    ("refesh", 64, "There is no command 'refesh': did you mean refresh?"),
    ("rewrit", 64, "did you mean rewrite?"),
    ("xyz", 64, "There is no command 'xyz': tzconv --help"),
    ("refresh --sql", 64, "give both"),
    ("refresh --dry-run --sql --json", 64, "choose one"),
    ("refresh --on-mismatch ignore", 64, "'ignore' is not one of"),
    ("refresh --no-such-flag", 64, "--no-such-flag"),
    ("refresh more", 64, "extra argument"),
    ("refresh --url duckdb:///no/such.duckdb -q", 1, "no such folder"),
    ("rewrite --dialct duckdb", 64, "--dialect"),
    # as JSON
    ("status --json --url nonsense", 1, "duckdb:///FILE"),
    ("compare q.sql --json --url nonsense", 1, "duckdb:///FILE"),
    ("names --json --x", 64, "--x"),
]

Run = Callable[[str], tuple[int | str | None, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, standard output and standard error of a line, in a folder with the files."""
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "rules"):
        (tmp_path / folder).mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def ran(line: str) -> tuple[int | str | None, str, str]:
        monkeypatch.setattr(sys, "argv", ["tzconv", *line.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        assert "s3cret" not in printed.out + printed.err
        return ended.value.code, printed.out, printed.err

    return ran


def sentence(words: str) -> str:
    """The one sentence of standard error, below the usage that wrong options print."""
    lines = [one for one in words.splitlines() if one and not one.startswith(("Usage", "Try '"))]
    lines = [one for one in lines if not one.startswith(("0 files", "1 file"))]
    assert len(lines) == 1, words
    said = lines[0]
    if said.startswith("{"):  # the log of a job
        logged = json.loads(said)
        assert logged["event"] == "error"
        said = str(logged["text"])
    return said.removeprefix("tzconv: ").removeprefix("Error: ")


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_command_has_a_line() -> None:
    with_code = {(line.split()[0], code) for line, code, _ in LINES}
    assert {name for name in _COMMANDS if (name, 1) not in with_code} == set()


@pytest.mark.by_turns(3)
@pytest.mark.parametrize(("line", "code", "said"), LINES)
def test_without_a_database(line: str, code: int, said: str, run: Run, tmp_path: Path) -> None:
    files = contents(tmp_path)
    ended, out, words = run(line)
    assert said in sentence(words)
    assert ended == code
    if words.startswith("{"):
        assert json.loads(words)["exit_code"] == code
    elif code == 64:
        assert "' for help.\n" in words
    if "--json" in line:
        error = json.loads(out)["error"]
        assert set(error) == {"code", "exit_code", "message", "file", "line", "column"}
        assert (error["exit_code"], error["message"]) == (code, sentence(words))
        assert error["code"] == ("usage" if code == 64 else "database")
    elif code:
        assert out == ""
    assert contents(tmp_path) == files, "nothing is made, and nothing is changed"


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
        ("compare q.sql --strategy nwo", "There is no strategy 'nwo'"),
        ("rewrite q.sql --db-schema reports", "--db-schema names that of tzconv's own tables"),
        ("refresh --db-schema reports", "make it with CREATE SCHEMA"),
        ("status", "No conversion tables are loaded: run tzconv refresh."),
        ("names --column logs.zone", "logs has no column zone: it has level, log_time."),
        ("names --column log.zone", "there is no table log that you may read: did you mean logs?"),
        ("names --column logs", "TABLE.COLUMN"),
    ]:
        ended, out, words = run(f"{line} --url {database.url}")
        assert ended == 1, line
        assert said in (out + words if line == "status" else sentence(words)), line
    # two strategies read no table
    for file, strategy in [("q.sql", "now"), ("day.sql", "range")]:
        ended, out, _ = run(f"compare {file} --strategy {strategy} --url {database.url}")
        assert (ended, "identical" in out) == (0, True), file


def test_after_the_first_refresh(database: databases.Database, run: Run) -> None:
    databases.small(database.url, "Europe/Berlin")
    other = "postgres" if database.kind == "duckdb" else "duckdb"
    for line, code, said in [
        ("compare two.sql", 1, "two.sql: is not one query: compare runs a single SELECT"),
        ("compare insert.sql", 1, "insert.sql: is not one query"),
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
        assert ended == code, (line, words)
        if code:
            assert out == "", line
            assert said in sentence(words), line

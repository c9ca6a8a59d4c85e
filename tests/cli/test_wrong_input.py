"""Whatever a user types wrong has one sentence that helps, and no command ends with 0 then."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tzconv.cli import main

QUERY = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'\n"


def outcome(
    arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> int | str | None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["tzconv", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("show Mars/Phobos", "Unknown time zone 'Mars/Phobos'"),
        ("show Europe/Berln", "did you mean Europe/Berlin"),
        ("show PST", "it is an abbreviation"),
        ("names --column accounts --url duckdb:///:memory:", "TABLE.COLUMN"),
        (
            "rewrite q.sql --dialect oracle",
            "choose one of duckdb, postgres, redshift, spark, vertica",
        ),
        ("rewrite q.sql --dialect postgress", "did you mean postgres?"),
        ("rewrite q.sql --strategy fast", "There is no strategy 'fast'"),
        ("rewrite q.sql --schema-file gone.sql", "gone.sql: there is no such file"),
        ("rewrite q.sql --types logs.t", "'logs.t' is not of the form TABLE.COLUMN=TYPE"),
        ("rewrite q.sql --types logs.t=timestampz", "did you mean timestamptz?"),
        ("rewrite q.sql --types logs.t=foo", "foo is not a type that tzconv knows"),
        *(
            (f"rewrite q.sql --types {name}=text", "name one column, as TABLE.COLUMN")
            for name in ("logs.*", "*.t", "a.b.c.t")
        ),
        ("rewrite q.sql --types logs.*=", "is not of the form TABLE.COLUMN=TYPE"),
        ("rewrite q.sql --schema-file q.sql", "declares no columns: give CREATE TABLE"),
        ("lint q.sql --types t=date", "'t=date' is not of the form TABLE.COLUMN=TYPE"),
        ("rewrite q.sql --now yesterday", "2026-01-01T00:00:00Z"),
        ("rewrite q.sql --session-time-zone Mars", "Unknown time zone 'Mars'"),
        ("rewrite gone.sql", "gone.sql: there is no such file"),
        ("rewrite binary.sql", "binary.sql"),
        ("lint q.sql --dialect oracle", "choose one of duckdb, postgres, redshift, spark, vertica"),
        ("ddl --dialect oracle", "choose one of duckdb, postgres, redshift, spark, vertica"),
        ("ddl --dialect spark", "choose one of duckdb, postgres, redshift, vertica"),
        ("ddl --url mysql://x/y", "'mysql' is not supported"),
        ("lint q.sql --select TZ999", "did you mean TZ009?"),
        ("compare q.sql --url mysql://x/y", "'mysql' is not supported"),
        ("compare q.sql --url nonsense", "duckdb:///FILE"),
        ("compare q.sql --url duckdb:///gone.duckdb", "gone.duckdb: no such file"),
        ("bench --url foo://x", "'foo' is not supported"),
        ("bench --queries binary.sql", "binary.sql"),
        ("refresh --url sqlite:///x.db", "'sqlite' is not supported"),
        ("refresh --url redshift://me@x:5439/y", "does not connect to Redshift"),
        ("rewrite q.sql --url redshift+psycopg2://x/y", "--dialect redshift --schema-file"),
        ("refresh --url duckdb:///no/such/x.duckdb", "no such folder"),
        ("refresh --url postgresql+psycopg2://a/b", "write postgresql+psycopg://"),
        ("refresh --url postgresql+psycopg://me@127.0.0.1:1/x", "Cannot connect to x on 127.0.0.1"),
        ("refresh --url postgres://me@127.0.0.1:1/x", "Cannot connect to x on 127.0.0.1"),
        ("refresh --zones Mars/Phobos", "Unknown time zone 'Mars/Phobos'"),
        ("refresh --start 2027-01-01 --end 2026-01-01", "is not before the end"),
        ("refresh --tables weekly", "There is no table 'weekly'"),
        ("refresh --rules /no/such", "/no/such: no such folder"),
        ("generate --out made --zones Mars/Phobos", "Unknown time zone 'Mars/Phobos'"),
        ("generate --out q.sql", "q.sql"),
        ("status --url duckdb:///gone.duckdb", "gone.duckdb: no such file"),
        ("doctor --url duckdb:///gone.duckdb", "gone.duckdb: no such file"),
        ("migrate --url duckdb:///no/such/x.duckdb", "no such folder"),
        ("demo --file no/such/x.duckdb", "no/such/x.duckdb: cannot be made"),
        ("--config gone.toml show UTC", "gone.toml: cannot be read"),
    ],
)
def test_one_sentence(
    line: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "q.sql").write_text(QUERY)
    (tmp_path / "empty.sql").write_text("")
    (tmp_path / "binary.sql").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff\xfe")
    files = sorted(tmp_path.iterdir())
    assert outcome(line.split(), tmp_path, monkeypatch) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = [one for one in printed.err.splitlines() if not one.startswith("0 files")]
    assert len(lines) == 1, printed.err
    if line.startswith("refresh"):
        shown = json.loads(lines[0])
        assert (shown["event"], shown["exit_code"]) == ("error", 1)
        assert said in shown["text"]
    else:
        assert lines[0].startswith("tzconv: ")
        assert said in lines[0]
    made = tmp_path / "made"
    assert [file for file in sorted(tmp_path.iterdir()) if file != made] == files, "nothing is left"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("refesh", "did you mean refresh?"),
        ("rewrite --dialct duckdb", "--dialect"),
        ("show", "Missing argument 'ZONE'"),
        ("show Europe/Berlin 2026-02-30", "neither a year"),
        ("lint q.sql --format xml", "'xml' is not one of"),
        ("completion tcsh", "'tcsh' is not one of"),
        ("completion", "Missing argument"),
        ("demo --events x", "'x' is not a valid integer"),
        ("refresh --lock-timeout x", "'x' is not a valid float"),
        ("lint q.sql --json --format sarif", "choose one"),
        ("lint q.sql --diff --format github", "both print to standard output"),
        ("names", "one of the two"),
        ("names zones.txt --column t.z", "one of the two"),
        ("names zones.txt --sql", "need a --column"),
        ("names --column t.z --sql --json", "choose one"),
    ],
)
def test_wrong_usage(
    line: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert outcome(line.split(), tmp_path, monkeypatch) == 64
    printed = capsys.readouterr()
    assert said in printed.err
    if "--json" not in line:
        assert printed.out == ""
        return
    error = json.loads(printed.out)["error"]
    assert (error["code"], error["exit_code"]) == ("usage", 64)
    assert said in error["message"]

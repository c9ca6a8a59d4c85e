"""``tzconv lint --fix``: same rows, no tables, and a second run changes nothing."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import corpora, postgres
from tests.command import DDL, run
from tzconv import lint, tables
from tzconv.lint.fixes import fix
from tzconv.tz import zones

NOW = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day';\n"
FIXED_NOW = NOW.replace("NOW() - INTERVAL '1 day'", "CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)")
LOCAL = "(log_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata')::date"
DAY = f"SELECT count(*) FROM logs WHERE {LOCAL} = DATE '2026-03-08';\n"
FIXED_DAY = (
    "SELECT count(*) FROM logs WHERE log_time >= TIMESTAMP '2026-03-07 18:30:00' "
    "AND log_time < TIMESTAMP '2026-03-08 18:30:00';\n"
)
EACH_ROW = f"SELECT {LOCAL} FROM logs;\n"
"""TZ001: its fix joins a conversion table."""


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[corpora.Database]:
    server: postgres.Server | None = None
    if request.param == "postgres":
        server = request.getfixturevalue("server")
    opened = corpora.Database(request.param, server)
    yield opened
    opened.close()


def fixed(sql: str, dialect: str, types: dict[str, dict[str, str]]) -> str:
    known = {"dialect": dialect, "schema": types, "rules": zones.installed()}
    own = functools.partial(lint.lint, dialect=dialect, schema=types)
    return fix(sql, own, **known)  # type: ignore[arg-type]  # a dict of different values


def test_the_same_rows_without_tables(database: corpora.Database) -> None:
    """Every query of the corpus that is fixed, run before and after, at the same time."""
    count = 0
    for name, (sql, _) in corpora.CORPORA[database.dialect].items():
        text = fixed(sql, database.dialect, database.types)
        if text == sql:
            continue
        count += 1
        assert fixed(text, database.dialect, database.types) == text, name
        for table in tables.CONVERSIONS.values():
            assert text.count(table.name) == sql.count(table.name), name
        before, after = database.rows_of_each(sql, text)
        assert before == after, (name, text)
    assert count > 20, "the corpus has queries to fix"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (NOW, FIXED_NOW),
        (DAY, FIXED_DAY),
        (NOW + DAY + EACH_ROW, FIXED_NOW + FIXED_DAY + EACH_ROW),
        (EACH_ROW, EACH_ROW),
        # the offset of a day after the tz release may change: the bounds hold for every zone
        (
            DAY.replace("2026", "2027"),
            DAY.replace("2026", "2027").replace(
                ";",
                " AND log_time >= TIMESTAMP '2027-03-07 00:00:00' "
                "AND log_time < TIMESTAMP '2027-03-10 00:00:00';",
            ),
        ),
        # a comment switches its rule off, and the statement stays as it is
        (f"-- tzconv: ignore[TZ002]\n{NOW}{DAY}", f"-- tzconv: ignore[TZ002]\n{NOW}{FIXED_DAY}"),
        (f"-- tzconv: ignore\n{DAY}", f"-- tzconv: ignore\n{DAY}"),
        # times are unknown: nothing is certain
        (NOW.replace("logs", "others"), NOW.replace("logs", "others")),
        # a template is for tzconv rewrite
        (NOW.replace("logs", "{{ ref('logs') }}"), NOW.replace("logs", "{{ ref('logs') }}")),
    ],
)
def test_what_is_fixed(sql: str, expected: str) -> None:
    types = {"logs": {"log_time": "timestamp", "level": "integer"}}
    assert " ".join(fixed(sql, "duckdb", types).split()) == " ".join(expected.split())
    assert fixed(expected, "duckdb", types) == expected


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "tables.sql").write_text(DDL)
    (tmp_path / "q.sql").write_bytes(("\ufeff" + NOW + EACH_ROW).replace("\n", "\r\n").encode())
    given = ["lint", "q.sql", "--schema-file", "tables.sql"]
    before = (tmp_path / "q.sql").read_bytes()
    shown = run(*given, "--diff", cwd=tmp_path)
    assert shown.returncode == 2
    assert f"\n+\ufeff{FIXED_NOW.strip()}" in shown.stdout
    assert "1 would be fixed, 1 finding left, 1 fixable by tzconv rewrite." in shown.stderr
    assert (tmp_path / "q.sql").read_bytes() == before
    done = run(*given, "--fix", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "1 file: 1 fixed, 1 finding left, 1 fixable by tzconv rewrite.\n",
    )
    assert done.stdout.startswith("q.sql:2:9: TZ001 ")
    after = (tmp_path / "q.sql").read_bytes()
    assert after == before.replace(NOW.strip().encode(), FIXED_NOW.strip().encode())
    again = run(*given, "--fix", "--select", "TZ002,TZ003", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, "")
    assert (tmp_path / "q.sql").read_bytes() == after


def test_standard_input_and_a_file_that_fails(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text(NOW)
    (tmp_path / "bad.sql").write_text("SELECT (\n  FROM")
    shown = run("lint", "-", "--fix", "--diff", cwd=tmp_path, stdin=NOW)
    assert (shown.returncode, shown.stderr) == (0, "1 file: 0 would be fixed, no findings.\n")
    types = ["--types", "logs.log_time=timestamp"]
    both = run("lint", "bad.sql", "q.sql", "--fix", *types, cwd=tmp_path)
    assert both.returncode == 1
    assert "tzconv: bad.sql:2:3: " in both.stderr
    assert (tmp_path / "q.sql").read_text() == FIXED_NOW
    assert (tmp_path / "bad.sql").read_text() == "SELECT (\n  FROM"

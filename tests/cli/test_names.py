"""``tzconv names`` on files and in a shell; ``tests/zone_names`` has the columns of databases."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb

from tests.command import assert_one_sentence, run


def test_a_file_with_a_name_in_each_line(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfEurope/Berlin\r\nPST\n\nPST\n\xff\x00\x1b[2J\nPacific Standard Time"
    (tmp_path / "zones.txt").write_bytes(data)
    done = run("names", "zones.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout.startswith("zones.txt: 5 values in 6 rows, by tz release ")
    assert "        2 rows  'PST': abbreviation\n" in done.stdout
    assert "'Pacific Standard Time': windows, America/Los_Angeles\n" in done.stdout
    assert done.stdout.replace("\n", "").isprintable()
    document = json.loads(run("names", "-", "--json", cwd=tmp_path, stdin=data).stdout)
    assert document["source"] == "standard input"
    assert {one["text"]: one["kind"] for one in document["names"]} == {
        "Europe/Berlin": "iana",
        "PST": "abbreviation",
        "": "empty",
        "\\xff\x00\x1b[2J": "unknown",
        "Pacific Standard Time": "windows",
    }
    assert {one["accepted"] for one in document["names"]} == {None}
    excel = run("names", "-", cwd=tmp_path, stdin="Europe/Berlin\r\nZürich\r\n".encode("utf-16"))
    assert "  iana               1 value " in excel.stdout
    assert "'Zürich': unknown; perhaps Europe/Zurich" in excel.stdout


def test_exit_code_and_the_functions_opinion(tmp_path: Path) -> None:
    done = run("names", "-", cwd=tmp_path, stdin="UTC\nUS/Central\n")
    assert (done.returncode, done.stderr) == (0, "")
    with duckdb.connect(tmp_path / "tz.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT unnest(['UTC', NULL]) AS z")
    url = ["--url", "duckdb:///tz.duckdb"]
    assert run("names", *url, "--column", "t.z", cwd=tmp_path).returncode == 0
    asked = run("names", "-", *url, cwd=tmp_path, stdin="pst\nMumbai\n")
    assert "'pst': abbreviation; the database accepts it" in asked.stdout
    assert "'Mumbai': rails, Asia/Kolkata; the database refuses it" in asked.stdout


def test_files_and_databases_that_are_not_there(tmp_path: Path) -> None:
    assert_one_sentence(run("names", "none.txt", cwd=tmp_path), "none.txt: there is no such file")
    (tmp_path / "empty.txt").touch()
    assert_one_sentence(run("names", "empty.txt", cwd=tmp_path), "empty.txt: has no line")
    (tmp_path / "log.txt").write_text("".join(f"{n}\n" for n in range(100_001)))
    assert_one_sentence(run("names", "log.txt", cwd=tmp_path), "more than 100,000 distinct lines")
    assert_one_sentence(run("names", "--column", "t.z", cwd=tmp_path), "no such file")

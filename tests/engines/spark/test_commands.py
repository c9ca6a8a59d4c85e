"""The command line with a Spark URL, as a person types it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click
import duckdb
import pytest
from click.testing import CliRunner

from tests.command import assert_one_sentence, changed, log, run
from tzconv.cli import cli
from tzconv.errors import TzconvError

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

YEAR = ["--start", "2026-01-01", "--end", "2027-01-01"]
ZONES = ["--zones", "America/New_York,Asia/Kolkata,Australia/Lord_Howe,EST,ROC"]
QUERY = """\
SELECT p.zone, date_trunc('hour', from_utc_timestamp(e.t, p.zone)) AS hour, count(*) AS n
FROM events e JOIN publishers p ON e.publisher = p.id
WHERE e.t >= '2026-03-01' AND e.t < '2026-12-01'
GROUP BY 1, 2
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Loaded by the command in a process of its own, with events and a query beside it."""
    made = tmp_path_factory.mktemp("spark")
    (made / "own" / "events").mkdir(parents=True)
    (made / "query.sql").write_text(QUERY)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            "COPY (SELECT n % 3 AS publisher, "
            "TIMESTAMPTZ '2026-01-01 00:00Z' + to_minutes(n * 97) AS t "
            f"FROM range(6000) made(n)) TO '{made}/own/events/part-0.parquet'"
        )
        connection.execute(
            "COPY (FROM (VALUES (0, 'America/New_York'), (1, 'Asia/Kolkata'), "
            f"(2, 'Australia/Lord_Howe')) t(id, zone)) TO '{made}/own/publishers.parquet'"
        )
    done = run("refresh", *url(made), *ZONES, *YEAR, "--json", cwd=made)
    assert done.returncode == 0, done.stderr
    # each line is JSON: no word of Spark's own, or of Java's
    lines = [line for line in log(done) if line["event"] != "loading"]
    assert [line["event"] for line in lines] == ["message", "message", "summary"]
    summary = lines[-1]
    assert (summary["tz_release"], summary["zone_count"]) == ("2026f", 5)
    assert (summary["start"], summary["end"]) == ("2026-01-01", "2027-01-01")
    assert lines[0]["text"].startswith("The database reads EST as abbreviations of fixed offsets")
    assert lines[1]["text"] == "The database's own function does not know ROC."
    assert {path.name for path in made.iterdir()} == {"own", "query.sql", "tz"}
    return made


@pytest.fixture(scope="module")
def spark(folder: Path, cluster: Any) -> Iterator[Any]:
    """The session of this process, which the commands below use and leave running."""
    yield cluster
    assert cluster.sql("SELECT 1").collect(), "tzconv has stopped a session that is not its own"


def url(folder: Path, **options: str) -> list[str]:
    asked = {"master": "local[1]", "tables": str(folder / "own")} | options
    text = "&".join(f"{name}={quote(value)}" for name, value in asked.items() if value)
    return ["--url", f"spark://{folder / 'tz'}?{text}"]


def inside(*arguments: str) -> tuple[int, str, str]:
    """Run a command in this process: exit code, standard output, standard error."""
    done = CliRunner().invoke(cli, arguments)
    if done.exception is not None and not isinstance(
        done.exception, (SystemExit, TzconvError, click.ClickException)
    ):
        raise done.exception
    said = f"{done.exception}" if isinstance(done.exception, TzconvError) else ""
    return done.exit_code, done.stdout, done.stderr + said


def test_a_refresh_with_nothing_to_do_needs_no_spark(folder: Path) -> None:
    done = run("refresh", *url(folder), *ZONES, *YEAR, cwd=folder, JAVA_HOME="/nowhere")
    assert not changed(done)


def test_a_dry_run_says_what_would_be_done(folder: Path) -> None:
    asked = ["--zones", "Asia/Tokyo", *YEAR, "--dry-run"]
    before = sorted(path.name for path in (folder / "tz").iterdir())
    done = run("refresh", *url(folder), *asked, cwd=folder, JAVA_HOME="/nowhere")
    assert done.returncode == 2, done.stderr
    assert "Asia/Tokyo" in done.stdout
    assert sorted(path.name for path in (folder / "tz").iterdir()) == before


def test_doctor_in_a_process_of_its_own(folder: Path) -> None:
    done = run("doctor", *url(folder), "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["healthy"]
    assert found["database"].startswith("Spark 4")
    assert {one["zone"]: one["kind"] for one in found["disagreements"]} == {
        "EST": "abbreviation",
        "ROC": "unknown",
    }


@pytest.mark.usefixtures("spark")
def test_status(folder: Path) -> None:
    code, out, _ = inside("status", *url(folder))
    assert code == 0
    assert "tz release 2026f (tzdata), 5 zones, 2026-01-01 to 2027-01-01" in out
    assert "other answers for ROC:" in out  # EST is an abbreviation there, as on PostgreSQL


@pytest.mark.usefixtures("spark")
def test_compare(folder: Path) -> None:
    code, out, words = inside("compare", str(folder / "query.sql"), *url(folder), "--json")
    assert code == 0, words
    found = json.loads(out)
    assert found["same"]
    assert found["rows"] > 3000
    assert {change["strategy"] for change in found["changes"]} == {"offset"}
    assert "time_zone_offset_conversion" in found["sql"]


@pytest.mark.usefixtures("spark")
def test_compare_tells_rows_that_differ(folder: Path, tmp_path: Path) -> None:
    """Tables that are wrong by half an hour show."""
    shutil.copytree(folder, tmp_path / "copy")
    [path] = (tmp_path / "copy" / "tz" / "v000001" / "time_zone_offset_conversion").iterdir()
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE wrong AS SELECT * REPLACE ((utc_offset_seconds + 1800)::INTEGER AS "
            f"utc_offset_seconds) FROM '{path}'"
        )
        connection.execute(f"COPY wrong TO '{path}'")
    code, out, _ = inside("compare", str(folder / "query.sql"), *url(tmp_path / "copy"))
    assert code == 1
    assert "NOT identical" in out
    assert "only in the original: America/New_York" in out


@pytest.mark.usefixtures("spark")
def test_rewrite_reads_the_types_of_the_tables(folder: Path) -> None:
    text = str(folder / "query.sql")
    code, out, words = inside("rewrite", text, "--dialect", "spark", *url(folder))
    assert code == 0
    assert "/*+ BROADCAST(time_zone_offset_conversion) */" in out
    assert "changed by offset" in words


def test_bench(folder: Path, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tzconv.engines.spark.bench.SparkScratch.warm_runs", 1)
    before = sorted(path.name for path in (folder / "tz").iterdir())
    queries = ["--queries", "hourly,timestamptz-days,day-constant,local-to-utc"]
    sizes = ["--rows", "3000", "--zone-count", "12", "--rounds", "1"]
    code, out, words = inside("bench", *url(folder), *queries, *sizes, "--json")
    assert code == 0, words
    found = json.loads(out)
    assert found["dialect"] == "spark"
    chosen = {}
    for query in found["queries"]:
        assert query["variants"][0]["rows"] > 0
        for variant in query["variants"][2:]:
            assert variant["same"] is True, variant
            chosen[query["name"], *variant["names"][:1]] = variant["strategies"]
    assert chosen["hourly", "chosen"] == ["columns", "offset", "range"]
    assert chosen["timestamptz-days", "chosen"] == ["offset"]
    assert chosen["day-constant", "chosen"] == ["range"]
    assert not [key for key in chosen if key[0] == "local-to-utc"], "it is left alone"
    assert sorted(path.name for path in (folder / "tz").iterdir()) == before
    assert "actions" not in {table.name for table in spark.catalog.listTables()}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("spark:///no/such/folder", "no such folder: make it with tzconv refresh"),
        ("spark://host:7077/x", "A Spark URL is spark:///FOLDER"),
        ("spark:///x?mastre=local", "A Spark URL is spark:///FOLDER"),
        ("spark:///x?master=a&master=b", "A Spark URL is spark:///FOLDER"),
        ("spark://", "A Spark URL is spark:///FOLDER"),
        ("spark:///etc/hostname", "no such folder"),
        ("spark:///etc", "and no tables of tzconv's: name an empty folder"),
        ("spark:///tmp?tables=/no/such/tables", "/no/such/tables: no such folder of tables"),
    ],
)
def test_what_a_wrong_url_is_told(address: str, said: str, tmp_path: Path) -> None:
    assert_one_sentence(run("status", "--url", address, cwd=tmp_path), said)


@pytest.mark.parametrize("command", ["refresh", "bench"])
def test_a_foreign_folder_is_not_touched(command: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.sql").touch()
    done = run(command, "--url", f"spark://{tmp_path}/mine", cwd=tmp_path)
    assert_one_sentence(done, "holds 'report.sql' and no tables of tzconv's")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["report.sql"]


def test_an_unknown_zone_needs_no_spark(tmp_path: Path) -> None:
    asked = ["--url", f"spark://{tmp_path}/tz", "--zones", "Asia/Tokio"]
    done = run("refresh", *asked, cwd=tmp_path, JAVA_HOME="/nowhere")
    assert_one_sentence(done, "'Asia/Tokio'", "did you mean Asia/Tokyo")


def test_without_java(tmp_path: Path) -> None:
    asked = ["--url", f"spark://{tmp_path}/tz?master=local[1]", "--zones", "UTC", *YEAR]
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "env", "dirname", "basename", "ps", "sed", "ls", "uname"):
        (tools / name).symlink_to(str(shutil.which(name)))
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    for extra in ({"PATH": str(tools)}, {"PATH": environment["PATH"], "JAVA_HOME": "/nowhere"}):
        done = run("refresh", *asked, cwd=tmp_path, **{"JAVA_HOME": ""} | extra)
        assert_one_sentence(done, "Java is not found: install Java 17 or later", "JAVA_HOME")


def test_a_master_that_is_none(tmp_path: Path) -> None:
    asked = ["--url", f"spark://{tmp_path}/tz?master=nobody", "--zones", "UTC", *YEAR]
    done = run("refresh", *asked, cwd=tmp_path)
    assert_one_sentence(done, "Spark does not start (Master must either be")


@pytest.mark.usefixtures("spark")
def test_what_bench_cannot_do_on_spark(folder: Path) -> None:
    done = CliRunner().invoke(cli, ["bench", *url(folder), "--load"])
    assert "leave --load out" in str(done.exception)
    done = CliRunner().invoke(
        cli, ["bench", *url(folder), "--strategies", "array", "--rows", "9", "--zone-count", "3"]
    )
    assert isinstance(done.exception, TzconvError)
    assert "has no form for spark" in str(done.exception)

"""The command: what it prints instead of running, and which files it takes."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.command import assert_one_sentence, run

CONFIG = """
[[rollups]]
table = "sums"
source = "events"
timestamp = "ts"
bucket = "bucket"
keys = ["account"]
zone = "America/St_Johns"
values = { n = "count(*)", cents = "sum(cents)" }
"""
EVENTS = (
    "CREATE TABLE events AS SELECT TIMESTAMP '2009-10-30' + i * INTERVAL '7 seconds' AS ts, "
    "i % 3 AS account, i % 50 AS cents FROM range(60000) t(i)"
)
URL = ("--url", "duckdb:///shop.duckdb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.execute(EVENTS)
    (tmp_path / "rollups.toml").write_text(CONFIG)
    zones = ("--zones", "America/St_Johns,UTC", "--tables", "offset,zone,period")
    assert run("refresh", *zones, *URL, cwd=tmp_path).returncode == 0
    return tmp_path


def tzconv(folder: Path, *arguments: str) -> str:
    done = run("--config", "rollups.toml", *arguments, cwd=folder)
    assert done.returncode == (2 if "--dry-run" in arguments else 0), done.stderr
    return done.stdout


def rows(folder: Path) -> list[tuple[object, ...]]:
    with duckdb.connect(folder / "shop.duckdb") as database:
        return database.execute(
            "SELECT bucket, account, n, cents FROM sums ORDER BY ALL"
        ).fetchall()


def test_the_printed_statements_make_the_same_rows(folder: Path) -> None:
    dry = tzconv(folder, "rollup", "--dry-run", "--sql", *URL)
    printed = tzconv(folder, "rollup", "--print", "duckdb")
    made = []
    for script in (dry, printed.split("-- later")[0]):
        with duckdb.connect(folder / "shop.duckdb") as database:
            for table in ("sums", "sums_state"):
                database.execute(f"DROP TABLE IF EXISTS {table}")
            database.execute(script)
        made.append(rows(folder))
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("DROP TABLE sums")
    tzconv(folder, "rollup", *URL)
    assert made == [rows(folder)] * 2
    # two rows of the half hour in which the clock goes back over midnight
    cut = [str(row[0]) for row in rows(folder) if str(row[0]).startswith("2009-11-01 02:3")]
    assert sorted(set(cut)) == ["2009-11-01 02:30:00", "2009-11-01 02:31:00"]


def test_what_others_keep(folder: Path) -> None:
    aggregate = tzconv(folder, "rollup", "--timescale", *URL)
    assert "time_bucket(INTERVAL '30 minutes', t.\"ts\")" in aggregate
    assert "< TIMESTAMP '2009-11-01 03:00:00' THEN TIMESTAMP '2009-11-01 02:31:00'" in aggregate
    model = tzconv(folder, "rollup", "--dbt", *URL)
    assert "{% if is_incremental() %}" in model
    assert "FROM {{ ref('events') }} AS t" in model


def test_a_dbt_model_that_was_empty_or_has_a_time_of_the_future(folder: Path) -> None:
    model = tzconv(folder, "rollup", "--dbt", *URL).split("\n", 1)[1]
    for old, new in {"{{ ref('events') }}": "events", "{{ this }}": "kept"}.items():
        model = model.replace(old, new)
    later = model.replace("{% if is_incremental() %}", "").replace("{% endif %}", "")
    first = model[: model.index("{% if")] + model[model.index("{% endif %}") + 11 :]
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute(f"CREATE TABLE kept AS {first} LIMIT 0")
        everything = database.execute(f"SELECT count(*) FROM ({later})").fetchone()
        assert everything == database.execute(f"SELECT count(*) FROM ({first})").fetchone()
        database.execute(f"INSERT INTO kept {first}")
        database.execute("INSERT INTO events VALUES (TIMESTAMP 'infinity', 1, 1)")
        database.execute("INSERT INTO events SELECT max(ts), 2, 7 FROM events WHERE isfinite(ts)")
        for _ in range(2):
            found = database.execute(f"SELECT * FROM ({later}) WHERE isfinite(bucket)").fetchall()
            assert any(row[1] == 2 for row in found)
            database.execute(f"INSERT INTO kept {later}")


def test_a_report_over_a_rollup(folder: Path) -> None:
    tzconv(folder, "rollup", *URL)
    day = "(e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/St_Johns')::date"
    shown = f"SELECT {day} AS day, e.account, count(*) AS n, sum(e.cents)"
    report = f"{shown} FROM main.events e GROUP BY 1, 2"
    (folder / "report.sql").write_text(report)
    compared = ("compare", "report.sql", "--with-rollup", "sums", *URL)
    assert "rows, identical" in tzconv(folder, *compared)
    (folder / "report.sql").write_text(f"{report}; SELECT 1")
    done = run("--config", "rollups.toml", *compared, cwd=folder)
    assert (done.returncode, "report.sql: is not one query" in done.stderr) == (1, True)
    (folder / "report.sql").write_text(report.replace("sum(e.cents)", "avg(e.cents)"))
    done = run("--config", "rollups.toml", *compared, cwd=folder)
    assert_one_sentence(done, "does not keep AVG(e.cents): it keeps count(*), sum(cents)")
    (folder / "report.sql").write_text(report.replace("e.account", "e.cents"))
    done = run("--config", "rollups.toml", *compared, cwd=folder)
    assert_one_sentence(done, "reads cents of events")
    (folder / "report.sql").write_text(report.replace("main.events", "other.events"))
    done = run("--config", "rollups.toml", *compared, cwd=folder)
    assert_one_sentence(done, "The report reads events 0 times")
    done = run("--config", "rollups.toml", *compared[:-3], "nothing", *URL, cwd=folder)
    assert_one_sentence(done, "has no rollup 'nothing' with a bucket: it has sums")


def test_the_dialect_of_a_file_prints_nothing(folder: Path) -> None:
    """A file of init has one: the rollup is made all the same."""
    settings = 'url = "duckdb:///shop.duckdb"\ndialect = "duckdb"\n'
    (folder / "rollups.toml").write_text(settings + CONFIG)
    for is_new in (True, False):
        done = run("--config", "rollups.toml", "rollup", cwd=folder)
        assert (done.returncode, "SELECT" in done.stdout) == (0, False)
        assert ("Group by the local columns of " in done.stderr) is is_new
        assert rows(folder)


def test_which_file(folder: Path) -> None:
    assert_one_sentence(run("rollup", *URL, cwd=folder), "no configuration with [[rollups]]")
    (folder / "tzconv.toml").write_text(CONFIG)
    assert_one_sentence(run("rollup", *URL, cwd=folder), "nobody has named this file")
    for wrong, said in {
        CONFIG.replace("keys", "kyes"): "did you mean 'keys'?",
        CONFIG.replace("zone =", "# "): "needs either zone or zone_column",
        CONFIG.replace('"ts"', "5"): "timestamp must be a text",
        CONFIG.replace('"bucket"\n', '"account"\n'): "two columns 'account'",
        CONFIG.replace("keys", 'lookback = "soon"\nkeys'): "write 3 days",
        CONFIG.replace("bucket =", "# "): "needs either local_day or local_hour",
    }.items():
        (folder / "rollups.toml").write_text(wrong)
        done = run("--config", "rollups.toml", "rollup", *URL, cwd=folder)
        if "local_day" in said:
            assert_one_sentence(done, "no [[rollups]] with a bucket")
        else:
            assert_one_sentence(done, said)


@pytest.mark.not_core
def test_what_status_says(folder: Path) -> None:
    tzconv(folder, "rollup", *URL)
    out = folder / "state.prom"
    said = tzconv(folder, "status", "--prometheus", str(out), *URL)
    assert "ok       The rollup sums is current to 2009-11-03 21:00 UTC; a run finished" in said
    # the last of 60,000 events, every seven seconds, is in the half hour before that
    filled = 'tzconv_rollup_filled_timestamp_seconds{table="sums"} 1257282000'
    assert filled in out.read_text().splitlines()
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("UPDATE sums_state SET finished_at = finished_at - INTERVAL '3 hours'")
    late = run("--config", "rollups.toml", "doctor", "--max-age", "2h", "--json", *URL, cwd=folder)
    assert late.returncode == 1
    found = json.loads(late.stdout)
    [check] = [one for one in found["findings"] if one["check"] == "rollup sums"]
    assert check["level"] == "error"
    assert "look at the log of the job that runs tzconv rollup sums" in check["text"]
    assert [one["table"] for one in found["rollups"]] == ["sums"]
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("DELETE FROM events; DELETE FROM sums")
    tzconv(folder, "rollup", "--rebuild", *URL)
    assert "rollup sums has no rows yet; a run finished" in tzconv(folder, "status", *URL)


@pytest.mark.not_core
def test_status_of_a_rollup_that_needs_a_finer_grid(folder: Path) -> None:
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("CREATE TABLE accounts AS SELECT i AS id, 'UTC' AS tz FROM range(3) t(i)")
    config = CONFIG.replace(
        'keys = ["account"]\nzone = "America/St_Johns"',
        'zone_column = "accounts.tz"\nkey = "account=id"',
    ).replace('"sums"', '"the sums"')
    (folder / "rollups.toml").write_text(config)
    before = tzconv(folder, "status", *URL)
    assert "The rollup the sums is not complete: run tzconv rollup 'the sums'." in before
    tzconv(folder, "rollup", *URL)
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("UPDATE accounts SET tz = NULL WHERE id = 2")
    done = run("--config", "rollups.toml", "rollup", *URL, cwd=folder)
    assert "Keys moved; computed anew: rows without a zone, UTC." in done.stderr
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("UPDATE accounts SET tz = 'America/St_Johns' WHERE id = 1")
    done = run("--config", "rollups.toml", "status", *URL, cwd=folder)
    assert done.returncode == 1
    assert "too long for America/St_Johns: run tzconv rollup 'the sums' --rebuild" in done.stdout


def test_a_rollup_that_fails_keeps_no_other_from_running(folder: Path) -> None:
    wrong = CONFIG.replace('"sums"', '"a"').replace('"events"', '"gone"')
    (folder / "rollups.toml").write_text(wrong + CONFIG + wrong.replace('"a"', '"b"'))
    done = run("--config", "rollups.toml", "rollup", *URL, cwd=folder)
    assert done.returncode == 1
    assert rows(folder)
    assert done.stderr.splitlines()[-1].count("gone does not exist") == 2
    (folder / "rollups.toml").write_text(CONFIG + CONFIG.replace("sum(cents)", "max(cents)"))
    done = run("--config", "rollups.toml", "rollup", *URL, cwd=folder)
    assert_one_sentence(done, "rollups.toml: has two rollups 'sums': name another table")


def test_a_view_that_is_there_already_is_not_taken_for_that_of_a_rollup(folder: Path) -> None:
    tzconv(folder, "rollup", *URL)
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("DROP TABLE sums")
        database.execute("DROP TABLE sums_state")
    (folder / "rollups.toml").write_text(CONFIG.replace("America/St_Johns", "UTC"))
    for _ in range(2):
        done = run("--config", "rollups.toml", "rollup", *URL, cwd=folder)
        assert_one_sentence(done, 'no view: "main"."sums_local" exists already: drop it first.')
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("DROP VIEW sums_local")
    tzconv(folder, "rollup", *URL)
    tzconv(folder, "rollup", "--verify", *URL)

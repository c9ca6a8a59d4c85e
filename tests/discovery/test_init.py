"""``tzconv init`` on databases like those that people have, and on wrong ones."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import zoneinfo
from pathlib import Path
from typing import Any

import pytest

from tests import postgres, vertica_server
from tests.command import assert_one_sentence, changed, run
from tests.databases import Database, quiet, small
from tests.discovery import shop
from tzconv import engines
from tzconv.cli import config
from tzconv.discovery import zone_columns
from tzconv.engines import urls

ON_BOTH = pytest.mark.parametrize("database", ["duckdb", "postgres"], indirect=True)


def found(database: Database, folder: Path, *options: str) -> dict[str, Any]:
    done = run("init", database.url, "--json", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def kinds(column: dict[str, Any]) -> dict[str, tuple[int, int]]:
    counted: dict[str, tuple[int, int]] = {}
    for one in column["names"]:
        values, rows = counted.get(one["kind"], (0, 0))
        counted[one["kind"]] = (values + 1, rows + one["rows"])
    return counted


@ON_BOTH
def test_what_is_found(database: Database, tmp_path: Path) -> None:
    shop.fill(database)
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "zones.sql").write_text(f"{shop.PER_ROW};\n")
    (tmp_path / "queries" / "nothing.sql").write_text("SELECT 1;\n")
    (tmp_path / "queries" / "wrong.sql").write_text("SELEC ts AT TIME ZONE 'UTC' FROM;\n")
    document = found(database, tmp_path, "--reports", "queries")
    assert document["product"].split()[0] in ("DuckDB", "PostgreSQL")
    assert document["loaded"] == ""
    tables = {one["name"]: one["rows"] for one in document["tables"]}
    assert tables == {"events": shop.EVENTS, '"Sales EU"."Order"': 2}
    columns = {one["name"]: one for one in document["zones"]["columns"]}
    assert {name: kinds(one) for name, one in columns.items()} == {
        "accounts.time_zone": shop.KINDS,
        '"Sales EU"."Order"."Zone Name"': {"iana": (1, 1), "windows": (1, 1)},
        "offices.zone": {"iana": (1, 1), "link": (1, 1)},
    }
    assert not any(one["is_sample"] for one in columns.values())
    refused = {one["text"] for one in columns["accounts.time_zone"]["names"] if not one["accepted"]}
    assert {"Pacific Standard Time", "", " Europe/Paris", "America/New_Yrok"} <= refused
    assert document["zones"]["empty"] == ['"Sales EU"."Order".tz']
    assert document["zones"]["numbers"] == ['"Sales EU"."Order".tz_offset']
    assert (document["first"], document["first_in"]) == ("2024-02-03", "events.ts")
    reports = {one["name"]: one for one in document["reports"]["converting"]}
    assert set(reports) == {"queries/zones.sql", "queries/wrong.sql", "daily"}
    assert document["reports"]["looked_at"] == 5
    assert reports["daily"]["changes"], reports["daily"]
    assert reports["queries/zones.sql"]["changes"]
    assert "not understood" in reports["queries/wrong.sql"]["error"]
    assert set(document["audits"]) == {"accounts.time_zone", '"Sales EU"."Order"."Zone Name"'}


@ON_BOTH
def test_the_next_commands_run(database: Database, tmp_path: Path) -> None:
    """As they are printed, in a shell; of all zones only a few, for time."""
    shop.fill(database)
    document = found(database, tmp_path)
    program = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{program}:{os.environ['PATH']}",
        "TZCONV_ZONES": "UTC,Asia/Kolkata",
        "TZ": "UTC",
    }
    done = []
    for command in (*document["commands"], *document["audits"].values()):
        assert command.startswith("tzconv ")
        done.append(
            subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        )
    refresh, compare, status, *names = done
    assert refresh.returncode == 0, refresh.stderr
    first = shop.FIRST.replace(tzinfo=dt.UTC).astimezone(zoneinfo.ZoneInfo("Asia/Kolkata"))
    last = first + dt.timedelta(minutes=shop.EVENTS - 1)
    days = (last.date() - first.date()).days + 1
    assert compare.stdout.startswith(f"{days} rows, identical."), compare.stderr
    assert "changed by" in compare.stderr
    assert status.returncode == 0, status.stdout
    assert [one.returncode for one in names] == [2, 2]
    assert "UPDATE accounts SET time_zone" in "".join(one.stdout for one in names)
    # once the tables are there, their rules and rows decide
    again = found(database, tmp_path, "--force")
    assert again["loaded"] == document["tz_release"]
    assert [one["changes"] for one in again["reports"]["converting"]]


@ON_BOTH
def test_the_file(database: Database, tmp_path: Path) -> None:
    shop.fill(database)
    asked = ["init", database.url, "--config", "my settings.toml", "--db-schema", "Sales EU"]
    done = run(*asked, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == "Wrote my settings.toml.\n"
    assert "tzconv --config 'my settings.toml' refresh\n" in done.stdout
    written = tmp_path / "my settings.toml"
    settings = config.defaults(str(written)).values
    assert settings == {
        "url": database.url,
        "dialect": database.kind,
        "db_schema": "Sales EU",
        "zones": "all",
        "tables": ",".join(default_tables(database)),
    }
    text = written.read_text()
    used = (
        '["America/New_York", "Asia/Calcutta", "Asia/Tokyo", "Europe/Berlin", "Europe/Rome", "UTC"]'
    )
    assert f"# zones = {used}\n" in text
    assert "# start = 2024-01-01\n" in text
    # what is in comments is right, too
    written.write_text(text.replace("# zones", "zones").replace('zones = "all"', ""))
    assert config.defaults(str(written)).values["zones"] == ",".join(json.loads(used))
    before = written.read_bytes()
    refused = run(*asked, cwd=tmp_path)
    assert_one_sentence(refused, "my settings.toml: exists", "--force")
    assert written.read_bytes() == before
    forced = run(*asked, "--force", cwd=tmp_path)
    assert forced.returncode == 0
    assert written.read_text() == text
    assert [path.name for path in tmp_path.glob("*.t*")] == ["my settings.toml"]


def default_tables(database: Database) -> list[str]:
    return ["daily", "period"] if database.kind == "duckdb" else ["daily"]


@pytest.mark.not_core
@ON_BOTH
def test_the_tables_that_reports_need(database: Database, tmp_path: Path) -> None:
    """Those that a report joins, also in a view or in capitals, and those that are loaded."""
    shop.fill(database)
    small(database.url, "UTC", tables=["daily"])

    def written(*options: str) -> list[str]:
        run("init", database.url, "--force", *options, cwd=tmp_path)
        text = (tmp_path / "tzconv.toml").read_text()
        for name in ("daily", "hourly", "period"):
            assert f"#   {name:<6}  " in text
        with_comment = text.replace("tables =", "tables_before =", 1).replace("# tables", "tables")
        (tmp_path / "smaller.toml").write_text(with_comment.replace("tables_before", "# tables"))
        return str(config.defaults(str(tmp_path / "tzconv.toml")).values["tables"]).split(",")

    default = default_tables(database)
    assert written() == default
    smaller = config.defaults(str(tmp_path / "smaller.toml")).values["tables"]
    assert smaller == {"duckdb": "period", "postgres": "offset"}[database.kind]
    done = run("--config", "smaller.toml", "refresh", "--allow-delete", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert database.run("SELECT count(*) FROM time_zone_daily_conversion") == [(0,)]
    (tmp_path / "hours.sql").write_text("SELECT * FROM Time_Zone_HOURLY_conversion")
    assert written("--reports", "hours.sql") == sorted([*default, "hourly"])
    database.run("CREATE VIEW days AS SELECT day FROM time_zone_daily_conversion")
    assert written() == default
    assert "Without it" not in (tmp_path / "tzconv.toml").read_text()
    small(database.url, "UTC", tables=["hourly"])
    assert written() == sorted([*default, "hourly"])
    run("refresh", cwd=tmp_path)
    assert not changed(run("refresh", cwd=tmp_path))


@ON_BOTH
def test_names_that_would_break_the_file(database: Database, tmp_path: Path) -> None:
    """A comment ends with its line, and a shell reads what is not quoted."""
    name = '"a\nurl = ""x""; $(touch broken) \'"'
    kinds = "ts TIMESTAMP, tz varchar"
    database.run(
        f"CREATE TABLE {name} ({kinds})",
        f"INSERT INTO {name} VALUES (TIMESTAMP '2020-01-01 00:00:00', 'Mumbai')",
    )
    document = found(database, tmp_path)
    [column] = document["zones"]["columns"]
    assert column["name"] == f"{name}.tz"
    settings = config.defaults(str(tmp_path / "tzconv.toml")).values
    assert settings["url"] == database.url
    [audit] = document["audits"].values()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", audit],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "'Mumbai', 'Asia/Kolkata', 'rails'" in done.stdout
    assert not (tmp_path / "broken").exists()


@ON_BOTH
def test_a_large_table_is_sampled(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.fill(database)
    monkeypatch.setattr(f"tzconv.engines.{database.kind}.contents._SMALL", 10)
    with engines.connect(database.url, read_only=True) as backend:
        contents = backend.contents()
        assert contents is not None
        relations = {one.name: one for one in contents.relations()}
        assert not relations["events"].is_small
        assert contents.earliest(relations["events"], "ts") is None
        assert len(contents.sample(relations["events"], ["ts"], 7)) <= 7
        columns, unread = zone_columns.find(backend, contents, list(relations.values()))
    assert unread == []
    sampled = {one.source: one.is_sample for one in columns.columns}
    assert set(sampled.values()) <= {True, False}
    assert sampled.get("accounts.time_zone", True)


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("tz", ["Europe/Berlin"], True),
        ("x", ["Europe/Berlin", "America/New_York"], True),
        ("x", ["Pacific Standard Time", "unknown"], True),
        ("x", ["UTC"], True),
        ("time_zone", ["London"], True),  # Rails' name
        ("timezone", ["EST"], True),
        ("city", ["London", "Paris", "Singapore"], False),
        ("country", ["Japan", "Cuba", "Poland"], False),  # IANA names, too
        ("zone", ["A", "B"], False),
        ("tz", ["A", "B"], False),
        ("kind", ["text/html", "image/png"], False),
        ("path", ["/a/b", "a/b/c", "Europe/Berlin"], False),
        ("tz", ["", " "], False),
        ("tz", [], False),
        ("quartz", ["EST"], False),
        ("body", ["Europe/Berlin" + "x" * 200], False),
    ],
)
def test_which_columns_hold_zones(column: str, values: list[str], expected: bool) -> None:
    assert zone_columns.is_zones(column, values) is expected


_STATEMENTS = """
    CREATE TABLE past (userid oid, dbid oid, query text, calls bigint, total_exec_time float8);
    CREATE VIEW pg_stat_statements AS SELECT * FROM past;
    """
"""What the extension shows; the server of the tests has no such library."""


@pytest.mark.not_core
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_no_row_level_policy_is_run(database: Database, tmp_path: Path) -> None:
    assert database.server is not None
    database.run(
        "DROP ROLE IF EXISTS init_reader",
        "CREATE ROLE init_reader LOGIN",
        "CREATE FUNCTION captured() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; "
        "END $$",
        "CREATE TABLE visits (at_utc timestamp, zone text)",
        "INSERT INTO visits VALUES ('2026-01-01', 'Europe/Berlin')",
        "ALTER TABLE visits ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY ours ON visits USING (captured())",
        "GRANT SELECT ON visits TO init_reader",
    )
    try:
        url = database.server.url(database.name, "init_reader")
        refused = run("init", url, cwd=tmp_path)
        assert_one_sentence(refused, "visits: its row-level policies", "grant SELECT")
        assert "captured" not in refused.stderr
    finally:
        database.run("DROP OWNED BY init_reader", "DROP ROLE init_reader")


_OF_A_USER = """
    CREATE FUNCTION captured() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
    CREATE TYPE zones AS ENUM ('Europe/Berlin', 'Asia/Kolkata');
    CREATE FUNCTION shown(zones) RETURNS text LANGUAGE sql AS 'SELECT captured()';
    CREATE CAST (zones AS text) WITH FUNCTION shown(zones);
    CREATE TABLE visits (at_utc timestamp, zone zones);
    INSERT INTO visits VALUES ('2026-01-01', 'Europe/Berlin');
    CREATE VIEW pg_stat_statements AS SELECT captured() AS query;
    ALTER VIEW pg_stat_statements OWNER TO pg_monitor
    """
"""Objects through which a user with CREATE would run code with the rights of a superuser."""


@pytest.mark.not_core
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_no_cast_and_no_view_of_a_user_is_run(database: Database, tmp_path: Path) -> None:
    shop.fill(database)
    database.run(*_OF_A_USER.strip().split(";\n"))
    with pytest.raises(Exception, match="captured"):
        database.run("SELECT zone::text FROM visits")
    assert "pg_stat_statements is not installed" in found(database, tmp_path)["reports"]["notes"][0]


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_queries_that_the_database_remembers(database: Database, tmp_path: Path) -> None:
    shop.fill(database)
    assert "pg_stat_statements is not installed" in found(database, tmp_path)["reports"]["notes"][0]
    here = "(SELECT oid FROM pg_database WHERE datname = current_database())"
    past = [
        ("SELECT date_trunc($1, ts AT TIME ZONE $2 AT TIME ZONE $3) FROM events", 20, 90_000),
        ("SELECT count(*) FROM events WHERE now() - ts <= $1::interval", 2_000, 1_500),
        ("SELECT ts AT TIME ZONE a.time_zone FROM events, accounts a LIMIT $1", 7, 200_000),
        ("SELECT count(*) FROM events WHERE account_id = $1", 9, 999_000),
        ("SET TimeZone = $1", 5, 800_000),
    ]
    database.run(
        *_STATEMENTS.strip().splitlines(),
        *(
            f"INSERT INTO past VALUES (10, {here}, '{text}', {calls}, {time})"
            for text, calls, time in past
        ),
        "INSERT INTO past VALUES (10, 1, 'SELECT now()', 1, 5)",
    )
    document = found(database, tmp_path, "--force")
    queries = [one for one in document["reports"]["converting"] if one["kind"] == "query"]
    assert [(one["calls"], one["seconds"], bool(one["changes"])) for one in queries] == [
        (20, 90.0, True),
        (2000, 1.5, True),
        (7, 200.0, False),
    ]
    assert queries[1]["changes"] == ["now"]
    assert "LIMIT" in queries[2]["left"][0]
    gaining = [one["seconds"] for one in document["reports"]["converting"] if one["changes"]]
    assert gaining[:2] == [90.0, 1.5]
    assert set(gaining[2:]) == {None}, "views, whose time is not known"
    shown = run("init", database.url, "--force", cwd=tmp_path).stdout
    assert "  90.00 s in 20 calls, SELECT date_trunc($1, ts" in shown
    assert "$1 hides a constant" in shown
    database.run(f"UPDATE past SET query = '<insufficient privilege>' WHERE dbid = {here}")
    assert (
        "hides the queries of other users"
        in found(database, tmp_path, "--force")["reports"]["notes"][0]
    )


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_partitions_and_materialized_views(database: Database, tmp_path: Path) -> None:
    database.run(
        "CREATE TABLE e (ts timestamp, tz text) PARTITION BY RANGE (ts)",
        "CREATE TABLE e1 PARTITION OF e FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')",
        "CREATE TABLE e2 PARTITION OF e DEFAULT PARTITION BY LIST (tz)",
        "CREATE TABLE e3 PARTITION OF e2 DEFAULT",
        "INSERT INTO e SELECT timestamp '2020-12-01' + i * interval '1 hour', 'Asia/Tokyo' "
        "FROM generate_series(1, 2000) AS t(i)",
        "CREATE MATERIALIZED VIEW m AS SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE tz AS x FROM e",
        "CREATE TEMP TABLE mine (ts timestamp)",
        "ANALYZE",
    )
    document = found(database, tmp_path)
    assert {one["name"]: one["rows"] for one in document["tables"]} == {"e": 2000, "m": 2000}
    [column] = document["zones"]["columns"]
    assert (column["name"], kinds(column)) == ("e.tz", {"iana": (1, 2000)})
    [report] = document["reports"]["converting"]
    assert (report["name"], report["kind"]) == ("m", "view")


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_a_table_that_is_locked(database: Database, tmp_path: Path) -> None:
    """It is skipped, and the others are read."""
    shop.fill(database)
    assert database.server is not None
    with database.server.connect(database.name) as other, other.transaction():
        other.execute("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE")
        document = found(database, tmp_path)
    [(name, why)] = document["skipped"]
    assert name == "accounts"
    assert "holds a lock" in why
    assert [one["name"] for one in document["tables"]] == ["events", '"Sales EU"."Order"']
    assert "The views cannot be read" in document["reports"]["notes"][0]


def test_a_user_with_few_rights(server: postgres.Server, tmp_path: Path) -> None:
    url = server.fresh("rights")
    database = Database("postgres", url, server, "rights")
    shop.fill(database)
    small(url, "UTC")
    database.run(
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN",
        "GRANT SELECT ON events TO reader",
        "GRANT SELECT (id) ON accounts TO reader",
    )
    own = server.url("rights", "reader", password="s3cret")
    done = run("init", own, "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["loaded"] is None
    assert [one["name"] for one in document["tables"]] == ["events"]
    assert document["zones"]["columns"] == []
    assert {name for name, _ in document["skipped"]} == {'"Sales EU"."Order"', "offices"}
    text = (tmp_path / "tzconv.toml").read_text()
    assert "PGPASSWORD" in text
    said = run("init", own, "--force", cwd=tmp_path)
    assert "the user of the URL may not read: grant SELECT" in said.stdout
    assert "tzconv.toml has no password: set PGPASSWORD" in said.stderr
    assert "s3cret" not in text + done.stdout + done.stderr + said.stdout + said.stderr
    database.run("REVOKE ALL ON events FROM reader")
    assert_one_sentence(
        run("init", own, "--force", cwd=tmp_path),
        "No table with timestamps can be read",
        "grant SELECT",
    )
    server.drop("rights")


@ON_BOTH
def test_nothing_to_find(database: Database, tmp_path: Path) -> None:
    """No file is written."""
    database.run("CREATE TABLE t (a integer)")
    assert_one_sentence(run("init", database.url, cwd=tmp_path), "no table with a timestamp column")
    database.run("ALTER TABLE t ADD COLUMN ts timestamp")
    assert_one_sentence(
        run("init", database.url, "--reports", "gone.sql", cwd=tmp_path),
        "gone.sql: there is no such file",
    )
    assert not (tmp_path / "tzconv.toml").exists()
    done = run("init", database.url, cwd=tmp_path)
    assert "Zones: 0 columns has zone names." not in done.stdout
    assert "Zones: no column" in done.stdout
    assert "FROM t\nGROUP BY 1" in done.stdout


def test_the_example_reads_a_column_without_unknown_names(tmp_path: Path) -> None:
    database = Database("duckdb", f"duckdb:///{tmp_path}/shop.duckdb")
    database.run(
        "CREATE TABLE visits (ts timestamp, first_zone varchar, zone varchar)",
        "INSERT INTO visits VALUES ('2026-01-01', 'Europe/Berlin', 'Asia/Tokyo'), "
        "('2026-01-02', 'Mars/Olympus', 'Asia/Tokyo')",
    )
    done = run("init", database.url, cwd=tmp_path)
    assert "visits.first_zone: 2 values" in done.stdout
    assert "AT TIME ZONE zone AS DATE) AS day" in done.stdout


def test_an_engine_whose_catalog_is_not_read(
    vertica: vertica_server.Server, tmp_path: Path
) -> None:
    done = run("init", quiet(vertica.url()), cwd=tmp_path)
    assert_one_sentence(done, "does not read the catalog of Vertica", "tzconv names")


@pytest.mark.parametrize(
    ("url", "plain", "had_one"),
    [
        ("duckdb:///a.duckdb", "duckdb:///a.duckdb", False),
        ("postgresql://me@h/d?host=/tmp/x", "postgresql://me@h/d?host=/tmp/x", False),
        ("postgresql://me:p%40ss@h:5/d", "postgresql://me@h:5/d", True),
        (
            "postgresql://me@h/d?password=x&sslmode=require",
            "postgresql://me@h/d?sslmode=require",
            True,
        ),
        ("postgresql://me:x@/d?host=/tmp/x", "postgresql://me@/d?host=/tmp/x", True),
        ("vertica+vertica_python://m%40x:y@h/d", "vertica+vertica_python://m%40x@h/d", True),
    ],
)
def test_a_url_without_its_password(url: str, plain: str, had_one: bool) -> None:
    assert urls.without_password(url) == (plain, had_one)

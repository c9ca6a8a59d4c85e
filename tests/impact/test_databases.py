"""Stored answers of older rules: what is found, counted and repaired, by ``zoneinfo``."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tzdata

from tests import databases, postgres, reference, releases
from tests.command import assert_one_sentence, run
from tests.databases import INDEXES_CONVERSIONS, Database

OLD, NEW = releases.TREE, Path(tzdata.__file__).parent / "zoneinfo"
EDMONTON = "America/Edmonton"
CONFIG = """
[[appointments]]
table = "visits"
column = "starts_at"
zone_column = "zone"
"""


@pytest.fixture(params=["duckdb", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    server = None if request.param == "duckdb" else request.getfixturevalue("server")
    with databases.fresh(request.param, tmp_path, server) as opened:
        yield opened


def test_appointments_are_counted(place: Database, tmp_path: Path) -> None:
    visits = [dt.datetime(2030, 1, 1) + dt.timedelta(days=8 * n) for n in range(40)]
    rows = ", ".join(f"('{ts}', '{EDMONTON}')" for ts in visits)
    place.run(
        "CREATE TABLE visits (starts_at timestamp, zone varchar(40))",
        f"INSERT INTO visits VALUES {rows}, ('2030-01-01', 'Mars/Olympus'), ('2030-01-01', NULL)",
    )
    (tmp_path / "named.toml").write_text(CONFIG)
    asked = ["--config", "named.toml", "impact", "--url", place.url, "--from", str(OLD)]
    found = run(*asked, "--json", cwd=tmp_path)
    assert found.returncode == 2, found.stderr
    [appointments] = json.loads(found.stdout)["database"]["appointments"]
    old, new = (releases.zone_of(tree, EDMONTON) for tree in (OLD, NEW))
    moved = [
        ts
        for ts in map(reference.seconds, visits)
        if reference.offset_at(old, ts) != reference.offset_at(new, ts)
    ]
    assert appointments["count"]["rows"] == len(moved) > 0
    assert appointments["count"]["total"] == len(visits) + 2
    script = run(*asked, "--sql", cwd=tmp_path)
    assert f"-- visits.starts_at, affected rows: {len(moved)}; " in script.stdout


def test_the_rules_that_a_refresh_replaced(database: Database, tmp_path: Path) -> None:
    where = ["--url", database.url]
    names = f"{EDMONTON},Canada/Mountain,Europe/Berlin"
    old = run("refresh", *where, "--zones", names, "--rules", str(OLD), cwd=tmp_path)
    assert old.returncode == 0, old.stderr
    before = run("impact", *where, "--json", cwd=tmp_path)
    assert before.returncode == 2, before.stderr
    done = run("refresh", *where, "--rules", "tzdata", cwd=tmp_path)
    assert "Local times changed for 2 zones: tzconv impact --from loaded" in done.stderr
    moved = run("refresh", *where, "--start", "2025-03-01", cwd=tmp_path)  # no other rules
    assert "Local times changed" not in moved.stderr
    after = run("impact", *where, "--since", "2025-01-01", "--json", cwd=tmp_path)
    assert "which a refresh replaced" in after.stderr
    documents = [json.loads(done.stdout) for done in (before, after)]
    assert documents[0]["changes"] == documents[1]["changes"]
    [change] = documents[0]["changes"]
    assert (change["zones"], change["links"]) == ([EDMONTON], ["Canada/Mountain"])
    assert documents[0]["database"]["objects_read"] == (None if database.kind == "vertica" else 0)
    assert change["windows"][0]["starts_at_utc"] == "2026-11-01 08:00:00"
    for text, said in (
        ('{"tz_release": "2025b", "rules": "tzdata"}', "give --from 2025b"),
        ('{"tz_release": "unknown", "rules": "/srv/tz"}', "give --from /srv/tz"),
        ("[7]", "The changes in the release table cannot be read"),
    ):
        database.run(
            f"UPDATE time_zone_conversion_release SET rule_changes = '{text}' "
            "WHERE rule_changes IS NOT NULL"
        )
        assert_one_sentence(run("impact", *where, cwd=tmp_path), said)
    asked = ["impact", *where, "--from", str(OLD)]
    same = run(*asked, "--zones", "Europe/Berlin", cwd=tmp_path)
    assert (same.returncode, same.stdout.count("no local time differs")) == (0, 1)


def objects(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"].replace('"', "").split(".", 1)[-1]: one for one in document["objects"]}


def test_objects_of_postgres(server: postgres.Server, tmp_path: Path) -> None:
    """From the new release back to that of the server, so that what it computes is the repair."""
    zoned = f"((ts AT TIME ZONE 'UTC') AT TIME ZONE '{EDMONTON}')"
    with databases.fresh("postgres", tmp_path, server) as place:
        place.run(
            f"CREATE TABLE events (ts timestamp, zone text, day date GENERATED ALWAYS AS "
            f"({zoned}::date) STORED, made date DEFAULT (now() AT TIME ZONE '{EDMONTON}')::date, "
            "CONSTRAINT early CHECK (extract(hour FROM ts AT TIME ZONE 'Europe/Berlin') < 25))",
            "INSERT INTO events SELECT TIMESTAMP '2026-10-01' + n * INTERVAL '7 hours', "
            "CASE n % 2 WHEN 0 THEN 'canada/mountain' ELSE 'UTC' END "
            "FROM generate_series(0, 999) AS s (n)",
            f"CREATE INDEX of_day ON events (({zoned}::date))",
            "CREATE INDEX of_berlin ON events ((ts AT TIME ZONE 'Europe/Berlin'))",
            "CREATE INDEX of_zone ON events (((ts AT TIME ZONE 'UTC') AT TIME ZONE zone))",
            "CREATE INDEX few ON events (zone) "
            "WHERE ts AT TIME ZONE 'Canada/Mountain' > '2026-01-01'",
            f"CREATE VIEW local_events AS SELECT {zoned}::date AS d FROM events",
            "CREATE SCHEMA other",
            "CREATE VIEW other.local_events AS SELECT 1 AS d",
            "CREATE MATERIALIZED VIEW by_view AS SELECT d, count(*) FROM local_events GROUP BY d",
            "CREATE MATERIALIZED VIEW by_zone AS SELECT max(timezone(zone, ts)) FROM events",
            "CREATE MATERIALIZED VIEW plain AS SELECT max(ts) FROM events",
            "CREATE FUNCTION there(timestamp) RETURNS date LANGUAGE plpgsql IMMUTABLE AS "
            f"$$ BEGIN RETURN ($1 AT TIME ZONE '{EDMONTON}')::date; END $$",
            "CREATE MATERIALIZED VIEW by_function AS SELECT there(ts) AS d FROM events",
            "CREATE FUNCTION day(timestamp) RETURNS date IMMUTABLE RETURN there($1)",
            "CREATE MATERIALIZED VIEW by_day AS SELECT day(ts) AS d FROM events",
            "CREATE MATERIALIZED VIEW by_text AS "
            f"SELECT '2026-12-01 {EDMONTON}'::text::timestamptz",
            "CREATE MATERIALIZED VIEW by_sample AS "
            "SELECT ts FROM events TABLESAMPLE bernoulli ('1'::real)",
            "CREATE MATERIALIZED VIEW compared AS "
            f"SELECT max(ts) FROM events WHERE zone = '{EDMONTON}'",
            f"CREATE MATERIALIZED VIEW empty AS SELECT {zoned} FROM events WITH NO DATA",
            "CREATE MATERIALIZED VIEW again AS SELECT max(d) FROM by_view",
            f"CREATE TABLE parts (ts timestamp) PARTITION BY RANGE ({zoned})",
            "CREATE SCHEMA timescaledb_information",
            "CREATE TABLE timescaledb_information.continuous_aggregates (view_schema text, "
            "view_name text, view_definition text)",
            "INSERT INTO timescaledb_information.continuous_aggregates VALUES ('public', 'hours', "
            f"'SELECT time_bucket(''1 day'', ts, ''{EDMONTON}'') FROM events')",
        )
        [(count,)] = place.run(
            "SELECT count(*) FROM events WHERE ts >= '2026-11-01 08:00' AND ts < '2027-03-14 09:00'"
        )
        asked = ["impact", "--url", place.url, "--since", "2026-01-01"]
        there = ["--from", "installed", "--to", str(OLD)]
        found = run(*asked, *there, "--json", cwd=tmp_path)
        assert found.returncode == 2, found.stderr
        document = json.loads(found.stdout)["database"]
        known = objects(document)
        assert set(known) == {
            *("of_day", "of_zone", "few", "by_view", "by_zone", "by_text", "again", "hours"),
            *("events.day", "events.made", "parts"),
        }
        assert known["of_day"]["count"]["rows"] == known["events.day"]["count"]["rows"] == count
        assert known["of_day"]["count"]["total"] == 1000
        assert known["of_zone"]["count"]["rows"] == count // 2
        assert known["by_zone"]["any_zone"]
        unknown = {one["name"]: one["reason"] for one in document["unknown"]}
        assert set(unknown) == {"public.by_function", "public.by_day", "public.by_sample"}
        assert "function there" in unknown["public.by_function"]
        # what the server computes follows it
        place.run("ALTER TABLE events DISABLE TRIGGER ALL")
        script = run(*asked, *there, "--sql", cwd=tmp_path).stdout
        assert script.index("VIEW public.by_view;") < script.index("VIEW public.again;")
        for statement in (
            "REFRESH MATERIALIZED VIEW public.by_view;",
            "REINDEX INDEX public.of_day;",
        ):
            assert f"\n{statement}\n" in script
        versions = "SELECT count(*) FROM events WHERE xmin::text::bigint > {}"
        [(last,)] = place.run("SELECT max(xmin::text::bigint) FROM events")
        place.run(script.replace("CALL refresh_continuous", "-- CALL refresh_continuous"))
        assert place.run(versions.format(last)) == [(count,)]
        # the other way round the server's own function is outdated, so nothing of it is run
        script = run(*asked, "--from", str(OLD), "--sql", cwd=tmp_path).stdout
        assert "\n-- REINDEX INDEX public.of_day;\n" in script
        assert "the database's own function has other rules" in script


_DUCKDB_INDEXES = (
    "CREATE INDEX of_zone ON plain ((timezone(zone, ts)))",
    "CREATE INDEX of_berlin ON plain ((timezone('Europe/Berlin', ts)))",
)


def test_objects_of_duckdb(tmp_path: Path) -> None:
    indexed = INDEXES_CONVERSIONS
    with databases.fresh("duckdb", tmp_path, None) as place:
        zoned = f"timezone('{EDMONTON}', timezone('UTC', ts))"
        place.run(
            f"CREATE TABLE events (ts timestamp, zone varchar, day date GENERATED ALWAYS AS "
            f"(CAST({zoned} AS date)), CHECK (hour({zoned}) < 25))",
            "CREATE TABLE plain (ts timestamp, zone varchar)",
            "INSERT INTO plain SELECT TIMESTAMP '2026-12-01', 'Canada/Mountain' FROM range(3)",
            *(_DUCKDB_INDEXES if indexed else ()),
            "CREATE MACRO there(x) AS hour(timezone('Canada/Mountain', x))",
            "CREATE TABLE checked (ts timestamp, CHECK (there(ts) < 25))",
            "CREATE TABLE buckets (ts timestamptz, zone varchar, "
            f"b timestamptz DEFAULT time_bucket(INTERVAL 1 DAY, now(), '{EDMONTON}'), "
            "c timestamptz DEFAULT time_bucket(INTERVAL 1 DAY, now(), 'Europe/Berlin'))",
        )
        asked = ["impact", "--url", place.url, "--from", str(OLD), "--since", "2026-01-01"]
        found = run(*asked, "--json", cwd=tmp_path)
        known = objects(json.loads(found.stdout)["database"])
        assert set(known) == {
            *(("of_zone",) if indexed else ()),
            *("events.day", "buckets.b"),
            *("checked", "events"),  # the tables of the constraints
        }
        if indexed:
            assert (known["of_zone"]["any_zone"], known["of_zone"]["count"]["rows"]) == (True, 3)
        script = run(*asked, "--sql", cwd=tmp_path).stdout
        if indexed:
            place.run(script)
        else:
            assert all(line.startswith("--") for line in script.splitlines())


def test_rewritten_files(tmp_path: Path) -> None:
    comment = "-- tzconv: literals of {} for America/Vancouver, Europe/Berlin\nSELECT 1;\n"
    (tmp_path / "old.sql").write_text(comment.format("2025b"))
    (tmp_path / "new.sql").write_text(comment.format("2026f"))
    asked = ["impact", "--from", str(OLD), "--zones", "America/Vancouver"]
    done = run(*asked, "old.sql", "new.sql", cwd=tmp_path)
    assert done.returncode == 2
    assert "old.sql:1:1: has literals of 2025b for America/Vancouver" in done.stdout
    assert "new.sql" not in done.stdout


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("[[appointments]]\ntable = 'a'\n", "appointments 1: has no column"),
        (CONFIG.replace('zone_column = "zone"\n', ""), "needs either zone or zone_column"),
        (CONFIG.replace("zone_column", "zone_colum", 1), "did you mean 'zone_column'?"),
        (CONFIG.replace('"visits"', '"visit"'), "has no table 'visit': did you mean 'visits'?"),
        (CONFIG.replace("starts_at", "zone"), "and a timestamp is needed"),
        ("appointments = 3\n", "begin each with [[appointments]]"),
    ],
)
def test_wrong_settings(config: str, said: str, tmp_path: Path) -> None:
    with databases.fresh("duckdb", tmp_path, None) as place:
        place.run("CREATE TABLE visits (starts_at timestamp, zone varchar)")
        (tmp_path / "tzconv.toml").write_text(config)
        asked = ["--config", "tzconv.toml", "impact", "--url", place.url]
        done = run(*asked, "--from", str(OLD), cwd=tmp_path)
        assert_one_sentence(done, said)
        nothing = run(*asked, cwd=tmp_path)
        assert_one_sentence(nothing, "No conversion tables are loaded" if said[0] != "b" else said)

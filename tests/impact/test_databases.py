"""Stored answers of older rules: what is found, counted and repaired, by ``zoneinfo``."""

from __future__ import annotations

import datetime as dt
import json
import zoneinfo
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tzdata

from tests import databases, postgres, reference, releases
from tests.command import assert_one_sentence, run
from tests.databases import INDEXES_CONVERSIONS, Database
from tzconv.impact.objects import zones_of
from tzconv.sql.parse import parse

OLD, NEW = releases.TREE, Path(tzdata.__file__).parent / "zoneinfo"
EDMONTON = "America/Edmonton"
ZONES = (EDMONTON, "Canada/Mountain", "america/edmonton", "Europe/Berlin", "Africa/Casablanca")
CONFIG = """
[[rollups]]
table = "daily"
local_day = "day"
zone_column = "zone"
source = "events"
timestamp = "ts"
keys = ["shop"]
values = { n = "count(*)", cents = "sum(cents)", last = "max(ts)" }

[[rollups]]
table = "hourly"
local_hour = "hour"
zone = "America/Edmonton"
source = "events"
timestamp = "ts"
values = { n = "count(*)" }

[[rollups]]
table = "pruned"
local_day = "day"
zone = "America/Edmonton"
source = "events"
timestamp = "ts"
values = { n = "count(*)" }

[[appointments]]
table = "visits"
column = "starts_at"
zone_column = "zone"
"""
VISITS = """[[appointments]]
table = "events"
column = "ts"
zone = "Europe/Paris"
"""
SOURCE = (
    "CREATE TABLE events (ts {utc} NOT NULL, zone varchar(40), shop integer, cents integer)",
    "INSERT INTO events SELECT moment {to_utc}, name, n % 2, n % 97 FROM (SELECT n, "
    "TIMESTAMP '2026-09-10 00:00:07' + n * INTERVAL '139 minutes' AS moment "
    "FROM generate_series(0, 2299) AS s (n)) AS t, (VALUES "
    + ", ".join(f"('{zone}')" for zone in ZONES)
    + ", ('Mars/Olympus'), (NULL)) AS z (name)",
    "CREATE TABLE daily (zone varchar(40), day date, shop integer, n bigint, cents bigint, "
    "last {utc}, marker integer DEFAULT 0, PRIMARY KEY (zone, day, shop))",
    "CREATE TABLE hourly (hour timestamp PRIMARY KEY, n bigint, marker integer DEFAULT 0)",
    "CREATE TABLE pruned (day date PRIMARY KEY, n bigint)",
    "CREATE TABLE visits (starts_at timestamp, zone varchar(40))",
)


@pytest.fixture(params=["duckdb", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    server = None if request.param == "duckdb" else request.getfixturevalue("server")
    with databases.fresh(request.param, tmp_path, server) as opened:
        yield opened


def local(tree: Path) -> Callable[[str, dt.datetime], dt.datetime]:
    """UTC to local times by the rules of a tree."""
    known = {zone.casefold(): zone for zone in ZONES if zone[0].isupper()}
    rules: dict[str, zoneinfo.ZoneInfo] = {
        zone: releases.zone_of(tree, known[zone.casefold()]) for zone in ZONES
    }

    def convert(zone: str, moment: dt.datetime) -> dt.datetime:
        seconds = reference.offset_at(rules[zone], reference.seconds(moment))
        return moment + dt.timedelta(seconds=seconds)

    return convert


def rollups(events: list[Any], tree: Path) -> tuple[dict[Any, Any], dict[Any, int]]:
    """Both rollups as the rules of a tree make them."""
    to_local = local(tree)
    daily: dict[Any, list[Any]] = defaultdict(lambda: [0, 0, dt.datetime.min])
    hourly: dict[Any, int] = defaultdict(int)
    for ts, zone, shop, cents in events:
        if zone in ZONES:
            row = daily[zone, to_local(zone, ts).date(), shop]
            row[:] = row[0] + 1, row[1] + cents, max(row[2], ts)
        hourly[to_local(EDMONTON, ts).replace(minute=0, second=0)] += 1
    return {key: tuple(row) for key, row in daily.items()}, dict(hourly)


def naive(value: dt.datetime) -> dt.datetime:
    return value if value.tzinfo is None else value.astimezone(dt.UTC).replace(tzinfo=None)


def events_of(place: Database) -> list[Any]:
    rows = place.run("SELECT ts, zone, shop, cents FROM events")
    return [(naive(ts), *others) for ts, *others in rows]


def stored(place: Database) -> tuple[dict[Any, Any], dict[Any, int]]:
    daily = place.run("SELECT zone, day, shop, n, cents, last FROM daily")
    return (
        {tuple(row[:3]): (row[3], int(row[4]), naive(row[5])) for row in daily},
        dict(place.run("SELECT hour, n FROM hourly")),
    )


def insert(place: Database, table: str, rows: list[tuple[Any, ...]]) -> None:
    texts = ("(" + ", ".join("NULL" if v is None else f"'{v}'" for v in row) + ")" for row in rows)
    place.run(f"INSERT INTO {table} VALUES {', '.join(texts)}")


def test_rollups_are_repaired(place: Database, tmp_path: Path) -> None:  # noqa: PLR0915 # one story
    """Every row is that of a full recomputation, and no other row was written."""
    is_instant = place.kind == "postgres"
    kinds = {
        "utc": "timestamptz" if is_instant else "timestamp",
        "to_utc": "AT TIME ZONE 'UTC'" if is_instant else "",
    }
    place.run(*(statement.format(**kinds) for statement in SOURCE))
    events = events_of(place)
    before, after = rollups(events, OLD), rollups(events, NEW)
    to_text = "+00" if is_instant else ""
    insert(
        place,
        "daily",
        [(*key, n, c, f"{last}{to_text}", 7) for key, (n, c, last) in before[0].items()],
    )
    insert(place, "hourly", [(hour, n, 7) for hour, n in before[1].items()])
    days = defaultdict(int, {dt.date(2025, 12, 1): 5})  # its source is gone
    for hour, n in before[1].items():
        days[hour.date()] += n
    insert(place, "pruned", list(days.items()))
    visits = [dt.datetime(2030, 1, 1) + dt.timedelta(days=8 * n) for n in range(40)]
    insert(place, "visits", [(ts, EDMONTON) for ts in visits])
    if is_instant:  # which has materialized views
        place.run("CREATE MATERIALIZED VIEW months AS SELECT max(hour), sum(n) FROM hourly")
        place.run("CREATE MATERIALIZED VIEW totals AS SELECT zone, sum(n) FROM daily GROUP BY 1")
    config = CONFIG
    if not is_instant:  # the source may have another name for the zone
        place.run("ALTER TABLE events RENAME zone TO tz")
        config = CONFIG.replace("keys =", 'source_zone_column = "tz"\nkeys =')
    (tmp_path / "named.toml").write_text(config)
    asked = ["--config", "named.toml", "impact", "--url", place.url, "--from", str(OLD)]
    found = run(*asked, "--verify", "--json", cwd=tmp_path)
    assert found.returncode == 2, found.stderr
    document = json.loads(found.stdout)["database"]
    for one, old, new in zip(document["rollups"], before, after, strict=False):
        wrong = {key for key in {*old, *new} if old.get(key) != new.get(key)}
        assert 0 < len(wrong) <= one["keys"] * 2
        assert one["total"] == len(old)
        assert one["rows"] < len(old) / 1.5
    differing = [one["differing"] for one in document["verified"]]
    for number, old, new in zip(differing, before, after, strict=False):
        assert number == sum(old.get(key) != new.get(key) for key in {*old, *new})
    totals = document["verified"][0]["totals"]["cents"]
    assert totals[0] == totals[1]  # the sum of all days is the same, only not of each day
    assert document["rollups"][0]["unknown_zones"] == ["Mars/Olympus"]
    assert document["rollups"][0]["other_columns"] == ["marker"]
    [appointments] = document["appointments"]
    convert = local(OLD), local(NEW)
    moved = [ts for ts in visits if convert[0](EDMONTON, ts) != convert[1](EDMONTON, ts)]
    assert appointments["count"]["rows"] == len(moved)

    read = {one["name"]: one["reads_rollups"] for one in document["objects"]}
    reading = {"public.months": ["hourly"], "public.totals": ["daily"]}
    assert read == (reading if is_instant else {})
    script = run(*asked, "--sql", cwd=tmp_path)
    assert script.returncode == 2, script.stderr
    assert stored(place) == before, "nothing was run"
    place.run(script.stdout)
    assert stored(place) == after
    changed = {key for key in {*before[0], *after[0]} if before[0].get(key) != after[0].get(key)}
    rows = place.run("SELECT zone, day, shop, marker FROM daily")
    anew = {tuple(row[:3]) for row in rows if row[3] == 0}
    assert {key for key in changed if key in after[0]} <= anew
    for zone, day in {key[:2] for key in anew}:  # keys outside of the windows were not touched
        start = dt.datetime.combine(day, dt.time()) - dt.timedelta(hours=14)
        times = [start + dt.timedelta(hours=n) for n in range(52)]
        assert any(convert[0](zone, ts) != convert[1](zone, ts) for ts in times), (zone, day)
    [(untouched,)] = place.run(
        "SELECT count(*) FROM hourly WHERE marker = 0 AND NOT "
        "(hour >= '2026-11-01 01:00' AND hour < '2027-03-14 04:00')"
    )
    assert untouched == 0
    assert place.run("SELECT n FROM pruned WHERE day = '2025-12-01'") == [(5,)]
    again = run(*asked, "--verify", cwd=tmp_path)
    assert again.returncode == 0, again.stdout
    assert "0 differ" in again.stdout


@pytest.mark.parametrize("older", [["1970-01-01"], []], ids=["a wrong time", "nothing older"])
def test_keys_whose_rows_are_gone(place: Database, tmp_path: Path, older: list[str]) -> None:
    """They stay, although an event of a wrong time is older; and no day is made in advance."""
    place.run(
        "CREATE TABLE events (ts timestamp, shop integer)",
        "INSERT INTO events SELECT TIMESTAMP '2026-10-20' + n * INTERVAL '139 minutes', "
        "CASE n % 2 WHEN 0 THEN 1 END FROM generate_series(0, 899) AS s (n)",
        'CREATE TABLE "da.""ily" (day date, shop integer, n bigint)',
        "CREATE TABLE moved (day timestamptz, shop integer, n bigint)",
    )
    events = place.run("SELECT ts, shop FROM events")
    last = dt.date(2027, 1, 10)  # the job that fills the rollup makes later days
    old, new = (
        Counter(
            (day, shop) for ts, shop in events if (day := to_local(EDMONTON, ts).date()) <= last
        )
        for to_local in (local(OLD), local(NEW))
    )
    texts = (f"('{day}', {shop or 'NULL'}, {n})" for (day, shop), n in old.items())
    place.run(f'INSERT INTO "da.""ily" VALUES {", ".join(texts)}')
    place.run(
        "DELETE FROM events WHERE ts < '2026-12-01 12:00'",
        *(f"INSERT INTO events VALUES ('{time}', 1)" for time in older),
    )
    config = (
        "[[rollups]]\ntable = '\"da.\"\"ily\"'\nlocal_day = 'day'\nzone = 'America/Edmonton'\n"
        "source = 'events'\ntimestamp = 'ts'\nkeys = ['shop']\nvalues = { n = 'count(*)' }\n"
    )
    (tmp_path / "named.toml").write_text(config)
    asked = ["--config", "named.toml", "impact", "--url", place.url, "--from", str(OLD)]
    script = run(*asked, "--sql", cwd=tmp_path)
    assert 'lost     "da.""ily": the source lacks rows' in script.stderr
    place.run(script.stdout)
    whole = dt.date(2026, 12, 2)  # the first local day with all its rows
    assert {(day, shop): n for day, shop, n in place.run('SELECT * FROM "da.""ily"')} == {
        **{key: n for key, n in old.items() if key[0] < whole},
        **{key: n for key, n in new.items() if key[0] >= whole},
    }
    (tmp_path / "named.toml").write_text(config.replace("America/Edmonton", "Europe/Berlin"))
    unmoved = run(*asked, "--verify", cwd=tmp_path)
    assert (unmoved.returncode, "0 differ" in unmoved.stdout) == (0, True), unmoved.stderr
    for was, wrong, said in (
        ("count(*)", "sum(nothing)", "cannot be recomputed, check its values"),
        ('"da.""ily"', "moved", "shows another local time in each session"),
    ):
        (tmp_path / "named.toml").write_text(config.replace(was, wrong))
        assert_one_sentence(run(*asked, "--sql", cwd=tmp_path), said)


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
    for document in documents:
        assert document["from"] == {"tz_release": "unknown", "rules": str(OLD)}
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
    late = run(*asked, "--since", "2125-01-01", cwd=tmp_path)
    assert_one_sentence(late, "--since 2125-01-01 is not before ")
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
            "CREATE MATERIALIZED VIEW by_column AS SELECT day, count(*) FROM events GROUP BY day",
            "CREATE MATERIALIZED VIEW of_moment AS SELECT ts FROM events WHERE ts AT TIME ZONE "
            f"'UTC' = '2026-12-01 {EDMONTON}'::text::timestamptz",
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
            *("events.day", "events.made", "parts", "by_column", "of_moment"),
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
        assert script.index("\nUPDATE public.events") < script.index("VIEW public.by_column;")
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
        text = run(*asked, cwd=tmp_path).stdout
        assert ": converts by America/Edmonton; 0 of 0 rows" in text
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
        ("[[rollups]]\ntable = 'a'\n", "rollup 1: has no source"),
        (CONFIG.replace('local_day = "day"\n', "", 1), "needs either local_day or local_hour"),
        (CONFIG.replace("zone_column", "zone_colum", 1), "did you mean 'zone_column'?"),
        (CONFIG.replace('"daily"', '"dayly"'), "has no table 'dayly'"),
        (CONFIG.replace('["shop"]', '"shop"'), "keys must be a list of columns"),
        ("rollups = 3\n", "begin each with [[rollups]]"),
        (VISITS.replace("Europe/Paris", "Europe/Pariss"), "events has an unknown zone"),
    ],
)
def test_wrong_settings(config: str, said: str, tmp_path: Path) -> None:
    with databases.fresh("duckdb", tmp_path, None) as place:
        place.run("CREATE TABLE events (ts timestamp, zone varchar)")
        (tmp_path / "tzconv.toml").write_text(config)
        asked = ["--config", "tzconv.toml", "impact", "--url", place.url]
        done = run(*asked, "--from", str(OLD), cwd=tmp_path)
        assert_one_sentence(done, said)
        nothing = run(*asked, cwd=tmp_path)
        assert_one_sentence(nothing, "No conversion tables are loaded" if said[0] != "b" else said)


def test_aggregates_of_a_file_that_was_found(tmp_path: Path) -> None:
    with databases.fresh("duckdb", tmp_path, None) as place:
        place.run("CREATE TABLE events (ts timestamp)")
        (tmp_path / "tzconv.toml").write_text(CONFIG)
        asked = ["impact", "--url", place.url, "--from", str(OLD), "--verify"]
        assert_one_sentence(run(*asked, cwd=tmp_path), "nobody has named this file")
        unverified = run(*asked[:-1], cwd=tmp_path)
        said = f"Rollups and appointments from {tmp_path / 'tzconv.toml'}."
        assert said in unverified.stderr


@pytest.mark.parametrize("third", ["TIMESTAMP '2000-01-03'", "DATE '2000-01-03'", "INTERVAL '2 h'"])
def test_an_origin_of_buckets_is_no_zone(third: str) -> None:
    sql = f"SELECT time_bucket('1 day', ts, {third}) FROM t"
    [select] = parse(sql, "postgres").statements
    assert list(zones_of(select.expressions[0])) == []

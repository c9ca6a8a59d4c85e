"""A database of revision 0001 becomes one of today; numbers of zones and chosen tables stay."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT, databases, postgres
from tests.databases import ALL, FREE, Database, small
from tzconv import engines, health, migrate, tables
from tzconv._version import __version__
from tzconv.errors import RulesError
from tzconv.refresher import refresh
from tzconv.sql.text import constant
from tzconv.tables import checksums, generate
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

NAMES = ("America/New_York", "Asia/Kolkata", "UTC")
OLD = ("daily", "hourly", "offset")
RULES = zones.installed()
HORIZON = Horizon(databases.START, databases.END)


def older(
    database: Database,
    version: str = __version__,
    revision: str = "0001",
    loaded: tuple[str, ...] = OLD,
    **more: Any,
) -> None:
    """Make the tables of an old revision, and load them as the tzconv of then did."""
    database.apply(*migrate.statements(database.kind, None, None, revision))
    release: dict[str, Any] = {
        "tz_release": RULES.release,
        "rules": "tzdata",
        "horizon_starts_on": HORIZON.start,
        "horizon_ends_before": HORIZON.end,
        "offset_ends_before": HORIZON.offset_end,
        "zone_count": len(NAMES),
        "tzconv_version": version,
        "started_at": dt.datetime(2026, 1, 1, 12),
        "finished_at": dt.datetime(2026, 1, 1, 13),
        **{f"{name}_rows": 0 for name in OLD},
        **{f"{name}_checksum": "0" * 32 for name in OLD},
        **more,
    }
    if revision == "0001":
        release |= {"utc_day_rows": 1, "utc_day_checksum": "0" * 64}
        database.run(
            "INSERT INTO time_zone_utc_day_conversion VALUES ('UTC', DATE '2026-01-01', 0, NULL, 0)"
        )
    for name in loaded:
        table = tables.CONVERSIONS[name]
        rows = generate.stream(name, RULES, NAMES, HORIZON).read_all()
        values = ", ".join(
            f"({', '.join(map(constant, row))})"
            for row in zip(*(column.to_pylist() for column in rows.columns), strict=True)
        )
        database.run(f"INSERT INTO {table.name} VALUES {values}")
        with engines.connect(database.url) as backend:
            release[f"{name}_checksum"] = checksums.digest(backend.checksums(table))
        release[f"{name}_rows"] = rows.num_rows
    database.run(
        f"INSERT INTO {tables.RELEASE.name} ({', '.join(release)}) "
        f"VALUES ({', '.join(map(constant, release.values()))})"
    )


def kept(database: Database) -> object:
    return [
        database.run(f"SELECT * FROM {tables.CONVERSIONS[name].name} ORDER BY 1, 2, 3, 4")
        for name in OLD
    ]


def table_names(database: Database) -> set[str]:
    return {
        name
        for (name,) in database.run(
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_schema IN ('main', 'public') AND table_name LIKE 'time_zone_%'"
        )
    }


@pytest.mark.parametrize("version", [__version__, "0.0.1"])
def test_a_refresh_upgrades_and_fills_the_new_tables(database: Database, version: str) -> None:
    older(database, version)
    before = kept(database)
    with engines.connect(database.url, read_only=True) as backend:
        now = dt.datetime(2026, 1, 15)
        found = {one.check: one.level for one in health.doctor(backend, now).findings}
        assert found["revision"] == found["rows"] == "warning"
        assert "error" not in found.values()
    result = refresh(database.url, zones=NAMES, start=HORIZON.start, end=HORIZON.end)
    assert result.changed
    assert result.inserted["zone"] == len(NAMES)
    assert [result.deleted[name] + result.inserted[name] for name in OLD] == [0, 0, 0]
    assert kept(database) == before
    assert table_names(database) == {table.name for table in tables.ALL} | {tables.MIGRATION}
    assert small(database.url, *NAMES)  # which have no hours, or the other selection
    database.assert_holds(RULES, list(NAMES), HORIZON)
    first, *_ = database.run(
        f"SELECT zone_rows, period_rows, daily_rows FROM {tables.RELEASE.name} ORDER BY finished_at"
    )
    assert (first[0], first[1], first[2] > 0) == (0, 0, True)
    with engines.connect(database.url, read_only=True) as backend:
        assert health.doctor(backend, dt.datetime(2026, 1, 1)).healthy


def test_an_upgrade_keeps_what_no_selection_says(database: Database) -> None:
    """Zones, tables, rules and horizon of a tzconv that kept none; also without a release row."""
    older(database)
    before = kept(database)
    result = refresh(database.url)
    assert result.kept == {"zones": NAMES, "start": HORIZON.start, "end": HORIZON.end}
    assert kept(database) == before
    without = () if result.rows["period"] else ("period",)
    database.assert_holds(RULES, list(NAMES), HORIZON, without)
    assert not refresh(database.url).changed
    database.run(f"DELETE FROM {tables.RELEASE.name}")
    assert refresh(database.url, repair=True).kept == {"zones": NAMES}


SELECTIONS = [
    {"zones": NAMES, "tables": ["daily"]},
    {"zones": NAMES, "tables": ["daily", "hourly", "period"]},
    {"zones": "sql:SELECT time_zone FROM accounts"},
]
NUMBERED = "time_zone_name, zone_id, canonical_name"


@pytest.mark.not_core
@pytest.mark.parametrize("by_alembic", [False, True])
@pytest.mark.parametrize("selection", SELECTIONS, ids=["daily", "all tables", "query"])
def test_an_upgrade_from_the_second_version(
    database: Database, selection: dict[str, Any], by_alembic: bool
) -> None:
    """Revision 0004 has a selection, zones with numbers and shorter periods."""
    given = {**selection, "start": HORIZON.start, "end": HORIZON.end}
    names = [name for name in OLD if name in (*selection.get("tables", ["daily"]), "offset")]
    with_period = "period" in selection.get("tables", ["period"] * (database.kind == "duckdb"))
    row = {"zone_rows": 3, "zone_checksum": "1" * 32, "period_checksum": "2" * 32}
    older(
        database,
        "0.0.2",
        "0004",
        tuple(names),
        **row,
        period_rows=2 * with_period,
        selection=json.dumps(given, default=str),
        last_checked_at=dt.datetime(2026, 1, 15, 12),
    )
    database.run(
        "CREATE TABLE accounts (time_zone varchar(40))",
        *(f"INSERT INTO accounts VALUES ('{name}')" for name in NAMES),
        *(
            f"INSERT INTO {tables.ZONE.name} ({NUMBERED}) VALUES ('{name}', {number}, '{name}')"
            for number, name in enumerate(NAMES)
        ),
        *(
            f"INSERT INTO {tables.PERIOD.name} (zone_period, time_zone_name) VALUES ({key}, 'UTC')"
            for key in range(2 * with_period)
        ),
    )
    before = kept(database)
    if by_alembic:
        database.apply(*migrate.statements(database.kind, None, "0004"))
    lost = by_alembic and with_period  # the migration drops them, which reports notice
    for check in (health.status, health.doctor):
        with engines.connect(database.url, read_only=True) as backend:
            found = check(backend, dt.datetime(2026, 1, 15, 13))
        levels = {one.level for one in found.findings if one.check == "rows"}
        assert levels == {"warning", *["error"] * lost}
        assert found.healthy == (not lost)
    result = refresh(database.url)
    assert result.kept == given | {
        "start": HORIZON.start,
        "end": HORIZON.end,
        "zones": selection["zones"],
        **({"tables": tuple(selection["tables"])} if "tables" in selection else {}),
    }
    assert [result.deleted[name] + result.inserted[name] for name in OLD] == [0, 0, 0]
    assert kept(database) == before
    loaded = {name for name, count in result.rows.items() if count}
    # a default of Vertica since then
    has_period = with_period or ("tables" not in selection and database.kind == "vertica")
    assert loaded == {*names, "zone", *["period"] * has_period}
    database.assert_holds(RULES, list(NAMES), HORIZON, tuple({*ALL} - loaded))
    assert dict(database.run(f"SELECT time_zone_name, zone_id FROM {tables.ZONE.name}")) == {
        name: number for number, name in enumerate(NAMES)
    }
    assert not refresh(database.url).changed
    with engines.connect(database.url, read_only=True) as backend:
        assert health.doctor(backend, dt.datetime(2026, 1, 15)).healthy


@pytest.mark.not_core
def test_checksums_of_another_kind(tmp_path: Path, server: postgres.Server) -> None:
    """PostgreSQL had its own: the next refresh writes others, and no row."""
    with databases.fresh("postgres", tmp_path, server) as database:
        small(database.url, *NAMES)
        before = kept(database)
        for name in ALL:
            database.run(f"UPDATE {tables.RELEASE.name} SET {name}_checksum = md5('{name}')")
        result = refresh(database.url)
        assert result.changed
        assert result.deleted == result.inserted == dict.fromkeys(ALL, 0)
        assert kept(database) == before
        with engines.connect(database.url, read_only=True) as backend:
            assert health.doctor(backend, dt.datetime(2026, 1, 15)).healthy


def test_an_upgrade_of_all_zones_takes_new_ones(tmp_path: Path) -> None:
    """And a default horizon goes on moving."""
    database = Database("duckdb", f"duckdb:///{tmp_path}/tz.duckdb")
    names = [name for name in RULES.names if name not in ("Europe/Kyiv", "Asia/Qostanay")]
    refresh(database.url, zones=names, tables=["daily"])
    database.run(f"UPDATE {tables.RELEASE.name} SET selection = NULL")
    result = refresh(database.url)
    assert result.added == ("Asia/Qostanay", "Europe/Kyiv")
    assert result.kept == {}


def test_down_to_the_old_revision_and_up_again(database: Database) -> None:
    small(database.url, *NAMES)
    before = kept(database)
    database.apply(*migrate.statements(database.kind, None, migrate.newest(), "0001"))
    assert tables.ZONE.name not in table_names(database)
    assert "time_zone_utc_day_conversion" in table_names(database)
    assert kept(database) == before
    assert small(database.url, *NAMES)
    assert kept(database) == before
    database.assert_holds(RULES, list(NAMES), HORIZON)


def test_down_to_nothing_and_up_again(database: Database) -> None:
    small(database.url, *NAMES)
    database.apply(*migrate.statements(database.kind, None, migrate.newest(), "base"))
    assert tables.DAILY.name not in table_names(database)
    assert small(database.url, *NAMES)
    database.assert_holds(RULES, list(NAMES), HORIZON)


def test_alembic_upgrades_and_a_refresh_fills(tmp_path: Path, server: postgres.Server) -> None:
    with databases.fresh("postgres", tmp_path, server) as database:
        older(database)
        before = kept(database)
        alembic = [sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini"]
        command = [*alembic, "-x", f"url={database.url}", "upgrade", "head"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        assert kept(database) == before
        with engines.connect(database.url, read_only=True) as backend:
            texts = [one.text for one in health.doctor(backend).findings if one.level == "warning"]
        assert any("The checksums are those of an older tzconv" in text for text in texts)
        result = refresh(database.url, zones=NAMES, start=HORIZON.start, end=HORIZON.end)
        assert result.deleted == dict.fromkeys(ALL, 0)
        assert result.inserted == dict.fromkeys(ALL, 0) | {"zone": len(NAMES)}
        assert kept(database) == before


# -- the numbers of the zones


def numbers(database: Database) -> dict[str, int]:
    keys = database.run(
        f"SELECT DISTINCT zone_period % 512 FROM {tables.PERIOD.name} WHERE zone_period >= 0"
    )
    assert keys_of(database) == {key for (key,) in keys}
    return dict(database.run(f"SELECT time_zone_name, zone_id FROM {tables.ZONE.name}"))


def keys_of(database: Database) -> set[int]:
    return {key for (key,) in database.run(f"SELECT rules_id FROM {tables.ZONE.name}")}


def test_a_zone_keeps_its_number(database: Database, tmp_path: Path) -> None:
    place = RULES.names.index
    small(database.url, *NAMES)
    assert numbers(database) == {name: place(name) for name in NAMES}
    # other rules, in which the same names have other places; one of the places is taken
    tree = tmp_path / "rules"
    (tree / "America").mkdir(parents=True)
    for name in ("America/New_York", "UTC", "AAA"):
        (tree / name).write_bytes(Path(tree_file(name)).read_bytes())
    small(database.url, "America/New_York", "UTC", "AAA", rules=tree)
    assert numbers(database) == {
        "America/New_York": place("America/New_York"),
        "UTC": place("UTC"),
        "AAA": 0,
    }
    small(database.url, "Africa/Abidjan", "UTC", "Africa/Accra", "AAA", rules=with_aaa(tmp_path))
    # Abidjan and Accra are second and third there, and nobody has those numbers
    assert numbers(database) == {
        "AAA": 0,
        "Africa/Abidjan": 1,
        "Africa/Accra": 2,
        "UTC": place("UTC"),
    }
    small(database.url, "Africa/Abidjan", "Africa/Accra", "Africa/Addis_Ababa", rules="tzdata")
    # Addis Ababa is third in the tz release, where Accra stays
    assert numbers(database) == {"Africa/Abidjan": 1, "Africa/Accra": 2, "Africa/Addis_Ababa": 0}
    small(database.url, *NAMES, "Africa/Accra")
    assert numbers(database) == {name: place(name) for name in NAMES} | {"Africa/Accra": 2}


def tree_file(name: str) -> str:
    import tzdata

    name = {"AAA": "Asia/Tokyo"}.get(name, name)
    return f"{Path(tzdata.__file__).parent}/zoneinfo/{name}"


def with_aaa(folder: Path) -> Path:
    tree = folder / "other"
    (tree / "Africa").mkdir(parents=True)
    for name in ("AAA", "Africa/Abidjan", "Africa/Accra", "UTC"):
        (tree / name).write_bytes(Path(tree_file(name)).read_bytes())
    return tree


def test_more_zones_than_numbers(database: Database, tmp_path: Path) -> None:
    data = Path(tree_file("UTC")).read_bytes()
    for place in range(1025):
        (tmp_path / f"Z{place:04}").write_bytes(data)
    with pytest.raises(RulesError, match=r"has 1,025 time zones, and the tables hold at most 1,0"):
        small(database.url, *(f"Z{place:04}" for place in range(1025)), rules=tmp_path)
    if database.kind == "duckdb":
        small(database.url, *(f"Z{place:04}" for place in range(1, 1025)), rules=tmp_path)
        assert sorted(numbers(database).values()) == list(range(1024))


# -- which tables


def test_the_tables_that_are_loaded_unasked(database: Database) -> None:
    asked: dict[str, Any] = {"zones": NAMES, "start": HORIZON.start, "end": HORIZON.end}
    default = {"daily", "offset", "zone"}
    if database.kind != "postgres":
        default |= {"period"}
    assert loaded(refresh(database.url, **asked)) == default
    few = {"hourly", "offset", "zone"}
    assert loaded(refresh(database.url, **asked, tables=["hourly"], **FREE)) == few
    assert not refresh(database.url, **asked).changed  # the selection is kept
    # the defaults come back, and what is loaded stays
    assert loaded(refresh(database.url, **asked, tables=["default"])) == {*default, "hourly"}
    assert not refresh(database.url, **asked).changed
    database.run(f"DELETE FROM {tables.HOURLY.name}")
    assert loaded(refresh(database.url, **asked)) == {*default, "hourly"}
    assert loaded(refresh(database.url, **asked, tables=default, **FREE)) == default


def loaded(result: Any) -> set[str]:
    return {name for name, rows in result.rows.items() if rows}

"""A database of revision 0001 becomes one of today; numbers of zones and chosen tables stay."""

from __future__ import annotations

import datetime as dt
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


def older(database: Database, version: str = __version__) -> None:
    """Make the tables of revision 0001, and load them as the tzconv of then did."""
    database.apply(*migrate.statements(database.kind, None, None, "0001"))
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
        "utc_day_rows": 1,
        "utc_day_checksum": "0" * 64,
    }
    database.run(
        "INSERT INTO time_zone_utc_day_conversion VALUES ('UTC', DATE '2026-01-01', 0, NULL, 0)"
    )
    for name in OLD:
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
        found = {one.check: one.level for one in health.doctor(backend).findings}
        assert found["revision"] == "warning"
        assert found["rows"] == "error"  # no zone has a number
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
    if database.kind == "duckdb":
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

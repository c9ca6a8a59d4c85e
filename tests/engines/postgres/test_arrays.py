"""The arrays of the zone table on PostgreSQL, against zoneinfo and against the offset table."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests import databases, events_postgres, postgres, reference
from tests.databases import Database, small
from tests.releases import tzif
from tzconv import engines, health, tables
from tzconv.refresher import refresh
from tzconv.tz import zones

OFFSETS = ("offset", "zone")
ASKED = """
SELECT s.time_zone_name, asked.t, z.starts_at_utc IS NULL,
    asked.t + z.utc_offsets[width_bucket(asked.t, z.starts_at_utc)],
    asked.t + z.utc_offsets[width_bucket(asked.t AT TIME ZONE 'UTC', z.starts_at_instant)]
FROM time_zone_offset_conversion AS s
JOIN time_zone_conversion_zone AS z USING (time_zone_name),
    unnest(ARRAY[
        greatest(s.starts_at_utc, '1970-01-01'), s.ends_before_utc - INTERVAL '1 microsecond'
    ]) AS asked (t)
WHERE s.ends_before_utc > '1970-01-01'
"""
ASKED_LOCAL = """
SELECT s.time_zone_name, local,
    local - z.utc_offsets[width_bucket(local, z.starts_at_time_zone)]
FROM time_zone_offset_conversion AS s
JOIN time_zone_conversion_zone AS z USING (time_zone_name),
    unnest(ARRAY[
        s.starts_at_time_zone, s.starts_at_time_zone - INTERVAL '1 microsecond',
        s.starts_at_utc + s.utc_offset_seconds * INTERVAL '1 second',
        s.ends_before_utc + s.utc_offset_seconds * INTERVAL '1 second',
        s.ends_before_utc + s.utc_offset_seconds * INTERVAL '1 second' - INTERVAL '1 microsecond'
    ]) AS asked (local)
WHERE s.starts_at_utc > '1970-01-02' AND local < '2037-12-30' AND z.utc_offsets IS NOT NULL
"""


@pytest.fixture(scope="module")
def loaded(server: postgres.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """All zones."""
    folder = tmp_path_factory.mktemp("arrays")
    with databases.fresh("postgres", folder, server) as database:
        refresh(database.url, tables=OFFSETS)
        yield database


def test_every_transition_of_every_zone(loaded: Database) -> None:
    seen = set()
    asked = 0
    for name, moment, nothing, local, other in loaded.run(ASKED):
        seen.add(name)
        if nothing:
            assert name in events_postgres.FIXED
            assert (local, other) == (None, None)
            continue
        asked += 1
        expected = moment.replace(tzinfo=dt.UTC).astimezone(zoneinfo.ZoneInfo(name))
        assert local == other == expected.replace(tzinfo=None, fold=0), (name, moment)
    assert seen == set(zones.installed().names)
    assert asked > 50_000


def test_every_gap_and_fold_of_every_zone(loaded: Database) -> None:
    """A gap belongs to the time before it, a fold to the time after it."""
    found = loaded.run(ASKED_LOCAL)
    for name, local, moment in found:
        aware = local.replace(tzinfo=zoneinfo.ZoneInfo(name))
        both = [aware.replace(fold=fold).utcoffset() for fold in (0, 1)]
        assert moment == local - min(both), (name, local)
    assert len(found) > 100_000


@pytest.mark.parametrize(
    "asked",
    [
        "s.ends_before_utc",
        "s.starts_at_utc - INTERVAL '1 microsecond'",
        "'infinity'",
        "'-infinity'",
    ],
)
def test_the_function_answers_outside(loaded: Database, asked: str) -> None:
    place = "DESC" if "ends" in asked else ""
    rows = loaded.run(
        "SELECT z.time_zone_name, "
        f"z.utc_offsets[width_bucket(({asked})::timestamp, z.starts_at_utc)]"
        " FROM time_zone_conversion_zone AS z CROSS JOIN LATERAL (SELECT * FROM "
        "time_zone_offset_conversion s WHERE s.time_zone_name = z.time_zone_name "
        "AND ends_before_utc > '1970-01-01' "
        f"ORDER BY s.starts_at_utc {place} LIMIT 1) AS s WHERE z.utc_offsets IS NOT NULL"
    )
    assert len(rows) == 598 - len(events_postgres.FIXED)
    assert {offset for _, offset in rows} == {None}


def test_reading_a_row_fetches_nothing_from_elsewhere(loaded: Database) -> None:
    assert loaded.run(
        "SELECT DISTINCT attstorage::text FROM pg_attribute "
        "WHERE attrelid = 'time_zone_conversion_zone'::regclass AND attnum > 0"
    ) == [("p",)]
    [(toast,)] = loaded.run(
        "SELECT pg_relation_size(reltoastrelid) FROM pg_class "
        "WHERE oid = 'time_zone_conversion_zone'::regclass AND reltoastrelid <> 0"
        " UNION ALL SELECT 0 LIMIT 1"
    )
    assert toast == 0
    [(analyzed,)] = loaded.run(
        "SELECT count(*) FROM pg_stats WHERE tablename = 'time_zone_conversion_zone'"
    )
    assert analyzed == 8
    [(rows,)] = loaded.run(
        "SELECT reltuples FROM pg_class WHERE oid = 'time_zone_conversion_zone'::regclass"
    )
    assert rows == 598


@pytest.mark.parametrize(
    "damage",
    [
        "utc_offsets[3] = '7 hours'",
        "utc_offsets = utc_offsets || INTERVAL '1 hour'",
        "utc_offsets = NULL",
        "starts_at_utc = '{}'",
        "starts_at_utc = starts_at_utc || TIMESTAMP '2050-01-01'",
        "starts_at_utc[2] = starts_at_utc[2] + INTERVAL '1 microsecond'",
        "starts_at_instant = starts_at_instant[2:]",
        "starts_at_time_zone = starts_at_utc",
        "utc_offsets = ('[0:' || cardinality(utc_offsets) - 1 || ']=' "
        "|| utc_offsets::text)::interval[]",
    ],
)
def test_damaged_arrays_are_found_and_repaired(
    damage: str, server: postgres.Server, tmp_path: Path
) -> None:
    with databases.fresh("postgres", tmp_path, server) as database:
        small(database.url, "Europe/Berlin", "Asia/Tokyo")
        right = arrays(database)
        database.run(
            f"UPDATE time_zone_conversion_zone SET {damage} WHERE time_zone_name = 'Europe/Berlin'"
        )
        wrong = arrays(database)
        assert wrong != right
        with engines.connect(database.url, read_only=True) as backend:
            assert backend.broken(tables.ZONE) == {
                "Europe/Berlin": "arrays that are not those of its spans"
            }
            assert backend.broken(tables.ZONE, ["Asia/Tokyo"]) == {}
            for look in (health.status, health.doctor):
                texts = [one.text for one in look(backend).findings if one.level == "error"]
                assert any("arrays that are not those of its spans" in text for text in texts)
        assert small(database.url, "Europe/Berlin", "Asia/Tokyo", repair=True)
        assert arrays(database) == right
        assert not small(database.url, "Europe/Berlin", "Asia/Tokyo", repair=True)


def test_arrays_follow_the_rules(server: postgres.Server, tmp_path: Path) -> None:
    """A zone's own row stays as it is, and what was made from its spans does not."""
    root = tmp_path / "rules"
    root.mkdir()
    with databases.fresh("postgres", tmp_path, server) as database:
        for moment in (1_600_000_000, 1_700_000_000):
            kinds = [(0, 0, "AAA"), (3600, 1, "BBB")]
            (root / "Home").write_bytes(tzif([moment], [1], kinds, "BBB-1"))
            assert small(database.url, "Home", rules=root)
            [(starts, offsets)] = database.run(
                "SELECT starts_at_utc, utc_offsets FROM time_zone_conversion_zone"
            )
            assert starts[1] == reference.naive(moment)
            assert offsets == [dt.timedelta(0), dt.timedelta(hours=1)]


@pytest.mark.parametrize(("changes", "has"), [(179, True), (180, False), (200, False)])
def test_a_zone_with_many_spans(
    changes: int, has: bool, server: postgres.Server, tmp_path: Path
) -> None:
    """Its row would not fit into a page: the other tables have it, the arrays do not."""
    root = tmp_path / "rules"
    root.mkdir()
    kinds = [(0, 0, "AAA"), (3600, 1, "BBB")]
    times = [1_000_000_000 + place * 5_000_000 for place in range(changes)]
    name = "Many/" + "x" * 100
    (root / "Many").mkdir()
    (root / name).write_bytes(
        tzif(times, [(place + 1) % 2 for place in range(changes)], kinds, "AAA0")
        if changes % 2 == 0
        else tzif(times, [(place + 1) % 2 for place in range(changes)], kinds, "BBB-1")
    )
    with databases.fresh("postgres", tmp_path, server) as database:
        small(database.url, name, rules=root)
        [row] = database.run(
            "SELECT starts_at_utc, starts_at_instant, starts_at_time_zone, utc_offsets, "
            "pg_column_size(z) FROM time_zone_conversion_zone AS z"
        )
        if has:
            assert [len(array) for array in row[:4]] == [181, 181, 181, 180]
            assert row[4] > 7_000
        else:
            assert row[:4] == (None, None, None, None)
        assert database.run("SELECT count(*) FROM time_zone_offset_conversion") == [(changes + 1,)]
        assert database.run("SELECT count(*) FROM time_zone_period_conversion") == [(488,)]
        assert not small(database.url, name, rules=root, repair=True)


def arrays(database: Database) -> list[tuple[object, ...]]:
    return database.run("SELECT * FROM time_zone_conversion_zone ORDER BY 1") + database.run(
        "SELECT array_dims(utc_offsets) FROM time_zone_conversion_zone ORDER BY time_zone_name"
    )


def test_the_reference_reads_the_package() -> None:
    assert np.array_equal(sorted(zones.installed().names), zones.installed().names)
    assert set(zones.installed().names) <= set(reference.NAMES)

"""The conversion tables as Arrow streams and as files."""

from __future__ import annotations

import datetime as dt
import itertools
import zoneinfo
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests import reference
from tests.releases import tzif
from tzconv import tables
from tzconv.errors import HorizonError, OutputError, RulesError, UnknownZoneError
from tzconv.tables import generate
from tzconv.tz import horizon, zones
from tzconv.tz.horizon import Horizon
from tzconv.tz.posix import LocalType, PosixRule

ZONES = ["Asia/Kolkata", "America/St_Johns", "UTC"]
START, END = dt.date(2009, 10, 1), dt.date(2010, 4, 1)
HORIZON = Horizon(START, END)
RULES = zones.installed()


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_schema(name: str) -> None:
    schema = generate.arrow_schema(name)
    columns = tables.CONVERSIONS[name].columns
    assert schema.names == [column.name for column in columns]
    assert [field.nullable for field in schema] == [column.nullable for column in columns]
    assert schema.field("time_zone_name").type == pa.dictionary(pa.int32(), pa.utf8())


def test_one_function_a_table() -> None:
    streams = {
        "daily": generate.daily(ZONES, START, END),
        "hourly": generate.hourly(ZONES, START, END),
        "offset": generate.offset(ZONES),
        "zone": generate.zone(ZONES),
        "period": generate.period(ZONES),
    }
    for name, reader in streams.items():
        table = reader.read_all()
        assert set(table["time_zone_name"].to_pylist()) == set(ZONES), name
        assert table.num_rows == generate.stream(name, RULES, ZONES, HORIZON).read_all().num_rows


def test_rows_against_zoneinfo() -> None:
    """The stream's own part: each zone's rows stand beside its own name."""
    for row in generate.hourly(ZONES, START, END).read_all().to_pylist():
        zone = zoneinfo.ZoneInfo(row["time_zone_name"])
        begins = row["starts_at_utc"].replace(tzinfo=dt.UTC).astimezone(zone)
        assert begins.utcoffset() == dt.timedelta(seconds=row["utc_offset_seconds"])
        assert begins.date() == row["day"]


def test_metadata() -> None:
    metadata = generate.stream("daily", RULES, ["UTC"], HORIZON).schema.metadata
    assert metadata[b"tzconv.tz_release"].decode() == RULES.release
    assert metadata[b"tzconv.rules"] == b"tzdata"
    assert metadata[b"tzconv.horizon_starts_on"] == b"2009-10-01"
    assert metadata[b"tzconv.horizon_ends_before"] == b"2010-04-01"
    assert b"tzconv.version" in metadata
    offset = generate.stream("offset", RULES, ["UTC"], HORIZON).schema.metadata
    assert offset[b"tzconv.horizon_ends_before"] == b"2038-01-01"


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_files_hold_the_stream(name: str, tmp_path: Path) -> None:
    expected = generate.stream(name, RULES, ZONES, HORIZON).read_all()
    parquet, csv = tmp_path / "a" / "t.parquet", tmp_path / "b" / "t.csv"
    for path in (parquet, csv):
        reader = generate.stream(name, RULES, ZONES, HORIZON)
        rows = generate.write(reader, path, "csv" if path == csv else "parquet")
        assert rows == expected.num_rows
        assert [file.name for file in path.parent.iterdir()] == [path.name]
    found = pyarrow.parquet.read_table(parquet)
    assert found.to_pylist() == expected.to_pylist()
    assert found.schema.metadata[b"tzconv.tz_release"].decode() == RULES.release
    with duckdb.connect() as database:
        database.register("expected", expected)
        for path in (parquet, csv):
            difference = database.execute(
                f"SELECT count(*) FROM ((FROM expected EXCEPT ALL FROM '{path}') "
                f"UNION ALL (FROM '{path}' EXCEPT ALL FROM expected))"
            ).fetchall()
            assert difference == [(0,)]


def test_zones_are_told_when_they_are_done() -> None:
    done: list[str] = []
    reader = generate.stream("daily", RULES, ZONES, HORIZON, done.append)
    assert done == []
    reader.read_next_batch()
    reader.read_next_batch()
    assert done == ["America/St_Johns"]
    reader.read_all()
    assert done == sorted(ZONES)


class _StopError(Exception):
    pass


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_file_appears_only_when_it_is_complete(format: str, tmp_path: Path) -> None:
    good = generate.stream("daily", RULES, ["UTC"], HORIZON)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from good
        raise _StopError

    path = tmp_path / f"t.{format}"
    reader = pa.RecordBatchReader.from_batches(good.schema, batches())
    with pytest.raises(_StopError):
        generate.write(reader, path, "csv" if format == "csv" else "parquet")
    assert list(tmp_path.iterdir()) == []


def test_an_old_file_stays_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    generate.write(generate.stream("daily", RULES, ["UTC"], HORIZON), path)
    before = path.read_bytes()
    good = generate.stream("daily", RULES, ["UTC"], HORIZON)

    def batches() -> Iterator[pa.RecordBatch]:
        yield good.read_next_batch()
        raise _StopError

    with pytest.raises(_StopError):
        generate.write(pa.RecordBatchReader.from_batches(good.schema, batches()), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["t.parquet"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    reader = generate.stream("daily", RULES, ["UTC"], HORIZON)
    with pytest.raises(OutputError, match=r"t\.parquet: cannot be written"):
        generate.write(reader, tmp_path / "file" / "t.parquet")


def test_wrong_arguments_are_found_before_the_first_batch(tmp_path: Path) -> None:
    with pytest.raises(UnknownZoneError, match="did you mean America/New_York"):
        generate.daily(["America/NewYork"], START, END)
    with pytest.raises(HorizonError, match="not before the end"):
        generate.daily(["UTC"], END, START)
    with pytest.raises(HorizonError, match="not before the end"):
        generate.daily(["UTC"], START, START)
    for day in ("2026-01-01", dt.datetime(2026, 1, 1, tzinfo=dt.UTC)):
        for make in (generate.offset, generate.zone, generate.period):
            with pytest.raises(HorizonError, match=r"is no day: give a datetime\.date"):
                make(["UTC"], end=day)  # type: ignore[arg-type] # wrong on purpose
        with pytest.raises(HorizonError, match="is no day"):
            generate.daily(["UTC"], day, END)  # type: ignore[arg-type] # wrong, too
    with pytest.raises(HorizonError, match="outside"):
        generate.hourly(["UTC"], START, dt.date(9999, 12, 31))
    with pytest.raises(HorizonError, match="outside"):
        generate.hourly(["UTC"], dt.date(1, 1, 1), END)
    kinds = [(0, 0, "AAA"), (3600, 1, "BBB")]
    last = reference.utc("2030-01-01")
    (tmp_path / "Old").write_bytes(tzif([10**9, last], [1, 0], kinds, None))
    generate.daily(["Old"], START, dt.date(2030, 1, 1), tmp_path).read_all()
    with pytest.raises(RulesError, match=r"Old in .* end at 2030-01-01T00:00:00Z"):
        generate.daily(["Old"], START, dt.date(2030, 1, 2), tmp_path)
    with pytest.raises(RulesError, match="which the offset table reaches"):
        generate.offset(["Old"], dt.date(2020, 1, 1), tmp_path)


def test_default_horizon() -> None:
    chosen = horizon.choose(None, None, dt.date(2026, 11, 21))
    assert (chosen.start, chosen.end) == (dt.date(2025, 1, 1), dt.date(2028, 1, 1))
    chosen = horizon.choose(dt.date(2020, 2, 2), None, dt.date(2026, 11, 21))
    assert (chosen.start, chosen.end) == (dt.date(2020, 2, 2), dt.date(2028, 1, 1))
    assert chosen.offset_end == dt.date(2038, 1, 1)
    assert Horizon(START, dt.date(2050, 1, 1)).offset_end == dt.date(2050, 1, 1)


def test_sqlalchemy_metadata() -> None:
    made = tables.metadata(schema="reporting")
    assert {table.name for table in made.tables.values()} == {t.name for t in tables.ALL}
    daily = made.tables["reporting.time_zone_daily_conversion"]
    assert [column.name for column in daily.columns][:4] == [
        "time_zone_name",
        "day",
        "day_starts_at_utc",
        "day_ends_at_utc",
    ]
    assert [column.name for column in daily.primary_key] == ["time_zone_name", "day_starts_at_utc"]


Row = tuple[object, ...]
MINUTE = dt.timedelta(minutes=1)


def local(zone: zoneinfo.ZoneInfo, moment: dt.datetime) -> dt.datetime:
    return moment.replace(tzinfo=dt.UTC).astimezone(zone)


def offset_of(zone: zoneinfo.ZoneInfo, moment: dt.datetime) -> int:
    offset = local(zone, moment).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


def runs(
    begin: dt.datetime, end: dt.datetime, label: Callable[[dt.datetime], Row]
) -> list[tuple[Row, dt.datetime, dt.datetime]]:
    """Walk minute by minute: each run of equal labels with its start and its exclusive end."""
    minutes = (begin + step * MINUTE for step in range((end - begin) // MINUTE))
    starts = [(key, next(group)) for key, group in itertools.groupby(minutes, label)]
    ends = [first for _, first in starts[1:]] + [end]
    return [(key, first, last) for (key, first), last in zip(starts, ends, strict=True)]


def walked(table: str, name: str, start: dt.datetime, end: dt.datetime) -> list[Row]:
    """The rows of one zone as its clock shows them, minute by minute."""
    zone = zoneinfo.ZoneInfo(name)
    if table == "hourly":

        def hour(moment: dt.datetime) -> Row:
            here = local(zone, moment).replace(minute=0, tzinfo=None, fold=0)
            return moment.replace(minute=0), name, here, here.date()

        found = runs(start, end, lambda moment: (*hour(moment), offset_of(zone, moment)))
        return [(*key[:-1], first, last, key[-1]) for key, first, last in found]
    if table == "daily":
        margin = dt.timedelta(days=3)  # the days at both ends come whole
        found = runs(start - margin, end + margin, lambda at: (name, local(zone, at).date()))
        return [
            (*key, first, last - dt.timedelta(seconds=1), last)
            for key, first, last in found
            if last > start and first < end
        ]
    rows: list[Row] = []
    for day in range((end - start).days):
        midnight = start + dt.timedelta(days=day)
        found = runs(midnight, midnight + dt.timedelta(days=1), lambda at: (offset_of(zone, at),))
        assert len(found) <= 2
        change = found[1][1] if len(found) == 2 else None
        rows.append((name, midnight.date(), found[0][0][0], change, found[-1][0][0]))
    return rows


@pytest.mark.parametrize("table", ["daily", "hourly"])
def test_rows_are_those_of_a_walk_by_the_minute(table: str) -> None:
    """Every column of every row, in order: zones by name, then by time."""
    start, end = dt.datetime(2009, 10, 25), dt.datetime(2009, 11, 5)
    names = ["UTC", "America/St_Johns", "Asia/Kolkata", "America/Havana"]
    reader = generate.stream(table, RULES, names, Horizon(start.date(), end.date()))
    found = [tuple(row.values()) for row in reader.read_all().to_pylist()]
    expected = [row for name in sorted(names) for row in walked(table, name, start, end)]
    assert found == expected


def test_offset_rows_are_the_changes_of_the_clock() -> None:
    name, zone = "Australia/Lord_Howe", zoneinfo.ZoneInfo("Australia/Lord_Howe")
    until = reference.utc("2038-01-01")
    changes = reference.changes(zone, reference.utc("1890-01-01"), until, reference.DAY)
    shares = [reference.naive(instant + state.offset) for instant, state in changes[1:]]
    expected = [
        (
            name,
            reference.naive(instant),
            reference.naive(last),
            share,
            next_share,
            state.offset,
            state.abbreviation,
            state.is_dst,
        )
        for (instant, state), last, share, next_share in zip(
            changes[1:],
            [instant for instant, _ in changes[2:]] + [until],
            shares,
            [*shares[1:], reference.naive(until + changes[-1][1].offset)],
            strict=True,
        )
    ]
    found = [tuple(row.values()) for row in generate.offset([name]).read_all().to_pylist()]
    assert found[1:] == expected
    first = dt.datetime(1, 1, 1)  # local mean time is ahead of UTC by 10:36:20 there
    assert found[0] == (
        name,
        first,
        expected[0][1],
        first + dt.timedelta(hours=10, minutes=36, seconds=20),
        expected[0][3],
        38180,
        "LMT",
        False,
    )


def test_nothing_is_made_before_it_is_read() -> None:
    """Zone by zone: a reader of all zones costs one zone at a time."""
    done: list[str] = []
    reader = generate.stream("period", RULES, None, HORIZON, done.append)
    names = []
    for _ in range(3):
        batch = reader.read_next_batch()
        assert len(batch.column("time_zone_name").unique()) == 1
        names.append(batch.column("time_zone_name")[0].as_py())
    assert names == ["Africa/Abidjan", "Africa/Addis_Ababa", "Africa/Algiers"]  # Accra has no rows
    assert done == [name for name in RULES.names if name < names[-1]]


def test_more_zones_than_the_period_table_can_number() -> None:
    zone = RULES.zone("UTC")
    names = [f"Test/{place:04}" for place in range(1025)]
    rules = zones.Rules.of("2026f", "many", [replace(zone, name=name) for name in names])
    assert generate.zone(names[:1024], rules).read_all()["zone_id"].to_pylist() == [*range(1024)]
    for made in (generate.zone, generate.period):
        with pytest.raises(RulesError, match=r"many has 1,025 time zones, .* at most 1,024"):
            made(names, rules=rules).read_all()
    assert generate.offset(names, rules=rules).read_all().num_rows == 1025


def test_a_zone_has_the_same_number_in_every_selection() -> None:
    everything = {row["time_zone_name"]: row for row in generate.zone(None).read_all().to_pylist()}
    assert [row["zone_id"] for row in everything.values()] == list(range(598))
    few = generate.zone(ZONES).read_all().to_pylist()
    assert few == [everything[name] for name in sorted(ZONES)]
    periods = generate.period(ZONES).read_all().to_pylist()
    assert [row["zone_period"] for row in periods if row["zone_period"] < 0] == [-1]
    numbers = {row["zone_period"] % 512 for row in periods if row["zone_period"] >= 0}
    assert numbers == {row["rules_id"] for row in few}


def test_zones_of_one_history_share_a_number() -> None:
    """Not those that differ since 1970 alone; 306 histories for 598 names of 2026f."""
    numbers = {
        row["time_zone_name"]: row["rules_id"] for row in generate.zone(None).read_all().to_pylist()
    }
    assert sorted(set(numbers.values())) == list(range(306))
    begin = int(np.datetime64("1970-01-01", "s").astype(int))
    histories: dict[int, object] = {}
    for name in RULES.names:
        zone = zoneinfo.ZoneInfo(name)
        times = range(begin, begin + 68 * 366 * 86_400, 17 * 86_400)
        shown = tuple(zone.utcoffset(dt.datetime.fromtimestamp(one, zone)) for one in times)
        assert histories.setdefault(numbers[name], shown) == shown, name
    assert len(set(histories.values())) > 295  # some differ for less than 17 days
    assert numbers["America/New_York"] == numbers["US/Eastern"] != numbers["America/Toronto"]


def test_more_histories_than_the_period_table_can_number() -> None:
    names = [f"Test/{place:04}" for place in range(513)]
    kinds = [LocalType(place, False, "AAA") for place in range(513)]
    many = [
        zones.Zone(name, np.array([zones.BEGINNING]), np.array([0]), (kind,), PosixRule(kind))
        for name, kind in zip(names, kinds, strict=True)
    ]
    rules = zones.Rules.of("2026f", "many", many)
    made = generate.period(names[:512], rules=zones.Rules.of("2026f", "few", many[:512]))
    assert made.read_all().num_rows == 487 * 512 + 1
    for table in (generate.zone, generate.period):
        with pytest.raises(RulesError, match=r"with 513 different histories .* at most 512"):
            table(names, rules=rules).read_all()


def test_links_are_those_of_the_release(tmp_path: Path) -> None:
    """A link has the rules of its target, byte for byte; a name that is none stands for itself."""
    found = dict.fromkeys(RULES.names, "")
    for row in generate.zone(None).read_all().to_pylist():
        found[row["time_zone_name"]] = row["canonical_name"]
    assert found["US/Eastern"] == found["America/New_York"] == "America/New_York"
    assert found["Asia/Calcutta"] == "Asia/Kolkata"
    assert found["GB"] == "Europe/London"
    for name, target in found.items():
        assert reference.bytes_of(name) == reference.bytes_of(target), name
        assert found[target] == target
    (tmp_path / "Old").write_bytes(tzif([], [], [(3600, 0, "HOM")], "HOM-1"))
    (tmp_path / "New").write_bytes(tzif([], [], [(3600, 0, "HOM")], "HOM-1"))
    (tmp_path / "Newer").write_bytes(tzif([], [], [(3600, 0, "HOM")], "HOM-1"))
    canonical = generate.zone(None, tmp_path).read_all()["canonical_name"]
    assert canonical.to_pylist() == ["New", "Newer", "Old"]
    (tmp_path / "tzdata.zi").write_text("# version 2026z\nL New Old\nL Newer New\n")
    canonical = generate.zone(None, tmp_path).read_all()["canonical_name"]
    assert canonical.to_pylist() == ["Newer", "Newer", "Newer"]


def test_the_file_has_another_name_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    good = generate.stream("daily", RULES, ["UTC"], HORIZON)
    seen: list[bool] = []

    def batches() -> Iterator[pa.RecordBatch]:
        yield from good
        seen.append(path.exists())

    generate.write(pa.RecordBatchReader.from_batches(good.schema, batches()), path, "csv")
    assert seen == [False]
    assert path.exists()


def test_one_name_without_a_list() -> None:
    """It is that zone, not the names of its letters."""
    table = generate.daily("Asia/Kolkata", START, END).read_all()
    assert set(table["time_zone_name"].to_pylist()) == {"Asia/Kolkata"}

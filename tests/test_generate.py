"""The conversion tables as Arrow streams and as files."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests import reference
from tests.test_zones import tzif
from tzconv import generate, horizon, tables, zones
from tzconv.errors import HorizonError, OutputError, RulesError, UnknownZoneError
from tzconv.horizon import Horizon

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
        "utc_day": generate.utc_day(ZONES, START, END),
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
    chosen = horizon.default(dt.date(2026, 11, 21))
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

"""The conversion tables as streams of Arrow record batches, and as Parquet or CSV files.

Batches are made zone by zone, so memory depends neither on the horizon nor on the number of zones.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv import tables
from tzconv._version import __version__
from tzconv.errors import OutputError, RulesError
from tzconv.tables import arrow
from tzconv.tz import horizon as horizons
from tzconv.tz import numbers, spans, zones
from tzconv.tz.horizon import Horizon
from tzconv.tz.periods import Numbers
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Rules

Format = Literal["parquet", "csv"]
Places: TypeAlias = npt.NDArray[np.int32]
ZoneDone = Callable[[str], None]
"""Called with a zone's name when its last row has been handed out."""

_ARROW_TYPES: dict[tables.ColumnType, pa.DataType] = {
    "name": pa.dictionary(pa.int32(), pa.utf8()),
    "text": pa.utf8(),
    "timestamp": pa.timestamp("us"),
    "date": pa.date32(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "boolean": pa.bool_(),
}
_ROWS_PER_GROUP = 1_000_000
_NUMBERED = ("zone", "period")
_WHOLE = ("offset", *_NUMBERED)
"""Tables that reach from the first year to the end of the offset table, whatever the horizon."""


def daily(
    names: Iterable[str] | None, start: dt.date, end: dt.date, rules: str | Path | Rules = "tzdata"
) -> pa.RecordBatchReader:
    """``time_zone_daily_conversion`` for those zones (None for all) and UTC days ``[start, end)``.

    Local days come whole: those that overlap the horizon at either end are not cut. The zone names
    are dictionary-encoded. Raises UnknownZoneError, HorizonError and RulesError.
    """
    return stream("daily", zones.load(rules), names, Horizon(start, end))


def hourly(
    names: Iterable[str] | None, start: dt.date, end: dt.date, rules: str | Path | Rules = "tzdata"
) -> pa.RecordBatchReader:
    """``time_zone_hourly_conversion`` for those zones (None for all) and UTC days."""
    return stream("hourly", zones.load(rules), names, Horizon(start, end))


def offset(
    names: Iterable[str] | None,
    end: dt.date = horizons.OFFSETS_UNTIL,
    rules: str | Path | Rules = "tzdata",
) -> pa.RecordBatchReader:
    """``time_zone_offset_conversion`` for those zones from year 1 to ``end`` or 2038, the later."""
    return stream("offset", zones.load(rules), names, Horizon(horizons.EARLIEST, end))


def zone(
    names: Iterable[str] | None,
    rules: str | Path | Rules = "tzdata",
    end: dt.date = horizons.OFFSETS_UNTIL,
) -> pa.RecordBatchReader:
    """``time_zone_conversion_zone`` for those zones (None for all).

    A zone's number is its place among all names of the rules, whichever zones are chosen; names
    share a ``rules_id`` if their rules from 1970 to ``end`` or 2038, the later, are the same.
    """
    return stream("zone", zones.load(rules), names, Horizon(horizons.EARLIEST, end))


def period(
    names: Iterable[str] | None,
    end: dt.date = horizons.OFFSETS_UNTIL,
    rules: str | Path | Rules = "tzdata",
) -> pa.RecordBatchReader:
    """``time_zone_period_conversion`` for those zones from 1970 to ``end`` or 2038, the later.

    Zones with the same history share its rows, under the first of their names. They come zone by
    zone: a database finds rows by their time faster when they are loaded in the order of
    ``zone_period``.
    """
    return stream("period", zones.load(rules), names, Horizon(horizons.EARLIEST, end))


def stream(
    table: str,
    rules: Rules,
    names: Iterable[str] | None,
    horizon: Horizon,
    zone_done: ZoneDone | None = None,
) -> pa.RecordBatchReader:
    """One conversion table by its short name; all arguments are checked before the first batch."""
    chosen = rules.select(names)
    end = check_reach(table, rules, chosen, horizon)  # now, not after half the rows
    if table in _NUMBERED and rules.numbers is None:
        last = horizons.seconds_of(horizon.offset_end)
        known = numbers.numbered(rules, chosen, Numbers(), last)
        numbers.check(known, rules.source)
        rules = rules.with_numbers(known)
    metadata = {
        "tzconv.tz_release": rules.release,
        "tzconv.rules": rules.source,
        "tzconv.horizon_starts_on": horizon.start.isoformat(),
        "tzconv.horizon_ends_before": end.isoformat(),
        "tzconv.version": __version__,
    }
    schema = arrow_schema(table).with_metadata(metadata)

    def batches() -> Iterator[pa.RecordBatch]:
        dictionary = arrow.texts_of(chosen)
        for place, name in enumerate(chosen):
            for columns in zone_columns(table, rules, name, horizon):
                if len(next(iter(columns.values()))):
                    yield batch_of(schema, columns, dictionary, place)
            if zone_done is not None:
                zone_done(name)

    return pa.RecordBatchReader.from_batches(schema, batches())


def zone_columns(table: str, rules: Rules, name: str, horizon: Horizon) -> Iterator[Columns]:
    """The columns of one zone's rows; the hourly ones in batches."""
    zone = rules.zone(name)
    start, end = horizon.seconds
    whole = horizons.seconds_of(horizon.offset_end)
    if table == "zone":
        yield {
            "zone_id": np.array([_numbers(rules).zones[name]], np.int32),
            "canonical_name": np.array([rules.links.get(name, name)], object),
            "rules_id": np.array([_numbers(rules).rules[name]], np.int32),
        }
    elif table == "daily":
        yield spans.daily_spans(zone, start, end)
    elif table == "hourly":
        yield from spans.hourly_spans(zone, start, end)
    elif table == "offset":
        yield spans.offset_spans(zone, whole)
    else:
        number, has_rows, has_unknown = _numbers(rules).part(name)
        rows = spans.periods(zone, number, whole, unknown=has_unknown)
        yield rows if has_rows else {name: values[:0] for name, values in rows.items()}


def _numbers(rules: Rules) -> Numbers:
    if rules.numbers is None:
        raise AssertionError
    return rules.numbers


def arrow_schema(table: str) -> pa.Schema:
    """The Arrow schema of a conversion table by its short name."""
    return pa.schema(
        [
            pa.field(column.name, _ARROW_TYPES[column.type], nullable=column.nullable)
            for column in tables.CONVERSIONS[table].columns
        ]
    )


def write(reader: pa.RecordBatchReader, path: Path, format: Format = "parquet") -> int:
    """Write all batches to ``path`` and return the number of rows.

    The file appears under its name only when it is complete. Parquet keeps the schema's metadata
    (tz release, horizon, tzconv version); CSV has no place for it.
    """
    partial = path.with_name(path.name + ".part")
    writer = _write_parquet if format == "parquet" else _write_csv
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = writer(reader, partial)
        partial.replace(path)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(
            f"{path}: cannot be written ({reason}): choose a folder you may write to with --out."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    return rows


def check_reach(table: str, rules: Rules, names: Iterable[str], horizon: Horizon) -> dt.date:
    """The end of a table; RulesError if the rules of a zone end before that."""
    end = horizon.offset_end if table in _WHOLE else horizon.end
    for name in names:
        last = rules.zone(name).carries_until
        if last is not None and horizons.seconds_of(end) > last:
            advice = "choose an earlier end, other zones or newer rules"
            if table in _WHOLE:
                advice = f"which the {table} table reaches: choose other zones or newer rules"
            raise RulesError(
                f"The rules of {name} in {rules.source} end at {np.datetime64(last, 's')}Z, before "
                f"{end}, {advice}."
            )
    return end


def batch_of(
    schema: pa.Schema, columns: Columns, names: pa.Array, places: int | Places = 0
) -> pa.RecordBatch:
    """One batch of rows of the zone at that place of the names, or with a place for each row."""
    if isinstance(places, int):
        places = np.full(len(next(iter(columns.values()))), places, np.int32)
    zone = pa.DictionaryArray.from_arrays(arrow.array_of(places, pa.int32()), names)
    arrays = [
        zone if field.name == "time_zone_name" else arrow.array_of(columns[field.name], field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _write_parquet(reader: pa.RecordBatchReader, path: Path) -> int:
    import pyarrow.parquet  # which a refresh does not need

    rows = 0
    numbers = [field.name for field in reader.schema if field.type in arrow.STORED]
    writer = pyarrow.parquet.ParquetWriter(
        path,
        reader.schema,
        compression="zstd",
        # Sorted times differ by constants: packed deltas take a hundredth of the plain size.
        use_dictionary=[field.name for field in reader.schema if field.name not in numbers],
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
    )
    with writer:
        for group in _groups(reader):
            writer.write_table(group, row_group_size=group.num_rows)
            rows += group.num_rows
    return rows


def _groups(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in reader:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS_PER_GROUP:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _write_csv(reader: pa.RecordBatchReader, path: Path) -> int:
    import pyarrow.csv

    rows = 0
    # all times are whole seconds, and a dictionary is written as its texts
    plain = {pa.timestamp("us"): pa.timestamp("s"), _ARROW_TYPES["name"]: pa.utf8()}
    schema = pa.schema([(field.name, plain.get(field.type, field.type)) for field in reader.schema])
    with pyarrow.csv.CSVWriter(path, schema) as writer:
        for batch in reader:
            writer.write_batch(batch.cast(schema))
            rows += batch.num_rows
    return rows

"""PostgreSQL's own hashes, computed by NumPy: the fastest checksum of rows that the server has.

The refresh compares the sums of the server with those computed here. Each value is hashed by the
function that hash indexes and hash partitions of its type use, Bob Jenkins's lookup3 (hashfn.c of
PostgreSQL), with the number of its column as seed; the hash of a row is the exclusive or of its
values' hashes. Hash partitions depend on these functions, so they do not change between releases;
``PROBE`` detects a server with other ones.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from tzconv.sql.text import constant
from tzconv.tables import Table
from tzconv.tables.checksums import Sums
from tzconv.tz.spans import NO_OFFSET, Columns

UInt32 = npt.NDArray[np.uint32]
UInt64 = npt.NDArray[np.uint64]

_2000 = np.datetime64("2000-01-01", "us")
_START = 0x9E3779B9 + 3_923_095
_32_BITS = 0xFFFFFFFF
_HOUR = 3_600_000_000
_HOURS_CACHED = 1024
_FINAL = ((2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24))
"""Steps of the last mixing: of the parts (a, b, c), one is mixed with another, turned by bits."""

_HASHES = {
    "timestamp": "timestamp_hash_extended({value}, {seed})",
    "date": "hashint4extended({value} - DATE '2000-01-01', {seed})",
    "integer": "hashint4extended({value}, {seed})",
    "bigint": "hashint8extended({value}, {seed})",
    "boolean": "hashint4extended({value}::int, {seed})",
    "text": "hashtextextended({value}, {seed})",
    "name": "hashtextextended({value}, {seed})",
}
_PROBED: tuple[tuple[str, npt.NDArray[Any]], ...] = (
    ("timestamp", np.array(["2026-03-08T07:00:00"], "M8[us]")),
    ("timestamp", np.array(["1931-05-01T12:34:56.789"], "M8[us]")),
    ("date", np.array(["1931-05-01"], "M8[D]")),
    ("integer", np.array([-37], np.int32)),
    ("boolean", np.array([True])),
    ("text", np.array(["Etc/GMT+12 EDT"], object)),
    ("bigint", np.array([-37], np.int64)),
    ("bigint", np.array([998_400 << 20], np.int64)),
)
NEEDED = ("timestamp_hash_extended", "hashint4extended", "hashint8extended", "hashtextextended")
"""Functions that the server must have, as PostgreSQL 11 and later do."""
PROBE = "SELECT " + " # ".join(
    _HASHES[kind].format(value=constant(values.tolist()[0]), seed=seed)
    for seed, (kind, values) in enumerate(_PROBED)
)
"""The SELECT of a row's hash, which must be ``probe_hash()``."""


def probe_hash() -> int:
    """The result of PROBE on a server with the hashes that this module computes."""
    hashes = [_of_column(values, seed) for seed, (_, values) in enumerate(_PROBED)]
    return int(np.bitwise_xor.reduce(hashes).astype(np.int64)[0])


def sql_sums(table: Table, name: str, where: str = "") -> str:
    """The SELECT of zone and Sums from the table called ``name``."""
    return (
        f"SELECT time_zone_name, count(*), sum({sql_row(table)}), 0 "
        f"FROM {name} {where} GROUP BY time_zone_name"
    )


def sql_row(table: Table) -> str:
    """The hash of a row."""
    hashes = []
    for seed, column in enumerate(table.columns):
        one = _HASHES[column.type].format(value=column.name, seed=seed)
        hashes.append(f"coalesce({one}, 0)" if column.nullable else one)
    return " # ".join(hashes)


def of_columns(table: Table, zone: str, columns: Columns) -> Sums:
    """The number of those rows of one zone and the sum of their hashes; the third sum is 0."""
    rows = np.zeros(len(next(iter(columns.values()))), np.uint64)
    for seed, column in enumerate(table.columns):
        if column.name == "time_zone_name":
            rows ^= np.uint64(_of_text(zone.encode(), seed))
        else:
            rows ^= _of_column(columns[column.name], seed)
    # as the server: signed numbers, whose sum needs more than 64 bits, so in two halves
    halves = rows.astype("<u8", copy=False)
    high, low = halves.view("<i4")[1::2], halves.view("<u4")[::2]
    return len(rows), (int(high.sum(dtype=np.int64)) << 32) + int(low.sum(dtype=np.uint64)), 0


def _of_column(values: npt.NDArray[Any], seed: int) -> UInt64:
    if values.dtype.kind == "M":
        if np.datetime_data(values.dtype)[0] == "D":
            return _of_runs((values - _2000.astype("M8[D]")).astype(np.int64), seed)
        return _of_times(values, seed)
    if values.dtype.kind == "O":
        by_text = {text: _of_text(text.encode(), seed) for text in set(values.tolist())}
        return np.array([by_text[text] for text in values.tolist()], np.uint64)
    hashes = _of_runs(values.astype(np.int64), seed)
    if values.dtype == np.int64:
        hashes[values == NO_OFFSET] = 0
    return hashes


def _of_runs(values: npt.NDArray[np.int64], seed: int) -> UInt64:
    """Neighbours are mostly equal: one hash for each run of them."""
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])[: len(values)]
    # of a number that fits into 32 bits the server's hashes are the same for both lengths
    hashes = _of_int64(values[starts], seed)
    return np.repeat(hashes, np.diff(starts, append=len(values)))


def _of_times(values: npt.NDArray[Any], seed: int) -> UInt64:
    since: npt.NDArray[np.int64] = values.astype("M8[us]", copy=False).view(np.int64)
    microseconds = since - _2000.astype(np.int64)
    missing = np.isnat(values)
    if len(values) and not missing.any():
        hours = microseconds // _HOUR
        first, last = int(hours.min()), int(hours.max())
        # the hours of the horizon are the same for every zone, and few zones have other minutes
        if last - first < 2 * len(values) and np.array_equal(hours * _HOUR, microseconds):
            block = first // _HOURS_CACHED
            known: UInt64 = _of_hours(block, last // _HOURS_CACHED, seed)
            hour_by_hour: UInt64 = known[hours - block * _HOURS_CACHED]
            return hour_by_hour
    hashes = _of_int64(microseconds, seed)
    hashes[missing] = 0
    return hashes


@functools.lru_cache(maxsize=16)
def _of_hours(first: int, last: int, seed: int) -> UInt64:
    """The hashes of all whole hours of the blocks ``first`` to ``last``."""
    hours = np.arange(first * _HOURS_CACHED, (last + 1) * _HOURS_CACHED, dtype=np.int64)
    return _of_int64(hours * _HOUR, seed)


def _of_int64(values: npt.NDArray[np.int64], seed: int) -> UInt64:
    high = (values >> np.int64(32)).astype(np.uint32)
    low = values.astype(np.uint32)
    return _of_uint32(low ^ np.where(values >= 0, high, ~high), seed)


def _of_uint32(values: UInt32, seed: int) -> UInt64:
    a, b, c = _started(4, seed)
    size = len(values)
    parts = [values + np.uint32(a), np.full(size, b, np.uint32), np.full(size, c, np.uint32)]
    for place, other, bits in _FINAL:
        turned = parts[other] << np.uint32(bits)
        turned |= parts[other] >> np.uint32(32 - bits)
        parts[place] ^= parts[other]
        parts[place] -= turned
    return (parts[1].astype(np.uint64) << np.uint64(32)) | parts[2]


def _of_text(data: bytes, seed: int) -> int:
    """``hash_bytes_extended`` of a few bytes on a little-endian server."""
    a, b, c = _started(len(data), seed)
    while len(data) >= 12:
        x, y, z = np.frombuffer(data[:12], "<u4").tolist()
        a, b, c = _mixed((a + x) & _32_BITS, (b + y) & _32_BITS, (c + z) & _32_BITS)
        data = data[12:]
    # the lowest byte of c is left for the length, which is in it already
    padded = data[:8].ljust(8, b"\0") + (b"\0" + data[8:]).ljust(4, b"\0")
    x, y, z = np.frombuffer(padded, "<u4").tolist()
    parts: list[int] = [(a + x) & _32_BITS, (b + y) & _32_BITS, (c + z) & _32_BITS]
    for place, other, bits in _FINAL:
        parts[place] = ((parts[place] ^ parts[other]) - _rotated(parts[other], bits)) & _32_BITS
    return (parts[1] << 32) | parts[2]


def _started(length: int, seed: int) -> tuple[int, int, int]:
    """The parts (a, b, c) for a value of so many bytes, before its first byte is mixed in."""
    start = (_START + length) & _32_BITS
    return _mixed(start, (start + seed) & _32_BITS, start) if seed else (start, start, start)


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (4, 6, 8, 16, 19, 4):
        a, b, c = b, (c + b) & _32_BITS, ((a - c) & _32_BITS) ^ _rotated(c, bits)
    return a, b, c


def _rotated(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & _32_BITS

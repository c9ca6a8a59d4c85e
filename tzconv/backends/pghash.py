"""PostgreSQL's own hash of a row, made by NumPy: the fastest checksum that the server has.

The hash is Bob Jenkins's lookup3, as ``hash_record_extended`` of PostgreSQL 14 and later applies
it to each column and puts the columns together (hashfn.c and rowtypes.c of PostgreSQL).
It decides where rows of hash-partitioned tables lie, so that it does not change between releases;
a server on which it is another one is found out by ``PROBE``.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from tzconv.checksums import Sums
from tzconv.spans import Columns
from tzconv.tables import Table

UInt32 = npt.NDArray[np.uint32]
UInt64 = npt.NDArray[np.uint64]

_2000 = np.datetime64("2000-01-01", "us")
_START = 0x9E3779B9 + 3_923_095
_32 = 0xFFFFFFFF
_HOUR = 3_600_000_000
_HOURS_TOGETHER = 1024
_FINAL = ((2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24))
"""Steps of the last mixing: of the parts (a, b, c), one is mixed with another, turned by bits."""

PROBE = (
    "SELECT hash_record_extended(ROW(TIMESTAMP '2026-03-08 07:00:00', DATE '1931-05-01', -37, "
    "TRUE, VARCHAR 'Etc/GMT+12 EDT', NULL::timestamp), 0)"
)
"""A row whose hash must be that of ``probe_hash``."""


def probe_hash() -> int:
    """What PROBE returns on a server with the hash that this module knows."""
    hashes = [
        _of_int64(np.array([(np.datetime64("2026-03-08T07:00:00", "us") - _2000).astype(int)])),
        _of_int32(np.array([(np.datetime64("1931-05-01") - _2000.astype("M8[D]")).astype(int)])),
        _of_int32(np.array([-37])),
        _of_int32(np.array([1])),
        np.array([_of_text(b"Etc/GMT+12 EDT")], np.uint64),
        np.zeros(1, np.uint64),
    ]
    return int(_together(hashes).astype(np.int64)[0])


def sql_sums(table: Table, name: str, where: str = "") -> str:
    """The SELECT of zone and Sums from the table called ``name``."""
    columns = ", ".join(c.name for c in table.columns if c.name != "time_zone_name")
    return (
        f"SELECT time_zone_name, count(*), sum(hash_record_extended(ROW({columns}), 0)), 0 "
        f"FROM {name} {where} GROUP BY time_zone_name"
    )


def sql_whole(table: Table, name: str) -> str:
    """The SELECT of the sum of the hashes of all rows, in which the zone's name comes first.

    It saves the grouping of many rows by a text, which takes as long as to hash them.
    """
    columns = ", ".join(c.name for c in table.columns if c.name != "time_zone_name")
    return f"SELECT sum(hash_record_extended(ROW(time_zone_name, {columns}), 0)) FROM {name}"


def of_columns(table: Table, columns: Columns) -> Sums:
    """Rows and the sum of their hashes; the third number is not used."""
    rows = _of_rows(table, columns)
    return len(rows), _sum(rows), 0


def of_zone(table: Table, zone: str, columns: Columns) -> tuple[Sums, int]:
    """The same of rows of one zone, and what they add to the sum that ``sql_whole`` selects."""
    rows = _of_rows(table, columns)
    first = _of_text(zone.encode()) * 31 ** (len(table.columns) - 1) % 2**64
    return (len(rows), _sum(rows), 0), _sum(rows + np.uint64(first))


def _of_rows(table: Table, columns: Columns) -> UInt64:
    return _together(
        [_of_column(columns[c.name]) for c in table.columns if c.name != "time_zone_name"]
    )


def _sum(hashes: UInt64) -> int:
    """The exact sum of the hashes as the signed numbers that the server takes them for."""
    rows = hashes.astype(np.int64)
    # in two halves, because the sum of some thousand hashes does not fit into 64 bits
    high, low = rows >> np.int64(32), rows & np.int64(_32)
    return (int(high.sum()) << 32) + int(low.sum())


def _of_column(values: npt.NDArray[Any]) -> UInt64:
    if values.dtype.kind == "M":
        if np.datetime_data(values.dtype)[0] == "D":
            return _of_runs((values - _2000.astype("M8[D]")).astype(np.int64))
        return _of_times(values)
    if values.dtype.kind == "O":
        by_text = {text: _of_text(text.encode()) for text in set(values.tolist())}
        return np.array([by_text[text] for text in values.tolist()], np.uint64)
    return _of_runs(values.astype(np.int64))


def _of_runs(values: npt.NDArray[np.int64]) -> UInt64:
    """Neighbours are mostly equal: one hash for each run of them."""
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])[: len(values)]
    return np.repeat(_of_int32(values[starts]), np.diff(starts, append=len(values)))


def _of_times(values: npt.NDArray[Any]) -> UInt64:
    microseconds = (values.astype("M8[us]") - _2000).astype(np.int64)
    missing = np.isnat(values)
    if len(values) and not missing.any():
        hours = microseconds // _HOUR
        first, last = int(hours.min()), int(hours.max())
        # every zone has the hours of the horizon, and few of them at other minutes
        if last - first < 2 * len(values) and np.array_equal(hours * _HOUR, microseconds):
            base = first // _HOURS_TOGETHER
            return _of_hours(base, last // _HOURS_TOGETHER)[hours - base * _HOURS_TOGETHER]
    hashes = _of_int64(microseconds)
    hashes[missing] = 0
    return hashes


@functools.lru_cache(maxsize=4)
def _of_hours(first: int, last: int) -> UInt64:
    """The hashes of all whole hours of the blocks ``first`` to ``last``."""
    hours = np.arange(first * _HOURS_TOGETHER, (last + 1) * _HOURS_TOGETHER, dtype=np.int64)
    return _of_int64(hours * _HOUR)


def _together(hashes: list[UInt64]) -> UInt64:
    rows = np.zeros(len(hashes[0]), np.uint64)
    for one in hashes:
        rows = (rows << np.uint64(5)) - rows + one
    return rows


def _of_int64(values: npt.NDArray[np.int64]) -> UInt64:
    high = (values >> np.int64(32)).astype(np.uint32)
    low = values.astype(np.uint32)
    return _of_uint32(low ^ np.where(values >= 0, high, ~high))


def _of_int32(values: npt.NDArray[np.int64]) -> UInt64:
    return _of_uint32(values.astype(np.int32).astype(np.uint32))


def _of_uint32(values: UInt32) -> UInt64:
    start = np.uint32((_START + 4) & _32)
    parts = [values + start, np.full(len(values), start), np.full(len(values), start)]
    for place, other, bits in _FINAL:
        turned = parts[other] << np.uint32(bits)
        turned |= parts[other] >> np.uint32(32 - bits)
        parts[place] ^= parts[other]
        parts[place] -= turned
    return (parts[1].astype(np.uint64) << np.uint64(32)) | parts[2]


def _of_text(data: bytes) -> int:
    """``hash_bytes_extended`` of a few bytes on a little-endian server."""
    a = b = c = (_START + len(data)) & _32
    while len(data) >= 12:
        x, y, z = np.frombuffer(data[:12], "<u4").tolist()
        a, b, c = _mixed((a + x) & _32, (b + y) & _32, (c + z) & _32)
        data = data[12:]
    # the lowest byte of c is left for the length, which is in it already
    padded = data[:8].ljust(8, b"\0") + (b"\0" + data[8:]).ljust(4, b"\0")
    x, y, z = np.frombuffer(padded, "<u4").tolist()
    parts: list[int] = [(a + x) & _32, (b + y) & _32, (c + z) & _32]
    for place, other, bits in _FINAL:
        parts[place] = ((parts[place] ^ parts[other]) - _rotated(parts[other], bits)) & _32
    return (parts[1] << 32) | parts[2]


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    a = ((a - c) & _32) ^ _rotated(c, 4)
    c = (c + b) & _32
    b = ((b - a) & _32) ^ _rotated(a, 6)
    a = (a + c) & _32
    c = ((c - b) & _32) ^ _rotated(b, 8)
    b = (b + a) & _32
    a = ((a - c) & _32) ^ _rotated(c, 16)
    c = (c + b) & _32
    b = ((b - a) & _32) ^ _rotated(a, 19)
    a = (a + c) & _32
    c = ((c - b) & _32) ^ _rotated(b, 4)
    return a, (b + a) & _32, c


def _rotated(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & _32

"""Columns between NumPy and Arrow without a copy, for generating, loading and verifying tables.

pyarrow's own conversions check every value for NULL, and import pandas if it is installed, which
takes a third of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv.tz.spans import NO_OFFSET

Array = npt.NDArray[Any]

STORED: dict[pa.DataType, str] = {
    pa.timestamp("us"): "<i8",
    pa.date32(): "<i4",
    pa.int32(): "<i4",
    pa.int64(): "<i8",
}
_TIMES = {pa.timestamp("us"): "M8[us]", pa.date32(): "M8[D]"}


def array_of(values: Array, kind: pa.DataType) -> pa.Array:
    """The values as an Arrow array of type ``kind``; NaT and NO_OFFSET become NULL."""
    length = len(values)
    if pa.types.is_boolean(kind):
        bits = np.packbits(values.astype(bool), bitorder="little")
        return pa.Array.from_buffers(kind, length, [None, pa.py_buffer(bits)])
    if pa.types.is_string(kind):
        return texts_of([str(value) for value in values.tolist()])
    if kind in _TIMES:
        values = values.astype(_TIMES[kind], copy=False).view(np.int64)
    missing = values == NO_OFFSET  # the number in a NaT too
    numbers = np.ascontiguousarray(values, STORED[kind])
    valid = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.Array.from_buffers(kind, length, [valid, pa.py_buffer(numbers)])


def values_of(column: pa.Array) -> Array:
    """The values of a column without dictionary; NULL becomes NaT or NO_OFFSET."""
    kind, start = column.type, column.offset
    if pa.types.is_string(kind):
        return np.array(column.to_pylist(), object)
    valid, stored = column.buffers()
    if pa.types.is_boolean(kind):
        return _bits(stored, start, len(column))
    values = np.frombuffer(stored, STORED[kind])[start : start + len(column)]
    if column.null_count:  # the number in a NaT is NO_OFFSET too
        known = _bits(valid, start, len(column))
        values = np.where(known, values.astype(np.int64), NO_OFFSET)
    return values.astype(np.int64, copy=False).view(_TIMES[kind]) if kind in _TIMES else values


def texts_of(values: Sequence[str]) -> pa.Array:
    """Those texts as an Arrow array."""
    encoded = [value.encode() for value in values]
    ends = np.concatenate([[0], np.cumsum([len(value) for value in encoded])]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.utf8(), len(values), buffers)


def _bits(buffer: pa.Buffer, start: int, length: int) -> Array:
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    return bits[start : start + length].astype(bool)

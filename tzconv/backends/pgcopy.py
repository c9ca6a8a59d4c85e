"""Rows as PostgreSQL's binary COPY format, made by NumPy without a Python object per row.

Format: PostgreSQL documentation, COPY, "Binary Format": each row is its number of fields, each
field its length and its bytes, all big-endian; a NULL has length -1 and no bytes. Timestamps are
microseconds and dates days since 2000-01-01.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"

_2000 = np.datetime64("2000-01-01", "us")
_ROWS_AT_ONCE = 65_536

Array = npt.NDArray[Any]


def encoded(batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """The whole stream, header and trailer included, in pieces of a few megabytes."""
    yield HEADER
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            yield from _pieces(batch.slice(start, _ROWS_AT_ONCE))
    yield TRAILER


def _pieces(batch: pa.RecordBatch) -> Iterator[bytes]:
    fields = [_field(column) for column in batch.columns]
    # Rows of one layout (the same lengths, NULLs in the same places) are one structured array.
    # Neighbours mostly have the same layout: a batch holds one zone.
    lengths = np.stack([lengths for _, lengths in fields])
    cuts = np.flatnonzero(np.any(lengths[:, 1:] != lengths[:, :-1], axis=0)) + 1
    for start, stop in zip([0, *cuts], [*cuts, batch.num_rows], strict=True):
        widths = lengths[:, start].tolist()
        layout: list[tuple[str, str]] = [("fields", ">i2")]
        for index, ((values, _), width) in enumerate(zip(fields, widths, strict=True)):
            layout.append((f"l{index}", ">i4"))
            if width >= 0:
                kind = f"S{width}" if values.dtype.kind == "S" else values.dtype.str
                layout.append((f"v{index}", kind))
        rows = np.empty(stop - start, np.dtype(layout))
        rows["fields"] = len(fields)
        for index, ((values, _), width) in enumerate(zip(fields, widths, strict=True)):
            rows[f"l{index}"] = width
            if width >= 0:
                rows[f"v{index}"] = values[start:stop]
        yield rows.tobytes()


def _field(column: pa.Array) -> tuple[Array, npt.NDArray[np.int32]]:
    """The values as their bytes will be, and the length of each; -1 for NULL."""
    if pa.types.is_dictionary(column.type):
        texts, widths = _field(column.dictionary)
        places = column.indices.to_numpy()
        return texts[places], widths[places]
    if pa.types.is_string(column.type):
        encoded = [text.encode() for text in column.to_pylist()]
        return np.array(encoded, np.bytes_), np.array([len(text) for text in encoded], np.int32)
    values = column.to_numpy(zero_copy_only=False)
    if pa.types.is_timestamp(column.type):
        binary = (values.astype("M8[us]") - _2000).astype(">i8")
    elif pa.types.is_date(column.type):
        binary = (values.astype("M8[D]") - _2000.astype("M8[D]")).astype(">i4")
    elif pa.types.is_boolean(column.type):
        binary = values.astype("u1")
    else:
        binary = values.astype(f">i{column.type.bit_width // 8}")
    widths = np.full(len(column), binary.dtype.itemsize, np.int32)
    if column.null_count:
        widths[column.is_null().to_numpy(zero_copy_only=False)] = -1
    return binary, widths

"""Rows in PostgreSQL's binary COPY format, made by NumPy without a Python object per row.

The backend loads tables with it.

Format: PostgreSQL documentation, COPY, "Binary Format": each row is its number of fields, each
field its length and its bytes, all big-endian; a NULL has length -1 and no bytes. Timestamps are
microseconds and dates days since 2000-01-01.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv.tables import arrow
from tzconv.tz.spans import NO_OFFSET

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"

_2000 = np.datetime64("2000-01-01", "us")
_ROWS_AT_ONCE = 4096

Array = npt.NDArray[Any]


class _Field(NamedTuple):
    """The values of a column, or one text for all rows, and the NumPy type that they are sent as.

    ``varying`` is None if all lengths are ``length``; else it has the length for each row, -1 for
    NULL.
    """

    values: Array | bytes
    kind: str
    length: int
    varying: npt.NDArray[np.int32] | None = None


def encoded(batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """The whole stream, header and trailer included, in pieces of some hundred kilobytes.

    A piece about fits into the socket's buffer, so that the server reads one while the next is
    made; with a second thread, the two would wait for each other.
    """
    layouts: dict[Any, Array] = {}
    yield HEADER
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            yield from _pieces(batch.slice(start, _ROWS_AT_ONCE), layouts)
    yield TRAILER


def _pieces(batch: pa.RecordBatch, layouts: dict[Any, Array]) -> Iterator[bytes]:
    fields = [_field(column) for column in batch.columns]
    # Rows of one layout (equal lengths, NULLs in the same columns) are one structured array.
    # Neighbours mostly have the same layout: a batch has one zone.
    cuts: set[int] = set()
    for field in fields:
        if field.varying is not None:
            cuts |= set((np.flatnonzero(np.diff(field.varying)) + 1).tolist())
    marks = [0, *sorted(cuts), batch.num_rows]
    for start, stop in itertools.pairwise(marks):
        lengths = [f.length if f.varying is None else int(f.varying[start]) for f in fields]
        kinds = [
            f"S{length}" if field.kind == "S" else field.kind
            for field, length in zip(fields, lengths, strict=True)
        ]
        known = (*lengths, *kinds)
        if known not in layouts:
            layouts[known] = _layout(lengths, kinds)
        rows = layouts[known][: stop - start]
        for place, (field, length) in enumerate(zip(fields, lengths, strict=True)):
            if isinstance(field.values, bytes):
                rows[f"v{place}"] = field.values
            elif length >= 0:
                rows[f"v{place}"] = field.values[start:stop]
        yield rows.tobytes()


def _layout(lengths: list[int], kinds: list[str]) -> Array:
    """Rows without their values, which are filled in for each piece."""
    layout: list[tuple[str, str]] = [("fields", ">i2")]
    for place, (length, kind) in enumerate(zip(lengths, kinds, strict=True)):
        layout.append((f"l{place}", ">i4"))
        if length >= 0:
            layout.append((f"v{place}", kind))
    rows = np.empty(_ROWS_AT_ONCE, np.dtype(layout))
    rows["fields"] = len(lengths)
    for place, length in enumerate(lengths):
        rows[f"l{place}"] = length
    return rows


def _texts(column: pa.Array) -> tuple[npt.NDArray[np.bytes_], npt.NDArray[np.int32]]:
    """The texts in UTF-8, and their lengths."""
    texts = [text.encode() for text in column.to_pylist()]
    return np.array(texts, np.bytes_), np.array([len(text) for text in texts], np.int32)


def _field(column: pa.Array) -> _Field:
    if pa.types.is_dictionary(column.type):
        places = arrow.values_of(column.indices)
        if (places == places[0]).all():
            text = column.dictionary[int(places[0])].as_py().encode()
            return _Field(text, "S", len(text))
        texts, lengths = _texts(column.dictionary)
        return _Field(texts[places], "S", 0, lengths[places])
    if pa.types.is_string(column.type):
        texts, lengths = _texts(column)
        return _Field(texts, "S", 0, lengths)
    values = arrow.values_of(column)
    if pa.types.is_boolean(column.type):
        return _Field(values, "u1", 1)
    size = column.type.bit_width // 8
    varying = None
    if column.null_count:  # NO_OFFSET is the number in a NaT too
        missing = values.view(np.int64) == NO_OFFSET
        varying = np.where(missing, -1, size).astype(np.int32)
    if values.dtype.kind == "M":
        values = values.view(np.int64) - _2000.astype(values.dtype).astype(np.int64)
    return _Field(values, f">i{size}", size, varying)

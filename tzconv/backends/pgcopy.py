"""Rows as PostgreSQL's binary COPY format, made by NumPy without a Python object per row.

Format: PostgreSQL documentation, COPY, "Binary Format": each row is its number of fields, each
field its length and its bytes, all big-endian; a NULL has length -1 and no bytes. Timestamps are
microseconds and dates days since 2000-01-01.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg
import pyarrow as pa

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"

_2000 = np.datetime64("2000-01-01", "us")
_ROWS_AT_ONCE = 4096

Array = npt.NDArray[Any]


class _Field(NamedTuple):
    """The values as their bytes will be (one for all rows, or one a row), and their lengths.

    ``varying`` is None where all lengths are ``length``; else it has one a row, -1 for NULL.
    """

    values: Array
    length: int
    varying: npt.NDArray[np.int32] | None = None


def send(
    connection: psycopg.Connection[Any], statement: str, batches: Iterable[pa.RecordBatch]
) -> None:
    """Run a ``COPY ... FROM STDIN (FORMAT BINARY)``.

    Pieces are sent as they are made. They about fit into the socket's buffer, so that the server
    reads one while the next is made; with a thread for the sending the two wait for each other.

    psycopg.Error where the server refuses them.
    """
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for piece in encoded(batches):
            copy.write(piece)


def encoded(batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """The whole stream, header and trailer included, in pieces of some hundred kilobytes."""
    yield HEADER
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            yield from _pieces(batch.slice(start, _ROWS_AT_ONCE))
    yield TRAILER


def _pieces(batch: pa.RecordBatch) -> Iterator[bytes]:
    fields = [_field(column) for column in batch.columns]
    # Rows of one layout (the same lengths, NULLs in the same places) are one structured array.
    # Neighbours mostly have the same layout: a batch holds one zone.
    cuts: set[int] = set()
    for field in fields:
        if field.varying is not None:
            cuts |= set((np.flatnonzero(np.diff(field.varying)) + 1).tolist())
    marks = [0, *sorted(cuts), batch.num_rows]
    for start, stop in itertools.pairwise(marks):
        yield _rows(fields, start, stop)


def _rows(fields: list[_Field], start: int, stop: int) -> bytes:
    lengths = tuple(f.length if f.varying is None else int(f.varying[start]) for f in fields)
    rows = np.empty(stop - start, _layout(lengths, tuple(field.values.dtype for field in fields)))
    rows["fields"] = len(fields)
    for place, (field, length) in enumerate(zip(fields, lengths, strict=True)):
        rows[f"l{place}"] = length
        if length >= 0:
            one = field.values.ndim == 0
            rows[f"v{place}"] = field.values if one else field.values[start:stop]
    return rows.tobytes()


@functools.lru_cache(maxsize=1024)
def _layout(lengths: tuple[int, ...], types: tuple[np.dtype[Any], ...]) -> np.dtype[Any]:
    layout: list[tuple[str, str]] = [("fields", ">i2")]
    for place, (length, kind) in enumerate(zip(lengths, types, strict=True)):
        layout.append((f"l{place}", ">i4"))
        if length >= 0:
            layout.append((f"v{place}", f"S{length}" if kind.kind == "S" else kind.str))
    return np.dtype(layout)


def _field(column: pa.Array) -> _Field:
    if pa.types.is_dictionary(column.type):
        places = column.indices.to_numpy()
        if (places == places[0]).all():
            text = column.dictionary[int(places[0])].as_py().encode()
            return _Field(np.array(text, np.bytes_), len(text))
        return _field(column.dictionary_decode())
    if pa.types.is_string(column.type):
        texts = [text.encode() for text in column.to_pylist()]
        lengths = np.array([len(text) for text in texts], np.int32)
        return _Field(np.array(texts, np.bytes_), 0, lengths)
    values = column.to_numpy(zero_copy_only=False)
    if pa.types.is_timestamp(column.type):
        binary = (values.astype("M8[us]") - _2000).astype(">i8")
    elif pa.types.is_date(column.type):
        binary = (values.astype("M8[D]") - _2000.astype("M8[D]")).astype(">i4")
    elif pa.types.is_boolean(column.type):
        binary = values.astype("u1")
    else:
        binary = values.astype(f">i{column.type.bit_width // 8}")
    size = binary.dtype.itemsize
    if not column.null_count:
        return _Field(binary, size)
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return _Field(binary, size, np.where(missing, -1, size).astype(np.int32))

"""Rows as compressed delimited text for Vertica's COPY, made in pieces while they are sent.

Arrow writes the text, without a Python object per row. There are no quotes and no escapes: a value
that would need them is an error.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tzconv.engines.streams import Watched
from tzconv.errors import DatabaseError

OPTIONS = "DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT"
"""NO COMMIT must be last; without it, COPY would commit the transaction around it."""

_ROWS_AT_ONCE = 65_536
_TEXT = csv.WriteOptions(include_header=False, delimiter="|", quoting_style="none")
_GZIP = 31
"""Makes zlib write gzip's header and trailer."""


def statement(name: str, columns: Iterable[str]) -> str:
    """The COPY that reads a :class:`Stream` into those columns of the table called ``name``."""
    return f"COPY {name} ({', '.join(columns)}) FROM STDIN GZIP {OPTIONS}"


class Stream:
    """The compressed text of record batches, as a file that can be read once.

    ``rows`` counts the rows that were read. ``watched`` has the error of the batches, if they
    raise one.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self.rows = 0
        self.watched = Watched(self._compressed(batches))
        self._pieces = iter(self.watched)
        self._rest = b""

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes, none at the end."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._rest = piece
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def _compressed(self, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
        # the fastest level: the text is so repetitive that higher ones save little more
        gzip = zlib.compressobj(1, zlib.DEFLATED, _GZIP)
        for batch in batches:
            for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
                part = batch.slice(start, _ROWS_AT_ONCE)
                yield gzip.compress(text(part))
                self.rows += part.num_rows
        yield gzip.flush()


def text(batch: pa.RecordBatch) -> bytes:
    """The rows of a batch as lines; DatabaseError for a value that would need quotes."""
    plain = pa.record_batch([_plain(column) for column in batch.columns], batch.schema.names)
    buffer = io.BytesIO()
    try:
        csv.write_csv(plain, buffer, _TEXT)
    except pa.ArrowInvalid as error:
        raise DatabaseError(
            "A name of the rules contains a quote, a | or a line break, which cannot be loaded "
            "into Vertica: leave it out with --zones."
        ) from error
    return buffer.getvalue()


def _plain(column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_timestamp(column.type):
        seconds = column.cast(pa.timestamp("s"), safe=False)
        whole = pc.all(pc.equal(seconds.cast(column.type), column)).as_py()
        # half as long; spans have whole seconds, so no fraction is lost
        return seconds if whole is not False else column
    return column

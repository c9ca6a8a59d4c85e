"""Rows as compressed delimited text for Vertica's COPY.

Arrow writes the text, without a Python object per row. There are no quotes and no escapes: a value
that would need them is an error.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tzconv.errors import DatabaseError

OPTIONS = "DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT"
"""NO COMMIT must be last; without it, COPY would commit the transaction around it."""

_TEXT = csv.WriteOptions(include_header=False, delimiter="|", quoting_style="none")


def statement(name: str, columns: Iterable[str]) -> str:
    """The COPY that reads what ``write`` makes into those columns of the table called ``name``."""
    return f"COPY {name} ({', '.join(columns)}) FROM STDIN GZIP {OPTIONS}"


def write(batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> int:
    """Write the compressed text of record batches; returns the number of rows."""
    rows = 0
    # the fastest level: the text is so repetitive that higher ones save little more
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1) as packed:
        for batch in batches:
            packed.write(text(batch))
            rows += batch.num_rows
    return rows


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

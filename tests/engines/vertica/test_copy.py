"""The text of COPY, against what Python makes of the same values."""

from __future__ import annotations

import datetime as dt
import gzip
import io

import pyarrow as pa
import pytest

from tzconv import tables
from tzconv.engines.vertica import copy
from tzconv.errors import DatabaseError
from tzconv.tables import generate
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

RULES = zones.installed()
ZONES = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]


def line(row: dict[str, object]) -> str:
    shown = ["" if value is None else str(value) for value in row.values()]
    return "|".join({"True": "true", "False": "false"}.get(text, text) for text in shown)


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_rows_as_lines(name: str) -> None:
    range_ = Horizon(dt.date(2026, 1, 1), dt.date(2026, 5, 1))
    file = io.BytesIO()
    sent = copy.write(generate.stream(name, RULES, ZONES, range_), file)
    text = gzip.decompress(file.getvalue()).decode()
    rows = generate.stream(name, RULES, ZONES, range_).read_all().to_pylist()
    assert text == "".join(f"{line(row)}\n" for row in rows)
    assert sent == len(rows)


def test_fractions_old_times_and_nulls() -> None:
    times = [
        dt.datetime(2026, 1, 1, 0, 0, 0, 1),
        None,
        dt.datetime(1, 1, 1),
        dt.datetime(9999, 12, 31, 23, 59, 59),
    ]
    batch = pa.record_batch({"n": [1, -2, 3, 4], "t": pa.array(times, pa.timestamp("us"))})
    assert copy.text(batch).decode().splitlines() == [
        "1|2026-01-01 00:00:00.000001",
        "-2|",
        "3|0001-01-01 00:00:00.000000",
        "4|9999-12-31 23:59:59.000000",
    ]


def test_a_backslash_is_itself_and_what_needs_quotes_is_refused() -> None:
    assert copy.text(pa.record_batch({"n": ["a\\b", "ü"]})) == "a\\b\nü\n".encode()
    for name in ("a|b", 'a"b', "a\nb", "a\rb"):
        with pytest.raises(DatabaseError, match="leave it out with --zones"):
            copy.text(pa.record_batch({"n": [name]}))


def test_the_statement_ends_as_it_must() -> None:
    """NO COMMIT in any other place is no Vertica; ABORT ON ERROR leaves no half of a load."""
    assert copy.statement("s.t", ["a", "b"]) == (
        "COPY s.t (a, b) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH "
        "ABORT ON ERROR NO COMMIT"
    )

"""Columns between NumPy and Arrow, against pyarrow's own conversions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tzconv.tables import arrow
from tzconv.tz.spans import NO_OFFSET

TIMES = np.array(
    ["0001-01-01", "1969-12-31T23:59:59.999999", "NaT", "2026-11-21T19:27", "9999-12-31"], "M8[us]"
)
COLUMNS = [
    (TIMES, pa.timestamp("us")),
    (TIMES[3:], pa.timestamp("us")),
    (TIMES.astype("M8[D]"), pa.date32()),
    (np.array([-(2**31), 0, 2**31 - 1], np.int32), pa.int32()),
    (np.array([-37, 5], np.int64), pa.int32()),
    (np.array([1 - 2**63, 2**63 - 1]), pa.int64()),
    (np.array([True, False, True] * 5), pa.bool_()),
    (np.array(["LMT", "", "é+03", "EST"], object), pa.utf8()),
    (np.arange(8, dtype=np.int32)[::2], pa.int32()),
    (np.empty(0, "M8[us]"), pa.timestamp("us")),
    (np.empty(0, object), pa.utf8()),
]


@pytest.mark.parametrize(("values", "kind"), COLUMNS)
def test_what_pyarrow_makes_of_them(values: arrow.Array, kind: pa.DataType) -> None:
    made = arrow.array_of(values, kind)
    made.validate(full=True)
    expected = pa.array(values, kind)
    assert made.equals(expected)
    assert made.null_count == expected.null_count
    for one in (made, expected, expected.slice(1), expected.slice(1, 1)):
        seen, theirs = arrow.values_of(one), one.to_numpy(zero_copy_only=False)
        assert seen.dtype == theirs.dtype
        np.testing.assert_array_equal(seen, theirs)


def test_a_time_that_is_null_in_other_bytes() -> None:
    stored = pa.py_buffer(np.array([1, 2, 3], np.int64))
    valid = pa.py_buffer(np.packbits([True, False, True], bitorder="little"))
    column = pa.Array.from_buffers(pa.timestamp("us"), 3, [valid, stored])
    assert np.isnat(arrow.values_of(column)).tolist() == [False, True, False]


def test_a_number_that_is_null() -> None:
    values = np.array([3600, NO_OFFSET, 0, -1])
    column = arrow.array_of(values, pa.int64())
    assert column.to_pylist() == [3600, None, 0, -1]
    assert arrow.values_of(column).tolist() == values.tolist()
    assert arrow.values_of(column.slice(1, 2)).tolist() == [NO_OFFSET, 0]
    other = pa.array([5, None, None, 7], pa.int64())
    assert arrow.values_of(other.slice(2)).tolist() == [NO_OFFSET, 7]


def test_texts() -> None:
    assert arrow.texts_of(["Europe/Kyiv", "", "ü"]).equals(pa.array(["Europe/Kyiv", "", "ü"]))
    assert arrow.texts_of([]).equals(pa.array([], pa.utf8()))


def test_pandas_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys, tzconv; from datetime import date; "
        "refresh = lambda day: tzconv.refresh(sys.argv[1], zones='Europe/Berlin', "
        "start=date(2026, 1, day), end=date(2026, 3, 1), tables=['daily', 'hourly']); "
        "refresh(2); moved = refresh(1); "
        "print(moved.inserted['hourly'], 'pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", code, f"duckdb:///{tmp_path}/events.duckdb"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows, imported = done.stdout.split()
    assert int(rows) == 24
    assert imported == "False"

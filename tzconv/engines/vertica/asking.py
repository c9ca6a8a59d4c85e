"""Asking Vertica's NEW_TIME: questions go over in a temporary table, and only changes come back.

A local temporary table is the one kind of table whose rows need no commit and whose COPY does not
end a transaction. The answers are the shifts between asked and answered times, in the order of zone
and time, so that a whole span of one offset is one row on the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv.tz.posix import Int64

ASKED = "tzconv_asked"
CREATE = (
    f"CREATE LOCAL TEMPORARY TABLE IF NOT EXISTS {ASKED} (n INTEGER NOT NULL, "
    "time_zone_name VARCHAR(400) NOT NULL, moment TIMESTAMP NOT NULL) ON COMMIT PRESERVE ROWS"
)
COLUMNS = ("n", "time_zone_name", "moment")
EMPTY = f"DELETE FROM {ASKED}"

_NO_ANSWER = 864_000_000_000
"""Ten days: what a NULL counts as, which no zone is away from UTC, so that it is seen."""


def questions(
    names: Sequence[str], places: npt.NDArray[np.int32], times: Int64
) -> pa.RecordBatchReader:
    """The rows for the temporary table."""
    zones = pa.DictionaryArray.from_arrays(pa.array(places), pa.array(names, pa.utf8()))
    numbers, moments = pa.array(np.arange(len(times))), pa.array(times.view("M8[us]"))
    batch = pa.record_batch([numbers, zones, moments], COLUMNS)
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def shifts(*, to_utc: bool) -> str:
    """The SELECT of the first question of each run with one answer, and its shift."""
    zones = "time_zone_name, 'UTC'" if to_utc else "'UTC', time_zone_name"
    shift = f"DATEDIFF('microsecond', moment, NEW_TIME(moment, {zones}))"
    return (
        "SELECT n, shift FROM (SELECT n, shift, LAG(shift) OVER (ORDER BY n) AS shift_before "
        f"FROM (SELECT n, COALESCE({shift}, {_NO_ANSWER}) AS shift FROM {ASKED}) AS shifts) "
        "AS runs WHERE shift_before IS NULL OR shift <> shift_before ORDER BY n"
    )


def answers(rows: list[list[int]], times: Int64, order: npt.NDArray[np.intp]) -> Int64:
    """What was answered to each question, from the shifts of the runs."""
    found = np.array(rows, np.int64).reshape(-1, 2)
    lengths = np.diff(found[:, 0], append=len(times))
    made = np.empty(len(times), np.int64)
    made[order] = times[order] + np.repeat(found[:, 1], lengths)
    return made


def unknown(count: int, refused: Callable[[str], bool]) -> set[int]:
    """Which of ``count`` names are unknown; ``refused`` says whether a SELECT of ours fails."""
    found = set()
    left = [(0, count - 1)] if count else []
    while left:
        first, last = left.pop()
        # max, because what nobody asks for need not be computed
        question = (
            f"SELECT MAX(NEW_TIME(moment, 'UTC', time_zone_name)) FROM {ASKED} "
            f"WHERE n BETWEEN {first} AND {last}"
        )
        if not refused(question):
            continue
        if first == last:
            found.add(first)
            continue
        middle = (first + last) // 2
        left += [(first, middle), (middle + 1, last)]
    return found

"""Questions to Vertica's NEW_TIME: sent in a temporary table, answered by the changes only.

The backend compares the function with the tables by it. Rows of a local temporary table need no
commit, and their COPY does not end a transaction. The answers are differences between the converted
time and the time itself, in the order of zone and time, so that a span of one offset is one row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv.tz.posix import Int64

TABLE = "tzconv_asked"
CREATE = (
    f"CREATE LOCAL TEMPORARY TABLE IF NOT EXISTS {TABLE} (n INTEGER NOT NULL, "
    "time_zone_name VARCHAR(400) NOT NULL, moment TIMESTAMP NOT NULL) ON COMMIT PRESERVE ROWS"
)
COLUMNS = ("n", "time_zone_name", "moment")
EMPTY = f"DELETE FROM {TABLE}"

_NO_ANSWER = 864_000_000_000
"""Ten days, which no zone is away from UTC: a NULL counts as a wrong answer."""


def stream(
    names: Sequence[str], places: npt.NDArray[np.int32], times: Int64
) -> pa.RecordBatchReader:
    """The rows for the temporary table."""
    zones = pa.DictionaryArray.from_arrays(pa.array(places), pa.array(names, pa.utf8()))
    numbers, moments = pa.array(np.arange(len(times))), pa.array(times.view("M8[us]"))
    batch = pa.record_batch([numbers, zones, moments], COLUMNS)
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def shifts(*, to_utc: bool) -> str:
    """The SELECT of the first question of each run with the same shift, and of that shift."""
    zones = "time_zone_name, 'UTC'" if to_utc else "'UTC', time_zone_name"
    shift = f"DATEDIFF('microsecond', moment, NEW_TIME(moment, {zones}))"
    return (
        "SELECT n, shift FROM (SELECT n, shift, LAG(shift) OVER (ORDER BY n) AS shift_before "
        f"FROM (SELECT n, COALESCE({shift}, {_NO_ANSWER}) AS shift FROM {TABLE}) AS shifts) "
        "AS runs WHERE shift_before IS NULL OR shift <> shift_before ORDER BY n"
    )


def answers(rows: list[list[int]], times: Int64, order: npt.NDArray[np.intp]) -> Int64:
    """The converted times, from the rows of ``shifts``; questions were sent in that ``order``."""
    firsts, of_run = np.array(rows, np.int64).reshape(-1, 2).T
    converted = np.empty(len(times), np.int64)
    converted[order] = times[order] + np.repeat(of_run, np.diff(firsts, append=len(times)))
    return converted


def unknown(count: int, refused: Callable[[str], bool]) -> set[int]:
    """Which of ``count`` names are unknown, by bisection; ``refused`` tells if a SELECT fails."""
    found = set()
    left = [(0, count - 1)] if count else []
    while left:
        first, last = left.pop()
        # MAX, because the server may skip a column that is not used
        select = (
            f"SELECT MAX(NEW_TIME(moment, 'UTC', time_zone_name)) FROM {TABLE} "
            f"WHERE n BETWEEN {first} AND {last}"
        )
        if refused(select):
            if first == last:
                found.add(first)
            else:
                middle = (first + last) // 2
                left += [(first, middle), (middle + 1, last)]
    return found

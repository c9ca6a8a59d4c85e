"""The rows in which two generations of a zone's table differ, found by their keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tzconv import generate
from tzconv.horizon import Horizon
from tzconv.spans import Columns
from tzconv.tables import Table
from tzconv.zones import Rules


@dataclass(frozen=True, slots=True)
class Difference:
    """``first`` and ``last`` are the keys of runs of rows to delete, ``rows`` those to insert."""

    first: npt.NDArray[np.datetime64]
    last: npt.NDArray[np.datetime64]
    deleted: int
    rows: Columns

    @property
    def inserted(self) -> int:
        """The number of rows to insert."""
        return len(next(iter(self.rows.values())))


def zone_rows(table: str, rules: Rules, zone: str, horizon: Horizon) -> Columns:
    """All rows of one zone in one piece."""
    pieces = list(generate.zone_columns(table, rules, zone, horizon))
    if len(pieces) == 1:
        return pieces[0]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def between(table: Table, before: Columns, after: Columns) -> Difference:
    """What turns the rows ``before`` into the rows ``after``, and no row more."""
    key = table.key[1]
    old, new = before[key], after[key]
    places = np.searchsorted(old, new)
    found = places < len(old)
    found[found] = old[places[found]] == new[found]
    same = found.copy()
    for name, values in after.items():
        there = before[name][places[found]]
        same[found] &= _equal(there, values[found])
    stays = np.zeros(len(old), bool)
    stays[places[same]] = True
    gone = ~stays
    begins = gone & ~np.concatenate([[False], gone[:-1]])
    ends = gone & ~np.concatenate([gone[1:], [False]])
    rows = {name: values[~same] for name, values in after.items()}
    return Difference(old[begins], old[ends], int(gone.sum()), rows)


def _equal(one: npt.NDArray[np.generic], other: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    equal = one == other
    if one.dtype.kind == "M":
        equal |= np.isnat(one) & np.isnat(other)
    return np.asarray(equal, bool)

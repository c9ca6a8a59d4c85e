"""The rows in which two states of a zone differ, for the plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tzconv.tables import Table, generate
from tzconv.tz.horizon import Horizon
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Rules


@dataclass(frozen=True, slots=True)
class Difference:
    """The rows in which the loaded and the wanted rows of a zone differ.

    ``first`` and ``last`` are the keys of runs of rows to delete, ``deleted`` those rows,
    ``inserted`` the rows to insert.
    """

    first: npt.NDArray[np.generic]
    last: npt.NDArray[np.generic]
    deleted: Columns
    inserted: Columns


def rows_of(table: str, rules: Rules, zone: str, horizon: Horizon) -> Columns:
    """All rows of one zone in one piece."""
    pieces = list(generate.zone_columns(table, rules, zone, horizon))
    if len(pieces) == 1:
        return pieces[0]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def between(table: Table, before: Columns, after: Columns) -> Difference:
    """The rows to delete and to insert to turn ``before`` into ``after``."""
    key = table.order
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
    return Difference(
        old[begins],
        old[ends],
        {name: values[gone] for name, values in before.items()},
        {name: values[~same] for name, values in after.items()},
    )


def _equal(one: npt.NDArray[np.generic], other: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    equal = one == other
    if one.dtype.kind == "M":
        equal |= np.isnat(one) & np.isnat(other)
    return np.asarray(equal, bool)

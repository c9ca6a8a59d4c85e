"""What the tables of a database hold now, as far as it can be said without reading all of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tzconv import checksums, tables
from tzconv._version import __version__
from tzconv.backends import Backend
from tzconv.checksums import Sums
from tzconv.horizon import Horizon
from tzconv.posix import LocalType, PosixRule
from tzconv.zones import Rules, Zone


@dataclass(frozen=True, slots=True)
class Loaded:
    """``release`` is the newest release row, ``rules`` are those of the loaded offset table.

    ``offset_sums`` are the sums of the rows of the offset table as they are now, ``damage`` says
    why the rows cannot be taken for those that the release row describes; None where they can.
    """

    release: dict[str, Any] | None
    rules: Rules
    counts: dict[str, int]
    offset_sums: dict[str, Sums]
    damage: str | None

    @property
    def horizon(self) -> Horizon | None:
        """The horizon of the tables but the offset table's; None where nothing is loaded."""
        if self.release is None:
            return None
        return Horizon(self.release["horizon_starts_on"], self.release["horizon_ends_before"])

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that have rows."""
        return tuple(name for name, count in self.counts.items() if count)


def read(backend: Backend) -> Loaded:
    """Read the release row, the offset table, and the number of rows of the others."""
    while True:
        found = _read(backend, backend.newest_release())
        # not every database shows one state to all SELECTs of a transaction
        if backend.newest_release() == found.release:
            return found


def _read(backend: Backend, release: dict[str, Any] | None) -> Loaded:
    if release is None:
        return Loaded(None, Rules.of("", "", ()), dict.fromkeys(tables.CONVERSIONS, 0), {}, None)
    counts = backend.row_counts()
    sums = backend.checksums(tables.OFFSET)
    damage = None
    for name, count in counts.items():
        if count != release[f"{name}_rows"]:
            damage = (
                f"{tables.CONVERSIONS[name].name} has {count:,} rows in the place of "
                f"{release[f'{name}_rows']:,}"
            )
    if damage is None and checksums.digest(sums) != release["offset_checksum"]:
        damage = f"rows of {tables.OFFSET.name} were changed"
    if damage is None and release["tzconv_version"] != __version__:
        damage = f"the tables were made by tzconv {release['tzconv_version']}"
    rules = _rules(backend.offset_rows(), release)
    return Loaded(release, rules, counts, sums, damage)


def _rules(rows: pa.Table, release: dict[str, Any]) -> Rules:
    """Zones whose spans are the rows; after the last one its offset goes on."""
    columns = {name: rows.column(name).to_pylist() for name in ("time_zone_name", "abbreviation")}
    zones = np.array(columns["time_zone_name"], object)
    starts = rows.column("starts_at_utc").to_numpy().astype("M8[s]").astype(np.int64)
    offsets = rows.column("utc_offset_seconds").to_pylist()
    flags = rows.column("is_dst").to_pylist()
    kinds = [*map(LocalType, offsets, flags, columns["abbreviation"])]
    cuts = [0, *(np.flatnonzero(zones[1:] != zones[:-1]) + 1).tolist(), len(zones)]
    found = []
    for begin, end in itertools.pairwise(cuts):
        if begin == end:
            continue
        types = tuple(dict.fromkeys(kinds[begin:end]))
        places = np.array([types.index(kind) for kind in kinds[begin:end]], np.intp)
        footer = PosixRule(kinds[end - 1])
        found.append(Zone(zones[begin], starts[begin:end], places, types, footer))
    return Rules.of(release["tz_release"], release["rules"], found)

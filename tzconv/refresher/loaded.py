"""What the tables of a database hold now, as far as it can be said without reading all of them."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tzconv import tables
from tzconv._version import __version__
from tzconv.engines.backend import Backend
from tzconv.tables import checksums
from tzconv.tables.checksums import Sums
from tzconv.tz.horizon import Horizon
from tzconv.tz.posix import LocalType, PosixRule
from tzconv.tz.zones import Rules, Zone

_NONE = Rules.of("", "", ())


@dataclass(frozen=True, slots=True)
class Loaded:
    """``release`` is the newest release row, ``rules`` are those of the loaded offset table.

    ``damage`` says why the rows cannot be taken for those that the release row describes; None
    where they can. ``sums`` are those of the offset and the zone table as they are now, ``ids`` the
    numbers of the zones.
    """

    release: dict[str, Any] | None
    rules: Rules
    counts: dict[str, int]
    damage: str | None
    sums: dict[str, dict[str, Sums]] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)

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

    @property
    def chosen(self) -> tuple[str, ...]:
        """The tables that the newest refresh has loaded."""
        release = self.release or {}
        return tuple(name for name in tables.CONVERSIONS if release.get(f"{name}_rows"))


def read(backend: Backend) -> Loaded:
    """Read the release row, the offset table, and the number of rows of the others."""
    while True:
        found = _read(backend, backend.newest_release())
        # not every database shows one state to all SELECTs of a transaction
        if backend.newest_release() == found.release:
            return found


def read_rules(backend: Backend) -> tuple[dict[str, Any] | None, Rules]:
    """The newest release row and the rules of the loaded offset table; no other row is read."""
    while True:
        release = backend.newest_release()
        rules = _NONE if release is None else _rules(backend, release, {})
        if backend.newest_release() == release:
            return release, rules


def _read(backend: Backend, release: dict[str, Any] | None) -> Loaded:
    if release is None:
        return Loaded(None, _NONE, dict.fromkeys(tables.CONVERSIONS, 0), None)
    counts = backend.row_counts()
    sums = {
        name: backend.checksums(tables.CONVERSIONS[name]) if counts[name] else {}
        for name in tables.ALWAYS
    }
    damage = next(_damage(backend, release, counts, sums), None)
    zones = backend.rows_of(tables.ZONE, "time_zone_name, zone_id, canonical_name")
    ids = {name: int(number) for name, number, _ in zones}
    links = {name: canonical for name, _, canonical in zones if canonical != name}
    rules = _rules(backend, release, links)
    return Loaded(release, rules.numbered(rules.names, ids), counts, damage, sums, ids)


def _damage(
    backend: Backend,
    release: dict[str, Any],
    counts: dict[str, int],
    sums: dict[str, dict[str, Sums]],
) -> Iterator[str]:
    for name, count in reversed(counts.items()):
        if count != (told := release[f"{name}_rows"]):
            yield f"{tables.CONVERSIONS[name].name} has {count:,} rows instead of {told:,}"
    for name, found in sums.items():
        if checksums.digest(found) != release[f"{name}_checksum"]:
            yield f"rows of {tables.CONVERSIONS[name].name} were changed"
    for zone, wrong in backend.broken(tables.ZONE).items() if sums["zone"] else ():
        yield f"{tables.ZONE.name} has {wrong} for {zone}"
    if release["tzconv_version"] != __version__:
        yield f"the tables were made by tzconv {release['tzconv_version']}"


def _rules(backend: Backend, release: dict[str, Any], links: dict[str, str]) -> Rules:
    """Zones whose spans are the rows; after the last one its offset goes on."""
    columns = "time_zone_name, utc_offset_seconds, is_dst, abbreviation, starts_at_utc"
    rows = backend.rows_of(tables.OFFSET, columns)
    starts = np.array([row[-1] for row in rows], "M8[us]").astype("M8[s]").astype(np.int64)
    found, begin = [], 0
    for name, spans in itertools.groupby(rows, operator.itemgetter(0)):
        kinds = [tuple(span[1:4]) for span in spans]
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
        places = np.array([numbers[kind] for kind in kinds], np.intp)
        types = tuple(LocalType(*kind) for kind in numbers)
        begin, first = begin + len(kinds), begin
        found.append(Zone(name, starts[first:begin], places, types, PosixRule(types[places[-1]])))
    return Rules.of(release["tz_release"], release["rules"], found, links)

"""The state of the tables in a database, without reading all of their rows.

The plan compares it with the wanted state; ``target`` and ``health`` read it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tzconv import tables
from tzconv._version import __version__
from tzconv.engines import offsets
from tzconv.engines.backend import Backend
from tzconv.tables import checksums
from tzconv.tables.checksums import Sums
from tzconv.tz.horizon import Horizon
from tzconv.tz.zones import Rules

_NONE = Rules.of("", "", ())


@dataclass(frozen=True, slots=True)
class State:
    """``release`` is the newest release row, ``rules`` are those of the loaded offset table.

    ``damage`` says why the rows are not those of the release row, None if they are. ``sums`` are
    the current ones of the offset and the zone table, ``ids`` the numbers of the zones.
    """

    release: dict[str, Any] | None
    rules: Rules
    counts: dict[str, int]
    damage: str | None
    sums: dict[str, dict[str, Sums]] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)

    @property
    def horizon(self) -> Horizon | None:
        """The horizon of all tables but the offset table; None if nothing is loaded."""
        if self.release is None:
            return None
        return Horizon(self.release["horizon_starts_on"], self.release["horizon_ends_before"])

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that have rows."""
        return tuple(name for name, count in self.counts.items() if count)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The tables of the newest release row."""
        release = self.release or {}
        return tuple(name for name in tables.CONVERSIONS if release.get(f"{name}_rows"))


def read(backend: Backend) -> State:
    """Read the release row, the offset table, and the number of rows of the others."""
    while True:
        found = _read(backend, backend.newest_release())
        # in some databases, the SELECTs of one transaction see different states
        if backend.newest_release() == found.release:
            return found


def read_rules(backend: Backend) -> tuple[dict[str, Any] | None, Rules]:
    """The newest release row and the rules of the loaded offset table; no other row is read."""
    while True:
        release = backend.newest_release()
        rules = _NONE if release is None else _rules(backend, release, {})
        if backend.newest_release() == release:
            return release, rules


def _read(backend: Backend, release: dict[str, Any] | None) -> State:
    if release is None:
        return State(None, _NONE, dict.fromkeys(tables.CONVERSIONS, 0), None)
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
    return State(release, rules.numbered(rules.names, ids), counts, damage, sums, ids)


def _damage(
    backend: Backend,
    release: dict[str, Any],
    counts: dict[str, int],
    sums: dict[str, dict[str, Sums]],
) -> Iterator[str]:
    for name, count in reversed(counts.items()):
        if count != (expected := release[f"{name}_rows"]):
            yield f"{tables.CONVERSIONS[name].name} has {count:,} rows instead of {expected:,}"
    for name, found in sums.items():
        if checksums.digest(found) != release[f"{name}_checksum"]:
            yield f"rows of {tables.CONVERSIONS[name].name} were changed"
    for zone, wrong in backend.broken(tables.ZONE).items() if sums["zone"] else ():
        yield f"{tables.ZONE.name} has {wrong} for {zone}"
    if release["tzconv_version"] != __version__:
        yield f"the tables were made by tzconv {release['tzconv_version']}"


def _rules(backend: Backend, release: dict[str, Any], links: dict[str, str]) -> Rules:
    columns = "time_zone_name, utc_offset_seconds, is_dst, abbreviation, starts_at_utc"
    found = backend.rows_of(tables.OFFSET, columns)
    rows = ((name, start, *kind) for name, *kind, start in found)
    return offsets.rules_of(release["tz_release"], release["rules"], rows, links)

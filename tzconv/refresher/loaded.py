"""The state of the tables in a database, without reading all of their rows.

The plan compares it with the wanted state; ``target`` and ``health`` read it, too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tzconv import migrate, tables
from tzconv._version import __version__
from tzconv.engines.backend import Backend
from tzconv.refresher.selection import INSTALLED, Selection
from tzconv.tables import checksums
from tzconv.tables.checksums import Sums
from tzconv.tz import horizon, zones
from tzconv.tz.horizon import Horizon
from tzconv.tz.periods import Numbers
from tzconv.tz.zones import Rules

_NONE = Rules.of("", "", ())
_NEW_NAMES = 25
"""Tables of all zones of some release lack fewer names of a newer one than this."""


OLDER = "an older tzconv"
"""Damages that name it are those of an upgrade: the next refresh checks every row by itself."""
THEIRS = f"are those of {OLDER}"
"""In damages after which the checksums of the release row say nothing."""
_NO_RULES = -1
"""In place of ``rules_id``, between the migration that adds it and the next refresh."""


@dataclass(frozen=True, slots=True)
class State:
    """``release`` is the newest release row; ``damages`` say what is not as it says.

    ``sums`` are the current ones of the offset and the zone table, ``numbers`` those of the zones.
    ``read_rules`` reads the offset table.
    """

    release: dict[str, Any] | None
    counts: dict[str, int]
    damages: tuple[str, ...] = ()
    sums: dict[str, dict[str, Sums]] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=Numbers)
    read_rules: Callable[[], Rules] = lambda: _NONE

    @property
    def rules(self) -> Rules:
        """The rules of the loaded offset table, read at their first use."""
        return self.read_rules()

    @property
    def names(self) -> tuple[str, ...]:
        """The zones of the offset table."""
        return tuple(sorted(self.sums.get("offset", ())))

    @property
    def damage(self) -> str | None:
        """The first of the damages."""
        return self.damages[0] if self.damages else None

    @property
    def kept(self) -> str | None:
        """The selection of the last refresh, as it is kept, or as the tables show it.

        Tables of a tzconv that kept none, or without a release row, must not grow to all zones.
        """
        release = self.release or {}
        kept: str | None = release.get("selection")
        if kept is not None:
            return kept
        names = self.names or tuple(sorted(self.numbers.zones))
        lacks = len({*zones.installed().names} - {*names})
        found = Selection(
            names if names and lacks > _NEW_NAMES else None,
            self.chosen if self.chosen and "daily" not in self.chosen else None,
        )
        if before := self.horizon:
            usual = horizon.choose(None, None, release["finished_at"].date())
            found = replace(
                found,
                rules=None if release["rules"] == INSTALLED else release["rules"],
                start=None if before.start == usual.start else before.start,
                end=None if before.end == usual.end else before.end,
            )
        return found.text()

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
        """The tables of the newest release row; without one, those that have rows."""
        if self.release is None:
            return self.tables
        release = self.release
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
    counts = backend.row_counts()
    if release is None and not any(counts.values()):
        return State(None, counts)
    sums = {
        name: backend.checksums(tables.CONVERSIONS[name]) if counts[name] else {}
        for name in tables.ALWAYS
    }
    columns = "time_zone_name, zone_id, canonical_name"
    if backend.has_columns(tables.ZONE):
        columns += ", rules_id"
    rows = backend.rows_of(tables.ZONE, columns)
    numbers = Numbers(
        {name: int(number) for name, number, *_ in rows},
        {name: int(more[0]) for name, _, _, *more in rows if more},
    )
    links = {name: canonical for name, _, canonical, *_ in rows if canonical != name}
    damages = tuple(_damages(backend, release, counts, sums, _NO_RULES in numbers.rules.values()))

    @functools.cache
    def read_rules() -> Rules:
        return _rules(backend, release or {}, links).with_numbers(numbers)

    return State(release, counts, damages, sums, numbers, read_rules)


def _damages(
    backend: Backend,
    release: dict[str, Any] | None,
    counts: dict[str, int],
    sums: dict[str, dict[str, Sums]],
    is_migrated: bool,
) -> Iterator[str]:
    revision = backend.migration()
    if revision in (None, "base"):
        yield f"the revision in {tables.MIGRATION} is missing"
    elif revision != migrate.newest():
        yield f"the tables have revision {revision}, and the checksums {THEIRS}"
        return
    missing = backend.missing_tables()
    for table in missing:
        yield f"the table {table.name} is missing"
    for table in backend.missing_keys():
        yield f"the primary key of {table.name} is missing"
    if release is None:
        yield f"the row in {tables.RELEASE.name} is missing"
        return
    for name, count in reversed(counts.items()):
        table = tables.CONVERSIONS[name]
        if count != (expected := release[f"{name}_rows"]) and table not in missing:
            yield f"{table.name} has {count:,} rows instead of {expected:,}"
    if is_migrated or not all(checksums.is_digest(release[f"{name}_checksum"]) for name in counts):
        yield f"the checksums {THEIRS}"
        return
    for name, known in sums.items():
        if checksums.digest(known) != release[f"{name}_checksum"] and counts[name]:
            yield f"rows of {tables.CONVERSIONS[name].name} were changed"
    for zone, wrong in backend.broken(tables.ZONE).items() if all(sums.values()) else ():
        yield f"{tables.ZONE.name} has {wrong} for {zone}"
    if version_order(release["tzconv_version"]) < version_order(__version__):
        yield f"the tables were made by {OLDER}, {release['tzconv_version']}"


def version_order(text: str) -> list[int]:
    """The numbers of a version, so that 0.10.0 is newer than 0.9.1."""
    return [int(number) for number in re.findall(r"\d+", text)]


def _rules(backend: Backend, release: dict[str, Any], links: dict[str, str]) -> Rules:
    # drivers do not read every time that somebody may have written there
    start = "least(greatest(starts_at_utc, TIMESTAMP '0001-01-01'), TIMESTAMP '9999-12-31')"
    columns = f"time_zone_name, utc_offset_seconds, is_dst, abbreviation, {start}"
    found = backend.rows_of(tables.OFFSET, columns)
    rows = ((name, start, *kind) for name, *kind, start in found)
    return zones.of_rows(release.get("tz_release", ""), release.get("rules", ""), rows, links)

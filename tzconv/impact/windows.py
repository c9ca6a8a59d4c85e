"""The times at which two tz releases disagree, by zones that share them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tzconv.tz import changes, spellings
from tzconv.tz.changes import ChangeGroup, OffsetChange
from tzconv.tz.horizon import Horizon
from tzconv.tz.zones import Rules, Zone


@dataclass(frozen=True, slots=True)
class RulesDifference:
    """Two releases over the UTC days of ``horizon``.

    ``added`` and ``dropped`` are names that only one of them has, ``earlier`` the zones that also
    differ before the horizon.
    """

    before: Rules
    after: Rules
    horizon: Horizon
    groups: tuple[ChangeGroup, ...]
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    earlier: tuple[str, ...]

    @property
    def zones(self) -> tuple[str, ...]:
        """The names whose local times differ, sorted."""
        return tuple(sorted(zone for group in self.groups for zone in group.zones))

    def windows(self, zone: str) -> tuple[OffsetChange, ...]:
        """The UTC times at which a zone differs."""
        found = (group.changes for group in self.groups if zone in group.zones)
        return next(found, ())

    def local_windows(self, zone: str) -> tuple[OffsetChange, ...]:
        """The local times at which it differs."""
        pair = self.before.zone(zone), self.after.zone(zone)
        found = changes.local_changes(*pair, _end(*pair, self.horizon))
        return tuple(_from(_first(self.horizon), found))

    def folded(self, group: ChangeGroup) -> tuple[list[str], list[str]]:
        """The zones of a group, and those of its names that are links to one of them."""
        links = {**self.before.links, **self.after.links}
        linked = [name for name in group.zones if links.get(name) in group.zones]
        return [name for name in group.zones if name not in linked], linked


def compare(
    before: Rules, after: Rules, horizon: Horizon, names: Iterable[str] | None = None
) -> RulesDifference:
    """All times inside the horizon at which the UTC offset of a zone differs.

    UnknownZoneError for one of ``names`` (all by default) that neither release has.
    """
    chosen = {*before.names, *after.names} if names is None else set(names)
    for name in sorted(chosen):
        if name not in before and name not in after:
            raise spellings.unknown_zone(name, after.names, after.links, after.release)
    first = _first(horizon)
    found: list[OffsetChange] = []
    earlier: list[str] = []
    for name in sorted(chosen):
        if name not in before or name not in after:
            continue
        pair = before.zone(name), after.zone(name)
        all_changes = list(changes.offset_changes(*pair, _end(*pair, horizon)))
        if any(one.starts < first for one in all_changes):
            earlier.append(name)
        found += _from(first, all_changes)
    return RulesDifference(
        before,
        after,
        horizon,
        tuple(changes.groups(found)),
        tuple(sorted(name for name in chosen if name not in before)),
        tuple(sorted(name for name in chosen if name not in after)),
        tuple(earlier),
    )


def as_dict(difference: RulesDifference) -> dict[str, Any]:
    """The difference as plain values, with every window."""
    return {
        "from": {"tz_release": difference.before.release, "rules": difference.before.source},
        "to": {"tz_release": difference.after.release, "rules": difference.after.source},
        "since": difference.horizon.start,
        "until": difference.horizon.end,
        "zones_added": difference.added,
        "zones_dropped": difference.dropped,
        "zones_with_earlier_changes": difference.earlier,
        "changes": [
            {
                "zones": zones,
                "links": links,
                "windows": [_window(change) for change in group.changes],
            }
            for group in difference.groups
            for zones, links in [difference.folded(group)]
        ],
    }


def _window(change: OffsetChange) -> dict[str, Any]:
    old, new = (dt.timedelta(seconds=one) for one in (change.old_offset, change.new_offset))
    return {
        "starts_at_utc": change.starts,
        "ends_before_utc": change.ends,
        "old_utc_offset_seconds": change.old_offset,
        "new_utc_offset_seconds": change.new_offset,
        "old_local": [_moved(change.starts, old), _moved(change.ends, old)],
        "new_local": [_moved(change.starts, new), _moved(change.ends, new)],
    }


def _moved(moment: dt.datetime, by: dt.timedelta) -> dt.datetime:
    return moment + by if moment.year > 1 else moment


def _end(before: Zone, after: Zone, horizon: Horizon) -> int:
    """The end of the horizon, or of what the files of a zone say."""
    ends = (horizon.seconds[1], before.carries_until, after.carries_until)
    return min(one for one in ends if one is not None)


def _first(horizon: Horizon) -> dt.datetime:
    return dt.datetime.combine(horizon.start, dt.time())


def _from(first: dt.datetime, found: Iterable[OffsetChange]) -> Iterator[OffsetChange]:
    """What is left of some changes from a time on."""
    return (replace(one, starts=max(one.starts, first)) for one in found if one.ends > first)


def offset_at(zone: Zone, moment: dt.datetime) -> int:
    """The UTC offset of a zone at a UTC time, in seconds."""
    at = int(np.datetime64(moment, "s").astype(np.int64))
    starts, offsets = zone.offset_changes(at + 1)
    return int(offsets[max(0, int(np.searchsorted(starts, at, "right")) - 1)])


def by_spelling(names: Iterable[str], difference: RulesDifference) -> Mapping[str, str | None]:
    """The zone that each spelling means to a database; None for unknown ones."""
    before, after = difference.before, difference.after
    return {name: after.spelled(name) or before.spelled(name) for name in names}

"""A plan as JSON, and its changes grouped by zones, for ``tzconv refresh``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tzconv.refresher import guards
from tzconv.refresher.plan import OffsetChange, Plan


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Zones with the same changes, mostly a zone and its links."""

    zones: tuple[str, ...]
    changes: tuple[OffsetChange, ...]


def groups(changes: tuple[OffsetChange, ...]) -> list[ChangeGroup]:
    """The changes by zones that share them, in the order of the first change."""
    by_zone: dict[str, list[OffsetChange]] = {}
    for change in changes:
        by_zone.setdefault(change.zone, []).append(change)
    shared: dict[tuple[object, ...], list[str]] = {}
    for zone, own in by_zone.items():
        key = tuple((one.starts, one.ends, one.old_offset, one.new_offset) for one in own)
        shared.setdefault(key, []).append(zone)
    made = [ChangeGroup(tuple(zones), tuple(by_zone[zones[0]])) for zones in shared.values()]
    return sorted(made, key=lambda group: (group.changes[0].starts, group.zones))


def as_dict(plan: Plan, bytes_per_row: Mapping[str, float] | None) -> dict[str, Any]:
    """The plan as plain values; ``bytes`` are estimated from ``bytes_per_row``, None without it."""
    release, wanted = plan.loaded.release, plan.wanted.release()
    described = ("tz_release", "rules", "horizon_starts_on", "horizon_ends_before", "zone_count")
    return {
        "needed": plan.needed,
        "from": None if release is None else {key: release[key] for key in described},
        "to": {key: wanted[key] for key in described},
        "damages": plan.loaded.damages,
        "stops": dict(guards.found(plan)),
        "zones_added": plan.added,
        "zones_dropped": plan.dropped,
        "zones_left_out": plan.wanted.left_out,
        "zones_with_other_abbreviations": plan.renamed,
        "changes": [dataclasses.asdict(change) for change in plan.changes],
        "tables": [
            {
                "table": table.table,
                "zones": len(table.touched),
                "delete": table.deleted,
                "insert": table.inserted,
                "bytes": None
                if bytes_per_row is None
                else round(table.inserted * bytes_per_row[table.table]),
            }
            for table in plan.tables
        ],
    }

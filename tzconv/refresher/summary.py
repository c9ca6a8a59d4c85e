"""A plan as JSON, and its changes grouped by zones, for ``tzconv refresh``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tzconv.refresher import guards
from tzconv.refresher.plan import Plan


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

"""The rules that a refresh replaced, kept in the release row as what they differ by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.errors import RulesError
from tzconv.tz import changes, zones
from tzconv.tz.changes import OffsetChange
from tzconv.tz.horizon import seconds_of
from tzconv.tz.zones import BEGINNING, Rules

_MOST_LETTERS = next(
    column.length for column in tables.RELEASE.columns if column.name == "rule_changes"
)


def text(release: Mapping[str, Any], found: Iterable[OffsetChange]) -> str | None:
    """The changes from the rules of ``release``, as the release row keeps them; None without any.

    Start, end and old offset in seconds, by zones; only the name of the release if that is longer
    than the column.
    """
    groups = changes.groups(found)
    if not groups:
        return None
    kept = {name: release.get(name, "unknown") for name in ("tz_release", "rules")}
    whole = [
        [
            group.zones,
            [
                [*np.array([one.starts, one.ends], "M8[s]").astype(int).tolist(), one.old_offset]
                for one in group.changes
            ],
        ]
        for group in groups
    ]
    made = json.dumps(kept | {"changes": whole}, separators=(",", ":"))
    return made if len(made) <= _MOST_LETTERS else json.dumps(kept, separators=(",", ":"))


def rules_before(backend: Backend, release: Mapping[str, Any], loaded: Rules) -> Rules | None:
    """The rules before the last refresh that changed offsets of the ``loaded`` ones.

    None if no refresh has. RulesError if the release row does not keep them.
    """
    if not backend.has_columns(tables.RELEASE):
        return None
    changes_kept = backend.rows_of(tables.RELEASE, "rule_changes")  # sorted by when they finished
    kept = next((str(one) for (one,) in reversed(changes_kept) if one), None)
    if kept is None:
        return None
    try:
        document = json.loads(kept)
        name, source = str(document["tz_release"])[:40], str(document["rules"])
        by_zone = {
            zone: [(int(start), int(end), int(offset)) for start, end, offset in spans]
            for group, spans in document.get("changes", ())
            for zone in group
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RulesError(
            "The changes in the release table cannot be read: name a release with --from, such as "
            "--from 2025b."
        ) from error
    if not by_zone:
        give = source if name == "unknown" else name  # of a folder
        raise RulesError(
            f"The last refresh changed more than the release table keeps: give --from {give}."
        )
    end = seconds_of(release["offset_ends_before"])
    rows = (
        (zone, start, offset, False, "")
        for zone in loaded.names
        for start, offset in _spans(loaded.zone(zone), by_zone.get(zone, []), end)
    )
    return zones.of_rows(name, source, rows, loaded.links)


def _spans(zone: zones.Zone, old: list[tuple[int, int, int]], end: int) -> list[tuple[int, int]]:
    """Starts and offsets of a zone with other offsets at some times."""
    starts, found = zone.offset_changes(end)
    marks = {BEGINNING, *starts.tolist(), *(at for one in old for at in one[:2] if at < end)}
    spans: list[tuple[int, int]] = []
    for mark in sorted(marks):
        offset = int(found[np.searchsorted(starts, mark, "right") - 1])
        offset = next((other for start, stop, other in old if start <= mark < stop), offset)
        if not spans or spans[-1][1] != offset:
            spans.append((mark, offset))
    return spans

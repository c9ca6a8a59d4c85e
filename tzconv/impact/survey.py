"""Everything in a database that a difference of rules makes wrong, and the SQL that repairs it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tzconv.engines.contents import StoredObject
from tzconv.errors import DatabaseError, some
from tzconv.impact import objects, rollups
from tzconv.impact.inspection import Inspection
from tzconv.impact.named import Appointments, Rollup, quoted
from tzconv.impact.objects import Converting, Count, Uses
from tzconv.impact.rollups import AffectedRollup, Verified
from tzconv.refresher import function_check
from tzconv.sql.text import identifier

NOTES = {
    "generated column": "it is computed when it is read, so nothing is stored",
    "column default": "rows inserted under the old rules keep the values that it gave",
    "check constraint": "rows that it accepted under the old rules may break it",
    "partition key": "rows may lie in the wrong partition; move them by hand",
}
"""Why there is no SQL for some kinds of objects."""
DECIDE = (
    "if people agreed on the time on their clock, each UTC time must move; if they agreed on the "
    "instant, nothing is wrong. The data do not say which: decide by hand"
)


@dataclass(frozen=True, slots=True)
class Survey:
    """``objects`` is the number of definitions read, or None if the engine's are not read.

    ``affected`` have counts where the rows of one table decide, ``unknown`` the reason why their
    definitions are not understood. ``outdated_server`` are zones for which the database's own
    function does not follow the new rules.
    """

    product: str
    objects: int | None
    affected: tuple[Uses, ...]
    unknown: tuple[tuple[StoredObject, str], ...]
    rollups: tuple[AffectedRollup, ...]
    verified: tuple[Verified, ...]
    appointments: tuple[tuple[Appointments, Count], ...]
    outdated_server: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The survey as plain values."""
        return {
            "database": self.product,
            "objects_read": self.objects,
            "objects": [
                {
                    "kind": one.object.kind,
                    "name": one.object.name,
                    "zones": sorted(one.zones),
                    "any_zone": one.any_zone,
                    "reads_conversion_tables": one.reads_tables,
                    "reads_rollups": sorted(one.rollups),
                    "count": one.count and dataclasses.asdict(one.count),
                    "note": NOTES.get(one.object.kind),
                }
                for one in self.affected
            ],
            "unknown": [
                {"kind": one.kind, "name": one.name, "reason": reason}
                for one, reason in self.unknown
            ],
            "rollups": [dataclasses.asdict(one) for one in self.rollups],
            "verified": [dataclasses.asdict(one) for one in self.verified],
            "appointments": [
                {**dataclasses.asdict(one), "count": dataclasses.asdict(count)}
                for one, count in self.appointments
            ],
            "outdated_server_zones": self.outdated_server,
        }


def survey(
    at: Inspection,
    named: Sequence[Rollup] = (),
    booked: Sequence[Appointments] = (),
    *,
    verify: bool = False,
) -> Survey:
    """Read the catalog and count rows; changes nothing. DatabaseError names what is missing."""
    backend, difference = at.backend, at.difference
    stored = backend.stored_objects()
    if stored is None:
        return Survey(backend.product(), None, (), (), (), (), (), ())
    found = tuple(rollups.find(at, one) for one in named)
    wrong = [one.rollup.table for one in found if one.ranges or one.lost]
    uses = objects.find(stored, difference, backend.dialect, wrong)
    affected = tuple(one for one in uses if one.is_affected)
    for one in affected:
        if one.converting is not None:
            with contextlib.suppress(DatabaseError):  # such as a table this user may not read
                one.count = at.count(one.converting)
    appointments = tuple((one, _count_booked(at, one)) for one in booked)
    outdated = []
    if affected:
        horizon = difference.horizon
        outdated = function_check.disagreements(
            backend, difference.after, difference.zones, horizon, inside=horizon
        )
    return Survey(
        backend.product(),
        len(objects.of_users(stored)),
        affected,
        tuple((one.object, one.unknown[0]) for one in uses if one.unknown),
        found,
        tuple(rollups.verify(at, one) for one in found) if verify else (),
        appointments,
        tuple(one.zone for one in outdated),
    )


def repairs(at: Inspection, found: Survey) -> Iterator[str]:
    """A script that repairs what can be: statements with semicolons, and comments."""
    for one in found.rollups:
        statements = list(rollups.repair(at, one))
        yield f"-- rollup {one.rollup.table}, affected rows: {one.rows:,}\n"
        if one.ranges and not one.rollup.values:
            yield "-- no SQL: the configuration does not say how its values are computed\n"
        if one.lost:
            yield "-- older keys stay as they are: the source lacks rows of them\n"
        if statements and one.other_columns:
            yield f"-- these columns get their defaults: {', '.join(one.other_columns)}\n"
        yield from (f"{statement};\n" for statement in statements)
    for affected in found.affected:
        yield f"-- {affected.object.kind} {affected.object.name}\n"
        yield from _of_object(at, affected, set(found.outdated_server))
    for unknown, reason in found.unknown:
        yield f"-- unknown: {unknown.kind} {unknown.name}: {reason}\n"
    for booked, count in found.appointments:
        yield f"-- {booked.table}.{booked.column}, affected rows: {count.rows:,}; {DECIDE}\n"


def _of_object(at: Inspection, affected: Uses, outdated: set[str]) -> Iterator[str]:
    statement = _repair(at, affected)
    if statement is None:
        yield f"-- {NOTES.get(affected.object.kind, 'no SQL: recompute it by hand')}\n"
        return
    if affected.reads_tables:
        yield "-- after tzconv refresh has loaded the new rules:\n"
        outdated = set()
    waits = sorted(outdated & affected.zones)
    may_wait = sorted(outdated) if affected.any_zone else []
    for names, what in ((waits, "not yet"), (may_wait, "wrong still for rows of these zones")):
        if names:
            yield f"-- {what}: the database's own function has other rules for\n"
            yield f"-- {some(names)}; update its tz data first\n"
    mark = "-- " if waits else ""
    yield "".join(f"{mark}{line}\n" for line in f"{statement};".splitlines())


def _repair(at: Inspection, affected: Uses) -> str | None:
    """The statement for one object; an UPDATE touches the rows in the windows only."""
    statement, converting = affected.object.repair, affected.converting
    if statement is None or "{column}" not in statement:
        return statement
    if converting is None or (inside := at.inside(converting)) is None:
        return None
    relation, where = inside
    update = statement.format(column=identifier(converting.column))
    return f"{update}\nFROM {relation}\nWHERE {where}"


def _count_booked(at: Inspection, booked: Appointments) -> Count:
    is_column = bool(booked.zone_column)
    at.check_columns(booked.table, filter(None, [booked.column, booked.zone_column]))
    at.check_times(booked.table, booked.column, ("timestamp",))
    if not is_column:
        at.check_zone(booked.table, booked.zone)
    zone = booked.zone_column or booked.zone
    found = Converting(quoted(booked.table), booked.column, zone, is_column, is_local=False)
    return at.count(found, since=at.backend.now())

"""The plan of a refresh: the difference between the loaded state and the wanted one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.refresher.loaded import State
from tzconv.refresher.wanted import Wanted
from tzconv.tables import Table, arrow, checksums, generate
from tzconv.tables.checksums import Sums
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.posix import LocalType
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Rules, Zone


@dataclass(frozen=True, slots=True)
class OffsetChange:
    """UTC times ``[starts, ends)`` whose UTC offset changes, with both offsets in seconds."""

    zone: str
    starts: dt.datetime
    ends: dt.datetime
    old_offset: int
    new_offset: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The rows in which the loaded and the wanted rows of a zone differ.

    ``first`` and ``last`` are the keys of runs of rows to delete, ``rows`` those to insert.
    """

    first: npt.NDArray[np.generic]
    last: npt.NDArray[np.generic]
    deleted: int
    rows: Columns

    @property
    def inserted(self) -> int:
        """The number of rows to insert."""
        return _count(self.rows)


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The changes of one table, by zone.

    ``drop`` and ``add`` are zones whose rows are all deleted or inserted (a zone may be in both),
    ``edit`` those of which only some rows differ. ``empty`` says that there is no row to delete.
    """

    table: str
    drop: tuple[str, ...]
    add: tuple[str, ...]
    edit: tuple[str, ...]
    deleted: int
    inserted: int
    empty: bool

    @property
    def touched(self) -> frozenset[str]:
        """The zones of which a row is deleted or inserted."""
        return frozenset((*self.drop, *self.add, *self.edit))


@dataclass(frozen=True, slots=True)
class Plan:
    """``needed`` is False if the database is as it should be.

    ``added`` and ``dropped`` are zones, ``changes`` the times whose offset changes, ``renamed`` the
    zones of which only abbreviations or flags change. ``sums`` are the wanted rows and checksums by
    table and zone; a first load fills them in.
    """

    loaded: State
    wanted: Wanted
    needed: bool
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    changes: tuple[OffsetChange, ...] = ()
    renamed: tuple[str, ...] = ()
    tables: tuple[TablePlan, ...] = ()
    sums: dict[str, dict[str, Sums]] = field(default_factory=dict)

    def runs(self, plan: TablePlan) -> pa.Table:
        """The runs of rows to delete: ``zone``, ``first`` and ``last`` key, both included."""
        edits = self.edits(plan.table, plan.edit)
        found = [
            {"zone": [zone] * len(edit.first), "first": edit.first, "last": edit.last}
            for zone, edit in edits
            if len(edit.first)
        ]
        return pa.concat_tables(map(pa.table, found)) if found else pa.table({})

    def rows(
        self, plan: TablePlan, zone_done: generate.ZoneDone | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows to insert."""
        wanted, schema = self.wanted, generate.arrow_schema(plan.table)
        if plan.add:
            yield from generate.stream(
                plan.table, wanted.rules, plan.add, wanted.horizon, zone_done
            )
        for zone, edit in self.edits(plan.table, plan.edit):
            if edit.inserted:
                yield generate.batch_of(schema, edit.rows, arrow.texts_of([zone]))
            if zone_done is not None:
                zone_done(zone)

    def release(self) -> dict[str, Any]:
        """The release row without its times, once the sums are known."""
        row = self.wanted.release()
        for name, sums in self.sums.items():
            row[f"{name}_rows"] = checksums.total(sums.values())[0]
            row[f"{name}_checksum"] = checksums.digest(sums)
        return row

    def few(self, zones: Collection[str]) -> Collection[str] | None:
        """Those zones, or None if they are most: a query for all is faster than a long list."""
        return zones if len(zones) * 2 < len(self.wanted.names) else None

    def edits(self, table: str, zones: Iterable[str]) -> Iterator[tuple[str, Difference]]:
        """The difference of each of those zones, except unchanged ones."""
        loaded, wanted, before = self.loaded, self.wanted, self.loaded.horizon
        if before is None:
            return
        for zone in zones:
            # the sums of the offset table prove the same rules, but not the same link
            same_rules = loaded.sums["offset"].get(zone) == self.sums["offset"][zone]
            if before == wanted.horizon and same_rules and table != "zone":
                continue
            old = _rows_of(table, loaded.rules, zone, before)
            new = _rows_of(table, wanted.rules, zone, wanted.horizon)
            yield zone, _between(tables.CONVERSIONS[table], old, new)


def make(
    backend: Backend, loaded: State, wanted: Wanted, *, repair: bool = False, count: bool = True
) -> Plan:
    """Compare the two states; all rows are read only if the loaded ones are in doubt.

    Without ``count`` the rows of a first load are not counted: loading them does that.
    """
    wanted = wanted.fitted(loaded.ids, loaded.chosen)
    # the offset and the zone table are small and contain every rule and link, so only they are
    # generated and compared: a folder of rules may change without a new release name
    if (
        not repair
        and _is_described(loaded, wanted)
        and all(loaded.sums[name] == wanted.sums(backend, name) for name in tables.ALWAYS)
    ):
        return Plan(loaded, wanted, needed=False)
    if loaded.release is None and not count:
        first = tuple(
            TablePlan(table, (), wanted.names if table in wanted.tables else (), (), 0, 0, True)
            for table in tables.CONVERSIONS
        )
        return Plan(loaded, wanted, True, added=wanted.names, tables=first)
    sums = {table: wanted.sums(backend, table) for table in tables.CONVERSIONS}
    old, new = set(loaded.rules.names), set(wanted.names)
    until = wanted.horizon.offset_end
    if loaded.release is not None:
        until = min(until, loaded.release["offset_ends_before"])
    end = seconds_of(until)
    pairs = [(loaded.rules.zone(zone), wanted.rules.zone(zone)) for zone in sorted(old & new)]
    changes = tuple(change for pair in pairs for change in _changes(*pair, end))
    changed = {change.zone for change in changes}
    differing = {one.name for one, other in pairs if _spans(one, end) != _spans(other, end)}
    plan = Plan(
        loaded,
        wanted,
        True,
        tuple(sorted(new - old)),
        tuple(sorted(old - new)),
        changes,
        tuple(sorted(differing - changed)),
        sums=sums,
    )
    if repair or loaded.damage is not None:
        planned = tuple(_by_sums(backend, plan, table) for table in tables.CONVERSIONS)
    else:
        planned = tuple(_by_rules(plan, table) for table in tables.CONVERSIONS)
    needed = not _is_described(loaded, wanted) or any(one.touched for one in planned)
    return replace(plan, needed=needed, tables=planned)


def _is_described(loaded: State, wanted: Wanted) -> bool:
    """Whether the release row describes the wanted state."""
    release = loaded.release
    return (
        release is not None
        and all(release[key] == value for key, value in wanted.release().items())
        and loaded.tables == wanted.tables
        and loaded.damage is None
    )


def _by_rules(plan: Plan, table: str) -> TablePlan:
    """The changes, if the loaded rows are those of the loaded rules and horizon."""
    loaded, wanted, horizon = plan.loaded, plan.wanted, plan.loaded.horizon
    old = set(loaded.rules.names if table in loaded.tables else ())
    new = set(wanted.names if table in wanted.tables else ())
    edits = [
        (zone, edit.deleted, edit.inserted)
        for zone, edit in plan.edits(table, sorted(old & new))
        if edit.deleted or edit.inserted
    ]
    gone = [_rows_of(table, loaded.rules, zone, horizon) for zone in old - new if horizon]
    return TablePlan(
        table,
        tuple(sorted(old - new)),
        tuple(sorted(new - old)),
        tuple(zone for zone, _, _ in edits),
        sum(map(_count, gone)) + sum(deleted for _, deleted, _ in edits),
        sum(plan.sums[table][zone][0] for zone in new - old)
        + sum(inserted for _, _, inserted in edits),
        not old,
    )


def _by_sums(backend: Backend, plan: Plan, table: str) -> TablePlan:
    """The changes by the checksums of all rows in the database, zone by zone."""
    is_loaded, sums = plan.loaded.counts[table] > 0, plan.sums[table]
    there = backend.checksums(tables.CONVERSIONS[table]) if is_loaded else {}
    wrong = {zone for zone, found in there.items() if sums.get(zone) != found}
    if table == "zone" and there:  # columns that a database derives have no checksum
        wrong |= backend.broken(tables.ZONE).keys() & there.keys()
    add = (sums.keys() - there.keys()) | (wrong & sums.keys())
    return TablePlan(
        table,
        tuple(sorted(wrong)),
        tuple(sorted(add)),
        (),
        sum(there[zone][0] for zone in wrong),
        sum(sums[zone][0] for zone in add),
        not there,
    )


def _spans(zone: Zone, end: int) -> list[tuple[int, LocalType]]:
    timeline = zone.timeline(end)
    kinds = [timeline.types[kind] for kind in timeline.kinds]
    return list(zip(timeline.starts.tolist(), kinds, strict=True))


def _changes(before: Zone, after: Zone, end: int) -> Iterator[OffsetChange]:
    """The changes before the UTC second ``end``, in order."""
    old_starts, old_offsets = before.timeline(end).offset_changes()
    new_starts, new_offsets = after.timeline(end).offset_changes()
    marks = np.union1d(old_starts, new_starts)
    old = old_offsets[np.searchsorted(old_starts, marks, "right") - 1]
    new = new_offsets[np.searchsorted(new_starts, marks, "right") - 1]
    # adjacent times with the same two offsets are one change
    begins = np.concatenate([[True], (old[1:] != old[:-1]) | (new[1:] != new[:-1])])
    marks, old, new = marks[begins], old[begins], new[begins]
    times = np.append(marks, end).astype("M8[s]").tolist()
    for place in np.flatnonzero(old != new):
        offsets = int(old[place]), int(new[place])
        yield OffsetChange(after.name, times[place], times[place + 1], *offsets)


def _rows_of(table: str, rules: Rules, zone: str, horizon: Horizon) -> Columns:
    """All rows of one zone in one piece."""
    pieces = list(generate.zone_columns(table, rules, zone, horizon))
    if len(pieces) == 1:
        return pieces[0]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _count(rows: Columns) -> int:
    return len(next(iter(rows.values())))


def _between(table: Table, before: Columns, after: Columns) -> Difference:
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
    rows = {name: values[~same] for name, values in after.items()}
    return Difference(old[begins], old[ends], int(gone.sum()), rows)


def _equal(one: npt.NDArray[np.generic], other: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    equal = one == other
    if one.dtype.kind == "M":
        equal |= np.isnat(one) & np.isnat(other)
    return np.asarray(equal, bool)

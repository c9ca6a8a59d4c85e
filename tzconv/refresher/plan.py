"""The plan of a refresh: the difference between the loaded state and the wanted one.

Memory is bounded by one zone, and time follows the rows that change: zones with other rules are
compared row by row, and those with the same rules only at the ends of a horizon that moved.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.refresher import edges, previous
from tzconv.refresher.difference import Difference, between, rows_of
from tzconv.refresher.loaded import State
from tzconv.refresher.wanted import Gathered, Wanted, sums_of, together
from tzconv.tables import arrow, checksums, generate
from tzconv.tables.checksums import Sums
from tzconv.tz.changes import OffsetChange, offset_changes
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.numbers import Numbers
from tzconv.tz.posix import LocalType
from tzconv.tz.spans import Columns
from tzconv.tz.zones import Zone


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The changes of one table, by zone.

    ``drop`` and ``add`` are zones whose rows are all deleted or inserted (a zone may be in both),
    ``edit`` those with other rules, of which some rows differ, and ``move`` those whose rows differ
    at the ends of the horizon, outside ``inner``, with the new ones in ``ends``. ``empty`` says
    that there is no row to delete.
    """

    table: str
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    edit: tuple[str, ...] = ()
    move: tuple[str, ...] = ()
    inner: Horizon | None = None
    ends: Iterable[Gathered] = field(default=(), compare=False, repr=False)
    deleted: int = 0
    inserted: int = 0
    empty: bool = False

    @property
    def touched(self) -> frozenset[str]:
        """The zones of which a row is deleted or inserted."""
        return frozenset((*self.drop, *self.add, *self.edit, *self.move))

    @property
    def inserts(self) -> int:
        """The number of zones that may get rows."""
        return len(self.add) + len(self.edit) + len(self.move)


@dataclass(frozen=True, slots=True)
class TableSums:
    """Checksums of one table by zone: of the rows that a refresh deletes and inserts.

    ``whole`` has those of all wanted rows of the zones to add or edit. ``replaces`` says that the
    inserted rows are the whole table.
    """

    deleted: dict[str, Sums] = field(default_factory=dict)
    inserted: dict[str, Sums] = field(default_factory=dict)
    whole: dict[str, Sums] = field(default_factory=dict)
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """``needed`` is False if the database is as it should be.

    ``added`` and ``dropped`` are zones, ``changes`` the times whose offset changes, ``renamed`` the
    zones of which only abbreviations or flags change. ``sums`` has the checksums by table; those of
    added zones may be missing, and the load fills them in.
    """

    loaded: State
    wanted: Wanted
    needed: bool
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    changes: tuple[OffsetChange, ...] = ()
    renamed: tuple[str, ...] = ()
    tables: tuple[TablePlan, ...] = ()
    sums: dict[str, TableSums] = field(default_factory=dict)

    def runs(self, plan: TablePlan) -> pa.Table:
        """The runs of rows to delete: ``zone``, ``first`` and ``last`` key, both included."""
        found = [
            {"zone": [zone] * len(edit.first), "first": edit.first, "last": edit.last}
            for zone, edit in self.edits(plan.table, plan.edit)
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
            yield generate.batch_of(schema, edit.inserted, arrow.texts_of([zone]))
            if zone_done is not None:
                zone_done(zone)
        for names, lengths, columns in plan.ends:
            places = np.arange(len(names), dtype=np.int32).repeat(lengths)
            yield generate.batch_of(schema, columns, arrow.texts_of(names), places)
            if zone_done is not None:
                for zone in dict.fromkeys(names):
                    zone_done(zone)

    def edits(self, table: str, zones: Iterable[str]) -> Iterator[tuple[str, Difference]]:
        """The difference of each of those zones, of all their rows."""
        loaded, wanted, before = self.loaded, self.wanted, self.loaded.horizon
        if before is None:
            return
        for zone in zones:
            old = rows_of(table, loaded.rules, zone, before)
            new = rows_of(table, wanted.rules, zone, wanted.horizon)
            yield zone, between(tables.CONVERSIONS[table], old, new)

    def release(self) -> dict[str, Any]:
        """The release row without its times, once the sums are known."""
        row = self.wanted.release()
        before = self.loaded.release or {}
        row["rule_changes"] = previous.text(before, self.changes)
        for name in tables.CONVERSIONS:
            sums = self.sums.get(name, TableSums())
            added = checksums.total(sums.inserted.values())[0]
            if sums.replaces:
                row[f"{name}_rows"] = added
                row[f"{name}_checksum"] = checksums.digest(sums.inserted)
            else:
                gone = checksums.total(sums.deleted.values())[0]
                row[f"{name}_rows"] = before.get(f"{name}_rows", 0) - gone + added
                row[f"{name}_checksum"] = checksums.moved(
                    before.get(f"{name}_checksum", checksums.digest({})),
                    sums.deleted,
                    sums.inserted,
                )
        return row

    def inserted(self, plan: TablePlan) -> int:
        """The number of rows that were inserted, once they were."""
        is_counted = plan.inserted or not plan.add
        return plan.inserted if is_counted else _rows(self.sums[plan.table].inserted)

    @property
    def changed_rules(self) -> frozenset[str]:
        """The zones that are new or whose rules differ from the loaded ones."""
        changed = {change.zone for change in self.changes}
        return frozenset(changed.union(self.added, self.renamed))

    def few(self, zones: Collection[str]) -> Collection[str] | None:
        """Those zones, or None if they are most: a query for all is faster than a long list."""
        return zones if len(zones) * 2 < len(self.wanted.names) else None


def make(
    backend: Backend, loaded: State, wanted: Wanted, *, repair: bool = False, count: bool = True
) -> Plan:
    """Compare the two states; all rows are read only if the loaded ones are in doubt.

    Without ``count`` the rows of added zones are not counted: loading them does that.
    """
    wanted = wanted.fitted(loaded.numbers, loaded.chosen)
    # the offset and the zone table are small and contain every rule and link, so only they are
    # generated and compared: a folder of rules may change without a new release name
    always = {name: wanted.sums(backend, name, wanted.names) for name in tables.ALWAYS}
    in_doubt = repair or loaded.damage is not None
    if not in_doubt and _is_described(loaded, wanted) and loaded.sums == always:
        return Plan(loaded, wanted, needed=False)
    old, new = set(loaded.names), set(wanted.names)
    until = wanted.horizon.offset_end
    if loaded.release is not None:
        until = min(until, loaded.release["offset_ends_before"])
    end = seconds_of(until)
    # equal sums mean equal rules, unless one of the two reaches further
    both = sorted(
        zone for zone in old & new if loaded.sums["offset"].get(zone) != always["offset"][zone]
    )
    pairs = [(loaded.rules.zone(zone), wanted.rules.zone(zone)) for zone in both]
    changes = tuple(change for pair in pairs for change in offset_changes(*pair, end))
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
    )
    planned = []
    for table in tables.CONVERSIONS:
        if in_doubt:
            made, sums = _by_sums(backend, plan, table)
        else:
            made, sums = _by_rules(backend, plan, table, differing, count=count)
        planned.append(made)
        plan.sums[table] = sums
    needed = not _is_described(loaded, wanted) or any(one.touched for one in planned)
    return replace(plan, needed=needed, tables=tuple(planned))


def _is_described(loaded: State, wanted: Wanted) -> bool:
    """Whether the release row describes the wanted state."""
    release = loaded.release
    return (
        release is not None
        and all(release[key] == value for key, value in wanted.release().items())
        and loaded.tables == wanted.tables
        and loaded.damage is None
    )


def _by_rules(
    backend: Backend, plan: Plan, table: str, differing: Collection[str], *, count: bool
) -> tuple[TablePlan, TableSums]:
    """The changes, if the loaded rows are those of the loaded rules and horizon."""
    loaded, wanted, before = plan.loaded, plan.wanted, plan.loaded.horizon
    old = set(loaded.names if table in loaded.tables else ())
    new = set(wanted.names if table in wanted.tables else ())

    def summed(
        zones: Collection[str], parts_of: Callable[[str], Iterable[Columns]]
    ) -> dict[str, Sums]:
        return sums_of(backend, table, zones, together(zones, parts_of))

    if before is None or not old:
        made = TablePlan(table, add=tuple(sorted(new)), empty=True)
        sums = TableSums(replaces=True)
        if count:
            sums.inserted.update(wanted.sums(backend, table, made.add))
            sums.whole.update(sums.inserted)
        return replace(made, inserted=_rows(sums.inserted)), sums
    inner = edges.common(before, wanted.horizon) if edges.moves(table) else None
    has_moved = edges.moves(table) and before != wanted.horizon
    again = old & new if has_moved and inner is None else set()
    edited = _edited(plan, table, old & new, differing) - again
    moved = old & new - edited if has_moved and inner is not None else set()
    drop, add, sums = (old - new) | again, (new - old) | again, TableSums()
    whole = functools.partial(generate.zone_columns, table)
    sums.deleted.update(summed(drop, lambda zone: whole(loaded.rules, zone, before)))
    if count or not add >= new:  # the load counts a whole table
        sums.inserted.update(wanted.sums(backend, table, add))
        sums.whole.update(sums.inserted)
    edits = {
        zone: change
        for zone, change in plan.edits(table, sorted(edited))
        if len(change.first) or _count(change.inserted)
    }
    sums.deleted.update(summed(edits, lambda zone: [edits[zone].deleted]))
    sums.inserted.update(summed(edits, lambda zone: [edits[zone].inserted]))
    sums.whole.update(wanted.sums(backend, table, edits))
    ends: Iterable[Gathered] = ()
    if inner is not None:
        gone, ends = (
            edges.Ends(table, wanted.rules, sorted(moved), horizon, inner)
            for horizon in (before, wanted.horizon)
        )
        sums.deleted.update(sums_of(backend, table, moved, gone))
        sums.inserted.update(sums_of(backend, table, moved, ends))
    made = TablePlan(
        table,
        tuple(sorted(drop)),
        tuple(sorted(add)),
        tuple(edits),
        tuple(sorted(moved)),
        inner,
        ends,
        _rows(sums.deleted),
        _rows(sums.inserted),
    )
    return made, sums


def _edited(plan: Plan, table: str, zones: set[str], differing: Collection[str]) -> set[str]:
    """Of those zones the ones whose rows may differ beyond the ends of the horizon."""
    loaded, wanted = plan.loaded, plan.wanted
    assert loaded.release is not None
    known_until = loaded.release["offset_ends_before"]
    old, new = loaded.numbers, wanted.rules.numbers or Numbers()
    if table == "zone":
        links = wanted.rules.links
        return {
            zone
            for zone in zones
            if (old.zones[zone], old.rules[zone], loaded.links.get(zone))
            != (new.zones[zone], new.rules[zone], links.get(zone))
        }
    if edges.moves(table):
        # the loaded rules do not say how the day ends in which they end
        is_known = wanted.horizon.end + edges.NEIGHBOURS <= known_until
        return zones & set(differing) if is_known else zones
    if wanted.horizon.offset_end != known_until:
        return zones
    moved = {zone for zone in zones if table == "period" and old.part(zone) != new.part(zone)}
    return zones & set(differing) | moved


def _by_sums(backend: Backend, plan: Plan, table: str) -> tuple[TablePlan, TableSums]:
    """The changes by the checksums of all rows in the database, zone by zone."""
    wanted = plan.wanted
    sums = wanted.sums(backend, table, wanted.names if table in wanted.tables else ())
    there = backend.checksums(tables.CONVERSIONS[table]) if plan.loaded.counts[table] else {}
    wrong = {zone for zone, found in there.items() if sums.get(zone) != found}
    if (
        table == "zone" and there and plan.loaded.counts["offset"]
    ):  # columns that a database derives have no checksum
        wrong |= backend.broken(tables.ZONE).keys() & there.keys()
    add = (sums.keys() - there.keys()) | (wrong & sums.keys())
    made = TablePlan(
        table,
        tuple(sorted(wrong)),
        tuple(sorted(add)),
        deleted=sum(there[zone][0] for zone in wrong),
        inserted=sum(sums[zone][0] for zone in add),
        empty=not there,
    )
    return made, TableSums({}, sums, sums, replaces=True)


def _rows(sums: Mapping[str, Sums]) -> int:
    return checksums.total(sums.values())[0]


def _count(rows: Columns) -> int:
    return len(next(iter(rows.values())))


def _spans(zone: Zone, end: int) -> list[tuple[int, LocalType]]:
    timeline = zone.timeline(end)
    kinds = [timeline.types[kind] for kind in timeline.kinds]
    return list(zip(timeline.starts.tolist(), kinds, strict=True))

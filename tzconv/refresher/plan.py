"""What a refresh has to do: the difference between what is loaded and what should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tzconv import generate, tables
from tzconv.backends import Backend
from tzconv.checksums import Sums
from tzconv.horizon import seconds_of
from tzconv.posix import LocalType
from tzconv.refresher import answers, difference
from tzconv.refresher.answers import Change
from tzconv.refresher.difference import Difference
from tzconv.refresher.loaded import Loaded
from tzconv.refresher.wanted import Wanted
from tzconv.zones import Zone

_ROWS_PER_BATCH = 100_000


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What happens to one table, zone by zone.

    ``drop`` and ``add`` are zones whose rows go or come all together (a zone may be in both),
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

    @property
    def nothing(self) -> bool:
        """Whether all rows stay."""
        return not self.touched


@dataclass(frozen=True, slots=True)
class Plan:
    """``needed`` is False where the database is as it should be.

    ``added`` and ``dropped`` are zones, ``changes`` the local times whose answer changes,
    ``renamed`` the zones of which only abbreviations or flags do. ``sums`` are the wanted rows and
    checksums by table and zone; a first load fills them in. ``damage`` says why the loaded rows had
    to be checked one by one.
    """

    loaded: Loaded
    wanted: Wanted
    needed: bool
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    renamed: tuple[str, ...] = ()
    tables: tuple[TablePlan, ...] = ()
    sums: dict[str, dict[str, Sums]] = field(default_factory=dict)
    damage: str | None = None

    def runs(self, table: str) -> pa.Table:
        """The runs of rows to delete: ``zone``, ``first`` and ``last`` key, both included."""
        [plan] = [plan for plan in self.tables if plan.table == table]
        found = [(zone, edit) for zone, edit in self.edits(plan) if len(edit.first)]
        zones = [np.full(len(edit.first), zone, object) for zone, edit in found]
        if not found:
            return pa.table({})
        return pa.table(
            {
                "zone": pa.array(np.concatenate(zones), pa.utf8()),
                "first": np.concatenate([edit.first for _, edit in found]),
                "last": np.concatenate([edit.last for _, edit in found]),
            }
        )

    def rows(self, table: str, zone_done: generate.ZoneDone | None = None) -> pa.RecordBatchReader:
        """The rows to insert."""
        [plan] = [plan for plan in self.tables if plan.table == table]
        schema = generate.arrow_schema(table)

        def batches() -> Iterator[pa.RecordBatch]:
            if plan.add:
                wanted = self.wanted
                yield from generate.stream(table, wanted.rules, plan.add, wanted.horizon, zone_done)
            for zone, edit in self.edits(plan):
                if edit.inserted:
                    yield generate.batch_of(schema, zone, edit.rows)
                if zone_done is not None:
                    zone_done(zone)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def edits(self, plan: TablePlan) -> Iterator[tuple[str, Difference]]:
        """The difference of each zone of which only some rows differ."""
        if not plan.edit:
            return iter(())
        return _edits(self.loaded, self.wanted, plan.table, plan.edit, self.sums["offset"])


def make(
    backend: Backend, loaded: Loaded, wanted: Wanted, *, repair: bool = False, count: bool = True
) -> Plan:
    """Compare; the rows themselves are looked at only where the loaded ones are in doubt.

    Without ``count`` the rows of a first load are not counted: they will be when they are loaded.
    """
    if not repair and _is_there(backend, loaded, wanted):
        return Plan(loaded, wanted, needed=False)
    if loaded.release is None and not count:
        planned = [
            TablePlan(table, (), wanted.names if table in wanted.tables else (), (), 0, 0, True)
            for table in tables.CONVERSIONS
        ]
        return Plan(loaded, wanted, True, added=wanted.names, tables=tuple(planned))
    sums = {table: wanted.sums(backend, table) for table in tables.CONVERSIONS}
    old, new = set(loaded.rules.names), set(wanted.names)
    both = sorted(old & new)
    until = wanted.horizon.offset_end
    if loaded.release is not None:
        until = min(until, loaded.release["offset_ends_before"])
    end = seconds_of(until)
    pairs = [(loaded.rules.zone(zone), wanted.rules.zone(zone)) for zone in both]
    changes = tuple(change for pair in pairs for change in answers.changes(*pair, end))
    damage = "" if repair else loaded.damage
    if damage is None:
        planned = [_by_rules(loaded, wanted, table, sums) for table in tables.CONVERSIONS]
    else:
        planned = [_by_sums(backend, loaded, wanted, table, sums) for table in tables.CONVERSIONS]
    moved = {change.zone for change in changes}
    differing = {one.name for one, other in pairs if _spans(one, end) != _spans(other, end)}
    needed = not _is_described(loaded, wanted) or any(not plan.nothing for plan in planned)
    return Plan(
        loaded,
        wanted,
        needed,
        tuple(sorted(new - old)),
        tuple(sorted(old - new)),
        changes,
        tuple(sorted(differing - moved)),
        tuple(planned),
        sums,
        loaded.damage,
    )


def _is_described(loaded: Loaded, wanted: Wanted) -> bool:
    """Whether the release row says what is wanted."""
    release = loaded.release
    return (
        release is not None
        and all(release[key] == value for key, value in wanted.release().items())
        and loaded.tables == wanted.tables
        and loaded.damage is None
    )


def _is_there(backend: Backend, loaded: Loaded, wanted: Wanted) -> bool:
    """Whether the release row and the tables agree with what is wanted.

    The offset table is small and holds every rule, so it alone is generated and compared: a folder
    of rules may change without a new release name.
    """
    return _is_described(loaded, wanted) and loaded.offset_sums == wanted.sums(backend, "offset")


def _by_rules(
    loaded: Loaded, wanted: Wanted, table: str, sums: Mapping[str, Mapping[str, Sums]]
) -> TablePlan:
    """Trust the loaded rows: they are what the loaded rules and horizon say."""
    old = loaded.rules.names if table in loaded.tables else ()
    new = wanted.names if table in wanted.tables else ()
    drop = tuple(sorted(set(old) - set(new)))
    add = tuple(sorted(set(new) - set(old)))
    edit = []
    deleted = sum(_rows_of(loaded, table, zone) for zone in drop)
    inserted = sum(sums[table][zone][0] for zone in add)
    both = sorted(set(old) & set(new))
    for zone, edited in _edits(loaded, wanted, table, both, sums["offset"]):
        if edited.deleted or edited.inserted:
            edit.append(zone)
            deleted += edited.deleted
            inserted += edited.inserted
    return TablePlan(table, drop, add, tuple(edit), deleted, inserted, not old)


def _by_sums(
    backend: Backend,
    loaded: Loaded,
    wanted: Wanted,
    table: str,
    sums: Mapping[str, Mapping[str, Sums]],
) -> TablePlan:
    """Trust nothing: ask the database for the checksums of all rows, zone by zone."""
    there = {} if loaded.release is None else backend.checksums(tables.CONVERSIONS[table])
    wrong = {zone for zone, found in there.items() if sums[table].get(zone) != found}
    add = {zone for zone in sums[table] if zone not in there} | (wrong & sums[table].keys())
    return TablePlan(
        table,
        tuple(sorted(wrong)),
        tuple(sorted(add)),
        (),
        sum(there[zone][0] for zone in wrong),
        sum(sums[table][zone][0] for zone in add),
        not there,
    )


def _edits(
    loaded: Loaded,
    wanted: Wanted,
    table: str,
    zones: list[str] | tuple[str, ...],
    offset_sums: Mapping[str, Sums],
) -> Iterator[tuple[str, Difference]]:
    if loaded.horizon is None:
        return
    same_horizon = loaded.horizon == wanted.horizon
    for zone in zones:
        # the offset table's sums say whether a zone has the same rules
        if same_horizon and loaded.offset_sums.get(zone) == offset_sums[zone]:
            continue
        yield (
            zone,
            difference.between(
                tables.CONVERSIONS[table],
                difference.zone_rows(table, loaded.rules, zone, loaded.horizon),
                difference.zone_rows(table, wanted.rules, zone, wanted.horizon),
            ),
        )


def _rows_of(loaded: Loaded, table: str, zone: str) -> int:
    if loaded.horizon is None:
        return 0
    rows = difference.zone_rows(table, loaded.rules, zone, loaded.horizon)
    return len(next(iter(rows.values())))


def _spans(zone: Zone, end: int) -> list[tuple[int, LocalType]]:
    timeline = zone.timeline(end)
    kinds = [timeline.types[kind] for kind in timeline.kinds]
    return list(zip(timeline.starts.tolist(), kinds, strict=True))

"""The plan of a refresh: the difference between the loaded state and the wanted one.

A zone with other rows is replaced as a whole. Rows of the daily and the hourly table that only the
horizon decides are deleted and appended at its ends. Memory is bounded by one zone, and time
follows the rows that change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.refresher import replaced_rules, rows
from tzconv.refresher.loaded import State
from tzconv.refresher.rows import Gathered
from tzconv.refresher.wanted import Wanted
from tzconv.tables import checksums
from tzconv.tables.checksums import Sums
from tzconv.tz.changes import OffsetChange, offset_changes
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.periods import Numbers
from tzconv.tz.posix import LocalType
from tzconv.tz.zones import Zone

_MAKER = "tzconv_version"


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The changes of one table, by zone.

    ``drop`` and ``add`` are zones whose rows are all deleted or inserted; a zone may be in both.
    The rows of the zones to ``move`` change only outside ``inner``, at the ends of the horizon.
    ``before`` has the number of rows and the digest of the table as it is. ``gone`` and ``come``
    are the checksums of the rows to delete and to insert; what ``come`` lacks, the load fills in.
    """

    table: str
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    move: tuple[str, ...] = ()
    inner: Horizon | None = None
    before: tuple[int, str] = (0, checksums.digest({}))
    gone: dict[str, Sums] = field(default_factory=dict)
    come: dict[str, Sums] = field(default_factory=dict)

    @property
    def touched(self) -> frozenset[str]:
        """The zones of which a row is deleted or inserted."""
        return frozenset((*self.drop, *self.add, *self.move))

    @property
    def deleted(self) -> int:
        """The number of rows to delete."""
        return checksums.total(self.gone.values())[0]

    @property
    def inserted(self) -> int:
        """The number of rows to insert, as far as they are known."""
        return checksums.total(self.come.values())[0]


@dataclass(frozen=True, slots=True)
class Plan:
    """``needed`` is False if the database is as it should be.

    ``added`` and ``dropped`` are zones, ``changes`` the times whose offset changes, ``renamed`` the
    zones of which only abbreviations or flags change. ``by_rows`` says that the rows in the
    database were read to make it, because something is damaged or a repair was asked for.
    """

    loaded: State
    wanted: Wanted
    needed: bool
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    changes: tuple[OffsetChange, ...] = ()
    renamed: tuple[str, ...] = ()
    by_rows: bool = False
    tables: tuple[TablePlan, ...] = ()

    def rows(self, one: TablePlan) -> Iterator[Gathered]:
        """The rows to insert."""
        wanted = self.wanted
        yield from rows.of_zones(one.table, wanted.rules, one.add, wanted.horizon)
        yield from rows.of_zones(one.table, wanted.rules, one.move, wanted.horizon, one.inner)

    def release(self) -> dict[str, Any]:
        """The release row without its times, once all checksums are known."""
        row = self.wanted.release()
        row["rule_changes"] = replaced_rules.text(self.loaded.release or {}, self.changes)
        for one in self.tables:
            count, digest = one.before
            row[f"{one.table}_rows"] = count - one.deleted + one.inserted
            row[f"{one.table}_checksum"] = checksums.moved(digest, one.gone, one.come)
        return row

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

    Without ``count`` new rows are not counted: loading them does that.
    """
    wanted = wanted.fitted(loaded.numbers, loaded.chosen)
    # the offset and the zone table are small and contain every rule and link, so only they are
    # generated and compared: a folder of rules may change without a new release name
    always = {name: _sums(wanted, name, wanted.horizon, wanted.names) for name in tables.ALWAYS}
    by_rows = repair or loaded.damage is not None
    if not by_rows and _is_described(loaded, wanted) and loaded.sums == always:
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
        by_rows,
    )
    made = tuple(
        _by_rows(backend, plan, table)
        if by_rows
        else _by_rules(plan, table, always, differing, count=count)
        for table in tables.CONVERSIONS
    )
    needed = not _is_described(loaded, wanted) or any(one.touched for one in made)
    return replace(plan, needed=needed, tables=made)


def _is_described(loaded: State, wanted: Wanted) -> bool:
    """Whether the release row describes the wanted state."""
    release = loaded.release
    return (
        release is not None
        # an older tzconv is a damage, and a newer one may have made the same tables
        and all(release[key] == value for key, value in wanted.release().items() if key != _MAKER)
        and loaded.tables == wanted.tables
        and loaded.damage is None
    )


def _by_rows(backend: Backend, plan: Plan, table: str) -> TablePlan:
    """The changes by the checksums of all rows in the database."""
    wanted, counts = plan.wanted, plan.loaded.counts
    names = _with_rows(wanted, table)
    goal = _sums(wanted, table, wanted.horizon, names)
    there = backend.checksums(tables.CONVERSIONS[table]) if counts[table] else {}
    damaged = set()
    if table == "zone" and there and counts["offset"]:
        # columns that a database derives have no checksum
        damaged = backend.broken(tables.ZONE).keys() & there.keys()
    before = checksums.total(there.values())[0], checksums.digest(there)
    return _replacing(table, there, goal, names, before, damaged)


def _by_rules(
    plan: Plan,
    table: str,
    always: Mapping[str, dict[str, Sums]],
    differing: Collection[str],
    *,
    count: bool,
) -> TablePlan:
    """The changes, if the loaded rows are those of the loaded rules and horizon."""
    loaded, wanted = plan.loaded, plan.wanted
    before, horizon = loaded.horizon, wanted.horizon
    old, new = _with_rows(loaded, table), _with_rows(wanted, table)
    if before is None:
        come = _sums(wanted, table, horizon, new) if count else {}
        return TablePlan(table, add=tuple(sorted(new)), come=come)
    assert loaded.release is not None
    as_it_is = loaded.release[f"{table}_rows"], loaded.release[f"{table}_checksum"]
    if table in tables.ALWAYS:
        return _replacing(table, loaded.sums[table], always[table], new, as_it_is)
    has_moved = rows.moves(table) and before != horizon
    inner = rows.common(before, horizon) if has_moved else None
    stay = old & new - _may_differ(plan, table, differing) if inner or not has_moved else set()
    there = _sums(loaded, table, before, old - stay)
    goal = _sums(wanted, table, horizon, new - stay if count else (new & old) - stay)
    made = _replacing(table, there, goal, new - stay, as_it_is)
    if inner is None or not stay:
        return made
    # by the wanted rules, which are theirs: to read the loaded ones takes as long as the load
    made.gone.update(_sums(wanted, table, before, stay, inner))
    if count:
        made.come.update(_sums(wanted, table, horizon, stay, inner))
    return replace(made, move=tuple(sorted(stay)), inner=inner)


def _replacing(
    table: str,
    there: Mapping[str, Sums],
    goal: Mapping[str, Sums],
    names: Collection[str],
    before: tuple[int, str],
    damaged: Collection[str] = (),
) -> TablePlan:
    """The zones to replace: those whose rows ``there`` are not those of the ``goal``.

    ``names`` are all wanted ones, also those whose rows are not in the goal because none is there.
    """
    drop = {zone for zone, found in there.items() if goal.get(zone) != found}.union(damaged)
    add = set(names) - (there.keys() - drop)
    return TablePlan(
        table,
        tuple(sorted(drop)),
        tuple(sorted(add)),
        before=before,
        gone={zone: there[zone] for zone in drop},
        come={zone: goal[zone] for zone in add if zone in goal},
    )


def _may_differ(plan: Plan, table: str, differing: Collection[str]) -> set[str]:
    """The zones whose rows may differ beyond the ends of the horizon."""
    loaded, wanted = plan.loaded, plan.wanted
    assert loaded.release is not None
    known_until = loaded.release["offset_ends_before"]
    if rows.moves(table):
        # the loaded rules do not say how the day ends in which they end
        is_known = wanted.horizon.end + rows.NEIGHBOURS <= known_until
    else:
        is_known = wanted.horizon.offset_end == known_until
    others = set(differing if is_known else wanted.names)
    if table != "period":
        return others
    old, new = loaded.numbers, _numbers(wanted)
    return others.union(zone for zone in wanted.names if old.part(zone) != new.part(zone))


def _with_rows(state: State | Wanted, table: str) -> set[str]:
    """The zones of a state under whose names a table has rows."""
    if table not in state.tables:
        return set()
    if table != "period":
        return set(state.names)
    numbers = _numbers(state)
    return {zone for zone in state.names if numbers.part(zone)[1]}


def _numbers(state: State | Wanted) -> Numbers:
    found = state.numbers if isinstance(state, State) else state.rules.numbers
    assert found is not None, "the wanted state is fitted"
    return found


def _sums(
    state: State | Wanted,
    table: str,
    horizon: Horizon,
    zones: Collection[str],
    inner: Horizon | None = None,
) -> dict[str, Sums]:
    """Checksums of the rows of some zones outside of ``inner``, by the rules of a state."""
    found = rows.of_zones(table, state.rules, sorted(zones), horizon, inner) if zones else ()
    return rows.sums(table, zones, found)


def _spans(zone: Zone, end: int) -> list[tuple[int, LocalType]]:
    timeline = zone.timeline(end)
    kinds = [timeline.types[kind] for kind in timeline.kinds]
    return list(zip(timeline.starts.tolist(), kinds, strict=True))

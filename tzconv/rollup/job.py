"""One run of a rollup, from its entry to its result: the page to read first.

Plan (``plan``): names, types, zones and grid. A first run asks the gate, makes the tables, and
fills them in steps of a transaction each, so that a run that is stopped goes on where it was.

Keep: one transaction that shows one state of the data computes what the lookback reaches anew, and
the zones whose keys have moved; with ``verify`` also each closed day that differs from the source.
The kept row comes first in each transaction: of two jobs the second one waits, and then looks again.

View: with the first complete rollup, ready local columns over it.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tzconv import view
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.refresher import loaded
from tzconv.rollup import plan
from tzconv.rollup.entry import Entry
from tzconv.rollup.grid import Grid
from tzconv.rollup.plan import Known, Plan, State, ask
from tzconv.rollup.statements import Shape
from tzconv.sql.text import constant
from tzconv.view import source

T = TypeVar("T")

_ATTEMPTS = 10
_FEW_ROWS = 1_000
"""Fewer rows may be deleted without a word."""
_DAY = 86_400
_EPOCH = dt.datetime(1970, 1, 1)
_SERIALIZATION_FAILURE = "40001"


@dataclass(slots=True)
class Outcome:
    """What a run did; ``days`` are closed UTC days, since 1970, that differed from the source."""

    table: str
    is_new: bool
    rows: int = 0
    deleted: int = 0
    inserted: int = 0
    moved: tuple[str | None, ...] = ()
    days: tuple[int, ...] = ()
    view: str | None = None
    width: int = 0
    cuts: int = 0
    notes: list[str] = field(default_factory=list)
    seconds: float = 0


class _NewZones(Exception):  # noqa: N818 # no error: the run looks at them and begins again
    def __init__(self, names: frozenset[str | None]) -> None:
        self.names = names


def run(
    backend: Backend,
    entry: Entry,
    *,
    verify: bool = False,
    rebuild: bool = False,
    force: bool = False,
    allow_delete: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Outcome:
    """Make a rollup or keep it current; DatabaseError undoes the transaction it stands in.

    ``rebuild`` computes all rows with a new grid, ``force`` makes a rollup that does not pay, and
    ``allow_delete`` deletes most of the rows that are looked at.
    """
    began = time.monotonic()
    planned = plan.make(backend, entry, count=not force, anew=rebuild)
    if planned.state is not None and not rebuild:
        _refuse_changes(planned, planned.state)
    if planned.state is None and (advice := planned.advice()) is not None:
        raise DatabaseError(advice)
    job = _Job(backend, planned, verify, allow_delete, Outcome(entry.table, planned.state is None))
    job.outcome.notes += planned.notes
    if planned.state is None:
        job.create()
    elif rebuild:
        job.rebuild(planned.state)
    is_filled = rebuild or (planned.state is not None and planned.state.is_complete)
    steps = [] if is_filled else [*planned.steps(), None]
    for step, ends in enumerate(steps):
        job.attempt(lambda ends=ends: job.fill(ends))  # type: ignore[misc] # a lambda of a loop
        if progress is not None:
            progress(entry.table, step + 1, len(steps))
    while True:
        try:
            job.attempt(job.keep)
            break
        except _NewZones as found:
            job.admit(found.names)
    job.look()
    backend.tidy()
    job.outcome.seconds = time.monotonic() - began
    return job.outcome


def _refuse_changes(planned: Plan, state: State) -> None:
    table = planned.shape.entry.table
    again = "run tzconv rollup --rebuild, which computes all its rows again"
    if state.definition != planned.shape.entry.definition:
        raise DatabaseError(f"The rollup {table} was made by another entry: {again}.")
    if planned.finer:
        raise DatabaseError(
            f"The buckets of {table}, of {state.grid.width // 60} minutes, are too long for "
            f"{', '.join(planned.finer[:5])}: {again}."
        )


@dataclass(slots=True)
class _Job:
    backend: Backend
    planned: Plan
    verify: bool
    allow_delete: bool
    outcome: Outcome

    @property
    def shape(self) -> Shape:
        """Its names."""
        return self.planned.shape

    def attempt(self, work: Callable[[], T]) -> T:
        """Do it in a transaction that shows one state; again if another job came between."""
        for last in range(_ATTEMPTS):
            kept = replace(self.outcome, notes=[*self.outcome.notes])
            try:
                with self.backend.one_state():
                    return work()
            except (DatabaseError, _NewZones) as error:
                state = getattr(error.__cause__, "sqlstate", None)
                self.outcome = kept
                if state != _SERIALIZATION_FAILURE or last == _ATTEMPTS - 1:
                    raise
        raise AssertionError

    def create(self) -> None:
        """Make the empty tables, unless another job has just done so."""
        with self.backend.transaction():
            self.backend.lock()
            if plan.read_state(self.backend, self.shape) is None:
                self._create()

    def _create(self) -> None:
        indexed = not self.backend.scans_ranges
        for statement in self.shape.create(self.planned.grid, indexed=indexed):
            self._run(statement)
        values = {
            "definition": self.shape.entry.definition,
            "grid": self.planned.grid.text(),
            "zones": _json(self.planned.zones),
            "release": self.planned.known.release,
            "is_complete": False,
        }
        self._run(
            f"INSERT INTO {self.shape.state} ({', '.join(values)}) "
            f"VALUES ({', '.join(map(constant, values.values()))})"
        )

    def rebuild(self, state: State) -> None:
        """Compute all rows again in one transaction; its readers see the old ones until then."""

        def anew() -> None:
            self._begin()
            is_same = state.definition == self.shape.entry.definition
            if not is_same:
                if source.exists(self.backend, self._view()):
                    self._run(f"DROP VIEW {self._view()}")
                for statement in self.shape.drop():
                    self._run(statement)
                self._create()
            else:
                self.outcome.deleted += self._count("TRUE")
                self._run(f"DELETE FROM {self.shape.table}")
                self._note(
                    grid=self.planned.grid.text(),
                    zones=_json(self.planned.zones),
                    release=self.planned.known.release,
                    filled_before=None,
                    is_complete=False,
                )
            for ends in [*self.planned.steps(), None]:
                self._fill(self._read(), ends)

        self.attempt(anew)

    def fill(self, ends: int | None) -> None:
        """Compute the rows before a time that are not filled yet."""
        state = self._begin()
        if not state.is_complete:
            self._fill(state, ends)

    def _fill(self, state: State, ends: int | None) -> None:
        starts = state.filled_before
        if starts is not None and ends is not None and ends <= starts:
            return
        if starts is None and ends is not None:
            where = self.shape.between(None, ends)
        else:
            where = self.shape.between(starts, ends)
        self._run(self.shape.insert(state.grid, where))
        if ends is not None:
            self._note(filled_before=ends)
            return
        self._note(filled_before=self._closed(state.grid, starts), is_complete=True)
        self.outcome.inserted += self._count("TRUE")

    def keep(self) -> None:
        """Compute anew what may have changed since the last run."""
        state, shape = self._begin(), self.shape
        if not state.is_complete:
            raise DatabaseError(f"Another job fills {shape.entry.table}: try again later.")
        low = plan.low_of(state, shape.entry)
        if shape.members:
            self._follow_members(state.grid, low)
        self._replace(state.grid, f"{shape.bucket} IS NULL", f"{shape.moment} IS NULL")
        self._again(state.grid, low, None)
        if self.verify:
            self._verify(state.grid, low)
        self._look_at_zones(state, low)
        self._note(
            filled_before=self._closed(state.grid, state.filled_before),
            zones=_json(state.zones | self.planned.zones),
            release=self.planned.known.release,
        )
        self._run(f"UPDATE {shape.state} SET finished_at = {constant(self.backend.now())}")
        self.outcome.width, self.outcome.cuts = state.grid.width, len(state.grid.cuts)
        self.outcome.rows = self._count("TRUE")

    def _follow_members(self, grid: Grid, low: int) -> None:
        """Compute closed buckets of the zones whose keys have moved."""
        shape = self.shape
        found = ask(self.backend, shape.moved())
        if not found:
            return
        orphans = (
            f"{shape.of_zones([None], stored=True)} AND {shape.between(None, low, stored=True)}"
        )
        # a new key moves no row, unless there were rows without an owner
        has_orphans = self._count(orphans) > 0
        moved = {zone for zone, is_new in found if has_orphans or not is_new}
        if moved:
            moved.add(None)  # a key that is gone leaves rows without a zone
            stored = f"{shape.of_zones(moved, stored=True)} AND "
            fresh = f"{shape.of_zones(moved)} AND "
            self._replace(
                grid,
                stored + shape.between(None, low, stored=True),
                fresh + shape.between(None, low),
            )
        self.outcome.moved = tuple(sorted(moved, key=str))
        self._run(f"DELETE FROM {shape.members}")
        self._run(f"INSERT INTO {shape.members} {shape.owners()}")

    def _verify(self, grid: Grid, low: int) -> None:
        """Compute the closed days that differ from the source, from its first row on."""
        shape = self.shape
        first = plan.first_day(self.backend, shape)
        if first is None:
            return
        starts, days = first * _DAY, list[int]()
        # in steps, so that memory is bounded; what the source has let go of stays
        bounds = [starts, *range(starts + 92 * _DAY, low, 92 * _DAY), low]
        for one, other in itertools.pairwise(bounds):
            rows = ask(self.backend, shape.differing(grid, one, other)) if one < other else []
            days += [int(day) for (day,) in rows]
        for _, run_of in itertools.groupby(enumerate(days), lambda pair: pair[1] - pair[0]):
            members = [day for _, day in run_of]
            self._again(grid, max(members[0] * _DAY, starts), min((members[-1] + 1) * _DAY, low))
        self.outcome.days = tuple(days)

    def _again(self, grid: Grid, starts: int, ends: int | None) -> None:
        stored = self.shape.between(starts, ends, stored=True)
        self._replace(grid, stored, self.shape.between(starts, ends))

    def _replace(self, grid: Grid, stored: str, fresh: str) -> None:
        """Delete rows, and insert those of the source in their place."""
        before = self._count(stored)
        if before:
            self._run(self.shape.delete(stored))
        self._run(self.shape.insert(grid, fresh))
        after = self._count(stored)
        self.outcome.deleted += before
        self.outcome.inserted += after
        if after * 2 < before and before > _FEW_ROWS and not self.allow_delete:
            raise DatabaseError(
                f"{self.shape.entry.table}: {before:,} rows would become {after:,}, because the "
                "source has lost theirs: nothing was changed; allow it with --allow-delete."
            )

    def _look_at_zones(self, state: State, low: int) -> None:
        """Zones that the source itself brings are known when they are there."""
        zone = self.shape.entry.kept_zone
        if zone is None or self.shape.members:
            return
        column, wide = f"r.{self.shape.quoted(zone)}", "TRUE" if self.verify else None
        where = (
            wide or f"({self.shape.between(low, None, stored=True)} OR {self.shape.bucket} IS NULL)"
        )
        rows = ask(
            self.backend, f"SELECT DISTINCT {column} FROM {self.shape.table} AS r WHERE {where}"
        )
        if new := {name for (name,) in rows} - state.zones - self.planned.zones:
            raise _NewZones(frozenset(new))

    def admit(self, names: frozenset[str | None]) -> None:
        """Look at zones that have just come; DatabaseError if they need a finer grid."""
        known = self.planned.known
        if not known.rules.names:
            _, rules = loaded.read_rules(self.backend)
            known = Known(rules, known.release, known.until)
        self.outcome.notes += plan.unknown_names(self.backend, self.shape, known, names)
        found = replace(self.planned, known=known, zones=self.planned.zones | names)
        state = plan.read_state(self.backend, self.shape)
        assert state is not None
        finer = state.grid.misfit(known.zones(names), known.until)
        self.planned = replace(found, finer=tuple(finer))
        _refuse_changes(self.planned, state)

    def look(self) -> None:
        """Create the view with local columns, if there is none."""
        entry, shape = self.shape.entry, self.shape
        if not (entry.zone or entry.zone_column):
            return
        self.outcome.view = self._view()
        if source.exists(self.backend, self._view()):
            return
        given: dict[str, str] = {"name": self._view()}
        if entry.zone:
            given["zone"] = entry.zone
        elif entry.kept_zone is not None:
            given["zone_column"] = shape.quoted(entry.kept_zone)
        else:
            assert entry.owner is not None
            table, key, zone, foreign = entry.owner
            given["zone_column"] = f"{shape.named(table)}.{shape.quoted(zone)}"
            given["key"] = f"{shape.quoted(foreign)}={shape.quoted(key)}"
        made = view.plan(
            self.backend,
            f"{shape.table}.{shape.quoted(entry.bucket)}",
            columns=("hour", "day", "week", "month"),
            **given,
        )
        view.create(self.backend, made)
        self.outcome.notes += made.notes

    def _view(self) -> str:
        entry = self.shape.entry
        return (
            self.shape.named(entry.view) if entry.view else self.shape.named(entry.table, "_local")
        )

    def _begin(self) -> State:
        """The kept row, which keeps other jobs out until the transaction ends."""
        self._run(f"UPDATE {self.shape.state} SET started_at = {constant(self.backend.now())}")
        return self._read()

    def _read(self) -> State:
        state = plan.read_state(self.backend, self.shape)
        assert state is not None
        return state

    def _note(self, **values: object) -> None:
        texts = ", ".join(f"{name} = {constant(value)}" for name, value in values.items())
        self._run(f"UPDATE {self.shape.state} SET {texts}")

    def _closed(self, grid: Grid, before: int | None) -> int:
        """The time before which buckets are complete, if rows come in the order of their times."""
        now = int((self.backend.now() - _EPOCH).total_seconds())
        where = self.shape.between(before, now + 1, stored=True)
        newest = f"CAST(extract(epoch FROM max({self.shape.bucket})) AS BIGINT)"
        last = self._value(newest, where)
        if last is None:
            return plan.FIRST if before is None else before
        # the bucket of now may be all that is open, or rows come hours after their time
        is_current = last >= plan.floor(grid, plan.floor(grid, now) - 1)
        return plan.floor(grid, now) if is_current else last

    def _count(self, where: str) -> int:
        return self._value("count(*)", where) or 0

    def _value(self, what: str, where: str) -> int | None:
        found = ask(self.backend, f"SELECT {what} FROM {self.shape.table} AS r WHERE {where}")[0][0]
        return None if found is None else int(found)

    def _run(self, statement: str) -> None:
        self.backend.execute_own(statement)


def _json(names: Collection[str | None]) -> str:
    return json.dumps(sorted(names, key=str))

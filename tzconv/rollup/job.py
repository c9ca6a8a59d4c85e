"""One run of a rollup, from its entry to its result: the page to read first.

Plan (``plan``): names, types, zones and grid. A first run asks the gate, makes the tables, and
fills them in steps of a transaction each, so that a run that is stopped goes on where it was.

Keep: one transaction that shows one state of the data computes what the lookback reaches anew, and
the zones whose keys have moved; with ``verify`` also each closed day that differs from the source.
Each transaction locks the kept row's table first: of two jobs the second one waits its turn.

View: with the first complete rollup, ready local columns over it.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from tzconv import view
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.rollup import plan
from tzconv.rollup.entry import Entry
from tzconv.rollup.grid import Grid
from tzconv.rollup.plan import DAY, Names, Plan, State, ask
from tzconv.rollup.statements import Shape
from tzconv.sql.text import constant
from tzconv.view import source

_FEW_ROWS = 1_000
"""So many rows may be deleted without a word."""
_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: ``rows`` are all of a new rollup, ``moved`` zones whose keys have moved.

    ``days`` are the closed UTC days, counted from 1970, that differed from the source. ``width``
    is in seconds.
    """

    table: str
    is_new: bool
    width: int
    notes: tuple[str, ...]
    rows: int | None
    deleted: int
    inserted: int
    moved: tuple[str | None, ...]
    days: tuple[int, ...]
    view: str | None


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
    planned = plan.make(backend, entry, count=not force, all_rows=verify or rebuild)
    _refuse(planned, rebuild)
    is_new, notes = planned.state is None, planned.notes
    if rebuild:
        planned = plan.make(backend, entry, anew=True)
    job = _Job(backend, planned, verify, allow_delete)
    if is_new:
        job.create()
    if rebuild:
        with job.turn():
            job.rebuild()
    elif not planned.is_complete:
        steps = list(plan.steps(planned.days))
        for step, ends in enumerate(steps, 1):
            with job.turn():
                job.fill(ends)
            if progress is not None:
                progress(entry.table, step, len(steps))
        job.planned = plan.make(backend, entry, all_rows=True)  # rows came meanwhile
        _refuse(job.planned, rebuild=False)
    with job.turn():
        grid, moved, days = job.keep()
    backend.tidy()
    return Outcome(
        entry.table,
        is_new,
        grid.width,
        notes + job.look(),
        job.count("TRUE") if is_new or rebuild else None,  # it takes longer than a run
        job.deleted,
        job.inserted,
        tuple(sorted(moved, key=str)),
        tuple(days),
        job.view,
    )


def _refuse(planned: Plan, rebuild: bool) -> None:
    shape, state, advice = planned.shape, planned.state, planned.advice()
    if state is None and advice is not None:
        raise DatabaseError(advice)
    if state is not None and state.definition != shape.entry.definition:
        tables = ", ".join(filter(None, (shape.table, shape.state, shape.members)))
        raise DatabaseError(
            f"The rollup {shape.entry.table} was made by another entry: choose another table, or "
            f"drop {tables} and the view over it first."
        )
    if planned.finer and not rebuild:
        raise DatabaseError(
            f"The buckets of {shape.entry.table}, of {planned.grid.width // 60} minutes, are too "
            f"long for {', '.join(planned.finer[:5])}: run tzconv rollup --rebuild, which computes "
            "all its rows again."
        )


@dataclass(slots=True)
class _Job:
    backend: Backend
    planned: Plan
    verify: bool
    allow_delete: bool
    deleted: int = 0
    inserted: int = 0

    @property
    def shape(self) -> Shape:
        """Its names."""
        return self.planned.shape

    @property
    def view(self) -> str | None:
        """The view with local columns; None without a zone to convert to."""
        entry = self.shape.entry
        if not (entry.zone or entry.zone_column):
            return None
        return self.shape.named(entry.view or entry.table, "" if entry.view else "_local")

    def turn(self) -> contextlib.AbstractContextManager[None]:
        """A transaction that shows one state, of after the other jobs' transactions."""
        return self.backend.one_state(self.shape.state)

    def create(self) -> None:
        """Make the empty tables, unless another job has just done so."""
        with self.backend.transaction():
            self.backend.lock()
            if plan.read_state(self.backend, self.shape) is not None:
                return
            indexed = not self.backend.scans_ranges
            for statement in self.shape.create(self.planned.grid, indexed=indexed):
                self._run(statement)
            self._run(f"INSERT INTO {self.shape.state} (is_complete) VALUES (FALSE)")
            self._note(definition=self.shape.entry.definition, **self._of_grid())

    def rebuild(self) -> None:
        """Compute all rows again in one transaction; its readers see the old ones until then."""
        self._begin()
        self._run(f"DELETE FROM {self.shape.table}")
        self._note(**self._of_grid(), filled_before=None, is_complete=False)
        for ends in plan.steps(self.planned.days):
            self.fill(ends)

    def fill(self, ends: int | None) -> None:
        """Compute the rows before a time that are not filled yet."""
        state = self._begin()
        starts = state.filled_before
        if state.is_complete or (starts is not None and ends is not None and ends <= starts):
            return
        self._run(self.shape.insert(state.grid, self.shape.between(starts, ends)))
        closed = self._closed(starts) if ends is None else ends
        self._note(filled_before=closed, is_complete=ends is None)

    def keep(self) -> tuple[Grid, Names, list[int]]:
        """Compute anew what may have changed since the last run: the grid, zones and days of it."""
        state, shape = self._begin(), self.shape
        if not state.is_complete:
            raise DatabaseError(f"Another job fills {shape.entry.table}: try again later.")
        self.planned = planned = replace(self.planned, state=state, grid=state.grid)
        moved = self._follow_members(planned.low) if shape.members else frozenset()
        self._replace(f"{shape.bucket} IS NULL", f"{shape.moment} IS NULL")
        self._again(planned.low, None)
        days = self._verify(planned.low) if self.verify else []
        self._look_at_zones(planned.low)
        self._note(
            filled_before=self._closed(state.filled_before),
            zones=_json(state.zones | planned.zones),
            release=planned.release,
            finished_at=self.backend.now(),
        )
        return state.grid, moved, days

    def _follow_members(self, low: int) -> Names:
        """Compute closed buckets of the zones whose keys have moved, which are returned."""
        shape = self.shape
        found = ask(self.backend, shape.moved())
        if not found:
            return frozenset()
        closed = shape.between(None, low, stored=True)
        # a new key moves no row, unless there were rows without an owner
        orphans = self.count(f"{shape.of_zones([None], stored=True)} AND {closed}") > 0
        moved = {zone for zone, is_new in found if orphans or not is_new}
        if moved:
            moved.add(None)  # a key that is gone leaves rows without a zone
            fresh = f"{shape.of_zones(moved)} AND {shape.between(None, low)}"
            self._replace(f"{shape.of_zones(moved, stored=True)} AND {closed}", fresh)
        self._run(f"DELETE FROM {shape.members}")
        self._run(f"INSERT INTO {shape.members} {shape.owners()}")
        return frozenset(moved)

    def _verify(self, low: int) -> list[int]:
        """Compute the closed days that differ from the source, from its first row on."""
        counted = plan.days(self.backend, self.shape)
        if not counted or counted[0][0] * DAY >= low:
            return []
        # in steps, so that memory is bounded; what the source has let go of stays
        ends = [end for end in plan.steps(counted) if end is not None and end < low]
        bounds = [counted[0][0] * DAY, *ends, low]
        days = [
            int(day)
            for bound in itertools.pairwise(bounds)
            for (day,) in ask(self.backend, self.shape.differing(self.planned.grid, *bound))
        ]
        for day in days:
            self._again(day * DAY, min((day + 1) * DAY, low))
        return days

    def _again(self, starts: int, ends: int | None) -> None:
        stored = self.shape.between(starts, ends, stored=True)
        self._replace(stored, self.shape.between(starts, ends))

    def _replace(self, stored: str, fresh: str) -> None:
        """Delete rows, and insert those of the source in their place."""
        before = self.count(stored)
        if before:
            self._run(self.shape.delete(stored))
        self._run(self.shape.insert(self.planned.grid, fresh))
        after = self.count(stored)
        self.deleted += before
        self.inserted += after
        if after * 2 < before and before > _FEW_ROWS and not self.allow_delete:
            raise DatabaseError(
                f"{self.shape.entry.table}: {before:,} rows would become {after:,}, because the "
                "source has lost theirs: nothing was changed; allow it with --allow-delete."
            )

    def _look_at_zones(self, low: int) -> None:
        """DatabaseError if rows have brought zones that the plan has not seen."""
        zone, shape = self.shape.entry.kept_zone, self.shape
        if zone is None or shape.members:
            return
        where = f"{shape.between(low, None, stored=True)} OR {shape.bucket} IS NULL"
        found = ask(
            self.backend,
            f"SELECT DISTINCT r.{shape.quoted(zone)} FROM {shape.table} AS r "
            f"WHERE {'TRUE' if self.verify else where}",
        )
        if {name for (name,) in found} - self.planned.zones:
            raise DatabaseError(f"{shape.entry.table}: new zones came meanwhile: run it again.")

    def look(self) -> tuple[str, ...]:
        """Create the view with local columns if there is none; notes."""
        entry, shape, name = self.shape.entry, self.shape, self.view
        if name is None or source.exists(self.backend, name):
            return ()
        owner, given = entry.owner, {"name": name}
        if entry.zone:
            given["zone"] = entry.zone
        elif owner is None or entry.kept_zone is not None:
            given["zone_column"] = shape.quoted(entry.kept_zone or "")
        else:
            given["zone_column"] = f"{shape.named(owner[0])}.{shape.quoted(owner[2])}"
            given["key"] = f"{shape.quoted(owner[3])}={shape.quoted(owner[1])}"
        column = f"{shape.table}.{shape.quoted(entry.bucket)}"
        try:
            made = view.plan(
                self.backend, column, columns=("hour", "day", "week", "month"), **given
            )
            view.create(self.backend, made)
        except DatabaseError as error:
            if source.exists(self.backend, name):  # another job has just made it
                return ()
            raise DatabaseError(f"{entry.table} is current, but has no view: {error}") from error
        return made.notes

    def _begin(self) -> State:
        """The kept row, with the time of this run."""
        self._note(started_at=self.backend.now())
        state = plan.read_state(self.backend, self.shape)
        assert state is not None
        return state

    def _of_grid(self) -> dict[str, str]:
        new = self.planned
        return {"grid": new.grid.text(), "zones": _json(new.zones), "release": new.release}

    def _note(self, **values: object) -> None:
        texts = ", ".join(f"{name} = {constant(value)}" for name, value in values.items())
        self._run(f"UPDATE {self.shape.state} SET {texts}")

    def _closed(self, before: int | None) -> int:
        """The time before which buckets are complete, if rows come in the order of their times."""
        now = int((self.backend.now() - _EPOCH).total_seconds())
        where = self.shape.between(before, now + 1, stored=True)
        last = self._value(f"CAST(extract(epoch FROM max({self.shape.bucket})) AS BIGINT)", where)
        if last is None:
            return plan.FIRST if before is None else before
        # the bucket of now may be all that is open, or rows come hours after their time
        grid = self.planned.grid
        current = grid.start(now)
        return current if last >= grid.start(current - 1) else last

    def count(self, where: str) -> int:
        """The rows of the rollup that meet a condition."""
        return self._value("count(*)", where) or 0

    def _value(self, what: str, where: str) -> int | None:
        found = ask(self.backend, f"SELECT {what} FROM {self.shape.table} AS r WHERE {where}")[0][0]
        return None if found is None else int(found)

    def _run(self, statement: str) -> None:
        self.backend.execute_own(statement)


def _json(names: Names) -> str:
    return json.dumps(sorted(names, key=str))

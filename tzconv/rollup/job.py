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
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tzconv import view
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.rollup import plan
from tzconv.rollup.entry import Entry
from tzconv.rollup.plan import EPOCH, Names, Plan, State
from tzconv.rollup.statements import DAY, FIRST, LAST, Shape
from tzconv.sql.text import constant
from tzconv.view import checks, source

_FEW_ROWS = 1_000
"""So many rows may be deleted without a word."""


@dataclass(slots=True)
class Outcome:
    """What a run did: ``rows`` are all of a new rollup, ``moved`` zones whose keys have moved.

    ``days`` are the closed UTC days, counted from 1970, that differed from the source. ``width``
    is the seconds of a bucket, ``length`` the same for people.
    """

    table: str
    is_new: bool
    width: int = 0
    length: str = ""
    notes: tuple[str, ...] = ()
    rows: int | None = None
    deleted: int = 0
    inserted: int = 0
    moved: tuple[str | None, ...] = ()
    days: tuple[int, ...] = ()
    view: str | None = None


class _UnseenError(DatabaseError):
    """Rows have brought zones, or a refresh rules, that the plan has not seen."""


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
    plan.refuse_other_owners(backend, entry)
    planned = plan.make(backend, entry, count=not (force or rebuild), anew=rebuild, look=rebuild)
    planned.refuse()
    done, steps = Outcome(entry.table, planned.state is None), plan.steps(planned.days)
    job = _Job(backend, planned, done, verify, allow_delete)
    if done.is_new:
        job.create()
    if rebuild:
        with job.turn():
            job.empty()
            for ends in steps:
                job.fill(ends)
            job.keep()
    else:
        for step, ends in enumerate(steps, 1):
            with job.turn():
                job.fill(ends)
            if progress is not None:
                progress(entry.table, step, len(steps) + 1)
        try:
            with job.turn():
                job.keep()
        except _UnseenError:
            job.planned = plan.make(backend, entry)
            job.planned.refuse()
            done.deleted, done.inserted, done.days = 0, 0, ()
            with job.turn():
                job.keep()
    grid, done.notes = job.planned.grid, job.planned.notes + job.look()
    done.width, done.length = grid.width, grid.length
    if done.is_new or rebuild:  # it takes longer than a run
        done.rows = plan.count_rows(backend, f"{planned.shape.table} AS r")
    return done


@dataclass(slots=True)
class _Job:
    backend: Backend
    planned: Plan
    done: Outcome
    verify: bool
    allow_delete: bool

    @property
    def shape(self) -> Shape:
        """Its names."""
        return self.planned.shape

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """A transaction that shows one state, of after the other jobs' transactions."""
        with self.backend.one_state(self.shape.state):
            plan.refuse_other_owners(self.backend, self.shape.entry)  # who may have come meanwhile
            yield

    def create(self) -> None:
        """Make the empty tables, unless another job has just done so."""
        with self.backend.transaction():
            self.backend.lock()
            if plan.read_state(self.backend, self.shape) is not None:
                return
            indexed = not self.backend.scans_ranges
            for statement in self.shape.create(self.planned.grid, indexed=indexed):
                self.backend.execute_own(statement)
            self.backend.execute_own(f"INSERT INTO {self.shape.state} (definition) VALUES ('')")
            self.begin_anew()

    def empty(self) -> None:
        """Delete the rows that the source can give again, to be filled anew."""
        shape = self.shape
        begin = FIRST if self.allow_delete else plan.begins(self.backend, shape)
        if begin == LAST:
            self._refuse_loss(plan.count_rows(self.backend, f"{shape.table} AS r"), 0)
            begin = FIRST
        again = f"{shape.held(begin, None, stored=True)} OR {shape.bucket} IS NULL"
        self.done.deleted += self.backend.write(shape.delete(again))
        if begin > FIRST:
            old, grid = self._state().grid, self.planned.grid
            changed = (
                [(begin, replace(old, kept=()))] if replace(grid, kept=old.kept) != old else []
            )
            self.planned.grid = replace(grid, kept=(*old.kept, *changed))
            far = shape.between(FIRST, FIRST + DAY)
            self.backend.execute_own(shape.insert(self.planned.grid, far))
        self.begin_anew(begin)

    def fill(self, ends: int) -> None:
        """Compute the rows before a time that are not filled yet."""
        state = self._state()
        if not state.is_complete and state.filled_before < ends:
            where = self.shape.between(state.filled_before, ends)
            self.backend.execute_own(self.shape.insert(state.grid, where))
            self._note(filled_before=str(ends))

    def keep(self) -> None:
        """Compute anew what may have changed since the last run."""
        state, shape = self._state(), self.shape
        began = self.backend.now()  # later rows are not in the state that this transaction shows
        # zones that fit: those of before by the same rules, and those of a plan for this grid
        fit = state.zones if state.release == self.planned.release else frozenset()
        fit |= self.planned.zones if state.grid == self.planned.grid else frozenset()
        self.planned.state, self.planned.grid = state, state.grid
        low = self.planned.low
        is_known = bool(shape.members) and not self._follow_members(low) and state.is_complete
        stored = f"{shape.between(low, None, stored=True)} OR {shape.bucket} IS NULL"
        self._replace(stored, f"{shape.between(low, None)} OR {shape.moment} IS NULL")
        if self.verify:
            self._verify(low)
        if not (is_known and state.zones | plan.named(shape.entry) <= fit):
            seen = "TRUE" if self.verify or not state.is_complete else stored
            is_known = plan.served(self.backend, shape, f"{shape.table} AS r WHERE {seen}") <= fit
        if state.grid.kept:
            plan.refuse_long_buckets(self.backend, shape, state.grid)
        if not is_known:
            raise _UnseenError(f"{shape.entry.table}: new zones came meanwhile: run it again.")
        self._note(
            filled_before=str(self._filled(state, low, int((began - EPOCH).total_seconds()))),
            zones=_json(fit),
            release=constant(self.planned.release),
            finished_at=constant(self.backend.now()),
        )

    def _filled(self, state: State, low: int, now: int) -> int:
        """Where the next run begins: at the last bucket, or at its end if that is long ago.

        Until it has ended for as long as it lasts, more of its rows may come.
        """
        [(last,)] = self.backend.query(self.shape.last(low, now + 1)).tuples()
        if last is None:
            return state.filled_before
        width = state.grid.width
        ends = int(last) - int(last) % width + width
        return ends if ends + width <= now else int(last)

    def _follow_members(self, low: int) -> bool:
        """Compute closed buckets of the zones whose keys have moved; whether there are any."""
        shape = self.shape
        found = self.backend.query(shape.moved()).tuples()
        if not found:
            return False
        checks.refuse_repeated_keys(self.backend, shape.owner_key)
        closed = shape.between(None, low, stored=True)
        # a new key moves no row, unless there were rows without an owner
        without = f"{shape.table} AS r WHERE {shape.of_zones([None], stored=True)} AND {closed}"
        orphans = plan.count_rows(self.backend, without) > 0
        changed = [zones for *zones, is_new in found if orphans or not int(is_new)]
        moved = {zone for zones in changed for zone in zones}
        if moved:
            within = plan.begins(self.backend, shape), low
            fresh = f"{shape.of_zones(moved)} AND {shape.held(*within)}"
            held = shape.held(*within, stored=True)
            self._replace(f"{shape.of_zones(moved, stored=True)} AND {held}", fresh)
        self.backend.execute_own(f"DELETE FROM {shape.members}")
        self.backend.execute_own(f"INSERT INTO {shape.members} {shape.owners}")
        self.done.moved = tuple(sorted(moved, key=str))
        return True

    def _verify(self, low: int) -> None:
        """Compute the closed days that differ from the source, from its first row on."""
        shape, counted = self.shape, plan.days(self.backend, self.shape)
        # in steps, so that memory is bounded; what the source has let go of stays
        begin = plan.begins(self.backend, shape)
        parts = [(FIRST, FIRST + DAY)] if counted and counted[0][0] * DAY == FIRST else []
        if begin < low:
            cuts = (one for one in plan.steps(counted) if begin < one < low)
            parts += itertools.pairwise([begin, *cuts, low])
        for part in parts:
            found = self.backend.query(shape.differing(self.planned.grid, *part)).tuples()
            self.done.days += tuple(int(day) for (day,) in found)
        for day in self.done.days:
            starts = FIRST if day * DAY == FIRST else max(day * DAY, begin)
            within = starts, min((day + 1) * DAY, low)
            self._replace(shape.between(*within, stored=True), shape.between(*within))

    def _replace(self, stored: str, fresh: str) -> None:
        """Delete rows, and insert those of the source in their place."""
        before = self.backend.write(self.shape.delete(stored))
        after = self.backend.write(self.shape.insert(self.planned.grid, fresh))
        self.done.deleted += before
        self.done.inserted += after
        self._refuse_loss(before, after)

    def _refuse_loss(self, before: int, after: int) -> None:
        """DatabaseError if most of many rows would go."""
        if after * 2 < before and before > _FEW_ROWS and not self.allow_delete:
            raise DatabaseError(
                f"{self.shape.entry.table}: {before:,} rows would become {after:,}, because the "
                "source has lost theirs: nothing was changed; allow it with --allow-delete."
            )

    def look(self) -> tuple[str, ...]:
        """Create the view with local columns if there is none; notes."""
        entry, shape, state = self.shape.entry, self.shape, self.planned.state
        if not (entry.zone or entry.zone_column):
            return ()
        self.done.view = name = shape.named(entry.table, "_local")
        if state is not None and state.view == name and not self.verify:
            return ()
        owner, zone_column, key = entry.owner, shape.quoted(entry.kept_zone or ""), None
        if owner is not None and entry.kept_zone is None:
            zone_column = f"{shape.named(owner.table)}.{shape.quoted(owner.zone)}"
            key = f"{shape.quoted(owner.foreign)}={shape.quoted(owner.key)}"
        try:
            planned = view.plan(
                self.backend,
                f"{shape.table}.{shape.quoted(entry.bucket)}",
                zone=entry.zone or None,
                zone_column=None if entry.zone else zone_column,
                key=key,
                name=name,
                columns=("hour", "day", "week", "month"),
            )
            notes = planned.notes
            with self.turn():
                view.execute(self.backend, planned)
                self._note(view=constant(name))
        except DatabaseError as error:
            if self._state().view != name or not source.exists(self.backend, name):
                kept, own = f"{shape.table}.{zone_column}", "" if owner else f"{entry.source}."
                said = str(error).replace(kept, f"{own}{entry.zone_column}")  # the next run has it
                said = said.replace("choose another --name, or ", "")
                why = f"{entry.table} is current, but has no view: {said}"
                raise DatabaseError(why) from error
            notes = ()  # it was there
        return notes

    def _state(self) -> State:
        state = plan.read_state(self.backend, self.shape)
        if state is None:
            raise DatabaseError(f"{self.shape.table} was dropped meanwhile: run it again.")
        return state

    def begin_anew(self, begin: int = FIRST) -> None:
        """Take the grid of the plan for rows that are to be filled from a time on."""
        self._note(
            definition=constant(self.shape.entry.definition),
            grid=constant(self.planned.grid.text()),
            zones=_json(self.planned.zones),
            release=constant(self.planned.release),
            filled_before=str(begin),
            finished_at="NULL",
        )

    def _note(self, **values: str) -> None:
        """Write into the kept row; values are SQL text."""
        texts = ", ".join(f"{name} = {value}" for name, value in values.items())
        self.backend.execute_own(f"UPDATE {self.shape.state} SET {texts}")


def _json(names: Names) -> str:
    return constant(json.dumps(sorted(names, key=str)))

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
from typing import Any

from tzconv import view
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.rollup import plan
from tzconv.rollup.entry import Entry
from tzconv.rollup.plan import DAY, Names, Plan, State, ask
from tzconv.rollup.statements import FIRST, Shape
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
    planned = plan.make(backend, entry, count=not (force or rebuild), anew=rebuild, look=rebuild)
    planned.refuse()
    if (advice := planned.advice()) is not None:
        raise DatabaseError(advice)
    job, is_new, steps = (
        _Job(backend, planned, verify, allow_delete),
        False,
        plan.steps(planned.days),
    )
    if planned.state is None:
        job.create()
        is_new = True
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
            with job.turn():
                job.keep()
    return Outcome(
        entry.table,
        is_new,
        job.planned.grid.width,
        job.planned.notes + job.look(),
        job.count("TRUE") if is_new or rebuild else None,  # it takes longer than a run
        job.deleted,
        job.inserted,
        job.moved,
        job.days,
        job.view,
    )


@dataclass(slots=True)
class _Job:
    backend: Backend
    planned: Plan
    verify: bool
    allow_delete: bool
    deleted: int = 0
    inserted: int = 0
    moved: tuple[str | None, ...] = ()
    days: tuple[int, ...] = ()

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
            self._run(f"INSERT INTO {self.shape.state} (definition) VALUES ('')")
            self._begin_anew()

    def empty(self) -> None:
        """Delete all rows, and take the grid of the plan."""
        self._run(f"DELETE FROM {self.shape.table}")
        self._begin_anew()

    def fill(self, ends: int) -> None:
        """Compute the rows before a time that are not filled yet."""
        state = self._state()
        if not state.is_complete and state.filled_before < ends:
            where = self.shape.between(state.filled_before, ends)
            self._run(self.shape.insert(state.grid, where))
            self._note(filled_before=ends)

    def keep(self) -> None:
        """Compute anew what may have changed since the last run."""
        state, shape = self._state(), self.shape
        # zones that fit: those of before by the same rules, and those of a plan for this grid
        fit = state.zones if state.release == self.planned.release else frozenset()
        fit |= self.planned.zones if state.grid == self.planned.grid else frozenset()
        self.planned = planned = replace(self.planned, state=state, grid=state.grid)
        self.deleted, self.inserted, low = 0, 0, planned.low
        is_known = bool(shape.members) and not self._follow_members(low) and state.is_complete
        stored = f"{shape.between(low, None, stored=True)} OR {shape.bucket} IS NULL"
        last = self._replace(stored, f"{shape.between(low, None)} OR {shape.moment} IS NULL")
        if self.verify:
            self._verify(low)
        if not (is_known and state.zones <= fit):
            seen = "TRUE" if self.verify or not state.is_complete else stored
            is_known = plan.served(self.backend, shape, f"{shape.table} AS r WHERE {seen}") <= fit
        if not is_known:
            raise _UnseenError(f"{shape.entry.table}: new zones came meanwhile: run it again.")
        self._note(
            # rows may yet come to the bucket of the last one
            filled_before=state.filled_before if last is None else last,
            zones=_json(fit),
            release=planned.release,
            finished_at=self.backend.now(),
        )

    def _follow_members(self, low: int) -> bool:
        """Compute closed buckets of the zones whose keys have moved; whether there are new keys."""
        shape = self.shape
        found = ask(self.backend, shape.moved())
        if not found:
            return False
        plan.refuse_repeated_keys(self.backend, shape)
        closed = shape.between(None, low, stored=True)
        # a new key moves no row, unless there were rows without an owner
        orphans = self.count(f"{shape.of_zones([None], stored=True)} AND {closed}") > 0
        changed = [zones for *zones, is_new in found if orphans or not int(is_new)]
        moved = {zone for zones in changed for zone in zones}
        if moved:
            fresh = f"{shape.of_zones(moved)} AND {shape.between(None, low)}"
            self._replace(f"{shape.of_zones(moved, stored=True)} AND {closed}", fresh)
        self._run(f"DELETE FROM {shape.members}")
        self._run(f"INSERT INTO {shape.members} {shape.owners()}")
        self.moved = tuple(sorted(moved, key=str))
        return True

    def _verify(self, low: int) -> None:
        """Compute the closed days that differ from the source, from its first row on."""
        shape, counted = self.shape, plan.days(self.backend, self.shape)
        if not counted or counted[0][0] * DAY >= low:
            return
        # in steps, so that memory is bounded; what the source has let go of stays
        bounds = [counted[0][0] * DAY, *(one for one in plan.steps(counted) if one < low), low]
        questions = [shape.differing(self.planned.grid, *one) for one in itertools.pairwise(bounds)]
        self.days = tuple(int(day) for sql in questions for (day,) in ask(self.backend, sql))
        for day in self.days:
            ends = min((day + 1) * DAY, low)
            stored = shape.between(day * DAY, ends, stored=True)
            self._replace(stored, shape.between(day * DAY, ends))

    def _replace(self, stored: str, fresh: str) -> int | None:
        """Delete rows, and insert those of the source in their place; the last bucket until now."""
        if before := self.count(stored):
            self._run(self.shape.delete(stored))
        self._run(self.shape.insert(self.planned.grid, fresh))
        bucket, now = self.shape.bucket, constant(self.backend.now())
        until_now = f"{bucket} >= {self.shape.at(FIRST, 'timestamp')} AND {bucket} <= {now}"
        last = f"CAST(extract(epoch FROM max(CASE WHEN {until_now} THEN {bucket} END)) AS BIGINT)"
        [(count, filled)] = self._ask(f"count(*), {last}", stored)
        after = int(count)
        self.deleted += before
        self.inserted += after
        if after * 2 < before and before > _FEW_ROWS and not self.allow_delete:
            raise DatabaseError(
                f"{self.shape.entry.table}: {before:,} rows would become {after:,}, because the "
                "source has lost theirs: nothing was changed; allow it with --allow-delete."
            )
        return None if filled is None else int(filled)

    def look(self) -> tuple[str, ...]:
        """Create the view with local columns if there is none; notes."""
        entry, shape, name = self.shape.entry, self.shape, self.view
        state = self.planned.state
        if name is None or (state is not None and state.view == name and not self.verify):
            return ()
        owner, zone_column, key = entry.owner, shape.quoted(entry.kept_zone or ""), None
        if owner is not None and entry.kept_zone is None:
            zone_column = f"{shape.named(owner.table)}.{shape.quoted(owner.zone)}"
            key = f"{shape.quoted(owner.foreign)}={shape.quoted(owner.key)}"
        try:
            made = view.plan(
                self.backend,
                f"{shape.table}.{shape.quoted(entry.bucket)}",
                zone=entry.zone or None,
                zone_column=None if entry.zone else zone_column,
                key=key,
                name=name,
                columns=("hour", "day", "week", "month"),
            )
            view.create(self.backend, made)
            notes = made.notes
        except DatabaseError as error:
            if not source.exists(self.backend, name):
                why = f"{entry.table} is current, but has no view: {error}"
                raise DatabaseError(why) from error
            notes = ()  # it was there
        with self.turn():
            self._note(view=name)
        return notes

    def _state(self) -> State:
        state = plan.read_state(self.backend, self.shape)
        if state is None:
            raise DatabaseError(f"{self.shape.table} was dropped meanwhile: run it again.")
        return state

    def _begin_anew(self) -> None:
        self._note(
            definition=self.shape.entry.definition,
            grid=self.planned.grid.text(),
            zones=_json(self.planned.zones),
            release=self.planned.release,
            filled_before=FIRST,
            finished_at=None,
        )

    def _note(self, **values: object) -> None:
        texts = ", ".join(f"{name} = {constant(value)}" for name, value in values.items())
        self._run(f"UPDATE {self.shape.state} SET {texts}")

    def count(self, where: str) -> int:
        """The rows of the rollup that meet a condition."""
        return int(self._ask("count(*)", where)[0][0])

    def _ask(self, what: str, where: str) -> list[tuple[Any, ...]]:
        return ask(self.backend, f"SELECT {what} FROM {self.shape.table} AS r WHERE {where}")

    def _run(self, statement: str) -> None:
        self.backend.execute_own(statement)


def _json(names: Names) -> str:
    return json.dumps(sorted(names, key=str))

"""One refresh from its arguments to its result: the page to read first.

Plan: ``selection`` completes the request by what the release row keeps of the last one, ``loaded``
reads the state of the tables, ``wanted`` finds rules, zones and horizon (``probing`` asks the
database for its rules), ``plan`` compares the two by zone, ``guards`` stops what is rarely meant,
``function_check`` compares the database's own function with the rules.

Apply, in one transaction: the lock, the migration, missing tables; then ``apply`` deletes and
inserts, table by table.

Verify, before the commit: ``apply`` compares the changed rows in the database with the generated
ones. The release row comes last.

``rows`` makes and sums the rows of zones, ``replaced_rules`` keeps what a refresh has changed,
``script`` shows a plan.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from tzconv import engines, migrate
from tzconv.engines import LOCK_TIMEOUT, urls
from tzconv.engines.backend import Backend
from tzconv.errors import BusyError, DatabaseError, some
from tzconv.refresher import function_check, guards, loaded, plan, wanted
from tzconv.refresher.apply import Progress, apply
from tzconv.refresher.function_check import Disagreement
from tzconv.refresher.guards import Allowance
from tzconv.refresher.plan import Plan
from tzconv.refresher.selection import Day, Request
from tzconv.refresher.wanted import Wanted
from tzconv.tables import ALL
from tzconv.tz.changes import OffsetChange
from tzconv.tz.zones import Rules


class MismatchError(DatabaseError):
    """The database's own function disagrees with the tables, and the caller does not accept it."""

    def __init__(self, disagreements: Iterable[Disagreement]) -> None:
        self.disagreements = tuple(disagreements)
        names = some([one.zone for one in self.disagreements])
        super().__init__(
            f"The database's own function disagrees with the rules for {names}: nothing was "
            "changed; take its rules with --rules database, leave those zones out, or accept it "
            "with --on-mismatch warn."
        )


@dataclass(frozen=True, slots=True)
class Refresh:
    """What a refresh found or did.

    ``rows`` counts the rows by the short names of the tables, ``deleted`` and ``inserted`` the
    changed ones. ``disagreements`` are the zones for which the database's own function has other
    rules, found after a load with a random sample that ``seed`` repeats. ``left_out`` counts the
    rows of names that the query for zones returned and the rules do not know. ``beyond_function``
    is the day from which the database's own function has no daylight saving time, if the horizon
    ends later.
    ``kept`` are the options that this refresh took from the last one.
    """

    changed: bool
    tz_release: str
    rules: str
    start: dt.date
    end: dt.date
    zone_count: int
    rows: dict[str, int]
    deleted: dict[str, int]
    inserted: dict[str, int]
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    changes: tuple[OffsetChange, ...]
    seconds: float
    disagreements: tuple[Disagreement, ...]
    seed: int | None
    left_out: Mapping[str, int]
    beyond_function: dt.date | None
    kept: dict[str, object]


def refresh(  # noqa: PLR0913 # each is one choice of the user's, by its name
    database: str | Backend | None = None,
    *,
    zones: str | Iterable[str] | None = None,
    start: Day = None,
    end: Day = None,
    rules: str | Path | Rules | None = None,
    tables: Iterable[str] | None = None,
    schema: str | None = None,
    on_mismatch: Literal["warn", "fail"] = "warn",
    repair: bool = False,
    allow: Allowance | Iterable[Allowance] = (),
    lock_timeout: float = LOCK_TIMEOUT,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Refresh:
    """Create or renew the conversion tables of a database; change nothing if they are right.

    ``database`` is a URL (``duckdb:///tzconv.duckdb`` by default) or an open backend; ``zones`` are
    IANA names, ``all``, or ``sql:SELECT ...`` for the names that a query of the database returns;
    ``start`` and ``end`` the UTC days ``[start, end)`` (from last year to the end of next year);
    ``rules`` is ``tzdata``, ``database`` or a folder of TZif files; ``tables`` are short names
    (the loaded ones, and ``daily``, ``offset``, ``zone`` and, on DuckDB, ``period``; ``offset`` and
    ``zone`` are always added). None takes the value of the last refresh, which the release
    row keeps; ``default`` stands for a default day or table. ``schema`` is where the
    tables are. ``repair`` recomputes the checksums of all rows. ``allow`` permits what is otherwise
    an error: to ``delete`` most rows of a table, ``drop`` zones, or load ``older`` rules.
    Errors are TzconvErrors, and leave the database as it was.
    """
    allowed: frozenset[Any] = frozenset([allow] if isinstance(allow, str) else allow)
    for name, given, known in (
        ("on_mismatch", {on_mismatch}, ("warn", "fail")),
        ("allow", allowed, get_args(Allowance)),
    ):
        for one in given - set(known):
            raise DatabaseError(f"{name} has {one!r}: choose from {', '.join(known)}.")
    job = _Job(
        Request(zones, start, end, rules, tables),
        on_mismatch == "warn",
        repair,
        allowed,
        function_check.new_seed() if seed is None else seed,
        progress,
    )
    if not (database is None or isinstance(database, str)):
        engines.refuse_others(database)
        return job.finish(database, job.plan(database))
    wanted.check(job.request)  # before a database is opened
    missing = urls.missing_file(database)
    if missing is not None and job.request.by_query:
        raise DatabaseError(
            f"{missing}: no such file, so the query of --zones cannot run: check the URL."
        )
    if engines.dialect_of_url(database) != engines.DEFAULT:
        with engines.connect(database, schema=schema, lock_timeout=lock_timeout) as backend:
            return job.finish(backend, job.plan(backend))
    with open_for_plan(database, schema, lock_timeout) as backend:
        planned = job.plan(backend)
    # only now, so that other processes can read the file while the plan is made
    wait = lock_timeout if planned.needed else 0
    try:
        with engines.connect(database, schema=schema, lock_timeout=wait) as backend:
            return job.finish(backend, planned)
    except BusyError:
        if planned.needed:
            raise
    with open_for_plan(database, schema, lock_timeout) as backend:
        return job.finish(backend, planned)


def open_for_plan(url: str | None, schema: str | None, lock_timeout: float = 0) -> Backend:
    """A database to plan for, opened for reading; a DuckDB file that does not exist is empty."""
    missing = urls.missing_file(url)
    if missing is not None and missing.parent.is_dir():
        return engines.connect(urls.EMPTY, schema=schema)
    # without a folder for it, to write says what is missing
    is_there = missing is None
    return engines.connect(url, read_only=is_there, schema=schema, lock_timeout=lock_timeout)


def make_plan(
    backend: Backend, request: Request, *, repair: bool = False, count: bool = True
) -> Plan:
    """What a refresh would do; without ``count`` the rows of a first load are not counted."""
    with backend.transaction(read_only=True):
        migrate.check(backend)
        backend.check_ours(adopt=repair)
        backend.check_trusted()
        state = loaded.read(backend)
        goal = wanted.choose(backend, request, state.kept)
        return plan.make(backend, state, goal, repair=repair, count=count)


def disagreements(backend: Backend) -> list[Disagreement]:
    """Zones for which the database's own function and the loaded tables differ."""
    state = loaded.read(backend)
    if state.horizon is None:
        return []
    rules = state.rules
    return function_check.disagreements(backend, rules, rules.names, state.horizon)


@dataclass(slots=True)
class _Job:
    """``found`` has the zones that the function disagrees on, if it was asked."""

    request: Request
    may_differ: bool
    repair: bool
    allowed: frozenset[Allowance]
    seed: int
    progress: Progress | None
    began: dt.datetime = dt.datetime.min
    found: list[Disagreement] = field(default_factory=list)

    def plan(self, backend: Backend) -> Plan:
        """Plan, and ask the database's function."""
        self.began = backend.now()
        planned = make_plan(backend, self.request, repair=self.repair, count=False)
        guards.check(planned, self.allowed)
        # if nothing is needed, the server's rules may have changed since the last refresh, or that
        # one accepted them
        if planned.needed or not self.may_differ:
            with backend.transaction(read_only=True):
                self.found = self._ask(planned, backend)
        return planned

    def finish(self, backend: Backend, planned: Plan) -> Refresh:
        """Apply the plan, or note in the release row that there was nothing to do."""
        goal, rows = planned.wanted, planned.loaded.counts
        if planned.needed:
            with backend.transaction():
                backend.lock()
                backend.check_trusted()
                is_new = len(backend.missing_tables()) == len(ALL)
                # first, because on some databases this ends the transaction and begins another one
                migrate.migrate(backend)
                for table in backend.missing_tables():
                    backend.create(table)
                if backend.newest_release() != planned.loaded.release:  # another one came first
                    planned = self._again(backend, goal)
                if planned.needed:
                    is_new &= planned.loaded.release is None and not any(rows.values())
                    rows = apply(backend, planned, self.progress, new=is_new)
                    for table in backend.missing_keys():
                        backend.add_key(table)
                    self._insert_release(backend, planned)
        if planned.needed:
            backend.tidy()
        else:
            assert planned.loaded.release is not None
            backend.check_in(planned.loaded.release)
            rows = planned.loaded.counts
        backend.reclaim()
        return Refresh(
            planned.needed,
            goal.rules.release,
            goal.rules.source,
            goal.horizon.start,
            goal.horizon.end,
            len(goal.names),
            rows,
            {one.table: one.deleted for one in planned.tables},
            {one.table: one.inserted for one in planned.tables},
            planned.added,
            planned.dropped,
            planned.changes,
            (backend.now() - self.began).total_seconds(),
            tuple(self.found),
            self.seed if planned.needed else None,
            goal.left_out,
            function_check.beyond(backend, goal.horizon),
            self.request.kept_of(goal.selection),
        )

    def _again(self, backend: Backend, goal: Wanted) -> Plan:
        """The plan after another refresh; DatabaseError if that has changed the selection."""
        state = loaded.read(backend)
        if self.request.selection(state.kept) != goal.selection:
            raise DatabaseError(
                "Another refresh has just changed the selection that this one follows: "
                "nothing was changed; run tzconv refresh again."
            )
        planned = plan.make(backend, state, goal, repair=self.repair)
        guards.check(planned, self.allowed)
        return planned

    def _ask(self, planned: Plan, backend: Backend) -> list[Disagreement]:
        """The zones that differ; MismatchError if they may not."""
        goal, before = planned.wanted, planned.loaded.horizon
        ask = functools.partial(function_check.disagreements, backend, goal.rules, seed=self.seed)
        if before is None or planned.loaded.damage or self.repair or not self.may_differ:
            found = ask(goal.names, goal.horizon)
        else:  # the function and the other rows were compared when those were loaded
            changed = planned.changed_rules
            found = ask(changed, goal.horizon)
            others = [name for name in goal.names if name not in changed]
            for part in goal.horizon.beyond(before):
                found += ask(others, part, inside=part)
            found.sort(key=lambda one: one.zone)
        if found and not self.may_differ:
            raise MismatchError(found)
        return found

    def _insert_release(self, backend: Backend, planned: Plan) -> None:
        now = finished = backend.now()
        if before := planned.loaded.release:
            # the newest row counts, even if the clock was set back
            finished = max(finished, before["finished_at"] + dt.timedelta(microseconds=1))
        times = {"started_at": self.began, "finished_at": finished, "last_checked_at": now}
        backend.insert_release(planned.release() | times)

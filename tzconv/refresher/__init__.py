"""Refresh the conversion tables of a database; ``tzconv.refresh`` and the command line call it.

Plan: compare the loaded tables with the wanted ones. Apply: only the difference, in one
transaction, the release row last. Verify before the commit: the rows in the database against the
generated ones, and the database's own function against the rules. A reader sees the old tables or
the new ones, and a killed job leaves the old ones.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tzconv import engines, migrate
from tzconv.engines import LOCK_TIMEOUT, urls
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.refresher import agreement, loaded, plan, wanted
from tzconv.refresher.agreement import Disagreement
from tzconv.refresher.apply import Progress, apply
from tzconv.refresher.plan import OffsetChange, Plan, TablePlan
from tzconv.refresher.wanted import Request, Wanted
from tzconv.tz.zones import Rules

__all__ = [
    "Disagreement",
    "MismatchError",
    "OffsetChange",
    "Plan",
    "Progress",
    "Refresh",
    "Request",
    "TablePlan",
    "disagreements",
    "make_plan",
    "open_for_plan",
    "refresh",
]


class MismatchError(DatabaseError):
    """The database's own function disagrees with the tables, and the caller does not accept it."""

    def __init__(self, disagreements: Iterable[Disagreement]) -> None:
        self.disagreements = tuple(disagreements)
        names = [one.zone for one in self.disagreements]
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        super().__init__(
            f"The database's own function disagrees with the rules for {', '.join(names[:8])}"
            f"{more}: nothing was changed; take its rules with --rules database, leave those zones "
            "out, or accept it with --on-mismatch warn."
        )


@dataclass(frozen=True, slots=True)
class Refresh:
    """What a refresh found or did.

    ``rows`` counts the rows by the short names of the tables, ``deleted`` and ``inserted`` the
    changed ones. ``disagreements`` are the zones for which the database's own function has other
    rules, found after a load with a random sample that ``seed`` repeats. ``left_out`` are names
    that the query for zones returned and the rules do not know. ``beyond_function`` is the day from
    which the database's own function has no daylight saving time, if the horizon ends later.
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
    left_out: tuple[str, ...]
    beyond_function: dt.date | None


def refresh(  # noqa: PLR0913 # each is one choice of the user's, by its name
    database: str | Backend | None = None,
    *,
    zones: str | Iterable[str] | None = None,
    start: dt.date | None = None,
    end: dt.date | None = None,
    rules: str | Path | Rules = "tzdata",
    tables: Iterable[str] | None = None,
    schema: str | None = None,
    on_mismatch: Literal["warn", "fail"] = "warn",
    repair: bool = False,
    lock_timeout: float = LOCK_TIMEOUT,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Refresh:
    """Create or renew the conversion tables of a database; write nothing if they are right.

    ``database`` is a URL (``duckdb:///tzconv.duckdb`` by default) or an open backend; ``zones`` are
    IANA names (all of the tz release), or ``sql:SELECT ...`` for the names that a query of the
    database returns; ``start`` and ``end`` the UTC days ``[start, end)`` (from last year to the end
    of next year); ``rules`` is ``tzdata``, ``database`` or a folder of TZif files; ``tables`` are
    short names (the loaded ones, and ``daily``, ``offset``, ``zone`` and, on DuckDB, ``period``;
    ``offset`` and ``zone`` are always added); ``schema`` is where they are. ``repair`` recomputes
    the checksums of all rows. Errors are TzconvErrors, and leave the database as it was.
    """
    request = Request(zones, start, end, rules, tables)
    may_differ, chosen_seed = on_mismatch == "warn", agreement.new_seed() if seed is None else seed
    if not (database is None or isinstance(database, str)):
        return _refresh(database, request, may_differ, repair, chosen_seed, progress)
    wanted.check(request)  # before a database is opened
    if request.by_query and (missing := urls.missing_file(database)) is not None:
        raise DatabaseError(
            f"{missing}: no such file, so the query of --zones cannot run: check the URL."
        )
    with engines.connect(database, schema=schema, lock_timeout=lock_timeout) as backend:
        return _refresh(backend, request, may_differ, repair, chosen_seed, progress)


def open_for_plan(url: str | None, schema: str | None) -> Backend:
    """A database to plan for, opened for reading; a DuckDB file that does not exist is empty."""
    missing = urls.missing_file(url)
    if missing is not None and missing.parent.is_dir():
        return engines.connect(urls.EMPTY, schema=schema)
    return engines.connect(url, read_only=True, schema=schema)


def make_plan(
    backend: Backend, request: Request, *, repair: bool = False, count: bool = True
) -> Plan:
    """What a refresh would do; without ``count`` the rows of a first load are not counted."""
    with backend.transaction(read_only=True):
        backend.check_ours()
        state, goal = loaded.read(backend), wanted.choose(backend, request)
        return plan.make(backend, state, goal, repair=repair, count=count)


def disagreements(backend: Backend) -> list[Disagreement]:
    """Zones for which the database's own function and the loaded tables differ."""
    state = loaded.read(backend)
    if state.horizon is None:
        return []
    rules = state.rules
    return agreement.disagreements(backend, rules, rules.names, state.horizon, agreement.new_seed())


def _refresh(
    backend: Backend,
    request: Request,
    may_differ: bool,
    repair: bool,
    seed: int,
    progress: Progress | None,
) -> Refresh:
    began = backend.now()
    planned = make_plan(backend, request, repair=repair, count=False)
    goal = planned.wanted
    verify = functools.partial(_disagreements, goal, may_differ, seed)
    found: list[Disagreement] = []
    if planned.needed:
        # these may fail: before the transaction has written anything
        backend.zone_names(goal.names)
        backend.abbreviations()
        with _verifying(backend, planned, verify) as verified, backend.transaction():
            backend.lock()
            # first, because on some databases this ends the transaction and begins another one
            made = migrate.migrate(backend)
            now_loaded = loaded.read(backend)
            if now_loaded.release != planned.loaded.release:  # another refresh came first
                planned = plan.make(backend, now_loaded, planned.wanted, repair=repair)
            if planned.needed:
                new = bool(made) and planned.loaded.release is None
                rows = apply(backend, planned, progress, new=new)
                found = verified()
                finished = backend.now()
                if before := planned.loaded.release:
                    # the newest row counts, even if the clock was set back
                    after = before["finished_at"] + dt.timedelta(microseconds=1)
                    finished = max(finished, after)
                times = {"started_at": began, "finished_at": finished}
                backend.insert_release(planned.release() | times)
    if planned.needed:
        backend.tidy()
    else:
        rows = planned.loaded.counts  # another refresh has done the same
        if not may_differ:
            # the server's rules may have changed since, or an earlier refresh accepted them
            with backend.transaction(read_only=True):
                verify(backend)
    return Refresh(
        planned.needed,
        goal.rules.release,
        goal.rules.source,
        goal.horizon.start,
        goal.horizon.end,
        len(goal.names),
        rows,
        {one.table: one.deleted for one in planned.tables},
        {one.table: rows[one.table] if one.empty else one.inserted for one in planned.tables},
        planned.added,
        planned.dropped,
        planned.changes,
        (backend.now() - began).total_seconds(),
        tuple(found),
        seed if planned.needed else None,
        goal.left_out,
        agreement.beyond(backend, goal.horizon),
    )


@contextlib.contextmanager
def _verifying(
    backend: Backend, planned: Plan, verify: Callable[[Backend], list[Disagreement]]
) -> Iterator[Callable[[], list[Disagreement]]]:
    """Verify the database's function during a first load; yields a function for the result.

    The questions do not depend on the tables; later refreshes are too short to gain.
    """
    with contextlib.ExitStack() as stack:
        is_first = planned.loaded.release is None
        other = stack.enter_context(backend.second_connection()) if is_first else None
        if other is None:
            yield lambda: verify(backend)
        else:
            yield stack.enter_context(ThreadPoolExecutor(1)).submit(verify, other).result


def _disagreements(
    goal: Wanted, may_differ: bool, seed: int, backend: Backend
) -> list[Disagreement]:
    """The zones that differ; MismatchError if they may not."""
    found = agreement.disagreements(backend, goal.rules, goal.names, goal.horizon, seed)
    if found and not may_differ:
        raise MismatchError(found)
    return found

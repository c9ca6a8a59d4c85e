"""What ``tzconv status`` and ``tzconv doctor`` say about rollups."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace

from tzconv.engines.backend import Backend
from tzconv.errors import TzconvError
from tzconv.health import Check, Condition, Health, heartbeat
from tzconv.rollup import plan
from tzconv.rollup.entry import Entry


def added(
    found: Health,
    backend: Backend,
    entries: Iterable[Entry],
    max_age: dt.timedelta | None,
    *,
    every_row: bool,
) -> Health:
    """The same with a check of each rollup; only with ``every_row`` zones of sources are read."""
    for entry in entries:
        look = every_row or entry.owner is not None
        condition, check = _look(backend, entry, max_age, look=look)
        rollups, findings = (*found.rollups, condition), (*found.findings, check)
        found = replace(found, rollups=rollups, findings=findings)
    return found


def _look(
    backend: Backend, entry: Entry, max_age: dt.timedelta | None, *, look: bool
) -> tuple[Condition, Check]:
    name, here = f"rollup {entry.table}", Condition(entry.table)
    try:
        made = plan.make(backend, entry, look=look)
        state = made.state
        if state is None or state.finished_at is None:
            text = f"The rollup {entry.table} is not complete: run tzconv rollup {entry.table}."
            return here, Check(name, "warning", text)
        filled = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=state.filled_before)
        here = Condition(entry.table, filled, state.finished_at, made.finer)
        made.refuse()
    except TzconvError as error:
        return here, Check(name, "error", str(error))
    text = f"The rollup {entry.table} is current to {filled:%Y-%m-%d %H:%M} UTC; a run finished at"
    job = f"tzconv rollup {entry.table}"
    return here, heartbeat(state.finished_at, backend.now(), max_age, text, name, job)

"""What ``tzconv status`` and ``tzconv doctor`` say about a rollup."""

from __future__ import annotations

import datetime as dt

from tzconv.engines.backend import Backend
from tzconv.errors import TzconvError
from tzconv.health import Check, Condition, heartbeat
from tzconv.rollup import plan
from tzconv.rollup.entry import Entry


def look(
    backend: Backend, entry: Entry, max_age: dt.timedelta | None, *, every_row: bool
) -> tuple[Condition, Check]:
    """The condition of a rollup, and a check; only with ``every_row`` the source is read."""
    name, here = f"rollup {entry.table}", Condition(entry.table)
    try:
        made = plan.make(backend, entry, look=every_row or entry.owner is not None)
        state = made.state
        if state is None or state.finished_at is None:
            text = f"The rollup {entry.table} is not complete: run {entry.job}."
            return here, Check(name, "warning", text)
        filled = plan.EPOCH + dt.timedelta(seconds=state.filled_before)
        here = Condition(entry.table, filled, state.finished_at, made.finer)
        made.refuse()
    except TzconvError as error:
        return here, Check(name, "error", str(error))
    until = f"is current to {filled:%Y-%m-%d %H:%M} UTC" if filled.year > 1 else "has no rows yet"
    text = f"The rollup {entry.table} {until}; a run finished at"
    return here, heartbeat(state.finished_at, backend.now(), max_age, text, name, entry.job)

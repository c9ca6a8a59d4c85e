"""Timing of the two forms of a statement, to keep the faster one; used by the hook.

Each run takes one form, so the caller waits for one query, as always. Only the driver is timed, to
execute and to fetch, not the caller's own work on the rows.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_RUNS = 3
"""Of each form; the fastest of three counts, because the first one may meet a cold cache."""


@dataclass(frozen=True, slots=True)
class Timings:
    """The fastest run of each form, in seconds; infinite if all runs failed."""

    original: float
    rewritten: float


class Race:
    """The rewritten form begins, and wins a tie. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = {False: 0, True: 0}
        self._seconds: dict[bool, list[float]] = {False: [], True: []}
        self.timings: Timings | None = None
        """None until it is decided."""

    @property
    def is_won(self) -> bool | None:
        """Whether the rewritten form has won; None until it is decided."""
        found = self.timings
        return None if found is None else found.rewritten <= found.original

    def begin(self) -> bool:
        """Whether this run takes the rewritten form."""
        with self._lock:
            is_rewritten = self._begun[True] <= self._begun[False]
            self._begun[is_rewritten] += 1
            return is_rewritten

    def end(self, is_rewritten: bool, seconds: float = math.inf) -> bool:
        """Add the time of a run, infinite if it failed; returns whether that decides the race."""
        with self._lock:
            self._seconds[is_rewritten].append(seconds)
            if self.timings or min(map(len, self._seconds.values())) < _RUNS:
                return False
            self.timings = Timings(min(self._seconds[False]), min(self._seconds[True]))
            return True


class TimedRun:
    """One run of one form; ``done(is_rewritten, seconds)`` is called once, at its end."""

    def __init__(
        self, is_rewritten: bool, done: Callable[[bool, float], object], clock: Callable[[], float]
    ) -> None:
        self._is_rewritten = is_rewritten
        self._done = done
        self._clock = clock
        self._seconds = 0.0
        self._started = clock()
        self._is_over = False

    def stop(self) -> None:
        """The driver has returned."""
        self._seconds += self._clock() - self._started

    def start(self) -> None:
        """The driver works again."""
        self._started = self._clock()

    def end(self, seconds: float | None = None) -> None:
        """All rows are fetched, the caller wants no more, or the run failed: infinite seconds."""
        if not self._is_over:
            self._is_over = True
            self._done(self._is_rewritten, self._seconds if seconds is None else seconds)


class Fetching:
    """The cursor of a run whose driver fetches rows, or even computes them, on request."""

    def __init__(self, cursor: Any, run: TimedRun) -> None:
        self._cursor = cursor
        self._run = run

    def close(self) -> None:
        """Ends the run, too: the caller wants no more rows."""
        self._run.end()
        self._cursor.close()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._cursor, name)
        if name not in ("fetchone", "fetchmany", "fetchall"):
            return found

        def fetch(*size: int) -> Any:
            self._run.start()
            try:
                rows = found(*size)
            finally:
                self._run.stop()
            if name == "fetchall" or rows is None or (name == "fetchmany" and not rows):
                self._run.end()
            return rows

        return fetch

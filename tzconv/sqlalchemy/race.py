"""Two forms of a statement that return the same: which one is faster, found while both are used.

Each run takes one form and never both, so what the caller waits for is one query, as always. Only
what the driver takes is timed, to execute and to fetch, and not what the caller does with the rows.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_RUNS = 3
"""Of each form: the first one may pay for a cold cache, and the fastest of three counts."""


@dataclass(frozen=True, slots=True)
class Timings:
    """The fastest run of each form, in seconds; infinite for one that has only failed."""

    original: float
    rewritten: float


class Race:
    """The rewritten form begins, and wins a tie; any number of threads may take part."""

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
        """Whether this run is to take the rewritten form."""
        with self._lock:
            is_rewritten = self._begun[True] <= self._begun[False]
            self._begun[is_rewritten] += 1
            return is_rewritten

    def end(self, is_rewritten: bool, seconds: float = math.inf) -> bool:
        """Tell how long a run took, infinitely where it failed; whether that has decided it."""
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
        """The driver is done for now."""
        self._seconds += self._clock() - self._started

    def start(self) -> None:
        """The driver is at work again."""
        self._started = self._clock()

    def end(self, seconds: float | None = None) -> None:
        """All rows are there, or the caller wants no more."""
        if not self._is_over:
            self._is_over = True
            self._done(self._is_rewritten, self._seconds if seconds is None else seconds)

    def fail(self) -> None:
        """The database or the driver has refused it."""
        self.end(math.inf)


class Fetching:
    """The cursor of a run whose driver fetches rows, or even computes them, when they are asked."""

    def __init__(self, cursor: Any, run: TimedRun) -> None:
        self._cursor = cursor
        self._run = run

    def close(self) -> None:
        """The end for a result of which the caller wants no more."""
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

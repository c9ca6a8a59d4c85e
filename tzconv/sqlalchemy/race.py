"""Timing of the two forms of a statement, to keep the faster one; used by the hook.

Each run takes one form, so the caller waits for one query, as always. Only the driver is timed, to
execute and to fetch, not the caller's own work on the rows.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

_RUNS = 3
"""Of each form; the fastest of three counts, because the first one may meet a cold cache."""
_MOST_GROUPS = 64
_REST = "the rest"


@dataclass(frozen=True, slots=True)
class Timings:
    """The fastest run of each form, in seconds; infinite if all runs failed."""

    original: float
    rewritten: float


class Race:
    """Runs of both forms, compared among runs with the same parameters. Thread-safe.

    The large customer of a report and the small one each get the form that is faster for them. The
    rewritten form begins, and wins a tie. Parameters that come after the first 64 are compared
    by the number of rows that came back, and take the rewritten form if it has lost nowhere.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._groups: dict[Hashable, _Group] = {}
        self.timings: Timings | None = None
        """Those of the first group that was decided; None until then."""
        self._wins: bool | None = None

    @property
    def is_won(self) -> bool | None:
        """Whether the rewritten form has won for some parameters; None until one is decided."""
        return self._wins

    def begin(self, given: Hashable) -> tuple[bool, bool]:
        """Whether a run with these parameters takes the rewritten form, and whether to time it."""
        group = self._groups.get(given)
        if group is not None and group.is_won is not None:
            return group.is_won, False
        with self.lock:
            if group is None and len(self._groups) < _MOST_GROUPS:
                group = self._groups[given] = _Group()
            if group is None:
                won = [one.is_won for one in self._groups.values() if one.is_won is not None]
                if len(won) >= _RUNS:
                    return all(won), False
                group = self._groups.setdefault(_REST, _Group())
            is_rewritten = group.begun[True] <= group.begun[False]
            group.begun[is_rewritten] += 1
            return is_rewritten, True

    def leave(self, given: Hashable) -> None:
        """Keep the original for these parameters: the database expects few rows."""
        group = self._groups.setdefault(given, _Group())
        group.is_won = False

    def end(
        self, given: Hashable, is_rewritten: bool, seconds: float = math.inf, rows: int = -1
    ) -> bool:
        """Add the time of a run, infinite if it failed; returns whether that decides something."""
        with self.lock:
            group = self._groups.get(given)
            if group is None:
                group = self._groups.setdefault((_REST, rows.bit_length()), _Group())
            if not group.add(is_rewritten, seconds):
                return False
            before, self._wins = self._wins, bool(self._wins or group.is_won)
            if self.timings is None or self._wins is not before:
                self.timings = Timings(min(group.seconds[False]), min(group.seconds[True]))
                return True
            return False


class _Group:
    """The runs with one set of parameters."""

    __slots__ = ("begun", "is_won", "seconds")

    def __init__(self) -> None:
        self.begun = {False: 0, True: 0}
        self.seconds: dict[bool, list[float]] = {False: [], True: []}
        self.is_won: bool | None = None

    def add(self, is_rewritten: bool, seconds: float) -> bool:
        """Whether this run decides."""
        if self.is_won is not None:
            return False
        self.seconds[is_rewritten].append(seconds)
        if min(map(len, self.seconds.values())) < _RUNS:
            return False
        self.is_won = min(self.seconds[True]) <= min(self.seconds[False])
        return True


class TimedRun:
    """One run of one form; ``done(is_rewritten, seconds, rows)`` is called once, at its end."""

    def __init__(
        self,
        is_rewritten: bool,
        done: Callable[[bool, float, int], object],
        clock: Callable[[], float],
    ) -> None:
        self._is_rewritten = is_rewritten
        self._done = done
        self._clock = clock
        self._seconds = 0.0
        self._started = clock()
        self._is_over = False
        self.rows = 0

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
            self._done(self._is_rewritten, self._seconds if seconds is None else seconds, self.rows)


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
            self._run.rows += len(rows) if name != "fetchone" else rows is not None
            if name == "fetchall" or rows is None or (name == "fetchmany" and not rows):
                self._run.end()
            return rows

        return fetch

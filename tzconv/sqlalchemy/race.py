"""Timing of the two forms of a statement, to keep the faster one; used by the hook.

Each run takes one form, so the caller waits for one query, as always. Only the driver is timed, to
execute and to fetch, not the caller's own work on the rows.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from tzconv.sqlalchemy.cache import Cache

_RUNS = 3
"""Of each form; the fastest of three counts, because the first one may meet a cold cache."""
_MOST_SETS = 64
_MOST_VALUES = 256
_MIXED = -1
_ESTIMATES = 48.0
"""So often the database is asked at first for the rows of further sets."""
_EARNED = 0.05
"""Of a later question, for each set whose rows are known without one."""
LOCK = threading.Lock()
"""Of all that threads decide together; the hook makes a new one in a forked process."""
Given: TypeAlias = tuple[str, ...]
"""The values of parameters, and the settings of the application, as texts."""


@dataclass(frozen=True, slots=True)
class Timings:
    """The fastest run of each form, in seconds; infinite if all runs failed."""

    original: float
    rewritten: float


class Race:
    """The rewritten form begins, and wins a tie. Thread-safe."""

    def __init__(self, *, is_won: bool | None = None) -> None:
        self._begun = {False: 0, True: 0}
        self._seconds: dict[bool, list[float]] = {False: [], True: []}
        self.timings: Timings | None = None
        self.is_won = is_won
        """Whether the rewritten form has won; None until it is decided."""

    def begin(self) -> bool:
        """Whether this run takes the rewritten form."""
        with LOCK:
            is_rewritten = self._begun[True] <= self._begun[False]
            self._begun[is_rewritten] += 1
            return is_rewritten

    def end(self, is_rewritten: bool, seconds: float = math.inf) -> bool:
        """Add the time of a run, infinite if it failed; returns whether that decides the race."""
        with LOCK:
            self._seconds[is_rewritten].append(seconds)
            if self.timings or min(map(len, self._seconds.values())) < _RUNS:
                return False
            self.timings = Timings(min(self._seconds[False]), min(self._seconds[True]))
            self.is_won = self.timings.rewritten <= self.timings.original
            return True


class Sizes:
    """The number of rows that sets of parameters reach, as a class: 0 is too few to convert.

    A parameter's value that reached one class of rows whenever the database was asked, such as a
    customer's number, tells the class without another question.
    """

    def __init__(self, fewest: float) -> None:
        self._fewest = fewest
        self._seen: Cache[tuple[int, int], int] = Cache(_MOST_VALUES)
        self._values: Counter[int] = Counter()
        self._repeating: set[int] = set()
        self._credit = _ESTIMATES

    def is_few(self, rows: float | None) -> bool:
        """Whether the function is faster for so many rows."""
        return rows is not None and rows < self._fewest

    def of(self, given: Given, rows: Callable[[], float | None]) -> int | None:
        """The class of a set; None if it is unknown and the database has been asked enough."""
        places = [
            (place, hash(text))
            for place, text in enumerate(given)
            if place in self._repeating or self._values[place] < _MOST_VALUES
        ]
        found = [self._seen.get(one) for one in places]
        known = {one for one in found if one is not None and one != _MIXED}
        if self._credit >= 1 and (None in found or len(known) != 1):
            self._credit -= 1
            size = self._class(rows())
            for one, before in zip(places, found, strict=True):
                self._seen.put(one, size if before in (None, size) else _MIXED)
                self._values[one[0]] += before is None
            seen = zip(places, found, strict=True)
            self._repeating |= {place for (place, _), it in seen if it is not None}
            return size
        if known and self._credit < _ESTIMATES:
            self._credit += _EARNED
        return max(known, default=None)

    def _class(self, rows: float | None) -> int:
        if rows is None:
            return 1
        return 0 if self.is_few(rows) else 2 + int(rows).bit_length() // 2


class Races:
    """One race for each set of parameters, so that a large customer and a small one each keep the
    form that is faster for them; a set that reaches few rows keeps the original.

    After 64 sets, such as those with the number of a request, runs are compared by the rows that
    the database expects; where it has been asked enough, the form that was faster for most rows is
    kept.
    """

    def __init__(self, fewest: float) -> None:
        self._races: dict[Given, Race] = {}
        self._by_size: dict[int, Race] = {}
        self._sizes = Sizes(fewest)

    def of(self, given: Given, rows: Callable[[], float | None]) -> Race:
        """The race of these parameters; ``rows`` asks how many rows they are expected to reach."""
        found = self._races.get(given)
        if found is None and len(self._races) < _MOST_SETS:
            # the decision itself has asked for the first set
            is_few = bool(self._races) and self._sizes.is_few(rows())
            return self._races.setdefault(given, Race(is_won=False if is_few else None))
        return found or self._of_size(self._sizes.of(given, rows))

    def _of_size(self, size: int | None) -> Race:
        if size is not None:
            return self._by_size.setdefault(size, Race(is_won=None if size else False))
        decided = [size for size, race in self._by_size.items() if race.is_won is not None]
        return self._by_size[max(decided)] if decided else Race(is_won=True)

    def leave(self, given: Given) -> None:
        """Keep the original for these parameters: the database expects few rows."""
        self._races[given] = Race(is_won=False)

    @property
    def _decided(self) -> Race | None:
        """A race that the rewritten form has won, else one that it has lost."""
        races = [*self._races.values(), *self._by_size.values()]
        found = [race for race in races if race.timings is not None]
        return max(found, key=lambda race: bool(race.is_won), default=None)

    @property
    def is_won(self) -> bool | None:
        """Whether the rewritten form has won for some parameters; None until one is decided."""
        return None if self._decided is None else self._decided.is_won

    @property
    def timings(self) -> Timings | None:
        """Those of such a race."""
        return None if self._decided is None else self._decided.timings


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

    _cursor: Any
    _run: TimedRun

    def __init__(self, cursor: Any, run: TimedRun) -> None:
        vars(self).update(_cursor=cursor, _run=run)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._cursor, name, value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchone, None)

    def __enter__(self) -> Fetching:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

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

"""The results of a benchmark as plain data, which ``tzconv bench --json`` prints."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tzconv.compare import Cost

ORIGINAL, LIMIT, CHOSEN = "original", "no conversion", "chosen"
"""Names of variants: as it was written, the same without conversions, what the rewriter makes."""
CONVERSIONS, REPORTS, TUNED = "conversions", "reports", "tuned"
"""The suites: one query for each kind of conversion, and reports of a company, on a usual schema
and on one that somebody has tuned for its queries."""
Say = Callable[[str], None]
"""Called with a line about each step."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One text of a query and what it cost; seconds, medians unless said otherwise.

    ``names`` has the strategy that was forced, and ``chosen``; ``strategies`` are those that the
    text uses. ``of_native`` and ``of_limit`` are ratios of these medians: CPU time, or elapsed time
    where the server's CPU time cannot be seen; ``elapsed_of_native`` is always elapsed time.
    ``problem`` is why there are no figures, or what is wrong with its rows; ``same`` is None
    for the limit, whose rows are others.
    """

    names: tuple[str, ...]
    sql: str
    strategies: tuple[str, ...]
    rounds: int = 0
    rows: int | None = None
    same: bool | None = None
    problem: str | None = None
    wall_best: float | None = None
    wall: float | None = None
    cpu: float | None = None
    of_native: float | None = None
    elapsed_of_native: float | None = None
    of_limit: float | None = None

    @property
    def cost(self) -> Cost:
        """Elapsed and CPU seconds, NaN where they are unknown."""
        return Cost(*(math.nan if one is None else one for one in (self.wall, self.cpu)))

    @property
    def cpu_of_native(self) -> float | None:
        """``of_native``, if that is CPU time."""
        return None if self.cpu is None else self.of_native


@dataclass(frozen=True, slots=True)
class Measured:
    """One query: the original first, then the limit if there is one, then the rewrites.

    ``left`` has place and reason of what the rewriter leaves unchanged.
    """

    name: str
    title: str
    variants: tuple[Variant, ...]
    left: tuple[str, ...] = ()

    def variant(self, name: str) -> Variant | None:
        """The variant of that name."""
        return next((one for one in self.variants if name in one.names), None)

    @property
    def chosen(self) -> Variant:
        """What the rewriter makes of it: the original where it changes nothing."""
        return self.variant(CHOSEN) or self.variants[0]

    @property
    def same(self) -> bool:
        """Whether every rewrite that ran returned the rows of the original."""
        return not any(one.same is False for one in self.variants)

    @property
    def loses(self) -> bool:
        """Whether the rewriter's choice is slower than the original, or returns other rows."""
        return self.chosen.problem is not None or bool(self.slower)

    @property
    def slower(self) -> tuple[str, ...]:
        """By how much the rewriter's choice is slower, for each figure that decides."""
        return self.chosen.cost.above(self.variants[0].cost)

    @property
    def is_rewritten(self) -> bool:
        """Whether the rewriter changes anything."""
        return self.chosen is not self.variants[0]

    @property
    def gains(self) -> bool:
        """Whether the rewriter's choice is faster than the original by as much as a loss needs."""
        return not self.loses and self.variants[0].cost.loses_to(self.chosen.cost)

    @property
    def growth(self) -> float:
        """Characters of the rewriter's choice over those of the original."""
        return len(self.chosen.sql) / len(self.variants[0].sql)


@dataclass(frozen=True, slots=True)
class FirstLoad:
    """``tzconv refresh`` of an empty database, and the bare bulk load of the same rows; seconds.

    ``day`` is a refresh that moves the horizon by one day after that. The bytes are the most memory
    that the two refreshes needed.
    """

    rows: int
    refresh: float
    raw: float
    peak_bytes: int
    day: float
    day_peak_bytes: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The queries whose rewrite loses, the mean of the elapsed ratios, and how texts grow."""

    loses: tuple[str, ...]
    elapsed_geometric_mean: float | None
    growth_median: float
    growth_worst: float


@dataclass(frozen=True, slots=True)
class Run:
    """Everything of one run. ``types`` are the column types that the rewrites were made with.

    ``one_thread``: the engine had one thread or process, without JIT.
    """

    tzconv: str
    tz_release: str
    dialect: str
    product: str
    cpus: int
    rows: int
    zones: int
    rounds: int
    measured_on: str
    queries: tuple[Measured, ...]
    types: dict[str, dict[str, str]] = field(default_factory=dict)
    first_load: FirstLoad | None = None
    suite: str = CONVERSIONS
    one_thread: bool = False

    @property
    def same(self) -> bool:
        """Whether every rewrite that ran returned the rows of its original."""
        return all(query.same for query in self.queries)

    @property
    def summary(self) -> Summary:
        """The verdict on the rewriter's choices."""
        ratios = [query.chosen.elapsed_of_native for query in self.queries]
        known = [ratio for ratio in ratios if ratio is not None]
        growths = [query.growth for query in self.queries]
        return Summary(
            tuple(query.name for query in self.queries if query.loses),
            statistics.geometric_mean(known) if known else None,
            statistics.median(growths),
            max(growths),
        )

    def as_dict(self) -> dict[str, Any]:
        """The form that ``tzconv bench --json`` prints."""
        return {**dataclasses.asdict(self), "summary": dataclasses.asdict(self.summary)}


def headline(run: Run) -> str:
    """What gained, whether the rows are the same, and what lost, in one line."""
    faster = sum(query.gains for query in run.queries)
    slower = [query.title for query in run.queries if query.loses and query.same]
    wrong = [query.title for query in run.queries if not query.same]
    total = len(run.queries)
    others = total - faster - sum(query.loses for query in run.queries)
    parts = [
        f"{faster} of {total} {'query' if total == 1 else 'queries'} faster",
        f"{others} about the same" if others else "",
        f"{len(slower)} slower ({', '.join(slower)})" if slower else "none slower",
        f"other rows or an error in {', '.join(wrong)}" if wrong else "all rows identical",
    ]
    return "; ".join(filter(None, parts))


def verdict(run: Run) -> str:
    """The summary of a run in words."""
    found = run.summary
    mean = found.elapsed_geometric_mean
    slower = {one.name: " and ".join(one.slower) for one in run.queries if one.slower}
    loses = [f"{name} ({slower[name]})" if name in slower else name for name in found.loses]
    return (
        f"loses: {', '.join(loses) or 'none'}; geometric mean of the elapsed ratios "
        f"{'unknown' if mean is None else f'{mean:.2f}'}; the text grows "
        f"{found.growth_median:.1f} times (median), {found.growth_worst:.1f} times at worst"
    )

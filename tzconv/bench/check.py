"""The rewriter's table of verdicts against runs of the benchmark.

A strategy that the rewriter uses by itself must have been measured, and to be faster than the
engine's own function wherever it is chosen. The committed runs are beside this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tzconv import rewriter
from tzconv.bench.results import CHOSEN, CONVERSIONS, LIMIT, ORIGINAL, Run, read
from tzconv.compare import NOISE
from tzconv.engines import facts_of
from tzconv.errors import OutputError

RUNS = Path(__file__).parent / "runs"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One query as one run measured it: the choice today, what the run says of it, and the rest.

    ``chosen`` are the strategies that the rewriter uses by itself today, none where it leaves the
    query; ``ratio`` is what that text cost over the original, None where the run has not measured
    it; ``best`` and ``best_ratio`` are the fastest rewrite of the run. ``problem`` is a sentence,
    None where the choice is right.
    """

    dialect: str
    query: str
    chosen: tuple[str, ...]
    ratio: float | None
    of_limit: float | None
    best: str
    best_ratio: float
    problem: str | None
    stale: bool


def committed(suite: str = CONVERSIONS) -> list[Run]:
    """The runs that belong to this version of tzconv, one an engine; OutputError without any."""
    found = [run for path in sorted(RUNS.glob("*.json")) if (run := read(path)).suite == suite]
    if not found and suite == CONVERSIONS:
        raise OutputError(f"{RUNS}: has no run of the benchmark; install tzconv again.")
    return found


def check(run: Run) -> Iterator[Verdict]:
    """One verdict for each query of a run."""
    for query in run.queries:
        original = query.variants[0]
        now = rewriter.rewrite(original.sql, dialect=run.dialect, schema=run.types)
        chosen = tuple(dict.fromkeys(change.strategy for change in now.changes))
        exact = next((one for one in query.variants if one.sql == now.sql), None)
        # a text that has changed since is judged by the strategies that it is made of
        used = exact or next(
            (
                one
                for one in query.variants
                if one.strategies == chosen and (CHOSEN in one.names or len(chosen) == 1)
            ),
            None,
        )
        ratio = None if used is None else used.of_native
        problem = None
        if used is None or ratio is None:
            problem = "which the run has not measured"
        elif used.same is False:
            problem = f"which returns other rows: {used.problem}"
        elif ratio > NOISE:
            problem = f"which needs {ratio:.2f} times the original"
        elif used.cost.loses_to(original.cost):
            problem = "which takes longer than the original"
        rewrites = {
            one.names[0]: one.of_native
            for one in query.variants
            if one.of_native is not None and not {ORIGINAL, LIMIT} & {*one.names}
        }
        best, best_ratio = min(rewrites.items(), key=lambda item: item[1], default=("none", 1.0))
        yield Verdict(
            run.dialect,
            query.name,
            chosen,
            ratio,
            None if used is None else used.of_limit,
            best if best_ratio < 1 else "none",
            min(1.0, best_ratio),
            problem and f"{query.name} uses {', '.join(chosen)}, {problem}",
            stale=exact is None,
        )


def unmeasured(run: Run) -> list[str]:
    """Strategies of the rewriter's table that no query of the run was measured with."""
    used = {
        name
        for query in run.queries
        for variant in query.variants
        if variant.of_native is not None
        for name in variant.strategies
    }
    return [name for name in facts_of(run.dialect).verdicts if name not in used]

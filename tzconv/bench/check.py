"""The rewriter's table of verdicts against runs of the benchmark.

A strategy that the rewriter uses by itself must have been measured, and to be faster than the
engine's own function wherever it is chosen. The committed runs are beside this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tzconv import rewriter
from tzconv.bench.results import CHOSEN, LIMIT, ORIGINAL, Measured, Run, read
from tzconv.errors import OutputError
from tzconv.rewriter.verdicts import verdicts

RUNS = Path(__file__).parent / "runs"
_NOISE = 1.05
"""Ratios of one run differ from those of the next by so much."""


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


def committed() -> list[Run]:
    """The runs that belong to this version of tzconv, one an engine; OutputError without any."""
    found = [read(path) for path in sorted(RUNS.glob("*.json"))]
    if not found:
        raise OutputError(f"{RUNS}: has no run of the benchmark; install tzconv again.")
    return found


def check(run: Run) -> Iterator[Verdict]:
    """One verdict for each query of a run."""
    for query in run.queries:
        yield _verdict(run, query)


def unmeasured(run: Run) -> list[str]:
    """Strategies of the rewriter's table that no query of the run was measured with."""
    used = {
        name
        for query in run.queries
        for variant in query.variants
        if variant.of_native is not None
        for name in variant.strategies
    }
    return [name for name in verdicts(run.dialect) if name not in used]


def _verdict(run: Run, query: Measured) -> Verdict:
    original = query.variants[0].sql
    now = rewriter.rewrite(original, dialect=run.dialect, schema=run.types)
    chosen = tuple(dict.fromkeys(change.strategy for change in now.changes))
    ratios = {
        variant.names[0]: variant.of_native
        for variant in query.variants
        if variant.of_native is not None and not {ORIGINAL, LIMIT} & {*variant.names}
    }
    best = min(ratios, key=lambda name: ratios[name], default="none")
    best_ratio = min(1.0, ratios.get(best, 1.0))
    if not chosen:
        return Verdict(
            run.dialect,
            query.name,
            (),
            1.0,
            None,
            "none" if best_ratio == 1 else best,
            best_ratio,
            None,
            stale=False,
        )
    exact = next((one for one in query.variants if one.sql == now.sql), None)
    # a text that has changed since is judged by the strategies that it is made of
    alike = exact or next(
        (
            one
            for one in query.variants
            if one.strategies == chosen and (CHOSEN in one.names or len(chosen) == 1)
        ),
        None,
    )
    ratio = None if alike is None else alike.of_native
    problem = None
    if alike is None or ratio is None:
        problem = f"{query.name} uses {', '.join(chosen)}, which the run has not measured"
    elif alike.same is False:
        problem = f"{query.name} with {', '.join(chosen)} returns other rows: {alike.problem}"
    elif ratio > _NOISE:
        problem = (
            f"{query.name} uses {', '.join(chosen)}, which needs {ratio:.2f} times the original"
        )
    return Verdict(
        run.dialect,
        query.name,
        chosen,
        ratio,
        None if alike is None else alike.of_limit,
        best,
        best_ratio,
        problem,
        stale=exact is None,
    )

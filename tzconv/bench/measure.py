"""Measures one query: the original, the limit and every rewrite, in turn; compares their rows.

All texts of a round run in one transaction that is rolled back: one state of the data, one NOW().
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from tzconv import rewriter, target
from tzconv.bench.queries import Query
from tzconv.bench.results import CHOSEN, LIMIT, ORIGINAL, Measured, Variant
from tzconv.compare import Cost, differences, median, timed
from tzconv.engines.backend import Backend, Result
from tzconv.errors import ParseError, QueryError
from tzconv.sql.reasons import QUIET
from tzconv.sql.schema import Tables

_TOO_SLOW, _SOME_SECONDS = 15.0, 5.0
"""A rewrite is stopped after so many times the original's elapsed time, and a few seconds."""
_WORTH_WARMING = 10.0
"""Seconds; a slower text is warm after one run."""
_ONCE = 3.0
"""A rewrite that needs more than so many times the original is not run again."""
_NOTHING = 1e-9


@dataclass(slots=True)
class _Text:
    """A variant and its runs; ``slow`` if its first run took too long to run again."""

    variant: Variant
    costs: list[Cost] = field(default_factory=list)
    slow: bool = False

    @property
    def is_limit(self) -> bool:
        return self.variant.names == (LIMIT,)

    @property
    def runs_again(self) -> bool:
        return self.variant.problem is None and not self.slow

    @property
    def cost(self) -> Cost:
        """Medians; the first run, which warms up, counts only where alone."""
        return median(self.counted)

    @property
    def counted(self) -> list[Cost]:
        return self.costs[1:] or self.costs

    def measured(self, original: Cost, limit: Cost | None) -> Variant:
        """The variant with its figures: what is printed as a ratio is one of what is printed."""
        if not self.costs:
            return self.variant
        cost = self.cost
        return dataclasses.replace(
            self.variant,
            rounds=len(self.counted),
            wall_best=min(one.elapsed for one in self.counted),
            wall=cost.elapsed,
            cpu=None if math.isnan(cost.cpu) else cost.cpu,
            of_native=_cpu_or_elapsed(cost, original),
            elapsed_of_native=cost.elapsed / max(original.elapsed, _NOTHING),
            of_limit=None if limit is None else _cpu_or_elapsed(cost, limit),
        )


def check(query: Query, dialect: str) -> None:
    """ParseError or QueryError, with the name of its file, if it is not one SELECT."""
    try:
        is_one = rewriter.is_one_query(query.sql, dialect)
    except ParseError as error:
        raise error.in_file(query.name) from error
    if not is_one:
        raise QueryError(f"{query.name}: is not one query: a benchmark runs a single SELECT.")


def measure(
    backend: Backend,
    query: Query,
    types: Tables,
    strategies: Iterable[str],
    rounds: int,
    warm_runs: int = 0,
) -> Measured:
    """Run all texts once, then ``rounds`` times in turn; rows are compared each time.

    ``warm_runs`` more runs of each text that is quick enough come before those that count.
    QueryError where the original fails. A rewrite that fails, returns other rows or takes too long
    has that as its ``problem``.
    """
    made, left = variants(query, backend, types, strategies)
    texts = [_Text(variant) for variant in made]
    original = texts[0]
    with backend.transaction(read_only=True):
        _run(backend, original)
    for text in texts[1:]:
        with backend.transaction(read_only=True):
            before = _run(backend, original)
            _first(backend, text, before, original.costs[-1])
    original.costs = original.costs[-1:]
    for text in texts[1:]:
        if text.costs:
            text.slow = _cpu_or_elapsed(text.costs[0], original.costs[0]) > _ONCE
    for _ in range(warm_runs):
        for text in texts:
            if text.runs_again and text.costs[-1].elapsed < _WORTH_WARMING:
                with backend.transaction(read_only=True):
                    backend.query(text.variant.sql)
    for _ in range(rounds):
        with backend.transaction(read_only=True):
            ran = [text for text in texts if text.runs_again]
            before = _run(backend, original)
            for text in ran[1:]:
                _compared(text, before, _run(backend, text))
    limit = next((text.cost for text in texts if text.is_limit and text.costs), None)
    found = tuple(text.measured(original.cost, limit) for text in texts)
    return Measured(query.name, query.title, found, left)


def variants(
    query: Query, backend: Backend, types: Tables, strategies: Iterable[str]
) -> tuple[list[Variant], tuple[str, ...]]:
    """The original, the limit, and the rewrites that change something; equal texts are one.

    Also the reasons why the rewriter's own choice leaves places as they are.
    """
    left: tuple[str, ...] = ()
    made: dict[str, Variant] = {}
    # the scratch schema is on the search path, so the texts do not name it
    options = target.read(backend).options() | {"schema": types, "table_schema": None}
    for name in (CHOSEN, *strategies):
        strategy = None if name == CHOSEN else name
        rewritten = rewriter.rewrite(query.sql, strategy=strategy, **options)
        if name == CHOSEN:
            left = tuple(
                f"{one.line}:{one.column}: {one.reason}"
                for one in rewritten.left
                if one.code not in QUIET
            )
        if rewritten.changes:
            names = made[rewritten.sql].names if rewritten.sql in made else ()
            used = tuple(dict.fromkeys(change.strategy for change in rewritten.changes))
            made[rewritten.sql] = Variant((*names, name), rewritten.sql, used)
    limit = [] if query.limit is None else [Variant((LIMIT,), query.limit, ())]
    return [Variant((ORIGINAL,), query.sql, ()), *limit, *made.values()], left


def _first(backend: Backend, text: _Text, before: Result, cost: Cost) -> None:
    """The first run of a text; what goes wrong is kept as its problem."""
    seconds = cost.elapsed * _TOO_SLOW + _SOME_SECONDS
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        backend.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        _compared(text, before, _run(backend, text))
    except (QueryError, KeyboardInterrupt) as error:
        if stopped.is_set():
            problem, same = f"stopped after {seconds:.0f} s", None
        elif isinstance(error, QueryError):
            problem, same = f"fails: {error}", False
        else:
            raise
        text.variant = dataclasses.replace(text.variant, problem=problem, same=same)
    finally:
        timer.cancel()
        timer.join()


def _run(backend: Backend, text: _Text) -> Result:
    result, cost = timed(backend, text.variant.sql)
    text.costs.append(cost)
    text.variant = dataclasses.replace(text.variant, rows=result.rows.num_rows)
    return result


def _compared(text: _Text, before: Result, result: Result) -> None:
    """Note whether the rows are those of the original; the limit has others."""
    if text.is_limit:
        return
    found, _ = differences(before, result)
    same = not found and text.variant.same is not False
    problem = found[0] if found else text.variant.problem
    text.variant = dataclasses.replace(text.variant, same=same, problem=problem)


def _cpu_or_elapsed(cost: Cost, of: Cost) -> float:
    """The ratio of CPU time; of elapsed time if the server's CPU time is not visible."""
    if math.isnan(cost.cpu) or math.isnan(of.cpu):
        return cost.elapsed / max(of.elapsed, _NOTHING)
    return cost.cpu / max(of.cpu, _NOTHING)

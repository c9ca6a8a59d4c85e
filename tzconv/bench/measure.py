"""One query: the original, the limit and every rewrite, in turn, with their rows compared.

All texts of a round run in one transaction that is rolled back: one state of the data, one NOW().
"""

from __future__ import annotations

import dataclasses
import statistics
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tzconv import rewriter
from tzconv.backends import Backend, Result
from tzconv.bench.costs import Cost, Meter
from tzconv.bench.queries import Query
from tzconv.bench.results import CHOSEN, LIMIT, ORIGINAL, Measured, Variant
from tzconv.compare import differences
from tzconv.errors import QueryError
from tzconv.rewriter.schema import Tables

_TOO_SLOW, _SOME_SECONDS = 15.0, 5.0
"""A rewrite is stopped after so many times the original's elapsed time, and a few seconds."""
_WORTH_WARMING = 10.0
"""A text that takes so many seconds is warm when it has run once."""
_ONCE = 3.0
"""A rewrite that needs more than so many times the original is not run again."""

Say = Callable[[str], None]


@dataclass(slots=True)
class _Text:
    variant: Variant
    costs: list[Cost] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    limit_ratios: list[float] = field(default_factory=list)

    @property
    def runs_again(self) -> bool:
        return self.variant.problem is None and (not self.ratios or self.ratios[0] <= _ONCE)

    @property
    def measured(self) -> Variant:
        """The variant with its figures; the first run, which warms up, counts only where alone."""
        costs = self.costs[1:] or self.costs
        if not costs:
            return self.variant
        several = len(self.costs) > 1
        return dataclasses.replace(
            self.variant,
            rounds=len(costs),
            wall_best=min(cost.wall for cost in costs),
            wall=statistics.median(cost.wall for cost in costs),
            cpu_best=_some(min, [cost.cpu for cost in costs]),
            cpu=_some(statistics.median, [cost.cpu for cost in costs]),
            user=_some(statistics.median, [cost.user for cost in costs]),
            system=_some(statistics.median, [cost.system for cost in costs]),
            of_native=_some(statistics.median, self.ratios[1 if several else 0 :]),
            of_limit=_some(statistics.median, self.limit_ratios[1 if several else 0 :]),
        )


def measure(
    backend: Backend,
    process: int | None,
    query: Query,
    types: Tables,
    strategies: Iterable[str],
    rounds: int,
    warm_runs: int = 0,
) -> Measured:
    """Run all texts once, then ``rounds`` times in turn; rows are compared each time.

    ``warm_runs`` more runs of each text that is quick enough come before those that count.
    QueryError where the original fails or is not one SELECT. A rewrite that fails, returns other
    rows or takes too long has that as its ``problem``.
    """
    if not rewriter.is_one_query(query.sql, backend.dialect):
        raise QueryError(f"{query.name}: is not one query: a benchmark runs a single SELECT.")
    texts = [_Text(variant) for variant in variants(query, backend, types, strategies)]
    original = texts[0]
    with backend.transaction(read_only=True):
        _run(backend, process, original)
    for text in texts[1:]:
        with backend.transaction(read_only=True):
            before = _run(backend, process, original)
            _first(backend, process, text, before, original.costs[-1])
    original.costs = original.costs[-1:]
    _ratios(texts)
    for _ in range(warm_runs):
        for text in texts:
            if text.runs_again and text.costs[-1].wall < _WORTH_WARMING:
                with backend.transaction(read_only=True):
                    backend.query(text.variant.sql)
    for _ in range(rounds):
        with backend.transaction(read_only=True):
            ran = [text for text in texts if text.runs_again]
            before = _run(backend, process, original)
            for text in ran[1:]:
                _compared(text, before, _run(backend, process, text))
        _ratios(ran)
    return Measured(query.name, query.title, tuple(text.measured for text in texts))


def variants(
    query: Query, backend: Backend, types: Tables, strategies: Iterable[str]
) -> Iterator[Variant]:
    """The original, the limit, and the rewrites that change something; equal texts are one."""
    yield Variant((ORIGINAL,), query.sql, ())
    if query.limit is not None:
        yield Variant((LIMIT,), query.limit, ())
    made: dict[str, Variant] = {}
    for name in (CHOSEN, *strategies):
        rewritten = rewriter.rewrite(
            query.sql,
            dialect=backend.dialect,
            schema=types,
            strategy=None if name == CHOSEN else name,
            session_time_zone=backend.session_time_zone(),
        )
        if not rewritten.changes:
            continue
        known = made.get(rewritten.sql)
        used = tuple(dict.fromkeys(change.strategy for change in rewritten.changes))
        made[rewritten.sql] = Variant(
            (name,) if known is None else (*known.names, name),
            rewritten.sql,
            used,
            len(rewritten.left),
        )
    yield from made.values()


def _first(backend: Backend, process: int | None, text: _Text, before: Result, cost: Cost) -> None:
    """The first run of a text; what goes wrong is kept as its problem."""
    seconds = cost.wall * _TOO_SLOW + _SOME_SECONDS
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        backend.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        result = _run(backend, process, text)
    except (QueryError, KeyboardInterrupt) as error:
        if stopped.is_set():
            problem, same = f"stopped after {seconds:.0f} s", None
        elif isinstance(error, QueryError):
            problem, same = f"fails: {error}", False
        else:
            raise
        text.variant = dataclasses.replace(text.variant, problem=problem, same=same)
    else:
        _compared(text, before, result)
    finally:
        timer.cancel()
        timer.join()


def _run(backend: Backend, process: int | None, text: _Text) -> Result:
    meter = Meter([process])
    result = backend.query(text.variant.sql)
    text.costs.append(meter.cost())
    text.variant = dataclasses.replace(text.variant, rows=result.rows.num_rows)
    return result


def _compared(text: _Text, before: Result, result: Result) -> None:
    if text.variant.names == (LIMIT,):
        return  # its rows are others
    found, _ = differences(before, result)
    same = not found and text.variant.same is not False
    problem = found[0] if found else text.variant.problem
    text.variant = dataclasses.replace(text.variant, same=same, problem=problem)


def _ratios(texts: list[_Text]) -> None:
    """The ratios of the last round."""
    native = texts[0].costs[-1]
    limit = next(
        (text.costs[-1] for text in texts if text.variant.names == (LIMIT,) and text.costs), None
    )
    for text in texts:
        if text.costs:
            text.ratios.append(_ratio(text.costs[-1], native))
            if limit is not None:
                text.limit_ratios.append(_ratio(text.costs[-1], limit))


def _ratio(cost: Cost, of: Cost) -> float:
    if cost.cpu is None or of.cpu is None:
        return cost.wall / max(of.wall, 1e-9)
    return cost.cpu / max(of.cpu, 1e-9)


def _some(
    summary: Callable[[Iterable[float]], float], values: Iterable[float | None]
) -> float | None:
    known = [value for value in values if value is not None]
    return summary(known) if known else None

"""The strategies, one module each; every one has the same shape, and this is their order."""

from __future__ import annotations

import functools

from tzconv.engines import facts_of
from tzconv.errors import RewriteError
from tzconv.rewriter.block import Strategy
from tzconv.rewriter.strategies import array, columns, daily, hourly, offset, period
from tzconv.rewriter.strategies.inline import inline
from tzconv.rewriter.strategies.joins import JoinSpec
from tzconv.rewriter.strategies.now import now
from tzconv.rewriter.strategies.range import range_
from tzconv.rewriter.strategies.settle import join_kept


def _joining(spec: JoinSpec) -> Strategy:
    return functools.partial(join_kept, spec=spec)


STRATEGIES: dict[str, Strategy] = {
    "now": now,
    "range": range_,
    "columns": _joining(columns.SPEC),
    "inline": inline,
    "array": _joining(array.SPEC),
    "offset": _joining(offset.SPEC),
    "period": _joining(period.SPEC),
    "hourly": _joining(hourly.SPEC),
    "daily": _joining(daily.SPEC),
}


def chosen(dialect: str, forced: str | None) -> dict[str, Strategy]:
    """The strategies that pay on the engine, in the order they are tried; or only ``forced``.

    RewriteError if there is no such strategy for the dialect.
    """
    facts = facts_of(dialect)
    if forced is None:
        return {name: STRATEGIES[name] for name in facts.verdicts}
    choices = STRATEGIES if facts.has_all_strategies else facts.verdicts
    if forced in choices:
        return {forced: STRATEGIES[forced]}
    problem = f"There is no strategy {forced!r}"
    if forced in STRATEGIES:
        problem = f"The strategy {forced!r} has no form for {dialect}"
    raise RewriteError(f"{problem}: choose one of {', '.join(choices)}.")

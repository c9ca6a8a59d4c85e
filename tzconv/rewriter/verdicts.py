"""Which strategies a dialect gains by, in the order they are tried."""

from __future__ import annotations

from tzconv.engines import facts_of
from tzconv.errors import RewriteError
from tzconv.rewriter.strategies import STRATEGIES, Strategy


def strategies(dialect: str, forced: str | None) -> dict[str, Strategy]:
    """The strategies to try, in order; only the one that was asked for, if any."""
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

"""Functions that some dialects have: whose a text is that calls one, and what all have together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tzconv.engines import DIALECTS, facts_of
from tzconv.engines.facts import Facts

_UNSUPPORTED = {
    "convert_timezone": "Snowflake",
    "convert_tz": "MySQL",
    "date": "BigQuery",
    "datetime": "BigQuery",
    "timestamp_trunc": "BigQuery",
    "totimezone": "ClickHouse",
}
"""Of databases that tzconv does not support. Those of BigQuery are calls with a zone."""


def functions() -> frozenset[str]:
    """The names of all functions that convert time zones somewhere, in lower case."""
    return frozenset({*_UNSUPPORTED, *of_all(lambda facts: facts.zone_functions)})


def of_all(names: Callable[[Facts], Iterable[str]]) -> frozenset[str]:
    """The names of some kind of functions that any engine has."""
    return frozenset(name for one in DIALECTS for name in names(facts_of(one)))


def hint(name: str, dialect: str) -> str | None:
    """What a call of a function in a text of ``dialect`` looks like; None for its own functions."""
    known = [one for one in DIALECTS if name in facts_of(one).zone_functions]
    if dialect in known or not (known or name in _UNSUPPORTED):
        return None
    titles = [facts_of(one).title for one in known]
    titles += [_UNSUPPORTED[name]] if name in _UNSUPPORTED else []
    if not known:
        return f"{name}() looks like {titles[0]}, which tzconv does not support"
    choices = " or ".join(f"--dialect {one}" for one in known)
    return f"{name}() looks like {' or '.join(titles)}: {choices}"

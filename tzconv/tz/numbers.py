"""The numbers of zones and of their histories since 1970, which stay across refreshes."""

from __future__ import annotations

import contextlib
import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

import numpy as np

from tzconv.errors import RulesError
from tzconv.tz.periods import MOST_RULES, MOST_ZONES, Numbers
from tzconv.tz.zones import Rules

Key = TypeVar("Key", bound=Hashable)

_BEFORE_1970 = -2 * 86_400
"""No local time of 1970 is earlier in UTC."""


def numbered(rules: Rules, names: Iterable[str], taken: Numbers, end: int) -> Numbers:
    """The numbers that those names get where some are ``taken``, by the rules before ``end``.

    A name keeps its number; a new one gets its place among all names of the rules if that is free,
    else the smallest free number. So does a history: a number of its names, or its place among all.
    """
    chosen = sorted(names)
    places = {name: place for place, name in enumerate(rules.names)}
    zones = _assigned({name: [name] for name in chosen}, (taken.zones, places), MOST_ZONES)
    histories = _histories(rules, chosen, end)

    def wishes() -> Iterator[Mapping[str, int]]:
        yield taken.rules
        yield _places(rules, end)  # for which all histories are computed

    numbers = _assigned(histories, wishes(), MOST_RULES)
    return Numbers(
        zones, {name: numbers[history] for history, same in histories.items() for name in same}
    )


def _places(rules: Rules, end: int) -> dict[str, int]:
    """The place of each name's history among those of all names whose rules reach ``end``."""
    known = []
    for name in rules.names:
        with contextlib.suppress(RulesError):  # not among the chosen ones
            last = rules.zone(name).carries_until
            known += [name] if last is None or last >= end else []
    same = _histories(rules, known, end).values()
    return {name: place for place, names in enumerate(same) for name in names}


def _histories(rules: Rules, names: Iterable[str], end: int) -> dict[Hashable, list[str]]:
    """The names of each history since 1970, sorted by the first of them."""
    found: defaultdict[Hashable, list[str]] = defaultdict(list)
    for name in names:
        starts, offsets = rules.zone(name).offset_changes(end)
        first = max(int(np.searchsorted(starts, _BEFORE_1970, "right")) - 1, 0)
        found[starts[first + 1 :].tobytes(), offsets[first:].tobytes()].append(name)
    return found


def check(numbers: Numbers, source: str) -> None:
    """RulesError if there are more zones or histories than the tables can number."""
    many = f"{source} has {len(numbers.zones):,}"
    if max(numbers.zones.values(), default=0) >= MOST_ZONES:
        raise RulesError(
            f"{many} time zones, and the zone and period tables hold at most {MOST_ZONES:,}: leave "
            "those two out, or use other rules."
        )
    if max(numbers.rules.values(), default=0) >= MOST_RULES:
        raise RulesError(
            f"{many} time zones with {len({*numbers.rules.values()}):,} different histories since "
            f"1970, and the period table holds at most {MOST_RULES:,}: choose fewer zones, or "
            "other rules."
        )


def _assigned(
    names: Mapping[Key, list[str]], wishes: Iterable[Mapping[str, int]], most: int
) -> dict[Key, int]:
    """A number for each key: one that the ``wishes`` have for its names, else the smallest free."""
    found: dict[Key, int] = {}
    used: set[int] = set()
    for wish in wishes:
        for key, own in names.items():
            free = (wish[name] for name in own if name in wish and wish[name] not in used)
            number = -1 if key in found else next(free, -1)
            if 0 <= number < most:
                found[key] = number
                used.add(number)
        if len(found) == len(names):
            break
    others = (number for number in itertools.count() if number not in used)
    return found | {key: next(others) for key in names if key not in found}

"""The periods into which time is cut, so that a history has at most one change in each."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

PERIOD_BITS = 42
"""A period is ``2 ** PERIOD_BITS`` microseconds, 50.9 days, counted from 1970."""
MOST_ZONES = 1024
"""Numbers of zones are below."""
MOST_RULES = 512
"""A period of a history has the key ``period * MOST_RULES + rules_id``."""
UNKNOWN = -1
"""The key of the row without offsets, for values that have no other row."""


@dataclass(frozen=True)
class Numbers:
    """By name of a zone its own number, and that of its history since 1970, which names share."""

    zones: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)

    def part(self, name: str) -> tuple[int, bool, bool]:
        """What the period table has under a name: the rows of which history, and of unknown values.

        The first name of a history has its rows, the first name of all the row of unknown values.
        """
        number = self.rules.get(name, -1)
        return number, self._first.get(number) == name, self._first_of_all == name

    @functools.cached_property
    def _first(self) -> dict[int, str]:
        return {self.rules[name]: name for name in sorted(self.rules, reverse=True)}

    @functools.cached_property
    def _first_of_all(self) -> str | None:
        return min(self.rules, default=None)

"""Chooses the core: the cheapest tests that reach every branch and notice the planted faults."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from pathlib import Path

from tests import parts
from tests.faults.contexts import Contexts, bits

LEAST_SECONDS = 0.02
"""What any test costs, however little it does."""
FEWEST_SECONDS = 0.3
"""A shorter test is not worth leaving out."""
RARE = 40
"""A branch that more tests of the core reach says nothing for any of them."""


def _cheapest_cases(contexts: Contexts, allowed: set[int], most: float) -> set[int]:
    """One case of each test function that has one for so many seconds."""
    cheapest: dict[str, int] = {}
    for number in sorted(allowed, key=lambda one: contexts.seconds[one]):
        cheapest.setdefault(contexts.tests[number].partition("[")[0], number)
    return {number for number in cheapest.values() if contexts.seconds[number] <= most}


def _noticing(reports: Iterable[Path]) -> set[str]:
    """The first test that noticed each fault."""
    outcomes = (json.loads(line) for report in reports for line in report.read_text().splitlines())
    return {outcome["test"] for outcome in outcomes}


def choose(budget: float, most: float, reports: list[Path], excluded: set[str]) -> None:
    """Write the core: tests of ``budget`` seconds, none of which takes more than ``most``."""
    contexts = Contexts.read()
    allowed = {
        number
        for number, test in enumerate(contexts.tests)
        if test not in excluded and contexts.seconds[number] <= most
    }
    reached = [0] * len(contexts.tests)
    position = 0
    for places in contexts.arcs.values():
        for tests in places.values():
            for number in bits(tests):
                reached[number] |= 1 << position
            position += 1
    noticing = _noticing(reports) - excluded
    chosen = _cheapest_cases(contexts, allowed, 1.0)
    chosen |= {contexts.numbers[test] for test in noticing if test in contexts.numbers}
    spent = sum(contexts.seconds[number] for number in chosen)
    first = spent
    rounds = 0
    while spent < budget and len(chosen) < len(allowed):
        # the first round reaches every branch; each later one does so again by other tests
        rounds += 1
        missing = (1 << position) - 1
        if rounds == 1:
            for number in chosen:
                missing &= ~reached[number]
        spent = _cover(contexts, reached, missing, allowed, chosen, spent, budget)
    parts.write([contexts.tests[number] for number in chosen], contexts.tests)
    print(f"{len(chosen)} of {len(contexts.tests)} tests")
    print(f"{spent:.0f} of {sum(contexts.seconds):.0f} s, {first:.0f} s before {rounds} rounds")


def trim(share: float, kept: tuple[str, ...]) -> None:
    """Leave ``share`` of the core's seconds to the rest: tests whose branches others reach, too.

    Those whose paths begin with one of ``kept`` stay: they prove more than that a line runs.
    """
    contexts, core = Contexts.read(), parts.Core.read()
    inside = {number for number, test in enumerate(contexts.tests) if core.has(test)}
    mask = sum(1 << number for number in inside)
    own: dict[int, list[int]] = {number: [] for number in inside}
    reached: list[int] = []  # how many of the core reach each branch
    for places in contexts.arcs.values():
        for tests in places.values():
            found = tests & mask
            if 0 < found.bit_count() <= RARE:
                for number in bits(found):
                    own[number].append(len(reached))
                reached.append(found.bit_count())

    def worth(number: int) -> float:
        return sum(reached[branch] ** -2 for branch in own[number]) / contexts.seconds[number]

    heap = [
        (worth(number), number)
        for number in inside
        if contexts.seconds[number] >= FEWEST_SECONDS
        and not contexts.tests[number].startswith(kept)
    ]
    heapq.heapify(heap)
    rest = share * sum(contexts.seconds[number] for number in inside)
    while heap and rest > 0:
        before, number = heapq.heappop(heap)
        if (now := worth(number)) > before:  # since then, tests that reach the same have gone
            heapq.heappush(heap, (now, number))
            continue
        for branch in own[number]:
            reached[branch] -= 1
        inside.remove(number)
        rest -= contexts.seconds[number]
    parts.write([contexts.tests[number] for number in inside], contexts.tests)
    print(f"{len(inside)} tests; {reached.count(0)} branches are left to the rest")


def _cover(
    contexts: Contexts,
    reached: list[int],
    missing: int,
    allowed: set[int],
    chosen: set[int],
    spent: float,
    budget: float,
) -> float:
    """Add the tests that reach most of what is missing for their time; the seconds spent then."""

    def worth(number: int) -> float:
        gain = (reached[number] & missing).bit_count()
        return gain / max(contexts.seconds[number], LEAST_SECONDS)

    heap = [(-worth(number), number) for number in allowed - chosen]
    heapq.heapify(heap)
    while heap and spent < budget:
        before, number = heapq.heappop(heap)
        now = worth(number)
        if now == 0:
            continue
        if heap and now < -heap[0][0]:
            heapq.heappush(heap, (-now, number))
            continue
        del before
        chosen.add(number)
        missing &= ~reached[number]
        spent += contexts.seconds[number]
    return spent

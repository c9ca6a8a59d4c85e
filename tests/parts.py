"""Which tests are the core that ``make test`` runs; ``make test-all`` runs the rest, too.

``core.json`` names the cases of the core for each test function: ``"all"``, or a list of them. A
function that is not in it is new, and belongs to the core until ``python -m tests.faults choose``
runs again. Of a function that is marked ``by_turns`` a share of the cases joins the core, another
one each day.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("core.json")


@dataclass(frozen=True)
class Core:
    """Cases by file and function; ``None`` where every case belongs to the core."""

    functions: dict[tuple[str, str], frozenset[str] | None]

    @classmethod
    @cache
    def read(cls) -> Core:
        """The chosen core, or everything where none was chosen."""
        files = json.loads(FILE.read_text()) if FILE.exists() else {}
        return cls(
            {
                (path, function): None if cases == "all" else frozenset(cases)
                for path, functions in files.items()
                for function, cases in functions.items()
            }
        )

    def has(self, test: str) -> bool:
        """Whether the core has a test, by its node id."""
        path, _, name = test.partition("::")
        function, _, case = name.partition("[")
        cases = self.functions.get((path, function))
        return cases is None or case.removesuffix("]") in cases


def write(tests: list[str], everything: list[str]) -> None:
    """Make these tests the core of all that exist."""
    chosen = set(tests)
    files: dict[str, dict[str, list[str] | str]] = {}
    cases: dict[tuple[str, str], dict[str, bool]] = {}
    for test in everything:
        path, _, name = test.partition("::")
        function, _, case = name.partition("[")
        cases.setdefault((path, function), {})[case.removesuffix("]")] = test in chosen
    for (path, function), known in sorted(cases.items()):
        kept = sorted(case for case, is_chosen in known.items() if is_chosen)
        files.setdefault(path, {})[function] = "all" if len(kept) == len(known) else kept
    FILE.write_text(json.dumps(files, indent=1, ensure_ascii=False) + "\n")


def pick_turn() -> None:
    """Before the workers start: each of them must find the same tests, at midnight too."""
    os.environ.setdefault("TZCONV_TURN", str(dt.datetime.now(tz=dt.UTC).toordinal()))


def deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what ``--part`` asks for."""
    part = config.getoption("--part")
    if part is None:
        return
    core = Core.read()
    turn = int(os.environ["TZCONV_TURN"])
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    positions: dict[str, int] = {}
    for item in items:
        path, _, name = item.nodeid.partition("::")
        function = f"{path}::{name.partition('[')[0]}"
        position = positions[function] = positions.get(function, -1) + 1
        marks = {mark.name for mark in item.iter_markers()}
        is_core = "core" in marks or (core.has(item.nodeid) and "not_core" not in marks)
        if (turns := item.get_closest_marker("by_turns")) is not None:
            is_core |= position % turns.args[0] == turn % turns.args[0]
        (kept if is_core == (part == "core") else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept

"""Which test reaches which line and branch of the package, in its own process or in a child's."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import coverage
import pytest

from tests import ROOT

FILE = ROOT / ".cache" / "contexts.json"

# it sends Ctrl-C at any moment: if coverage holds its lock then, the lock is never released
_INTERRUPTED = "tests/rewriter/test_binder.py::test_ctrl_c_while_duckdb_binds"

# every Python that a test starts reads this, and counts for that test
_SETTINGS = """
[run]
branch = True
parallel = True
source_pkgs = tzconv
data_file = {folder}/data
patch = fork, _exit
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid: str) -> None:
    """Count what runs from now on for this test."""
    if (measured := coverage.Coverage.current()) is not None:
        measured.switch_context(nodeid)


@dataclass(frozen=True)
class Contexts:
    """Tests by number, and their seconds; ``lines`` and ``arcs`` have a bit for each test."""

    tests: list[str]
    seconds: list[float]
    lines: dict[str, dict[int, int]]
    arcs: dict[str, dict[str, int]]

    @classmethod
    def read(cls) -> Contexts:
        """The last recording; exits with a sentence where there is none."""
        if not FILE.exists():
            sys.exit("There is no recording: python -m tests.faults contexts")
        found = json.loads(FILE.read_text())
        arcs = {
            path: {arc: int(tests, 16) for arc, tests in places.items()}
            for path, places in found["arcs"].items()
        }
        lines = {
            path: {int(line): int(tests, 16) for line, tests in places.items()}
            for path, places in found["lines"].items()
        }
        return cls(found["tests"], found["seconds"], lines, arcs)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each test."""
        return {test: number for number, test in enumerate(self.tests)}

    @cached_property
    def sizes(self) -> list[int]:
        """How many lines each test reaches."""
        counts = [0] * len(self.tests)
        for places in self.lines.values():
            for tests in places.values():
                for number in bits(tests):
                    counts[number] += 1
        return counts

    def reaching(self, path: str, first: int, last: int) -> list[int]:
        """The tests that reach one of the lines; those of the module, where only imports do."""
        places = self.lines.get(path, {})
        tests = 0
        for line in range(first, last + 1):
            tests |= places.get(line, 0)
        return list(bits(tests))


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _durations(report: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        if case.find("skipped") is None:
            found[name] = float(case.get("time") or 0)
    return found


def _test(context: str) -> str:
    """The test of a context: "first test (call)|this test (call)" in a fork."""
    name = context.rpartition("|")[2]
    return name.rpartition(" (")[0] if name.endswith(")") else name


def _gather(folder: Path, report: Path) -> Contexts:
    seconds = _durations(report)
    tests = sorted(seconds)
    numbers = {test: number for number, test in enumerate(tests)}
    lines: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    arcs: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for file in folder.glob("data.*"):
        # coverage reads a context at a time: hours for thousands of tests
        with contextlib.closing(sqlite3.connect(file)) as data:
            found = data.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'arc'").fetchone()
            if found != (1,):  # a process that was killed
                continue
            bits_of = {
                number: 1 << numbers[name]
                for number, context in data.execute("SELECT id, context FROM context")
                if (name := _test(context)) in numbers
            }
            shorts = {
                number: f"tzconv/{path.rpartition('/tzconv/')[2]}"
                for number, path in data.execute("SELECT id, path FROM file")
            }
            for path, context, begin, end in data.execute(
                "SELECT file_id, context_id, fromno, tono FROM arc"
            ):
                if bit := bits_of.get(context, 0):
                    arcs[shorts[path]][f"{begin}>{end}"] |= bit
                    for line in (begin, end):
                        if line > 0:
                            lines[shorts[path]][line] |= bit
    return Contexts(tests, [seconds[test] for test in tests], lines, arcs)


def record(*arguments: str) -> None:
    """Run the tests under coverage and keep what each of them reaches."""
    with tempfile.TemporaryDirectory(prefix="tzconv-contexts-") as name:
        folder = Path(name)
        settings, report = folder / "coveragerc", folder / "report.xml"
        settings.write_text(_SETTINGS.format(folder=folder))
        start = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest"]
        options = ["-p", "tests.faults.contexts", "-q", f"--junitxml={report}"]
        options += ["--deselect", _INTERRUPTED, *arguments]
        environment = {**os.environ, "COVERAGE_PROCESS_START": str(settings)}
        subprocess.run([*start, *options], cwd=ROOT, env=environment, check=False)
        keep(_gather(folder, report))
        shutil.rmtree(folder, ignore_errors=True)


def keep(found: Contexts) -> None:
    """Write a recording."""
    FILE.parent.mkdir(exist_ok=True)
    masks = {
        part: {
            path: {place: f"{tests:x}" for place, tests in places.items()}
            for path, places in kept.items()
        }
        for part, kept in (("lines", found.lines), ("arcs", found.arcs))
    }
    FILE.write_text(json.dumps({"tests": found.tests, "seconds": found.seconds, **masks}))

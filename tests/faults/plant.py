"""Plants faults one at a time and runs the tests that reach them, those of the core first."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests import ROOT
from tests.faults import asked, plan
from tests.faults.contexts import Contexts
from tests.parts import Core

SAME = Path(__file__).with_name("same.json")
"""Faults that leave the same program in other words, each with its reason, by key."""
MOST_TESTS = 200
"""So many tests are tried before a fault counts as one that nobody notices."""
BROADEST = 20
"""Of the others those that reach most: they keep whole answers."""
MOST_SECONDS = 600.0
MOST_OF_A_TEST = 400.0
"""So many seconds one test may take; the longest took 151 when it was recorded. A fault that does
not end is noticed, as it is by everybody who waits for the tests."""
_COPIED = ("tzconv", "tests", "sql", "migrations", "dbt", "docs")


@dataclass(frozen=True)
class Outcome:
    """``noticed`` is ``core``, ``rest``, ``nobody``, ``unreached``, or ``time`` without an end."""

    key: str
    fault: str
    package: str
    noticed: str
    test: str
    seconds: float


def _spread(tests: list[int], contexts: Contexts) -> list[int]:
    """The most specific tests first, and of each function one before the second of any."""
    rounds: dict[str, int] = defaultdict(int)
    ranked = []
    for number in sorted(tests, key=lambda one: (contexts.sizes[one], contexts.seconds[one])):
        function = contexts.tests[number].partition("[")[0]
        ranked.append((rounds[function], contexts.sizes[number], number))
        rounds[function] += 1
    return [number for _, _, number in sorted(ranked)]


def _candidates(fault: plan.Fault, contexts: Contexts) -> list[int]:
    found = contexts.reaching(fault.path, fault.line, fault.last_line)
    if not found and fault.path in contexts.lines:
        # a line that runs when the module is imported: whoever uses the module may notice
        found = contexts.reaching(fault.path, 1, 10_000)
    return found


def _first_failure(folder: Path, tests: list[str], seconds: float) -> tuple[str, str]:
    """The first of the tests that fails, or "time" if they take too long."""
    (folder / "asked").write_text("\n".join(tests))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "--no-header", "--tb=no"]
    command += ["-p", "no:cacheprovider", "-o", "addopts=", "-m", "", "@asked"]
    command += ["-o", f"faulthandler_timeout={MOST_OF_A_TEST:g}"]
    command += ["-o", "faulthandler_exit_on_timeout=true"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "time", ""
    if done.returncode == 0:
        return "nobody", ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    # without such a line nothing can be imported any more, or a test does not end
    return "failed", failed[0].split(" ", 1)[1].split(" - ")[0] if failed else "import or no end"


def _tried(fault: plan.Fault, folder: Path, contexts: Contexts, core: Core) -> Outcome:
    begun = time.monotonic()

    def outcome(noticed: str, test: str = "") -> Outcome:
        seconds = round(time.monotonic() - begun, 1)
        return Outcome(fault.key, str(fault), fault.package, noticed, test, seconds)

    ranked = _spread(_candidates(fault, contexts), contexts)
    if not ranked:
        return outcome("unreached")
    path = folder / fault.path
    source = path.read_bytes()
    path.write_bytes(fault.planted(source))
    try:
        for part in ("core", "rest"):
            mine = [
                number for number in ranked if core.has(contexts.tests[number]) == (part == "core")
            ]
            broadest = sorted(mine[MOST_TESTS:], key=lambda number: contexts.sizes[number])
            asked = mine[:MOST_TESTS] + broadest[-BROADEST:]
            tests = [contexts.tests[number] for number in asked]
            if tests:
                end, test = _first_failure(folder, tests, MOST_SECONDS)
                if end == "failed":
                    return outcome(part, test)
                if end == "time":
                    return outcome("time", part)
        return outcome("nobody")
    finally:
        path.write_bytes(source)


def plant(count: int, seed: str, report: Path, jobs: int = 2) -> None:
    """Try a sample of faults; each outcome is a line of the report, and those it has are done."""
    contexts, core = Contexts.read(), Core.read()
    same = json.loads(SAME.read_text())
    done = (
        {json.loads(line)["key"] for line in report.read_text().splitlines()}
        if report.exists()
        else set()
    )
    drawn = plan.sample([one for one in plan.everything() if one.key not in same], count, seed)
    folders: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="tzconv-faults-") as name:
        for number in range(jobs):
            folder = Path(name) / str(number)
            for part in _COPIED:
                shutil.copytree(ROOT / part, folder / part)
            for file in ROOT.iterdir():
                if file.is_file():
                    shutil.copy(file, folder)
            folders.put(folder)

        def end(outcome: Outcome) -> None:
            with report.open("a") as file:
                file.write(json.dumps(vars(outcome)) + "\n")
            print(
                outcome.noticed, outcome.seconds, outcome.fault, outcome.test, sep="\t", flush=True
            )

        def one(fault: plan.Fault) -> None:
            folder = folders.get()
            try:
                end(_tried(fault, folder, contexts, core))
            finally:
                folders.put(folder)

        todo = {fault.key: fault for fault in drawn if fault.key not in done}
        for fault, test in asked.each([*todo.values()], jobs):
            part = "core" if core.has(test) else "rest"
            end(Outcome(fault.key, str(fault), fault.package, part, test, 0.0))
            del todo[fault.key]
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, todo.values()))
    summary(report)


def summary(report: Path) -> None:
    """Print how many were noticed, by package."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in report.read_text().splitlines():
        outcome = json.loads(line)
        counts[outcome["package"]][outcome["noticed"]] += 1
        counts["all"][outcome["noticed"]] += 1
    parts = ("core", "rest", "nobody", "time", "unreached")
    print("", *parts, sep="\t")
    for package, found in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0])):
        print(package, *(found[part] for part in parts), sep="\t")

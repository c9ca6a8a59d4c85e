"""``python -m tests.faults contexts | plant | summary | choose | trim``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from tests import ROOT
from tests.faults import choose, contexts, plant

REPORTS = ROOT / ".cache" / "faults"


@click.group()
def main() -> None:
    """Plant faults into tzconv, and choose the tests that notice them."""


@main.command("contexts")
@click.argument("arguments", nargs=-1)
def _contexts(arguments: tuple[str, ...]) -> None:
    """Record which test reaches which line: half an hour. ARGUMENTS go to pytest."""
    contexts.record(*arguments)


@main.command("plant")
@click.option("--count", default=150, show_default=True)
@click.option("--seed", default="", help="Draws the sample; by default the hash of HEAD.")
@click.option("--jobs", default=2, show_default=True)
def _plant(count: int, seed: str, jobs: int) -> None:
    """Plant a sample of faults and run the tests that reach them: a minute for three of them."""
    if not seed:
        asked = ["git", "rev-parse", "--short=12", "HEAD"]
        seed = subprocess.run(
            asked, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    REPORTS.mkdir(parents=True, exist_ok=True)
    plant.plant(count, seed, REPORTS / f"{seed}.jsonl", jobs)


@main.command("summary")
@click.argument("reports", nargs=-1, type=click.Path(path_type=Path, exists=True))
def _summary(reports: tuple[Path, ...]) -> None:
    """Count the outcomes of reports, by package."""
    for report in reports:
        plant.summary(report)


@main.command("choose")
@click.option("--budget", default=720.0, show_default=True, help="Seconds, as recorded.")
@click.option("--most", default=20.0, show_default=True, help="Seconds of a test.")
def _choose(budget: float, most: float) -> None:
    """Write tests/core.json anew, from the recording and from the reports of planted faults."""
    asked = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-m",
        "not_core",
        "-o",
        "addopts=",
    ]
    found = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    excluded = {line for line in found.splitlines() if "::" in line}
    choose.choose(budget, most, sorted(REPORTS.glob("*.jsonl")), excluded)


@main.command("trim")
@click.option("--share", default=0.1, show_default=True, help="Of the seconds of the core.")
@click.option("--keep", multiple=True, help="The beginning of paths of tests that stay.")
def _trim(share: float, keep: tuple[str, ...]) -> None:
    """Take the tests that others stand in for out of tests/core.json."""
    choose.trim(share, keep)


if __name__ == "__main__":
    main()

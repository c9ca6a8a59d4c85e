"""The committed runs of the benchmark, as ``tzconv bench --json`` printed them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tzconv.bench.results import CONVERSIONS, FirstLoad, Measured, Run, Variant

FOLDER = Path(__file__).parent / "data"


def committed(suite: str = CONVERSIONS) -> list[Run]:
    """The runs of a suite, one an engine."""
    return [run for path in sorted(FOLDER.glob("*.json")) if (run := read(path)).suite == suite]


def read(path: Path) -> Run:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for key in ("summary", "scaling", "concurrency"):  # computed, or no longer measured
        found.pop(key, None)
    first_load = found["first_load"]
    return Run(
        **found
        | {
            "queries": tuple(map(_query, found["queries"])),
            "first_load": None if first_load is None else FirstLoad(**first_load),
        }
    )


def _query(found: dict[str, Any]) -> Measured:
    variants = (
        Variant(**one | {key: tuple(one[key]) for key in ("names", "strategies")})
        for one in found["variants"]
    )
    return Measured(found["name"], found["title"], tuple(variants), tuple(found["left"]))

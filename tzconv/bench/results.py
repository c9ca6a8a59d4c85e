"""What a run of the benchmark found: plain data that can be written as JSON and read again."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tzconv.errors import OutputError

ORIGINAL, LIMIT, CHOSEN = "original", "no conversion", "chosen"
"""Names of variants: as it was written, the same without conversions, what the rewriter makes."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One text of a query and what it cost; seconds, medians unless said otherwise.

    ``names`` has the strategy that was forced, and ``chosen``; ``strategies`` are those that the
    text uses. ``of_native`` and ``of_limit`` are medians of the ratios of each round: CPU time, or
    elapsed time where the server's CPU time cannot be seen. ``problem`` is why there are no
    figures, or what is wrong with its rows; ``same`` is None for the limit, whose rows are others.
    """

    names: tuple[str, ...]
    sql: str
    strategies: tuple[str, ...]
    left: int = 0
    rounds: int = 0
    rows: int | None = None
    same: bool | None = None
    problem: str | None = None
    wall_best: float | None = None
    wall: float | None = None
    cpu_best: float | None = None
    cpu: float | None = None
    user: float | None = None
    system: float | None = None
    of_native: float | None = None
    of_limit: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One query: the original first, then the limit if there is one, then the rewrites."""

    name: str
    title: str
    variants: tuple[Variant, ...]

    def variant(self, name: str) -> Variant | None:
        """The variant of that name."""
        return next((one for one in self.variants if name in one.names), None)


@dataclass(frozen=True, slots=True)
class Load:
    """Clients that ran one text at once for ``seconds``; latencies in seconds.

    ``utilisation`` is CPU time over the time of all CPUs, ``waiting`` the time that the server's
    threads waited for a CPU over the time of the clients; None where they cannot be seen.
    """

    query: str
    variant: str
    clients: int
    seconds: float
    done: int
    per_second: float
    p50: float
    p95: float
    p99: float
    utilisation: float | None
    user: float | None
    system: float | None
    waiting: float | None


@dataclass(frozen=True, slots=True)
class FirstLoad:
    """``tzconv refresh`` of an empty database, and the bare bulk load of the same rows; seconds."""

    rows: int
    refresh: float
    raw: float
    peak_bytes: int

    @property
    def ratio(self) -> float:
        """Elapsed time of the refresh over that of the bare load."""
        return self.refresh / self.raw


@dataclass(frozen=True, slots=True)
class Scaled:
    """CPU seconds (elapsed ones where CPU time cannot be seen) of one query at one size."""

    query: str
    rows: int
    zones: int
    years: int
    original: float
    chosen: float


@dataclass(frozen=True, slots=True)
class Run:
    """Everything of one run. ``types`` are the column types that the rewrites were made with."""

    tzconv: str
    tz_release: str
    dialect: str
    product: str
    cpus: int
    rows: int
    zones: int
    rounds: int
    measured_on: str
    queries: tuple[Measured, ...]
    types: dict[str, dict[str, str]] = field(default_factory=dict)
    concurrency: tuple[Load, ...] = ()
    first_load: FirstLoad | None = None
    scaling: tuple[Scaled, ...] = ()

    @property
    def same(self) -> bool:
        """Whether every rewrite that ran returned the rows of its original."""
        return not any(one.same is False for query in self.queries for one in query.variants)

    def as_dict(self) -> dict[str, Any]:
        """The form that ``tzconv bench --json`` prints."""
        return dataclasses.asdict(self)


def read(path: Path) -> Run:
    """A run that ``tzconv bench --json`` has printed; OutputError where the file is none."""
    try:
        return _run(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{path}: is not a run that tzconv bench --json has printed.") from error


def _run(found: dict[str, Any]) -> Run:
    queries = tuple(
        Measured(
            query["name"],
            query["title"],
            tuple(
                Variant(
                    **one | {key: tuple(one[key]) for key in ("names", "strategies")},
                )
                for one in query["variants"]
            ),
        )
        for query in found["queries"]
    )
    first_load = found["first_load"]
    parts = {
        "queries": queries,
        "concurrency": tuple(Load(**one) for one in found["concurrency"]),
        "first_load": None if first_load is None else FirstLoad(**first_load),
        "scaling": tuple(Scaled(**one) for one in found["scaling"]),
    }
    return Run(**found | parts)

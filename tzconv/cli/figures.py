"""The figures of a benchmark as tables on a terminal."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console
from rich.table import Table

from tzconv.cli import printing

if TYPE_CHECKING:
    from tzconv.bench.check import Verdict
    from tzconv.bench.results import Run

_WORDS = ("rows", "chosen", "fastest")
_WIDTH = 130


def show(run: Run) -> None:
    """Everything that a run found."""
    console = _console()
    seen = any(one.cpu is not None for query in run.queries for one in query.variants)
    time = "CPU time" if seen else "elapsed time (the server's CPU time cannot be seen from here)"
    console.print(
        f"{run.product}, {run.cpus} CPUs; {run.rows:,} events a table, {run.zones} zones, "
        f"tz release {run.tz_release}; medians of {run.rounds} rounds.\n"
        f"The ratios are {time} over that of the original, and over that of the same query "
        "without any conversion."
    )
    for query in run.queries:
        console.print(f"\n{query.name}: {query.title}", style="bold")
        table = _table("", "wall", "best", "user", "system", "/ native", "/ limit", "rows")
        for one in query.variants:
            name = ", ".join(one.names)
            if one.strategies and one.strategies != one.names:
                name += f" ({' + '.join(one.strategies)})"
            table.add_row(
                name,
                _seconds(one.wall),
                _seconds(one.wall_best),
                _seconds(one.user),
                _seconds(one.system),
                _ratio(one.of_native),
                _ratio(one.of_limit),
                one.problem or {True: "the same", False: "NOT THE SAME", None: ""}[one.same],
            )
        console.print(table)
    if run.concurrency:
        console.print("\nClients at once", style="bold")
        table = _table("", "clients", "per second", "p50", "p95", "p99", "CPUs busy", "waiting")
        for load in run.concurrency:
            table.add_row(
                f"{load.query}, {load.variant}",
                str(load.clients),
                f"{load.per_second:.1f}",
                *map(_seconds, (load.p50, load.p95, load.p99)),
                _percent(load.utilisation),
                _percent(load.waiting),
            )
        console.print(table)
    if run.scaling:
        console.print("\nMore rows, zones and years: CPU time", style="bold")
        table = _table("", "events", "zones", "years of tables", "original", "rewritten")
        for size in run.scaling:
            table.add_row(
                size.query,
                f"{size.rows:,}",
                str(size.zones),
                str(size.years),
                _seconds(size.original),
                _seconds(size.chosen),
            )
        console.print(table)
    if run.first_load is not None:
        load_ = run.first_load
        console.print(
            f"\nFirst load of {load_.rows:,} rows: tzconv refresh {load_.refresh:.1f} s, bare bulk "
            f"load {load_.raw:.1f} s, ratio {load_.ratio:.2f}; the refresh had at most "
            f"{printing.size(load_.peak_bytes)} of memory."
        )


def show_verdicts(
    runs: Sequence[Run], found: Sequence[Verdict], missing: Mapping[str, Sequence[str]]
) -> None:
    """The choice for each query beside what was measured, then what is wrong."""
    console = _console()
    for run in runs:
        console.print(
            f"{run.product}, {run.rows:,} events a table, measured on {run.measured_on} "
            f"with tzconv {run.tzconv}",
            style="bold",
        )
        table = _table("", "chosen", "CPU / native", "/ limit", "fastest", "CPU / native")
        for one in found:
            if one.dialect == run.dialect:
                table.add_row(
                    one.query,
                    " + ".join(one.chosen) or "none",
                    _ratio(one.ratio) + ("*" if one.stale else ""),
                    _ratio(one.of_limit),
                    one.best,
                    _ratio(one.best_ratio),
                )
        console.print(table)
    if any(one.stale for one in found):
        console.print("* measured with an older text of the same strategies")
    for one in found:
        if one.problem is not None:
            printing.say(f"{one.dialect}: {one.problem}.")
    for dialect, names in missing.items():
        for name in names:
            printing.say(f"{dialect}: no query was measured with {name}.")


def verdicts_as_dict(
    found: Sequence[Verdict], missing: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The form that ``tzconv bench --verdicts --json`` prints."""
    return {
        "verdicts": [dataclasses.asdict(one) for one in found],
        "unmeasured": {dialect: list(names) for dialect, names in missing.items()},
    }


def _console() -> Console:
    console = printing.results()
    if not console.is_terminal:
        console.width = _WIDTH  # a file has no edge to fold at
    return console


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for title in others:
        justify: Literal["left", "right"] = "left" if title in _WORDS else "right"
        table.add_column(title, justify=justify, no_wrap=title != "rows")
    return table


def _seconds(value: float | None) -> str:
    return "" if value is None else printing.seconds(value)


def _ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if value >= 0.095 else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"

"""Prints the results of a benchmark as tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from tzconv.bench.results import CONVERSIONS, FirstLoad, Measured, Run, Variant, headline, verdict
from tzconv.compare import shown

NOT_REWRITTEN = "not rewritten"
_WIDTH = 130
"""Of a file, which has no edge to fold at."""


def show(run: Run, console: Console) -> None:
    """Print all results of a run."""
    if not console.is_terminal:
        console.width = _WIDTH
    console.print(conditions(run))
    if run.suite != CONVERSIONS:
        console.print(_report_table(run))
        for query in run.queries:
            for reason in query.left:
                console.print(f"{query.name}:{reason} (left)", style="dim")
    else:
        has_cpu = any(one.cpu is not None for query in run.queries for one in query.variants)
        time = "CPU time" if has_cpu else "elapsed time (the server's CPU time is not visible here)"
        console.print(
            f"The ratios are {time} over that of the original, and over that of the same query "
            "without any conversion."
        )
        for query in run.queries:
            console.print(f"\n{query.name}: {query.title}", style="bold")
            console.print(_query_table(query))
    console.print(f"\n{headline(run)}", style="bold")
    console.print(verdict(run))
    if run.first_load is not None:
        console.print(f"\n{first_load(run.first_load)}")


def conditions(run: Run) -> str:
    """What was measured: the engine, the machine, the data."""
    return (
        f"{run.product}, {run.cpus} CPUs, "
        f"{'one thread' if run.one_thread else 'its own settings'}; {run.rows:,} events a table, "
        f"{run.zones} zones, tz release {run.tz_release}; medians of {run.rounds} rounds."
    )


def first_load(load: FirstLoad) -> str:
    """The two refreshes beside the bare load, in two lines."""
    return (
        f"First load of {load.rows:,} rows: tzconv refresh {load.refresh:.1f} s, bare bulk "
        f"load {load.raw:.1f} s, ratio {load.refresh / load.raw:.2f}; the refresh had at most "
        f"{load.peak_bytes / 1e6:.0f} MB of memory.\n"
        f"Moving the horizon by a day: {load.day:.1f} s, ratio to the first load "
        f"{load.day / load.refresh:.2f}; at most {load.day_peak_bytes / 1e6:.0f} MB."
    )


def _table(*titles: str, rows: Iterable[Iterable[str]]) -> Table:
    """Names to the left, numbers to the right; notes are in the last column."""
    table = Table(box=None, pad_edge=False)
    for place, title in enumerate(titles):
        is_note = place == len(titles) - 1
        is_left = is_note or place == 0
        table.add_column(title, justify="left" if is_left else "right", no_wrap=not is_note)
    for row in rows:
        table.add_row(*row)
    return table


def _query_table(query: Measured) -> Table:
    """A row for each text of a query."""
    titles = ("", "elapsed", "best", "CPU", "elapsed / native", "/ native", "/ limit", "rows")
    rows = [
        [
            name_of(one),
            *map(seconds, (one.wall, one.wall_best, one.cpu)),
            *map(ratio, (one.elapsed_of_native, one.of_native, one.of_limit)),
            rows_of(one),
        ]
        for one in query.variants
    ]
    return _table(*titles, rows=rows)


def _report_table(run: Run) -> Table:
    """A row for each query: the original beside the rewriter's choice."""
    titles = ("", "original", "now", "ratio", "CPU", "now", "ratio", "text", "rows")
    rows = []
    for query in run.queries:
        before, after, same = query.variants[0], query.chosen, NOT_REWRITTEN
        wall, cpu = [seconds(before.wall), "", ""], [seconds(before.cpu), "", ""]
        if query.is_rewritten:
            wall[1:] = seconds(after.wall), ratio(after.elapsed_of_native)
            cpu[1:] = seconds(after.cpu), ratio(after.cpu_of_native)
            same = rows_of(after)
        rows.append((query.name, *wall, *cpu, f"{query.growth:.1f}x", same))
    return _table(*titles, rows=rows)


def seconds(value: float | None) -> str:
    """A duration; nothing for one that was not measured."""
    return "" if value is None else shown(value)


def ratio(value: float | None) -> str:
    """A ratio with two significant digits at least; nothing for one that was not measured."""
    return "" if value is None else f"{value:.3f}" if value < 0.095 else f"{value:.2f}"


def rows_of(variant: Variant) -> str:
    """Whether the rows of a text are those of the original, or what is wrong."""
    return variant.problem or {True: "identical", False: "NOT IDENTICAL", None: ""}[variant.same]


def name_of(variant: Variant) -> str:
    """The names of a text, and the strategies it uses if they are others."""
    name = ", ".join(variant.names)
    plain = not variant.strategies or variant.strategies == variant.names
    return name if plain else f"{name} ({' + '.join(variant.strategies)})"

"""The figures of a benchmark as tables on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import table as rich
from rich.console import Console

from tzconv.bench import results
from tzconv.bench.check import Verdict
from tzconv.bench.results import REPORTS, Run, verdict
from tzconv.cli import printing

_WIDTH = 130


def show(run: Run) -> None:
    """Everything that a run found."""
    console = _console()
    seen = any(one.cpu is not None for query in run.queries for one in query.variants)
    time = "CPU time" if seen else "elapsed time (the server's CPU time cannot be seen from here)"
    console.print(
        f"{run.product}, {run.cpus} CPUs, "
        f"{'one thread' if run.one_thread else 'its own settings'}; {run.rows:,} events a table, "
        f"{run.zones} zones, tz release {run.tz_release}; medians of {run.rounds} rounds."
    )
    if run.suite == REPORTS:
        _show_reports(console, run)
    else:
        console.print(
            f"The ratios are {time} over that of the original, and over that of the same query "
            "without any conversion."
        )
    for query in run.queries if run.suite != REPORTS else ():
        console.print(f"\n{query.name}: {query.title}", style="bold")
        console.print(_table(results.of_query(query)))
    console.print(f"\n{verdict(run)}", style="bold")
    for title, table in (
        ("Clients at once", results.of_clients(run)),
        ("More rows, zones and years: CPU time", results.of_sizes(run)),
    ):
        if table[1]:
            console.print(f"\n{title}", style="bold")
            console.print(_table(table))
    if run.first_load is not None:
        console.print(f"\n{results.of_first_load(run.first_load)}")


def _show_reports(console: Console, run: Run) -> None:
    rows = [
        (
            query.name,
            _fine(before.wall),
            _fine(after.wall),
            results.ratio(after.elapsed_of_native),
            _fine(before.cpu),
            _fine(after.cpu),
            "" if after.cpu is None else results.ratio(after.of_native),
            f"{query.growth:.1f}x",
            "left as it is" if after is before else results.rows(after),
        )
        for query in run.queries
        for before, after in [(query.variants[0], query.chosen)]
    ]
    titles = ("", "original", "now", "ratio", "CPU", "now", "ratio", "text", "rows")
    console.print(_table((titles, rows)))
    for query in run.queries:
        for reason in query.left:
            console.print(f"{query.name}:{reason} (left)", style="dim")


def _fine(value: float | None) -> str:
    return results.seconds(value) if value is None or value >= 0.01 else f"{value * 1000:.2f} ms"


def show_verdicts(
    runs: Sequence[Run],
    found: Sequence[Verdict],
    missing: Mapping[str, Sequence[str]],
    reports: Sequence[Run],
) -> None:
    """The choice for each query beside what was measured, then what is wrong, and the reports."""
    console = _console()
    for run in runs:
        console.print(
            f"{run.product}, {run.rows:,} events a table, measured on {run.measured_on} "
            f"with tzconv {run.tzconv}",
            style="bold",
        )
        rows = [
            (
                one.query,
                " + ".join(one.chosen) or "none",
                results.ratio(one.ratio) + ("*" if one.stale else ""),
                results.ratio(one.of_limit),
                one.best,
                results.ratio(one.best_ratio),
            )
            for one in found
            if one.dialect == run.dialect
        ]
        titles = ("", "chosen", "CPU / native", "/ limit", "fastest", "CPU / native")
        console.print(_table((titles, rows)))
    if any(one.stale for one in found):
        console.print("* measured with an older text of the same strategies")
    for one in found:
        if one.problem is not None:
            printing.say(f"{one.dialect}: {one.problem}.")
    for dialect, names in missing.items():
        for name in names:
            printing.say(f"{dialect}: no query was measured with {name}.")
    for run in reports:
        printing.results().print(f"{run.product}, reports: {verdict(run)}")


def _console() -> Console:
    console = printing.results()
    if not console.is_terminal:
        console.width = _WIDTH  # a file has no edge to fold at
    return console


def _table(table: results.Table) -> rich.Table:
    made = rich.Table(box=None, pad_edge=False)
    titles, rows = table
    for title in titles:
        is_left = title in ("", "rows", "chosen", "fastest")
        made.add_column(title, justify="left" if is_left else "right", no_wrap=title != "rows")
    for row in rows:
        made.add_row(*row)
    return made

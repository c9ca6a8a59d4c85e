"""The figures of a benchmark as tables on a terminal."""

from __future__ import annotations

from rich import table as rich
from rich.console import Console

from tzconv.bench import results
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
        console.print(_table(results.query_table(query)))
    console.print(f"\n{verdict(run)}", style="bold")
    for title, table in (
        ("Clients at once", results.client_table(run)),
        ("More rows, zones and years: CPU time", results.size_table(run)),
    ):
        if table[1]:
            console.print(f"\n{title}", style="bold")
            console.print(_table(table))
    if run.first_load is not None:
        console.print(f"\n{results.first_load_text(run.first_load)}")


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


def _console() -> Console:
    console = printing.results()
    if not console.is_terminal:
        console.width = _WIDTH  # a file has no edge to fold at
    return console


def _table(table: results.Table) -> rich.Table:
    made = rich.Table(box=None, pad_edge=False)
    titles, rows = table
    for title in titles:
        is_left = title in ("", "rows")
        made.add_column(title, justify="left" if is_left else "right", no_wrap=title != "rows")
    for row in rows:
        made.add_row(*row)
    return made

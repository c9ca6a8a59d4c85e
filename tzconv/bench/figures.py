"""Prints the results of a benchmark: tables on the terminal, or the page of ``--report``."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.bar import Bar
from rich.console import Console, RenderableType
from rich.syntax import Syntax
from rich.table import Table

from tzconv.bench.results import CHOSEN, LIMIT, REPORTS, Measured, Run, Variant, verdict

_WIDTH = 130
"""Of a file, which has no edge to fold at."""
_BAR_WIDTH, _LONGEST = 40, 3.0
"""Longer ratios are cut: the figures beside the bars have them."""


def show(run: Run, console: Console) -> None:
    """Print all results of a run."""
    if not console.is_terminal:
        console.width = _WIDTH
    _print_head(run, console)
    if run.suite == REPORTS:
        console.print(_report_table(run))
        for query in run.queries:
            for reason in query.left:
                console.print(f"{query.name}:{reason} (left)", style="dim")
    else:
        for query in run.queries:
            console.print(f"\n{query.name}: {query.title}", style="bold")
            console.print(_query_table(query))
    _print_rest(run, console)


def page(run: Run) -> str:
    """The results of a run as one HTML file: tables with bars, and the texts of all queries."""
    console = Console(
        record=True,
        file=io.StringIO(),
        width=_WIDTH + _BAR_WIDTH,
        soft_wrap=True,
        markup=False,
        highlight=False,
    )
    console.print(f"Time zone conversion, tzconv {run.tzconv}, {run.measured_on}\n", style="bold")
    _print_head(run, console)
    console.print("\nThe rewriter's choice over the original", style="bold")
    console.print(_choices(run.queries))
    for query in run.queries:
        console.print(f"\n{query.name}: {query.title}", style="bold")
        console.print(_query_table(query, bars=True))
        for variant in query.variants:
            console.print(f"\n{', '.join(variant.names)}:", style="dim")
            console.print(
                Syntax(variant.sql.strip(), "sql", theme="default", background_color="default")
            )
    _print_rest(run, console, bars=True)
    return console.export_html()


def _print_head(run: Run, console: Console) -> None:
    has_cpu = any(one.cpu is not None for query in run.queries for one in query.variants)
    time = "CPU time" if has_cpu else "elapsed time (the server's CPU time is not visible here)"
    console.print(
        f"{run.product}, {run.cpus} CPUs, "
        f"{'one thread' if run.one_thread else 'its own settings'}; {run.rows:,} events a table, "
        f"{run.zones} zones, tz release {run.tz_release}; medians of {run.rounds} rounds."
    )
    if run.suite != REPORTS:
        console.print(
            f"The ratios are {time} over that of the original, and over that of the same query "
            "without any conversion."
        )


def _print_rest(run: Run, console: Console, *, bars: bool = False) -> None:
    console.print(f"\n{verdict(run)}", style="bold")
    for title, table in (
        ("Clients at once", _client_table(run, bars=bars)),
        ("More rows, zones and years: CPU time", _size_table(run)),
    ):
        if table.rows:
            console.print(f"\n{title}", style="bold")
            console.print(table)
    if run.first_load is not None:
        load = run.first_load
        console.print(
            f"\nFirst load of {load.rows:,} rows: tzconv refresh {load.refresh:.1f} s, bare bulk "
            f"load {load.raw:.1f} s, ratio {load.ratio:.2f}; the refresh had at most "
            f"{load.peak_bytes / 1e6:.0f} MB of memory."
        )


def _table(
    *titles: str, has_notes: bool = False, rows: Iterable[Iterable[RenderableType]]
) -> Table:
    """Names to the left, numbers to the right; notes are in the last column."""
    table = Table(box=None, pad_edge=False)
    for place, title in enumerate(titles):
        is_note = has_notes and place == len(titles) - 1
        is_left = is_note or place == 0
        table.add_column(title, justify="left" if is_left else "right", no_wrap=not is_note)
    for row in rows:
        table.add_row(*row)
    return table


def _bar(value: float | None, colour: str) -> Bar:
    return Bar(_LONGEST, 0, value or 0.0, width=_BAR_WIDTH, color=colour)


def _choices(queries: Iterable[Measured]) -> Table:
    rows: list[list[RenderableType]] = []
    for query in queries:
        chosen, limit = query.variant(CHOSEN), query.variant(LIMIT)
        ratio = 1.0 if chosen is None else chosen.of_native
        note = "unchanged" if chosen is None else chosen.problem or ""
        rows.append([query.name, _ratio(ratio), _bar(ratio, "blue"), note])
        if limit is not None:
            rows.append(
                ["  no conversion", _ratio(limit.of_native), _bar(limit.of_native, "green"), ""]
            )
    return _table("", "/ native", "", "", has_notes=True, rows=rows)


def _query_table(query: Measured, *, bars: bool = False) -> Table:
    """A row for each text of a query."""
    titles = ["", "elapsed", "best", "CPU", "elapsed / native", "/ native", "/ limit", "rows"]
    rows: list[list[RenderableType]] = [
        [
            _name(one),
            *map(_seconds, (one.wall, one.wall_best, one.cpu)),
            *map(_ratio, (one.elapsed_of_native, one.of_native, one.of_limit)),
            *([_bar(one.of_native, "blue")] if bars else []),
            _rows(one),
        ]
        for one in query.variants
    ]
    if bars:
        titles.insert(-1, "")
    return _table(*titles, has_notes=True, rows=rows)


def _report_table(run: Run) -> Table:
    """A row for each query: the original beside the rewriter's choice."""
    titles = ("", "original", "now", "ratio", "CPU", "now", "ratio", "text", "rows")
    rows = [
        (
            query.name,
            *map(_fine_seconds, (before.wall, after.wall)),
            _ratio(after.elapsed_of_native),
            *map(_fine_seconds, (before.cpu, after.cpu)),
            "" if after.cpu is None else _ratio(after.of_native),
            f"{query.growth:.1f}x",
            "left as it is" if after is before else _rows(after),
        )
        for query in run.queries
        for before, after in [(query.variants[0], query.chosen)]
    ]
    return _table(*titles, has_notes=True, rows=rows)


def _client_table(run: Run, *, bars: bool) -> Table:
    """A row for each text and number of clients; the bars are p95."""
    longest = max((one.p95 for one in run.concurrency), default=0.0)
    rows: list[list[RenderableType]] = [
        [
            f"{one.query}, {one.variant}",
            str(one.clients),
            f"{one.per_second:.1f}",
            *map(_seconds, (one.p50, one.p95, one.p99)),
            *("" if share is None else f"{share:.0%}" for share in (one.utilisation, one.waiting)),
            *([_bar(one.p95 / longest * _LONGEST, "blue")] if bars else []),
        ]
        for one in run.concurrency
    ]
    titles = ("", "clients", "per second", "p50", "p95", "p99", "CPUs busy", "waiting")
    return _table(*titles, *([""] if bars else []), rows=rows)


def _size_table(run: Run) -> Table:
    """A row for each query and size; seconds are those of CPU time."""
    rows = [
        (
            *(one.query, f"{one.rows:,}", str(one.zones), str(one.years)),
            *map(_seconds, (one.original, one.chosen)),
        )
        for one in run.scaling
    ]
    return _table("", "events", "zones", "years of tables", "original", "rewritten", rows=rows)


def _seconds(value: float | None) -> str:
    """A duration; nothing for one that was not measured."""
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def _fine_seconds(value: float | None) -> str:
    return _seconds(value) if value is None or value >= 0.01 else f"{value * 1000:.2f} ms"


def _ratio(value: float | None) -> str:
    """A ratio with two significant digits at least; nothing for one that was not measured."""
    return "" if value is None else f"{value:.3f}" if value < 0.095 else f"{value:.2f}"


def _rows(variant: Variant) -> str:
    """Whether the rows of a text are those of the original, or what is wrong."""
    return variant.problem or {True: "identical", False: "NOT IDENTICAL", None: ""}[variant.same]


def _name(variant: Variant) -> str:
    name = ", ".join(variant.names)
    plain = not variant.strategies or variant.strategies == variant.names
    return name if plain else f"{name} ({' + '.join(variant.strategies)})"

"""``tzconv demo``."""

from __future__ import annotations

import datetime as dt
import time
from pathlib import Path

import click
from rich.table import Table

from tzconv.cli import printing


@click.command("demo")
@click.option(
    "--file",
    default="tzconv-demo.duckdb",
    show_default=True,
    metavar="PATH",
    help="DuckDB file to make.",
)
@click.option(
    "--events",
    type=click.IntRange(1),
    default=2_000_000,
    show_default=True,
    help="Number of events to make.",
)
def command(file: str, events: int) -> None:
    """Show the three queries the project began with, before and after.

    Makes a DuckDB file with events of 10,000 publishers in all time zones and the conversion
    tables, then runs each query as it is and rewritten.

    \b
    tzconv demo
    tzconv demo --events 10000000
    """
    from tzconv import demo
    from tzconv.refresher import refresh

    console = printing.results()
    today = dt.datetime.now(dt.UTC).date()
    url = f"duckdb:///{file}"
    began = time.perf_counter()
    printing.say(f"Making {events:,} events of {demo.PUBLISHERS:,} publishers in {file} …")
    demo.make_events(Path(file), events, today)
    with printing.progress("loading") as show:
        made = refresh(url, progress=show)
    rows = sum(made.rows.values())
    printing.say(
        f"Conversion tables of tz release {made.tz_release}: {made.zone_count} zones, "
        f"{rows:,} rows ({time.perf_counter() - began:.0f} s so far)."
    )
    figures = Table(box=None, pad_edge=False)
    for title in ("query", "rows", "before", "after", "CPU before", "CPU after", "ratio", ""):
        figures.add_column(title, justify="left" if title in ("query", "") else "right")
    all_same = True
    for number, shown in enumerate(demo.show(url, today), 1):
        console.print(f"\n{number}. {shown.title}\n", style="bold")
        console.print(printing.diff(shown.sql, shown.rewrite.sql, indent="   "))
        result = shown.comparison
        all_same &= result.same
        figures.add_row(
            f"{number}. {shown.name}",
            f"{result.rows:,}",
            printing.seconds(result.original_seconds),
            printing.seconds(result.rewritten_seconds),
            printing.seconds(result.original_cpu_seconds),
            printing.seconds(result.rewritten_cpu_seconds),
            f"{result.cpu_ratio:.2f}",
            "same rows" if result.same else "DIFFERENT ROWS",
        )
    console.print()
    console.print(figures)
    console.print(
        f"\nRatio: CPU time of the rewritten query over that of the original, medians of the same "
        f"run.\n\nNext, on your own data:\n"
        f"  tzconv refresh --url duckdb:///YOUR.duckdb\n"
        f"  tzconv rewrite YOUR.sql --url duckdb:///YOUR.duckdb\n"
        f"  tzconv compare YOUR.sql --url duckdb:///YOUR.duckdb\n"
        f"The demonstration's data stay in {file}; look around, then delete it."
    )
    if not all_same:
        raise SystemExit(1)

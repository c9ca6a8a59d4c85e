"""``tzconv demo``: before and after of three queries, on made-up events."""

from __future__ import annotations

import datetime as dt
import time
from pathlib import Path

import click
from rich.table import Table

from tzconv import engines
from tzconv.cli import printing
from tzconv.cli.codes import ExitCode
from tzconv.engines import urls


@click.command("demo")
@click.option(
    "--file",
    default=f"tzconv-demo.{engines.DEFAULT}",
    show_default=True,
    metavar="PATH",
    help="Database file to make.",
)
@click.option(
    "--events",
    type=click.IntRange(1),
    default=2_000_000,
    show_default=True,
    help="Number of events.",
)
def command(file: str, events: int) -> None:
    """Show three queries before and after, on made-up events.

    Makes a DuckDB file with events of 10,000 publishers in all time zones and the conversion
    tables, then runs each of the queries that the project began with as it is and rewritten.

    \b
    tzconv demo
    tzconv demo --events 10000000
    """
    from tzconv import demo
    from tzconv.bench.data import PUBLISHERS
    from tzconv.refresher import refresh

    console = printing.results()
    today = dt.datetime.now(dt.UTC).date()
    url = urls.of_file(file)
    began = time.perf_counter()
    demo.make_file(Path(file))
    with printing.progress("loading") as show:
        loaded = refresh(url, progress=show)
    printing.say(
        f"Loaded the conversion tables of tz release {loaded.tz_release} into {file}: "
        f"{loaded.zone_count} zones, {sum(loaded.rows.values()):,} rows, "
        f"{time.perf_counter() - began:.0f} s."
    )
    printing.say_disagreements(loaded.disagreements, loaded.tz_release)
    names = demo.make_events(Path(file), loaded, events, today)
    if len(names) < loaded.zone_count:
        printing.say("Those zones have no publishers here.")
    printing.say(
        f"Made {events:,} events of {PUBLISHERS:,} publishers in {len(names)} zones, "
        f"{time.perf_counter() - began:.0f} s so far."
    )
    figures = Table(box=None, pad_edge=False)
    for title in ("query", "before", "after", "CPU before", "CPU after", "CPU ratio"):
        figures.add_column(title, justify="left" if title == "query" else "right")
    all_same = True
    for number, (name, title, sql, rewritten, result) in enumerate(demo.show(url, today), 1):
        console.print(f"\n{number}. {title}\n", style="bold")
        console.print(printing.diff(sql, rewritten, indent="   "))
        console.print(
            f"   {printing.count(result.rows, 'row')}, "
            f"{'identical' if result.same else 'NOT IDENTICAL'}",
            style="bold green" if result.same else "bold red",
        )
        all_same &= result.same
        before, after, _, *cpu = printing.costs(result)
        figures.add_row(f"{number}. {name}", before, after, *cpu)
    console.print("", figures, sep="\n")
    yours = urls.of_file(f"YOUR.{engines.DEFAULT}")
    console.print(
        f"\nMedians of the same run; CPU of all threads. Next, on your own data:\n"
        f"  tzconv refresh --url {yours}\n"
        f"  tzconv rewrite YOUR.sql --url {yours}\n"
        f"  tzconv compare YOUR.sql --url {yours}\n"
        f"The data stay in {file}: explore it, then delete it."
    )
    if not all_same:
        raise SystemExit(ExitCode.ERROR)

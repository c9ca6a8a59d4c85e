"""``tzconv bench``: options and output of the benchmark; :mod:`tzconv.bench` measures."""

from __future__ import annotations

import contextlib
import signal
from typing import Any, NoReturn

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode


def _count(name: str, text: str) -> arguments.Option:
    return click.option(name, type=click.IntRange(1), help=text)


_STOPPING = (signal.SIGINT, signal.SIGTERM)


def _stop(*_: object) -> NoReturn:
    """Stop, and let no further signal stop what removes the schema."""
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


@click.command("bench")
@click.option(
    "--url",
    metavar="URL",
    help="Database to measure in, in a schema that is removed.  [default: a temporary file]",
)
@click.option(
    "--suite",
    type=click.Choice(["conversions", "reports", "tuned"]),
    default="conversions",
    show_default=True,
    help="Queries to run: one for each kind of conversion, a dozen reports of a company, or "
    "reports on a schema with indexes, partitions and statistics for them.",
)
@_count(
    "--rows",
    "Number of events to make in each table.  [default: 1000000; 3000000 for reports in a "
    "temporary file]",
)
@_count("--zone-count", "Number of time zones.  [default: all]")
@click.option(
    "--one-thread",
    is_flag=True,
    help="Limit the engine to one thread, a server to one process without JIT.  [default: the "
    "engine's own settings]",
)
@click.option(
    "--queries",
    default="all",
    show_default=True,
    metavar="all|NAME|FILE.sql,...",
    help="Names of queries, and files with one SELECT over your own tables.",
)
@click.option(
    "--strategies",
    metavar="all|NAME,...",
    help="Strategies to measure beside the rewriter's choice.  [default: those it may choose]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Alternating runs of all texts of a query; reports medians.",
)
@click.option(
    "--load",
    "first_load",
    is_flag=True,
    help="Also time a first load, a bare bulk load, and a move of the horizon by a day.",
)
@click.option(
    "--html",
    metavar="FILE",
    help="Also write the results as a web page: a headline, and a row for each query.",
)
@arguments.as_json
def command(
    rows: int | None,
    queries: str,
    strategies: str | None,
    html: str | None,
    zone_count: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Measure the strategies on this machine and in this database.

    Makes events and conversion tables in a schema or file of its own, runs each query as it is,
    rewritten, and without any conversion, compares the rows, and removes what it made. Exits 1 if
    rows differ.

    A rewrite loses if it is slower by more than 5 % and more than 0.2 ms, elapsed or CPU.

    \b
    tzconv bench
    tzconv bench --rows 10000000 --strategies all
    tzconv bench --url postgresql+psycopg://me@host/reports --queries hourly,report.sql
    tzconv bench --suite reports --html reports.html
    tzconv bench --suite tuned --rows 200000 --url postgresql+psycopg://me@host/reports
    """
    from tzconv import bench, files
    from tzconv.bench import figures, page

    is_large = given["suite"] != "conversions" and given["url"] is None
    options = bench.BenchOptions(
        rows=rows or (3_000_000 if is_large else 1_000_000),
        queries=tuple(arguments.names(queries)),
        strategies=tuple(arguments.names(strategies or "")),
        zones=zone_count,
        **given,
    )
    if not options.queries:
        raise click.BadParameter("names no query", param_hint="'--queries'")
    if html == "":
        raise click.BadParameter("names no file", param_hint="'--html'")
    for number in _STOPPING:
        signal.signal(number, _stop)
    with contextlib.nullcontext() if html is None else files.writing(html) as out:
        found = bench.run(options, printing.say)
        if out is not None:
            out.write(page.page(found))
    if as_json:
        printing.print_json(found.as_dict())
    else:
        figures.show(found, printing.results())
    if not found.same:
        raise SystemExit(ExitCode.ERROR)

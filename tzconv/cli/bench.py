"""``tzconv bench``."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType

import click

from tzconv.cli import arguments, figures, printing
from tzconv.errors import OutputError


@click.command("bench")
@click.option(
    "--url",
    metavar="URL",
    help="Database to measure in, in a schema that is removed.  [default: a temporary DuckDB file]",
)
@click.option(
    "--rows",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="Number of events to make in each table.",
)
@click.option("--zones", type=click.IntRange(1), help="Number of time zones.  [default: all]")
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
    help="Strategies to measure beside the rewriter's choice.  [default: those it uses by itself]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Run all texts of a query so often, in turn; the medians count.",
)
@click.option(
    "--concurrency",
    metavar="N,...",
    help="Run original and rewrite with so many clients at once as well, for example 1,4,16.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=5.0,
    show_default=True,
    help="How long the clients run each text.",
)
@click.option("--load", is_flag=True, help="Measure a first load against a bare bulk load as well.")
@click.option("--scaling", is_flag=True, help="Measure more rows, zones and years as well.")
@click.option("--report", type=click.Path(dir_okay=False), help="Write charts and tables as HTML.")
@click.option(
    "--flamegraph",
    type=click.Path(dir_okay=False),
    help="Profile the server with perf during original and rewrite of the first query, as SVG.",
)
@click.option(
    "--verdicts",
    is_flag=True,
    help="Measure nothing: check the rewriter's choices against the committed runs.",
)
@arguments.as_json
def command(
    url: str | None,
    rows: int,
    zones: int | None,
    queries: str,
    strategies: str | None,
    rounds: int,
    concurrency: str | None,
    seconds: float,
    load: bool,
    scaling: bool,
    report: str | None,
    flamegraph: str | None,
    verdicts: bool,
    as_json: bool,
) -> None:
    """Measure every strategy on this machine and in this database.

    Makes events and conversion tables in a place of its own, runs each query as it is, rewritten,
    and without any conversion, compares the rows, and removes the place. Exits with 1 where rows
    differ.

    \b
    tzconv bench
    tzconv bench --rows 10000000 --strategies all --report bench.html
    tzconv bench --url postgresql+psycopg://me@host/reports --queries hourly,report.sql
    """
    if verdicts:
        _verdicts(as_json)
        return
    from tzconv import bench
    from tzconv.bench import flame, page

    options = bench.Options(
        url,
        rows,
        zones,
        tuple(arguments.names(queries)),
        tuple(arguments.names(strategies or "")),
        rounds,
        _counts(concurrency),
        seconds,
        load,
        scaling,
    )
    if not options.queries:
        raise click.BadParameter("names no query", param_hint="'--queries'")
    for file in (report, flamegraph):
        _check_folder(file)
    signal.signal(signal.SIGTERM, _stop)  # the place is removed then, too
    found = bench.run(options, printing.say)
    if flamegraph is not None:
        refused = flame.write(Path(flamegraph), options, printing.say)
        if refused is not None:
            printing.say(refused)
    if report is not None:
        try:
            Path(report).write_text(page.page(found), encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{report}: cannot be written ({error.strerror}).") from error
    if as_json:
        printing.print_json(found.as_dict())
    else:
        figures.show(found)
    if not found.same:
        raise SystemExit(1)


def _verdicts(as_json: bool) -> None:
    from tzconv.bench import check

    runs = check.committed()
    found = [verdict for run in runs for verdict in check.check(run)]
    missing = {run.dialect: check.unmeasured(run) for run in runs}
    if as_json:
        printing.print_json(figures.verdicts_as_dict(found, missing))
    else:
        figures.show_verdicts(runs, found, missing)
    if any(verdict.problem for verdict in found) or any(missing.values()):
        raise SystemExit(1)


def _counts(text: str | None) -> tuple[int, ...]:
    numbers = arguments.names(text or "")
    if not all(number.isascii() and number.isdigit() and int(number) > 0 for number in numbers):
        raise click.BadParameter(
            f"{text!r} is not a list of numbers of clients such as 1,4,16.",
            param_hint="'--concurrency'",
        )
    return tuple(map(int, numbers))


def _check_folder(file: str | None) -> None:
    if file is not None and not Path(file).absolute().parent.is_dir():
        raise OutputError(f"{file}: its folder does not exist; make it first.")


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt

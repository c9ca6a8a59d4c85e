"""``tzconv rollup``."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import OutputError

if TYPE_CHECKING:
    from tzconv.cli.config import Defaults
    from tzconv.rollup import Entry, Outcome, Plan

_MOST_NAMES = 6


@click.command("rollup")
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@arguments.url
@arguments.db_schema
@click.option("--plan", "plan_only", is_flag=True, help="Count rows and buckets first, and advise.")
@click.option(
    "--dry-run", is_flag=True, help="Show what a run would do; change nothing. Exits 2 if anything."
)
@click.option("--sql", is_flag=True, help="With --dry-run: print the SQL statements.")
@click.option("--verify", is_flag=True, help="Compare all closed buckets with the source, too.")
@click.option("--rebuild", is_flag=True, help="Compute all rows again, with the grid needed now.")
@click.option("--force", is_flag=True, help="Make a rollup even if it does not pay.")
@click.option(
    "--allow-delete", is_flag=True, help="Even delete more than half of the rows looked at."
)
@click.option(
    "--lock-timeout",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another job.",
)
@click.option("--timescale", is_flag=True, help="Print a continuous aggregate instead.")
@click.option("--dbt", is_flag=True, help="Print an incremental dbt model instead.")
@click.option(
    "--print", "dialect", metavar="DIALECT", help="Print the SQL for an engine; ask no database."
)
@click.option(
    "--since",
    type=arguments.day,
    metavar="DATE",
    help="With --print: first UTC day of the events.  [default: start of last year]",
)
@arguments.as_json
@click.pass_context
def command(
    context: click.Context,
    tables: tuple[str, ...],
    url: str | None,
    db_schema: str | None,
    plan_only: bool,
    dry_run: bool,
    sql: bool,
    lock_timeout: float,
    timescale: bool,
    dbt: bool,
    dialect: str | None,
    since: dt.date | None,
    as_json: bool,
    **given: bool,
) -> None:
    """Keep sums by UTC bucket that are exact in each zone's local days.

    Makes the [[rollups]] with a bucket of the file of --config, keeps them current, and creates a
    view with local hour, day, week and month over each. Later runs compute what the lookback
    reaches anew, in one transaction.

    \b
    tzconv --config tzconv.toml rollup --plan --url duckdb:///events.duckdb
    tzconv --config tzconv.toml rollup --url duckdb:///events.duckdb
    tzconv --config tzconv.toml rollup events_by_zone --verify --url duckdb:///events.duckdb
    """
    from tzconv import engines, rollup
    from tzconv.rollup import printed

    if sql and not dry_run:
        raise click.UsageError("--sql prints the statements of a --dry-run: give both.")
    if sum((plan_only, dry_run, timescale, dbt, dialect is not None)) > 1:
        raise click.UsageError("--plan, --dry-run, --timescale, --dbt, --print: choose one.")
    if since is not None and dialect is None:
        raise click.UsageError("--since is for --print.")
    entries = configured(context.find_root().obj, tables)
    if dialect is not None:
        first = since or dt.date(dt.datetime.now(dt.UTC).year - 1, 1, 1)
        for entry in entries:
            shape, grid = printed.without_database(entry, engines.named(dialect), first)
            _echo(printed.script(shape, grid, first))
        return
    reads_only = plan_only or dry_run or timescale or dbt
    with engines.connect(
        url, read_only=reads_only, schema=db_schema, lock_timeout=lock_timeout
    ) as backend:
        if reads_only:
            plans = [
                rollup.make(backend, one, count=plan_only, anew=given["rebuild"] or not dry_run)
                for one in entries
            ]
            if sql:
                for one in plans:
                    _echo(printed.of_plan(one, indexed=not backend.scans_ranges))
            elif timescale or dbt:
                for one in plans:
                    grid = printed.plain(one.grid, one.since)
                    click.echo(
                        printed.timescale(one.shape, grid, one.zones)
                        if timescale
                        else printed.dbt(one.shape, grid),
                        nl=False,
                    )
            else:
                _show(plans, as_json)
            if dry_run:
                raise SystemExit(ExitCode.FOUND)
            return
        done = []
        with printing.progress("filling") as show:
            for entry in entries:
                done.append(rollup.run(backend, entry, progress=show, **given))
                if not as_json:
                    _say(done[-1])
    if as_json:
        printing.print_json([dataclasses.asdict(one) for one in done])


def configured(made: Defaults, tables: Sequence[str]) -> list[Entry]:
    """The rollups of the named configuration; OutputError without one."""
    from tzconv import rollup

    if made.found is not None and made.rollups:
        raise OutputError(
            f"{made.found}: the aggregates of its rollups are SQL, and nobody has named this file: "
            f"trust it with --config {made.found} before the command, or with TZCONV_CONFIG."
        )
    if made.file is None:
        raise OutputError(
            "There is no configuration with [[rollups]]: name it with --config tzconv.toml before "
            "the command, or with TZCONV_CONFIG."
        )
    return rollup.read(made.rollups, made.file, tables)


def _echo(statements: Iterator[str]) -> None:
    for statement in statements:
        click.echo(f"{statement};")


def _show(plans: Sequence[Plan], as_json: bool) -> None:
    if as_json:
        printing.print_json(
            [
                {
                    "table": one.shape.entry.table,
                    "state": "new" if one.state is None else "kept",
                    "rows": one.rows,
                    "buckets": one.buckets,
                    "share": one.share,
                    "seconds_of_a_bucket": one.grid.width,
                    "cuts": len(one.grid.cuts),
                    "zones": sorted(filter(None, one.zones)),
                    "advice": one.advice(),
                    "finer": one.finer,
                    "notes": one.notes,
                }
                for one in plans
            ]
        )
        return
    for one in plans:
        for line in _lines(one):
            printing.line(line)


def _lines(one: Plan) -> Iterator[str]:
    table = one.shape.entry.table
    is_kept = "" if one.state is None else " (kept)"
    yield f"{table}{is_kept}: buckets of {minutes(one.grid.width)}, {_zones(one)}"
    if cuts := len(one.grid.cuts):
        yield f"  {printing.count(cuts, 'bucket')} cut in two at a transition"
    if one.share is not None:
        yield (
            f"  {one.buckets:,} rows for {one.rows:,} of {one.shape.entry.source}: a report reads "
            f"and converts {one.share:.3g} of them, and costs about that share"
        )
    if one.finer:
        yield f"  too long for {printing.some(one.finer, _MOST_NAMES)}: --rebuild"
    for note in (*one.notes, *filter(None, [one.advice()])):
        yield f"  {note}"


def _zones(one: Plan) -> str:
    return printing.count(len([name for name in one.zones if name]), "zone")


def minutes(seconds: int) -> str:
    """The width of a bucket for people."""
    return printing.count(seconds // 60, "minute") if seconds >= 60 else f"{seconds} s"


def _say(done: Outcome) -> None:
    verb = "Made" if done.is_new else "Kept"
    printing.say(
        f"{verb} {done.table}: {printing.count(done.rows, 'row')}, buckets of "
        f"{minutes(done.width)}; deleted {done.deleted:,}, inserted {done.inserted:,} "
        f"({done.seconds:.1f} s)."
    )
    if done.days:
        printing.say(f"{printing.count(len(done.days), 'closed day')} differed, and was repaired.")
    if done.moved:
        printing.say(
            f"Computed anew for moved keys: {printing.some([str(one) for one in done.moved])}."
        )
    for note in done.notes:
        printing.say(note)
    if done.view is not None and done.is_new:
        printing.say(f"Group by the local columns of {done.view}.")

"""``tzconv rollup``."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import OutputError

if TYPE_CHECKING:
    from tzconv.cli.config import Defaults
    from tzconv.engines.backend import Backend
    from tzconv.rollup import Entry, Outcome, Plan

_INSTEAD = ("plan", "dry_run", "timescale", "dbt", "print_for")


@click.command("rollup")
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@arguments.url
@arguments.db_schema
@click.option("--plan", is_flag=True, help="Count rows and buckets first, and advise.")
@click.option("--dry-run", is_flag=True, help="Show what a run would do; change nothing. Exits 2.")
@click.option("--sql", is_flag=True, help="With --dry-run: print the SQL statements.")
@click.option("--verify", is_flag=True, help="Compare all closed buckets with the source, too.")
@click.option("--rebuild", is_flag=True, help="Compute all rows again, with the grid needed now.")
@click.option("--force", is_flag=True, help="Make a rollup even if it does not pay.")
@click.option("--allow-delete", is_flag=True, help="Even delete more than half of the rows.")
@click.option("--timescale", is_flag=True, help="Print a continuous aggregate instead.")
@click.option("--dbt", is_flag=True, help="Print an incremental dbt model instead.")
@click.option("--print", "print_for", metavar="DIALECT", help="Print SQL; ask no database.")
@click.option(
    "--since",
    type=arguments.day,
    metavar="DATE",
    help="With --print: first UTC day of the events.  [default: start of last year]",
)
@click.option(
    "--lock-timeout",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another job.",
)
@arguments.as_json
def command(  # noqa: PLR0912 # one branch for each way to print
    tables: tuple[str, ...],
    url: str | None,
    db_schema: str | None,
    sql: bool,
    since: dt.date | None,
    lock_timeout: float,
    as_json: bool,
    **given: Any,
) -> None:
    """Keep sums by UTC bucket that are exact in each zone's local days.

    Makes the [[rollups]] with a bucket of a configuration that is named (TZCONV_CONFIG, or --config
    before the command), keeps them current, and creates a view with local hour, day, week and month
    over each. Later runs compute what the lookback reaches anew, in one transaction.

    \b
    tzconv rollup --plan --url duckdb:///events.duckdb
    tzconv rollup --url duckdb:///events.duckdb
    tzconv rollup events_by_zone --verify --url postgresql+psycopg://me@host/reports
    """
    from tzconv import engines, rollup
    from tzconv.rollup import printed

    instead = {name: given.pop(name) for name in _INSTEAD}
    # no parameter of the name dialect: a configuration sets that, and means the database by it
    dialect, dry_run = instead["print_for"], instead["dry_run"]
    if sql and not dry_run:
        raise click.UsageError("--sql prints the statements of a --dry-run: give both.")
    if sum(map(bool, instead.values())) > 1:
        raise click.UsageError("--plan, --dry-run, --timescale, --dbt, --print: choose one.")
    if since is not None and dialect is None:
        raise click.UsageError("--since is for --print.")
    entries = configured(click.get_current_context().find_root().obj, tables)
    if dialect is not None:
        for entry in entries:
            _echo(printed.script(entry, engines.named(dialect), since))
        return
    is_read_only = any(instead.values())
    with engines.connect(
        url, read_only=is_read_only, schema=db_schema, lock_timeout=lock_timeout
    ) as backend:
        if not is_read_only:
            _run(backend, entries, as_json, given)
            return
        plans = [
            rollup.make(backend, one, count=instead["plan"], anew=given["rebuild"] or not dry_run)
            for one in entries
        ]
        for one in plans:
            if sql:
                _echo(printed.of_plan(one, indexed=not backend.scans_ranges))
            elif instead["timescale"]:
                click.echo(printed.timescale(one), nl=False)
            elif instead["dbt"]:
                click.echo(printed.dbt(one), nl=False)
            elif not as_json:
                for line in _lines(one):
                    printing.line(line)
    if as_json and not sql:
        printing.print_json([_as_dict(one) for one in plans])
    if dry_run:
        raise SystemExit(ExitCode.FOUND)


def configured(made: Defaults, tables: Sequence[str]) -> list[Entry]:
    """The rollups of the named configuration; OutputError without one."""
    from tzconv import rollup

    trust = "name it with --config tzconv.toml before the command, or with TZCONV_CONFIG."
    if made.file is None:
        raise OutputError(f"There is no configuration with [[rollups]]: {trust}")
    if made.found is not None:
        raise OutputError(
            f"{made.found}: the aggregates of rollups are SQL, and nobody has named this file: "
            f"{trust}"
        )
    return rollup.read(made.rollups, made.file, tables)


def _run(backend: Backend, entries: Iterable[Entry], as_json: bool, given: Any) -> None:
    from tzconv import rollup

    done = []
    with printing.progress("filling") as show:
        for entry in entries:
            shown = show if printing.is_terminal() else None
            done.append(rollup.run(backend, entry, progress=shown, **given))
            if not as_json:
                _say(done[-1])
    if as_json:
        printing.print_json([dataclasses.asdict(one) for one in done])


def _say(done: Outcome) -> None:
    printing.say(
        f"{'Made' if done.is_new else 'Kept'} {done.table}: "
        f"{'' if done.rows is None else printing.count(done.rows, 'row') + ', '}"
        f"buckets of {_width(done.width)}; deleted {done.deleted:,}, inserted {done.inserted:,}."
    )
    if done.days:
        printing.say(
            f"Repaired closed days that differed: {printing.count(len(done.days), 'day')}."
        )
    if done.moved:
        printing.say(
            f"Keys moved; computed anew: {printing.some([str(one) for one in done.moved])}."
        )
    for note in done.notes:
        printing.say(note)
    if done.view is not None and done.is_new:
        printing.say(f"Group by the local columns of {done.view}.")


def _echo(statements: Iterator[str]) -> None:
    for statement in statements:
        click.echo(f"{statement};")


def _as_dict(one: Plan) -> dict[str, Any]:
    return {
        "table": one.shape.entry.table,
        "is_new": one.state is None,
        "rows": one.rows,
        "buckets": one.buckets,
        "share": one.share,
        "bucket_seconds": one.grid.width,
        "cuts": len(one.grid.cuts),
        "zones": sorted(filter(None, one.zones)),
        "finer": one.finer,
        "advice": one.advice(),
        "notes": one.notes,
    }


def _lines(one: Plan) -> Iterator[str]:
    entry = one.shape.entry
    zones = printing.count(sum(name is not None for name in one.zones), "zone")
    cuts = sum(cut >= one.since for cut in one.grid.cuts)
    cut = f", {printing.count(cuts, 'bucket')} cut in two" if cuts else ""
    yield f"{entry.table}: buckets of {_width(one.grid.width)} for {zones}{cut}"
    if one.share is not None:
        yield (
            f"  {one.buckets:,} rows for {one.rows:,} of {entry.source}: a report reads and "
            f"converts {one.share:.3g} of them, and costs about that share"
        )
    if one.finer:
        yield f"  too long for {printing.some(one.finer)}: --rebuild"
    for note in (*one.notes, *filter(None, [one.advice()])):
        yield f"  {note}"


def _width(seconds: int) -> str:
    return printing.count(seconds // 60, "minute") if seconds >= 60 else f"{seconds} s"

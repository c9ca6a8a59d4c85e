"""``tzconv rollup``: its options, and what a run, a plan or a printed form says."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, config, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import DatabaseError, OutputError, some

if TYPE_CHECKING:
    from tzconv.cli.config import Defaults
    from tzconv.engines.backend import Backend
    from tzconv.rollup import Entry, Outcome, Plan


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
@arguments.as_json
def command(
    tables: tuple[str, ...],
    url: str | None,
    db_schema: str | None,
    sql: bool,
    print_for: str | None,
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

    # no parameter of the name dialect: a configuration sets that, and means the database by it
    shown = [one for one in ("plan", "dry_run", "timescale", "dbt") if given.pop(one)]
    if sql and "dry_run" not in shown:
        raise click.UsageError("--sql prints the statements of a --dry-run: give both.")
    if len(shown) + (print_for is not None) > 1:
        raise click.UsageError("--plan, --dry-run, --timescale, --dbt, --print: choose one.")
    entries = configured(tables)
    if print_for is not None:
        for entry in entries:
            _echo(printed.script(entry, engines.named(print_for)))
        return
    results, failed = list[dict[str, Any]](), list[tuple[str, DatabaseError]]()
    with (
        engines.connect(
            url, read_only=bool(shown), schema=db_schema, lock_timeout=engines.LOCK_TIMEOUT
        ) as backend,
        printing.progress("filling") as show,
    ):
        progress = show if printing.is_terminal() else None
        for entry in entries:
            try:
                if shown:
                    anew = given["rebuild"] or shown != ["dry_run"]
                    made = rollup.make(backend, entry, count=shown == ["plan"], anew=anew)
                    results.append(_as_dict(made))
                    _print(made, shown[0], sql=sql, as_json=as_json, backend=backend)
                else:
                    done = rollup.run(backend, entry, progress=progress, **given)
                    results.append(dataclasses.asdict(done))
                    if not as_json:
                        _say(done)
            except DatabaseError as error:
                failed.append((entry.table, error))
    _raise(failed, len(entries))
    if as_json and not sql:
        printing.print_json(results)
    if shown == ["dry_run"]:
        raise SystemExit(ExitCode.FOUND)


def _raise(failed: Sequence[tuple[str, DatabaseError]], count: int) -> None:
    """Raise the errors of some of those rollups as one."""
    if failed and count == 1:
        raise failed[0][1]
    if failed:
        said = (f"{'' if one in str(error) else f'{one}: '}{error}" for one, error in failed)
        raise DatabaseError(" ".join(said))


def _print(made: Plan, shown: str, *, sql: bool, as_json: bool, backend: Backend) -> None:
    from tzconv.rollup import printed

    if sql:
        _echo(printed.of_plan(made, indexed=not backend.scans_ranges))
    elif shown in ("timescale", "dbt"):
        click.echo(getattr(printed, shown)(made), nl=False)
    elif not as_json:
        _show(made)


def configured(tables: Sequence[str]) -> list[Entry]:
    """The rollups of the named configuration; OutputError without one."""
    from tzconv import rollup

    made: Defaults = click.get_current_context().find_root().obj
    if made.found is not None:
        raise config.untrusted(made.found, "the aggregates of rollups are SQL")
    if made.file is None:
        raise OutputError(
            "There is no configuration with [[rollups]]: name it with --config tzconv.toml before "
            "the command, or with TZCONV_CONFIG."
        )
    return rollup.read(made.rollups, made.file, tables)


def _say(done: Outcome) -> None:
    rows = "" if done.rows is None else f"{printing.count(done.rows, 'row')}, "
    printing.say(
        f"{'Made' if done.is_new else 'Kept'} {done.table}: {rows}"
        f"buckets of {done.length}; deleted {done.deleted:,}, inserted {done.inserted:,}."
    )
    if done.days:
        days = printing.count(len(done.days), "day")
        printing.say(f"Repaired closed days that differed: {days}.")
    if done.moved:
        moved = some([one or "rows without a zone" for one in done.moved])
        printing.say(f"Keys moved; computed anew: {moved}.")
    for note in done.notes:
        printing.say(note)
    if done.view is not None and done.is_new:
        printing.say(f"Group by the local columns of {done.view}.")


def _echo(statements: Iterable[str]) -> None:
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


def _show(one: Plan) -> None:
    entry = one.shape.entry
    zones = printing.count(sum(name is not None for name in one.zones), "zone")
    cuts = sum(cut >= one.since for cut in one.grid.cuts)
    cut = f", {printing.count(cuts, 'bucket')} cut in two" if cuts else ""
    printing.line(f"{entry.table}: buckets of {one.grid.length} for {zones}{cut}")
    if one.share is not None:
        printing.line(
            f"  {one.buckets:,} rows for {one.rows:,} of {entry.source}: a report reads and "
            f"converts {one.share:.3g} of them, and costs about that share"
        )
    if one.finer:
        printing.line(f"  too long for {some(one.finer)}: --rebuild")
    for note in (*one.notes, *filter(None, [one.advice()])):
        printing.line(f"  {note}")

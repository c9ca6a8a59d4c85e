"""``tzconv refresh``."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import TYPE_CHECKING, Any, Literal

import click

from tzconv.cli import arguments, plans, printing

if TYPE_CHECKING:
    from tzconv.refresher import Refresh

CHANGES = 2
"""Exit code of a dry run that found something to do, as in ``terraform plan``."""


@click.command("refresh")
@arguments.url
@arguments.db_schema
@arguments.horizon_of_database
@click.option(
    "--tables",
    metavar="NAME,...",
    help="Load only these of daily, hourly, offset and utc_day; offset is always loaded.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be done. Exits with 2 for changes.")
@click.option("--sql", is_flag=True, help="With --dry-run: print the statements instead.")
@click.option(
    "--on-mismatch",
    type=click.Choice(["warn", "fail"]),
    default="warn",
    show_default=True,
    help="What to do where the database's own function has other rules.",
)
@click.option("--repair", is_flag=True, help="Check every loaded row, and replace what is wrong.")
@click.option(
    "--lock-timeout",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another refresh of the same tables.",
)
@click.option("--seed", type=int, help="Repeat the random sample of an earlier verification.")
@arguments.as_json
def command(
    url: str | None,
    db_schema: str | None,
    zones: str,
    start: dt.date | None,
    end: dt.date | None,
    rules: str,
    tables: str | None,
    dry_run: bool,
    sql: bool,
    on_mismatch: Literal["warn", "fail"],
    repair: bool,
    lock_timeout: float,
    seed: int | None,
    as_json: bool,
) -> None:
    """Create or renew the conversion tables in a database, in one transaction.

    Plans, applies only the difference, and verifies it before it is committed. Writes nothing where
    the tables are as they should be.

    \b
    tzconv refresh
    tzconv refresh --url postgresql+psycopg://me@host/reports --db-schema reporting --dry-run
    tzconv refresh --zones "sql:SELECT DISTINCT time_zone_name FROM publishers"
    """
    from tzconv import refresher

    if sql and not dry_run:
        raise click.UsageError("--sql prints what a --dry-run found: give both.")
    if sql and as_json:
        raise click.UsageError("--sql and --json are two forms of one thing: give one of them.")
    chosen = None if tables is None else arguments.names(tables)
    request = refresher.Request(arguments.zone_names(zones), start, end, rules, chosen)
    if dry_run:
        _dry_run(url, db_schema, request, repair, "sql" if sql else "json" if as_json else "text")
        return
    with printing.progress("loading") as show:
        result = refresher.refresh(
            url,
            zones=request.zones,
            start=start,
            end=end,
            rules=rules,
            tables=chosen,
            schema=db_schema,
            on_mismatch=on_mismatch,
            repair=repair,
            lock_timeout=lock_timeout,
            seed=seed,
            progress=show,
        )
    if as_json:
        printing.print_json(dataclasses.asdict(result))
        return
    _say(result)


def _say(result: Refresh) -> None:
    rows = ", ".join(f"{name} {count:,}" for name, count in result.rows.items())
    printing.say(
        f"{'Loaded' if result.changed else 'Nothing to do:'} tz release {result.tz_release}, "
        f"{result.zone_count} zones, {result.start} to {result.end}; "
        f"rows: {rows} ({result.seconds:.1f} s)."
    )
    if result.changed:
        printing.say(
            f"Deleted {sum(result.deleted.values()):,} rows, "
            f"inserted {sum(result.inserted.values()):,}; "
            f"verified with a random sample (--seed {result.seed})."
        )
    _say_left_out(result.left_out)
    if result.beyond_function is not None:
        printing.say(printing.beyond_function(result.beyond_function))
    for warning in printing.disagreements(result.disagreements, result.tz_release):
        printing.say(warning)


def _say_left_out(names: tuple[str, ...]) -> None:
    if names:
        told = ", ".join(map(repr, names))
        printing.say(f"Left out, because the rules do not know them: {told}.")


def _dry_run(url: str | None, schema: str | None, request: Any, repair: bool, form: str) -> None:
    from tzconv import refresher
    from tzconv.refresher import script, summary

    with refresher.open_for_plan(url, schema) as backend:
        plan = refresher.make_plan(backend, request, repair=repair)
        if form == "sql":
            with backend.transaction(read_only=True):
                for text in script.text(backend, plan):
                    click.echo(text, nl=False)
        elif form == "json":
            printing.print_json(summary.as_dict(plan, backend.bytes_per_row))
        else:
            for line in plans.lines(plan, backend):
                click.echo(line)
    _say_left_out(plan.wanted.left_out)
    if plan.needed:
        raise SystemExit(CHANGES)

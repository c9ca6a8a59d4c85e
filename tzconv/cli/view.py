"""``tzconv view``: the statement of a view, or the view itself with ``--create``."""

from __future__ import annotations

import dataclasses

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode


@click.command("view")
@click.argument("column", metavar="[SCHEMA.]TABLE.COLUMN")
@arguments.url
@arguments.db_schema
@click.option(
    "--zone-column",
    metavar="[TABLE.]COLUMN",
    help="The column with the zone of each row, of the same table or of another one.",
)
@click.option("--zone", metavar="ZONE", help="One zone for all rows, such as Europe/Paris.")
@click.option(
    "--key",
    metavar="COLUMN=COLUMN",
    help="What joins the table to that of --zone-column, such as account_id=id.",
)
@click.option("--name", metavar="NAME", help="Name of the view.  [default: TABLE_local]")
@click.option(
    "--columns",
    default="time,hour,day",
    show_default=True,
    metavar="NAME,...",
    help="Local columns: time (always), hour, day, week, month.",
)
@click.option("--create", is_flag=True, help="Create the view.")
@click.option("--force", is_flag=True, help="Create it even if it is slower than the function.")
@arguments.as_json
def command(
    column: str,
    url: str | None,
    db_schema: str | None,
    columns: str,
    create: bool,
    force: bool,
    as_json: bool,
    **given: str | None,
) -> None:
    """Print or create a view of a table with ready local times.

    The column is the UTC time. The view has all columns of the table, and local_time, local_hour
    and local_day. It is compared with the database's own function on all rows, and timed. It
    follows later refreshes.

    \b
    tzconv view events.created_at --zone Europe/Paris --url duckdb:///events.duckdb
    tzconv view events.created_at --zone-column accounts.time_zone --key account_id=id --create
    """
    from tzconv import engines, view

    if (given["zone_column"] is None) == (given["zone"] is None):
        raise click.UsageError("Name the --zone-column of the rows, or one --zone for all of them.")
    if force and not create:
        raise click.UsageError("--force creates a view that is slower: add --create.")
    with engines.connect(url, read_only=not create, schema=db_schema) as backend:
        planned = view.plan(backend, column, columns=arguments.names(columns), **given)
        found = view.verify(backend, planned)
        is_slower = found.rewritten.loses_to(found.original)
        is_created = create and (force or not is_slower)
        if is_created:
            view.create(backend, planned)
    if as_json:
        printing.print_json(
            {
                "name": planned.name,
                "sql": planned.sql,
                "columns": list(planned.columns.values()),
                "strategies": planned.strategies,
                "notes": planned.notes,
                "created": is_created,
                "slower": is_slower,
                "rows": found.rows,
                **{
                    field.name: getattr(found, field.name)
                    for field in dataclasses.fields(found)
                    if field.name.endswith("_seconds")
                },
            }
        )
    else:
        click.echo(f"{planned.sql};")
        before, after, ratio, cpu_before, cpu_after, cpu_ratio = printing.costs(found)
        printing.say(
            f"{printing.count(found.rows, 'row')}, as the function has them. Rows of each local "
            f"day: by the function {before}, by the view {after}, ratio {ratio} (CPU {cpu_before}, "
            f"{cpu_after}, ratio {cpu_ratio})."
        )
        for note in planned.notes:
            printing.say(note)
        if is_created:
            printing.say(f"Created the view {planned.name}.")
    if is_slower and not is_created:
        printing.say(
            f"{planned.name}: slower than the function on these rows: "
            f"{'not created; create it all the same with --force' if create else 'do not use it'}."
        )
        if create:
            raise SystemExit(ExitCode.ERROR)

"""``tzconv ddl``."""

from __future__ import annotations

import click


@click.command("ddl")
@click.option(
    "--dialect",
    type=click.Choice(["duckdb", "postgres", "vertica"]),
    default="duckdb",
    show_default=True,
    help="Dialect of the statements.",
)
def command(dialect: str) -> None:
    """Print the CREATE TABLE statements of the conversion tables.

    \b
    tzconv ddl | duckdb tz.duckdb
    tzconv ddl --dialect vertica | vsql
    """
    from tzconv.tables import ddl

    click.echo(ddl.script(dialect), nl=False)

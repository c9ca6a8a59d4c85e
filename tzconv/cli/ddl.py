"""``tzconv ddl``."""

from __future__ import annotations

import click

from tzconv import engines


@click.command("ddl")
@click.option(
    "--dialect",
    type=click.Choice([one for one in engines.DIALECTS if engines.facts_of(one).has_ddl]),
    default=engines.DEFAULT,
    show_default=True,
    help="Dialect of the statements.",
)
def command(dialect: str) -> None:
    """Print the CREATE TABLE statements of the conversion tables.

    \b
    tzconv ddl | duckdb tz.duckdb
    tzconv ddl --dialect vertica | vsql
    """
    click.echo(engines.script_of(dialect), nl=False)

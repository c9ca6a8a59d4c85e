"""``tzconv ddl``: the CREATE TABLE statements of an engine."""

from __future__ import annotations

import click

from tzconv import engines
from tzconv.cli import arguments


@click.command("ddl")
@arguments.dialect("statements")
@click.option("--url", metavar="URL", help="Database whose dialect is meant; it is not opened.")
def command(dialect: str | None, url: str | None) -> None:
    """Print the CREATE TABLE statements of the conversion tables.

    \b
    tzconv ddl | duckdb tz.duckdb
    tzconv ddl --dialect vertica | vsql
    """
    # what is typed is meant, whatever database the configuration names
    if url is not None and (arguments.is_typed("url") or not arguments.is_typed("dialect")):
        dialect = arguments.dialect_of(dialect, engines.dialect_of_url(url))
    click.echo(engines.script_of(dialect or engines.DEFAULT), nl=False)

"""``tzconv status``."""

from __future__ import annotations

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode


@click.command("status")
@arguments.url
@arguments.db_schema
@arguments.as_json
def command(url: str | None, db_schema: str | None, as_json: bool) -> None:
    """Tell what is loaded, and how long it lasts.

    Exits with 1 when something is wrong: nothing is loaded, the horizon has ended, rows are
    missing.

    \b
    tzconv status
    tzconv status --url postgresql+psycopg://me@host/reports --json
    """
    from tzconv import engines, health

    with engines.connect(url, read_only=True, schema=db_schema) as backend:
        found = health.status(backend)
    printing.health(found, as_json=as_json)
    if not found.healthy:
        raise SystemExit(ExitCode.ERROR)

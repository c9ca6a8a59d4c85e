"""``tzconv doctor``."""

from __future__ import annotations

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode


@click.command("doctor")
@arguments.url
@arguments.db_schema
@arguments.as_json
def command(url: str | None, db_schema: str | None, as_json: bool) -> None:
    """Check every row that is loaded, and ask the database's own function.

    Recomputes all checksums and looks for holes and overlaps. Exits with 1 when something is wrong.

    \b
    tzconv doctor
    tzconv doctor --url postgresql+psycopg://me@host/reports --json
    """
    from tzconv import engines, health

    with engines.connect(url, read_only=True, schema=db_schema) as backend:
        found = health.doctor(backend)
    printing.health(found, as_json=as_json)
    if not found.healthy:
        raise SystemExit(ExitCode.ERROR)

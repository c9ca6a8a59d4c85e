"""``tzconv status`` and ``tzconv doctor``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode

if TYPE_CHECKING:
    from tzconv.health import Health


@click.command("status")
@arguments.url
@arguments.db_schema
@arguments.as_json
def status(url: str | None, db_schema: str | None, as_json: bool) -> None:
    """Show what is loaded, and until when it lasts.

    Exits 1 on an error: nothing is loaded, the horizon has ended, rows are missing.

    \b
    tzconv status
    tzconv status --url postgresql+psycopg://me@host/reports --json
    """
    _run(url, db_schema, as_json, every_row=False)


@click.command("doctor")
@arguments.url
@arguments.db_schema
@arguments.as_json
def doctor(url: str | None, db_schema: str | None, as_json: bool) -> None:
    """Check every loaded row, and the database's own function.

    Recomputes all checksums and looks for holes and overlaps. Exits 1 on an error.

    \b
    tzconv doctor
    tzconv doctor --url postgresql+psycopg://me@host/reports --json
    """
    _run(url, db_schema, as_json, every_row=True)


def _run(url: str | None, schema: str | None, as_json: bool, *, every_row: bool) -> None:
    from tzconv import engines, health

    check = health.doctor if every_row else health.status
    with engines.connect(url, read_only=True, schema=schema) as backend:
        found = check(backend)
    if as_json:
        printing.print_json(dataclasses.asdict(found) | {"healthy": found.healthy})
    else:
        _print(found)
    if not found.healthy:
        raise SystemExit(ExitCode.ERROR)


def _print(found: Health) -> None:
    release = found.release
    click.echo(f"{found.database}" + (f", schema {found.schema}" if found.schema else ""))
    if release is not None:
        click.echo(
            f"tz release {release['tz_release']} ({release['rules']}), {release['zone_count']} "
            f"zones, {release['horizon_starts_on']} to {release['horizon_ends_before']}, "
            f"{found.days_left} days left; refreshed {release['finished_at']:%Y-%m-%d %H:%M} UTC "
            f"by tzconv {release['tzconv_version']}"
        )
    for name, rows in found.rows.items():
        click.echo(f"  {name:<8} {rows:>12,} rows  {printing.size(found.sizes.get(name, 0))}")
    for finding in found.findings:
        click.echo(f"{finding.level:<8} {finding.text}")
    printing.say_disagreements(found.disagreements, str((release or {}).get("tz_release")))

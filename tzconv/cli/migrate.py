"""``tzconv migrate``: tables of an older tzconv to the newest revision."""

from __future__ import annotations

import click

from tzconv.cli import arguments, printing


@click.command("migrate")
@arguments.url
@arguments.db_schema
@click.option("--dry-run", is_flag=True, help="Print the statements instead of running them.")
def command(url: str | None, db_schema: str | None, dry_run: bool) -> None:
    """Create the tables, or migrate them to the newest revision.

    Loads nothing. tzconv refresh does the same by itself.

    \b
    tzconv migrate --url postgresql+psycopg://me@host/reports --db-schema reporting
    """
    from tzconv import engines, migrate, refresher

    if dry_run:
        with refresher.open_for_plan(url, db_schema) as backend:
            migrate.check(backend)
            backend.check_ours()
            missing = migrate.statements(backend.dialect, db_schema, backend.migration())
        for statement in missing:
            click.echo(f"{statement};")
        return
    with engines.connect(url, schema=db_schema, lock_timeout=engines.LOCK_TIMEOUT) as backend:
        migrate.check(backend)
        backend.check_ours()
        with backend.transaction():
            backend.lock()
            done = migrate.migrate(backend)
        revision = backend.migration()
    did = f"{printing.count(len(done), 'statement')} run" if done else "nothing to do"
    printing.say(f"The tables have revision {revision}: {did}.")

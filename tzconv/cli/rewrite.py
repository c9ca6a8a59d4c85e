"""``tzconv rewrite``."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from tzconv.cli import arguments, printing
from tzconv.errors import ParseError

if TYPE_CHECKING:
    from tzconv.backends import Backend
    from tzconv.rewriter import Rewrite


@click.command("rewrite")
@click.argument("file", default="-")
@click.option("--dialect", default="duckdb", show_default=True, help="Dialect of the query.")
@arguments.schema
@click.option("--url", metavar="URL", help="Database to read the column types from.")
@arguments.strategy
@click.option(
    "--session-time-zone",
    metavar="ZONE",
    help="Time zone of the session that will run the query.  [default: of --url, else UTC]",
)
@arguments.as_json
def command(
    file: str,
    dialect: str,
    schema: str | None,
    url: str | None,
    strategy: str | None,
    session_time_zone: str | None,
    as_json: bool,
) -> None:
    """Print the query of FILE (standard input for -) rewritten to use the conversion tables.

    The SQL goes to standard output; what was changed, what was left and why, to standard error.

    \b
    tzconv rewrite report.sql --schema tables.sql
    tzconv rewrite - --url duckdb:///events.duckdb < report.sql
    """
    from tzconv import backends, rewriter

    text = arguments.read_sql(file)
    with contextlib.ExitStack() as stack:
        backend = None
        if url is not None:
            backend = stack.enter_context(backends.connect(url, read_only=True))
        types, session = column_types(dialect, schema, backend)
    try:
        result = rewriter.rewrite(
            text,
            dialect=dialect,
            schema=types,
            strategy=strategy,
            session_time_zone=session_time_zone or session,
        )
    except ParseError as error:
        raise arguments.naming(file, error) from error
    if as_json:
        printing.print_json(result.as_dict())
        return
    click.echo(result.sql, nl=not result.sql.endswith("\n"))
    report(file, result)


def column_types(
    dialect: str, schema: str | None, backend: Backend | None
) -> tuple[dict[str, dict[str, str]], str]:
    """Column types of the database and of --schema, which wins, and the session's time zone."""
    from tzconv import rewriter

    types: dict[str, dict[str, str]] = {}
    session = "UTC"
    if backend is not None:
        types.update(backend.column_types())
        session = backend.session_time_zone()
    if schema is not None:
        try:
            types.update(rewriter.from_ddl(arguments.read_sql(schema), dialect))
        except ParseError as error:
            raise arguments.naming(schema, error) from error
    return types, session


def report(file: str, result: Rewrite) -> None:
    """What was changed and what was left, a line each."""
    name = "-" if file == "-" else file
    for change in result.changes:
        printing.say(
            f"{name}:{change.line}:{change.column}: changed by {change.strategy}: {change.reason}"
        )
    for left in result.left:
        printing.say(f"{name}:{left.line}:{left.column}: left: {left.reason}")
    if not result.changes and not result.left:
        printing.say(f"{name}: no row is converted from one time zone to another; nothing to do.")

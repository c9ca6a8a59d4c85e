"""``tzconv compare``."""

from __future__ import annotations

import dataclasses

import click

from tzconv.cli import arguments, printing
from tzconv.cli.rewrite import column_types, report
from tzconv.errors import DatabaseError, ParseError, QueryError


@click.command("compare")
@click.argument("file")
@click.option("--url", metavar="URL", help="Database.  [default: duckdb:///tzconv.duckdb]")
@arguments.schema
@arguments.strategy
@click.option(
    "--session-time-zone",
    metavar="ZONE",
    help="Run both queries in a session of this zone.  [default: the session's own]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Run both queries so often, in turn; the medians count.",
)
@arguments.as_json
def command(
    file: str,
    url: str | None,
    schema: str | None,
    strategy: str | None,
    session_time_zone: str | None,
    rounds: int,
    as_json: bool,
) -> None:
    """Run the query of FILE as it is and rewritten: the same rows? how fast?

    Exits with 1 where they differ, and shows the first rows that do. Nothing the query does stays.

    \b
    tzconv compare report.sql --url duckdb:///events.duckdb
    """
    from tzconv import backends, refresher, rewriter, tables
    from tzconv.compare import compare

    text = arguments.read_sql(file)
    with backends.connect(url, read_only=True) as backend:
        if session_time_zone is not None:
            backend.set_session_time_zone(session_time_zone)
        types, session = column_types(backend.dialect, schema, backend)
        try:
            rewritten = rewriter.rewrite(
                text,
                dialect=backend.dialect,
                schema=types,
                strategy=strategy,
                session_time_zone=session,
            )
            runs = rewriter.is_one_query(text, backend.dialect)
        except ParseError as error:
            raise arguments.naming(file, error) from error
        if not runs:
            raise QueryError(f"{file}: is not one query: compare runs a single SELECT at a time.")
        joins = any(table.name in rewritten.sql for table in tables.CONVERSIONS.values())
        if joins and backend.newest_release() is None:
            raise DatabaseError(
                "The database has no conversion tables yet, and the rewritten query needs them: "
                "run tzconv refresh with the same --url first."
            )
        result = compare(backend, text, rewritten.sql, rounds=rounds)
        release = None if result.same else backend.newest_release()
        other_rules = [] if release is None else refresher.disagreements(backend)
    if as_json:
        printing.print_json(
            {
                "same": result.same,
                "rows": result.rows,
                "original_seconds": result.original_seconds,
                "rewritten_seconds": result.rewritten_seconds,
                "original_cpu_seconds": result.original_cpu_seconds,
                "rewritten_cpu_seconds": result.rewritten_cpu_seconds,
                "rounds": rounds,
                "differences": result.differences,
                "note": result.note,
                "other_rules": [dataclasses.asdict(found) for found in other_rules],
                **rewritten.as_dict(),
            }
        )
    else:
        report(file, rewritten)
        before, after = result.original_seconds, result.rewritten_seconds
        cpu_before, cpu_after = result.original_cpu_seconds, result.rewritten_cpu_seconds
        click.echo(
            f"{result.rows:,} rows, {'the same' if result.same else 'NOT the same'}. "
            f"Before {printing.seconds(before)}, after {printing.seconds(after)}, "
            f"ratio {printing.ratio(after, before)} "
            f"(CPU {printing.seconds(cpu_before)}, {printing.seconds(cpu_after)}, "
            f"ratio {printing.ratio(cpu_after, cpu_before)})."
        )
        for line in [*result.differences, *([result.note] if result.note else [])]:
            click.echo(f"  {line}")
        name = str((release or {}).get("tz_release"))
        for warning in printing.disagreements(other_rules, name):
            printing.say(warning)
    if not result.same:
        raise SystemExit(1)

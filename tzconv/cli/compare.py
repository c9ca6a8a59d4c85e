"""``tzconv compare``: one query as it is and rewritten, its rows and times compared."""

from __future__ import annotations

import dataclasses
import math

import click

from tzconv.cli import arguments, printing, rewriting
from tzconv.cli.codes import ExitCode
from tzconv.cli.rewrite import report
from tzconv.errors import ParseError, QueryError


@click.command("compare")
@click.argument("file")
@arguments.url
@arguments.db_schema
@arguments.schema
@arguments.types
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
    help="Alternating runs per query; reports medians.",
)
@click.option(
    "--max-ratio",
    type=click.FloatRange(0, min_open=True),
    metavar="R",
    help="Exit 1 if the rewritten query takes more than R times as long as the original (plus "
    "0.2 ms), elapsed or CPU.",
)
@arguments.as_json
def command(
    file: str,
    url: str | None,
    db_schema: str | None,
    schema: str | None,
    types: tuple[str, ...],
    strategy: str | None,
    session_time_zone: str | None,
    rounds: int,
    max_ratio: float | None,
    as_json: bool,
) -> None:
    """Run a query as it is and rewritten; compare rows and time.

    Exits 1 if rows differ, and shows the first that do. Rolls back whatever the query does. CPU
    time includes parallel workers, if the server is on this machine.

    \b
    tzconv compare report.sql --url duckdb:///events.duckdb
    tzconv compare report.sql --url postgresql+psycopg://me@host/reports --max-ratio 1.1
    """
    from tzconv import engines, files, refresher, rewriter, target
    from tzconv.compare import FAILS, OriginalFailsError, compare
    from tzconv.zone_names import failure

    text = files.read(file).text
    with engines.connect(url, read_only=True, schema=db_schema) as backend:
        if session_time_zone is not None:
            backend.set_session_time_zone(session_time_zone)
        options = target.read(backend).options()
        known = rewriting.column_types(schema, types, backend.dialect, options["schema"])
        options["schema"] = known.of_file(file).tables
        try:
            rewritten = rewriter.rewrite(text, strategy=strategy, **options)
            runs = rewriter.is_one_query(text, backend.dialect)
        except ParseError as error:
            raise arguments.naming(file, error) from error
        if not runs:
            raise QueryError(f"{file}: is not one query: compare runs a single SELECT at a time.")
        try:
            result = compare(backend, text, rewritten.sql, rounds=rounds)
        except OriginalFailsError as error:
            foreign = [one.reason for one in rewritten.left if one.code == "other-dialect"]
            hint = f"{foreign[0].partition(':')[0]}. " if foreign else ""
            refused = failure.refused(backend, text, error.reason, options["schema"])
            why = f"{refused}." if refused else error.reason
            raise QueryError(f"{file}: {FAILS} {hint}{why}") from error
        other_rules = [] if result.same else refresher.disagreements(backend)
    is_changed = rewritten.sql != text  # the same text twice differs by noise only
    is_slower = is_changed and result.rewritten.loses_to(result.original)
    if as_json:
        printing.print_json(
            {
                **dataclasses.asdict(result),
                "slower": is_slower,
                "rounds": rounds,
                "other_rules": [dataclasses.asdict(found) for found in other_rules],
                **rewritten.as_dict(),
            }
        )
    else:
        report(file, rewritten)
        before, after, ratio, cpu_before, cpu_after, cpu_ratio = printing.costs(result)
        printing.line(
            f"{printing.count(result.rows, 'row')}, "
            f"{'identical' if result.same else 'NOT identical'}. "
            f"Before {before}, after {after}, ratio {ratio} "
            f"(CPU {cpu_before}, {cpu_after}, ratio {cpu_ratio})."
        )
        if result.same and is_slower:
            cpu_known = not math.isnan(result.cpu_ratio)
            cpu = f", {result.cpu_ratio:.1f} times the CPU time" if cpu_known else ""
            other = f"see what else applies with tzconv rewrite {file} --explain"
            printing.line(
                f"Slower: {result.ratio:.1f} times as long{cpu}. Leave this query as it is, or "
                f"{'leave --strategy out' if strategy else other}."
            )
        for line in (*result.differences, *([result.note] if result.note else [])):
            printing.line(f"  {line}")
        printing.say_disagreements(other_rules, options["rules"].release)
    too_slow = (
        is_changed
        and max_ratio is not None
        and result.rewritten.exceeds(result.original, max_ratio)
    )
    if result.same and too_slow:
        printing.say(f"{file}: takes more than {max_ratio:g} times as long as the original.")
    if not result.same or too_slow:
        raise SystemExit(ExitCode.ERROR)

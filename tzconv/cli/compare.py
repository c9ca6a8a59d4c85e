"""``tzconv compare``: one query as it is and rewritten, its rows and times compared."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing, rewriting
from tzconv.cli.codes import ExitCode
from tzconv.cli.rewrite import report
from tzconv.cli.rollup import configured
from tzconv.errors import ParseError, QueryError
from tzconv.sql.reasons import QUIET

if TYPE_CHECKING:
    from tzconv.compare import Comparison
    from tzconv.engines.backend import Backend
    from tzconv.rewriter import Rewrite


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
@click.option(
    "--with-rollup",
    metavar="TABLE",
    help="Run the report over this rollup of the configuration instead of rewriting it.",
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
    with_rollup: str | None,
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
        # a wrong strategy is said before what the right one would need
        rewriter.rewrite("SELECT 1", dialect=backend.dialect, strategy=strategy)
        options = target.read(backend).options(strategy=strategy)
        known = rewriting.column_types(schema, types, backend.dialect, options["schema"])
        options["schema"] = known.of_file(file).tables
        over = text
        if with_rollup is not None:
            over = _over(backend, text, with_rollup)
        try:
            rewritten = rewriter.rewrite(over, strategy=strategy, **options)
            runs = rewriter.is_one_query(text, backend.dialect)
        except ParseError as error:
            raise arguments.naming(file, error) from error
        if not runs:
            raise QueryError(f"{file}: is not one query: compare runs a single SELECT at a time.")
        is_changed = rewritten.sql != text
        try:
            # the same text twice would differ by noise
            result = compare(backend, text, rewritten.sql if is_changed else None, rounds=rounds)
        except OriginalFailsError as error:
            foreign = [one.reason for one in rewritten.left if one.code == "other-dialect"]
            hint = f"{foreign[0].partition(':')[0]}. " if foreign else ""
            refused = failure.refused(backend, text, error.reason, options["schema"])
            why = f"{refused}." if refused else error.reason
            raise QueryError(f"{file}: {FAILS} {hint}{why}") from error
        other_rules = [] if result.same else refresher.disagreements(backend)
    slower = result.rewritten.above(result.original)
    exceeded = () if max_ratio is None else result.rewritten.above(result.original, max_ratio)
    if as_json:
        printing.print_json(
            {
                **{name: _known(one) for name, one in dataclasses.asdict(result).items()},
                "rewritten": is_changed,
                "slower": bool(slower),
                "rounds": rounds if is_changed else 1,
                "other_rules": [dataclasses.asdict(found) for found in other_rules],
                **rewritten.as_dict(),
            }
        )
    else:
        report(file, rewritten)
        _print(result, is_changed, rewritten)
        if result.same and slower:
            other = f"see what else applies with tzconv rewrite {file} --explain"
            printing.line(
                f"Slower: {', '.join(slower)}. Leave this query as it is, or "
                f"{'leave --strategy out' if strategy else other}."
            )
        for line in (*result.differences, *([result.note] if result.note else [])):
            printing.line(f"  {line}")
        printing.say_disagreements(other_rules, options["rules"].release)
    if result.same and exceeded:
        allowed = f"more than --max-ratio {max_ratio:g} allows"
        printing.say(f"{file}: {' and '.join(exceeded)}, {allowed}.")
    if not result.same or exceeded:
        raise SystemExit(ExitCode.ERROR)


def _over(backend: Backend, text: str, table: str) -> str:
    """The report over a rollup."""
    from tzconv.rollup import plan, report

    [entry] = configured([table])
    made = plan.make(backend, entry, look=False)
    if made.state is None or not made.state.is_complete:
        raise QueryError(f"The rollup {entry.table} is not made yet: run {entry.job} first.")
    found = report.over_rollup(text, made.shape, backend)
    printing.say(f"Over the rollup: {found}")
    return found


def _print(result: Comparison, is_changed: bool, rewritten: Rewrite) -> None:
    """The rows and the times; of a query that stays as it is also why, each reason once."""
    before, after, ratio, cpu_before, cpu_after, cpu_ratio = printing.costs(result)
    rows = printing.count(result.rows, "row")
    if is_changed:
        printing.line(
            f"{rows}, {'identical' if result.same else 'NOT identical'}. "
            f"Before {before}, after {after}, ratio {ratio} "
            f"(CPU {cpu_before}, {cpu_after}, ratio {cpu_ratio})."
        )
    else:
        reasons = dict.fromkeys(one.reason for one in rewritten.left if one.code not in QUIET)
        why = "; ".join(reasons) or "no time zone is converted for each row"
        printing.line(f"Not rewritten: {why}. {rows}, {before} (CPU {cpu_before}).")


def _known(value: Any) -> Any:
    """JSON has no NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value

"""``tzconv refresh``."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode

if TYPE_CHECKING:
    from tzconv.engines.backend import Backend
    from tzconv.refresher import Plan, Refresh
    from tzconv.refresher.summary import ChangeGroup

_MOST_NAMES = 6
_MOST_GROUPS = 40
_MOST_CHANGES = 3
_LARGE = 1_000_000_000


@click.command("refresh")
@arguments.url
@arguments.db_schema
@arguments.horizon_of_database
@click.option(
    "--tables",
    metavar="NAME,...",
    help="Load these of daily, hourly, offset, zone and period; offset and zone are always "
    "loaded.  [default: those that the database's queries join, and what is loaded]",
)
@click.option("--dry-run", is_flag=True, help="Show what would be done. Exits with 2 for changes.")
@click.option("--sql", is_flag=True, help="With --dry-run: print the statements instead.")
@click.option(
    "--on-mismatch",
    type=click.Choice(["warn", "fail"]),
    default="warn",
    show_default=True,
    help="What to do where the database's own function has other rules.",
)
@click.option("--repair", is_flag=True, help="Check every loaded row, and replace what is wrong.")
@click.option(
    "--lock-timeout",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another refresh of the same tables.",
)
@click.option("--seed", type=int, help="Repeat the random sample of an earlier verification.")
@arguments.as_json
def command(
    url: str | None,
    db_schema: str | None,
    zones: str,
    tables: str | None,
    dry_run: bool,
    sql: bool,
    repair: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Create or renew the conversion tables in a database, in one transaction.

    Plans, applies only the difference, and verifies it before it is committed. Writes nothing where
    the tables are as they should be.

    \b
    tzconv refresh
    tzconv refresh --url postgresql+psycopg://me@host/reports --db-schema reporting --dry-run
    tzconv refresh --zones "sql:SELECT DISTINCT time_zone_name FROM publishers"
    """
    from tzconv import refresher

    if sql and not dry_run:
        raise click.UsageError("--sql prints what a --dry-run found: give both.")
    if sql and as_json:
        raise click.UsageError("--sql and --json are two forms of one thing: give one of them.")
    given["zones"] = arguments.zone_names(zones)
    given["tables"] = None if tables is None else arguments.names(tables)
    if dry_run:
        request = refresher.Request(
            **{name: given[name] for name in ("zones", "start", "end", "rules", "tables")}
        )
        _dry_run(url, db_schema, request, repair, "sql" if sql else "json" if as_json else "text")
        return
    with printing.progress("loading") as show:
        result = refresher.refresh(url, schema=db_schema, repair=repair, progress=show, **given)
    if as_json:
        printing.print_json(dataclasses.asdict(result))
        return
    _say(result)


def _say(result: Refresh) -> None:
    rows = ", ".join(f"{name} {count:,}" for name, count in result.rows.items())
    printing.say(
        f"{'Loaded' if result.changed else 'Nothing to do:'} tz release {result.tz_release}, "
        f"{result.zone_count} zones, {result.start} to {result.end}; "
        f"rows: {rows} ({result.seconds:.1f} s)."
    )
    if result.changed:
        printing.say(
            f"Deleted {sum(result.deleted.values()):,} rows, "
            f"inserted {sum(result.inserted.values()):,}; "
            f"verified with a random sample (--seed {result.seed})."
        )
    _say_left_out(result.left_out)
    if result.beyond_function is not None:
        printing.say(printing.beyond_function(result.beyond_function))
    printing.say_disagreements(result.disagreements, result.tz_release)


def _say_left_out(names: tuple[str, ...]) -> None:
    if names:
        told = ", ".join(map(repr, names))
        printing.say(f"Left out, because the rules do not know them: {told}.")


def _dry_run(url: str | None, schema: str | None, request: Any, repair: bool, form: str) -> None:
    from tzconv import refresher
    from tzconv.refresher import script, summary

    with refresher.open_for_plan(url, schema) as backend:
        plan = refresher.make_plan(backend, request, repair=repair)
        if form == "sql":
            with backend.transaction(read_only=True):
                for text in script.text(backend, plan):
                    click.echo(text, nl=False)
        elif form == "json":
            printing.print_json(summary.as_dict(plan, backend.bytes_per_row))
        else:
            for line in _lines(plan, backend):
                click.echo(line)
    _say_left_out(plan.wanted.left_out)
    if plan.needed:
        raise SystemExit(ExitCode.FOUND)


def _lines(plan: Plan, backend: Backend) -> Iterator[str]:
    """The plan, line by line."""
    from tzconv.refresher import agreement, summary

    told = summary.as_dict(plan, backend.bytes_per_row)
    before, after = told["from"] or {}, told["to"]
    if not plan.needed:
        yield f"Nothing to do: {_release(after)}, {_days(after)}, {after['zone_count']} zones."
        return
    yield from _head(plan, before, after)
    for table in told["tables"]:
        if table["delete"] or table["insert"]:
            size = f", about {printing.size(table['bytes'])}" if table["bytes"] else ""
            yield (
                f"  {table['table']:<8} delete {table['delete']:,}, insert {table['insert']:,} "
                f"rows of {table['zones']} zones{size}"
            )
    for table in told["tables"]:
        if (table["bytes"] or 0) > _LARGE:
            yield (
                f"  note     {table['table']} is large: leave it out with --tables (only queries "
                "that name it need it), or name fewer zones with --zones"
            )
    if (day := agreement.beyond(backend, plan.wanted.horizon)) is not None:
        yield f"  note     {printing.beyond_function(day)}"
    yield from _changes(summary.groups(plan.changes))
    if plan.renamed:
        yield f"  only abbreviations or flags change: {printing.some(plan.renamed, _MOST_NAMES)}"


def _head(plan: Plan, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    if plan.loaded.damage:
        yield f"  rows     {plan.loaded.damage}: every row was checked"
    for word, show in (("rules", _release), ("horizon", _days)):
        old, new = show(before) if before else "nothing", show(after)
        yield f"  {word:<8} {new}" if old == new else f"  {word:<8} {old} -> {new}"
    parts = [f"{after['zone_count']}"]
    if before and plan.added:
        parts.append(f"{len(plan.added)} added: {printing.some(plan.added, _MOST_NAMES)}")
    if plan.dropped:
        parts.append(f"{len(plan.dropped)} dropped: {printing.some(plan.dropped, _MOST_NAMES)}")
    yield f"  zones    {'; '.join(parts)}"


def _changes(groups: list[ChangeGroup]) -> Iterator[str]:
    if not groups:
        return
    zones = sum(len(group.zones) for group in groups)
    yield f"  the answer changes for {zones} zones (UTC times):"
    for group in groups[:_MOST_GROUPS]:
        yield f"    {printing.some(group.zones, _MOST_NAMES)}"
        for change in group.changes[:_MOST_CHANGES]:
            yield (
                f"      {change.starts:%Y-%m-%d %H:%M} to {change.ends:%Y-%m-%d %H:%M}: "
                f"{printing.offset(change.old_offset)} becomes {printing.offset(change.new_offset)}"
            )
        if len(group.changes) > _MOST_CHANGES:
            last = group.changes[-1]
            more = len(group.changes) - _MOST_CHANGES
            yield f"      and {more} more until {last.ends:%Y-%m-%d}"
    if len(groups) > _MOST_GROUPS:
        yield f"    and {len(groups) - _MOST_GROUPS} more groups of zones: --json has them all"


def _release(told: Mapping[str, Any]) -> str:
    rules = "" if told["rules"] == "tzdata" else f" ({told['rules']})"
    return f"tz release {told['tz_release']}{rules}"


def _days(told: Mapping[str, Any]) -> str:
    start: dt.date = told["horizon_starts_on"]
    return f"{start} to {told['horizon_ends_before']}"

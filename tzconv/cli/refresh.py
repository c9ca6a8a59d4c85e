"""``tzconv refresh``: its options, its progress, and the sentences of its result."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import some

if TYPE_CHECKING:
    from tzconv.engines.backend import Backend
    from tzconv.refresher import Plan, Refresh, Request
    from tzconv.refresher.guards import Allowance

_MOST_GROUPS, _MOST_CHANGES = 40, 3
_LARGE_BYTES = 1_000_000_000
_ALLOWANCES: tuple[Allowance, ...] = ("delete", "drop", "older")


@click.command("refresh")
@arguments.url
@arguments.db_schema
@arguments.selection
@click.option(
    "--dry-run", is_flag=True, help="Show the plan; change nothing. Exits 2 if there are changes."
)
@click.option("--sql", is_flag=True, help="With --dry-run: print the plan as SQL statements.")
@click.option(
    "--on-mismatch",
    type=click.Choice(["warn", "fail"]),
    default="warn",
    show_default=True,
    help="What to do if the database's own function disagrees.",
)
@click.option("--repair", is_flag=True, help="Check every loaded row, and replace wrong ones.")
@click.option(
    "--allow-delete", is_flag=True, help="Even delete more than half of the rows of a table."
)
@click.option("--allow-drop", is_flag=True, help="Even drop zones that are loaded.")
@click.option("--allow-older", is_flag=True, help="Even go back to an older tz release or tzconv.")
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
    zones: str | None,
    tables: str | None,
    dry_run: bool,
    sql: bool,
    repair: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Create or update the conversion tables in one transaction.

    Plans, applies only the difference, and verifies it before the commit. Writes nothing if the
    tables are up to date.

    \b
    tzconv refresh
    tzconv refresh --url postgresql+psycopg://me@host/reports --db-schema reporting --dry-run
    tzconv refresh --zones "sql:SELECT DISTINCT time_zone_name FROM publishers"
    """
    from tzconv import refresher

    if sql and not dry_run:
        raise click.UsageError("--sql prints the plan of a --dry-run: give both.")
    if sql and as_json:
        raise click.UsageError("--sql and --json both print to standard output: choose one.")
    allow = [name for name in _ALLOWANCES if given.pop(f"allow_{name}")]
    given["zones"] = zones
    if zones is not None and zones != "all" and not zones.startswith("sql:"):
        given["zones"] = arguments.names(zones)
    given["tables"] = None if tables is None else arguments.names(tables)
    if dry_run:
        request = refresher.Request(
            **{name: given[name] for name in ("zones", "start", "end", "rules", "tables")}
        )
        _dry_run(url, db_schema, request, allow, repair=repair, sql=sql, as_json=as_json)
        return
    with printing.progress("loading") as show:
        result = refresher.refresh(
            url, schema=db_schema, repair=repair, allow=allow, progress=show, **given
        )
    if as_json:
        printing.print_json(dataclasses.asdict(result))
    if as_json and not printing.is_json():
        return
    if not printing.is_json():
        _say_result(result)
    _say_kept(result.kept)
    _say_skipped(result.left_out)
    if result.beyond_function is not None:
        printing.say(printing.beyond_function(result.beyond_function))
    printing.say_disagreements(result.disagreements, result.tz_release)
    if changed := {change.zone for change in result.changes}:
        printing.say(
            f"Local times changed for {printing.count(len(changed), 'zone')}: tzconv impact --from "
            "loaded, with the same --url, shows when, and what holds answers of the old rules."
        )
    if printing.is_json():
        # the last line of the log has the number of changes instead of all of them
        fields = dataclasses.asdict(result)
        counts = {name: len(fields[name]) for name in ("added", "dropped", "changes")}
        printing.event("summary", **fields | counts)


def _say_result(result: Refresh) -> None:
    rows = ", ".join(f"{name} {count:,}" for name, count in result.rows.items())
    printing.say(
        f"{'Loaded' if result.changed else 'Nothing to do:'} tz release {result.tz_release}, "
        f"{printing.count(result.zone_count, 'zone')}, {result.start} to {result.end}; "
        f"rows: {rows} ({result.seconds:.1f} s)."
    )
    if result.changed:
        printing.say(
            f"Deleted {printing.count(sum(result.deleted.values()), 'row')}, "
            f"inserted {sum(result.inserted.values()):,}; "
            f"verified with a random sample (--seed {result.seed})."
        )


def _say_kept(kept: Mapping[str, Any]) -> None:
    options = []
    for name, value in kept.items():
        texts = [value] if isinstance(value, str) else value
        text = some(texts) if isinstance(texts, (list, tuple)) else str(value)
        options.append(f"--{name} {text}")
    if options:
        printing.say(f"As in the last refresh: {'; '.join(options)}.")


def _say_skipped(names: Mapping[str, int]) -> None:
    if names:
        counted = [f"{name!r} ({printing.count(rows, 'row')})" for name, rows in names.items()]
        printing.say(
            f"Skipped unknown zone names: {some(counted)}. Show what they are with tzconv names."
        )


def _dry_run(
    url: str | None,
    schema: str | None,
    request: Request,
    allow: Collection[Allowance],
    *,
    repair: bool,
    sql: bool,
    as_json: bool,
) -> None:
    from tzconv import refresher
    from tzconv.refresher import script

    with refresher.open_for_plan(url, schema) as backend:
        plan = refresher.make_plan(backend, request, repair=repair)
        if sql:
            with backend.transaction(read_only=True):
                for statement in script.statements(backend, plan):
                    click.echo(f"{statement};")
        elif as_json:
            printing.print_json(script.as_dict(plan, backend.bytes_per_row))
        else:
            for line in _lines(plan, backend, allow):
                printing.line(line)
    _say_kept(request.kept_of(plan.wanted.selection))
    _say_skipped(plan.wanted.left_out)
    if printing.is_json():
        printing.event("summary", dry_run=True, needed=plan.needed)
    if plan.needed:
        raise SystemExit(ExitCode.FOUND)


def _lines(plan: Plan, backend: Backend, allow: Collection[Allowance]) -> Iterator[str]:
    """The plan, line by line."""
    from tzconv.refresher import function_check, guards, script

    document = script.as_dict(plan, backend.bytes_per_row)
    before, after = document["from"], document["to"]
    if not plan.needed:
        loaded = printing.count(after["zone_count"], "zone")
        yield f"Nothing to do: {_release(after)}, {_days(after)}, {loaded}."
        return
    for damage in plan.loaded.damages:
        yield f"  damage   {damage}"
    for title, text in (("rules", _release), ("horizon", _days)):
        old, new = text(before) if before else "nothing", text(after)
        yield f"  {title:<8} {new}" if old == new else f"  {title:<8} {old} -> {new}"
    zones = [str(after["zone_count"])]
    for verb, names in (("added", plan.added if before else ()), ("dropped", plan.dropped)):
        if names:
            zones.append(f"{len(names)} {verb}: {some(names)}")
    yield f"  zones    {'; '.join(zones)}"
    for table in document["tables"]:
        if table["delete"] or table["insert"]:
            size = f", about {printing.size(table['bytes'])}" if table["bytes"] else ""
            yield (
                f"  {table['table']:<8} delete {table['delete']:,}, insert {table['insert']:,} "
                f"rows of {printing.count(table['zones'], 'zone')}{size}"
            )
    for table in document["tables"]:
        if (table["bytes"] or 0) > _LARGE_BYTES:
            yield (
                f"  note     {table['table']} is large: leave it out with --tables (only queries "
                "that name it need it), or name fewer zones with --zones"
            )
    if (day := function_check.beyond(backend, plan.wanted.horizon)) is not None:
        yield f"  note     {printing.beyond_function(day)}"
    stops = (text for flag, text in guards.found(plan) if flag not in allow)
    yield from (f"  stops    {text}" for text in stops)
    yield from _changes(plan)
    if plan.renamed:
        yield f"  only abbreviations or flags change: {some(plan.renamed)}"


def _changes(plan: Plan) -> Iterator[str]:
    from tzconv.tz import changes

    groups = changes.groups(plan.changes)
    if groups:
        zones = sum(len(group.zones) for group in groups)
        yield f"  local times change for {printing.count(zones, 'zone')} (UTC times):"
    for group in groups[:_MOST_GROUPS]:
        yield f"    {some(group.zones)}"
        for change in group.changes[:_MOST_CHANGES]:
            yield (
                f"      {change.starts:%Y-%m-%d %H:%M} to {change.ends:%Y-%m-%d %H:%M}: "
                f"{printing.offset(change.old_offset)} becomes {printing.offset(change.new_offset)}"
            )
        if (more := len(group.changes) - _MOST_CHANGES) > 0:
            yield f"      and {more} more until {group.changes[-1].ends:%Y-%m-%d}"
    if (more := len(groups) - _MOST_GROUPS) > 0:
        yield f"    and {more} more groups of zones: --json has them all"


def _release(described: Mapping[str, Any]) -> str:
    rules = "" if described["rules"] == "tzdata" else f" ({described['rules']})"
    return f"tz release {described['tz_release']}{rules}"


def _days(described: Mapping[str, Any]) -> str:
    return f"{described['horizon_starts_on']} to {described['horizon_ends_before']}"

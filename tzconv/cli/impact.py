"""``tzconv impact``: what a new tz release makes wrong, and the SQL that repairs it."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from tzconv import engines
from tzconv.cli import arguments, config, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import DatabaseError, OutputError, at, some

if TYPE_CHECKING:
    from tzconv.cli.config import Defaults
    from tzconv.engines.backend import Backend
    from tzconv.impact.named import Appointments, Rollup
    from tzconv.impact.objects import Uses
    from tzconv.impact.rollups import AffectedRollup, Verified
    from tzconv.impact.survey import Survey
    from tzconv.impact.windows import RulesDifference
    from tzconv.rewriter.kept import Held
    from tzconv.tz.changes import OffsetChange
    from tzconv.tz.horizon import Horizon
    from tzconv.tz.zones import Rules

_LOADED = "loaded"
_MOST_RUNS = 6


@click.command("impact")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--from",
    "before",
    default=_LOADED,
    show_default=True,
    metavar="RELEASE|FOLDER|loaded",
    help="The old rules: a tz release such as 2025b, a folder of TZif files, or the loaded tables.",
)
@click.option(
    "--to",
    "after",
    default="installed",
    show_default=True,
    metavar="RELEASE|FOLDER|installed",
    help="The new rules.",
)
@click.option("--zones", default="all", metavar="all|NAME,...", help="IANA names.  [default: all]")
@click.option(
    "--since",
    type=arguments.day,
    metavar="DATE",
    help="First UTC day looked at.  [default: of the loaded tables, else the start of last year]",
)
@arguments.url
@arguments.db_schema
@click.option("--sql", is_flag=True, help="Print the SQL that repairs what can be; run nothing.")
@click.option("--verify", is_flag=True, help="Recompute the affected rows of rollups and compare.")
@arguments.as_json
def command(
    paths: tuple[str, ...],
    before: str,
    after: str,
    zones: str,
    since: dt.date | None,
    url: str | None,
    db_schema: str | None,
    sql: bool,
    verify: bool,
    as_json: bool,
) -> None:
    """Show what a new tz release makes wrong.

    Compares two releases and prints the exact times whose local time differs. With a database, also
    what holds answers of the old rules: materialized views, indexes, generated columns, and the
    rollups and appointments of the configuration. PATH is a file or folder of rewritten queries,
    whose literals may be outdated. Changes nothing. Exits 2 if local times differ (with --verify,
    if rows of a rollup do).

    After a refresh, --from loaded stands for the rules that it replaced.

    \b
    tzconv impact --from 2025b
    tzconv impact --url postgresql+psycopg://me@host/reports
    tzconv impact --url postgresql+psycopg://me@host/reports --sql > repair.sql
    """
    from tzconv.impact import windows
    from tzconv.impact.inspection import Inspection
    from tzconv.impact.survey import repairs, survey

    if sql and as_json:
        raise click.UsageError("--sql and --json both print to standard output: choose one.")
    given = click.get_current_context().find_root().obj
    asks_database = before == _LOADED or url is not None
    if (sql or verify) and not asks_database:
        raise click.UsageError("--sql and --verify are about a database: name it with --url.")
    with contextlib.ExitStack() as stack:
        backend = None
        if asks_database:
            backend = stack.enter_context(engines.connect(url, read_only=True, schema=db_schema))
            stack.enter_context(backend.transaction(read_only=True))
        pair, horizon, names = _sides(backend, before, after, since)
        is_all = zones == "all" or zones.startswith("sql:")  # of the configuration, for a refresh
        chosen = names if is_all else arguments.names(zones)
        difference = windows.compare(*pair, horizon, chosen)
        held = list(_outdated(paths, difference))
        found = None
        if backend is not None and (url is not None or given.rollups or given.appointments):
            at = Inspection(backend, difference)
            found = survey(at, *_named(given, uses_sql=verify or sql), verify=verify)
        if sql and found is not None:
            # whole, or not at all
            click.echo("".join(repairs(at, found)), nl=False)
    if as_json:
        document = windows.as_dict(difference)
        document["database"] = None if found is None else found.as_dict()
        document["files"] = [{"file": name, **dataclasses.asdict(one)} for name, one in held]
        printing.print_json(document)
    else:
        say = printing.say if sql else printing.line
        for line in _lines(difference, found, held):
            say(line)
    differs = bool(difference.groups or held)
    if verify and found is not None and found.rollups:
        differs = any(one.differing for one in found.verified)
    raise SystemExit(ExitCode.FOUND if differs else ExitCode.DONE)


def _sides(
    backend: Backend | None, before: str, after: str, since: dt.date | None
) -> tuple[tuple[Rules, Rules], Horizon, tuple[str, ...] | None]:
    """Old and new rules, the horizon, and the zones to compare (all for None)."""
    from tzconv.impact import releases
    from tzconv.refresher import loaded, replaced_rules
    from tzconv.tz import changes
    from tzconv.tz.horizon import Horizon, choose, seconds_of

    new = releases.named(after)
    state = None if backend is None else loaded.read(backend)
    default = choose(None, None)
    start, end = default.start, default.offset_end
    if state is not None and state.release is not None:
        start, end = state.release["horizon_starts_on"], state.release["offset_ends_before"]
    if since is not None and since >= end:
        raise OutputError(
            f"--since {since} is not before {end}, where the comparison ends: choose an earlier "
            "day."
        )
    horizon = Horizon(since or start, end)
    if before != _LOADED:
        return (releases.named(before), new), horizon, None
    if backend is None or state is None or state.release is None:
        raise DatabaseError(
            "No conversion tables are loaded, so there are no old rules: name a release with "
            "--from, such as --from 2025b."
        )
    old = state.rules
    until, both = seconds_of(end), [name for name in old.names if name in new]
    is_new = any(
        any(changes.offset_changes(old.zone(name), new.zone(name), until)) for name in both
    )
    replaced = None if is_new else replaced_rules.rules_before(backend, state.release, old)
    if len(old.names) < len(new.names):
        printing.say(
            f"Compared the {printing.count(len(old.names), 'loaded zone')}: name the old release "
            "with --from to compare all zones."
        )
    if replaced is not None:
        printing.say(
            f"The tables already have the new rules: compared with {_title(replaced)}, which a "
            "refresh replaced."
        )
    return (replaced or old, new), horizon, old.names


def _named(given: Defaults, *, uses_sql: bool) -> tuple[list[Rollup], list[Appointments]]:
    """The tables that the configuration names; OutputError for SQL of a file nobody has named."""
    from tzconv.impact import named

    file = given.file or "the configuration"
    if uses_sql and given.rollups and given.found is not None:
        what = "--verify and --sql use the aggregates of its rollups"
        raise config.untrusted(given.found, what)
    if given.found is not None and (given.rollups or given.appointments):
        printing.say(f"Rollups and appointments from {file}.")
    return (
        named.read(named.Rollup, given.rollups, file),
        named.read(named.Appointments, given.appointments, file),
    )


def _outdated(paths: tuple[str, ...], difference: RulesDifference) -> Iterator[tuple[str, Held]]:
    """The comments of rewritten files about literals that the new rules change."""
    from tzconv import files
    from tzconv.rewriter import kept

    wrong = set(difference.zones)
    for name in files.find(paths) if paths else ():
        for one in kept.outdated(files.read(name).text, difference.after.release):
            # the windows of a third release are not known
            is_other = one.release != difference.before.release
            zones = tuple(zone for zone in one.zones if is_other or zone in wrong)
            if zones:
                yield name, dataclasses.replace(one, zones=zones)


def _lines(
    difference: RulesDifference, found: Survey | None, held: list[tuple[str, Held]]
) -> Iterator[str]:
    yield from _windows(difference)
    for name, one in held:
        yield (
            f"{at(name, one.line, one.column)}: has literals of {one.release} for "
            f"{', '.join(one.zones)}: rewrite it again from its original"
        )
    if found is not None:
        yield from _database(found)


def _windows(difference: RulesDifference) -> Iterator[str]:
    before, after = map(_title, (difference.before, difference.after))
    horizon = difference.horizon
    names = printing.count(len(difference.zones), "zone name")
    what = f"local times differ for {names}" if difference.groups else "no local time differs"
    yield f"{before} -> {after}, {horizon.start} to {horizon.end}: {what}."
    for group in difference.groups:
        zones, links = difference.folded(group)
        also = f" (links: {some(links)})" if links else ""
        yield f"  {some(zones)}{also}"
        alike: dict[tuple[int, int], list[OffsetChange]] = {}
        for change in group.changes:
            alike.setdefault((change.old_offset, change.new_offset), []).append(change)
        for first, *more in alike.values():
            also = f", and {len(more)} more until {more[-1].ends:%Y-%m-%d}" if more else ""
            yield f"    {_change(first, horizon.end)}{also}"
    for verb, only in (("new", difference.added), ("missing", difference.dropped)):
        if only:
            yield f"  {verb} in {after}: {some(only)}"
    earlier = len(difference.earlier)
    if earlier:
        differ = "also differs" if earlier == 1 else "also differ"
        yield (
            f"  {printing.count(earlier, 'zone name')} {differ} before {horizon.start}: "
            "--since 1900-01-01 shows them"
        )


def _title(rules: Rules) -> str:
    """The release; the folder of one that does not say its name."""
    return rules.source if rules.release == "unknown" else rules.release


def _change(one: OffsetChange, until: dt.date) -> str:
    old = dt.timedelta(seconds=one.old_offset)
    local = f"old local time {_span(one.starts + old, one.ends + old)}"
    times = f"{_span(one.starts, one.ends)} UTC"
    if one.ends >= dt.datetime.combine(until, dt.time()):
        times = f"from {printing.minutes(one.starts)} UTC on"
        local = f"old local time {printing.minutes(one.starts + old)}"
    change = f"{printing.offset(one.old_offset)} becomes {printing.offset(one.new_offset)}"
    return f"{change} {times} ({local})"


def _span(starts: dt.datetime, ends: dt.datetime) -> str:
    return f"{printing.minutes(starts)} to {printing.minutes(ends)}"


def _database(found: Survey) -> Iterator[str]:
    from tzconv.impact.survey import DECIDE

    if found.objects is None:
        yield f"{found.product}: views, indexes and rollups are not read on this engine."
        return
    yield (
        f"{found.product}: {printing.count(found.objects, 'definition')} read, "
        f"{len(found.affected)} affected, {len(found.unknown)} unknown"
    )
    for affected in found.affected:
        yield f"  affected {_affected(affected)}"
    for unknown, reason in found.unknown:
        yield f"  unknown  {unknown.kind} {unknown.name}: {reason}"
    for rollup in found.rollups:
        yield from _rollup(rollup)
    for verified in found.verified:
        yield f"  verified {_verified(verified)}"
    for booked, rows in found.appointments:
        yield (
            f"  decide   {booked.table}.{booked.column}: "
            f"{_share(rows.rows, rows.total)} in changed times"
            + (f"; {DECIDE}" if rows.rows else "")
        )
    if found.outdated_server:
        yield (
            "  note     the database's own function still has other rules for "
            f"{some(found.outdated_server)}: update its tz data before you "
            "repair what it computes"
        )


def _affected(one: Uses) -> str:
    from tzconv.impact.survey import NOTES

    by = [some(sorted(one.zones))] if one.zones else []
    by += ["the zone of each row"] if one.any_zone else []
    by += ["the conversion tables"] if one.reads_tables else []
    does = [f"converts by {' and '.join(by)}"] if by else []
    does += [f"reads {', '.join(sorted(one.rollups))}"] if one.rollups else []
    text = f"{one.object.kind} {one.object.name}: {' and '.join(does)}"
    if (count := one.count) is not None:
        text += f"; {_share(count.rows, count.total)}, {printing.count(count.keys, 'local day')}"
    elif one.converting is not None:
        text += "; its rows could not be counted"
    note = NOTES.get(one.object.kind)
    return f"{text}; {note}" if note else text


def _rollup(one: AffectedRollup) -> Iterator[str]:
    name = one.rollup.table
    yield (f"  rollup   {name}: {printing.count(one.keys, 'key')}, {_share(one.rows, one.total)}")
    for part in (*one.ranges, *one.lost)[:_MOST_RUNS]:
        yield f"             {part.spelling}, local {part.starts} to {part.ends}"
    if (more := len(one.ranges) + len(one.lost) - _MOST_RUNS) > 0:
        yield f"             and {more} more: --json has them all"
    if one.lost:
        yield f"  lost     {name}: the source lacks rows of the oldest affected keys: they stay"
    if one.unknown_zones:
        names = some(list(map(repr, one.unknown_zones)))
        yield f"  unknown  {name}: no rules for the zone names {names}"


def _verified(one: Verified) -> str:
    totals = "".join(
        f"; {name} {stored or 0} stored, {made or 0} recomputed"
        for name, (stored, made) in one.totals.items()
    )
    return (
        f"{one.rollup}: {printing.count(one.stored, 'row')} stored, {one.recomputed:,} "
        f"recomputed, {one.differing:,} differ{totals}"
    )


def _share(rows: int, total: int) -> str:
    share = f" ({rows / total:.1%})" if total else ""
    return f"{rows:,} of {printing.count(total, 'row')}{share}"

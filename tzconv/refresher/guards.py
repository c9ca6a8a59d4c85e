"""Stop a refresh that would make a change that is rarely meant, unless a flag allows it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterator
from typing import Literal, TypeAlias

from tzconv import tables
from tzconv._version import __version__
from tzconv.errors import DatabaseError, NewerTablesError, some
from tzconv.refresher.loaded import version_order
from tzconv.refresher.plan import Plan

Allowance: TypeAlias = Literal["delete", "drop", "older"]

_RELEASE = re.compile(r"\d{4}[a-z]+")


class NotAllowedError(DatabaseError):
    """A refresh that would change more than it is allowed to; nothing was changed."""


class OlderHostError(NotAllowedError, NewerTablesError):
    """A refresh whose only fault is that the tables are of a newer tz release or tzconv."""


def check(plan: Plan, allowed: Collection[Allowance]) -> None:
    """NotAllowedError if the plan needs a flag that is not given."""
    stops = {flag: text for flag, text in found(plan) if flag not in allowed}
    if stops:
        kind = OlderHostError if stops.keys() == {"older"} else NotAllowedError
        raise kind(f"{' Also: '.join(stops.values())} Nothing was changed.")


def found(plan: Plan) -> Iterator[tuple[Allowance, str]]:
    """The flags that a plan needs, each with its reason."""
    release, before = plan.loaded.release, plan.loaded.horizon
    if release is None or before is None or not plan.needed:
        return
    wanted = plan.wanted
    old, new = str(release["tz_release"]), wanted.rules.release
    is_older = all(map(_RELEASE.fullmatch, (old, new))) and new < old
    # names that an older release does not have yet are none that somebody has left out
    dropped = [name for name in plan.dropped if not is_older or name in wanted.rules]
    if is_older:
        yield (
            "older",
            f"tz release {old} is loaded, and {new} is older: pip install --upgrade tzdata, or "
            "go back to it with --allow-older.",
        )
    elif version_order(release["tzconv_version"]) > version_order(__version__):
        yield (
            "older",
            f"tzconv {release['tzconv_version']} keeps these tables, and {__version__} is older: "
            "upgrade it here, or go back to it with --allow-older.",
        )
    if dropped:
        yield (
            "drop",
            f"{len(dropped)} of the loaded zones would be dropped ({some(dropped)}): check "
            "--zones, or drop with --allow-drop.",
        )
    yield from _deletions(plan)


def _deletions(plan: Plan) -> Iterator[tuple[Allowance, str]]:
    before, after = plan.loaded.horizon, plan.wanted.horizon
    assert before is not None
    stays = (min(before.end, after.end) - max(before.start, after.start)).days
    if stays * 2 < (before.end - before.start).days:
        yield (
            "delete",
            f"The horizon would move from {before.start} to {before.end} to {after.start} to "
            f"{after.end}, away from most of the loaded rows: check --start, --end and the clock, "
            "or move it with --allow-delete.",
        )
        return
    for one in plan.tables:
        loaded = plan.loaded.counts[one.table]
        if one.table in tables.ALWAYS:
            continue  # the rules and the numbers of the zones are never left out, only replaced
        if (plan.by_rows or one.table == "period") and one.table in plan.wanted.tables:
            # wrong rows are replaced; a history goes to the first name that has it, and with more
            # zones that is another one
            continue
        others = {*plan.dropped, *one.add, *one.move}
        lost = sum(rows for zone, (rows, *_) in one.gone.items() if zone not in others)
        if lost * 2 > loaded:
            yield (
                "delete",
                f"{lost:,} of {loaded:,} rows of the {one.table} table would be deleted: check "
                "--tables and --rules, or delete them with --allow-delete.",
            )
    first, last = (dt.datetime.combine(day, dt.time()) for day in (before.start, before.end))
    changing = (min(one.ends, last) - max(one.starts, first) for one in plan.changes)
    changed = sum((part for part in changing if part > dt.timedelta()), dt.timedelta())
    if changed * 2 > (last - first) * len(plan.loaded.names) and not plan.by_rows:
        yield (
            "delete",
            "Local times would change on most days of the horizon: check --rules, or replace the "
            "rows with --allow-delete.",
        )

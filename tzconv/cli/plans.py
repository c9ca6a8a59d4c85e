"""How a plan is shown to people."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tzconv.cli import printing

if TYPE_CHECKING:
    from tzconv.backends import Backend
    from tzconv.refresher import Plan
    from tzconv.refresher.summary import ChangeGroup

_MOST_NAMES = 6
_MOST_GROUPS = 40
_MOST_CHANGES = 3
_LARGE = 1_000_000_000


def lines(plan: Plan, backend: Backend) -> Iterator[str]:
    """The plan, line by line."""
    from tzconv.refresher import agreement, summary

    told = summary.as_dict(plan, backend.bytes_per_row)
    before, after = told["from"] or {}, told["to"]
    if not plan.needed:
        yield f"Nothing to do: {_release(after)}, {_horizon(after)}, {after['zone_count']} zones."
        return
    yield from _head(plan, before, after)
    for table in told["tables"]:
        if table["delete"] or table["insert"]:
            size = f", about {printing.size(table['bytes'])}" if table["bytes"] else ""
            yield (
                f"  {table['table']:<8} delete {table['delete']:,}, insert {table['insert']:,} "
                f"rows of {table['zones']} zones{size}"
            )
    large = [table for table in told["tables"] if (table["bytes"] or 0) > _LARGE]
    for table in large:
        yield (
            f"  note     {table['table']} is large: leave it out with --tables daily,offset,utc_day"
            " (only queries that name it need it), or name fewer zones with --zones"
        )
    if (day := agreement.beyond(backend, plan.wanted.horizon)) is not None:
        yield f"  note     {printing.beyond_function(day)}"
    yield from _changes(summary.groups(plan.changes))
    if plan.renamed:
        yield f"  only abbreviations or flags change: {_names(plan.renamed)}"


def _head(plan: Plan, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    if plan.damage:
        yield f"  rows     {plan.damage}: every row was checked"
    for word, show in (("rules", _release), ("horizon", _horizon)):
        old, new = show(before) if before else "nothing", show(after)
        yield f"  {word:<8} {new}" if old == new else f"  {word:<8} {old} -> {new}"
    parts = [f"{after['zone_count']}"]
    if before and plan.added:
        parts.append(f"{len(plan.added)} added: {_names(plan.added)}")
    if plan.dropped:
        parts.append(f"{len(plan.dropped)} dropped: {_names(plan.dropped)}")
    yield f"  zones    {'; '.join(parts)}"


def _changes(groups: list[ChangeGroup]) -> Iterator[str]:
    if not groups:
        return
    zones = sum(len(group.zones) for group in groups)
    yield f"  the answer changes for {zones} zones (UTC times):"
    for group in groups[:_MOST_GROUPS]:
        yield f"    {_names(group.zones)}"
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


def _horizon(told: Mapping[str, Any]) -> str:
    start: dt.date = told["horizon_starts_on"]
    return f"{start} to {told['horizon_ends_before']}"


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more

"""What is loaded, how long it lasts, and whether it is right.

``status`` reads what a monitor may ask every minute; ``doctor`` reads every row.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from tzconv import migrate, tables
from tzconv.engines.backend import Backend
from tzconv.refresher import Disagreement, agreement, loaded
from tzconv.refresher.loaded import State
from tzconv.tables import checksums
from tzconv.tz import zones

WARN_DAYS = 90
"""A horizon that ends in fewer days is worth a warning."""

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: ``check`` is its short name, ``text`` a sentence."""

    check: str
    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Health:
    """``release`` is the newest release row (None where nothing is loaded), sizes are bytes."""

    database: str
    schema: str | None
    release: dict[str, Any] | None
    days_left: int | None
    rows: dict[str, int]
    sizes: dict[str, int]
    installed_tz_release: str
    findings: tuple[Check, ...]
    disagreements: tuple[Disagreement, ...] = field(default=())

    @property
    def healthy(self) -> bool:
        """Whether no finding is an error."""
        return all(finding.level != "error" for finding in self.findings)


def status(backend: Backend, now: dt.datetime | None = None) -> Health:
    """The release row, days left, rows, sizes, and whether the database's function agrees."""
    return _health(backend, now, every_row=False)


def doctor(backend: Backend, now: dt.datetime | None = None) -> Health:
    """The same, and every row against its checksum and against the invariants of its table."""
    return _health(backend, now, every_row=True)


def _health(backend: Backend, now: dt.datetime | None, *, every_row: bool) -> Health:
    installed = zones.installed().release
    with backend.transaction(read_only=True):
        backend.check_ours()
        state, product = loaded.read(backend), backend.product()
        release, horizon = state.release, state.horizon
        if release is None or horizon is None:
            text = "No conversion tables are loaded: run tzconv refresh."
            found = Check("loaded", "error", text)
            return Health(product, backend.schema, None, None, {}, {}, installed, (found,))
        read = [*_read_rows(backend, state, release)] if every_row else []
        days = (horizon.end - (now or backend.now()).date()).days
        seed = agreement.new_seed()
        asked = agreement.disagreements(backend, state.rules, state.rules.names, horizon, seed)
        findings = (
            _revision(backend.migration(), migrate.newest()),
            _rows(state),
            _horizon(horizon.end, days),
            _release(release["tz_release"], release["rules"], installed),
            _agreement(asked),
            *_beyond(agreement.beyond(backend, horizon)),
            *read,
        )
        return Health(
            product,
            backend.schema,
            release,
            days,
            state.counts,
            backend.sizes(),
            installed,
            findings,
            tuple(asked),
        )


def _revision(there: str | None, newest: str) -> Check:
    if there == newest:
        return Check("revision", "ok", f"The tables have revision {there}, the newest.")
    text = (
        f"The tables have revision {there or 'none'}, the newest is {newest}: run tzconv refresh."
    )
    return Check("revision", "warning", text)


def _rows(state: State) -> Check:
    for name in tables.ALWAYS:
        if not state.counts[name]:
            text = f"{tables.CONVERSIONS[name].name} has no rows: run tzconv refresh."
            return Check("rows", "error", text)
    if state.damage is None:
        return Check("rows", "ok", f"{sum(state.counts.values()):,} rows, as they were loaded.")
    return Check("rows", "error", f"Not as loaded: {state.damage}; run tzconv refresh --repair.")


def _horizon(end: dt.date, days: int) -> Check:
    if days <= 0:
        text = (
            f"The horizon ended on {end}: rewritten queries convert later times by the database's "
            "own function; run tzconv refresh."
        )
        return Check("horizon", "error", text)
    text = f"The horizon ends on {end}, in {days} days"
    if days < WARN_DAYS:
        return Check("horizon", "warning", f"{text}: run tzconv refresh.")
    return Check("horizon", "ok", f"{text}.")


def _release(there: str, rules: str, installed: str) -> Check:
    if rules != "tzdata":
        return Check("tz release", "ok", f"The rules are those of {there} ({rules}).")
    if there == installed:
        return Check("tz release", "ok", f"tz release {there}, the one installed.")
    if there < installed:
        advice = f"{installed} is installed: run tzconv refresh"
    else:
        advice = f"only {installed} is installed here: pip install --upgrade tzdata"
    return Check("tz release", "warning", f"tz release {there} is loaded, {advice}.")


def _agreement(found: list[Disagreement]) -> Check:
    if not found:
        return Check("function", "ok", "The database's own function agrees with the tables.")
    names = ", ".join(one.zone for one in found[:5])
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    text = (
        f"The database's own function has other answers for {names}{more}: see tzconv doctor, or "
        "load its rules with --rules database."
    )
    return Check("function", "warning", text)


def _beyond(day: dt.date | None) -> Iterator[Check]:
    if day is not None:
        text = f"The database's own function has no daylight saving from {day} on"
        yield Check("function range", "warning", f"{text}; the tables have it.")


def _read_rows(backend: Backend, state: State, release: dict[str, Any]) -> Iterator[Check]:
    healthy = True
    for name in state.tables:
        table = tables.CONVERSIONS[name]
        if checksums.digest(backend.checksums(table)) != release[f"{name}_checksum"]:
            text = f"Rows of {table.name} were changed since they were loaded"
            yield Check("checksums", "error", f"{text}: run tzconv refresh --repair.")
            healthy = False
        for zone, wrong in sorted(backend.broken(table).items())[:3]:
            text = f"{table.name} has {wrong} for {zone}: run tzconv refresh --repair."
            yield Check("invariants", "error", text)
            healthy = False
    if healthy:
        yield Check("checksums", "ok", "Every row is as it was loaded.")
        yield Check("invariants", "ok", "No zone has a hole or an overlap.")

"""Checks of the loaded tables, behind ``tzconv status`` and ``tzconv doctor``.

``status`` is cheap enough for a monitor to run every minute; ``doctor`` reads every row.
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
"""A horizon that ends in fewer days is a warning."""

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: ``check`` is its short name, ``text`` a sentence."""

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
        row_checks = list(_every_row(backend, state, release)) if every_row else []
        days = (horizon.end - (now or backend.now()).date()).days
        seed = agreement.new_seed()
        disagreements = agreement.disagreements(
            backend, state.rules, state.rules.names, horizon, seed
        )
        findings = (
            _revision(backend.migration(), migrate.newest()),
            _rows(state),
            _horizon(horizon.end, days),
            _release(release["tz_release"], release["rules"], installed),
            _agreement([one.zone for one in disagreements]),
            *_beyond(agreement.beyond(backend, horizon)),
            *row_checks,
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
            tuple(disagreements),
        )


def _revision(revision: str | None, newest: str) -> Check:
    if revision == newest:
        return Check("revision", "ok", f"The tables have revision {revision}, the newest.")
    text = f"The tables have revision {revision or 'none'}, the newest is {newest}"
    return Check("revision", "warning", f"{text}: run tzconv refresh.")


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


def _release(release: str, rules: str, installed: str) -> Check:
    if rules != "tzdata":
        return Check("tz release", "ok", f"The rules are those of {release} ({rules}).")
    if release == installed:
        return Check("tz release", "ok", f"tz release {release}, the one installed.")
    advice = f"{installed} is installed: run tzconv refresh"
    if release > installed:
        advice = f"only {installed} is installed here: pip install --upgrade tzdata"
    return Check("tz release", "warning", f"tz release {release} is loaded, {advice}.")


def _agreement(names: list[str]) -> Check:
    if not names:
        return Check("function", "ok", "The database's own function agrees with the tables.")
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    text = (
        f"The database's own function has other answers for {', '.join(names[:5])}{more}: see "
        "tzconv doctor, or load its rules with --rules database."
    )
    return Check("function", "warning", text)


def _beyond(day: dt.date | None) -> Iterator[Check]:
    if day is not None:
        text = f"The database's own function has no daylight saving from {day} on"
        yield Check("function range", "warning", f"{text}; the tables have it.")


def _every_row(backend: Backend, state: State, release: dict[str, Any]) -> Iterator[Check]:
    found = []
    for name in state.tables:
        table = tables.CONVERSIONS[name]
        if checksums.digest(backend.checksums(table)) != release[f"{name}_checksum"]:
            found.append(("checksums", f"Rows of {table.name} were changed since they were loaded"))
        for zone, wrong in sorted(backend.broken(table).items())[:3]:
            found.append(("invariants", f"{table.name} has {wrong} for {zone}"))
    for check, text in found:
        yield Check(check, "error", f"{text}: run tzconv refresh --repair.")
    if not found:
        yield Check("checksums", "ok", "Every row is as it was loaded.")
        yield Check("invariants", "ok", "No zone has a hole or an overlap.")

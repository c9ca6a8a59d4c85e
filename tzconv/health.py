"""What is loaded, how long it lasts, and whether it is right.

``status`` reads what a monitor may ask every minute; ``doctor`` reads every row.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Literal

from tzconv import checksums, migrate, tables, zones
from tzconv.backends import Backend
from tzconv.refresher import Disagreement, agreement, loaded
from tzconv.refresher.loaded import Loaded

WARN_DAYS = 90
"""A horizon that ends in fewer days is worth a warning."""

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
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
    findings: tuple[Finding, ...]
    disagreements: tuple[Disagreement, ...] = field(default=())

    @property
    def healthy(self) -> bool:
        """Whether no finding is an error."""
        return all(finding.level != "error" for finding in self.findings)


def status(backend: Backend, now: dt.datetime | None = None) -> Health:
    """The release row, days left, rows, sizes, and whether the database's function agrees."""
    with backend.transaction(read_only=True):
        backend.check_ours()
        return _health(backend, loaded.read(backend), [], now)


def doctor(backend: Backend, now: dt.datetime | None = None) -> Health:
    """The same, and every row against its checksum and against the invariants of its table."""
    with backend.transaction(read_only=True):
        backend.check_ours()
        state = loaded.read(backend)
        findings = [] if state.release is None else _read_rows(backend, state.release)
        return _health(backend, state, findings, now)


def _health(
    backend: Backend, state: Loaded, findings: list[Finding], now: dt.datetime | None
) -> Health:
    installed = zones.installed().release
    release = state.release
    if release is None or state.horizon is None:
        findings = [
            Finding("loaded", "error", "No conversion tables are loaded: run tzconv refresh.")
        ]
        return Health(
            str(backend.product()), backend.schema, None, None, {}, {}, installed, (*findings,)
        )
    today = (now or backend.now()).date()
    days = (state.horizon.end - today).days
    asked = agreement.disagreements(
        backend, state.rules, state.rules.names, state.horizon, agreement.new_seed()
    )
    findings = [
        _revision(backend),
        _rows(state),
        _horizon(state.horizon.end, days),
        _release(release, installed),
        _agreement(asked),
        *_beyond(agreement.beyond(backend, state.horizon)),
        *findings,
    ]
    return Health(
        str(backend.product()),
        backend.schema,
        release,
        days,
        state.counts,
        backend.sizes(),
        installed,
        tuple(findings),
        tuple(asked),
    )


def _revision(backend: Backend) -> Finding:
    there, newest = backend.migration(), migrate.newest()
    if there == newest:
        return Finding("revision", "ok", f"The tables have revision {there}, the newest.")
    return Finding(
        "revision",
        "warning",
        f"The tables have revision {there or 'none'}, the newest is {newest}: run tzconv refresh.",
    )


def _rows(state: Loaded) -> Finding:
    if state.damage is None:
        return Finding("rows", "ok", f"{sum(state.counts.values()):,} rows, as they were loaded.")
    return Finding("rows", "error", f"Not as loaded: {state.damage}; run tzconv refresh --repair.")


def _horizon(end: dt.date, days: int) -> Finding:
    if days <= 0:
        return Finding(
            "horizon",
            "error",
            f"The horizon ended on {end}: rewritten queries convert later times by the database's "
            "own function; run tzconv refresh.",
        )
    level: Level = "warning" if days < WARN_DAYS else "ok"
    advice = ": run tzconv refresh" if days < WARN_DAYS else ""
    return Finding("horizon", level, f"The horizon ends on {end}, in {days} days{advice}.")


def _release(release: dict[str, Any], installed: str) -> Finding:
    there = release["tz_release"]
    if release["rules"] != "tzdata":
        return Finding("tz release", "ok", f"The rules are those of {there} ({release['rules']}).")
    if there == installed:
        return Finding("tz release", "ok", f"tz release {there}, the one installed.")
    if there < installed:
        advice = f"{installed} is installed: run tzconv refresh"
    else:
        advice = f"only {installed} is installed here: pip install --upgrade tzdata"
    return Finding("tz release", "warning", f"tz release {there} is loaded, {advice}.")


def _agreement(found: list[Disagreement]) -> Finding:
    if not found:
        return Finding("function", "ok", "The database's own function agrees with the tables.")
    names = ", ".join(one.zone for one in found[:5])
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return Finding(
        "function",
        "warning",
        f"The database's own function has other answers for {names}{more}: see tzconv doctor, or "
        "load its rules with --rules database.",
    )


def _beyond(day: dt.date | None) -> list[Finding]:
    if day is None:
        return []
    text = f"The database's own function has no daylight saving from {day} on; the tables have it."
    return [Finding("function range", "warning", text)]


def _read_rows(backend: Backend, release: dict[str, Any]) -> list[Finding]:
    findings = []
    for name, table in tables.CONVERSIONS.items():
        if checksums.digest(backend.checksums(table)) != release[f"{name}_checksum"]:
            text = f"Rows of {table.name} were changed since they were loaded"
            findings.append(Finding("checksums", "error", f"{text}: run tzconv refresh --repair."))
        for zone, wrong in sorted(backend.broken(table).items())[:3]:
            text = f"{table.name} has {wrong} for {zone}: run tzconv refresh --repair."
            findings.append(Finding("invariants", "error", text))
    return findings or [
        Finding("checksums", "ok", "Every row is as it was loaded."),
        Finding("invariants", "ok", "No zone has a hole or an overlap."),
    ]

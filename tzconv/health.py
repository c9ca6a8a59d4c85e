"""Checks of the loaded tables, behind ``tzconv status`` and ``tzconv doctor``.

``status`` is cheap enough for a monitor to run every minute; ``doctor`` reads every row.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tzconv import migrate, tables
from tzconv.engines.backend import Backend
from tzconv.errors import NewerTablesError, some
from tzconv.refresher import Disagreement, function_check, loaded
from tzconv.refresher.loaded import State
from tzconv.tables import checksums
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

WARN_DAYS = 90
"""A horizon that ends in fewer days is a warning."""
STALE_DAYS = 180
"""An older tz release, by its name, is a warning: a newer one is nearly always out."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: ``check`` is its short name, ``text`` a sentence."""

    check: str
    level: Literal["ok", "warning", "error"]
    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A rollup: it has all rows before a UTC time, and a run finished at another one.

    None if it is not complete. ``finer`` are zones that need shorter buckets.
    """

    table: str
    filled_before: dt.datetime | None = None
    finished_at: dt.datetime | None = None
    finer: tuple[str, ...] = ()


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
    rollups: tuple[Condition, ...] = field(default=())

    @property
    def healthy(self) -> bool:
        """Whether no finding is an error."""
        return all(finding.level != "error" for finding in self.findings)

    @property
    def warns(self) -> bool:
        """Whether a finding is a warning."""
        return any(finding.level == "warning" for finding in self.findings)


def status(
    backend: Backend,
    now: dt.datetime | None = None,
    max_age: dt.timedelta | None = None,
    *,
    every_row: bool = False,
) -> Health:
    """The release row, days left, rows, sizes, and whether the database's function agrees.

    It is an error if no refresh has looked for longer than ``max_age``.
    """
    installed = zones.installed().release
    with backend.transaction(read_only=True):
        product = backend.product()
        try:
            migrate.check(backend)
        except NewerTablesError as error:
            only = (Check("revision", "error", str(error)),)
            return Health(product, backend.schema, None, None, {}, {}, installed, only)
        backend.check_ours(adopt=True)
        state = loaded.read(backend)
        release, horizon = state.release, state.horizon
        if release is None or horizon is None:
            text = "No conversion tables are loaded: run tzconv refresh."
            checks = tuple(_rows(state)) if state.damages else (Check("loaded", "error", text),)
            return Health(product, backend.schema, None, None, {}, {}, installed, checks)
        row_checks = list(_every_row(backend, state, release)) if every_row else []
        now = now or backend.now()
        days = (horizon.end - now.date()).days
        disagreements = function_check.disagreements(
            backend, state.rules, state.rules.names, horizon
        )
        findings = (
            _revision(backend.migration(), migrate.newest()),
            *_rows(state),
            _horizon(horizon, now.date()),
            heartbeat(release["last_checked_at"] or release["finished_at"], now, max_age),
            _release(release["tz_release"], release["rules"], installed),
            *_age(release["rules"], installed, now.date()),
            *_function(disagreements, function_check.beyond(backend, horizon)),
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


doctor = functools.partial(status, every_row=True)
"""Like :func:`status`, and every row is checked: its table's checksum and invariants."""


def _revision(revision: str | None, newest: str) -> Check:
    if revision == newest:
        return Check("revision", "ok", f"The tables have revision {revision}, the newest.")
    text = f"The tables have revision {revision or 'none'}, the newest is {newest}"
    return Check("revision", "warning", f"{text}: run tzconv refresh.")


def _rows(state: State) -> Iterator[Check]:
    if not state.damages:
        yield Check("rows", "ok", f"{sum(state.counts.values()):,} rows, as they were loaded.")
    for damage in state.damages:
        if loaded.OLDER in damage:
            text = f"{damage[0].upper()}{damage[1:]}: run tzconv refresh, which checks every row."
            yield Check("rows", "warning", text)
        else:
            yield Check("rows", "error", f"Not as loaded: {damage}; run tzconv refresh --repair.")


def heartbeat(
    last: dt.datetime,
    now: dt.datetime,
    max_age: dt.timedelta | None,
    text: str = "A refresh last looked at",
    check: str = "age",
    job: str = "tzconv refresh",
) -> Check:
    """Whether a job has run lately; ``text`` begins the sentence."""
    text = f"{text} {last:%Y-%m-%d %H:%M} UTC"
    if max_age is None or abs(now - last) <= max_age:
        return Check(check, "ok", f"{text}.")
    if last > now:
        clocks = f"it is {now:%Y-%m-%d %H:%M}: check both clocks, and run {job}."
        return Check(check, "error", f"{text}, and the database says that {clocks}")
    hours = (now - last).total_seconds() / 3600
    text = f"{text}, {hours:,.1f} hours ago: look at the log of the job that runs {job}."
    return Check(check, "error", text)


def _horizon(horizon: Horizon, today: dt.date) -> Check:
    end, days = horizon.end, (horizon.end - today).days
    if today < horizon.start:
        text = (
            f"The horizon begins on {horizon.start}, and the database says that today is {today}: "
            "check the clock of the last refresh, and run tzconv refresh --allow-delete."
        )
        return Check("horizon", "error", text)
    if days <= 0:
        text = (
            f"The horizon ended on {end}: rewritten queries convert later times by the database's "
            "own function; run tzconv refresh --allow-delete."
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


def _age(rules: str, installed: str, today: dt.date) -> Iterator[Check]:
    """How old the installed tz release is at least: its name has the year and nothing else."""
    year = int(installed[:4]) if installed[:4].isdecimal() else 0
    if rules != "tzdata" or not dt.MINYEAR <= year < dt.MAXYEAR:
        return
    least, most = ((today - dt.date(year, *day)).days for day in ((12, 31), (1, 1)))
    text = f"The installed tz release {installed} is of {year}"
    if least > STALE_DAYS:
        text += f", at least {least} days old: pip install --upgrade tzdata before each refresh."
        yield Check("tz release age", "warning", text)
    else:
        yield Check("tz release age", "ok", f"{text}, at most {max(0, most)} days old.")


def _function(disagreements: Sequence[Disagreement], beyond: dt.date | None) -> Iterator[Check]:
    # a database that reads names as abbreviations always does, and no update changes that
    names = [one.zone for one in disagreements if one.kind != "abbreviation"]
    if names:
        text = (
            f"The database's own function has other answers for {some(names)}: see tzconv doctor "
            "--json, or load its rules with --rules database."
        )
        yield Check("function", "warning", text)
    else:
        but = ", but for names that it reads as abbreviations" if disagreements else ""
        yield Check("function", "ok", f"The database's own function agrees with the tables{but}.")
    if beyond is not None:
        text = f"The database's own function has no daylight saving from {beyond} on"
        yield Check("function range", "warning", f"{text}; the tables have it.")


def _every_row(backend: Backend, state: State, release: dict[str, Any]) -> Iterator[Check]:
    found = []
    whole = not backend.missing_tables()  # the invariants compare tables with each other
    has_sums = not any(loaded.THEIRS in damage for damage in state.damages)
    for name in state.tables:
        table = tables.CONVERSIONS[name]
        if has_sums and checksums.digest(backend.checksums(table)) != release[f"{name}_checksum"]:
            found.append(("checksums", f"Rows of {table.name} were changed since they were loaded"))
        if not whole or (table is tables.ZONE and not has_sums):
            continue
        for zone, wrong in sorted(backend.broken(table).items())[:3]:
            found.append(("invariants", f"{table.name} has {wrong} for {zone}"))
    for check, text in found:
        yield Check(check, "error", f"{text}: run tzconv refresh --repair.")
    if not found and whole:
        if has_sums:
            yield Check("checksums", "ok", "Every row is as it was loaded.")
        yield Check("invariants", "ok", "No zone has a hole or an overlap.")
    distrusted = list(backend.distrusted())
    for text, is_error in distrusted:
        yield Check("trust", "error" if is_error else "warning", text)
    if not distrusted:
        yield Check("trust", "ok", "The tables are as tzconv made them.")

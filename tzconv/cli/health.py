"""``tzconv status`` and ``tzconv doctor``."""

from __future__ import annotations

import dataclasses
import datetime as dt
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode

if TYPE_CHECKING:
    from tzconv.cli.config import Defaults
    from tzconv.engines.backend import Backend
    from tzconv.health import Health

_MOST_DIGITS = 6
_HELP = {
    "status_timestamp_seconds": "When tzconv status ran.",
    "healthy": "1 if no check is an error.",
    "check": "Each check: 0 ok, 1 warning, 2 error.",
    "refreshed_timestamp_seconds": "When a refresh last looked.",
    "horizon_days": "Days until the tables end.",
    "rows": "Rows of each table.",
    "bytes": "Bytes of each table with its index.",
    "release_info": "Loaded and installed tz release.",
    "rollup_filled_timestamp_seconds": "Until when a rollup has all rows.",
    "rollup_finished_timestamp_seconds": "When a run of a rollup last finished.",
}


def _age(text: str) -> dt.timedelta:
    number, unit = text[:-1], {"m": "minutes", "h": "hours", "d": "days"}.get(text[-1:])
    if unit is None or not number.isdecimal() or not int(number) or len(number) > _MOST_DIGITS:
        raise click.BadParameter(f"{text!r} is not an age such as 36h, 90m or 2d.")
    return dt.timedelta(**{unit: int(number)})


_options = arguments.together(
    arguments.url,
    arguments.db_schema,
    click.option(
        "--max-age",
        type=_age,
        metavar="AGE",
        help="Error if no refresh, or no run of a rollup, is newer, such as 36h, 90m or 2d.",
    ),
    click.option(
        "--detailed-exitcode",
        is_flag=True,
        help="Exit 3 if there are warnings and no error.",
    ),
    click.option(
        "--prometheus",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Also write the result for Prometheus' textfile collector.",
    ),
    arguments.as_json,
)


@click.command("status")
@_options
def status(**given: Any) -> None:
    """Show what is loaded, and until when it lasts.

    Exits 1 on an error: nothing is loaded, the horizon has ended, rows are missing.

    \b
    tzconv status
    tzconv status --url postgresql+psycopg://me@host/reports --max-age 36h --json
    """
    _run(**given, every_row=False)


@click.command("doctor")
@_options
def doctor(**given: Any) -> None:
    """Check every loaded row, and the database's own function.

    Recomputes all checksums and looks for holes and overlaps. Exits 1 on an error.

    \b
    tzconv doctor
    tzconv doctor --url postgresql+psycopg://me@host/reports --json
    """
    _run(**given, every_row=True)


def _run(
    url: str | None,
    db_schema: str | None,
    max_age: dt.timedelta | None,
    detailed_exitcode: bool,
    prometheus: Path | None,
    as_json: bool,
    *,
    every_row: bool,
) -> None:
    from tzconv import engines, health

    check = health.doctor if every_row else health.status
    given: Defaults = click.get_current_context().find_root().obj
    found = None
    try:
        with engines.connect(url, read_only=True, schema=db_schema) as backend:
            found = check(backend, max_age=max_age)
            if found.release is not None and given.found is None:
                found = _with_rollups(found, backend, given, max_age, every_row=every_row)
    finally:
        if prometheus is not None:
            _write_metrics(prometheus, found)
    if as_json:
        printing.print_json(dataclasses.asdict(found) | {"healthy": found.healthy})
    else:
        _print(found)
    if not found.healthy:
        raise SystemExit(ExitCode.ERROR)
    if detailed_exitcode and found.warns:
        raise SystemExit(ExitCode.WARNED)


def _with_rollups(
    found: Health,
    backend: Backend,
    given: Defaults,
    max_age: dt.timedelta | None,
    *,
    every_row: bool,
) -> Health:
    """The same with those rollups of a named configuration that tzconv keeps."""
    if not any("bucket" in one for one in given.rollups):
        return found
    from tzconv import rollup
    from tzconv.rollup import condition

    entries = rollup.read(given.rollups, str(given.file), ())
    looks = [condition.look(backend, one, max_age, every_row=every_row) for one in entries]
    conditions, checks = zip(*looks, strict=True)
    return dataclasses.replace(found, rollups=conditions, findings=(*found.findings, *checks))


def _print(found: Health) -> None:
    release = found.release
    printing.line(f"{found.database}" + (f", schema {found.schema}" if found.schema else ""))
    if release is not None:
        printing.line(
            f"tz release {release['tz_release']} ({release['rules']}), "
            f"{printing.count(release['zone_count'], 'zone')}, {release['horizon_starts_on']} to "
            f"{release['horizon_ends_before']}, {found.days_left} days left; "
            f"refreshed {release['finished_at']:%Y-%m-%d %H:%M} UTC "
            f"by tzconv {release['tzconv_version']}"
        )
    for name, rows in found.rows.items():
        printing.line(f"  {name:<8} {rows:>12,} rows  {printing.size(found.sizes.get(name, 0))}")
    for finding in found.findings:
        printing.line(f"{finding.level:<8} {finding.text}")
    printing.say_disagreements(found.disagreements, str((release or {}).get("tz_release")))


def _write_metrics(path: Path, found: Health | None) -> None:
    """Replace a text file for node_exporter's collector; ``found`` is None if nothing was read."""
    from tzconv import files

    lines: list[str] = []
    last = ""
    for name, labels, value in _metrics(found):
        if name != last:
            lines += [f"# HELP tzconv_{name} {_HELP[name]}", f"# TYPE tzconv_{name} gauge"]
        last = name
        listed = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        lines.append(f"tzconv_{name}{f'{{{listed}}}' if listed else ''} {value:.15g}")
    with files.writing(str(path)) as file:
        file.writelines(f"{line}\n" for line in lines)


def _metrics(found: Health | None) -> Iterator[tuple[str, Mapping[str, str], float]]:
    yield "status_timestamp_seconds", {}, time.time()
    yield "healthy", {}, float(found is not None and found.healthy)
    if found is None:
        return
    worst: dict[str, int] = {}
    for one in found.findings:
        worst[one.check] = max(worst.get(one.check, 0), ("ok", "warning", "error").index(one.level))
    for check, level in worst.items():
        yield "check", {"check": check}, level
    if found.release is None or found.days_left is None:
        return
    looked = found.release["last_checked_at"] or found.release["finished_at"]
    yield "refreshed_timestamp_seconds", {}, looked.replace(tzinfo=dt.UTC).timestamp()
    yield "horizon_days", {}, found.days_left
    for name, counts in (("rows", found.rows), ("bytes", found.sizes)):
        for table, count in counts.items():
            yield name, {"table": table}, count
    loaded = {"loaded": found.release["tz_release"], "installed": found.installed_tz_release}
    yield "release_info", loaded, 1
    for name, times in (
        ("rollup_filled", {one.table: one.filled_before for one in found.rollups}),
        ("rollup_finished", {one.table: one.finished_at for one in found.rollups}),
    ):
        for table, at in times.items():
            if at is not None:
                moment = at.replace(tzinfo=dt.UTC).timestamp()
                yield f"{name}_timestamp_seconds", {"table": table}, moment


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

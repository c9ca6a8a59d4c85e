"""``tzconv generate``: conversion tables as Parquet or CSV files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Literal

import click

from tzconv.cli import arguments, printing

_TABLES = "daily,offset,zone,period"


@click.command("generate")
@click.option("--out", required=True, metavar="DIR", help="Folder for the files.")
@click.option(
    "--tables",
    default=_TABLES,
    show_default=True,
    metavar="NAME,...",
    help="Tables to write; hourly is large, so it must be named.",
)
@click.option(
    "--format", type=click.Choice(["parquet", "csv"]), default="parquet", show_default=True
)
@arguments.horizon
@arguments.as_json
def command(
    out: str,
    tables: str,
    format: Literal["parquet", "csv"],
    zones: str,
    start: dt.date | None,
    end: dt.date | None,
    rules: str,
    as_json: bool,
) -> None:
    """Write the conversion tables as Parquet or CSV files.

    \b
    tzconv generate --out tables
    tzconv generate --out tables --zones Asia/Kolkata,Europe/Berlin --tables daily --format csv
    """
    from tzconv import tables as catalog
    from tzconv.tables import generate
    from tzconv.tz import horizon
    from tzconv.tz import zones as tz

    names = arguments.names(_TABLES if tables == "default" else tables)
    unknown = [name for name in names if name not in catalog.CONVERSIONS]
    if unknown or not names:
        choice = ", ".join(catalog.CONVERSIONS)
        raise click.UsageError(f"--tables takes {choice}; {', '.join(unknown) or 'none'} given.")
    if zones.startswith("sql:"):
        raise click.UsageError(
            "--zones sql: needs a database, and generate has none: name the zones, or load the "
            "tables with tzconv refresh."
        )
    loaded = tz.load(rules)
    chosen = loaded.select(None if zones == "all" else arguments.names(zones))
    range_ = horizon.choose(start, end)
    written = []
    with printing.progress("writing") as show:
        for name in names:
            done = 0

            def zone_done(_: str, name: str = name) -> None:
                nonlocal done
                done += 1
                show(name, done, len(chosen))

            reader = generate.stream(name, loaded, chosen, range_, zone_done)
            path = Path(out) / f"{catalog.CONVERSIONS[name].name}.{format}"
            written.append((path, generate.write(reader, path, format), path.stat().st_size))
    if as_json:
        printing.print_json(
            {
                "tz_release": loaded.release,
                "rules": loaded.source,
                "zones": len(chosen),
                "start": range_.start,
                "end": range_.end,
                "files": [
                    {"file": path, "rows": rows, "bytes": size} for path, rows, size in written
                ],
            }
        )
        return
    for path, rows, size in written:
        printing.say(f"{path}: {printing.count(rows, 'row')}, {printing.size(size)}")
    printing.say(
        f"{printing.count(len(chosen), 'zone')} of tz release {loaded.release}, "
        f"{range_.start} to {range_.end}."
    )

"""``tzconv refresh``."""

from __future__ import annotations

import dataclasses
import datetime as dt

import click

from tzconv.cli import arguments, printing


@click.command("refresh")
@click.option("--url", metavar="URL", help="Database.  [default: duckdb:///tzconv.duckdb]")
@arguments.horizon
@arguments.as_json
def command(
    url: str | None,
    zones: str,
    start: dt.date | None,
    end: dt.date | None,
    rules: str,
    as_json: bool,
) -> None:
    """Create or renew the conversion tables in a database, in one transaction.

    Writes nothing where the tables are as they should be.

    \b
    tzconv refresh
    tzconv refresh --url duckdb:///events.duckdb --zones Asia/Kolkata,Europe/Berlin
    """
    from tzconv.refresher import refresh

    with printing.progress("loading") as show:
        result = refresh(
            url,
            zones=arguments.zone_names(zones),
            start=start,
            end=end,
            rules=rules,
            progress=show,
        )
    if as_json:
        printing.print_json(dataclasses.asdict(result))
        return
    rows = ", ".join(f"{name} {count:,}" for name, count in result.rows.items())
    printing.say(
        f"{'Loaded' if result.changed else 'Nothing to do:'} tz release {result.tz_release}, "
        f"{result.zone_count} zones, {result.start} to {result.end}; "
        f"rows: {rows} ({result.seconds:.1f} s)."
    )
    warning = printing.disagreements(result.disagreements, result.tz_release)
    if warning is not None:
        printing.say(warning)

"""``tzconv names``: what stands in a zone column, and the SQL that cures it."""

from __future__ import annotations

import codecs
import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import OutputError, some

if TYPE_CHECKING:
    from tzconv.zone_names import ZoneName, ZoneNames

_MOST_SHOWN, _MOST_LETTERS = 50, 60


@click.command("names")
@click.argument("path", required=False)
@arguments.url
@arguments.db_schema
@click.option("--column", metavar="[SCHEMA.]TABLE.COLUMN", help="The column that has the names.")
@click.option(
    "--fact",
    "facts",
    multiple=True,
    metavar="TABLE.COLUMN=TABLE.COLUMN",
    help="Count the rows of another table that join to each name, such as "
    "events.account_id=accounts.id; may be repeated.",
)
@click.option("--sql", is_flag=True, help="Print statements that would correct the names.")
@arguments.as_json
def command(
    path: str | None,
    url: str | None,
    db_schema: str | None,
    column: str | None,
    facts: tuple[str, ...],
    sql: bool,
    as_json: bool,
) -> None:
    """Show what stands in a zone column, or in a file with a name in each line.

    PATH is a file, or - for standard input. Each name is shown with its rows and what it is: an
    IANA name, a Windows or Rails name, an abbreviation, ... Changes nothing. Exits 2 if there are
    names that are not IANA's.

    \b
    tzconv names --column accounts.time_zone --url duckdb:///events.duckdb
    tzconv names --column accounts.time_zone --fact events.account_id=accounts.id --sql
    tzconv names zones.txt
    """
    from tzconv import engines, zone_names
    from tzconv.zone_names import script

    if (path is None) == (column is None):
        raise click.UsageError(
            "Name a --column, such as accounts.time_zone, or a file: one of the two. tzconv init "
            "finds the columns."
        )
    if (sql or facts) and column is None:
        raise click.UsageError("--sql and --fact need a --column of the database.")
    if sql and as_json:
        raise click.UsageError("--sql and --json both print to standard output: choose one.")
    if column is None:
        counted = Counter(_lines(path or "-"))
        source = "standard input" if path == "-" else str(path)
        if not counted:
            raise OutputError(f"{source}: has no line: write a name of a time zone in each.")
        if len(counted) > zone_names.MOST_NAMES:
            raise OutputError(
                f"{source}: has more than {zone_names.MOST_NAMES:,} distinct lines: write a name "
                "of a time zone in each."
            )
        with arguments.connected(url, db_schema) as asked:
            found = zone_names.of_counts(source, counted, asked)
    else:
        with engines.connect(url, read_only=True, schema=db_schema) as backend:
            found = zone_names.of_column(backend, column, facts)
            proposed = list(script.text(backend, found)) if sql else []
        for line in "\n".join(proposed).splitlines():
            printing.line(line)
    if as_json:
        names = [dataclasses.asdict(one) for one in found.names]
        printing.print_json(
            {"source": found.source, "tz_release": found.tz_release, "names": names}
        )
    elif not sql:
        for line in _text(found):
            printing.line(line)
    if found.invalid:
        raise SystemExit(ExitCode.FOUND)


def _lines(path: str) -> Iterator[str | None]:
    from tzconv import files

    data = files.read_bytes(path)
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    text = data.decode(encoding, errors="backslashreplace").removeprefix("\ufeff")
    for line in text.removesuffix("\n").split("\n") if text else ():
        yield line.removesuffix("\r")


def _text(found: ZoneNames) -> Iterator[str]:
    from tzconv.tz import spellings

    yield (
        f"{found.source}: {printing.count(len(found.names), 'value')} in "
        f"{printing.count(found.rows, 'row')}, by tz release {found.tz_release}"
    )
    for kind, (values, rows) in found.by_kind().items():
        counted = f"{printing.count(values, 'value'):>13} {printing.count(rows, 'row'):>18}"
        yield f"  {kind:<13}{counted}  {spellings.REASONS[kind]}"
    invalid = found.invalid
    for one in invalid[:_MOST_SHOWN]:
        text = one.text or ""
        name = text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"
        yield f"{printing.count(one.rows, 'row'):>14}  {name!r}: {_what(one)}"
    if len(invalid) > _MOST_SHOWN:
        yield f"and {len(invalid) - _MOST_SHOWN:,} more: --json has them all"


def _what(one: ZoneName) -> str:
    others = some(one.others, 3)
    parts = [one.kind if one.zone is None else f"{one.kind}, {one.zone}"]
    if one.zone is not None and others:
        parts.append(f"in other countries {others}")
    elif others:
        parts.append(f"perhaps {others}")
    if one.accepted is not None:
        parts.append(f"the database {'accepts' if one.accepted else 'refuses'} it")
    parts += [f"{printing.count(rows, 'row')} by {fact}" for fact, rows in one.fact_rows.items()]
    return "; ".join(parts)

"""``tzconv init``: looks at a database, writes ``tzconv.toml``, and says what to run next."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing
from tzconv.cli.config import remember
from tzconv.errors import DatabaseError, OutputError, some

if TYPE_CHECKING:
    from tzconv.discovery import Discovery
    from tzconv.discovery.reports import Report
    from tzconv.zone_names import ZoneNames

_MOST, _MOST_LETTERS = 10, 72


@click.command("init")
@click.argument("url", required=False)
@click.option(
    "--reports",
    multiple=True,
    metavar="PATH",
    help="File or folder of queries to judge; may be repeated.",
)
@click.option(
    "--config",
    default="tzconv.toml",
    show_default=True,
    metavar="FILE",
    help="File to write.",
)
@click.option("--force", is_flag=True, help="Replace that file if it exists.")
@arguments.db_schema
@arguments.as_json
def command(
    url: str | None,
    reports: tuple[str, ...],
    config: str,
    force: bool,
    db_schema: str | None,
    as_json: bool,
) -> None:
    """Look at a database and write tzconv.toml for it.

    Shows the tables with times, the columns with zone names and what is wrong in them, and which
    reports a rewrite would change: views, queries that the database remembers, and those of
    --reports. Prints the next commands. Only reads the database, in small samples.

    \b
    tzconv init duckdb:///events.duckdb
    tzconv init postgresql+psycopg://me@host/shop --reports queries/
    """
    from tzconv import discovery, engines, files
    from tzconv.discovery import settings
    from tzconv.engines import urls

    if url is None:
        raise click.UsageError(f"Name the database, such as tzconv init {urls.DEFAULT}.")
    path = Path(config)
    _refuse_file(path, force)
    with engines.connect(url, read_only=True, schema=db_schema) as backend:
        found = discovery.discover(backend, reports)
        if not found.tables:
            raise DatabaseError(_nothing(found))
        plain, had_password = urls.without_password(url)
        dialect = backend.dialect
    text = settings.text(found, plain, had_password, dialect, db_schema)
    best = found.best_report(dialect)
    _refuse_file(path, force)  # somebody may have made it meanwhile
    with files.writing(config) as out:
        out.write(text)
    start = _start(path)
    commands = list(_commands(start, best, found.example(dialect)))
    audits = {one.source: _audit(start, one) for one in found.zones.columns if one.invalid}
    if as_json:
        written = {"config": config, "text": text, "commands": commands, "audits": audits}
        printing.print_json(_document(found) | written)
        return
    for line in _text(found, audits):
        printing.line(line)
    printing.say(f"Wrote {config}.")
    if had_password:
        printing.say(f"{config} has no password: {found.password or 'set TZCONV_URL'}.")
    printing.line("Next:")
    for one in commands:
        for line in one.splitlines():  # each to copy, also where a query has several lines
            printing.line(line)


def _refuse_file(path: Path, force: bool) -> None:
    """OutputError if the file cannot be written, before anything is read."""
    if path.is_dir():
        raise OutputError(f"{path}: is a folder: name a file with --config.")
    if os.path.lexists(path) and not force:
        raise OutputError(f"{path}: exists: replace it with --force, or name another --config.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path}: there is no such folder: create it, or name another --config.")


def _nothing(found: Discovery) -> str:
    if found.skipped:
        names = some([name for name, _ in found.skipped], 3)
        return (
            f"No table with timestamps can be read ({names}: {found.skipped[0][1]}): grant SELECT "
            "on your tables to the user of the URL, or name their owner in it."
        )
    return (
        "The database has no table with a timestamp column: check the name of the database in the "
        "URL, or load your tables first."
    )


def _audit(start: str, column: ZoneNames) -> str:
    is_mapped = any(one.zone for one in column.invalid)
    named = f"{shlex.quote(column.source)}{' --sql' if is_mapped else ''}"
    return f"{start} names --column {named}"


def _start(path: Path) -> str:
    """The beginning of a command that uses the file: without its name where it is found."""
    is_found = path.name == "tzconv.toml" and path.resolve().parent == Path.cwd()
    if remember(path) and is_found:
        return "tzconv"
    return f"tzconv --config {shlex.quote(str(path))}"


def _commands(start: str, best: Report | None, query: str) -> Iterator[str]:
    yield f"{start} refresh"
    if best is not None and best.kind == "file":
        yield f"{start} compare {shlex.quote(best.name)}"
    else:
        sql = query if best is None else best.sql.strip().rstrip(";")
        yield f"{start} compare - <<'SQL'\n{sql}\nSQL"
    yield f"{start} status --max-age 36h"


def _text(found: Discovery, audits: dict[str, str]) -> Iterator[str]:
    loaded = "conversion tables that the user of the URL may not read: grant SELECT on them"
    if found.loaded is not None:
        loaded = (
            f"conversion tables of {found.loaded}" if found.loaded else "no conversion tables yet"
        )
    yield f"{found.product}, session time zone {found.session_time_zone}, {loaded}."
    yield from _rules(found)
    yield f"Times: {printing.count(len(found.tables), 'table')}."
    for table in found.tables[:_MOST]:
        times = [one for one in table.columns if one.kind in ("timestamp", "timestamptz")]
        columns = some([f"{one.name} {one.kind}" for one in times], 3)
        few = None if table.rows is None else round(table.rows)
        rows = "rows not estimated" if few is None else f"about {printing.count(few, 'row')}"
        yield f"  {table.name}, {rows}: {columns}"
    yield from _more(len(found.tables))
    yield from _zones(found, audits)
    if found.skipped:
        yield f"Skipped: {printing.count(len(found.skipped), 'table')}."
        yield from (f"  {name}: {why}" for name, why in found.skipped[:_MOST])
        yield from _more(len(found.skipped))
    yield from _reports(found)


def _more(count: int) -> Iterator[str]:
    if count > _MOST:
        yield f"  and {count - _MOST:,} more: --json has them all"


def _rules(found: Discovery) -> Iterator[str]:
    used = set(found.zones.zones)
    different = [one.zone for one in found.disagreements if one.kind == "rules"]
    if different:
        in_use = [name for name in different if name in used]
        which = f"in use: {some(in_use, 5)}" if in_use else "none is in a zone column"
        yield (
            f"The database's own rules differ from {found.tz_release} since 1970 for "
            f"{printing.count(len(different), 'zone')} ({which}): rewritten queries follow "
            f"{found.tz_release}, or the database with --rules database."
        )
    else:
        yield f"The database's own rules agree with {found.tz_release} since 1970."


def _zones(found: Discovery, audits: dict[str, str]) -> Iterator[str]:
    columns = found.zones.columns
    count = printing.count(len(columns), "column") if columns else "no column with zone names"
    yield f"Zones: {count}."
    for column in columns[:_MOST]:
        sample = "a sample of " if column.is_sample else ""
        kinds = ", ".join(f"{values:,} {kind}" for kind, (values, _) in column.by_kind().items())
        values = printing.count(len(column.names), "value")
        rows = printing.count(column.rows, "row")
        yield f"  {column.source}: {values} in {sample}{rows}: {kinds}"
        if column.source in audits:
            yield f"    not all are IANA names: {audits[column.source]}"
    yield from _more(len(columns))
    for name in found.zones.empty[:_MOST]:
        yield f"  {name}: named like a zone, but no row has one"
    for name in found.zones.numbers[:_MOST]:
        yield f"  {name}: numbers; an offset has no daylight saving time, so tzconv needs names"


def _reports(found: Discovery) -> Iterator[str]:
    reports = found.reports
    yield (
        f"Reports: {reports.looked_at:,} looked at, {len(reports.converting):,} convert times, "
        f"{len(reports.gaining):,} would be rewritten."
    )
    for one in reports.converting[:_MOST]:
        yield f"  {_title(one)}: {_verdict(one)}"
    yield from _more(len(reports.converting))
    if any(one.hides_constants and one.changes for one in reports.gaining):
        yield "  $1 hides a constant: rewrite those queries where your program has them."
    yield from (f"  {note}" for note in reports.notes)


def _title(report: Report) -> str:
    if report.kind != "query":
        return report.name if report.kind == "file" else f"view {report.name}"
    text = " ".join(report.sql.split())
    short = text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"
    calls = printing.count(report.calls or 0, "call")
    return f"{printing.seconds(report.seconds or 0.0)} in {calls}, {short}"


def _verdict(report: Report) -> str:
    if report.error:
        return f"not read, {report.error}"
    left = f"left, {report.left[0]}" if report.left else ""
    if len(report.left) > 1:
        left += f" (and {printing.count(len(report.left) - 1, 'other place')})"
    if not report.changes:
        return left
    by = f"rewritten by {', '.join(dict.fromkeys(report.changes))}"
    rows = f", about {report.rows:,.0f} rows" if report.rows is not None else ""
    return f"{by}{rows}{f'; {left}' if left else ''}"


def _document(found: Discovery) -> dict[str, Any]:
    """What was found, with the names in each zone column as ``tzconv names --json`` has them."""
    document = dataclasses.asdict(found)
    document["zones"]["columns"] = [
        {
            "name": column["source"],
            "is_sample": column["is_sample"],
            "names": [
                {key: value for key, value in one.items() if key != "fact_rows"}
                for one in column["names"]
            ],
        }
        for column in document["zones"]["columns"]
    ]
    return document

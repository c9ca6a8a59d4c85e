"""``tzconv rewrite``."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, printing
from tzconv.errors import CheckError, OutputError, ParseError, UnknownZoneError

if TYPE_CHECKING:
    from tzconv.backends import Backend
    from tzconv.files import SqlFile
    from tzconv.rewriter import Rewrite

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True)
class _Options:
    """What is done with each file."""

    check: bool
    diff: bool
    in_place: bool
    explain: bool
    as_json: bool


@click.command("rewrite")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--dialect", default="duckdb", show_default=True, help="Dialect of the queries.")
@arguments.schema
@click.option("--url", metavar="URL", help="Database to read the column types from.")
@arguments.strategy
@click.option(
    "--session-time-zone",
    metavar="ZONE",
    help="Time zone of the session that will run the query.  [default: of --url, else UTC]",
)
@click.option(
    "--now",
    metavar="TIME",
    help="Write this time, such as 2026-01-01T00:00:00Z, in the place of NOW() and its like.",
)
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with 1 when something could be rewritten."
)
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--in-place", is_flag=True, help="Replace the files by their rewritten text.")
@click.option("--explain", is_flag=True, help="Say more of every place: why, and what else.")
@arguments.as_json
def command(
    paths: tuple[str, ...],
    dialect: str,
    schema: str | None,
    url: str | None,
    strategy: str | None,
    session_time_zone: str | None,
    now: str | None,
    check: bool,
    diff: bool,
    in_place: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Print the queries of a file (standard input for -) rewritten to use the conversion tables.

    The SQL goes to standard output; what was changed, what was left and why, to standard error.
    Statements that are not queries stay as they are. Several files, or all .sql files of a folder,
    need one of --check, --diff, --in-place and --json.

    \b
    tzconv rewrite report.sql --schema tables.sql
    tzconv rewrite - --url duckdb:///events.duckdb < report.sql
    tzconv rewrite queries/ --schema tables.sql --check
    """
    from tzconv import backends, files, rewriter

    paths = paths or (files.STANDARD_INPUT,)
    many = len(paths) > 1 or Path(paths[0]).is_dir()
    options = _Options(check, diff, in_place, explain, as_json)
    _refuse_wrong_usage(paths, many, options)
    # an unknown dialect or strategy, or a time without zone, is said once, before any file is read
    rewriter.rewrite("SELECT 1", dialect=dialect, strategy=strategy, now=now)
    if session_time_zone is not None:
        _refuse_unknown_zone(session_time_zone)
    names = files.find(paths)
    with contextlib.ExitStack() as stack:
        backend = None
        if url is not None:
            backend = stack.enter_context(backends.connect(url, read_only=True))
        types, session = column_types(dialect, schema, backend)
    rewrite = functools.partial(
        rewriter.rewrite,
        dialect=dialect,
        schema=types,
        strategy=strategy,
        session_time_zone=session_time_zone or session,
        now=now,
    )
    if many or check or diff or in_place:
        raise SystemExit(_each(names, rewrite, options, many))
    _print_one(names[0], rewrite, options)


def _refuse_unknown_zone(zone: str) -> None:
    """A session may have a zone that is none of IANA's, but nobody has to tell of it."""
    from tzconv import zones

    rules = zones.installed()
    if zone.lower() not in map(str.lower, rules.names):
        raise UnknownZoneError(zone, rules.names, rules.release)


def _refuse_wrong_usage(paths: tuple[str, ...], many: bool, options: _Options) -> None:
    chosen = [options.check, options.diff, options.in_place, options.as_json]
    if many and not any(chosen):
        raise click.UsageError(
            f"{' '.join(paths)}: several files cannot be printed as one: add --check, --diff, "
            "--in-place or --json."
        )
    if options.in_place and (options.check or options.diff):
        raise click.UsageError("--in-place writes files; --check and --diff do not: choose one.")
    if options.in_place and "-" in paths:
        raise click.UsageError("--in-place needs files: standard input cannot be replaced.")
    if options.diff and options.as_json:
        raise click.UsageError("--diff and --json both print to standard output: choose one.")


def _print_one(name: str, rewrite: Callable[..., Rewrite], options: _Options) -> None:
    """One file on standard output, or an error and nothing there."""
    from tzconv import files
    from tzconv.rewriter import statements

    file = files.read(name)
    try:
        if not statements.split(file.text):
            rewrite(file.text)  # says that there is none
        result = statements.rewrite_each(file.text, rewrite)
    except ParseError as error:
        raise arguments.naming(name, error) from error
    others = _alternatives(file, result, rewrite) if options.explain else None
    if options.as_json:
        printing.print_json(_document(result, others))
        return
    click.echo(result.sql, nl=not result.sql.endswith("\n"))
    if others is None:
        report(name, result)
    else:
        _explain(name, result, others)


def _each(names: list[str], rewrite: Callable[..., Rewrite], options: _Options, many: bool) -> int:
    """All files, each as far as it goes; the exit code."""
    from tzconv import files
    from tzconv.rewriter import statements

    documents: list[dict[str, Any]] = []
    changed = failed = 0
    for name in names:
        try:
            file = files.read(name)
            result = statements.rewrite_each(file.text, rewrite)
            others = _alternatives(file, result, rewrite) if options.explain else None
            if options.in_place and result.sql != file.text:
                files.replace(file, result.sql)
        except (CheckError, OutputError, ParseError) as error:
            failed += 1
            message = arguments.at_place(name, error)
            place = {key: getattr(error, key, None) for key in ("line", "column")}
            documents.append({"file": name, "error": {**place, "message": message}})
            printing.say(f"tzconv: {message}")
            continue
        changed += result.sql != file.text
        documents.append({"file": name, **_document(result, others)})
        if others is not None and not options.as_json:
            _explain(name, result, others)
        if not options.as_json:
            _print(file, result, options)
    if options.as_json:
        single = documents[0]
        if not many:
            single.pop("file")
        printing.print_json(documents if many else single)
    _sum_up(len(names), changed, failed, options)
    return 1 if failed or (options.check and changed) else 0


def _print(file: SqlFile, result: Rewrite, options: _Options) -> None:
    """What the mode prints of one file; nothing for a file that does not change."""
    if options.diff:
        _print_diff(file.diff(result.sql))
    elif options.check:
        for change in result.changes:
            click.echo(
                f"{file.name}:{change.line}:{change.column}: could be rewritten by "
                f"{change.strategy}: {change.reason}"
            )
    elif options.in_place and result.sql != file.text:
        places = len(result.changes)
        printing.say(f"{file.name}: rewritten in {places} place{'' if places == 1 else 's'}.")


def _print_diff(text: str) -> None:
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        click.echo(text.encode(), nl=False)
        return
    for line in text.splitlines(keepends=True):
        bold = line.startswith(("--- ", "+++ "))
        click.secho(line, nl=False, fg=None if bold else _COLOURS.get(line[:1]), bold=bold or None)


def _sum_up(count: int, changed: int, failed: int, options: _Options) -> None:
    done = "rewritten" if options.in_place else "to rewrite"
    words = f"{count} file{'' if count == 1 else 's'}: {changed} {done}"
    words += f", {count - changed - failed} with nothing to rewrite"
    if failed:
        words += f", {failed} not done"
    printing.say(f"{words}.")


def _alternatives(
    file: SqlFile, result: Rewrite, rewrite: Callable[..., Rewrite]
) -> tuple[tuple[str, ...], ...]:
    from tzconv.rewriter import statements
    from tzconv.rewriter.strategies import STRATEGIES

    return statements.alternatives(file.text, result, STRATEGIES, rewrite)


def _document(result: Rewrite, others: tuple[tuple[str, ...], ...] | None) -> dict[str, Any]:
    document = result.as_dict()
    if others is not None:
        for change, names in zip(document["changes"], others, strict=True):
            change["alternatives"] = names
    return document


def _explain(file: str, result: Rewrite, others: tuple[tuple[str, ...], ...]) -> None:
    """Every place at length: what it was, what it became, why, and what else could be done."""
    for change, names in zip(result.changes, others, strict=True):
        also = ", ".join(f"--strategy {name}" for name in names)
        printing.say(f"{file}:{change.line}:{change.column}: changed by {change.strategy}")
        _say_parts(
            ("before", change.before),
            ("after", change.after),
            ("why", change.reason),
            ("instead", also or "no other strategy changes this place"),
        )
    for left in result.left:
        printing.say(f"{file}:{left.line}:{left.column}: left")
        _say_parts(("text", left.text), ("why", left.reason))


def _say_parts(*parts: tuple[str, str]) -> None:
    for title, text in parts:
        if text:
            lines = text.strip("\n").replace("\r", "").split("\n")
            printing.say(f"    {title + ':':<9}" + ("\n" + " " * 13).join(lines))


def column_types(
    dialect: str, schema: str | None, backend: Backend | None
) -> tuple[dict[str, dict[str, str]], str]:
    """Column types of the database and of --schema, which wins, and the session's time zone."""
    from tzconv import rewriter

    types: dict[str, dict[str, str]] = {}
    session = "UTC"
    if backend is not None:
        types.update(backend.column_types())
        session = backend.session_time_zone()
    if schema is not None:
        try:
            types.update(rewriter.from_ddl(arguments.read_sql(schema), dialect))
        except ParseError as error:
            raise arguments.naming(schema, error) from error
    return types, session


def report(file: str, result: Rewrite) -> None:
    """What was changed and what was left, a line each."""
    name = "-" if file == "-" else file
    for change in result.changes:
        printing.say(
            f"{name}:{change.line}:{change.column}: changed by {change.strategy}: {change.reason}"
        )
    for left in result.left:
        printing.say(f"{name}:{left.line}:{left.column}: left: {left.reason}")
    if not result.changes and not result.left:
        printing.say(f"{name}: no row is converted from one time zone to another; nothing to do.")

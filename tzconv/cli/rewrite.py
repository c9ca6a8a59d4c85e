"""``tzconv rewrite``."""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tzconv import engines
from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import CheckError, OutputError, ParseError, UnknownZoneError

if TYPE_CHECKING:
    from tzconv.files import SqlFile
    from tzconv.rewriter import Rewrite
    from tzconv.rewriter.kept import Held


@dataclass(frozen=True)
class _Options:
    """What is done with each file."""

    check: bool
    diff: bool
    in_place: bool
    explain: bool
    as_json: bool
    release: str
    """The tz release that literals should be of."""
    measured: Mapping[str, str]
    """By strategy: its cost over that of the function, as the benchmark found it."""


@click.command("rewrite")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@arguments.dialect
@arguments.schema
@click.option(
    "--url", metavar="URL", help="Database to read column types, zone rules and tables from."
)
@arguments.db_schema
@arguments.strategy
@click.option(
    "--session-time-zone",
    metavar="ZONE",
    help="Time zone of the session that will run the query.  [default: of --url, else UTC]",
)
@click.option(
    "--now",
    metavar="TIME",
    help="Write this time, such as 2026-01-01T00:00:00Z, instead of NOW() and its like.",
)
@click.option(
    "--future-literals",
    is_flag=True,
    help="Also write offsets and bounds later than the tz release, with a comment that names it.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; exit 2 if a query could be rewritten or its literals are outdated.",
)
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--in-place", is_flag=True, help="Replace the files by their rewritten text.")
@click.option("--explain", is_flag=True, help="Say more of every place: why, and what else.")
@arguments.as_json
def command(
    paths: tuple[str, ...],
    dialect: str | None,
    schema: str | None,
    url: str | None,
    db_schema: str | None,
    strategy: str | None,
    session_time_zone: str | None,
    now: str | None,
    future_literals: bool,
    **given: bool,
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
    from tzconv import files, rewriter, target
    from tzconv.rewriter import kept
    from tzconv.tz import zones

    paths = paths or (files.STANDARD_INPUT,)
    many = len(paths) > 1 or Path(paths[0]).is_dir()
    installed = zones.installed()
    options = _Options(**given, release=installed.release, measured={})
    _refuse_wrong_usage(paths, many, options)
    # the session of --url may have a zone outside IANA's; one that is typed here is checked
    session = session_time_zone
    if session is not None and session.lower() not in map(str.lower, installed.names):
        raise UnknownZoneError(session, installed.names, installed.release)
    with arguments.connected(url, db_schema) as backend:
        dialect = arguments.dialect_of(dialect, backend)
        # a wrong dialect, strategy or time is reported once, before any file is read
        rewriter.rewrite("SELECT 1", dialect=dialect, strategy=strategy, now=now)
        names = files.find(paths)
        if backend is not None:
            told = target.read(backend, session).options(kept=not future_literals)
        else:
            until = kept.history_until(installed.release)
            told = {
                "dialect": dialect,
                "schema": {},
                "rules": installed,
                "session_time_zone": session or "UTC",
                "table_schema": db_schema,
                "literals_until": None if future_literals else until,
            }
        told["schema"] |= arguments.declared_types(schema, dialect)
        told |= {"strategy": strategy, "now": now}
        rewrite: Callable[..., Rewrite] = functools.partial(rewriter.rewrite, **told)
        rules = told["rules"]
        if future_literals:
            told["literals_until"] = kept.history_until(rules.release)
            rewrite = kept.with_comment(rewrite, functools.partial(rewriter.rewrite, **told), rules)
        measured = engines.facts_of(dialect).verdicts
        options = dataclasses.replace(options, release=rules.release, measured=measured)
        if many or options.check or options.diff or options.in_place:
            raise SystemExit(_each(names, rewrite, options, many))
        _print_one(names[0], rewrite, options)


def _refuse_wrong_usage(paths: tuple[str, ...], many: bool, options: _Options) -> None:
    check, diff, in_place = options.check, options.diff, options.in_place
    if many and not (check or diff or in_place or options.as_json):
        raise click.UsageError(
            f"{' '.join(paths)}: several files cannot be printed as one: add --check, --diff, "
            "--in-place or --json."
        )
    if in_place and (check or diff):
        raise click.UsageError("--in-place writes files; --check and --diff do not: choose one.")
    if in_place and "-" in paths:
        raise click.UsageError("--in-place needs files: standard input cannot be replaced.")
    if diff and options.as_json:
        raise click.UsageError("--diff and --json both print to standard output: choose one.")


def _print_one(name: str, rewrite: Callable[..., Rewrite], options: _Options) -> None:
    """One file on standard output, or an error and nothing there."""
    from tzconv import files
    from tzconv.rewriter import kept, statements

    file = files.read(name)
    try:
        if not statements.split(file.text):
            rewrite(file.text)  # says that there is none
        result, others = _rewritten(file, rewrite, options)
    except ParseError as error:
        raise arguments.naming(name, error) from error
    outdated = kept.outdated(file.text, options.release)
    if options.as_json:
        printing.print_json(_document(result, others, outdated))
        return
    click.echo(result.sql, nl=not result.sql.endswith("\n"))
    for one in outdated:
        printing.say(_moved_on(name, one, options.release))
    if others is None:
        report(name, result)
    else:
        _explain(name, result, others, options.measured)


def _each(
    names: list[str], rewrite: Callable[..., Rewrite], options: _Options, many: bool
) -> ExitCode:
    """All files, each as far as it goes; the exit code."""
    from tzconv import files
    from tzconv.rewriter import kept

    documents: list[dict[str, Any]] = []
    changed = failed = held = 0
    for name in names:
        try:
            file = files.read(name)
            result, others = _rewritten(file, rewrite, options)
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
        outdated = kept.outdated(file.text, options.release)
        held += len(outdated)
        documents.append({"file": name, **_document(result, others, outdated)})
        if others is not None and not options.as_json:
            _explain(name, result, others, options.measured)
        if not options.as_json:
            _print(file, result, options)
            for one in outdated:
                message = _moved_on(name, one, options.release)
                click.echo(message) if options.check else printing.say(message)
    if options.as_json:
        if not many:
            documents[0].pop("file")
        printing.print_json(documents if many else documents[0])
    printing.say(
        f"{printing.count(len(names), 'file')}: {changed} "
        f"{'rewritten' if options.in_place else 'to rewrite'}, "
        f"{len(names) - changed - failed} with nothing to rewrite"
        f"{f', {failed} not done' if failed else ''}."
    )
    if failed:
        return ExitCode.ERROR
    return ExitCode.FOUND if options.check and (changed or held) else ExitCode.DONE


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
        printing.say(f"{file.name}: rewritten in {printing.count(len(result.changes), 'place')}.")


def _print_diff(text: str) -> None:
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        click.echo(text.encode(), nl=False)
        return
    for line in text.splitlines(keepends=True):
        is_name = line.startswith(("--- ", "+++ "))
        style = {"bold": True} if is_name else {"fg": printing.COLOURS.get(line[:1])}
        click.secho(line, nl=False, **style)


def _rewritten(
    file: SqlFile, rewrite: Callable[..., Rewrite], options: _Options
) -> tuple[Rewrite, tuple[tuple[str, ...], ...] | None]:
    """The rewrite, and with ``--explain`` what else would change each place."""
    from tzconv.rewriter import statements
    from tzconv.rewriter.strategies import STRATEGIES

    result = statements.rewrite_each(file.text, rewrite)
    if not options.explain:
        return result, None
    return result, statements.alternatives(file.text, result, STRATEGIES, rewrite)


def _moved_on(file: str, held: Held, release: str) -> str:
    return (
        f"{file}:{held.line}:{held.column}: holds literals of {held.release} for "
        f"{', '.join(held.zones)}, and the rules are now those of {release}: rewrite it again from "
        "its original"
    )


def _document(
    result: Rewrite, others: tuple[tuple[str, ...], ...] | None, outdated: list[Held]
) -> dict[str, Any]:
    document = result.as_dict()
    document["outdated"] = [dataclasses.asdict(one) for one in outdated]
    if others is not None:
        for change, names in zip(document["changes"], others, strict=True):
            change["alternatives"] = names
    return document


def _explain(
    file: str,
    result: Rewrite,
    others: tuple[tuple[str, ...], ...],
    measured: Mapping[str, str],
) -> None:
    """Every place at length: what it was, what it became, why, and what else could be done."""
    for change, names in zip(result.changes, others, strict=True):
        also = ", ".join(f"--strategy {name}" for name in names)
        printing.say(f"{file}:{change.line}:{change.column}: changed by {change.strategy}")
        _say_parts(
            ("before", change.before),
            ("after", change.after),
            ("why", change.reason),
            ("cost", measured.get(change.strategy, "")),
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


def report(file: str, result: Rewrite) -> None:
    """What was changed and what was left, a line each."""
    for change in result.changes:
        printing.say(
            f"{file}:{change.line}:{change.column}: changed by {change.strategy}: {change.reason}"
        )
    for left in result.left:
        printing.say(f"{file}:{left.line}:{left.column}: left: {left.reason}")
    if not result.changes and not result.left:
        printing.say(f"{file}: no row is converted from one time zone to another; nothing to do.")

"""``tzconv rewrite``: files and folders in, rewritten text, a diff, a check or JSON out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tzconv import engines
from tzconv.cli import arguments, failures, printing, rewriting
from tzconv.cli.codes import ExitCode
from tzconv.cli.rewriting import Rewriter, Rewritten
from tzconv.errors import OutputError, PlacedError, at
from tzconv.sql.lexer import words
from tzconv.sql.reasons import QUIET

if TYPE_CHECKING:
    from tzconv.rewriter import Left, Rewrite


@dataclass(frozen=True)
class _Mode:
    """What is done with each file."""

    many: bool
    check: bool
    diff: bool
    in_place: bool
    explain: bool
    as_json: bool


@click.command("rewrite")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@arguments.of_queries("column types, zone rules and tables")
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
@click.option("--explain", is_flag=True, help="Explain each change: reason and alternatives.")
@arguments.as_json
def command(
    paths: tuple[str, ...],
    check: bool,
    diff: bool,
    in_place: bool,
    explain: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Print queries rewritten to use the conversion tables.

    PATH is a file, - for standard input, or a folder with .sql files, which may be templates (dbt,
    Grafana, ...). In .json and .yml files the queries are edited. The SQL goes to standard output;
    what was changed, what was left and why, to standard error. Folders and several files need
    --check, --diff, --in-place or --json.

    \b
    tzconv rewrite report.sql --schema-file tables.sql
    tzconv rewrite - --url duckdb:///events.duckdb < report.sql
    tzconv rewrite report.sql --types "events.ts=timestamptz,users.tz=text"
    tzconv rewrite queries/ --schema-file tables.sql --check
    """
    from tzconv import files

    paths = paths or (files.STANDARD_INPUT,)
    many = len(paths) > 1 or Path(paths[0]).is_dir()
    mode = _Mode(many, check, diff, in_place, explain, as_json)
    _refuse_wrong_usage(paths, mode)
    with rewriting.opened(lambda: files.find(paths), **given) as rewriter:
        if many or check or diff or in_place:
            raise SystemExit(_each(rewriter, mode))
        [name] = rewriter.names
        try:
            done = rewriter.rewritten(files.read(name), explain=explain)
        except PlacedError as error:
            raise arguments.naming(name, error) from error
    if as_json:
        printing.print_json(done.as_dict())
        return
    click.echo(done.result.sql, nl=not done.result.sql.endswith("\n"))
    for warning in done.warnings():
        printing.say(warning)
    report(name, done.result, done.alternatives, engines.facts_of(rewriter.dialect).verdicts)


def _refuse_wrong_usage(paths: tuple[str, ...], mode: _Mode) -> None:
    if mode.many and not (mode.check or mode.diff or mode.in_place or mode.as_json):
        raise click.UsageError(
            f"{' '.join(paths)}: several files cannot be printed as one: add --check, --diff, "
            "--in-place or --json."
        )
    if mode.in_place and (mode.check or mode.diff):
        raise click.UsageError("--in-place writes files; --check and --diff do not: choose one.")
    if mode.in_place and "-" in paths:
        raise click.UsageError("--in-place needs files: standard input cannot be replaced.")
    if mode.diff and mode.as_json:
        raise click.UsageError("--diff and --json both print to standard output: choose one.")


def _each(rewriter: Rewriter, mode: _Mode) -> ExitCode:
    """Rewrite each file; an error in one does not stop the others. The exit code."""
    from tzconv import files

    documents: list[dict[str, Any]] = []
    changed = failed = outdated = 0
    places: list[Left] = []
    costs = engines.facts_of(rewriter.dialect).verdicts
    for name in rewriter.names:
        try:
            done = rewriter.rewritten(files.read(name), explain=mode.explain)
            if mode.in_place and done.is_changed:
                files.replace(done.file, done.result.sql)
        except (OutputError, PlacedError) as error:
            failed += 1
            documents.append({"file": name, "error": failures.of_file(name, error)})
            continue
        changed += done.is_changed
        outdated += len(done.outdated)
        places += done.result.left
        documents.append({"file": name, **done.as_dict()})
        if not mode.as_json:
            _print(done, mode, costs)
        for left in done.result.left if done.alternatives is None else ():
            if left.code == "not-parsed":
                printing.say(_line(name, left))
    if mode.as_json:
        if not mode.many:
            documents[0].pop("file")
        printing.print_json(documents if mode.many else documents[0])
    count = len(rewriter.names)
    printing.say(
        f"{printing.count(count, 'file')}: {changed} "
        f"{'rewritten' if mode.in_place else 'would change'}, {count - changed - failed} "
        f"unchanged{f', {failed} failed' if failed else ''}."
    )
    untyped = rewriting.say_untyped(places)
    unread = any(left.code == "not-parsed" for left in places)
    # a check that knows no types has judged nothing, so it has not passed
    if failed or (mode.check and (unread or (untyped and rewriter.types.has_none))):
        return ExitCode.ERROR
    return ExitCode.FOUND if mode.check and (changed or outdated) else ExitCode.DONE


def _print(done: Rewritten, mode: _Mode, costs: Mapping[str, str]) -> None:
    """What the mode prints of one file; nothing for a file that does not change."""
    name, changes = done.file.name, done.result.changes
    if done.alternatives is not None:
        report(name, done.result, done.alternatives, costs)
    if mode.diff:
        printing.print_diff(done.file.diff(done.result.sql))
    elif mode.check:
        for change in changes:
            printing.line(
                f"{at(name, change.line, change.column)}: could be rewritten by "
                f"{change.strategy}: {change.reason}"
            )
    elif done.is_changed:
        printing.say(f"{name}: rewritten in {printing.count(len(changes), 'place')}.")
    for warning in done.warnings():
        (printing.line if mode.check else printing.say)(warning)


def report(
    file: str,
    result: Rewrite,
    alternatives: tuple[tuple[str, ...], ...] | None = None,
    costs: Mapping[str, str] | None = None,
) -> None:
    """Print what was changed and what was left: a line each, or more with ``alternatives``."""
    for place, change in enumerate(result.changes):
        head = f"{at(file, change.line, change.column)}: changed by {change.strategy}"
        if alternatives is None:
            printing.say(f"{head}: {change.reason}")
            continue
        others = ", ".join(f"--strategy {name}" for name in alternatives[place])
        _say_parts(
            head,
            before=change.before,
            after=change.after,
            why=change.reason,
            cost=(costs or {}).get(change.strategy, ""),
            instead=others or "no other strategy changes this place",
        )
    for left in result.left:
        if alternatives is not None:
            head = f"{at(file, left.line, left.column)}: left"
            _say_parts(head, text=left.text, why=left.reason)
        elif left.code not in QUIET:
            printing.say(_line(file, left))
    if not words(result.sql):
        printing.say(f"{file}: has no SQL statement: check that it is the file you mean.")
        return
    codes = {left.code for left in result.left}
    if alternatives is None and not result.changes and codes <= QUIET:
        what = "no time zone is converted for each row"
        if "fixed-offset" in codes:
            what = "rows are converted only to or from UTC or a fixed offset"
        printing.say(f"{file}: {what}; nothing to do.")


def _line(file: str, left: Left) -> str:
    return f"{at(file, left.line, left.column)}: left: {left.reason}"


def _say_parts(head: str, **parts: str) -> None:
    printing.say(head)
    for title, text in parts.items():
        if text:
            lines = text.strip("\n").replace("\r", "").split("\n")
            for place, line in enumerate(lines):
                printing.say(f"    {'' if place else title + ':':<9}{line.expandtabs()}")

"""``tzconv lint``: files and folders in, findings as text, JSON, SARIF or annotations out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, failures, printing, rewriting
from tzconv.cli.codes import ExitCode
from tzconv.cli.rewriting import ColumnTypes
from tzconv.errors import OutputError, PlacedError, TzconvError, at

if TYPE_CHECKING:
    from tzconv.lint import Finding


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@arguments.of_queries("column types and zone rules")
@click.option("--select", metavar="CODE,...", help="Rules to run.  [default: all]")
@click.option("--ignore", metavar="CODE,...", help="Rules not to run.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Format of the findings.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--fix",
    is_flag=True,
    help="Replace the files by their text with the fixes that need no conversion tables.",
)
@click.option("--diff", is_flag=True, help="Write nothing; print what --fix would change.")
@click.option("--list-rules", is_flag=True, help="List the rules and exit.")
def command(
    paths: tuple[str, ...],
    dialect: str | None,
    schema: str | None,
    types: tuple[str, ...],
    url: str | None,
    db_schema: str | None,
    select: str | None,
    ignore: str | None,
    form: str,
    as_json: bool,
    fix: bool,
    diff: bool,
    list_rules: bool,
) -> None:
    """Find slow or incorrect time-zone SQL.

    PATH is a file, - for standard input, or a folder with .sql files. Findings go to standard
    output, everything else to standard error. Exits 2 if there are findings, 1 if a file could not
    be read or parsed. A comment -- tzconv: ignore[TZ002] switches rules off.

    --fix makes the fixes of TZ002 and TZ003 that need no conversion tables, and exits 2 if findings
    remain. The fixed queries return the same rows.

    \b
    tzconv lint queries/ --schema-file tables.sql
    tzconv lint queries/ --schema-file tables.sql --fix
    tzconv lint report.sql --url postgresql+psycopg://me@host/reports --select TZ001,TZ002
    tzconv lint queries/ --format sarif > tzconv.sarif
    """
    from tzconv import files, target
    from tzconv.lint import RULES, lint, select_rules
    from tzconv.tz import zones

    if list_rules:
        for rule in RULES.values():
            click.echo(f"{rule.code}  {rule.title}{' (has fixes)' if rule.fixable else ''}")
        return
    paths = paths or (files.STANDARD_INPUT,)
    if as_json and form not in ("text", "json"):
        raise click.UsageError(f"--json and --format {form} contradict each other: choose one.")
    form = "json" if as_json else form
    if fix and not diff and files.STANDARD_INPUT in paths:
        raise click.UsageError("--fix needs files: standard input cannot be replaced.")
    if diff and form != "text":
        raise click.UsageError(f"--diff and --format {form} both print to standard output.")
    checks = select_rules(arguments.names(select or ""), arguments.names(ignore or ""))
    with arguments.connected(url, db_schema) as backend:
        dialect = arguments.dialect_of(dialect, backend)
        database = None if backend is None else target.read(backend)
    names = files.find(paths)
    in_database = None if database is None else database.types
    settings: dict[str, Any] = {
        "dialect": dialect,
        "rules": (database and database.rules) or zones.installed(),
        "session_time_zone": "UTC" if database is None else database.session_time_zone,
    }
    run = _Run(
        settings,
        rewriting.column_types(schema, types, dialect, in_database, names),
        functools.partial(lint, checks=checks, **settings),
        frozenset(one.code for one in checks),
    )
    for name in names:
        try:
            run.read(name, fixes=fix or diff, writes=fix and not diff, diffs=diff)
        except (OutputError, PlacedError) as error:
            run.failed[name] = error
            printing.error(arguments.naming(name, error))
    if not diff:
        _print(run, form)
    if form == "text":
        printing.say(run.summary(fixes=fix or diff, writes=fix and not diff))
    if run.failed:
        raise SystemExit(ExitCode.ERROR)
    if any(run.found.values()) or (diff and run.fixed):
        raise SystemExit(ExitCode.FOUND)


@dataclass
class _Run:
    """The findings of each file, and of those that failed the error.

    ``settings`` are arguments of the linter and of :func:`tzconv.rewrite`. ``fixed`` is how many
    findings the fixes of the files have removed.
    """

    settings: dict[str, Any]
    known: ColumnTypes
    lint: Callable[..., tuple[Finding, ...]]
    codes: frozenset[str]
    found: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    failed: dict[str, TzconvError] = field(default_factory=dict)
    fixed: int = 0

    def read(self, name: str, *, fixes: bool, writes: bool, diffs: bool) -> None:
        """Lint a file, and fix it before if that is asked for."""
        from tzconv import files
        from tzconv.lint import fixes as fixing
        from tzconv.sql.embedded import is_other

        file = files.read(name)
        text, found = file.text, self._findings(name, file.text)
        is_sql = not is_other(name)
        if fixes and is_sql and any(one.code in fixing.STRATEGIES for one in found):
            tables = self.known.of_file(name).tables
            own = functools.partial(self.lint, schema=tables)
            text = fixing.fix(file.text, own, schema=tables, **self.settings)
        if text != file.text:
            before, found = len(found), self._findings(name, text)
            if writes:
                files.replace(file, text)
            if diffs:
                printing.print_diff(file.diff(text))
            self.fixed += before - len(found)
        self.texts[name], self.found[name] = text, found
        for hint in _foreign(text, self.settings["dialect"]):
            printing.say(f"{name}: {hint}.")

    def _findings(self, name: str, text: str) -> tuple[Finding, ...]:
        from tzconv import rewriter
        from tzconv.lint import embedded, templated
        from tzconv.rewriter.embedded import rewrite_each
        from tzconv.sql.embedded import is_other
        from tzconv.sql.templates import is_template

        declared = self.known.of_file(name)
        own = functools.partial(templated.lint_each, lint=self.lint, declared=declared)
        left: tuple[rewriter.Left, ...] = ()
        if is_other(name) or is_template(text):
            rewrite = functools.partial(rewriter.rewrite, **self.settings)
            left = rewrite_each(name, text, rewrite, declared, self.settings["dialect"]).left
        found = embedded.lint_each(name, text, own, left)
        return tuple(one for one in found if one.code in self.codes)

    def summary(self, *, fixes: bool, writes: bool) -> str:
        """How many files were read, and what was found in them."""
        count = sum(map(len, self.found.values()))
        none = "no findings" if self.found else "nothing could be read"
        said = printing.count(count, "finding") if count else none
        if fixes:
            verb = "fixed" if writes else "would be fixed"
            said = f"{self.fixed} {verb}, {said}{' left' if count else ''}"
        left = sum(bool(one.fixes) for found in self.found.values() for one in found)
        hint = f", {left} fixable by tzconv rewrite" if left else ""
        return f"{printing.count(len(self.found), 'file')}: {said}{hint}."


def _foreign(text: str, dialect: str) -> list[str]:
    """What calls of other dialects' functions look like; a linter would find nothing in them."""
    from tzconv.rewriter import sweep
    from tzconv.sql.reasons import Reason

    places = sweep.places_in_text(text, dialect, lambda _: Reason("statement", ""))
    return sorted({one.reason.text for one in places if one.reason.code == "other-dialect"})


def _print(run: _Run, form: str) -> None:
    from tzconv.lint import formats

    if form == "sarif":
        printing.print_json(formats.sarif(run.found, run.texts))
    elif form == "json":
        documents: list[dict[str, Any]] = [
            {"file": file, **one.as_dict()} for file, found in run.found.items() for one in found
        ]
        for file, error in run.failed.items():
            documents.append({"file": file, "error": failures.of_file(file, error)})
        printing.print_json(documents)
    elif form == "github":
        for line in formats.github(run.found):
            printing.line(line)
    else:
        for file, found in run.found.items():
            for one in found:
                printing.line(f"{at(file, one.line, one.column)}: {one.code} {one.message}")

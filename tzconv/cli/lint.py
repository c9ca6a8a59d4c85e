"""``tzconv lint``: files and folders in, findings as text, JSON, SARIF or annotations out."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import click

from tzconv.cli import arguments, column_types, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import OutputError, ParseError

if TYPE_CHECKING:
    from tzconv.lint import Finding


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@arguments.dialect
@arguments.schema
@arguments.types
@click.option("--url", metavar="URL", help="Database to read column types and zone rules from.")
@arguments.db_schema
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
@click.option("--rules", "list_rules", is_flag=True, help="List the rules and exit.")
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
    list_rules: bool,
) -> None:
    """Find slow or incorrect time-zone SQL.

    PATH is a file, - for standard input, or a folder with .sql files. Findings go to standard
    output, everything else to standard error. Exits 2 if there are findings, 1 if a file could not
    be read or parsed. A comment -- tzconv: ignore[TZ002] switches rules off.

    \b
    tzconv lint queries/ --schema tables.sql
    tzconv lint report.sql --url postgresql+psycopg://me@host/reports --select TZ001,TZ002
    tzconv lint queries/ --format sarif > tzconv.sarif
    """
    from tzconv import files, target
    from tzconv.lint import RULES, lint, select_rules, templated

    if list_rules:
        for rule in RULES.values():
            click.echo(f"{rule.code}  {rule.title}{' (has fixes)' if rule.fixable else ''}")
        return
    checks = select_rules(arguments.names(select or ""), arguments.names(ignore or ""))
    with arguments.connected(url, db_schema) as backend:
        dialect = arguments.dialect_of(dialect, backend)
        lint("", dialect=dialect)  # an unknown dialect is reported once, before any file is read
        database = None if backend is None else target.read(backend)
    names = files.find(paths or (files.STANDARD_INPUT,))
    in_database = None if database is None else database.types
    known = column_types.read(schema, types, dialect, in_database, names)
    lint_text = functools.partial(
        lint,
        dialect=dialect,
        rules=None if database is None else database.rules,
        session_time_zone="UTC" if database is None else database.session_time_zone,
        checks=checks,
    )
    found: dict[str, tuple[Finding, ...]] = {}
    texts: dict[str, str] = {}
    failed = False
    for name in names:
        try:
            texts[name] = files.read(name).text
            tables = known.tables(name)
            found[name] = templated.lint_each(
                texts[name], lint_text, tables, known.declared_for(name)
            )
        except (OutputError, ParseError) as error:
            failed = True
            printing.error(arguments.at_place(name, error))
    _print(found, texts, form)
    count = sum(map(len, found.values()))
    if form == "text":
        fixable = sum(bool(one.fixes) for findings in found.values() for one in findings)
        hint = f", {fixable} fixable by tzconv rewrite" if fixable else ""
        printing.say(
            f"{printing.count(len(found), 'file')}: "
            f"{printing.count(count, 'finding') if count else 'no findings'}{hint}."
        )
    if count or failed:
        raise SystemExit(ExitCode.ERROR if failed else ExitCode.FOUND)


def _print(found: dict[str, tuple[Finding, ...]], texts: dict[str, str], form: str) -> None:
    from tzconv.lint import formats

    if form == "sarif":
        printing.print_json(formats.sarif(found, texts))
    elif form == "json":
        printing.print_json(
            [
                {"file": file, **one.as_dict()}
                for file, findings in found.items()
                for one in findings
            ]
        )
    elif form == "github":
        for line in formats.github(found):
            printing.line(line)
    else:
        for file, findings in found.items():
            for one in findings:
                printing.line(f"{file}:{one.line}:{one.column}: {one.code} {one.message}")

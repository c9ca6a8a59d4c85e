"""``tzconv lint``: files and folders in, findings as text, JSON, SARIF or annotations out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, failures, printing, rewriting
from tzconv.cli.codes import ExitCode
from tzconv.errors import OutputError, PlacedError, at

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
    list_rules: bool,
) -> None:
    """Find slow or incorrect time-zone SQL.

    PATH is a file, - for standard input, or a folder with .sql files. Findings go to standard
    output, everything else to standard error. Exits 2 if there are findings, 1 if a file could not
    be read or parsed. A comment -- tzconv: ignore[TZ002] switches rules off.

    \b
    tzconv lint queries/ --schema-file tables.sql
    tzconv lint report.sql --url postgresql+psycopg://me@host/reports --select TZ001,TZ002
    tzconv lint queries/ --format sarif > tzconv.sarif
    """
    from tzconv import files, target
    from tzconv.lint import RULES, select_rules
    from tzconv.lint.files import lint_file
    from tzconv.tz import zones

    if list_rules:
        for rule in RULES.values():
            click.echo(f"{rule.code}  {rule.title}{' (has fixes)' if rule.fixable else ''}")
        return
    paths = paths or (files.STANDARD_INPUT,)
    if as_json and form not in ("text", "json"):
        raise click.UsageError(f"--json and --format {form} contradict each other: choose one.")
    form = "json" if as_json else form
    checks = select_rules(arguments.names(select or ""), arguments.names(ignore or ""))
    with arguments.connected(url, db_schema) as backend:
        dialect = arguments.dialect_of(dialect, backend.dialect if backend else None)
        database = None if backend is None else target.read(backend)
    names = files.find(paths)
    in_database = None if database is None else database.schema
    settings: dict[str, Any] = {
        "dialect": dialect,
        "rules": (database and database.rules) or zones.installed(),
        "session_time_zone": None if database is None else database.session_time_zone,
    }
    known = rewriting.column_types(schema, types, dialect, in_database, names)
    found: dict[str, tuple[Finding, ...]] = {}
    texts: dict[str, str] = {}
    failed: list[dict[str, Any]] = []
    for name in names:
        try:
            text = files.read(name).text
            found[name] = lint_file(name, text, known.of_file(name), checks, **settings)
            texts[name] = text
            for hint in _foreign(text, dialect):
                printing.say(f"{name}: {hint}.")
        except (OutputError, PlacedError) as error:
            failed.append({"file": name, "error": failures.of_file(name, error)})
    _print(form, found, texts, failed)
    if form == "text":
        printing.say(_summary(found))
    if failed:
        raise SystemExit(ExitCode.ERROR)
    if any(found.values()):
        raise SystemExit(ExitCode.FOUND)


def _summary(found: Mapping[str, tuple[Finding, ...]]) -> str:
    """How many files were read, and what was found in them."""
    count = sum(map(len, found.values()))
    none = "no findings" if found else "nothing could be read"
    said = printing.count(count, "finding") if count else none
    left = sum(bool(one.fixes) for findings in found.values() for one in findings)
    hint = f", {left} fixable by tzconv rewrite" if left else ""
    return f"{printing.count(len(found), 'file')}: {said}{hint}."


def _foreign(text: str, dialect: str) -> list[str]:
    """What calls of other dialects' functions look like; a linter would find nothing in them."""
    from tzconv.rewriter import sweep
    from tzconv.sql.reasons import Reason

    places = sweep.places_in_text(text, dialect, lambda _: Reason("statement", ""))
    return sorted({one.reason.text for one in places if one.reason.code == "other-dialect"})


def _print(
    form: str,
    found: Mapping[str, tuple[Finding, ...]],
    texts: Mapping[str, str],
    failed: list[dict[str, Any]],
) -> None:
    from tzconv.lint import formats

    if form == "sarif":
        printing.print_json(formats.sarif(found, texts))
    elif form == "json":
        documents = [
            {"file": file, **one.as_dict()} for file, findings in found.items() for one in findings
        ]
        printing.print_json(documents + failed)
    elif form == "github":
        for line in formats.github(found):
            printing.line(line)
    else:
        for file, findings in found.items():
            for one in findings:
                printing.line(f"{at(file, one.line, one.column)}: {one.code} {one.message}")

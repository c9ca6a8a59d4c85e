"""Arguments that several commands share, and the reading of files they name."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tzconv import files
from tzconv.errors import ParseError, TzconvError

Command = TypeVar("Command", bound=Callable[..., Any])


class _Day(click.ParamType[dt.date]):
    name = "date"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dt.date:
        if isinstance(value, dt.date):
            return value
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a date such as 2026-01-31.", param, ctx)


def horizon(command: Command) -> Command:
    """``--zones``, ``--start``, ``--end`` and ``--rules``."""
    return _horizon(
        command,
        "all|NAME,...",
        "IANA names, separated by commas.",
        "tzdata|PATH",
        "Where the rules come from: the tzdata package or a folder of TZif files.",
    )


def horizon_of_database(command: Command) -> Command:
    """The same, where a database is there to be asked for zones and rules."""
    return _horizon(
        command,
        "all|NAME,...|sql:SELECT",
        "IANA names, separated by commas, or a query of the database that returns them.",
        "tzdata|database|PATH",
        "Where the rules come from: the tzdata package, the database's own function, or a folder "
        "of TZif files.",
    )


def _horizon(command: Command, zones: str, zones_help: str, rules: str, rules_help: str) -> Command:
    for option in (
        click.option(
            "--rules", default="tzdata", show_default=True, metavar=rules, help=rules_help
        ),
        click.option(
            "--end",
            type=_Day(),
            metavar="DATE",
            help="First UTC day not covered.  [default: end of next year]",
        ),
        click.option(
            "--start",
            type=_Day(),
            metavar="DATE",
            help="First UTC day covered.  [default: start of last year]",
        ),
        click.option("--zones", default="all", show_default=True, metavar=zones, help=zones_help),
    ):
        command = option(command)
    return command


def zone_names(text: str) -> str | list[str] | None:
    """The names of ``--zones``, or its query; None for all of them."""
    if text == "all":
        return None
    return text if text.startswith("sql:") else names(text)


def names(text: str) -> list[str]:
    """Names that were separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


url = click.option("--url", metavar="URL", help="Database.  [default: duckdb:///tzconv.duckdb]")

db_schema = click.option(
    "--db-schema",
    metavar="NAME",
    help="Schema of the conversion tables.  [default: the one that plain names mean]",
)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")

schema = click.option(
    "--schema",
    metavar="DDL.sql",
    help="File with the CREATE TABLE statements of your tables, for their column types.",
)

strategy = click.option("--strategy", metavar="NAME", help="Use this strategy and no other.")


def read_sql(path: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    return files.read(path).text


def naming(path: str, error: ParseError) -> ParseError:
    """The error with the name of the file it is in."""
    named = ParseError("", error.line, error.column)
    named.args = (f"{'standard input' if path == '-' else path}: {error}",)
    return named


def at_place(path: str, error: TzconvError) -> str:
    """What is wrong with a file, as compilers say it: ``file:line:column: reason``."""
    if isinstance(error, ParseError):
        reason = str(error).removeprefix(f"line {error.line}, column {error.column}: ")
        return f"{path}:{error.line}:{error.column}: {reason}"
    text = str(error)
    return text if text.startswith(f"{path}: ") else f"{path}: {text}"

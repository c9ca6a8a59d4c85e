"""Options that several commands share, and what their values stand for."""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from click.core import ParameterSource

from tzconv import engines
from tzconv.engines import urls
from tzconv.errors import OutputError, PlacedError, TzconvError

if TYPE_CHECKING:
    from tzconv.engines.backend import Backend

Option: TypeAlias = Callable[[Any], Any]


def _day(text: str) -> dt.date | None:
    return None if text == "default" else day(text)  # a configuration has that for the refresh


def _day_or_default(text: str) -> dt.date | str:
    return text if text == "default" else day(text)


def day(text: str) -> dt.date:
    """The value of an option that is a date."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a date such as 2026-01-31.") from None


def together(*options: Option) -> Option:
    """Several options as one."""
    return lambda command: functools.reduce(lambda made, add: add(made), options[::-1], command)


_START, _END = "First UTC day covered.", "First UTC day not covered."
_NAMES = "IANA names, separated by commas"
_SOURCES = "Where the rules come from: the tzdata package"

rules = click.option(
    "--rules",
    default="tzdata",
    show_default=True,
    metavar="tzdata|PATH",
    help=f"{_SOURCES} or a folder of TZif files.",
)

horizon = together(
    click.option(
        "--zones", default="all", show_default=True, metavar="all|NAME,...", help=f"{_NAMES}."
    ),
    click.option(
        "--start", type=_day, metavar="DATE", help=f"{_START}  [default: start of last year]"
    ),
    click.option("--end", type=_day, metavar="DATE", help=f"{_END}  [default: end of next year]"),
    rules,
)
"""``--zones``, ``--start``, ``--end`` and ``--rules``."""


def _kept(name: str, metavar: str, text: str, default: str, **more: Any) -> Option:
    help_text = f"{text}  [default: as in the last refresh, at first {default}]"
    return click.option(name, metavar=metavar, help=help_text, **more)


selection = together(
    _kept(
        "--zones",
        "all|NAME,...|sql:SELECT",
        f"{_NAMES}, or a query of the database that returns them.",
        "all",
    ),
    _kept("--start", "DATE|default", _START, "the start of last year", type=_day_or_default),
    _kept("--end", "DATE|default", _END, "the end of next year", type=_day_or_default),
    _kept(
        "--rules",
        "tzdata|database|PATH",
        f"{_SOURCES}, the database's own function, or a folder of TZif files.",
        "tzdata",
    ),
    _kept(
        "--tables",
        "NAME,...|default",
        "Load these of daily, hourly, offset, zone and period; offset and zone are always loaded.",
        "those that the database's queries join",
    ),
)
"""Like ``horizon``, for a database: it supplies zones and rules, and keeps what was chosen."""


def names(text: str) -> list[str]:
    """Names that were separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


url = click.option("--url", metavar="URL", help=f"Database.  [default: {urls.DEFAULT}]")

db_schema = click.option(
    "--db-schema",
    metavar="NAME",
    help="Schema of the conversion tables.  [default: the one that plain names mean]",
)

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


schema = click.option(
    "--schema-file",
    "--schema",
    "schema",
    metavar="FILE",
    help="Column types of your tables: CREATE TABLE statements, dbt's catalog.json or "
    "manifest.json, or information_schema.columns as CSV.",
)


class _Repeated(click.Option):
    """An option that may be repeated; a default from a file or the environment is one text."""

    def consume_value(self, ctx: click.Context, opts: Any) -> Any:
        value, source = super().consume_value(ctx, opts)
        return [value] if isinstance(value, str) else value, source


types = click.option(
    "--types",
    multiple=True,
    cls=_Repeated,
    metavar="TABLE.COLUMN=TYPE,...",
    help="Types of single columns, such as events.ts=timestamptz; may be repeated.",
)

strategy = click.option("--strategy", metavar="NAME", help="Use this strategy and no other.")

_OF_URL = f"that of --url, else {engines.DEFAULT}"


def dialect(of: str, default: str = _OF_URL) -> Option:
    """The option with the dialect of what a command reads or prints."""
    text = f"Dialect of the {of}.  [default: {default}]"
    return click.option("--dialect", metavar="NAME", help=text)


def of_queries(what: str, dialect_default: str = _OF_URL) -> Option:
    """The options of a command that reads queries; from ``--url`` it reads ``what``."""
    database = click.option("--url", metavar="URL", help=f"Database to read {what} from.")
    return together(dialect("queries", dialect_default), schema, types, database, db_schema)


def connected(url: str | None, schema: str | None) -> AbstractContextManager[Backend | None]:
    """The database of ``--url``, open for reading; None without a URL."""
    if url is None:
        return contextlib.nullcontext()
    return engines.connect(url, read_only=True, schema=schema)


def dialect_of(dialect: str | None, of_url: str | None) -> str:
    """``--dialect``, or that of ``--url``; UsageError where they contradict each other."""
    dialect = dialect and engines.named(dialect)
    if of_url is None:
        return dialect or engines.DEFAULT
    # a URL that is typed is meant; a dialect of the configuration is for queries without one
    if dialect in (None, of_url) or (is_typed("url") and not is_typed("dialect")):
        return of_url
    found = "" if is_typed("url") else " of TZCONV_URL or the configuration"
    raise click.UsageError(
        f"--dialect {dialect} contradicts --url{found}, which is a database of the dialect "
        f"{of_url}: leave --dialect out, or name another database."
    )


def is_typed(name: str) -> bool:
    """Whether a parameter stands on the command line: other values are defaults."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def naming(path: str, error: TzconvError) -> TzconvError:
    """The error with the name of its file: ``file:line:column: reason`` where it has a place."""
    if isinstance(error, PlacedError):
        return error.in_file(path)
    # an OutputError names its file itself
    return error if isinstance(error, OutputError) else type(error)(f"{path}: {error}")

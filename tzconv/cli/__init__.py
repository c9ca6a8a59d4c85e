"""The command line: arguments and printing only; every command calls the library.

What a program may read goes to standard output, words for people to standard error. Exit codes: 0,
1 for an error (one sentence, no traceback), 2 for wrong usage, 130 after Ctrl-C.
"""

from __future__ import annotations

import gc
import sys

import click

from tzconv.cli.group import LazyGroup, print_version
from tzconv.errors import TzconvError

_COMMANDS = {
    "demo": "Show the three queries the project began with, before and after.",
    "generate": "Write the conversion tables as Parquet or CSV files.",
    "refresh": "Create or renew the conversion tables in a database.",
    "status": "Tell what is loaded, and how long it lasts.",
    "doctor": "Check every row that is loaded.",
    "migrate": "Create the tables or bring them to the newest revision.",
    "rewrite": "Print a query rewritten to use the conversion tables.",
    "compare": "Run a query as it is and rewritten: same rows? how fast?",
    "lint": "Find what costs time or answers in queries.",
    "show": "Show what the clocks of a zone do in a year or on a day.",
    "completion": "Print the script by which a shell completes commands and zones.",
    "bench": "Measure every strategy on this machine and in this database.",
    "ddl": "Print the CREATE TABLE statements of the conversion tables.",
}


class _Group(LazyGroup):
    registry = _COMMANDS


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=print_version,
    help="Show the versions of tzconv, of its rules and of the drivers, and exit.",
)
@click.option(
    "--config",
    metavar="FILE",
    envvar="TZCONV_CONFIG",
    help="File of defaults.  [default: the nearest tzconv.toml or [tool.tzconv]]",
)
@click.pass_context
def cli(context: click.Context, config: str | None) -> None:
    """Exact time zone conversion tables, and SQL rewritten to use them."""
    from tzconv.cli.config import default_map, defaults

    if context.resilient_parsing:
        return
    values, sources = defaults(config)
    context.default_map = default_map(_COMMANDS, values)
    context.obj = {"sources": sources}


def main() -> None:
    """Run the command line and end the process with its exit code."""
    code = _run()
    # Here nothing refers to an error any more, whose frames keep connections open: DuckDB writes
    # many lines about what it finds open at the end.
    if code == 0 and "duckdb" not in sys.modules:
        gc.freeze()  # what is left lives to the end: to search it for garbage takes 0.2 s
    else:
        gc.collect()
    sys.exit(code)


def _run() -> int:
    try:
        code = cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("tzconv: stopped; what was not finished was undone.", err=True)
        return 130
    except TzconvError as error:
        click.echo(f"tzconv: {error}", err=True)
        return 1
    except BrokenPipeError:
        # The reader of our output has gone: no word of it, and no second error at exit.
        sys.stdout = None
        return 1
    return code if isinstance(code, int) else 0

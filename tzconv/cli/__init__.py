"""The command line: arguments and printing only; every command calls the library.

What a program may read goes to standard output, words for people to standard error. Exit codes: 0,
1 for an error (one sentence, no traceback), 2 for wrong usage, 130 after Ctrl-C.
"""

from __future__ import annotations

import importlib
import sys

import click

from tzconv._version import __version__
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
    "bench": "Measure every strategy on this machine and in this database.",
    "ddl": "Print the CREATE TABLE statements of the conversion tables.",
}


class _LazyGroup(click.Group):
    """Imports a command's module when the command is used, so that each one starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = importlib.import_module(f"tzconv.cli.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"tzconv.cli.{cmd_name}.command is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="tzconv %(version)s")
def cli() -> None:
    """Exact time zone conversion tables, and SQL rewritten to use them."""


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        code = cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("tzconv: stopped; what was not finished was undone.", err=True)
        sys.exit(130)
    except TzconvError as error:
        click.echo(f"tzconv: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output has gone: no word of it, and no second error at exit.
        sys.stdout = None
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)

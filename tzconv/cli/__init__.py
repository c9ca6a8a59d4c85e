"""The command line: arguments and printing only; every command calls the library.

What a program may read goes to standard output, words for people to standard error. :mod:`codes`
has the exit codes.
"""

from __future__ import annotations

import functools
import gc
import importlib
import sys
import time
from importlib import metadata
from typing import Any

import click

from tzconv import engines
from tzconv._version import __version__
from tzconv.cli.codes import ExitCode
from tzconv.errors import TzconvError, interruptible, nearest_names

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


class _Group(click.Group):
    """Imports a command's module when the command is used, so that each one starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the registry."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name with the options that all have; None where there is none."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"tzconv.cli.{cmd_name}").command
        known = {param.name for param in command.params}
        command.params += [option for option in _loudness() if option.name not in known]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed; UsageError with the nearest name where there is none."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            near = nearest_names(args[0], _COMMANDS)
            hint = f"did you mean {near[0]}?" if near else "tzconv --help lists them."
            raise click.UsageError(f"There is no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands for --help without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _loudness() -> list[click.Option]:
    return [
        click.Option(names, is_flag=True, expose_value=False, callback=callback, help=text)
        for names, callback, text in (
            (["-q", "--quiet"], _quiet, "Say nothing but errors."),
            (
                ["-v", "--verbose"],
                _verbose,
                "Say where defaults come from, and how long it took.",
            ),
        )
    ]


def _quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    from tzconv.cli import printing

    if value:
        printing.be_quiet()
        ctx.call_on_close(functools.partial(printing.be_quiet, False))


def _verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    from tzconv.cli import printing

    if not value:
        return
    started = time.perf_counter()
    for source in (ctx.find_root().obj or {}).get("sources", []):
        printing.say(f"Defaults from {source}.")

    ctx.call_on_close(
        lambda: printing.say(f"Took {printing.seconds(time.perf_counter() - started)}.")
    )


def _print_version(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """The version, the tz release, and the versions of what tzconv uses, then the end."""
    if not value or ctx.resilient_parsing:
        return
    from tzconv.tz import zones

    click.echo(f"tzconv {__version__}")
    click.echo(f"tz release {zones.installed().release}")
    drivers = [engines.facts_of(dialect).distribution for dialect in engines.DIALECTS]
    for name in (*drivers, "sqlalchemy", "sqlglot"):
        try:
            click.echo(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            click.echo(f"{name} not installed")
    ctx.exit()


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
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
    from tzconv.cli.config import defaults

    if context.resilient_parsing:
        return
    values, sources = defaults(config)
    context.default_map = dict.fromkeys(_COMMANDS, values)
    context.obj = {"sources": sources}


def main() -> None:
    """Run the command line and end the process with its exit code."""
    code = _run()
    # here nothing refers to an error any more, whose frames keep connections open: the engine would
    # write many lines about what it finds open at the end
    if code == 0 and engines.facts_of(engines.DEFAULT).driver not in sys.modules:
        gc.freeze()  # what is left lives to the end: to search it for garbage takes 0.2 s
    else:
        gc.collect()
    sys.exit(code)


def _run() -> ExitCode:
    try:
        with interruptible():
            code = cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE if isinstance(error, click.UsageError) else ExitCode.ERROR
    except (KeyboardInterrupt, click.Abort):
        click.echo("tzconv: stopped; what was not finished was undone.", err=True)
        return ExitCode.STOPPED
    except TzconvError as error:
        click.echo(f"tzconv: {error}", err=True)
        return ExitCode.ERROR
    except BrokenPipeError:
        # The reader of our output has gone: no word of it, and no second error at exit.
        sys.stdout = None
        return ExitCode.ERROR
    return ExitCode(code or 0)

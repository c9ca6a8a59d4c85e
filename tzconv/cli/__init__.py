"""The command ``tzconv``: a module for each subcommand, with arguments and printing only.

Results go to standard output, messages for people to standard error. :mod:`codes` has the exit
codes.
"""

from __future__ import annotations

import errno
import functools
import gc
import importlib
import os
import re
import sys
import time
import traceback
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from tzconv import engines
from tzconv._version import __version__
from tzconv.cli import failures, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import (
    NewerTablesError,
    TzconvError,
    interruptible,
    nearest_names,
    without_secrets,
)

_COMMANDS = (
    *("demo", "init", "generate", "refresh", "status", "doctor", "migrate", "rewrite", "compare"),
    *("lint", "dbt", "view", "rollup", "names", "impact", "show", "bench", "ddl"),
)
_MODULES = {"status": "health", "doctor": "health"}
"""The modules of commands that share one."""
_NO_MEMORY = ("failed to map segment", "can't start new thread", "annot allocate memory")
_MORE_MEMORY = (
    "Out of memory: nothing was changed; give the process more (ulimit -v, the limit of its "
    "container), or load less with --zones or --tables."
)
_NO_FOLDER = "the working directory was removed: run this in one that exists."
_BEFORE_AT = re.compile(r"[^\s('\"]*@")


class _Group(click.Group):
    """Imports the module of a command when it is used, so that each one starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name with the common options; None for an unknown name."""
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"tzconv.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name if cmd_name in _MODULES else "command")
        if all(param.name != "quiet" for param in command.params):
            command.params += _output_options()
            command.callback = _announced(command.callback)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a Ctrl-C ends a log without click's empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            if not printing.is_terminal():
                raise click.Abort from error
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed; UsageError with the nearest name for an unknown one."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            near = nearest_names(args[0], _COMMANDS)
            hint = f"did you mean {near[0]}?" if near else "tzconv --help lists them."
            raise click.UsageError(f"There is no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)


def _quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        printing.be_quiet()


def _verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value:
        return
    started = time.perf_counter()
    for source in ctx.find_root().obj.sources:
        printing.say(f"Defaults from {source}.")
    ctx.call_on_close(
        lambda: printing.say(f"Took {printing.seconds(time.perf_counter() - started)}.")
    )


def _announced(callback: Callable[..., Any] | None) -> Callable[..., Any]:
    """The command; it first prints what it takes from a file that nobody has named."""
    assert callback is not None

    @functools.wraps(callback)
    def command(*arguments: Any, **options: Any) -> Any:
        made = click.get_current_context().find_root().obj
        for path in made.ignored:
            printing.say(
                f"Ignored {path}, which another user can change: trust it with --config or "
                "TZCONV_CONFIG."
            )
        if made.used:
            printing.say(f"Defaults from {made.found}: {', '.join(made.used)}.")
        return callback(*arguments, **options)

    return command


def _output_options() -> list[click.Option]:
    """``--quiet`` and ``--verbose``, which every command has."""
    flag = functools.partial(click.Option, is_flag=True, expose_value=False)
    return [
        flag(["-q", "--quiet"], callback=_quiet, help="Print errors only."),
        flag(
            ["-v", "--verbose"],
            callback=_verbose,
            help="Print where defaults come from, and the time taken.",
        ),
    ]


def _print_version(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Print the versions of tzconv, of the tz release and of the dependencies, and exit."""
    if not value or ctx.resilient_parsing:
        return
    from tzconv.tz import zones

    click.echo(f"tzconv {__version__}")
    click.echo(f"tz release {zones.installed().release}")
    drivers = [engines.facts_of(one).driver.replace("_", "-") for one in engines.DIALECTS]
    for name in (*filter(None, drivers), "sqlalchemy", "sqlglot"):
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
    help="Show the versions of tzconv, its rules and the drivers, and exit.",
)
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(),
    envvar="TZCONV_CONFIG",
    help="File of defaults.  [default: the nearest tzconv.toml or [tool.tzconv]]",
)
@click.pass_context
def cli(context: click.Context, config: str | None) -> None:
    """Exact time zone conversion tables, and SQL rewritten to use them."""
    from tzconv.cli.config import defaults

    if context.resilient_parsing:
        return
    # the log of a job: with --json and off a terminal, JSON lines on standard error
    is_job = context.invoked_subcommand == "refresh"
    printing.start(is_job and failures.asks_for_json(sys.argv[1:]))
    context.obj = made = defaults(config)
    context.default_map = dict.fromkeys(_COMMANDS, made.values)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed, and a database's file would get its number
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115
    code = _run()
    # _run has returned, so no frame of an error keeps a connection open: an engine may log many
    # lines about connections that are open at exit
    if code == 0 and engines.facts_of(engines.DEFAULT).driver not in sys.modules:
        gc.freeze()  # saves 0.2 s: no search for garbage at exit
    else:
        gc.collect()
    sys.exit(code)


def _run() -> ExitCode:
    printing.start(is_job=False)
    try:
        with interruptible():
            code = cli(standalone_mode=False)
    except click.ClickException as error:
        return _wrong_usage(error)
    except (KeyboardInterrupt, click.Abort) as error:
        return _failed(error, "stopped; unfinished changes were undone.", ExitCode.STOPPED)
    except NewerTablesError as error:
        return _failed(error, str(error), ExitCode.WARNED)
    except TzconvError as error:
        return _failed(error, str(error), ExitCode.ERROR)
    except BrokenPipeError:
        # the reader of our output has closed it: end silently, without a second error at exit
        sys.stdout = None
        return ExitCode.ERROR
    except Exception as error:
        if (refused := _refused(error)) is not None:
            return _failed(error, refused, ExitCode.ERROR)
        said = f"{error!r}: please report this."
        failures.print_json(error, said, ExitCode.ERROR)
        if not printing.is_json():
            raise
        where = without_secrets(traceback.format_exc())
        printing.error(said, ExitCode.ERROR, traceback=where)
        return ExitCode.ERROR
    return ExitCode(code or 0)


def _refused(error: Exception) -> str | None:
    """A sentence for what the system lacks; None for a fault of this program."""
    if isinstance(error, MemoryError) or any(map(str(error).count, _NO_MEMORY)):
        return _MORE_MEMORY
    if not isinstance(error, OSError) or error.filename:
        return None
    if error.errno == errno.ENOSPC:
        sys.stdout = None  # it would fail again at exit
        return "standard output is full, so the rest of it was lost: no space left on its device."
    return _NO_FOLDER if error.errno == errno.ENOENT else None


def _failed(error: BaseException, said: str, code: ExitCode) -> ExitCode:
    failures.print_json(error, said, code)
    printing.error(said, code)
    return code


def _wrong_usage(error: click.ClickException) -> ExitCode:
    """Print what click says, without anything that was typed before an @: a URL may be there."""
    code = ExitCode.USAGE if isinstance(error, click.UsageError) else ExitCode.ERROR
    text = _BEFORE_AT.sub("***@", without_secrets(error.format_message()))
    failures.print_json(error, text, code)
    if printing.is_json():
        printing.error(text, code)
        return code
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # of click 8.2
        click.echo(text, err=True)  # it is the help
        return code
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        hint = f"Try '{context.command_path} {context.help_option_names[0]}' for help."
        click.echo(f"{context.get_usage()}\n{hint}\n", err=True)
    printing.message(f"Error: {text}")
    return code
